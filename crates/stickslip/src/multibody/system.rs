//! A system of planar bodies.

use super::planar_body::{Mount, SIZE};
use super::{Clearance, ClearanceKind, Joint, JointKind, PlanarBody, Pose};
use crate::system::{ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, State};

/// What is wrong with the data of a planar system.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum PlanarError {
    #[error("{element}: {key} is {value}, it must be {range}")]
    Value { element: String, key: &'static str, value: f64, range: &'static str },
    #[error("{element} names body {index}, there are {count}")]
    Body { element: String, index: usize, count: usize },
    #[error("{element} must stand between two different bodies, or a body and the ground")]
    SameBody { element: String },
}

/// Planar bodies under gravity with joints and clearances.
///
/// Candidates of the clearances have the keys from 0 on, in the order of the list (four for a
/// translational, one for a revolute one); those of the joints follow. Groups of laws: one for
/// each clearance, then the bilateral laws with one, two and three components.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarSystem {
    bodies: Vec<PlanarBody>,
    gravity: [f64; 2],
    joints: Vec<Joint>,
    clearances: Vec<Clearance>,
    groups: Vec<LawGroup>,
    blocks: Vec<usize>,
}

impl PlanarSystem {
    /// The system, or what is wrong with its data.
    pub fn new(
        bodies: Vec<PlanarBody>,
        gravity: [f64; 2],
        joints: Vec<Joint>,
        clearances: Vec<Clearance>,
    ) -> Result<Self, PlanarError> {
        for (index, body) in bodies.iter().enumerate() {
            let element = format!("body {index}");
            positive(&element, "mass", body.mass)?;
            positive(&element, "inertia", body.inertia)?;
        }
        for g in gravity {
            finite("system", "gravity", g)?;
        }
        for joint in &joints {
            check_mounts(&joint.name, [&joint.first, &joint.second], bodies.len())?;
            match joint.kind {
                JointKind::Distance(length) => positive(&joint.name, "length", length)?,
                JointKind::Motor(speed) => finite(&joint.name, "speed", speed)?,
                _ => {}
            }
        }
        for clearance in &clearances {
            check_mounts(&clearance.name, [&clearance.first, &clearance.second], bodies.len())?;
            check_clearance(clearance)?;
        }
        let groups = clearances
            .iter()
            .map(|c| c.laws.group())
            .chain((1..=3).map(|dim| LawGroup::new([("joint", ForceLaw::bilateral(dim))])))
            .collect();
        Ok(Self { blocks: vec![SIZE; bodies.len()], bodies, gravity, joints, clearances, groups })
    }

    /// The bodies.
    pub fn bodies(&self) -> &[PlanarBody] {
        &self.bodies
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The state at t = 0 with these positions and velocities of the bodies; missing ones are 0.
    pub fn state(&self, positions: &[Pose], velocities: &[Pose]) -> State {
        let flat = |poses: &[Pose]| {
            let pose = |k: usize| poses.get(k).copied().unwrap_or_default();
            let values = |k: usize| [pose(k).x, pose(k).y, pose(k).angle];
            (0..self.bodies.len()).flat_map(values).collect()
        };
        State { t: 0.0, q: flat(positions), u: flat(velocities), memory: Vec::new() }
    }

    /// Largest position error of all joints, m or rad.
    pub fn largest_error(&self, at: &State) -> f64 {
        let mut set = ContactSet::default();
        self.contacts(at, &mut set);
        let errors = set.candidates().iter().flat_map(|c| set.position_error(c));
        errors.fold(0.0_f64, |largest, error| largest.max(error.abs()))
    }
}

fn positive(element: &str, key: &'static str, value: f64) -> Result<(), PlanarError> {
    check(value.is_finite() && value > 0.0, element, key, value, "finite and positive")
}

fn finite(element: &str, key: &'static str, value: f64) -> Result<(), PlanarError> {
    check(value.is_finite(), element, key, value, "finite")
}

fn check(
    allowed: bool,
    element: &str,
    key: &'static str,
    value: f64,
    range: &'static str,
) -> Result<(), PlanarError> {
    if allowed {
        return Ok(());
    }
    Err(PlanarError::Value { element: element.to_owned(), key, value, range })
}

fn check_mounts(element: &str, mounts: [&Mount; 2], count: usize) -> Result<(), PlanarError> {
    for mount in mounts {
        finite(element, "point", mount.point[0])?;
        finite(element, "point", mount.point[1])?;
        finite(element, "angle", mount.angle)?;
        if let Some(index) = mount.body
            && index >= count
        {
            return Err(PlanarError::Body { element: element.to_owned(), index, count });
        }
    }
    if mounts[0].body == mounts[1].body {
        return Err(PlanarError::SameBody { element: element.to_owned() });
    }
    Ok(())
}

fn check_clearance(element: &Clearance) -> Result<(), PlanarError> {
    let name = &element.name;
    match element.kind {
        ClearanceKind::Translational { half_length, half_width, clearance } => {
            positive(name, "half_length", half_length)?;
            positive(name, "half_width", half_width)?;
            positive(name, "clearance", clearance)?;
        }
        ClearanceKind::Revolute { pin_radius, clearance } => {
            positive(name, "pin_radius", pin_radius)?;
            positive(name, "clearance", clearance)?;
        }
    }
    let laws = &element.laws;
    for (key, value) in
        [("restitution", laws.restitution), ("tangential_restitution", laws.tangential_restitution)]
    {
        check((0.0..=1.0).contains(&value), name, key, value, "between 0 and 1")?;
    }
    let friction = laws.friction_coefficient;
    let allowed = friction.is_finite() && friction >= 0.0;
    check(allowed, name, "friction_coefficient", friction, "finite and not negative")
}

impl MechanicalSystem for PlanarSystem {
    fn coordinate_count(&self) -> usize {
        SIZE * self.bodies.len()
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn mass_and_forces(&self, _at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let parts = mass.chunks_exact_mut(SIZE * SIZE).zip(forces.chunks_exact_mut(SIZE));
        for (body, (mass, force)) in self.bodies.iter().zip(parts) {
            let (m, j) = (body.mass, body.inertia);
            mass.copy_from_slice(&[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, j]);
            force.copy_from_slice(&[m * self.gravity[0], m * self.gravity[1], 0.0]);
        }
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let mut key = 0;
        for (group, clearance) in self.clearances.iter().enumerate() {
            clearance.list(at, key, group, out);
            key += clearance.contacts() as u64;
        }
        for joint in &self.joints {
            let group = self.clearances.len() + joint.kind.dim() - 1;
            joint.list(at, key, group, out);
            key += 1;
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        let mut left = key as usize;
        for clearance in &self.clearances {
            if left < clearance.contacts() {
                return clearance.contact_name(left);
            }
            left -= clearance.contacts();
        }
        match self.joints.get(left) {
            Some(joint) => joint.name.clone(),
            None => format!("contact-{key}"),
        }
    }

    fn energy(&self, at: &State) -> Energy {
        let mut energy = Energy::default();
        let states = at.q.chunks_exact(SIZE).zip(at.u.chunks_exact(SIZE));
        for (body, (q, u)) in self.bodies.iter().zip(states) {
            energy.kinetic += 0.5 * body.mass * (u[0] * u[0] + u[1] * u[1]);
            energy.kinetic += 0.5 * body.inertia * u[2] * u[2];
            energy.potential -= body.mass * (self.gravity[0] * q[0] + self.gravity[1] * q[1]);
        }
        energy
    }
}
