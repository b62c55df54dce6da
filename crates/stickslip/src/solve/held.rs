//! The derivative of a solved problem, as a solver: what a small change of the problem makes of its solution.
//!
//! With Λ = prox_C(z), z = Λ − r ξ, ξ = G Λ + c and D the derivative of the prox at the solution, a change of G, c
//! and the laws changes the solution by
//!
//! ```text
//! (1 − D + r D G) dΛ = −r D (dc + dG Λ) + ∂prox/∂s ds + (what the laws themselves change),
//! ```
//!
//! the matrix of a semismooth Newton step ([`super::newton_system`]: A + B G), factored once for each problem of a step
//! and used for all changes of it. Which contacts press, stick and slip is held: D is that of the solution.
//! At a kink, where a contact is just about to do something else, D is the element of the generalised derivative that
//! the set returns, which is what the next Newton step would take.
//!
//! [`Recorder`] notes the problems that a step solves; [`Held`] answers those of a step from a changed state, each by the one
//! in the same place: those of two turns or stages may be so alike that the nearest one is another.

use super::newton_system::NewtonSystem;
use super::{Limits, SolveError, SolveReport, Solver, Status};
use crate::linear::RankLu;
use crate::problem::{InclusionProblem, Residual};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pivots below this part of the largest belong to percussions that the problem leaves open.
const DEPENDENT: f64 = 1e-11;
/// Distance of a problem in the same place of a step, over that of another one, up to which it is taken: as a factor.
const MUCH_NEARER: f64 = 0.1;
/// What steps from changed states are asked for, relative: they are subtracted from each other.
const TOLERANCE: f64 = 1e-14;

/// A problem with its solution, and the factors of its derivative once they are needed.
#[derive(Clone, Default)]
struct Solved {
    problem: InclusionProblem,
    lambda: Vec<f64>,
    xi: Vec<f64>,
    system: NewtonSystem,
    /// F at the solution: what the solver has left.
    left: Vec<f64>,
    factors: RankLu,
    is_factored: bool,
    xi_now: Vec<f64>,
    right: Vec<f64>,
}

/// The problems of a step.
#[derive(Clone, Default)]
struct Log {
    list: Vec<Solved>,
    count: usize,
    /// The one that comes next in a step that is repeated.
    next: usize,
    /// Whether one was passed over, or met again.
    out_of_order: bool,
    /// Whether a problem was met that none of them resembles.
    missed: bool,
}

/// The problems of a step, seen by those who note and by those who use them.
#[derive(Clone, Default)]
pub(crate) struct SolvedProblems(Arc<Mutex<Log>>);

impl SolvedProblems {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all problems, and keeps their memory.
    pub(crate) fn clear(&self) {
        let mut log = self.log();
        (log.count, log.next, log.missed) = (0, 0, false);
    }

    /// Begins to answer the problems of a step that is repeated from a changed state.
    pub(crate) fn begin_again(&self) {
        let mut log = self.log();
        (log.next, log.out_of_order, log.missed) = (0, false, false);
    }

    /// Whether all problems of the run were met since then, one after the other and no others.
    pub(crate) fn were_all_met(&self) -> bool {
        let log = self.log();
        !log.out_of_order && !log.missed && log.next == log.count
    }

    /// Whether a problem was met, since it was last asked, that resembles none of those that were solved.
    pub(crate) fn take_missed(&self) -> bool {
        std::mem::take(&mut self.log().missed)
    }
}

impl Log {
    fn note(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        if self.list.len() == self.count {
            self.list.push(Solved::default());
        }
        let entry = &mut self.list[self.count];
        entry.problem.clone_from(problem);
        entry.lambda.clear();
        entry.lambda.extend_from_slice(lambda);
        entry.is_factored = false;
        self.count += 1;
    }

    /// The problem with the same contacts that stands in the same place of the step, unless another one is much nearer in
    /// its velocities: then the steps do not go along with each other.
    fn resembling(&mut self, problem: &InclusionProblem) -> Option<&mut Solved> {
        let distance = |own: &Solved| {
            let pairs = own.problem.c().iter().zip(problem.c());
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (mut found, mut least) = (None, f64::INFINITY);
        for (place, own) in self.list[..self.count].iter().enumerate() {
            if !has_same_shape(&own.problem, problem) {
                continue;
            }
            let weight = if place == self.next { MUCH_NEARER } else { 1.0 };
            let own = distance(own) * weight;
            if found.is_none() || own < least {
                (found, least) = (Some(place), own);
            }
        }
        let found = found?;
        self.out_of_order |= found != self.next;
        self.next = found + 1;
        self.list.get_mut(found)
    }
}

fn has_same_shape(a: &InclusionProblem, b: &InclusionProblem) -> bool {
    let laws = |p: &InclusionProblem| p.laws().len();
    a.contacts().len() == b.contacts().len()
        && laws(a) == laws(b)
        && a.laws().iter().zip(b.laws()).all(|(a, b)| {
            (a.offset, a.dim) == (b.offset, b.dim)
                && std::mem::discriminant(&a.reservoir) == std::mem::discriminant(&b.reservoir)
        })
}

impl Solved {
    fn factor(&mut self) {
        if std::mem::replace(&mut self.is_factored, true) {
            return;
        }
        let Self { problem, lambda, xi, system, left, factors, .. } = self;
        xi.resize(lambda.len(), 0.0);
        problem.relative_velocities(lambda, xi);
        system.prepare(problem);
        system.residual(problem, lambda, xi);
        left.clone_from(&system.f);
        system.derivative(problem, lambda, xi);
        let n = lambda.len();
        let matrix = factors.entries(n);
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (a, b) = system.blocks(index, contact.dim);
            for (column, block) in problem.delassus().row(index) {
                let other = &problem.contacts()[column];
                for i in 0..contact.dim {
                    for j in 0..other.dim {
                        let by_velocity: f64 = (0..contact.dim)
                            .map(|k| b[i * contact.dim + k] * block[k * other.dim + j])
                            .sum();
                        let own = if column == index { a[i * contact.dim + j] } else { 0.0 };
                        matrix[(contact.offset + i) * n + other.offset + j] = own + by_velocity;
                    }
                }
            }
        }
        factors.factorise(DEPENDENT, 0.0);
    }

    /// The solution of a problem that differs by little.
    fn answer(&mut self, problem: &InclusionProblem, lambda: &mut [f64]) {
        self.factor();
        let Self { xi_now, right, .. } = self;
        xi_now.resize(self.lambda.len(), 0.0);
        problem.relative_velocities(&self.lambda, xi_now);
        right.clear();
        right.resize(self.lambda.len(), 0.0);
        if problem.laws() != self.problem.laws() {
            // What other sets and reservoirs make of the same percussions and velocities, beyond what the solver has left.
            self.system.residual(problem, &self.lambda, &self.xi);
            let pairs = self.system.f.iter().zip(&self.left);
            right.iter_mut().zip(pairs).for_each(|(right, (now, left))| *right = left - now);
        }
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (_, b) = self.system.blocks(index, contact.dim);
            for i in 0..contact.dim {
                let change = (0..contact.dim).map(|k| {
                    let component = contact.offset + k;
                    b[i * contact.dim + k] * (xi_now[component] - self.xi[component])
                });
                right[contact.offset + i] -= change.sum::<f64>();
            }
        }
        self.factors.particular(right, lambda);
        lambda.iter_mut().zip(&self.lambda).for_each(|(new, old)| *new += old);
    }
}

/// A solver that several integrators share.
pub(crate) type SharedSolver = Arc<Mutex<Box<dyn Solver>>>;

fn locked(solver: &SharedSolver) -> MutexGuard<'_, Box<dyn Solver>> {
    solver.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Solves by another solver, and notes problems and solutions.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) solver: SharedSolver,
    pub(crate) log: SolvedProblems,
}

impl Solver for Recorder {
    fn name(&self) -> &'static str {
        locked(&self.solver).name()
    }

    fn limits(&self) -> Limits {
        locked(&self.solver).limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        locked(&self.solver).set_limits(limits);
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        let report = locked(&self.solver).solve(problem, lambda)?;
        self.log.log().note(problem, lambda);
        Ok(report)
    }
}

/// Answers problems by those that were noted, to first order; by another solver where they resemble none of them.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) solver: SharedSolver,
    pub(crate) log: SolvedProblems,
}

impl Solver for Held {
    fn name(&self) -> &'static str {
        "held"
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: TOLERANCE, ..Limits::default() }
    }

    fn set_limits(&mut self, _limits: Limits) {}

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        let mut log = self.log.log();
        if let Some(known) = log.resembling(problem) {
            known.answer(problem, lambda);
            if lambda.iter().all(|v| v.is_finite()) {
                let residual = Residual::default();
                return Ok(SolveReport { status: Status::Solved, iterations: 1, residual });
            }
            lambda.fill(0.0);
        }
        log.missed = true;
        drop(log);
        locked(&self.solver).solve(problem, lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Newton, NewtonOptions};

    fn solver() -> SharedSolver {
        let limits = Limits { tolerance: 1e-14, ..Limits::default() };
        let options = NewtonOptions { limits, ..NewtonOptions::default() };
        Arc::new(Mutex::new(Box::new(Newton::new(options).unwrap())))
    }

    /// A contact that presses and slips: Λ_N = −c_N/(G_NN − μ G_NT), Λ_T = −μ Λ_N for ξ_T > 0.
    #[test]
    fn a_slipping_contact_has_the_derivative_of_its_closed_form() {
        let slipping = |mu: f64, coupling: f64, c: f64| {
            let g = [2.0, coupling, coupling, 1.5];
            InclusionProblem::coulomb(2, &[mu], &g, &[c, 3.0]).unwrap()
        };
        let exact = |mu: f64, coupling: f64, c: f64| -c / (2.0 - mu * coupling);
        let (log, solver) = (SolvedProblems::default(), solver());
        let mut recorder = Recorder { solver: solver.clone(), log: log.clone() };
        let mut held = Held { solver, log: log.clone() };
        let mut lambda = [0.0; 2];
        recorder.solve(&slipping(0.3, 0.4, -1.0), &mut lambda).unwrap();
        assert!((lambda[0] - exact(0.3, 0.4, -1.0)).abs() < 1e-13);
        let h = 1e-5;
        for way in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let at = |s: f64| [0.3 + s * h * way[0], 0.4 + s * h * way[1], -1.0 + s * h * way[2]];
            let mut answers = [[0.0; 2]; 2];
            for (answer, sign) in answers.iter_mut().zip([1.0, -1.0]) {
                let [mu, coupling, c] = at(sign);
                held.solve(&slipping(mu, coupling, c), answer).unwrap();
            }
            let [[mu, g, c], [mu_b, g_b, c_b]] = [at(1.0), at(-1.0)];
            let wanted = (exact(mu, g, c) - exact(mu_b, g_b, c_b)) / (2.0 * h);
            let found = (answers[0][0] - answers[1][0]) / (2.0 * h);
            assert!((found - wanted).abs() < 1e-9, "{way:?}: {found} instead of {wanted}");
        }
        assert!(!log.take_missed());
    }

    #[test]
    fn what_is_open_stays_open_and_what_sticks_sticks() {
        let (log, solver) = (SolvedProblems::default(), solver());
        let mut recorder = Recorder { solver: solver.clone(), log: log.clone() };
        let mut held = Held { solver, log: log.clone() };
        let g = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let problem = |c: &[f64]| InclusionProblem::coulomb(2, &[0.5, 0.5], &g, c).unwrap();
        let mut lambda = [0.0; 4];
        recorder.solve(&problem(&[1e-7, 0.3, -1.0, 0.2]), &mut lambda).unwrap();
        // The first contact is open by less than the change, and stays so; the second sticks.
        let mut changed = [0.0; 4];
        held.solve(&problem(&[-1e-6, 0.3, -1.1, 0.25]), &mut changed).unwrap();
        assert_eq!(&changed[..2], &[0.0, 0.0]);
        assert!((changed[2] - 1.1).abs() < 1e-13 && (changed[3] + 0.25).abs() < 1e-13);
        assert!(!log.take_missed());
        let other = InclusionProblem::coulomb(2, &[0.5], &[1.0, 0.0, 0.0, 1.0], &[-1.0, 0.0]);
        held.solve(&other.unwrap(), &mut [0.0; 2]).unwrap();
        assert!(log.take_missed());
    }
}
