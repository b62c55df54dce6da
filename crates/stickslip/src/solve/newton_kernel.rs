//! Semismooth Newton steps on the prox equations, without regularisation.

use super::newton_factors::NewtonFactors;
use super::newton_system::NewtonSystem;
use crate::problem::InclusionProblem;
use crate::stop;
use std::time::Instant;

/// Unknowns above which a sparse factorisation is tried, and the fill up to which it pays.
pub(crate) const SPARSE_FROM: usize = 300;
const SPARSE_FILL: f64 = 0.1;

/// How a run of Newton steps ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewtonOutcome {
    /// Whether the target was reached.
    pub(crate) converged: bool,
    /// Newton steps taken.
    pub(crate) steps: usize,
}

/// Newton's method for F(Λ) = Λ − prox_C(Λ − r ξ) = 0 with a line search on |F/r|.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonKernel {
    system: NewtonSystem,
    factors: NewtonFactors,
    rhs: Vec<f64>,
    xi: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    product: Vec<f64>,
    /// First unknown of each contact in the reduced system; `usize::MAX` for open contacts.
    position: Vec<usize>,
    history: Vec<f64>,
}

/// The line search compares with the largest of this many last merits: Newton on contact problems
/// must be allowed to climb while it sorts out which contacts stick and slip.
const MEMORY: usize = 4;

impl NewtonKernel {
    /// Improves Λ until |F/r| ≤ `reduction` times its start, at most `max_steps` steps and not
    /// beyond the deadline.
    pub(crate) fn run(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        max_steps: usize,
        reduction: f64,
        deadline: Option<Instant>,
    ) -> NewtonOutcome {
        let n = lambda.len();
        for buffer in [&mut self.xi, &mut self.step, &mut self.trial, &mut self.product] {
            buffer.resize(n, 0.0);
        }
        self.system.prepare(problem);
        problem.relative_velocities(lambda, &mut self.xi);
        let mut merit = self.system.residual(problem, lambda, &self.xi);
        let target = merit * reduction * reduction;
        // Rounding level of |F/r|², below which nothing can be asked.
        let floor = self.system.rounding_floor(problem, lambda, &self.xi);
        self.history.clear();
        let mut failures = 0;
        for steps in 1..=max_steps {
            if !merit.is_finite() {
                return NewtonOutcome { converged: false, steps };
            }
            self.system.derivative(problem, lambda, &self.xi);
            if !self.newton_direction(problem) {
                return NewtonOutcome { converged: false, steps };
            }
            self.history.push(merit);
            let recent = self.history.len().saturating_sub(MEMORY);
            let reference = self.history[recent..].iter().fold(0.0, |m: f64, v| m.max(*v));
            let mut length = 1.0;
            let mut descent = false;
            for _ in 0..12 {
                for i in 0..n {
                    self.trial[i] = lambda[i] + length * self.step[i];
                }
                problem.relative_velocities(&self.trial, &mut self.xi);
                merit = self.system.residual(problem, &self.trial, &self.xi);
                if merit <= (1.0 - 1e-4 * length) * reference {
                    descent = true;
                    break;
                }
                length *= 0.5;
            }
            lambda.copy_from_slice(&self.trial);
            if merit <= target.max(floor) {
                return NewtonOutcome { converged: true, steps };
            }
            failures += usize::from(!descent);
            let late = deadline.is_some_and(|end| Instant::now() >= end) || stop::requested();
            if failures > 3 || late {
                return NewtonOutcome { converged: false, steps };
            }
        }
        NewtonOutcome { converged: false, steps: max_steps }
    }

    /// Solves (A + B G) step = −F. Open contacts (B = 0) are eliminated first. False if singular.
    fn newton_direction(&mut self, problem: &InclusionProblem) -> bool {
        let contacts = problem.contacts();
        let system = &self.system;
        self.position.clear();
        let mut m = 0;
        for (index, contact) in contacts.iter().enumerate() {
            let (_, b) = system.blocks(index, contact.dim);
            if b.iter().all(|v| *v == 0.0) {
                self.position.push(usize::MAX);
                for i in contact.range() {
                    self.step[i] = -system.f[i];
                }
            } else {
                self.position.push(m);
                m += contact.dim;
                self.step[contact.range()].fill(0.0);
            }
        }
        if m == 0 {
            return true;
        }
        problem.delassus().multiply(&self.step, &mut self.product);
        self.rhs.clear();
        self.rhs.resize(m, 0.0);
        for (index, contact) in contacts.iter().enumerate() {
            let row = self.position[index];
            if row == usize::MAX {
                continue;
            }
            let (_, b) = system.blocks(index, contact.dim);
            for i in 0..contact.dim {
                let coupling: f64 = (0..contact.dim)
                    .map(|k| b[i * contact.dim + k] * self.product[contact.offset + k])
                    .sum();
                self.rhs[row + i] = -system.f[contact.offset + i] - coupling;
            }
        }
        if !self.factor_and_solve(problem, m) {
            return false;
        }
        for (index, contact) in contacts.iter().enumerate() {
            let row = self.position[index];
            if row != usize::MAX {
                for i in 0..contact.dim {
                    self.step[contact.offset + i] = self.rhs[row + i];
                }
            }
        }
        self.step.iter().all(|v| v.is_finite())
    }

    /// rhs ← (A + B G)⁻¹ rhs. False if singular.
    fn factor_and_solve(&mut self, problem: &InclusionProblem, m: usize) -> bool {
        let entries = self.stored_entries(problem);
        let fill = entries as f64 / (m as f64 * m as f64);
        let mut factors = std::mem::take(&mut self.factors);
        let solved = if m > SPARSE_FROM && fill < SPARSE_FILL {
            factors.begin_sparse(entries);
            self.for_each_entry(problem, |i, j, v| factors.push(i, j, v));
            factors.solve_sparse(m, &mut self.rhs)
        } else {
            let matrix = factors.begin_dense(m);
            self.for_each_entry(problem, |i, j, v| matrix[j * m + i] += v);
            factors.solve_dense(m, &mut self.rhs)
        };
        self.factors = factors;
        solved
    }

    fn stored_entries(&self, problem: &InclusionProblem) -> usize {
        let mut count = 0;
        for (index, contact) in problem.contacts().iter().enumerate() {
            if self.position[index] == usize::MAX {
                continue;
            }
            for (column, _) in problem.delassus().row(index) {
                if self.position[column] != usize::MAX {
                    count += contact.dim * problem.contacts()[column].dim;
                }
            }
        }
        count
    }

    /// Visits the entries of A + B G between contacts that are not open.
    fn for_each_entry(&self, problem: &InclusionProblem, mut visit: impl FnMut(usize, usize, f64)) {
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (row, dim) = (self.position[index], contact.dim);
            if row == usize::MAX {
                continue;
            }
            let (a, b) = self.system.blocks(index, dim);
            for (column, block) in problem.delassus().row(index) {
                let first = self.position[column];
                if first == usize::MAX {
                    continue;
                }
                let width = problem.contacts()[column].dim;
                for i in 0..dim {
                    for j in 0..width {
                        let mut value: f64 =
                            (0..dim).map(|k| b[i * dim + k] * block[k * width + j]).sum();
                        if column == index {
                            value += a[i * dim + j];
                        }
                        visit(row + i, first + j, value);
                    }
                }
            }
        }
    }
}
