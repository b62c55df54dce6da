//! Steps chosen by an accuracy (step doubling; impacts by halving as in Studer, Leine and Glocker
//! 2008, Int. J. Numer. Meth. Engng 76, 1747-1781).
//!
//! One step of length H and two of H/2 lead from the same state to two others, and the second is kept.
//! Their difference e, over 2^p − 1 for a scheme of order p, is the error of the kept one:
//!
//! ```text
//! e_q: places over the size of their body, and angles;   e_v: velocities over the largest so far
//! smooth motion:             e_q ≤ a H  and  e_v ≤ a H,   e ~ H^(p+1)
//! a force jumps (slip, stick, a contact opens): e_v ~ H, so that e_v/H does not fall:
//!                            e_q ≤ a H  and  e_v ≤ a/10
//! the scheme (of first order) holds contacts by velocities that are wrong by the force of one step and
//! are not carried on:  e_v ~ H too:      e_q ≤ a H  and  e_v ≤ a
//! a velocity jumps (impact): e_q ~ H:   e_q ≤ a/10  and  e_v ≤ a/10,   Δγ_N H/2 ≤ a/10 of the size
//! ```
//!
//! e_v of one event is an error for the rest of the motion: there it counts also by the way that it makes in
//! a second, over the size of the smallest body.
//!
//! The last is for impacts after which the contact is closed at the end of its step of length H/2. The jump Δγ_N
//! of its normal velocity then comes at that end and not where it belongs, up to a step of H/2 too
//! late. One step and two halves end at the same time: where the impact is in the second half, both
//! are late by the same time, and their difference does not show it. A rebound that the scheme
//! places within the step leaves the contact open, and its error is in the difference.
//!
//! Penetration that was not there at the start counts as a difference of places: an impact that neither of
//! the two ways has seen yet, because it comes late in the step.
//!
//! a is the accuracy per second of motion. An impact has no duration, and a tenth of a for each is what
//! ten impacts in a second leave. Which of the three it is shows when H is halved at the same state;
//! the second is taken to last until a step is refused. A step that is refused leaves no trace: state,
//! warm start and books are those before it.

use super::run::{Observer, Runner};
use super::summary::RunStatus;
use super::trust::{largest_length, shape_size};
use crate::integrate::{StepRecord, StepReport};
use crate::memory::Tape;
use crate::solve::Status;
use crate::system::{ContactSet, DrawnPose, Observed, State};

/// Share of the accuracy that one impact may take.
const IMPACT: f64 = 0.1;
/// Share of the error that is left after halving from which it helped no more than in proportion. In
/// smooth motion it is 1/4 with order 1 and less with a higher one.
const PROPORTIONAL: f64 = 0.35;
/// Part of the step that the error would just allow.
const SAFETY: f64 = 0.9;
/// Gap over the size of the smallest body up to which a contact is closed, and jump of a normal velocity over
/// the largest speed so far up to which there is no impact.
const CLOSED: f64 = 1e-9;
/// Largest growth from step to step.
const GROWTH: f64 = 5.0;
/// Speed, in sizes of the largest body per second, below which places say more than velocities.
const PLACES_SPEED: f64 = 0.1;

/// Steps of a run that chooses them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCount {
    /// Steps that are part of the motion.
    pub taken: u64,
    /// Pairs of steps that were refused because they differ too much from the single step.
    pub refused: u64,
    /// Steps that were computed in all: those taken, those refused, and those to compare with.
    pub computed: u64,
    /// Pairs of steps that were kept at the least step although they differ by more than asked.
    pub inaccurate: u64,
    /// Shortest and longest step, s.
    pub range: [f64; 2],
}

/// How far two ways to the same time are apart.
#[derive(Clone, Copy, Debug, Default)]
struct Difference {
    places: f64,
    velocities: f64,
    /// The same velocities by the way that they go in a second, over the size of the smallest body.
    drift: f64,
    /// Way that impacts which come too late have gone wrong, over the size.
    delay: f64,
}

/// What is done with a pair of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// It is good, and the next may be so many times as long.
    Keep(f64),
    /// It is good, there is an impact in it, and the next may be longer.
    Jump,
    /// It must be shorter.
    Halve,
}

/// Chooses steps, and the memory for it.
#[derive(Clone, Debug)]
pub(super) struct StepChoice {
    accuracy: f64,
    least: f64,
    largest: f64,
    order: u32,
    next: f64,
    /// Whether the last pair was kept although its velocities differ in proportion to its length.
    rough: bool,
    pub(super) count: StepCount,
    /// Largest speed so far, m/s.
    speed: f64,
    /// Size of each drawn body, m.
    sizes: Vec<f64>,
    /// Smallest of them, m.
    smallest: f64,
    contacts: ContactSet,
    /// Keys of the contacts with an impact in the two halves of the pair, and the jumps of their normal
    /// velocities, m/s.
    jumps: [Vec<(u64, f64)>; 2],
    /// Sum of all penetrations at the start of the pair and at its end, m.
    depth: [f64; 2],
    half: State,
    single: State,
    record: StepRecord,
    poses: [Vec<DrawnPose>; 2],
    mass: Vec<f64>,
    forces: Vec<f64>,
}

impl StepChoice {
    pub(super) fn new(system: &dyn Observed, start: &State, settings: &super::RunSettings) -> Self {
        let drawing = system.drawing();
        let mut poses = Vec::new();
        system.poses(start, &mut poses);
        let whole = largest_length(&drawing, &poses);
        let sizes: Vec<f64> = drawing
            .bodies
            .iter()
            .map(|body| {
                let parts = body.parts.iter().map(|part| {
                    part.pose.position.iter().fold(shape_size(&part.shape), |d, x| d.hypot(*x))
                });
                // A body without a shape is as large as the scene.
                match parts.fold(0.0, f64::max) {
                    size if size > 0.0 => size,
                    _ if whole > 0.0 => whole,
                    _ => 1.0,
                }
            })
            .collect();
        let most = sizes.iter().copied().fold(0.0, f64::max);
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let blocks = system.blocks();
        let mut choice = Self {
            accuracy: settings.accuracy.unwrap_or(f64::INFINITY),
            least: settings.least_step,
            largest: settings.step,
            order: 1,
            next: settings.step,
            rough: false,
            count: StepCount { range: [f64::INFINITY, 0.0], ..StepCount::default() },
            speed: if most > 0.0 { PLACES_SPEED * most } else { PLACES_SPEED },
            sizes,
            smallest: if smallest.is_finite() { smallest } else { 1.0 },
            contacts: ContactSet::default(),
            jumps: [Vec::new(), Vec::new()],
            depth: [0.0; 2],
            half: start.clone(),
            single: start.clone(),
            record: StepRecord::default(),
            poses: [poses, Vec::new()],
            mass: vec![0.0; blocks.iter().map(|n| n * n).sum()],
            forces: vec![0.0; blocks.iter().sum()],
        };
        system.mass_and_forces(start, &mut choice.mass, &mut choice.forces);
        choice.speed = choice.speed.max(largest_speed(system, &choice.mass, &start.u, None));
        choice.depth[0] = choice.penetration(system, start);
        choice
    }

    /// Writes what the choice of the next step depends on, or reads it.
    pub(super) fn keep(&mut self, tape: &mut Tape) {
        tape.section("choice of steps");
        tape.reals([&mut self.next, &mut self.speed, &mut self.smallest, &mut self.depth[0]]);
        tape.flag(&mut self.rough);
        tape.numbers(&mut self.sizes);
        let StepCount { taken, refused, computed, inaccurate, range } = &mut self.count;
        [taken, refused, computed, inaccurate].into_iter().for_each(|count| tape.whole(count));
        tape.reals(range);
    }

    /// Sum of all penetrations, m.
    fn penetration(&mut self, system: &dyn Observed, at: &State) -> f64 {
        self.contacts.clear();
        self.contacts.ask_for_gaps();
        system.contacts(at, &mut self.contacts);
        let gaps = self.contacts.candidates().iter().map(|c| c.gap).filter(|g| g.is_finite());
        gaps.fold(0.0, |sum, gap| sum + (-gap).max(0.0))
    }

    /// Length of the next pair of steps, and whether it ends at `t_end`.
    fn length(&self, remaining: f64) -> (f64, bool) {
        let length = self.next.min(self.largest);
        if length >= remaining * (1.0 - 1e-9) {
            (remaining, true)
        } else {
            // No sliver at the end.
            (length.min(0.5 * remaining), false)
        }
    }

    /// Lists the impacts of half a pair: normal velocities that jump.
    fn list_jumps(&mut self, half: usize, record: &StepRecord) {
        let jumps = &mut self.jumps[half];
        jumps.clear();
        for contact in record.contacts.iter().filter(|c| c.gap.is_finite()) {
            let jump = contact.normal_velocity[1] - contact.normal_velocity[0];
            if contact.normal_percussion > 0.0 && jump > 0.0 {
                jumps.push((contact.key, jump));
            }
        }
    }

    /// How far the impacts of half a pair, that ends in this state, may be from where they belong, over the
    /// size of the smallest body.
    fn delay(&mut self, system: &dyn Observed, half: usize, at: &State, step: f64) -> f64 {
        if self.jumps[half].is_empty() {
            return 0.0;
        }
        self.contacts.clear();
        self.contacts.ask_for_gaps();
        system.contacts(at, &mut self.contacts);
        let mut most = 0.0_f64;
        for (key, jump) in &self.jumps[half] {
            let candidate = self.contacts.candidates().iter().find(|c| c.key == *key);
            if candidate.is_some_and(|c| c.gap <= CLOSED * self.smallest) {
                most = most.max(self.lateness(*jump, step));
            }
        }
        most
    }

    fn lateness(&self, jump: f64, step: f64) -> f64 {
        step * jump / self.smallest
    }

    fn difference(
        &mut self,
        system: &dyn Observed,
        [single, half, end]: [&State; 3],
        pair: f64,
    ) -> Difference {
        let step = 0.5 * pair;
        let delay = self.delay(system, 0, half, step).max(self.delay(system, 1, end, step));
        let scale = 1.0 / ((1_u64 << self.order.min(32)) as f64 - 1.0);
        let [a, b] = &mut self.poses;
        for (state, poses) in [(single, &mut *a), (end, &mut *b)] {
            poses.clear();
            system.poses(state, poses);
        }
        let mut places: f64 = 0.0;
        for ((a, b), size) in a.iter().zip(b.iter()).zip(&self.sizes) {
            let way = |k: usize| a.position[k] - b.position[k];
            let distance = way(0).hypot(way(1)).hypot(way(2));
            // |p − p'| of unit quaternions is half of the angle between them; p and −p are the same.
            let apart = |sign: f64| {
                let parts = a.rotation.iter().zip(&b.rotation).map(|(x, y)| (x - sign * y).powi(2));
                parts.sum::<f64>().sqrt()
            };
            places = places.max(distance / size).max(2.0 * apart(1.0).min(apart(-1.0)));
        }
        if self.sizes.is_empty() {
            // Nothing is drawn: the coordinates are taken as they are.
            places = single.q.iter().zip(&end.q).fold(0.0, |d, (a, b)| d.max((a - b).abs()));
        }
        self.depth[1] = self.penetration(system, end);
        places = places.max((self.depth[1] - self.depth[0]) / self.smallest);
        system.mass_and_forces(end, &mut self.mass, &mut self.forces);
        let apart = largest_speed(system, &self.mass, &end.u, Some(&single.u));
        let speed = self.speed.max(largest_speed(system, &self.mass, &end.u, None));
        let drift = scale * apart / self.smallest;
        Difference { places: scale * places, velocities: scale * apart / speed, drift, delay }
    }

    /// Judges a pair of steps of length `pair` together, by the difference at twice the length if that
    /// was tried at the same state.
    fn judge(&mut self, pair: f64, found: Difference, twice: Option<Difference>) -> Verdict {
        let a = self.accuracy;
        let Difference { places, velocities, drift, delay } = found;
        if delay > IMPACT * a {
            self.rough = false;
            return Verdict::Halve;
        }
        let rate = places.max(velocities) / pair;
        // As if the order were one more: where it is (Moreau's rule in free flight), the prediction is
        // right, and elsewhere it is reached a little later.
        let power = 1.0 / (f64::from(self.order) + 1.0);
        let growth = |rate: f64, power: f64| {
            (SAFETY * (a / rate.max(f64::MIN_POSITIVE)).powf(power)).min(GROWTH)
        };
        if rate <= a {
            self.rough = false;
            return Verdict::Keep(growth(rate, power));
        }
        let is_rough =
            twice.map_or(self.rough, |twice| velocities > PROPORTIONAL * twice.velocities);
        // What a single event leaves in the velocities goes on in the places.
        let lasting = velocities.max(drift) <= IMPACT * a;
        // Of first order are the schemes whose contacts have velocities that are not carried on.
        let harmless = if self.order > 1 { lasting } else { velocities <= a };
        if is_rough && places <= a * pair && harmless {
            self.rough = true;
            return Verdict::Keep(growth(places / pair, power).min(growth(velocities, 1.0)));
        }
        // With an impact in both ways at the same phase the places agree, and nothing is proportional.
        let jump = self.jumps.iter().flatten().fold(0.0_f64, |most, (_, jump)| most.max(*jump));
        let jumps = twice.is_some_and(|twice| places > PROPORTIONAL * twice.places)
            || (self.order > 1 && jump > CLOSED * self.speed);
        if jumps && places <= IMPACT * a && lasting {
            self.rough = false;
            return Verdict::Jump;
        }
        Verdict::Halve
    }
}

/// Largest speed of a body: √(uᵀ M u / m) of its block, so that turning counts with its radius of
/// gyration; or that of the difference of two velocities.
fn largest_speed(system: &dyn Observed, mass: &[f64], u: &[f64], minus: Option<&[f64]>) -> f64 {
    let value = |k: usize| u[k] - minus.map_or(0.0, |other| other[k]);
    let (mut first, mut entry, mut most) = (0, 0, 0.0_f64);
    for &size in system.blocks() {
        let mut square = 0.0;
        for i in 0..size {
            let row = &mass[entry + i * size..entry + (i + 1) * size];
            let momentum: f64 = row.iter().enumerate().map(|(j, m)| m * value(first + j)).sum();
            square += momentum * value(first + i);
        }
        // The first velocity of a body is that of its centre along x.
        if size > 0 && mass[entry] > 0.0 {
            most = most.max((square / mass[entry]).max(0.0).sqrt());
        }
        first += size;
        entry += size * size;
    }
    most
}

impl Runner<'_> {
    /// The next steps of a run whose steps are chosen by the accuracy, and the row at their end if one is
    /// due: rows come at the times of the output step.
    pub(super) fn next_pair(&mut self, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        let Some(mut choice) = self.course.choice.take() else { return Ok(()) };
        choice.order = self.integrator.order().max(1);
        let t_end = self.row_time(self.course.row + 1);
        let outcome = self.advance_pair(&mut choice, t_end);
        self.course.steps = choice.count.taken;
        self.course.choice = Some(choice);
        outcome?;
        let is_due = self.course.state.t >= t_end;
        if self.watch() || is_due {
            self.output(observer)?;
        }
        self.course.row += u64::from(is_due);
        Ok(())
    }

    /// Two steps of equal length that are as accurate as asked, or the least ones.
    fn advance_pair(&mut self, choice: &mut StepChoice, t_end: f64) -> Result<(), RunStatus> {
        let (mut pair, mut is_last) = choice.length(t_end - self.course.state.t);
        self.course.before.clone_from(&self.course.state);
        self.integrator.save();
        let mut twice: Option<Difference> = None;
        // Whether `choice.single` holds the single step of this length already.
        let mut known = false;
        loop {
            let can_halve = 0.25 * pair >= choice.least;
            let tried = self.try_pair(choice, pair, known);
            choice.count.computed += if known { 2 } else { 3 };
            let verdict = match &tried {
                Ok(Some(_)) => {
                    let single = std::mem::take(&mut choice.single);
                    let half = std::mem::take(&mut choice.half);
                    choice.list_jumps(1, self.integrator.record());
                    let states = [&single, &half, &self.course.state];
                    let found = choice.difference(self.system, states, pair);
                    (choice.single, choice.half) = (single, half);
                    let verdict = choice.judge(pair, found, twice);
                    twice = Some(found);
                    verdict
                }
                Err(RunStatus::Interrupted) => return tried.map(|_| ()),
                // Not solved, or not finite: a shorter step may be.
                _ => {
                    twice = None;
                    Verdict::Halve
                }
            };
            if verdict == Verdict::Halve && can_halve {
                // The first half is the single step of half the length.
                known = matches!(tried, Ok(Some(_)));
                std::mem::swap(&mut choice.single, &mut choice.half);
                choice.count.refused += 1;
                self.course.state.clone_from(&self.course.before);
                self.integrator.restore();
                (pair, is_last) = (0.5 * pair, false);
                continue;
            }
            match tried? {
                Some(reports) => {
                    self.keep_pair(choice, pair, &reports);
                    choice.depth[0] = choice.depth[1];
                    choice.count.taken += 2;
                    choice.count.inaccurate += u64::from(verdict == Verdict::Halve);
                }
                None => {
                    // The same means as with equal steps; it books what it does.
                    self.course.state.clone_from(&self.course.before);
                    self.integrator.restore();
                    self.rescue(pair, None)?;
                    choice.depth[0] = choice.penetration(self.system, &self.course.state);
                    choice.count.taken += 1;
                }
            }
            let range = &mut choice.count.range;
            *range = [range[0].min(0.5 * pair), range[1].max(0.5 * pair)];
            let growth = match verdict {
                // What was just refused would be refused again.
                Verdict::Keep(_) if known => 1.0,
                // Never shorter after a good one: an error that is proportional to the step would make
                // it ever shorter.
                Verdict::Keep(growth) => growth.max(1.0),
                Verdict::Jump | Verdict::Halve => GROWTH,
            };
            // A row that cuts a step short says nothing of the next one.
            choice.next = if is_last { choice.next.max(pair * growth) } else { pair * growth };
            choice.next = choice.next.clamp(2.0 * choice.least, choice.largest);
            break;
        }
        if is_last {
            self.course.state.t = t_end;
        }
        self.finish_step()
    }

    /// Computes the single step, unless it is known, and then the pair, at which it leaves the state.
    /// Nothing if a contact problem was not solved.
    fn try_pair(
        &mut self,
        choice: &mut StepChoice,
        pair: f64,
        known: bool,
    ) -> Result<Option<[StepReport; 2]>, RunStatus> {
        if !known {
            let single = self.step(pair)?;
            choice.single.clone_from(&self.course.state);
            self.course.state.clone_from(&self.course.before);
            self.integrator.restore();
            if single.solve.status != Status::Solved {
                return Ok(None);
            }
        }
        let first = self.step(0.5 * pair)?;
        choice.half.clone_from(&self.course.state);
        choice.record.copy_from(self.integrator.record());
        choice.list_jumps(0, self.integrator.record());
        if first.solve.status != Status::Solved {
            return Ok(None);
        }
        let second = self.step(0.5 * pair)?;
        let solved = second.solve.status == Status::Solved;
        Ok(solved.then_some([first, second]))
    }

    /// Enters the pair that was computed last into the books.
    fn keep_pair(&mut self, choice: &mut StepChoice, pair: f64, reports: &[StepReport; 2]) {
        std::mem::swap(&mut self.course.state, &mut choice.half);
        std::mem::swap(&mut self.course.kept_record, &mut choice.record);
        self.course.by_kept_record = true;
        self.accept(0.5 * pair, &reports[0]);
        self.course.by_kept_record = false;
        std::mem::swap(&mut self.course.kept_record, &mut choice.record);
        std::mem::swap(&mut self.course.state, &mut choice.half);
        self.accept(0.5 * pair, &reports[1]);
        let speed = largest_speed(self.system, &choice.mass, &self.course.state.u, None);
        choice.speed = choice.speed.max(speed);
    }
}
