//! Shapes as triangles and lines.

use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector::{add, apply};
use stickslip::system::{DrawnPart, DrawnPose, DrawnShape};

/// Edges around a circle.
const AROUND: usize = 24;

/// Points, triangles and lines of one body, in its frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, m.
    pub points: Vec<[f64; 3]>,
    /// Three corners each.
    pub triangles: Vec<[usize; 3]>,
    /// Corners of lines.
    pub lines: Vec<Vec<usize>>,
}

impl Mesh {
    /// All parts of a body.
    pub fn new(parts: &[DrawnPart]) -> Self {
        let mut mesh = Self::default();
        for part in parts {
            let first = mesh.points.len();
            mesh.shape(&part.shape);
            for point in &mut mesh.points[first..] {
                *point = placed(&part.pose, point);
            }
        }
        mesh
    }

    fn shape(&mut self, shape: &DrawnShape) {
        match shape {
            DrawnShape::Sphere { radius } => self.globe([*radius; 3], 0.0),
            DrawnShape::Ellipsoid { semi_axes } => self.globe(*semi_axes, 0.0),
            DrawnShape::Capsule { radius, half_length } => self.globe([*radius; 3], *half_length),
            DrawnShape::Box { half_extents } => self.cuboid(half_extents),
            DrawnShape::Cylinder { radius, half_length } => self.cylinder(*radius, *half_length),
            DrawnShape::Disk { radius } => self.cylinder(*radius, 0.0),
            DrawnShape::Mesh { vertices, triangles } => {
                let first = self.points.len();
                self.points.extend_from_slice(vertices);
                let known = |corner: &u32| (*corner as usize) < vertices.len();
                let good = triangles.iter().filter(|t| t.iter().all(known));
                self.triangles.extend(good.map(|t| t.map(|corner| first + corner as usize)));
            }
            DrawnShape::Line { points, closed } => {
                let first = self.points.len();
                self.points.extend_from_slice(points);
                let mut line: Vec<usize> = (first..self.points.len()).collect();
                if *closed && points.len() > 2 {
                    line.push(first);
                }
                self.lines.push(line);
            }
            // A plane without end has no corners: ParaView users have a ground of their own.
            DrawnShape::HalfSpace => {}
        }
    }

    /// An ellipsoid whose halves stand apart by twice `apart` along z.
    fn globe(&mut self, axes: [f64; 3], apart: f64) {
        let first = self.points.len();
        let rings = AROUND / 2 + 1;
        for ring in 0..=rings {
            // The middle ring is doubled, one for each half.
            let (step, shift) = if ring <= AROUND / 4 { (ring, apart) } else { (ring - 1, -apart) };
            let (sin, cos) = (std::f64::consts::PI * step as f64 / (AROUND / 2) as f64).sin_cos();
            for k in 0..AROUND {
                let (y, x) = angle(k).sin_cos();
                self.points.push([axes[0] * sin * x, axes[1] * sin * y, axes[2] * cos + shift]);
            }
        }
        for ring in 0..rings {
            self.band(first + ring * AROUND, first + (ring + 1) * AROUND);
        }
    }

    fn cylinder(&mut self, radius: f64, half_length: f64) {
        let first = self.points.len();
        for z in [half_length, -half_length] {
            for k in 0..AROUND {
                let (y, x) = angle(k).sin_cos();
                self.points.push([radius * x, radius * y, z]);
            }
        }
        if half_length > 0.0 {
            self.band(first, first + AROUND);
        }
        for k in 1..AROUND - 1 {
            self.triangles.push([first, first + k, first + k + 1]);
            let second = first + AROUND;
            self.triangles.push([second, second + k + 1, second + k]);
        }
    }

    /// Triangles between two rings.
    fn band(&mut self, upper: usize, lower: usize) {
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            self.triangles.push([upper + k, lower + k, lower + next]);
            self.triangles.push([upper + k, lower + next, upper + next]);
        }
    }

    fn cuboid(&mut self, half: &[f64; 3]) {
        let first = self.points.len();
        for corner in 0..8_usize {
            let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.points.push([sign(0) * half[0], sign(1) * half[1], sign(2) * half[2]]);
        }
        const FACES: [[usize; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in FACES {
            self.triangles.push([first + a, first + b, first + c]);
            self.triangles.push([first + a, first + c, first + d]);
        }
    }
}

fn angle(k: usize) -> f64 {
    std::f64::consts::TAU * k as f64 / AROUND as f64
}

/// A point of a frame in the frame around it.
pub fn placed(pose: &DrawnPose, point: &[f64; 3]) -> [f64; 3] {
    add(&pose.position, &apply(&rotation(&pose.rotation), point))
}
