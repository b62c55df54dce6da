//! What is reported and drawn of a world.

use super::columns::{body_columns, body_values};
use super::conditions::Counter;
use super::description::ShapeKind;
use super::joint::FreeCoordinate;
use super::motion::{PlacedBody, placed_bodies};
use super::shape::Shape;
use super::start::{self, JointCoordinate};
use super::world::{JOINTS, World};
use crate::kinematics::quaternion;
use crate::kinematics::{Matrix3, Vector3};
use crate::system::{
    Column, Condition, ContactColumn, ContactPlace, ContactSet, Dimension, Drawing, DrawnBody,
    DrawnPart, DrawnPose, Facts, JointPart, Observed, Seen, State,
};
use crate::world::Frame;
use std::f64::consts::FRAC_PI_2;

/// Gap up to which a point counts as near beside one that touches, over the size of the smaller
/// shape.
const NEAR_GAP: f64 = 1e-3;

impl World {
    /// Where all moving bodies are at a state.
    pub fn placed_bodies(&self, at: &State) -> Vec<PlacedBody> {
        placed_bodies(&self.frames, at)
    }

    /// The free coordinates of the joints that have one.
    pub fn joint_coordinates(&self, at: &State) -> Vec<JointCoordinate> {
        self.joints.coordinates(&self.frames, at)
    }

    /// Joints that are apart at a state, move apart, or stand outside of their limits: a sentence for
    /// each.
    pub fn inconsistencies(&self, at: &State) -> Vec<String> {
        start::inconsistencies(&self.joints, &self.frames, at)
    }

    /// Indices of the moving bodies.
    fn moving_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|body| self.frames.block(Some(*body)).is_some())
    }

    /// Whether a contact has a name of its own, or is one of several points of such a contact.
    pub fn is_named(&self, key: u64) -> bool {
        self.reported_index(key).is_some()
            || key < JOINTS
                && self.parts(key).is_some_and(|([a, b], _)| {
                    self.laws.rule(a, b).is_some_and(|r| r.name.is_some())
                })
    }

    /// The columns of all moving bodies.
    fn all_body_columns(&self) -> Vec<Column> {
        let names = self.moving_bodies().map(|body| self.bodies[body].name.as_str());
        names.flat_map(|name| body_columns(self.frames.dimension, name)).collect()
    }
}

impl Observed for World {
    fn columns(&self) -> Vec<Column> {
        self.derived.before(self.all_body_columns())
    }

    fn start_constraints(&self, at: &State, of_positions: bool, out: &mut ContactSet) -> bool {
        out.clear();
        let first_group = self.laws.groups.len();
        self.joints.contacts(&self.frames, at, &[], JOINTS, first_group, out);
        if of_positions {
            self.joints.start_contacts(&self.frames, at, JOINTS, first_group, out);
        }
        self.held.contacts(self.frames.velocities(), out);
        self.joints.is_assembled()
    }

    fn is_held_at_start(&self, block: usize, of_positions: bool) -> bool {
        self.joints.is_held_at_start(block, of_positions)
    }

    fn extra_columns(&self) -> Vec<Column> {
        self.derived.behind(|| self.all_body_columns())
    }

    fn derive(&self, at: &State, seen: &Seen, values: &mut Vec<f64>) {
        self.derived.append(self, at, seen, values);
    }

    fn conditions(&self) -> &[Condition] {
        &self.conditions.list
    }

    fn counter_count(&self) -> usize {
        self.conditions.counter_count()
    }

    fn counts_impact(&self, counter: usize, contact: u64) -> bool {
        self.conditions.counts(self, counter, contact)
    }

    fn impact_names(&self) -> Vec<String> {
        let contacts = self.named_keys.iter().map(|key| self.name_of(*key));
        contacts.chain(self.bodies.iter().map(|body| body.name.clone())).collect()
    }

    fn is_impact_of(&self, name: &str, contact: u64) -> bool {
        Counter::of(self, name).is_some_and(|counter| counter.counts(self, contact))
    }

    fn conditions_hold(
        &self,
        at: &State,
        seen: &Seen,
        facts: &Facts,
        memory: &mut [Vec<f64>; 2],
        out: &mut Vec<bool>,
    ) {
        self.conditions.hold(self, at, seen, facts, memory, out);
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        for body in self.moving_bodies() {
            let (values, count) = body_values(&self.frames, at, body);
            out.extend(&values[..count]);
        }
    }

    fn reported_contacts(&self) -> &[u64] {
        &self.named_keys
    }

    fn reported_index(&self, key: u64) -> Option<usize> {
        if let Some(index) = self.named_keys.iter().position(|k| *k == key) {
            return Some(index);
        }
        if self.named_keys.is_empty() {
            return None;
        }
        if key >= JOINTS {
            return None;
        }
        let ([a, b], number) = self.parts(key)?;
        if self.first_points && number > 0 {
            return None;
        }
        self.laws.rule(a, b)?.name
    }

    fn contact_columns(&self, contact: usize) -> &[ContactColumn] {
        self.derived.of_contact(contact)
    }

    fn contact_turns(&self, contact: u64) -> bool {
        let joint = self.joint_part(contact).map(|(number, _)| &self.joints.ideal[number]);
        joint.and_then(|joint| joint.free).is_some_and(FreeCoordinate::is_angle)
    }

    fn is_second(&self, contact: u64, block: usize) -> bool {
        if contact >= JOINTS {
            return self.joints.second_block(contact - JOINTS) == Some(block);
        }
        let Some((shapes, _)) = self.parts(contact) else { return false };
        let bodies = shapes.map(|shape| shape.body);
        let rule = self.laws.rule(shapes[0], shapes[1]);
        // Where the rule does not say, the one that is named second: a body that is held, or the later one.
        let held = bodies.into_iter().find(|body| self.frames.block(Some(*body)).is_none());
        let second = rule.and_then(|rule| rule.second(bodies)).or(held);
        let second = second.unwrap_or(bodies[0].max(bodies[1]));
        self.frames.block(Some(second)) == Some(block)
    }

    fn reported_joints(&self) -> &[String] {
        &self.joint_names
    }

    fn joint_part(&self, key: u64) -> Option<(usize, JointPart)> {
        self.joints.part(key.checked_sub(JOINTS)?)
    }

    fn joint_coordinate(&self, at: &State, joint: usize) -> Option<f64> {
        self.joints.is_free(joint).then(|| self.joints.free(&self.frames, at, joint, false))
    }

    fn joint_effort(&self, at: &State, joint: usize) -> Option<f64> {
        self.joints.effort(&self.frames, at, joint)
    }

    fn drawing(&self) -> Drawing {
        let joints = self.drawn_joints.clone();
        let dimension = self.frames.dimension;
        let mut drawing = Drawing { dimension, joints, ..Drawing::default() };
        let planar = self.frames.dimension == Dimension::Two;
        for (index, body) in self.bodies.iter().enumerate() {
            let own = self.collider.shapes.iter().filter(|shape| shape.body == index);
            if self.frames.block(Some(index)).is_some() {
                let shapes = own.map(|s| drawn(s, planar, s.local.origin, &s.local.rotation));
                let parts = shapes.chain(body.skeleton.iter().cloned()).collect();
                drawing.bodies.push(DrawnBody { name: body.name.clone(), parts });
            } else {
                let frame = self.frames.frame_in(&[], Some(index));
                drawing.ground.extend(own.map(|shape| {
                    let pose = shape.pose(&frame);
                    drawn(shape, planar, pose.origin, &pose.rotation)
                }));
            }
        }
        drawing
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        let coordinates = self.frames.coordinates();
        for body in self.moving_bodies() {
            let Some(block) = self.frames.block(Some(body)) else { continue };
            let q = &at.q[block * coordinates..];
            let rotation = match self.frames.dimension {
                Dimension::Two => quaternion::from_axis_angle(&[0.0, 0.0, 1.0], q[2]),
                Dimension::Three => [q[3], q[4], q[5], q[6]],
            };
            out.push(DrawnPose { position: self.frames.frame(at, Some(body)).origin, rotation });
        }
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        let frames: Vec<Frame> =
            (0..self.bodies.len()).map(|body| self.frames.frame(at, Some(body))).collect();
        let scratch = self.collide(at);
        // A body that leans on a corner or its rim has other points that are far from touching.
        for pair in scratch.found.chunk_by(|a, b| a.shapes == b.shapes) {
            let least = pair.iter().map(|found| found.touch.gap).fold(f64::INFINITY, f64::min);
            let sizes = pair[0].shapes.map(|shape| self.collider.shapes[shape as usize].size);
            let near = least.max(0.0) + NEAR_GAP * sizes[0].min(sizes[1]);
            let places = pair.iter().filter(|found| found.touch.gap <= near);
            out.extend(places.map(|found| ContactPlace {
                key: Self::key(found.shapes, found.touch.number),
                point: found.touch.point_a,
                normal: found.touch.normal,
                tangents: self.tangents(found, &frames),
            }));
        }
        self.joints.contact_places(&self.frames, at, JOINTS, out);
    }
}

/// A shape as it is drawn, in a frame with this origin and rotation.
fn drawn(shape: &Shape, planar: bool, origin: Vector3, rotation: &Matrix3) -> DrawnPart {
    let drawn = shape.kind.as_geometry(|geometry| geometry.drawn(shape));
    let mut rotation = quaternion::from_rotation(rotation);
    if planar && shape.kind == ShapeKind::HalfSpace {
        // Drawn half-spaces lie below their z, those of the plane below their y.
        let quarter = quaternion::from_axis_angle(&[1.0, 0.0, 0.0], -FRAC_PI_2);
        rotation = quaternion::product(&rotation, &quarter);
    }
    DrawnPart { shape: drawn, pose: DrawnPose { position: origin, rotation } }
}
