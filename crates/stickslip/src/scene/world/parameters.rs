//! `[parameters]` and `[start]`: named values that the other values of a file are made of.
//!
//! A value is a number in SI units, a number with a unit, an expression of others, a word, true or
//! false, or a list of these. Each is worked out when it is first needed.

use super::expression::{
    self, Compiled, ExpressionError, Hint, Meaning, Names, UnitKind, is_reserved,
};
use super::units::{self, Unit};
use crate::scene::error::{nearest, one_of};
use crate::scene::findings::Findings;
use crate::scene::reader::shown;
use crate::world::{TimeFunction, TimedMotion};
use ExpressionError::{Limit, Told, Wrong};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use toml::{Table, Value};

/// The sections; a name is looked for in this order.
pub(crate) const SECTIONS: [&str; 2] = ["parameters", "start"];

/// The section with the words of which some of them must be one.
const WORDS: &str = "words";

/// Most values that refer to one another in a row.
const MOST_LINKS: usize = 100;

/// Most names that an error lists.
const MOST_NAMES: usize = 20;

/// A value that was worked out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Worth {
    Number(f64, UnitKind),
    Word(String),
    Truth(bool),
    List(Vec<Worth>),
}

struct Entry {
    /// Section and name.
    key: String,
    given: Value,
    is_used: Cell<bool>,
    /// Nothing if it is wrong, which is told then.
    worth: OnceCell<Option<Worth>>,
}

/// All named values of a file.
#[derive(Default)]
pub(crate) struct Parameters {
    entries: Vec<Entry>,
    /// Numbers of the entries, by `section.name` and, where it is the first of its kind, by name.
    names: HashMap<String, usize>,
    /// The words of which an entry must be one.
    words: HashMap<usize, Vec<String>>,
    /// The entries that are being worked out.
    open: RefCell<Vec<usize>>,
    findings: RefCell<Findings>,
}

impl Parameters {
    /// Takes the sections of a file, and works out every value.
    pub(crate) fn read(table: &Table, findings: &mut Findings) -> Self {
        let mut out = Self::default();
        for section in SECTIONS {
            match table.get(section) {
                None => {}
                Some(Value::Table(values)) => {
                    for (name, value) in values {
                        out.add(section, name, value, findings);
                    }
                }
                Some(other) => {
                    let message =
                        format!("{section} is {}, it must be a section [{section}]", shown(other));
                    findings.value(section, message);
                }
            }
        }
        out.read_words(table, findings);
        for number in 0..out.entries.len() {
            out.worth(number);
        }
        out.tell(findings);
        out
    }

    fn add(&mut self, section: &str, name: &str, value: &Value, findings: &mut Findings) {
        let key = format!("{section}.{name}");
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.len() <= 100
            && name.chars().all(is_part);
        if !is_name {
            let message = format!(
                "{key} must be named by letters a to z, digits and _, at most 100, with a letter first"
            );
            return findings.key(&key, message);
        }
        if is_reserved(name) {
            let message = format!("{key}: {name} is a word of expressions; take another name");
            return findings.key(&key, message);
        }
        let number = self.entries.len();
        self.names.entry(name.to_owned()).or_insert(number);
        self.names.insert(key.clone(), number);
        let (is_used, worth) = (Cell::new(false), OnceCell::new());
        self.entries.push(Entry { key, given: value.clone(), is_used, worth });
    }

    /// Hands over what was found to be wrong with the values themselves.
    fn tell(&self, findings: &mut Findings) {
        for found in std::mem::take(&mut *self.findings.borrow_mut()).list {
            findings.add(&found.key, found.mark, found.cause, found.message);
        }
    }

    /// The value of an entry; nothing if it is wrong.
    fn worth(&self, number: usize) -> Option<&Worth> {
        let entry = &self.entries[number];
        if let Some(worth) = entry.worth.get() {
            return worth.as_ref();
        }
        let refuse = |message: String| {
            self.findings.borrow_mut().value(&entry.key, message);
            None
        };
        let links = self.open.borrow().len();
        let cycle = self.open.borrow().iter().position(|open| *open == number);
        if let Some(first) = cycle {
            let open = self.open.borrow();
            let round = open[first..].iter().chain([&number]);
            let round: Vec<&str> = round.map(|n| self.entries[*n].key.as_str()).collect();
            let shown = round.len().min(MOST_NAMES);
            let message =
                format!("{} depends on itself: {}", entry.key, round[..shown].join(" -> "));
            return refuse(message);
        }
        if links >= MOST_LINKS {
            let message = format!(
                "{}: more than {MOST_LINKS} parameters refer to one another in a row",
                entry.key
            );
            self.findings.borrow_mut().limit(&entry.key, message);
            return None;
        }
        self.open.borrow_mut().push(number);
        let worth = match self.words.get(&number) {
            None => self.work_out(&entry.given, &entry.key),
            Some(words) => self.word_among(words, entry),
        };
        self.open.borrow_mut().pop();
        let worth = worth.map_err(|error| {
            let mut findings = self.findings.borrow_mut();
            match error {
                Wrong(reason) => {
                    let value = shown(&entry.given);
                    findings.value(&entry.key, format!("{} is {value}; {reason}", entry.key));
                }
                Limit(reason) => findings.limit(&entry.key, format!("{}: {reason}", entry.key)),
                Told => {}
            }
        });
        entry.worth.get_or_init(|| worth.ok()).as_ref()
    }

    /// The words of which some values must be one, `[words]`.
    fn read_words(&mut self, table: &Table, findings: &mut Findings) {
        let Some(Value::Table(given)) = table.get(WORDS) else { return };
        for (name, list) in given {
            let key = format!("{WORDS}.{name}");
            let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            match self.names.get(name) {
                Some(number) => {
                    self.words.insert(*number, words.map(str::to_owned).collect());
                }
                None => findings.key(&key, format!("{key}: there is no such parameter")),
            }
        }
    }

    /// One of these words: it stands for itself although a parameter has the same name.
    fn word_among(&self, words: &[String], entry: &Entry) -> Result<Worth, ExpressionError> {
        let worth = match &entry.given {
            Value::String(text) if words.contains(text) => Worth::Word(text.clone()),
            given => self.work_out(given, &entry.key)?,
        };
        let list: Vec<&str> = words.iter().map(String::as_str).collect();
        match &worth {
            Worth::Word(word) if words.contains(word) => Ok(worth),
            Worth::Word(word) => {
                let hint = nearest(word, list.iter().copied());
                let hint = hint.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
                Err(Wrong(format!("it must be {}{hint}", one_of(&list))))
            }
            _ => Err(Wrong(format!("it must be {}", one_of(&list)))),
        }
    }

    fn work_out(&self, given: &Value, key: &str) -> Result<Worth, ExpressionError> {
        let number = |value: f64| match value.abs() <= super::quantity::LARGEST {
            true => Ok(Worth::Number(value, UnitKind::Plain)),
            false => Err(Wrong("it must be from -1e30 to 1e30".into())),
        };
        match given {
            Value::Integer(value) => number(*value as f64),
            Value::Float(value) => number(*value),
            Value::Boolean(value) => Ok(Worth::Truth(*value)),
            Value::String(text) => self.text(text.trim()),
            Value::Array(list) => {
                let entries = list.iter().map(|entry| match entry {
                    Value::Array(_) | Value::Table(_) => {
                        Err(Wrong(format!("{key} must be a list of numbers and texts")))
                    }
                    _ => self.work_out(entry, key),
                });
                entries.collect::<Result<_, _>>().map(Worth::List)
            }
            Value::Table(_) | Value::Datetime(_) => Err(Wrong(
                "it must be a number, a text with a unit, an expression, a word, true, false, or a list \
                 of these"
                    .into(),
            )),
        }
    }

    fn text(&self, text: &str) -> Result<Worth, ExpressionError> {
        if units::is_number(text) {
            return Err(Wrong("it has no unit; write a plain number without quotes".into()));
        }
        if let Some((value, exponents)) = units::quantity(text) {
            return Ok(Worth::Number(value, UnitKind::known(exponents)));
        }
        if let Some(number) = self.names.get(text) {
            self.entries[*number].is_used.set(true);
            return self.worth(*number).cloned().ok_or(Told);
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let is_word = text.starts_with(|c: char| c.is_alphabetic()) && text.chars().all(is_part);
        let is_known = |piece: &str| self.names.contains_key(piece) || is_reserved(piece);
        if is_word && !text.split('-').any(is_known) {
            return Ok(Worth::Word(text.to_owned()));
        }
        let compiled = Compiled::new(text, self)?;
        let value = compiled.constant.ok_or_else(|| Wrong("it depends on time".into()))?;
        Ok(Worth::Number(value, compiled.kind))
    }

    /// The value of a text that is the name of one; it counts as used.
    fn named(&self, text: &str) -> Option<(&Entry, &Worth)> {
        let number = *self.names.get(text.trim())?;
        let entry = &self.entries[number];
        let worth = self.worth(number)?;
        entry.is_used.set(true);
        Some((entry, worth))
    }

    /// The word that a text names or chooses; nothing if the text is no such thing.
    pub(crate) fn chosen(&self, text: &str) -> Option<Result<String, ExpressionError>> {
        if let Some(Worth::Word(word)) = self.pick(text) {
            return Some(Ok(word.clone()));
        }
        let is_choice = text.trim_start().starts_with("if(");
        is_choice.then(|| expression::chosen_word(text, self))
    }

    /// The value that a text names, `name` or `name[0]`.
    fn pick(&self, text: &str) -> Option<&Worth> {
        let Some((name, index)) = text.trim().strip_suffix(']').and_then(|t| t.split_once('['))
        else {
            return self.named(text).map(|(_, worth)| worth);
        };
        match (self.named(name)?.1, index.trim().parse::<usize>()) {
            (Worth::List(list), Ok(index)) => list.get(index),
            _ => None,
        }
    }

    /// The list that a text names, as it is given.
    pub(crate) fn list(&self, text: &str) -> Option<Value> {
        let (mut entry, worth) = self.named(text)?;
        if !matches!(worth, Worth::List(_)) {
            return None;
        }
        // A list may be given as the name of another one.
        while let Value::String(other) = &entry.given {
            entry = self.named(other)?.0;
        }
        Some(entry.given.clone())
    }

    /// Whether a text says true.
    pub(crate) fn truth(&self, text: &str) -> Result<bool, ExpressionError> {
        match self.pick(text) {
            Some(Worth::Truth(truth)) => Ok(*truth),
            _ => Compiled::new(text, self).map(|c| c.constant.is_some_and(|value| value != 0.0)),
        }
    }

    /// The value of a text in the unit.
    pub(crate) fn quantity(&self, text: &str, unit: &Unit) -> Result<f64, ExpressionError> {
        expression::constant(text, unit, self)
    }

    /// A function of time.
    pub(crate) fn function(
        &self,
        text: &str,
        unit: &Unit,
    ) -> Result<TimeFunction, ExpressionError> {
        expression::function_of_time(text, unit, &WithTime(self))
    }

    /// A function of time with its rate.
    pub(crate) fn motion(&self, text: &str, unit: &Unit) -> Result<TimedMotion, ExpressionError> {
        expression::motion_of_time(text, unit, &WithTime(self))
    }

    /// Counts every name in a text as used: an override has replaced it.
    pub(crate) fn mention(&self, text: &str) {
        for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))) {
            if let Some(number) = self.names.get(word) {
                self.entries[*number].is_used.set(true);
            }
        }
    }

    /// Complains of every value that nothing is made of.
    pub(crate) fn report_unused(&self, findings: &mut Findings) {
        let others = self.entries.iter().filter(|other| other.is_used.get());
        let others: Vec<&str> = others.take(1000).map(|other| other.key.as_str()).collect();
        for entry in self.entries.iter().filter(|entry| !entry.is_used.get()) {
            if findings.is_full() {
                findings.key(&entry.key, String::new());
                continue;
            }
            let (section, name) = entry.key.split_once('.').unwrap_or_default();
            let own = others.iter().filter_map(|key| key.strip_prefix(section)?.strip_prefix('.'));
            let hint = match nearest(name, own) {
                Some(near) => format!("did you mean {section}.{near}?"),
                None if others.is_empty() => "remove it".into(),
                None => {
                    format!("remove it; those in use are {}", some(others.iter().copied()))
                }
            };
            let key = &entry.key;
            findings.key(key, format!("{key} is not used by any value of the scene; {hint}"));
        }
    }

    /// The values of a section.
    pub(crate) fn section(&self, section: &str) -> Table {
        let all = self.entries.iter().filter_map(|entry| {
            let (own, name) = entry.key.split_once('.')?;
            let worth = entry.worth.get()?.as_ref()?;
            (own == section).then(|| (name.to_owned(), plain(worth)))
        });
        all.collect()
    }

    /// Keys, values with units, and how they were given.
    pub(crate) fn listed(&self) -> Vec<(&str, String, &Value)> {
        let all = self.entries.iter();
        all.filter_map(|entry| {
            let worth = entry.worth.get()?.as_ref()?;
            Some((entry.key.as_str(), worth_shown(worth), &entry.given))
        })
        .collect()
    }
}

/// A value as in a file, in SI units.
fn plain(worth: &Worth) -> Value {
    match worth {
        Worth::Number(value, _) => Value::Float(*value),
        Worth::Word(word) => Value::String(word.clone()),
        Worth::Truth(truth) => Value::Boolean(*truth),
        Worth::List(list) => Value::Array(list.iter().map(plain).collect()),
    }
}

/// Entries of a list that are shown.
const MOST_SHOWN: usize = 8;

fn worth_shown(worth: &Worth) -> String {
    match worth {
        Worth::Number(value, kind) => format!("{value} {}", kind.symbol()).trim_end().to_owned(),
        Worth::Word(word) => format!("{word:?}"),
        Worth::Truth(truth) => truth.to_string(),
        Worth::List(list) => {
            let mut parts: Vec<String> = list.iter().take(MOST_SHOWN).map(worth_shown).collect();
            if list.len() > MOST_SHOWN {
                parts.push(format!("... ({} entries)", list.len()));
            }
            format!("[{}]", parts.join(", "))
        }
    }
}

/// Some of the names.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.take(MOST_NAMES + 1).collect();
    if names.len() > MOST_NAMES {
        names[MOST_NAMES] = "...";
    }
    names.join(", ")
}

impl Names for Parameters {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        let number = *self.names.get(name)?;
        let entry = &self.entries[number];
        entry.is_used.set(true);
        let wrong = |message: String| Some(Err(Wrong(message)));
        let Some(worth) = self.worth(number) else { return Some(Err(Told)) };
        let (shown, worth) = match (worth, index) {
            (Worth::List(list), Some(index)) => match list.get(index) {
                Some(worth) => (format!("{}[{index}]", entry.key), worth),
                None => {
                    let count = list.len();
                    return wrong(format!(
                        "{}[{index}] is not there; it has {count} entries, from 0",
                        entry.key
                    ));
                }
            },
            (Worth::List(_), None) => {
                return wrong(format!("{} is a list; {name}[0] is its first entry", entry.key));
            }
            (_, Some(_)) => return wrong(format!("{} is not a list", entry.key)),
            (worth, None) => (entry.key.clone(), worth),
        };
        match worth {
            Worth::Number(value, kind) => Some(Ok(Meaning::Value(*value, *kind))),
            Worth::Truth(truth) => {
                Some(Ok(Meaning::Value(f64::from(*truth), UnitKind::Count { turns: false })))
            }
            Worth::Word(word) => {
                let own = self.names.keys().filter(|known| !known.contains('.'));
                let near = nearest(word, own.map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                wrong(format!("{shown} is the word {word:?}, here it must be a number{hint}"))
            }
            Worth::List(_) => wrong(format!("{shown} is a list")),
        }
    }

    fn word(&self, name: &str) -> Option<&str> {
        match self.named(name)?.1 {
            Worth::Word(word) => Some(word),
            _ => None,
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn hint(&self, name: &str) -> Hint {
        // Comparing with very many names takes too long.
        let known = self.entries.iter().take(1000).map(|entry| entry.key.as_str());
        let bare = known.clone().filter_map(|key| key.split_once('.').map(|(_, name)| name));
        let near = nearest(name, bare).or_else(|| nearest(name, known.clone()));
        Hint::near_or(near, || match self.entries.is_empty() {
            true => Hint::Known("the scene has no [parameters]".into()),
            false => Hint::Known(format!("known are {}", some(known))),
        })
    }

    fn has_time(&self) -> bool {
        false
    }
}

/// The parameters and the time.
struct WithTime<'a>(&'a Parameters);

impl Names for WithTime<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        self.0.find(name, index)
    }

    fn word(&self, name: &str) -> Option<&str> {
        self.0.word(name)
    }

    fn knows(&self, name: &str) -> bool {
        self.0.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        self.0.hint(name)
    }

    fn has_time(&self) -> bool {
        true
    }
}
