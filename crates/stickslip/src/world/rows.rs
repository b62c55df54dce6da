//! Directions W and w̃ of a contact between shapes.
//!
//! Components stand in this order: normal, tangential (two in space, one in the plane), drilling,
//! contour, rolling. The tangential axes of a plane with the normal z are x and y.

use super::collide::{Found, Scratch};
use super::frames::point_velocity;
use super::laws::Rule;
use super::shape::Shape;
use super::world::{JOINTS, World};
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_Z, cross, dot, norm, scale, sub};
use crate::system::{ContactSet, Dimension, State};
use crate::world::{Frame, Twist};

/// Tangential axes for a unit normal in space: x and y, turned the short way from z to n. They
/// change steadily with n everywhere but at −z.
pub(super) fn tangents(n: &Vector3) -> [Vector3; 2] {
    let [x, y, z] = *n;
    let across = x * x + y * y;
    if z < 0.0 && across == 0.0 {
        return [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    }
    // 1/(1 + z) without cancellation below the horizon.
    let k = if z >= 0.0 { 1.0 / (1.0 + z) } else { (1.0 - z) / across };
    [[1.0 - k * x * x, -k * x * y, -x], [-k * x * y, 1.0 - k * y * y, -y]]
}

/// The same with the first along the projection of an axis.
fn tangents_along(n: &Vector3, axis: &Vector3) -> [Vector3; 2] {
    let projected = sub(axis, &scale(dot(axis, n), n));
    let length = norm(&projected);
    // An axis along the normal has no direction in the contact plane.
    if !(length > 1e-9 * norm(axis)) {
        return tangents(n);
    }
    let first = scale(1.0 / length, &projected);
    [first, cross(n, &first)]
}

/// The tangential axis of a contact in the plane.
fn in_plane(n: &Vector3) -> Vector3 {
    [n[1], -n[0], 0.0]
}

/// Those of a contact in space whose first shape belongs to the body `first`.
fn axes(rule: &Rule, first: usize, n: &Vector3, places: &[Frame]) -> [Vector3; 2] {
    match rule.axis {
        Some((body, axis)) => {
            let [along, across] = tangents_along(n, &places[body].direction(&axis));
            // Components of what acts on the other body, across counted from along about the normal
            // that points out of this one.
            if body == first { [scale(-1.0, &along), across] } else { [along, across] }
        }
        None => tangents(n),
    }
}

/// One side of a contact.
struct Side {
    frame: Frame,
    /// How its surface moves, if it is fixed.
    twist: Twist,
    /// Where its entries begin in a row; none if it is fixed.
    first: Option<usize>,
    arm: Vector3,
    sign: f64,
}

impl World {
    /// The axes of the components of friction at a point of contact, for those who draw.
    pub(super) fn tangents(&self, found: &Found, places: &[Frame]) -> [Vector3; 2] {
        let [a, b] = found.shapes.map(|k| &self.collider.shapes[k as usize]);
        let n = &found.touch.normal;
        match self.laws.rule(a, b) {
            Some(rule) if self.frames.dimension == Dimension::Three => {
                axes(rule, a.body, n, places)
            }
            _ => [in_plane(n), E_Z],
        }
    }

    /// Adds the candidates of all joints, and takes from all what is held. Bodies are at `places`, if they are given.
    pub(super) fn list_joints(&self, at: &State, places: &[Frame], out: &mut ContactSet) {
        let first_group = self.laws.groups.len();
        self.joints.contacts(&self.frames, at, places, JOINTS, first_group, out);
        self.held.contacts(self.frames.velocities(), out);
    }

    /// The position errors of all joints; false if something is held, which changes them.
    pub(super) fn list_errors(&self, at: &State, out: &mut Vec<f64>) -> bool {
        out.clear();
        if !self.held.is_empty() {
            return false;
        }
        let mut scratch = self.last_collision();
        self.joints.errors(&self.frames, at, self.places_at(at, &mut scratch), out)
    }

    /// Gap up to which two shapes touch.
    pub(super) fn closed_gap(&self, a: &Shape, b: &Shape) -> f64 {
        self.closed * a.size.min(b.size)
    }

    /// Adds the points of contact that were found, with directions where their gaps ask for them.
    pub(super) fn list_points(&self, scratch: &Scratch, out: &mut ContactSet) {
        for found in &scratch.found {
            let [a, b] = found.shapes.map(|k| &self.collider.shapes[k as usize]);
            let Some(rule) = self.laws.rule(a, b) else { continue };
            let key = Self::key(found.shapes, found.touch.number);
            let closed_at = self.closed_gap(a, b);
            if found.touch.gap > out.margin_with(closed_at) {
                out.push_open(key, rule.laws(found.touch.kind).0, found.touch.gap);
            } else {
                self.push_contact(key, found, rule, &scratch.frames, out);
            }
            out.close_at(closed_at);
            out.place_at(found.touch.point_a);
        }
    }

    /// Adds the gap of a point of contact alone.
    pub(super) fn push_gap(&self, found: &Found, out: &mut ContactSet) {
        let [a, b] = found.shapes.map(|k| &self.collider.shapes[k as usize]);
        let Some(rule) = self.laws.rule(a, b) else { return };
        let key = Self::key(found.shapes, found.touch.number);
        out.push_open(key, rule.laws(found.touch.kind).0, found.touch.gap);
        out.close_at(self.closed_gap(a, b));
        out.place_at(found.touch.point_a);
    }

    /// Adds a candidate with its directions.
    pub(super) fn push_contact(
        &self,
        key: u64,
        found: &Found,
        rule: &Rule,
        places: &[Frame],
        out: &mut ContactSet,
    ) {
        let touch = &found.touch;
        let (group, components) = rule.laws(touch.kind);
        let dim = self.laws.groups[group].dim;
        let bodies = found.shapes.map(|k| self.collider.shapes[k as usize].body);
        let size = self.frames.velocities();
        let (blocks, sizes, firsts) = match bodies.map(|b| self.frames.block(Some(b))) {
            [Some(a), Some(b)] => ([a, b], [size, size], [Some(0), Some(size)]),
            [Some(a), None] => ([a, a], [size, 0], [Some(0), None]),
            [None, Some(b)] => ([b, b], [size, 0], [None, Some(0)]),
            [None, None] => return,
        };
        // One point for both sides, so that what acts on them is balanced; on a fixed body it is
        // the point of the moving one.
        let point = match firsts {
            [Some(_), None] => touch.point_a,
            [None, _] => touch.point_b,
            _ => [0, 1, 2].map(|k| 0.5 * (touch.point_a[k] + touch.point_b[k])),
        };
        let side = |k: usize| {
            let frame = places[bodies[k]];
            let twist = match firsts[k] {
                Some(_) => Twist::default(),
                None => self.frames.twist(&frame, &[], Some(bodies[k])),
            };
            let sign = if k == 0 { 1.0 } else { -1.0 };
            Side { arm: sub(&point, &frame.center), frame, twist, first: firsts[k], sign }
        };
        let sides = [side(0), side(1)];
        let width = sizes[0] + sizes[1];
        let (rows, rheonomic) = out.push(key, group, touch.gap, blocks, sizes, dim);
        let mut next = 0;
        let mut point_row = |e: &Vector3, drives: bool| {
            let row = &mut rows[next * width..(next + 1) * width];
            for side in &sides {
                match side.first {
                    Some(first) => {
                        let part = &mut row[first..first + size];
                        self.frames.add_point_row(&side.frame, &side.arm, e, side.sign, part);
                    }
                    None if drives => {
                        rheonomic[next] +=
                            side.sign * dot(e, &point_velocity(&side.twist, &side.arm));
                    }
                    None => {}
                }
            }
            next += 1;
        };
        // The shapes of a fixed body stay where they are: its motion has no normal part.
        point_row(&touch.normal, false);
        let n = touch.normal;
        if self.frames.dimension == Dimension::Two {
            point_row(&in_plane(&n), true);
            return;
        }
        let axes = axes(rule, bodies[0], &n, places);
        axes.iter().for_each(|e| point_row(e, true));
        let mut turn_row = |e: &Vector3| {
            let row = &mut rows[next * width..(next + 1) * width];
            for side in &sides {
                match side.first {
                    Some(first) => {
                        let part = &mut row[first..first + size];
                        self.frames.add_turn_row(&side.frame, e, side.sign, part);
                    }
                    None => rheonomic[next] += side.sign * dot(e, &side.twist.angular_velocity),
                }
            }
            next += 1;
        };
        if components.drilling {
            turn_row(&n);
        }
        (0..components.contour).for_each(|_| turn_row(&touch.contour));
        (0..components.rolling).for_each(|_| axes.iter().for_each(&mut turn_row));
    }
}
