//! How the normal force is distributed over the contact disk.

use super::profile::{RadialProfile, tabulate};
use super::quadrature::Ends;
use super::table::BoundaryTable;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Pressure distribution over a contact disk of radius R, ρ the distance from its centre.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// Tabulates a built-in profile on first use (some milliseconds).
fn built_in(
    cell: &'static OnceLock<BoundaryTable>,
    pressure: impl Fn(f64) -> f64,
) -> &'static BoundaryTable {
    cell.get_or_init(|| match tabulate(&[0.0, 1.0], Ends::Regular, pressure) {
        Ok(table) => table,
        // A fixed, positive profile has a positive integral.
        Err(message) => unreachable!("{message}"),
    })
}

/// Plate of the uniform pressure.
pub(super) fn uniform() -> &'static BoundaryTable {
    static TABLE: OnceLock<BoundaryTable> = OnceLock::new();
    built_in(&TABLE, |_| 1.0)
}

/// Plate of the parabolic pressure.
pub(super) fn parabolic() -> &'static BoundaryTable {
    static TABLE: OnceLock<BoundaryTable> = OnceLock::new();
    built_in(&TABLE, |rho| (1.0 - rho) * (1.0 + rho))
}
