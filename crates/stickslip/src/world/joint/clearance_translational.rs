//! A rectangular slider (second mount) with play in a straight guide along x of the first mount.

use super::*;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_Z, add, dot, scale, sub};
use crate::range::require;

/// Lengths in m. The corners have the order (−a, b), (a, b), (−a, −b), (a, −b).
#[derive(Debug)]
pub(super) struct Guide {
    pub half_length: f64,
    pub half_width: f64,
    pub clearance: f64,
}

/// A corner of a slider: where it is, the normal of the wall in front of it, and its gap there.
struct Corner {
    point: Vector3,
    normal: Vector3,
    gap: f64,
}

impl Guide {
    fn corners(&self, pair: &Pair<'_>) -> [Corner; 4] {
        let (a, b) = (self.half_length, self.half_width);
        let (guide, slider) = (&pair.first, &pair.second);
        let up = &guide.axis(1);
        let along = [slider.axis(0), slider.axis(1)];
        [[-a, b], [a, b], [-a, -b], [a, -b]].map(|[x, y]| {
            let corner = add(&scale(x, &along[0]), &scale(y, &along[1]));
            let point = add(&slider.point, &corner);
            let height = dot(up, &sub(&point, &guide.point));
            let side = if y > 0.0 { -1.0 } else { 1.0 };
            Corner { point, normal: scale(side, up), gap: b + self.clearance + side * height }
        })
    }
}

impl Play for Guide {
    fn check(&self, checks: &mut Checks) {
        let Self { half_length, half_width, clearance } = *self;
        checks.positive("half_length", half_length);
        checks.positive("half_width", half_width);
        checks.positive("clearance", clearance);
        let room = half_length.hypot(half_width) - half_width;
        let allowed = format!("less than {room}, or the slider could turn over in its guide");
        let turns_over = clearance >= room && half_length > 0.0;
        checks.note(require(!turns_over, "clearance", clearance, allowed));
    }

    fn words(&self, law: &ContactLaw) -> String {
        let Self { half_length, half_width, clearance } = self;
        format!(
            "a slider {half_length} m by {half_width} m (half sizes) with a play of {clearance} m on either \
             side; its corners hit the guide with restitution {} and friction {}",
            law.restitution, law.friction
        )
    }

    fn size(&self) -> f64 {
        self.half_length.min(self.half_width)
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".corner1", ".corner2", ".corner3", ".corner4"]
    }

    fn list(&self, pair: &Pair<'_>, key: u64, group: usize, closed_at: f64, out: &mut ContactSet) {
        let ((blocks, sizes), width) = (pair.blocks(), pair.width());
        let (guide, slider) = (&pair.first, &pair.second);
        let tangent = &guide.axis(0);
        for (key, Corner { point, normal, gap }) in (key..).zip(self.corners(pair)) {
            if gap > out.margin_with(closed_at) {
                out.push_open(key, group, gap);
                out.close_at(closed_at);
                out.place_at(point);
                continue;
            }
            let (rows, rheonomic) = out.push(key, group, gap, blocks, sizes, 2);
            // The wall turns with its body: its velocity is taken where the corner is.
            let arms = [sub(&point, &guide.frame.center), sub(&point, &slider.frame.center)];
            let arms = [&arms[0], &arms[1]];
            pair.along(&normal, arms, &mut rows[..width]);
            pair.along(tangent, arms, &mut rows[width..]);
            rheonomic[1] = dot(tangent, &pair.surface_velocity([&point, &point]));
            out.close_at(closed_at);
            out.place_at(point);
        }
    }

    fn places(&self, pair: &Pair<'_>, key: u64, out: &mut Vec<ContactPlace>) {
        let corners = (key..).zip(self.corners(pair));
        let tangents = [pair.first.axis(0), E_Z];
        out.extend(corners.map(|(key, Corner { point, normal, .. })| ContactPlace {
            key,
            point,
            normal,
            tangents,
        }));
    }

    fn drawn(&self) -> DrawnShape {
        DrawnShape::Box { half_extents: [self.half_length, self.half_width, 0.0] }
    }
}
