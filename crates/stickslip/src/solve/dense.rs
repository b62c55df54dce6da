//! Small dense linear systems.

/// Solves A x = b by Gaussian elimination with partial pivoting; A (row-major) is destroyed, b
/// becomes x. False if A is singular to working precision.
pub(crate) fn solve_in_place(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let size = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[pivot * n + k].abs() {
                pivot = i;
            }
        }
        // Written so that a NaN counts as singular.
        if !(a[pivot * n + k].abs() > 1e-14 * size) {
            return false;
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &mut upper[k * n..];
        if pivot != k {
            let start = (pivot - k - 1) * n;
            row.swap_with_slice(&mut lower[start..start + n]);
            b.swap(k, pivot);
        }
        let (inverse, b_k) = (1.0 / row[k], b[k]);
        for (other, b_i) in lower.chunks_exact_mut(n).zip(&mut b[k + 1..]) {
            let factor = other[k] * inverse;
            if factor != 0.0 {
                for (x, y) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                    *x -= factor * y;
                }
                *b_i -= factor * b_k;
            }
        }
    }
    for i in (0..n).rev() {
        let row = &a[i * n..(i + 1) * n];
        let (head, tail) = b.split_at_mut(i + 1);
        let sum = row[i + 1..].iter().zip(tail.iter()).fold(head[i], |s, (x, y)| s - x * y);
        head[i] = sum / row[i];
    }
    true
}
