//! Copies of bodies: in rows, or at random places that do not overlap.

use super::{Context, GROUND, shapes};
use crate::kinematics::Vector3;
use crate::kinematics::quaternion::{from_axis_angle, normalized, product, rotation};
use crate::kinematics::vector::{E_Z, add, apply, norm, scale, sub};
use crate::scene::error::nearest;
use crate::scene::world::file::WorldFile;
use crate::scene::world::file_array::{Array, ChainJoint, Placement};
use crate::scene::world::file_joint::{Joint, JointKeys};
use crate::scene::world::quantity::{Length, Quantity, Vector};
use crate::world::BodyDescription;
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Places that are tried for one copy before the box counts as full.
const MOST_TRIES: usize = 1000;

impl Array {
    /// Number of copies.
    pub(super) fn count(&self) -> usize {
        match &self.placement {
            Placement::Grid { counts, .. } => {
                counts.iter().map(|c| *c as usize).fold(1, usize::saturating_mul)
            }
            Placement::Random { count, .. }
            | Placement::Polar { count, .. }
            | Placement::Chain { count, .. } => *count as usize,
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

    /// Appends the joints of chains.
    pub(super) fn chain_joints(
        &mut self,
        arrays: &[Array],
        bodies: &[BodyDescription],
        out: &mut Vec<Joint>,
    ) {
        for (number, array) in arrays.iter().enumerate() {
            let Placement::Chain { count, points, joint, axis, spring, friction, first, last } =
                &array.placement
            else {
                continue;
            };
            let [from, to] = points.as_slice() else { continue };
            let hinge = ChainJoint::Revolute;
            let default = if self.is_plane() { hinge } else { ChainJoint::Spherical };
            let kind = joint.unwrap_or(default);
            if kind == ChainJoint::Spherical {
                for (key, is_given) in [
                    ("axis", axis.is_some()),
                    ("spring", spring.is_some()),
                    ("friction", friction.is_some()),
                ] {
                    if is_given {
                        let key = format!("array.{number}.{key}");
                        self.wrong(&key, format!("{key} is for hinges (joint = \"revolute\")"));
                    }
                }
            }
            let link = |number: u32| format!("{}-{number}", array.body);
            let new = |ending: &str, bodies: [String; 2], ends: [&Vector<Length>; 2]| Joint {
                name: Some(format!("{}-{ending}", array.body)),
                bodies: bodies.to_vec(),
                points: Some(ends.map(Clone::clone).to_vec()),
                axis: axis.clone(),
                spring: spring.clone(),
                friction: friction.clone(),
                ..Joint::plain(match kind {
                    ChainJoint::Revolute => JointKeys::Revolute,
                    ChainJoint::Spherical => JointKeys::Spherical,
                })
            };
            for number in 1..*count {
                let bodies = [link(number - 1), link(number)];
                out.push(new(&format!("joint-{}", number - 1), bodies, [to, from]));
            }
            for (held, ending, end, at) in
                [(first, "first", link(0), from), (last, "last", link(count.max(&1) - 1), to)]
            {
                let link = self.bodies.get(&end).and_then(|body| bodies.get(*body));
                let (Some(held), Some(link)) = (held, link) else { continue };
                let own = self.vector(&format!("array.{number}.points"), Some(at));
                let place = add(&link.position, &apply(&rotation(&link.rotation), &own));
                let count = if self.is_plane() { 2 } else { 3 };
                let place = place[..count].iter().map(|x| Quantity::new(*x)).collect();
                let key = format!("array.{number}.{ending}");
                if held != GROUND {
                    self.body_number(&key, held);
                }
                out.push(Joint {
                    at: Some(Vector(place)),
                    points: None,
                    ..new(ending, [held.clone(), end], [at, at])
                });
            }
        }
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
            Placement::Polar { count, center, axis, angle, turned } => {
                let center = self.vector(&format!("{key}.center"), center.as_ref());
                let axis = match axis {
                    Some(given) if !self.is_plane() => {
                        let found = self.direction(&format!("{key}.axis"), &given.0);
                        let Some(found) = found else { return };
                        found
                    }
                    _ => E_Z,
                };
                let step = angle.map_or(TAU / f64::from(*count), |angle| angle.value);
                if *count > 1
                    && (step == 0.0 || step.abs() * f64::from(*count) > TAU * (1.0 + 1e-9))
                {
                    let key = format!("{key}.angle");
                    let message = format!(
                        "{key} is {step} rad for {count} copies; they must differ and go round at most once"
                    );
                    return self.wrong(&key, message);
                }
                for number in 0..*count {
                    let turn = from_axis_angle(&axis, step * f64::from(number));
                    let matrix = rotation(&turn);
                    let is_turned = turned.unwrap_or(true);
                    let vector = |v: &Vector3| if is_turned { apply(&matrix, v) } else { *v };
                    out.push(BodyDescription {
                        name: format!("{}-{number}", body.name),
                        position: add(&center, &apply(&matrix, &sub(&body.position, &center))),
                        rotation: match is_turned {
                            true => product(&turn, &body.rotation),
                            false => body.rotation,
                        },
                        velocity: vector(&body.velocity),
                        angular_velocity: vector(&body.angular_velocity),
                        ..body.clone()
                    });
                }
            }
            Placement::Chain { count, points, .. } => {
                let [from, to] = self.body_points(key, Some(points));
                let length = sub(&to, &from);
                if length == [0.0; 3] {
                    let key = format!("{key}.points");
                    return self.wrong(&key, format!("{key} are the same point: links coincide"));
                }
                let step = apply(&rotation(&body.rotation), &length);
                for number in 0..*count {
                    let position = add(&body.position, &scale(f64::from(number), &step));
                    push(number as usize, position, body.rotation);
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
