//! Dense linear algebra of small matrices, row-major: one place for factorisations and solves.
//!
//! | matrix | |
//! |---|---|
//! | regular | [`Lu`], partial pivoting, many right-hand sides; [`solve_in_place`], one right-hand side |
//! | of any rank | [`RankLu`], complete pivoting: rank, a particular solution, the null space |
//! | symmetric, positive definite | [`cholesky`] with [`cholesky_solve`] |
//! | symmetric, positive semidefinite | [`semidefinite_factor`]; [`Skyline`], where rows have few entries |
//! | with a positive definite symmetric part | [`definite_lu`] with [`definite_lu_solve`], no pivoting |
//!
//! Sizes are those of a body, a contact or the constraints of a mechanism. Memory belongs to the
//! caller or is kept between uses.

mod lu;
mod positive;
mod skyline;

pub(crate) use lu::{Lu, RankLu, solve_in_place};
pub(crate) use positive::{
    cholesky, cholesky_solve, definite_lu, definite_lu_solve, semidefinite_factor,
    semidefinite_solve,
};
pub(crate) use skyline::Skyline;

/// So many zeros. Where there is room already they are filled in at once, and not one by one.
pub(crate) fn zeros(list: &mut Vec<f64>, length: usize) {
    list.truncate(length);
    list.fill(0.0);
    list.resize(length, 0.0);
}

/// Squares of lengths that have lost nothing by overflow or underflow.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-280..=1e280;

/// √(x² + y²) without overflow or loss of small components.
#[inline]
pub(crate) fn length(x: f64, y: f64) -> f64 {
    let square = x * x + y * y;
    if ORDINARY.contains(&square) { square.sqrt() } else { x.hypot(y) }
}

/// Σ a_k b_k of equal lengths, in four sums: faster, and always in the same order.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let (four_a, rest_a) = a.as_chunks::<4>();
    let (four_b, rest_b) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in four_a.iter().zip(four_b) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The products of three rows with three columns, of equal lengths: a block of 3×3.
#[inline]
pub(crate) fn dots(rows: [&[f64]; 3], columns: [&[f64]; 3]) -> [f64; 9] {
    let length = rows[0].len();
    let [r0, r1, r2] = rows.map(|row| row[..length].as_chunks::<2>());
    let [c0, c1, c2] = columns.map(|column| column[..length].as_chunks::<2>());
    let mut sums = [[0.0; 2]; 9];
    for k in 0..length / 2 {
        let (rows, columns) = ([r0.0[k], r1.0[k], r2.0[k]], [c0.0[k], c1.0[k], c2.0[k]]);
        for (entry, sum) in sums.iter_mut().enumerate() {
            let (row, column) = (rows[entry / 3], columns[entry % 3]);
            sum[0] += row[0] * column[0];
            sum[1] += row[1] * column[1];
        }
    }
    let mut products = sums.map(|[even, odd]| even + odd);
    if length % 2 == 1 {
        for (entry, sum) in products.iter_mut().enumerate() {
            *sum += rows[entry / 3][length - 1] * columns[entry % 3][length - 1];
        }
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_three_rows_are_those_of_each() {
        for length in [0, 1, 2, 7, 12] {
            let vector = |k: usize| -> Vec<f64> {
                (0..length).map(|i| ((7 * i + 3 * k) % 11) as f64 - 4.0).collect()
            };
            let all: Vec<Vec<f64>> = (0..6).map(vector).collect();
            let found = dots([&all[0], &all[1], &all[2]], [&all[3], &all[4], &all[5]]);
            for (entry, value) in found.iter().enumerate() {
                assert_eq!(*value, dot(&all[entry / 3], &all[3 + entry % 3]));
            }
        }
    }
}
