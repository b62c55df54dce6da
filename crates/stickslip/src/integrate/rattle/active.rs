//! The contacts that may act in a step, with their rows at its start and at its end.

use super::super::mass::MassInverse;
use super::super::rows::{RowBlock, dot, product};
use super::axes::follow;
use crate::system::{Candidate, ContactSet, MechanicalSystem};

/// Share of the response at the start that must be seen half-way.
const CONNECTED: f64 = 0.5;

/// At which level a contact is kept in stage 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The gap at the end of the step is not negative.
    Gap,
    /// The position errors at the end of the step are zero.
    Position,
    /// A law between velocities alone.
    Velocity,
}

/// A contact that may act in the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub(super) key: u64,
    pub(super) group: usize,
    pub(super) level: Level,
    /// Where its rows are.
    pub(super) rows: RowBlock,
    /// First of its components among those of all active contacts.
    pub(super) offset: usize,
    /// Gap at the start of the step, m; where it was not listed there, along its rows from the end.
    pub(super) gap_a: f64,
    /// Gap at the end by the last evaluation, m; NaN if it is not listed there.
    pub(super) gap_e: f64,
    /// Gap up to which it is closed, m.
    pub(super) closed_at: f64,
    /// Gap that the rebound of an impact within the step leaves at its end, m.
    pub(super) rebound: f64,
    /// Depth that may be left at the end of the step where it was deeper at its start, m.
    pub(super) sunk: f64,
    /// Force of adhesion, N; of contacts that are closed at the start of the step.
    pub(super) pull: f64,
    /// Whether it was met on the way, and the bodies had passed each other at the end. Then its gap is
    /// followed along its rows.
    pub(super) met: bool,
    /// Whether its rows at the end are those of another place: a point of contact has jumped. Then only
    /// those of the start count in stage 1.
    pub(super) jumped: bool,
}

/// All active contacts. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveSet {
    pub(super) list: Vec<Active>,
    /// Rows W at the start of the step: percussions of stage 1 act along them.
    pub(super) start: Vec<f64>,
    /// Rows W at the end of the step.
    pub(super) end: Vec<f64>,
    /// Their mean: velocities of stage 1 are seen through it.
    pub(super) mean: Vec<f64>,
    /// Prescribed velocities w̃ at the start and at the end.
    pub(super) drift_a: Vec<f64>,
    pub(super) drift_e: Vec<f64>,
    /// Position errors at the end.
    pub(super) errors: Vec<f64>,
    /// Keys in ascending order, with positions in the list.
    order: Vec<(u64, usize)>,
    /// Gaps at the start by ascending key.
    gaps_a: Vec<(u64, f64)>,
    frozen: bool,
}

impl ActiveSet {
    /// Begins a step: all contacts that are closed at its start, up to `rounding` where the system does
    /// not know the size of its bodies.
    pub(super) fn begin(&mut self, contacts: &ContactSet, rounding: f64) {
        self.list.clear();
        self.start.clear();
        self.end.clear();
        self.drift_a.clear();
        self.drift_e.clear();
        self.errors.clear();
        self.order.clear();
        self.gaps_a.clear();
        self.frozen = false;
        for candidate in contacts.candidates() {
            if candidate.gap.is_finite() {
                self.gaps_a.push((candidate.key, candidate.gap));
            }
            let closed =
                candidate.is_closed() || (candidate.closed_at == 0.0 && candidate.gap <= rounding);
            if closed && candidate.has_directions() {
                self.push(contacts, candidate, candidate.gap);
            }
        }
        self.gaps_a.sort_unstable_by_key(|entry| entry.0);
        self.sort();
        self.average();
    }

    fn push(&mut self, contacts: &ContactSet, candidate: &Candidate, gap_a: f64) {
        let level = if candidate.gap.is_finite() {
            Level::Gap
        } else if contacts.position_error(candidate).is_empty() {
            Level::Velocity
        } else {
            Level::Position
        };
        let rows = RowBlock {
            blocks: candidate.blocks,
            dim: candidate.dim,
            width: candidate.width(),
            start: self.start.len(),
        };
        let offset = self.drift_a.len();
        self.start.extend_from_slice(contacts.directions(candidate));
        self.end.extend_from_slice(contacts.directions(candidate));
        self.drift_a.extend_from_slice(contacts.rheonomic(candidate));
        self.drift_e.extend_from_slice(contacts.rheonomic(candidate));
        self.errors.resize(offset + candidate.dim, 0.0);
        self.errors[offset..offset + contacts.position_error(candidate).len()]
            .copy_from_slice(contacts.position_error(candidate));
        self.order.push((candidate.key, self.list.len()));
        self.list.push(Active {
            key: candidate.key,
            group: candidate.group,
            level,
            rows,
            offset,
            gap_a,
            gap_e: candidate.gap,
            closed_at: candidate.closed_at,
            rebound: 0.0,
            sunk: 0.0,
            pull: 0.0,
            jumped: false,
            met: false,
        });
    }

    fn sort(&mut self) {
        if self.order.windows(2).any(|w| w[0].0 > w[1].0) {
            self.order.sort_unstable_by_key(|entry| entry.0);
        }
    }

    /// From now on gaps follow the rows of the start: where points of contact come and go from turn to
    /// turn, nothing else converges.
    pub(super) fn freeze(&mut self) {
        for contact in self.list.iter_mut().filter(|contact| contact.level == Level::Gap) {
            contact.jumped = true;
            contact.gap_e = f64::NAN;
        }
        self.frozen = true;
        self.average();
    }

    /// Sees the chosen contacts through the rows of the start alone.
    pub(super) fn stay(&mut self, chosen: impl Fn(&Active) -> bool) {
        for contact in &mut self.list {
            contact.jumped |= chosen(contact);
        }
        self.average();
    }

    /// Takes what is known at the end of the step, and adds contacts that would be passed through.
    /// Returns whether there are some.
    pub(super) fn update(
        &mut self,
        system: &dyn MechanicalSystem,
        contacts: &ContactSet,
        inverse: &MassInverse,
        u: &[f64],
        dt: f64,
    ) -> bool {
        let known = self.list.len();
        for active in &mut self.list {
            active.gap_e = f64::NAN;
        }
        let frozen = self.frozen;
        for candidate in contacts.candidates() {
            let place = self.order[..known].binary_search_by_key(&candidate.key, |entry| entry.0);
            match place {
                Ok(place) => {
                    let active = &mut self.list[self.order[place].1];
                    if (frozen && active.level == Level::Gap) || active.met {
                        continue;
                    }
                    active.gap_e = candidate.gap;
                    let same = (active.group, active.rows.dim, active.rows.blocks)
                        == (candidate.group, candidate.dim, candidate.blocks);
                    if !candidate.has_directions() || !same {
                        continue; // far open, or the kind of contact has changed: rows of the start
                    }
                    let components = active.offset..active.offset + active.rows.dim;
                    self.end[active.rows.range()].copy_from_slice(contacts.directions(candidate));
                    let drift = &mut self.drift_e[components.clone()];
                    drift.copy_from_slice(contacts.rheonomic(candidate));
                    let group = &system.law_groups()[active.group];
                    let steady = system.translations();
                    follow(group, active.rows, steady, &self.start, &mut self.end, drift);
                    let errors = contacts.position_error(candidate);
                    if !errors.is_empty() {
                        self.errors[components].copy_from_slice(errors);
                    }
                }
                Err(_)
                    if !frozen
                        && candidate.gap < 0.0
                        && candidate.has_directions()
                        && !self.met_before(candidate, known) =>
                {
                    let listed = self.gaps_a.binary_search_by_key(&candidate.key, |entry| entry.0);
                    let gap_a = match listed {
                        Ok(place) => self.gaps_a[place].1,
                        Err(_) => {
                            let row = &contacts.directions(candidate)[..candidate.width()];
                            candidate.gap - dt * product(inverse, candidate.blocks, row, u)
                        }
                    };
                    self.push(contacts, candidate, gap_a);
                }
                Err(_) => {}
            }
        }
        self.sort();
        self.average();
        self.list.len() > known
    }

    /// Adds contacts that are closed on the way, at the time `passed` of the motion with `u`, and not
    /// yet known.
    pub(super) fn meet(
        &mut self,
        contacts: &ContactSet,
        inverse: &MassInverse,
        u: &[f64],
        passed: f64,
    ) {
        for candidate in contacts.candidates() {
            let known = self.list.iter().any(|active| active.key == candidate.key);
            if known
                || candidate.gap >= 0.0
                || !candidate.has_directions()
                || candidate.gap.is_infinite()
            {
                continue;
            }
            let row = &contacts.directions(candidate)[..candidate.width()];
            let gap_a = candidate.gap - passed * product(inverse, candidate.blocks, row, u);
            self.push(contacts, candidate, gap_a);
            if let Some(active) = self.list.last_mut() {
                (active.met, active.jumped, active.gap_e) = (true, true, f64::NAN);
            }
        }
        self.sort();
        self.average();
    }

    /// Whether the bodies of a candidate have met on the way: where they have passed each other, what
    /// is closed at the end pushes to the wrong side.
    fn met_before(&self, candidate: &Candidate, known: usize) -> bool {
        let same = |active: &Active| active.met && active.rows.blocks == candidate.blocks;
        self.list[..known].iter().any(same)
    }

    fn average(&mut self) {
        self.mean.clear();
        self.mean.extend(self.start.iter().zip(&self.end).map(|(a, e)| 0.5 * (a + e)));
        for contact in self.list.iter().filter(|contact| contact.jumped) {
            let range = contact.rows.range();
            self.mean[range.clone()].copy_from_slice(&self.start[range]);
        }
    }

    /// Finds contacts whose points have jumped within the step: velocities seen half-way have little
    /// to do with the percussions of the start. `response` is M⁻¹ W of the start.
    pub(super) fn find_jumps(&mut self, response: &[f64]) {
        for contact in &mut self.list {
            contact.jumped |= (0..contact.rows.dim).any(|k| {
                let range = contact.rows.row(k);
                let seen = |rows: &[f64]| dot(&rows[range.clone()], &response[range.clone()]);
                seen(&self.mean) < CONNECTED * seen(&self.start)
            });
        }
        self.average();
    }

    /// Relative velocity of component k of a contact at the start of the step.
    pub(super) fn gamma_a(&self, inverse: &MassInverse, a: &Active, k: usize, u: &[f64]) -> f64 {
        product(inverse, a.rows.blocks, &self.start[a.rows.row(k)], u) + self.drift_a[a.offset + k]
    }

    /// The same half-way.
    pub(super) fn gamma_m(&self, inverse: &MassInverse, a: &Active, k: usize, u: &[f64]) -> f64 {
        let drift = 0.5 * (self.drift_a[a.offset + k] + self.drift_e[a.offset + k]);
        product(inverse, a.rows.blocks, &self.mean[a.rows.row(k)], u) + drift
    }

    /// The same at the end.
    pub(super) fn gamma_e(&self, inverse: &MassInverse, a: &Active, k: usize, u: &[f64]) -> f64 {
        product(inverse, a.rows.blocks, &self.end[a.rows.row(k)], u) + self.drift_e[a.offset + k]
    }

    /// Number of components of all active contacts.
    pub(super) fn components(&self) -> usize {
        self.drift_a.len()
    }
}
