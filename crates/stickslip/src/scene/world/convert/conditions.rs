//! Conditions that end a run, or at which a row is written.

use super::Context;
use super::columns::ColumnNames;
use crate::scene::error::nearest;
use crate::scene::world::expression::{Compiled, ExpressionError, Hint, Meaning, Names, UnitKind};
use crate::scene::world::file::ConditionKeys;
use crate::world::{ANY_CONTACT, AT_REST, ColumnInputs, ConditionDescription, WorldDescription};
use std::sync::Arc;

/// Most conditions.
const MOST_CONDITIONS: usize = 1000;

/// What stands for `count(...)` within an expression.
const COUNTS: &str = "count_of";

impl Context<'_> {
    /// The conditions of a world; its bodies, joints, contacts and columns are known.
    pub(super) fn conditions(
        &mut self,
        stops: &[ConditionKeys],
        events: &[ConditionKeys],
        world: &WorldDescription,
    ) -> Vec<ConditionDescription> {
        let mut out: Vec<ConditionDescription> = Vec::new();
        if stops.len() + events.len() > MOST_CONDITIONS {
            let message =
                format!("at most {MOST_CONDITIONS} of [[stop]] and [[event]] are allowed");
            self.findings.limit("event", message);
            return out;
        }
        if stops.is_empty() && events.is_empty() {
            return out;
        }
        let inputs = ColumnInputs::new(world);
        let named: Vec<&str> = events.iter().filter_map(|keys| keys.name.as_deref()).collect();
        let stops = stops.iter().enumerate().map(|(number, keys)| ("stop", number, keys));
        let events = events.iter().enumerate().map(|(number, keys)| ("event", number, keys));
        for (section, number, keys) in stops.chain(events) {
            let key = format!("{section}.{number}.when");
            let text = keys.when.trim();
            let (plain, counted) = without_counts(text);
            let unknown = counted.iter().find_map(|of| match of {
                Counted::Impacts(of) => (!self.can_hit(of, &inputs)).then(|| {
                    format!(
                        "{of:?} is no body, no contact that has a name, and not {ANY_CONTACT:?}{}",
                        self.hit_hint(of, &inputs)
                    )
                }),
                Counted::Events(of) => (!named.contains(&of.as_str())).then(|| {
                    let hint = nearest(of, named.iter().copied());
                    let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
                    format!("no [[event]] has the name {of:?}{hint}")
                }),
            });
            if let Some(unknown) = unknown {
                self.wrong(&key, format!("{key} is {text:?}: {unknown}"));
                continue;
            }
            let names = ConditionNames {
                columns: ColumnNames::new(self.parameters, &inputs, &world.columns),
                counted: &counted,
            };
            let compiled = Compiled::new(&plain, &names);
            let found = compiled.and_then(|compiled| match compiled.constant {
                Some(_) => Err(ExpressionError::Wrong("it never changes".into())),
                None => Ok(compiled),
            });
            let inputs = names.columns.used.into_inner();
            match found {
                Err(error) => self.tell(&key, error),
                Ok(compiled) => out.push(ConditionDescription {
                    name: keys.name.clone().unwrap_or_else(|| text.to_owned()),
                    text: text.to_owned(),
                    stops: section == "stop",
                    inputs,
                    value: Arc::new(move |values| compiled.value(values)),
                }),
            }
        }
        out
    }

    /// Whether impacts of this name can be counted.
    fn can_hit(&self, name: &str, inputs: &ColumnInputs) -> bool {
        name == ANY_CONTACT || self.bodies.contains_key(name) || inputs.is_contact(name)
    }

    fn hit_hint(&self, name: &str, inputs: &ColumnInputs) -> String {
        let contacts = inputs.names().filter_map(|column| column.strip_suffix(".gap"));
        let bodies = self.bodies.keys().map(String::as_str);
        let near = nearest(name, bodies.take(1000).chain(contacts.take(1000)));
        near.map_or(String::new(), |near| format!("; did you mean {near}?"))
    }
}

/// What `count` counts.
#[derive(PartialEq)]
enum Counted {
    /// Impacts of a body or contact.
    Impacts(String),
    /// How often an event came true.
    Events(String),
}

impl Counted {
    /// What stands in the brackets of `count`, and what follows behind them.
    fn read(text: &str) -> Option<(Self, &str)> {
        let text = text.trim_start();
        let (make, inner): (fn(String) -> Self, _) = match text.strip_prefix("impact(") {
            Some(inner) => (Self::Impacts, inner),
            None => (Self::Events, text.strip_prefix("event(")?),
        };
        let (name, after) = inner.split_once(')')?;
        let after = after.trim_start().strip_prefix(')')?;
        Some((make(name.trim().to_owned()), after))
    }

    /// The name of the input of a condition.
    fn input(&self) -> String {
        match self {
            Self::Impacts(of) => format!("count(impact({of}))"),
            Self::Events(of) => format!("count(event({of}))"),
        }
    }
}

/// The text with `count_of[k]` in place of `count(...)`, and what is counted.
fn without_counts(text: &str) -> (String, Vec<Counted>) {
    let (mut out, mut counted): (String, Vec<Counted>) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(begin) = rest.find("count(") {
        let (before, call) = rest.split_at(begin);
        let Some((what, after)) = Counted::read(&call["count(".len()..]) else { break };
        let position = counted.iter().position(|own| *own == what).unwrap_or_else(|| {
            counted.push(what);
            counted.len() - 1
        });
        out.push_str(before);
        out.push_str(&format!("{COUNTS}[{position}]"));
        rest = after;
    }
    out.push_str(rest);
    (out, counted)
}

/// What a condition may hold: columns, whether everything is at rest, and counts.
struct ConditionNames<'a> {
    columns: ColumnNames<'a>,
    counted: &'a [Counted],
}

impl ConditionNames<'_> {
    /// The input for a name that is no column.
    fn own(&self, name: &str, index: Option<usize>) -> Option<String> {
        match (name, index) {
            (AT_REST, None) => Some(AT_REST.to_owned()),
            (COUNTS, Some(index)) => self.counted.get(index).map(Counted::input),
            _ => None,
        }
    }
}

impl Names for ConditionNames<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        let Some(own) = self.own(name, index) else { return self.columns.find(name, index) };
        let number = self.columns.number(&own);
        Some(Ok(Meaning::Variable(number, UnitKind::Count { turns: false })))
    }

    fn word(&self, name: &str) -> Option<&str> {
        if name == AT_REST || name == COUNTS { None } else { self.columns.word(name) }
    }

    fn knows(&self, name: &str) -> bool {
        name == AT_REST || name == COUNTS || self.columns.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        Hint::near_or(nearest(name, [AT_REST]), || self.columns.hint(name))
    }

    fn has_time(&self) -> bool {
        true
    }
}
