//! The classical Runge-Kutta method with a fixed step.

use super::RateError;

/// The right-hand side of an equation: writes ẏ at (t, y).
pub type Rate<'a> = dyn FnMut(f64, &[f64], &mut [f64]) -> Result<(), RateError> + 'a;

/// The classical Runge-Kutta method of order 4, which Xiong 2013 uses throughout. It is stable in
/// stick only below a certain step: see [`StabilityLimit`](super::StabilityLimit).
#[derive(Clone, Debug, Default)]
pub struct Rk4 {
    stage: Vec<f64>,
    slope: Vec<f64>,
    sum: Vec<f64>,
}

impl Rk4 {
    /// One step from t to t + dt. On an error y is as it was.
    pub fn step(
        &mut self,
        rate: &mut Rate,
        t: f64,
        y: &mut [f64],
        dt: f64,
    ) -> Result<(), RateError> {
        let n = y.len();
        self.slope.resize(n, 0.0);
        self.sum.clear();
        self.sum.resize(n, 0.0);
        self.stage.clear();
        self.stage.extend_from_slice(y);
        for (index, weight) in [1.0, 2.0, 2.0, 1.0].into_iter().enumerate() {
            let node = [0.0, 0.5, 0.5, 1.0][index];
            rate(t + node * dt, &self.stage, &mut self.slope)?;
            let next = [0.5, 0.5, 1.0, 0.0][index];
            for i in 0..n {
                self.sum[i] += weight * self.slope[i];
                self.stage[i] = y[i] + next * dt * self.slope[i];
            }
        }
        for (value, sum) in y.iter_mut().zip(&self.sum) {
            *value += dt / 6.0 * sum;
        }
        Ok(())
    }
}
