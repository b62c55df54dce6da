//! The closed list of sets that problems store and files name.

use super::{Ball, ContensouBall, ConvexSet, FreeSpace, HalfLine};
use serde::{Deserialize, Serialize};

/// Any convex set of this library, as plain data.
///
/// An enumeration rather than a trait object: problems are saved, loaded, compared and rebuilt
/// every step without allocation, and the calls in the hot loop are direct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(missing_docs)] // each variant is documented at its type
pub enum Set {
    HalfLine(HalfLine),
    FreeSpace(FreeSpace),
    Ball(Ball),
    Contensou(ContensouBall),
}

macro_rules! each_set {
    ($self:expr, $set:ident => $call:expr) => {
        match $self {
            Set::HalfLine($set) => $call,
            Set::FreeSpace($set) => $call,
            Set::Ball($set) => $call,
            Set::Contensou($set) => $call,
        }
    };
}

impl ConvexSet for Set {
    fn dim(&self) -> usize {
        each_set!(self, s => s.dim())
    }

    fn validate(&self) -> Result<(), String> {
        each_set!(self, s => s.validate())
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        each_set!(self, s => s.prox(scale, x));
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        each_set!(self, s => s.prox_derivative(scale, x, d_x, d_scale));
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        each_set!(self, s => s.support(scale, velocity))
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        each_set!(self, s => s.gauge(x))
    }
}
