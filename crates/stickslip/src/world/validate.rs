//! Checks of a description: every error of every part, at once.

use super::description::*;
use crate::kinematics::Quaternion;
use crate::range::{self, OutOfRange};
use crate::system::{Dimension, ImpactLaw};
use std::collections::HashMap;

/// How far the length of a quaternion may be from 1: printed digits.
const UNIT: f64 = 1e-6;
/// Corners of one shape, at most: their numbers are part of the keys of contacts.
const MOST_CORNERS: usize = 10_000;
/// Shapes of a world, at most: likewise.
const MOST_SHAPES: usize = 1 << 23;

/// Collects what is wrong.
#[derive(Default)]
pub(super) struct Check {
    pub errors: Vec<WorldError>,
}

impl Check {
    /// Notes an error.
    pub fn error(&mut self, part: Part, key: &'static str, message: impl Into<String>) {
        self.errors.push(WorldError { part, key, message: message.into() });
    }

    fn note(&mut self, part: Part, checked: Result<(), OutOfRange>) -> bool {
        if let Err(error) = &checked {
            self.error(part, error.key, error.to_string());
        }
        checked.is_ok()
    }

    /// Must be finite.
    pub fn finite(&mut self, part: Part, key: &'static str, values: &[f64]) -> bool {
        self.note(part, values.iter().try_for_each(|value| range::finite(key, *value)))
    }

    /// Must be finite and above 0.
    pub fn positive(&mut self, part: Part, key: &'static str, value: f64) {
        self.note(part, range::positive(key, value));
    }

    /// Must be finite and not negative.
    pub fn not_negative(&mut self, part: Part, key: &'static str, value: f64) {
        self.note(part, range::not_negative(key, value));
    }

    /// Must lie in 0 to 1.
    pub fn fraction(&mut self, part: Part, key: &'static str, value: f64) {
        self.note(part, range::fraction(key, value));
    }

    /// Must be a unit quaternion, in the plane a turn about z.
    pub fn rotation(&mut self, part: Part, dimension: Dimension, p: &Quaternion) {
        if !self.finite(part, "rotation", p) {
            return;
        }
        let length = p[0].hypot(p[1]).hypot(p[2]).hypot(p[3]);
        if (length - 1.0).abs() > UNIT {
            let text = format!("rotation is a quaternion of length {length}, it must be 1");
            self.error(part, "rotation", text);
        } else if dimension == Dimension::Two && p[1].hypot(p[2]) > UNIT {
            self.error(part, "rotation", "rotation must be about z in the plane");
        }
    }

    /// In the plane all of these must be 0.
    fn flat(&mut self, part: Part, dimension: Dimension, key: &'static str, values: &[f64]) {
        if dimension == Dimension::Two && values.iter().any(|v| *v != 0.0) {
            self.error(part, key, format!("{key} leaves the plane"));
        }
    }

    /// Number of the points of a shape.
    pub fn corner_count(&mut self, part: Part, count: usize, least: usize) {
        if !(least..=MOST_CORNERS).contains(&count) {
            let text = format!("points has {count} entries, {least} to {MOST_CORNERS} are allowed");
            self.error(part, "points", text);
        }
    }

    /// Index of a body.
    pub fn body(&mut self, part: Part, key: &'static str, index: usize, count: usize) {
        if index >= count {
            let text = format!("{key} names body {index}, there are {count} bodies");
            self.error(part, key, text);
        }
    }
}

/// Everything but joints and forces.
pub(super) fn check(description: &WorldDescription, check: &mut Check) {
    let dimension = description.dimension;
    check.finite(Part::World, "gravity", &description.gravity);
    let shapes: usize = description.bodies.iter().map(|b| b.shapes.len()).sum();
    if shapes > MOST_SHAPES {
        let text = format!("the world has {shapes} shapes, at most {MOST_SHAPES} are allowed");
        check.error(Part::World, "", text);
    }
    let mut names = HashMap::new();
    for (index, body) in description.bodies.iter().enumerate() {
        let part = Part::Body(index);
        if body.name.is_empty() {
            check.error(part, "name", "a body needs a name");
        } else if let Some(first) = names.insert(&body.name, index) {
            let text = format!("body {first} is already called {:?}", body.name);
            check.error(part, "name", text);
        }
        check_body(part, dimension, body, check);
        for (number, shape) in body.shapes.iter().enumerate() {
            let part = Part::Shape(index, number);
            check.finite(part, "offset", &shape.offset);
            check.flat(part, dimension, "offset", &shape.offset[2..]);
            check.rotation(part, dimension, &shape.rotation);
            if let Some(density) = shape.density {
                check.positive(part, "density", density);
            }
            check_shape(part, dimension, &shape.kind, check);
        }
    }
    let count = description.bodies.len();
    for (index, rule) in description.contacts.iter().enumerate() {
        let part = Part::Contact(index);
        for partner in &rule.between {
            match partner {
                Partner::Body(body) => check.body(part, "between", *body, count),
                Partner::Shape(body, number) => {
                    check.body(part, "between", *body, count);
                    let shapes = description.bodies.get(*body).map_or(0, |body| body.shapes.len());
                    if *number >= shapes {
                        let message = format!("there is no shape {number}; the body has {shapes}");
                        check.error(part, "between", message);
                    }
                }
                Partner::Material(_) | Partner::Any => {}
            }
        }
        if let Some(name) = &rule.name {
            let earlier = &description.contacts[..index];
            if name.is_empty() {
                check.error(part, "name", "a name must not be empty");
            } else if earlier.iter().any(|r| r.name.as_ref() == Some(name)) {
                check.error(part, "name", format!("another contact is already called {name:?}"));
            }
        }
        check_law(part, &rule.law, count, check);
    }
    check_law(Part::DefaultContact, &description.default_contact, count, check);
}

fn check_body(part: Part, dimension: Dimension, body: &BodyDescription, check: &mut Check) {
    check.finite(part, "position", &body.position);
    check.flat(part, dimension, "position", &body.position[2..]);
    check.rotation(part, dimension, &body.rotation);
    check.finite(part, "velocity", &body.velocity);
    check.flat(part, dimension, "velocity", &body.velocity[2..]);
    check.finite(part, "angular_velocity", &body.angular_velocity);
    check.flat(part, dimension, "angular_velocity", &body.angular_velocity[..2]);
    if body.fixed {
        return;
    }
    let held =
        |velocity: &[f64; 3], free: [bool; 3]| (0..3).any(|k| !free[k] && velocity[k] != 0.0);
    // In the plane nothing moves along z; that it is given there is told already.
    let along_z = dimension == Dimension::Two || body.free.axes[2];
    if held(&body.velocity, [body.free.axes[0], body.free.axes[1], along_z]) {
        check.error(part, "velocity", "it starts in a direction that is not in free");
    }
    if held(&body.angular_velocity, [body.free.turn; 3]) {
        check.error(part, "angular_velocity", "it turns at the start, but free has no turn");
    }
    match &body.mass {
        MassDescription::Given { mass, center, inertia } => {
            check.positive(part, "mass", *mass);
            check.finite(part, "center", center);
            check.flat(part, dimension, "center", &center[2..]);
            match dimension {
                Dimension::Two => check.positive(part, "inertia", inertia[2]),
                Dimension::Three => {
                    check.finite(part, "inertia", inertia);
                }
            }
        }
        MassDescription::Density(value) | MassDescription::Total(value) => {
            let given_mass = matches!(body.mass, MassDescription::Total(_));
            check.positive(part, if given_mass { "mass" } else { "density" }, *value);
            if body.shapes.is_empty() {
                let text = format!("body {:?} has no shapes: it needs mass and inertia", body.name);
                check.error(part, "mass", text);
            }
        }
    }
}

fn check_shape(part: Part, dimension: Dimension, kind: &ShapeKind, check: &mut Check) {
    kind.as_geometry(|geometry| {
        if geometry.dimension().is_some_and(|own| own != dimension) {
            let text = match dimension {
                Dimension::Two => {
                    "in the plane a shape is a circle, rectangle, polygon, segment or half-space"
                }
                Dimension::Three => {
                    "circle, rectangle, polygon and segment are shapes of the plane"
                }
            };
            check.error(part, "kind", text);
        }
        geometry.check(part, check);
    });
}

/// Why there is no restitution of its own along the tangents.
const TANGENTIAL: &str = "tangential_restitution is for the impact law newton only: poisson gives nothing \
                          back along the tangents, moreau has one restitution";

fn check_law(part: Part, law: &ContactLaw, bodies: usize, check: &mut Check) {
    check.fraction(part, "restitution", law.restitution);
    check.fraction(part, "tangential_restitution", law.tangential_restitution);
    if let Some(Err(text)) = law.restitution_curve.as_ref().map(|c| c.validate_restitution()) {
        check.error(part, "restitution", text);
    }
    if law.impact != ImpactLaw::Newton && law.tangential_restitution != 0.0 {
        check.error(part, "tangential_restitution", TANGENTIAL);
    }
    check.not_negative(part, "friction", law.friction);
    if let Some(Err(text)) = law.friction_curve.as_ref().map(|curve| curve.validate()) {
        check.error(part, "friction", text);
    }
    check.not_negative(part, "adhesion", law.adhesion);
    check.not_negative(part, "cohesion", law.cohesion);
    if law.cohesion > 0.0 && law.form.extent(1.0)[1] == 0.0 {
        check.error(part, "cohesion", "cohesion needs a set of friction that is no point");
    }
    check.not_negative(part, "rolling_arm", law.rolling_arm);
    check.not_negative(part, "rolling_viscosity", law.rolling_viscosity);
    check.not_negative(part, "contour_friction", law.contour_friction);
    check.not_negative(part, "contour_viscosity", law.contour_viscosity);
    law.form.check(part, law.friction, bodies, check);
}
