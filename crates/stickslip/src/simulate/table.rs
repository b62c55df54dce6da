//! The table of results as comma-separated values.

use super::Sample;
use crate::system::{ColumnList, ContactColumn, Observed};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Time after which written rows reach the file even if the buffer is not full.
const FLUSH: Duration = Duration::from_secs(1);

/// Writes rows of output with a header: time, the columns of the system, energies, contacts,
/// residual and iterations. Rows are flushed at least every second, so that what was computed
/// survives a crash.
pub struct TableWriter<W: Write> {
    writer: W,
    before_energy: usize,
    contact_columns: Vec<Vec<ContactColumn>>,
    flushed: Instant,
}

impl<W: Write> TableWriter<W> {
    /// Writes the header; `columns` are those of system and integrator.
    pub fn new(system: &dyn Observed, columns: &ColumnList, mut writer: W) -> io::Result<Self> {
        let mut header = String::from("t");
        for name in &columns.before_energy {
            header.push(',');
            header.push_str(&name.name);
        }
        header.push_str(",kinetic,potential,energy");
        for name in &columns.behind_energy {
            header.push(',');
            header.push_str(&name.name);
        }
        let mut contact_columns = Vec::new();
        for (position, key) in system.reported_contacts().iter().enumerate() {
            let name = system.contact_name(*key);
            for column in system.contact_columns(position) {
                header.push_str(&format!(",{name}.{}", column.name()));
            }
            contact_columns.push(system.contact_columns(position).to_vec());
        }
        header.push_str(",residual,iterations\n");
        writer.write_all(header.as_bytes())?;
        Ok(Self {
            writer,
            before_energy: columns.before_energy.len(),
            contact_columns,
            flushed: Instant::now(),
        })
    }

    /// Writes a row.
    pub fn row(&mut self, sample: &Sample) -> io::Result<()> {
        let out = &mut self.writer;
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
        if self.flushed.elapsed() >= FLUSH {
            out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Writes what is still in the buffer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
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
