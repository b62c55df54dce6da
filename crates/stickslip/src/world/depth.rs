//! The deepest penetration at a state, from what was found at a state near it.

use super::collide::{Collider, Found, Scratch};
use super::frames::{Frame, Placement};
use super::laws::Laws;
use super::pairs::NEIGHBOURS;
use super::world::{JOINTS, World};
use crate::kinematics::vector::{norm, sub};
use crate::system::{ContactSet, Dimension, Near, State};
use crate::world::Frames;

/// By how much a gap may change over the ways of the points of both shapes: normals turn, too.
const PER_WAY: f64 = 2.0;
/// Ways over the size of the smallest shape up to which pairs that were not found cannot have met.
const MOST_WAYS: f64 = 0.2 * NEIGHBOURS;
/// Gaps over the size of the smallest shape up to which pairs that were found are all there are.
const FARTHEST: f64 = 0.1 * NEIGHBOURS;
/// Change of a quaternion up to which twice its length is, nearly, the angle.
const SMALL_TURN: f64 = 0.1;
/// Angle over the length of such a change, at most.
const ANGLE: f64 = 2.01;

impl World {
    /// The largest penetration at a state, if it is more than `known`, else `known`.
    pub(super) fn deepest(&self, at: &State, known: f64, memory: &mut ContactSet) -> f64 {
        memory.clear();
        memory.ask_for_gaps();
        self.joints.contacts(&self.frames, at, &[], JOINTS, self.laws.groups.len(), memory);
        let known = memory.deepest(known);
        if self.collider.shapes.is_empty() || at.q.iter().any(|v| !v.is_finite()) {
            return known;
        }
        self.collider.deepest(&self.frames, &self.laws, at, known, &mut self.last_collision())
    }
}

impl World {
    /// Where all bodies are at a state.
    pub(super) fn places_at<'a>(&self, at: &State, scratch: &'a mut Scratch) -> &'a [Frame] {
        if scratch.known.0 == at.q && !scratch.frames.is_empty() {
            return &scratch.frames;
        }
        let (places, q) = &mut scratch.places;
        if *q != at.q {
            q.clone_from(&at.q);
            places.clear();
            let bodies = 0..self.frames.placements.len();
            places.extend(bodies.map(|body| self.frames.frame(at, Some(body))));
        }
        places
    }

    /// Lists the gaps of which some are known since contacts were looked at last. False if bodies came too far.
    pub(super) fn list_near(&self, at: &State, near: Near, out: &mut ContactSet) -> bool {
        let mut scratch = self.last_collision();
        // Pairs that were not found are farther apart than this and their ways.
        let most = FARTHEST * self.collider.least_size;
        if !(near.limit <= most)
            || at.q.iter().any(|v| !v.is_finite())
            || !self.collider.measure_ways(&self.frames, at, &mut scratch)
        {
            return false;
        }
        self.places_at(at, &mut scratch);
        let Scratch { found, frames, known, places, ways, narrow, witnesses, touches, .. } =
            &mut *scratch;
        let places = if known.0 == at.q { frames } else { &places.0 };
        let collider = &self.collider;
        let mut last = None;
        for point in found.iter() {
            let [a, b] = point.shapes;
            let shapes = [a, b].map(|k| &collider.shapes[k as usize]);
            let way = PER_WAY * (ways[shapes[0].body] + ways[shapes[1].body]);
            if near.rests(point.touch.gap, way, self.closed_gap(shapes[0], shapes[1])) {
                self.push_gap(point, out);
                continue;
            }
            if point.touch.gap - way > near.limit || last == Some([a, b]) {
                continue;
            }
            last = Some([a, b]);
            touches.clear();
            let dimension = self.frames.dimension;
            collider.touch_pair(a, b, places, dimension, at, narrow, witnesses, touches);
            for touch in touches.iter() {
                self.push_gap(&Found { shapes: [a, b], touch: *touch }, out);
            }
        }
        self.list_joints(at, places, out);
        true
    }
}

impl Collider {
    /// The same of the shapes: only pairs that may be deeper, by the way that their bodies went since pairs
    /// were looked at last, are looked at again.
    fn deepest(
        &self,
        frames: &Frames,
        laws: &Laws,
        at: &State,
        known: f64,
        scratch: &mut Scratch,
    ) -> f64 {
        if !self.measure_ways(frames, at, scratch) {
            self.find(frames, laws, at, scratch);
            return scratch.found.iter().fold(known, |depth, found| depth.max(-found.touch.gap));
        }
        let Scratch { found, ways, ahead, narrow, witnesses, touches, .. } = scratch;
        let (mut deepest, mut last) = (known, None);
        for point in found.iter() {
            let [a, b] = point.shapes;
            let bodies = [a, b].map(|k| self.shapes[k as usize].body);
            let way = ways[bodies[0]] + ways[bodies[1]];
            if !(PER_WAY * way - point.touch.gap > deepest) || last == Some([a, b]) {
                continue;
            }
            last = Some([a, b]);
            for body in bodies {
                ahead[body] = frames.frame(at, Some(body));
            }
            touches.clear();
            self.touch_pair(a, b, ahead, frames.dimension, at, narrow, witnesses, touches);
            deepest = touches.iter().fold(deepest, |depth, touch| depth.max(-touch.gap));
        }
        deepest
    }

    /// How far the points of each body have come since pairs were looked at. False if that is so far that
    /// others may have met.
    fn measure_ways(&self, frames: &Frames, at: &State, scratch: &mut Scratch) -> bool {
        let (q, memory) = &scratch.known;
        if scratch.frames.is_empty() || q.len() != at.q.len() || *memory != at.memory {
            return false;
        }
        scratch.ahead.clone_from(&scratch.frames);
        scratch.ways.clear();
        let most = MOST_WAYS * self.least_size;
        for (placement, reach) in frames.placements.iter().zip(&self.reaches) {
            let Placement::Moving { block, .. } = placement else {
                scratch.ways.push(0.0);
                continue;
            };
            let first = block * frames.coordinates();
            let (now, then) = (&at.q[first..], &q[first..]);
            let change = |k: usize| now[k] - then[k];
            let (shift, turn) = match frames.dimension {
                Dimension::Two => ([change(0), change(1), 0.0], change(2).abs()),
                Dimension::Three => {
                    let turn = (3..7).map(|k| change(k) * change(k)).sum::<f64>().sqrt();
                    if !(turn <= SMALL_TURN) {
                        return false;
                    }
                    ([change(0), change(1), change(2)], ANGLE * turn)
                }
            };
            let Some(reach) = reach else {
                scratch.ways.push(0.0);
                continue;
            };
            let way = norm(&shift) + if turn == 0.0 { 0.0 } else { turn * reach };
            if !(way <= most) {
                return false;
            }
            scratch.ways.push(way);
        }
        true
    }

    /// How far the points of each body that a turn about its centre of mass moves are from there.
    pub(super) fn measure_reaches(&mut self, frames: &Frames) {
        self.least_size = self.shapes.iter().map(|shape| shape.size).fold(f64::INFINITY, f64::min);
        self.reaches.clear();
        self.reaches.resize(frames.placements.len(), None);
        for shape in &self.shapes {
            let center = match frames.placements.get(shape.body) {
                Some(Placement::Moving { center, .. }) => *center,
                _ => [0.0; 3],
            };
            let arm = norm(&sub(&shape.local.origin, &center));
            let reach = match shape.outline.bounds {
                Some(_) if shape.outline.round.is_some() => arm,
                Some((middle, _)) => arm + norm(&middle) + shape.size,
                None => f64::INFINITY,
            };
            let known = &mut self.reaches[shape.body];
            *known = Some(known.unwrap_or(0.0).max(reach));
        }
    }
}
