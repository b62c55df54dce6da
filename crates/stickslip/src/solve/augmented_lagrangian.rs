//! Augmented Lagrangian with the modified Newton scheme of Leine & Glocker 2003.

use super::monitor::Monitor;
use super::prox_iteration::iterate;
use super::{Limits, SolveError, SolveReport, Solver};
use crate::convex::ConvexSet;
use crate::problem::{InclusionProblem, Reservoir};

/// Options of [`AugmentedLagrangian`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct AugmentedLagrangianOptions {
    /// When to stop; an iteration updates the velocities once and then every percussion.
    pub limits: Limits,
    /// Prox parameter r, kg. Default none: chosen for every law from the problem.
    pub prox_parameter: Option<f64>,
}

impl AugmentedLagrangianOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        match self.prox_parameter {
            Some(r) if !(r.is_finite() && r > 0.0) => Err(SolveError::Option {
                option: "prox_parameter",
                value: r,
                allowed: "finite and above 0",
            }),
            _ => Ok(()),
        }
    }
}

/// Augmented Lagrangian with the modified Newton scheme (Leine 2003, sec. 4.1 and Table 1): update
/// the velocities with all percussions, then project all normal percussions, then all friction
/// percussions onto sets scaled by the new normal ones.
///
/// In the language of the inclusion problem the velocity update is ξ = G Λ + c. The prox
/// parameter of a law is chosen as the inverse of the largest absolute row sum of its rows of G,
/// a bound on its eigenvalues; it is halved when the residual stops falling.
#[derive(Clone, Debug, Default)]
pub struct AugmentedLagrangian {
    options: AugmentedLagrangianOptions,
    monitor: Monitor,
    /// Prox parameter of each law, and the offset of its contact.
    r: Vec<(f64, usize)>,
    rows: Vec<f64>,
}

impl AugmentedLagrangian {
    /// A solver with the given options.
    pub fn new(options: AugmentedLagrangianOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    fn choose_parameters(&mut self, problem: &InclusionProblem) {
        self.rows.clear();
        self.rows.resize(problem.dim(), 0.0);
        let rows = &mut self.rows;
        problem.delassus().for_each(|i, _, value| rows[i] += value.abs());
        self.r.clear();
        for contact in problem.contacts() {
            for law in problem.laws_of(contact) {
                let largest = self.rows[law.range()].iter().fold(0.0_f64, |m, v| m.max(*v));
                let r = self.options.prox_parameter.unwrap_or(1.0 / largest);
                self.r.push((r, contact.offset));
            }
        }
    }
}

impl Solver for AugmentedLagrangian {
    fn name(&self) -> &'static str {
        "augmented-lagrangian"
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        problem.validate()?;
        self.choose_parameters(problem);
        let Self { options, monitor, r, .. } = self;
        iterate(&options.limits, monitor, problem, lambda, |lambda, xi, step| {
            // Normal and other independent laws first, then those that depend on them.
            for dependent in [false, true] {
                for (law, (r, normal)) in problem.laws().iter().zip(r.iter()) {
                    if (law.reservoir == Reservoir::Normal) != dependent {
                        continue;
                    }
                    let scale = match law.reservoir {
                        Reservoir::Unbounded => 1.0,
                        Reservoir::Constant(s) => s,
                        Reservoir::Normal => lambda[*normal].max(0.0),
                    };
                    for i in law.range() {
                        lambda[i] -= step * r * xi[i];
                    }
                    law.set.prox(scale, &mut lambda[law.range()]);
                }
            }
        })
    }
}
