//! What is reported of a system.

use super::{Column, ContactPlace, ContactSet, Drawing, DrawnPose, MechanicalSystem, State};

/// What is known of a reported contact when a row is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactValues {
    /// Gap, m.
    pub gap: f64,
    /// Mean normal force since the last row, N.
    pub force: f64,
    /// Largest normal force since the last row, N.
    pub peak: f64,
    /// Mean friction force on the second body since the last row, N, along the axes of the world.
    pub friction: [f64; 3],
    /// Mean drilling moment since the last row, N m.
    pub drilling: f64,
    /// Magnitude of the mean rolling moment since the last row, N m.
    pub rolling: f64,
    /// Sliding speed at the end of the last step, m/s.
    pub slip: f64,
    /// Where the gap is least, m; NaN where nothing is near.
    pub point: [f64; 3],
}

impl Default for ContactValues {
    fn default() -> Self {
        Self {
            gap: f64::INFINITY,
            force: 0.0,
            peak: 0.0,
            friction: [0.0; 3],
            drilling: 0.0,
            rolling: 0.0,
            slip: 0.0,
            point: [f64::NAN; 3],
        }
    }
}

/// What a joint transmits: the forces at the end of a step, or their mean over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointReaction {
    /// Force of the constraints on the body of the first mass block of the joint, N, along the axes of
    /// the world.
    pub force: [f64; 3],
    /// Their moment, N m, along the angular velocities of that block.
    pub moment: [f64; 3],
    /// Effort of a motor that prescribes the speed, N or N m.
    pub motor: f64,
}

/// A condition that a run watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// Whether the run ends where it comes true; else a row is written.
    pub stops: bool,
}

/// What a run knows beside the state, for its conditions.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Impacts so far, by counter.
    pub counts: &'a [u64],
    /// How often each condition came true.
    pub happened: &'a [u64],
    /// Whether nothing has moved for a while.
    pub at_rest: bool,
}

impl JointReaction {
    /// None yet, before the first step.
    pub const NONE: Self = Self { force: [0.0; 3], moment: [0.0; 3], motor: 0.0 };

    /// A step was made whose integrator does not tell reactions.
    pub const UNKNOWN: Self = Self { force: [f64::NAN; 3], moment: [f64::NAN; 3], motor: f64::NAN };
}

/// What a candidate of a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointPart {
    /// Its constraints.
    Constraints,
    /// A motor that prescribes the speed.
    Motor,
    /// Friction, or another law beside them.
    Other,
}

/// What is known when a row is written.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The values of a reported contact.
    pub contact: &'a dyn Fn(usize) -> ContactValues,
    /// The reported joints.
    pub joints: &'a [JointReaction],
}

/// A column that a reported contact may have in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactColumn {
    /// Gap, m.
    Gap,
    /// Mean normal force since the last row, N.
    Force,
    /// Largest normal force since the last row, N.
    Peak,
    /// Magnitude of the mean friction force since the last row, N.
    Friction,
    /// Mean friction force on the second body since the last row, N, along x of the world.
    FrictionX,
    /// The same along y.
    FrictionY,
    /// The same along z.
    FrictionZ,
    /// Mean drilling moment since the last row, N m.
    Drilling,
    /// Magnitude of the mean rolling moment since the last row, N m.
    Rolling,
    /// Sliding speed at the end of the last step, m/s.
    Slip,
    /// Where the gap is least: x, m.
    X,
    /// The same: y.
    Y,
    /// The same: z.
    Z,
    /// Open, stick or slip.
    State,
}

impl ContactColumn {
    /// All of them, in the order of tables.
    pub const ALL: [ContactColumn; 14] = [
        ContactColumn::Gap,
        ContactColumn::Force,
        ContactColumn::Peak,
        ContactColumn::Friction,
        ContactColumn::FrictionX,
        ContactColumn::FrictionY,
        ContactColumn::FrictionZ,
        ContactColumn::Drilling,
        ContactColumn::Rolling,
        ContactColumn::Slip,
        ContactColumn::X,
        ContactColumn::Y,
        ContactColumn::Z,
        ContactColumn::State,
    ];

    /// The name in the header, behind the name of the contact.
    pub fn name(self) -> &'static str {
        match self {
            ContactColumn::Gap => "gap",
            ContactColumn::Force => "force",
            ContactColumn::Peak => "peak",
            ContactColumn::Friction => "friction",
            ContactColumn::FrictionX => "friction_x",
            ContactColumn::FrictionY => "friction_y",
            ContactColumn::FrictionZ => "friction_z",
            ContactColumn::Drilling => "drilling",
            ContactColumn::Rolling => "rolling",
            ContactColumn::Slip => "slip",
            ContactColumn::X => "x",
            ContactColumn::Y => "y",
            ContactColumn::Z => "z",
            ContactColumn::State => "state",
        }
    }

    /// Its unit, of a contact that [acts about an axis](Observed::contact_turns) or of another; empty for the
    /// state, which is a word.
    pub fn unit(self, turns: bool) -> &'static str {
        use ContactColumn::*;
        match self {
            Gap if turns => "rad",
            Force | Peak | Friction if turns => "N m",
            Slip if turns => "rad/s",
            Gap | X | Y | Z => "m",
            Force | Peak | Friction | FrictionX | FrictionY | FrictionZ => "N",
            Drilling | Rolling => "N m",
            Slip => "m/s",
            State => "",
        }
    }

    /// Its value; NaN for the state.
    pub fn value(self, of: &ContactValues) -> f64 {
        match self {
            ContactColumn::Gap => of.gap,
            ContactColumn::Force => of.force,
            ContactColumn::Peak => of.peak,
            ContactColumn::Friction => norm(&of.friction),
            ContactColumn::FrictionX => of.friction[0],
            ContactColumn::FrictionY => of.friction[1],
            ContactColumn::FrictionZ => of.friction[2],
            ContactColumn::Drilling => of.drilling,
            ContactColumn::Rolling => of.rolling,
            ContactColumn::Slip => of.slip,
            ContactColumn::X => of.point[0],
            ContactColumn::Y => of.point[1],
            ContactColumn::Z => of.point[2],
            ContactColumn::State => f64::NAN,
        }
    }
}

/// Length of a vector.
fn norm([x, y, z]: &[f64; 3]) -> f64 {
    x.hypot(*y).hypot(*z)
}

/// Columns of a table, apart from those of energies and contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnList {
    /// Those before the energies.
    pub before_energy: Vec<Column>,
    /// Those behind the energies.
    pub behind_energy: Vec<Column>,
}

impl ColumnList {
    /// The columns of a system with those of `more` behind them, before and behind the energies.
    pub fn of(system: &dyn Observed, more: ColumnList) -> Self {
        let (mut before_energy, mut behind_energy) = (system.columns(), system.extra_columns());
        before_energy.extend(more.before_energy);
        behind_energy.extend(more.behind_energy);
        Self { before_energy, behind_energy }
    }

    /// Numbers, among the values of a row, of the columns that reports and plots show.
    pub fn drawn(&self) -> Vec<usize> {
        let numbered = self.all().enumerate().filter(|(_, column)| !column.for_tables);
        numbered.map(|(number, _)| number).collect()
    }

    /// All of them, in the order of the values of a row.
    pub fn all(&self) -> impl Iterator<Item = &Column> {
        self.before_energy.iter().chain(&self.behind_energy)
    }
}

/// A system that knows which quantities its users want to see.
///
/// A table row is: time, [`columns`](Self::columns), kinetic, potential and total energy,
/// [`extra_columns`](Self::extra_columns), then the
/// [contact columns](Self::contact_columns) of every [reported contact](Self::reported_contacts).
pub trait Observed: MechanicalSystem + Send + Sync {
    /// The quantities that stand before the energies.
    fn columns(&self) -> Vec<Column>;

    /// The quantities that stand behind the energies.
    fn extra_columns(&self) -> Vec<Column> {
        Vec::new()
    }

    /// Appends the values of which those of all columns and extra columns are made; unless
    /// [`derive`](Self::derive) says otherwise they are just these.
    fn observe(&self, at: &State, out: &mut Vec<f64>);

    /// Completes the values of all columns and extra columns by those that are computed of others, and
    /// takes away what no column shows; `values` holds those of [`observe`](Self::observe), `seen` those of
    /// reported contacts and joints.
    fn derive(&self, _at: &State, _seen: &Seen, _values: &mut Vec<f64>) {}

    /// Lists the constraints that a start must fulfil: those of positions, or those of velocities. False for
    /// a system that takes its start as it is.
    fn start_constraints(&self, _at: &State, _of_positions: bool, _out: &mut ContactSet) -> bool {
        false
    }

    /// Whether the place, or the velocity, of this block must stay as it is where a start is brought to
    /// fulfil its constraints.
    fn is_held_at_start(&self, _block: usize, _of_positions: bool) -> bool {
        false
    }

    /// Conditions that a run watches.
    fn conditions(&self) -> &[Condition] {
        &[]
    }

    /// Number of counters of impacts that the conditions need.
    fn counter_count(&self) -> usize {
        0
    }

    /// Whether an impact at a contact counts for a counter.
    fn counts_impact(&self, _counter: usize, _contact: u64) -> bool {
        false
    }

    /// Names of which impacts can be told: those of reported contacts and of bodies; and `any`.
    fn impact_names(&self) -> Vec<String> {
        self.reported_contacts().iter().map(|key| self.contact_name(*key)).collect()
    }

    /// Whether an impact at a contact is one of this name, see [`impact_names`](Self::impact_names).
    fn is_impact_of(&self, name: &str, contact: u64) -> bool {
        let reported = || Some(self.reported_contacts()[self.reported_index(contact)?]);
        name == "any" || reported().is_some_and(|key| self.contact_name(key) == name)
    }

    /// Whether each of the conditions holds, into `out`; `memory` is for what is computed on the way.
    fn conditions_hold(
        &self,
        _at: &State,
        _seen: &Seen,
        _facts: &Facts,
        _memory: &mut [Vec<f64>; 2],
        out: &mut Vec<bool>,
    ) {
        out.clear();
    }

    /// Keys of the contacts that get columns of their own.
    fn reported_contacts(&self) -> &[u64];

    /// In which reported contact the candidate `key` is counted: several points of contact between
    /// two bodies may be reported as one.
    fn reported_index(&self, key: u64) -> Option<usize> {
        self.reported_contacts().iter().position(|reported| *reported == key)
    }

    /// What a contact is called in the header of a table of impacts.
    fn contact_label(&self) -> &'static str {
        "contact"
    }

    /// Whether the reported contacts are the four corners of a slider in its guide, whose situations
    /// are counted (Flores 2010, Fig. 8).
    fn has_slider_corners(&self) -> bool {
        false
    }

    /// Which columns a reported contact gets, by its number; gap, force and state unless the system says
    /// otherwise.
    fn contact_columns(&self, _contact: usize) -> &[ContactColumn] {
        &[ContactColumn::Gap, ContactColumn::Force, ContactColumn::State]
    }

    /// Whether a contact acts about an axis, as teeth and clutches do: then its forces are moments, N m, its
    /// gap is an angle, rad, and its sliding speed an angular velocity, rad/s.
    fn contact_turns(&self, _contact: u64) -> bool {
        false
    }

    /// Whether the body of a mass block is the second of those between which a contact acts: friction is
    /// told as it acts on that one.
    fn is_second(&self, _contact: u64, _block: usize) -> bool {
        false
    }

    /// Names of the joints whose reactions are kept.
    fn reported_joints(&self) -> &[String] {
        &[]
    }

    /// To which of these joints a candidate belongs, and what it is there.
    fn joint_part(&self, _key: u64) -> Option<(usize, JointPart)> {
        None
    }

    /// The free coordinate of a reported joint, if it has one.
    fn joint_coordinate(&self, _at: &State, _joint: usize) -> Option<f64> {
        None
    }

    /// The effort that a motor of an ideal joint is told to exert, N or N m; none of other motors.
    fn joint_effort(&self, _at: &State, _joint: usize) -> Option<f64> {
        None
    }

    /// The shapes of the system; nothing unless the system can be drawn.
    fn drawing(&self) -> Drawing {
        Drawing::default()
    }

    /// Appends the poses of the bodies of [`drawing`](Self::drawing), in their order.
    fn poses(&self, _at: &State, _out: &mut Vec<DrawnPose>) {}

    /// Appends the places of contact candidates, for arrows of their forces.
    fn contact_places(&self, _at: &State, _out: &mut Vec<ContactPlace>) {}
}
