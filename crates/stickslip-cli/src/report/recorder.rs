//! Keeps what the page needs, in bounded memory.

use super::row::Row;
use stickslip::memory::Tape;
use stickslip::simulate::Sample;
use stickslip::system::{ColumnList, Observed};

/// Most rows of the page: more than a screen can show.
const MOST_ROWS: usize = 4096;
/// Fewest rows before they are thinned out, however large each of them is.
const LEAST_ROWS: usize = 256;
/// Most columns of the page: of a thousand bodies those of the first ones.
pub const MOST_COLUMNS: usize = 600;
/// Numbers of four bytes that the rows may hold; in the page they take a third more.
const MOST_NUMBERS: usize = 280_000;

/// The rows of a run that its page shows.
///
/// When there are too many, neighbours are joined two by two and from then on twice as many rows of
/// output make a row. Joined rows keep the extremes of values, forces and residuals and every
/// state that a contact had, so that no impact is lost. The start always has a row of its own.
#[derive(Clone)]
pub struct Recorder {
    /// Numbers of the columns that are drawn.
    drawn: Vec<usize>,
    rows: Vec<Row>,
    stride: usize,
    /// Rows of output in the last row.
    filled: usize,
}

impl Recorder {
    /// An empty record of a run with these columns.
    pub fn new(columns: &ColumnList) -> Self {
        let mut drawn = columns.drawn();
        drawn.truncate(MOST_COLUMNS);
        Self { drawn, rows: Vec::new(), stride: 1, filled: 0 }
    }

    /// Takes in a row of output of a run of this system.
    pub fn record(&mut self, system: &dyn Observed, sample: &Sample) {
        let row = Row::new(system, &self.drawn, sample);
        let most = (MOST_NUMBERS / row.size().max(1)).clamp(LEAST_ROWS, MOST_ROWS);
        if self.rows.len() > most && self.filled == self.stride {
            self.thin_out();
        }
        match self.rows.last_mut() {
            Some(last) if self.filled < self.stride => {
                last.join(row);
                self.filled += 1;
            }
            // The start counts as full.
            _ => {
                self.filled = if self.rows.is_empty() { self.stride } else { 1 };
                self.rows.push(row);
            }
        }
    }

    /// Joins the rows behind the start two by two.
    fn thin_out(&mut self) {
        let mut thin: Vec<Row> = Vec::with_capacity(self.rows.len() / 2 + 2);
        for (position, row) in self.rows.drain(..).enumerate() {
            match thin.last_mut() {
                Some(last) if position >= 2 && position % 2 == 0 => last.join(row),
                _ => thin.push(row),
            }
            self.filled = if position % 2 == 0 { 2 * self.stride } else { self.stride };
        }
        self.rows = thin;
        self.stride *= 2;
    }

    /// Writes everything, or reads it.
    pub fn keep(&mut self, tape: &mut Tape) {
        tape.section("rows of the page, 2");
        tape.size(&mut self.stride);
        tape.size(&mut self.filled);
        tape.list(&mut self.rows, |tape, row| row.keep(tape));
    }

    /// Forgets what is behind a time, s.
    pub fn cut(&mut self, t: f64) {
        let count = self.rows.len();
        self.rows.retain(|row| row.t <= t);
        if self.rows.len() < count {
            self.filled = self.stride;
        }
    }

    /// What was recorded.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Rows of output that make a row of the page.
    pub fn stride(&self) -> usize {
        self.stride
    }
}
