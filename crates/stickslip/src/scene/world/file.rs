//! The keys of a scene file that describes a world: `[world]`, `[[body]]`, `[[array]]`.
//!
//! The JSON schema is made from these types, and a file is checked against it (`validate.rs`)
//! before it is read into them: keys, ranges and texts stand here once.

use super::file_array::Array;
use super::file_contact::{ContactRule, ElementKeys, LawKeys};
use super::file_joint::{Force, Joint};
use super::file_shape::{RotationKeys, Shape};
use super::quantity::{
    Acceleration, AngularVelocity, Inertia, Length, Mass, Measure, Number, OneOrList, Positive,
    Quantity, Signal, Vector, Velocity,
};
use crate::scene::sections::{Simulation, SolverChoice};
use crate::scene::state::StateKeys;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A scene of stickslip: bodies, shapes, joints, forces and contact laws.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "stickslip scene")]
pub struct WorldFile {
    /// Version of the format.
    #[schemars(range(min = 1, max = 1))]
    #[allow(dead_code)] // checked by its range in the schema
    pub format: Option<u32>,
    /// A scene of the program: this file changes values of it, and takes all others from there.
    #[allow(dead_code)] // replaced by that scene before the file is read
    pub model: Option<String>,
    /// Name of the scene; default the name of the file.
    pub name: Option<String>,
    /// What it shows.
    pub caption: Option<String>,
    /// Named values of which other values are made: numbers, texts with a unit, expressions, words, true
    /// or false, and lists of these; numbers also with a range.
    #[schemars(with = "Option<BTreeMap<String, Parameter>>")]
    #[allow(dead_code)] // read as a table
    pub parameters: Option<toml::Value>,
    /// The same for values of the start.
    #[schemars(with = "Option<BTreeMap<String, Parameter>>")]
    #[allow(dead_code)] // read as a table
    pub start: Option<toml::Value>,
    /// Words of which a parameter or a value of the start must be one, by its name.
    #[schemars(with = "Option<BTreeMap<String, Vec<String>>>")]
    #[allow(dead_code)] // read as a table
    pub words: Option<toml::Value>,
    /// The space and what acts everywhere.
    #[serde(default)]
    pub world: WorldKeys,
    /// The bodies.
    #[serde(default)]
    pub body: Vec<Body>,
    /// Copies of bodies.
    #[serde(default)]
    pub array: Vec<Array>,
    /// Joints between bodies, or between a body and the ground.
    #[serde(default)]
    pub joint: Vec<Joint>,
    /// Springs, dampers and applied forces.
    #[serde(default)]
    pub force: Vec<Force>,
    /// Laws for pairs of bodies, shapes or materials; the rule that names more bodies counts, then the one
    /// that names more of their shapes, then more materials, then the last one.
    #[serde(default)]
    pub contact: Vec<ContactRule>,
    /// The law of all other pairs.
    #[serde(default)]
    pub default_contact: LawKeys,
    /// Elements in place of the laws under the `ode-*` integrators.
    #[serde(default)]
    pub elements: ElementKeys,
    /// Conditions that end the run.
    #[serde(default)]
    pub stop: Vec<ConditionKeys>,
    /// Conditions at which a row is written.
    #[serde(default)]
    pub event: Vec<ConditionKeys>,
    /// Columns of the table that are computed of others.
    #[serde(default)]
    pub column: Vec<ColumnKeys>,
    /// Which columns the table has, and in which order.
    #[serde(default)]
    pub table: TableKeys,
    /// Which columns the results have.
    #[serde(default)]
    pub output: OutputKeys,
    /// Where bodies start, by their names, in place of their own places and velocities; joints are fastened
    /// as these say. Written by runs whose start was assembled.
    #[serde(default)]
    pub assembled: BTreeMap<String, AssembledKeys>,
    /// What parameters must be.
    #[serde(default)]
    #[allow(dead_code)] // read as a table
    pub require: Vec<Requirement>,
    /// A system in Rust that takes the place of the world.
    pub instead: Option<Instead>,
    /// Where the run starts, in place of all else that says so. Written by `stickslip state`.
    #[allow(dead_code)] // read outside of worlds, for all scenes alike
    pub state: Option<StateKeys>,
    /// How long, and by which integrator.
    #[schemars(with = "Option<Simulation>")]
    #[allow(dead_code)] // read outside of worlds, for all scenes alike
    pub simulation: Option<toml::Value>,
    /// By which solver.
    #[schemars(with = "Option<SolverChoice>")]
    #[allow(dead_code)] // read outside of worlds, for all scenes alike
    pub solver: Option<toml::Value>,
}

/// A named value.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // for the schema
enum Parameter {
    /// In SI units.
    Number(f64),
    /// A number with a unit, an expression of other parameters, or a word.
    Text(String),
    /// True or false.
    Truth(bool),
    /// A list; its first entry is `name[0]`.
    List(Vec<Entry>),
    /// A number with the range of its slider in the lab.
    Ranged(RangedValue),
}

/// A number with the range in which the lab turns it; values outside are not forbidden.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // for the schema
struct RangedValue {
    /// The value, in SI units or as a text with a unit or an expression.
    value: Entry,
    /// Where the slider begins, in SI units or as a text with a unit; default a tenth of the value.
    min: Option<Bound>,
    /// Where it ends; default twice the value.
    max: Option<Bound>,
}

/// An end of a range.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // for the schema
enum Bound {
    /// In SI units.
    Number(f64),
    /// A number with a unit.
    Text(String),
}

/// An entry of a list of values.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // for the schema
enum Entry {
    /// In SI units.
    Number(f64),
    /// A number with a unit, an expression, or a word.
    Text(String),
    /// True or false.
    Truth(bool),
}

/// A column of the table that is computed of others.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnKeys {
    /// Unique name: letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// The unit in which it is written, such as `deg` or `N m`; default none.
    #[serde(default)]
    pub unit: String,
    /// Its value in SI units: an expression of the time t, of other columns and of parameters.
    pub value: Signal,
    /// Name of the column whose rate it is, for plots of rates over coordinates.
    pub rate_of: Option<String>,
    /// Name of the column over which it is drawn, for plots of paths.
    pub drawn_over: Option<String>,
}

/// A condition that a run watches.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConditionKeys {
    /// Its name in the summary; default the condition itself.
    pub name: Option<String>,
    /// The condition: an expression of the time t, of columns and of parameters, such as `ball.z < 0.1`; also of
    /// `count(impact(<body, contact or any>))` and `at_rest`. It is looked at after every step.
    pub when: String,
}

/// Which columns the table has, and in which order.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableKeys {
    /// Names of the columns before the energies; default those of the bodies.
    pub columns: Option<Vec<String>>,
    /// Names of the columns behind the energies; default the computed ones.
    pub extra_columns: Option<Vec<String>>,
    /// What it has of every reported contact; default all.
    pub contact_columns: Option<Vec<ContactColumnName>>,
    /// Which points count where two shapes touch at several; default all.
    #[serde(default)]
    pub contact_points: ContactPoints,
    /// Other names of reported contacts in tables, by their own ones.
    #[serde(default)]
    pub contact_names: BTreeMap<String, String>,
    /// Names of the forces of the elements of a contact, by its name: of the normal force, of those of
    /// friction, ...; the others have no columns, and one with `-` in
    /// front has the other sign. Default `<contact>.f1`, `<contact>.f2`, ...
    #[serde(default)]
    pub force_names: BTreeMap<String, Vec<String>>,
    /// Names of their internal states; default `<contact>.s1`, `<contact>.s2`, ...
    #[serde(default)]
    pub state_names: BTreeMap<String, Vec<String>>,
}

/// Which columns the results have.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputKeys {
    /// Names of columns of bodies, joints, contacts and of `[[column]]`, or patterns in which `*` stands for any text;
    /// default all of bodies, of `[[column]]`, and of joints and contacts that have a name. Time, energies and
    /// what the solver did are always there.
    pub columns: Option<Vec<String>>,
}

/// Points of a contact that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactPoints {
    /// All: forces are added, the least gap and the largest slip count.
    #[default]
    All,
    /// The first one: of a rim the lowest.
    First,
}

/// A column of a reported contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactColumnName {
    /// Gap, m.
    Gap,
    /// Mean normal force since the last row, N.
    Force,
    /// Largest normal force since the last row, N.
    Peak,
    /// Magnitude of the mean friction force since the last row, N.
    Friction,
    /// Its component along x of the world, on the second body, N.
    #[serde(rename = "friction_x")]
    FrictionX,
    /// The same along y.
    #[serde(rename = "friction_y")]
    FrictionY,
    /// The same along z.
    #[serde(rename = "friction_z")]
    FrictionZ,
    /// Mean drilling moment since the last row, N m.
    Drilling,
    /// Magnitude of the mean rolling moment since the last row, N m.
    Rolling,
    /// Sliding speed, m/s.
    Slip,
    /// Where the gap is least, m.
    X,
    /// The same.
    Y,
    /// The same.
    Z,
    /// Open, stick or slip.
    State,
}

/// What a parameter must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // read as a table
pub struct Requirement {
    /// The parameter of which an error speaks, such as `parameters.mass`.
    pub key: String,
    /// A condition; the scene is refused where it does not hold.
    pub that: bool,
    /// What is allowed, in words: the end of the sentence "it must be ...".
    pub allowed: String,
}

/// A system in Rust that takes the place of the world, with the same parameters and the same start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instead {
    /// Its name.
    #[allow(dead_code)] // read as a table
    pub system: String,
    /// When it does.
    #[allow(dead_code)] // read as a table
    pub when: bool,
    /// Names of the parameters that only this system takes.
    #[serde(default)]
    pub takes: Vec<String>,
}

/// The space and what acts everywhere.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldKeys {
    /// 2 for the plane (x to the right, y up), 3 for space (z up); default 3.
    #[schemars(range(min = 2, max = 3))]
    pub dimension: Option<u32>,
    /// Acceleration of gravity, m/s²; default 9.81 downwards.
    pub gravity: Option<Vector<Acceleration>>,
    /// Whether a gap that is open by rounding counts as open; default false: shapes touch up to a gap of
    /// 1e-9 of their size.
    #[serde(default)]
    pub exact_gaps: bool,
    /// Whether bodies are moved and velocities changed before a run, as little as possible, where joints do
    /// not meet, or where velocities contradict joints or motors; default true.
    pub assemble: Option<bool>,
    /// A ground: the half space below z = 0, in the plane below y = 0, as a fixed body `ground`.
    pub ground: Option<Ground>,
}

/// The ground, which may be a moving belt or a turntable.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// A point of its surface, m; default the origin.
    pub position: Option<Vector<Length>>,
    /// Its orientation; its own z axis (in the plane y) points out of it.
    pub rotation: Option<RotationKeys>,
    /// Velocity of its surface at `position`, m/s; default at rest.
    pub velocity: Option<Vector<Velocity>>,
    /// Angular velocity of its surface about `position`, rad/s; default at rest.
    pub angular_velocity: Option<OneOrList<AngularVelocity>>,
    /// Its material, for contact laws.
    pub material: Option<String>,
}

/// A body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name: letters, digits, `_` and `-`.
    pub name: String,
    /// Whether it is held in its place; its velocities are then those of its surface.
    #[serde(default)]
    pub fixed: bool,
    /// Directions in which it may move: along x, y, z of the world, and turn; default all. In the others it
    /// is held without force. A body that cannot turn needs no inertia.
    pub free: Option<Vec<FreeDirection>>,
    /// Mass, kg; without `inertia` it is spread evenly over the shapes.
    pub mass: Option<Quantity<Mass, Positive>>,
    /// Inertia about the centre of mass, kg m²: one number in the plane; in space xx, yy, zz, or
    /// xx, yy, zz, xy, xz, yz (entries of the matrix) in the axes of the body.
    pub inertia: Option<OneOrList<Inertia>>,
    /// Centre of mass in the body frame, m, if `inertia` is given; default its origin.
    pub center: Option<Vector<Length>>,
    /// Density of the shapes, kg/m³ (in the plane kg/m²), in place of `mass`.
    pub density: Option<Measure>,
    /// Where the origin of the body frame starts, m; default 0.
    pub position: Option<Vector<Length>>,
    /// How the body frame is turned at the start; default not at all.
    pub rotation: Option<RotationKeys>,
    /// Velocity of the origin of the body frame at the start, m/s; default 0.
    pub velocity: Option<Vector<Velocity>>,
    /// Angular velocity at the start, rad/s, in the axes of the world; default 0.
    pub angular_velocity: Option<OneOrList<AngularVelocity>>,
    /// Whether assembly leaves it where it is; default false. If it has a velocity, that stays too.
    #[serde(default)]
    pub hold: bool,
    /// Its motion, if it is prescribed; what is not given stays as at the start.
    pub motion: Option<MotionKeys>,
    /// Its material, for contact laws.
    pub material: Option<String>,
    /// Its shapes; a body without shapes touches nothing.
    #[serde(default)]
    pub shape: Vec<Shape>,
}

/// A prescribed motion: functions of the time t.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionKeys {
    /// Place of the origin of the body frame in the world, m; default that of the start.
    #[schemars(length(min = 2, max = 3))]
    pub position: Option<Vec<Signal>>,
    /// How the body frame is turned; default as at the start.
    pub rotation: Option<TurnKeys>,
}

/// A turn that may change in time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TurnKeys {
    /// The angle in the plane, rad.
    Angle(Signal),
    /// About an axis, in space.
    Table(TurnTable),
}

/// A turn about an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnTable {
    /// Axis in the world; it is brought to length one.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Vec<Quantity<Number>>,
    /// The angle, rad.
    pub angle: Signal,
}

/// Where a body starts: what assembly has computed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssembledKeys {
    /// Origin of the body frame, m.
    pub position: Vector<Length>,
    /// How the body frame is turned.
    pub rotation: RotationKeys,
    /// Velocity of the origin of the body frame, m/s.
    pub velocity: Vector<Velocity>,
    /// Angular velocity, rad/s, in the axes of the world.
    pub angular_velocity: OneOrList<AngularVelocity>,
}

/// A direction in which a body may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FreeDirection {
    /// Along the x axis of the world.
    X,
    /// Along the y axis of the world.
    Y,
    /// Along the z axis of the world; space.
    Z,
    /// Turns: in space about all axes.
    Turn,
}
