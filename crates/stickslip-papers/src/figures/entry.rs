//! What there is to reproduce.

use super::runs::Context;
use super::verdict::Row;
use super::{flores_2010, le_saux_2005, leine_2003, moeller_2009, xiong_2013};
use crate::plot::Figure;

/// A figure of a paper.
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub caption: &'static str,
    /// With which data.
    pub parameters: &'static str,
    /// Computes it.
    pub run: fn(&Context) -> Result<Outcome, String>,
}

/// A figure with its comparisons.
pub struct Outcome {
    /// The picture.
    pub figure: Figure,
    /// The comparisons.
    pub rows: Vec<Row>,
    /// What a reader must not miss.
    pub warning: Option<String>,
}

impl Outcome {
    /// A figure with its comparisons.
    pub fn new(figure: Figure, rows: Vec<Row>) -> Self {
        Self { figure, rows, warning: None }
    }

    /// The same with a warning.
    pub fn warning(mut self, text: String) -> Self {
        self.warning = Some(text);
        self
    }
}

/// All figures, in the order of the papers.
pub fn entries() -> Vec<&'static Entry> {
    [
        leine_2003::ENTRIES,
        flores_2010::ENTRIES,
        xiong_2013::ENTRIES,
        le_saux_2005::ENTRIES,
        moeller_2009::ENTRIES,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A figure of panels in so many columns.
pub fn figure(title: &str, columns: usize, panels: Vec<crate::plot::Panel>) -> Figure {
    Figure { title: title.to_owned(), panels, columns, panel_size: (0.0, 0.0) }
}
