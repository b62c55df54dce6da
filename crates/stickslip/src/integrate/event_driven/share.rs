//! How forces are shared where they are not unique.
//!
//! Where more contacts stick or bear than motions are to be held, as four corners of a box on a
//! floor do, only sums of their forces are determined. That they hold is certain as long as some
//! forces within the laws do it. The forces taken are those nearest to a reference within the laws,
//! each measured by what its law allows: then the shares of friction grow with the normal forces,
//! and joints bear what friction need not.

use super::dynamics::{Dynamics, dot, elements};
use super::mode::{Mode, Motion};
use super::plan::Kind;
use crate::convex::ConvexSet;
use crate::system::{ForceReservoir, MechanicalSystem, State};

/// Sizes of joint forces relative to those of contacts: joints bear what they can.
const JOINT: f64 = 1e3;
/// Least size, relative to the largest force.
const LEAST: f64 = 1e-6;
/// How far outside of its law a force may be, relative to the largest: rounding.
const OUTSIDE: f64 = 1e-11;
/// Rounds in which the sizes follow the forces.
const ROUNDS: usize = 4;
/// Share of the way from a solution to the forces of even shares that is taken at most, where the
/// latter are not within the laws.
const INSIDE: f64 = 0.9;

/// Looks for forces that hold everything in the mode, within the laws. If there are, they are the
/// reference of the mode.
pub(super) fn holds(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    at: &State,
    mode: &mut Mode,
) -> bool {
    forget(mode);
    set_sizes(dynamics, mode, false);
    for _ in 0..ROUNDS {
        if dynamics.evaluate(system, at, mode).is_err() {
            return false;
        }
        if excess(dynamics, mode, &dynamics.lambda) <= 0.0 {
            keep(mode, &dynamics.lambda);
            set_sizes(dynamics, mode, true);
            return true;
        }
        if !dynamics.redundant {
            return false;
        }
        set_sizes(dynamics, mode, true);
    }
    false
}

/// Makes a reference for a mode whose forces are known, in the reference, but may lie at the
/// border of their laws: on the way to even shares as far as the laws allow.
pub(super) fn center(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    at: &State,
    mode: &mut Mode,
) {
    let known = mode.clone();
    // What cannot be evaluated is the business of the next step.
    if dynamics.evaluate(system, at, mode).is_err() || !dynamics.redundant {
        return;
    }
    let solution = dynamics.lambda.clone();
    if holds(dynamics, system, at, mode) {
        return;
    }
    forget(mode);
    set_sizes(dynamics, mode, false);
    if dynamics.evaluate(system, at, mode).is_err() {
        *mode = known;
        return;
    }
    let even = dynamics.lambda.clone();
    let between = |share: f64| -> Vec<f64> {
        solution.iter().zip(&even).map(|(a, b)| a + share * (b - a)).collect()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if excess(dynamics, mode, &between(middle)) <= 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    keep(mode, &between(INSIDE * low));
    dynamics.lambda = between(INSIDE * low);
    set_sizes(dynamics, mode, true);
}

/// Writes forces into the reference.
pub(super) fn keep(mode: &mut Mode, lambda: &[f64]) {
    for contact in &mut mode.contacts {
        let range = contact.first..contact.first + contact.reference.len();
        contact.reference.copy_from_slice(&lambda[range]);
    }
}

fn forget(mode: &mut Mode) {
    mode.contacts.iter_mut().for_each(|contact| contact.reference.fill(0.0));
}

/// How far a constrained force is from leaving its law, relative to what the law allows; the least
/// of an element.
pub(super) fn margin(dynamics: &Dynamics, mode: &Mode, position: usize, index: usize) -> f64 {
    let contact = &mode.contacts[position];
    let element = &dynamics.plans[contact.group].elements[index];
    let force = &contact.reference[element.first..element.first + element.dim];
    if element.kind == Kind::Normal {
        return force[0];
    }
    let scale = element.scale(contact.reference[0]);
    if scale > 0.0 { 1.0 - element.set.gauge(force) / scale } else { 0.0 }
}

/// By how much constrained forces leave their laws, N; not positive where none does.
fn excess(dynamics: &Dynamics, mode: &Mode, lambda: &[f64]) -> f64 {
    let mut excess = f64::NEG_INFINITY;
    let largest = lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
    for contact in &mode.contacts {
        for (_, element, motion) in elements(&dynamics.plans, contact) {
            if motion != Motion::Constrained {
                continue;
            }
            let first = contact.first + element.first;
            let force = &lambda[first..first + element.dim];
            let over = match element.kind {
                Kind::Normal => -force[0],
                Kind::Friction => {
                    let scale = element.scale(lambda[contact.first]);
                    let gauge = element.set.gauge(force);
                    // Also where the gauge is infinite.
                    if gauge <= scale { gauge - scale } else { (gauge - scale).min(1e300) }
                }
                Kind::Bilateral | Kind::Viscous => continue,
            };
            excess = excess.max(over - OUTSIDE * largest);
        }
    }
    excess
}

/// Sizes of all components: even ones, or such as the present forces allow.
fn set_sizes(dynamics: &Dynamics, mode: &mut Mode, follow: bool) {
    let n = dynamics.free.len();
    // Force that accelerates its own contact by 1: makes forces and moments comparable.
    let unit = |component: usize| {
        let range = component * n..(component + 1) * n;
        let own = match (dynamics.rows.get(range.clone()), dynamics.mass_rows.get(range)) {
            (Some(row), Some(mass_row)) => dot(row, mass_row),
            _ => 0.0,
        };
        if own > 0.0 { own.sqrt().recip() } else { 1.0 }
    };
    let lambda = &dynamics.lambda;
    let mut largest = 0.0_f64;
    if follow {
        for (k, force) in lambda.iter().enumerate() {
            largest = largest.max(force.abs() / unit(k));
        }
    }
    if largest <= 0.0 {
        largest = 1.0;
    }
    for contact in &mut mode.contacts {
        let first = contact.first;
        for element in &dynamics.plans[contact.group].elements {
            for k in 0..element.dim {
                let place = element.first + k;
                let own = largest * unit(first + place);
                let normal = largest * unit(first);
                // The squares of the sizes, not the sizes, must grow with what a law allows: the least
                // Σ T²/N with ΣT given has T proportional to N.
                let bears = if follow { (lambda[first].max(0.0) * normal).sqrt() } else { normal };
                let width = element.width * element.weights[k];
                let allowed = match (element.kind, element.reservoir) {
                    (Kind::Bilateral | Kind::Viscous, _) => JOINT * own,
                    (Kind::Normal, _) => bears,
                    (_, ForceReservoir::Force(force)) => (force * width * own).sqrt(),
                    (_, _) => bears * width,
                };
                contact.size[place] = allowed.max(LEAST * own);
            }
        }
    }
}
