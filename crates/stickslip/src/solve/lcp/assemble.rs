//! Planar contact with Coulomb friction as a linear complementarity problem.
//!
//! Friction in one direction with the bound s = μ P_N (or a constant) is split into two
//! unilateral laws: P_R = s + P_T ≥ 0 and P_L = s − P_T ≥ 0, with ξ_T = ξ_R − ξ_L. Then
//!
//! ```text
//! ⎛ξ_N⎞   ⎛ G_NN − G_NT μ   G_NT   0 ⎞ ⎛P_N⎞   ⎛c_N⎞
//! ⎜ξ_R⎟ = ⎜ G_TN − G_TT μ   G_TT   I ⎟ ⎜P_R⎟ + ⎜c_T⎟                    (Flores 2010, eq. 85)
//! ⎝P_L⎠   ⎝ 2μ              −I     0 ⎠ ⎝ξ_L⎠   ⎝ 0 ⎠
//! ```
//!
//! A constant bound a adds −G a to the first two rows of b and 2a to the last. Bilateral
//! components are eliminated beforehand by a Schur complement. Components that cannot act (μ = 0
//! or a = 0) are left out.

use super::LinearComplementarityProblem;
use super::scaling::{exponent, times_power_of_two};
use crate::convex::Set;
use crate::problem::{Contact, InclusionProblem, Law, Reservoir};
use crate::solve::SolveError;

/// One friction law in one direction: |P_T| ≤ coefficient · P_N + constant.
#[derive(Clone, Copy, Debug)]
struct Friction {
    component: usize,
    /// Index of the normal percussion among the unilateral components.
    normal: Option<usize>,
    coefficient: f64,
    constant: f64,
}

/// A bilateral component.
#[derive(Clone, Copy, Debug)]
struct Bilateral {
    component: usize,
    /// Its diagonal entry of G before any elimination.
    diagonal: f64,
    /// Whether it was eliminated; otherwise it depends on those that were.
    eliminated: bool,
}

/// The linear complementarity problem of an inclusion problem, with the way back.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// x = (P_N, P_R, ξ_L), y = (ξ_N, ξ_R, P_L), with P multiplied by 2^exponent.
    pub lcp: LinearComplementarityProblem,
    /// Number of complementarity pairs of the contacts up to each contact, inclusive.
    pub pairs: Vec<usize>,
    normals: Vec<usize>,
    frictions: Vec<Friction>,
    bilaterals: Vec<Bilateral>,
    g: Vec<f64>,
    c: Vec<f64>,
    exponent: i32,
}

/// Diagonal entries that fall below this share of their original size by elimination belong to
/// dependent constraints.
const DEPENDENT: f64 = 1e-12;
/// A bound counts as reached if less than this share of it is left.
const REACHED: f64 = 1e-9;

impl Assembly {
    /// Assembles Flores 2010, eq. (85); an error names the first contact that has no such form.
    pub fn set(
        &mut self,
        problem: &InclusionProblem,
        solver: &'static str,
    ) -> Result<(), SolveError> {
        self.normals.clear();
        self.frictions.clear();
        self.bilaterals.clear();
        self.pairs.clear();
        for (index, contact) in problem.contacts().iter().enumerate() {
            for law in problem.laws_of(contact) {
                self.classify(contact, law).map_err(|reason| SolveError::Unsupported {
                    solver,
                    contact: index,
                    reason: reason.into(),
                })?;
            }
            self.pairs.push(self.normals.len() + 2 * self.frictions.len());
        }
        self.fill(problem);
        Ok(())
    }

    fn classify(&mut self, contact: &Contact, law: &Law) -> Result<(), &'static str> {
        match &law.set {
            Set::HalfLine(_) => self.normals.push(law.offset),
            Set::FreeSpace(_) => self.bilaterals.extend(law.range().map(|component| Bilateral {
                component,
                diagonal: 0.0,
                eliminated: false,
            })),
            Set::Ball(ball) => {
                let (coefficient, constant) = match law.reservoir {
                    Reservoir::Normal => (ball.radius, 0.0),
                    Reservoir::NormalPlus(s) => (ball.radius, ball.radius * s),
                    Reservoir::Constant(s) => (0.0, ball.radius * s),
                    Reservoir::Unbounded => (0.0, ball.radius),
                };
                if coefficient == 0.0 && constant == 0.0 {
                    return Ok(());
                }
                if ball.dim != 1 {
                    return Err("spatial friction is no linear complementarity problem");
                }
                if !constant.is_finite() {
                    return Err("its friction bound is not finite");
                }
                let mut normal = None;
                if law.reservoir.takes_normal() {
                    normal = self.normals.iter().position(|i| *i == contact.offset);
                    if normal.is_none() {
                        return Err("its friction needs a unilateral normal law");
                    }
                }
                let component = law.offset;
                self.frictions.push(Friction { component, normal, coefficient, constant });
            }
            #[allow(unreachable_patterns)] // for sets that are added later
            _ => return Err("this set is no polyhedron that the solver knows"),
        }
        Ok(())
    }

    fn fill(&mut self, problem: &InclusionProblem) {
        let m = problem.dim();
        self.g.clear();
        self.g.resize(m * m, 0.0);
        let g = &mut self.g;
        problem.delassus().for_each(|i, j, value| g[i * m + j] = value);
        self.c.clear();
        self.c.extend_from_slice(problem.c());
        self.eliminate_bilaterals();

        // Forces in units of the largest mobility, so that the rows of P_L fit the others.
        let (nn, nf) = (self.normals.len(), self.frictions.len());
        let frictions = self.frictions.iter().map(|f| f.component);
        let largest = self
            .normals
            .iter()
            .copied()
            .chain(frictions)
            .fold(0.0_f64, |max, i| max.max(self.g[i * m + i]));
        self.exponent = if largest > 0.0 && largest.is_finite() { exponent(largest) } else { 0 };
        for v in &mut self.g {
            *v = times_power_of_two(*v, -self.exponent);
        }

        let n = nn + 2 * nf;
        self.lcp.reset(n);
        for row in 0..nn + nf {
            let i = self.component(row);
            let from = &self.g[i * m..(i + 1) * m];
            let to = &mut self.lcp.a[row * n..(row + 1) * n];
            for (v, j) in to.iter_mut().zip(&self.normals) {
                *v = from[*j];
            }
            let mut b = self.c[i];
            for (k, friction) in self.frictions.iter().enumerate() {
                let g = from[friction.component];
                to[nn + k] = g;
                if let Some(normal) = friction.normal {
                    to[normal] -= g * friction.coefficient;
                } else {
                    b -= g * times_power_of_two(friction.constant, self.exponent);
                }
            }
            self.lcp.b[row] = b;
        }
        for (k, friction) in self.frictions.iter().enumerate() {
            let (r, l) = (nn + k, nn + nf + k);
            self.lcp.a[r * n + l] = 1.0;
            self.lcp.a[l * n + r] = -1.0;
            match friction.normal {
                Some(normal) => self.lcp.a[l * n + normal] = 2.0 * friction.coefficient,
                None => {
                    self.lcp.b[l] = 2.0 * times_power_of_two(friction.constant, self.exponent);
                }
            }
        }
    }

    /// Component of Λ of row `row` among (ξ_N, ξ_R).
    fn component(&self, row: usize) -> usize {
        let nn = self.normals.len();
        if row < nn { self.normals[row] } else { self.frictions[row - nn].component }
    }

    /// Gauss-Jordan elimination of the bilateral components with diagonal pivoting. What depends
    /// on others already eliminated carries no percussion; its equation then holds by itself, as
    /// G = Wᵀ M⁻¹ W vanishes with W.
    fn eliminate_bilaterals(&mut self) {
        let m = self.c.len();
        for bilateral in &mut self.bilaterals {
            bilateral.diagonal = self.g[bilateral.component * m + bilateral.component];
        }
        for step in 0..self.bilaterals.len() {
            // The largest share of its diagonal entry that is left.
            let (mut best, mut share) = (step, 0.0);
            for k in step..self.bilaterals.len() {
                let i = self.bilaterals[k].component;
                let left = self.g[i * m + i] / self.bilaterals[k].diagonal;
                if left > share {
                    (best, share) = (k, left);
                }
            }
            if share <= DEPENDENT {
                return;
            }
            self.bilaterals.swap(step, best);
            let p = self.bilaterals[step].component;
            let diagonal = self.g[p * m + p];
            self.bilaterals[step].eliminated = true;
            for i in (0..m).filter(|i| *i != p) {
                let factor = self.g[i * m + p] / diagonal;
                if factor != 0.0 {
                    for j in 0..m {
                        self.g[i * m + j] -= factor * self.g[p * m + j];
                    }
                    self.g[i * m + p] = 0.0;
                    self.c[i] -= factor * self.c[p];
                }
            }
        }
    }

    /// Percussions from a solution of the linear complementarity problem (errata of Flores 2010,
    /// sec. 5.3 vii: P_R stands in x).
    pub fn percussions(&self, x: &[f64], lambda: &mut [f64]) {
        let (m, nn) = (self.c.len(), self.normals.len());
        lambda.fill(0.0);
        for (k, i) in self.normals.iter().enumerate() {
            lambda[*i] = times_power_of_two(x[k], -self.exponent);
        }
        for (k, friction) in self.frictions.iter().enumerate() {
            let bound = self.bound(friction, lambda);
            let right = times_power_of_two(x[nn + k], -self.exponent);
            lambda[friction.component] = (right - bound).min(bound);
        }
        for bilateral in self.bilaterals.iter().filter(|b| b.eliminated) {
            let p = bilateral.component;
            let mut xi = self.c[p];
            for (j, g) in self.g[p * m..(p + 1) * m].iter().enumerate() {
                // G carries the factor 2^−exponent; other bilateral columns are eliminated.
                if !self.bilaterals.iter().any(|b| b.component == j) {
                    xi += g * times_power_of_two(lambda[j], self.exponent);
                }
            }
            lambda[p] = times_power_of_two(-xi / self.g[p * m + p], -self.exponent);
        }
    }

    fn bound(&self, friction: &Friction, lambda: &[f64]) -> f64 {
        let normal = friction.normal.map_or(0.0, |k| lambda[self.normals[k]].max(0.0));
        friction.coefficient * normal + friction.constant
    }

    /// The basis that the percussions Λ and the relative velocities ξ suggest: true where x is
    /// basic. A contact without percussion that closes is taken to stick.
    pub fn guess(&self, lambda: &[f64], xi: &[f64], basis: &mut Vec<bool>) {
        let (nn, nf) = (self.normals.len(), self.frictions.len());
        basis.clear();
        basis.extend(self.normals.iter().map(|i| lambda[*i] > 0.0 || xi[*i] < 0.0));
        basis.resize(nn + 2 * nf, false);
        for (k, friction) in self.frictions.iter().enumerate() {
            let (bound, tangential) = (self.bound(friction, lambda), lambda[friction.component]);
            let (right, left) = if bound > 0.0 {
                let reached = REACHED * bound;
                (bound + tangential > reached, bound - tangential <= reached)
            } else if friction.normal.is_some_and(|i| basis[i]) {
                (true, false)
            } else {
                // Open: P_R = P_L = 0. Where ξ_L carries the velocity, P_R stands in the basis.
                let leftward = xi[friction.component] < 0.0;
                (leftward, leftward)
            };
            basis[nn + k] = right;
            basis[nn + nf + k] = left;
        }
    }
}
