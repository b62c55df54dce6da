//! Forces of laws that slip.

use super::dynamics::{Dynamics, elements};
use super::mode::{Mode, Motion};
use crate::convex::ConvexSet;
use crate::integrate::StepError;
use crate::system::MechanicalSystem;

/// Share of the speed at the start of a step below which slip in a plane is about to stop.
const STOPPING: f64 = 1e-5;

impl Dynamics {
    /// Slip forces at unit reservoir, for the velocities in `gamma`.
    pub(super) fn find_slip(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        mode: &Mode,
    ) -> Result<(), StepError> {
        self.slip.clear();
        self.slip.resize(mode.dim, 0.0);
        self.velocity.clear();
        self.velocity.resize(mode.dim, 0.0);
        for contact in &mode.contacts {
            for (index, element, motion) in elements(&self.plans, contact) {
                if motion != Motion::Slip || element.is_idle() {
                    continue;
                }
                let range = element.first..element.first + element.dim;
                let global = contact.first + range.start..contact.first + range.end;
                let (ahead, gamma) = (&contact.direction[range], &self.gamma[global.clone()]);
                let v = &mut self.velocity[..element.dim];
                let along = element.product(gamma, ahead);
                if element.dim == 1 || contact.onset[index] {
                    v.iter_mut().zip(ahead).for_each(|(v, a)| *v = -a);
                } else {
                    // A velocity that has turned back within a step is mirrored: the law stays
                    // smooth until the reversal is found as an event.
                    let size = element.product(ahead, ahead);
                    let back = if along < 0.0 && size > 0.0 { 2.0 * along / size } else { 0.0 };
                    // Where it passes zero within a step it keeps the direction it came with,
                    // instead of that of its rounding.
                    let near = element.product(gamma, gamma) / (STOPPING * STOPPING * size);
                    let keep =
                        if near < 1.0 { 0.1 * STOPPING * (1.0 - near) * (1.0 - near) } else { 0.0 };
                    for k in 0..element.dim {
                        v[k] = -(gamma[k] + (keep - back) * ahead[k]);
                    }
                }
                let slip = &mut self.slip[global];
                element.set.support_point(1.0, v, slip);
                let Some(curve) = &element.curve else { continue };
                // The speed of the contact point; backwards until the reversal is found.
                let sliding = gamma.iter().take(2).map(|g| g * g).sum::<f64>().sqrt();
                let speed = if along < 0.0 { -sliding } else { sliding };
                let value = curve.continued(speed, t);
                if !value.is_finite() || (value < 0.0 && speed >= 0.0) {
                    let contact = system.contact_name(contact.key);
                    return Err(StepError::Friction { t, contact, speed, value });
                }
                let factor = value.max(0.0) / curve.reference();
                slip.iter_mut().for_each(|force| *force *= factor);
            }
        }
        Ok(())
    }

    /// Takes the strength of friction at rest at time t.
    pub(super) fn take_time(&mut self, t: f64) {
        for element in self.plans.iter_mut().flat_map(|plan| &mut plan.elements) {
            if let Some(curve) = &element.curve {
                element.at_rest = curve.at_rest(t) / curve.reference();
            }
        }
    }
}
