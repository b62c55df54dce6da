//! What happens in a period, in its order.

use super::shooting::Found;
use crate::system::MechanicalSystem;
use std::fmt;

/// A part of what happens in a period; of several at one instant impacts come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happening {
    /// An impact of the contact of this name.
    Impact(String),
    /// A mode begins: what is held, in words.
    Mode(String),
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Impact(name) => write!(f, "impact {name}"),
            Self::Mode(mode) => f.write_str(mode),
        }
    }
}

impl Found {
    /// What happens in a period: modes and impacts in their order.
    pub(super) fn sequence(&self, system: &dyn MechanicalSystem) -> Vec<Happening> {
        let modes = self.phases.iter().map(|phase| (phase.t, Happening::Mode(phase.mode.clone())));
        let name = |key: &u64| Happening::Impact(system.contact_name(*key));
        let impacts = self.impacts.iter().map(|(t, key, _)| (*t, name(key)));
        let mut all: Vec<(f64, Happening)> = modes.chain(impacts).collect();
        let is_mode = |what: &Happening| matches!(what, Happening::Mode(_));
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(is_mode(&a.1).cmp(&is_mode(&b.1))));
        let mut sequence: Vec<Happening> = all.into_iter().map(|(_, what)| what).collect();
        sequence.dedup();
        // The period begins within a mode.
        if sequence.len() > 1 && sequence.first() == sequence.last() {
            sequence.pop();
        }
        sequence
    }
}

/// Number of impacts in a sequence.
pub(super) fn impacts(sequence: &[Happening]) -> usize {
    sequence.iter().filter(|what| matches!(what, Happening::Impact(_))).count()
}
