//! Bumpers: springs with dampers that push and never pull.

use super::frames::Frames;
use super::joint::IdealJoint;
use super::mounts::{MOST, Pair, Side, unit};
use crate::kinematics::vector::{E_X, norm};
use crate::system::State;

/// What a bumper measures.
#[derive(Clone, Debug)]
pub(super) enum Measured {
    /// The distance of two points, m.
    Distance(Box<[Side; 2]>),
    /// The free coordinate of an ideal joint by its number, m or rad.
    Joint(usize),
}

/// A bumper at either end of a range. With the depth d ≥ 0 beyond the end it pushes back with
/// max(0, k d + c ḋ).
#[derive(Clone, Debug)]
pub(super) struct Bumper {
    pub of: Measured,
    pub range: [f64; 2],
    pub stiffness: f64,
    pub damping: f64,
}

/// A bumper at a state, on the side where it is pressed.
struct Pressed<'a> {
    pair: Pair<'a>,
    row: [f64; MOST],
    /// Depth, and 1 where the measured quantity is too small, −1 where it is too large.
    depth: f64,
    sign: f64,
}

impl Bumper {
    /// The distance of points on one another has no direction: x is taken.
    fn pressed<'a>(
        &'a self,
        frames: &'a Frames,
        joints: &'a [IdealJoint],
        at: &State,
    ) -> Option<Pressed<'a>> {
        let [least, most] = self.range;
        let mut row = [0.0; MOST];
        let (pair, value) = match &self.of {
            Measured::Distance(sides) => {
                let pair = Pair::new(frames, at, sides);
                let length = norm(&pair.between);
                if !(length < least) {
                    return None;
                }
                let e = unit(&pair.between).unwrap_or(E_X);
                pair.apart(&e, &mut row[..pair.width()]);
                (pair, length)
            }
            Measured::Joint(number) => {
                let joint = &joints[*number];
                let pair = Pair::new(frames, at, &joint.sides);
                let own = joint.coordinate(&pair, &mut row[..pair.width()]);
                let middle = 0.5 * (least + most);
                let middle = if middle.is_finite() { middle } else { 0.0 };
                let value = middle + joint.difference(&pair, own, middle);
                (pair, value)
            }
        };
        let (depth, sign) = if value < least { (least - value, 1.0) } else { (value - most, -1.0) };
        (depth > 0.0).then_some(Pressed { pair, row, depth, sign })
    }

    /// Size of the force, and of the part of its spring.
    fn force(&self, pressed: &Pressed<'_>, at: &State) -> [f64; 2] {
        let row = &pressed.row[..pressed.pair.width()];
        let closing = -pressed.sign * pressed.pair.rate(row, &at.u);
        let spring = self.stiffness * pressed.depth;
        [(spring + self.damping * closing).max(0.0), spring]
    }

    /// Adds its force, or the part that has no potential.
    pub(super) fn add_forces(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        all: bool,
        forces: &mut [f64],
    ) {
        let Some(pressed) = self.pressed(frames, joints, at) else { return };
        let [whole, spring] = self.force(&pressed, at);
        let force = if all { whole } else { whole - spring };
        let row = &pressed.row[..pressed.pair.width()];
        pressed.pair.add_force(row, pressed.sign * force, forces);
    }

    /// Whether it belongs to the ideal joint of this number.
    pub(super) fn is_of(&self, number: usize) -> bool {
        matches!(self.of, Measured::Joint(joint) if joint == number)
    }

    /// Force or moment along what is measured: it pushes towards the range.
    pub(super) fn along(&self, frames: &Frames, joints: &[IdealJoint], at: &State) -> f64 {
        let pressed = self.pressed(frames, joints, at);
        pressed.map_or(0.0, |pressed| pressed.sign * self.force(&pressed, at)[0])
    }

    /// Adds the damper to the blocks of ∂h/∂u.
    pub(super) fn add_jacobian(
        &self,
        frames: &Frames,
        joints: &[IdealJoint],
        at: &State,
        jacobian: &mut [f64],
    ) {
        let Some(pressed) = self.pressed(frames, joints, at) else { return };
        if self.force(&pressed, at)[0] > 0.0 {
            let row = &pressed.row[..pressed.pair.width()];
            pressed.pair.add_damping(row, self.damping, jacobian);
        }
    }

    /// Potential, J.
    pub(super) fn energy(&self, frames: &Frames, joints: &[IdealJoint], at: &State) -> f64 {
        let pressed = self.pressed(frames, joints, at);
        pressed.map_or(0.0, |pressed| 0.5 * self.stiffness * pressed.depth * pressed.depth)
    }
}
