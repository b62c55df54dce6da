//! What a world is made of, as plain data. All quantities in SI units.

pub use super::friction_form::FrictionForm;
pub use super::joint::{JointKind, PlanarMotion};
use super::motion::{AssemblyDescription, MotionDescription, TimedMotion};
pub use super::outputs::{
    ColumnDescription, ColumnFunction, ConditionDescription, TableDescription,
};
pub use super::shape::ShapeKind;
pub use super::state_force::{ForceValue, MOST_INPUTS, StateExpression};

use crate::system::{Dimension, ElementConstants, ImpactLaw, SpeedCurve};
use std::fmt;
use std::sync::Arc;

/// A function of time.
#[derive(Clone)]
pub enum TimeFunction {
    /// The same value at all times.
    Constant(f64),
    /// Any other; it must give a finite value at all times, and the text is how it was written.
    Expression {
        /// As it was written.
        text: String,
        /// Value at a time in s.
        value: Arc<dyn Fn(f64) -> f64 + Send + Sync>,
    },
}

impl TimeFunction {
    /// Value at time t, s.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant(value) => *value,
            TimeFunction::Expression { value, .. } => value(t),
        }
    }
}

impl Default for TimeFunction {
    fn default() -> Self {
        TimeFunction::Constant(0.0)
    }
}

impl fmt::Debug for TimeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeFunction::Constant(value) => write!(f, "{value}"),
            TimeFunction::Expression { text, .. } => write!(f, "{text:?}"),
        }
    }
}

/// A whole world.
///
/// ```
/// use stickslip::prelude::*;
///
/// let mut world = WorldDescription::space();
/// let floor = world.add(Body::new("floor").half_space().fixed());
/// let ball = world.add(Body::new("ball").mass(1.0).sphere(0.05).at([0.0, 0.0, 1.0]));
/// world.rule(ContactRule::between(floor, ball).named("bounce").restitution(0.8).friction(0.3));
/// let mut simulation = world.simulate(RunSettings::new(1.0, 1e-3, 1e-2))?;
/// simulation.run_until(0.5)?;
/// assert_eq!(simulation.impacts().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WorldDescription {
    /// Plane or space.
    pub dimension: Dimension,
    /// Gravity, m/s²; in the plane the third component is ignored.
    pub gravity: [f64; 3],
    /// Whether a gap that is open by rounding counts as open.
    pub exact_gaps: bool,
    /// The bodies, fixed ones included.
    pub bodies: Vec<BodyDescription>,
    /// The joints.
    pub joints: Vec<JointDescription>,
    /// Applied forces.
    pub forces: Vec<ForceDescription>,
    /// Laws for pairs of bodies, shapes or materials. A rule that names more bodies beats one that names
    /// fewer, then one that names more of their shapes, then one that names more materials; among equals the
    /// last one counts.
    pub contacts: Vec<ContactDescription>,
    /// The law where none of them fits.
    pub default_contact: ContactLaw,
    /// Columns that are computed of others.
    pub columns: Vec<ColumnDescription>,
    /// Conditions that end a run, or at which a row is written.
    pub conditions: Vec<ConditionDescription>,
    /// Elements in place of the laws under the `ode-*` integrators, where a rule says nothing.
    pub elements: ElementConstants,
    /// Which columns a table has.
    pub table: TableDescription,
    /// Bodies whose motion is prescribed.
    pub motions: Vec<MotionDescription>,
    /// What is said of the start.
    pub assembly: AssemblyDescription,
}

/// The directions in which a body may move; it is held in the others without force or inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freedom {
    /// Along x, y and z of the world; z has no meaning in the plane.
    pub axes: [bool; 3],
    /// Whether it may turn.
    pub turn: bool,
}

/// Free in all directions.
impl Default for Freedom {
    fn default() -> Self {
        Self { axes: [true; 3], turn: true }
    }
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodyDescription {
    /// Unique name.
    pub name: String,
    /// Whether it is held in its place. The velocities of a fixed body are those of its surface (a
    /// conveyor belt, a turntable): its shapes stay where they are.
    pub fixed: bool,
    /// In which directions it may move.
    pub free: Freedom,
    /// Mass and inertia; unused for a fixed body.
    pub mass: MassDescription,
    /// Origin of the body frame, m.
    pub position: [f64; 3],
    /// Orientation of the body frame: unit quaternion, scalar part first. In the plane a turn
    /// about z.
    pub rotation: [f64; 4],
    /// Velocity of the origin of the body frame, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, inertial frame, rad/s.
    pub angular_velocity: [f64; 3],
    /// Material, for contact laws; empty for none.
    pub material: String,
    /// Its shapes; a body without shapes touches nothing.
    pub shapes: Vec<ShapeDescription>,
}

/// Mass and inertia of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum MassDescription {
    /// Given.
    Given {
        /// Mass, kg.
        mass: f64,
        /// Centre of mass in the body frame, m.
        center: [f64; 3],
        /// Inertia about the centre of mass in the axes of the body frame, kg m²: xx, yy, zz, xy,
        /// xz, yz (products of inertia with the sign of the matrix entries). In the plane zz alone
        /// counts.
        inertia: [f64; 6],
    },
    /// From the volumes of the shapes: density in kg/m³ (in the plane kg/m²), unless the shape has
    /// its own.
    Density(f64),
    /// Mass in kg, spread over the volumes of the shapes: evenly, or in the proportion of the
    /// densities of their own (1 for a shape without one).
    Total(f64),
}

/// A shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDescription {
    /// What it is.
    pub kind: ShapeKind,
    /// Its centre in the body frame, m.
    pub offset: [f64; 3],
    /// Its orientation in the body frame.
    pub rotation: [f64; 4],
    /// Density of its own.
    pub density: Option<f64>,
}

/// Where an element is fastened: a body and a frame on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// Index of the body; none is the ground.
    pub body: Option<usize>,
    /// Point in the body frame, m.
    pub point: [f64; 3],
    /// Orientation of the frame of the joint in the body frame; its z is the axis of a revolute
    /// joint (in the plane always), its x the direction of a prismatic joint.
    pub rotation: [f64; 4],
}

/// A joint between two mounts.
#[derive(Clone, Debug)]
pub struct JointDescription {
    /// Unique name.
    pub name: String,
    /// Which motion it allows.
    pub kind: JointKind,
    /// The first and the second side.
    pub mounts: [Mount; 2],
    /// Spring and damper along the free coordinate.
    pub spring: Option<JointSpring>,
    /// Least and largest value of the free coordinate, m or rad.
    pub limits: Option<[f64; 2]>,
    /// Restitution at the limits, 0 to 1.
    pub limit_restitution: f64,
    /// Motor on the free coordinate.
    pub motor: Option<Motor>,
    /// Springs that push back beyond a range of the free coordinate.
    pub bumper: Option<JointBumper>,
    /// The sense in which alone the free coordinate may move: a one-way clutch.
    pub one_way: Option<Sense>,
    /// Whether its bodies touch each other.
    pub collide: bool,
    /// Dry friction along the free coordinate, N or N m; 0 for none; with a curve its
    /// [reference](SpeedCurve::reference).
    pub friction: f64,
    /// How it depends on the speed of the coordinate; none: it does not.
    pub friction_curve: Option<SpeedCurve>,
}

/// Spring and damper of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointSpring {
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// Value of the free coordinate without force, m or rad.
    pub rest: f64,
}

/// Springs and dampers of a joint that push, and never pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointBumper {
    /// Where they begin below and above, m or rad; infinite where there is none.
    pub range: [f64; 2],
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
}

/// A sense of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The coordinate grows.
    Forward,
    /// It falls.
    Backward,
}

impl Sense {
    /// 1 or −1.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Sense::Forward => 1.0,
            Sense::Backward => -1.0,
        }
    }
}

/// What drives a joint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Motor {
    /// Prescribed free coordinate, m or rad.
    Position(TimedMotion),
    /// Prescribed rate of the free coordinate, m/s or rad/s.
    Speed(TimeFunction),
    /// Prescribed force or moment, N or N m.
    Effort(ForceValue),
}

/// An applied force.
#[derive(Clone, Debug)]
pub struct ForceDescription {
    /// Name.
    pub name: String,
    /// What it is.
    pub kind: ForceKind,
}

/// Kinds of applied forces.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a world has few of them
#[non_exhaustive]
pub enum ForceKind {
    /// Spring and damper between two points; the rotation of the mounts is not used.
    SpringDamper {
        /// The ends.
        mounts: [Mount; 2],
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// A unit vector of the world along which it acts; none for the line between its ends.
        direction: Option<[f64; 3]>,
        /// Length without force, m.
        rest_length: f64,
    },
    /// Spring and damper between two points that push them apart where they are near, and never pull; the
    /// rotation of the mounts is not used.
    Bumper {
        /// The ends.
        mounts: [Mount; 2],
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// Distance below which it pushes, m.
        length: f64,
    },
    /// A force at a point of a body and a moment.
    Applied {
        /// Index of the body.
        body: usize,
        /// Point in the body frame, m.
        point: [f64; 3],
        /// Components of the force, N.
        force: [ForceValue; 3],
        /// Components of the moment, N m.
        moment: [ForceValue; 3],
        /// Whether the components turn with the body.
        follows: bool,
    },
    /// Force and moment of a potential V(x, y, z), in the plane V(x, y, angle): −∂V/∂x and so on, at the
    /// origin of the body frame.
    Potential {
        /// Index of the body.
        body: usize,
        /// V, J, of the columns of this body and the time.
        potential: StateExpression,
    },
}

/// Laws for contacts between two partners.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactDescription {
    /// Name; named contacts are reported in the tables.
    pub name: Option<String>,
    /// The partners: names of bodies or of materials.
    pub between: [Partner; 2],
    /// Whether the partners collide at all.
    pub enabled: bool,
    /// The laws.
    pub law: ContactLaw,
}

/// One side of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Index of a body.
    Body(usize),
    /// Index of a body, and number of one of its shapes.
    Shape(usize, usize),
    /// Name of a material.
    Material(String),
    /// Everything.
    Any,
}

/// The laws of a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLaw {
    /// Newton's coefficient, 0 to 1.
    pub restitution: f64,
    /// Restitution as a function of the speed of approach; then `restitution` is its largest value.
    pub restitution_curve: Option<SpeedCurve>,
    /// What the restitution means; with Moreau's law it is that of the tangents too.
    pub impact: ImpactLaw,
    /// Tangential restitution, 0 to 1.
    pub tangential_restitution: f64,
    /// Coefficient of friction; with a curve its [reference](SpeedCurve::reference).
    pub friction: f64,
    /// How the coefficient depends on the speed of the contact point; none: it does not.
    pub friction_curve: Option<SpeedCurve>,
    /// Form of the friction set (space; in the plane always Coulomb).
    pub form: FrictionForm,
    /// Pull, N, at each point of contact before it opens; friction counts from there.
    pub adhesion: f64,
    /// Friction without normal force, N, at each point of contact, in the direction of largest friction.
    pub cohesion: f64,
    /// Rolling friction arm, m: |M| ≤ arm · λ_N; 0 for none (space only).
    pub rolling_arm: f64,
    /// Viscous rolling friction, N m s; 0 for none (space only).
    pub rolling_viscosity: f64,
    /// Dry contour friction coefficient of disks (Le Saux 2005); 0 for none.
    pub contour_friction: f64,
    /// Viscous contour friction of disks, N s/m; 0 for none.
    pub contour_viscosity: f64,
    /// Elements in place of the laws under the `ode-*` integrators.
    pub elements: ElementConstants,
}

impl ContactLaw {
    /// Tangential restitution: of Moreau's law of impact that of the normal.
    pub(crate) fn slip_restitution(&self) -> f64 {
        match self.impact {
            ImpactLaw::Moreau => self.restitution,
            ImpactLaw::Newton | ImpactLaw::Poisson => self.tangential_restitution,
        }
    }
}

impl Default for ContactLaw {
    fn default() -> Self {
        Self {
            restitution: 0.0,
            restitution_curve: None,
            impact: ImpactLaw::Newton,
            tangential_restitution: 0.0,
            friction: 0.0,
            friction_curve: None,
            form: FrictionForm::Coulomb,
            adhesion: 0.0,
            cohesion: 0.0,
            rolling_arm: 0.0,
            rolling_viscosity: 0.0,
            contour_friction: 0.0,
            contour_viscosity: 0.0,
            elements: ElementConstants::default(),
        }
    }
}

/// A part of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `[world]`
    World,
    /// A body by its index.
    Body(usize),
    /// A shape: index of the body, index of the shape.
    Shape(usize, usize),
    /// A joint by its index.
    Joint(usize),
    /// A force by its index.
    Force(usize),
    /// A contact rule by its index.
    Contact(usize),
    /// The default contact.
    DefaultContact,
    /// A computed column by its index.
    Column(usize),
    /// The choice of columns.
    Table,
    /// A condition by its index.
    Condition(usize),
}

/// What is wrong with a part of a description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct WorldError {
    /// Which part.
    pub part: Part,
    /// The key of a scene file, e.g. `mass`; may be empty.
    pub key: &'static str,
    /// A sentence: what is wrong, what is allowed.
    pub message: String,
}
