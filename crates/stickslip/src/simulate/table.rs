//! The table of results as comma-separated values.

use super::Sample;
use crate::system::{Column, ColumnList, ContactColumn, Observed};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Time after which rows reach the file even if there are few of them.
const FLUSH: Duration = Duration::from_secs(1);
/// Bytes of rows that are written together.
const TOGETHER: usize = 16 << 10;
/// Size of the pages of a file: a process that is killed in the midst of a write leaves what fits into whole ones.
const PAGE: u64 = 4096;

/// Writes rows of output with a header: time, the columns of the system, energies, contacts,
/// residual and iterations. Only whole rows go to the writer, many in one call and at least every second:
/// what was computed survives a crash, and its last row is complete, unless a write was killed
/// between two pages of one row.
pub struct TableWriter<W: Write> {
    writer: W,
    /// Rows that are not written yet.
    rows: Vec<u8>,
    /// Bytes that are.
    written: u64,
    before_energy: usize,
    contact_columns: Vec<Vec<ContactColumn>>,
    flushed: Instant,
}

impl<W: Write> TableWriter<W> {
    /// Writes the header; `columns` are those of system and integrator.
    pub fn new(system: &dyn Observed, columns: &ColumnList, writer: W) -> io::Result<Self> {
        let mut table = Self::continued(system, columns, writer, 0);
        table.rows = header(system, columns).into_bytes();
        table.flush()?;
        Ok(table)
    }

    /// Goes on with a table that has so many bytes, at whose end the writer stands.
    pub fn continued(system: &dyn Observed, columns: &ColumnList, writer: W, written: u64) -> Self {
        let own = 0..system.reported_contacts().len();
        Self {
            writer,
            rows: Vec::new(),
            written,
            before_energy: columns.before_energy.len(),
            contact_columns: own.map(|k| system.contact_columns(k).to_vec()).collect(),
            flushed: Instant::now(),
        }
    }

    /// Writes a row.
    pub fn row(&mut self, sample: &Sample) -> io::Result<()> {
        let out = &mut self.rows;
        write!(out, "{}", number(sample.state.t))?;
        let (before, behind) = sample.values.split_at(self.before_energy);
        for value in before {
            write!(out, ",{}", Short(*value))?;
        }
        let energy = sample.energy;
        let [kinetic, potential, total] =
            [energy.kinetic, energy.potential, energy.total()].map(Short);
        write!(out, ",{kinetic},{potential},{total}")?;
        for value in behind {
            write!(out, ",{}", Short(*value))?;
        }
        for (contact, columns) in sample.contacts.iter().zip(&self.contact_columns) {
            for column in columns {
                match column {
                    ContactColumn::State => write!(out, ",{}", contact.state.name())?,
                    number => write!(out, ",{}", Short(number.value(&contact.values)))?,
                }
            }
        }
        writeln!(out, ",{},{}", Short(sample.residual), sample.iterations)?;
        if self.rows.len() >= TOGETHER || self.flushed.elapsed() >= FLUSH {
            self.flush()?;
        }
        Ok(())
    }

    /// Bytes of the rows so far.
    pub fn bytes(&self) -> u64 {
        self.written + self.rows.len() as u64
    }

    /// Bytes of the rows that the writer has taken: behind them there may be part of others if it failed.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// What the rows are written to.
    pub fn writer(&self) -> &W {
        &self.writer
    }

    /// Writes the rows that are not written yet: as many in one call as lie within a page of the file, and a row
    /// across two of them in a call of its own.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut done = 0;
        let mut outcome = Ok(());
        while done < self.rows.len() && outcome.is_ok() {
            let rest = &self.rows[done..];
            let in_page = (PAGE - self.written % PAGE) as usize;
            let last_end = rest[..in_page.min(rest.len())].iter().rposition(|byte| *byte == b'\n');
            let first_end = || rest.iter().position(|byte| *byte == b'\n');
            let length = last_end.or_else(first_end).map_or(rest.len(), |end| end + 1);
            outcome = self.writer.write_all(&rest[..length]);
            if outcome.is_ok() {
                self.written += length as u64;
                done += length;
            }
        }
        self.rows.drain(..done);
        outcome?;
        self.writer.flush()?;
        self.flushed = Instant::now();
        Ok(())
    }

    /// Writes the rows that are not written yet.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.writer)
    }
}

/// The names of the columns.
fn header(system: &dyn Observed, columns: &ColumnList) -> String {
    let mut header = String::from("t");
    let own = |names: &[Column]| names.iter().map(|n| format!(",{}", n.name)).collect::<String>();
    header.push_str(&own(&columns.before_energy));
    header.push_str(",kinetic,potential,energy");
    header.push_str(&own(&columns.behind_energy));
    for (position, key) in system.reported_contacts().iter().enumerate() {
        let name = system.contact_name(*key);
        for column in system.contact_columns(position) {
            header.push_str(&format!(",{name}.{}", column.name()));
        }
    }
    header + ",residual,iterations\n"
}

/// Rounding of a time that is a sum or product of others, relative.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Times as people write them: 0.001 and not 0.0010000000000000002, which is the same but for rounding. Times
/// that were located keep all their digits.
pub(super) fn number(value: f64) -> Short {
    let rounded = (value * 1e12).round() / 1e12;
    let same = (rounded - value).abs() <= ROUNDING * value.abs();
    Short(if same { rounded } else { value })
}

/// A number in the shortest form that gives the same number again, with an exponent where that is shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero makes a zero of −0.
        let value = self.0 + 0.0;
        let size = value.abs();
        let plain = value == 0.0 || !value.is_finite() || (1e-3..1e7).contains(&size);
        if plain { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}
