//! Finds the bytes of a key or value in a file.

use super::findings::Mark;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The tree of a file with the places of its entries. It is made only when something is wrong.
pub(crate) struct Locator<'a> {
    root: Option<Spanned<DeTable<'a>>>,
}

impl<'a> Locator<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { root: DeTable::parse(text).ok() }
    }

    /// The bytes of a dotted key, or of its value. Entries of lists are numbers.
    pub(crate) fn find(&self, key: &str, mark: Mark) -> Option<Range<usize>> {
        let mut parts = key.split('.');
        let root = self.root.as_ref()?.get_ref();
        let first = parts.next()?;
        let (name, mut value) = root.iter().find(|(name, _)| name.get_ref() == first)?;
        let mut key_span = name.span();
        for part in parts {
            (key_span, value) = match value.get_ref() {
                DeValue::Table(table) => {
                    let found = table.iter().find(|(name, _)| name.get_ref() == part)?;
                    (found.0.span(), found.1)
                }
                DeValue::Array(list) => {
                    let entry = list.get(part.parse::<usize>().ok()?)?;
                    (entry.span(), entry)
                }
                _ => return None,
            };
        }
        Some(match mark {
            Mark::Key => key_span,
            Mark::Value => value.span(),
        })
    }
}
