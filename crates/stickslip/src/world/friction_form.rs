//! Forms of the friction set: what each means, the law that it makes, what must hold, and its words.
//!
//! All that a world knows of a form is here; its keys are in `scene/world/file_contact.rs`, their conversion is
//! in `scene/world/convert/contacts.rs`.

use super::description::Part;
use super::validate::Check;
use crate::convex::{ConvexSet, OwnSet, Polygon, Pressure, Set};
use crate::kinematics::Vector3;
use crate::system::ForceLaw;

/// Form of the friction set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrictionForm {
    /// Isotropic, no resistance to drilling.
    Coulomb,
    /// Coulomb-Contensou with the pressure of Hertz over a disk of this radius, m.
    ContensouHertz {
        /// m.
        contact_radius: f64,
    },
    /// With uniform pressure.
    ContensouUniform {
        /// m.
        contact_radius: f64,
    },
    /// With parabolic pressure.
    ContensouParabolic {
        /// m.
        contact_radius: f64,
    },
    /// With any pressure.
    Contensou {
        /// m.
        contact_radius: f64,
        /// Over the radius.
        pressure: Pressure,
    },
    /// The ellipsoid of Möller 2009; pure drilling has the moment friction · mean_radius · λ_N.
    Ellipsoid {
        /// m.
        mean_radius: f64,
    },
    /// Different coefficients along and across an axis that is fixed to a body.
    Orthotropic {
        /// Coefficient across the axis; along it `friction` counts.
        across: f64,
        /// Coefficients where the other body slides against the axis, and against the direction across it;
        /// none: the same.
        backward: [Option<f64>; 2],
        /// Axis in the frame of the body, projected on the contact plane.
        axis: [f64; 3],
        /// Index of the body.
        body: usize,
    },
    /// A convex polygon that is fixed to a body: the friction that the body can exert on the other one, over
    /// the normal force, times `friction`.
    Polygon {
        /// Vertices counter-clockwise: along the axis and across it, as seen from outside of the body.
        vertices: Vec<[f64; 2]>,
        /// Axis in the frame of the body, projected on the contact plane.
        axis: [f64; 3],
        /// Index of the body.
        body: usize,
    },
    /// A set of the program that uses the library, of two components: friction over the normal force, times
    /// `friction`.
    Own(OwnSet),
}

impl FrictionForm {
    /// The law of the friction coefficient and the restitution along the tangents, in space.
    pub(super) fn law(&self, friction: f64, restitution: f64) -> ForceLaw {
        let contensou = |radius, pressure| ForceLaw::coulomb_contensou(friction, radius, pressure);
        let law = match self {
            FrictionForm::Coulomb => ForceLaw::coulomb(friction, restitution),
            FrictionForm::ContensouHertz { contact_radius } => {
                contensou(*contact_radius, Pressure::Hertz)
            }
            FrictionForm::ContensouUniform { contact_radius } => {
                contensou(*contact_radius, Pressure::Uniform)
            }
            FrictionForm::ContensouParabolic { contact_radius } => {
                contensou(*contact_radius, Pressure::Parabolic)
            }
            FrictionForm::Ellipsoid { mean_radius } => {
                ForceLaw::contensou_ellipsoid(friction, *mean_radius)
            }
            FrictionForm::Contensou { contact_radius, pressure } => {
                contensou(*contact_radius, pressure.clone())
            }
            // The tangential axes follow the body; the set stands along them.
            FrictionForm::Orthotropic { across, backward, .. } => {
                two_way(friction, *across, backward)
                    .unwrap_or_else(|_| ForceLaw::coulomb(friction, restitution))
            }
            FrictionForm::Polygon { vertices, .. } => {
                let law = ForceLaw::coulomb(friction, restitution);
                match Polygon::new(vertices) {
                    Ok(set) => ForceLaw { set: Set::Polygon(set).scaled(friction), ..law },
                    Err(_) => law,
                }
            }
            FrictionForm::Own(set) => ForceLaw {
                set: Set::Own(set.clone()).scaled(friction),
                ..ForceLaw::coulomb(friction, restitution)
            },
        };
        ForceLaw { restitution, ..law }
    }

    /// Body and axis that the tangential axes follow; none if it does not matter.
    pub(super) fn axis(&self) -> Option<(usize, Vector3)> {
        match self {
            FrictionForm::Orthotropic { axis, body, .. }
            | FrictionForm::Polygon { axis, body, .. } => Some((*body, *axis)),
            _ => None,
        }
    }

    /// Notes what is wrong, in a world of so many bodies.
    pub(super) fn check(&self, part: Part, friction: f64, bodies: usize, check: &mut Check) {
        match self {
            FrictionForm::Coulomb => {}
            FrictionForm::ContensouHertz { contact_radius }
            | FrictionForm::ContensouUniform { contact_radius }
            | FrictionForm::ContensouParabolic { contact_radius }
            | FrictionForm::Contensou { contact_radius, .. } => {
                check.positive(part, "contact_radius", *contact_radius);
            }
            FrictionForm::Ellipsoid { mean_radius } => {
                check.positive(part, "mean_radius", *mean_radius);
            }
            FrictionForm::Orthotropic { across, backward, .. } => {
                check.not_negative(part, "across", *across);
                for value in backward.iter().flatten() {
                    check.not_negative(part, "backward", *value);
                }
                let friction = [Some(friction), Some(*across), backward[0], backward[1]];
                if friction.iter().flatten().all(|v| v.is_finite() && *v >= 0.0)
                    && let Err(text) = two_way(friction[0].unwrap_or(0.0), *across, backward)
                {
                    check.error(part, "across", text);
                }
            }
            FrictionForm::Polygon { vertices, .. } => {
                if let Err((vertex, text)) = Polygon::new(vertices) {
                    check.error(part, "vertices", format!("vertices[{vertex}] {text}"));
                }
            }
            FrictionForm::Own(set) => {
                let dim = set.dim();
                let fits = if dim == 2 {
                    set.validate()
                } else {
                    Err(format!("the set has {dim} components, it must have 2"))
                };
                if let Err(text) = fits {
                    check.error(part, "law", text);
                }
            }
        }
        if let Some((body, axis)) = self.axis() {
            check.body(part, "body", body, bodies);
            if check.finite(part, "axis", &axis) && axis.iter().all(|v| *v == 0.0) {
                check.error(part, "axis", "axis must not be zero");
            }
        }
    }

    /// Whether its border has edges inside which the velocity of sliding does not tell the force.
    pub(crate) fn has_edges(&self) -> bool {
        matches!(self, FrictionForm::Polygon { .. })
    }

    /// Least and largest friction over the normal force of all directions.
    pub(crate) fn extent(&self, friction: f64) -> [f64; 2] {
        match self {
            FrictionForm::Orthotropic { across, backward, .. } => {
                let [back, back_across] = *backward;
                let all =
                    [friction, *across, back.unwrap_or(friction), back_across.unwrap_or(*across)];
                [
                    all.iter().copied().fold(f64::INFINITY, f64::min),
                    all.into_iter().fold(0.0, f64::max),
                ]
            }
            FrictionForm::Polygon { vertices, .. } => Polygon::new(vertices)
                .map_or([0.0; 2], |set| set.extent().map(|size| friction * size)),
            _ => [friction; 2],
        }
    }

    /// What it adds to the coefficient, in words.
    pub(crate) fn in_words(&self, friction: f64) -> Option<String> {
        let drilling = |pressure: &str, radius: f64| {
            format!(
                "{pressure} over a contact disk of radius {radius} m: turning about the normal is resisted \
                 too, and drilling makes sliding easier (Coulomb-Contensou)"
            )
        };
        Some(match self {
            FrictionForm::Coulomb => return None,
            FrictionForm::ContensouHertz { contact_radius } => {
                drilling("pressure of Hertz", *contact_radius)
            }
            FrictionForm::ContensouUniform { contact_radius } => {
                drilling("uniform pressure", *contact_radius)
            }
            FrictionForm::ContensouParabolic { contact_radius } => {
                drilling("parabolic pressure", *contact_radius)
            }
            FrictionForm::Ellipsoid { mean_radius } => format!(
                "ellipsoid of force and drilling moment: pure drilling has the moment {} m times the \
                 normal force",
                friction * mean_radius
            ),
            FrictionForm::Contensou { contact_radius, .. } => {
                drilling("pressure of a given profile", *contact_radius)
            }
            FrictionForm::Orthotropic { across, backward, .. } => {
                let back = match backward {
                    [None, None] => String::new(),
                    [along, side] => format!(
                        "; {} and {} where the other body slides against these directions",
                        along.unwrap_or(friction),
                        side.unwrap_or(*across)
                    ),
                };
                format!(
                    "orthotropic: friction {friction} along the axis of the body, {across} across it{back}"
                )
            }
            FrictionForm::Polygon { vertices, .. } => {
                let [least, most] = self.extent(friction);
                format!(
                    "polygon of {} vertices: by the direction friction is from {least} to {most} of the normal \
                     force; what slides with its force inside an edge slides along the normal of the edge",
                    vertices.len()
                )
            }
            FrictionForm::Own(_) => "a set of the program that uses the library".into(),
        })
    }
}

/// Orthotropic friction along the tangential axes. Sliding along an axis is resisted by a force against it.
fn two_way(friction: f64, across: f64, backward: &[Option<f64>; 2]) -> Result<ForceLaw, String> {
    let forces = [backward[0].unwrap_or(friction), backward[1].unwrap_or(across)];
    ForceLaw::two_way_coulomb(forces, [friction, across], [1.0, 0.0], 0.0)
}
