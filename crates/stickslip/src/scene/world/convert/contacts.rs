//! Contact laws and the pairs for which they hold.

use super::friction::FrictionKeys;
use super::{ANY, Context, GROUND, is_plain};
use crate::convex::Polygon;
use crate::scene::world::file_contact::{ContactRule, ImpactName, LawKeys, LawName};
use crate::scene::world::quantity::{LARGEST, Length, Measure, NotNegative, Quantity};
use crate::scene::world::units;
use crate::system::ImpactLaw;
use crate::world::{ContactDescription, ContactLaw, FrictionForm, Partner};
use std::f64::consts::TAU;

/// Largest coefficient of friction: beyond it the friction cone is a half-space to rounding.
const MOST_FRICTION: f64 = 1e6;

/// Least radius of a contact area, m, as of all lengths that must be positive.
const LEAST_RADIUS: f64 = 1e-30;

/// Laws whose set is fixed to a body.
const FIXED: &str = "the laws \"orthotropic\" and \"polygon\"";

impl Context<'_> {
    pub(super) fn contacts(&mut self, given: &[ContactRule]) -> Vec<ContactDescription> {
        let mut contacts = Vec::with_capacity(given.len());
        let mut names = std::collections::HashSet::new();
        for (number, contact) in given.iter().enumerate() {
            let key = format!("contact.{number}");
            if let Some(name) = &contact.name {
                let key = format!("{key}.name");
                if !is_plain(name) || self.bodies.contains_key(name) {
                    let message = format!(
                        "{key} is {name:?}, it must be of letters a to z, digits, _ and -, and not the \
                         name of a body"
                    );
                    self.wrong(&key, message);
                } else if !names.insert(name) {
                    self.wrong(
                        &key,
                        format!("{key} is {name:?}, but another contact has this name"),
                    );
                }
            }
            let [first, second] = contact.between.as_slice() else { continue };
            let first = self.partner(&format!("{key}.between.0"), first);
            let second = self.partner(&format!("{key}.between.1"), second);
            contacts.push(ContactDescription {
                name: contact.name.clone(),
                between: [first, second],
                enabled: contact.enabled.unwrap_or(true),
                law: self.law(&key, &contact.law),
            });
        }
        contacts
    }

    fn partner(&mut self, key: &str, name: &str) -> Partner {
        if name == ANY {
            return Partner::Any;
        }
        if let Some(body) = self.bodies.get(name) {
            let body = *body;
            if self.materials.contains(name) {
                self.wrong(key, format!("{name:?} is a body and a material; rename one of them"));
            }
            return Partner::Body(body);
        }
        if self.split.contains(name) {
            let message =
                format!("{key} is {name:?}, a polygon in several convex pieces; name its body");
            self.wrong(key, message);
            return Partner::Any;
        }
        if let Some((body, number)) = self.shapes.get(name) {
            return Partner::Shape(*body, *number);
        }
        if let Some(material) = self.copied.get(name) {
            return match material == name {
                true => Partner::Material(name.to_owned()),
                false => {
                    let message = format!(
                        "{name:?} has many copies; name their material {material:?} instead"
                    );
                    self.wrong(key, message);
                    Partner::Any
                }
            };
        }
        if self.materials.contains(name) {
            return Partner::Material(name.to_owned());
        }
        let message = if name == GROUND {
            format!("{key} is {GROUND:?}, but there is no [world.ground]")
        } else {
            let mut others: Vec<&str> = self.shapes.keys().map(String::as_str).take(1000).collect();
            others.extend([ANY, GROUND]);
            let hint = self.name_hint(name, &others, true);
            format!(
                "{key} is {name:?}; it must be the name of a body, of one of its shapes (\"body.shape\") or of \
                 a material, or {ANY:?}{hint}"
            )
        };
        self.wrong(key, message);
        Partner::Any
    }

    /// The laws of a contact; without friction if something is wrong.
    pub(super) fn law(&mut self, key: &str, law: &LawKeys) -> ContactLaw {
        let keys = FrictionKeys {
            friction: law.friction.as_ref(),
            at_rest: law.static_friction.map(|given| given.value),
            kinetic: law.kinetic_friction.map(|given| given.value),
            stribeck_speed: law.stribeck_speed.map(|given| given.value),
            unit: &units::NUMBER,
            rate: &units::VELOCITY,
            hint: "v is the speed of sliding, t the time",
        };
        let is_given = keys.friction.is_some() || keys.at_rest.is_some() || keys.kinetic.is_some();
        let (friction, friction_curve) = match (is_given, law.law) {
            // The vertices say it all.
            (false, LawName::Polygon) => (1.0, None),
            _ => self.friction(key, &keys),
        };
        let largest = friction_curve.as_ref().map_or(friction, |curve| curve.largest());
        for (name, value) in [
            ("friction", largest),
            ("friction_across", law.friction_across.map_or(0.0, |across| across.value)),
            ("friction_backward", law.friction_backward.map_or(0.0, |back| back.value)),
            (
                "friction_across_backward",
                law.friction_across_backward.map_or(0.0, |back| back.value),
            ),
        ] {
            if value > MOST_FRICTION {
                let range = format!("at most {MOST_FRICTION:e}");
                self.out_of_range(&format!("{key}.{name}"), format_args!("{value:e}"), &range);
            }
        }
        let (restitution, restitution_curve) = match &law.restitution {
            Some(given) => self.restitution(&format!("{key}.restitution"), given),
            None => (0.0, None),
        };
        let impact = match law.impact {
            ImpactName::Newton => ImpactLaw::Newton,
            ImpactName::Poisson => ImpactLaw::Poisson,
            ImpactName::Moreau => ImpactLaw::Moreau,
        };
        let slip = law.tangential_restitution.value;
        if impact != ImpactLaw::Newton && slip != 0.0 {
            let key = format!("{key}.tangential_restitution");
            let message = format!(
                "{key} is {slip}; it is for impact = \"newton\" only: poisson gives nothing back along \
                 the tangents, moreau has one restitution for all"
            );
            self.wrong(&key, message);
        }
        let form = self.form(key, law);
        if self.is_plane() {
            for (name, value) in [
                ("rolling_arm", law.rolling_arm.value),
                ("rolling_viscosity", law.rolling_viscosity.value),
                ("contour_friction", law.contour_friction.value),
                ("contour_viscosity", law.contour_viscosity.value),
            ] {
                if value != 0.0 {
                    let key = format!("{key}.{name}");
                    self.wrong(&key, format!("{key} is {value}; in the plane it must be 0"));
                }
            }
        }
        ContactLaw {
            restitution,
            restitution_curve,
            impact,
            tangential_restitution: law.tangential_restitution.value,
            friction,
            friction_curve,
            form,
            adhesion: law.adhesion.value,
            cohesion: law.cohesion.value,
            rolling_arm: law.rolling_arm.value,
            rolling_viscosity: law.rolling_viscosity.value,
            contour_friction: law.contour_friction.value,
            contour_viscosity: law.contour_viscosity.value,
            elements: law.elements.constants(),
        }
    }

    fn form(&mut self, key: &str, law: &LawKeys) -> FrictionForm {
        if self.is_plane() && law.law != LawName::Coulomb {
            let key = format!("{key}.law");
            self.wrong(&key, format!("{key}: in the plane it must be \"coulomb\""));
            return FrictionForm::Coulomb;
        }
        // Which keys belong to which law; a key of another law would have no effect.
        let is_contensou = matches!(
            law.law,
            LawName::ContensouHertz
                | LawName::ContensouUniform
                | LawName::ContensouParabolic
                | LawName::ContensouProfile
        );
        let orthotropic = law.law == LawName::Orthotropic;
        let polygon = law.law == LawName::Polygon;
        // A radius of zero does no harm to a law that has none.
        let given = |radius: Option<Quantity<Length, NotNegative>>, is_used: bool| {
            radius.is_some_and(|radius| is_used || radius.value > 0.0)
        };
        for (name, is_given, is_used, laws) in [
            (
                "contact_radius",
                given(law.contact_radius, is_contensou),
                is_contensou,
                "the contensou laws",
            ),
            (
                "mean_radius",
                given(law.mean_radius, law.law == LawName::Ellipsoid),
                law.law == LawName::Ellipsoid,
                "the law \"ellipsoid\"",
            ),
            (
                "friction_across",
                law.friction_across.is_some(),
                orthotropic,
                "the law \"orthotropic\"",
            ),
            (
                "friction_backward",
                law.friction_backward.is_some(),
                orthotropic && law.friction_backward.is_some(),
                "the law \"orthotropic\"",
            ),
            (
                "friction_across_backward",
                law.friction_across_backward.is_some(),
                orthotropic && law.friction_across_backward.is_some(),
                "the law \"orthotropic\"",
            ),
            (
                "pressure",
                law.pressure.is_some(),
                law.law == LawName::ContensouProfile,
                "the law \"contensou-profile\"",
            ),
            (
                "vertices",
                law.vertices.is_some(),
                polygon && law.polar.is_none(),
                "the law \"polygon\" without \"polar\"",
            ),
            ("polar", law.polar.is_some(), polygon && law.polar.is_some(), "the law \"polygon\""),
            ("axis", law.axis.is_some(), orthotropic || polygon, FIXED),
            ("axis_body", law.axis_body.is_some(), orthotropic || polygon, FIXED),
        ] {
            let key = format!("{key}.{name}");
            if is_given && !is_used {
                self.wrong(&key, format!("{key} has a meaning for {laws} only"));
            } else if is_used && !is_given {
                self.wrong(&key, format!("{key} is missing; {laws} need it"));
            }
        }
        let contact_radius = law.contact_radius.map_or(1.0, |radius| radius.value);
        let mean_radius = law.mean_radius.map_or(1.0, |radius| radius.value);
        for (name, radius) in [("contact_radius", contact_radius), ("mean_radius", mean_radius)] {
            if radius > 0.0 && radius < LEAST_RADIUS {
                let range = format!("0, or from {LEAST_RADIUS:e} to 1e30");
                self.out_of_range(&format!("{key}.{name}"), format_args!("{radius:e}"), &range);
            }
        }
        match law.law {
            LawName::Coulomb => FrictionForm::Coulomb,
            // Without a contact area there is no moment against drilling.
            _ if is_contensou && contact_radius == 0.0 => FrictionForm::Coulomb,
            LawName::Ellipsoid if mean_radius == 0.0 => FrictionForm::Coulomb,
            LawName::ContensouHertz => FrictionForm::ContensouHertz { contact_radius },
            LawName::ContensouUniform => FrictionForm::ContensouUniform { contact_radius },
            LawName::ContensouParabolic => FrictionForm::ContensouParabolic { contact_radius },
            LawName::ContensouProfile => {
                let pressure = law.pressure.as_ref();
                match pressure.and_then(|p| self.pressure(&format!("{key}.pressure"), p)) {
                    Some(pressure) => FrictionForm::Contensou { contact_radius, pressure },
                    None => FrictionForm::Coulomb,
                }
            }
            LawName::Ellipsoid => FrictionForm::Ellipsoid { mean_radius },
            LawName::Orthotropic => {
                let (axis, body) = self.axis(key, law);
                FrictionForm::Orthotropic {
                    across: law.friction_across.map_or(0.0, |across| across.value),
                    backward: [law.friction_backward, law.friction_across_backward]
                        .map(|given| given.map(|friction| friction.value)),
                    axis,
                    body,
                }
            }
            LawName::Polygon => {
                let (axis, body) = self.axis(key, law);
                match self.polygon(key, law) {
                    Some(vertices) => FrictionForm::Polygon { vertices, axis, body },
                    None => FrictionForm::Coulomb,
                }
            }
        }
    }

    /// The polygon of a law; none if something is wrong.
    fn polygon(&mut self, key: &str, law: &LawKeys) -> Option<Vec<[f64; 2]>> {
        let (name, points) = match (&law.vertices, &law.polar) {
            (_, Some(polar)) => ("polar", self.polar(&format!("{key}.polar"), polar)?),
            (Some(given), None) => {
                ("vertices", given.iter().map(|v| v.map(|part| part.value)).collect::<Vec<_>>())
            }
            (None, None) => return None,
        };
        let key = format!("{key}.{name}");
        let far = points.iter().position(|v| v.iter().any(|part| part.abs() > MOST_FRICTION));
        let wrong = match far {
            Some(vertex) => Err((vertex, format!("must be at most {MOST_FRICTION:e}"))),
            None => Polygon::new(&points).map(|_| ()),
        };
        if let Err((vertex, text)) = wrong {
            // Its message is about the point; of a polar table the angle says which.
            let angle = points.get(vertex).map_or(0.0, |[x, y]| y.atan2(*x).to_degrees());
            let place =
                if name == "polar" { format!(" (at {angle:.4} deg)") } else { String::new() };
            self.wrong(&key, format!("{key}.{vertex}{place} {text}"));
            return None;
        }
        Some(points)
    }

    /// Points of a table of angles and coefficients.
    fn polar(&mut self, key: &str, given: &[[Measure; 2]]) -> Option<Vec<[f64; 2]>> {
        let mut points = Vec::with_capacity(given.len());
        let mut before = None;
        for (number, [angle, coefficient]) in given.iter().enumerate() {
            let own = format!("{key}.{number}");
            let size = self.measure(&format!("{own}.1"), coefficient, &units::NUMBER, 0.0);
            let angle = self.measure(&format!("{own}.0"), angle, &units::ANGLE, -LARGEST);
            let (first, last) = *before.get_or_insert((angle, f64::NEG_INFINITY));
            // Rounding of degrees must not make a full turn less than one.
            if !(angle > last && angle < first + TAU - 1e-9) {
                let degrees = angle.to_degrees();
                let message = format!(
                    "{own}.0 is {degrees:.4} deg; angles must ascend, and stay within one turn from the first"
                );
                self.wrong(&own, message);
                return None;
            }
            before = Some((first, angle));
            points.push([size * angle.cos(), size * angle.sin()]);
        }
        Some(points)
    }

    /// The axis of a law and the body to which it is fixed.
    fn axis(&mut self, key: &str, law: &LawKeys) -> ([f64; 3], usize) {
        let axis = law.axis.as_ref();
        let axis = axis.and_then(|a| self.direction(&format!("{key}.axis"), &a.0));
        let body = law.axis_body.as_deref().unwrap_or_default();
        let key = format!("{key}.axis_body");
        if law.axis_body.is_some() && !self.bodies.contains_key(body) {
            let hint = self.name_hint(body, &[], false);
            self.wrong(&key, format!("{key} is {body:?}, but there is no such body{hint}"));
        }
        (axis.unwrap_or([1.0, 0.0, 0.0]), self.bodies.get(body).copied().unwrap_or(0))
    }
}
