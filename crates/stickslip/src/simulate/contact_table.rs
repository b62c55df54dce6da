//! Contacts in tables: their values in a row of output, and the table of what happened at them:
//! closings, openings, stick, slip, impacts and their accumulations.

use super::table::Short;
use super::{Event, EventKind};
use crate::integrate::{ContactState, Impact};
use crate::system::{ContactValues, MechanicalSystem};
use std::io::{self, Write};

/// A reported contact in a row of output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSample {
    /// Gap, forces and place; the slip is the largest of its closed points.
    pub values: ContactValues,
    /// State in the last step.
    pub state: ContactState,
    /// The joined state of all steps since the last row: a short contact is not lost.
    pub touched: ContactState,
}

/// One row: its time, its place among rows of the same time, and what happened.
enum Occurrence<'a> {
    Event(&'a Event),
    Impact(&'a Impact),
}

impl Occurrence<'_> {
    fn time(&self) -> f64 {
        match self {
            Occurrence::Event(event) => event.t,
            Occurrence::Impact(impact) => impact.t,
        }
    }

    /// A contact closes, is hit and opens, all within one time step.
    fn rank(&self) -> u8 {
        match self {
            Occurrence::Event(Event { kind: EventKind::Close, .. }) => 0,
            Occurrence::Impact(_) => 1,
            Occurrence::Event(Event { kind: EventKind::Accumulation, .. }) => 2,
            Occurrence::Event(Event { kind: EventKind::Stick | EventKind::Slip, .. }) => 3,
            Occurrence::Event(Event { kind: EventKind::Open, .. }) => 4,
        }
    }
}

/// Writes closings, openings, stick, slip, impacts and accumulations in the order of time, as comma-separated
/// values with a header; velocities and percussion are those of impacts and empty for the others.
pub fn write_contacts<W: Write>(
    system: &dyn MechanicalSystem,
    events: &[Event],
    motions: &[Event],
    impacts: &[Impact],
    mut writer: W,
) -> io::Result<W> {
    let mut rows: Vec<Occurrence> = events
        .iter()
        .chain(motions)
        .map(Occurrence::Event)
        .chain(impacts.iter().map(Occurrence::Impact))
        .collect();
    rows.sort_by(|a, b| a.time().total_cmp(&b.time()).then(a.rank().cmp(&b.rank())));
    writeln!(
        writer,
        "t,contact,event,normal_velocity_before,normal_velocity_after,normal_percussion"
    )?;
    for row in rows {
        let t = super::table::number(row.time());
        match row {
            Occurrence::Event(event) => {
                let name = system.contact_name(event.contact);
                writeln!(writer, "{t},{name},{},,,", event.kind.name())?;
            }
            Occurrence::Impact(impact) => {
                let name = system.contact_name(impact.contact);
                let ([before, after], percussion) =
                    (impact.normal_velocity.map(Short), Short(impact.normal_percussion));
                writeln!(writer, "{t},{name},impact,{before},{after},{percussion}")?;
            }
        }
    }
    writer.flush()?;
    Ok(writer)
}
