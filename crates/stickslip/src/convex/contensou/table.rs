//! A boundary that was integrated once, as piecewise Chebyshev polynomials.

use super::boundary::{Boundary, High, Low};
use super::fast::FastTable;
use super::pieces::Pieces;

/// Boundary of a friction plate, tabulated over u ∈ [0, 1] and over w = 1/u ∈ [0, 1], and once more for
/// quick searches.
#[derive(Clone, Debug)]
pub(crate) struct BoundaryTable {
    quantities: Quantities,
    fast: Option<FastTable>,
}

/// What is integrated.
#[derive(Clone, Debug)]
struct Quantities {
    low: Pieces,
    high: Pieces,
    mean_radius: f64,
}

impl BoundaryTable {
    /// The table of a pressure that is not smooth at these radii.
    pub fn new(low: Pieces, high: Pieces, mean_radius: f64, breakpoints: &[f64]) -> Self {
        let quantities = Quantities { low, high, mean_radius };
        let fast = FastTable::build(|u| quantities.low(u), |w| quantities.high(w), breakpoints);
        Self { quantities, fast }
    }
}

impl Quantities {
    fn low(&self, u: f64) -> Low {
        let [force_ratio, torque, slope] = self.low.at(u);
        Low { force_ratio, torque, slope }
    }

    fn high(&self, w: f64) -> High {
        let [force, torque_ratio, slope] = self.high.at(w);
        High { force, torque_ratio, slope }
    }
}

impl Boundary for BoundaryTable {
    fn low(&self, u: f64) -> Low {
        self.quantities.low(u)
    }

    fn high(&self, w: f64) -> High {
        self.quantities.high(w)
    }

    fn mean_radius(&self) -> f64 {
        self.quantities.mean_radius
    }

    fn fast(&self) -> Option<&FastTable> {
        self.fast.as_ref()
    }
}
