//! Expressions: numbers with units, parameters, the time t, columns.
//!
//! ```text
//! choice     = both { "or" both }
//! both       = negated { "and" negated }
//! negated    = "not" negated | comparison
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ] | word ("==" | "!=") word
//! sum        = product { ("+" | "-") product }
//! product    = signed { ("*" | "/") signed }
//! signed     = ("+" | "-") signed | power
//! power      = atom [ "^" signed ]                -t^2 = -(t^2),  2^-t,  2^3^2 = 2^9
//! atom       = number [ unit ] | name [ "[" whole number "]" ] | function "(" choice { "," choice } ")"
//!            | "(" choice ")"
//! word       = "'" letters "'" | name of a word
//! ```
//!
//! A text becomes steps on a small stack (`program.rs`); units are checked on the way
//! (`unit_kind.rs`). Length, nesting and stack are limited.

mod functions;
mod program;
mod syntax;
mod unit_kind;
mod words;

pub use syntax::is_reserved;
pub use unit_kind::UnitKind;
pub use words::chosen_word;

use super::units::{self, Unit};
use crate::world::{TimeFunction, TimedMotion};
use program::{Step, evaluate, evaluate_rate};
use std::fmt;
use std::sync::Arc;

/// Most characters of an expression.
pub const MOST_CHARACTERS: usize = 1000;

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    /// A phrase that says what is wrong.
    Wrong(String),
    /// It is too long or nested too deeply.
    Limit(String),
    /// A name in it is wrong, which is told where it is given.
    Told,
}

use ExpressionError::{Limit, Wrong};

/// What a name stands for.
pub enum Meaning {
    /// A number.
    Value(f64, UnitKind),
    /// A variable by its number among the values at the evaluation; the time t is number 0.
    Variable(usize, UnitKind),
}

/// What to say of a name that is not known.
pub enum Hint {
    /// A name that it may have been meant to be.
    Near(String),
    /// A phrase: the names that are known.
    Known(String),
}

impl Hint {
    /// The name that is near, or else something more general.
    pub fn near_or(near: Option<&str>, otherwise: impl FnOnce() -> Self) -> Self {
        near.map_or_else(otherwise, |near| Self::Near(near.to_owned()))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near(name) => write!(f, "did you mean {name}?"),
            Self::Known(phrase) => f.write_str(phrase),
        }
    }
}

/// The names that an expression may have.
pub trait Names {
    /// What a name stands for, `index` its number in brackets; nothing if it is not known.
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>>;

    /// The word that a name stands for.
    fn word(&self, name: &str) -> Option<&str>;

    /// Whether the name is known.
    fn knows(&self, name: &str) -> bool;

    /// What to say of a name that is not known.
    fn hint(&self, name: &str) -> Hint;

    /// Whether the time t is a variable.
    fn has_time(&self) -> bool;
}

/// An expression that can be evaluated.
#[derive(Clone)]
pub struct Compiled {
    steps: Vec<Step>,
    /// Its unit.
    pub kind: UnitKind,
    /// Its value if it has no variables; finite.
    pub constant: Option<f64>,
}

impl Compiled {
    /// Reads an expression.
    pub fn new(text: &str, names: &dyn Names) -> Result<Self, ExpressionError> {
        if text.chars().count() > MOST_CHARACTERS {
            return Err(Limit(format!("it is longer than {MOST_CHARACTERS} characters")));
        }
        let (steps, kind) = syntax::parse(text, names)?;
        let is_fixed = !steps.iter().any(|step| matches!(step, Step::Variable(_)));
        let constant = is_fixed.then(|| evaluate(&steps, &[]));
        match constant {
            Some(value) if !value.is_finite() => {
                Err(Wrong(format!("it is {value}, it must be finite")))
            }
            _ => Ok(Self { steps, kind, constant }),
        }
    }

    /// Its value; `variables` are those of its [`Names`].
    pub fn value(&self, variables: &[f64]) -> f64 {
        evaluate(&self.steps, variables)
    }

    /// Its value, and its derivative by the variable with this number.
    pub fn value_and_slope(&self, variables: &[f64], along: usize) -> [f64; 2] {
        evaluate_rate(&self.steps, variables, along)
    }

    /// Its value and its rate in time, the first of the variables.
    fn value_and_rate(&self, t: f64) -> [f64; 2] {
        evaluate_rate(&self.steps, &[t], 0)
    }
}

/// The value of a text that does not change in time, in the unit.
pub fn constant(text: &str, wanted: &Unit, names: &dyn Names) -> Result<f64, ExpressionError> {
    if units::is_quantity(text) || units::is_number(text) {
        return units::parse(text, wanted).map_err(Wrong);
    }
    let compiled = Compiled::new(text, names)?;
    compiled.kind.fits(wanted).map_err(Wrong)?;
    compiled.constant.ok_or_else(|| Wrong("it depends on time".into()))
}

/// The function of time of a text: a number with a unit, or an expression in t whose value is in
/// SI units.
pub fn function_of_time(
    text: &str,
    wanted: &Unit,
    names: &dyn Names,
) -> Result<TimeFunction, ExpressionError> {
    let limited = |value: f64| match value.abs() <= super::quantity::LARGEST {
        true => Ok(TimeFunction::Constant(value)),
        false => Err(Wrong("it must be from -1e30 to 1e30".into())),
    };
    if units::is_quantity(text) {
        return units::parse(text, wanted).map_err(Wrong).and_then(limited);
    }
    let compiled = Compiled::new(text, names)?;
    compiled.kind.fits(wanted).map_err(Wrong)?;
    if let Some(value) = compiled.constant {
        return limited(value);
    }
    let start = compiled.value(&[0.0]);
    if !start.is_finite() {
        return Err(Wrong(format!("it is {start} at t = 0, it must be finite")));
    }
    let value = move |t: f64| compiled.value(&[t]);
    Ok(TimeFunction::Expression { text: text.to_owned(), value: Arc::new(value) })
}

/// A function of time as [`function_of_time`] reads it, with its rate by exact differentiation.
pub fn motion_of_time(
    text: &str,
    wanted: &Unit,
    names: &dyn Names,
) -> Result<TimedMotion, ExpressionError> {
    let value = function_of_time(text, wanted, names)?;
    if let TimeFunction::Constant(value) = value {
        return Ok(TimedMotion::constant(value));
    }
    let compiled = Compiled::new(text, names)?;
    let [_, start] = compiled.value_and_rate(0.0);
    if !start.is_finite() {
        return Err(Wrong(format!("its rate is {start} at t = 0, it must be finite")));
    }
    let rate = TimeFunction::Expression {
        text: format!("d/dt ({text})"),
        value: Arc::new(move |t| compiled.value_and_rate(t)[1]),
    };
    Ok(TimedMotion { value, rate })
}
