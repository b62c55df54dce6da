//! What is wrong with the description of joints and forces.

use super::description::{
    ContactLaw, ForceDescription, ForceKind, ForceValue, JointDescription, Motor, Mount, Part,
    TimeFunction, WorldDescription, WorldError,
};
use super::frames::Frames;
use super::joint::{FreeCoordinate, JointForm};
use crate::kinematics::vector::norm;
use crate::range::{self, OutOfRange};
use crate::system::Dimension;
use std::collections::HashSet;
use std::f64::consts::TAU;

/// Largest difference of the length of a quaternion from 1: what rounding to a few digits leaves.
const UNIT: f64 = 1e-3;

/// All errors of the joints and forces.
pub(super) fn errors(world: &WorldDescription, frames: &Frames) -> Vec<WorldError> {
    let mut checks = Checks { frames, part: Part::World, name: "", errors: Vec::new() };
    let mut names = HashSet::new();
    for (index, joint) in world.joints.iter().enumerate() {
        (checks.part, checks.name) = (Part::Joint(index), &joint.name);
        if joint.name.is_empty() {
            checks.complain("name", "it is empty, every joint needs a name of its own");
        } else if !names.insert(joint.name.as_str()) {
            checks.complain("name", "another joint has the same name, names must differ");
        }
        checks.joint(joint);
    }
    names.clear();
    for (index, force) in world.forces.iter().enumerate() {
        (checks.part, checks.name) = (Part::Force(index), &force.name);
        if !force.name.is_empty() && !names.insert(force.name.as_str()) {
            checks.complain("name", "another force has the same name, names must differ");
        }
        checks.force(force);
    }
    checks.errors
}

/// What is allowed but has no effect.
pub(super) fn warnings(world: &WorldDescription, frames: &Frames) -> Vec<String> {
    let mut found = Vec::new();
    for ForceDescription { name, kind } in &world.forces {
        let held = match kind {
            ForceKind::Applied { body, .. } | ForceKind::Potential { body, .. } => {
                frames.block(Some(*body)).is_none()
            }
            ForceKind::SpringDamper { mounts, .. } | ForceKind::Bumper { mounts, .. } => {
                mounts.iter().all(|mount| frames.block(mount.body).is_none())
            }
        };
        if held {
            found.push(format!("force '{name}' acts on nothing that moves and has no effect"));
        }
    }
    found
}

/// What is wrong with one joint or force after the other.
pub(super) struct Checks<'a> {
    frames: &'a Frames,
    part: Part,
    name: &'a str,
    errors: Vec<WorldError>,
}

impl Checks<'_> {
    fn complain(&mut self, key: &'static str, what: &str) {
        let part = match self.part {
            Part::Force(_) => "force",
            _ => "joint",
        };
        let message = format!("{part} '{}': {what}", self.name);
        self.errors.push(WorldError { part: self.part, key, message });
    }

    /// The key of a scene file under which a quantity stands.
    fn key(&self, quantity: &'static str) -> &'static str {
        match (self.part, quantity) {
            (Part::Joint(_), "stiffness" | "damping" | "rest") => "spring",
            (Part::Joint(_), "speed" | "effort" | "position" | "rate of position") => "motor",
            (Part::Joint(_), "rotation") => "axis",
            (_, "restitution" | "tangential_restitution" | "friction coefficient") => "contact",
            _ => quantity,
        }
    }

    /// Notes a quantity outside its range.
    pub fn note(&mut self, checked: Result<(), OutOfRange>) {
        if let Err(error) = checked {
            let key = self.key(error.key);
            self.complain(key, &error.to_string());
        }
    }

    /// Must be finite and above 0.
    pub fn positive(&mut self, quantity: &'static str, value: f64) {
        self.note(range::positive(quantity, value));
    }

    fn not_negative(&mut self, quantity: &'static str, value: f64) {
        self.note(range::not_negative(quantity, value));
    }

    fn finite(&mut self, quantity: &'static str, value: f64) {
        self.note(range::finite(quantity, value));
    }

    fn restitution(&mut self, quantity: &'static str, value: f64) {
        self.note(range::fraction(quantity, value));
    }

    fn function(&mut self, quantity: &'static str, function: &TimeFunction) {
        let value = function.at(0.0);
        let what = match function {
            TimeFunction::Constant(_) => "finite",
            TimeFunction::Expression { .. } => "finite at all times (this is its value at t = 0)",
        };
        self.note(range::require(value.is_finite(), quantity, value, what));
    }

    fn plane(&self) -> bool {
        self.frames.dimension == Dimension::Two
    }

    fn body(&mut self, key: &'static str, index: usize) {
        let count = self.frames.placements.len();
        if index >= count {
            self.complain(key, &format!("it names body {index}, but there are {count} bodies"));
        }
    }

    fn point(&mut self, key: &'static str, point: &[f64; 3]) {
        if let Some(value) = point.iter().find(|value| !value.is_finite()) {
            self.finite(key, *value);
        }
    }

    /// Whether the mounts are good enough to go on.
    fn mounts(&mut self, mounts: &[Mount; 2], oriented: bool) -> bool {
        let before = self.errors.len();
        for mount in mounts {
            if let Some(index) = mount.body {
                self.body("bodies", index);
            }
            self.point("points", &mount.point);
            if oriented {
                self.rotation(&mount.rotation);
            }
        }
        if mounts[0].body == mounts[1].body {
            self.complain(
                "bodies",
                "both ends are on the same body, they must be on different ones",
            );
        }
        self.errors.len() == before
    }

    fn rotation(&mut self, rotation: &[f64; 4]) {
        let length = rotation.iter().fold(0.0_f64, |length, e| length.hypot(*e));
        let fine = (length - 1.0).abs() <= UNIT;
        let what = "a quaternion of length 1 (this is its length)";
        self.note(range::require(fine, "rotation", length, what));
        if fine && self.plane() && rotation[1].abs().max(rotation[2].abs()) > UNIT {
            self.complain("axis", "in the plane a frame can only be turned about z");
        }
    }

    fn joint(&mut self, joint: &JointDescription) {
        if self.mounts(&joint.mounts, true)
            && joint.mounts.iter().all(|mount| self.frames.block(mount.body).is_none())
        {
            self.complain("bodies", "neither of its bodies moves, at least one must");
        }
        let form = joint.kind.form();
        let free = match &form {
            JointForm::Ideal(kind) => {
                match kind.dimension() {
                    Some(Dimension::Three) if self.plane() => {
                        self.complain("kind", "this kind of joint exists in space only");
                    }
                    Some(Dimension::Two) if !self.plane() => {
                        self.complain("kind", "this kind of joint exists in the plane only");
                    }
                    _ => {}
                }
                kind.check(self);
                kind.free(self.frames.dimension)
            }
            JointForm::Play(play, law) => {
                self.clearance(law);
                play.check(self);
                None
            }
        };
        self.free_coordinate(joint, free);
    }

    fn clearance(&mut self, law: &ContactLaw) {
        if !self.plane() {
            self.complain(
                "kind",
                "clearance joints exist in the plane only; in space give the parts shapes that touch",
            );
        }
        self.restitution("restitution", law.restitution);
        self.restitution("tangential_restitution", law.tangential_restitution);
        if let Some(Err(text)) = law.restitution_curve.as_ref().map(|c| c.validate_restitution()) {
            self.complain("restitution", &text);
        }
        self.not_negative("friction coefficient", law.friction);
        if let Some(Err(text)) = law.friction_curve.as_ref().map(|curve| curve.validate()) {
            self.complain("friction coefficient", &text);
        }
    }

    /// Spring, limits, motor and friction.
    fn free_coordinate(&mut self, joint: &JointDescription, free: Option<FreeCoordinate>) {
        for (key, there) in [
            ("spring", joint.spring.is_some()),
            ("limits", joint.limits.is_some()),
            ("motor", joint.motor.is_some()),
            ("bumper", joint.bumper.is_some()),
            ("one_way", joint.one_way.is_some()),
            ("friction", joint.friction != 0.0),
        ] {
            if there && free.is_none() {
                let what = format!(
                    "it has no single free coordinate for {key}; revolute and prismatic joints have, among others"
                );
                self.complain(key, &what);
            }
        }
        if let Some(spring) = &joint.spring {
            self.not_negative("stiffness", spring.stiffness);
            self.not_negative("damping", spring.damping);
            self.finite("rest", spring.rest);
        }
        if let Some(bumper) = &joint.bumper {
            self.not_negative("stiffness", bumper.stiffness);
            self.not_negative("damping", bumper.damping);
            self.limits("bumper", bumper.range, free == Some(FreeCoordinate::Turn));
        }
        if let Some(limits) = joint.limits {
            self.limits("limits", limits, free == Some(FreeCoordinate::Turn));
        }
        self.restitution("limit_restitution", joint.limit_restitution);
        match &joint.motor {
            Some(Motor::Speed(function)) => self.function("speed", function),
            Some(Motor::Position(motion)) => {
                self.function("position", &motion.value);
                self.function("rate of position", &motion.rate);
            }
            Some(Motor::Effort(effort)) => self.function("effort", &effort.of_time()),
            None => {}
        }
        self.not_negative("friction", joint.friction);
        if let Some(Err(text)) = joint.friction_curve.as_ref().map(|curve| curve.validate()) {
            self.complain("friction", &text);
        }
    }

    fn limits(&mut self, key: &'static str, [lower, upper]: [f64; 2], turns: bool) {
        let range = format!("{key} is {lower} and {upper}");
        if !(lower < upper) {
            self.complain(key, &format!("{range}, the first must be less than the second"));
        } else if turns && !self.plane() && !(upper - lower < TAU) {
            let what = format!("{range}, in space they must be less than a full turn (2π) apart");
            self.complain(key, &what);
        } else if lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            self.complain(key, &format!("{range}, nothing lies between them"));
        }
    }

    fn force(&mut self, force: &ForceDescription) {
        match &force.kind {
            ForceKind::SpringDamper { mounts, stiffness, damping, direction, rest_length } => {
                self.mounts(mounts, false);
                self.not_negative("stiffness", *stiffness);
                self.not_negative("damping", *damping);
                match direction {
                    None => self.not_negative("rest_length", *rest_length),
                    Some(direction) => {
                        self.finite("rest_length", *rest_length);
                        let length = norm(direction);
                        let is_unit = (length - 1.0).abs() < 1e-6;
                        self.note(range::require(is_unit, "direction", length, "of length 1"));
                    }
                }
            }
            ForceKind::Potential { body, .. } => self.body("body", *body),
            ForceKind::Bumper { mounts, stiffness, damping, length } => {
                self.mounts(mounts, false);
                self.not_negative("stiffness", *stiffness);
                self.not_negative("damping", *damping);
                self.positive("length", *length);
            }
            ForceKind::Applied { body, point, force, moment, .. } => {
                self.body("body", *body);
                self.point("point", point);
                for (key, components) in [("force", force), ("moment", moment)] {
                    for component in components {
                        self.function(key, &component.of_time());
                    }
                }
                if self.plane() {
                    self.across("force", &force[2..]);
                    self.across("moment", &moment[..2]);
                }
            }
        }
    }

    /// Components out of the plane: a constant other than 0 is a mistake.
    fn across(&mut self, key: &'static str, components: &[ForceValue]) {
        let out = |component: &&ForceValue| {
            !matches!(component, ForceValue::Time(TimeFunction::Constant(0.0)))
        };
        if components.iter().any(|component| out(&component)) {
            let allowed = if key == "force" { "x and y" } else { "z" };
            self.complain(
                key,
                &format!("in the plane a {key} has components along {allowed} only"),
            );
        }
    }
}
