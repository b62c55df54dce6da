//! A round pin about the second mount with play in a round hole about the first.

use super::*;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_X, E_Z, add, cross, dot, norm, scale};
use crate::world::mounts::unit;

/// Lengths in m.
#[derive(Debug)]
pub(super) struct Hole {
    pub pin_radius: f64,
    pub clearance: f64,
}

impl Hole {
    /// The point of the pin that is nearest to the hole.
    fn point(&self, pair: &Pair<'_>) -> Vector3 {
        let outward = unit(&pair.between).unwrap_or(E_X);
        add(&pair.second.point, &scale(self.pin_radius, &outward))
    }
}

impl Play for Hole {
    fn check(&self, checks: &mut Checks) {
        checks.positive("pin_radius", self.pin_radius);
        checks.positive("clearance", self.clearance);
    }

    fn words(&self, law: &ContactLaw) -> String {
        let Self { pin_radius, clearance } = self;
        format!(
            "a pin of radius {pin_radius} m with a play of {clearance} m; it hits the hole with restitution \
             {} and friction {}",
            law.restitution, law.friction
        )
    }

    fn size(&self) -> f64 {
        self.pin_radius
    }

    fn endings(&self) -> &'static [&'static str] {
        &[""]
    }

    fn list(&self, pair: &Pair<'_>, key: u64, group: usize, closed_at: f64, out: &mut ContactSet) {
        let Self { pin_radius, clearance } = *self;
        let gap = clearance - norm(&pair.between);
        if gap > out.margin_with(closed_at) {
            out.push_open(key, group, gap);
            out.close_at(closed_at);
            out.place_at(self.point(pair));
            return;
        }
        let outward = unit(&pair.between).unwrap_or(E_X);
        let ((blocks, sizes), width) = (pair.blocks(), pair.width());
        let (rows, rheonomic) = out.push(key, group, gap, blocks, sizes, 2);
        let (hole, pin) = (&pair.first, &pair.second);
        let reach = [scale(pin_radius + clearance, &outward), scale(pin_radius, &outward)];
        let arms = [add(&hole.arm, &reach[0]), add(&pin.arm, &reach[1])];
        let tangent = cross(&E_Z, &outward);
        pair.along(&scale(-1.0, &outward), [&arms[0], &arms[1]], &mut rows[..width]);
        pair.along(&tangent, [&arms[0], &arms[1]], &mut rows[width..]);
        let points = [add(&hole.point, &reach[0]), add(&pin.point, &reach[1])];
        rheonomic[1] = dot(&tangent, &pair.surface_velocity([&points[0], &points[1]]));
        out.close_at(closed_at);
        out.place_at(self.point(pair));
    }

    fn places(&self, pair: &Pair<'_>, key: u64, out: &mut Vec<ContactPlace>) {
        let outward = unit(&pair.between).unwrap_or(E_X);
        let normal = scale(-1.0, &outward);
        let tangents = [cross(&E_Z, &outward), E_Z];
        out.push(ContactPlace { key, point: self.point(pair), normal, tangents });
    }

    fn drawn(&self) -> DrawnShape {
        DrawnShape::Sphere { radius: self.pin_radius }
    }
}
