//! Nonlinear least squares by Levenberg and Marquardt.
//!
//! ```text
//! (JᵀJ + λ diag JᵀJ) δ = −Jᵀ r,      p ← p + δ where this lowers |r|²       (Marquardt 1963)
//! ```
//!
//! There are a few unknowns, and one run gives residuals and derivatives together: the normal equations, scaled
//! to a unit diagonal, are a Cholesky factorisation of that size. Crates for this ask for residuals and Jacobian by
//! separate calls, and bring another library of matrices along.

use crate::linear::{cholesky, cholesky_solve};

/// Runs that are tried.
const MOST_RUNS: usize = 200;
/// First λ, its factor after failure, and the largest one.
const FIRST: f64 = 1e-3;
const FACTOR: f64 = 10.0;
const LARGEST: f64 = 1e12;
/// Change relative to the standard error, or to the value, at which it ends.
const SETTLED: f64 = 1e-4;
const ROUNDING: f64 = 1e-11;

/// Residuals, each over its expected size, with their derivatives by the unknowns, row by row.
pub(super) struct Residuals {
    pub(super) r: Vec<f64>,
    pub(super) j: Vec<Vec<f64>>,
}

impl Residuals {
    /// Σ r².
    pub(super) fn squares(&self) -> f64 {
        self.r.iter().map(|r| r * r).sum()
    }

    /// JᵀJ with a unit diagonal, and the roots of its diagonal.
    fn normal(&self, n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut matrix = vec![0.0; n * n];
        for row in &self.j {
            for a in 0..n {
                for b in 0..n {
                    matrix[a * n + b] += row[a] * row[b];
                }
            }
        }
        let sizes: Vec<f64> = (0..n).map(|k| matrix[k * n + k].sqrt()).collect();
        for a in 0..n {
            for b in 0..n {
                let size = sizes[a] * sizes[b];
                matrix[a * n + b] = if size > 0.0 { matrix[a * n + b] / size } else { 0.0 };
            }
        }
        (matrix, sizes)
    }

    /// (JᵀJ)⁻¹, row by row; an unknown that changes nothing, or nothing if two cannot be told apart, as the error.
    pub(super) fn covariance(&self, n: usize) -> Result<Vec<Vec<f64>>, Option<usize>> {
        let (matrix, sizes) = self.normal(n);
        if let Some(k) = sizes.iter().position(|size| !(*size > 0.0)) {
            return Err(Some(k));
        }
        let mut l = vec![0.0; n * n];
        if !cholesky(n, |a, b| matrix[a * n + b], &mut l)
            || (0..n).any(|k| l[k * n + k] < DEPENDENT)
        {
            return Err(None);
        }
        let column = |k: usize| {
            let mut x = vec![0.0; n];
            x[k] = 1.0;
            cholesky_solve(n, &l, &mut x);
            (0..n).map(|i| x[i] / (sizes[i] * sizes[k])).collect()
        };
        Ok((0..n).map(column).collect())
    }

    /// The step with a λ; nothing if there is none.
    fn step(&self, n: usize, lambda: f64) -> Option<Vec<f64>> {
        let (matrix, sizes) = self.normal(n);
        let mut l = vec![0.0; n * n];
        let entry = |a: usize, b: usize| {
            let more = if a == b { lambda + f64::from(u8::from(!(sizes[a] > 0.0))) } else { 0.0 };
            matrix[a * n + b] + more
        };
        if !cholesky(n, entry, &mut l) {
            return None;
        }
        let mut x: Vec<f64> = (0..n)
            .map(|k| {
                let sum: f64 = self.j.iter().zip(&self.r).map(|(row, r)| row[k] * r).sum();
                if sizes[k] > 0.0 { -sum / sizes[k] } else { 0.0 }
            })
            .collect();
        cholesky_solve(n, &l, &mut x);
        x.iter_mut().zip(&sizes).for_each(|(x, s)| *x = if *s > 0.0 { *x / s } else { 0.0 });
        x.iter().all(|v| v.is_finite()).then_some(x)
    }
}

/// Pivot of scaled normal equations below which unknowns cannot be told apart.
const DEPENDENT: f64 = 1e-7;

/// Where it ended.
pub(super) struct Minimum {
    pub(super) p: Vec<f64>,
    pub(super) at: Residuals,
    /// Runs that were made.
    pub(super) runs: usize,
    /// Whether it ended because nothing changed any more.
    pub(super) is_settled: bool,
}

/// Residuals at parameters; none where there are none, and an error that ends the search.
type Evaluate<'a, E> = &'a mut dyn FnMut(&[f64]) -> Result<Option<Residuals>, E>;

/// Lowers Σ r² from a start. `evaluate` gives nothing where the unknowns are not allowed or the run fails; an error of it
/// ends all.
pub(super) fn minimise<E>(
    start: Vec<f64>,
    first: Residuals,
    evaluate: Evaluate<E>,
) -> Result<Minimum, E> {
    let n = start.len();
    let (mut p, mut at, mut lambda) = (start, first, FIRST);
    let mut runs = 1;
    while runs < MOST_RUNS {
        let Some(step) = at.step(n, lambda) else {
            lambda = (lambda * FACTOR).max(FIRST);
            if lambda > LARGEST {
                return Ok(Minimum { p, at, runs, is_settled: false });
            }
            continue;
        };
        let error = |k: usize| {
            let square: f64 = at.j.iter().map(|row| row[k] * row[k]).sum();
            if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }
        };
        // The size of what is left counts where that is more than expected.
        let excess = (at.squares() / at.r.len().max(1) as f64).sqrt();
        let is_small =
            |k: usize| step[k].abs() <= (SETTLED * error(k) * excess).max(ROUNDING * p[k].abs());
        let is_settled = (0..n).all(is_small);
        let trial: Vec<f64> = p.iter().zip(&step).map(|(p, d)| p + d).collect();
        runs += 1;
        match evaluate(&trial)? {
            Some(found) if found.squares() <= at.squares() => {
                (p, at) = (trial, found);
                lambda = (lambda / FACTOR).max(1e-14);
            }
            _ if is_settled => {}
            _ => lambda *= FACTOR,
        }
        if is_settled {
            return Ok(Minimum { p, at, runs, is_settled: true });
        }
        if lambda > LARGEST {
            break;
        }
    }
    Ok(Minimum { p, at, runs, is_settled: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = a exp(−b t) at a few times, exactly.
    #[test]
    fn an_exponential_is_found_to_rounding_from_far_away() {
        let times: Vec<f64> = (0..20).map(|k| 0.1 * f64::from(k)).collect();
        let mut evaluate = |p: &[f64]| -> Result<Option<Residuals>, ()> {
            let model = |t: f64| p[0] * (-p[1] * t).exp();
            let r = times.iter().map(|t| model(*t) - 2.0 * (-1.5 * t).exp()).collect();
            let j = times.iter().map(|t| vec![(-p[1] * t).exp(), -t * model(*t)]).collect();
            Ok(Some(Residuals { r, j }))
        };
        let start = vec![0.5, 0.1];
        let first = evaluate(&start).unwrap().unwrap();
        let found = minimise(start, first, &mut evaluate).unwrap();
        assert!(found.is_settled && found.runs < 40);
        assert!((found.p[0] - 2.0).abs() < 1e-9 && (found.p[1] - 1.5).abs() < 1e-9);
    }

    #[test]
    fn the_covariance_of_a_straight_line_is_that_of_the_textbook() {
        // y = a + b t at t = −1, 0, 1: variances 1/3 and 1/2, no correlation.
        let j = vec![vec![1.0, -1.0], vec![1.0, 0.0], vec![1.0, 1.0]];
        let at = Residuals { r: vec![0.0; 3], j };
        let covariance = at.covariance(2).unwrap();
        let wanted = [[1.0 / 3.0, 0.0], [0.0, 0.5]];
        for (row, wanted) in covariance.iter().zip(wanted) {
            for (v, w) in row.iter().zip(wanted) {
                assert!((v - w).abs() < 1e-15);
            }
        }
        let twice = Residuals { r: vec![0.0; 2], j: vec![vec![1.0, 2.0], vec![2.0, 4.0]] };
        assert_eq!(twice.covariance(2), Err(None));
        let none = Residuals { r: vec![0.0; 2], j: vec![vec![1.0, 0.0], vec![2.0, 0.0]] };
        assert_eq!(none.covariance(2), Err(Some(1)));
    }
}
