//! Conditions that a run watches: what they are made of, and whether they hold.

use super::columns::Source;
use super::description::{ConditionDescription, Part, WorldDescription, WorldError};
use super::world::{JOINTS, World};
use super::{ColumnInputs, columns};
use crate::system::{Condition, Facts, Observed, Seen, State};

/// The name of an input that is 1 where everything is at rest.
pub const AT_REST: &str = "at_rest";

/// The partner that stands for every contact.
pub const ANY_CONTACT: &str = "any";

/// What a condition is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Column(Source),
    /// Number of impacts so far, by the number of its counter.
    Count(usize),
    /// How often a condition came true, by its number.
    Happened(usize),
    AtRest,
}

/// Which impacts are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Counter {
    Any,
    /// Those of a body.
    Body(usize),
    /// Those of a reported contact.
    Contact(usize),
}

impl Counter {
    /// What a name counts in a world; nothing if neither a body nor a reported contact has it.
    pub fn of(world: &World, name: &str) -> Option<Self> {
        if name == ANY_CONTACT {
            return Some(Counter::Any);
        }
        if let Some(body) = world.bodies.iter().position(|body| body.name == name) {
            return Some(Counter::Body(body));
        }
        let shown = world.contact_names.iter().find(|(own, _)| own == name);
        let shown = shown.map_or(name, |(_, shown)| shown);
        let mut keys = world.reported_contacts().iter();
        keys.position(|key| world.name_of(*key) == shown).map(Counter::Contact)
    }

    /// Whether an impact at the contact with this key counts.
    pub fn counts(self, world: &World, key: u64) -> bool {
        match self {
            Counter::Any => true,
            Counter::Body(body) => {
                let parts = if key < JOINTS { world.parts(key) } else { None };
                parts.is_some_and(|(shapes, _)| shapes.iter().any(|shape| shape.body == body))
            }
            Counter::Contact(contact) => world.reported_index(key) == Some(contact),
        }
    }
}

/// The conditions of a world.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    pub list: Vec<Condition>,
    items: Vec<(ConditionDescription, Vec<Input>)>,
    counters: Vec<Counter>,
}

impl Conditions {
    /// Finds the inputs of all conditions, or says which are not there.
    pub fn new(world: &WorldDescription) -> Result<Self, Vec<WorldError>> {
        let mut out = Self::default();
        if world.conditions.is_empty() {
            return Ok(out);
        }
        let inputs = ColumnInputs::new(world);
        let reported = columns::reported(world);
        let mut errors = Vec::new();
        for (number, condition) in world.conditions.iter().enumerate() {
            let mut found = Vec::with_capacity(condition.inputs.len());
            for name in &condition.inputs {
                let inner = |call: &str| name.strip_prefix(call)?.strip_suffix("))");
                let input = if let Some(of) = inner("count(event(") {
                    let is_it = |own: &ConditionDescription| !own.stops && own.name == of;
                    world.conditions.iter().position(is_it).map(Input::Happened)
                } else if let Some(of) = inner("count(impact(") {
                    let body = world.bodies.iter().position(|body| body.name == of);
                    let contact = || reported.iter().position(|(own, _)| own == of);
                    let any = (of == ANY_CONTACT).then_some(Counter::Any);
                    let counter = any
                        .or_else(|| body.map(Counter::Body))
                        .or_else(|| contact().map(Counter::Contact));
                    counter.map(|counter| {
                        out.counters.push(counter);
                        Input::Count(out.counters.len() - 1)
                    })
                } else if name == AT_REST {
                    Some(Input::AtRest)
                } else {
                    let computed = world.columns.iter().position(|column| column.name == *name);
                    let source = computed.map(Source::Computed).or_else(|| inputs.source(name));
                    source.map(Input::Column)
                };
                match input {
                    Some(input) => found.push(input),
                    None => errors.push(WorldError {
                        part: Part::Condition(number),
                        key: "when",
                        message: format!("condition {:?}: there is no {name}", condition.text),
                    }),
                }
            }
            out.list.push(Condition { name: condition.name.clone(), stops: condition.stops });
            out.items.push((condition.clone(), found));
        }
        if errors.is_empty() { Ok(out) } else { Err(errors) }
    }

    /// Number of counters.
    pub fn counter_count(&self) -> usize {
        self.counters.len()
    }

    /// Whether an impact at the contact with this key counts for a counter.
    pub fn counts(&self, world: &World, counter: usize, key: u64) -> bool {
        self.counters.get(counter).is_some_and(|counter| counter.counts(world, key))
    }

    /// Which conditions hold; `memory` is for what is computed on the way.
    pub fn hold(
        &self,
        world: &World,
        at: &State,
        seen: &Seen,
        facts: &Facts,
        memory: &mut [Vec<f64>; 2],
        out: &mut Vec<bool>,
    ) {
        let [values, inputs] = memory;
        values.clear();
        world.observe(at, values);
        let first = values.len();
        world.derived.compute(world, at, seen, values, inputs);
        out.clear();
        for (condition, sources) in &self.items {
            inputs.clear();
            inputs.extend(sources.iter().map(|input| match *input {
                Input::Column(source) => {
                    world.derived.input(source, world, at, seen, (values, first))
                }
                Input::Count(counter) => facts.counts.get(counter).map_or(0.0, |n| *n as f64),
                Input::Happened(condition) => {
                    facts.happened.get(condition).map_or(0.0, |n| *n as f64)
                }
                Input::AtRest => f64::from(u8::from(facts.at_rest)),
            }));
            let value = (condition.value)(inputs);
            // What is not a number, such as the place of a contact that is far, is no reason to stop.
            out.push(value != 0.0 && !value.is_nan());
        }
    }
}
