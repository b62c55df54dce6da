//! Runs of scene files, kept as tables.

use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{self, Observer, RunStatus, Sample, Summary};
use stickslip::system::{ContactValues, Observed, State};

/// The rows of a run by column.
pub struct Run {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
    /// What the last row tells of the reported contacts.
    pub contacts: Vec<ContactValues>,
    pub summary: Summary,
}

struct Rows(Vec<Vec<f64>>, Vec<ContactValues>);

impl Observer for Rows {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        let mut row = vec![sample.state.t];
        row.extend_from_slice(sample.values);
        self.0.push(row);
        self.1 = sample.contacts.iter().map(|contact| contact.values).collect();
        Ok(())
    }
}

impl Run {
    /// Of a text; every step must be solved.
    pub fn of(text: &str, overrides: &[&str]) -> Self {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        let scene = Scene::read("my.toml", "my", text, &overrides);
        let scene = scene.unwrap_or_else(|e| panic!("{e}\n{text}"));
        Self::by(&scene, scene.system.as_ref(), scene.start.clone())
    }

    /// Of a system, as long and by the method that a scene says.
    pub fn by(scene: &Scene, system: &dyn Observed, start: State) -> Self {
        let mut integrator = scene.integrator().unwrap_or_else(|e| panic!("{e}"));
        let mut rows = Rows(Vec::new(), Vec::new());
        let settings = scene.settings();
        let summary = simulate::run(system, integrator.as_mut(), start, &settings, &mut rows)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(summary.status, RunStatus::Done);
        let mut names = vec!["t".to_owned()];
        names.extend(system.columns().iter().map(ToString::to_string));
        names.extend(system.extra_columns().iter().map(ToString::to_string));
        Self { names, rows: rows.0, contacts: rows.1, summary }
    }

    /// Of a scene that ships with the program.
    pub fn named(name: &str, overrides: &[&str]) -> Self {
        Self::of(built_in(name).expect("a scene").text, overrides)
    }

    /// A column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let position = self.names.iter().position(|n| n == name);
        let position = position.unwrap_or_else(|| panic!("{name} is not in {:?}", self.names));
        self.rows.iter().map(|row| row[position]).collect()
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        self.column(name)[self.rows.len() - 1]
    }

    /// The names of the columns behind the time.
    pub fn names(&self) -> &[String] {
        &self.names[1..]
    }
}

/// Largest difference of two columns.
#[track_caller]
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}
