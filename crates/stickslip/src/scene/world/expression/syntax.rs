//! From a text to steps, with the units checked.

use super::ExpressionError::{self, Limit, Wrong};
use super::functions::{FUNCTIONS, Function};
use super::program::{STACK, Step, deepest, evaluate};
use super::unit_kind::{COUNT, TIME, TURNS, UnitKind};
use super::{Meaning, Names};
use crate::scene::world::units;
use std::f64::consts::PI;

/// Deepest nesting of brackets.
const MOST_BRACKETS: usize = 50;

/// Words of expressions that are no functions.
const WORDS: [&str; 6] = ["t", "pi", "PI", "and", "or", "not"];

/// 1 if it holds, else 0.
type Comparison = fn(f64, f64) -> f64;

/// Comparisons; the longer ones first.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("<=", |a, b| f64::from(a <= b)),
    (">=", |a, b| f64::from(a >= b)),
    ("==", |a, b| f64::from(a == b)),
    ("!=", |a, b| f64::from(a != b)),
    ("<", |a, b| f64::from(a < b)),
    (">", |a, b| f64::from(a > b)),
];

/// Whether a word has a meaning of its own in expressions.
pub fn is_reserved(word: &str) -> bool {
    WORDS.contains(&word) || Function::find(word).is_some()
}

/// The steps of a text, and the unit of its value.
pub fn parse(text: &str, names: &dyn Names) -> Result<(Vec<Step>, UnitKind), ExpressionError> {
    let mut parser = Parser { rest: text, names, steps: Vec::new(), open: 0 };
    let kind = parser.choice()?;
    if let Some(stranger) = parser.next() {
        return Err(match stranger {
            ')' => Wrong("a bracket is closed that was not opened".into()),
            '=' => Wrong("'=' is not expected; two values are compared by ==".into()),
            '<' | '>' | '!' => Wrong(format!(
                "{stranger:?} is not expected; comparisons are joined by and, as in a < b and b < c"
            )),
            other => Wrong(format!("{other:?} is not expected; {}", allowed())),
        });
    }
    let steps = parser.steps;
    if deepest(&steps) > STACK {
        return Err(Limit(format!("more than {STACK} values wait for an operation")));
    }
    Ok((steps, kind))
}

fn allowed() -> String {
    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    format!(
        "an expression has numbers, units, parameters, t (the time in s) in functions of time, \
         + - * / ^, comparisons, and, or, not, brackets, pi, and the functions {}",
        names.join(", ")
    )
}

pub(super) struct Parser<'a> {
    pub(super) rest: &'a str,
    pub(super) names: &'a dyn Names,
    pub(super) steps: Vec<Step>,
    /// Open brackets.
    pub(super) open: usize,
}

type Read = Result<UnitKind, ExpressionError>;

impl<'a> Parser<'a> {
    /// The next character that is no space; it stays.
    pub(super) fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes one of the characters if it is next.
    pub(super) fn take(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    /// Takes a word if it is next.
    fn take_word(&mut self, wanted: &str) -> bool {
        self.next();
        let found = &self.rest[..word_length(self.rest)] == wanted;
        if found {
            self.cut(wanted.len());
        }
        found
    }

    /// Takes the first bytes.
    pub(super) fn cut(&mut self, length: usize) -> &'a str {
        let (first, rest) = self.rest.split_at(length);
        self.rest = rest;
        first
    }

    pub(super) fn choice(&mut self) -> Read {
        let mut kind = self.both()?;
        while self.take_word("or") {
            self.both()?;
            self.steps.push(Step::Two(|a, b| f64::from(a != 0.0 || b != 0.0), |_, _| [0.0; 2]));
            kind = COUNT;
        }
        Ok(kind)
    }

    fn both(&mut self) -> Read {
        let mut kind = self.negated()?;
        while self.take_word("and") {
            self.negated()?;
            self.steps.push(Step::Two(|a, b| f64::from(a != 0.0 && b != 0.0), |_, _| [0.0; 2]));
            kind = COUNT;
        }
        Ok(kind)
    }

    fn negated(&mut self) -> Read {
        if !self.take_word("not") {
            return self.comparison();
        }
        self.negated()?;
        self.steps.push(Step::One(|a| f64::from(a == 0.0), |_| 0.0));
        Ok(COUNT)
    }

    fn comparison(&mut self) -> Read {
        if let Some(equal) = self.words_compared()? {
            self.steps.push(Step::Number(f64::from(equal)));
            return Ok(COUNT);
        }
        let left = self.sum()?;
        self.next();
        let Some((sign, compare)) =
            COMPARISONS.iter().find(|(sign, _)| self.rest.starts_with(sign))
        else {
            return Ok(left);
        };
        self.cut(sign.len());
        let right = self.sum()?;
        left.joined(right).map_err(Wrong)?;
        self.steps.push(Step::Two(*compare, |_, _| [0.0; 2]));
        Ok(COUNT)
    }

    fn sum(&mut self) -> Read {
        let mut kind = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            kind = kind.joined(next).map_err(Wrong)?;
            self.steps.push(match sign {
                '+' => Step::Two(|a, b| a + b, |_, _| [1.0, 1.0]),
                _ => Step::Two(|a, b| a - b, |_, _| [1.0, -1.0]),
            });
        }
        Ok(kind)
    }

    fn product(&mut self) -> Read {
        let mut kind = self.signed()?;
        while let Some(sign) = self.take(&['*', '/']) {
            let next = self.signed()?;
            kind = kind.times(next, if sign == '*' { 1.0 } else { -1.0 });
            self.steps.push(match sign {
                '*' => Step::Two(|a, b| a * b, |a, b| [b, a]),
                _ => Step::Two(|a, b| a / b, |a, b| [1.0 / b, -a / (b * b)]),
            });
        }
        Ok(kind)
    }

    fn signed(&mut self) -> Read {
        let Some(sign) = self.take(&['+', '-']) else { return self.power() };
        let kind = self.signed()?;
        if sign == '-' {
            self.steps.push(Step::One(|x| -x, |_| -1.0));
        }
        Ok(kind)
    }

    fn power(&mut self) -> Read {
        let kind = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(kind);
        }
        let first = self.steps.len();
        let exponent = self.signed()?;
        let own = &self.steps[first..];
        let is_fixed = !own.iter().any(|step| matches!(step, Step::Variable(_)));
        let value = (is_fixed && deepest(own) <= STACK).then(|| evaluate(own, &[]));
        self.steps.push(Step::Two(f64::powf, |a, b| [b * a.powf(b - 1.0), a.powf(b) * a.ln()]));
        kind.power(exponent, value).map_err(Wrong)
    }

    fn atom(&mut self) -> Read {
        match self.next() {
            Some('(') => {
                self.take(&['(']);
                let kind = self.inside()?;
                self.close()?;
                Ok(kind)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            Some('!') => Err(Wrong("'!' is not expected; write not".into())),
            Some('&' | '|') => Err(Wrong("write and, or".into())),
            Some(c) => Err(Wrong(format!("{c:?} is not expected; {}", allowed()))),
            None => Err(Wrong(format!("it ends too early; {}", allowed()))),
        }
    }

    /// A number, with the unit that may stand behind it.
    fn number(&mut self) -> Read {
        let text = self.cut(units::number_length(self.rest));
        let number = text.parse::<f64>().ok().filter(|x| x.is_finite());
        let number = number.ok_or_else(|| Wrong("it has a number that is none".into()))?;
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
        self.with_unit(text, number, if is_whole { COUNT } else { UnitKind::Plain })
    }

    /// A number that was read, with the unit that may stand behind it.
    fn with_unit(&mut self, text: &str, number: f64, plain: UnitKind) -> Read {
        let follows = self.rest.trim_start();
        let word = &follows[..word_length(follows)];
        if word == "and"
            || word == "or"
            || !follows.starts_with(|c: char| c.is_alphabetic() || c == '°')
        {
            self.steps.push(Step::Number(number));
            return Ok(plain);
        }
        let is_name = |name: &str| name == "t" || self.names.knows(name);
        let (factor, exponents, length) =
            units::unit_in_front(follows, &is_name).map_err(|reason| {
                Wrong(match is_name(word) || is_reserved(word) {
                    true => format!("{word:?} is not a unit; a product is written {text}*{word}"),
                    false => reason,
                })
            })?;
        self.rest = &follows[length..];
        self.steps.push(Step::Number(number * factor));
        Ok(UnitKind::known(exponents))
    }

    fn word(&mut self) -> Read {
        let name = self.cut(self.name_length());
        match name {
            "t" if self.names.has_time() => {
                self.steps.push(Step::Variable(0));
                return Ok(TIME);
            }
            "t" => return Err(Wrong("t is not known: this value does not change in time".into())),
            "pi" | "PI" => return self.with_unit(name, PI, TURNS),
            "and" | "or" | "not" => {
                return Err(Wrong(format!("{name} is not expected; {}", allowed())));
            }
            _ => {}
        }
        if let Some(function) = Function::find(name) {
            return self.call(function);
        }
        let index = self.index(name)?;
        let shown = index.map_or(name.to_owned(), |index| format!("{name}[{index}]"));
        match self.names.find(name, index) {
            None => Err(Wrong(format!("{shown} is not known; {}", self.names.hint(name)))),
            Some(Err(error)) => Err(error),
            Some(Ok(Meaning::Value(value, kind))) => {
                self.steps.push(Step::Number(value));
                Ok(kind)
            }
            Some(Ok(Meaning::Variable(number, kind))) => {
                self.steps.push(Step::Variable(number));
                Ok(kind)
            }
        }
    }

    /// Bytes of the name in front. Names of bodies may hold `-`: the longest known name counts.
    pub(super) fn name_length(&self) -> usize {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let longest = &self.rest[..self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len())];
        let ends = longest.match_indices('-').map(|(end, _)| end).chain([longest.len()]).rev();
        for end in ends {
            if self.names.knows(&longest[..end]) {
                return end;
            }
        }
        longest.find('-').unwrap_or(longest.len())
    }

    /// The number in brackets behind a name.
    fn index(&mut self, name: &str) -> Result<Option<usize>, ExpressionError> {
        if self.take(&['[']).is_none() {
            return Ok(None);
        }
        self.next();
        let length = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let index = self.cut(length).parse().ok();
        match (index, self.take(&[']'])) {
            (Some(index), Some(_)) => Ok(Some(index)),
            _ => {
                Err(Wrong(format!("{name}[ ] needs a whole number, {name}[0] is the first entry")))
            }
        }
    }

    fn call(&mut self, function: &Function) -> Read {
        let name = function.name;
        if self.take(&['(']).is_none() {
            return Err(Wrong(format!("{name} needs its argument in brackets")));
        }
        let mut arguments = vec![self.inside()?];
        while self.take(&[',']).is_some() {
            arguments.push(self.inside()?);
            // More than two arguments are taken one after the other.
            if function.arguments().1 > 3 {
                self.steps.push(function.step);
            }
        }
        self.close()?;
        let (least, most) = function.arguments();
        if arguments.len() < least || arguments.len() > most {
            let wanted =
                if least == most { format!("{least}") } else { format!("at least {least}") };
            let count = arguments.len();
            return Err(Wrong(format!("{name} needs {wanted} arguments, it has {count}")));
        }
        if most <= 3 {
            self.steps.push(function.step);
        }
        function.unit(&arguments).map_err(Wrong)
    }

    /// What stands in brackets.
    pub(super) fn inside(&mut self) -> Read {
        self.open += 1;
        if self.open > MOST_BRACKETS {
            return Err(Limit(format!("its brackets are nested more than {MOST_BRACKETS} deep")));
        }
        let kind = self.choice()?;
        self.open -= 1;
        Ok(kind)
    }

    pub(super) fn close(&mut self) -> Result<(), ExpressionError> {
        match self.take(&[')']) {
            Some(_) => Ok(()),
            None => Err(Wrong("a bracket is not closed".into())),
        }
    }
}

/// Bytes of the word in front of a text.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}
