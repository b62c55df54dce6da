//! How the normal force is distributed over the contact disk.

use super::profile::{RadialProfile, plate};
use super::quadrature::Ends;
use super::table::BoundaryTable;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Pressure distribution over a contact disk of radius R, ρ the distance from its centre.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pressure {
    /// Constant: the rigid flat punch of Leine 2003, sec. 2.
    Uniform,
    /// σ ∝ √(1 − ρ²/R²): elastic contact of curved bodies (Leine 2003, sec. 3, where it is called
    /// parabolic).
    #[default]
    Hertz,
    /// σ ∝ 1 − ρ²/R².
    Parabolic,
    /// Given by the user.
    Profile(RadialProfile),
}

/// Plate of the uniform pressure, tabulated on first use (some 20 ms).
pub(super) fn uniform() -> &'static BoundaryTable {
    static TABLE: OnceLock<BoundaryTable> = OnceLock::new();
    TABLE.get_or_init(|| plate(&[0.0, 1.0], Ends::Regular, |_| 1.0, 1.0 / 2.0, 1.0 / 3.0))
}

/// Plate of the parabolic pressure, tabulated on first use (some 20 ms).
pub(super) fn parabolic() -> &'static BoundaryTable {
    static TABLE: OnceLock<BoundaryTable> = OnceLock::new();
    let pressure = |rho: f64| (1.0 - rho) * (1.0 + rho);
    TABLE.get_or_init(|| plate(&[0.0, 1.0], Ends::Regular, pressure, 1.0 / 4.0, 2.0 / 15.0))
}
