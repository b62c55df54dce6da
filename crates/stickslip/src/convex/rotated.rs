//! Ellipsoid with its own principal axes: the kernel of orthotropic friction and of linear images
//! of balls.

use super::secular::{MAX_DIM, project, project_derivative};
use super::small::{Matrix, Vector, multiply, multiply_transposed};

/// { U z : Σ (z_i/a_i)² ≤ s² } with orthogonal U.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RotatedEllipsoid {
    pub(super) dim: usize,
    /// U: the principal axes as columns.
    pub(super) rotation: Matrix,
    /// The semi-axes of C(1) along them.
    pub(super) axes: Vector,
}

impl RotatedEllipsoid {
    pub(super) fn prox(&self, scale: f64, x: &mut [f64]) {
        let n = self.dim;
        let mut z = multiply_transposed(&self.rotation, x);
        // Points inside stay what they are to the last bit.
        if project(&self.axes[..n], scale, &mut z[..n]) {
            x.copy_from_slice(&multiply(&self.rotation, &z[..n])[..n]);
        }
    }

    pub(super) fn prox_derivative(
        &self,
        scale: f64,
        x: &[f64],
        d_x: &mut [f64],
        d_scale: &mut [f64],
    ) {
        let n = self.dim;
        let z = multiply_transposed(&self.rotation, x);
        let mut d_z = [0.0; MAX_DIM * MAX_DIM];
        let mut z_scale = [0.0; MAX_DIM];
        project_derivative(&self.axes[..n], scale, &z[..n], &mut d_z[..n * n], &mut z_scale[..n]);
        d_scale.copy_from_slice(&multiply(&self.rotation, &z_scale[..n])[..n]);
        for i in 0..n {
            for j in 0..n {
                let mut sum = 0.0;
                for k in 0..n {
                    for l in 0..n {
                        sum += self.rotation[i][k] * d_z[k * n + l] * self.rotation[j][l];
                    }
                }
                d_x[i * n + j] = sum;
            }
        }
    }
}
