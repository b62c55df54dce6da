//! Joints and forces of a world: from their description to constraints, contacts and forces.

use super::applied::{AppliedForce, PointSpring};
use super::description::{
    ContactLaw, ForceKind, JointDescription, Motor, Mount, WorldDescription, WorldError,
};
use super::frames::Frames;
use super::joint::{Clearance, FreeCoordinate, IdealJoint, JointForm, Limits};
use super::joint_checks;
use super::motion::Drive;
use super::mounts::{Side, wrapped};
use super::start::{self, start_state};
use crate::kinematics::quaternion;
use crate::system::{
    ContactPlace, ContactSet, Dimension, ElementConstants, ForceLaw, GroupElements, JointPart,
    LawGroup, SpeedCurve, State,
};
use std::collections::BTreeMap;

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
/// of clearance joints sees the velocity of the surface.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    pub(super) ideal: Vec<IdealJoint>,
    clearances: Vec<Clearance>,
    drives: Vec<Drive>,
    springs: Vec<PointSpring>,
    applied: Vec<AppliedForce>,
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
        for force in &world.forces {
            joints.add_force(&force.kind, frames);
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
            limits: joint.limits.map(|range| Limits {
                range,
                group: groups.limit(joint.limit_restitution),
                closed_at: 0.0,
            }),
            friction: (joint.friction > 0.0).then(|| groups.friction(joint)),
            spring: joint.spring,
            turns: 0.0,
        };
        match &joint.motor {
            Some(Motor::Speed(speed)) => ideal.speed = Some((speed.clone(), groups.motor())),
            Some(Motor::Position(position)) => {
                ideal.position = Some((position.clone(), groups.motor()));
            }
            Some(Motor::Effort(effort)) => ideal.effort = Some(effort.clone()),
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
        self.ideal.push(ideal);
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
                self.applied.push(AppliedForce {
                    side: Side::new(&mount, frames),
                    force: force.clone(),
                    moment: moment.clone(),
                    follows: *follows,
                });
            }
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
    /// joints. Does not empty the set.
    pub fn contacts(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        for clearance in &self.clearances {
            clearance.list(frames, at, first_key, first_group, out);
        }
        for joint in &self.ideal {
            joint.list(frames, at, first_key, first_group, out);
        }
        for drive in &self.drives {
            drive.list(frames, at, first_key, first_group, out);
        }
    }

    /// Adds the smooth forces: springs, dampers, prescribed efforts, applied forces.
    pub fn add_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        for joint in &self.ideal {
            joint.add_forces(frames, at, forces);
        }
        for spring in &self.springs {
            spring.add_forces(frames, at, forces);
        }
        for applied in &self.applied {
            applied.add_forces(frames, at, forces);
        }
    }

    /// Adds the dampers to the blocks of ∂h/∂u.
    pub fn add_jacobian(&self, frames: &Frames, at: &State, jacobian: &mut [f64]) {
        for joint in &self.ideal {
            joint.add_jacobian(frames, at, jacobian);
        }
        for spring in &self.springs {
            spring.add_jacobian(frames, at, jacobian);
        }
    }

    /// Potential of all springs, J.
    pub fn energy(&self, frames: &Frames, at: &State) -> f64 {
        let joints: f64 = self.ideal.iter().map(|joint| joint.energy(frames, at)).sum();
        let springs: f64 = self.springs.iter().map(|spring| spring.energy(frames, at)).sum();
        joints + springs
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
        let constraints = joint.key + u64::from(joint.speed.is_some());
        Some((
            number,
            match local_key {
                key if key == constraints && joint.has_constraints => JointPart::Constraints,
                key if key < constraints => JointPart::Motor,
                _ => JointPart::Other,
            },
        ))
    }

    /// The prescribed effort of an ideal joint; none if it has another motor, or none.
    pub(super) fn effort(&self, t: f64, number: usize) -> Option<f64> {
        self.ideal[number].effort.as_ref().map(|effort| effort.at(t))
    }

    /// Force or moment of the spring and damper of an ideal joint.
    pub(super) fn spring_force(&self, frames: &Frames, at: &State, number: usize) -> f64 {
        self.ideal[number].spring_force(frames, at)
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

    /// Adds the smooth forces without a potential: dampers, prescribed efforts, applied forces.
    pub fn add_applied_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        for joint in &self.ideal {
            joint.add_applied_forces(frames, at, forces);
        }
        for spring in &self.springs {
            spring.add_damping(frames, at, forces);
        }
        for applied in &self.applied {
            applied.add_forces(frames, at, forces);
        }
    }

    /// The longest arm from a body to a point where a joint or spring acts, m.
    pub(super) fn longest_arm(&self) -> f64 {
        let ideal = self.ideal.iter().flat_map(|joint| &joint.sides);
        let clearances = self.clearances.iter().flat_map(|clearance| &clearance.sides);
        let springs = self.springs.iter().flat_map(|spring| &spring.sides);
        ideal.chain(clearances).chain(springs).map(Side::arm).fold(0.0, f64::max)
    }

    /// Number of keys.
    pub fn key_count(&self) -> usize {
        self.names.len()
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

/// The kind of the groups of clearance joints.
const CLEARANCE: &str = "clearance";

/// Groups of laws without doubles.
#[derive(Default)]
struct Groups {
    list: Vec<LawGroup>,
    /// Index by kind and parameters.
    index: BTreeMap<(&'static str, [u64; 5]), usize>,
    /// The curves of friction as texts.
    curves: Vec<String>,
    /// What the laws of clearance joints say of their elements.
    told: BTreeMap<usize, ElementConstants>,
}

impl Groups {
    fn find(
        &mut self,
        kind: &'static str,
        parameters: [f64; 5],
        group: impl FnOnce() -> LawGroup,
    ) -> usize {
        *self.index.entry((kind, parameters.map(f64::to_bits))).or_insert_with(|| {
            self.list.push(group());
            self.list.len() - 1
        })
    }

    /// The elements of the groups. Stiffness counts per mass: the components of joints are forces or
    /// moments.
    fn elements(&self, of_world: ElementConstants) -> Vec<GroupElements> {
        let mut elements = vec![GroupElements::default(); self.list.len()];
        for ((kind, _), index) in &self.index {
            let told = self.told.get(index).copied().unwrap_or_default();
            elements[*index] = GroupElements {
                label: (*kind).into(),
                constants: told.or(of_world),
                is_used: true,
                by_mass: *kind != CLEARANCE,
            };
        }
        elements
    }

    fn constraint(&mut self, dim: usize) -> usize {
        let group = || LawGroup::new([("joint", ForceLaw::bilateral(dim))]);
        self.find("joint", [dim as f64, 0.0, 0.0, 0.0, 0.0], group)
    }

    fn motor(&mut self) -> usize {
        self.find("motor", [0.0; 5], || LawGroup::new([("motor", ForceLaw::bilateral(1))]))
    }

    fn limit(&mut self, restitution: f64) -> usize {
        let group = || LawGroup::new([("limit", ForceLaw::signorini(restitution))]);
        self.find("limit", [restitution, 0.0, 0.0, 0.0, 0.0], group)
    }

    fn friction(&mut self, joint: &JointDescription) -> usize {
        let curve = joint.friction_curve.clone();
        let parameters = [joint.friction, self.curve(&curve), 0.0, 0.0, 0.0];
        let group = || {
            let law = ForceLaw::dry_friction(1, joint.friction).with_curve(curve);
            LawGroup::new([("joint-friction", law)])
        };
        self.find("joint-friction", parameters, group)
    }

    /// A number for a curve; 0 for none.
    fn curve(&mut self, curve: &Option<SpeedCurve>) -> f64 {
        let Some(curve) = curve else { return 0.0 };
        let text = format!("{curve:?}");
        let known = self.curves.iter().position(|other| *other == text);
        let place = known.unwrap_or_else(|| {
            self.curves.push(text);
            self.curves.len() - 1
        });
        1.0 + place as f64
    }

    fn clearance(&mut self, law: &ContactLaw) -> usize {
        let curve = self.curve(&law.friction_curve);
        let slip = law.slip_restitution();
        let kind = 4.0 * self.curve(&law.restitution_curve) + f64::from(law.impact as u8);
        let parameters = [law.restitution, law.friction, slip, curve, kind];
        let group = self.find(CLEARANCE, parameters, || {
            let friction =
                ForceLaw::coulomb_1d(law.friction, slip).with_curve(law.friction_curve.clone());
            let normal = ForceLaw {
                impact: law.impact,
                restitution_curve: law.restitution_curve.clone(),
                ..ForceLaw::signorini(law.restitution)
            };
            LawGroup::new([("normal", normal), ("friction", friction)])
        });
        self.told.entry(group).or_insert(law.elements);
        group
    }
}
