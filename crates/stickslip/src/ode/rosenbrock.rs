//! A linearly implicit method for stiff equations.

use super::dormand_prince::{Control, larger};
use super::rk4::Rate;
use super::{OdeError, RateError, Tolerances};
use crate::linear::Lu;
use crate::memory::Tape;

// Coefficients of RODAS (Hairer & Wanner, Solving Ordinary Differential Equations II, sec. IV.7), in
// the form that needs no product with the Jacobian.
const GAMMA: f64 = 0.25;
const A: [[f64; 5]; 6] = [
    [0.0; 5],
    [1.544, 0.0, 0.0, 0.0, 0.0],
    [0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0],
    [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0],
    [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 0.0],
    [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0],
];
const C: [[f64; 5]; 6] = [
    [0.0; 5],
    [-5.6688, 0.0, 0.0, 0.0, 0.0],
    [-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0],
    [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0],
    [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616, 0.0],
    [
        8.083246795921522,
        -7.981132988064893,
        -31.52159432874371,
        16.31930543123136,
        -6.058818238834054,
    ],
];
const NODES: [f64; 6] = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0];
const TIME_FACTORS: [f64; 6] = [0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0];
/// Perturbation of the difference quotients, in units of the size of a component.
const PERTURBATION: f64 = 1e-8;

/// The linearly implicit method RODAS, order 4 with an error estimate of order 3, L-stable: for
/// elements so stiff that an explicit method is bound to tiny steps in stick. The Jacobian is taken
/// by difference quotients in every step; one linear system is factored per step, and no nonlinear
/// one has to be solved, so that the kinks of the elements do no harm.
#[derive(Clone, Debug)]
pub struct Rosenbrock {
    tolerances: Tolerances,
    control: Control,
    lu: Lu,
    /// Rows for all components, columns for the dynamic ones.
    jacobian: Vec<f64>,
    slope: Vec<f64>,
    shifted: Vec<f64>,
    time_slope: Vec<f64>,
    stage: Vec<f64>,
    increments: [Vec<f64>; 6],
}

impl Rosenbrock {
    /// The method with these tolerances.
    pub fn new(tolerances: Tolerances) -> Self {
        Self {
            tolerances,
            control: Control::new(1.0 / 4.0),
            lu: Lu::default(),
            jacobian: Vec::new(),
            slope: Vec::new(),
            shifted: Vec::new(),
            time_slope: Vec::new(),
            stage: Vec::new(),
            increments: Default::default(),
        }
    }

    /// Writes the step that is thought right, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        self.control.keep(tape);
    }

    /// Carries y from t to t + dt in as many steps as the tolerance needs; returns their number.
    /// `absolute` are the absolute tolerances of the dynamic components, the first ones; the rates
    /// must not depend on the others.
    pub fn advance(
        &mut self,
        rate: &mut Rate,
        t: f64,
        y: &mut [f64],
        dt: f64,
        absolute: &[f64],
    ) -> Result<usize, OdeError> {
        for buffer in [&mut self.slope, &mut self.shifted, &mut self.time_slope] {
            buffer.resize(y.len(), 0.0);
        }
        for buffer in &mut self.increments {
            buffer.resize(y.len(), 0.0);
        }
        self.jacobian.resize(y.len() * absolute.len(), 0.0);
        let mut passed = 0.0;
        let mut tried = 0;
        let mut fresh = false;
        self.control.begin(dt);
        while let Some(h) = self.control.next(t, passed, dt, tried)? {
            tried += 1;
            let now = t + passed;
            if !fresh {
                self.differentiate(rate, now, y, 1e-6 * h, absolute)?;
                fresh = true;
            }
            let error = match self.attempt(rate, now, y, h, absolute.len()) {
                Ok(true) => self.error(y, absolute),
                Ok(false) | Err(RateError::NotFinite { .. }) => f64::INFINITY,
                Err(error) => return Err(error.into()),
            };
            if self.control.judge(h, error) {
                passed += h;
                y.copy_from_slice(&self.stage);
                fresh = false;
            }
        }
        Ok(tried)
    }

    /// ∂ẏ/∂y and ∂ẏ/∂t by difference quotients.
    fn differentiate(
        &mut self,
        rate: &mut Rate,
        t: f64,
        y: &[f64],
        t_shift: f64,
        absolute: &[f64],
    ) -> Result<(), RateError> {
        rate(t, y, &mut self.slope)?;
        let n = absolute.len();
        let unit = absolute.iter().fold(0.0_f64, |m, a| m.max(*a));
        self.stage.clear();
        self.stage.extend_from_slice(y);
        for j in 0..n {
            let shifted = y[j] + PERTURBATION * y[j].abs().max(absolute[j] / unit);
            self.stage[j] = shifted;
            rate(t, &self.stage, &mut self.shifted)?;
            self.stage[j] = y[j];
            for i in 0..y.len() {
                self.jacobian[i * n + j] = (self.shifted[i] - self.slope[i]) / (shifted - y[j]);
            }
        }
        let later = t + t_shift.max(1e-12 * t.abs());
        rate(later, y, &mut self.shifted)?;
        for i in 0..y.len() {
            let quotient = (self.shifted[i] - self.slope[i]) / (later - t);
            self.time_slope[i] = if quotient.is_finite() { quotient } else { 0.0 };
        }
        Ok(())
    }

    /// One step; its end is left in `stage`. False if the matrix is singular.
    fn attempt(
        &mut self,
        rate: &mut Rate,
        t: f64,
        y: &[f64],
        h: f64,
        n: usize,
    ) -> Result<bool, RateError> {
        let diagonal = 1.0 / (GAMMA * h);
        let matrix = self.lu.entries(n);
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] = -self.jacobian[i * n + j];
            }
            matrix[i * n + i] += diagonal;
        }
        if !self.lu.factorise() {
            return Ok(false);
        }
        for s in 0..6 {
            self.stage.clear();
            self.stage.extend_from_slice(y);
            for j in 0..s {
                for (v, k) in self.stage.iter_mut().zip(&self.increments[j]) {
                    *v += A[s][j] * k;
                }
            }
            rate(t + NODES[s] * h, &self.stage, &mut self.shifted)?;
            for j in 0..s {
                for (v, k) in self.shifted.iter_mut().zip(&self.increments[j]) {
                    *v += C[s][j] / h * k;
                }
            }
            for (v, slope) in self.shifted.iter_mut().zip(&self.time_slope) {
                *v += TIME_FACTORS[s] * h * slope;
            }
            let (dynamic, sums) = self.shifted.split_at_mut(n);
            self.lu.solve(dynamic);
            // The sums depend on the dynamic part only: their rows are solved by substitution.
            for (i, v) in sums.iter_mut().enumerate() {
                let row = &self.jacobian[(n + i) * n..(n + i + 1) * n];
                let product: f64 = row.iter().zip(dynamic.iter()).map(|(a, k)| a * k).sum();
                *v = (*v + product) / diagonal;
            }
            self.increments[s].copy_from_slice(&self.shifted);
        }
        // The last stage plus its increment is the solution, the last increment the error.
        for (v, k) in self.stage.iter_mut().zip(&self.increments[5]) {
            *v += k;
        }
        Ok(true)
    }

    fn error(&self, y: &[f64], absolute: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for (i, absolute) in absolute.iter().enumerate() {
            let size = y[i].abs().max(self.stage[i].abs());
            let scale = absolute + self.tolerances.relative * size;
            largest = larger(largest, self.increments[5][i] / scale);
        }
        largest
    }
}
