//! Changes over a step of the run: where the steps before allow it, by one step beside that of the run.

use super::mode::Mode;
use super::scale::Scale;
use super::variation::{Direction, Tangent, Tools, Variation};
use crate::integrate::StepError;
use crate::integrate::bend::Bend;
use crate::system::{MechanicalSystem, State};

/// How much longer or shorter than the step of the last look a step may be.
const MOST_RATIO: f64 = 2.0;

/// What the second derivative may change by from one look at it to the next, in the derivative of a step, relative: steps
/// are few and long, so that little cancels.
const MOST_CHANGE: f64 = 2e-8;

/// What the steps of a run have shown of the change of a column.
#[derive(Clone, Default)]
pub(super) struct Shown {
    bend: Bend,
    /// Length of the step in which it was seen, s.
    h: f64,
}

impl Shown {
    /// Forgets all: the mode is another one.
    pub(super) fn forget(&mut self) {
        self.bend.forget();
    }
}

/// A step of the run from a state in a mode.
struct OwnStep<'a> {
    system: &'a dyn MechanicalSystem,
    mode: &'a Mode,
    from: &'a State,
    h: f64,
    /// Coordinates and velocities at its end.
    end: &'a [f64],
}

impl Variation {
    /// Carries all changes over a step of the run; `end` is where it ended, unless an event cut it short.
    pub(super) fn carry(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        from: &State,
        h: f64,
        end: Option<&[f64]>,
    ) -> Result<(), StepError> {
        let (n, all) = (from.q.len(), from.q.len() + from.u.len());
        // Differences of order 4 need more than two values anyway.
        let mut own = end.filter(|_| self.quick).map(|end| end[..all].to_vec());
        if let Some(own) = &mut own {
            system.normalize(&mut own[..n]);
        }
        self.shown.resize(self.columns.len(), Shown::default());
        for index in 0..self.columns.len() {
            let column = std::mem::take(&mut self.columns[index]);
            let mut shown = std::mem::take(&mut self.shown[index]);
            let direction = Direction::of(&column, 0.0, self.number(index));
            let step = own.as_deref().map(|end| OwnStep { system, mode, from, h, end });
            let change = match step {
                Some(step) => self.beside(&step, &direction, &mut shown)?,
                None => self.on_both_sides(system, mode, from, h, &direction)?,
            };
            let (q, u) = change.split_at(n);
            let parameter = column.parameter;
            self.columns[index] = Tangent { q: q.to_vec(), u: u.to_vec(), parameter };
            self.shown[index] = shown;
        }
        Ok(())
    }

    fn on_both_sides(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        from: &State,
        h: f64,
        direction: &Direction,
    ) -> Result<Vec<f64>, StepError> {
        self.along(system, from, direction, &mut |tools, system, at, out| {
            tools.step(system, mode, at, h, out)
        })
    }

    /// The change of a column, with the step of the run as one of the values.
    fn beside(
        &mut self,
        step: &OwnStep,
        direction: &Direction,
        shown: &mut Shown,
    ) -> Result<Vec<f64>, StepError> {
        let OwnStep { system, mode, from, h, end } = *step;
        let n = from.q.len();
        let Some((reach, together)) = self.reach_of(direction, shown.bend.boldness()) else {
            shown.forget();
            return self.on_both_sides(system, mode, from, h, direction);
        };
        let share = if shown.h > 0.0 { h / shown.h } else { 1.0 };
        if !(1.0 / MOST_RATIO..=MOST_RATIO).contains(&share) {
            shown.forget();
        }
        let Scale { length, speed, .. } = self.scale;
        let Self { tools, parameters, .. } = self;
        let neighbours = together.and_then(|place| parameters.get(direction.number)?.get(place));
        let at = |sign: f64, tools: &mut Tools| -> Result<Vec<f64>, StepError> {
            let neighbour = neighbours.and_then(|(list, _)| list.get(usize::from(sign > 0.0)));
            let mut probe = from.clone();
            probe.q.iter_mut().zip(direction.q).for_each(|(x, d)| *x += sign * reach * d);
            probe.u.iter_mut().zip(direction.u).for_each(|(x, d)| *x += sign * reach * d);
            let mut out = Vec::new();
            match neighbour {
                Some(neighbour) => {
                    neighbour.normalize(&mut probe.q);
                    tools.step(neighbour.as_ref(), mode, &probe, h, &mut out)?;
                }
                None => {
                    system.normalize(&mut probe.q);
                    tools.step(system, mode, &probe, h, &mut out)?;
                }
            }
            Ok(out)
        };
        let change = match shown.bend.side(reach.abs()) {
            Some(sign) => {
                let value = at(sign, tools)?;
                shown.bend.derivative(sign * reach, value, end, share)
            }
            None => {
                let [up, down] = [at(1.0, tools)?, at(-1.0, tools)?];
                let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                let size = |x: &[f64]| (largest(&x[..n]) / length).max(largest(&x[n..]) / speed);
                shown.bend.look(reach.abs(), [&up, &down, end], share, MOST_CHANGE, &size);
                shown.h = h;
                up.iter().zip(&down).map(|(up, down)| (up - down) / (2.0 * reach)).collect()
            }
        };
        crate::integrate::check_finite(from.t, "derivative", &change)?;
        Ok(change)
    }
}
