//! Stabilisation: takes out what rounding and the error of the integrator put into closed gaps
//! and constrained velocities.

use super::dynamics::{Dynamics, add, elements};
use super::mode::{Mode, Motion};
use crate::integrate::StepError;
use crate::system::{MechanicalSystem, State};

/// Newton steps on the gaps, and the gap that is left alone, relative to the length of the system.
const STEPS: usize = 3;
const GAP: f64 = 1e-14;
/// Constrained velocity that is left alone, relative to all velocities.
const VELOCITY: f64 = 1e-15;

/// Brings the closed gaps and the constrained velocities of the mode to zero, each by the
/// smallest change in the metric of the mass matrix. Returns the energy that this put in, J.
pub(super) fn stabilise(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    state: &mut State,
    mode: &Mode,
    length: f64,
) -> Result<f64, StepError> {
    if mode.contacts.is_empty() {
        return Ok(0.0);
    }
    let before = system.energy(state).total();
    let gaps = close_gaps(dynamics, system, state, mode, length)?;
    let velocities = stop_velocities(dynamics, system, state, mode)?;
    if !gaps && !velocities {
        return Ok(0.0);
    }
    Ok(system.energy(state).total() - before)
}

fn close_gaps(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    state: &mut State,
    mode: &Mode,
    length: f64,
) -> Result<bool, StepError> {
    let mut moved = false;
    let (mut shift, mut still) = (vec![0.0; state.q.len()], vec![0.0; state.q.len()]);
    for _ in 0..STEPS {
        dynamics.prepare(system, state, mode)?;
        dynamics.unknown.clear();
        dynamics.rhs.clear();
        let mut largest = 0.0_f64;
        for contact in mode.contacts.iter().filter(|c| c.has_gap(&dynamics.plans[c.group])) {
            let candidates = dynamics.contacts.candidates();
            let gap = candidates.iter().find(|c| c.key == contact.key).map_or(0.0, |c| c.gap);
            dynamics.unknown.push(contact.first);
            dynamics.rhs.push(-gap);
            largest = largest.max(gap.abs());
        }
        if largest <= GAP * length {
            break;
        }
        let velocity = push(dynamics);
        // Coordinate rates may have a prescribed part, which is no shift.
        system.coordinate_rate(state, &velocity, &mut shift);
        system.coordinate_rate(state, &vec![0.0; velocity.len()], &mut still);
        for k in 0..state.q.len() {
            state.q[k] += shift[k] - still[k];
        }
        system.normalize(&mut state.q);
        moved = true;
    }
    Ok(moved)
}

/// Components of the constraints of a mode with their values, after an evaluation: of the places (gaps and errors
/// of joints) or of the velocities.
pub(super) fn constraints(
    dynamics: &Dynamics,
    mode: &Mode,
    places: bool,
    components: &mut Vec<usize>,
    values: &mut Vec<f64>,
) {
    components.clear();
    values.clear();
    for contact in &mode.contacts {
        let candidates = dynamics.contacts.candidates();
        let Some(candidate) = candidates.iter().find(|c| c.key == contact.key) else { continue };
        if places && contact.has_gap(&dynamics.plans[contact.group]) {
            components.push(contact.first);
            values.push(candidate.gap);
        }
        let errors = dynamics.contacts.position_error(candidate);
        for (_, element, motion) in elements(&dynamics.plans, contact) {
            let carries = (0..element.dim).filter(|k| element.weights[*k] > 0.0);
            for k in carries.filter(|_| motion == Motion::Constrained) {
                let value = if places {
                    errors.get(element.first + k).copied()
                } else {
                    dynamics.gamma.get(contact.first + element.first + k).copied()
                };
                if let Some(value) = value {
                    components.push(contact.first + element.first + k);
                    values.push(value);
                }
            }
        }
    }
}

/// Also used alone after an impact.
pub(super) fn stop_velocities(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    state: &mut State,
    mode: &Mode,
) -> Result<bool, StepError> {
    dynamics.prepare(system, state, mode)?;
    dynamics.unknown.clear();
    dynamics.rhs.clear();
    let (mut largest, mut all) = (0.0_f64, 0.0_f64);
    for contact in &mode.contacts {
        for (_, element, motion) in elements(&dynamics.plans, contact) {
            for k in 0..element.dim {
                let component = contact.first + element.first + k;
                let gamma = dynamics.gamma[component];
                all = all.max(gamma.abs());
                if motion == Motion::Constrained && element.weights[k] > 0.0 {
                    dynamics.unknown.push(component);
                    dynamics.rhs.push(-gamma);
                    largest = largest.max(gamma.abs());
                }
            }
        }
    }
    if largest <= VELOCITY * all {
        return Ok(false);
    }
    let velocity = push(dynamics);
    add(&mut state.u, 1.0, &velocity);
    Ok(true)
}

/// Change of velocity M⁻¹ W x with Wᵀ M⁻¹ W x = rhs over the unknown components; none if the
/// directions contradict each other.
pub(super) fn push(dynamics: &mut Dynamics) -> Vec<f64> {
    // Percussions of constraints alone: nothing slips here.
    dynamics.fill_matrix(&Mode::default());
    let n = dynamics.free.len();
    let mut velocity = vec![0.0; n];
    if dynamics.linear.solve(&dynamics.matrix, &mut dynamics.rhs, None) {
        for (component, x) in dynamics.unknown.iter().zip(&dynamics.rhs) {
            add(&mut velocity, *x, &dynamics.mass_rows[component * n..(component + 1) * n]);
        }
    }
    velocity
}
