//! How long a run is and how often it reports.

use crate::range::{self, OutOfRange, require};

/// Length, step and output of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunSettings {
    /// Simulated time, s; not negative.
    pub duration: f64,
    /// Time step, s; above 0.
    pub step: f64,
    /// Time between two rows of output, s; a multiple of the step.
    pub output_step: f64,
    /// Whether to go on where a contact problem was not solved; such steps are counted.
    pub allow_inexact: bool,
    /// Residual that the last resort for an unsolved contact problem must reach: the tolerance of the
    /// usual solver.
    pub solver_tolerance: f64,
    /// Accuracy by which steps are chosen, 1e-12 to 0.1; with none all steps are equal. See
    /// [`StepCount`](super::StepCount).
    pub accuracy: Option<f64>,
    /// Least step that is chosen, s; above 0, at most half of the step.
    pub least_step: f64,
    /// Whether overlaps and joints that are apart at the start are closed before the run: for
    /// integrators that keep gaps and joints.
    pub close_start: bool,
}

/// Part of a step by which a duration may differ from a whole number of them.
pub(super) const WHOLE: f64 = 1e-6;
/// Steps that a run may have at most: ten years of computer time.
const MOST_STEPS: f64 = 1e14;

impl RunSettings {
    /// A run that ends where a contact problem is not solved to 1e-8.
    pub fn new(duration: f64, step: f64, output_step: f64) -> Self {
        Self {
            duration,
            step,
            output_step,
            allow_inexact: false,
            solver_tolerance: 1e-8,
            accuracy: None,
            least_step: 1e-9,
            close_start: false,
        }
    }

    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        range::positive("simulation.step", self.step)?;
        range::not_negative("simulation.duration", self.duration)?;
        let steps = self.duration / self.step;
        let least = "at least 1e-14 of the duration";
        require(steps <= MOST_STEPS, "simulation.step", self.step, least)?;
        let every = self.output_step / self.step;
        let whole = (every - every.round()).abs() <= 1e-6 * every;
        let multiple = every.is_finite() && every >= 0.999 && whole;
        let allowed = format!("a whole multiple of the step {}", self.step);
        require(multiple, "simulation.output_step", self.output_step, allowed)?;
        if let Some(accuracy) = self.accuracy {
            let allowed = "0 (equal steps) or between 1e-12 and 0.1";
            require((1e-12..=0.1).contains(&accuracy), "simulation.accuracy", accuracy, allowed)?;
            let good = self.least_step > 0.0 && self.least_step <= 0.5 * self.step;
            let allowed = format!("above 0 and at most half of the step {}", self.step);
            require(good, "simulation.least_step", self.least_step, allowed)?;
        }
        Ok(())
    }

    /// Number of steps; the last one is shorter if the duration is no multiple of the step.
    pub(crate) fn steps(&self) -> u64 {
        let ratio = self.duration / self.step;
        let whole = ratio.round();
        if (ratio - whole).abs() <= WHOLE { whole as u64 } else { ratio.ceil() as u64 }
    }

    /// Rows of output after that of the start.
    pub(crate) fn rows(&self) -> u64 {
        self.steps().div_ceil(self.every())
    }

    /// Steps between two rows of output.
    pub(crate) fn every(&self) -> u64 {
        (self.output_step / self.step).round().max(1.0) as u64
    }
}
