//! The list of sets that problems store and files name, and a place for one's own.

use super::{
    Ball, ContensouBall, ConvexSet, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval,
    LinearImage, OrthotropicEllipse, OwnSet, Polygon,
};
use serde::{Deserialize, Serialize};

/// Any convex set of this library, as plain data.
///
/// An enumeration rather than a trait object: problems are saved, loaded, compared and rebuilt
/// every step without allocation, and the calls in the hot loop are direct.
///
/// ```
/// use stickslip::convex::{Ball, ConvexSet, Set};
///
/// let set = Set::Ball(Ball { dim: 2, radius: 0.5 });
/// assert_eq!((set.dim(), set.support(2.0, &[3.0, 4.0])), (2, 5.0));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(missing_docs)] // each variant is documented at its type
pub enum Set {
    HalfLine(HalfLine),
    FreeSpace(FreeSpace),
    Interval(Interval),
    Ball(Ball),
    Ellipsoid(Ellipsoid),
    OrthotropicEllipse(OrthotropicEllipse),
    Polygon(Polygon),
    Cylinder(Cylinder),
    LinearImage(LinearImage),
    Contensou(ContensouBall),
    /// Of a program; it has no name in files.
    #[serde(skip)]
    Own(OwnSet),
}

macro_rules! each_set {
    ($self:expr, $set:ident => $call:expr) => {
        match $self {
            Set::HalfLine($set) => $call,
            Set::FreeSpace($set) => $call,
            Set::Interval($set) => $call,
            Set::Ball($set) => $call,
            Set::Ellipsoid($set) => $call,
            Set::OrthotropicEllipse($set) => $call,
            Set::Polygon($set) => $call,
            Set::Cylinder($set) => $call,
            Set::LinearImage($set) => $call,
            Set::Contensou($set) => $call,
            Set::Own($set) => $call,
        }
    };
}

impl Set {
    /// The set { (f_1 x_1, …, f_n x_n) : x ∈ C(1) } for factors f > 0, where it is in this list:
    /// the same law with its components measured in other units. None where it is not, e.g. for
    /// a body of revolution with different factors across its axis.
    pub fn stretched(&self, factors: &[f64]) -> Option<Set> {
        let equal = factors.windows(2).all(|f| f[0] == f[1]);
        let round = factors.len() == 3 && factors[0] == factors[1];
        let f = factors[0];
        Some(match self {
            Set::HalfLine(_) | Set::FreeSpace(_) => self.clone(),
            Set::Interval(set) => {
                Set::Interval(Interval { lower: f * set.lower, upper: f * set.upper })
            }
            Set::Ball(set) if equal => Set::Ball(Ball { radius: f * set.radius, ..*set }),
            Set::Ellipsoid(set) => Set::Ellipsoid(set.stretched(factors)),
            Set::Cylinder(set) if round => Set::Cylinder(Cylinder {
                radius: f * set.radius,
                half_height: factors[2] * set.half_height,
            }),
            Set::Contensou(set) if round => Set::Contensou(ContensouBall {
                friction: f * set.friction,
                contact_radius: set.contact_radius * factors[2] / f,
                pressure: set.pressure.clone(),
            }),
            _ => return None,
        })
    }
}

impl Set {
    /// The set factor·C(1), for a factor that is not negative.
    pub fn scaled(&self, factor: f64) -> Set {
        match self {
            Set::HalfLine(_) | Set::FreeSpace(_) => self.clone(),
            Set::Interval(set) => {
                let [lower, upper] = [set.lower, set.upper]
                    .map(|end| if end == 0.0 || factor == 0.0 { 0.0 } else { factor * end });
                Set::Interval(Interval { lower, upper })
            }
            Set::Ball(set) => Set::Ball(Ball { radius: factor * set.radius, ..*set }),
            Set::Ellipsoid(set) => Set::Ellipsoid(set.stretched(&[factor; 8])),
            Set::OrthotropicEllipse(set) => Set::OrthotropicEllipse(set.scaled(factor)),
            Set::Polygon(set) => Set::Polygon(set.scaled(factor)),
            Set::Cylinder(set) => Set::Cylinder(Cylinder {
                radius: factor * set.radius,
                half_height: factor * set.half_height,
            }),
            Set::LinearImage(set) => Set::LinearImage(set.scaled(factor)),
            Set::Own(set) => Set::Own(set.scaled(factor)),
            Set::Contensou(set) => Set::Contensou(ContensouBall {
                friction: factor * set.friction,
                contact_radius: set.contact_radius,
                pressure: set.pressure.clone(),
            }),
        }
    }

    /// Whether the set is the same however its first two components are turned into each other.
    pub fn is_round(&self) -> bool {
        match self {
            Set::Ball(set) => set.dim >= 2,
            Set::Ellipsoid(set) => {
                matches!(set.semi_axes(), [first, second, ..] if first == second)
            }
            Set::Cylinder(_) | Set::Contensou(_) => true,
            Set::HalfLine(_)
            | Set::FreeSpace(_)
            | Set::Interval(_)
            | Set::OrthotropicEllipse(_)
            | Set::Polygon(_)
            | Set::LinearImage(_)
            | Set::Own(_) => false,
        }
    }
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

    fn prox_and_derivative(&self, scale: f64, x: &mut [f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        each_set!(self, s => s.prox_and_derivative(scale, x, d_x, d_scale));
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        each_set!(self, s => s.support(scale, velocity))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        each_set!(self, s => s.support_point(scale, velocity, out));
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        each_set!(self, s => s.gauge(x))
    }

    fn contains(&self, scale: f64, x: &[f64], tolerance: f64) -> bool {
        each_set!(self, s => s.contains(scale, x, tolerance))
    }
}
