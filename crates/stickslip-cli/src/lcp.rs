//! Linear complementarity problems y = A x + b, x ≥ 0, y ≥ 0, xᵀy = 0, as files.
//!
//! The only place of the command that knows how they are solved is [`Lcp::solve`].

use serde::Deserialize;
use stickslip::solve::{Limits, Status};

/// A linear complementarity problem as its file gives it (the format `stickslip/lcp`).
#[derive(Deserialize)]
pub struct Lcp {
    #[serde(rename = "A")]
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
}

/// How a solve ended.
pub struct Outcome {
    /// As for every solver.
    pub status: Status,
    /// Pivots, or bases tried.
    pub iterations: usize,
    /// The solution, or the best point found; none if there is none.
    pub x: Option<Vec<f64>>,
    /// Every solution, where the method finds them all.
    pub solutions: Option<Vec<Vec<f64>>>,
}

impl Lcp {
    /// Reads and checks a problem.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let lcp: Self = serde_json::from_str(text)
            .map_err(|e| format!("not valid JSON for a stickslip/lcp file: {e}"))?;
        let n = lcp.b.len();
        if lcp.a.len() != n {
            return Err(format!("A has {} rows, b has {n} components", lcp.a.len()));
        }
        if let Some(i) = lcp.a.iter().position(|row| row.len() != n) {
            return Err(format!("row {i} of A has {} entries, b has {n}", lcp.a[i].len()));
        }
        Ok(lcp)
    }

    /// y = A x + b.
    pub fn slack(&self, x: &[f64]) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        self.a.iter().zip(&self.b).map(|(row, b)| dot(row) + b).collect()
    }

    /// The residual e of docs/file-formats.md: 0 exactly at a solution, whatever the units of x
    /// and y.
    pub fn residual(&self, x: &[f64]) -> f64 {
        let (n, y) = (x.len(), self.slack(x));
        let term = |i: usize, j: usize| (self.a[i][j] * x[j]).abs();
        let size: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| term(i, j)).fold(self.b[i].abs(), f64::max)).collect();
        if y.iter().chain(&size).any(|v| !v.is_finite()) {
            return f64::INFINITY;
        }
        let mut e = 0.0_f64;
        for i in 0..n {
            let y_hat = if size[i] > 0.0 { y[i] / size[i] } else { 0.0 };
            let rows = (0..n).filter(|j| self.a[*j][i] != 0.0 && size[*j] > 0.0);
            let share = rows.map(|j| term(j, i) / size[j]).reduce(f64::max).unwrap_or(1.0);
            let x_hat = if x[i] == 0.0 { 0.0 } else { share.copysign(x[i]) };
            e = e.max(x_hat.min(y_hat).abs());
        }
        e
    }

    /// Solves by `lemke`, by `enumerate`, or by `auto`: Lemke, and enumeration if it fails.
    pub fn solve(&self, solver: &str, limits: Limits) -> Result<Outcome, String> {
        if !matches!(solver, "lemke" | "enumerate" | "auto") {
            return Err(format!(
                "solver {solver} cannot treat a linear complementarity problem; \
                 allowed are lemke, enumerate, auto"
            ));
        }
        // SWAP HERE: `stickslip::solve::lcp::{LinearComplementarityProblem, Lemke, Enumerate}`
        // take the place of this stand-in, a projected Gauss-Seidel iteration.
        Ok(self.stand_in(limits))
    }

    fn stand_in(&self, limits: Limits) -> Outcome {
        let mut x = vec![0.0; self.b.len()];
        for iterations in 0..limits.max_iterations.min(10_000) {
            if self.residual(&x) <= limits.tolerance {
                return Outcome { status: Status::Solved, iterations, x: Some(x), solutions: None };
            }
            for i in 0..x.len() {
                let row = &self.a[i];
                let y = row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() + self.b[i];
                if row[i] > 0.0 {
                    x[i] = (x[i] - y / row[i]).max(0.0);
                }
            }
        }
        let iterations = limits.max_iterations;
        Outcome { status: Status::MaxIterations, iterations, x: Some(x), solutions: None }
    }
}
