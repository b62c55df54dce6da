//! Basins of attraction: which motion each start settles to.

use super::point_rows::PointRows;
use super::section::Section;
use super::settle::Look;
use super::{Plan, StudyError, SweepProgress, cell, cells, check_keys, number};
use crate::scene::SceneFile;
use crate::stop::StopCheck;
use serde_json::{Value, json};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The table of basins.
pub const BASINS: &str = "basins.csv";
/// Number of the column with the status in the journal.
const STATUS: usize = 2;
/// A motion that goes on without passing the section.
const UNSEEN: &str = "unseen";
/// Points of a motion that are kept to know it again.
const MOST_POINTS: usize = 16;
/// The factor of a 95 % confidence interval.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Which motion each point of a plan settles to.
///
/// A motion that repeats itself is known by its period and by velocities and times between passages of a section;
/// one that comes to rest by its coordinates; all that go on without passing the section are one attractor, called
/// unseen, and all others are one too, called irregular.
pub struct Basins {
    file: SceneFile,
    overrides: Vec<String>,
    plan: Plan,
    section: Section,
    text: String,
    /// Passages before those by which a motion is known.
    pub discard: usize,
    /// Passages by which a motion is known.
    pub keep: usize,
    /// Part of the size of a quantity within which two motions are the same.
    pub tolerance: f64,
    columns: Vec<String>,
    scene: String,
    hash: String,
}

/// A motion that others settle to.
#[derive(Clone, Debug, PartialEq)]
pub struct Attractor {
    /// `periodic`, `rest`, `unseen` (it moves, but does not pass the section) or `irregular`.
    pub kind: String,
    /// After how many passages it repeats itself; 0 if it does not.
    pub period: usize,
    /// What it is known by.
    pub points: Vec<Vec<f64>>,
    /// Number of points of the plan that settle to it.
    pub count: usize,
    /// Their part of all that settle.
    pub fraction: f64,
    /// Wilson's interval of the fraction with 95 % confidence, as if the points were chosen at random.
    pub interval: [f64; 2],
}

/// What is known of the points, in the folder of a study.
pub struct BasinRecords {
    rows: PointRows,
    folder: PathBuf,
}

/// What became of one point.
struct Found {
    kind: &'static str,
    period: usize,
    points: Vec<Vec<f64>>,
    status: &'static str,
    message: String,
}

impl Basins {
    /// Basins over the keys of a plan.
    pub fn new(
        file: SceneFile,
        overrides: &[String],
        plan: Plan,
        section: &str,
    ) -> Result<Self, StudyError> {
        let scene = super::with_all_columns(&file, overrides)?;
        check_keys(&file, overrides, &plan, scene.effective())?;
        let parsed = Section::parse(section)?;
        let columns = match parsed.of(&scene)? {
            super::Surface::Level(level) => level.inputs().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            hash: super::hash(&scene.to_toml()),
            scene: scene.name.clone(),
            overrides: overrides.to_vec(),
            text: section.trim().to_owned(),
            section: parsed,
            discard: 200,
            keep: 32,
            tolerance: 1e-2,
            file,
            plan,
            columns,
        })
    }

    /// The points.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Name of the scene.
    pub fn scene(&self) -> &str {
        &self.scene
    }

    /// What makes this study another one than others.
    pub fn description(&self) -> Value {
        json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "basins",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": self.scene,
            "scene_hash": self.hash,
            "set": self.overrides,
            "vary": self.plan.varies().iter().map(super::Vary::description).collect::<Vec<Value>>(),
            "sample": self.plan.design().to_string(),
            "points": self.plan.count(),
            "section": self.text,
            "discard": self.discard,
            "keep": self.keep,
            "tolerance": self.tolerance,
        })
    }

    fn point(&self, point: usize, stop: &StopCheck) -> Option<Found> {
        let own = self.plan.arguments(point);
        let overrides: Vec<String> = self.overrides.iter().cloned().chain(own).collect();
        let Self { file, columns, section, discard, keep, .. } = self;
        // Of one motion less is forgiven than between two.
        let tolerance = 0.1 * self.tolerance;
        let look =
            Look { file, columns, section, shown: &[], discard: *discard, keep: *keep, tolerance };
        let motion = look.settle(&overrides, None, stop);
        if stop() {
            return None;
        }
        let mut found = Found {
            kind: "irregular",
            period: motion.period.unwrap_or(0),
            points: Vec::new(),
            status: motion.status,
            message: motion.message,
        };
        match (motion.status, motion.period, motion.end) {
            ("done", Some(period), _) => {
                found.kind = "periodic";
                found.points = motion.seen.into_iter().take(period.min(MOST_POINTS)).collect();
            }
            ("no-section", _, Some(_)) if motion.is_moving => {
                (found.kind, found.status) = (UNSEEN, "done");
            }
            ("no-section", _, Some(end)) => {
                // It is no longer there where the section is.
                (found.kind, found.status) = ("rest", "done");
                found.points = vec![end.q];
                found.message = String::new();
            }
            ("done", ..) => {}
            _ => found.kind = "",
        }
        Some(found)
    }

    /// Lets all points settle that the folder does not hold yet, and writes its tables. It goes on after whatever ended
    /// it, and does not depend on the number of `jobs`.
    pub fn run(
        &self,
        folder: &Path,
        jobs: usize,
        stop: &StopCheck,
        tell: &mut dyn FnMut(&SweepProgress),
    ) -> Result<(SweepProgress, Vec<Attractor>), StudyError> {
        let mut records = self.open(folder)?;
        self.run_left(&mut records, jobs, stop, tell)?;
        Ok((records.rows.progress, self.finish(&records)?))
    }

    /// What is known in a folder: a new one, or that of the same study.
    pub fn open(&self, folder: &Path) -> Result<BasinRecords, StudyError> {
        let rows = PointRows::open(folder, &self.description(), self.plan.count(), STATUS)?;
        Ok(BasinRecords { rows, folder: folder.to_owned() })
    }

    /// What the journal notes of a point; nothing if it was ended by `stop`. It depends on nothing but the point.
    pub fn row(&self, point: usize, stop: &StopCheck) -> Option<String> {
        self.point(point, stop).map(|found| row(&found))
    }

    /// Lets the points settle that are left.
    pub fn run_left(
        &self,
        records: &mut BasinRecords,
        jobs: usize,
        stop: &StopCheck,
        tell: &mut dyn FnMut(&SweepProgress),
    ) -> Result<(), StudyError> {
        records.rows.run_left(jobs, stop, &|point| self.row(point, stop), tell)
    }

    /// Writes the tables of all points that are known; the attractors among them.
    pub fn finish(&self, records: &BasinRecords) -> Result<Vec<Attractor>, StudyError> {
        let mut attractors: Vec<Attractor> = Vec::new();
        let keys = self.plan.varies().iter().map(|vary| cell(&vary.key));
        let header = keys.collect::<Vec<String>>().join(",") + ",attractor,period,status,message";
        // In the order of the points, so that numbers do not depend on which were first.
        let table = records.folder.join(BASINS);
        records.rows.journal.write_changed(&table, &header, &mut |point, row| {
            let cells = cells(row);
            let text = |k: usize| cells.get(k).map_or("", String::as_str);
            let (kind, status, message) = (text(0), text(STATUS), text(3));
            let period = text(1).parse().unwrap_or(0);
            let attractor = match kind {
                "" => String::new(),
                kind => self.number(&mut attractors, kind, period, text(4)).to_string(),
            };
            let values = self.plan.values(point);
            let values = values.iter().map(|value| cell(value)).collect::<Vec<String>>().join(",");
            Ok(format!("{values},{attractor},{period},{status},{}", cell(message)))
        })?;
        if let [alone] = &attractors[..]
            && alone.kind == UNSEEN
        {
            return Err(StudyError::wrong(format!(
                "--section: at no point the section is passed {} times, while the motion goes on; take another section, \
                 or a longer simulation.duration",
                self.discard + self.keep
            )));
        }
        let all: usize = attractors.iter().map(|a| a.count).sum();
        for attractor in &mut attractors {
            attractor.fraction = attractor.count as f64 / all as f64;
            attractor.interval = wilson(attractor.count, all);
        }
        let mut list = String::from("attractor,kind,period,points,fraction,low,high\n");
        for (position, a) in attractors.iter().enumerate() {
            let [fraction, low, high] = [a.fraction, a.interval[0], a.interval[1]].map(number);
            let (k, kind, period, count) = (position + 1, &a.kind, a.period, a.count);
            list += &format!("{k},{kind},{period},{count},{fraction},{low},{high}\n");
        }
        let path = records.folder.join("attractors.csv");
        let part = path.with_extension("part");
        let written = std::fs::write(&part, &list).and_then(|()| std::fs::rename(&part, &path));
        written.map_err(|e| StudyError::File(format!("{}: {e}", path.display())))?;
        Ok(attractors)
    }

    /// The number of the attractor of a motion, from 1 on; a new one if it is none of them.
    fn number(
        &self,
        attractors: &mut Vec<Attractor>,
        kind: &str,
        period: usize,
        points: &str,
    ) -> usize {
        let points = read_points(points);
        let is_known = |a: &Attractor| a.is(kind, period, &points, self.tolerance);
        let number = attractors.iter().position(is_known).unwrap_or(attractors.len());
        if number == attractors.len() {
            let kind = kind.to_owned();
            let (count, fraction, interval) = (0, 0.0, [0.0, 1.0]);
            attractors.push(Attractor { kind, period, points, count, fraction, interval });
        }
        attractors[number].count += 1;
        number + 1
    }
}

impl BasinRecords {
    /// The points that are not known.
    pub fn todo(&self) -> Vec<Range<usize>> {
        self.rows.todo()
    }

    /// Notes what is known of a point ([`Basins::row`]); from here on it is not lost.
    pub fn push(&mut self, point: usize, row: &str) -> Result<(), StudyError> {
        self.rows.push(point, row)
    }

    /// How far it is.
    pub fn progress(&self) -> SweepProgress {
        self.rows.progress
    }
}

impl Attractor {
    /// Whether a motion is this one: where it is met first depends on the start, so that any of its points will do.
    fn is(&self, kind: &str, period: usize, points: &[Vec<f64>], tolerance: f64) -> bool {
        if self.kind != kind || self.period != period {
            return false;
        }
        let Some(first) = points.first() else { return self.points.is_empty() };
        let scale = |k: usize| self.points.iter().map(|p| p[k].abs()).fold(0.0, f64::max);
        let scales: Vec<f64> = (0..first.len()).map(scale).collect();
        // What ought to be zero is rounding.
        let least = 1e-6 * scales.iter().fold(0.0_f64, |most, scale| most.max(*scale));
        self.points.iter().any(|own| {
            let pairs = own.iter().zip(first).zip(&scales);
            own.len() == first.len()
                && pairs.into_iter().all(|((a, b), s)| (a - b).abs() <= tolerance * s.max(least))
        })
    }
}

/// Wilson's interval of a fraction (Wilson 1927).
fn wilson(count: usize, all: usize) -> [f64; 2] {
    if all == 0 {
        return [0.0, 1.0];
    }
    let (n, p, z) = (all as f64, count as f64 / all as f64, NORMAL);
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    [middle - half, middle + half].map(|end| (end / (1.0 + z * z / n)).clamp(0.0, 1.0))
}

fn row(found: &Found) -> String {
    let points = found
        .points
        .iter()
        .map(|point| point.iter().map(|value| number(*value)).collect::<Vec<String>>().join(" "));
    let points = points.collect::<Vec<String>>().join(";");
    let Found { kind, period, status, message, .. } = found;
    format!("{kind},{period},{status},{},{points}", cell(message))
}

fn read_points(text: &str) -> Vec<Vec<f64>> {
    let points = text.split(';').filter(|point| !point.is_empty());
    points.map(|point| point.split(' ').filter_map(|value| value.parse().ok()).collect()).collect()
}
