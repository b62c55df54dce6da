//! Planar rigid bodies, and where other things are fixed to them.

use crate::system::State;

/// Number of coordinates, and of velocities, of a planar body.
pub(crate) const SIZE: usize = 3;

/// A planar rigid body with q = (x, y, φ): its centre of mass and its angle, and u = q̇.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarBody {
    /// Mass, kg; positive.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, kg m²; positive.
    pub inertia: f64,
}

/// Position and angle of a body, or its velocity and angular speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Along x, m or m/s.
    pub x: f64,
    /// Along y, m or m/s.
    pub y: f64,
    /// Angle, rad or rad/s, counterclockwise.
    pub angle: f64,
}

/// A frame fixed to a body, or to the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// Index of the body; none is the ground.
    pub body: Option<usize>,
    /// Origin of the frame in the coordinates of the body (its centre of mass is 0, 0), m.
    pub point: [f64; 2],
    /// Angle of the frame against the body, rad.
    pub angle: f64,
}

impl Mount {
    /// A point on the ground, with the frame of the ground.
    pub fn ground(point: [f64; 2]) -> Self {
        Self { body: None, point, angle: 0.0 }
    }

    /// A point on a body, with the frame of the body.
    pub fn on(body: usize, point: [f64; 2]) -> Self {
        Self { body: Some(body), point, angle: 0.0 }
    }

    /// The mount where it is at a state.
    pub(crate) fn place(&self, at: &State) -> Placed {
        let Some(body) = self.body else {
            return Placed { centre: [0.0; 2], arm: self.point, angle: self.angle };
        };
        let q = &at.q[body * SIZE..(body + 1) * SIZE];
        let (sin, cos) = q[2].sin_cos();
        Placed { centre: [q[0], q[1]], arm: turn([cos, sin], self.point), angle: q[2] + self.angle }
    }
}

/// A mount in the inertial frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Centre of mass of the body.
    pub centre: [f64; 2],
    /// From the centre of mass to the origin of the mount.
    pub arm: [f64; 2],
    /// Angle of the frame.
    pub angle: f64,
}

impl Placed {
    /// Origin of the mount.
    pub(crate) fn origin(&self) -> [f64; 2] {
        add(self.centre, self.arm)
    }

    /// Arm from the centre of mass to a point of the inertial frame.
    pub(crate) fn arm_to(&self, point: [f64; 2]) -> [f64; 2] {
        subtract(point, self.centre)
    }
}

/// The two sides of an element: the bodies whose velocities its directions contain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sides {
    first: Option<usize>,
    second: Option<usize>,
}

impl Sides {
    pub(crate) fn new(first: &Mount, second: &Mount) -> Self {
        Self { first: first.body, second: second.body }
    }

    /// Mass blocks that a direction touches, and their sizes.
    pub(crate) fn blocks(&self) -> ([usize; 2], [usize; 2]) {
        match (self.first, self.second) {
            (Some(first), Some(second)) => ([first, second], [SIZE, SIZE]),
            (Some(body), None) | (None, Some(body)) => ([body, body], [SIZE, 0]),
            (None, None) => ([0, 0], [SIZE, 0]), // refused when the system is made
        }
    }

    /// Writes the direction of the relative velocity of a point of the second body against a
    /// point of the first, along n; each point is given by its arm.
    pub(crate) fn along(&self, n: [f64; 2], arms: [[f64; 2]; 2], row: &mut [f64]) {
        let side = |sign: f64, arm: [f64; 2]| {
            [sign * n[0], sign * n[1], sign * (n[1] * arm[0] - n[0] * arm[1])]
        };
        self.write(side(-1.0, arms[0]), side(1.0, arms[1]), row);
    }

    /// Writes the direction of the relative angular speed.
    pub(crate) fn turning(&self, row: &mut [f64]) {
        self.write([0.0, 0.0, -1.0], [0.0, 0.0, 1.0], row);
    }

    fn write(&self, first: [f64; 3], second: [f64; 3], row: &mut [f64]) {
        let mut next = 0;
        for (body, part) in [(self.first, first), (self.second, second)] {
            if body.is_some() {
                row[next..next + SIZE].copy_from_slice(&part);
                next += SIZE;
            }
        }
    }
}

/// A vector turned by the angle with this cosine and sine.
pub(crate) fn turn([cos, sin]: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]]
}

pub(crate) fn add(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

pub(crate) fn subtract(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

pub(crate) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The vector a quarter turn ahead.
pub(crate) fn ahead(v: [f64; 2]) -> [f64; 2] {
    [-v[1], v[0]]
}
