//! Impacts, and how long which contacts were closed together.

use super::table::Short;
use crate::integrate::{ContactRecord, Impact, StepRecord};
use crate::memory::Tape;
use crate::system::Observed;
use std::io::{self, Write};

/// Steps without a force after which a contact counts as open. In time stepping the force of a
/// persistent contact comes and goes; a flight of so many steps is a real one.
const QUIET_STEPS: f64 = 3.0;
/// Least change of the normal velocity, or velocity of approach, of an impact, m/s: below it a
/// contact was only loaded.
const LEAST_VELOCITY: f64 = 1e-6;
/// Impacts that are kept.
const MOST_IMPACTS: usize = 1_000_000;
/// Contacts whose sets are told apart: the bits of a set.
const MOST_CONTACTS: usize = 64;

/// Recognises impacts at all contacts, and which of the reported ones are closed together.
///
/// In time stepping an impact is a step in which a contact transmits a percussion after at least
/// three steps without one, and the normal velocity jumps or was an approach. That needs no
/// threshold of force: a rebound is seen as an impact as long as its flight is resolved by the
/// steps, and the end of a sequence of ever smaller rebounds is persistent contact. Integrators
/// that locate impacts themselves list them in the [`StepRecord`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactRecorder {
    /// Key and end of the last step with a force, of every contact that ever had one, by key.
    forces: Vec<(u64, f64)>,
    /// End of the last step with a force, by reported contact.
    last_force: Vec<f64>,
    pub(crate) impacts: Vec<Impact>,
    pub(crate) dropped: u64,
    /// Time by set of closed contacts; bit k is the k-th reported contact.
    pub(crate) times: Vec<(u64, f64)>,
}

impl ImpactRecorder {
    /// A recorder for so many reported contacts.
    pub(crate) fn new(reported: usize) -> Self {
        let last_force = vec![f64::NEG_INFINITY; reported];
        Self { last_force, ..Self::default() }
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("impacts");
        tape.whole(&mut self.dropped);
        tape.reals(&mut self.last_force);
        for list in [&mut self.forces, &mut self.times] {
            tape.list(list, |tape, (key, value)| {
                tape.whole(key);
                tape.real(value);
            });
        }
        tape.list(&mut self.impacts, |tape, impact| impact.keep(tape));
    }

    /// Looks at a step of length dt that ended at time t.
    pub(crate) fn enter(&mut self, system: &dyn Observed, t: f64, dt: f64, record: &StepRecord) {
        for impact in &record.impacts {
            self.push(*impact);
        }
        let quiet = (QUIET_STEPS - 0.5) * dt;
        for contact in record.contacts.iter().filter(|c| c.normal_percussion > 0.0) {
            if let Some(position) = system.reported_index(contact.key) {
                self.last_force[position] = t;
            }
            // Joints and drives always act.
            if contact.gap == f64::NEG_INFINITY {
                continue;
            }
            if t - dt - self.last_force_of(contact.key, t) > quiet && is_sudden(contact) {
                self.push(Impact {
                    t,
                    contact: contact.key,
                    normal_velocity: contact.normal_velocity,
                    tangential_velocity: contact.tangential_velocity,
                    normal_percussion: contact.normal_percussion,
                    tangential_percussion: contact.tangential_percussion,
                });
            }
        }
        let mut closed = 0_u64;
        for (position, last) in self.last_force.iter().enumerate().take(MOST_CONTACTS) {
            if t - last <= quiet {
                closed |= 1 << position;
            }
        }
        match self.times.iter_mut().find(|(set, _)| *set == closed) {
            Some((_, time)) => *time += dt,
            None => self.times.push((closed, dt)),
        }
    }

    /// End of the last step in which a contact had a force, −∞ if there is none; now it is t.
    fn last_force_of(&mut self, key: u64, t: f64) -> f64 {
        match self.forces.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(position) => std::mem::replace(&mut self.forces[position].1, t),
            Err(position) => {
                self.forces.insert(position, (key, t));
                f64::NEG_INFINITY
            }
        }
    }

    fn push(&mut self, impact: Impact) {
        if self.impacts.len() < MOST_IMPACTS {
            self.impacts.push(impact);
        } else {
            self.dropped += 1;
        }
    }
}

fn is_sudden(contact: &ContactRecord) -> bool {
    let [before, after] = contact.normal_velocity;
    (-before).max(after - before) > LEAST_VELOCITY
}

/// Writes impacts as comma-separated values with a header.
pub fn write_impacts<W: Write>(
    system: &dyn Observed,
    impacts: &[Impact],
    mut writer: W,
) -> io::Result<W> {
    writeln!(
        writer,
        "t,{},normal_velocity_before,normal_velocity_after,tangential_velocity_before,\
         tangential_velocity_after,normal_percussion,tangential_percussion",
        system.contact_label()
    )?;
    for impact in impacts {
        let [normal_before, normal_after] = impact.normal_velocity.map(Short);
        let [tangential_before, tangential_after] = impact.tangential_velocity.map(Short);
        writeln!(
            writer,
            "{},{},{normal_before},{normal_after},{tangential_before},{tangential_after},{},{}",
            super::table::number(impact.t),
            system.contact_name(impact.contact),
            Short(impact.normal_percussion),
            Short(impact.tangential_percussion)
        )?;
    }
    writer.flush()?;
    Ok(writer)
}
