//! Conditions that a run watches: they end it, or a row is written where they come true.

use super::course::Course;
use super::run::Runner;
use crate::memory::Tape;
use crate::system::{Facts, Observed, Seen, State};

/// Velocity, m/s or rad/s, below which nothing may move for [`REST_TIME`] to be at rest.
const REST_SPEED: f64 = 1e-4;
/// A body that turns back is slow for a moment only, s.
const REST_TIME: f64 = 0.1;
/// Times that are kept.
const MOST_HAPPENED: usize = 100_000;

/// A condition came true.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Happening {
    /// End of the step, s.
    pub t: f64,
    /// Number of the condition among those of the system.
    pub condition: usize,
}

/// What is remembered of the conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// Which hold.
    held: Vec<bool>,
    now: Vec<bool>,
    counts: Vec<u64>,
    /// How often each came true.
    times: Vec<u64>,
    /// Impacts that are counted.
    counted: usize,
    /// Since when everything is slow, s; infinite if it is not.
    quiet_since: f64,
    pub happened: Vec<Happening>,
    /// The condition that ended the run.
    pub stopped: Option<usize>,
    memory: [Vec<f64>; 2],
}

impl Watch {
    pub(super) fn new(system: &dyn Observed) -> Self {
        Self {
            held: vec![false; system.conditions().len()],
            counts: vec![0; system.counter_count()],
            times: vec![0; system.conditions().len()],
            quiet_since: f64::INFINITY,
            ..Self::default()
        }
    }

    /// Writes everything, or reads it.
    pub(super) fn keep(&mut self, tape: &mut Tape) {
        if self.held.is_empty() {
            return;
        }
        tape.section("conditions");
        self.held.iter_mut().for_each(|held| tape.flag(held));
        self.counts.iter_mut().for_each(|count| tape.whole(count));
        self.times.iter_mut().for_each(|count| tape.whole(count));
        tape.size(&mut self.counted);
        tape.real(&mut self.quiet_since);
        tape.list(&mut self.happened, |tape, happening| {
            tape.real(&mut happening.t);
            tape.size(&mut happening.condition);
        });
        let mut stopped = self.stopped.map_or(0, |number| number + 1);
        tape.size(&mut stopped);
        self.stopped = stopped.checked_sub(1);
    }

    fn is_at_rest(&mut self, at: &State) -> bool {
        if at.u.iter().any(|speed| !(speed.abs() < REST_SPEED)) {
            self.quiet_since = f64::INFINITY;
        } else if self.quiet_since == f64::INFINITY {
            self.quiet_since = at.t;
        }
        at.t - self.quiet_since >= REST_TIME
    }
}

impl Runner<'_> {
    /// Looks at the conditions at the end of a step, or at the start. True where one came true.
    pub(super) fn watch(&mut self) -> bool {
        if self.course.watch.held.is_empty() {
            return false;
        }
        self.fill_samples();
        let Course { watch, impacts, state, samples, forces, .. } = &mut *self.course;
        for impact in impacts.impacts.iter().skip(watch.counted) {
            for (counter, count) in watch.counts.iter_mut().enumerate() {
                *count += u64::from(self.system.counts_impact(counter, impact.contact));
            }
        }
        watch.counted = impacts.impacts.len();
        let at_rest = watch.is_at_rest(state);
        let contact = |position: usize| samples[position].values;
        let seen = Seen { contact: &contact, joints: &forces.reactions };
        let conditions = self.system.conditions();
        let mut came_true = false;
        // What comes true may be counted by others: they are looked at again, once for each at most.
        for _ in 0..=conditions.len() {
            let facts = Facts { counts: &watch.counts, happened: &watch.times, at_rest };
            self.system.conditions_hold(state, &seen, &facts, &mut watch.memory, &mut watch.now);
            let mut is_new = false;
            for (number, condition) in conditions.iter().enumerate() {
                let now = watch.now.get(number).copied().unwrap_or(false);
                if now && !watch.held[number] {
                    is_new = true;
                    watch.times[number] += 1;
                    if watch.happened.len() < MOST_HAPPENED {
                        watch.happened.push(Happening { t: state.t, condition: number });
                    }
                    if condition.stops && watch.stopped.is_none() {
                        watch.stopped = Some(number);
                    }
                }
                watch.held[number] = now;
            }
            if !is_new {
                break;
            }
            came_true = true;
        }
        came_true
    }
}
