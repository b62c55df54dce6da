//! The rows of the points of a study in its folder, and how far it is.

use super::journal::Journal;
use super::workers::share;
use super::{StudyError, SweepProgress, claim_folder};
use crate::stop::StopCheck;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

const JOURNAL: &str = "journal.tsv";

/// The rows in their journal.
pub(super) struct PointRows {
    pub journal: Journal,
    /// Number of the column with the status.
    status: usize,
    pub progress: SweepProgress,
}

impl PointRows {
    /// The rows in a folder: a new one, or that of the same study of so many points.
    pub fn open(
        folder: &Path,
        study: &Value,
        points: usize,
        status: usize,
    ) -> Result<Self, StudyError> {
        claim_folder(folder, study)?;
        let journal = Journal::open(folder.join(JOURNAL), points)?;
        let mut progress = SweepProgress { points, ..SweepProgress::default() };
        journal.each(&mut |_, row| {
            progress.count(row, status);
            Ok(())
        })?;
        progress.resumed = progress.over;
        Ok(Self { journal, status, progress })
    }

    /// The points that are not done.
    pub fn todo(&self) -> Vec<Range<usize>> {
        self.journal.todo()
    }

    /// Notes the row of a point; from here on it is not lost.
    pub fn push(&mut self, point: usize, row: &str) -> Result<(), StudyError> {
        self.journal.push(point, row)?;
        self.progress.count(row, self.status);
        Ok(())
    }

    /// Makes the rows that are left on some threads; one that is none was ended by `stop`.
    pub fn run_left(
        &mut self,
        jobs: usize,
        stop: &StopCheck,
        row: &(dyn Fn(usize) -> Option<String> + Sync),
        tell: &mut dyn FnMut(&SweepProgress),
    ) -> Result<(), StudyError> {
        tell(&self.progress);
        share(&self.todo(), jobs, stop, row, &mut |point, row| {
            self.push(point, &row)?;
            tell(&self.progress);
            Ok(())
        })
    }
}
