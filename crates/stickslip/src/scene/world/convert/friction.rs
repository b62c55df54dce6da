//! Strength of friction: a number, or a curve over the speed of sliding.

use super::{Context, NOT_NEGATIVE};
use crate::convex::{Pressure, RadialProfile};
use crate::scene::world::expression::{Compiled, ExpressionError, Hint, Meaning, Names, UnitKind};
use crate::scene::world::parameters::Parameters;
use crate::scene::world::quantity::{LARGEST, Profile, Signal, Strength};
use crate::scene::world::units::{self, Unit};
use crate::system::SpeedCurve;
use std::sync::Arc;

/// What a file says of the strength of friction.
pub(super) struct FrictionKeys<'a> {
    pub(super) friction: Option<&'a Strength>,
    pub(super) at_rest: Option<f64>,
    pub(super) kinetic: Option<f64>,
    pub(super) stribeck_speed: Option<f64>,
    /// Unit of the strength and of the speed.
    pub(super) unit: &'a Unit,
    pub(super) rate: &'a Unit,
    /// What the speed v is.
    pub(super) hint: &'static str,
}

impl Context<'_> {
    /// The strength at rest, and the curve where it depends on the speed: then the strength is its
    /// reference. 0 if something is wrong.
    pub(super) fn friction(&mut self, key: &str, keys: &FrictionKeys) -> (f64, Option<SpeedCurve>) {
        let own = format!("{key}.friction");
        let given = match keys.friction {
            None => None,
            Some(given) => match self.strength(&own, given, keys) {
                Some(curve) => Some(curve),
                None => return (0.0, None),
            },
        };
        let stribeck = match (keys.at_rest, keys.kinetic) {
            (None, None) => {
                if let Some(speed) = keys.stribeck_speed {
                    let key = format!("{key}.stribeck_speed");
                    let message = format!(
                        "{key} is {speed}; it has a meaning with static_friction and kinetic_friction only"
                    );
                    self.wrong(&key, message);
                }
                None
            }
            (Some(at_rest), Some(kinetic)) => {
                let speed = keys.stribeck_speed.unwrap_or(0.0);
                Some(SpeedCurve::Stribeck { at_rest, kinetic, speed })
            }
            // As before: one of them beside friction, which must be the same.
            (Some(one), None) | (None, Some(one)) => {
                let (name, other) = match keys.at_rest {
                    Some(_) => ("static_friction", "kinetic_friction"),
                    None => ("kinetic_friction", "static_friction"),
                };
                if !matches!(&given, Some(Given::Number(friction)) if *friction == one) {
                    let key = format!("{key}.{name}");
                    self.wrong(&key, format!("{key} is {one}; {other} is missing"));
                    return (0.0, None);
                }
                None
            }
        };
        let curve = match (given, stribeck) {
            (None, None) => return (0.0, None),
            (None, Some(curve)) => curve,
            (Some(Given::Number(value)), None) => return (value, None),
            (Some(Given::Curve(curve)), None) => curve,
            (Some(given), Some(curve)) => {
                let same = matches!(
                    (&given, &curve),
                    (Given::Number(value), SpeedCurve::Stribeck { at_rest, kinetic, .. })
                        if value == at_rest && value == kinetic
                );
                if !same {
                    let message = format!(
                        "{own} and {key}.static_friction are both given; give friction alone, or \
                         static_friction and kinetic_friction"
                    );
                    self.wrong(&own, message);
                    return (0.0, None);
                }
                curve
            }
        };
        if let SpeedCurve::Stribeck { at_rest, kinetic, .. } = curve
            && at_rest == kinetic
        {
            return (at_rest, None);
        }
        if let Err(text) = curve.validate() {
            let key = match curve {
                SpeedCurve::Stribeck { .. } => format!("{key}.static_friction"),
                _ => own,
            };
            self.wrong(&key, format!("{key}: {text}"));
            return (0.0, None);
        }
        (curve.reference(), Some(curve))
    }

    /// A restitution: its value, or with a curve over the speed of approach its largest value. 0 if
    /// something is wrong.
    pub(super) fn restitution(&mut self, key: &str, given: &Strength) -> (f64, Option<SpeedCurve>) {
        if let Strength::Plain(value) = given
            && !(0.0..=1.0).contains(value)
        {
            self.out_of_range(key, value, "from 0 to 1");
            return (0.0, None);
        }
        let keys = FrictionKeys {
            friction: None,
            at_rest: None,
            kinetic: None,
            stribeck_speed: None,
            unit: &units::NUMBER,
            rate: &units::VELOCITY,
            hint: "v is the speed of approach, t the time",
        };
        match self.strength(key, given, &keys) {
            Some(Given::Number(value)) if value <= 1.0 => (value, None),
            Some(Given::Number(value)) => {
                self.out_of_range(key, value, "from 0 to 1");
                (0.0, None)
            }
            Some(Given::Curve(curve)) => match curve.validate_restitution() {
                Ok(()) => (curve.largest(), Some(curve)),
                Err(text) => {
                    self.wrong(key, format!("{key}: {text}"));
                    (0.0, None)
                }
            },
            None => (0.0, None),
        }
    }

    /// Pressure over the radius of a contact area; none if something is wrong.
    pub(super) fn pressure(&mut self, key: &str, given: &Profile) -> Option<Pressure> {
        let made = match given {
            Profile::Plain(value) => RadialProfile::from_function(&[0.0, 1.0], |_| *value),
            Profile::Table(points) => RadialProfile::from_points(points.clone()),
            Profile::Text(text) => {
                let names = WithVariable {
                    parameters: self.parameters,
                    name: "r",
                    kind: UnitKind::Weak(units::NUMBER.powers()),
                    hint: "r is the radius, 1 at the edge of the contact area",
                };
                match Compiled::new(text, &names) {
                    Ok(compiled) => {
                        RadialProfile::from_function(&[0.0, 1.0], |r| match compiled.constant {
                            Some(value) => value,
                            None => compiled.value(&[0.0, r]),
                        })
                    }
                    Err(ExpressionError::Wrong(reason)) => Err(reason),
                    Err(error) => {
                        self.tell(key, error);
                        return None;
                    }
                }
            }
        };
        made.map(Pressure::Profile).map_err(|text| self.wrong(key, format!("{key}: {text}"))).ok()
    }

    fn strength(&mut self, key: &str, given: &Strength, keys: &FrictionKeys) -> Option<Given> {
        let text = match given {
            Strength::Plain(value) if *value >= 0.0 && *value <= LARGEST => {
                return Some(Given::Number(*value));
            }
            Strength::Plain(value) => {
                self.out_of_range(key, value, NOT_NEGATIVE);
                return None;
            }
            Strength::Table(points) => {
                let units = [keys.rate, keys.unit];
                let points = points.iter().enumerate().map(|(number, pair)| {
                    let mut out = [0.0; 2];
                    for (slot, (given, unit)) in pair.iter().zip(units).enumerate() {
                        out[slot] = match given {
                            Signal::Plain(value) => *value,
                            Signal::Text(text) => {
                                let found = self.parameters.quantity(text, unit);
                                let key = format!("{key}.{number}.{slot}");
                                found.map_err(|error| self.tell(&key, error)).ok()?
                            }
                        };
                    }
                    Some(out)
                });
                let points: Option<Vec<[f64; 2]>> = points.collect();
                return points.map(|points| Given::Curve(SpeedCurve::Table(points)));
            }
            Strength::Text(text) => text,
        };
        let found = read(text, self.parameters, keys);
        let refused = match &found {
            Ok(Given::Number(value)) if !(*value >= 0.0 && *value <= LARGEST) => {
                Some(format!("it must be {NOT_NEGATIVE}"))
            }
            Err(ExpressionError::Wrong(reason)) => Some(reason.clone()),
            _ => None,
        };
        if let Some(reason) = refused {
            self.wrong(key, format!("{key} is {text:?}; {reason}"));
            return None;
        }
        found.map_err(|error| self.tell(key, error)).ok()
    }
}

/// What a value of `friction` is.
enum Given {
    Number(f64),
    Curve(SpeedCurve),
}

/// A text: a number with a unit, or an expression of the speed v and the time t.
fn read(
    text: &str,
    parameters: &Parameters,
    keys: &FrictionKeys,
) -> Result<Given, ExpressionError> {
    if units::is_number(text) && *keys.unit == units::NUMBER {
        return Err(ExpressionError::Wrong("it must be a number without quotes".into()));
    }
    if units::is_quantity(text) || units::is_number(text) {
        return units::parse(text, keys.unit).map(Given::Number).map_err(ExpressionError::Wrong);
    }
    let names = WithVariable {
        parameters,
        name: "v",
        kind: UnitKind::Weak(keys.rate.powers()),
        hint: keys.hint,
    };
    let compiled = Compiled::new(text, &names)?;
    compiled.kind.fits(keys.unit).map_err(ExpressionError::Wrong)?;
    Ok(match compiled.constant {
        Some(value) => Given::Number(value),
        None => Given::Curve(SpeedCurve::Expression {
            text: text.to_owned(),
            value: Arc::new(move |v, t| compiled.value(&[t, v])),
        }),
    })
}

/// The parameters, the time t and one more variable, as the speed of sliding v.
struct WithVariable<'a> {
    parameters: &'a Parameters,
    name: &'static str,
    kind: UnitKind,
    hint: &'static str,
}

impl Names for WithVariable<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        match index {
            None if name == self.name => Some(Ok(Meaning::Variable(1, self.kind))),
            _ => self.parameters.find(name, index),
        }
    }

    fn word(&self, name: &str) -> Option<&str> {
        if name == self.name { None } else { self.parameters.word(name) }
    }

    fn knows(&self, name: &str) -> bool {
        name == self.name || self.parameters.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        Hint::Known(format!("{}; {}", self.hint, self.parameters.hint(name)))
    }

    fn has_time(&self) -> bool {
        self.name == "v"
    }
}
