//! Changes in steps that are passed over, between those in which they are looked at.
//!
//! In steps of one kind what a change δ grows by, w = δ_E − δ_A, goes along with the motion as smoothly as the motion
//! itself. Where that is seen, it is looked at in every second, fourth or eighth step alone:
//!
//! ```text
//! predicted    w(x) = the parabola through the last three that were looked at, carried on to x = 1/s, …, (s − 1)/s
//! corrected    with the next one, w(1): the same by the cubic through all four, which moves δ by
//!              Σ ⅙ x (1 + x) (2 + x) · (w(1) − predicted w(1))
//! ```
//!
//! What w(1) differs from its prediction by is the measure: up to 1e-7 of w, or what rounding leaves of it, it is believed,
//! and steps are passed over; what is left after the correction is smaller by another power of step over time of the motion. Steps of
//! another kind are looked at, and so are those in which the run itself does not go on smoothly ([`super::likeness`]).

use super::Tangent;

/// Growths that are remembered: the newest and, before it, three at twice the distance.
const KNOWN: usize = 7;
/// Longest way from one look to the next, in steps.
const MOST_STRIDE: usize = 8;
/// What a prediction may miss: a part of the growth, and what rounding of states leaves of it, over the size of the state
/// and the step of a difference: four growths are in a miss, with weights that add up to eight. That again is no more than a
/// part of the change itself: a change that the motion hardly feels is lost in rounding soonest.
const OF_GROWTH: f64 = 1e-7;
const ROUNDING: f64 = 64.0 * f64::EPSILON;
const OF_CHANGE: f64 = 1e-9;
/// Part of that with which the way may become twice as long.
const TWICE: f64 = 0.25;

/// What the steps before have shown of the growth of a change.
#[derive(Clone, Default)]
pub(super) struct Between {
    /// Growths at equal distances, the newest first.
    growths: [Vec<f64>; KNOWN],
    known: usize,
    /// Steps from one of them to the next; 0 counts as 1.
    stride: usize,
    /// Steps that were passed over since the newest.
    passed: usize,
    kind: u64,
    miss: Vec<f64>,
}

impl Between {
    fn forget(&mut self) {
        (self.known, self.stride, self.passed) = (0, 1, 0);
    }

    /// Whether a step of this kind needs no look; none if it is not like those before.
    pub(super) fn passes(&self, kind: Option<u64>) -> bool {
        kind == Some(self.kind) && self.passed + 1 < self.stride
    }

    /// Carries a change over a step that is passed over.
    pub(super) fn pass(&mut self, change: &mut Tangent) {
        self.passed += 1;
        let x = self.passed as f64 / self.stride as f64;
        let weights = [0.5 * (1.0 + x) * (2.0 + x), -x * (2.0 + x), 0.5 * x * (1.0 + x)];
        let [a, b, c, ..] = &self.growths;
        let components = change.q.iter_mut().chain(&mut change.u);
        for (((component, a), b), c) in components.zip(a).zip(b).zip(c) {
            *component += weights[0] * a + weights[1] * b + weights[2] * c;
        }
    }

    /// Learns from a step that was looked at, in which a change became `end`, and corrects that for the steps before which
    /// were passed over. `state` is the size of the state over the step of the difference.
    pub(super) fn learn(
        &mut self,
        kind: Option<u64>,
        change: &Tangent,
        end: &mut [f64],
        state: f64,
        size: &dyn Fn(&[f64]) -> f64,
    ) {
        let Some(kind) = kind else {
            self.forget();
            return;
        };
        let is_due = self.passed + 1 == self.stride;
        if kind != self.kind || !is_due {
            self.forget();
            self.kind = kind;
        }
        self.growths.rotate_right(1);
        let newest = &mut self.growths[0];
        newest.clear();
        newest.extend(end.iter().zip(change.q.iter().chain(&change.u)).map(|(e, a)| e - a));
        self.known = (self.known + 1).min(KNOWN);
        self.passed = 0;
        let rounding = (ROUNDING * state).min(OF_CHANGE * size(end));
        let most = OF_GROWTH * size(&self.growths[0]) + rounding;
        if self.stride > 1 {
            self.compare(1);
            let weight = weight_of_miss(self.stride);
            end.iter_mut().zip(&self.miss).for_each(|(end, miss)| *end += weight * miss);
            if !(size(&self.miss) <= most) {
                self.forget();
                self.known = 1;
            }
        }
        if self.known == KNOWN && self.stride < MOST_STRIDE {
            self.compare(2);
            if size(&self.miss) <= TWICE * most {
                for place in 1..4 {
                    self.growths.swap(place, 2 * place);
                }
                (self.known, self.stride) = (4, 2 * self.stride);
            }
        }
    }

    /// What the newest growth differs by from the parabola through the three before it, at so many times the distance.
    fn compare(&mut self, distance: usize) {
        let Self { growths, miss, .. } = self;
        let [newest, a, b, c] = [0, 1, 2, 3].map(|place| &growths[place * distance]);
        miss.clear();
        let three = a.iter().zip(b).zip(c);
        miss.extend(newest.iter().zip(three).map(|(w, ((a, b), c))| w - (3.0 * (a - b) + c)));
    }
}

/// Σ ⅙ x (1 + x) (2 + x) over the steps that were passed over.
fn weight_of_miss(stride: usize) -> f64 {
    let x = (1..stride).map(|passed| passed as f64 / stride as f64);
    x.map(|x| x * (1.0 + x) * (2.0 + x) / 6.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// δ' = cos(t) δ by Euler's rule in short steps: the same product with and without looks at all of them.
    fn carried(dt: f64, steps: usize, kind: &dyn Fn(usize) -> Option<u64>) -> (f64, f64, usize) {
        let (mut between, mut looks) = (Between::default(), 0);
        let mut change = Tangent { q: vec![1.0], u: Vec::new(), parameter: 0.0 };
        let mut exact = 1.0;
        for k in 0..steps {
            let factor = 1.0 + dt * (k as f64 * dt).cos();
            exact *= factor;
            if between.passes(kind(k)) {
                between.pass(&mut change);
                continue;
            }
            looks += 1;
            let mut end = [change.q[0] * factor];
            between.learn(kind(k), &change, &mut end, 1e3, &|v| v[0].abs());
            change.q[0] = end[0];
        }
        (change.q[0], exact, looks)
    }

    #[test]
    fn a_smooth_growth_is_looked_at_in_every_eighth_step() {
        let (found, exact, looks) = carried(1e-4, 20_000, &|_| Some(1));
        assert!((found / exact - 1.0).abs() < 1e-12, "{found} instead of {exact}");
        assert!(looks < 20_000 / 7, "{looks}");
    }

    #[test]
    fn long_steps_are_all_looked_at() {
        let (found, exact, looks) = carried(2e-2, 500, &|_| Some(1));
        assert!((found / exact - 1.0).abs() < 1e-8, "{found} instead of {exact}");
        assert!(looks > 400, "{looks}");
    }

    #[test]
    fn steps_of_other_kinds_are_looked_at() {
        let (_, _, looks) = carried(1e-4, 1000, &|k| Some(k as u64 / 5));
        assert_eq!(looks, 1000);
        let (found, exact, _) = carried(1e-4, 1000, &|k| (k % 50 != 0).then_some(2));
        assert!((found / exact - 1.0).abs() < 1e-12, "{found} instead of {exact}");
    }
}
