//! The convex polygon: friction that depends on the direction in a way that a user measured.

use super::ball::norm;
use super::linear_image::normalise;
use super::{ConvexSet, product};
use crate::range::not_negative;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Vertices of a polygon, at most: the prox looks at all of them.
const MOST_VERTICES: usize = 360;
/// Sine of an angle, or length relative to the size of the polygon, that is rounding of printed numbers.
const STRAIGHT: f64 = 1e-12;
/// Size of a component that rounding leaves, relative to its vector.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// C(s) = s·P with a convex polygon P in the plane that contains the origin; it may be a segment or a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PolygonRecord", into = "PolygonRecord")]
pub struct Polygon {
    edges: Arc<[Edge]>,
    /// Factor on the vertices; clones with another factor share the edges.
    size: f64,
    /// Whether it has no area.
    flat: bool,
}

/// An edge from one vertex to the next, counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    vertex: [f64; 2],
    /// Unit vector along the edge, and outward; 0 of a point.
    tangent: [f64; 2],
    normal: [f64; 2],
    /// Distance of the origin from its line, and where the edge begins and ends along the tangent.
    height: f64,
    range: [f64; 2],
}

/// How files name a polygon.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolygonRecord {
    vertices: Vec<[f64; 2]>,
}

impl TryFrom<PolygonRecord> for Polygon {
    type Error = String;
    fn try_from(record: PolygonRecord) -> Result<Self, String> {
        Self::new(&record.vertices).map_err(|(vertex, text)| format!("vertices[{vertex}] {text}"))
    }
}

impl From<Polygon> for PolygonRecord {
    fn from(set: Polygon) -> Self {
        PolygonRecord { vertices: set.vertices() }
    }
}

fn dot(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Where the nearest point of a point outside lies.
enum Place {
    Edge(usize),
    Vertex(usize),
}

impl Polygon {
    /// Polygon of the vertices in counter-clockwise order; two of them make a segment, one a point. Otherwise the
    /// number of a vertex and what is wrong there.
    pub fn new(vertices: &[[f64; 2]]) -> Result<Self, (usize, String)> {
        let count = vertices.len();
        if !(1..=MOST_VERTICES).contains(&count) {
            return Err((
                0,
                format!("is one of {count} vertices, 1 to {MOST_VERTICES} are allowed"),
            ));
        }
        if let Some(bad) = vertices.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
            return Err((bad, format!("is {:?}, it must be finite", vertices[bad])));
        }
        let size = vertices.iter().map(|v| norm(v)).fold(0.0, f64::max);
        let edges: Vec<Edge> =
            (0..count).map(|i| Edge::new(vertices[i], vertices[(i + 1) % count])).collect();
        if count == 1 && size > 0.0 {
            return Err((0, format!("is {:?}; a single point must be the origin", vertices[0])));
        }
        let equal = (0..count).find(|&i| count > 1 && edges[i].tangent == [0.0; 2]);
        if let Some(i) = equal {
            return Err(((i + 1) % count, format!("is {:?}, as the one before", vertices[i])));
        }
        let mut turned = 0.0;
        for i in 0..count {
            let next = (i + 1) % count;
            let (a, b) = (&edges[i].tangent, &edges[next].tangent);
            let sine = a[0] * b[1] - a[1] * b[0];
            if sine < -STRAIGHT {
                return Err((
                    next,
                    format!(
                        "is {:?}, and the border turns clockwise there; the polygon must be convex, its \
                         vertices counter-clockwise",
                        vertices[next]
                    ),
                ));
            }
            let sine = if sine < STRAIGHT { 0.0 } else { sine };
            turned += sine.atan2(dot(a, b));
        }
        // Rounds of a border that turns one way only: more than one is a star.
        if turned > 1.5 * std::f64::consts::TAU {
            return Err((
                count - 1,
                format!("is {:?}, and the border goes round more than once", vertices[count - 1]),
            ));
        }
        // Without an area it is the segment between its outermost vertices.
        let line = edges[0].normal;
        let flat =
            vertices.iter().all(|v| (dot(&line, v) - edges[0].height).abs() <= STRAIGHT * size);
        let mut edges = edges;
        if flat && count > 1 {
            let along = |v: &&[f64; 2]| dot(&edges[0].tangent, v);
            let order = |a: &&[f64; 2], b: &&[f64; 2]| along(a).total_cmp(&along(b));
            let ends = [vertices.iter().min_by(order), vertices.iter().max_by(order)];
            let [from, to] = ends.map(|end| end.copied().unwrap_or_default());
            edges = vec![Edge::new(from, to), Edge::new(to, from)];
        }
        // Which edge has the origin farthest outside, and how far.
        let beyond = |edge: &Edge| match flat {
            true => norm(&edge.nearest(1.0, &[0.0; 2])),
            false => -edge.height,
        };
        let farthest = edges.iter().map(beyond).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((edge, distance)) = farthest
            && distance > STRAIGHT * size
        {
            let from = edges[edge].vertex;
            let vertex = vertices.iter().position(|v| *v == from).unwrap_or(0);
            return Err((
                vertex,
                format!(
                    "is {from:?}, and the origin lies beyond the edge that begins there; it must be inside"
                ),
            ));
        }
        for edge in &mut edges {
            if edge.height <= STRAIGHT * size {
                edge.height = 0.0;
            }
        }
        Ok(Self { edges: edges.into(), size: 1.0, flat })
    }

    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> Vec<[f64; 2]> {
        self.edges.iter().map(|edge| edge.vertex.map(|x| product(self.size, x))).collect()
    }

    /// Least and largest distance of its border from the origin.
    pub fn extent(&self) -> [f64; 2] {
        let heights = self.edges.iter().map(|edge| edge.height.max(0.0));
        let least = if self.flat { 0.0 } else { heights.fold(f64::INFINITY, f64::min) };
        let largest = self.edges.iter().map(|edge| norm(&edge.vertex)).fold(0.0, f64::max);
        [product(self.size, least), product(self.size, largest)]
    }

    /// The polygon times a factor.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self { size: product(self.size, factor), ..self.clone() }
    }

    /// Where the nearest point of x lies; none if x is inside. `scale` is s times the size.
    ///
    /// The plane outside is divided into strips before the edges and wedges before the vertices.
    fn place(&self, scale: f64, x: &[f64; 2]) -> Option<Place> {
        let count = self.edges.len();
        if self.edges[0].tangent == [0.0; 2] || scale == 0.0 {
            return (*x != [0.0; 2]).then_some(Place::Vertex(0));
        }
        let noise = ROUNDING * norm(x);
        if self.flat {
            let along = dot(&self.edges[0].tangent, x);
            let [begin, end] = self.edges[0].range.map(|end| scale * end);
            return if along < begin {
                Some(Place::Vertex(0))
            } else if along > end {
                Some(Place::Vertex(1))
            } else {
                (dot(&self.edges[0].normal, x).abs() > noise).then_some(Place::Edge(0))
            };
        }
        let mut is_outside = false;
        for (i, edge) in self.edges.iter().enumerate() {
            // Rounding must not decide on edges through the origin.
            let noise = if edge.height == 0.0 { noise } else { 0.0 };
            if dot(&edge.normal, x) - scale * edge.height <= noise {
                continue;
            }
            is_outside = true;
            let along = dot(&edge.tangent, x);
            let next = (i + 1) % count;
            if along < scale * edge.range[0] {
                let before = &self.edges[(i + count - 1) % count];
                if dot(&before.tangent, x) >= scale * before.range[1] {
                    return Some(Place::Vertex(i));
                }
                continue;
            }
            if along <= scale * edge.range[1] {
                return Some(Place::Edge(i));
            }
            let after = &self.edges[next];
            if dot(&after.tangent, x) <= scale * after.range[0] {
                return Some(Place::Vertex(next));
            }
        }
        if !is_outside {
            return None;
        }
        // Rounding between a strip and a wedge: the nearest of all.
        let distance = |i: usize| {
            let p = self.edges[i].nearest(scale, x);
            norm(&[x[0] - p[0], x[1] - p[1]])
        };
        let nearest = (0..count).min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
        let along = dot(&self.edges[nearest].tangent, x);
        let [begin, end] = self.edges[nearest].range.map(|end| scale * end);
        Some(if along <= begin {
            Place::Vertex(nearest)
        } else if along >= end {
            Place::Vertex((nearest + 1) % count)
        } else {
            Place::Edge(nearest)
        })
    }
}

impl Edge {
    fn new(from: [f64; 2], to: [f64; 2]) -> Self {
        // Halved, so that differences of the largest numbers do not overflow.
        let half = [0.5 * to[0] - 0.5 * from[0], 0.5 * to[1] - 0.5 * from[1]];
        let length = norm(&half);
        let tangent = if length > 0.0 { half.map(|v| v / length) } else { [0.0; 2] };
        let normal = [tangent[1], -tangent[0]];
        let range = [dot(&tangent, &from), dot(&tangent, &to)];
        Self { vertex: from, tangent, normal, height: dot(&normal, &from), range }
    }

    /// The nearest point of the edge, times the scale.
    fn nearest(&self, scale: f64, x: &[f64; 2]) -> [f64; 2] {
        let [begin, end] = self.range.map(|end| scale * end);
        let along = dot(&self.tangent, x).max(begin).min(end);
        let height = scale * self.height;
        [0, 1].map(|k| height * self.normal[k] + along * self.tangent[k])
    }
}

impl ConvexSet for Polygon {
    fn dim(&self) -> usize {
        2
    }

    fn validate(&self) -> Result<(), String> {
        Ok(not_negative("size", self.size)?)
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        let mut z = [x[0], x[1]];
        let (s, power) = normalise(product(scale, self.size), &mut z);
        match self.place(s, &z) {
            None => {}
            Some(Place::Edge(i)) => {
                let p = self.edges[i].nearest(s, &z);
                (0..2).for_each(|k| x[k] = p[k] / power);
            }
            Some(Place::Vertex(i)) => {
                let vertex = self.edges[i].vertex;
                (0..2).for_each(|k| x[k] = product(s, vertex[k]) / power);
            }
        }
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let mut z = [x[0], x[1]];
        let (s, _) = normalise(product(scale, self.size), &mut z);
        d_x.fill(0.0);
        d_scale.fill(0.0);
        match self.place(s, &z) {
            None if s > 0.0 && !self.flat => (d_x[0], d_x[3]) = (1.0, 1.0),
            // A segment keeps what is along it, a point nothing.
            None if s > 0.0 => tangential(&self.edges[0].tangent, d_x),
            None => {}
            Some(Place::Edge(i)) => {
                let edge = &self.edges[i];
                tangential(&edge.tangent, d_x);
                (0..2).for_each(|k| d_scale[k] = self.size * edge.height * edge.normal[k]);
            }
            Some(Place::Vertex(i)) => {
                (0..2).for_each(|k| d_scale[k] = product(self.size, self.edges[i].vertex[k]));
            }
        }
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let mut v = [velocity[0], velocity[1]];
        let (_, power) = normalise(0.0, &mut v);
        let most = self.edges.iter().map(|edge| dot(&edge.vertex, &v)).fold(0.0, f64::max);
        product(product(scale, self.size), most / power)
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let mut v = [velocity[0], velocity[1]];
        normalise(0.0, &mut v);
        out.fill(0.0);
        let mut most = 0.0;
        for edge in self.edges.iter() {
            let power = dot(&edge.vertex, &v);
            if power > most {
                most = power;
                (0..2).for_each(|k| out[k] = product(product(scale, self.size), edge.vertex[k]));
            }
        }
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let mut z = [x[0], x[1]];
        let (_, power) = normalise(0.0, &mut z);
        if z == [0.0; 2] {
            return 0.0;
        }
        let noise = ROUNDING * norm(&z);
        let mut gauge = 0.0_f64;
        for edge in self.edges.iter() {
            let beyond = dot(&edge.normal, &z);
            if edge.height == 0.0 && beyond > noise || edge.tangent == [0.0; 2] {
                return f64::INFINITY;
            }
            let (size, limit) = match self.flat {
                true => (dot(&edge.tangent, &z), edge.range[1].max(0.0)),
                false => (beyond, edge.height),
            };
            if size > noise {
                gauge = gauge.max(size / limit);
            }
        }
        // 0 over a size of 0 is the origin of a point.
        if gauge == 0.0 { 0.0 } else { gauge / self.size / power }
    }

    fn contains(&self, scale: f64, x: &[f64], tolerance: f64) -> bool {
        if self.gauge(x) <= scale * (1.0 + tolerance) {
            return true;
        }
        // On edges through the origin the gauge has no finite value for a rounding error: measure the distance.
        let mut p = [x[0], x[1]];
        self.prox(scale, &mut p);
        norm(&[x[0] - p[0], x[1] - p[1]]) <= tolerance * scale * self.extent()[1]
    }
}

/// t tᵀ.
fn tangential(t: &[f64; 2], d_x: &mut [f64]) {
    d_x.copy_from_slice(&[t[0] * t[0], t[0] * t[1], t[0] * t[1], t[1] * t[1]]);
}
