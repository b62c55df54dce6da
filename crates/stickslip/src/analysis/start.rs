//! Whether a system can start: masses, overlaps, joints.
//!
//! All of it follows from the system itself at its start, so that every scene can be checked.

use crate::system::mass::MassInverse;
use crate::system::{
    Candidate, Constraints, ContactSet, MechanicalSystem, State, constrained, touched,
};

/// A contact or joint with a number that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// Its name.
    pub name: String,
    /// m, m/s, rad or rad/s.
    pub value: f64,
}

/// What can be said of a system at its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of velocities: degrees of freedom without joints and contacts.
    pub velocities: usize,
    /// Number of blocks of the mass matrix: moving bodies of a world.
    pub blocks: usize,
    /// Blocks whose mass matrix is not positive definite.
    pub bad_masses: Vec<usize>,
    /// Contact candidates near each other.
    pub contacts: usize,
    /// Closed contacts.
    pub closed: usize,
    /// Contacts with negative gap, m.
    pub overlaps: Vec<Noted>,
    /// Closed contacts that approach, m/s: the run begins with an impact.
    pub approaching: Vec<Noted>,
    /// Joints whose bodies do not meet, m or rad.
    pub joint_gaps: Vec<Noted>,
    /// Joints whose bodies part, m/s or rad/s.
    pub joint_speeds: Vec<Noted>,
    /// Scalar constraints of all joints and prescribed motions.
    pub joint_rows: usize,
    /// How many of them are independent; none if there are too many to tell.
    pub joint_rank: Option<usize>,
    /// Joints whose constraints are not all independent of each other.
    pub redundant: Vec<String>,
}

impl StartReport {
    /// Looks at a system at its start. Smaller overlaps, gaps and speeds than `tolerance` (m, m/s,
    /// rad, rad/s) count as none.
    pub fn new(system: &dyn MechanicalSystem, start: &State, tolerance: f64) -> Self {
        let blocks = system.blocks();
        let mut report = Self {
            coordinates: system.coordinate_count(),
            velocities: blocks.iter().sum(),
            blocks: blocks.len(),
            ..Self::default()
        };
        let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
        let mut forces = vec![0.0; report.velocities];
        system.mass_and_forces(start, &mut mass, &mut forces);
        let mut inverse = MassInverse::default();
        inverse.shape(blocks);
        if let Err(block) = inverse.factor(&mass) {
            report.bad_masses.push(block);
        }
        let mut set = ContactSet::default();
        system.contacts(start, &mut set);
        for candidate in set.candidates() {
            let Some(group) = system.law_groups().get(candidate.group) else { continue };
            let velocity = relative_velocity(&set, candidate, &inverse, start);
            let noted = |value: f64| Noted { name: system.contact_name(candidate.key), value };
            if candidate.gap == f64::NEG_INFINITY {
                let errors = set.position_error(candidate);
                let gap = errors.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
                if !(gap <= tolerance) {
                    report.joint_gaps.push(noted(gap));
                }
                let mut speed = 0.0_f64;
                for component in constrained(group) {
                    speed = speed.max(velocity.get(component).map_or(0.0, |v| v.abs()));
                    report.joint_rows += 1;
                }
                if !(speed <= tolerance) {
                    report.joint_speeds.push(noted(speed));
                }
                continue;
            }
            report.contacts += 1;
            if !(candidate.gap >= -tolerance) {
                report.overlaps.push(noted(candidate.gap));
            }
            if candidate.is_closed() {
                report.closed += 1;
                if velocity.first().is_some_and(|v| !(*v >= -tolerance)) {
                    report.approaching.push(noted(velocity[0]));
                }
            }
        }
        if let Some(constraints) = Constraints::at(system, start) {
            report.joint_rank = Some(constraints.rank());
            report.redundant = constraints.redundant(system);
        }
        report
    }
}

/// γ = Wᵀu + w̃ of a candidate; empty if its directions are not known.
fn relative_velocity(
    set: &ContactSet,
    candidate: &Candidate,
    layout: &MassInverse,
    state: &State,
) -> Vec<f64> {
    let directions = set.directions(candidate);
    let width = candidate.width().max(1);
    let velocities = touched(candidate, layout).flat_map(|block| {
        let first = layout.offset(block);
        state.u[first..first + layout.size(block)].iter()
    });
    let u: Vec<f64> = velocities.copied().collect();
    let rows = directions.chunks(width).zip(set.rheonomic(candidate));
    rows.map(|(row, w)| row.iter().zip(&u).map(|(a, b)| a * b).sum::<f64>() + w).collect()
}
