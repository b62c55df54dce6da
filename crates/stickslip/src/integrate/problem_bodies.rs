//! The bodies of a contact problem of a time step, for solvers that sweep by bodies.

use super::mass::MassInverse;
use crate::problem::Bodies;
use crate::system::ContactSet;

/// Lists mass matrix and directions of the closed contacts by bodies. False if these do not all have as many velocities, or
/// M is not symmetric.
pub(super) fn list_bodies(
    mass: &[f64],
    mass_inverse: &MassInverse,
    contacts: &ContactSet,
    closed: &[usize],
    bodies: &mut Bodies,
) -> bool {
    let Some(size) = mass_inverse.common_size().filter(|_| mass_inverse.is_symmetric()) else {
        return false;
    };
    bodies.size = size;
    bodies.mass.clear();
    bodies.mass.extend_from_slice(mass);
    bodies.touched.clear();
    bodies.rows.clear();
    for &index in closed {
        let candidate = &contacts.candidates()[index];
        bodies.touched.push(candidate.blocks);
        let rows = contacts.directions(candidate);
        for first in (0..candidate.width()).step_by(size) {
            for row in rows.chunks_exact(candidate.width()) {
                bodies.rows.extend_from_slice(&row[first..first + size]);
            }
        }
    }
    true
}
