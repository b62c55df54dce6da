//! What happened in a step, for reports and the energy book.

use super::super::record::{ContactRecord, ContactState, rubs};
use super::super::rows::{dot, product};
use super::super::transmission::Directions;
use super::Rattle;
use super::active::{Active, Level};
use super::friction::Mode;
use super::stage_two::acts;
use crate::system::{MechanicalSystem, State};

impl Rattle {
    /// Makes the record of the step from `at`.
    pub(super) fn book(&mut self, system: &dyn MechanicalSystem, at: &State, dt: f64) {
        self.record.clear();
        self.book_work(system, at, dt);
        self.book_applied_forces(system, dt);
        self.record.friction_choices = self.first.sliding.choices.max(self.second.sliding.choices);
        self.list_contacts(system, at);
    }

    /// Work of the laws. Percussions of stage 1 act on u_A before the smooth forces do, those of
    /// stage 2 after them: so the smooth forces act on u_½, with which the body moves, and the book of
    /// a body under constant forces closes exactly, through impacts too.
    fn book_work(&mut self, system: &dyn MechanicalSystem, at: &State, dt: f64) {
        let (groups, translations) = (system.law_groups(), system.translations());
        let laws: usize = groups.iter().map(|group| group.laws.len()).sum();
        self.record.works.reserve(laws.saturating_sub(self.record.works.len()));
        // Work of the contacts by two measures, and its size.
        let (mut total, mut smooth, mut size) = (0.0, 0.0, 0.0);
        let mut most = (0.0, 0);
        let Self { first, second, active, record, u_mean, ends_mean, .. } = self;
        for stage in 0..2 {
            // The velocities before and after the percussions, and those at the ends of the stage.
            let (dynamics, lambda, rows, drifts, ends, sign) = match stage {
                0 => {
                    let ends = [&at.u, &first.middle.u];
                    (&first.dynamics, &first.lambda, &active.start, &active.drift_a, ends, -0.5)
                }
                _ => {
                    let ends = [&first.middle.u, &second.u_e];
                    (&second.dynamics, &second.lambda, &active.end, &active.drift_e, ends, 0.5)
                }
            };
            dynamics.kick(0.5 * dt * sign, u_mean);
            ends_mean.clear();
            ends_mean.extend(ends[0].iter().zip(ends[1]).map(|(a, b)| 0.5 * (a + b)));
            u_mean.iter_mut().zip(ends_mean.iter()).for_each(|(mean, ends)| *mean += ends);
            for contact in &active.list {
                // What an ideal joint does is the error of the scheme, not a gain.
                let counts = f64::from(u8::from(contact.level == Level::Gap));
                let (mut k, before) = (0, total);
                let block = contact.rows.blocks[0];
                let directions = Directions {
                    block,
                    rows: &rows[contact.rows.range()],
                    width: contact.rows.width,
                    size: dynamics.inverse.size(block),
                    translations,
                };
                let range = contact.offset..contact.offset + contact.rows.dim;
                // What adhesion pulls is part of the normal force.
                let pulls = stage == 0 || acts(contact, first);
                let pull = if pulls { 0.5 * dt * contact.pull } else { 0.0 };
                let net = |k: usize, lambda: f64| if k == 0 { lambda - pull } else { lambda };
                let percussions = lambda[range].iter().enumerate().map(|(k, l)| net(k, *l));
                record.percussions.push(contact.key, contact.group, directions, percussions);
                for (law, named) in groups[contact.group].laws.iter().enumerate() {
                    let mut work = 0.0;
                    for _ in 0..named.law.dim() {
                        let lambda = net(k, lambda[contact.offset + k]);
                        let row = &rows[contact.rows.row(k)];
                        let blocks = contact.rows.blocks;
                        let drift = drifts[contact.offset + k];
                        let through = product(&dynamics.inverse, blocks, row, u_mean) + drift;
                        let ends = product(&dynamics.inverse, blocks, row, ends_mean) + drift;
                        work += lambda * through;
                        record.percussions.works.push(lambda * through);
                        smooth += counts * lambda * ends;
                        size += counts * (lambda * through).abs();
                        record.drive_work -= lambda * drift;
                        k += 1;
                    }
                    record.book(contact.group, law, work);
                    total += counts * work;
                }
                if total - before > most.0 {
                    most = (total - before, contact.key);
                }
            }
        }
        // Where forces change within the step either measure may be above zero by what the smooth
        // forces do meanwhile; a gain of an impact is above zero by both. Contacts that last come and
        // go with the error of the scheme, and the sum of that stays in the book.
        let gained = total.min(smooth);
        record.contact_work = gained;
        if gained > 1e-6 * size && second.choice.impact.contains(&true) {
            record.energy_gains = 1;
            record.energy_gained = gained;
            record.gaining_contact = most.1;
        }
    }

    /// Work of the forces without a potential, by the same rule: those of stage 1 act on
    /// u_½ − ¼Δt M⁻¹h, those of stage 2 on u_½ + ¼Δt M⁻¹h.
    fn book_applied_forces(&mut self, system: &dyn MechanicalSystem, dt: f64) {
        let stages = [
            (&self.first.dynamics, &self.first.middle, -0.25 * dt),
            (&self.second.dynamics, &self.first.end, 0.25 * dt),
        ];
        self.applied.resize(self.first.middle.u.len(), 0.0);
        for (dynamics, at, time) in stages {
            system.applied_forces(at, &mut self.applied);
            if self.applied.iter().all(|force| *force == 0.0) {
                continue;
            }
            dynamics.kick(time, &mut self.u_mean);
            self.u_mean.iter_mut().zip(&at.u).for_each(|(mean, u)| *mean += u);
            self.record.drive_work += 0.5 * dt * dot(&self.applied, &self.u_mean);
        }
    }

    /// Lists all candidates at the end of the step, and those that have left the list within it.
    fn list_contacts(&mut self, system: &dyn MechanicalSystem, at: &State) {
        self.xi.resize(self.second.problem.dim(), 0.0);
        if self.second.problem.dim() > 0 {
            self.second.problem.relative_velocities(&self.second.unknown, &mut self.xi);
        }
        let mut out = std::mem::take(&mut self.record.contacts);
        out.extend(self.contacts.candidates().iter().map(|c| ContactRecord {
            key: c.key,
            gap: c.gap,
            ..ContactRecord::default()
        }));
        let mut next = 0;
        let mut first_law = 0;
        for (index, contact) in self.active.list.iter().enumerate() {
            let laws = system.law_groups()[contact.group].laws.len();
            let modes = &self.second.choice.modes[first_law..first_law + laws];
            first_law += laws;
            // Both lists have nearly the same order: look behind the last one.
            let mut places = (next..out.len()).chain(0..next);
            let place = places.find(|place| out[*place].key == contact.key).unwrap_or_else(|| {
                let (key, gap) = (contact.key, contact.gap_a);
                out.push(ContactRecord { key, gap, ..ContactRecord::default() });
                out.len() - 1
            });
            next = place + 1;
            self.describe(system, at, index, contact, modes, &mut out[place]);
        }
        self.record.contacts = out;
    }

    fn describe(
        &self,
        system: &dyn MechanicalSystem,
        at: &State,
        index: usize,
        contact: &Active,
        modes: &[Mode],
        out: &mut ContactRecord,
    ) {
        let group = &system.law_groups()[contact.group];
        let percussion = |k: usize| {
            self.first.lambda[contact.offset + k] + self.second.lambda[contact.offset + k]
        };
        let (before, after) = (&self.first.dynamics.inverse, &self.second.dynamics.inverse);
        let velocity = |k: usize| {
            [
                self.active.gamma_a(before, contact, k, &at.u),
                self.active.gamma_e(after, contact, k, &self.second.u_e),
            ]
        };
        out.normal_velocity = velocity(0);
        out.tangential_velocity = [0, 1].map(|slot| group.slip(|k| velocity(k)[slot]));
        let half = 0.5 * (self.first.end.t - at.t) * contact.pull;
        let pulled = if acts(contact, &self.first) { 2.0 * half } else { half };
        if contact.level == Level::Gap && percussion(0) <= 0.0 {
            out.normal_percussion = -pulled;
            return;
        }
        out.normal_percussion = percussion(0) - pulled;
        out.tangential_percussion = if group.laws.len() > 1 { group.slip(percussion) } else { 0.0 };
        let mode = group.rubbing().and_then(|law| modes.get(law));
        let slides = match (mode, self.second.places[index]) {
            (Some(Mode::Keep), _) => true,
            (Some(_), Some(place)) => {
                rubs(&self.second.problem, place, &self.second.unknown, &self.xi)
            }
            _ => false,
        };
        out.state = if slides { ContactState::Slip } else { ContactState::Stick };
        out.slides_freely(group);
    }
}
