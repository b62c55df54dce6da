//! Newton's method near a solution: from the percussions of the last time step.
//!
//! The step dΛ of the prox equations F(Λ) = 0 ([`super::newton_system`]) solves
//!
//! ```text
//! (A + B (G + R)) dΛ = −F(Λ),      R = ρ diag G
//! ```
//!
//! by blocks, in an order of elimination with little fill, so that rows, walls and stacks cost as much as they have
//! contacts. Where contacts hold each other, G is singular: with R the step is the one that changes these percussions
//! least, by up to |F|/ρ. R slows the others to the part ρ of their error a step, for F itself has no R in it. So a
//! small ρ ends soonest where every contact does what it does in the solution, and a large one, which falls from step
//! to step, finds out what they do where that has changed.

use super::block_lu::{BlockLu, Slot, subtract_product};
use super::newton_system::NewtonSystem;
use crate::convex::Set;
use crate::problem::{Contact, InclusionProblem};

/// ρ where contacts do what they do in the solution: small against what couples them, large against what rounding
/// and a contact between two states make of percussions that hold each other.
pub(super) const LEAST: f64 = 1e-6;
/// The same where contacts are few: hardly one of them stands between two states.
pub(super) const LEAST_OF_FEW: f64 = 1e-9;
/// ρ of joints over that of contacts, where it is less.
const OF_JOINTS: f64 = 1e-3;
/// ρ where that is not known yet, and what is left of it from step to step.
const FIRST: f64 = 1e-2;
const FALL: f64 = 0.3;

/// ρ of a step (from 0 on) from percussions whose states are not those of the solution.
pub(super) fn falling(step: usize) -> f64 {
    (FIRST * FALL.powi(step as i32)).max(LEAST)
}

/// Memory of the steps.
#[derive(Clone, Debug, Default)]
pub(super) struct NearNewton {
    system: NewtonSystem,
    lu: BlockLu,
    /// Where each block of G is put.
    slots: Vec<Slot>,
    /// Pattern of G by contacts.
    dims: Vec<usize>,
    starts: Vec<usize>,
    columns: Vec<usize>,
    /// Factor of each component on ρ, and that of joints less 1.
    weights: Vec<f64>,
    less_in_joints: f64,
    step: Vec<f64>,
}

impl NearNewton {
    /// For problems in which only few joints, if any, say the same as others: ρ is less in joints, whose percussions follow
    /// from all others.
    pub(super) fn of_joints() -> Self {
        Self { less_in_joints: 1.0 - OF_JOINTS, ..Self::default() }
    }

    /// Analyses the pattern of a problem. False if a factorisation takes more operations than this.
    pub(super) fn prepare(&mut self, problem: &InclusionProblem, most: f64) -> bool {
        if least_work(problem) > most {
            return false;
        }
        let Self { dims, starts, columns, slots, lu, .. } = self;
        dims.clear();
        dims.extend(problem.contacts().iter().map(|contact| contact.dim));
        starts.clear();
        starts.push(0);
        columns.clear();
        for row in 0..dims.len() {
            columns.extend(problem.delassus().row(row).map(|block| block.0));
            starts.push(columns.len());
        }
        if lu.analyse(dims, starts, columns) {
            slots.clear();
            for row in 0..dims.len() {
                let blocks = columns[starts[row]..starts[row + 1]].iter();
                slots.extend(blocks.filter_map(|column| lu.slot(row, *column)));
            }
        }
        if lu.work() > most {
            return false;
        }
        self.system.prepare(problem);
        self.weights.clear();
        for law in problem.laws() {
            let is_joint = matches!(law.set, Set::FreeSpace(_));
            let weight = if is_joint { 1.0 - self.less_in_joints } else { 1.0 };
            self.weights.extend(std::iter::repeat_n(weight, law.dim));
        }
        self.step.resize(problem.dim(), 0.0);
        true
    }

    /// One step from Λ with the velocities ξ = G Λ + c and this ρ. False if its equations have no solution.
    pub(super) fn step(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        xi: &[f64],
        regularisation: f64,
    ) -> bool {
        let Self { system, lu, slots, weights, step, .. } = self;
        system.residual(problem, lambda, xi);
        system.derivative(problem, lambda, xi);
        // The negative of the matrix, so that products are subtracted.
        lu.clear();
        let contacts = problem.contacts();
        let mut slots = slots.iter();
        for (row, contact) in contacts.iter().enumerate() {
            let dim = contact.dim;
            let (a, b) = system.blocks(row, dim);
            let is_open = b.iter().all(|v| *v == 0.0);
            for ((column, block), slot) in problem.delassus().row(row).zip(&mut slots) {
                let target = lu.block_mut(*slot);
                if !is_open {
                    subtract_product(dim, dim, contacts[column].dim, b, block, target);
                }
                if column == row {
                    let weights = &weights[contact.range()];
                    for i in 0..dim {
                        for j in 0..dim {
                            let k = i * dim + j;
                            let r = regularisation * weights[j] * block[j * dim + j];
                            target[k] -= a[k] + r * b[k];
                        }
                    }
                }
            }
        }
        if !lu.factorise() {
            return false;
        }
        step.clear();
        step.extend_from_slice(&system.f);
        lu.solve(step);
        if !step.iter().all(|v| v.is_finite()) {
            return false;
        }
        lambda.iter_mut().zip(step.iter()).for_each(|(lambda, step)| *lambda += step);
        true
    }
}

/// Operations of a factorisation without fill, in which each contact comes before half of its neighbours.
fn least_work(problem: &InclusionProblem) -> f64 {
    let contacts = problem.contacts();
    let of = |(row, contact): (usize, &Contact)| {
        let all: usize = problem.delassus().row(row).map(|(other, _)| contacts[other].dim).sum();
        let (own, below) = (contact.dim as f64, 0.5 * (all - contact.dim) as f64);
        own * (own * own + 2.0 * own * below + 2.0 * below * below)
    };
    contacts.iter().enumerate().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Newton, NewtonOptions, Solver};

    /// A plank on three supports, two of which suffice: G is singular.
    fn plank(push: f64) -> InclusionProblem {
        let arms = [-1.0, 0.2, 1.0];
        let mut g = vec![0.0; 36];
        for (i, a) in arms.iter().enumerate() {
            for (j, b) in arms.iter().enumerate() {
                g[12 * i + 2 * j] = 1.0 + 3.0 * a * b;
                g[12 * i + 6 + 2 * j + 1] = 1.0;
            }
        }
        let c: Vec<f64> = arms.iter().flat_map(|a| [-1.0 - 0.3 * a, push]).collect();
        InclusionProblem::coulomb(2, &[0.4; 3], &g, &c).unwrap()
    }

    fn solved(problem: &InclusionProblem) -> Vec<f64> {
        let mut lambda = vec![0.0; problem.dim()];
        let mut newton = Newton::new(NewtonOptions::default()).unwrap();
        newton.solve(problem, &mut lambda).unwrap();
        lambda
    }

    #[test]
    fn two_steps_follow_a_change_though_supports_hold_each_other() {
        for (before, after) in [(0.1, 0.12), (0.8, 0.85)] {
            let lambda = solved(&plank(before));
            let problem = plank(after);
            let mut near = NearNewton::default();
            assert!(near.prepare(&problem, f64::INFINITY));
            let (mut found, mut xi) = (lambda.clone(), vec![0.0; problem.dim()]);
            for _ in 0..2 {
                problem.relative_velocities(&found, &mut xi);
                assert!(near.step(&problem, &mut found, &xi, LEAST));
            }
            assert!(problem.residual(&found).value < 1e-12, "{}", problem.residual(&found).value);
            // Of the many percussions that solve it, those that are near.
            let moved = found.iter().zip(&lambda).map(|(a, b)| (a - b).abs());
            assert!(moved.fold(0.0, f64::max) < 0.1);
        }
    }

    #[test]
    fn what_costs_too_much_is_not_begun() {
        let problem = plank(0.1);
        let mut near = NearNewton::default();
        assert!(!near.prepare(&problem, 10.0));
        assert!(near.prepare(&problem, 1e6));
    }
}
