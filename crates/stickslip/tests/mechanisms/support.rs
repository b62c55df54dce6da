//! Small tools of these tests.

use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::simulate::{Observer, RunSettings, RunStatus, Sample, Summary, run};
use stickslip::solve::{Limits, Solver, by_name};
use stickslip::system::{ContactSet, MechanicalSystem, Observed, State};

/// Keeps the values of all rows.
#[derive(Default)]
pub struct Rows {
    pub t: Vec<f64>,
    pub values: Vec<Vec<f64>>,
}

impl Observer for Rows {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.t.push(sample.state.t);
        self.values.push(sample.values.to_vec());
        Ok(())
    }
}

pub fn solver(name: &str, tolerance: f64) -> Box<dyn Solver> {
    let limits = Limits { tolerance, ..Limits::default() };
    by_name(name, limits).unwrap().unwrap()
}

pub fn moreau(name: &str, metric: ProjectionMetric) -> Moreau {
    Moreau::new(solver(name, 1e-10), Projection::new(metric))
}

pub fn settings(duration: f64, step: f64, output_step: f64) -> RunSettings {
    RunSettings::new(duration, step, output_step)
}

/// A run that must reach its end.
pub fn finished(
    system: &dyn Observed,
    integrator: &mut dyn Integrator,
    start: State,
    settings: &RunSettings,
    observer: &mut dyn Observer,
) -> Summary {
    let summary = run(system, integrator, start, settings, observer).unwrap();
    assert_eq!(summary.status, RunStatus::Done);
    summary
}

/// Moreau's rule with Lemke's method on the mechanism of Table 1, without projection.
pub fn table_1_run(duration: f64, step: f64, output_step: f64) -> (Summary, Rows) {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    let mut integrator = moreau("lemke", ProjectionMetric::None);
    let mut rows = Rows::default();
    let settings = settings(duration, step, output_step);
    let summary = finished(&system, &mut integrator, start, &settings, &mut rows);
    (summary, rows)
}

/// A candidate with all its data, open or closed.
pub struct Candidate {
    pub key: u64,
    pub gap: f64,
    /// Directions over all velocities of the system.
    pub rows: Vec<Vec<f64>>,
}

/// All candidates with their directions.
pub fn candidates(system: &dyn MechanicalSystem, at: &State) -> Vec<Candidate> {
    let mut set = ContactSet::default();
    set.margin = f64::INFINITY;
    system.contacts(at, &mut set);
    let blocks = system.blocks();
    let offset = |block: usize| blocks[..block].iter().sum::<usize>();
    let spread = |c: &stickslip::system::Candidate, row: &[f64]| {
        let mut full = vec![0.0; blocks.iter().sum()];
        let (first, second) = row.split_at(blocks[c.blocks[0]]);
        full[offset(c.blocks[0])..][..first.len()].copy_from_slice(first);
        full[offset(c.blocks[1])..][..second.len()]
            .iter_mut()
            .zip(second)
            .for_each(|(out, v)| *out += v);
        full
    };
    set.candidates()
        .iter()
        .map(|c| Candidate {
            key: c.key,
            gap: c.gap,
            rows: set.directions(c).chunks(c.width()).map(|row| spread(c, row)).collect(),
        })
        .collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A number between −1 and 1.
pub fn signed(rng: &mut fastrand::Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

/// Fails unless the numbers differ by at most `tolerance`.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}
