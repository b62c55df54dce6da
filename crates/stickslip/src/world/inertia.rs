//! Mass, centre of mass and inertia of bodies: given, or from densities and shapes.

use super::description::*;
use super::validate::Check;
use crate::kinematics::vector::{add, apply, dot, multiply, scale, sub};
use crate::kinematics::{Matrix3, Vector3, quaternion};
use crate::system::Dimension;

/// Part of the largest moment by which the triangle inequality may fail: rounded digits.
const ROUNDED: f64 = 1e-2;
/// The same without a word: rounding of the computer.
const EXACT: f64 = 1e-12;

/// Mass and inertia of a body or a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the frame of the body, m.
    pub center: Vector3,
    /// Inertia about the centre of mass in the axes of the body, kg m².
    pub inertia: Matrix3,
}

pub(super) fn diagonal(x: f64, y: f64, z: f64) -> Matrix3 {
    [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
}

impl MassProperties {
    /// Largest radius of gyration, m; infinite for a body that is held.
    pub fn gyration(&self) -> f64 {
        if self.mass <= 0.0 {
            return f64::INFINITY;
        }
        let largest = (0..3).map(|k| self.inertia[k][k]).fold(0.0, f64::max);
        (largest / self.mass).sqrt()
    }
}

/// What a shift of the axes by `arm` adds to the inertia of a mass (Steiner).
pub(super) fn steiner(mass: f64, arm: &Vector3) -> Matrix3 {
    let square = dot(arm, arm);
    let mut out = [[0.0; 3]; 3];
    for (i, row) in out.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = mass * (if i == j { square } else { 0.0 } - arm[i] * arm[j]);
        }
    }
    out
}

fn sum(a: &Matrix3, b: &Matrix3) -> Matrix3 {
    [add(&a[0], &b[0]), add(&a[1], &b[1]), add(&a[2], &b[2])]
}

impl MassProperties {
    /// Of a volume about its own centre, with the moments of inertia over its mass; none only by its
    /// type, as a shape may have no volume.
    pub(super) fn centred(density: f64, volume: f64, moments: [f64; 3]) -> Option<Self> {
        let mass = density * volume;
        let [x, y, z] = moments.map(|m| m * mass);
        Some(Self { mass, center: [0.0; 3], inertia: diagonal(x, y, z) })
    }

    /// Both together.
    fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let share = other.mass / mass;
        let center = add(&scale(1.0 - share, &self.center), &scale(share, &other.center));
        let about =
            |part: &Self| sum(&part.inertia, &steiner(part.mass, &sub(&part.center, &center)));
        Self { mass, center, inertia: sum(&about(self), &about(other)) }
    }

    /// In the frame of the body, for a shape with this offset and rotation.
    fn placed(&self, shape: &ShapeDescription) -> Self {
        let r = quaternion::rotation(&shape.rotation);
        let transposed = [0, 1, 2].map(|j| [r[0][j], r[1][j], r[2][j]]);
        Self {
            mass: self.mass,
            center: add(&shape.offset, &apply(&r, &self.center)),
            inertia: multiply(&multiply(&r, &self.inertia), &transposed),
        }
    }

    fn is_finite(&self) -> bool {
        let values = self.inertia.iter().flatten().chain(&self.center);
        self.mass.is_finite() && self.mass > 0.0 && values.into_iter().all(|v| v.is_finite())
    }
}

/// Mass and inertia of a moving body; errors and warnings go to the lists.
pub(super) fn of_body(
    index: usize,
    dimension: Dimension,
    body: &BodyDescription,
    check: &mut Check,
    warnings: &mut Vec<String>,
) -> MassProperties {
    let part = Part::Body(index);
    match &body.mass {
        MassDescription::Given { mass, center, inertia: [xx, yy, zz, xy, xz, yz] } => {
            let inertia = [[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]];
            if dimension == Dimension::Three {
                check_inertia(part, &body.name, &inertia, check, warnings);
            }
            MassProperties { mass: *mass, center: *center, inertia }
        }
        MassDescription::Density(density) => from_shapes(index, body, *density, check),
        MassDescription::Total(mass) => {
            let unit = from_shapes(index, body, 1.0, check);
            let factor = mass / unit.mass;
            let inertia = unit.inertia.map(|row| row.map(|value| factor * value));
            let total = MassProperties { mass: *mass, inertia, ..unit };
            if unit.mass > 0.0 && !(total.is_finite() && total.inertia[2][2] > 0.0) {
                let text = format!("mass is {mass} kg: its moment of inertia must be above 0");
                check.error(part, "mass", text);
            }
            total
        }
    }
}

/// Mass and inertia of the volumes of a body whose shapes have this density or their own.
fn from_shapes(
    index: usize,
    body: &BodyDescription,
    density: f64,
    check: &mut Check,
) -> MassProperties {
    let mut total: Option<MassProperties> = None;
    for (number, shape) in body.shapes.iter().enumerate() {
        let Some(own) = shape.kind.as_geometry(|g| g.mass(shape.density.unwrap_or(density))) else {
            if let ShapeKind::ConvexHull { .. } = shape.kind {
                continue; // points without volume are an error of the shape
            }
            let text = "this shape has no volume: the body needs mass and inertia";
            check.error(Part::Shape(index, number), "density", text);
            continue;
        };
        let own = own.placed(shape);
        total = Some(total.map_or(own, |so_far| so_far.joined(&own)));
    }
    let total = total.unwrap_or_default();
    let moment = total.inertia[2][2];
    if !(body.shapes.is_empty() || total.is_finite() && moment > 0.0) {
        let text = format!(
            "density and shapes give the mass {} kg and the moment of inertia {moment} kg m²: both \
             must be finite and above 0",
            total.mass
        );
        check.error(Part::Body(index), "density", text);
    }
    total
}

/// Principal moments must be positive and obey the triangle inequality.
fn check_inertia(
    part: Part,
    name: &str,
    inertia: &Matrix3,
    check: &mut Check,
    warnings: &mut Vec<String>,
) {
    if inertia.iter().flatten().any(|v| !v.is_finite()) {
        return; // already noted
    }
    let [least, middle, largest] = principal_moments(inertia);
    if !(least > 0.0) {
        let text = format!("inertia has the principal moment {least} kg m², all must be above 0");
        return check.error(part, "inertia", text);
    }
    let excess = (largest - middle - least) / largest;
    let moments = format!("{least:.6e}, {middle:.6e}, {largest:.6e} kg m²");
    if excess > ROUNDED {
        let text = format!(
            "no body has the principal moments {moments}: the largest must be at most the sum of \
             the others"
        );
        check.error(part, "inertia", text);
    } else if excess > EXACT {
        warnings.push(format!(
            "body {name:?}: the largest of the principal moments {moments} exceeds the sum of the \
             others by {:.2e} of itself; taken as rounding",
            excess
        ));
    }
}

/// Eigenvalues of a symmetric matrix in ascending order, by Jacobi's rotations.
pub(super) fn principal_moments(inertia: &Matrix3) -> [f64; 3] {
    let size = inertia.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    if size == 0.0 {
        return [0.0; 3];
    }
    let mut a = inertia.map(|row| row.map(|v| v / size));
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
            let (s, c) = angle.sin_cos();
            for k in 0..3 {
                (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            }
            (a[p][q], a[q][p]) = (0.0, 0.0);
        }
    }
    let mut values = [0, 1, 2].map(|k| size * a[k][k]);
    values.sort_by(f64::total_cmp);
    values
}
