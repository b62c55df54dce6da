//! Values of a scene file that have a unit and a range.

use super::units::{self, Unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Largest size of any value in SI units: products of several of them stay finite.
pub const LARGEST: f64 = 1e30;

/// Key of a schema that holds the SI unit of a quantity.
pub(crate) const UNIT_KEY: &str = "x-unit";

/// What a [`Quantity`] measures.
pub trait Measured {
    /// Its name in the schema.
    const NAME: &'static str;
    /// Its unit.
    const UNIT: Unit;
}

/// Which values a [`Quantity`] may have.
pub trait Range {
    /// Its name in the schema, in front of the measure.
    const NAME: &'static str;
    /// Least value.
    const LEAST: f64 = -LARGEST;
    /// Largest value.
    const MOST: f64 = LARGEST;
    /// The range as a phrase.
    const PHRASE: &'static str;
}

macro_rules! measures {
    ($($name:ident = $unit:ident;)*) => {
        $(
            #[doc = concat!("A measure: `", stringify!($unit), "`.")]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub enum $name {}
            impl Measured for $name {
                const NAME: &'static str = stringify!($name);
                const UNIT: Unit = units::$unit;
            }
        )*
        /// The measure of that SI unit.
        pub(crate) fn unit_of(symbol: &str) -> Option<Unit> {
            [$(units::$unit),*].into_iter().find(|unit| unit.symbol == symbol)
        }
    };
}

measures! {
    Number = NUMBER;
    Length = LENGTH;
    Mass = MASS;
    Time = TIME;
    Angle = ANGLE;
    Velocity = VELOCITY;
    AngularVelocity = ANGULAR_VELOCITY;
    Acceleration = ACCELERATION;
    Inertia = INERTIA;
    Force = FORCE;
    Stiffness = STIFFNESS;
    Damping = DAMPING;
    AngularDamping = ANGULAR_DAMPING;
    Slowness = SLOWNESS;
}

macro_rules! ranges {
    ($($name:ident: $least:expr, $most:expr, $phrase:literal;)*) => {
        $(
            #[doc = concat!("A range: ", $phrase, ".")]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub enum $name {}
            impl Range for $name {
                const NAME: &'static str = stringify!($name);
                const LEAST: f64 = $least;
                const MOST: f64 = $most;
                const PHRASE: &'static str = $phrase;
            }
        )*
    };
}

ranges! {
    Positive: 1.0 / LARGEST, LARGEST, "positive, from 1e-30 to 1e30";
    NotNegative: 0.0, LARGEST, "not negative, at most 1e30";
    ZeroToOne: 0.0, 1.0, "from 0 to 1";
}

/// A range: any finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Any {}

impl Range for Any {
    const NAME: &'static str = "";
    const PHRASE: &'static str = "from -1e30 to 1e30";
}

/// A number in SI units, or a text with a number and a unit.
pub struct Quantity<M, R = Any> {
    /// Value in SI units.
    pub value: f64,
    kind: PhantomData<(M, R)>,
}

impl<M, R> Quantity<M, R> {
    /// The quantity of this value in SI units.
    pub const fn new(value: f64) -> Self {
        Self { value, kind: PhantomData }
    }
}

impl<M, R> Clone for Quantity<M, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, R> Copy for Quantity<M, R> {}

impl<M, R> Default for Quantity<M, R> {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl<M, R> fmt::Debug for Quantity<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)
    }
}

impl<M, R> Serialize for Quantity<M, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

/// Value of a text in the unit, if it is in the range.
pub(crate) fn checked(value: f64, least: f64, most: f64, phrase: &str) -> Result<f64, String> {
    // Written so that NaN is refused.
    if value >= least && value <= most { Ok(value) } else { Err(format!("it must be {phrase}")) }
}

impl<'de, M: Measured, R: Range> Deserialize<'de> for Quantity<M, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reads<M, R>(PhantomData<(M, R)>);
        impl<M: Measured, R: Range> Visitor<'_> for Reads<M, R> {
            type Value = f64;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} ({})", M::UNIT.quantity, M::UNIT.symbol)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
                self.visit_f64(value as f64)
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
                self.visit_f64(value as f64)
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
                checked(value, R::LEAST, R::MOST, R::PHRASE).map_err(E::custom)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
                units::parse(text, &M::UNIT).map_err(E::custom).and_then(|v| self.visit_f64(v))
            }
        }
        deserializer.deserialize_any(Reads(PhantomData::<(M, R)>)).map(Self::new)
    }
}

impl<M: Measured, R: Range> JsonSchema for Quantity<M, R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}{}", R::NAME, M::NAME).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let Unit { symbol, quantity, .. } = M::UNIT;
        let mut schema = json_schema!({"type": ["number", "string"]});
        schema
            .insert("description".into(), format!("{quantity} in {symbol}, {}", R::PHRASE).into());
        schema.insert("minimum".into(), R::LEAST.into());
        schema.insert("maximum".into(), R::MOST.into());
        schema.insert(UNIT_KEY.into(), symbol.into());
        schema
    }
}

/// Two components in the plane, three in space.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent, bound(deserialize = "Quantity<M, R>: Deserialize<'de>"))]
pub struct Vector<M, R = Any>(pub Vec<Quantity<M, R>>);

impl<M: Measured, R: Range> JsonSchema for Vector<M, R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}{}Vector", R::NAME, M::NAME).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<Quantity<M, R>>();
        json_schema!({
            "description": "two components in the plane, three in space",
            "type": "array", "items": items, "minItems": 2, "maxItems": 3,
        })
    }
}

/// One number in the plane, components in space.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, bound(deserialize = "M: Measured, R: Range"))]
pub enum OneOrList<M, R = Any> {
    /// In the plane.
    One(Quantity<M, R>),
    /// In space.
    List(Vec<Quantity<M, R>>),
}

impl<M: Measured, R: Range> JsonSchema for OneOrList<M, R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}{}OrList", R::NAME, M::NAME).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Quantity<M, R>>();
        json_schema!({
            "description": "one number in the plane, components in space",
            "anyOf": [one, {"type": "array", "items": one}],
        })
    }
}

/// A quantity whose unit depends on its surroundings: a number, or a text with a unit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Measure {
    /// In SI units.
    Plain(f64),
    /// With a unit.
    Text(String),
}

/// A value that may change in time: a number, a text with a unit, or an expression in t.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Signal {
    /// In SI units.
    Plain(f64),
    /// With a unit, or an expression in the time t whose value is in SI units.
    Text(String),
}

/// Strength of friction, or restitution: a number, a text with a unit or an expression in the speed of
/// sliding, or of approach, v and the time t, or a table of pairs of speed and strength.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Strength {
    /// In SI units.
    Plain(f64),
    /// With a unit, or an expression in v and t whose value is in SI units.
    Text(String),
    /// Pairs of speed, ascending from 0, and strength, in SI units or texts with units: straight between
    /// them, and the last goes on.
    Table(Vec<[Signal; 2]>),
}

/// One value in the plane, components in space.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SignalOrList {
    /// In the plane.
    One(Signal),
    /// In space.
    List(Vec<Signal>),
}

/// A function of a radius: an expression in r, or a table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Profile {
    /// A number is the same at all radii.
    Plain(f64),
    /// An expression in r.
    Text(String),
    /// Pairs of radius, ascending from 0 to 1, and value: straight between them, two equal radii are a jump.
    Table(Vec<[f64; 2]>),
}
