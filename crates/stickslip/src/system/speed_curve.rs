//! Friction whose strength depends on the speed of sliding, and restitution that depends on the speed of
//! approach.
//!
//! The set of a law is that of a contact at rest; while it slides it is scaled by φ(v, t). With φ
//! falling the principle of greatest dissipation is lost and a step may have several solutions: the
//! integrators say which one they take (docs/laws.md).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Speeds, m/s or rad/s, at which a curve is looked at before a run.
const SAMPLES: [f64; 14] =
    [0.0, 1e-9, 1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0];

/// Strength of friction as a function of the speed v ≥ 0 and the time: a coefficient, or for joints
/// a force or a moment. Also restitution as a function of the speed of approach.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SpeedCurve {
    /// kinetic + (static − kinetic) exp(−v/speed); at speed 0 sharp: static at rest, kinetic else.
    Stribeck {
        /// Strength at rest, not negative.
        at_rest: f64,
        /// Strength of fast sliding, not negative.
        kinetic: f64,
        /// Stribeck speed, m/s (rad/s for moments), not negative.
        speed: f64,
    },
    /// Straight between the points (v, strength), v ascending from 0; the last value goes on.
    Table(Vec<[f64; 2]>),
    /// Any other.
    #[serde(skip)]
    Expression {
        /// As it was written.
        text: String,
        /// Strength at a speed and a time in s.
        value: Arc<dyn Fn(f64, f64) -> f64 + Send + Sync>,
    },
}

impl PartialEq for SpeedCurve {
    fn eq(&self, other: &Self) -> bool {
        use SpeedCurve::{Expression, Stribeck, Table};
        match (self, other) {
            (
                Stribeck { at_rest, kinetic, speed },
                Stribeck { at_rest: a, kinetic: k, speed: s },
            ) => (at_rest, kinetic, speed) == (a, k, s),
            (Table(points), Table(others)) => points == others,
            (Expression { value, .. }, Expression { value: other, .. }) => {
                Arc::ptr_eq(value, other)
            }
            _ => false,
        }
    }
}

impl fmt::Debug for SpeedCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpeedCurve::Stribeck { at_rest, kinetic, speed } => {
                write!(f, "static {at_rest}, kinetic {kinetic}, Stribeck speed {speed}")
            }
            SpeedCurve::Table(points) => write!(f, "{points:?}"),
            SpeedCurve::Expression { text, .. } => write!(f, "{text:?}"),
        }
    }
}

impl SpeedCurve {
    /// Strength at rest.
    pub fn at_rest(&self, t: f64) -> f64 {
        match self {
            SpeedCurve::Stribeck { at_rest, .. } => *at_rest,
            _ => self.sliding(0.0, t),
        }
    }

    /// Strength while it slides with the speed v ≥ 0; at v = 0 the limit from above.
    pub fn sliding(&self, v: f64, t: f64) -> f64 {
        match self {
            SpeedCurve::Stribeck { at_rest, kinetic, speed } => {
                let left = if *speed > 0.0 { (-v / speed).exp() } else { 0.0 };
                kinetic + (at_rest - kinetic) * left
            }
            SpeedCurve::Table(points) => {
                let above = points.partition_point(|[speed, _]| *speed <= v);
                match (points.get(above.wrapping_sub(1)), points.get(above)) {
                    (Some([v0, f0]), Some([v1, f1])) => f0 + (f1 - f0) * ((v - v0) / (v1 - v0)),
                    (Some([_, last]), None) => *last,
                    (None, Some([_, first])) => *first,
                    (None, None) => f64::NAN,
                }
            }
            SpeedCurve::Expression { value, .. } => value(v, t),
        }
    }

    /// As [`sliding`](Self::sliding), and for v < 0 continued with the slope at rest: for methods that
    /// find a reversal only after they have passed it.
    pub(crate) fn continued(&self, v: f64, t: f64) -> f64 {
        if v < 0.0 { 2.0 * self.sliding(0.0, t) - self.sliding(-v, t) } else { self.sliding(v, t) }
    }

    /// Whether friction at rest is stronger or weaker than in the slowest sliding.
    pub(crate) fn jumps(&self, t: f64) -> bool {
        self.at_rest(t) != self.sliding(0.0, t)
    }

    /// The strength to which the set of the law belongs: that at rest at t = 0, or 1 where it is zero.
    pub fn reference(&self) -> f64 {
        let at_rest = self.at_rest(0.0);
        if at_rest > 0.0 { at_rest } else { 1.0 }
    }

    /// Checks the strengths at samples of the speed and the times 0 and 1 s; otherwise a sentence that
    /// names the value and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            SpeedCurve::Stribeck { at_rest, kinetic, speed } => {
                for (name, value) in
                    [("static", at_rest), ("kinetic", kinetic), ("Stribeck speed", speed)]
                {
                    if !(value.is_finite() && *value >= 0.0) {
                        return Err(format!(
                            "{name} is {value}, it must be finite and not negative"
                        ));
                    }
                }
                if *speed == 0.0 && kinetic > at_rest {
                    return Err(format!(
                        "kinetic is {kinetic}, static {at_rest}; with the Stribeck speed 0 it must not be \
                         above static"
                    ));
                }
            }
            SpeedCurve::Table(points) => {
                let Some([first, _]) = points.first() else {
                    return Err("the table is empty; it needs at least [0, value]".into());
                };
                if *first != 0.0 {
                    return Err(format!("the table begins at the speed {first}, it must be 0"));
                }
                for pair in points.windows(2) {
                    if !(pair[1][0] > pair[0][0]) {
                        return Err(format!(
                            "the speed {} follows {} in the table; they must rise",
                            pair[1][0], pair[0][0]
                        ));
                    }
                }
                if let Some([v, f]) =
                    points.iter().find(|[v, f]| !(v.is_finite() && f.is_finite() && *f >= 0.0))
                {
                    return Err(format!(
                        "the table has {f} at the speed {v}; it must be finite and not negative"
                    ));
                }
            }
            SpeedCurve::Expression { .. } => {
                for (v, t) in SAMPLES.iter().flat_map(|v| [(*v, 0.0), (*v, 1.0)]) {
                    let value = self.sliding(v, t);
                    if !(value.is_finite() && value >= 0.0) {
                        return Err(format!(
                            "it is {value} at v = {v}, t = {t}; it must be finite and not negative \
                             for all v >= 0"
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that it is a restitution: from 0 to 1 at the samples.
    pub fn validate_restitution(&self) -> Result<(), String> {
        self.validate()?;
        match self.largest() {
            largest if largest <= 1.0 => Ok(()),
            largest => Err(format!("it is {largest} at some speed, it must be from 0 to 1")),
        }
    }

    /// Largest strength at the samples, at t = 0.
    pub fn largest(&self) -> f64 {
        let sampled =
            SAMPLES.iter().map(|v| self.sliding(*v, 0.0)).fold(self.at_rest(0.0), f64::max);
        match self {
            SpeedCurve::Table(points) => points.iter().map(|p| p[1]).fold(sampled, f64::max),
            _ => sampled,
        }
    }
}
