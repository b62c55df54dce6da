//! Differences on one side of the motion, with what they leave out known from looks at both.
//!
//! The step Φ of the run itself is one value of a difference, and one more gives
//!
//! ```text
//! (Φ(x + σhδ) − Φ(x)) / σh = Φ′δ + σ h b + …,      b = ½ Φ″δδ,   σ = ±1
//! ```
//!
//! Every few steps both sides are taken, which shows b. In between b is that of the last look, going on as it did up to
//! there, and σ is + − − + and so on: what b has changed otherwise meanwhile cancels as far as it changes evenly, however many
//! steps are taken. Where b changes too fast both sides are always taken; where the motion does not feel the change at all
//! ([`is_unfelt`]), one is enough.

/// Steps from one look to the next; in between are as many as the sides of whole patterns.
const LOOK_AGAIN: usize = 17;
/// h b, relative to the derivative, up to which that is believed.
const MOST_BEND: f64 = 1e-3;
/// h b, relative to the derivative, below which h may be ten times as long, up to this factor in all, and above which it
/// is made shorter again: rounding enters with the inverse of h.
const LENGTHEN_BELOW: f64 = 1e-7;
const SHORTEN_ABOVE: f64 = 2e-6;
const MOST_LENGTHENED: f64 = 10.0;
/// What a step h of a parameter, some 1e-5 of it, moves the state by, relative to its size, if that does not feel the parameter
/// at all: what is found is rounding.
const UNFELT: f64 = 3e-12;
/// How much longer or shorter the step of a difference may be than that of the look.
const MOST_RATIO: f64 = 2.0;

/// Whether a change of this size, made by the step of a parameter, is none for a state of that size.
pub(crate) fn is_unfelt(moved: f64, state: f64) -> bool {
    moved <= UNFELT * state
}

/// b of a map that is differentiated from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bend {
    /// b at the last look, and what it has changed by in each step of equal length before that; none if that is not known.
    values: Vec<f64>,
    trend: Vec<f64>,
    /// h there; 0 before the first.
    step: f64,
    /// Steps since then.
    since: usize,
    /// Whether one side is enough until the next look.
    calm: bool,
    /// By how much longer steps than usual are taken; 0 counts as 1.
    boldness: f64,
}

impl Bend {
    /// By how much h may be longer than without knowing how little the map bends.
    pub(crate) fn boldness(&self) -> f64 {
        self.boldness.max(1.0)
    }

    /// The side to take, if one is enough: the sign of the step h.
    pub(crate) fn side(&mut self, step: f64) -> Option<f64> {
        self.since += 1;
        let near = step <= MOST_RATIO * self.step && self.step <= MOST_RATIO * step;
        if !self.calm || self.since >= LOOK_AGAIN || !near {
            return None;
        }
        Some(if (self.since / 2).is_multiple_of(2) { 1.0 } else { -1.0 })
    }

    /// The derivative by the value on one side and that of the run. `share` is how b has grown since the last look:
    /// it is proportional to the length of a step of the run.
    pub(crate) fn derivative(
        &self,
        by: f64,
        mut end: Vec<f64>,
        own: &[f64],
        share: f64,
    ) -> Vec<f64> {
        for ((end, own), b) in end.iter_mut().zip(own).zip(&self.values) {
            *end = (*end - own) / by - by * share * b;
        }
        if share == 1.0 {
            let ahead = by * self.since as f64;
            end.iter_mut().zip(&self.trend).for_each(|(end, trend)| *end -= ahead * trend);
        }
        end
    }

    /// Learns b from the values on both sides and that of the run, which is the last of the three; `size` is the norm of a
    /// change, and `most` the change of h b from one look to the next, relative to the derivative, up to which one side is
    /// enough.
    pub(crate) fn look(
        &mut self,
        step: f64,
        [up, down, own]: [&[f64]; 3],
        share: f64,
        most: f64,
        size: &dyn Fn(&[f64]) -> f64,
    ) {
        let ends = up.iter().zip(down);
        let now: Vec<f64> = ends
            .clone()
            .zip(own)
            .map(|((up, down), own)| ((up - own) + (down - own)) / (2.0 * step * step))
            .collect();
        let known = self.step > 0.0 && self.values.len() == now.len();
        let slope: Vec<f64> = ends.map(|(up, down)| (up - down) / (2.0 * step)).collect();
        let slope = size(&slope);
        let effect = step * size(&now);
        if known {
            let pairs = now.iter().zip(&self.values);
            let change: Vec<f64> = pairs.map(|(now, last)| now - share * last).collect();
            // Rounding is as large after one step as after many, what b changes by is not: between the two.
            let until_next = (LOOK_AGAIN as f64 / self.since.max(1) as f64).sqrt();
            let changed = until_next * step * size(&change);
            // After a few steps rounding is all that there is of it.
            self.trend.clear();
            if share == 1.0 && 2 * self.since >= LOOK_AGAIN {
                self.trend.extend(change.iter().map(|change| change / self.since as f64));
            }
            self.calm = (changed <= most * slope && effect <= MOST_BEND * slope)
                || is_unfelt(step * slope, size(own));
        } else {
            self.calm = false;
            self.trend.clear();
        }
        if effect <= LENGTHEN_BELOW * slope {
            self.boldness = (10.0 * self.boldness()).min(MOST_LENGTHENED);
        } else if effect > SHORTEN_ABOVE * slope {
            self.boldness = 1.0;
        }
        (self.values, self.step, self.since) = (now, step, 0);
    }

    /// Forgets what was seen: the motion is another one.
    pub(crate) fn forget(&mut self) {
        (self.step, self.since, self.calm, self.boldness) = (0.0, 0, false, 1.0);
        self.trend.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x ← x + 1e-3 sin x, and its derivative along 1: by looks and one side in between.
    #[test]
    fn one_side_gives_the_derivative_of_both_at_half_their_number() {
        let map = |x: f64| x + 1e-3 * x.sin();
        let (mut x, mut slope, mut exact) = (0.3_f64, 1.0_f64, 1.0_f64);
        let (mut bend, mut values, h) = (Bend::default(), 0, 1e-3);
        for _ in 0..4000 {
            let own = [map(x)];
            let found = match bend.side(h) {
                Some(sign) => {
                    values += 1;
                    let by = sign * h;
                    bend.derivative(by, vec![map(x + by * slope)], &own, 1.0)[0]
                }
                None => {
                    values += 2;
                    let [up, down] = [[map(x + h * slope)], [map(x - h * slope)]];
                    bend.look(h, [&up, &down, &own], 1.0, 2e-7, &|v| v[0].abs());
                    (up[0] - down[0]) / (2.0 * h)
                }
            };
            exact *= 1.0 + 1e-3 * x.cos();
            (x, slope) = (own[0], found);
        }
        assert!((slope / exact - 1.0).abs() < 2e-6, "{slope} instead of {exact}");
        assert!(values < 4000 * 5 / 4, "{values}");
    }

    #[test]
    fn what_bends_otherwise_each_time_is_taken_on_both_sides() {
        let mut bend = Bend::default();
        for k in 0..40 {
            assert!(bend.side(1e-3).is_none());
            let b = if k % 2 == 0 { 1.0 } else { -1.0 };
            let at = |x: f64| [x + b * x * x];
            let values = [&at(1e-3)[..], &at(-1e-3), &[0.0]];
            bend.look(1e-3, values, 1.0, 2e-7, &|v| v[0].abs());
        }
    }
}
