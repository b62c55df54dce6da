//! Joints: where they are fastened on their bodies, and what acts in them.

use super::rotation::{inverse, shortest_turn};
use super::{Context, GROUND, is_plain};
use crate::kinematics::quaternion::{self, IDENTITY, product};
use crate::kinematics::vector::{
    E_X, E_Z, add, apply, apply_transposed, cross, dot, norm, scale, sub,
};
use crate::kinematics::{Quaternion, Vector3};
use crate::scene::world::file_joint::{AxisOf, Joint, JointKeys, OneWay, PointsOf};
use crate::scene::world::quantity::{Length, Measure, Vector};
use crate::scene::world::units;
use crate::world::{BodyDescription, ContactLaw, JointDescription, JointKind, Mount, Sense};
use std::collections::HashSet;

impl Context<'_> {
    pub(super) fn joints(
        &mut self,
        given: &[Joint],
        bodies: &[BodyDescription],
        default_contact: &ContactLaw,
    ) -> Vec<JointDescription> {
        let mut joints = Vec::with_capacity(given.len());
        let mut names: HashSet<String> = HashSet::new();
        for (number, joint) in given.iter().enumerate() {
            let key = format!("joint.{number}");
            let name = joint.name.clone().unwrap_or_else(|| format!("joint-{number}"));
            if !is_plain(&name) || self.bodies.contains_key(&name) {
                let key = format!("{key}.name");
                let message = format!(
                    "{key} is {name:?}, it must be of letters a to z, digits, _ and -, and not the name \
                     of a body"
                );
                self.wrong(&key, message);
            } else if !names.insert(name.clone()) {
                let key = format!("{key}.name");
                self.wrong(&key, format!("{key} is {name:?}, but another joint has this name"));
            }
            let mounts = self.mounts(&key, joint, bodies);
            let Some(kind) = self.joint_kind(&key, joint, bodies, &mounts, default_contact) else {
                continue;
            };
            if let Some(start) = &joint.start {
                self.start_of_joint(&format!("{key}.start"), start, &kind, joints.len());
            }
            let mut description = JointDescription {
                name,
                kind,
                mounts: mounts
                    .unwrap_or([Mount { body: None, point: [0.0; 3], rotation: IDENTITY }; 2]),
                spring: None,
                limits: None,
                limit_restitution: joint.limit_restitution.value,
                motor: None,
                bumper: None,
                one_way: joint.one_way.map(|sense| match sense {
                    OneWay::Forward => Sense::Forward,
                    OneWay::Backward => Sense::Backward,
                }),
                collide: joint.collide,
                friction: 0.0,
                friction_curve: None,
            };
            self.elements(&key, joint, &mut description);
            joints.push(description);
        }
        joints
    }

    fn joint_kind(
        &mut self,
        key: &str,
        joint: &Joint,
        bodies: &[BodyDescription],
        mounts: &Option<[Mount; 2]>,
        default_contact: &ContactLaw,
    ) -> Option<JointKind> {
        let kind = match &joint.kind {
            JointKeys::Distance { length } => {
                let ends = mounts.as_ref()?.map(|m| in_world(bodies, m.body, &m.point));
                let length = length.map_or(norm(&sub(&ends[1], &ends[0])), |given| given.value);
                if !(length > 0.0) {
                    let message = format!(
                        "{key}: its ends are the same point at the start; give length or other points"
                    );
                    self.wrong(key, message);
                }
                JointKind::Distance { length }
            }
            JointKeys::ClearanceTranslational { half_length, half_width, clearance, contact } => {
                let law = contact.as_ref().map(|law| self.law(&format!("{key}.contact"), law));
                JointKind::ClearanceTranslational {
                    half_length: half_length.value,
                    half_width: half_width.value,
                    clearance: clearance.value,
                    law: law.unwrap_or_else(|| default_contact.clone()),
                }
            }
            JointKeys::ClearanceRevolute { pin_radius, clearance, contact } => {
                let law = contact.as_ref().map(|law| self.law(&format!("{key}.contact"), law));
                JointKind::ClearanceRevolute {
                    pin_radius: pin_radius.value,
                    clearance: clearance.value,
                    law: law.unwrap_or_else(|| default_contact.clone()),
                }
            }
            plain => {
                let has_backlash = joint.backlash.as_ref().is_some_and(|play| match play {
                    Measure::Plain(play) => *play != 0.0,
                    Measure::Text(text) => {
                        let play = self.parameters.quantity(text, &units::ANGLE);
                        !matches!(play, Ok(play) if play == 0.0)
                    }
                });
                plain.plain_kind(has_backlash)?
            }
        };
        let only = kind.only_in();
        if only.is_some_and(|only| only != self.dimension) {
            let key = format!("{key}.kind");
            let allowed = if self.is_plane() {
                "this kind of joint is for space (dimension = 3)"
            } else {
                "this kind of joint is for the plane (dimension = 2)"
            };
            self.wrong(&key, format!("{key}: {allowed}"));
            return None;
        }
        Some(kind)
    }

    fn mounts(&mut self, key: &str, joint: &Joint, all: &[BodyDescription]) -> Option<[Mount; 2]> {
        let bodies = self.two_bodies(key, &joint.bodies, all)?;
        let poses = bodies.map(|body| pose(all, body));
        let meet = joint.kind.points();
        let points = match (&joint.at, &joint.points) {
            (Some(_), Some(_)) => {
                self.wrong(&format!("{key}.points"), format!("{key} has at and points; give one"));
                return None;
            }
            (Some(at), None) => {
                let at = self.vector(&format!("{key}.at"), Some(at));
                poses.map(|(origin, p)| {
                    apply_transposed(&quaternion::rotation(&p), &sub(&at, &origin))
                })
            }
            (None, None) if meet == PointsOf::Joint => {
                let message = format!(
                    "{key} has no place; give at = [...] (in the world, at the start) or points = \
                     [[...], [...]] (one in the frame of each body)"
                );
                self.wrong(key, message);
                return None;
            }
            // What a fixed joint holds together, it holds as it is at the start.
            (None, None) if meet == PointsOf::Start => {
                let at = poses[1].0;
                poses.map(|(origin, p)| {
                    apply_transposed(&quaternion::rotation(&p), &sub(&at, &origin))
                })
            }
            (None, points) => self.body_points(key, points.as_deref()),
        };
        let ends = [0, 1].map(|side| {
            let (origin, p) = &poses[side];
            add(origin, &apply(&quaternion::rotation(p), &points[side]))
        });
        // One place is one place, whatever rounding leaves between the two.
        let between = if joint.at.is_some() { [0.0; 3] } else { sub(&ends[1], &ends[0]) };
        let rotations = self.frames(key, joint, &poses, &between)?;
        let mut points = points;
        if joint.kind.axis() == AxisOf::Rack {
            // Where the pinion is at the start is the zero of its way.
            let local = quaternion::rotation(&rotations[0]);
            let x = [local[0][0], local[1][0], local[2][0]];
            let own = apply_transposed(&quaternion::rotation(&poses[0].1), &between);
            points[0] = add(&points[0], &scale(dot(&x, &own), &x));
        }
        let mount = |side: usize| Mount {
            body: bodies[side],
            point: points[side],
            rotation: rotations[side],
        };
        Some([mount(0), mount(1)])
    }

    /// Orientations of the frame of a joint in the frames of its bodies.
    fn frames(
        &mut self,
        key: &str,
        joint: &Joint,
        poses: &[(Vector3, Quaternion); 2],
        between: &Vector3,
    ) -> Option<[Quaternion; 2]> {
        let axis_of = joint.kind.axis();
        let along_x = matches!(axis_of, AxisOf::Guide | AxisOf::Rack);
        let turns = matches!(axis_of, AxisOf::Turn | AxisOf::Wheels) && !self.is_plane();
        let has_axis = along_x || turns;
        let has_axes =
            axis_of == AxisOf::Turns || has_axis && matches!(axis_of, AxisOf::Turn | AxisOf::Guide);
        for (name, is_given, is_known) in
            [("axis", joint.axis.is_some(), has_axis), ("axes", joint.axes.is_some(), has_axes)]
        {
            if is_given && !is_known {
                let key = format!("{key}.{name}");
                self.wrong(&key, format!("{key} has no meaning for this joint"));
                return None;
            }
        }
        let own = if along_x { E_X } else { E_Z };
        let in_bodies = |frame: Quaternion| poses.map(|(_, p)| product(&inverse(&p), &frame));
        if axis_of == AxisOf::Turns && joint.axes.is_none() && !self.is_plane() {
            let message = format!(
                "{key} has no axes; give axes = [[...], [...]], one in the frame of each body, across each \
                 other"
            );
            self.wrong(key, message);
            return None;
        }
        if matches!(axis_of, AxisOf::Wheels | AxisOf::Rack) {
            let axis = match &joint.axis {
                Some(axis) => self.direction(&format!("{key}.axis"), &axis.0)?,
                None => own,
            };
            let Some(frame) = frame_towards(axis_of, &axis, between, self.is_plane()) else {
                let message = format!(
                    "{key}: its points are one place, or lie along its axis; give points = [[...], [...]], \
                     one in the frame of each body, away from each other"
                );
                self.wrong(key, message);
                return None;
            };
            return Some(in_bodies(frame));
        }
        Some(match (&joint.axis, joint.axes.as_deref()) {
            (Some(_), Some(_)) => {
                self.wrong(&format!("{key}.axes"), format!("{key} has axis and axes; give one"));
                return None;
            }
            (Some(axis), None) => {
                let axis = self.direction(&format!("{key}.axis"), &axis.0)?;
                in_bodies(shortest_turn(&own, &axis))
            }
            (None, Some([first, second])) => {
                let first = self.direction(&format!("{key}.axes.0"), &first.0);
                let second = self.direction(&format!("{key}.axes.1"), &second.0);
                [shortest_turn(&own, &first?), shortest_turn(&own, &second?)]
            }
            (None, _) => in_bodies(IDENTITY),
        })
    }

    /// Points on two bodies; their origins if they are not given.
    pub(super) fn body_points(
        &mut self,
        key: &str,
        given: Option<&[Vector<Length>]>,
    ) -> [Vector3; 2] {
        let Some([first, second]) = given else { return [[0.0; 3]; 2] };
        let first = self.vector(&format!("{key}.points.0"), Some(first));
        [first, self.vector(&format!("{key}.points.1"), Some(second))]
    }

    /// Numbers of two different bodies; none is the ground.
    pub(super) fn two_bodies(
        &mut self,
        key: &str,
        names: &[String],
        all: &[BodyDescription],
    ) -> Option<[Option<usize>; 2]> {
        let [first, second] = names else { return None };
        let numbers = [
            self.body_number(&format!("{key}.bodies.0"), first),
            self.body_number(&format!("{key}.bodies.1"), second),
        ];
        let numbers = [numbers[0]?, numbers[1]?];
        let moves = |body: Option<usize>| body.is_some_and(|body| !all[body].fixed);
        let key = format!("{key}.bodies");
        if numbers[0] == numbers[1] {
            self.wrong(&key, format!("{key} are the same; they must be different"));
            return None;
        }
        if !moves(numbers[0]) && !moves(numbers[1]) {
            self.wrong(&key, format!("{key}: none of them moves"));
            return None;
        }
        Some(numbers)
    }

    /// Number of a body, or `Some(None)` for the ground; nothing if there is no such body.
    pub(super) fn body_number(&mut self, key: &str, name: &str) -> Option<Option<usize>> {
        if name == GROUND {
            return Some(None);
        }
        if let Some(number) = self.bodies.get(name) {
            return Some(Some(*number));
        }
        let message = if self.copied.contains_key(name) {
            format!("{key} is {name:?}, which has many copies; name one, such as \"{name}-0\"")
        } else {
            let hint = self.name_hint(name, &[GROUND], false);
            format!("{key} is {name:?}, but there is no such body{hint}")
        };
        self.wrong(key, message);
        None
    }
}

/// The frame of wheels (z along the axis, x to the other centre) or of a rack (x along it, y to the pinion);
/// none if the points do not lie beside each other.
fn frame_towards(
    axis_of: AxisOf,
    axis: &Vector3,
    between: &Vector3,
    plane: bool,
) -> Option<Quaternion> {
    let beside = sub(between, &scale(dot(axis, between), axis));
    let length = norm(&beside);
    if !(length > 1e-9 * norm(between)) {
        return None;
    }
    let beside = scale(1.0 / length, &beside);
    let [x, y, z] = if axis_of == AxisOf::Wheels {
        [beside, cross(axis, &beside), *axis]
    } else {
        let z = cross(axis, &beside);
        // In the plane z is given: seen from the other side the rack runs the other way.
        if plane && z[2] < 0.0 { [scale(-1.0, axis), beside, E_Z] } else { [*axis, beside, z] }
    };
    let rows = [0, 1, 2].map(|k| [x[k], y[k], z[k]]);
    Some(quaternion::from_rotation(&rows))
}

/// Origin and orientation of a body at the start; none is the ground.
fn pose(bodies: &[BodyDescription], body: Option<usize>) -> (Vector3, Quaternion) {
    body.map_or(([0.0; 3], IDENTITY), |body| (bodies[body].position, bodies[body].rotation))
}

/// A point of a body in the world, at the start.
pub(super) fn in_world(
    bodies: &[BodyDescription],
    body: Option<usize>,
    point: &Vector3,
) -> Vector3 {
    let (origin, rotation) = pose(bodies, body);
    add(&origin, &apply(&quaternion::rotation(&rotation), point))
}
