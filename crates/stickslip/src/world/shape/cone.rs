//! Cones about z: a round base below, at z = −h, and a tip above, at z = h.

use super::rim::Rim;
use super::*;

pub(super) struct Cone {
    /// Radius of the base, m.
    pub radius: f64,
    /// Half of the height, m.
    pub half_length: f64,
}

/// Corners of the base as it is drawn.
const DRAWN: u32 = 48;

/// Direction and distance of a point from a cone about z; negative inside.
fn from_cone(p: &Vector3, radius: f64, half_length: f64) -> (Vector3, f64) {
    let across = p[0].hypot(p[1]);
    let out = if across > 0.0 { [p[0] / across, p[1] / across, 0.0] } else { [1.0, 0.0, 0.0] };
    // In the half plane of the point: the side runs from the base (radius, −h) to the tip (0, h).
    let length = radius.hypot(2.0 * half_length);
    let (slope, rise) = (radius / length, 2.0 * half_length / length);
    let (r, z) = (across - radius, p[2] + half_length);
    let along = rise * z - slope * r;
    let side = rise * r + slope * z;
    let below = -z;
    let direction = |r: f64, z: f64| [r * out[0], r * out[1], z];
    let from_point = |r: f64, z: f64| {
        let distance = r.hypot(z);
        (direction(r / distance, z / distance), distance)
    };
    if side <= 0.0 && below <= 0.0 {
        // Inside: the nearer of side and base.
        return if side > below {
            (direction(rise, slope), side)
        } else {
            ([0.0, 0.0, -1.0], below)
        };
    }
    if below > 0.0 && r <= 0.0 {
        return ([0.0, 0.0, -1.0], below);
    }
    if along <= 0.0 {
        return from_point(r, z);
    }
    if along >= length {
        return from_point(across, p[2] - half_length);
    }
    (direction(rise, slope), side)
}

impl Geometry for Cone {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
        check.positive(part, "half_length", self.half_length);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        // Height H = 2h: volume π r² H/3, centre of mass H/4 above the base, moments of inertia about it
        // m (3/20 r² + 3/80 H²) across and 3/10 m r² along the axis.
        let (r, h) = (self.radius, self.half_length);
        let across = 0.15 * (r * r + h * h);
        let volume = 2.0 / 3.0 * PI * r * r * h;
        let own = MassProperties::centred(density, volume, [across, across, 0.3 * r * r])?;
        Some(MassProperties { center: [0.0, 0.0, -0.5 * h], ..own })
    }

    fn outline(&self) -> Outline {
        let (radius, half_length) = (self.radius, self.half_length);
        let rims = vec![Rim { center: [0.0, 0.0, -half_length], radius }];
        Outline { rims, ..Outline::centred([radius, radius, half_length]) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Proxy::turned(self.half_length * per_unit, [self.radius * per_unit, 0.0])
    }

    /// The points of its base, and its tip.
    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.rims(out);
        let pose = at.shape.pose(at.frame);
        let tip = add(&pose.origin, &scale(self.half_length, &axis(&pose)));
        out.push(Touch::new(3, at.plane.height(&tip), tip, at.plane.normal));
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on_surface(pose, |p| from_cone(p, self.radius, self.half_length)))
    }

    fn far_points(&self) -> Vec<Vector3> {
        vec![[self.radius, 0.0, -self.half_length], [0.0, 0.0, self.half_length]]
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        let (r, h) = (self.radius, self.half_length);
        let corner = |k: u32| {
            let (sin, cos) = (2.0 * PI * f64::from(k) / f64::from(DRAWN)).sin_cos();
            [r * cos, r * sin, -h]
        };
        let mut vertices: Vec<Vector3> = (0..DRAWN).map(corner).collect();
        vertices.extend([[0.0, 0.0, -h], [0.0, 0.0, h]]);
        // Counter-clockwise from outside: the base, then the side.
        let triangles = (0..DRAWN).flat_map(|k| {
            let next = (k + 1) % DRAWN;
            [[DRAWN, next, k], [DRAWN + 1, k, next]]
        });
        DrawnShape::Mesh { vertices, triangles: triangles.collect() }
    }
}
