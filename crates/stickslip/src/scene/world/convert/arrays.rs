//! Copies of bodies: in rows, or at random places that do not overlap.

use super::{Context, shapes};
use crate::kinematics::Vector3;
use crate::kinematics::quaternion::{from_axis_angle, normalized, product};
use crate::kinematics::vector::{E_Z, add, norm, sub};
use crate::scene::error::nearest;
use crate::scene::world::file::{Array, Placement, WorldFile};
use crate::world::BodyDescription;
use std::collections::HashMap;
use std::f64::consts::PI;

/// Places that are tried for one copy before the box counts as full.
const MOST_TRIES: usize = 1000;

impl Array {
    /// Number of copies.
    pub(super) fn count(&self) -> usize {
        match &self.placement {
            Placement::Grid { counts, .. } => {
                counts.iter().map(|c| *c as usize).fold(1, usize::saturating_mul)
            }
            Placement::Random { count, .. } => *count as usize,
        }
    }
}

impl Context<'_> {
    /// For each body with copies (by its number in the file) the number of its array.
    pub(super) fn arrays_by_body(&mut self, file: &WorldFile) -> HashMap<usize, usize> {
        let mut arrays = HashMap::new();
        for (number, array) in file.array.iter().enumerate() {
            let key = format!("array.{number}.body");
            let name = &array.body;
            match file.body.iter().position(|body| body.name == *name) {
                None => {
                    let near = nearest(name, file.body.iter().map(|body| body.name.as_str()));
                    let hint = near.map_or(String::new(), |n| format!("; did you mean {n:?}?"));
                    self.wrong(&key, format!("{key} is {name:?}, but there is no such body{hint}"));
                }
                Some(entry) => {
                    if arrays.insert(entry, number).is_some() {
                        self.wrong(&key, format!("{key} is {name:?}, which has an array already"));
                    }
                }
            }
        }
        arrays
    }

    /// Appends the copies of a body.
    pub(super) fn copies(
        &mut self,
        key: &str,
        array: &Array,
        body: &BodyDescription,
        out: &mut Vec<BodyDescription>,
    ) {
        let mut push = |number: usize, position: Vector3, rotation| {
            let name = format!("{}-{number}", body.name);
            out.push(BodyDescription { name, position, rotation, ..body.clone() });
        };
        match &array.placement {
            Placement::Grid { counts, spacing } => {
                let wanted = if self.is_plane() { 2 } else { 3 };
                if counts.len() != wanted {
                    let key = format!("{key}.counts");
                    let message =
                        format!("{key} has {} numbers; it must have {wanted}", counts.len());
                    return self.wrong(&key, message);
                }
                let spacing = self.vector(&format!("{key}.spacing"), Some(spacing));
                if (0..counts.len()).any(|axis| counts[axis] > 1 && spacing[axis] == 0.0) {
                    let key = format!("{key}.spacing");
                    let message =
                        format!("{key} is 0 where there are several copies: they coincide");
                    return self.wrong(&key, message);
                }
                let mut number = 0;
                let layers = counts.get(2).copied().unwrap_or(1);
                for k in 0..layers {
                    for j in 0..counts[1] {
                        for i in 0..counts[0] {
                            let steps = [f64::from(i), f64::from(j), f64::from(k)];
                            let shift = [0, 1, 2].map(|axis| steps[axis] * spacing[axis]);
                            push(number, add(&body.position, &shift), body.rotation);
                            number += 1;
                        }
                    }
                }
            }
            Placement::Random { count, lower, upper, seed, gap, turned } => {
                let lower = self.vector(&format!("{key}.lower"), Some(lower));
                let upper = self.vector(&format!("{key}.upper"), Some(upper));
                if (0..3).any(|axis| !(lower[axis] <= upper[axis])) {
                    let key = format!("{key}.upper");
                    return self.wrong(&key, format!("{key} must not be below lower"));
                }
                let radius = body.shapes.iter().map(shapes::outer_radius).fold(0.0, f64::max);
                if !radius.is_finite() {
                    let message =
                        format!("{key}: a body with a half-space cannot be placed at random");
                    return self.wrong(key, message);
                }
                let mut random = Random(u64::from(*seed));
                let mut taken = Cells::new(2.0 * radius + gap.value);
                for number in 0..*count as usize {
                    let mut place = || {
                        let at = [0, 1, 2]
                            .map(|axis| lower[axis] + random.unit() * (upper[axis] - lower[axis]));
                        taken.insert(at).then_some(at)
                    };
                    let Some(at) = (0..MOST_TRIES).find_map(|_| place()) else {
                        let message = format!(
                            "{key}: after {number} of {count} copies no more room was found in \
                             {MOST_TRIES} tries; make the box larger or count smaller"
                        );
                        return self.wrong(&format!("{key}.count"), message);
                    };
                    let rotation = match (*turned, self.is_plane()) {
                        (false, _) => body.rotation,
                        (true, true) => {
                            let turn = from_axis_angle(&E_Z, 2.0 * PI * random.unit());
                            product(&turn, &body.rotation)
                        }
                        (true, false) => product(&random.rotation(), &body.rotation),
                    };
                    push(number, at, rotation);
                }
            }
        }
    }
}

/// The generator SplitMix64: small, and the same on every machine and in every version, because a
/// scene with its seed is a promise.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly over all rotations: a quaternion from two even points of circles (Shoemake).
    fn rotation(&mut self) -> [f64; 4] {
        let (share, first, second) = (self.unit(), 2.0 * PI * self.unit(), 2.0 * PI * self.unit());
        let (inner, outer) = ((1.0 - share).sqrt(), share.sqrt());
        normalized(&[
            outer * second.cos(),
            inner * first.sin(),
            inner * first.cos(),
            outer * second.sin(),
        ])
    }
}

/// Points that keep a distance, in cells of its size: only neighbours have to be compared.
struct Cells {
    distance: f64,
    cells: HashMap<[i64; 3], Vec<Vector3>>,
}

impl Cells {
    fn new(distance: f64) -> Self {
        Self { distance, cells: HashMap::new() }
    }

    /// Adds a point if no other is too near.
    fn insert(&mut self, point: Vector3) -> bool {
        if self.distance == 0.0 {
            return true;
        }
        // Beyond the range of i64 many cells become one: slower, never wrong.
        let cell = point.map(|x| (x / self.distance).floor() as i64);
        for step in 0..27_i64 {
            let shift = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
            let near = [0, 1, 2].map(|axis| cell[axis].saturating_add(shift[axis]));
            let points = self.cells.get(&near).map_or(&[][..], Vec::as_slice);
            if points.iter().any(|other| norm(&sub(other, &point)) < self.distance) {
                return false;
            }
        }
        self.cells.entry(cell).or_default().push(point);
        true
    }
}
