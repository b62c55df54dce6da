//! The prox equations of one contact and their generalised derivative.
//!
//! With the prox parameters r the inclusion of a contact is the equation (Alart & Curnier 1991)
//!
//! ```text
//! F(Λ) = Λ − prox_C(z) = 0,      z = Λ − r ξ,      C scaled by max(0, z_N)
//! ```
//!
//! and its derivative with respect to (Λ, ξ) is dF = A dΛ + B dξ.

use crate::convex::{ConvexSet, Set};
use crate::problem::Reservoir;

/// A law as the equations see it: components count from the first of the contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LawView<'a> {
    pub(crate) set: &'a Set,
    pub(crate) reservoir: Reservoir,
    /// Factor on the reservoir (1 unless the contact is solved in other units).
    pub(crate) gain: f64,
    pub(crate) first: usize,
    pub(crate) dim: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    z: Vec<f64>,
    d_x: Vec<f64>,
    d_scale: Vec<f64>,
}

impl Scratch {
    /// Makes room for laws of the given dimension.
    pub(crate) fn reserve(&mut self, dim: usize) {
        if self.z.len() < dim {
            self.z.resize(dim, 0.0);
            self.d_x.resize(dim * dim, 0.0);
            self.d_scale.resize(dim, 0.0);
        }
    }
}

/// Reservoir and its rate with respect to z_N.
#[inline]
fn reservoir(law: &LawView, z_n: f64) -> (f64, f64) {
    match law.reservoir {
        Reservoir::Unbounded => (1.0, 0.0),
        Reservoir::Constant(s) => (law.gain * s, 0.0),
        Reservoir::Normal if z_n > 0.0 => (law.gain * z_n, law.gain),
        Reservoir::Normal => (0.0, 0.0),
        Reservoir::NormalPlus(s) if z_n > 0.0 => (law.gain * (z_n + s), law.gain),
        Reservoir::NormalPlus(s) => (law.gain * s, 0.0),
    }
}

/// F of one law. All slices hold the components of the contact.
#[inline]
pub(crate) fn residual(
    law: &LawView,
    r: &[f64],
    lambda: &[f64],
    xi: &[f64],
    f: &mut [f64],
    scratch: &mut Scratch,
) {
    let z_n = lambda[0] - r[0] * xi[0];
    let (scale, _) = reservoir(law, z_n);
    let z = &mut scratch.z[..law.dim];
    for (k, i) in (law.first..law.first + law.dim).enumerate() {
        z[k] = lambda[i] - r[i] * xi[i];
    }
    law.set.prox(scale, z);
    for (k, i) in (law.first..law.first + law.dim).enumerate() {
        f[i] = lambda[i] - z[k];
    }
}

/// A and B of one law: its rows of the contact's dense row-major blocks, which must be zero.
#[inline]
pub(crate) fn derivative(
    law: &LawView,
    r: &[f64],
    lambda: &[f64],
    xi: &[f64],
    a: &mut [f64],
    b: &mut [f64],
    scratch: &mut Scratch,
) {
    let (n, width) = (law.dim, lambda.len());
    let z_n = lambda[0] - r[0] * xi[0];
    let (scale, rate) = reservoir(law, z_n);
    let z = &mut scratch.z[..n];
    for k in 0..n {
        z[k] = lambda[law.first + k] - r[law.first + k] * xi[law.first + k];
    }
    let (d_x, d_scale) = (&mut scratch.d_x[..n * n], &mut scratch.d_scale[..n]);
    law.set.prox_derivative(scale, z, d_x, d_scale);
    for i in 0..n {
        let row = (law.first + i) * width;
        for j in 0..n {
            let column = law.first + j;
            a[row + column] -= d_x[i * n + j];
            b[row + column] += d_x[i * n + j] * r[column];
        }
        a[row + law.first + i] += 1.0;
        if rate != 0.0 {
            a[row] -= d_scale[i] * rate;
            b[row] += d_scale[i] * rate * r[0];
        }
    }
}
