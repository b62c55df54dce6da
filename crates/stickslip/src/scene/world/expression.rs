//! Values that depend on time: expressions in t.
//!
//! The crate `exmex` reads and evaluates them; what it is given is limited here in length and
//! characters, and t is the only variable.

use super::units::{self, Unit};
use crate::world::TimeFunction;
use exmex::{Express, FlatEx};
use std::sync::Arc;

/// Most characters of an expression.
pub const MOST_CHARACTERS: usize = 1000;

/// Deepest nesting of brackets.
const MOST_BRACKETS: usize = 50;

/// What an expression may contain.
const ALLOWED: &str = "numbers, t (the time in s), + - * / ^, brackets, PI, and the functions abs, \
     signum, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, ceil, trunc, fract, exp, \
     sqrt, cbrt, ln, log2, log10";

/// Why a text is not a function of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    /// A phrase that says what is wrong.
    Wrong(String),
    /// It is too long or nested too deeply.
    Limit(String),
}

/// The function of time of a text: a number with a unit, or an expression in t whose value is in
/// SI units.
pub fn parse(text: &str, wanted: &Unit) -> Result<TimeFunction, ExpressionError> {
    let wrong = |message: String| Err(ExpressionError::Wrong(message));
    if units::is_quantity(text) {
        return match units::parse(text, wanted) {
            Ok(value) if value.is_finite() => Ok(TimeFunction::Constant(value)),
            Ok(_) => wrong("it must be finite".into()),
            Err(message) => wrong(message),
        };
    }
    if text.chars().count() > MOST_CHARACTERS {
        let message = format!("it is longer than {MOST_CHARACTERS} characters");
        return Err(ExpressionError::Limit(message));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || " .+-*/^()".contains(c);
    if let Some(stranger) = text.chars().find(|c| !plain(*c)) {
        return wrong(format!(
            "{stranger:?} is not allowed in an expression; allowed are {ALLOWED}"
        ));
    }
    let mut open = 0_usize;
    let mut deepest = 0;
    for c in text.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return wrong("a bracket is closed that was not opened".into()),
            ')' => open -= 1,
            _ => {}
        }
        deepest = deepest.max(open);
    }
    if open > 0 {
        return wrong("a bracket is not closed".into());
    }
    if deepest > MOST_BRACKETS {
        let message = format!("its brackets are nested more than {MOST_BRACKETS} deep");
        return Err(ExpressionError::Limit(message));
    }
    let Ok(expression) = FlatEx::<f64>::parse(text) else {
        return wrong(format!("it is no expression; allowed are {ALLOWED}"));
    };
    if let Some(stranger) = expression.var_names().iter().find(|name| *name != "t") {
        return wrong(format!("{stranger} is not known in an expression; allowed are {ALLOWED}"));
    }
    let has_time = !expression.var_names().is_empty();
    let value = move |t: f64| {
        let arguments = [t];
        expression.eval(if has_time { &arguments } else { &[] }).unwrap_or(f64::NAN)
    };
    let start = value(0.0);
    if !start.is_finite() {
        return wrong(format!("it is {start} at t = 0, it must be finite"));
    }
    if !has_time {
        return Ok(TimeFunction::Constant(start));
    }
    Ok(TimeFunction::Expression { text: text.to_owned(), value: Arc::new(value) })
}
