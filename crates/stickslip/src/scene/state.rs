//! The section `[state]`: where a run starts, in place of what the rest of the scene says.

use super::document::Document;
use super::findings::Findings;
use super::ranges;
use super::world::quantity::LARGEST;
use super::{Scene, SceneError};
use crate::system::State;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

/// Its key.
pub(super) const STATE: &str = "state";

/// A state of the system as `stickslip state` writes it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateKeys {
    /// Time, s.
    t: f64,
    /// Coordinates of all bodies.
    q: Vec<f64>,
    /// Velocities of all bodies.
    u: Vec<f64>,
    /// What the system remembers beside them.
    #[serde(default)]
    memory: Vec<f64>,
}

impl StateKeys {
    /// Reads the section, if there is one.
    pub(super) fn read(document: &Document) -> Result<Option<Self>, SceneError> {
        let Some(value) = document.table.get(STATE) else { return Ok(None) };
        value.clone().try_into().map(Some).map_err(|e: toml::de::Error| {
            let mut findings = Findings::default();
            findings.value(STATE, format!("[state]: {}", e.message()));
            document.error(findings)
        })
    }
}

impl Scene {
    /// Starts from a state.
    pub(super) fn start_from(&mut self, keys: StateKeys) -> Result<(), SceneError> {
        let StateKeys { t, q, u, memory } = keys;
        let system = self.system.as_ref();
        let wanted =
            [system.coordinate_count(), system.blocks().iter().sum(), system.memory_count()];
        for ((name, list), count) in [("q", &q), ("u", &u), ("memory", &memory)].iter().zip(wanted)
        {
            if list.len() != count {
                let found = list.len();
                let message = format!("state.{name} has {found} numbers, it must have {count}");
                return Err(self.refuse(message));
            }
        }
        let numbers = q.iter().chain(&u).chain(&memory).chain([&t]).copied();
        if let Some(value) = { numbers }.find(|value| !(value.abs() <= LARGEST)) {
            let message = format!("state has the number {value}, all must be at most {LARGEST:e}");
            return Err(self.refuse(message));
        }
        self.start = State { t, q, u, memory };
        Ok(())
    }

    /// The scene as a file that starts at a state of its system and ends when this one does. Elements of the
    /// ODE route start without load.
    pub fn from_here(&self, state: &State) -> String {
        let list = |values: &[f64]| Value::Array(values.iter().map(|x| Value::Float(*x)).collect());
        let own = self.system.memory_count().min(state.memory.len());
        let mut table = ranges::put_back(self.effective(), &self.ranges);
        let keys = [
            ("t", Value::Float(state.t)),
            ("q", list(&state.q)),
            ("u", list(&state.u)),
            ("memory", list(&state.memory[..own])),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value));
        table.insert(STATE.into(), Value::Table(Table::from_iter(keys)));
        let left = self.start.t + self.simulation.duration - state.t;
        if let (true, Some(Value::Table(simulation))) = (left > 0.0, table.get_mut("simulation")) {
            simulation.insert("duration".into(), Value::Float(left));
        }
        table.to_string()
    }
}
