//! The report page of a run: one file that shows motion, plots and summary in a browser, offline.
//!
//! [`Recorder`] keeps what the page needs while the run goes on, [`write()`] makes the page of it.

mod encode;
mod page;
mod payload;
mod places;
mod recorder;
mod row;
mod squeeze;

pub use page::escaped;
pub use recorder::{MOST_COLUMNS, Recorder};
pub use row::{ContactRow, ENERGIES, Row};

use crate::run_summary::SummaryFile;
pub use page::{COMPARE, LAB, Page, REPORT, write as write_page};
use payload::Payload;
pub use payload::{FORMAT, VERSION};
use std::io::{self, Write};
use stickslip::scene::Scene;
use stickslip::simulate::Summary;

/// Writes the page of a run, however it ended.
pub fn write<W: Write>(
    scene: &Scene,
    recorder: &Recorder,
    summary: &Summary,
    file: &SummaryFile,
    mut out: W,
) -> io::Result<()> {
    page::write(&page::REPORT, &scene.name, &data(scene, recorder, summary, file)?, &mut out)?;
    out.flush()
}

/// The data of the page as JSON.
pub fn data(
    scene: &Scene,
    recorder: &Recorder,
    summary: &Summary,
    file: &SummaryFile,
) -> serde_json::Result<String> {
    serde_json::to_string(&Payload::new(scene, recorder, summary, file)?)
}
