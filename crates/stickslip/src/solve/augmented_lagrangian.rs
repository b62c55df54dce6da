//! Augmented Lagrangian with the modified Newton scheme of Leine & Glocker 2003.

use super::monitor::Monitor;
use super::prox_iteration::iterate;
use super::{Limits, SolveError, SolveReport, Solver};
use crate::convex::{ConvexSet, Set};
use crate::problem::{InclusionProblem, equilibrating_factors};
use crate::range;

/// Options of [`AugmentedLagrangian`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct AugmentedLagrangianOptions {
    /// When to stop; an iteration updates the velocities once and then every percussion.
    pub limits: Limits,
    /// Prox parameter r, kg. Default none: every law in coordinates that equilibrate its diagonal
    /// of G, with a parameter chosen from the problem.
    pub prox_parameter: Option<f64>,
}

impl AugmentedLagrangianOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        Ok(self.prox_parameter.map_or(Ok(()), |r| range::positive("prox_parameter", r))?)
    }
}

/// Augmented Lagrangian with the modified Newton scheme (Leine 2003, sec. 4.1 and Table 1): update
/// the velocities with all percussions, then project all normal percussions, then all friction
/// percussions onto sets scaled by the new normal ones.
///
/// In the language of the inclusion problem the velocity update is ξ = G Λ + c. Laws are projected
/// in coordinates Λ̂ = f Λ in which their diagonal of G is one, so that forces and torques converge
/// alike. The prox parameter of a law is the inverse of the largest absolute row sum of its rows of
/// Ĝ, a bound on its eigenvalues; it is halved when the residual stops falling.
#[derive(Clone, Debug, Default)]
pub struct AugmentedLagrangian {
    options: AugmentedLagrangianOptions,
    monitor: Monitor,
    laws: Vec<ScaledLaw>,
    /// Factors f, component by component.
    factors: Vec<f64>,
    diagonal: Vec<f64>,
    rows: Vec<f64>,
}

/// A law in the coordinates in which it is projected.
#[derive(Clone, Debug)]
struct ScaledLaw {
    set: Set,
    /// Factor on the reservoir, where the set itself could not be stretched.
    gain: f64,
    /// Prox parameter.
    r: f64,
    /// Offset of the contact: its normal percussion.
    normal: usize,
}

impl AugmentedLagrangian {
    /// A solver with the given options.
    pub fn new(options: AugmentedLagrangianOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    fn choose_parameters(&mut self, problem: &InclusionProblem) {
        self.laws.clear();
        self.factors.clear();
        self.factors.resize(problem.dim(), 1.0);
        self.diagonal.clear();
        for (index, contact) in problem.contacts().iter().enumerate() {
            let entry = |k| problem.delassus().diagonal_entry(index, k);
            self.diagonal.extend((0..contact.dim).map(entry));
            for law in problem.laws_of(contact) {
                let (mut set, mut gain) = (law.set.clone(), 1.0);
                if self.options.prox_parameter.is_none() {
                    let factors = &mut self.factors[law.range()];
                    equilibrating_factors(&law.set, &self.diagonal[law.range()], factors);
                    match law.set.stretched(factors) {
                        Some(stretched) => set = stretched,
                        // Such a set has equal factors.
                        None => gain = factors[0],
                    }
                }
                self.laws.push(ScaledLaw { set, gain, r: 0.0, normal: contact.offset });
            }
        }
        self.rows.clear();
        self.rows.resize(problem.dim(), 0.0);
        let (rows, factors) = (&mut self.rows, &self.factors);
        problem
            .delassus()
            .for_each(|i, j, value| rows[i] += (value / (factors[i] * factors[j])).abs());
        for (law, scaled) in problem.laws().iter().zip(&mut self.laws) {
            let largest = self.rows[law.range()].iter().fold(0.0_f64, |m, v| m.max(*v));
            scaled.r = self.options.prox_parameter.unwrap_or(1.0 / largest);
        }
    }
}

impl Solver for AugmentedLagrangian {
    fn name(&self) -> &'static str {
        "augmented-lagrangian"
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        problem.validate()?;
        self.choose_parameters(problem);
        let Self { options, monitor, laws, factors, .. } = self;
        iterate(&options.limits, monitor, problem, lambda, |lambda, xi, step| {
            // Normal and other independent laws first, then those that depend on them.
            for dependent in [false, true] {
                for (law, scaled) in problem.laws().iter().zip(laws.iter()) {
                    if law.reservoir.takes_normal() != dependent {
                        continue;
                    }
                    let scale = law.reservoir.scale(lambda[scaled.normal]);
                    for i in law.range() {
                        lambda[i] = lambda[i] * factors[i] - step * scaled.r * xi[i] / factors[i];
                    }
                    scaled.set.prox(scale * scaled.gain, &mut lambda[law.range()]);
                    for i in law.range() {
                        lambda[i] /= factors[i];
                    }
                }
            }
        })
    }
}
