//! A point near the central path, and steps along it.

use super::cone::{self, Scaling, Vector};
use super::linear::{Equations, Stretch};
use crate::convex::Set;
use crate::problem::{InclusionProblem, largest, unit_of_squares};

/// Components that belong together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) contact: usize,
    pub(super) offset: usize,
    pub(super) dim: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The second-order cone; a half line if there is one component.
    Cone,
    /// A joint: the velocity is zero.
    Free,
    /// The percussion is zero.
    Zero,
}

impl Part {
    pub(super) fn get(&self, x: &[f64]) -> Vector {
        let mut own = [0.0; 3];
        own[..self.dim].copy_from_slice(&x[self.offset..self.offset + self.dim]);
        own
    }

    pub(super) fn set(&self, x: &mut [f64], own: &Vector) {
        x[self.offset..self.offset + self.dim].copy_from_slice(&own[..self.dim]);
    }
}

/// How steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// Mehrotra's predictor and corrector.
    Fast,
    /// Near the central path.
    Centred,
}

/// x and u at the start.
const START: f64 = 10.0;
/// What stands in for K at joints: a proximal term, whose effect vanishes with the steps.
const JOINT: f64 = 1e-9;
/// Refinements of a linear solve.
const REFINEMENTS: usize = 1;
/// What stands in for K where percussions are zero.
const NONE: f64 = 1e30;

/// F y, with the direction of v_T.
fn tilted(n: &[f64; 2], y: &Vector) -> Vector {
    [y[0] - n[0] * y[1] - n[1] * y[2], y[1], y[2]]
}

/// D⁻¹ F⁻¹ y.
fn times_inverse(scaling: &Scaling, n: &[f64; 2], y: &Vector) -> Vector {
    scaling.inverse_square(&[y[0] + n[0] * y[1] + n[1] * y[2], y[1], y[2]])
}

/// The point (x, v), its equations, and room for steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) equations: Equations,
    pub(super) parts: Vec<Part>,
    /// Factors of the components: x = Λ · mean / (by · unit), v = by · ξ / unit.
    pub(super) by: Vec<f64>,
    pub(super) mean: f64,
    pub(super) unit: f64,
    cones: f64,
    pub(super) c: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// G x + c − v.
    gap: Vec<f64>,
    /// Mean of x · u, and the smallest eigenvalue in relation to it.
    pub(super) mean_product: f64,
    least: f64,
    last_step: f64,
    dx: Vec<f64>,
    dv: Vec<f64>,
    other_dx: Vec<f64>,
    other_dv: Vec<f64>,
    q: Vec<f64>,
    pub(super) product: Vec<f64>,
    stretched: Vec<f64>,
    scalings: Vec<Scaling>,
    pub(super) blocks: Vec<f64>,
}

impl Path {
    /// Takes a problem. An error is the contact whose law is none of those above.
    pub(super) fn pose(&mut self, problem: &InclusionProblem) -> Result<(), usize> {
        self.take_laws(problem)?;
        self.equations.prepare(problem);
        let n = problem.dim();
        self.cones = self.parts.iter().filter(|p| p.kind == Kind::Cone).count().max(1) as f64;
        self.mean = problem.delassus().mean_diagonal();
        // A mean of c that neither overflows nor vanishes.
        let factor = unit_of_squares(largest(problem.c()));
        let square: f64 = problem.c().iter().map(|c| (c * factor).powi(2)).sum();
        self.unit = (square / problem.contacts().len().max(1) as f64).sqrt() / factor;
        self.c.clear();
        self.c.extend(problem.c().iter().zip(&self.by).map(|(c, by)| c * by / self.unit));
        let vectors = [
            &mut self.x,
            &mut self.v,
            &mut self.gap,
            &mut self.dx,
            &mut self.dv,
            &mut self.other_dx,
            &mut self.other_dv,
            &mut self.q,
            &mut self.product,
            &mut self.stretched,
        ];
        for vector in vectors {
            vector.resize(n, 0.0);
        }
        self.scalings.resize(self.parts.len(), Scaling::default());
        self.blocks.clear();
        self.blocks.resize(self.equations.entries(), 0.0);
        Ok(())
    }

    fn take_laws(&mut self, problem: &InclusionProblem) -> Result<(), usize> {
        self.parts.clear();
        self.by.clear();
        for (index, contact) in problem.contacts().iter().enumerate() {
            let mut laws = problem.laws_of(contact);
            let mut offset = contact.offset;
            let parts = &mut self.parts;
            let mut push = |kind, dim| {
                parts.push(Part { kind, contact: index, offset, dim });
                offset += dim;
            };
            self.by.resize(contact.offset + contact.dim, 1.0);
            if let Some(mu) = contact.coulomb {
                let tangents = laws[1].dim;
                if mu > 0.0 {
                    push(Kind::Cone, 1 + tangents);
                    self.by[contact.offset] = 1.0 / mu;
                } else {
                    push(Kind::Cone, 1);
                    (0..tangents).for_each(|_| push(Kind::Zero, 1));
                }
                laws = &laws[2..];
            }
            for law in laws {
                match &law.set {
                    Set::HalfLine(_) => push(Kind::Cone, 1),
                    Set::FreeSpace(_) => (0..law.dim).for_each(|_| push(Kind::Free, 1)),
                    _ => return Err(index),
                }
            }
        }
        Ok(())
    }

    /// Goes to the start of the path.
    pub(super) fn start(&mut self) {
        self.x.fill(0.0);
        self.v.fill(0.0);
        self.last_step = 1.0;
        for part in self.parts.iter().filter(|part| part.kind == Kind::Cone) {
            self.x[part.offset] = START;
            self.v[part.offset] = START;
        }
    }

    /// The percussions of x.
    pub(super) fn percussions(&self, x: &[f64], lambda: &mut [f64]) {
        for ((to, x), by) in lambda.iter_mut().zip(x).zip(&self.by) {
            *to = x * by * self.unit / self.mean;
        }
    }

    /// `product` = G x of stretched components.
    fn multiply(&mut self, problem: &InclusionProblem, of: fn(&Self) -> &[f64]) {
        let mut stretched = std::mem::take(&mut self.stretched);
        for ((to, x), by) in stretched.iter_mut().zip(of(self)).zip(&self.by) {
            *to = x * by / self.mean;
        }
        problem.delassus().multiply(&stretched, &mut self.product);
        self.stretched = stretched;
        for (p, by) in self.product.iter_mut().zip(&self.by) {
            *p *= by;
        }
    }

    /// What the point lacks.
    pub(super) fn measure(&mut self, problem: &InclusionProblem) {
        self.multiply(problem, |own| &own.x);
        for i in 0..self.gap.len() {
            self.gap[i] = self.product[i] + self.c[i] - self.v[i];
        }
        (self.mean_product, self.least) = self.centrality(0.0);
    }

    /// Mean of x · u and smallest eigenvalue after a step.
    fn centrality(&self, step: f64) -> (f64, f64) {
        let (mut sum, mut least) = (0.0, f64::INFINITY);
        for part in self.parts.iter().filter(|part| part.kind == Kind::Cone) {
            let (x, v) = self.after(part, step);
            sum += cone::dot(&x, &cone::lifted(&v));
            least = least.min(cone::least_eigenvalue(&x, &v));
        }
        (sum / self.cones, least)
    }

    fn after(&self, part: &Part, step: f64) -> (Vector, Vector) {
        let (x, v) = (part.get(&self.x), part.get(&self.v));
        let (dx, dv) = (part.get(&self.dx), part.get(&self.dv));
        ([0, 1, 2].map(|k| x[k] + step * dx[k]), [0, 1, 2].map(|k| v[k] + step * dv[k]))
    }

    /// One step; its length, or none where the equations are singular or numbers overflow.
    pub(super) fn step(&mut self, problem: &InclusionProblem, rule: Rule) -> Option<f64> {
        self.scale();
        let stretch = Stretch { by: &self.by, mean: self.mean };
        if !self.equations.factorise(problem, stretch, &self.blocks) {
            return None;
        }
        let length = match rule {
            Rule::Fast => {
                self.direction(problem, 0.0, false);
                let (predicted, _) = self.centrality(self.largest_step());
                let sigma = (predicted / self.mean_product).powi(3).clamp(1e-8, 1.0);
                self.direction(problem, sigma, true);
                0.99 * self.largest_step()
            }
            Rule::Centred => {
                let sigma = if self.last_step < 0.3 {
                    0.9
                } else if self.least < 0.02 * self.mean_product {
                    0.6
                } else {
                    0.2
                };
                self.direction(problem, sigma, false);
                let plain = self.largest_step();
                self.other_dx.copy_from_slice(&self.dx);
                self.other_dv.copy_from_slice(&self.dv);
                self.direction(problem, sigma, true);
                let mut step = self.largest_step();
                if !(step >= plain) {
                    step = plain;
                    std::mem::swap(&mut self.dx, &mut self.other_dx);
                    std::mem::swap(&mut self.dv, &mut self.other_dv);
                }
                step *= 0.95;
                for _ in 0..40 {
                    let (mean, least) = self.centrality(step);
                    if least >= 1e-3 * mean {
                        break;
                    }
                    step *= 0.7;
                }
                step
            }
        };
        for i in 0..self.x.len() {
            self.x[i] += length * self.dx[i];
            self.v[i] += length * self.dv[i];
        }
        self.last_step = length;
        let finite = self.x.iter().chain(&self.v).all(|k| k.is_finite());
        (finite && length.is_finite()).then_some(length)
    }

    /// Largest step up to 1 that stays inside.
    fn largest_step(&self) -> f64 {
        let mut step: f64 = 1.0;
        for part in self.parts.iter().filter(|part| part.kind == Kind::Cone) {
            let (v, dv) = (self.v[part.offset], self.dv[part.offset]);
            if dv < 0.0 {
                step = step.min(-v / dv);
            }
            step = step.min(cone::step_to_mantle(&part.get(&self.x), &part.get(&self.dx)));
        }
        step
    }

    /// Scalings and blocks of K = F D or B = D⁻¹ F⁻¹ at the point.
    fn scale(&mut self) {
        let inverse = self.equations.by_bodies();
        for (part, scaling) in self.parts.iter().zip(&mut self.scalings) {
            let contact = part.contact;
            let entries = self.equations.block(contact);
            let components = self.equations.components(contact);
            let (width, first) = (components.len(), part.offset - components.start);
            let block = &mut self.blocks[entries];
            match part.kind {
                Kind::Zero => block[first * width + first] = if inverse { 0.0 } else { NONE },
                Kind::Free => {
                    block[first * width + first] = if inverse { 1.0 / JOINT } else { JOINT };
                }
                Kind::Cone => {
                    let v = part.get(&self.v);
                    *scaling = Scaling::new(&part.get(&self.x), &v);
                    let n = cone::direction(&v);
                    for j in 0..part.dim {
                        let mut column = [0.0; 3];
                        column[j] = 1.0;
                        let column = match inverse {
                            true => times_inverse(scaling, &n, &column),
                            false => tilted(&n, &scaling.square(&column)),
                        };
                        for i in 0..part.dim {
                            block[(first + i) * width + first + j] = column[i];
                        }
                    }
                }
            }
        }
    }

    /// (G + K)⁻¹ times a vector, in place.
    fn solve(&mut self, problem: &InclusionProblem, of: fn(&mut Self) -> &mut Vec<f64>) {
        let mut x = std::mem::take(of(self));
        let Self { parts, scalings, v, .. } = self;
        let times_b = |y: &mut [f64]| {
            for (part, scaling) in parts.iter().zip(scalings.iter()) {
                let own = part.get(y);
                let own = match part.kind {
                    Kind::Zero => [0.0; 3],
                    Kind::Free => own.map(|k| k / JOINT),
                    Kind::Cone => times_inverse(scaling, &cone::direction(&part.get(v)), &own),
                };
                part.set(y, &own);
            }
        };
        let stretch = Stretch { by: &self.by, mean: self.mean };
        self.equations.solve(problem, stretch, times_b, &mut x);
        *of(self) = x;
    }

    /// dx and dv towards x ∘ u = σ m e, with second-order terms of the last direction or without.
    fn direction(&mut self, problem: &InclusionProblem, sigma: f64, corrects: bool) {
        let aim = sigma * self.mean_product;
        for (part, scaling) in self.parts.iter().zip(&self.scalings) {
            let gap = part.get(&self.gap);
            let own = match part.kind {
                Kind::Zero => [0.0; 3],
                Kind::Free => [-gap[0], 0.0, 0.0],
                Kind::Cone => {
                    let (x, v) = (part.get(&self.x), part.get(&self.v));
                    let (u, n) = (cone::lifted(&v), cone::direction(&v));
                    let b = if corrects {
                        let (dx, dv) = (part.get(&self.dx), part.get(&self.dv));
                        let moved = cone::lifted(&[0, 1, 2].map(|k| v[k] + dv[k]));
                        let du = [0, 1, 2].map(|k| moved[k] - u[k]);
                        let linear = [dv[0] + n[0] * dv[1] + n[1] * dv[2], dv[1], dv[2]];
                        let lambda = scaling.apply(&x);
                        let scaled_dx = scaling.apply(&dx);
                        let sum = [0, 1, 2].map(|k| lambda[k] + scaled_dx[k]);
                        let whole = cone::product(&scaling.apply_inverse(&du), &sum);
                        let first = cone::product(&scaling.apply_inverse(&linear), &lambda);
                        let square = cone::product(&lambda, &lambda);
                        let mut d = [0, 1, 2].map(|k| first[k] - whole[k] - square[k]);
                        d[0] += aim;
                        scaling.apply(&cone::divided(&d, &lambda))
                    } else {
                        let factor = aim / cone::determinant(&x);
                        [factor * x[0] - u[0], -factor * x[1] - u[1], -factor * x[2] - u[2]]
                    };
                    let b = tilted(&n, &b);
                    [0, 1, 2].map(|k| b[k] - gap[k])
                }
            };
            part.set(&mut self.q, &own);
        }
        self.dx.copy_from_slice(&self.q);
        self.solve(problem, |own| &mut own.dx);
        for _ in 0..REFINEMENTS {
            self.multiply(problem, |own| &own.dx);
            for (part, scaling) in self.parts.iter().zip(&self.scalings) {
                let (q, seen, dx) =
                    (part.get(&self.q), part.get(&self.product), part.get(&self.dx));
                let left = match part.kind {
                    Kind::Zero => [0.0; 3],
                    Kind::Free => [q[0] - seen[0] - JOINT * dx[0], 0.0, 0.0],
                    Kind::Cone => {
                        let n = cone::direction(&part.get(&self.v));
                        let d = tilted(&n, &scaling.square(&dx));
                        [0, 1, 2].map(|k| q[k] - seen[k] - d[k])
                    }
                };
                part.set(&mut self.dv, &left);
            }
            self.solve(problem, |own| &mut own.dv);
            for (x, more) in self.dx.iter_mut().zip(&self.dv) {
                *x += more;
            }
        }
        self.multiply(problem, |own| &own.dx);
        for part in &self.parts {
            let (seen, gap) = (part.get(&self.product), part.get(&self.gap));
            let dv = match part.kind {
                Kind::Cone => [0, 1, 2].map(|k| seen[k] + gap[k]),
                _ => [0.0; 3],
            };
            part.set(&mut self.dv, &dv);
        }
    }
}
