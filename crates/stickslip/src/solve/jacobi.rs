//! Projected Jacobi iterations of Möller, Leine & Glocker 2009.

use super::monitor::Monitor;
use super::prox_iteration::iterate;
use super::{Limits, SolveError, SolveReport, Solver};
use crate::convex::{ConvexSet, Set};
use crate::problem::{InclusionProblem, equilibrating_factors};
use crate::range;

/// How a law that is not at its limit moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRule {
    /// Möller 2009, eqs. (37), (43): one prox parameter r = α/max_k G_kk per law.
    Uniform,
    /// Möller 2009, eq. (46): inside the set each component moves by its own α/G_kk, which
    /// recovers the speed of Jacobi's iteration where the diagonal is badly scaled.
    Scaled,
}

/// In which coordinates a law is projected (Möller 2009, sec. 4 and 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// As the problem gives them: the prox onto an ellipsoid needs a root search.
    Original,
    /// Ellipsoids mapped to spheres, Λ = A Λ̂, whose prox is a division. The prox equation is
    /// another one, its solution the same.
    Transformed,
    /// Every law in units in which its diagonal of G is equal: fast where forces and torques
    /// meet.
    Equilibrated,
}

/// Options of [`Jacobi`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JacobiOptions {
    /// When to stop; an iteration updates every law once.
    pub limits: Limits,
    /// Relaxation α of the prox parameter r = α/max_k G_kk. Default 1; range (0, 2).
    pub relaxation: f64,
    /// Default [`StepRule::Scaled`].
    pub rule: StepRule,
    /// Default [`Coordinates::Transformed`].
    pub coordinates: Coordinates,
}

impl Default for JacobiOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            relaxation: 1.0,
            rule: StepRule::Scaled,
            coordinates: Coordinates::Transformed,
        }
    }
}

impl JacobiOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        let good = self.relaxation > 0.0 && self.relaxation < 2.0;
        Ok(range::require(good, "relaxation", self.relaxation, "above 0 and below 2")?)
    }
}

/// A law in the coordinates in which it is projected: Λ = diag(map) Λ̂.
#[derive(Clone, Debug)]
struct MappedLaw {
    set: Set,
    /// Offset of the contact: its normal percussion.
    normal: usize,
}

/// Projected Jacobi iteration, Möller 2009, eqs. (37), (43) and (46), in this project's sign
/// convention Λ ← prox(Λ − r ξ).
///
/// All laws are projected with the velocities of the last iterate; friction takes its reservoir
/// from the normal percussion just found. The papers' prox parameters know nothing of the
/// coupling between contacts, so they are halved when the residual stops falling. No choice helps
/// where μ|G_NT| > G_NN: then the iteration ends as stalled.
#[derive(Clone, Debug, Default)]
pub struct Jacobi {
    options: JacobiOptions,
    monitor: Monitor,
    laws: Vec<MappedLaw>,
    /// Diagonal of the map A, component by component.
    map: Vec<f64>,
    /// Diagonal of Ĝ = Aᵀ G A.
    diagonal: Vec<f64>,
    z: Vec<f64>,
}

impl Jacobi {
    /// A solver with the given options.
    pub fn new(options: JacobiOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    /// Chooses the coordinates of every law.
    fn map(&mut self, problem: &InclusionProblem) {
        self.laws.clear();
        self.map.clear();
        self.map.resize(problem.dim(), 1.0);
        self.diagonal.clear();
        for (index, contact) in problem.contacts().iter().enumerate() {
            for k in 0..contact.dim {
                self.diagonal.push(problem.delassus().diagonal_entry(index, k));
            }
            for law in problem.laws_of(contact) {
                let range = law.range();
                let map = &mut self.map[range.clone()];
                let factors = &mut [1.0; 4];
                let mut mapped = MappedLaw { set: law.set.clone(), normal: contact.offset };
                match (self.options.coordinates, &law.set) {
                    (Coordinates::Transformed, Set::Ellipsoid(set)) => {
                        // A⁻¹ maps the ellipsoid to the sphere of its first semi-axis.
                        let axes = set.semi_axes();
                        if axes.iter().all(|a| *a > 0.0) {
                            for (m, a) in map.iter_mut().zip(axes) {
                                *m = a / axes[0];
                            }
                            mapped.set =
                                Set::Ball(crate::convex::Ball { dim: law.dim, radius: axes[0] });
                        }
                    }
                    (Coordinates::Equilibrated, set) if law.dim <= 4 => {
                        let factors = &mut factors[..law.dim];
                        equilibrating_factors(set, &self.diagonal[range.clone()], factors);
                        if let Some(stretched) = set.stretched(factors) {
                            mapped.set = stretched;
                            for (m, f) in map.iter_mut().zip(factors.iter()) {
                                *m = 1.0 / f;
                            }
                        }
                    }
                    _ => {}
                }
                self.laws.push(mapped);
                for k in range {
                    self.diagonal[k] *= self.map[k] * self.map[k];
                }
            }
        }
        let widest = problem.laws().iter().map(|l| l.dim).max().unwrap_or(0);
        self.z.resize(widest, 0.0);
    }
}

impl Solver for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
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
        self.map(problem);
        let Self { options, monitor, laws, map, diagonal, z } = self;
        iterate(&options.limits, monitor, problem, lambda, |lambda, xi, step| {
            for (law, mapped) in problem.laws().iter().zip(laws.iter()) {
                let range = law.range();
                let largest = diagonal[range.clone()].iter().fold(0.0_f64, |m, d| m.max(*d));
                let alpha = step * options.relaxation;
                let r = alpha / largest;
                let scale = law.reservoir.scale(lambda[mapped.normal]);
                let z = &mut z[..law.dim];
                for (k, i) in range.clone().enumerate() {
                    z[k] = lambda[i] / map[i] - r * map[i] * xi[i];
                }
                // Eq. (46): inside the set, the step of each component by its own diagonal.
                let inside =
                    options.rule == StepRule::Scaled && law.dim > 1 && mapped.set.gauge(z) <= scale;
                if inside {
                    for i in range {
                        lambda[i] -= map[i] * alpha / diagonal[i] * map[i] * xi[i];
                    }
                } else {
                    mapped.set.prox(scale, z);
                    for (k, i) in range.enumerate() {
                        lambda[i] = map[i] * z[k];
                    }
                }
            }
        })
    }
}
