//! Spur gears about z of their mounts, in the plane and in space, also on carriers that move.
//!
//! φ is the angle of the line from the first centre to the second, θ₁ and θ₂ those of the wheels. The teeth
//! mesh while z₁(θ₁ − φ) + z₂(θ₂ − φ) does not change; with the sign − if the second is a ring around the
//! first. Seen from a wheel the line has the angle α = φ − θ, so that no full turns need be counted: one tooth
//! is as good as another, and the phase counts up to 2π.

use super::*;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{dot, scale, sub};
use crate::range::require;
use crate::world::mounts::{Placed, wrapped};

/// Most teeth of a wheel.
const MOST_TEETH: u32 = 10_000;

#[derive(Debug)]
pub(super) struct Gear {
    pub teeth: [u32; 2],
    /// Whether the second wheel is a ring around the first.
    pub internal: bool,
    /// Whether its phase is free, within limits: backlash.
    pub is_free: bool,
}

/// Phase n₁α₁ + n₂α₂ of two wheels in (−π, π], with its directions.
pub(super) struct Mesh {
    pub phase: f64,
    /// Gradients by the second centre in the first body, and by the first centre in the second body.
    directions: [Vector3; 2],
}

/// Angle of a vector in the x-y plane of a mount, and its gradient by the vector.
fn angle_in(mount: &Placed<'_>, vector: &Vector3) -> (f64, Vector3) {
    let axes = [mount.axis(0), mount.axis(1)];
    let (x, y) = (dot(&axes[0], vector), dot(&axes[1], vector));
    let square = x * x + y * y;
    if !(square > 0.0) {
        return (0.0, [0.0; 3]);
    }
    let across = sub(&scale(x / square, &axes[1]), &scale(y / square, &axes[0]));
    (y.atan2(x), across)
}

impl Mesh {
    pub fn new(pair: &Pair<'_>, [n1, n2]: [f64; 2]) -> Self {
        let (first, along_first) = angle_in(&pair.first, &pair.between);
        let (second, along_second) = angle_in(&pair.second, &pair.between);
        let phase = wrapped(n1 * first + n2 * second);
        Self { phase, directions: [scale(n1, &along_first), scale(n2, &along_second)] }
    }

    /// Adds `factor` times the direction of the phase.
    pub fn add(&self, pair: &Pair<'_>, factor: f64, row: &mut [f64]) {
        pair.along_first(&scale(factor, &self.directions[0]), row);
        // The second body where the first centre is.
        let reach = sub(&pair.second.arm, &pair.between);
        pair.along(&scale(factor, &self.directions[1]), [&pair.first.arm, &reach], row);
    }
}

impl Gear {
    fn mesh(&self, pair: &Pair<'_>) -> Mesh {
        let [first, second] = self.teeth.map(f64::from);
        Mesh::new(pair, [first, if self.internal { -second } else { second }])
    }

    /// Angle of the first wheel by phase.
    fn per_phase(&self) -> f64 {
        -1.0 / f64::from(self.teeth[0].max(1))
    }
}

impl Ideal for Gear {
    fn check(&self, checks: &mut Checks) {
        for teeth in self.teeth {
            let fine = (1..=MOST_TEETH).contains(&teeth);
            let allowed = format!("from 1 to {MOST_TEETH}");
            checks.note(require(fine, "teeth", f64::from(teeth), allowed));
        }
        let [first, second] = self.teeth;
        let allowed = "more than the teeth of the first wheel, which runs inside";
        let fine = !self.internal || second > first;
        checks.note(require(fine, "teeth", f64::from(second), allowed));
    }

    fn words(&self) -> String {
        let [first, second] = self.teeth;
        let second = if self.internal { format!("a ring of {second}") } else { second.to_string() };
        let play = if self.is_free { ", with backlash" } else { "" };
        format!("gears with {first} and {second} teeth{play}: the wheels turn in this ratio")
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        usize::from(!self.is_free)
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        self.is_free.then_some(FreeCoordinate::Angle)
    }

    fn coordinate(&self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        let mesh = self.mesh(pair);
        mesh.add(pair, self.per_phase(), row);
        self.per_phase() * mesh.phase
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        if self.is_free {
            return;
        }
        let mesh = self.mesh(pair);
        enter(self.per_phase() * mesh.phase, &|row| mesh.add(pair, self.per_phase(), row));
    }
}
