//! What the command makes of a scene or a run, for programs that run scenes themselves.

use crate::check;
use crate::report;
pub use crate::report::Recorder;
use crate::run_summary::SummaryFile;
use std::io::{self, Write};
use std::time::Duration;
use stickslip::analysis::start::StartReport;
use stickslip::scene::Scene;
use stickslip::simulate::Summary;

/// A run that is over.
pub struct Results<'a> {
    /// What was run.
    pub scene: &'a Scene,
    /// What came of it.
    pub summary: &'a Summary,
    /// Doubts about scene and results.
    pub warnings: Vec<String>,
    /// Rows of output.
    pub rows: u64,
    /// Computing time.
    pub time: Duration,
    /// What made the run, as the page and the file name it.
    pub command: &'a str,
}

impl Results<'_> {
    fn file(&self) -> SummaryFile<'_> {
        let mut file =
            SummaryFile::new(self.scene, self.summary, self.command, self.rows, self.time);
        file.warnings.clone_from(&self.warnings);
        file
    }

    /// The text of `summary.json`.
    pub fn summary(&self) -> Result<String, String> {
        serde_json::to_string(&self.file()).map_err(|e| e.to_string())
    }

    /// Writes the report page.
    pub fn write_page(&self, recorder: &Recorder, out: impl Write) -> io::Result<()> {
        report::write(self.scene, recorder, self.summary, &self.file(), out)
    }
}

/// What `stickslip check` tells of a scene, in lines, and whether it can run.
pub fn check(scene: &Scene) -> (Vec<String>, bool) {
    let tolerance = check::CHECK_TOLERANCE;
    let report = StartReport::new(scene.system.as_ref(), &scene.start, tolerance);
    check::told(scene, &report, tolerance)
}

/// Joints that contradict each other: the scene cannot run.
pub fn contradiction(scene: &Scene) -> Option<String> {
    scene.contradiction(check::CHECK_TOLERANCE)
}
