//! Runs a scene that ships with the program and keeps what was observed.

use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{Observer, Sample, Summary, run};

/// A scene that was run to its end, every step solved.
pub struct Motion {
    pub scene: Scene,
    pub summary: Summary,
    /// Times of the rows, s.
    pub times: Vec<f64>,
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
    /// For each row the forces of the named contacts, N.
    forces: Vec<Vec<f64>>,
    /// For each row kinetic and whole energy, J.
    pub energies: Vec<[f64; 2]>,
}

#[derive(Default)]
struct Rows {
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    forces: Vec<Vec<f64>>,
    energies: Vec<[f64; 2]>,
}

impl Observer for Rows {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.times.push(sample.state.t);
        self.rows.push(sample.values.to_vec());
        self.energies.push([sample.energy.kinetic, sample.energy.total()]);
        self.forces.push(sample.contacts.iter().map(|contact| contact.values.force).collect());
        Ok(())
    }
}

/// The scene of that name with `KEY=VALUE` overrides.
pub fn scene(name: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let text = built_in(name).expect("a scene").text;
    Scene::read(name, name, text, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scene that ships.
pub fn motion(name: &str, overrides: &[&str]) -> Motion {
    observed(name, scene(name, overrides))
}

/// Runs a scene of its own text.
pub fn motion_of(text: &str, overrides: &[&str]) -> Motion {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scene = Scene::read("my.toml", "my", text, &overrides);
    observed("my.toml", scene.unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn observed(name: &str, scene: Scene) -> Motion {
    let mut rows = Rows::default();
    let summary = run(
        scene.system.as_ref(),
        scene.integrator().expect("an integrator").as_mut(),
        scene.start.clone(),
        &scene.settings(),
        &mut rows,
    )
    .expect("settings");
    assert_eq!(summary.status.name(), "done", "{name}: {:?}", summary.status);
    assert_eq!(summary.unsolved_steps, 0, "{name}");
    let columns = scene.system.columns().iter().map(ToString::to_string).collect();
    let Rows { times, rows, forces, energies } = rows;
    Motion { scene, summary, times, columns, rows, forces, energies }
}

impl Motion {
    /// One column of the table.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let index = self.columns.iter().position(|c| c == name);
        let index = index.unwrap_or_else(|| panic!("{name} is not in {:?}", self.columns));
        self.rows.iter().map(|row| row[index]).collect()
    }

    /// The value of a column in the row nearest to that time.
    pub fn at(&self, name: &str, time: f64) -> f64 {
        let far = |row: &usize| (self.times[*row] - time).abs();
        let row = (0..self.times.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        self.column(name)[row.expect("a row")]
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        *self.column(name).last().expect("a row")
    }

    /// The columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Forces of a named contact, N, by its place among the named contacts of the file.
    pub fn force(&self, contact: usize) -> Vec<f64> {
        self.forces.iter().map(|row| row[contact]).collect()
    }
}
