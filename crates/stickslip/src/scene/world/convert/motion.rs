//! Prescribed motions, and where bodies start.

use super::{ANY_NUMBER, Context};
use crate::kinematics::quaternion::IDENTITY;
use crate::kinematics::vector::E_Z;
use crate::scene::world::file::{AssembledKeys, Body, MotionKeys, TurnKeys};
use crate::scene::world::file_shape::RotationKeys;
use crate::scene::world::quantity::{LARGEST, Signal};
use crate::scene::world::units::{self, Unit};
use crate::world::{BodyDescription, MotionDescription, PlacedBody, TimedMotion};
use std::collections::BTreeMap;

impl Context<'_> {
    /// A function of time with its rate; 0 if it is wrong.
    pub(super) fn motion(&mut self, key: &str, given: &Signal, unit: &Unit) -> TimedMotion {
        let text = match given {
            Signal::Plain(value) if value.abs() <= LARGEST => return TimedMotion::constant(*value),
            Signal::Plain(value) => {
                self.out_of_range(key, value, ANY_NUMBER);
                return TimedMotion::default();
            }
            Signal::Text(text) => text,
        };
        self.parameters.motion(text, unit).unwrap_or_else(|error| {
            self.tell(key, error);
            TimedMotion::default()
        })
    }

    /// What is said of the motion of the bodies of an entry, which begin with this number; a body whose
    /// motion is prescribed starts as that says.
    pub(super) fn motions(
        &mut self,
        key: &str,
        body: &Body,
        first: usize,
        all: &mut [BodyDescription],
    ) {
        if body.hold {
            if body.fixed {
                let key = format!("{key}.hold");
                self.wrong(&key, format!("{key}: the body is fixed; give hold or fixed"));
            }
            self.assembly.held.extend(first..all.len());
        }
        let Some(motion) = &body.motion else { return };
        let key = format!("{key}.motion");
        let given = [
            (body.fixed, "fixed"),
            (body.free.is_some(), "free"),
            (body.velocity.is_some(), "velocity"),
            (body.angular_velocity.is_some(), "angular_velocity"),
        ];
        if let Some((_, other)) = given.iter().find(|(is_given, _)| *is_given) {
            return self.wrong(&key, format!("{key} says how the body moves; take {other} away"));
        }
        if all.len() != first + 1 {
            return self
                .wrong(&key, format!("{key}: the body has copies, which would all be there"));
        }
        if motion.position.is_none() && motion.rotation.is_none() {
            return self.wrong(&key, format!("{key} needs position or rotation"));
        }
        let motion = self.body_motion(&key, motion, first, &all[first]);
        let body = &mut all[first];
        (body.position, body.rotation) = motion.pose(0.0);
        (body.velocity, body.angular_velocity) = motion.velocity(0.0);
        self.motions.push(motion);
    }

    fn body_motion(
        &mut self,
        key: &str,
        given: &MotionKeys,
        number: usize,
        body: &BodyDescription,
    ) -> MotionDescription {
        let mut motion = MotionDescription {
            body: number,
            position: body.position.map(TimedMotion::constant),
            axis: E_Z,
            angle: TimedMotion::default(),
            rotation: body.rotation,
        };
        if let Some(position) = &given.position {
            let wanted = if self.is_plane() { 2 } else { 3 };
            let key = format!("{key}.position");
            if position.len() != wanted {
                let message =
                    format!("{key} has {} components; it must have {wanted}", position.len());
                self.wrong(&key, message);
            }
            for (k, given) in position.iter().enumerate().take(wanted) {
                motion.position[k] = self.motion(&format!("{key}.{k}"), given, &units::LENGTH);
            }
        }
        let turn = format!("{key}.rotation");
        match &given.rotation {
            None => {}
            Some(TurnKeys::Angle(angle)) if self.is_plane() => {
                motion.angle = self.motion(&turn, angle, &units::ANGLE);
                motion.rotation = IDENTITY;
            }
            Some(TurnKeys::Table(table)) if !self.is_plane() => {
                if let Some(axis) = self.direction(&format!("{turn}.axis"), &table.axis) {
                    motion.axis = axis;
                }
                motion.angle = self.motion(&format!("{turn}.angle"), &table.angle, &units::ANGLE);
                motion.rotation = IDENTITY;
            }
            Some(_) => {
                let allowed = if self.is_plane() {
                    "in the plane it must be one angle (rad)"
                } else {
                    "in space it must be a table with axis and angle"
                };
                self.wrong(&turn, format!("{turn} does not fit; {allowed}"));
            }
        }
        motion
    }

    /// Where bodies start.
    pub(super) fn assembled(&mut self, given: &BTreeMap<String, AssembledKeys>) {
        for (name, keys) in given {
            let key = format!("assembled.{name}");
            let Some(Some(body)) = self.body_number(&key, name) else { continue };
            let placed = PlacedBody {
                body,
                position: self.vector(&format!("{key}.position"), Some(&keys.position)),
                rotation: self.rotation(&format!("{key}.rotation"), Some(&keys.rotation)),
                angle: match &keys.rotation {
                    RotationKeys::Turn(angle) => angle.value,
                    RotationKeys::Table(_) => 0.0,
                },
                velocity: self.vector(&format!("{key}.velocity"), Some(&keys.velocity)),
                angular_velocity: self
                    .spin(&format!("{key}.angular_velocity"), Some(&keys.angular_velocity)),
            };
            self.assembly.placed.push(placed);
        }
    }
}
