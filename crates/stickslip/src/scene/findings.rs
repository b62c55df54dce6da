//! What was found to be wrong, by key; a document finds the places.

use super::error::Cause;

/// Which part of an entry `key = value` is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Key,
    Value,
}

/// Something that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Dotted key; entries of lists by their number.
    pub(crate) key: String,
    pub(crate) mark: Mark,
    pub(crate) cause: Cause,
    pub(crate) message: String,
}

/// Everything that is wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
    /// What did not find room in the list.
    pub(crate) more: usize,
}

/// Most findings that are kept: nobody reads more of them.
const MOST: usize = 100;

impl Findings {
    pub(crate) fn add(&mut self, key: &str, mark: Mark, cause: Cause, message: String) {
        if self.list.len() < MOST {
            self.list.push(Finding { key: key.into(), mark, cause, message });
        } else {
            self.more += 1;
        }
    }

    /// A value that is wrong.
    pub(crate) fn value(&mut self, key: &str, message: String) {
        self.add(key, Mark::Value, Cause::Wrong, message);
    }

    /// A key that is wrong.
    pub(crate) fn key(&mut self, key: &str, message: String) {
        self.add(key, Mark::Key, Cause::Wrong, message);
    }

    /// A value that is too large for the program.
    pub(crate) fn limit(&mut self, key: &str, message: String) {
        self.add(key, Mark::Value, Cause::Limit, message);
    }

    /// Whether the next one is only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
