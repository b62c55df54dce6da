//! What acts along the free coordinate of a joint.

use super::Context;
use super::friction::FrictionKeys;
use crate::scene::world::file_joint::Joint;
use crate::scene::world::quantity::{LARGEST, Measure};
use crate::scene::world::units::{self, Unit};
use crate::world::{ForceValue, JointBumper, JointDescription, JointKind, JointSpring, Motor};
use std::f64::consts::TAU;

/// Units of what acts along the free coordinate of a joint.
struct Units {
    coordinate: Unit,
    rate: Unit,
    effort: Unit,
    stiffness: Unit,
    damping: Unit,
}

const LINEAR: Units = Units {
    coordinate: units::LENGTH,
    rate: units::VELOCITY,
    effort: units::FORCE,
    stiffness: units::STIFFNESS,
    damping: units::DAMPING,
};

const ANGULAR: Units = Units {
    coordinate: units::ANGLE,
    rate: units::ANGULAR_VELOCITY,
    effort: units::MOMENT,
    stiffness: units::ANGULAR_STIFFNESS,
    damping: units::ANGULAR_DAMPING,
};

impl Context<'_> {
    /// The free coordinate of the joint with this number at the start.
    pub(super) fn start_of_joint(
        &mut self,
        key: &str,
        given: &Measure,
        kind: &JointKind,
        number: usize,
    ) {
        let unit = match kind.free_is_angle(self.dimension) {
            Some(true) => ANGULAR.coordinate,
            Some(false) => LINEAR.coordinate,
            None => {
                let what = "is for joints with a free coordinate: revolute, prismatic and others";
                return self.wrong(key, format!("{key} {what}"));
            }
        };
        let value = self.measure(key, given, &unit, -LARGEST);
        self.assembly.coordinates.push((number, value));
    }

    /// What acts along the free coordinate.
    pub(super) fn elements(&mut self, key: &str, joint: &Joint, out: &mut JointDescription) {
        let units = match out.kind.free_is_angle(self.dimension) {
            Some(true) => ANGULAR,
            Some(false) => LINEAR,
            None => {
                // Without play its teeth are a constraint.
                let is_gear = matches!(out.kind, JointKind::Gear { .. });
                for (name, is_given) in [
                    ("spring", joint.spring.is_some()),
                    ("limits", joint.limits.is_some()),
                    ("motor", joint.motor.is_some()),
                    ("bumper", joint.bumper.is_some()),
                    ("one_way", joint.one_way.is_some()),
                    ("backlash", joint.backlash.is_some() && !is_gear),
                    ("friction", joint.friction.is_some() || joint.static_friction.is_some()),
                ] {
                    if is_given {
                        let key = format!("{key}.{name}");
                        let message = format!(
                            "{key} is for revolute and prismatic joints, and others that have one free \
                             coordinate"
                        );
                        self.wrong(&key, message);
                    }
                }
                return;
            }
        };
        if let Some(spring) = &joint.spring {
            let mut value = |name: &str, given: &Option<_>, unit: &Unit, least: f64| {
                given
                    .as_ref()
                    .map_or(0.0, |g| self.measure(&format!("{key}.spring.{name}"), g, unit, least))
            };
            out.spring = Some(JointSpring {
                stiffness: value("stiffness", &spring.stiffness, &units.stiffness, 0.0),
                damping: value("damping", &spring.damping, &units.damping, 0.0),
                rest: value("rest", &spring.rest, &units.coordinate, -LARGEST),
            });
        }
        if let Some(bumper) = &joint.bumper
            && let [least, most] = bumper.range.as_slice()
        {
            let key = format!("{key}.bumper");
            let mut value = |name: &str, given: &Measure, unit: &Unit, least: f64| {
                self.measure(&format!("{key}.{name}"), given, unit, least)
            };
            out.bumper = Some(JointBumper {
                range: [
                    value("range.0", least, &units.coordinate, -LARGEST),
                    value("range.1", most, &units.coordinate, -LARGEST),
                ],
                stiffness: value("stiffness", &bumper.stiffness, &units.stiffness, 0.0),
                damping: bumper
                    .damping
                    .as_ref()
                    .map_or(0.0, |given| value("damping", given, &units.damping, 0.0)),
            });
        }
        if let Some([least, most]) = joint.limits.as_deref() {
            let least =
                self.measure(&format!("{key}.limits.0"), least, &units.coordinate, -LARGEST);
            let most = self.measure(&format!("{key}.limits.1"), most, &units.coordinate, -LARGEST);
            if !(least < most) {
                let key = format!("{key}.limits");
                self.wrong(
                    &key,
                    format!("{key} are {least} and {most}; the first must be below the second"),
                );
            }
            out.limits = Some([least, most]);
        }
        if let Some(given) = &joint.backlash {
            let (least, most) = match out.kind {
                JointKind::Gear { teeth, .. } => (0.0, TAU / f64::from(teeth[0].max(1))),
                _ => (1e-30, f64::INFINITY),
            };
            let play = self.measure(&format!("{key}.backlash"), given, &units.coordinate, least);
            if out.limits.is_some() {
                let key = format!("{key}.limits");
                self.wrong(&key, format!("{key} and backlash are both given; give one"));
            } else if play >= most {
                let key = format!("{key}.backlash");
                let message = format!(
                    "{key} is {play}, it must be less than a tooth of the first wheel, {most} rad"
                );
                self.wrong(&key, message);
            }
            out.limits = Some([-0.5 * play, 0.5 * play]);
        }
        let mut value = |name: &str, given: &Option<Measure>, unit: &Unit| {
            given.as_ref().map(|given| self.measure(&format!("{key}.{name}"), given, unit, 0.0))
        };
        let keys = FrictionKeys {
            friction: joint.friction.as_ref(),
            at_rest: value("static_friction", &joint.static_friction, &units.effort),
            kinetic: value("kinetic_friction", &joint.kinetic_friction, &units.effort),
            stribeck_speed: value("stribeck_speed", &joint.stribeck_speed, &units.rate),
            unit: &units.effort,
            rate: &units.rate,
            hint: "v is the speed of the free coordinate, t the time",
        };
        (out.friction, out.friction_curve) = self.friction(key, &keys);
        if let Some(motor) = &joint.motor
            && motor.enabled.unwrap_or(true)
        {
            let key = format!("{key}.motor");
            out.motor = match (&motor.position, &motor.speed, &motor.effort) {
                (Some(position), None, None) => {
                    let unit = &units.coordinate;
                    Some(Motor::Position(self.motion(&format!("{key}.position"), position, unit)))
                }
                (None, Some(speed), None) => {
                    Some(Motor::Speed(self.signal(&format!("{key}.speed"), speed, &units.rate)))
                }
                // Which it is can be said when all joints are known.
                (None, None, Some(_)) => Some(Motor::Effort(ForceValue::default())),
                _ => {
                    self.wrong(&key, format!("{key} needs one of position, speed and effort"));
                    None
                }
            };
        }
    }
}
