//! Columns of a world: those of its bodies, and those that are computed of others.
//!
//! What a computed column may be made of: the time `t`, `<body>.x` and the other columns of moving bodies,
//! `<joint>.coordinate`, `.force` and the others of ideal joints, `<contact>.gap`, `.force` and the others of
//! reported contacts, the momentum, and computed columns before it.

use super::description::{ColumnDescription, Part, WorldDescription, WorldError};
use super::frames::{Frames, point_velocity};
use super::joint::JointForm;
use super::joint_columns::{self, JointColumn, JointEntry};
use super::table::{self, Choice};
use super::world::World;
use crate::kinematics::vector::sub;
use crate::system::{Column, ColumnKind, ContactColumn, Dimension, Seen, State};
use std::collections::HashMap;

/// Endings of the columns of a body: unit, and the ending of the coordinate whose rate it is.
pub(super) const PLANE: [(&str, &str, &str); 6] = [
    ("x", "m", ""),
    ("y", "m", ""),
    ("angle", "rad", ""),
    ("vx", "m/s", "x"),
    ("vy", "m/s", "y"),
    ("w", "rad/s", "angle"),
];

pub(super) const SPACE: [(&str, &str, &str); 13] = [
    ("x", "m", ""),
    ("y", "m", ""),
    ("z", "m", ""),
    ("qw", "", ""),
    ("qx", "", ""),
    ("qy", "", ""),
    ("qz", "", ""),
    ("vx", "m/s", "x"),
    ("vy", "m/s", "y"),
    ("vz", "m/s", "z"),
    ("wx", "rad/s", ""),
    ("wy", "rad/s", ""),
    ("wz", "rad/s", ""),
];

/// The columns of a moving body.
pub(super) fn body_columns(dimension: Dimension, body: &str) -> impl Iterator<Item = Column> {
    let endings: &[_] = match dimension {
        Dimension::Two => &PLANE,
        Dimension::Three => &SPACE,
    };
    endings.iter().map(move |(ending, unit, coordinate)| {
        let column = Column::new(format!("{body}.{ending}"), *unit);
        let column = column.of(ColumnKind::Body, body.to_owned());
        match (*ending, *coordinate) {
            ("y", _) => column.drawn_over(format!("{body}.x")),
            (_, "") => column,
            (_, coordinate) => column.rate_of(format!("{body}.{coordinate}")),
        }
    })
}

/// The values of the columns of a moving body, in the order of its columns, and their number.
pub(super) fn body_values(frames: &Frames, at: &State, body: usize) -> ([f64; 13], usize) {
    let Some(block) = frames.block(Some(body)) else { return ([f64::NAN; 13], 0) };
    let frame = frames.frame(at, Some(body));
    let twist = frames.twist(&frame, &at.u, Some(body));
    let [vx, vy, vz] = point_velocity(&twist, &sub(&frame.origin, &frame.center));
    let [x, y, z] = frame.origin;
    let [wx, wy, wz] = twist.angular_velocity;
    let q = &at.q[block * frames.coordinates()..];
    match frames.dimension {
        Dimension::Two => ([x, y, q[2], vx, vy, wz, 0., 0., 0., 0., 0., 0., 0.], PLANE.len()),
        Dimension::Three => {
            ([x, y, z, q[3], q[4], q[5], q[6], vx, vy, vz, wx, wy, wz], SPACE.len())
        }
    }
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Time,
    /// A column of a body, by its number.
    Body(usize),
    /// Of an ideal joint, by its number.
    Joint(usize, JointColumn),
    /// A reported contact, by its number.
    Contact(usize, ContactColumn),
    /// A computed column before it.
    Computed(usize),
}

/// The reported contacts with all columns that they may have, in the order in which a world reports them:
/// rules, clearance joints, limits.
pub(super) fn reported(world: &WorldDescription) -> Vec<(String, Vec<ContactColumn>)> {
    use ContactColumn::*;
    let in_plane = |column: &ContactColumn| !matches!(column, FrictionZ | Z | Drilling | Rolling);
    let plane = world.dimension == Dimension::Two;
    let touching: Vec<ContactColumn> =
        ContactColumn::ALL.into_iter().filter(|c| !plane || in_plane(c)).collect();
    let names = world.contacts.iter().filter_map(|contact| contact.name.clone());
    let mut contacts: Vec<(String, Vec<ContactColumn>)> =
        names.map(|name| (name, touching.clone())).collect();
    for joint in &world.joints {
        if let JointForm::Play(play, _) = joint.kind.form() {
            let names = play.endings().iter().map(|ending| format!("{}{ending}", joint.name));
            contacts.extend(names.map(|name| (name, touching.clone())));
        }
    }
    for joint in &world.joints {
        let is_ideal = matches!(joint.kind.form(), JointForm::Ideal(_));
        if is_ideal && joint.limits.is_some() {
            let names = ["lower", "upper"].map(|end| format!("{}.{end}", joint.name));
            contacts.extend(names.map(|name| (name, vec![Gap, Force, Peak, Slip, State])));
        }
        if is_ideal {
            let friction = world.table.named_friction(joint);
            let clutch = joint.one_way.map(|_| format!("{}.clutch", joint.name));
            let both = friction.into_iter().chain(clutch);
            contacts.extend(both.map(|name| (name, vec![Gap, Force, Peak, Slip, State])));
        }
    }
    contacts
}

/// All that a computed column may be made of, with units.
pub struct ColumnInputs {
    sources: HashMap<String, (Source, &'static str)>,
}

impl ColumnInputs {
    /// Of the bodies, joints and contacts of a description.
    pub fn new(world: &WorldDescription) -> Self {
        let mut sources = HashMap::new();
        sources.insert("t".to_owned(), (Source::Time, "s"));
        let moving = world.bodies.iter().filter(|body| !body.fixed);
        let endings: &[_] = if world.dimension == Dimension::Two { &PLANE } else { &SPACE };
        let all = moving.flat_map(|body| endings.iter().map(move |ending| (body, ending)));
        for (number, (body, (ending, unit, _))) in all.enumerate() {
            let name = format!("{}.{ending}", body.name);
            sources.insert(name, (Source::Body(number), *unit));
        }
        for entry in joint_columns::entries(world) {
            sources.insert(entry.name, (Source::Joint(entry.joint, entry.column), entry.unit));
        }
        for (number, (contact, columns)) in reported(world).into_iter().enumerate() {
            let turns = world.joints.iter().any(|joint| {
                let part = contact.strip_prefix(&joint.name);
                part.is_some_and(|part| part.starts_with('.'))
                    && joint.kind.free_is_angle(world.dimension) == Some(true)
            });
            for column in columns.into_iter().filter(|column| *column != ContactColumn::State) {
                let name = format!("{contact}.{}", column.name());
                sources.insert(name, (Source::Contact(number, column), column.unit(turns)));
            }
        }
        Self { sources }
    }

    /// Those that are known without forces: of these a force may be made.
    pub fn of_state(world: &WorldDescription) -> Self {
        let mut all = Self::new(world);
        all.sources.retain(|_, (source, _)| match source {
            Source::Time | Source::Body(_) => true,
            Source::Joint(_, column) => {
                matches!(column, JointColumn::Coordinate | JointColumn::Speed)
            }
            Source::Contact(..) | Source::Computed(_) => false,
        });
        all
    }

    /// The unit of an input; nothing if there is no such one.
    pub fn unit(&self, name: &str) -> Option<&'static str> {
        self.sources.get(name).map(|(_, unit)| *unit)
    }

    /// Whether there is a reported contact of that name.
    pub fn is_contact(&self, name: &str) -> bool {
        let gap = format!("{name}.{}", ContactColumn::Gap.name());
        matches!(self.sources.get(&gap), Some((Source::Contact(..), _)))
    }

    /// Whether an input is a column of a body.
    pub fn is_of_body(&self, name: &str) -> bool {
        matches!(self.sources.get(name), Some((Source::Body(_), _)))
    }

    /// Where the value of an input comes from.
    pub(super) fn source(&self, name: &str) -> Option<Source> {
        self.sources.get(name).map(|(source, _)| *source)
    }

    /// The names of all inputs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }
}

/// The columns of a world: which are computed, and which a table has.
#[derive(Debug, Default)]
pub(super) struct Computed {
    columns: Vec<(ColumnDescription, Vec<Source>)>,
    /// Columns of joints and of momentum, those that a table has by default first.
    joints: Vec<JointEntry>,
    /// Whether they were asked for by name.
    is_chosen: bool,
    /// Columns of each reported contact.
    contacts: Vec<Vec<ContactColumn>>,
    /// Which of those of the bodies, the computed ones and those of joints a table has; nothing if it has
    /// all of them that it has by default.
    choice: Option<Choice>,
}

impl Computed {
    /// Finds the inputs of all columns, or says which are not there.
    pub fn new(world: &WorldDescription) -> Result<Self, Vec<WorldError>> {
        let mut out = Self::default();
        let mut errors = Vec::new();
        out.joints = joint_columns::entries(world);
        out.is_chosen = world.table.chosen.is_some();
        out.choice = Choice::new(world, &out.joints, &mut errors);
        out.contacts = table::contact_columns(world);
        if world.columns.is_empty() {
            return if errors.is_empty() { Ok(out) } else { Err(errors) };
        }
        let inputs = ColumnInputs::new(world);
        for (number, column) in world.columns.iter().enumerate() {
            let find = |name: &String| {
                let earlier = world.columns[..number].iter().position(|other| other.name == *name);
                let own = || inputs.sources.get(name).map(|(source, _)| *source);
                earlier.map(Source::Computed).or_else(own).ok_or_else(|| name.clone())
            };
            match column.inputs.iter().map(find).collect::<Result<Vec<Source>, String>>() {
                Ok(sources) => out.columns.push((column.clone(), sources)),
                Err(name) => errors.push(WorldError {
                    part: Part::Column(number),
                    key: "value",
                    message: format!("there is no column {name} before {}", column.name),
                }),
            }
        }
        if errors.is_empty() { Ok(out) } else { Err(errors) }
    }

    /// The columns before the energies, of those of the bodies.
    pub fn before(&self, bodies: Vec<Column>) -> Vec<Column> {
        match &self.choice {
            None => bodies,
            Some(choice) => choice.columns(&choice.before, bodies, self.others(true)),
        }
    }

    /// The columns behind the energies.
    pub fn behind(&self, bodies: impl FnOnce() -> Vec<Column>) -> Vec<Column> {
        match &self.choice {
            None => self.others(false).collect(),
            Some(choice) => choice.columns(&choice.behind, bodies(), self.others(true)),
        }
    }

    /// The columns of a reported contact.
    pub fn of_contact(&self, contact: usize) -> &[ContactColumn] {
        self.contacts.get(contact).map_or(&[], Vec::as_slice)
    }

    /// The columns behind those of the bodies: computed ones, and those of joints, all or those by default.
    fn others(&self, all: bool) -> impl Iterator<Item = Column> {
        let joints = self.joints.iter().filter(move |entry| all || entry.is_default);
        self.computed().chain(joints.map(|entry| entry.column(self.is_chosen)))
    }

    fn computed(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().map(|(column, _)| Column {
            name: column.name.clone().into(),
            unit: column.unit.clone().into(),
            rate_of: column.rate_of.clone().map(Into::into),
            drawn_over: column.drawn_over.clone().map(Into::into),
            ..Column::default()
        })
    }

    /// The value of an input in SI units; `values` are those of the bodies, and from `first` on of the
    /// computed columns.
    pub fn input(
        &self,
        source: Source,
        world: &World,
        at: &State,
        seen: &Seen,
        (values, first): (&[f64], usize),
    ) -> f64 {
        match source {
            Source::Time => at.t,
            Source::Body(number) => values.get(number).copied().unwrap_or(f64::NAN),
            Source::Joint(number, column) => world.joint_value(at, number, column, seen.joints),
            Source::Contact(number, column) => column.value(&(seen.contact)(number)),
            Source::Computed(number) => {
                // In SI units, as it was computed.
                let value = values.get(first + number);
                value.map_or(f64::NAN, |v| v * self.columns[number].0.scale)
            }
        }
    }

    /// Appends the values of the computed columns behind those of the bodies; `inputs` is memory.
    pub fn compute(
        &self,
        world: &World,
        at: &State,
        seen: &Seen,
        values: &mut Vec<f64>,
        inputs: &mut Vec<f64>,
    ) {
        let first = values.len();
        for (column, sources) in &self.columns {
            inputs.clear();
            let known = (values.as_slice(), first);
            inputs.extend(sources.iter().map(|source| self.input(*source, world, at, seen, known)));
            values.push((column.value)(inputs) / column.scale);
        }
    }

    /// Appends the values of the computed columns behind those of the bodies, and leaves those of a table.
    pub fn append(&self, world: &World, at: &State, seen: &Seen, values: &mut Vec<f64>) {
        let mut inputs = Vec::new();
        self.compute(world, at, seen, values, &mut inputs);
        let all = self.choice.is_some();
        for entry in self.joints.iter().filter(|entry| all || entry.is_default) {
            values.push(world.joint_value(at, entry.joint, entry.column, seen.joints));
        }
        if let Some(choice) = &self.choice {
            inputs.clone_from(values);
            values.clear();
            let chosen = choice.before.iter().chain(&choice.behind);
            values.extend(chosen.map(|number| inputs.get(*number).copied().unwrap_or(f64::NAN)));
        }
    }
}
