//! Joints and forces of a world: from their description to constraints, contacts and forces.

use super::applied::{AppliedForce, PointSpring};
use super::bumper::{Bumper, Measured};
use super::columns::ColumnInputs;
use super::description::{
    ForceDescription, ForceKind, ForceValue, JointBumper, JointDescription, Motor, Mount, Part,
    WorldDescription, WorldError,
};
use super::frames::{Frame, Frames};
use super::joint::{Clearance, FreeCoordinate, IdealJoint, JointForm, JointLimits};
use super::joint_checks;
use super::joint_groups::Groups;
use super::motion::Drive;
use super::mounts::{Side, wrapped};
use super::start::{self, Asked, start_state};
use super::state_force::StateForces;
use crate::kinematics::quaternion;
use crate::system::{
    ContactPlace, ContactSet, Dimension, GroupElements, JointPart, LawGroup, State,
};

/// The joints and forces of a world.
///
/// Ideal joints are bilateral constraints with their position errors, speed motors rheonomic
/// constraints of velocities, limits unilateral contacts, dry friction a law of constant strength;
/// clearance joints are contacts with friction. Springs, dampers, prescribed efforts and applied
/// forces are smooth forces.
///
/// Keys and groups of laws are counted from 0; a world adds its own first key and group. The contacts
/// of clearance joints have the first keys, in the order of the joints; the candidates of the ideal
/// joints follow.
///
/// A body that is held is at rest for joints and forces, also where its surface moves; the friction
/// in joints sees the velocity of the surface.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    pub(super) ideal: Vec<IdealJoint>,
    clearances: Vec<Clearance>,
    drives: Vec<Drive>,
    pub(super) springs: Vec<PointSpring>,
    pub(super) bumpers: Vec<Bumper>,
    pub(super) applied: Vec<AppliedForce>,
    pub(super) of_state: StateForces,
    groups: Vec<LawGroup>,
    /// The elements of each group under the `ode-*` integrators.
    elements: Vec<GroupElements>,
    /// Names of the candidates by key.
    pub(super) names: Vec<String>,
    /// Keys of the contacts that are reported.
    named: Vec<u64>,
    warnings: Vec<String>,
    /// Whether the start is taken as it is given.
    pub(super) as_given: bool,
    /// Of each block whether place and velocity stay at the start.
    pub(super) held_at_start: Vec<[bool; 2]>,
}

impl Joints {
    /// The joints and forces, or all that is wrong with them. `frames` must place the bodies of the
    /// description.
    pub fn new(world: &WorldDescription, frames: &Frames) -> Result<Self, Vec<WorldError>> {
        let errors = joint_checks::errors(world, frames);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut joints = Self::default();
        let mut groups = Groups::default();
        for joint in &world.joints {
            joints.add_clearance(joint, frames, &mut groups);
        }
        let begin = start_state(world, frames);
        for (number, joint) in world.joints.iter().enumerate() {
            let at_start = world.assembly.coordinates.iter().find(|(index, _)| *index == number);
            joints.add_ideal(joint, frames, &begin, at_start.map(|(_, at)| *at), &mut groups);
            let friction = world.table.named_friction(joint);
            let key = joints.names.iter().position(|name| Some(name) == friction.as_ref());
            joints.named.extend(key.map(|key| key as u64));
            if joint.one_way.is_some() && matches!(joint.kind.form(), JointForm::Ideal(_)) {
                joints.named.push(joints.names.len() as u64 - 1);
            }
        }
        for joint in joints.ideal.iter_mut().filter(|joint| joint.start.is_some()) {
            let first = joint.key as usize + usize::from(joint.is_driven());
            let name = format!("{}.start", joints.names[first]);
            joint.start = joint.start.map(|(at, group, _)| (at, group, joints.names.len() as u64));
            joints.names.push(name);
        }
        for motion in &world.motions {
            let key = joints.names.len() as u64;
            let group = groups.constraint(Drive::dim(frames.dimension));
            let Some(drive) = Drive::new(motion, frames, key, group) else { continue };
            joints.names.push(format!("{}.motion", world.bodies[motion.body].name));
            joints.drives.push(drive);
        }
        joints.elements = groups.elements(world.elements);
        joints.groups = groups.list;
        joints.add_state_forces(world, frames)?;
        for force in &world.forces {
            joints.add_force(&force.kind, frames);
        }
        if let Some(number) = joints.add_forces(frames, &begin, &mut vec![0.0; begin.u.len()]) {
            let message = format!("at the start {}", joints.blame(number, frames, &begin));
            return Err(vec![joints.of_state.error(number, message)]);
        }
        let mut warnings = joint_checks::warnings(world, frames);
        warnings.extend(start::inconsistencies(&joints, frames, &begin));
        joints.warnings = warnings;
        joints.as_given = world.assembly.off;
        for index in &world.assembly.held {
            let Some(block) = frames.block(Some(*index)) else { continue };
            let size = joints.held_at_start.len().max(block + 1);
            joints.held_at_start.resize(size, [false; 2]);
            let body = &world.bodies[*index];
            let has_velocity = body.velocity != [0.0; 3] || body.angular_velocity != [0.0; 3];
            joints.held_at_start[block] = [true, has_velocity];
        }
        Ok(joints)
    }

    fn add_clearance(&mut self, joint: &JointDescription, frames: &Frames, groups: &mut Groups) {
        let JointForm::Play(play, law) = joint.kind.form() else { return };
        for ending in play.endings() {
            self.named.push(self.names.len() as u64);
            self.names.push(format!("{}{ending}", joint.name));
        }
        self.clearances.push(Clearance {
            key: (self.names.len() - play.endings().len()) as u64,
            play,
            sides: sides(joint, frames),
            group: groups.clearance(&law),
            closed_at: 0.0,
        });
    }

    fn add_ideal(
        &mut self,
        joint: &JointDescription,
        frames: &Frames,
        begin: &State,
        at_start: Option<f64>,
        groups: &mut Groups,
    ) {
        let JointForm::Ideal(kind) = joint.kind.form() else { return };
        let free = kind.free(frames.dimension);
        let dim = kind.dim(frames.dimension);
        let mut ideal = IdealJoint {
            has_constraints: dim > 0,
            group: if dim > 0 { groups.constraint(dim) } else { 0 },
            kind,
            free,
            sides: sides(joint, frames),
            key: self.names.len() as u64,
            speed: None,
            position: None,
            start: at_start.filter(|_| free.is_some()).map(|at| (at, groups.constraint(1), 0)),
            effort: None,
            limits: joint.limits.map(|range| JointLimits {
                range,
                group: groups.limit(joint.limit_restitution),
                closed_at: 0.0,
            }),
            friction: (joint.friction > 0.0).then(|| groups.friction(joint)),
            one_way: joint.one_way.map(|sense| (sense, groups.clutch())),
            spring: joint.spring,
            turns: 0.0,
        };
        match &joint.motor {
            Some(Motor::Speed(speed)) => ideal.speed = Some((speed.clone(), groups.motor())),
            Some(Motor::Position(position)) => {
                ideal.position = Some((position.clone(), groups.motor()));
            }
            Some(Motor::Effort(effort)) => ideal.effort = Some(effort.of_time()),
            None => {}
        }
        if frames.dimension == Dimension::Two && free == Some(FreeCoordinate::Turn) {
            // Angles are given up to full turns: at the start the one next to the middle of the
            // limits, or next to what is prescribed, is meant, and from there on full turns count.
            let of_limits = ideal.limits.map_or(0.0, |limits| limits.middle());
            let prescribed =
                ideal.position.as_ref().map(|(position, _)| position.value.at(begin.t));
            let middle = prescribed.or(at_start).unwrap_or(of_limits);
            let value = ideal.value(frames, begin);
            ideal.turns = middle + wrapped(value - middle) - value;
        }
        for ending in ideal.endings() {
            let key = self.names.len() as u64;
            if [".lower", ".upper"].contains(&ending) {
                self.named.push(key);
            }
            self.names.push(format!("{}{ending}", joint.name));
        }
        if let Some(JointBumper { range, stiffness, damping }) = joint.bumper {
            let of = Measured::Joint(self.ideal.len());
            self.bumpers.push(Bumper { of, range, stiffness, damping });
        }
        self.ideal.push(ideal);
    }

    /// Adds what is a function of the state, or says what is wrong with it.
    fn add_state_forces(
        &mut self,
        world: &WorldDescription,
        frames: &Frames,
    ) -> Result<(), Vec<WorldError>> {
        let known = (world, &ColumnInputs::of_state(world));
        let mut forces = StateForces::default();
        let is_ideal = |(_, joint): &(usize, &JointDescription)| {
            matches!(joint.kind.form(), JointForm::Ideal(_))
        };
        let ideal = world.joints.iter().enumerate().filter(is_ideal).enumerate();
        for (number, (index, joint)) in ideal {
            if let Some(Motor::Effort(ForceValue::State(effort))) = &joint.motor {
                forces.add_effort(number, effort, Part::Joint(index), &joint.name, known);
            }
        }
        for (index, ForceDescription { name, kind }) in world.forces.iter().enumerate() {
            let part = Part::Force(index);
            match kind {
                ForceKind::SpringDamper { .. } | ForceKind::Bumper { .. } => {}
                ForceKind::Applied { body, point, force, moment, follows } => {
                    let rotation = quaternion::IDENTITY;
                    let mount = Mount { body: Some(*body), point: *point, rotation };
                    let side = Side::new(&mount, frames);
                    forces.add_components(side, *follows, [force, moment], part, name, known);
                }
                ForceKind::Potential { body, potential } => {
                    forces.add_potential(Side::origin(*body, frames), potential, part, name, known);
                }
            }
        }
        let errors = std::mem::take(&mut forces.errors);
        self.of_state = forces;
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// What a force is that is not finite, by its number.
    pub(super) fn blame(&self, number: usize, frames: &Frames, at: &State) -> String {
        self.of_state.blame(number, frames, &self.ideal, at)
    }

    fn add_force(&mut self, kind: &ForceKind, frames: &Frames) {
        match kind {
            ForceKind::SpringDamper { mounts, stiffness, damping, direction, rest_length } => {
                self.springs.push(PointSpring {
                    sides: [Side::new(&mounts[0], frames), Side::new(&mounts[1], frames)],
                    stiffness: *stiffness,
                    damping: *damping,
                    direction: *direction,
                    rest_length: *rest_length,
                });
            }
            ForceKind::Applied { body, point, force, moment, follows } => {
                let rotation = quaternion::IDENTITY;
                let mount = Mount { body: Some(*body), point: *point, rotation };
                let of_time = AppliedForce {
                    side: Side::new(&mount, frames),
                    force: force.each_ref().map(ForceValue::of_time),
                    moment: moment.each_ref().map(ForceValue::of_time),
                    follows: *follows,
                };
                if !of_time.is_zero() {
                    self.applied.push(of_time);
                }
            }
            ForceKind::Bumper { mounts, stiffness, damping, length } => self.bumpers.push(Bumper {
                of: Measured::Distance(Box::new(
                    [0, 1].map(|side| Side::new(&mounts[side], frames)),
                )),
                range: [*length, f64::INFINITY],
                stiffness: *stiffness,
                damping: *damping,
            }),
            ForceKind::Potential { .. } => {}
        }
    }

    /// Lets limits and clearances count as closed within rounding: a `part` of 1 rad, of slider and pin,
    /// or of the size of the smaller body, which `size` gives by its number.
    pub(super) fn close_within(&mut self, part: f64, size: impl Fn(usize) -> f64) {
        for clearance in &mut self.clearances {
            clearance.closed_at = part * clearance.play.size();
        }
        for joint in &mut self.ideal {
            let Some(limits) = &mut joint.limits else { continue };
            let bodies = joint.sides.iter().filter_map(Side::body);
            let size = if joint.free.is_some_and(FreeCoordinate::is_angle) {
                1.0
            } else {
                bodies.map(&size).fold(f64::INFINITY, f64::min)
            };
            limits.closed_at = if size.is_finite() { part * size } else { 0.0 };
        }
    }

    /// Adds the candidates: constraints, motors, limits, friction, and the contacts of clearance
    /// joints. Does not empty the set. `places` are those of all bodies, if they are known.
    pub fn contacts(
        &self,
        frames: &Frames,
        at: &State,
        places: &[Frame],
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let clearances = if out.only_joints { &[] } else { &self.clearances[..] };
        for clearance in clearances {
            clearance.list(frames, at, places, first_key, first_group, out);
        }
        for joint in &self.ideal {
            joint.list(frames, at, places, first_key, first_group, out);
        }
        for drive in &self.drives {
            drive.list(frames, at, first_key, first_group, out);
        }
    }

    /// Adds the errors of all constraints in the order of [`contacts`](Self::contacts). False if motions of bodies are
    /// prescribed, which have theirs in another way.
    pub(super) fn errors(
        &self,
        frames: &Frames,
        at: &State,
        places: &[Frame],
        out: &mut Vec<f64>,
    ) -> bool {
        for joint in &self.ideal {
            joint.list_errors(frames, at, places, out);
        }
        self.drives.is_empty()
    }

    /// Adds dampers and functions of velocities to the blocks of ∂h/∂u.
    pub fn add_jacobian(&self, frames: &Frames, at: &State, jacobian: &mut [f64]) {
        for joint in &self.ideal {
            joint.add_jacobian(frames, at, jacobian);
        }
        for spring in &self.springs {
            spring.add_jacobian(frames, at, jacobian);
        }
        for bumper in &self.bumpers {
            bumper.add_jacobian(frames, &self.ideal, at, jacobian);
        }
        self.of_state.add_jacobian(frames, &self.ideal, at, jacobian);
    }

    /// Potential of all springs and forces that have one, J.
    pub fn energy(&self, frames: &Frames, at: &State) -> f64 {
        let joints: f64 = self.ideal.iter().map(|joint| joint.energy(frames, at)).sum();
        let springs: f64 = self.springs.iter().map(|spring| spring.energy(frames, at)).sum();
        let bumpers: f64 =
            self.bumpers.iter().map(|bumper| bumper.energy(frames, &self.ideal, at)).sum();
        joints + springs + bumpers + self.of_state.energy(frames, &self.ideal, at)
    }

    /// The free coordinate of an ideal joint by its number, or its rate.
    pub(super) fn free(&self, frames: &Frames, at: &State, number: usize, is_rate: bool) -> f64 {
        let joint = &self.ideal[number];
        if is_rate { joint.rate(frames, at) } else { joint.value(frames, at) }
    }

    /// Number of ideal joints, and what the candidate with this key is of one of them.
    pub(super) fn part(&self, local_key: u64) -> Option<(usize, JointPart)> {
        let number = self.ideal.partition_point(|joint| joint.key <= local_key).checked_sub(1)?;
        let joint = &self.ideal[number];
        let constraints = joint.key + u64::from(joint.is_driven());
        Some((
            number,
            match local_key {
                key if key == constraints && joint.has_constraints => JointPart::Constraints,
                key if key < constraints => JointPart::Motor,
                _ => JointPart::Other,
            },
        ))
    }

    /// What the file itself asks for at the start with this candidate, and of which ideal joint.
    pub(super) fn asked(&self, local_key: u64) -> Option<(Asked, usize)> {
        self.ideal.iter().enumerate().find_map(|(number, joint)| match joint.start {
            Some((.., key)) if key == local_key => Some((Asked::Start, number)),
            _ if joint.is_driven() && joint.key == local_key => Some((Asked::Motor, number)),
            _ => None,
        })
    }

    /// The prescribed effort of an ideal joint; none if it has another motor, or none.
    pub(super) fn effort(&self, frames: &Frames, at: &State, number: usize) -> Option<f64> {
        let of_state = self.of_state.effort(frames, &self.ideal, at, number);
        of_state.or_else(|| self.ideal[number].effort.as_ref().map(|effort| effort.at(at.t)))
    }

    /// Force or moment of the spring and damper of an ideal joint.
    pub(super) fn spring_force(&self, frames: &Frames, at: &State, number: usize) -> f64 {
        self.ideal[number].spring_force(frames, at)
    }

    /// Force or moment of the bumper of an ideal joint along its coordinate.
    pub(super) fn bumper_force(&self, frames: &Frames, at: &State, number: usize) -> f64 {
        let its = self.bumpers.iter().filter(|own| own.is_of(number));
        its.map(|bumper| bumper.along(frames, &self.ideal, at)).sum()
    }

    /// Whether an ideal joint has a free coordinate.
    pub(super) fn is_free(&self, number: usize) -> bool {
        self.ideal[number].free.is_some()
    }

    /// 1 where the first mass block of an ideal joint is that of its second body, else −1.
    pub(super) fn second_sign(&self, number: usize) -> f64 {
        if self.ideal[number].sides[0].block().is_none() { 1.0 } else { -1.0 }
    }

    /// The body of the first mass block of an ideal joint.
    pub(super) fn first_body(&self, number: usize) -> Option<usize> {
        let sides = &self.ideal[number].sides;
        sides.iter().find(|side| side.block().is_some()).and_then(Side::body)
    }

    /// The block of the second body of the joint with play that has a contact of this key.
    pub(super) fn second_block(&self, local_key: u64) -> Option<usize> {
        let after = self.clearances.partition_point(|clearance| clearance.key <= local_key);
        self.clearances.get(after.checked_sub(1)?)?.sides[1].block()
    }

    /// The longest arm from a body to a point where a joint or spring acts, m.
    pub(super) fn longest_arm(&self) -> f64 {
        let ideal = self.ideal.iter().flat_map(|joint| &joint.sides);
        let clearances = self.clearances.iter().flat_map(|clearance| &clearance.sides);
        let springs = self.springs.iter().flat_map(|spring| &spring.sides);
        ideal.chain(clearances).chain(springs).map(Side::arm).fold(0.0, f64::max)
    }

    /// The groups of laws.
    pub fn groups(&self) -> Vec<LawGroup> {
        self.groups.clone()
    }

    /// The elements of the groups under the `ode-*` integrators.
    pub(super) fn elements(&self) -> &[GroupElements] {
        &self.elements
    }

    /// Name of a candidate: the name of the joint, with the ending `.corner1` to `.corner4`,
    /// `.motor`, `.lower`, `.upper` or `.friction` where a joint has several.
    pub fn contact_name(&self, local_key: u64) -> String {
        match usize::try_from(local_key).ok().and_then(|key| self.names.get(key)) {
            Some(name) => name.clone(),
            None => format!("joint-{local_key}"),
        }
    }

    /// Keys and names of the contacts that are reported: those of clearance joints and limits.
    pub fn named_contacts(&self) -> Vec<(u64, String)> {
        self.named.iter().map(|key| (*key, self.contact_name(*key))).collect()
    }

    /// Appends the places of the contacts of clearance joints, for arrows of their forces.
    pub fn contact_places(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        out: &mut Vec<ContactPlace>,
    ) {
        for clearance in &self.clearances {
            clearance.places(frames, at, first_key, out);
        }
    }

    /// What deserves attention but is no error: joints that do not fit together at the start, or
    /// move apart there, values outside of limits, forces without effect.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn sides(joint: &JointDescription, frames: &Frames) -> [Side; 2] {
    [Side::new(&joint.mounts[0], frames), Side::new(&joint.mounts[1], frames)]
}
