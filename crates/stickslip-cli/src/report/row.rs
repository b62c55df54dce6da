//! One row of the page: one or more neighbouring rows of output.

use std::collections::HashMap;
use stickslip::integrate::{ContactRecord, ContactState};
use stickslip::kinematics::vector::{E_X, E_Y, cross, dot};
use stickslip::memory::Tape;
use stickslip::simulate::Sample;
use stickslip::system::{ContactPlace, ContactValues, DrawnPose, ForceReservoir, Observed};

/// Contact places of a row up to which open contacts are kept too.
const FEW_PLACES: usize = 16;
/// Contact places that a row keeps at most.
const MOST_PLACES: usize = 512;

/// What the page shows of a stretch of the run.
#[derive(Clone, Default)]
pub struct Row {
    /// Time of the last row of output in it, s.
    pub t: f64,
    /// How many rows of output it stands for.
    pub outputs: f64,
    /// Values of the system at the last row of output.
    pub values: Vec<f64>,
    /// Smallest value of each of them in the stretch.
    pub low: Vec<f64>,
    /// Largest value of each of them in the stretch.
    pub high: Vec<f64>,
    /// Kinetic energy, potential energy, closing error, drive, projection, then the work of each
    /// law, at the last row of output, J.
    pub energies: Vec<f64>,
    /// The contacts.
    pub contacts: Vec<ContactRow>,
    /// Largest residual.
    pub residual: f64,
    /// Poses of the drawn bodies at the last row of output.
    pub poses: Vec<DrawnPose>,
    /// Where contacts are at the last row of output, reported or not.
    pub places: Vec<DrawnPlace>,
}

/// A point of contact, with what it did in the last step.
#[derive(Clone, Copy, Default)]
pub struct DrawnPlace {
    /// Key of the contact.
    pub key: u64,
    /// Its group of laws, where it has transmitted something.
    pub group: Option<usize>,
    /// Its point, m.
    pub point: [f64; 3],
    /// Unit direction of the normal force on the body that is drawn.
    pub normal: [f64; 3],
    /// Direction of the first component of friction on that body.
    pub tangent: [f64; 3],
    /// Mean friction force on it over the last step, N.
    pub friction: [f64; 3],
    /// Mean drilling moment over the last step, N m.
    pub drilling: f64,
    /// Mean normal force over the last step, N; of a reported contact that closed and opened since
    /// the last row of output, its share of the mean force since then.
    pub force: f64,
    /// 1 open, 2 stick, 4 slip; with 8 where the second component of friction is left of the first, seen
    /// against the normal, and 16 where it closed and opened since the last row of output: its friction is not told.
    pub state: u8,
}

/// A reported contact in a row.
#[derive(Clone, Copy, Default)]
pub struct ContactRow {
    /// Gap at the last row of output, m.
    pub gap: f64,
    /// Largest sliding speed of its rows of output, m/s.
    pub slip: f64,
    /// Mean force, N.
    pub force: f64,
    /// Smallest and largest force of a row of output, N.
    pub low: f64,
    /// Largest.
    pub high: f64,
    /// Which states occurred: 1 open, 2 stick, 4 slip; the last state shifted by 3.
    pub states: u8,
}

/// How many entries of [`Row::energies`] stand before the laws.
pub const ENERGIES: usize = 5;

impl Row {
    /// The row of one row of output, with the columns that are drawn.
    pub fn new(system: &dyn Observed, drawn: &[usize], sample: &Sample) -> Self {
        let book = sample.book;
        let energy = sample.energy;
        let closing = book.closing_error(energy.total());
        let mut energies =
            vec![energy.kinetic, energy.potential, closing, book.drive, book.projection];
        energies.extend(book.works.iter().map(|(_, work)| work));
        let contacts = sample.contacts.iter().map(|contact| {
            let state = bit(contact.state);
            let ContactValues { gap, slip, force, .. } = contact.values;
            ContactRow {
                gap,
                slip,
                force,
                low: force,
                high: force,
                states: bit(contact.touched) | state | state << 3,
            }
        });
        let mut poses = Vec::new();
        system.poses(sample.state, &mut poses);
        let chosen = drawn.iter().filter_map(|k| sample.values.get(*k).copied());
        let values: Vec<f64> = chosen.collect();
        Self {
            t: sample.state.t,
            outputs: 1.0,
            low: values.clone(),
            high: values.clone(),
            values,
            energies,
            contacts: contacts.collect(),
            residual: sample.residual,
            places: places(system, sample),
            poses,
        }
    }

    /// This row and the one behind it as one.
    pub fn join(&mut self, later: Row) {
        for (low, other) in self.low.iter_mut().zip(&later.low) {
            *low = low.min(*other);
        }
        for (high, other) in self.high.iter_mut().zip(&later.high) {
            *high = high.max(*other);
        }
        let outputs = self.outputs + later.outputs;
        for (contact, other) in self.contacts.iter_mut().zip(&later.contacts) {
            let force = contact.force * self.outputs + other.force * later.outputs;
            *contact = ContactRow {
                gap: other.gap,
                slip: contact.slip.max(other.slip),
                force: force / outputs,
                low: contact.low.min(other.low),
                high: contact.high.max(other.high),
                states: contact.states & 7 | other.states,
            };
        }
        *self = Row {
            outputs,
            low: std::mem::take(&mut self.low),
            high: std::mem::take(&mut self.high),
            contacts: std::mem::take(&mut self.contacts),
            residual: self.residual.max(later.residual),
            ..later
        };
    }

    /// Writes everything, or reads it.
    pub fn keep(&mut self, tape: &mut Tape) {
        tape.reals([&mut self.t, &mut self.outputs, &mut self.residual]);
        for list in [&mut self.values, &mut self.low, &mut self.high, &mut self.energies] {
            tape.numbers(list);
        }
        tape.list(&mut self.contacts, |tape, contact| {
            let ContactRow { gap, slip, force, low, high, states } = contact;
            tape.reals([gap, slip, force, low, high]);
            byte(tape, states);
        });
        tape.list(&mut self.poses, |tape, pose| {
            tape.reals(pose.position.iter_mut().chain(&mut pose.rotation));
        });
        tape.list(&mut self.places, |tape, place| {
            let DrawnPlace { key, group, point, normal, tangent, friction, drilling, force, state } =
                place;
            tape.whole(key);
            let mut number = group.map_or(0, |group| group + 1);
            tape.size(&mut number);
            *group = number.checked_sub(1);
            let vectors = point.iter_mut().chain(normal).chain(tangent).chain(friction);
            tape.reals(vectors.chain([drilling, force]));
            byte(tape, state);
        });
    }

    /// Size of such a row in the page, in numbers of four bytes.
    pub fn size(&self) -> usize {
        let places = self.places.len().max(self.contacts.len().min(FEW_PLACES));
        3 + 3 * self.values.len()
            + self.energies.len()
            + 6 * self.contacts.len()
            + 5 * self.poses.len()
            + 7 * places
    }
}

fn byte(tape: &mut Tape, value: &mut u8) {
    let mut word = u64::from(*value);
    tape.whole(&mut word);
    match u8::try_from(word) {
        Ok(byte) => *value = byte,
        Err(_) => tape.refuse(),
    }
}

/// A state as a bit.
fn bit(state: ContactState) -> u8 {
    match state {
        ContactState::Open => 1,
        ContactState::Stick => 2,
        ContactState::Slip => 4,
    }
}

/// Whether a group is the dry friction of a joint, which has no normal law.
pub fn is_joint_friction(system: &dyn Observed, group: usize) -> bool {
    let group = system.law_groups().get(group).map(|group| group.laws.as_slice());
    matches!(group, Some([only]) if matches!(only.law.reservoir, ForceReservoir::Force(_)))
}

/// Groups of laws and components of friction by contact: means over the last step, N, and the drilling moment, N m.
fn friction(system: &dyn Observed, sample: &Sample) -> HashMap<u64, (Option<usize>, [f64; 3])> {
    let groups = system.law_groups();
    let mut found: HashMap<u64, (Option<usize>, [f64; 3])> = HashMap::new();
    let entries = if sample.last_step > 0.0 { sample.percussions.entries.as_slice() } else { &[] };
    for entry in entries {
        // Friction stands behind a normal law; that of a joint stands alone.
        let laws = groups.get(entry.group).map_or(&[][..], |group| group.laws.as_slice());
        let (first, dim) = match laws {
            [_, rubs, ..] => (1, rubs.law.dim()),
            [_] if is_joint_friction(system, entry.group) => (0, 1),
            _ => continue,
        };
        let components = sample.percussions.components_of(entry, first + dim);
        let (group, sum) = found.entry(entry.key).or_default();
        *group = Some(entry.group);
        for (sum, component) in sum.iter_mut().zip(components.iter().skip(first)) {
            *sum += component / sample.last_step;
        }
    }
    found
}

/// The points of contact: all if there are few, otherwise the closed ones, at most the strongest.
fn places(system: &dyn Observed, sample: &Sample) -> Vec<DrawnPlace> {
    let mut found = Vec::new();
    system.contact_places(sample.state, &mut found);
    let few = found.len() <= FEW_PLACES;
    let closed: HashMap<u64, &ContactRecord> = sample
        .touching
        .iter()
        .filter(|record| record.state != ContactState::Open || record.normal_percussion > 0.0)
        .map(|record| (record.key, record))
        .collect();
    // A reported contact that closed and opened since the last row is shown too: its mean force,
    // shared by its points.
    let mut points = vec![0.0; sample.contacts.len()];
    for index in found.iter().filter_map(|place| system.reported_index(place.key)) {
        points[index] += 1.0;
    }
    let brief = |key: u64| {
        let index = system.reported_index(key)?;
        let contact = sample.contacts.get(index)?;
        let force = contact.values.force;
        let is_brief = contact.state == ContactState::Open && force > 0.0;
        is_brief.then(|| (force / points[index], contact.touched))
    };
    let friction = friction(system, sample);
    let place = |ContactPlace { key, point, normal, tangents: [first, second] }: ContactPlace| {
        let did = closed
            .get(&key)
            .map(|record| (record.normal_percussion / sample.last_step, record.state))
            .or_else(|| brief(key));
        let (force, state) = did.unwrap_or((0.0, ContactState::Open));
        let (group, [x, y, drilling]) = friction.get(&key).copied().unwrap_or_default();
        let friction = [0, 1, 2].map(|k| x * first[k] + y * second[k]);
        let left = 8 * u8::from(dot(&cross(&normal, &first), &second) > 0.0);
        let untold = if did.is_some() && !closed.contains_key(&key) { 16 } else { 0 };
        let state = bit(state) | left | untold;
        (few || did.is_some()).then_some(DrawnPlace {
            key,
            group,
            point,
            normal,
            tangent: first,
            friction,
            drilling,
            force,
            state,
        })
    };
    let mut places: Vec<DrawnPlace> = found.into_iter().filter_map(place).collect();
    // The friction of joints has no place: it is told as if it acted along x, with itself as normal force.
    let of_joint = |(key, (group, [force, ..])): (&u64, &(Option<usize>, [f64; 3]))| {
        let state = closed.get(key)?.state;
        group.is_some_and(|group| is_joint_friction(system, group)).then_some(DrawnPlace {
            key: *key,
            group: *group,
            point: [f64::NAN; 3],
            normal: E_Y,
            tangent: E_X,
            friction: [*force, 0.0, 0.0],
            force: force.abs(),
            state: bit(state) | 8,
            ..DrawnPlace::default()
        })
    };
    let mut of_joints: Vec<DrawnPlace> = friction.iter().filter_map(of_joint).collect();
    of_joints.sort_by_key(|place| place.key);
    places.append(&mut of_joints);
    if places.len() > MOST_PLACES {
        places.sort_by(|a, b| b.force.total_cmp(&a.force));
        places.truncate(MOST_PLACES);
    }
    places
}
