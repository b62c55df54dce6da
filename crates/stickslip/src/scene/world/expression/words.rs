//! Words in expressions: compared, and chosen by `if`.

use super::ExpressionError::{self, Limit, Wrong};
use super::Names;
use super::program::{STACK, Step, deepest, evaluate};
use super::syntax::Parser;

/// The word of a text: a word in single quotes, the name of one, or `if(condition, word, word)`.
pub fn chosen_word(text: &str, names: &dyn Names) -> Result<String, ExpressionError> {
    if text.chars().count() > super::MOST_CHARACTERS {
        return Err(Limit(format!("it is longer than {} characters", super::MOST_CHARACTERS)));
    }
    let mut parser = Parser { rest: text, names, steps: Vec::new(), open: 0 };
    let word = parser.chosen(0)?.to_owned();
    match parser.next() {
        None => Ok(word),
        Some(stranger) => Err(Wrong(format!("{stranger:?} is not expected behind a word"))),
    }
}

/// Deepest nesting of choices.
const MOST_CHOICES: usize = 50;

impl<'a> Parser<'a> {
    fn chosen(&mut self, depth: usize) -> Result<&'a str, ExpressionError> {
        if depth > MOST_CHOICES {
            return Err(Limit(format!("its brackets are nested more than {MOST_CHOICES} deep")));
        }
        if let Some(word) = self.word_in_front() {
            return Ok(word);
        }
        self.next();
        let name = self.cut(self.name_length());
        if name != "if" || self.take(&['(']).is_none() {
            let hint = match name {
                "" => "a word".to_owned(),
                name => self.names.hint(name).to_string(),
            };
            return Err(Wrong(format!("{name:?} is no word; {hint}")));
        }
        let first = self.steps.len();
        self.inside()?;
        let steps = &self.steps[first..];
        let is_fixed = !steps.iter().any(|step| matches!(step, Step::Variable(_)));
        if !is_fixed || deepest(steps) > STACK {
            return Err(Wrong("a word is chosen once, by a condition that does not change".into()));
        }
        let holds = evaluate(steps, &[]) != 0.0;
        let comma = || Wrong("if needs 3 arguments: a condition and two words".into());
        self.take(&[',']).ok_or_else(comma)?;
        let yes = self.chosen(depth + 1)?;
        self.take(&[',']).ok_or_else(comma)?;
        let no = self.chosen(depth + 1)?;
        self.close()?;
        Ok(if holds { yes } else { no })
    }

    /// Whether two words are the same, if words are compared here.
    pub(super) fn words_compared(&mut self) -> Result<Option<bool>, ExpressionError> {
        let before = self.rest;
        let Some(left) = self.word_in_front() else { return Ok(None) };
        self.next();
        let is_equal = self.rest.starts_with("==");
        if !is_equal && !self.rest.starts_with("!=") {
            if before.trim_start().starts_with('\'') {
                return Err(Wrong(format!("{left:?} is a word, here it must be a number")));
            }
            // A name; what is said of numbers tells what is wrong with it.
            self.rest = before;
            return Ok(None);
        }
        self.cut(2);
        match self.word_in_front() {
            Some(right) => Ok(Some((left == right) == is_equal)),
            None => Err(Wrong(format!(
                "{left:?} must be compared with a word, in single quotes or by its name"
            ))),
        }
    }

    /// Takes a word in single quotes, or the name of one.
    fn word_in_front(&mut self) -> Option<&'a str> {
        match self.next()? {
            '\'' => {
                let length = self.rest[1..].find('\'')?;
                Some(&self.cut(length + 2)[1..=length])
            }
            c if c.is_alphabetic() => {
                let length = self.name_length();
                let names = self.names;
                let word = names.word(&self.rest[..length])?;
                self.cut(length);
                Some(word)
            }
            _ => None,
        }
    }
}
