//! Matrices that are positive definite, or nearly so.

use super::dot;

/// The lower factor of the symmetric matrix whose entries (i, j), j ≤ i, are given; false if it is
/// not positive definite.
pub(crate) fn cholesky(n: usize, entry: impl Fn(usize, usize) -> f64, l: &mut [f64]) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let sum = (0..j).fold(entry(i, j), |sum, k| sum - l[i * n + k] * l[j * n + k]);
            if i != j {
                l[i * n + j] = sum / l[j * n + j];
            } else if sum > 0.0 {
                l[i * n + i] = sum.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

/// x ← (L Lᵀ)⁻¹ x.
#[inline]
pub(crate) fn cholesky_solve(n: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let sum = (0..i).fold(x[i], |sum, k| sum - l[i * n + k] * x[k]);
        x[i] = sum / l[i * n + i];
    }
    for i in (0..n).rev() {
        let sum = (i + 1..n).fold(x[i], |sum, k| sum - l[k * n + i] * x[k]);
        x[i] = sum / l[i * n + i];
    }
}

/// Both factors of a matrix, the lower one with a unit diagonal; false if its symmetric part is not
/// positive definite. Such a matrix needs no pivoting. Columns of zeros, as of translations that are
/// coupled with nothing, cost nothing.
pub(crate) fn definite_lu(n: usize, m: &[f64], lu: &mut [f64]) -> bool {
    for i in 0..n {
        for j in 0..n {
            lu[i * n + j] = 0.5 * (m[i * n + j] + m[j * n + i]);
        }
    }
    if !eliminate(n, lu) {
        return false;
    }
    lu[..n * n].copy_from_slice(&m[..n * n]);
    eliminate(n, lu)
}

/// Gauss's elimination in place, row by row below each pivot; false if a pivot is not positive.
fn eliminate(n: usize, a: &mut [f64]) -> bool {
    for k in 0..n {
        let (above, below) = a[..n * n].split_at_mut((k + 1) * n);
        let pivots = &above[k * n + k..];
        if !(pivots[0] > 0.0) {
            return false;
        }
        for row in below.chunks_exact_mut(n) {
            if row[k] != 0.0 {
                let factor = row[k] / pivots[0];
                row[k] = factor;
                row[k + 1..].iter_mut().zip(&pivots[1..]).for_each(|(a, p)| *a -= factor * p);
            }
        }
    }
    true
}

/// x ← (L U)⁻¹ x for the factors of [`definite_lu`].
#[inline]
pub(crate) fn definite_lu_solve(n: usize, lu: &[f64], x: &mut [f64]) {
    for (i, row) in lu.chunks_exact(n).enumerate().take(n) {
        x[i] = row[..i].iter().zip(&x[..i]).fold(x[i], |sum, (l, x)| sum - l * x);
    }
    for (i, row) in lu.chunks_exact(n).enumerate().take(n).rev() {
        let behind = row[i + 1..].iter().zip(&x[i + 1..]);
        x[i] = behind.fold(x[i], |sum, (u, x)| sum - u * x) / row[i];
    }
}

/// Factors a symmetric positive semidefinite matrix of n rows, of which the lower half is given, in place.
/// Rows of which less than the part `dependent` of their diagonal entry is left by those before them become
/// zero. False if all are, or if one is not a number. Zeros before the first entry of a row cost nothing;
/// `firsts` says where that is.
pub(crate) fn semidefinite_factor(
    n: usize,
    a: &mut [f64],
    dependent: f64,
    firsts: &mut Vec<usize>,
) -> bool {
    firsts.clear();
    let first_entry = |i: usize| (0..i).find(|j| a[i * n + j] != 0.0).unwrap_or(i);
    firsts.extend((0..n).map(first_entry));
    let mut rank = 0;
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..=i];
        for j in firsts[i]..i {
            let from = firsts[i].max(firsts[j]);
            let other = &above[j * n..j * n + j + 1];
            let done = dot(&row[from..j], &other[from..j]);
            row[j] = if other[j] > 0.0 { (row[j] - done) / other[j] } else { 0.0 };
        }
        let size = row[i];
        let left = size - dot(&row[firsts[i]..i], &row[firsts[i]..i]);
        if left > dependent * size {
            row[i] = left.sqrt();
            rank += 1;
        } else if left.is_nan() {
            return false;
        } else {
            row.fill(0.0);
        }
    }
    rank > 0
}

/// b ← A⁻¹ b for the factor of [`semidefinite_factor`]; 0 in the rows that are zero.
pub(crate) fn semidefinite_solve(a: &[f64], firsts: &[usize], b: &mut [f64]) {
    let n = b.len();
    let divide = |x: f64, pivot: f64| if pivot > 0.0 { x / pivot } else { 0.0 };
    for i in 0..n {
        let row = &a[i * n..=i * n + i];
        let done = dot(&row[firsts[i]..i], &b[firsts[i]..i]);
        b[i] = divide(b[i] - done, row[i]);
    }
    for i in (0..n).rev() {
        let row = &a[i * n..=i * n + i];
        b[i] = divide(b[i], row[i]);
        let value = b[i];
        b[firsts[i]..i].iter_mut().zip(&row[firsts[i]..i]).for_each(|(b, x)| *b -= value * x);
    }
}
