//! A step of a time stepper, repeated from changed states: the derivative of one step.

use super::bend::Bend;
use super::between::Between;
use super::carried::{Carried, Changes, Pair};
use super::{Integrator, Iteration, StepError, StepRecord, Tangent, check_finite};
use crate::solve::{SolvedProblems, Status};
use crate::system::{MechanicalSystem, State};

/// Change of a state between two steps that are subtracted, relative to the scale of the system.
const REACH: f64 = 1e-5;
/// The same up to which a state and a parameter may be changed together.
const MOST_REACH: f64 = 3e-5;
/// How often a change is made smaller, ten times each, if with it other contacts take part.
const SMALLER: usize = 3;
/// What the second derivative may change by from one look at it to the next, in the derivative of a step, relative.
const MOST_CHANGE: f64 = 2e-7;
/// Kinds of steps that are remembered: contacts may flicker from step to step.
const MOST_KINDS: usize = 16;

/// A copy of the integrator that repeats its steps nearby.
#[derive(Clone)]
pub(super) struct Shadow {
    plan: Plan,
    copy: Box<dyn Integrator>,
    /// Of the change of the state (with the parameter, if both are changed together), and of the parameter alone.
    tracks: [Track; 2],
    /// What the change grew by in the steps that were looked at.
    between: Between,
    /// Whether the step of the run is passed over.
    pub(super) passes: bool,
}

impl Shadow {
    /// One that has made no step.
    pub(super) fn new(copy: Box<dyn Integrator>) -> Self {
        let tracks = [Track::default(), Track::default()];
        Self { plan: Plan::Nothing, copy, tracks, between: Between::default(), passes: false }
    }

    /// Carries a change over a step of the run without a look at it, if the steps before allow it.
    pub(super) fn pass(&mut self, kind: Option<u64>, tangent: &mut Tangent) {
        self.passes = self.between.passes(kind);
        if self.passes {
            self.between.pass(tangent);
        }
    }

    /// Makes ready to repeat a step.
    fn prepare(&mut self, change: &Carried, scale: [f64; 2]) {
        self.change_plan(Plan::of(change, scale, self.tracks[0].boldness()));
        self.copy.save();
    }

    /// Takes another plan; what was shown of the derivative of another map is forgotten.
    fn change_plan(&mut self, plan: Plan) {
        if std::mem::discriminant(&plan) != std::mem::discriminant(&self.plan) {
            self.tracks = [Track::default(), Track::default()];
        }
        self.plan = plan;
    }
}

/// What the steps before have shown of a derivative.
#[derive(Clone, Default)]
pub(super) struct Track {
    /// By the kinds of steps: which contacts take part, and press.
    bends: Vec<(u64, Bend)>,
    /// Derivatives of what the iterations of the last steps that were looked at have found, the newest first: of the
    /// velocities without those at the start of the step, and of the rest.
    slopes: [Vec<f64>; 3],
}

impl Track {
    /// Where the iteration of a step begins from a state that is changed by `by` along `u`: as that of the run does,
    /// which carries its accelerations on by the polynomial through those of the last three steps.
    fn begin(&self, iteration: &Iteration, u: &[f64], by: f64, out: &mut Vec<f64>) {
        out.clear();
        let [velocities, others] = iteration.begin;
        out.extend(velocities.iter().zip(u).map(|(x, d)| x + by * d));
        out.extend_from_slice(others);
        let [first, second, third] = &self.slopes;
        let n = u.len();
        let seen = [first, second, third].iter().take_while(|slope| slope.len() >= n).count();
        let ahead: [f64; 3] = match seen.min(iteration.depth) {
            0 => [0.0; 3],
            1 => [1.0, 0.0, 0.0],
            2 => [2.0, -1.0, 0.0],
            _ => [3.0, -3.0, 1.0],
        };
        for (slope, weight) in self.slopes.iter().zip(ahead) {
            out.iter_mut().zip(slope.iter().take(n)).for_each(|(x, d)| *x += by * weight * d);
        }
        if first.len() == out.len() {
            out.iter_mut().zip(first).skip(n).for_each(|(x, d)| *x += by * d);
        }
    }

    /// Learns from what two iterations have found, at a distance of `by` along `u`.
    fn learn(&mut self, [end, begin]: [&[f64]; 2], u: &[f64], by: f64) {
        self.slopes.rotate_right(1);
        let newest = &mut self.slopes[0];
        newest.clear();
        if end.len() == begin.len() {
            newest.extend(end.iter().zip(begin).map(|(a, b)| (a - b) / by));
            newest.iter_mut().zip(u).for_each(|(slope, d)| *slope -= d);
        }
    }

    /// By how much changes may be larger than usual: in steps of all kinds.
    fn boldness(&self) -> f64 {
        let all = self.bends.iter().map(|(_, bend)| bend.boldness());
        all.reduce(f64::min).unwrap_or(1.0)
    }

    /// What is known of steps of a kind.
    fn of_kind(&mut self, kind: u64) -> &mut Bend {
        let place = self.bends.iter().position(|(known, _)| *known == kind);
        let place = place.unwrap_or_else(|| {
            if self.bends.len() == MOST_KINDS {
                self.bends.remove(0);
            }
            self.bends.push((kind, Bend::default()));
            self.bends.len() - 1
        });
        &mut self.bends[place].1
    }
}

/// How a derivative is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// It is zero.
    Nothing,
    /// By a change of the state alone.
    State(f64),
    /// By one of state and parameter together, with this pair.
    Together(usize),
    /// By both, one after the other.
    Apart(f64),
}

impl Plan {
    /// `boldness` is by how much a change may be larger than usual.
    fn of(change: &Carried, scale: [f64; 2], boldness: f64) -> Self {
        let Carried { tangent, pairs } = change;
        let size = size_of(&tangent.q, &tangent.u, scale) / boldness;
        // Powers of ten, so that it seldom changes.
        let by_state = || 10.0_f64.powf((REACH / size).log10().floor());
        if tangent.parameter == 0.0 || pairs.is_empty() {
            return if size == 0.0 { Plan::Nothing } else { Plan::State(by_state()) };
        }
        match pairs.iter().position(|pair| pair.step * size <= MOST_REACH) {
            Some(pair) => Plan::Together(pair),
            None => Plan::Apart(by_state()),
        }
    }

    /// The step of the difference.
    fn step(self, pairs: &[Pair]) -> f64 {
        match self {
            Self::Nothing => 1.0,
            Self::State(step) | Self::Apart(step) => step,
            Self::Together(number) => pairs.get(number).map_or(1.0, |pair| pair.step),
        }
    }
}

/// Size of a change relative to lengths and speeds of the system.
pub(super) fn size_of(q: &[f64], u: &[f64], [length, speed]: [f64; 2]) -> f64 {
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    (largest(q) / length).max(largest(u) / speed)
}

/// Contacts and joints that took part in a step.
fn list_keys(record: &StepRecord, keys: &mut Vec<u64>) {
    keys.clear();
    keys.extend(record.percussions.entries.iter().map(|entry| entry.key));
    keys.sort_unstable();
    keys.dedup();
}

/// Memory of repeated steps: a step of a small system takes no longer than to ask for it.
#[derive(Clone, Default)]
pub(super) struct Room {
    /// Contacts and joints of the step, and of the one that is repeated.
    keys: Vec<u64>,
    keys_now: Vec<u64>,
    state: State,
    /// What the iteration of the run has found, and where the run ended.
    found: Vec<f64>,
    own: Vec<f64>,
    guess: Vec<f64>,
    /// Vectors that are not in use.
    spare: Vec<Vec<f64>>,
}

impl Room {
    /// An empty vector.
    fn take(&mut self) -> Vec<f64> {
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        list
    }
}

/// A step that is repeated from changed states.
pub(super) struct ChangedStep<'a> {
    system: &'a dyn MechanicalSystem,
    before: &'a State,
    dt: f64,
    problems: &'a SolvedProblems,
    scale: [f64; 2],
    /// Its kind, if it is like those before, and the same if the run goes on smoothly in it.
    kind: Option<u64>,
    smooth: Option<u64>,
    /// The iteration of the run.
    iteration: Option<Iteration<'a>>,
    room: &'a mut Room,
}

/// The end of a step from a changed state, what its iteration has found, whether the same contacts took part, and whether
/// they did so in the same problems one after the other.
struct End {
    x: Vec<f64>,
    found: Vec<f64>,
    is_same: bool,
    in_order: bool,
}

/// Ways to take a difference, by their numbers: the step, and the systems on both sides if a parameter changes.
type Ways<'a, 'b> = &'b dyn Fn(usize) -> Option<(f64, Option<&'a Pair>)>;

impl<'a> ChangedStep<'a> {
    /// The step that `run` made to `end`.
    pub(super) fn new(
        system: &'a dyn MechanicalSystem,
        [before, end]: [&'a State; 2],
        dt: f64,
        problems: &'a SolvedProblems,
        run: &'a dyn Integrator,
        scale: [f64; 2],
        [kind, smooth]: [Option<u64>; 2],
        room: &'a mut Room,
    ) -> Self {
        let iteration = run.iteration();
        list_keys(run.record(), &mut room.keys);
        join(iteration.map_or([&[], &[]], |iteration| iteration.end), &mut room.found);
        join([&end.q, &end.u], &mut room.own);
        Self { system, before, dt, problems, scale, kind, smooth, iteration, room }
    }

    /// Carries all changes over the step.
    pub(super) fn carry(
        &mut self,
        changes: &mut Changes,
        shadows: &mut [Option<Shadow>],
    ) -> Result<(), StepError> {
        let n = self.before.q.len();
        for (change, place) in changes.list.iter_mut().zip(shadows) {
            let Some(shadow) = place.as_mut().filter(|shadow| !shadow.passes) else { continue };
            shadow.prepare(change, self.scale);
            let (mut derivative, by_first) = self.derivative(change, shadow)?;
            let scale = self.scale;
            let size = |x: &[f64]| size_of(&x[..n], &x[n..], scale);
            let Shadow { between, plan, .. } = shadow;
            let state = size(&self.room.own) / plan.step(&change.pairs);
            between.learn(self.smooth, &change.tangent, &mut derivative, state, &size);
            check_finite(self.before.t, "derivative", &derivative)?;
            let (q, u) = derivative.split_at(n);
            change.tangent.q.copy_from_slice(q);
            change.tangent.u.copy_from_slice(u);
            self.room.spare.push(derivative);
            match by_first {
                Found::First => {}
                // The shadow went along with another change than that of the plan.
                Found::Other => *place = None,
                Found::OneSided => {
                    changes.blind += 1;
                    *place = None;
                }
            }
        }
        Ok(())
    }

    /// The change at the end of the step.
    fn derivative(
        &mut self,
        change: &Carried,
        shadow: &mut Shadow,
    ) -> Result<(Vec<f64>, Found), StepError> {
        let Carried { tangent, pairs } = change;
        let Shadow { plan, copy, tracks: [first, second], .. } = shadow;
        let alone = |first: f64| {
            move |k: usize| (k <= SMALLER).then(|| (first * 0.1_f64.powi(k as i32), None))
        };
        let with = |first: usize| {
            move |k: usize| pairs.get(first + k).map(|pair: &Pair| (pair.step, Some(pair)))
        };
        match *plan {
            Plan::Nothing => Ok((vec![0.0; tangent.q.len() + tangent.u.len()], Found::First)),
            Plan::State(step) => self.difference(tangent, &alone(step), copy, first),
            Plan::Together(number) => self.difference(tangent, &with(number), copy, first),
            Plan::Apart(step) => {
                let (mut of_state, found) = self.difference(tangent, &alone(step), copy, first)?;
                let still = Tangent {
                    q: vec![0.0; tangent.q.len()],
                    u: vec![0.0; tangent.u.len()],
                    parameter: 1.0,
                };
                let (by_parameter, other) = self.difference(&still, &with(0), copy, second)?;
                of_state.iter_mut().zip(&by_parameter).for_each(|(a, b)| *a += b);
                Ok((of_state, found.max(other)))
            }
        }
    }

    /// The difference quotient along a direction on one side alone, if the steps before allow it. Where that side does
    /// not do, its sign and end are in `tried`.
    fn on_one_side(
        &mut self,
        along: &Tangent,
        (step, pair): (f64, Option<&Pair>),
        copy: &mut Box<dyn Integrator>,
        track: &mut Track,
        tried: &mut Option<(f64, Result<End, StepError>)>,
    ) -> Option<Vec<f64>> {
        let Some(kind) = self.kind else {
            track.bends.clear();
            return None;
        };
        let sign = track.of_kind(kind).side(step)?;
        let system = match pair {
            Some(pair) => pair.around.systems()?[usize::from(sign < 0.0)].as_ref(),
            None => self.system,
        };
        let by = sign * step;
        match self.end(system, along, by, copy, track) {
            Ok(end) if end.is_same && end.in_order => {
                track.learn([&end.found, &self.room.found], &along.u, by);
                self.room.spare.push(end.found);
                Some(track.of_kind(kind).derivative(by, end.x, &self.room.own, 1.0))
            }
            other => {
                *tried = Some((sign, other));
                None
            }
        }
    }

    /// The difference quotient along a direction, by the first of the ways in which the same contacts take part.
    fn difference(
        &mut self,
        along: &Tangent,
        ways: Ways,
        copy: &mut Box<dyn Integrator>,
        track: &mut Track,
    ) -> Result<(Vec<f64>, Found), StepError> {
        let mut tried = None;
        if let Some(first) = ways(0)
            && let Some(found) = self.on_one_side(along, first, copy, track, &mut tried)
        {
            return Ok((found, Found::First));
        }
        let is_bold = track.boldness() > 1.0;
        let mut ends = None;
        for (number, (step, pair)) in (0..).map_while(ways).enumerate() {
            let own = self.system;
            let systems: [&dyn MechanicalSystem; 2] = match pair.map(|pair| pair.around.systems()) {
                Some(Some([above, below])) => [above.as_ref(), below.as_ref()],
                Some(None) => return Err(StepError::NoNeighbours { t: self.before.t }),
                None => [own, own],
            };
            let mut side = |sign: f64, system| match tried.take_if(|(known, _)| *known == sign) {
                Some((_, end)) => end,
                None => self.end(system, along, sign * step, copy, track),
            };
            let (up, down) = (side(1.0, systems[0]), side(-1.0, systems[1]));
            // Smaller changes are looked at on both sides.
            tried = None;
            if let (Ok(up), Ok(down)) = (&up, &down)
                && up.is_same
                && down.is_same
                // Far from the run other contacts may press in one of several stages.
                && (!is_bold || number > 0 || (up.in_order && down.in_order))
            {
                let found = if number == 0 { Found::First } else { Found::Other };
                track.learn([&up.found, &down.found], &along.u, 2.0 * step);
                if let (0, Some(kind)) = (number, self.kind) {
                    let (n, scale) = (self.before.q.len(), self.scale);
                    let size = |x: &[f64]| size_of(&x[..n], &x[n..], scale);
                    let values = [&up.x[..], &down.x, &self.room.own];
                    let bend = track.of_kind(kind);
                    if up.in_order && down.in_order {
                        bend.look(step, values, 1.0, MOST_CHANGE, &size);
                    } else {
                        bend.forget();
                    }
                }
                return Ok((quotient(&up.x, &down.x, 2.0 * step), found));
            }
            ends = Some((up, down, step));
        }
        let Some((up, down, step)) = ends else { return Ok((Vec::new(), Found::OneSided)) };
        let same = |end: &Result<End, StepError>| end.as_ref().is_ok_and(|end| end.is_same);
        // On one side alone, from the middle.
        if same(&up) || same(&down) {
            let middle = self.end(self.system, along, 0.0, copy, track)?;
            let quotient = match (up, down) {
                (Ok(up), _) if up.is_same => quotient(&up.x, &middle.x, step),
                (_, Ok(down)) => quotient(&middle.x, &down.x, step),
                (_, Err(error)) => return Err(error),
            };
            return Ok((quotient, Found::OneSided));
        }
        Ok((quotient(&up?.x, &down?.x, 2.0 * step), Found::OneSided))
    }

    /// The end of the step from a state that is changed by a multiple of a direction.
    fn end(
        &mut self,
        system: &dyn MechanicalSystem,
        along: &Tangent,
        by: f64,
        copy: &mut Box<dyn Integrator>,
        track: &Track,
    ) -> Result<End, StepError> {
        let mut state = std::mem::take(&mut self.room.state);
        state.clone_from(self.before);
        state.q.iter_mut().zip(&along.q).for_each(|(x, d)| *x += by * d);
        state.u.iter_mut().zip(&along.u).for_each(|(x, d)| *x += by * d);
        system.normalize(&mut state.q);
        copy.restore();
        if let Some(iteration) = &self.iteration {
            track.begin(iteration, &along.u, by, &mut self.room.guess);
            copy.iterate(&self.room.guess, iteration.turns);
        }
        self.problems.begin_again();
        let report = copy.step(system, &mut state, self.dt)?;
        let in_order = self.problems.were_all_met();
        let is_same = !self.problems.take_missed()
            && report.solve.status == Status::Solved
            && self.has_same_keys(copy.record());
        let (mut x, mut found) = (self.room.take(), self.room.take());
        join(copy.iteration().map_or([&[], &[]], |iteration| iteration.end), &mut found);
        join([&state.q, &state.u], &mut x);
        self.room.state = state;
        Ok(End { x, found, is_same, in_order })
    }

    /// Whether the contacts and joints of a step are those of the run.
    fn has_same_keys(&mut self, record: &StepRecord) -> bool {
        list_keys(record, &mut self.room.keys_now);
        self.room.keys_now == self.room.keys
    }
}

/// How a difference was found, from the best on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// As it was planned.
    First,
    /// With a smaller change.
    Other,
    /// On one side, or not at all: however small, a change lets other contacts take part.
    OneSided,
}

/// Writes two lists one after the other.
fn join(lists: [&[f64]; 2], out: &mut Vec<f64>) {
    out.clear();
    lists.iter().for_each(|list| out.extend_from_slice(list));
}

fn quotient(up: &[f64], down: &[f64], step: f64) -> Vec<f64> {
    up.iter().zip(down).map(|(up, down)| (up - down) / step).collect()
}
