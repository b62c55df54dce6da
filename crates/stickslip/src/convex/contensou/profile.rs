//! The friction plate of any radial pressure profile, by integration over the contact disk.

use super::elliptic::elliptic;
use super::pieces::Pieces;
use super::quadrature::{Ends, Rules};
use super::table::BoundaryTable;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// Pressure over the contact disk as a function of the radius, with its friction plate.
///
/// The plate is integrated once, on construction, to about 1e-13 (some 10 ms for a smooth
/// function, about a second for a hundred points); clones share it. In files a profile is its
/// list of points `[[radius, pressure], ...]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Vec<[f64; 2]>")]
pub struct RadialProfile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Empty for a profile that was given as a function.
    points: Vec<[f64; 2]>,
    table: BoundaryTable,
}

/// Most points that a profile may have: integrating it takes about a second per hundred.
const MOST_POINTS: usize = 256;

impl RadialProfile {
    /// Piecewise linear profile through the points `[radius, pressure]`.
    ///
    /// Radii are relative to the contact radius and ascend from 0 to 1; two equal radii in a row
    /// are a jump. Pressures are not negative, not all zero, and in any unit: only their ratios
    /// matter.
    pub fn from_points(points: Vec<[f64; 2]>) -> Result<Self, String> {
        check_points(&points)?;
        let largest = points.iter().fold(f64::MIN_POSITIVE, |m, p| m.max(p[1]));
        let breakpoints: Vec<f64> = points.iter().map(|p| p[0]).collect();
        let table = tabulate(&breakpoints, Ends::Regular, |rho| {
            let right = points[1..points.len() - 1].partition_point(|p| p[0] < rho) + 1;
            let ([rho_0, sigma_0], [rho_1, sigma_1]) = (points[right - 1], points[right]);
            let position = if rho_1 > rho_0 { (rho - rho_0) / (rho_1 - rho_0) } else { 1.0 };
            (sigma_0 / largest) * (1.0 - position) + (sigma_1 / largest) * position
        })?;
        Ok(RadialProfile(Arc::new(Inner { points, table })))
    }

    /// Profile given by a function of the relative radius in [0, 1].
    ///
    /// `breakpoints` ascend from 0 to 1; between them the function is smooth, at them it may
    /// jump, bend, or have a singularity that can be integrated. Such a profile cannot be
    /// saved to a file: only points can.
    pub fn from_function(
        breakpoints: &[f64],
        pressure: impl Fn(f64) -> f64,
    ) -> Result<Self, String> {
        check_radii(breakpoints)?;
        let table = tabulate(breakpoints, Ends::Singular, pressure)?;
        Ok(RadialProfile(Arc::new(Inner { points: Vec::new(), table })))
    }

    /// The points of a piecewise linear profile; empty if it was given as a function.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.0.points
    }

    pub(super) fn table(&self) -> &BoundaryTable {
        &self.0.table
    }
}

/// The same points, or clones of the same profile.
impl PartialEq for RadialProfile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (!self.0.points.is_empty() && self.0.points == other.0.points)
    }
}

impl TryFrom<Vec<[f64; 2]>> for RadialProfile {
    type Error = String;

    fn try_from(points: Vec<[f64; 2]>) -> Result<Self, String> {
        RadialProfile::from_points(points)
    }
}

impl Serialize for RadialProfile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.points.is_empty() {
            return Err(serde::ser::Error::custom(
                "a pressure profile that is a function cannot be saved, give it as points",
            ));
        }
        self.0.points.serialize(serializer)
    }
}

fn check_radii(radii: &[f64]) -> Result<(), String> {
    let count = radii.len();
    if !(2..=MOST_POINTS).contains(&count) {
        return Err(format!("pressure profile has {count} radii, it must have 2 to {MOST_POINTS}"));
    }
    if radii[0] != 0.0 || radii[count - 1] != 1.0 {
        let (first, last) = (radii[0], radii[count - 1]);
        return Err(format!("radii of the profile go from {first} to {last}, not from 0 to 1"));
    }
    match radii.windows(2).find(|r| r[0] > r[1] || r[0].is_nan() || r[1].is_nan()) {
        Some(r) => Err(format!("radius {} of the pressure profile follows {}", r[1], r[0])),
        None => Ok(()),
    }
}

fn check_points(points: &[[f64; 2]]) -> Result<(), String> {
    check_radii(&points.iter().map(|p| p[0]).collect::<Vec<f64>>())?;
    match points.iter().find(|p| !(p[1] >= 0.0 && p[1].is_finite())) {
        Some(p) => {
            let [radius, pressure] = p;
            Err(format!("pressure {pressure} at radius {radius}: must be finite and not negative"))
        }
        None => Ok(()),
    }
}

/// Checks and integrates a pressure σ(ρ), then tabulates its plate.
fn tabulate(
    breakpoints: &[f64],
    ends: Ends,
    pressure: impl Fn(f64) -> f64,
) -> Result<BoundaryTable, String> {
    let rules = Rules::new();
    let (mut area, mut moment, mut bad) = (0.0, 0.0, None);
    rules.visit(breakpoints, ends, f64::INFINITY, |rho, _, weight| {
        let sigma = pressure(rho);
        if !(sigma >= 0.0 && sigma.is_finite()) {
            bad = Some((rho, sigma));
        }
        area += weight * sigma * rho;
        moment += weight * sigma * rho * rho;
    });
    if let Some((rho, sigma)) = bad {
        return Err(format!("pressure {sigma} at radius {rho}: must be finite and not negative"));
    }
    if !(area > 0.0 && area.is_finite()) {
        return Err(format!("integral of the pressure is {area}, it must be positive and finite"));
    }
    Ok(plate(breakpoints, ends, pressure, area, moment))
}

/// Tabulates the boundary of the plate for a pressure σ(ρ).
///
/// With J(u, ρ) = ∫ √(u² + ρ² − 2uρ sin φ) dφ the plate is b_T = ∫ σρ ∂J/∂u dρ and
/// b_τ = ∫ σρ² ∂J/∂ρ dρ over the pressure's 2π∫ σρ dρ (Leine 2003, eq. 2.5-2.12), and
///
/// ```text
/// ρ < u, k = ρ/u:   ∂J/∂u = 4 E,       ∂J/∂ρ = 4 k B,   ∂²J/∂u² = 4 k² D/u
/// ρ > u, k = u/ρ:   ∂J/∂u = 4 k B,     ∂J/∂ρ = 4 E,     ∂²J/∂u² = 4 D/ρ
/// ```
///
/// with the complete elliptic integrals of modulus k; D has a logarithmic pole at ρ = u.
/// `area` is ∫ σρ dρ, `moment` is ∫ σρ² dρ.
pub(super) fn plate(
    breakpoints: &[f64],
    ends: Ends,
    pressure: impl Fn(f64) -> f64,
    area: f64,
    moment: f64,
) -> BoundaryTable {
    let rules = Rules::new();
    let factor = 4.0 / (std::f64::consts::TAU * area);
    let low = Pieces::build(breakpoints, |u| {
        let mut sum = [0.0; 3];
        if u == 0.0 {
            return sum;
        }
        rules.visit(breakpoints, ends, u, |rho, gap, weight| {
            let share = weight * factor * pressure(rho);
            if rho < u {
                let k = rho / u;
                let i = elliptic(k * k, gap / u * ((u + rho) / u));
                sum[0] += share * k * i.e;
                sum[1] += share * rho * rho * k * i.b;
                sum[2] += share * k * k * k * i.d;
            } else {
                let k = u / rho;
                let i = elliptic(k * k, gap / rho * ((u + rho) / rho));
                sum[0] += share * i.b;
                sum[1] += share * rho * rho * i.e;
                sum[2] += share * i.d;
            }
        });
        sum
    });
    let high = Pieces::build(&[0.0, 1.0], |w| {
        let mut sum = [0.0; 3];
        rules.visit(breakpoints, ends, 1.0 / w, |rho, gap, weight| {
            let share = weight * factor * pressure(rho) * rho;
            let k = rho * w;
            let complement = if w > 0.5 { gap * w * (1.0 + k) } else { 1.0 - k * k };
            let i = elliptic(k * k, complement);
            sum[0] += share * i.e;
            sum[1] += share * rho * rho * i.b;
            sum[2] += share * rho * rho * i.d;
        });
        sum
    });
    BoundaryTable::new(low, high, moment / area, breakpoints)
}
