//! Force laws in words.

use super::law::{ForceLaw, ForceReservoir, ImpactLaw};
use crate::convex::{ConvexSet, Pressure, Set};

impl ForceLaw {
    /// What the law means, in one sentence with units.
    pub fn in_words(&self) -> String {
        let turns = self.moment;
        let (force, unit, speed) = match turns {
            true => ("moment", "N m", "angular velocity"),
            false => ("force", "N", "velocity"),
        };
        let limit = |size: f64| match (self.reservoir, turns) {
            (ForceReservoir::Normal, false) => format!("{size} of the normal force"),
            (ForceReservoir::Normal, true) => format!("{size} m times the normal force"),
            (ForceReservoir::Force(f), _) => format!("{} {unit}", size * f),
            (ForceReservoir::NormalPlus(f), _) => {
                format!("{} {unit} and {size} of the normal force", size * f)
            }
            (ForceReservoir::Unbounded, _) => "any size".to_owned(),
        };
        let resists = format!("a {force} against the {speed}, of any direction while it rests,");
        let mut text = match &self.set {
            Set::HalfLine(_) => match self.restitution {
                0.0 => "pushes and never pulls; restitution 0: after an impact it stays".to_owned(),
                e if self.impact == ImpactLaw::Poisson => format!(
                    "pushes and never pulls; restitution {e}: {} % of the percussion of compression \
                     comes back (Poisson's law)",
                    (1e4 * e).round() / 1e2
                ),
                e => format!(
                    "pushes and never pulls; restitution {e}: it leaves with {} % of the speed of \
                     approach ({})",
                    (1e4 * e).round() / 1e2,
                    if self.impact == ImpactLaw::Moreau { "Moreau's law" } else { "Newton's law" }
                ),
            },
            Set::FreeSpace(_) => match self.viscosity {
                Some(c) => return viscous(c, force, turns),
                None => format!("holds {} of the relative velocities at zero", self.dim()),
            },
            Set::Interval(set) => {
                format!("{resists} from {} to {}", limit(set.lower), limit(set.upper))
            }
            Set::Ball(set) => format!("{resists} at most {}", limit(set.radius)),
            Set::Contensou(set) => format!(
                "a force in the plane, at most {}, coupled with a moment about the normal: {} over a \
                 contact disk of radius {} m; drilling makes sliding easier (Coulomb-Contensou)",
                limit(set.friction),
                pressure(&set.pressure),
                set.contact_radius
            ),
            Set::Ellipsoid(set) => match set.semi_axes() {
                &[a, b, c] if a == b => format!(
                    "a force in the plane, at most {}, coupled with a moment about the normal by an \
                     ellipsoid: pure drilling has {c} m times the normal force",
                    limit(a)
                ),
                axes => format!("{resists} within the ellipsoid of semi-axes {axes:?}"),
            },
            Set::OrthotropicEllipse(set) => {
                let [along, across] = set.friction();
                let backward = match set.is_symmetric() {
                    true => String::new(),
                    false => format!("; backward {:?}", set.backward()),
                };
                format!(
                    "{resists} at most {} along an axis, {across} across it{backward}",
                    limit(along)
                )
            }
            Set::Cylinder(set) => format!(
                "a force in the plane, at most {}, and for itself a moment about the normal, at most \
                 {} m times the normal force",
                limit(set.radius),
                set.half_height
            ),
            set => format!("{resists} within a convex set of {} dimensions", set.dim()),
        };
        if self.adhesion > 0.0 {
            text += &format!("; it opens only when pulled by more than {} N", self.adhesion);
        }
        if let Some(curve) = &self.curve {
            text += &format!("; that at rest: with the speed of sliding v it changes, {curve:?}");
        }
        if self.restitution > 0.0 && !matches!(self.set, Set::HalfLine(_)) {
            text += &format!("; restitution {} in impacts that stick", self.restitution);
        }
        text
    }
}

fn viscous(c: f64, force: &str, turns: bool) -> String {
    let unit = if turns { "N m s" } else { "N s/m" };
    format!("a {force} in proportion to the velocity, {c} {unit}")
}

fn pressure(pressure: &Pressure) -> &'static str {
    match pressure {
        Pressure::Uniform => "uniform pressure",
        Pressure::Hertz => "pressure of Hertz",
        Pressure::Parabolic => "parabolic pressure",
        Pressure::Profile(_) => "pressure of a given profile",
    }
}
