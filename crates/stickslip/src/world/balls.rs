//! The balls of a world in one short list: most pairs of a pile are balls, and most of these are apart, which is seen
//! here without a look at shapes and frames.

use super::pairs::NEIGHBOURS;
use super::shape::{Ball, Shape};
use super::touch::Touch;
use crate::kinematics::vector::{dot, sub};
use crate::world::Frame;

/// Where each shape is that is a ball.
#[derive(Default)]
pub(super) struct Balls(Vec<Placed>);

#[derive(Clone, Copy)]
struct Placed {
    ball: Option<Ball>,
    /// Of the shape, m.
    size: f64,
    is_fixed: bool,
}

impl Balls {
    /// Takes the places of all shapes.
    pub fn place(&mut self, shapes: &[Shape], moving: &[bool], frames: &[Frame]) {
        self.0.clear();
        self.0.extend(shapes.iter().zip(moving).map(|(shape, moves)| Placed {
            ball: shape.as_ball(&frames[shape.body]),
            size: shape.size,
            is_fixed: !moves,
        }));
    }

    /// Two balls in the order in which they touch, what is fixed second, with the point where they do if they are
    /// near. None if the shapes are others.
    #[inline]
    pub fn meet(&self, a: u32, b: u32) -> Option<([u32; 2], Option<Touch>)> {
        let rank = |k: u32| (self.0[k as usize].is_fixed, k);
        let [a, b] = if rank(a) <= rank(b) { [a, b] } else { [b, a] };
        let (first, second) = (&self.0[a as usize], &self.0[b as usize]);
        let (ball_a, ball_b) = (first.ball.as_ref()?, second.ball.as_ref()?);
        let reach = NEIGHBOURS * first.size.min(second.size);
        let (arm, most) =
            (sub(&ball_a.center, &ball_b.center), ball_a.radius + ball_b.radius + reach);
        if dot(&arm, &arm) > most * most {
            return Some(([a, b], None));
        }
        let touch = ball_a.on(ball_b);
        Some(([a, b], Some(touch).filter(|touch| touch.gap <= reach)))
    }
}
