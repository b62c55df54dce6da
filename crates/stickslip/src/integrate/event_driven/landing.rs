//! Finds the first event of a step and lands on it.

use super::engine::Engine;
use super::variation::NearMiss;
use super::watch::Trigger;
use crate::integrate::StepError;
use crate::system::MechanicalSystem;

/// Parts into which a step is divided to look for events.
const PARTS: usize = 4;
/// Row of the values at a single point.
const POINT: usize = PARTS + 1;
/// Rounds to find a root on the interpolated step, and to land on it by true steps.
const ROUNDS: usize = 40;
const LANDINGS: usize = 8;
/// Halvings to find the top of a hop: down to the rounding of the step.
const TOP_ROUNDS: usize = 52;
/// How far an event may lie from where the interpolated step has it, relative to the step.
const EVENT_SHIFT: f64 = 1e-3;
/// Event functions that fall below this share of their size at an event have fired with it.
const TOGETHER: f64 = 1e-9;

/// An event: how far into the step, and what fired there.
pub(super) type Landing = Option<(f64, Vec<Trigger>)>;

impl Engine {
    /// Looks for the first event in the tried step of length h. If there is one, the step is
    /// repeated with the length that ends on it, so that its state has the order of the method
    /// and not that of an interpolation.
    pub(super) fn search(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
    ) -> Result<Landing, StepError> {
        self.watch.landed = None;
        self.watch.minima.clear();
        if self.watch.triggers.is_empty() {
            return Ok(None);
        }
        self.measure(PARTS);
        let (flow, mode) = (&mut self.flow, &self.mode);
        self.runge_kutta.densify(t, &self.y, &self.rate_e, h, &mut |t, y, rate| {
            flow.stage(system, mode, t, y, rate)
        })?;
        for row in 1..PARTS {
            self.look(system, t, h, row as f64 / PARTS as f64)?;
            self.measure(row);
        }
        if self.watch.finds_minima {
            self.find_minima(system, t, h)?;
        }
        for row in 0..PARTS {
            let ends = (row as f64 / PARTS as f64, (row + 1) as f64 / PARTS as f64);
            let mut first: Option<(f64, usize, f64)> = None;
            for index in 0..self.watch.triggers.len() {
                let high = if self.watch.crosses(index, row) {
                    Some((ends.1, self.watch.values[row + 1][index]))
                } else if self.watch.dips(index, row) {
                    self.bottom(system, t, h, ends, index)?
                } else {
                    None
                };
                if let Some(high) = high {
                    let mut low = (ends.0, self.watch.values[row][index].max(0.0));
                    let hops = self.watch.rises(index, row) && low.1 <= self.watch.closed_at[index];
                    if hops {
                        low = self.top(system, t, h, (low.0, high.0), index)?;
                    }
                    // A hop lower than the rounding of its gap ends at its top.
                    let x = if hops && low.1 <= 0.0 {
                        low.0
                    } else {
                        self.root(system, t, h, low, high, index)?
                    };
                    if first.is_none_or(|(earliest, ..)| x < earliest) {
                        first = Some((x, index, if hops { low.0 } else { 0.0 }));
                    }
                }
            }
            if let Some((x, index, after)) = first {
                return self.land(system, t, h, x, index, after).map(Some);
            }
        }
        Ok(None)
    }

    fn measure(&mut self, row: usize) {
        self.watch.measure(row, &self.flow.dynamics, &self.mode, &self.flow.at.u);
    }

    /// Evaluates the interpolated step at the share x.
    fn look(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        x: f64,
    ) -> Result<(), StepError> {
        self.runge_kutta.interpolate(x, &self.y, &mut self.sample);
        self.flow.look(system, &self.mode, t + x * h, &self.sample)
    }

    fn value(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        x: f64,
        index: usize,
    ) -> Result<f64, StepError> {
        self.look(system, t, h, x)?;
        self.measure(POINT);
        Ok(self.watch.values[POINT][index])
    }

    /// Lists the minima of the gaps in the step.
    fn find_minima(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
    ) -> Result<(), StepError> {
        for row in 0..PARTS {
            for index in 0..self.watch.triggers.len() {
                let Trigger::Gap(contact) = self.watch.triggers[index] else { continue };
                if !self.watch.dips(index, row) {
                    continue;
                }
                let (mut low, mut high) =
                    (row as f64 / PARTS as f64, (row + 1) as f64 / PARTS as f64);
                let mut gap = f64::INFINITY;
                for _ in 0..ROUNDS {
                    let x = 0.5 * (low + high);
                    gap = self.value(system, t, h, x, index)?;
                    if self.watch.rates[POINT][index] < 0.0 { low = x } else { high = x }
                }
                self.watch.minima.push(NearMiss { t: t + high * h, contact, gap });
            }
        }
        Ok(())
    }

    /// The lowest point of a gap between two samples, if it is below zero.
    fn bottom(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        (mut low, mut high): (f64, f64),
        index: usize,
    ) -> Result<Option<(f64, f64)>, StepError> {
        for _ in 0..ROUNDS {
            let x = 0.5 * (low + high);
            let value = self.value(system, t, h, x, index)?;
            if value < 0.0 {
                return Ok(Some((x, value)));
            }
            if self.watch.rates[POINT][index] < 0.0 {
                low = x;
            } else {
                high = x;
            }
        }
        Ok(None)
    }

    /// The top of a hop that begins at the first of two points, and the gap there. Rates tell it
    /// far below the rounding of the gap.
    fn top(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        (mut low, mut high): (f64, f64),
        index: usize,
    ) -> Result<(f64, f64), StepError> {
        let mut gap = self.value(system, t, h, high, index)?;
        for _ in 0..TOP_ROUNDS {
            let x = 0.5 * (low + high);
            let value = self.value(system, t, h, x, index)?;
            if self.watch.rates[POINT][index] > 0.0 {
                low = x;
            } else {
                (high, gap) = (x, value);
            }
        }
        Ok((high, gap))
    }

    /// Root of an event function on the interpolated step, by the Illinois rule.
    fn root(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        mut low: (f64, f64),
        mut high: (f64, f64),
        index: usize,
    ) -> Result<f64, StepError> {
        let mut side = 0;
        for _ in 0..ROUNDS {
            if high.0 - low.0 <= 1e-9 {
                break;
            }
            let share = low.1 / (low.1 - high.1);
            let x = low.0 + share.clamp(0.01, 0.99) * (high.0 - low.0);
            let value = self.value(system, t, h, x, index)?;
            if value >= 0.0 {
                low = (x, value);
                if side == 1 {
                    high.1 *= 0.5;
                }
                side = 1;
            } else {
                high = (x, value);
                if side == -1 {
                    low.1 *= 0.5;
                }
                side = -1;
            }
        }
        Ok(0.5 * (low.0 + high.0))
    }

    /// Repeats the step so that it ends on the event: Newton's rule with true steps, not before the
    /// share `after` of the step.
    fn land(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        x: f64,
        index: usize,
        after: f64,
    ) -> Result<(f64, Vec<Trigger>), StepError> {
        // The slope of the interpolated step is good enough for all rounds. One from differences of
        // true steps would be that of their rounding in the end.
        let delta = 1e-4_f64.min(0.5 * x).max(1e-9);
        let before = self.value(system, t, h, x - delta, index)?;
        let slope = (self.value(system, t, h, x + delta, index)? - before) / (2.0 * delta * h);
        let sizes: Vec<f64> = (0..self.watch.triggers.len())
            .map(|i| (0..=PARTS).fold(0.0_f64, |m, row| m.max(self.watch.values[row][i].abs())))
            .collect();
        // At the top of a hop there is no root to go to.
        let near = if after < x { EVENT_SHIFT } else { 0.0 };
        let reach = ((x - near).max(after) * h, (x + near).min(1.0) * h);
        let precise = 2.0 * f64::EPSILON * h;
        let mut now = x * h;
        let mut value = self.true_value(system, t, now, index)?;
        for _ in 0..LANDINGS {
            let next = (now - value / slope).clamp(reach.0, reach.1);
            // Written so that a slope of zero ends it.
            if !((next - now).abs() > precise) {
                break;
            }
            let next_value = self.true_value(system, t, next, index)?;
            if !(next_value.abs() < value.abs()) {
                // Noise: the last one was as good as it gets.
                self.true_value(system, t, now, index)?;
                break;
            }
            (now, value) = (next, next_value);
        }
        let values = &self.watch.values[POINT];
        let fired = (0..values.len()).filter(|i| {
            let (trigger, value) = (self.watch.triggers[*i], values[*i]);
            *i == index
                || match trigger {
                    Trigger::Gap(_) => {
                        value <= self.watch.closed_at[*i] && self.watch.rates[POINT][*i] < 0.0
                    }
                    _ => value.abs() <= TOGETHER * sizes[*i],
                }
        });
        let fired = fired.map(|i| self.watch.triggers[i]).collect();
        self.watch.landed = self.watch.triggers.get(index).copied();
        Ok((now, fired))
    }

    /// Value of an event function at the end of a true step of length h.
    fn true_value(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        h: f64,
        index: usize,
    ) -> Result<f64, StepError> {
        let (flow, mode) = (&mut self.flow, &self.mode);
        self.runge_kutta.advance(t, &self.y, &self.rate_a, h, &mut |t, y, rate| {
            flow.stage(system, mode, t, y, rate)
        })?;
        flow.look(system, mode, t + h, &self.runge_kutta.end)?;
        self.measure(POINT);
        Ok(self.watch.values[POINT][index])
    }
}
