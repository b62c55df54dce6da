//! Convex hulls of points.

use super::*;

pub(super) struct ConvexHull<'a> {
    pub points: &'a [Vector3],
}

impl Geometry for ConvexHull<'_> {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        let _ = self.points.iter().all(|p| check.finite(part, "points", p));
        check.corner_count(part, self.points.len(), 4);
    }

    /// Exact integrals over the tetrahedra between the faces and a point inside.
    fn mass(&self, density: f64) -> Option<MassProperties> {
        let hull = Hull::new(self.points)?;
        let inside = hull.mean();
        let (mut volume, mut first) = (0.0, [0.0; 3]);
        let mut second = [[0.0; 3]; 3];
        for triangle in &hull.triangles {
            let [a, b, c] = triangle.map(|k| sub(&hull.points[k as usize], &inside));
            let part = dot(&a, &cross(&b, &c)) / 6.0;
            let corners = add(&a, &add(&b, &c));
            volume += part;
            first = add(&first, &scale(part / 4.0, &corners));
            // ∫ x xᵀ over a tetrahedron at the origin: V/20 (Σ p pᵀ + s sᵀ), s the sum of its corners.
            for (i, row) in second.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let squares = a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
                    *entry += part / 20.0 * (squares + corners[i] * corners[j]);
                }
            }
        }
        if !(volume > 0.0) {
            return None;
        }
        let shift = scale(1.0 / volume, &first);
        let trace = second[0][0] + second[1][1] + second[2][2];
        let mut about = steiner(-volume, &shift);
        for (i, row) in about.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += if i == j { trace } else { 0.0 } - second[i][j];
            }
        }
        let inertia = about.map(|row| scale(density, &row));
        Some(MassProperties { mass: density * volume, center: add(&inside, &shift), inertia })
    }

    /// The caller knows that the points are finite.
    fn outline(&self) -> Outline {
        let hull = Hull::new(self.points);
        let corners = hull.as_ref().map(|h| h.points.clone()).unwrap_or_default();
        Outline { hull, ..Outline::of_corners(corners) }
    }

    fn proxy(&self, shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Proxy::mesh(shape.outline.hull.as_ref()?, per_unit)
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.corners(out);
    }

    /// Without a closed form.
    fn under_ball(&self, _ball: &Ball, _shape: &Shape, _pose: &Pose) -> Option<Touch> {
        None
    }

    /// Of the points as they are given, also where they have no volume.
    fn far_points(&self) -> Vec<Vector3> {
        self.points.to_vec()
    }

    fn reach(&self) -> f64 {
        self.points.iter().map(norm).fold(0.0, f64::max)
    }

    fn point_count(&self) -> usize {
        self.points.len()
    }

    fn drawn(&self, shape: &Shape) -> DrawnShape {
        let hull = shape.outline.hull.as_ref();
        DrawnShape::Mesh {
            vertices: hull.map(|h| h.points.clone()).unwrap_or_default(),
            triangles: hull.map(|h| h.triangles.clone()).unwrap_or_default(),
        }
    }
}
