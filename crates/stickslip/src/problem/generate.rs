//! Contact problems made by rule, as large as one likes: walls and packings of spheres in one time step
//! under gravity. The same arguments give the same problem on every machine.

use super::{Bodies, InclusionProblem, ProblemError};

pub use super::reorder::permuted;

/// Gravity times the time step, m/s.
const FALL: f64 = 9.81 * 1e-3;
/// Velocities of a body in space.
const SIZE: usize = 6;

/// Random numbers (Steele, Lea and Flood 2014, SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even between −1 and 1.
    pub(super) fn even(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A problem in the making.
#[derive(Default)]
struct Builder {
    bodies: Bodies,
    places: Vec<Point>,
    /// Free velocities of all bodies.
    free: Vec<f64>,
    c: Vec<f64>,
}

impl Builder {
    /// A body that falls, with random velocities of `disturbance` times the fall of a step.
    fn push_body(
        &mut self,
        place: Point,
        mass: f64,
        inertia: Point,
        size: f64,
        disturbance: f64,
        random: &mut Random,
    ) {
        for k in 0..SIZE {
            for j in 0..SIZE {
                let diagonal = if k < 3 { mass } else { inertia[k - 3] };
                self.bodies.mass.push(if k == j { diagonal } else { 0.0 });
            }
            let fall = if k == 2 { -FALL } else { 0.0 };
            let lever = if k < 3 { 1.0 } else { size };
            self.free.push(fall + disturbance * FALL * random.even() / lever);
        }
        self.places.push(place);
    }

    /// A contact at `point`, normal towards the first body; without a second body that is fixed.
    fn push_contact(&mut self, first: usize, second: Option<usize>, point: Point, normal: Point) {
        // The axis that is least along the normal gives a tangent.
        let axis =
            (0..3).fold(0, |best, k| if normal[k].abs() < normal[best].abs() { k } else { best });
        let mut tangent = cross(normal, std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 }));
        let length = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
        tangent = tangent.map(|t| t / length);
        let frame = [normal, tangent, cross(normal, tangent)];
        self.bodies.touched.push([first, second.unwrap_or(first)]);
        let mut seen = [0.0; 3];
        for (body, sign) in [(Some(first), 1.0), (second, -1.0)] {
            let Some(body) = body else { continue };
            let arm = minus(point, self.places[body]);
            for (k, direction) in frame.into_iter().enumerate() {
                let turn = cross(arm, direction);
                for (j, entry) in direction.into_iter().chain(turn).enumerate() {
                    self.bodies.rows.push(sign * entry);
                    seen[k] += sign * entry * self.free[body * SIZE + j];
                }
            }
        }
        self.c.extend(seen);
    }

    fn finish(mut self, friction: f64) -> Result<InclusionProblem, ProblemError> {
        self.bodies.size = SIZE;
        let mut problem = InclusionProblem::new();
        for _ in 0..self.bodies.touched.len() {
            problem.push_coulomb_contact(friction, 2);
        }
        problem.set_bodies(self.bodies, self.c)?;
        Ok(problem)
    }
}

/// A wall of bricks of 0.2 × 0.1 × 0.1 m in running bond on the ground, four contacts wherever two
/// bricks lie upon each other: 4 (columns + (rows − 1)(2 columns − 1)) contacts. In one step of 1 ms
/// bricks have random velocities of up to `disturbance` times what they fall.
pub fn wall(
    rows: usize,
    columns: usize,
    friction: f64,
    disturbance: f64,
    seed: u64,
) -> Result<InclusionProblem, ProblemError> {
    let [length, depth, height] = [0.2, 0.1, 0.1];
    let mass = 2000.0 * length * depth * height;
    let square = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    let inertia = [square(depth, height), square(length, height), square(length, depth)];
    let mut random = Random(seed);
    let mut builder = Builder::default();
    let middle = |row: usize, column: usize| {
        length * (column as f64 + if row.is_multiple_of(2) { 0.0 } else { 0.5 })
    };
    for row in 0..rows {
        for column in 0..columns {
            let place = [middle(row, column), 0.0, height * (row as f64 + 0.5)];
            builder.push_body(place, mass, inertia, length, disturbance, &mut random);
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let body = row * columns + column;
            let (left, right) =
                (middle(row, column) - length / 2.0, middle(row, column) + length / 2.0);
            let below = column.saturating_sub(1)..(column + 2).min(columns);
            let below =
                below.map(|k| (Some((row.max(1) - 1) * columns + k), middle(row.max(1) - 1, k)));
            let ground = std::iter::once((None, middle(row, column)));
            let supports: Vec<_> = if row == 0 { ground.collect() } else { below.collect() };
            for (support, centre) in supports {
                let (from, to) =
                    (left.max(centre - length / 2.0), right.min(centre + length / 2.0));
                if to - from < 0.01 * length {
                    continue;
                }
                for x in [from, to] {
                    for y in [-depth / 2.0, depth / 2.0] {
                        let point = [x, y, height * row as f64];
                        builder.push_contact(body, support, point, [0.0, 0.0, 1.0]);
                    }
                }
            }
        }
    }
    builder.finish(friction)
}

/// Steps in which soft spheres settle, and how far each falls in the first and in the last of them, in
/// radii.
const SETTLING: usize = 6000;
const DRIFT: [f64; 2] = [0.03, 2e-4];

/// Spheres of 8 to 12 mm that settled at random in a box with walls, about three contacts a sphere:
/// jammed, for each rests on others. In one step of 1 ms they have random velocities of up to
/// `disturbance` times what they fall.
pub fn packing(
    spheres: usize,
    friction: f64,
    disturbance: f64,
    seed: u64,
) -> Result<InclusionProblem, ProblemError> {
    let mut random = Random(seed);
    let mean = 0.01;
    let radii: Vec<f64> = (0..spheres).map(|_| mean * (1.0 + 0.2 * random.even())).collect();
    let side = 1.8 * mean * (spheres as f64).cbrt().max(1.5);
    let mut places: Vec<Point> = Vec::new();
    for radius in &radii {
        let across = |even: f64| (even + 1.0) / 2.0 * (side - 2.0 * radius) + radius;
        let (x, y) = (across(random.even()), across(random.even()));
        places.push([x, y, radius + 1.3 * side * (random.even() + 1.0) / 2.0]);
    }
    let mut pairs = Vec::new();
    let margin = 0.4 * mean;
    let mut moved = f64::INFINITY;
    for step in 0..SETTLING {
        // Quickly down in the first half, then to rest.
        let left = 1.0 - 2.0 * step as f64 / SETTLING as f64;
        let drift = DRIFT[1].max(DRIFT[0] * left) * mean;
        if moved > margin / 2.0 {
            pairs = near(&places, &radii, margin);
            moved = 0.0;
        }
        let mut steps = vec![[0.0, 0.0, -drift]; spheres];
        for touch in touching(&places, &radii, side, &pairs) {
            let share = 0.3 * touch.depth;
            for (body, sign) in [(Some(touch.first), 1.0), (touch.second, -1.0)] {
                if let Some(body) = body {
                    for k in 0..3 {
                        steps[body][k] += sign * share * touch.normal[k];
                    }
                }
            }
        }
        let mut largest = 0.0_f64;
        for (place, step) in places.iter_mut().zip(&steps) {
            for k in 0..3 {
                let step = step[k].clamp(-0.1 * mean, 0.1 * mean);
                place[k] += step;
                largest = largest.max(step.abs());
            }
        }
        moved += 2.0 * largest;
    }
    let pairs = near(&places, &radii, margin);
    let mut builder = Builder::default();
    for (place, radius) in places.iter().zip(&radii) {
        let mass = 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let inertia = [0.4 * mass * radius * radius; 3];
        builder.push_body(*place, mass, inertia, *radius, disturbance, &mut random);
    }
    for touch in touching(&places, &radii, side, &pairs) {
        let radius = radii[touch.first];
        let place = places[touch.first];
        let point = std::array::from_fn(|k| place[k] - radius * touch.normal[k]);
        builder.push_contact(touch.first, touch.second, point, touch.normal);
    }
    builder.finish(friction)
}

/// Two soft spheres, or one and a wall, that overlap.
struct Touch {
    first: usize,
    second: Option<usize>,
    normal: Point,
    depth: f64,
}

fn touching(places: &[Point], radii: &[f64], side: f64, pairs: &[(usize, usize)]) -> Vec<Touch> {
    let mut all = Vec::new();
    for &(first, second) in pairs {
        let apart = minus(places[first], places[second]);
        let distance = apart.iter().map(|d| d * d).sum::<f64>().sqrt();
        let depth = radii[first] + radii[second] - distance;
        if depth > 0.0 && distance > 0.0 {
            let normal = apart.map(|d| d / distance);
            all.push(Touch { first, second: Some(second), normal, depth });
        }
    }
    for (first, (place, radius)) in places.iter().zip(radii).enumerate() {
        for k in 0..3 {
            // Floor and four walls; no lid.
            for (depth, sign) in [(radius - place[k], 1.0), (radius + place[k] - side, -1.0)] {
                if depth > 0.0 && (k < 2 || sign > 0.0) {
                    let normal = std::array::from_fn(|j| if j == k { sign } else { 0.0 });
                    all.push(Touch { first, second: None, normal, depth });
                }
            }
        }
    }
    all
}

/// Pairs of spheres that are no farther apart than the margin, by a sweep along the height.
fn near(places: &[Point], radii: &[f64], margin: f64) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a][2].total_cmp(&places[*b][2]).then(a.cmp(b)));
    let widest = radii.iter().copied().fold(0.0, f64::max);
    let mut pairs = Vec::new();
    for (at, &a) in order.iter().enumerate() {
        for &b in &order[at + 1..] {
            if places[b][2] - places[a][2] > 2.0 * widest + margin {
                break;
            }
            let apart = minus(places[a], places[b]);
            let reach = radii[a] + radii[b] + margin;
            if apart.iter().map(|d| d * d).sum::<f64>() < reach * reach {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
