//! Row and column scaling by powers of two: exact, and complementarity does not notice it.

use super::LinearComplementarityProblem;

/// The problem in scaled variables: Â = R A C, b̂ = β R b, x = C x̂ / β, with all of R, C, β powers
/// of two.
#[derive(Clone, Debug, Default)]
pub(super) struct ScaledProblem {
    pub n: usize,
    /// Â, row-major.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    /// Exponents of R and C.
    row: Vec<i32>,
    column: Vec<i32>,
    /// Exponent of β.
    load: i32,
}

/// Sweeps of the equilibration; each halves the logarithm of what is left.
const SWEEPS: usize = 3;
/// Exponents stay inside this range.
const EXPONENT_RANGE: i32 = 2000;

/// Exponent of a positive finite number: 2^e ≤ v < 2^(e+1) (−1023 for denormals).
#[inline]
pub(super) fn exponent(v: f64) -> i32 {
    ((v.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// v · 2^e without intermediate overflow.
#[inline]
pub(super) fn times_power_of_two(v: f64, e: i32) -> f64 {
    if (-1022..=1023).contains(&e) {
        return v * power_of_two(e);
    }
    let half = e / 2;
    let quarter = half / 2;
    // |e| may exceed the exponent range of a double: four factors always fit.
    [quarter, half - quarter, quarter, e - half - quarter]
        .iter()
        .fold(v, |v, part| v * power_of_two((*part).clamp(-1022, 1023)))
}

#[inline]
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

impl ScaledProblem {
    /// Scales the problem so that the largest entries of rows and columns are near 1, and the
    /// largest of b̂ as well.
    pub fn set(&mut self, problem: &LinearComplementarityProblem) {
        let n = problem.dim();
        self.n = n;
        self.a.clear();
        self.a.extend_from_slice(problem.a());
        self.b.clear();
        self.b.extend_from_slice(problem.b());
        self.row.clear();
        self.row.resize(n, 0);
        self.column.clear();
        self.column.resize(n, 0);
        for _ in 0..SWEEPS {
            if !self.sweep() {
                break;
            }
        }
        let mut largest = 0.0_f64;
        for (b, r) in self.b.iter_mut().zip(&self.row) {
            *b = times_power_of_two(*b, *r);
            largest = largest.max(b.abs());
        }
        self.load = 0;
        if largest > 0.0 && largest.is_finite() {
            self.load = -exponent(largest);
            for b in &mut self.b {
                *b = times_power_of_two(*b, self.load);
            }
        }
    }

    /// One sweep: rows, then columns, by half of the exponent of their largest entry. False if
    /// nothing was left to do.
    fn sweep(&mut self) -> bool {
        let n = self.n;
        let mut changed = false;
        for i in 0..n {
            let row = &mut self.a[i * n..(i + 1) * n];
            let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let shift = half_shift(largest, self.row[i]);
            if shift != 0 {
                changed = true;
                self.row[i] += shift;
                for v in row {
                    *v = times_power_of_two(*v, shift);
                }
            }
        }
        for j in 0..n {
            let mut largest = 0.0_f64;
            for i in 0..n {
                largest = largest.max(self.a[i * n + j].abs());
            }
            let shift = half_shift(largest, self.column[j]);
            if shift != 0 {
                changed = true;
                self.column[j] += shift;
                for i in 0..n {
                    self.a[i * n + j] = times_power_of_two(self.a[i * n + j], shift);
                }
            }
        }
        changed
    }

    /// x_i in the units of the problem from x̂_i.
    pub fn unscale(&self, i: usize, x_hat: f64) -> f64 {
        times_power_of_two(x_hat, self.column[i] - self.load)
    }

    /// x̂_i from x_i in the units of the problem.
    pub fn scale(&self, i: usize, x: f64) -> f64 {
        times_power_of_two(x, self.load - self.column[i])
    }
}

/// Half of the way to exponent 0, rounded towards zero; 0 for empty rows.
fn half_shift(largest: f64, so_far: i32) -> i32 {
    if !(largest > 0.0 && largest.is_finite()) {
        return 0;
    }
    let shift = -(exponent(largest) / 2);
    if (so_far + shift).abs() > EXPONENT_RANGE { 0 } else { shift }
}
