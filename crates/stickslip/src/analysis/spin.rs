//! What a scheme that takes gyroscopic forces explicitly does to the energy of a spinning body.
//!
//! ```text
//! Θ ω̇ = −ω × Θω,      explicit:  ω_E = ω_A − Δt Θ⁻¹ (ω_A × Θω_A),   E_E − E_A = ½ Δt² hᵀ Θ⁻¹ h ≥ 0
//! ```
//!
//! The force h does no work, so that Moreau's rule puts the second term in at every step. How much
//! that is in the end depends on the motion; it is cheap to follow it, one body at a time.

use crate::kinematics::vector::{apply, cross, dot};
use crate::kinematics::{Matrix3, Vector3};
use crate::system::{MechanicalSystem, State};

/// How gyroscopic forces are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gyroscopic {
    /// At the start of the step: Moreau's rule.
    Explicit,
    /// By the classical Runge-Kutta method.
    RungeKutta,
}

/// A body whose energy does not stay what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinError {
    /// Its mass block.
    pub block: usize,
    /// Its angular velocity at the start, rad/s.
    pub speed: f64,
    /// Its energy of rotation at the start, J.
    pub energy: f64,
    /// Change of its energy over the time, relative to its energy at the start.
    pub change: f64,
}

/// Steps that all bodies together are followed.
const MOST_STEPS: usize = 1_000_000;
/// Bodies that are followed.
const MOST_BODIES: usize = 200;
/// Change of the energy beyond which nothing is followed.
const MOST_GAIN: f64 = 10.0;
/// How well a block must be that of a free body in body-fixed angular velocities, relative.
const FITS: f64 = 1e-6;

/// Follows every spinning body alone, without contacts and other forces, over `duration` with
/// `step`, and returns the one whose energy changes most.
///
/// Only blocks of free bodies in space are looked at (velocity, then body-fixed angular velocity).
pub fn largest_spin_error(
    system: &dyn MechanicalSystem,
    start: &State,
    step: f64,
    duration: f64,
    scheme: Gyroscopic,
) -> Option<SpinError> {
    let spinning = spinning_bodies(system, start);
    let steps = (duration / step).ceil().max(1.0);
    let most = MOST_STEPS / spinning.len().max(1);
    let followed = steps.min(most as f64);
    let mut worst: Option<SpinError> = None;
    for (block, inertia, omega) in spinning {
        // What is not followed is taken to go on as it began.
        let change = change(&inertia, omega, step, followed as usize, scheme) * (steps / followed);
        if worst.is_none_or(|worst| change.abs() > worst.change.abs()) {
            let energy = 0.5 * dot(&omega, &apply(&inertia, &omega));
            worst = Some(SpinError { block, speed: dot(&omega, &omega).sqrt(), energy, change });
        }
    }
    worst
}

/// Block, inertia and body-fixed angular velocity of the free bodies that spin.
fn spinning_bodies(system: &dyn MechanicalSystem, start: &State) -> Vec<(usize, Matrix3, Vector3)> {
    let blocks = system.blocks();
    let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
    let n: usize = blocks.iter().sum();
    let mut forces = |factor: f64| {
        let at = State { u: start.u.iter().map(|u| factor * u).collect(), ..start.clone() };
        let mut forces = vec![0.0; n];
        system.mass_and_forces(&at, &mut mass, &mut forces);
        forces
    };
    let (there, back, rest) = (forces(1.0), forces(-1.0), forces(0.0));
    let (mut velocity, mut entry) = (0, 0);
    let mut found: Vec<(usize, Matrix3, Vector3)> = Vec::new();
    for (block, size) in blocks.iter().enumerate() {
        let (first, begin) = (velocity, entry);
        velocity += size;
        entry += size * size;
        if *size != 6 || found.len() == MOST_BODIES {
            continue;
        }
        let inertia = [0, 1, 2].map(|i| [0, 1, 2].map(|j| mass[begin + 6 * (3 + i) + 3 + j]));
        let omega = [start.u[first + 3], start.u[first + 4], start.u[first + 5]];
        let momentum = apply(&inertia, &omega);
        let gyroscopic = cross(&momentum, &omega);
        // The part of h that is quadratic in u; dampers, springs and weight drop out.
        let quadratic = |k: usize| 0.5 * (there[k] + back[k]) - rest[k];
        let size = FITS * dot(&momentum, &momentum).sqrt() * dot(&omega, &omega).sqrt();
        let fits = (0..3).all(|k| (quadratic(first + 3 + k) - gyroscopic[k]).abs() <= size);
        if size > 0.0 && fits && found.iter().all(|(_, i, o)| (i, o) != (&inertia, &omega)) {
            found.push((block, inertia, omega));
        }
    }
    found
}

/// Relative change of the energy of a free body over so many steps.
fn change(inertia: &Matrix3, start: Vector3, step: f64, steps: usize, scheme: Gyroscopic) -> f64 {
    let Some(inverse) = inverse(inertia) else { return 0.0 };
    let rate = |omega: &Vector3| apply(&inverse, &cross(&apply(inertia, omega), omega));
    let moved = |omega: &Vector3, factor: f64, by: &Vector3| {
        [omega[0] + factor * by[0], omega[1] + factor * by[1], omega[2] + factor * by[2]]
    };
    let energy = |omega: &Vector3| dot(omega, &apply(inertia, omega));
    let first = energy(&start);
    let mut omega = start;
    for _ in 0..steps {
        let k1 = rate(&omega);
        omega = match scheme {
            Gyroscopic::Explicit => moved(&omega, step, &k1),
            Gyroscopic::RungeKutta => {
                let k2 = rate(&moved(&omega, 0.5 * step, &k1));
                let k3 = rate(&moved(&omega, 0.5 * step, &k2));
                let k4 = rate(&moved(&omega, step, &k3));
                let sum = [0, 1, 2].map(|i| k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
                moved(&omega, step / 6.0, &sum)
            }
        };
        let change = energy(&omega) / first - 1.0;
        if change.is_nan() || change > MOST_GAIN {
            return MOST_GAIN;
        }
    }
    energy(&omega) / first - 1.0
}

/// By cofactors; none if there is none.
fn inverse(m: &Matrix3) -> Option<Matrix3> {
    let rows = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
    let determinant = dot(&m[0], &rows[0]);
    if !(determinant.is_normal() && determinant > 0.0) {
        return None;
    }
    // The cofactors of row j stand in column j of the inverse.
    Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| rows[j][i] / determinant)))
}
