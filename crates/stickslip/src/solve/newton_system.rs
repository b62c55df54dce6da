//! The prox equations of all contacts: F(Λ) = 0 with the derivative J = A + B G, where A and B are
//! block-diagonal over the contacts.

use super::coulomb_equations as coulomb;
use super::equations::{self, LawView, Scratch};
use crate::problem::{InclusionProblem, Law, largest, unit_of_squares};

/// F, A and B at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonSystem {
    /// Prox parameter of each component (equal within a law).
    r: Vec<f64>,
    /// F(Λ).
    pub(crate) f: Vec<f64>,
    /// Diagonal blocks of A, row-major, one contact after the other.
    a: Vec<f64>,
    /// Diagonal blocks of B.
    b: Vec<f64>,
    /// Where the blocks of each contact begin.
    starts: Vec<usize>,
    scratch: Scratch,
    /// Factor on velocities before they are squared.
    unit: f64,
}

fn view(law: &Law, offset: usize) -> LawView<'_> {
    LawView {
        set: &law.set,
        reservoir: law.reservoir,
        gain: 1.0,
        first: law.offset - offset,
        dim: law.dim,
    }
}

impl NewtonSystem {
    /// Chooses the prox parameters from the diagonal of G and makes room.
    pub(crate) fn prepare(&mut self, problem: &InclusionProblem) {
        self.unit = unit_of_squares(largest(problem.c()));
        self.r.clear();
        self.starts.clear();
        let mut start = 0;
        for (index, contact) in problem.contacts().iter().enumerate() {
            self.starts.push(start);
            start += contact.dim * contact.dim;
            for law in problem.laws_of(contact) {
                let first = law.offset - contact.offset;
                let largest = (first..first + law.dim)
                    .map(|k| problem.delassus().diagonal_entry(index, k))
                    .fold(0.0, f64::max);
                self.r.extend(std::iter::repeat_n(1.0 / largest, law.dim));
                self.scratch.reserve(law.dim);
            }
        }
        self.a.resize(start, 0.0);
        self.b.resize(start, 0.0);
        self.f.resize(problem.dim(), 0.0);
    }

    /// The diagonal blocks of A and B of one contact.
    pub(crate) fn blocks(&self, contact: usize, dim: usize) -> (&[f64], &[f64]) {
        let range = self.starts[contact]..self.starts[contact] + dim * dim;
        (&self.a[range.clone()], &self.b[range])
    }

    /// F at Λ with the velocities ξ. Returns |F/r|², a squared velocity in units
    /// that keep it from overflow.
    pub(crate) fn residual(
        &mut self,
        problem: &InclusionProblem,
        lambda: &[f64],
        xi: &[f64],
    ) -> f64 {
        for contact in problem.contacts() {
            let range = contact.range();
            if let Some(mu) = coulomb::of(contact) {
                let (r, lambda, xi) =
                    (&self.r[range.clone()], &lambda[range.clone()], &xi[range.clone()]);
                coulomb::residual(mu, r, lambda, xi, &mut self.f[range]);
                continue;
            }
            for law in problem.laws_of(contact) {
                equations::residual(
                    &view(law, contact.offset),
                    &self.r[range.clone()],
                    &lambda[range.clone()],
                    &xi[range.clone()],
                    &mut self.f[range.clone()],
                    &mut self.scratch,
                );
            }
        }
        self.f.iter().zip(&self.r).map(|(f, r)| (f / r * self.unit).powi(2)).sum()
    }

    /// A and B at Λ with the velocities ξ.
    pub(crate) fn derivative(&mut self, problem: &InclusionProblem, lambda: &[f64], xi: &[f64]) {
        self.a.fill(0.0);
        self.b.fill(0.0);
        for (index, contact) in problem.contacts().iter().enumerate() {
            let range = contact.range();
            let blocks = self.starts[index]..self.starts[index] + contact.dim * contact.dim;
            if let Some(mu) = coulomb::of(contact) {
                let (r, lambda, xi) = (&self.r[range.clone()], &lambda[range.clone()], &xi[range]);
                let (a, b) = (&mut self.a[blocks.clone()], &mut self.b[blocks]);
                coulomb::derivative(mu, r, lambda, xi, a, b);
                continue;
            }
            for law in problem.laws_of(contact) {
                equations::derivative(
                    &view(law, contact.offset),
                    &self.r[range.clone()],
                    &lambda[range.clone()],
                    &xi[range.clone()],
                    &mut self.a[blocks.clone()],
                    &mut self.b[blocks.clone()],
                    &mut self.scratch,
                );
            }
        }
    }

    /// Square of what rounding leaves in |F/r|: some units in the last place of the velocities.
    pub(crate) fn rounding_floor(
        &self,
        problem: &InclusionProblem,
        lambda: &[f64],
        xi: &[f64],
    ) -> f64 {
        let s = problem.delassus().mean_diagonal();
        let square = |x: &[f64], s: f64| x.iter().map(|v| (s * v * self.unit).powi(2)).sum::<f64>();
        1e-30 * square(problem.c(), 1.0).max(square(lambda, s)).max(square(xi, 1.0))
    }
}
