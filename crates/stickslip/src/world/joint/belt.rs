//! Belts and chains without stretch around two pulleys about z of their mounts.
//!
//! An open belt keeps r₁(θ₁ − φ) − r₂(θ₂ − φ), a crossed one the sum, with φ the angle of the line of centres;
//! the distance of the centres is held by others. As with gears the phase n₁α₁ ∓ n₂α₂ counts up to full turns,
//! where n₁ : n₂ = r₁ : r₂ are whole numbers.

use super::gear::Mesh;
use super::*;
use crate::range::require;

#[derive(Debug)]
pub(super) struct Belt {
    /// Radii of the pulleys, m.
    pub radii: [f64; 2],
    pub crossed: bool,
}

/// Largest whole number in the ratio of the radii.
const MOST: f64 = 1000.0;

/// Part of the ratio by which it may differ from that of whole numbers: rounding.
const SAME: f64 = 1e-9;

/// The ratio as one of small whole numbers, by its continued fraction; none if there is not one.
fn whole_ratio(ratio: f64) -> Option<[f64; 2]> {
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let (mut rest, mut last, mut now) = (ratio, [0.0, 1.0], [1.0, 0.0]);
    // Every turn makes the numbers larger.
    while now[0] <= MOST && now[1] <= MOST {
        let whole = f64::floor(rest);
        (last, now) = (now, [whole * now[0] + last[0], whole * now[1] + last[1]]);
        if now[1] > 0.0 && (now[0] / now[1] - ratio).abs() <= SAME * ratio {
            return now.iter().all(|n| (1.0..=MOST).contains(n)).then_some(now);
        }
        rest = 1.0 / (rest - whole);
        if !rest.is_finite() {
            return None;
        }
    }
    None
}

impl Belt {
    fn numbers(&self) -> Option<[f64; 2]> {
        whole_ratio(self.radii[0] / self.radii[1])
    }
}

impl Ideal for Belt {
    fn check(&self, checks: &mut Checks) {
        for radius in self.radii {
            checks.positive("radii", radius);
        }
        if self.radii.iter().all(|radius| radius.is_finite() && *radius > 0.0) {
            let ratio = self.radii[0] / self.radii[1];
            let allowed = format!(
                "radii in a ratio of whole numbers up to {MOST} (this is their ratio): else nothing tells \
                 how far the belt has run"
            );
            checks.note(require(self.numbers().is_some(), "radii", ratio, allowed));
        }
    }

    fn words(&self) -> String {
        let [first, second] = self.radii;
        let form = if self.crossed { "a crossed belt" } else { "a belt" };
        format!("{form} without stretch around pulleys of {first} m and {second} m")
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        1
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        None
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        let [n1, n2] = self.numbers().unwrap_or([1.0; 2]);
        let mesh = Mesh::new(pair, [n1, if self.crossed { n2 } else { -n2 }]);
        let length = -self.radii[0] / n1;
        enter(length * mesh.phase, &|row| mesh.add(pair, length, row));
    }
}
