//! Friction as a function of the sliding velocity: smoothed laws without a state, and friction
//! whose strength depends on the speed.

use super::bristle::length;
use crate::range::{OutOfRange, positive, require};

/// Shape of a smoothed sgn. None of them can stick: under any load the body creeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothingCurve {
    /// sat(ε, v)/ε: linear within the smoothing speed (Xiong 2013, eq. 50, after Awrejcewicz et
    /// al. 2005).
    Linear,
    /// tanh(|v|/ε) v/|v|.
    Tanh,
}

/// Friction f = F·s(v) with a smooth or piecewise linear s in place of sgn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothedFriction {
    /// Shape of the curve.
    pub shape: SmoothingCurve,
    /// Smoothing speed ε, m/s; above 0.
    pub smoothing_speed: f64,
}

impl SmoothedFriction {
    /// Writes the force against the sliding, N, for the limit F, N, and the velocity, m/s.
    pub fn force(&self, limit: f64, v: &[f64], force: &mut [f64]) {
        let (speed, eps) = (length(v), self.smoothing_speed);
        // Factor of v: s(v)/|v|, finite at rest.
        let factor = match self.shape {
            SmoothingCurve::Linear => 1.0 / speed.max(eps),
            SmoothingCurve::Tanh if speed > 1e-8 * eps => (speed / eps).tanh() / speed,
            SmoothingCurve::Tanh => 1.0 / eps,
        };
        for (f, v_i) in force.iter_mut().zip(v) {
            *f = limit * (factor * v_i);
        }
    }

    /// Speed at which the strength of speed-dependent friction is taken: eq. 50 takes at least ε.
    pub fn strength_speed(&self, speed: f64) -> f64 {
        match self.shape {
            SmoothingCurve::Linear => speed.max(self.smoothing_speed),
            SmoothingCurve::Tanh => speed,
        }
    }

    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        positive("smoothing_speed", self.smoothing_speed)
    }
}

/// How the strength of friction depends on the sliding speed: a factor on the limit F.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SpeedFactor {
    /// It does not.
    #[default]
    Constant,
    /// Friction that falls like V/(V + |v|) (Xiong 2013, eq. 47).
    Falling {
        /// Speed V at which half of the strength is left, m/s; above 0.
        speed: f64,
    },
    /// The curve of Stribeck, 1 + (ratio − 1) exp(−(|v|/v_S)^exponent), relative to the kinetic limit.
    Stribeck {
        /// Static over kinetic friction; at least 1.
        ratio: f64,
        /// Stribeck speed v_S, m/s; above 0.
        speed: f64,
        /// Exponent; above 0, usually 1 or 2.
        exponent: f64,
    },
}

impl SpeedFactor {
    /// The factor at a speed, m/s.
    pub fn at(&self, speed: f64) -> f64 {
        match *self {
            SpeedFactor::Constant => 1.0,
            SpeedFactor::Falling { speed: v } => v / (v + speed),
            SpeedFactor::Stribeck { ratio, speed: v, exponent } => {
                1.0 + (ratio - 1.0) * (-(speed / v).powf(exponent)).exp()
            }
        }
    }

    /// Whether the constants lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        match *self {
            SpeedFactor::Constant => Ok(()),
            SpeedFactor::Falling { speed } => positive("speed", speed),
            SpeedFactor::Stribeck { ratio, speed, exponent } => {
                require(ratio >= 1.0 && ratio.is_finite(), "ratio", ratio, "at least 1")?;
                positive("speed", speed)?;
                positive("exponent", exponent)
            }
        }
    }
}
