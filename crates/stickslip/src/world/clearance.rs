//! Joints with clearance in the plane: unilateral contacts with friction (Flores 2010, sec. 6.3).

use super::frames::Frames;
use super::mounts::{Pair, Side, unit};
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_X, E_Z, add, cross, dot, norm, scale, sub};
use crate::system::{ContactPlace, ContactSet, State};

/// Which clearance joint; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClearanceKind {
    /// A rectangular slider (second mount) in a straight guide along x of the first mount. The
    /// corners have the order (−a, b), (a, b), (−a, −b), (a, −b).
    Translational { half_length: f64, half_width: f64, clearance: f64 },
    /// A round pin about the second origin in a round hole about the first.
    Revolute { pin_radius: f64, clearance: f64 },
}

impl ClearanceKind {
    /// Size of the smaller part, m.
    pub(super) fn size(&self) -> f64 {
        match self {
            ClearanceKind::Translational { half_length, half_width, .. } => {
                half_length.min(*half_width)
            }
            ClearanceKind::Revolute { pin_radius, .. } => *pin_radius,
        }
    }
}

/// A clearance joint with the place of its contacts in the lists.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clearance {
    pub kind: ClearanceKind,
    pub sides: [Side; 2],
    /// Key of its first contact, counted from the first of all joints.
    pub key: u64,
    /// Its group of laws: normal and friction.
    pub group: usize,
    /// Gap up to which its contacts count as closed, m: rounding.
    pub closed_at: f64,
}

impl Clearance {
    /// Names of its contacts.
    pub(super) fn contact_names(&self, name: &str) -> Vec<String> {
        match self.kind {
            ClearanceKind::Translational { .. } => {
                (1..=4).map(|corner| format!("{name}.corner{corner}")).collect()
            }
            ClearanceKind::Revolute { .. } => vec![name.to_owned()],
        }
    }

    /// Adds the candidates.
    pub(super) fn list(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let pair = Pair::new(frames, at, &self.sides);
        let (key, group) = (first_key + self.key, first_group + self.group);
        match self.kind {
            ClearanceKind::Translational { half_length, half_width, clearance } => {
                let size = [half_length, half_width];
                list_corners(&pair, key, group, size, [clearance, self.closed_at], out);
            }
            ClearanceKind::Revolute { pin_radius, clearance } => {
                list_pin(&pair, key, group, pin_radius, [clearance, self.closed_at], out);
            }
        }
    }

    /// Appends the places of its contacts, with the normal force on the slider or the pin.
    pub(super) fn places(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        out: &mut Vec<ContactPlace>,
    ) {
        let pair = Pair::new(frames, at, &self.sides);
        let key = first_key + self.key;
        match self.kind {
            ClearanceKind::Translational { half_length, half_width, clearance } => {
                let corners = corners(&pair, [half_length, half_width], clearance);
                out.extend((key..).zip(corners).map(|(key, corner)| ContactPlace {
                    key,
                    point: corner.point,
                    normal: corner.normal,
                }));
            }
            ClearanceKind::Revolute { pin_radius, .. } => {
                let outward = unit(&pair.between).unwrap_or(E_X);
                let point = add(&pair.second.point, &scale(pin_radius, &outward));
                out.push(ContactPlace { key, point, normal: scale(-1.0, &outward) });
            }
        }
    }
}

/// A corner of a slider: where it is, the normal of the wall in front of it, and its gap there.
struct Corner {
    point: Vector3,
    normal: Vector3,
    gap: f64,
}

fn corners(pair: &Pair<'_>, [a, b]: [f64; 2], clearance: f64) -> [Corner; 4] {
    let (guide, slider) = (&pair.first, &pair.second);
    let up = &guide.axes[1];
    [[-a, b], [a, b], [-a, -b], [a, -b]].map(|[x, y]| {
        let corner = add(&scale(x, &slider.axes[0]), &scale(y, &slider.axes[1]));
        let point = add(&slider.point, &corner);
        let height = dot(up, &sub(&point, &guide.point));
        let side = if y > 0.0 { -1.0 } else { 1.0 };
        Corner { point, normal: scale(side, up), gap: b + clearance + side * height }
    })
}

fn list_corners(
    pair: &Pair<'_>,
    key: u64,
    group: usize,
    half_size: [f64; 2],
    [clearance, closed_at]: [f64; 2],
    out: &mut ContactSet,
) {
    let ((blocks, sizes), width) = (pair.blocks(), pair.width());
    let (guide, slider) = (&pair.first, &pair.second);
    let tangent = &guide.axes[0];
    for (key, corner) in (key..).zip(corners(pair, half_size, clearance)) {
        let Corner { point, normal, gap } = corner;
        if gap > out.margin_with(closed_at) {
            out.push_open(key, group, gap);
            out.close_at(closed_at);
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
    }
}

fn list_pin(
    pair: &Pair<'_>,
    key: u64,
    group: usize,
    pin_radius: f64,
    [clearance, closed_at]: [f64; 2],
    out: &mut ContactSet,
) {
    let gap = clearance - norm(&pair.between);
    if gap > out.margin_with(closed_at) {
        out.push_open(key, group, gap);
        out.close_at(closed_at);
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
}
