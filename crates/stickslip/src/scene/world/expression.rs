//! Values that depend on time: expressions in t.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = ("+" | "-") signed | power
//! power   = atom [ "^" signed ]                -t^2 = -(t^2),  2^-t,  2^3^2 = 2^9
//! atom    = number | "t" | "PI" | function "(" sum ")" | "(" sum ")"
//! ```
//!
//! An expression becomes a list of steps on a small stack, so that a value takes no memory. Length,
//! nesting and stack are limited.

use super::units::{self, Unit};
use crate::world::TimeFunction;
use std::sync::Arc;

/// Most characters of an expression.
pub const MOST_CHARACTERS: usize = 1000;

/// Deepest nesting of brackets.
const MOST_BRACKETS: usize = 50;

/// Most values that wait for an operation.
const STACK: usize = 64;

/// A function of one number by its name.
type Function = (&'static str, fn(f64) -> f64);

const FUNCTIONS: &[Function] = &[
    ("abs", f64::abs),
    ("sign", |x| if x == 0.0 { 0.0 } else { x.signum() }),
    ("sqrt", f64::sqrt),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("floor", f64::floor),
];

/// Why a text is not a function of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionError {
    /// A phrase that says what is wrong.
    Wrong(String),
    /// It is too long or nested too deeply.
    Limit(String),
}

use ExpressionError::{Limit, Wrong};

/// The function of time of a text: a number with a unit, or an expression in t whose value is in
/// SI units.
pub fn parse(text: &str, wanted: &Unit) -> Result<TimeFunction, ExpressionError> {
    if units::is_quantity(text) {
        let value = units::parse(text, wanted).map_err(Wrong)?;
        return if value.abs() <= super::quantity::LARGEST {
            Ok(TimeFunction::Constant(value))
        } else {
            Err(Wrong("it must be from -1e30 to 1e30".into()))
        };
    }
    if text.chars().count() > MOST_CHARACTERS {
        return Err(Limit(format!("it is longer than {MOST_CHARACTERS} characters")));
    }
    let mut parser = Parser { rest: text, steps: Vec::new(), open: 0 };
    parser.sum()?;
    if let Some(stranger) = parser.next() {
        return Err(match stranger {
            ')' => Wrong("a bracket is closed that was not opened".into()),
            other => Wrong(format!("{other:?} is not expected; {}", allowed())),
        });
    }
    let steps = parser.steps;
    if deepest(&steps) > STACK {
        return Err(Limit(format!("more than {STACK} values wait for an operation")));
    }
    let start = evaluate(&steps, 0.0);
    if !start.is_finite() {
        return Err(Wrong(format!("it is {start} at t = 0, it must be finite")));
    }
    if !steps.iter().any(|step| matches!(step, Step::Time)) {
        return Ok(TimeFunction::Constant(start));
    }
    let value = move |t: f64| evaluate(&steps, t);
    Ok(TimeFunction::Expression { text: text.to_owned(), value: Arc::new(value) })
}

fn allowed() -> String {
    let names: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
    format!(
        "an expression has numbers, t (the time in s), + - * / ^, brackets, PI, and the functions {}",
        names.join(", ")
    )
}

/// One step on the stack.
#[derive(Clone, Copy)]
enum Step {
    Number(f64),
    Time,
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

/// Most values on the stack.
fn deepest(steps: &[Step]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for step in steps {
        match step {
            Step::Number(_) | Step::Time => depth += 1,
            Step::One(_) => {}
            Step::Two(_) => depth = depth.saturating_sub(1),
        }
        most = most.max(depth);
    }
    most
}

fn evaluate(steps: &[Step], t: f64) -> f64 {
    let mut stack = [0.0; STACK];
    let mut depth = 0;
    for step in steps {
        match *step {
            Step::Number(value) => (stack[depth], depth) = (value, depth + 1),
            Step::Time => (stack[depth], depth) = (t, depth + 1),
            Step::One(function) => stack[depth - 1] = function(stack[depth - 1]),
            Step::Two(operation) => {
                depth -= 1;
                stack[depth - 1] = operation(stack[depth - 1], stack[depth]);
            }
        }
    }
    stack[0]
}

struct Parser<'a> {
    rest: &'a str,
    steps: Vec<Step>,
    /// Open brackets.
    open: usize,
}

impl<'a> Parser<'a> {
    /// The next character that is no space; it stays.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes one of the characters if it is next.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    /// Takes the first bytes.
    fn cut(&mut self, length: usize) -> &'a str {
        let (first, rest) = self.rest.split_at(length);
        self.rest = rest;
        first
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            self.product()?;
            self.steps.push(Step::Two(if sign == '+' { |a, b| a + b } else { |a, b| a - b }));
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        self.signed()?;
        while let Some(sign) = self.take(&['*', '/']) {
            self.signed()?;
            self.steps.push(Step::Two(if sign == '*' { |a, b| a * b } else { |a, b| a / b }));
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), ExpressionError> {
        match self.take(&['+', '-']) {
            None => self.power(),
            Some(sign) => {
                self.signed()?;
                if sign == '-' {
                    self.steps.push(Step::One(|x| -x));
                }
                Ok(())
            }
        }
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.atom()?;
        if self.take(&['^']).is_some() {
            self.signed()?;
            self.steps.push(Step::Two(f64::powf));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        match self.next() {
            Some('(') => self.bracket(),
            Some(c) if c.is_ascii_digit() || c == '.' => {
                let length = units::number_length(self.rest);
                let number = self.cut(length).parse::<f64>().ok().filter(|x| x.is_finite());
                let number = number.ok_or_else(|| Wrong("it has a number that is none".into()))?;
                self.steps.push(Step::Number(number));
                Ok(())
            }
            Some(c) if c.is_alphabetic() => self.word(),
            Some(c) => Err(Wrong(format!("{c:?} is not expected; {}", allowed()))),
            None => Err(Wrong(format!("it ends too early; {}", allowed()))),
        }
    }

    fn word(&mut self) -> Result<(), ExpressionError> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let name = self.cut(length);
        match name {
            "t" => self.steps.push(Step::Time),
            "PI" => self.steps.push(Step::Number(std::f64::consts::PI)),
            _ => {
                let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
                let Some((_, function)) = known else {
                    return Err(Wrong(format!("{name} is not known; {}", allowed())));
                };
                if self.next() != Some('(') {
                    return Err(Wrong(format!("{name} needs its argument in brackets")));
                }
                self.bracket()?;
                self.steps.push(Step::One(*function));
            }
        }
        Ok(())
    }

    fn bracket(&mut self) -> Result<(), ExpressionError> {
        self.open += 1;
        if self.open > MOST_BRACKETS {
            return Err(Limit(format!("its brackets are nested more than {MOST_BRACKETS} deep")));
        }
        self.take(&['(']);
        self.sum()?;
        self.open -= 1;
        match self.take(&[')']) {
            Some(_) => Ok(()),
            None => Err(Wrong("a bracket is not closed".into())),
        }
    }
}
