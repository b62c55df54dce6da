//! What happened at the contacts in one step.

use super::transmission::{Change, Load, Transmission};
use crate::convex::{ConvexSet, Set};
use crate::memory::Tape;
use crate::problem::{InclusionProblem, Reservoir};
use crate::system::LawGroup;

/// Whether a contact transmits a force, and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactState {
    /// No force.
    #[default]
    Open,
    /// A force, and no sliding.
    Stick,
    /// A force, and sliding.
    Slip,
}

impl ContactState {
    /// The state of two points of contact seen as one: slip where one of them slips.
    pub fn joined(self, other: Self) -> Self {
        match (self, other) {
            (ContactState::Slip, _) | (_, ContactState::Slip) => ContactState::Slip,
            (ContactState::Stick, _) | (_, ContactState::Stick) => ContactState::Stick,
            _ => ContactState::Open,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            ContactState::Open => "open",
            ContactState::Stick => "stick",
            ContactState::Slip => "slip",
        }
    }
}

/// Work of sliding, relative to the work of all percussions against the velocities that they stop,
/// below which a contact at its friction limit counts as sticking: what solvers leave.
const SLIP: f64 = 1e-8;
/// Largest dimension of a friction law that is asked for its power.
const INLINE: usize = 8;

/// Whether friction of a contact of a solved problem works: it is at its limit, and the velocity ξ is
/// not what the solver leaves of terms that cancel. Both partners may move freely alike, so that c alone
/// is no measure: what the contact itself changes counts too.
pub(crate) fn rubs(
    problem: &InclusionProblem,
    position: usize,
    lambda: &[f64],
    xi: &[f64],
) -> bool {
    let contact = &problem.contacts()[position];
    let friction = match problem.laws_of(contact) {
        [_, friction, ..] => friction,
        // Friction of a joint.
        [only] if matches!(only.reservoir, Reservoir::Constant(_)) => only,
        _ => return false,
    };
    let terms = |k: usize| {
        let own = problem.delassus().diagonal_entry(position, k - contact.offset) * lambda[k];
        lambda[k].abs() * problem.c()[k].abs().max(own.abs())
    };
    let work: f64 = friction.range().map(|k| (lambda[k] * xi[k]).abs()).sum();
    if !(work > SLIP * contact.range().map(terms).sum::<f64>()) {
        return false;
    }
    let least = problem.scale(contact, friction, lambda) * (1.0 - 1e-6);
    let (percussion, velocity) = (&lambda[friction.range()], &xi[friction.range()]);
    works_most(&friction.set, least, percussion, velocity) || friction.set.gauge(percussion) > least
}

/// Whether a percussion takes more from the velocity than any of C(scale) could. Then it is outside of that set,
/// and what slides shows it so: a support function is cheaper than a gauge, which may be the root of an equation.
fn works_most(set: &Set, scale: f64, percussion: &[f64], velocity: &[f64]) -> bool {
    let mut against = [0.0; INLINE];
    let Some(against) = against.get_mut(..velocity.len()) else { return false };
    let mut power = 0.0;
    for ((against, v), l) in against.iter_mut().zip(velocity).zip(percussion) {
        *against = -v;
        power -= l * v;
    }
    power > set.support(scale, against)
}

/// One contact candidate in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactRecord {
    /// Key of the candidate.
    pub key: u64,
    /// Gap when the contact problem was posed, m.
    pub gap: f64,
    /// Normal percussion over the step, N s (0 for laws without a normal component).
    pub normal_percussion: f64,
    /// Tangential percussion over the step, N s: signed for friction in one direction, otherwise
    /// its magnitude.
    pub tangential_percussion: f64,
    /// Normal velocity at the start and at the end of the step, m/s; 0 while the gap is open.
    pub normal_velocity: [f64; 2],
    /// Tangential velocity at the start and at the end of the step, m/s: signed for friction in
    /// one direction, otherwise its magnitude; 0 while the gap is open.
    pub tangential_velocity: [f64; 2],
    /// Open, stick or slip.
    pub state: ContactState,
}

impl ContactRecord {
    /// Without friction there is no limit of force: what is closed and moves along slides.
    pub(crate) fn slides_freely(&mut self, group: &LawGroup) {
        if self.state != ContactState::Open && group.is_smooth() {
            let still = self.tangential_velocity[1] == 0.0;
            self.state = if still { ContactState::Stick } else { ContactState::Slip };
        }
    }
}

/// An impact at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impact {
    /// Time, s.
    pub t: f64,
    /// Key of the contact.
    pub contact: u64,
    /// Normal velocity before and after, m/s.
    pub normal_velocity: [f64; 2],
    /// Tangential velocity before and after, m/s.
    pub tangential_velocity: [f64; 2],
    /// Normal percussion, N s.
    pub normal_percussion: f64,
    /// Tangential percussion, N s.
    pub tangential_percussion: f64,
}

/// Work of one law of one group in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawWork {
    /// Index of the group of laws.
    pub group: usize,
    /// Index of the law in the group.
    pub law: usize,
    /// Work done on the system, J; negative where energy is dissipated.
    pub work: f64,
}

/// What happened at the contacts in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRecord {
    /// All candidates, in the order of the system.
    pub contacts: Vec<ContactRecord>,
    /// Impacts that the integrator has located in time. Time stepping leaves this empty: there
    /// an impact is recognised by what the contacts did.
    pub impacts: Vec<Impact>,
    /// Where infinitely many impacts in a finite time end, by integrators that locate impacts: time
    /// in s and key of the contact.
    pub accumulations: Vec<(f64, u64)>,
    /// Work of the laws, summed over the contacts of a group.
    pub works: Vec<LawWork>,
    /// Work of prescribed motion through the contacts (a moving floor) and of smooth forces without
    /// a potential (drives, dampers), J.
    pub drive_work: f64,
    /// Energy that the projection of constraint violation put in, J.
    pub projection_work: f64,
    /// Number of stages (of the one stage, of most integrators) in which the percussions of all
    /// contacts together put energy in.
    pub energy_gains: usize,
    /// Energy that they put in there, J.
    pub energy_gained: f64,
    /// Key of the contact that put in most of it.
    pub gaining_contact: u64,
    /// What the percussions of all contacts (not of joints) alone did to the kinetic energy in all
    /// stages together, J.
    pub contact_work: f64,
    /// Contacts at which friction that falls with the speed could have stuck as well as slid.
    pub friction_choices: usize,
    /// Whether what stands for the laws stores energy and gives it back, as the elements of the ODE
    /// route do: then work above zero is no error.
    pub stores_energy: bool,
    /// Percussions of all contacts and joints in force over the step, component by component; empty if
    /// the integrator does not tell them.
    pub percussions: Transmission,
    /// Forces of all contacts and joints at the end of the step, where the integrator knows them.
    pub forces: Transmission,
    /// Whether it does: then they count as the forces at the end of the step, and otherwise the mean
    /// over the step.
    pub knows_forces: bool,
    /// Normal forces at instants within the step, by integrators that make several steps of their own.
    pub loads: Vec<Load>,
    /// Closings, openings, stick and slip that the integrator has located: time in s, key of the
    /// contact, what happened.
    pub changes: Vec<(f64, u64, Change)>,
    /// Whether it locates them. Otherwise they are recognised by what the contacts did.
    pub locates_changes: bool,
}

impl ContactState {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [ContactState::Open, ContactState::Stick, ContactState::Slip];
}

impl ContactRecord {
    fn keep(&mut self, tape: &mut Tape) {
        let Self { key, gap, normal_percussion, tangential_percussion, .. } = self;
        tape.whole(key);
        tape.reals([gap, normal_percussion, tangential_percussion]);
        tape.reals(self.normal_velocity.iter_mut().chain(&mut self.tangential_velocity));
        tape.choice(&mut self.state, &ContactState::ALL);
    }
}

impl Impact {
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.whole(&mut self.contact);
        tape.reals([&mut self.t, &mut self.normal_percussion, &mut self.tangential_percussion]);
        tape.reals(self.normal_velocity.iter_mut().chain(&mut self.tangential_velocity));
    }
}

impl StepRecord {
    /// Writes what is shown of the last step, or reads it; the rest is in the books.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("last step");
        tape.list(&mut self.contacts, |tape, contact| contact.keep(tape));
    }

    /// Empties the record and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.impacts.clear();
        self.accumulations.clear();
        self.works.clear();
        self.drive_work = 0.0;
        self.projection_work = 0.0;
        self.energy_gains = 0;
        self.energy_gained = 0.0;
        self.gaining_contact = 0;
        self.contact_work = 0.0;
        self.stores_energy = false;
        self.friction_choices = 0;
        self.percussions.clear();
        self.forces.clear();
        self.knows_forces = false;
        self.loads.clear();
        self.changes.clear();
        self.locates_changes = false;
    }

    /// For schemes whose stages are parts of one step: what one stage puts in and another takes out
    /// is no gain.
    pub(crate) fn net_gains(&mut self) {
        self.energy_gained = self.energy_gained.min(self.contact_work.max(0.0));
        if self.energy_gained == 0.0 {
            self.energy_gains = 0;
        }
    }

    /// Which contacts and joints took part, pressed, stuck and slipped.
    pub(crate) fn pattern(&self, out: &mut Vec<u64>) {
        out.clear();
        for entry in &self.percussions.entries {
            let normal = self.percussions.components.get(entry.first);
            out.extend([entry.key, u64::from(normal.is_some_and(|v| *v != 0.0))]);
        }
        out.extend(self.contacts.iter().map(|contact| contact.state as u64));
    }

    /// Takes over another record without new memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.impacts.clone_from(&other.impacts);
        self.works.clone_from(&other.works);
        let Self { drive_work, projection_work, energy_gains, energy_gained, .. } = *other;
        (self.drive_work, self.projection_work) = (drive_work, projection_work);
        (self.energy_gains, self.energy_gained) = (energy_gains, energy_gained);
        self.gaining_contact = other.gaining_contact;
        self.contact_work = other.contact_work;
        self.friction_choices = other.friction_choices;
        self.percussions.copy_from(&other.percussions);
        self.forces.copy_from(&other.forces);
        self.knows_forces = other.knows_forces;
        self.loads.clone_from(&other.loads);
        self.changes.clone_from(&other.changes);
        self.locates_changes = other.locates_changes;
    }

    /// Books work of a law.
    pub(crate) fn book(&mut self, group: usize, law: usize, work: f64) {
        match self.works.iter_mut().find(|w| w.group == group && w.law == law) {
            Some(entry) => entry.work += work,
            None => self.works.push(LawWork { group, law, work }),
        }
    }
}
