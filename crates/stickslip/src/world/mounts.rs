//! Where elements are fastened, and the directions of relative velocities between two mounts.

use super::description::Mount;
use super::frames::{Frame, Frames, Placement, point_velocity};
use crate::kinematics::vector::{add, apply, norm, sub};
use crate::kinematics::{Vector3, quaternion};
use crate::system::{Dimension, State};
use std::f64::consts::{PI, TAU};

/// Most velocities of the two bodies of an element.
pub(super) const MOST: usize = 12;

/// A mount whose body is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Side {
    body: Option<usize>,
    block: Option<usize>,
    /// In the body frame: from the centre of mass where the body moves, else from its origin.
    point: Vector3,
    /// Axes of the mount in the body frame.
    axes: [Vector3; 3],
    /// Turn of the mount in the body frame; plane only.
    angle: f64,
}

impl Side {
    /// Length from the body to the mount, m.
    pub(super) fn arm(&self) -> f64 {
        norm(&self.point)
    }
}

/// A mount where it is at a state; inertial frame. Axes and angle are computed where they are asked for: a
/// hinge in the plane needs neither.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    side: &'a Side,
    pub frame: Frame,
    /// Origin of the mount.
    pub point: Vector3,
    /// From the centre of mass to the origin of the mount.
    pub arm: Vector3,
    /// Turn of the body in the plane, with full turns; none if it does not move.
    turn: Option<f64>,
}

impl Placed<'_> {
    /// The axes of the mount.
    pub(super) fn axes(&self) -> [Vector3; 3] {
        [self.axis(0), self.axis(1), self.axis(2)]
    }

    /// One of them.
    #[inline]
    pub(super) fn axis(&self, number: usize) -> Vector3 {
        apply(&self.frame.rotation, &self.side.axes[number])
    }

    /// Angle of the mount; plane only, and full turns of a moving body count.
    #[inline]
    pub(super) fn angle(&self) -> f64 {
        let rotation = &self.frame.rotation;
        let turn = match self.turn {
            Some(turn) => turn,
            None if rotation[1][0] == 0.0 && rotation[0][0] > 0.0 => 0.0,
            None => rotation[1][0].atan2(rotation[0][0]),
        };
        turn + self.side.angle
    }
}

impl Side {
    pub(super) fn new(mount: &Mount, frames: &Frames) -> Self {
        let block = frames.block(mount.body);
        let mut point = mount.point;
        if let Some(Placement::Moving { center, .. }) =
            mount.body.and_then(|index| frames.placements.get(index))
        {
            point = sub(&point, center);
        }
        if frames.dimension == Dimension::Two {
            point[2] = 0.0;
        }
        let r = quaternion::rotation(&mount.rotation);
        let axes = [0, 1, 2].map(|k| [r[0][k], r[1][k], r[2][k]]);
        let angle = wrapped(2.0 * mount.rotation[3].atan2(mount.rotation[0]));
        Self { body: mount.body, block, point, axes, angle }
    }

    /// At the origin of the frame of a body.
    pub(super) fn origin(body: usize, frames: &Frames) -> Self {
        let (point, rotation) = ([0.0; 3], quaternion::IDENTITY);
        Self::new(&Mount { body: Some(body), point, rotation }, frames)
    }

    /// The body; none for the world itself.
    pub(super) fn body(&self) -> Option<usize> {
        self.body
    }

    /// The block of the body; none if it does not move.
    pub(super) fn block(&self) -> Option<usize> {
        self.block
    }

    /// Angle of the mount in the plane, with the full turns of a moving body.
    pub(super) fn angle(&self, frames: &Frames, at: &State) -> f64 {
        match self.block {
            Some(block) => at.q[block * frames.coordinates() + 2] + self.angle,
            None => self.place(frames, at).angle(),
        }
    }

    pub(super) fn place(&self, frames: &Frames, at: &State) -> Placed<'_> {
        self.place_among(frames, at, &[])
    }

    /// The same where bodies are known to be at `places`, if they are given.
    #[inline]
    fn place_among(&self, frames: &Frames, at: &State, places: &[Frame]) -> Placed<'_> {
        let frame = match self.body.and_then(|body| places.get(body)) {
            Some(known) => *known,
            None => frames.frame(at, self.body),
        };
        let plane = frames.dimension == Dimension::Two;
        let from = apply(&frame.rotation, &self.point);
        match self.block {
            Some(block) => {
                let turn = if plane { at.q[block * frames.coordinates() + 2] } else { 0.0 };
                let point = add(&frame.center, &from);
                Placed { side: self, frame, point, arm: from, turn: Some(turn) }
            }
            None => {
                let mut point = add(&frame.origin, &from);
                if plane {
                    point[2] = 0.0;
                }
                let arm = sub(&point, &frame.center);
                Placed { side: self, frame, point, arm, turn: None }
            }
        }
    }
}

impl Side {
    /// Where the mount is in the plane, and its arm from the centre of mass of a body that moves.
    #[inline]
    fn in_plane(&self, frames: &Frames, at: &State, places: &[Frame]) -> [[f64; 2]; 2] {
        let own;
        let frame = match self.body.and_then(|body| places.get(body)) {
            Some(known) => known,
            None => {
                own = frames.frame(at, self.body);
                &own
            }
        };
        let [rows_x, rows_y, _] = &frame.rotation;
        let [x, y, _] = self.point;
        let arm = [rows_x[0] * x + rows_x[1] * y, rows_y[0] * x + rows_y[1] * y];
        let begin = if self.block.is_some() { &frame.center } else { &frame.origin };
        [[begin[0] + arm[0], begin[1] + arm[1]], arm]
    }
}

/// Two mounts in the plane whose origins are to coincide, the most frequent joint of mechanisms: what
/// [`Pair`] says of them, without what only space asks for.
pub(super) struct Pin {
    blocks: [Option<usize>; 2],
    arms: [[f64; 2]; 2],
    /// From the first origin to the second.
    pub between: [f64; 2],
}

impl Pin {
    /// Bodies are at `places`, if they are given.
    #[inline]
    pub(super) fn new(frames: &Frames, at: &State, places: &[Frame], sides: &[Side; 2]) -> Self {
        let [first, second] = sides;
        let [p, arm_p] = first.in_plane(frames, at, places);
        let [q, arm_q] = second.in_plane(frames, at, places);
        let between = [q[0] - p[0], q[1] - p[1]];
        Self { blocks: [first.block, second.block], arms: [arm_p, arm_q], between }
    }

    /// Mass blocks that it touches, and their sizes.
    pub(super) fn blocks(&self) -> ([usize; 2], [usize; 2]) {
        touched(self.blocks, 3)
    }

    /// Writes the directions of the velocity of the second origin against the first along x and y.
    #[inline]
    pub(super) fn directions(&self, rows: &mut [f64]) {
        let width = if self.blocks[0].is_some() && self.blocks[1].is_some() { 6 } else { 3 };
        let Some((along_x, along_y)) = rows.split_at_mut_checked(width) else { return };
        let mut first = 0;
        for ((block, [x, y]), sign) in self.blocks.iter().zip(self.arms).zip([-1.0, 1.0]) {
            if block.is_none() {
                continue;
            }
            if let (Some(of_x), Some(of_y)) =
                (along_x[first..].first_chunk_mut::<3>(), along_y[first..].first_chunk_mut::<3>())
            {
                *of_x = [sign, 0.0, -sign * y];
                *of_y = [0.0, sign, sign * x];
            }
            first += 3;
        }
    }
}

/// Mass blocks that an element between these bodies touches, and their sizes.
fn touched(blocks: [Option<usize>; 2], size: usize) -> ([usize; 2], [usize; 2]) {
    match blocks {
        [Some(first), Some(second)] => ([first, second], [size, size]),
        [Some(block), None] | [None, Some(block)] => ([block, block], [size, 0]),
        [None, None] => ([0, 0], [size, 0]), // refused when the joints are made
    }
}

/// The two mounts of an element at a state.
pub(super) struct Pair<'a> {
    frames: &'a Frames,
    blocks: [Option<usize>; 2],
    bodies: [Option<usize>; 2],
    pub first: Placed<'a>,
    pub second: Placed<'a>,
    /// From the first origin to the second.
    pub between: Vector3,
}

impl<'a> Pair<'a> {
    pub(super) fn new(frames: &'a Frames, at: &State, sides: &'a [Side; 2]) -> Self {
        Self::among(frames, at, &[], sides)
    }

    /// The same where bodies are known to be at `places`, if they are given.
    #[inline]
    pub(super) fn among(
        frames: &'a Frames,
        at: &State,
        places: &[Frame],
        sides: &'a [Side; 2],
    ) -> Self {
        let first = sides[0].place_among(frames, at, places);
        let second = sides[1].place_among(frames, at, places);
        let between = sub(&second.point, &first.point);
        Self {
            frames,
            blocks: [sides[0].block, sides[1].block],
            bodies: [sides[0].body, sides[1].body],
            first,
            second,
            between,
        }
    }

    pub(super) fn dimension(&self) -> Dimension {
        self.frames.dimension
    }

    /// Mass blocks that a direction touches, and their sizes.
    pub(super) fn blocks(&self) -> ([usize; 2], [usize; 2]) {
        touched(self.blocks, self.frames.velocities())
    }

    /// Velocities of the touched blocks.
    pub(super) fn width(&self) -> usize {
        let moving = self.blocks.iter().flatten().count();
        moving.max(1) * self.frames.velocities()
    }

    /// The part of a direction that belongs to a side; none if its body does not move.
    fn part<'r>(&self, side: usize, row: &'r mut [f64]) -> Option<&'r mut [f64]> {
        self.blocks[side]?;
        let size = self.frames.velocities();
        let begin = if side == 1 && self.blocks[0].is_some() { size } else { 0 };
        Some(&mut row[begin..begin + size])
    }

    /// Writes the direction of the velocity, along e, of a point of the second body against a point
    /// of the first; each point is given by its arm. `row` is zero before.
    pub(super) fn along(&self, e: &Vector3, arms: [&Vector3; 2], row: &mut [f64]) {
        if let Some(row) = self.part(0, row) {
            self.frames.add_point_row(&self.first.frame, arms[0], e, -1.0, row);
        }
        if let Some(row) = self.part(1, row) {
            self.frames.add_point_row(&self.second.frame, arms[1], e, 1.0, row);
        }
    }

    /// The same for the origins of the mounts.
    pub(super) fn apart(&self, e: &Vector3, row: &mut [f64]) {
        self.along(e, [&self.first.arm, &self.second.arm], row);
    }

    /// The same for the second origin along a direction that is fixed to the first body: the
    /// velocity of the first body is taken where the second origin is.
    pub(super) fn along_first(&self, e: &Vector3, row: &mut [f64]) {
        let reach = add(&self.first.arm, &self.between);
        self.along(e, [&reach, &self.second.arm], row);
    }

    /// Writes the direction of the relative angular velocity along e. `row` is zero before.
    pub(super) fn turning(&self, e: &Vector3, row: &mut [f64]) {
        if let Some(row) = self.part(0, row) {
            self.frames.add_turn_row(&self.first.frame, e, -1.0, row);
        }
        if let Some(row) = self.part(1, row) {
            self.frames.add_turn_row(&self.second.frame, e, 1.0, row);
        }
    }

    /// Rate of a quantity with the direction `row`.
    pub(super) fn rate(&self, row: &[f64], u: &[f64]) -> f64 {
        let size = self.frames.velocities();
        let parts = self.blocks.iter().flatten().zip(row.chunks_exact(size));
        parts.map(|(block, part)| dot(part, &u[block * size..])).sum()
    }

    /// Adds the generalized force `force`·row, which has the power `force` times the rate.
    pub(super) fn add_force(&self, row: &[f64], force: f64, forces: &mut [f64]) {
        let size = self.frames.velocities();
        for (block, part) in self.blocks.iter().flatten().zip(row.chunks_exact(size)) {
            for (out, entry) in forces[block * size..].iter_mut().zip(part) {
                *out += force * entry;
            }
        }
    }

    /// Adds −damping·row rowᵀ to the blocks of ∂h/∂u: a damper along the direction `row`.
    pub(super) fn add_damping(&self, row: &[f64], damping: f64, jacobian: &mut [f64]) {
        let size = self.frames.velocities();
        for (block, part) in self.blocks.iter().flatten().zip(row.chunks_exact(size)) {
            let out = &mut jacobian[block * size * size..(block + 1) * size * size];
            for (i, a) in part.iter().enumerate() {
                for (j, b) in part.iter().enumerate() {
                    out[i * size + j] -= damping * a * b;
                }
            }
        }
    }

    /// Prescribed angular velocity of the surfaces of held bodies, second less first.
    pub(super) fn surface_spin(&self) -> Vector3 {
        let spin = |side: usize, placed: &Placed| match self.blocks[side] {
            Some(_) => [0.0; 3],
            None => self.frames.twist(&placed.frame, &[], self.bodies[side]).angular_velocity,
        };
        sub(&spin(1, &self.second), &spin(0, &self.first))
    }

    /// Prescribed velocity of the surfaces of held bodies at two points, second less first. The
    /// bodies themselves stay where they are, so that joints do not see it.
    pub(super) fn surface_velocity(&self, points: [&Vector3; 2]) -> Vector3 {
        let velocity = |side: usize, placed: &Placed| match self.blocks[side] {
            Some(_) => [0.0; 3],
            None => {
                let twist = self.frames.twist(&placed.frame, &[], self.bodies[side]);
                point_velocity(&twist, &sub(points[side], &placed.frame.center))
            }
        };
        sub(&velocity(1, &self.second), &velocity(0, &self.first))
    }
}

/// The direction of a vector, however short it is; none for 0.
pub(super) fn unit(vector: &Vector3) -> Option<Vector3> {
    let length = norm(vector);
    (length > 0.0).then(|| vector.map(|component| component / length))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The angle in (−π, π] that differs by full turns.
pub(super) fn wrapped(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    PI - (PI - angle).rem_euclid(TAU)
}
