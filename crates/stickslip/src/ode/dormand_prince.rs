//! An explicit Runge-Kutta method with an error estimate.

use super::rk4::Rate;
use super::{OdeError, RateError, Tolerances};
use crate::memory::Tape;

const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const STAGES: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Difference of the solutions of order 5 and 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// The explicit method of Dormand and Prince (1980), order 5 with an error estimate of order 4. It
/// finds the kinks of the elements by refusing steps across them, and the limit of stability in
/// stick by itself; where that limit is far below what accuracy asks for,
/// [`Rosenbrock`](super::Rosenbrock) is faster.
#[derive(Clone, Debug)]
pub struct DormandPrince {
    tolerances: Tolerances,
    control: Control,
    slopes: [Vec<f64>; 7],
    stage: Vec<f64>,
}

impl DormandPrince {
    /// The method with these tolerances.
    pub fn new(tolerances: Tolerances) -> Self {
        Self {
            tolerances,
            control: Control::new(1.0 / 5.0),
            slopes: Default::default(),
            stage: Vec::new(),
        }
    }

    /// Writes the step that is thought right, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        self.control.keep(tape);
    }

    /// Carries y from t to t + dt in as many steps as the tolerance needs; returns their number.
    /// The error is measured in the first components only, as many as `absolute` has entries: their
    /// absolute tolerances.
    pub fn advance(
        &mut self,
        rate: &mut Rate,
        t: f64,
        y: &mut [f64],
        dt: f64,
        absolute: &[f64],
    ) -> Result<usize, OdeError> {
        for slope in &mut self.slopes {
            slope.resize(y.len(), 0.0);
        }
        rate(t, y, &mut self.slopes[0])?;
        let mut passed = 0.0;
        let mut tried = 0;
        self.control.begin(dt);
        while let Some(h) = self.control.next(t, passed, dt, tried)? {
            tried += 1;
            let error = match self.attempt(rate, t + passed, y, h) {
                Ok(()) => self.error(y, h, absolute),
                // A stage so far off that it has no value asks for a smaller step.
                Err(RateError::NotFinite { .. }) => f64::INFINITY,
                Err(error) => return Err(error.into()),
            };
            if self.control.judge(h, error) {
                passed += h;
                y.copy_from_slice(&self.stage);
                // First same as last.
                self.slopes.swap(0, 6);
            }
        }
        Ok(tried)
    }

    fn attempt(&mut self, rate: &mut Rate, t: f64, y: &[f64], h: f64) -> Result<(), RateError> {
        for s in 1..7 {
            self.stage.clear();
            self.stage.extend_from_slice(y);
            for (j, factor) in STAGES[s].iter().enumerate().take(s) {
                for (v, slope) in self.stage.iter_mut().zip(&self.slopes[j]) {
                    *v += h * factor * slope;
                }
            }
            rate(t + NODES[s] * h, &self.stage, &mut self.slopes[s])?;
        }
        Ok(())
    }

    fn error(&self, y: &[f64], h: f64, absolute: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for (i, absolute) in absolute.iter().enumerate() {
            let estimate: f64 = (0..7).map(|s| ERROR[s] * self.slopes[s][i]).sum();
            let size = y[i].abs().max(self.stage[i].abs());
            largest = larger(largest, h * estimate / (absolute + self.tolerances.relative * size));
        }
        largest
    }
}

/// The larger magnitude; a NaN counts as infinite.
pub(crate) fn larger(largest: f64, value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { largest.max(value.abs()) }
}

/// Choice of the step from the error estimate.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    exponent: f64,
    /// The step that is thought right.
    pub(crate) h: f64,
    refused: bool,
}

/// Steps for one call.
const MOST_STEPS: usize = 2_000_000;

impl Control {
    pub(crate) fn new(exponent: f64) -> Self {
        Self { exponent, h: 0.0, refused: false }
    }

    /// Writes the step that is thought right, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("step");
        tape.real(&mut self.h);
    }

    /// The first step ever is a thousandth of the interval; later the last one is taken up.
    pub(crate) fn begin(&mut self, dt: f64) {
        if self.h == 0.0 {
            self.h = 1e-3 * dt;
        }
        self.refused = false;
    }

    /// Length of the next step; none at the end.
    pub(crate) fn next(
        &self,
        t: f64,
        passed: f64,
        dt: f64,
        tried: usize,
    ) -> Result<Option<f64>, OdeError> {
        let left = dt - passed;
        if left <= 1e-13 * dt {
            return Ok(None);
        }
        if tried >= MOST_STEPS {
            return Err(OdeError::TooManySteps(tried));
        }
        if self.h < 1e-13 * dt {
            return Err(OdeError::StepTooSmall { t: t + passed, step: self.h });
        }
        // No tiny remainder at the end.
        Ok(Some(if self.h >= left {
            left
        } else if self.h >= 0.6 * left {
            0.5 * left
        } else {
            self.h
        }))
    }

    /// Takes note of the error of a step, 1 being the tolerance; true if it is accepted.
    pub(crate) fn judge(&mut self, h: f64, error: f64) -> bool {
        let accepted = error <= 1.0;
        let factor = 0.9 * error.max(1e-12).powf(-self.exponent);
        let most = if self.refused { 1.0 } else { 5.0 };
        let next = h * factor.clamp(0.1, most);
        // A step that was cut short by the end of the interval says nothing against a longer one.
        self.h = if accepted && h < self.h { next.max(self.h) } else { next };
        self.refused = !accepted;
        accepted
    }
}
