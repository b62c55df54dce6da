//! Linear complementarity problems (Flores 2010, sec. 2.1) and planar friction as one of them.
//!
//! ```text
//! y = A x + b,      0 ≤ y ⟂ x ≥ 0                                     (Flores 2010, eq. 1, 2)
//! ```
//!
//! Contact with planar Coulomb friction takes this form (Flores 2010, eq. 85); [`Lemke`] and
//! [`Enumerate`] are solvers of the inclusion problem that go this way. Spatial friction has no
//! such form. The parts can be used alone: [`LinearComplementarityProblem`] is plain data,
//! [`LemkeMethod`] pivots, [`Enumeration`] lists all solutions.

mod assemble;
mod enumerate;
mod file;
mod lemke;
mod scaling;
mod solver;

pub use enumerate::{ENUMERATION_LIMIT, Enumeration, LcpSolution};
pub use file::{LcpFileError, NamedLcp};
pub use lemke::{LcpReport, LemkeMethod, LemkeMethodOptions};
pub use solver::{Enumerate, EnumerateOptions, Lemke, LemkeOptions};

/// Why data do not form a linear complementarity problem. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum LcpError {
    #[error("A has {found} entries, b has {n} components: A must have {}", n * n)]
    Dimension { n: usize, found: usize },
    #[error("A has {found} rows, b has {n} components: they must agree")]
    Rows { n: usize, found: usize },
    #[error("row {row} of A has {found} entries, it must have {n} as b has components")]
    RowLength { row: usize, n: usize, found: usize },
    #[error("A[{row}][{column}] is {value}, it must be a finite number")]
    Matrix { row: usize, column: usize, value: String },
    #[error("b[{row}] is {value}, it must be a finite number")]
    Vector { row: usize, value: String },
}

/// Plain data of y = A x + b, 0 ≤ y ⟂ x ≥ 0.
///
/// ```
/// use stickslip::solve::lcp::{Enumeration, LinearComplementarityProblem};
/// // y = 1 − x: separated (x = 0) or pressed (x = 1).
/// let problem = LinearComplementarityProblem::new(vec![-1.0], vec![1.0])?;
/// let solutions = Enumeration::default().all(&problem, 1e-10);
/// assert_eq!(solutions.iter().map(|s| s.x[0]).collect::<Vec<_>>(), [0.0, 1.0]);
/// # Ok::<(), stickslip::solve::lcp::LcpError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearComplementarityProblem {
    /// A, dense and row-major.
    a: Vec<f64>,
    b: Vec<f64>,
}

impl LinearComplementarityProblem {
    /// Problem with A dense and row-major; checks dimensions and finiteness.
    pub fn new(a: Vec<f64>, b: Vec<f64>) -> Result<Self, LcpError> {
        let n = b.len();
        if a.len() != n * n {
            return Err(LcpError::Dimension { n, found: a.len() });
        }
        let problem = Self { a, b };
        problem.check_finite()?;
        Ok(problem)
    }

    /// Problem from the rows of A.
    pub fn from_rows(rows: &[Vec<f64>], b: &[f64]) -> Result<Self, LcpError> {
        let n = b.len();
        if rows.len() != n {
            return Err(LcpError::Rows { n, found: rows.len() });
        }
        if let Some(row) = rows.iter().position(|r| r.len() != n) {
            return Err(LcpError::RowLength { row, n, found: rows[row].len() });
        }
        Self::new(rows.concat(), b.to_vec())
    }

    fn check_finite(&self) -> Result<(), LcpError> {
        let n = self.dim();
        if let Some(k) = self.a.iter().position(|v| !v.is_finite()) {
            let value = self.a[k].to_string();
            return Err(LcpError::Matrix { row: k / n, column: k % n, value });
        }
        if let Some(row) = self.b.iter().position(|v| !v.is_finite()) {
            return Err(LcpError::Vector { row, value: self.b[row].to_string() });
        }
        Ok(())
    }

    /// Number of components n of x and y.
    pub fn dim(&self) -> usize {
        self.b.len()
    }

    /// A, dense and row-major.
    pub fn a(&self) -> &[f64] {
        &self.a
    }

    /// b.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// Row of A.
    pub fn row(&self, row: usize) -> &[f64] {
        let n = self.dim();
        &self.a[row * n..(row + 1) * n]
    }

    /// Sets all entries to zero and the size to n; keeps the memory.
    fn reset(&mut self, n: usize) {
        self.a.clear();
        self.a.resize(n * n, 0.0);
        self.b.clear();
        self.b.resize(n, 0.0);
    }

    /// y = A x + b.
    pub fn image(&self, x: &[f64], y: &mut [f64]) {
        for (i, y_i) in y.iter_mut().enumerate() {
            *y_i = self.row(i).iter().zip(x).map(|(a, x)| a * x).sum::<f64>() + self.b[i];
        }
    }

    /// Residual of x; 0 exactly at a solution, +∞ where an intermediate result overflows.
    ///
    /// Every y_i is compared with the largest term w_i of its row, and every x_j with the size at
    /// which it matters in some row:
    ///
    /// ```text
    /// w_i = max(|b_i|, max_j |A_ij x_j|)
    /// v_j = max(|x_j|, min { w_i / |A_ij| : b_i ≠ 0, A_ij ≠ 0 })
    /// e   = max_i |min(x_i / v_i, y_i / w_i)|
    /// ```
    ///
    /// with w_i = max_j |A_ij| v_j instead where b_i = 0: such a row may consist of round-off
    /// alone, as the last rows of Flores 2010, eq. (85), do where a contact is open. This does not
    /// change when any x_i or y_i is measured in another unit (A → D A E, b → D b, x → E⁻¹ x with
    /// positive diagonal D and E). Quotients 0/0 count as 0.
    pub fn residual(&self, x: &[f64]) -> f64 {
        let n = self.dim();
        self.residual_into(x, &mut vec![0.0; n], &mut vec![0.0; 2 * n])
    }

    /// The same as [`residual`](Self::residual) without allocation: `y` receives A x + b, `sizes`
    /// the n values w_i and then the n values v_j.
    pub fn residual_into(&self, x: &[f64], y: &mut [f64], sizes: &mut [f64]) -> f64 {
        let n = self.dim();
        let (w, v) = sizes.split_at_mut(n);
        for i in 0..n {
            let (mut sum, mut largest) = (0.0, self.b[i].abs());
            for (a, x) in self.row(i).iter().zip(x) {
                let term = a * x;
                sum += term;
                largest = largest.max(term.abs());
            }
            y[i] = sum + self.b[i];
            if !y[i].is_finite() {
                return f64::INFINITY;
            }
            w[i] = largest;
        }
        v.fill(f64::INFINITY);
        for i in (0..n).filter(|i| self.b[*i] != 0.0) {
            for (a, v) in self.row(i).iter().zip(v.iter_mut()) {
                if *a != 0.0 {
                    *v = v.min(w[i] / a.abs());
                }
            }
        }
        for (v, x) in v.iter_mut().zip(x) {
            *v = if v.is_finite() { v.max(x.abs()) } else { x.abs() };
        }
        for i in (0..n).filter(|i| self.b[*i] == 0.0) {
            let terms = self.row(i).iter().zip(v.iter());
            w[i] = terms.fold(0.0_f64, |m, (a, v)| m.max(a.abs() * v)).min(f64::MAX);
        }
        let mut e = 0.0_f64;
        for i in 0..n {
            let y_hat = if y[i] == 0.0 { 0.0 } else { y[i] / w[i] };
            let x_hat = if x[i] == 0.0 { 0.0 } else { x[i] / v[i] };
            e = e.max(x_hat.min(y_hat).abs());
        }
        e
    }
}
