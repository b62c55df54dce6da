//! Forces of a run: means and peaks between two rows of output, extremes and losses of the whole run.
//!
//! All of it is made of what the steps tell; nothing is computed twice for it.

use crate::integrate::{ContactRecord, Load, StepRecord, Transmission, Transmitted};
use crate::kinematics::vector::norm;
use crate::memory::Tape;
use crate::system::{ContactValues, JointPart, JointReaction, LawGroup, Observed, State};

/// More names of laws than one contact has.
const MOST_LAWS: usize = 8;

/// The value of largest magnitude of a quantity, and its time in s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// When.
    pub t: f64,
}

impl Extreme {
    fn enter(&mut self, value: f64, t: f64) {
        if value.abs() > self.value.abs() {
            *self = Self { value, t };
        }
    }
}

/// Forces of one reported contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactForces {
    /// Largest normal force of a step, N.
    pub force: Extreme,
    /// Largest friction force of a step, N.
    pub friction: Extreme,
    /// Work of its laws by name, J.
    pub works: Vec<(&'static str, f64)>,
    // Since the last row: percussions of friction, drilling and rolling, and the largest normal force.
    tangential: [f64; 3],
    drilling: f64,
    rolling: [f64; 2],
    peak: f64,
    // Of one step, or one instant within it.
    now: f64,
    friction_now: [f64; 3],
}

/// Forces of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointForces {
    /// Largest force of the constraints, N.
    pub force: Extreme,
    /// Their largest moment, N m.
    pub moment: Extreme,
    /// Largest effort of a motor, N or N m.
    pub effort: Extreme,
    /// Least and largest value of the free coordinate; none if it has none.
    pub range: Option<[f64; 2]>,
    /// Work of its laws by name, J.
    pub works: Vec<(&'static str, f64)>,
    /// At the end of the last step.
    pub last: JointReaction,
}

/// The forces of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceBook {
    /// Of the reported contacts, in their order.
    pub contacts: Vec<ContactForces>,
    /// Of the reported joints, in their order.
    pub joints: Vec<JointForces>,
    /// The same joints once more, for rows.
    pub(crate) reactions: Vec<JointReaction>,
    /// Time since the last row, s.
    interval: f64,
    /// Whether contacts bore forces since the last row of which the integrator told the normal part alone.
    is_untold: bool,
}

impl ForceBook {
    /// An empty book of a run that starts at this state.
    pub(crate) fn new(system: &dyn Observed, start: &State) -> Self {
        // Room for all laws, so that no later step needs more.
        let laws = system.law_groups().iter().map(|group| group.laws.len()).sum::<usize>();
        let works = || Vec::with_capacity(laws.min(MOST_LAWS));
        let contact = |_| ContactForces { works: works(), ..ContactForces::default() };
        let joint = |number: usize| JointForces {
            force: Extreme::default(),
            moment: Extreme::default(),
            effort: Extreme::default(),
            range: system.joint_coordinate(start, number).map(|value| [value; 2]),
            works: works(),
            last: JointReaction::NONE,
        };
        let joints = system.reported_joints().len();
        Self {
            contacts: (0..system.reported_contacts().len()).map(contact).collect(),
            joints: (0..joints).map(joint).collect(),
            reactions: vec![JointReaction::NONE; joints],
            interval: 0.0,
            is_untold: false,
        }
    }

    /// Enters a step of length dt that ended at this state.
    pub(crate) fn enter(
        &mut self,
        system: &dyn Observed,
        at: &State,
        dt: f64,
        record: &StepRecord,
    ) {
        self.interval += dt;
        if self.contacts.is_empty() && self.joints.is_empty() {
            return;
        }
        let (groups, t) = (system.law_groups(), at.t);
        let bears = |contact: &ContactRecord| contact.normal_percussion > 0.0;
        self.is_untold |=
            record.percussions.entries.is_empty() && record.contacts.iter().any(bears);
        for entry in &record.percussions.entries {
            let group = &groups[entry.group];
            let components = record.percussions.components_of(entry, group.dim);
            let works = record.percussions.works_of(entry, group.dim);
            if let Some(position) = system.reported_index(entry.key) {
                let contact = &mut self.contacts[position];
                let sign = if system.is_second(entry.key, entry.block) { 1.0 } else { -1.0 };
                contact.add(group, components, entry, sign);
                book(&mut contact.works, group, works);
            } else if let Some((joint, _)) = system.joint_part(entry.key) {
                book(&mut self.joints[joint].works, group, works);
            }
        }
        self.enter_normal(system, t, dt, record);
        // Friction and reactions at the end of the step, or their means over it.
        let (list, scale) = if record.knows_forces {
            (&record.forces, 1.0)
        } else {
            (&record.percussions, 1.0 / dt)
        };
        for contact in &mut self.contacts {
            contact.friction_now = [0.0; 3];
        }
        for entry in &list.entries {
            if let Some(position) = system.reported_index(entry.key) {
                let sum = self.contacts[position].friction_now.iter_mut();
                sum.zip(&entry.tangential).for_each(|(sum, part)| *sum += scale * part);
            }
        }
        for contact in &mut self.contacts {
            contact.friction.enter(norm(&contact.friction_now), t);
        }
        self.enter_reactions(system, at, list, scale);
    }

    /// Normal forces: of the step, or of the instants within it.
    fn enter_normal(&mut self, system: &dyn Observed, t: f64, dt: f64, record: &StepRecord) {
        let mut last: Option<&Load> = None;
        for load in &record.loads {
            if let Some(last) = last.filter(|last| last.instant != load.instant) {
                self.close_instant(last.t);
            }
            last = Some(load);
            if let Some(position) = system.reported_index(load.key) {
                let is_joint = system.joint_part(load.key).is_some();
                self.contacts[position].now += if is_joint { load.force.abs() } else { load.force };
            }
        }
        if record.loads.is_empty() && !record.locates_changes {
            for ContactRecord { key, normal_percussion, .. } in &record.contacts {
                if *normal_percussion != 0.0
                    && let Some(position) = system.reported_index(*key)
                {
                    let force = normal_percussion / dt;
                    // Friction of a joint has both signs.
                    let size = if system.joint_part(*key).is_some() { force.abs() } else { force };
                    self.contacts[position].now += size;
                }
            }
        }
        self.close_instant(last.map_or(t, |last| last.t));
    }

    fn close_instant(&mut self, t: f64) {
        for contact in &mut self.contacts {
            contact.peak = contact.peak.max(contact.now);
            contact.force.enter(contact.now, t);
            contact.now = 0.0;
        }
    }

    fn enter_reactions(
        &mut self,
        system: &dyn Observed,
        at: &State,
        list: &Transmission,
        scale: f64,
    ) {
        // Constraints always act: where nothing is listed, nothing was told.
        let none =
            if list.entries.is_empty() { JointReaction::UNKNOWN } else { JointReaction::NONE };
        self.joints.iter_mut().for_each(|joint| joint.last = none);
        for entry in &list.entries {
            let Some((joint, part)) = system.joint_part(entry.key) else { continue };
            let last = &mut self.joints[joint].last;
            match part {
                JointPart::Constraints => {
                    for k in 0..3 {
                        last.force[k] += scale * entry.force[k];
                        last.moment[k] += scale * entry.moment[k];
                    }
                }
                JointPart::Motor => {
                    let effort = list.components.get(entry.first).copied().unwrap_or(f64::NAN);
                    last.motor += scale * effort;
                }
                JointPart::Other => {}
            }
        }
        let t = at.t;
        for (number, (joint, reaction)) in
            self.joints.iter_mut().zip(&mut self.reactions).enumerate()
        {
            joint.force.enter(norm(&joint.last.force), t);
            joint.moment.enter(norm(&joint.last.moment), t);
            joint.effort.enter(system.joint_effort(at, number).unwrap_or(joint.last.motor), t);
            if let (Some([low, high]), Some(value)) =
                (&mut joint.range, system.joint_coordinate(at, number))
            {
                (*low, *high) = (low.min(value), high.max(value));
            }
            *reaction = joint.last;
        }
    }

    /// What a row tells of a reported contact, apart from gap, normal force, slip and place.
    pub(crate) fn fill(&self, contact: usize, values: &mut ContactValues) {
        let of = &self.contacts[contact];
        let mean = |sum: f64| match (self.is_untold, self.interval > 0.0) {
            (true, _) => f64::NAN,
            (false, true) => sum / self.interval,
            (false, false) => 0.0,
        };
        values.peak = of.peak;
        values.friction = of.tangential.map(mean);
        values.drilling = mean(of.drilling);
        values.rolling = mean(of.rolling[0].hypot(of.rolling[1]));
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, system: &dyn Observed, tape: &mut Tape) {
        let laws = system.law_groups().iter().flat_map(|group| &group.laws);
        let names: Vec<&'static str> = laws.map(|named| named.name).collect();
        tape.section("forces");
        tape.real(&mut self.interval);
        tape.flag(&mut self.is_untold);
        for contact in &mut self.contacts {
            for extreme in [&mut contact.force, &mut contact.friction] {
                tape.reals([&mut extreme.value, &mut extreme.t]);
            }
            tape.reals(contact.tangential.iter_mut().chain(&mut contact.rolling));
            tape.reals([&mut contact.drilling, &mut contact.peak, &mut contact.now]);
            tape.reals(&mut contact.friction_now);
            keep_works(&mut contact.works, &names, tape);
        }
        for (joint, reaction) in self.joints.iter_mut().zip(&mut self.reactions) {
            for extreme in [&mut joint.force, &mut joint.moment, &mut joint.effort] {
                tape.reals([&mut extreme.value, &mut extreme.t]);
            }
            tape.reals(joint.range.iter_mut().flatten());
            let JointReaction { force, moment, motor } = &mut joint.last;
            tape.reals(force.iter_mut().chain(moment).chain([motor]));
            *reaction = joint.last;
            keep_works(&mut joint.works, &names, tape);
        }
    }

    /// A row was written.
    pub(crate) fn next_row(&mut self) {
        self.interval = 0.0;
        self.is_untold = false;
        for contact in &mut self.contacts {
            contact.tangential = [0.0; 3];
            contact.drilling = 0.0;
            contact.rolling = [0.0; 2];
            contact.peak = 0.0;
        }
    }
}

impl ContactForces {
    /// Adds percussions; `sign` turns what acts on the first block to the second body.
    fn add(&mut self, group: &LawGroup, components: &[f64], entry: &Transmitted, sign: f64) {
        let sum = self.tangential.iter_mut();
        sum.zip(&entry.tangential).for_each(|(sum, part)| *sum += sign * part);
        let mut first = 0;
        for named in &group.laws {
            let own = components.get(first..first + named.law.dim()).unwrap_or(&[]);
            first += named.law.dim();
            match (own, named.name) {
                ([_, _, drilling], "friction") => self.drilling += drilling,
                ([x, y], "rolling" | "rolling-viscous") => {
                    self.rolling[0] += x;
                    self.rolling[1] += y;
                }
                _ => {}
            }
        }
    }
}

/// Writes works by the numbers of their names, or reads them.
fn keep_works(works: &mut Vec<(&'static str, f64)>, names: &[&'static str], tape: &mut Tape) {
    tape.list(works, |tape, (name, work)| {
        let mut number = names.iter().position(|known| known == name).unwrap_or(0);
        tape.size(&mut number);
        match names.get(number) {
            Some(known) => *name = known,
            None => tape.refuse(),
        }
        tape.real(work);
    });
}

/// Whether two names of laws are one. Mostly they are so in memory already.
pub(super) fn is_same_name(a: &'static str, b: &'static str) -> bool {
    std::ptr::eq(a, b) || a == b
}

/// Adds works of components to those of their laws.
fn book(works: &mut Vec<(&'static str, f64)>, group: &LawGroup, components: &[f64]) {
    let mut first = 0;
    for named in &group.laws {
        let own = components.get(first..first + named.law.dim()).unwrap_or(&[]);
        first += named.law.dim();
        let work: f64 = own.iter().sum();
        if work == 0.0 {
            continue;
        }
        match works.iter_mut().find(|(name, _)| is_same_name(name, named.name)) {
            Some((_, sum)) => *sum += work,
            None => works.push((named.name, work)),
        }
    }
}
