//! Descriptions in few words: what is not said has its default.

use super::description::*;
use crate::system::{Dimension, ImpactLaw, SpeedCurve};

const UNIT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
/// Standard gravity, m/s², as in scene files.
const GRAVITY: f64 = 9.81;

impl WorldDescription {
    /// An empty world in space, with gravity along −z.
    pub fn space() -> Self {
        Self { gravity: [0.0, 0.0, -GRAVITY], ..Self::default() }
    }

    /// An empty world in the plane, with gravity along −y.
    pub fn plane() -> Self {
        Self { dimension: Dimension::Two, gravity: [0.0, -GRAVITY, 0.0], ..Self::default() }
    }

    /// Adds a body and returns its index, by which joints, forces and rules name it.
    pub fn add(&mut self, body: BodyDescription) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a joint.
    pub fn joint(&mut self, joint: JointDescription) -> &mut Self {
        self.joints.push(joint);
        self
    }

    /// Adds a force.
    pub fn force(&mut self, name: &str, kind: ForceKind) -> &mut Self {
        self.forces.push(ForceDescription { name: name.into(), kind });
        self
    }

    /// Adds a rule for contacts.
    pub fn rule(&mut self, rule: ContactDescription) -> &mut Self {
        self.contacts.push(rule);
        self
    }
}

impl BodyDescription {
    /// A moving body at rest in the origin, without shapes, of density 1000 kg/m³ (in the plane kg/m²).
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            fixed: false,
            free: Freedom::default(),
            mass: MassDescription::Density(1000.0),
            position: [0.0; 3],
            rotation: UNIT,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            material: String::new(),
            shapes: Vec::new(),
        }
    }

    /// With this mass, kg, spread over its shapes.
    pub fn mass(self, mass: f64) -> Self {
        Self { mass: MassDescription::Total(mass), ..self }
    }

    /// With this density, kg/m³ (in the plane kg/m²).
    pub fn density(self, density: f64) -> Self {
        Self { mass: MassDescription::Density(density), ..self }
    }

    /// With the centre of mass in its origin, a mass (kg) and moments of inertia (kg m²).
    pub fn mass_and_inertia(self, mass: f64, [x, y, z]: [f64; 3]) -> Self {
        let inertia = [x, y, z, 0.0, 0.0, 0.0];
        Self { mass: MassDescription::Given { mass, center: [0.0; 3], inertia }, ..self }
    }

    /// With one more shape, its centre in the origin of the body.
    pub fn shape(self, kind: ShapeKind) -> Self {
        self.shape_at(kind, [0.0; 3])
    }

    /// With one more shape, its centre there, m.
    pub fn shape_at(mut self, kind: ShapeKind, offset: [f64; 3]) -> Self {
        self.shapes.push(ShapeDescription { kind, offset, rotation: UNIT, density: None });
        self
    }

    /// With a sphere of this radius, m.
    pub fn sphere(self, radius: f64) -> Self {
        self.shape(ShapeKind::Sphere { radius })
    }

    /// With a box of these half lengths, m.
    pub fn cuboid(self, half_extents: [f64; 3]) -> Self {
        self.shape(ShapeKind::Box { half_extents })
    }

    /// With the half space below z = 0 (in the plane y = 0) of the body.
    pub fn half_space(self) -> Self {
        self.shape(ShapeKind::HalfSpace)
    }

    /// With a circle of this radius, m, in the plane.
    pub fn circle(self, radius: f64) -> Self {
        self.shape(ShapeKind::Circle { radius })
    }

    /// Held in its place.
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// With its origin there, m.
    pub fn at(self, position: [f64; 3]) -> Self {
        Self { position, ..self }
    }

    /// Turned by a unit quaternion, scalar part first.
    pub fn turned(self, rotation: [f64; 4]) -> Self {
        Self { rotation, ..self }
    }

    /// With this velocity of its origin, m/s.
    pub fn velocity(self, velocity: [f64; 3]) -> Self {
        Self { velocity, ..self }
    }

    /// With this angular velocity in the inertial frame, rad/s.
    pub fn angular_velocity(self, angular_velocity: [f64; 3]) -> Self {
        Self { angular_velocity, ..self }
    }

    /// Of this material.
    pub fn material(self, material: &str) -> Self {
        Self { material: material.into(), ..self }
    }
}

impl Mount {
    /// At a point of the ground, m.
    pub fn ground(point: [f64; 3]) -> Self {
        Self { body: None, point, rotation: UNIT }
    }

    /// At a point of a body, in its frame, m.
    pub fn on(body: usize, point: [f64; 3]) -> Self {
        Self { body: Some(body), point, rotation: UNIT }
    }

    /// With its frame turned by a unit quaternion.
    pub fn turned(self, rotation: [f64; 4]) -> Self {
        Self { rotation, ..self }
    }
}

impl JointDescription {
    /// A joint between two mounts, without spring, limits, motor and friction.
    pub fn new(name: &str, kind: JointKind, first: Mount, second: Mount) -> Self {
        Self {
            name: name.into(),
            kind,
            mounts: [first, second],
            spring: None,
            limits: None,
            limit_restitution: 0.0,
            motor: None,
            bumper: None,
            one_way: None,
            collide: false,
            friction: 0.0,
            friction_curve: None,
        }
    }

    /// With a spring and a damper along the free coordinate.
    pub fn spring(self, stiffness: f64, damping: f64, rest: f64) -> Self {
        Self { spring: Some(JointSpring { stiffness, damping, rest }), ..self }
    }

    /// With a least and a largest value of the free coordinate, m or rad.
    pub fn limits(self, least: f64, largest: f64) -> Self {
        Self { limits: Some([least, largest]), ..self }
    }

    /// With a motor on the free coordinate.
    pub fn motor(self, motor: Motor) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// With dry friction along the free coordinate, N or N m.
    pub fn friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// With dry friction along the free coordinate, N or N m, that depends on its speed.
    pub fn friction_curve(self, curve: SpeedCurve) -> Self {
        Self { friction: curve.reference(), friction_curve: Some(curve), ..self }
    }
}

/// A body by its index.
impl From<usize> for Partner {
    fn from(body: usize) -> Self {
        Partner::Body(body)
    }
}

/// A material by its name.
impl From<&str> for Partner {
    fn from(material: &str) -> Self {
        Partner::Material(material.into())
    }
}

impl ContactDescription {
    /// A rule for two bodies (by index) or materials (by name), without friction and restitution.
    pub fn between(first: impl Into<Partner>, second: impl Into<Partner>) -> Self {
        let between = [first.into(), second.into()];
        Self { name: None, between, enabled: true, law: ContactLaw::default() }
    }

    /// With a name, under which it is reported.
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// With all of its laws.
    pub fn law(self, law: ContactLaw) -> Self {
        Self { law, ..self }
    }

    /// With this coefficient of friction.
    pub fn friction(self, friction: f64) -> Self {
        Self { law: ContactLaw { friction, ..self.law }, ..self }
    }

    /// With a restitution that depends on the speed of approach.
    pub fn restitution_curve(self, curve: SpeedCurve) -> Self {
        let restitution = curve.largest();
        let law = ContactLaw { restitution, restitution_curve: Some(curve), ..self.law };
        Self { law, ..self }
    }

    /// With this law of impact.
    pub fn impact(self, impact: ImpactLaw) -> Self {
        Self { law: ContactLaw { impact, ..self.law }, ..self }
    }

    /// With a coefficient of friction that depends on the speed of the contact point.
    pub fn friction_curve(self, curve: SpeedCurve) -> Self {
        let friction = curve.reference();
        Self { law: ContactLaw { friction, friction_curve: Some(curve), ..self.law }, ..self }
    }

    /// With this coefficient of restitution.
    pub fn restitution(self, restitution: f64) -> Self {
        Self { law: ContactLaw { restitution, ..self.law }, ..self }
    }

    /// The partners do not collide.
    pub fn disabled(self) -> Self {
        Self { enabled: false, ..self }
    }
}
