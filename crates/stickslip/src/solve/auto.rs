//! The default solver: Newton steps from the last time step where they are cheap, then sweeps; Lemke's method,
//! an interior point or Newton's where sweeps are too slow.

use super::block_lu::IN_ORDER;
use super::condense::Condensed;
use super::gauss_seidel::GaussSeidel;
use super::interior_point::InteriorPoint;
use super::lcp::{Lemke, LemkeOptions};
use super::local;
use super::monitor::Monitor;
use super::nearby::Nearby;
use super::newton::{self, Newton, NewtonOptions};
use super::patience::{affordable_sweeps, few_sweeps, trial_sweeps};
use super::whole::Whole;
use super::{Limits, SolveError, SolveReport, Solver, Status, check_start};
use crate::problem::InclusionProblem;
use crate::problem::reorder::{random_order, reordered};

/// Options of [`Auto`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct AutoOptions {
    /// When to stop; an iteration is a sweep, a Newton step or a pivot of whatever method runs.
    pub limits: Limits,
    /// Sweep over joints like over contacts. Where several solutions exist, another one of them may be
    /// found then. Default: false.
    pub keep_joints: bool,
}

/// Eliminates joints where that can be done exactly (see `condense.rs`), tries the cheap method on what is
/// left, sees by the residual that it stalls or is too slow, and escalates.
///
/// 1. A few Newton steps from the percussions of the last time step, where they cost as little as some
///    sweeps: mostly every contact does what it did.
/// 2. Gauss-Seidel with exact local solves, as long as its rate of convergence promises an end
///    within a moderate number of sweeps. Where they creep at a small residual, Newton steps from there.
/// 3. Lemke's method, where contacts are few and planar: it ends after finitely many pivots, and
///    enumeration behind it finds a solution of the smallest problems if there is one.
/// 4. The interior point, where it takes the laws and the problem is larger than that, with Newton steps
///    behind it if it stops short of the tolerance.
/// 5. Sweeps again if that fails at a large residual, with the contacts in another order, for their residual falls
///    by fits and starts in what is jammed: as many as cost less than Newton's method is expected to.
/// 6. Semismooth Newton with a proximal outer loop, from the best percussions so far, or after 5 from the
///    start.
///
/// Sweeps get as many operations as the interior point is expected to need, so that the whole takes at
/// most twice as many as the better of both. They are counted, not timed: a result depends on no clock.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    monitor: Monitor,
    condensed: Condensed,
    whole: Whole,
    core: Core,
    /// Whether the last problem was one of joints alone.
    was_of_joints: bool,
}

/// What solves a problem as it stands.
#[derive(Clone, Debug, Default)]
struct Core {
    options: AutoOptions,
    monitor: Monitor,
    sweeps: GaussSeidel,
    lemke: Lemke,
    interior: InteriorPoint,
    newton: Newton,
    nearby: Nearby,
    start: Vec<f64>,
    found: Vec<f64>,
}

/// Parts of the tolerance to which what is left without joints is solved, one after the other: sizes that
/// the residual is relative to differ.
const PARTS_OF_TOLERANCE: [f64; 3] = [0.5, 1e-2, 1e-4];
/// Newton steps for what is left without joints: what needs more is left to the whole problem, which may
/// be better posed.
const STEPS_WITHOUT_JOINTS: usize = 100;
/// Components up to which a planar problem goes to Lemke's method.
const LEMKE_UP_TO: usize = 40;
/// Pivots that are spent there.
const LEMKE_PIVOTS: usize = 1000;
/// Contacts from which so many sweeps come before Newton steps from the last time step: a pile at rest needs no more, and
/// to analyse its pattern takes as long.
const SWEPT_FIRST: usize = 1000;
const SWEPT: usize = 16;
/// Sweeps after which the interior point is thought of: to analyse the pattern of G costs some sweeps.
const FIRST_LOOK: usize = 64;
/// Steps that the interior point is expected to need.
const INTERIOR_STEPS: f64 = 18.0;
/// Residual below which no order of the contacts makes sweeps end before Newton's method does.
const SWEPT_DOWN_TO: f64 = 1e-6;
/// Newton steps that are expected where the interior point fails.
const NEWTON_STEPS: f64 = 100.0;
/// What a contact costs in a sweep, and an operation of a Newton step, in products of an entry of G with a
/// component, as measured.
const OF_CONTACT: f64 = 134.0;
const OF_NEWTON: f64 = 0.5;

/// What a sweep costs, in the same products.
fn work_of_sweep(problem: &InclusionProblem) -> f64 {
    let contacts = problem.contacts().len() as f64;
    problem.delassus().data().len() as f64 + OF_CONTACT * contacts
}
impl Auto {
    /// A solver with the given options.
    pub fn new(options: AutoOptions) -> Result<Self, SolveError> {
        options.limits.validate()?;
        let newton = Newton::new(NewtonOptions { limits: options.limits, ..Default::default() })?;
        let lemke = Lemke::new(LemkeOptions {
            limits: Limits { max_iterations: LEMKE_PIVOTS, ..options.limits },
            restarts: 2,
            ..Default::default()
        })?;
        let core = Core { options, newton, lemke, ..Core::default() };
        Ok(Self { core, ..Self::default() })
    }

    /// Eliminates the joints, solves what is left, and judges the whole. None if this did not solve it.
    fn by_elimination(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<Option<SolveReport>, SolveError> {
        let limits = self.core.options.limits;
        // Where joints move the start is no solution, and need not be judged.
        let may_be_solved = self.condensed.joints_hold(problem, lambda, limits.tolerance);
        if may_be_solved {
            self.monitor.begin(&limits, problem, lambda);
            if self.monitor.stops(0) {
                return Ok(Some(self.monitor.end(lambda, 0, Status::Solved)));
            }
        }
        if self.condensed.solve_joints(problem, lambda) {
            self.was_of_joints = true;
            self.monitor.set_out(&limits);
            self.monitor.judge_end(problem, lambda);
            let report = self.monitor.end(lambda, 1, Status::Stalled);
            return Ok(Some(report).filter(|report| report.status == Status::Solved));
        }
        let Self { whole, monitor, .. } = self;
        if let Some(steps) = whole.follow(problem, lambda, &limits, monitor, may_be_solved) {
            return Ok(Some(monitor.end(lambda, steps, Status::Stalled)));
        }
        if !self.condensed.prepare(problem) {
            return Ok(None);
        }
        // With percussions of the joints that fit those of all others, what has not changed is solved. Where joints
        // move and little is left without them, that is judged first: it costs less.
        let mut is_judged = may_be_solved || !self.condensed.leaves_little();
        if is_judged {
            self.condensed.complete(problem, lambda);
            if may_be_solved {
                self.monitor.judge(problem, lambda);
            } else {
                self.monitor.begin(&limits, problem, lambda);
            }
            if self.monitor.stops(1) || self.condensed.is_everything() {
                let report = self.monitor.end(lambda, 1, Status::Stalled);
                return Ok(Some(report).filter(|report| report.status == Status::Solved));
            }
        } else {
            self.monitor.set_out(&limits);
        }
        if !self.condensed.reduce(problem) {
            self.condensed.complete(problem, lambda);
            return Ok(None);
        }
        self.condensed.gather(lambda);
        let mut iterations = 1;
        for part in PARTS_OF_TOLERANCE {
            let Condensed { problem: left, lambda: percussions, .. } = &mut self.condensed;
            let max_time = self.monitor.time_left();
            let tolerance = part * limits.tolerance;
            self.core.options.limits = Limits { tolerance, max_time, ..limits };
            let report = self.core.solve(left, percussions, STEPS_WITHOUT_JOINTS);
            self.core.options.limits = limits;
            let report = report?;
            iterations += report.iterations;
            if report.status != Status::Solved {
                self.condensed.complete(problem, lambda);
                return Ok(None);
            }
            self.condensed.expand(problem, lambda);
            if is_judged {
                self.monitor.judge(problem, lambda);
            } else {
                self.monitor.judge_start(problem, lambda);
                is_judged = true;
            }
            if self.monitor.stops(iterations) {
                break;
            }
        }
        let report = self.monitor.end(lambda, iterations, Status::Stalled);
        Ok(Some(report).filter(|report| report.status == Status::Solved))
    }
}

impl Core {
    /// Sweeps while they pay, with so many iterations left, and Newton steps where they creep. Returns the number of both.
    fn sweep(&mut self, problem: &InclusionProblem, lambda: &mut [f64], left: usize) -> usize {
        let limits = self.options.limits;
        let mut most = affordable_sweeps(problem.dim()).min(left);
        let mut trial = trial_sweeps(problem.dim());
        let start = self.monitor.best();
        let mut mark = (0, self.monitor.best());
        self.sweeps.begin(problem, lambda);
        let (mut sweep, mut looked) = (0, false);
        let mut newton_steps = 0;
        while sweep < most {
            if sweep == SWEPT && problem.contacts().len() >= SWEPT_FIRST {
                newton_steps += self.follow_late(problem);
                if self.monitor.solved() {
                    return sweep + newton_steps;
                }
            }
            let end = if sweep < SWEPT { most.min(SWEPT) } else { most };
            sweep = self.sweeps.advance(problem, lambda, 1.0, (sweep, end), &limits);
            let step = self.sweeps.step(lambda);
            if self.sweeps.is_due(sweep, step, &limits) || sweep == most {
                self.sweeps.show(lambda);
                let residual = self.monitor.judge(problem, lambda).value;
                self.sweeps.judged(sweep, step, residual, &limits);
                if self.monitor.stops(sweep) || self.monitor.out_of_time() {
                    return sweep + newton_steps;
                }
                let best = self.monitor.best();
                let mean_rate = (start / best).ln() / sweep as f64;
                let needed = (best / limits.tolerance).ln() / mean_rate;
                if self.nearby.is_due(best, needed) && self.steps_are_cheap(problem) {
                    newton_steps += self.nearby.polish(problem, lambda, &mut self.monitor);
                    if self.monitor.solved() {
                        return sweep + newton_steps;
                    }
                }
                if sweep >= FIRST_LOOK && !looked && problem.dim() > LEMKE_UP_TO {
                    let all = (start / limits.tolerance).ln() * sweep as f64 / (start / best).ln();
                    looked = !(all <= few_sweeps(problem.dim()));
                    if looked && let Some(affordable) = self.sweeps_of_interior_point(problem) {
                        most = affordable.max(sweep + 1).min(left);
                        trial = trial.min(1 + affordable / 4);
                    }
                }
                if sweep >= mark.0 + trial.max(sweep / 2) {
                    // Sweeps still needed at the rate of this window.
                    let rate = (mark.1 / best).ln() / (sweep - mark.0) as f64;
                    let needed = (best / limits.tolerance).ln() / rate;
                    if rate.is_nan() || rate <= 0.0 || needed > (most - sweep) as f64 {
                        return sweep + newton_steps;
                    }
                    mark = (sweep, best);
                }
            }
            self.sweeps.carry(lambda, step);
        }
        most + newton_steps
    }

    /// Whether Newton steps by sparse blocks cost as little as some sweeps, which have begun.
    fn steps_are_cheap(&mut self, problem: &InclusionProblem) -> bool {
        let least = self.sweeps.work_of_factors();
        self.nearby.is_cheap(problem, work_of_sweep(problem), least)
    }

    /// Newton steps from the percussions of the last time step, if there are any and the steps are cheap. Returns their
    /// number.
    fn follow_late(&mut self, problem: &InclusionProblem) -> usize {
        let is_warm = self.start.iter().any(|v| *v != 0.0);
        if !is_warm || !self.steps_are_cheap(problem) {
            return 0;
        }
        self.found.clear();
        self.found.extend_from_slice(&self.start);
        self.monitor.judge(problem, &self.found);
        self.nearby.follow(problem, &mut self.found, &mut self.monitor, &self.start)
    }

    /// Sweeps from the best percussions so far, contacts in random order: what makes sweeps cycle or creep is mostly
    /// their order. They are so many at most, and cost no more than Newton's method is expected to. What they find is
    /// judged only. Returns their number.
    fn sweep_in_another_order(
        &mut self,
        problem: &InclusionProblem,
        most: usize,
    ) -> Result<usize, SolveError> {
        let newton = NEWTON_STEPS * OF_NEWTON * newton::work_of_step(problem);
        let most = most.min((newton / work_of_sweep(problem)) as usize);
        let order = random_order(problem.contacts().len(), 1);
        let mixed = reordered(problem, &order);
        let ranges = |k: usize| problem.contacts()[order[k]].range();
        let mut percussions = Vec::with_capacity(problem.dim());
        for k in 0..order.len() {
            percussions.extend_from_slice(&self.monitor.best_lambda()[ranges(k)]);
        }
        let Limits { tolerance, .. } = self.options.limits;
        let max_time = self.monitor.time_left();
        self.sweeps.set_limits(Limits { tolerance, max_time, max_iterations: most.max(1) });
        let report = self.sweeps.solve(&mixed, &mut percussions)?;
        for (k, contact) in mixed.contacts().iter().enumerate() {
            self.found[ranges(k)].copy_from_slice(&percussions[contact.range()]);
        }
        self.monitor.judge(problem, &self.found);
        Ok(report.iterations)
    }

    /// Sweeps that cost as much as the interior point is expected to; none if it cannot take the laws.
    fn sweeps_of_interior_point(&mut self, problem: &InclusionProblem) -> Option<usize> {
        let step = self.interior.work_of_step(problem)?;
        Some((INTERIOR_STEPS * step / work_of_sweep(problem)) as usize)
    }

    /// The interior point with what is left of iterations and time. What it finds is judged only. False if it
    /// cannot take the laws.
    fn by_interior_point(&mut self, problem: &InclusionProblem, iterations: &mut usize) -> bool {
        let limits = self.options.limits;
        self.interior.set_limits(Limits {
            max_iterations: limits.max_iterations.saturating_sub(*iterations).max(1),
            max_time: self.monitor.time_left(),
            ..limits
        });
        self.found.clear();
        self.found.resize(problem.dim(), 0.0);
        // Laws that it does not take are an error of its own, not of this solve.
        let Ok(report) = self.interior.solve(problem, &mut self.found) else { return false };
        *iterations += report.iterations;
        self.monitor.judge(problem, &self.found);
        true
    }

    /// Newton from `lambda` with what is left of iterations and time.
    fn escalate(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        iterations: &mut usize,
        most_steps: usize,
    ) -> Result<Status, SolveError> {
        let limits = self.options.limits;
        let left = limits.max_iterations.saturating_sub(*iterations).max(1);
        self.newton.set_limits(Limits {
            max_iterations: left.min(most_steps),
            max_time: self.monitor.time_left(),
            ..limits
        });
        let report = self.newton.solve(problem, lambda)?;
        *iterations += report.iterations;
        self.monitor.judge(problem, lambda);
        match report.status {
            // Solved by the measure of huge percussions at the start only.
            Status::Solved if !self.monitor.solved() => Ok(Status::Diverged),
            status => Ok(status),
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn limits(&self) -> Limits {
        self.core.options.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.core.options.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        check_start(problem, lambda)?;
        self.was_of_joints = false;
        if !self.core.options.keep_joints
            && Condensed::has_joints(problem)
            && let Some(report) = self.by_elimination(problem, lambda)?
        {
            return Ok(report);
        }
        self.core.solve(problem, lambda, usize::MAX)
    }

    fn solve_joints_again(&self, b: &mut [f64]) -> bool {
        self.was_of_joints && self.condensed.solve_again(b)
    }
}

impl Core {
    /// Solves with at most so many Newton steps at a time.
    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        most_steps: usize,
    ) -> Result<SolveReport, SolveError> {
        let limits = self.options.limits;
        self.start.clear();
        self.start.extend_from_slice(lambda);
        // The local solution of an only contact is the whole one: it is judged, and its start is not.
        if local::solve_only(problem, lambda, limits.tolerance) {
            self.sweeps.make_room(problem, lambda);
            self.nearby.begin(problem.dim(), limits.max_iterations);
            self.monitor.begin(&limits, problem, lambda);
            if self.monitor.stops(1) {
                return Ok(self.monitor.end(lambda, 1, Status::Solved));
            }
            lambda.copy_from_slice(&self.start);
        }
        self.monitor.begin(&limits, problem, lambda);
        if self.monitor.stops(0) {
            return Ok(self.monitor.end(lambda, 0, Status::Solved));
        }
        let mut iterations = 0;
        let contacts = problem.contacts().len();
        let is_warm = lambda.iter().any(|v| *v != 0.0);
        self.nearby.begin(problem.dim(), limits.max_iterations);
        // A few contacts are prepared for in any case: the steps that follow shall ask for no more memory. Many are swept
        // first.
        let is_cheap = (is_warm || contacts <= IN_ORDER)
            && contacts < SWEPT_FIRST
            && self.nearby.is_cheap(problem, work_of_sweep(problem), 0.0);
        if is_warm && is_cheap {
            iterations += self.nearby.follow(problem, lambda, &mut self.monitor, &self.start);
            if self.monitor.solved() {
                return Ok(self.monitor.end(lambda, iterations, Status::Solved));
            }
            lambda.copy_from_slice(&self.start);
        }
        let left = limits.max_iterations.saturating_sub(iterations);
        iterations += self.sweep(problem, lambda, left);
        if self.monitor.solved() {
            return Ok(self.monitor.end(lambda, iterations, Status::Solved));
        }
        if self.monitor.out_of_time() {
            return Ok(self.monitor.end(lambda, iterations, Status::TimeLimit));
        }
        if iterations >= limits.max_iterations {
            return Ok(self.monitor.end(lambda, iterations, Status::MaxIterations));
        }
        lambda.copy_from_slice(self.monitor.best_lambda());
        if problem.dim() <= LEMKE_UP_TO && limits.max_iterations - iterations >= LEMKE_PIVOTS {
            let Limits { tolerance, max_time, .. } = limits;
            self.lemke.set_limits(Limits { tolerance, max_time, max_iterations: LEMKE_PIVOTS });
            // Laws that have no planar form are an error of Lemke's, not of this solve.
            if let Ok(report) = self.lemke.solve(problem, lambda) {
                iterations += report.iterations;
                self.monitor.judge(problem, lambda);
                if self.monitor.solved() {
                    return Ok(self.monitor.end(lambda, iterations, Status::Solved));
                }
            }
        }
        if problem.dim() > LEMKE_UP_TO {
            let took = self.by_interior_point(problem, &mut iterations);
            if took
                && !self.monitor.solved()
                && let Some(step) = self.interior.work_of_step(problem)
                && self.nearby.is_affordable(problem, step)
            {
                iterations += self.nearby.polish(problem, lambda, &mut self.monitor);
            }
            if took && !self.monitor.solved() && iterations < limits.max_iterations {
                // Its path has a fold. Where sweeps do not help either, Newton's method depends on the
                // order of contacts least if it begins where this solve began.
                if self.monitor.best() > SWEPT_DOWN_TO {
                    iterations +=
                        self.sweep_in_another_order(problem, limits.max_iterations - iterations)?;
                }
                lambda.copy_from_slice(&self.start);
            }
            if self.monitor.solved() {
                return Ok(self.monitor.end(lambda, iterations, Status::Solved));
            }
            if self.monitor.out_of_time() {
                return Ok(self.monitor.end(lambda, iterations, Status::TimeLimit));
            }
        }
        let mut status = self.escalate(problem, lambda, &mut iterations, most_steps)?;
        let left = iterations < limits.max_iterations && !self.monitor.out_of_time();
        if status == Status::Diverged && left {
            // The sweeps may have gone astray before: once more from the start.
            lambda.copy_from_slice(&self.start);
            status = self.escalate(problem, lambda, &mut iterations, most_steps)?;
        }
        Ok(self.monitor.end(lambda, iterations, status))
    }
}
