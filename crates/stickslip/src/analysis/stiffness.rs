//! How fast springs and dampers are: whether a step that treats forces explicitly is short enough.

use crate::system::mass::MassInverse;
use crate::system::{MechanicalSystem, State};

/// Most velocities of a system that is looked at.
const MOST_VELOCITIES: usize = 3000;
/// Rounds of the power iteration: enough for a factor of two.
const ROUNDS: usize = 30;
/// Size of the differences, relative to 1 m/s or rad/s and 1 m or rad: the forces of springs and
/// dampers are nearly linear.
const DIFFERENCE: f64 = 1e-6;

/// Rates of a system at a state, without its joints and contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Largest rate |M⁻¹ ∂h/∂u| of dampers, 1/s.
    pub damping: f64,
    /// Largest frequency √|M⁻¹ ∂h/∂q| of springs, rad/s.
    pub frequency: f64,
}

/// Estimates the rates by power iteration on differences of h. None if the system cannot be
/// evaluated or is too large.
///
/// Joints make bodies heavier against their springs: the true rates may be smaller.
pub fn rates(system: &dyn MechanicalSystem, at: &State) -> Option<Rates> {
    let n = at.u.len();
    if n == 0 || n > MOST_VELOCITIES {
        return None;
    }
    let mut inverse = MassInverse::default();
    inverse.shape(system.blocks());
    let mut mass = vec![0.0; inverse.entries()];
    let mut rest = vec![0.0; n];
    system.mass_and_forces(at, &mut mass, &mut rest);
    inverse.factor(&mass).ok()?;
    let mut rate = vec![0.0; at.q.len()];
    let mut force = vec![0.0; n];
    let mut largest = |moved: &mut dyn FnMut(&[f64], &mut State)| {
        // No direction of a mechanism is orthogonal to such a start.
        let mut v: Vec<f64> = (0..n).map(|k| 1.0 + 0.37 * (k % 7) as f64).collect();
        let mut size = 0.0;
        for _ in 0..ROUNDS {
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return 0.0;
            }
            v.iter_mut().for_each(|x| *x *= DIFFERENCE / length);
            let mut state = at.clone();
            moved(&v, &mut state);
            system.mass_and_forces(&state, &mut mass, &mut force);
            for k in 0..n {
                v[k] = force[k] - rest[k];
            }
            for block in 0..inverse.block_count() {
                let first = inverse.offset(block);
                inverse.apply(block, &mut v[first..first + inverse.size(block)]);
            }
            size = v.iter().map(|x| x * x).sum::<f64>().sqrt() / DIFFERENCE;
        }
        if size.is_finite() { size } else { 0.0 }
    };
    let damping = largest(&mut |v, state| {
        state.u.iter_mut().zip(v).for_each(|(u, v)| *u += v);
    });
    let stiffness = largest(&mut |v, state| {
        system.coordinate_rate(at, v, &mut rate);
        state.q.iter_mut().zip(&rate).for_each(|(q, v)| *q += v);
        system.normalize(&mut state.q);
    });
    Some(Rates { damping, frequency: stiffness.sqrt() })
}
