//! Linear complementarity problems y = A x + b, x ≥ 0, y ≥ 0, xᵀy = 0, as files.

use std::time::Instant;
use stickslip::solve::lcp::{
    ENUMERATION_LIMIT, Enumeration, LemkeMethod, LinearComplementarityProblem,
};
use stickslip::solve::{Limits, Status};

/// A linear complementarity problem (the format `stickslip/lcp`).
pub struct Lcp(LinearComplementarityProblem);

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
        let named = LinearComplementarityProblem::from_json(text).map_err(|e| e.to_string())?;
        Ok(Self(named.problem))
    }

    /// y = A x + b.
    pub fn slack(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.0.dim()];
        self.0.image(x, &mut y);
        y
    }

    /// The residual e of docs/file-formats.md.
    pub fn residual(&self, x: &[f64]) -> f64 {
        self.0.residual(x)
    }

    /// Solves by `lemke`, by `enumerate`, or by `auto`: Lemke, and enumeration if it fails.
    pub fn solve(&self, solver: &str, limits: Limits) -> Result<Outcome, String> {
        match solver {
            "lemke" => Ok(self.lemke(limits, 0)),
            "auto" => Ok(self.lemke(limits, ENUMERATION_LIMIT)),
            "enumerate" => self.enumerate(limits),
            _ => Err(format!(
                "solver {solver} cannot treat a linear complementarity problem; \
                 allowed are lemke, enumerate, auto"
            )),
        }
    }

    fn lemke(&self, limits: Limits, enumerate_up_to: usize) -> Outcome {
        let mut method = LemkeMethod::default();
        method.options.tolerance = limits.tolerance;
        method.options.max_pivots = limits.max_iterations;
        method.options.enumerate_up_to = enumerate_up_to;
        let deadline = limits.max_time.and_then(|time| Instant::now().checked_add(time));
        let mut x = vec![0.0; self.0.dim()];
        let report = method.solve_from(&self.0, None, deadline, &mut x);
        let x = (report.status != Status::NoSolution).then_some(x);
        Outcome { status: report.status, iterations: report.pivots, x, solutions: None }
    }

    fn enumerate(&self, limits: Limits) -> Result<Outcome, String> {
        let n = self.0.dim();
        if n > ENUMERATION_LIMIT {
            return Err(format!(
                "the problem has {n} components, enumerate treats at most {ENUMERATION_LIMIT}"
            ));
        }
        let found = Enumeration::default().all(&self.0, limits.tolerance);
        let solutions: Vec<Vec<f64>> = found.into_iter().map(|solution| solution.x).collect();
        let x = solutions.first().cloned();
        let status = if x.is_some() { Status::Solved } else { Status::NoSolution };
        Ok(Outcome { status, iterations: 1 << n, x, solutions: Some(solutions) })
    }
}
