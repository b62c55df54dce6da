//! From a state to the points where shapes touch or may soon: broad and narrow phase.

use super::balls::Balls;
use super::border::{Narrow, Pose, Witness};
use super::boxes::{self, Cuboid};
use super::description::ShapeKind;
use super::laws::Laws;
use super::manifold;
use super::pairs::{NEIGHBOURS, Pairs};
use super::polygons::{self, Polygon};
use super::shape::{OnPlane, Plane, Shape, touch_of_ellipsoids};
use super::touch::Touch;
use crate::kinematics::vector::{add, dot, norm, scale, sub};
use crate::system::{Dimension, State};
use crate::threads;
use crate::world::{Frame, Frames};

/// Pairs of shapes up to which all of them are looked at in every step.
const LISTED_UP_TO: usize = 64;
/// Distance over the typical size by which shapes are moved apart where no direction was found.
const APART: f64 = 1e-6;
/// Distance up to which pairs without a closed form are looked at, over the size of the smaller
/// shape, in worlds of few pairs.
const REACH: f64 = 1.0;

/// Gap over the typical size below which boxes are near: the largest gap along one of their axes is then
/// taken for their distance.
const NEAR_BOXES: f64 = 1e-2;

/// Number of parts in which many pairs are looked at, and the number from which they are.
const LANES: usize = 8;
const BY_LANES: usize = 4096;

/// Memory of the collision detection, kept from step to step.
#[derive(Default)]
pub(super) struct Scratch {
    /// Where the bodies are.
    pub frames: Vec<Frame>,
    /// The points found.
    pub found: Vec<Found>,
    /// Coordinates and remembered values that the points were found for.
    pub(super) known: (Vec<f64>, Vec<f64>),
    pairs: Pairs,
    balls: Balls,
    lanes: [Lane; LANES],
    pub(super) narrow: Narrow,
    pub(super) witnesses: Vec<Witness>,
    pub(super) touches: Vec<Touch>,
    /// For [`Collider::deepest`]: the ways of the bodies, m, and where some of them are.
    pub(super) ways: Vec<f64>,
    pub(super) ahead: Vec<Frame>,
    /// Where all bodies are at a state at which no points were sought, and its coordinates.
    pub(super) places: (Vec<Frame>, Vec<f64>),
}

/// Memory of a part of the pairs of a large world, which threads share.
#[derive(Default)]
struct Lane {
    found: Vec<Found>,
    narrow: Narrow,
    witnesses: Vec<Witness>,
    touches: Vec<Touch>,
}

/// A point of contact between two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// Indices of the shapes; the normal points from the second to the first.
    pub shapes: [u32; 2],
    /// The point.
    pub touch: Touch,
}

/// Shapes and pairs of a world.
#[derive(Default)]
pub(super) struct Collider {
    /// All shapes.
    pub shapes: Vec<Shape>,
    /// Whether the body of each shape moves.
    pub moving: Vec<bool>,
    /// Half-spaces among them.
    pub half_spaces: Vec<u32>,
    /// All pairs, if they are few.
    listed: Option<Vec<(u32, u32)>>,
    /// First remembered value of each pair of a shape with rims and a half-space, ascending.
    memory: Vec<((u32, u32), usize)>,
    /// Number of remembered values.
    pub memory_count: usize,
    /// Length of the proxies, m.
    unit: f64,
    /// Size of the smallest shape, m.
    pub(super) least_size: f64,
    /// How far the points of each body are from its centre of mass, m, but for those of balls about it, which
    /// turns do not move; none without shapes.
    pub(super) reaches: Vec<Option<f64>>,
}

impl Collider {
    /// For these shapes.
    pub fn new(mut shapes: Vec<Shape>, moving: Vec<bool>, laws: &Laws) -> Self {
        // A power of two, so that the change of units is exact.
        let mut sizes: Vec<f64> = shapes.iter().map(|s| s.size).filter(|s| s.is_finite()).collect();
        sizes.sort_by(f64::total_cmp);
        let typical = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        let unit = typical.log2().round().clamp(-300.0, 300.0).exp2();
        for shape in &mut shapes {
            shape.make_proxy(unit);
        }
        let half_spaces = (0..shapes.len() as u32)
            .filter(|k| shapes[*k as usize].kind == ShapeKind::HalfSpace)
            .collect();
        let mut collider = Self { shapes, moving, half_spaces, unit, ..Self::default() };
        collider.list_pairs(laws);
        collider.list_memory(laws);
        collider
    }

    /// Whether two shapes may touch.
    pub fn may_touch(&self, a: u32, b: u32, laws: &Laws) -> bool {
        let (a, b) = (a as usize, b as usize);
        let bodies = (self.shapes[a].body, self.shapes[b].body);
        bodies.0 != bodies.1
            && (self.moving[a] || self.moving[b])
            && (self.shapes[a].outline.bounds.is_some() || self.shapes[b].outline.bounds.is_some())
            && laws.rule(&self.shapes[a], &self.shapes[b]).is_some()
    }

    fn list_pairs(&mut self, laws: &Laws) {
        let count = self.shapes.len() as u32;
        let mut pairs = Vec::new();
        for b in 0..count {
            for a in 0..b {
                if self.may_touch(a, b, laws) {
                    pairs.push((a, b));
                    if pairs.len() > LISTED_UP_TO {
                        return;
                    }
                }
            }
            // Many bodies that cannot touch need no list either.
            if b > 1000 {
                return;
            }
        }
        pairs.sort_unstable();
        self.listed = Some(pairs);
    }

    fn list_memory(&mut self, laws: &Laws) {
        for plane in self.half_spaces.clone() {
            for shape in 0..self.shapes.len() as u32 {
                let rims = self.shapes[shape as usize].outline.rims.len();
                if rims > 0 && self.may_touch(shape, plane, laws) {
                    self.memory.push(((shape, plane), self.memory_count));
                    self.memory_count += 2 * rims;
                }
            }
        }
        self.memory.sort_unstable();
    }

    /// The boundary of a half-space whose body is there.
    pub fn plane(&self, shape: &Shape, frame: &Frame, dimension: Dimension) -> Plane {
        let local = &shape.local.rotation;
        let along = |k: usize| frame.direction(&[local[0][k], local[1][k], local[2][k]]);
        let normal = match dimension {
            Dimension::Two => {
                let [x, y, _] = along(1);
                [x, y, 0.0]
            }
            Dimension::Three => along(2),
        };
        Plane { origin: frame.point(&shape.local.origin), normal }
    }

    /// Finds all points of contact within reach and leaves them in the scratch memory, where they may be
    /// already: several parts of a step ask for the same state.
    pub fn find(&self, frames: &Frames, laws: &Laws, at: &State, scratch: &mut Scratch) {
        let (q, memory) = &mut scratch.known;
        if *q == at.q && *memory == at.memory && !scratch.frames.is_empty() {
            return;
        }
        q.clone_from(&at.q);
        memory.clone_from(&at.memory);
        scratch.frames.clear();
        let bodies = frames.placements.len();
        scratch.frames.extend((0..bodies).map(|body| frames.frame(at, Some(body))));
        scratch.found.clear();
        if at.q.iter().any(|v| !v.is_finite()) {
            return; // an integrator says so
        }
        let Scratch { frames: places, found, pairs, balls, lanes, .. } = scratch;
        if self.listed.is_none() {
            pairs.update(self, frames, laws, places);
            balls.place(&self.shapes, &self.moving, places);
        }
        let pairs = self.listed.as_ref().unwrap_or(&pairs.list);
        let used = if pairs.len() < BY_LANES { 1 } else { LANES };
        let lanes = &mut lanes[..used];
        let part = pairs.len().div_ceil(used).max(1);
        self.find_in_lanes(pairs, part, lanes, (places, balls, frames.dimension, at));
        // One after the other, whoever found them.
        lanes.iter().for_each(|lane| found.extend_from_slice(&lane.found));
    }

    /// Finds the points of pairs: `part` of them in each lane.
    fn find_in_lanes(
        &self,
        pairs: &[(u32, u32)],
        part: usize,
        lanes: &mut [Lane],
        world: (&[Frame], &Balls, Dimension, &State),
    ) {
        let (places, balls, dimension, at) = world;
        match lanes {
            [] => {}
            [Lane { found, narrow, witnesses, touches }] => {
                found.clear();
                for &(a, b) in pairs {
                    // A world of few pairs has no list of balls.
                    if self.listed.is_none()
                        && let Some((shapes, touch)) = balls.meet(a, b)
                    {
                        found.extend(touch.map(|touch| Found { shapes, touch }));
                        continue;
                    }
                    let (a, b) = self.ordered(a, b);
                    touches.clear();
                    self.touch_pair(a, b, places, dimension, at, narrow, witnesses, touches);
                    let point = |touch: &Touch| Found { shapes: [a, b], touch: *touch };
                    found.extend(touches.iter().map(point));
                }
            }
            _ => {
                let (first, second) = lanes.split_at_mut(lanes.len() / 2);
                let (near, far) = pairs.split_at((first.len() * part).min(pairs.len()));
                threads::join(
                    || self.find_in_lanes(near, part, first, world),
                    || self.find_in_lanes(far, part, second, world),
                );
            }
        }
    }

    /// Half-spaces and what is fixed stand second.
    fn ordered(&self, a: u32, b: u32) -> (u32, u32) {
        let rank = |k: u32| {
            let half_space = self.shapes[k as usize].outline.bounds.is_none();
            (half_space, !self.moving[k as usize], k)
        };
        if rank(a) <= rank(b) { (a, b) } else { (b, a) }
    }

    /// The points of one pair.
    pub(super) fn touch_pair(
        &self,
        a: u32,
        b: u32,
        frames: &[Frame],
        dimension: Dimension,
        at: &State,
        narrow: &mut Narrow,
        witnesses: &mut Vec<Witness>,
        out: &mut Vec<Touch>,
    ) {
        let (first, second) = (&self.shapes[a as usize], &self.shapes[b as usize]);
        let (frame_a, frame_b) = (&frames[first.body], &frames[second.body]);
        let reach = if self.listed.is_some() {
            f64::INFINITY
        } else {
            NEIGHBOURS * first.size.min(second.size)
        };
        if second.kind == ShapeKind::HalfSpace {
            let plane = &self.plane(second, frame_b, dimension);
            let memory = self.memory_of(a, b, at);
            OnPlane { shape: first, frame: frame_a, plane, memory, prediction: reach }.touches(out);
            return;
        }
        // Polygons have none.
        let are_polygons = !first.normals.is_empty() && !second.normals.is_empty();
        let closed_form =
            if are_polygons { None } else { closed_form((first, frame_a), (second, frame_b)) };
        if let Some(touch) = closed_form {
            out.extend(Some(touch).filter(|t| t.gap <= reach));
            return;
        }
        let (Some(proxy_a), Some(proxy_b)) = (&first.proxy, &second.proxy) else { return };
        let size = first.size.min(second.size);
        let reach = reach.min(REACH * size);
        let arm = sub(&frame_a.point(&first.middle), &frame_b.point(&second.middle));
        if norm(&arm) > first.size + second.size + reach {
            return; // by the spheres around them
        }
        if let (Some(a), Some(b)) = (polygon(first, frame_a), polygon(second, frame_b))
            && polygons::touches(&a, &b, size, reach, out)
        {
            return;
        }
        let (pose_a, pose_b) = (first.pose(frame_a), second.pose(frame_b));
        if let (Some(a), Some(b)) = (cuboid(first, &pose_a), cuboid(second, &pose_b))
            && boxes::touches(&a, &b, NEAR_BOXES * self.unit, reach, out)
        {
            return;
        }
        witnesses.clear();
        let proxy_pose_a = proxy_a.pose(&pose_a);
        let mut proxy_pose_b = proxy_b.pose(&pose_b);
        let mut query = |pose_b: &Pose, reach: f64, out: &mut Vec<Witness>| {
            narrow.witnesses((proxy_a, &proxy_pose_a), (proxy_b, pose_b), self.unit, reach, out);
        };
        query(&proxy_pose_b, reach, witnesses);
        if witnesses.is_empty() {
            // Between shapes that touch exactly there is no direction, and the search for one may
            // end with nothing: a little apart they have one.
            let apart = scale(-APART * self.unit / norm(&arm).max(f64::MIN_POSITIVE), &arm);
            proxy_pose_b.origin = add(&proxy_pose_b.origin, &apart);
            query(&proxy_pose_b, reach, witnesses);
            for witness in witnesses.iter_mut() {
                witness.gap += dot(&witness.normal, &apart);
                witness.point_b = sub(&witness.point_b, &apart);
            }
        }
        let most = if dimension == Dimension::Two { 2 } else { 4 };
        manifold::reduce(witnesses, size, most, out);
    }

    /// What is remembered of the rims of a shape on a half-space.
    fn memory_of<'a>(&self, shape: u32, plane: u32, at: &'a State) -> &'a [f64] {
        match self.memory.binary_search_by_key(&(shape, plane), |entry| entry.0) {
            Ok(position) => {
                let first = self.memory[position].1;
                let count = 2 * self.shapes[shape as usize].outline.rims.len();
                at.memory.get(first..first + count).unwrap_or(&[])
            }
            Err(_) => &[],
        }
    }

    /// Calls `visit` for every rim on a half-space: shape, number of the rim, plane, and first of
    /// its remembered values.
    pub fn for_each_rim(
        &self,
        frames: &Frames,
        q: &[f64],
        mut visit: impl FnMut(&Shape, usize, &Plane, usize),
    ) {
        for ((shape, half_space), first) in &self.memory {
            let second = &self.shapes[*half_space as usize];
            let frame = frames.frame_in(q, Some(second.body));
            let plane = self.plane(second, &frame, frames.dimension);
            let shape = &self.shapes[*shape as usize];
            for rim in 0..shape.outline.rims.len() {
                visit(shape, rim, &plane, first + 2 * rim);
            }
        }
    }
}

/// The point where two shapes touch, if there is a closed form of it.
fn closed_form(
    (first, frame_a): (&Shape, &Frame),
    (second, frame_b): (&Shape, &Frame),
) -> Option<Touch> {
    first
        .as_ball(frame_a)
        .and_then(|ball| second.under_ball(&ball, frame_b))
        .or_else(|| {
            let ball = second.as_ball(frame_b)?;
            Some(first.under_ball(&ball, frame_a)?.reversed())
        })
        .or_else(|| {
            let (a, b) = (first.as_ellipsoid(frame_a)?, second.as_ellipsoid(frame_b)?);
            Some(touch_of_ellipsoids(&a, &b))
        })
}

/// The box that a shape is.
fn cuboid(shape: &Shape, pose: &Pose) -> Option<Cuboid> {
    match shape.kind {
        ShapeKind::Box { half_extents: half } => Some(Cuboid { pose: *pose, half }),
        _ => None,
    }
}

/// The polygon in the plane that a shape is.
fn polygon<'a>(shape: &'a Shape, frame: &Frame) -> Option<Polygon<'a>> {
    let pose = Pose { origin: frame.origin, rotation: frame.rotation };
    let is_one = !shape.normals.is_empty();
    is_one.then_some(Polygon { pose, corners: &shape.corners, normals: &shape.normals })
}
