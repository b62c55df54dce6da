//! The table of results as comma-separated values.

use super::Sample;
use crate::system::{ColumnList, ContactColumn, Observed};
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
    contact_columns: Vec<ContactColumn>,
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
        for key in system.reported_contacts() {
            let name = system.contact_name(*key);
            for column in system.contact_columns() {
                header.push_str(&format!(",{name}.{}", column.name()));
            }
        }
        header.push_str(",residual,iterations\n");
        writer.write_all(header.as_bytes())?;
        Ok(Self {
            writer,
            before_energy: columns.before_energy.len(),
            contact_columns: system.contact_columns().to_vec(),
            flushed: Instant::now(),
        })
    }

    /// Writes a row.
    pub fn row(&mut self, sample: &Sample) -> io::Result<()> {
        let out = &mut self.writer;
        write!(out, "{}", number(sample.state.t))?;
        let (before, behind) = sample.values.split_at(self.before_energy);
        // Adding zero makes a zero of −0.
        for value in before {
            write!(out, ",{}", value + 0.0)?;
        }
        let energy = sample.energy;
        write!(out, ",{},{},{}", energy.kinetic, energy.potential, energy.total())?;
        for value in behind {
            write!(out, ",{}", value + 0.0)?;
        }
        for contact in sample.contacts {
            for column in &self.contact_columns {
                match column {
                    ContactColumn::Gap => write!(out, ",{}", contact.gap)?,
                    ContactColumn::Force => write!(out, ",{}", contact.force)?,
                    ContactColumn::Slip => write!(out, ",{}", contact.slip)?,
                    ContactColumn::State => write!(out, ",{}", contact.state.name())?,
                }
            }
        }
        writeln!(out, ",{},{}", number(sample.residual), sample.iterations)?;
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

/// Times as people write them (0.001, not 0.0010000000000000002), small numbers with an exponent.
pub(super) fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        return format!("{value:e}");
    }
    let rounded = (value * 1e12).round() / 1e12;
    format!("{rounded}")
}
