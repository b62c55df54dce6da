//! The files of a branch: table, pictures, page.

use crate::exit::Exit;
use crate::run_plots::PIXELS;
use crate::scene_file::{Failure, failure};
use crate::study_command::refusal;
use crate::study_page::{self, Key, Page};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use stickslip::scene::SceneFile;
use stickslip::study::{self, Followed, Orbit, SpecialPoint, StateTable, Vary, cell, number};
use stickslip::system::State;
use stickslip_papers::plot::{Figure, Note, Panel, Series, Style};

/// The points.
const TABLE: &str = "branch.csv";

/// Of what the branch is.
pub struct BranchFiles<'a> {
    /// The scene.
    pub file: &'a SceneFile,
    /// What is varied.
    pub vary: &'a Vary,
    /// The scene as the user named it.
    pub scene: &'a str,
    /// Values of the scene.
    pub overrides: &'a [String],
}

/// A point of a branch as files tell it.
struct Row {
    branch: usize,
    value: f64,
    stable: bool,
    /// Period and largest multiplier of orbits, largest real part of equilibria, and columns of the state.
    numbers: Vec<f64>,
    modes: String,
}

/// Whether values change by more than rounding.
pub fn changes(values: impl Iterator<Item = f64>) -> bool {
    let ends = values.filter(|v| v.is_finite()).fold(None, |ends: Option<(f64, f64)>, v| {
        Some(ends.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
    });
    ends.is_some_and(|(low, high)| high - low > 1e-9 * low.abs().max(high.abs()) + 1e-15)
}

/// The largest multiplier that is not 1 in any case.
pub fn largest(orbit: &Orbit) -> f64 {
    let sizes = orbit.multipliers.iter().map(|[re, im]| (re.hypot(*im), (re - 1.0).hypot(*im)));
    sizes.filter(|(_, away)| *away > 1e-3).map(|(size, _)| size).fold(0.0, f64::max)
}

/// Numbers with their places that are worth a picture: the first one, and all that change.
fn shown<'a>(
    names: &'a [(String, String)],
    rows: &'a [Row],
) -> impl Iterator<Item = (usize, &'a (String, String))> {
    let moves = |place: usize| changes(rows.iter().map(|row| row.numbers[place]));
    names.iter().enumerate().filter(move |(place, _)| *place == 0 || moves(*place))
}

impl BranchFiles<'_> {
    /// What makes this study another one than others.
    pub fn description(&self, own: &Value) -> Result<Value, Failure> {
        let scene = self.file.scene(self.overrides).map_err(failure)?;
        let vary = self.vary;
        let table = StateTable::new(self.file, self.overrides).map_err(refusal)?;
        let units = table.columns().map(|(name, unit)| json!({ "name": name, "unit": unit }));
        let mut units: Vec<Value> = units.collect();
        units.push(json!({ "name": vary.key, "unit": vary.unit }));
        units.push(json!({ "name": "period", "unit": "s" }));
        units.push(json!({ "name": "largest_real_part", "unit": "1/s" }));
        Ok(json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "continue",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": scene.name,
            "scene_hash": study::hash(&scene.to_toml()),
            "set": self.overrides,
            "vary": { "key": vary.key, "unit": vary.unit },
            "asked": own,
            "columns": units,
        }))
    }

    /// Writes all files and returns their names.
    pub fn write(
        &self,
        folder: &Path,
        followed: &Followed,
        object: &Value,
    ) -> Result<[&'static str; 5], Failure> {
        let (names, rows, special) = self.rows(followed)?;
        let key = &self.vary.key;
        let head: Vec<String> = names.iter().map(|(name, _)| cell(name)).collect();
        let mut table = format!("branch,{},stable,{},modes\n", cell(key), head.join(","));
        for row in &rows {
            let numbers: Vec<String> = row.numbers.iter().map(|value| number(*value)).collect();
            let (value, modes) = (number(row.value), cell(&row.modes));
            let (branch, stable, numbers) = (row.branch, row.stable, numbers.join(","));
            let _ = writeln!(table, "{branch},{value},{stable},{numbers},{modes}");
        }
        study_page::write(folder, TABLE, table.as_bytes())?;
        study_page::write(folder, "branch.json", format!("{object}\n").as_bytes())?;
        let figure = self.picture(&names, &rows, &special);
        let drawn = |e: String| (Exit::Internal, e);
        study_page::write(folder, "branch.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
        study_page::write(folder, "branch.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        let words: Vec<String> =
            special.iter().map(|(_, s)| format!("{} {:.6}", s.kind, s.value)).collect();
        let page = Page {
            kind: "branch",
            title: format!("{} over {key}: {}", self.scene, words.join(", ")),
            scene: self.scene.to_owned(),
            set: self.overrides.to_vec(),
            keys: vec![Key::new(key, &self.vary.unit)],
            measures: shown(&names, &rows).map(|(_, (name, unit))| Key::new(name, unit)).collect(),
            ..Page::default()
        };
        page.write(folder, TABLE, &["branch", "stable", "modes"])?;
        Ok([study_page::PAGE, TABLE, "branch.json", "branch.svg", "branch.png"])
    }

    /// Names and units of the numbers, the points, and the bifurcations with their branches.
    #[allow(clippy::type_complexity)]
    fn rows(
        &self,
        followed: &Followed,
    ) -> Result<(Vec<(String, String)>, Vec<Row>, Vec<(usize, SpecialPoint)>), Failure> {
        let of_state = |value: f64, state: &State| -> Result<Vec<f64>, Failure> {
            let mut overrides = self.overrides.to_vec();
            overrides.push(self.vary.set(&number(value)));
            // A parameter may be part of a column.
            let mut table = StateTable::new(self.file, &overrides).map_err(refusal)?;
            Ok(table.values(state))
        };
        let table = StateTable::new(self.file, self.overrides).map_err(refusal)?;
        let mut names: Vec<(String, String)> = match followed {
            Followed::Orbits(_) => {
                vec![("period".into(), "s".into()), ("largest_multiplier".into(), String::new())]
            }
            Followed::Rest(_) => vec![("largest_real_part".into(), "1/s".into())],
        };
        names.extend(table.columns().map(|(name, unit)| (name.to_owned(), unit.to_owned())));
        let (mut rows, mut special) = (Vec::new(), Vec::new());
        match followed {
            Followed::Orbits(branches) => {
                let side = branches.doubled.iter().map(|side| &side.branch);
                for (branch, own) in [&branches.first].into_iter().chain(side).enumerate() {
                    special.extend(own.bifurcations.iter().cloned().map(|s| (branch, s)));
                    for orbit in &own.points {
                        let mut numbers = vec![orbit.period, largest(orbit)];
                        numbers.extend(of_state(orbit.value, &orbit.state)?);
                        let (value, stable) = (orbit.value, orbit.stable);
                        let modes = orbit.modes.join(" | ");
                        rows.push(Row { branch, value, stable, numbers, modes });
                    }
                }
            }
            Followed::Rest(own) => {
                special.extend(own.bifurcations.iter().cloned().map(|s| (0, s)));
                for point in &own.points {
                    let real = point.eigenvalues.iter().map(|[re, _]| *re);
                    let mut numbers = vec![real.fold(f64::NEG_INFINITY, f64::max)];
                    numbers.extend(of_state(point.value, &point.state)?);
                    let (value, stable, modes) = (point.value, point.stable, point.mode.clone());
                    rows.push(Row { branch: 0, value, stable, numbers, modes });
                    // The set of equilibria as two more curves.
                    for (branch, q) in point.interval.iter().flatten().enumerate() {
                        let state = State { q: q.clone(), ..point.state.clone() };
                        let mut numbers = vec![f64::NAN];
                        numbers.extend(of_state(value, &state)?);
                        let modes = "end of the interval".to_owned();
                        rows.push(Row { branch: branch + 1, value, stable, numbers, modes });
                    }
                }
                rows.sort_by_key(|row| row.branch);
            }
        }
        Ok((names, rows, special))
    }

    /// The numbers over the value; parts that are unstable are dashed.
    fn picture(
        &self,
        names: &[(String, String)],
        rows: &[Row],
        special: &[(usize, SpecialPoint)],
    ) -> Figure {
        let label = |name: &str, unit: &str| match unit {
            "" => name.to_owned(),
            unit => format!("{name} ({unit})"),
        };
        let key = label(&self.vary.key, &self.vary.unit);
        let panel = |(place, (name, unit)): (usize, &(String, String))| {
            let mut series: Vec<Series> = Vec::new();
            let (mut named, mut of) = ([false, false], usize::MAX);
            for pair in rows.windows(2).filter(|pair| pair[0].branch == pair[1].branch) {
                let stable = pair[0].stable && pair[1].stable;
                let style = if stable { Style::Line } else { Style::Dashed };
                if of != pair[0].branch || series.last().is_none_or(|last| last.style != style) {
                    let word = if stable { "stable" } else { "unstable" };
                    let name = if named[usize::from(stable)] { "" } else { word };
                    named[usize::from(stable)] = true;
                    let first = (vec![pair[0].value], vec![pair[0].numbers[place]]);
                    let own = Series::styled(style, name, first.0, first.1);
                    series.push(own.colored(pair[0].branch));
                    of = pair[0].branch;
                }
                if let Some(last) = series.last_mut() {
                    last.x.push(pair[1].value);
                    last.y.push(pair[1].numbers[place]);
                }
            }
            let mut panel = Panel::new("", &key, &label(name, unit), series);
            for (branch, special) in special {
                let near = rows.iter().filter(|row| row.branch == *branch).min_by(|a, b| {
                    (a.value - special.value).abs().total_cmp(&(b.value - special.value).abs())
                });
                if let Some(near) = near {
                    let at = (special.value, near.numbers[place]);
                    panel.notes.push(Note { at, text: special.kind.to_owned() });
                }
            }
            panel
        };
        let panels = shown(names, rows).take(6).map(panel).collect();
        Figure { panels, columns: 1, panel_size: (640.0, 320.0), ..Figure::default() }
    }
}
