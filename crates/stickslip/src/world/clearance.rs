//! Joints with clearance in the plane: unilateral contacts with friction (Flores 2010, sec. 6.3).

use super::frames::Frames;
use super::mounts::{Pair, Side, unit};
use crate::kinematics::vector::{E_X, E_Z, add, cross, dot, norm, scale, sub};
use crate::system::{ContactSet, State};

/// Which clearance joint; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClearanceKind {
    /// A rectangular slider (second mount) in a straight guide along x of the first mount. The
    /// corners have the order (−a, b), (a, b), (−a, −b), (a, −b).
    Translational { half_length: f64, half_width: f64, clearance: f64 },
    /// A round pin about the second origin in a round hole about the first.
    Revolute { pin_radius: f64, clearance: f64 },
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
                list_corners(&pair, key, group, [half_length, half_width], clearance, out);
            }
            ClearanceKind::Revolute { pin_radius, clearance } => {
                list_pin(&pair, key, group, pin_radius, clearance, out);
            }
        }
    }
}

fn list_corners(
    pair: &Pair<'_>,
    key: u64,
    group: usize,
    [a, b]: [f64; 2],
    clearance: f64,
    out: &mut ContactSet,
) {
    let half_guide = b + clearance;
    let ((blocks, sizes), width) = (pair.blocks(), pair.width());
    let (guide, slider) = (&pair.first, &pair.second);
    let [tangent, up, _] = guide.axes;
    for (index, [x, y]) in [[-a, b], [a, b], [-a, -b], [a, -b]].into_iter().enumerate() {
        let corner = add(&scale(x, &slider.axes[0]), &scale(y, &slider.axes[1]));
        let point = add(&slider.point, &corner);
        let height = dot(&up, &sub(&point, &guide.point));
        let side = if y > 0.0 { -1.0 } else { 1.0 };
        let gap = half_guide + side * height;
        let key = key + index as u64;
        if gap > out.margin {
            out.push_open(key, group, gap);
            continue;
        }
        let (rows, rheonomic) = out.push(key, group, gap, blocks, sizes, 2);
        // The wall turns with its body: its velocity is taken where the corner is.
        let arms = [sub(&point, &guide.frame.center), sub(&point, &slider.frame.center)];
        let arms = [&arms[0], &arms[1]];
        pair.along(&scale(side, &up), arms, &mut rows[..width]);
        pair.along(&tangent, arms, &mut rows[width..]);
        rheonomic[1] = dot(&tangent, &pair.surface_velocity([&point, &point]));
    }
}

fn list_pin(
    pair: &Pair<'_>,
    key: u64,
    group: usize,
    pin_radius: f64,
    clearance: f64,
    out: &mut ContactSet,
) {
    let gap = clearance - norm(&pair.between);
    if gap > out.margin {
        out.push_open(key, group, gap);
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
}
