//! Lemke's complementary pivoting with a fresh factorisation at every pivot.
//!
//! A tableau that is updated pivot by pivot loses digits with every small pivot. Here the basis
//! is only a list of names: values, slopes and lexicographic data of every pivot are computed
//! from the data by a new LU factorisation, so that errors do not pile up. Unit columns (basic
//! y_i) are eliminated beforehand; the system has the size of the basic x plus one.

mod ratio_test;

use super::enumerate::{ENUMERATE_TOLERANCE, resolved};
use super::scaling::ScaledProblem;
use super::{ENUMERATION_LIMIT, Enumeration, LinearComplementarityProblem};
use crate::linear::Lu;
use crate::solve::Status;
use crate::stop;
use std::time::Instant;

/// Options of [`LemkeMethod`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeMethodOptions {
    /// Largest accepted residual ([`LinearComplementarityProblem::residual`]). Default 1e-10.
    pub tolerance: f64,
    /// Largest number of pivots of all attempts together. Default 10 000.
    pub max_pivots: usize,
    /// Attempts with other covering vectors after a ray or an inaccurate end. Default 20.
    pub restarts: usize,
    /// Largest dimension up to which complete enumeration has the last word; 0 switches it off.
    /// Default and largest value 12.
    pub enumerate_up_to: usize,
}

impl Default for LemkeMethodOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_pivots: 10_000,
            restarts: 20,
            enumerate_up_to: ENUMERATION_LIMIT,
        }
    }
}

/// The outcome of pivoting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpReport {
    /// `Solved`; `RayTermination`: the path of every attempt ended on a ray; `NoSolution`:
    /// enumeration found none; `MaxIterations`, `TimeLimit`: pivots or time ran out; `Stalled`:
    /// the residual is above the tolerance.
    pub status: Status,
    /// Pivots of all attempts.
    pub pivots: usize,
    /// Residual of the returned x.
    pub residual: f64,
}

/// Which variable of the pair i is basic. Exactly one pair has neither in the basis while the
/// artificial variable is in it; the artificial variable takes its place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Basic {
    X,
    Y,
    Artificial,
}

/// Tolerances of one attempt.
#[derive(Clone, Copy)]
struct Attempt {
    /// Slopes below this share of their terms count as zero.
    pivot: f64,
    /// Values below this share of their terms count as zero: ties.
    tie: f64,
}

const ATTEMPTS: [Attempt; 4] = [
    Attempt { pivot: 1e-11, tie: 1e-13 },
    Attempt { pivot: 1e-11, tie: 1e-11 },
    Attempt { pivot: 1e-13, tie: 1e-13 },
    Attempt { pivot: 1e-9, tie: 1e-10 },
];

/// Lemke's method for y = A x + b, 0 ≤ y ⟂ x ≥ 0 (Flores 2010, sec. 2.1).
///
/// Rows and columns are scaled by powers of two; ties are broken lexicographically, and the
/// artificial variable leaves first where it can; the final basis is solved again without the
/// artificial variable, with one step of iterative refinement, and judged by the residual. An
/// attempt that ends on a ray or inaccurately is repeated with other covering vectors. Scratch
/// memory is kept: repeated solves of one size allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct LemkeMethod {
    /// Options; public, as every combination is allowed.
    pub options: LemkeMethodOptions,
    scaled: ScaledProblem,
    cover: Vec<f64>,
    basic: Vec<Basic>,
    /// Pairs whose y is not basic: the basic x, then the pair of the artificial variable.
    reduced: Vec<usize>,
    lu: Lu,
    rhs: Vec<f64>,
    /// Value and slope of the basic variable of each pair, and the size of their terms.
    value: Vec<f64>,
    value_size: Vec<f64>,
    slope: Vec<f64>,
    slope_size: Vec<f64>,
    ties: Vec<usize>,
    ratios: Vec<f64>,
    trial: Vec<f64>,
    y: Vec<f64>,
    sizes: Vec<f64>,
    enumeration: Enumeration,
}

impl LemkeMethod {
    /// Method with the given options.
    pub fn new(options: LemkeMethodOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Solves the problem; x holds the solution or, if none was found, the best point seen.
    pub fn solve(&mut self, problem: &LinearComplementarityProblem, x: &mut [f64]) -> LcpReport {
        self.solve_from(problem, None, None, x)
    }

    /// The same as [`solve`](Self::solve); first tries the basis `guess` (true where x_i is basic:
    /// y_i = 0), which costs one factorisation, and stops at the deadline.
    pub fn solve_from(
        &mut self,
        problem: &LinearComplementarityProblem,
        guess: Option<&[bool]>,
        deadline: Option<Instant>,
        x: &mut [f64],
    ) -> LcpReport {
        let n = problem.dim();
        self.resize(n);
        x.fill(0.0);
        self.scaled.set(problem);
        let mut best = f64::INFINITY;
        if let Some(guess) = guess {
            for (basic, x_basic) in self.basic.iter_mut().zip(guess) {
                *basic = if *x_basic { Basic::X } else { Basic::Y };
            }
            self.finish(problem, x, &mut best);
            if best <= self.options.tolerance {
                return LcpReport { status: Status::Solved, pivots: 0, residual: best };
            }
        }
        self.trial.fill(0.0);
        let zero = problem.residual_into(&self.trial, &mut self.y, &mut self.sizes);
        if zero < best {
            best = zero;
            x.fill(0.0);
        }
        if best <= self.options.tolerance {
            return LcpReport { status: Status::Solved, pivots: 0, residual: best };
        }
        let mut pivots = 0;
        let mut status = Status::Stalled;
        for attempt in 0..=self.options.restarts {
            let last = attempt == self.options.restarts;
            let cap = if last { usize::MAX } else { pivots + 100 + 20 * n };
            let end = self.pivot(attempt, deadline, cap, &mut pivots);
            if end == Status::Solved {
                self.finish(problem, x, &mut best);
                if best <= self.options.tolerance {
                    return LcpReport { status: Status::Solved, pivots, residual: best };
                }
            } else if attempt == 0 || end == Status::TimeLimit {
                status = end;
            }
            if end == Status::TimeLimit || end == Status::MaxIterations {
                break;
            }
        }
        if status != Status::TimeLimit && n <= self.options.enumerate_up_to.min(ENUMERATION_LIMIT) {
            // Nearly singular bases do not reach round-off: listed, but not called solved.
            let accepted = self.options.tolerance.max(ENUMERATE_TOLERANCE);
            let enumerated = self.enumeration.run(problem, accepted, deadline);
            let solutions = self.enumeration.found();
            let first = solutions.iter().min_by(|p, q| p.residual.total_cmp(&q.residual));
            if let Some(solution) = first {
                x.copy_from_slice(&solution.x);
                let residual = solution.residual;
                let solved = residual <= self.options.tolerance;
                let status = if solved { Status::Solved } else { Status::Stalled };
                return LcpReport { status, pivots, residual };
            }
            status = if enumerated { Status::NoSolution } else { Status::TimeLimit };
        }
        LcpReport { status, pivots, residual: best }
    }

    fn resize(&mut self, n: usize) {
        self.basic.clear();
        self.basic.resize(n, Basic::Y);
        for v in [
            &mut self.cover,
            &mut self.rhs,
            &mut self.value,
            &mut self.value_size,
            &mut self.slope,
            &mut self.slope_size,
            &mut self.ratios,
            &mut self.trial,
            &mut self.y,
        ] {
            v.resize(n, 0.0);
        }
        self.sizes.resize(2 * n, 0.0);
    }

    /// One attempt of at most `cap` pivots in total: `Solved` if the artificial variable left the
    /// basis.
    fn pivot(
        &mut self,
        attempt: usize,
        deadline: Option<Instant>,
        cap: usize,
        pivots: &mut usize,
    ) -> Status {
        let n = self.scaled.n;
        let tolerances = ATTEMPTS[attempt % ATTEMPTS.len()];
        for (i, d) in self.cover.iter_mut().enumerate() {
            // Multiples of the golden ratio modulo 1 are spread evenly over four decades.
            let spread = ((i + 1) as f64 * attempt as f64 * 0.618_033_988_749_894_8).fract();
            *d = if attempt == 0 { 1.0 } else { 10f64.powf(4.0 * spread - 2.0) };
        }
        self.basic.fill(Basic::Y);
        // First pivot: the artificial variable enters at the row that is violated most. All rows
        // become lexicographically positive if, among ties, the last one leaves.
        let mut out = 0;
        for i in 1..n {
            let (b, b_out) = (self.scaled.b[i], self.scaled.b[out]);
            if b / self.cover[i] <= b_out / self.cover[out] {
                out = i;
            }
        }
        if self.scaled.b[out] >= 0.0 {
            return Status::Solved; // all violations vanished in the scaling
        }
        self.basic[out] = Basic::Artificial;
        *pivots += 1;
        let mut entering = Basic::X;
        loop {
            if *pivots >= self.options.max_pivots {
                return Status::MaxIterations;
            }
            if *pivots >= cap {
                return Status::Stalled; // round-off in the ties can make a path cycle
            }
            let late = || deadline.is_some_and(|end| Instant::now() >= end) || stop::requested();
            if pivots.is_multiple_of(32) && late() {
                return Status::TimeLimit;
            }
            *pivots += 1;
            self.list_reduced(Some(out));
            if !self.factorise(true) {
                return Status::Stalled;
            }
            self.compute_values(tolerances.tie);
            self.compute_slopes(out, entering);
            let Some(leaving) = self.choose_leaving(out, tolerances) else {
                return Status::RayTermination;
            };
            self.basic[out] = entering;
            if leaving == out {
                return Status::Solved;
            }
            // The complement of the variable that leaves enters next.
            entering = if self.basic[leaving] == Basic::X { Basic::Y } else { Basic::X };
            self.basic[leaving] = Basic::Artificial;
            out = leaving;
        }
    }

    fn list_reduced(&mut self, last: Option<usize>) {
        self.reduced.clear();
        for (i, basic) in self.basic.iter().enumerate() {
            if *basic == Basic::X {
                self.reduced.push(i);
            }
        }
        self.reduced.extend(last);
    }

    /// LU of [A_RS | d_R] (rows R: y not basic; columns S: x basic), or of A_SS at the end.
    fn factorise(&mut self, artificial: bool) -> bool {
        let k = self.reduced.len();
        let n = self.scaled.n;
        let entries = self.lu.entries(k);
        let columns = if artificial { k - 1 } else { k };
        for (p, i) in self.reduced.iter().enumerate() {
            let from = &self.scaled.a[i * n..(i + 1) * n];
            let to = &mut entries[p * k..(p + 1) * k];
            for (v, j) in to.iter_mut().zip(&self.reduced[..columns]) {
                *v = from[*j];
            }
            if artificial {
                to[k - 1] = self.cover[*i];
            }
        }
        self.lu.factorise()
    }

    /// Σ_j A_ij s_j over the basic x, plus d_i times the artificial variable, with the size of
    /// its terms.
    #[inline]
    fn row_product(&self, i: usize, s: &[f64]) -> (f64, f64) {
        let n = self.scaled.n;
        let row = &self.scaled.a[i * n..(i + 1) * n];
        let last = s.len() - 1;
        let term = self.cover[i] * s[last];
        let (mut sum, mut size) = (term, term.abs());
        for (j, s) in self.reduced[..last].iter().zip(s) {
            let term = row[*j] * s;
            sum += term;
            size = size.max(term.abs());
        }
        (sum, size)
    }

    /// Values of the basic variables; those that are round-off become zero, so that ties are seen.
    fn compute_values(&mut self, tie: f64) {
        let k = self.reduced.len();
        for (p, i) in self.reduced.iter().enumerate() {
            self.rhs[p] = -self.scaled.b[*i];
        }
        self.lu.solve(&mut self.rhs[..k]);
        let size = largest(&self.rhs[..k]);
        for p in 0..k {
            let i = self.reduced[p];
            self.value[i] = self.rhs[p];
            self.value_size[i] = size;
        }
        for i in 0..self.scaled.n {
            if self.basic[i] == Basic::Y {
                let (sum, size) = self.row_product(i, &self.rhs[..k]);
                self.value[i] = sum + self.scaled.b[i];
                self.value_size[i] = size.max(self.scaled.b[i].abs());
            }
            if self.value[i] <= tie * self.value_size[i] {
                self.value[i] = 0.0;
            }
        }
    }

    /// Slopes of the basic variables as x_m or y_m enters, m the pair of the artificial variable.
    fn compute_slopes(&mut self, m: usize, entering: Basic) {
        let (n, k) = (self.scaled.n, self.reduced.len());
        let x_enters = entering == Basic::X;
        for (p, i) in self.reduced.iter().enumerate() {
            self.rhs[p] = if x_enters { -self.scaled.a[i * n + m] } else { 0.0 };
        }
        if !x_enters {
            self.rhs[k - 1] = 1.0;
        }
        self.lu.solve(&mut self.rhs[..k]);
        let size = largest(&self.rhs[..k]);
        for p in 0..k {
            let i = self.reduced[p];
            self.slope[i] = self.rhs[p];
            self.slope_size[i] = size;
        }
        for i in 0..n {
            if self.basic[i] == Basic::Y {
                let (sum, size) = self.row_product(i, &self.rhs[..k]);
                let direct = if x_enters { self.scaled.a[i * n + m] } else { 0.0 };
                self.slope[i] = sum + direct;
                self.slope_size[i] = size.max(direct.abs());
            }
        }
    }

    /// Solves the complementary basis; keeps x if its residual is lower than the best so far.
    fn finish(&mut self, problem: &LinearComplementarityProblem, x: &mut [f64], best: &mut f64) {
        self.list_reduced(None);
        let k = self.reduced.len();
        if !self.factorise(false) {
            return;
        }
        self.value[..k].fill(0.0);
        for _ in 0..2 {
            self.compute_defect();
            self.lu.solve(&mut self.rhs[..k]);
            for (v, step) in self.value[..k].iter_mut().zip(&self.rhs) {
                *v += step;
            }
        }
        self.compute_defect();
        if !resolved(&self.scaled, &self.reduced, &self.value[..k], &self.rhs[..k]) {
            return;
        }
        self.trial.fill(0.0);
        for (p, i) in self.reduced.iter().enumerate() {
            self.trial[*i] = self.scaled.unscale(*i, self.value[p].max(0.0));
        }
        let residual = problem.residual_into(&self.trial, &mut self.y, &mut self.sizes);
        if residual < *best {
            *best = residual;
            x.copy_from_slice(&self.trial);
        }
    }

    /// What is left of the equations of the complementary basis, −b_S − A_SS x_S.
    fn compute_defect(&mut self) {
        let n = self.scaled.n;
        for (p, i) in self.reduced.iter().enumerate() {
            let row = &self.scaled.a[i * n..(i + 1) * n];
            let mut defect = -self.scaled.b[*i];
            for (j, v) in self.reduced.iter().zip(&self.value) {
                defect -= row[*j] * v;
            }
            self.rhs[p] = defect;
        }
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}
