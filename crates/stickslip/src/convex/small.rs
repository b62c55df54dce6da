//! Matrices of at most four rows, as large as one contact law needs.

use super::ball::norm;
use super::secular::MAX_DIM;
use crate::linear;

/// Square matrix; only the leading `dim` rows and columns are used, the rest is 0.
pub(super) type Matrix = [[f64; MAX_DIM]; MAX_DIM];
/// Column of a [`Matrix`].
pub(super) type Vector = [f64; MAX_DIM];

/// A x, for any length of x up to four.
pub(super) fn multiply(a: &Matrix, x: &[f64]) -> Vector {
    let mut y = [0.0; MAX_DIM];
    for i in 0..x.len() {
        for j in 0..x.len() {
            y[i] += a[i][j] * x[j];
        }
    }
    y
}

/// Aᵀ x.
pub(super) fn multiply_transposed(a: &Matrix, x: &[f64]) -> Vector {
    let mut y = [0.0; MAX_DIM];
    for i in 0..x.len() {
        for j in 0..x.len() {
            y[j] += a[i][j] * x[i];
        }
    }
    y
}

/// A B.
pub(super) fn compose(dim: usize, a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = [[0.0; MAX_DIM]; MAX_DIM];
    for i in 0..dim {
        for j in 0..dim {
            c[i][j] = (0..dim).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    c
}

/// Aᵀ.
pub(super) fn transposed(a: &Matrix) -> Matrix {
    let mut t = [[0.0; MAX_DIM]; MAX_DIM];
    for i in 0..MAX_DIM {
        for j in 0..MAX_DIM {
            t[j][i] = a[i][j];
        }
    }
    t
}

/// Solves A X = B by Gauss-Jordan elimination with row pivoting, X over B; false if A is singular
/// to working precision.
pub(super) fn solve(dim: usize, mut a: Matrix, b: &mut Matrix) -> bool {
    for column in 0..dim {
        let mut pivot = column;
        for row in column + 1..dim {
            if a[row][column].abs() > a[pivot][column].abs() {
                pivot = row;
            }
        }
        a.swap(column, pivot);
        b.swap(column, pivot);
        let divisor = a[column][column];
        if divisor == 0.0 || !divisor.is_finite() {
            return false;
        }
        for j in 0..MAX_DIM {
            a[column][j] /= divisor;
            b[column][j] /= divisor;
        }
        for row in 0..dim {
            let factor = a[row][column];
            if row != column && factor != 0.0 {
                for j in 0..MAX_DIM {
                    a[row][j] -= factor * a[column][j];
                    b[row][j] -= factor * b[column][j];
                }
            }
        }
    }
    true
}

/// A⁻¹, if A is regular.
pub(super) fn inverse(dim: usize, a: &Matrix) -> Option<Matrix> {
    let mut b = [[0.0; MAX_DIM]; MAX_DIM];
    for i in 0..dim {
        b[i][i] = 1.0;
    }
    solve(dim, *a, &mut b).then_some(b)
}

/// U with R = Uᵀ U, U upper triangular, if R is symmetric and positive definite.
pub(super) fn cholesky(dim: usize, r: &Matrix) -> Option<Matrix> {
    // Rounding in R is allowed, another matrix is not.
    let differs =
        |i: usize, j: usize| (r[i][j] - r[j][i]).abs() > 1e-9 * (r[i][i] * r[j][j]).abs().sqrt();
    let mut l = [0.0; MAX_DIM * MAX_DIM];
    let asymmetric = (0..dim).any(|i| (0..i).any(|j| differs(i, j)));
    if asymmetric || !linear::cholesky(dim, |i, j| r[j][i], &mut l[..dim * dim]) {
        return None;
    }
    let mut u = [[0.0; MAX_DIM]; MAX_DIM];
    for i in 0..dim {
        for j in 0..=i {
            u[j][i] = l[i * dim + j];
        }
    }
    l.iter().all(|v| v.is_finite()).then_some(u)
}

/// B = U Σ Vᵀ by one-sided Jacobi rotations: the orthogonal U, and the singular values. The image
/// of the unit ball under B is the ellipsoid with principal axes U and semi-axes Σ.
pub(super) fn principal_axes(dim: usize, b: &Matrix) -> (Matrix, Vector) {
    // Columns of b as rows, to rotate them conveniently.
    let mut columns = transposed(b);
    // Quadratic convergence: five sweeps are the rule, the bound only guards the loop.
    for _ in 0..40 {
        let mut turned = false;
        for i in 0..dim {
            for j in i + 1..dim {
                let (n_i, n_j) = (norm(&columns[i]), norm(&columns[j]));
                if n_i == 0.0 || n_j == 0.0 {
                    continue;
                }
                // Cosine of the angle between the columns.
                let cosine: f64 =
                    (0..dim).map(|k| (columns[i][k] / n_i) * (columns[j][k] / n_j)).sum();
                if cosine.abs() <= f64::EPSILON {
                    continue;
                }
                turned = true;
                let zeta = (n_j / n_i - n_i / n_j) / (2.0 * cosine);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / tangent.hypot(1.0);
                let s = c * tangent;
                for k in 0..dim {
                    let (p, q) = (columns[i][k], columns[j][k]);
                    columns[i][k] = c * p - s * q;
                    columns[j][k] = s * p + c * q;
                }
            }
        }
        if !turned {
            break;
        }
    }
    let mut lengths = [0.0; MAX_DIM];
    let mut order = [0, 1, 2, 3];
    for i in 0..dim {
        lengths[i] = norm(&columns[i]);
    }
    order[..dim].sort_by(|i, j| lengths[*j].total_cmp(&lengths[*i]));
    // Longest first; directions of vanishing columns are completed from the unit vectors.
    let mut u = [[0.0; MAX_DIM]; MAX_DIM];
    let mut sigma = [0.0; MAX_DIM];
    let mut directions: [Vector; MAX_DIM] = [[0.0; MAX_DIM]; MAX_DIM];
    for slot in 0..dim {
        let i = order[slot];
        sigma[slot] = lengths[i];
        directions[slot] = if lengths[i] > 0.0 {
            columns[i].map(|v| v / lengths[i])
        } else {
            orthogonal_to(dim, &directions[..slot])
        };
        for k in 0..dim {
            u[k][slot] = directions[slot][k];
        }
    }
    (u, sigma)
}

/// A unit vector orthogonal to fewer than `dim` orthonormal ones.
fn orthogonal_to(dim: usize, others: &[Vector]) -> Vector {
    let mut best = [0.0; MAX_DIM];
    let mut longest = 0.0;
    for axis in 0..dim {
        let mut candidate = [0.0; MAX_DIM];
        candidate[axis] = 1.0;
        // Twice is enough for orthogonality to round-off.
        for _ in 0..2 {
            for other in others {
                let share: f64 = (0..dim).map(|k| candidate[k] * other[k]).sum();
                for k in 0..dim {
                    candidate[k] -= share * other[k];
                }
            }
        }
        let length = norm(&candidate);
        if length > longest {
            longest = length;
            best = candidate.map(|v| v / length);
        }
    }
    best
}
