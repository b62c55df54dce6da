//! Sweeps: a run at every point, and numbers that are made of each.

use super::measure::{Ended, Measure};
use super::point_rows::PointRows;
use super::quantity::Vocabulary;
use super::{Plan, StudyError, Vary, cell, check_keys, number, with_all_columns, with_columns};
use crate::scene::{SceneError, SceneFile};
use crate::simulate::{Observer, Progress, RunStatus, Sample, Trajectory};
use crate::stop::StopCheck;
use serde_json::{Value, json};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The table of a sweep.
pub const TABLE: &str = "sweep.csv";

/// A run at every point of a plan, and measures of each.
///
/// ```
/// use stickslip::scene::SceneFile;
/// use stickslip::study::{Design, Plan, Sweep, Vary};
///
/// let plan = Plan::new(vec![Vary::parse("parameters.restitution=0.2,0.8")?], Design::Grid)?;
/// let file = SceneFile::open("vibrating-table")?;
/// let set = ["simulation.duration=0.5".to_owned(), "parameters.phase=0".to_owned()];
/// let sweep = Sweep::new(file, &set, plan, &["max(ball.vy)".to_owned()])?;
/// let points: Vec<_> = (0..2).filter_map(|n| sweep.point(n, &stickslip::study::never())).collect();
/// assert!(points.iter().all(|point| point.status == "done" && point.values[0].is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sweep {
    file: SceneFile,
    overrides: Vec<String>,
    plan: Plan,
    measures: Vec<String>,
    /// Names and units of the measures.
    names: Vec<(String, String)>,
    /// Columns of which they are made.
    columns: Vec<String>,
    hash: String,
    scene: String,
}

/// One point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// How its run ended, in the words of [`RunStatus::name`], or `bad-input`.
    pub status: &'static str,
    /// Why, or what cannot be measured; may be empty.
    pub message: String,
    /// The measures in SI units; none where there is no such number, and of a run that is not done.
    pub values: Vec<Option<f64>>,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepProgress {
    /// Points of the study.
    pub points: usize,
    /// Points that are over, failed ones included.
    pub over: usize,
    /// Those of them that were there when it began.
    pub resumed: usize,
    /// Those of them whose run is not done.
    pub failed: usize,
}

impl SweepProgress {
    /// One more point, whose status is in this column of its row.
    pub(super) fn count(&mut self, row: &str, status: usize) {
        let is_done = super::cells(row).get(status).is_some_and(|status| status == "done");
        self.over += 1;
        self.failed += usize::from(!is_done);
    }
}

impl Sweep {
    /// A sweep; `measures` are `EXPR` or `NAME=EXPR`, `overrides` count at every point.
    pub fn new(
        file: SceneFile,
        overrides: &[String],
        plan: Plan,
        measures: &[String],
    ) -> Result<Self, StudyError> {
        if measures.is_empty() {
            let message =
                "nothing is measured; give --measure, for example --measure \"max(energy)\"";
            return Err(StudyError::wrong(message));
        }
        let base = with_all_columns(&file, overrides)?;
        check_keys(&file, overrides, &plan, base.effective())?;
        let vocabulary = Vocabulary::of(&base);
        let mut names: Vec<(String, String)> = Vec::new();
        let mut columns: Vec<String> = Vec::new();
        for argument in measures {
            let measure = Measure::parse(argument, &vocabulary)?;
            measure.check(base.system.as_ref())?;
            let keys = plan.varies().iter().map(|vary| vary.key.as_str());
            let others = keys.chain(names.iter().map(|(name, _)| name.as_str()));
            if others.chain(["status", "message"]).any(|other| other == measure.name) {
                return Err(StudyError::wrong(format!(
                    "--measure {argument}: another column is called {}; give it a name, NAME={argument}",
                    measure.name
                )));
            }
            for column in measure.columns() {
                if !columns.iter().any(|own| own == column) {
                    columns.push(column.to_owned());
                }
            }
            names.push((measure.name.clone(), measure.unit().to_owned()));
        }
        Ok(Self {
            hash: super::hash(&base.to_toml()),
            scene: base.name.clone(),
            measures: measures.to_vec(),
            overrides: overrides.to_vec(),
            file,
            plan,
            names,
            columns,
        })
    }

    /// The points.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Names and SI units of the measures.
    pub fn measures(&self) -> &[(String, String)] {
        &self.names
    }

    /// Name of the scene.
    pub fn scene(&self) -> &str {
        &self.scene
    }

    /// What makes this study another one than others: what a folder holds beside its table.
    pub fn description(&self) -> Value {
        let varied: Vec<Value> = self.plan.varies().iter().map(Vary::description).collect();
        let measures = self
            .names
            .iter()
            .zip(&self.measures)
            .map(|((name, unit), text)| json!({ "name": name, "unit": unit, "text": text }));
        json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "sweep",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": self.scene,
            "scene_hash": self.hash,
            "set": self.overrides,
            "vary": varied,
            "sample": self.plan.design().to_string(),
            "points": self.plan.count(),
            "measures": measures.collect::<Vec<Value>>(),
        })
    }

    /// All arguments of `--set` of a point.
    pub fn arguments(&self, point: usize) -> Vec<String> {
        let own = self.plan.arguments(point);
        self.overrides.iter().cloned().chain(own).collect()
    }

    /// The run of a point; nothing if it was ended by `stop`. It depends on nothing but the point.
    pub fn point(&self, point: usize, stop: &StopCheck) -> Option<Point> {
        let nothing = vec![None; self.names.len()];
        let bad = |error: String| {
            // One line of a table.
            let message = error.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Point { status: "bad-input", message, values: nothing.clone() })
        };
        let overrides = self.arguments(point);
        let scene = match with_columns(&self.file, &overrides, &self.columns) {
            Ok(scene) => scene,
            Err(error) => return bad(told(&error)),
        };
        // Parameters may be varied: their values are part of the expressions.
        let vocabulary = Vocabulary::of(&scene);
        let parsed = self.measures.iter().map(|text| Measure::parse(text, &vocabulary));
        let measures = match parsed.collect::<Result<Vec<Measure>, StudyError>>() {
            Ok(measures) => measures,
            Err(error) => return bad(error.to_string()),
        };
        let mut simulation = match scene.simulate() {
            Ok(simulation) => simulation,
            Err(error) => return bad(told(&error)),
        };
        if let Some(message) = scene.contradiction(CONTRADICTION) {
            return bad(message);
        }
        simulation.stop_when(stop.clone());
        let needs_states = measures.iter().any(Measure::needs_states);
        let mut rows =
            Rows { table: Trajectory::of(&simulation), states: Vec::new(), needs_states, stop };
        let summary = simulation.run(&mut rows);
        match &summary.status {
            RunStatus::Interrupted => return None,
            RunStatus::Done => {}
            status => {
                let message = status.to_string();
                return Some(Point { status: status.name(), message, values: nothing });
            }
        }
        let ended = Ended {
            rows: &rows.table,
            summary: &summary,
            system: simulation.system(),
            states: &rows.states,
        };
        let found = measures.iter().map(|measure| measure.value(&ended));
        let found: Vec<Result<f64, String>> = found.collect();
        let missing = found.iter().filter_map(|value| value.as_ref().err().map(String::as_str));
        let message = missing.collect::<Vec<&str>>().join("; ");
        let values = found.into_iter().map(Result::ok).collect();
        Some(Point { status: "done", message, values })
    }

    /// The header of the table.
    pub fn header(&self) -> String {
        let keys = self.plan.varies().iter().map(|vary| vary.key.as_str());
        let names = self.names.iter().map(|(name, _)| name.as_str());
        let all = keys.chain(names).chain(["status", "message"]);
        all.map(cell).collect::<Vec<String>>().join(",")
    }

    /// The row of a point in the table.
    pub fn row(&self, point: usize, found: &Point) -> String {
        let mut cells: Vec<String> = self.plan.values(point).iter().map(|v| cell(v)).collect();
        cells.extend(found.values.iter().map(|value| value.map_or(String::new(), number)));
        cells.extend([cell(found.status), cell(&found.message)]);
        cells.join(",")
    }

    /// Runs all points that the folder does not hold yet, and writes its table. Whatever ends the program, nothing
    /// that is done is lost, and the table is the same bit for bit whatever the number of `jobs`. With `stop` true
    /// the table has what is done.
    pub fn run(
        &self,
        folder: &Path,
        jobs: usize,
        stop: &StopCheck,
        tell: &mut dyn FnMut(&SweepProgress),
    ) -> Result<SweepProgress, StudyError> {
        let mut records = self.open(folder)?;
        self.run_left(&mut records, jobs, stop, tell)?;
        records.finish()
    }

    /// The rows in a folder: a new one, or that of the same study.
    pub fn open(&self, folder: &Path) -> Result<Records, StudyError> {
        let status = self.plan.varies().len() + self.names.len();
        Ok(Records {
            rows: PointRows::open(folder, &self.description(), self.plan.count(), status)?,
            table: folder.join(TABLE),
            header: self.header(),
        })
    }

    /// Runs the points that are left.
    pub fn run_left(
        &self,
        records: &mut Records,
        jobs: usize,
        stop: &StopCheck,
        tell: &mut dyn FnMut(&SweepProgress),
    ) -> Result<(), StudyError> {
        let row = |number: usize| Some(self.row(number, &self.point(number, stop)?));
        records.rows.run_left(jobs, stop, &row, tell)
    }
}

/// The rows of a sweep in its folder, in the order in which they come.
pub struct Records {
    rows: PointRows,
    table: PathBuf,
    header: String,
}

impl Records {
    /// The points that are not done.
    pub fn todo(&self) -> Vec<Range<usize>> {
        self.rows.todo()
    }

    /// Notes the row of a point ([`Sweep::row`]); from here on it is not lost.
    pub fn push(&mut self, point: usize, row: &str) -> Result<(), StudyError> {
        self.rows.push(point, row)
    }

    /// Writes the table of all that is done.
    pub fn finish(&mut self) -> Result<SweepProgress, StudyError> {
        self.rows.journal.write_table(&self.table, &self.header)?;
        Ok(self.rows.progress)
    }
}

/// How far joints may be apart, as in `stickslip check`, m, rad, m/s, rad/s.
const CONTRADICTION: f64 = 1e-6;

/// What is wrong, without excerpts of the file.
fn told(error: &SceneError) -> String {
    let all = error.complaints.iter().map(|complaint| complaint.message.as_str());
    all.collect::<Vec<&str>>().join("; ")
}

/// Keeps the rows, and ends when it must.
struct Rows<'a> {
    table: Trajectory,
    states: Vec<Vec<f64>>,
    needs_states: bool,
    stop: &'a StopCheck,
}

impl Observer for Rows<'_> {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.table.row(sample);
        if self.needs_states {
            self.states.push(sample.state.q.iter().chain(&sample.state.u).copied().collect());
        }
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        !(self.stop)()
    }
}
