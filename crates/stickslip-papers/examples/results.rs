//! Runs the built-in scenes from start to end and prints the numbers of docs/results.md.
//!
//! `cargo run --release -p stickslip-papers --example results`

use std::error::Error;
use std::f64::consts::PI;
use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{EventKind, Observer, Sample, Summary, run};
use stickslip_papers::power_law;

/// Rows of output: time, values of the columns, energy.
#[derive(Default)]
struct Rows(Vec<(f64, Vec<f64>, f64)>);

impl Observer for Rows {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.0.push((sample.state.t, sample.values.to_vec(), sample.energy.total()));
        Ok(())
    }
}

/// A finished run.
struct Finished {
    scene: Scene,
    summary: Summary,
    rows: Rows,
}

impl Finished {
    fn new(name: &str) -> Result<Self, Box<dyn Error>> {
        let scene = Scene::read(name, name, built_in(name)?.text, &[])?;
        let mut rows = Rows::default();
        let mut integrator = scene.integrator()?;
        let (system, start) = (scene.system.as_ref(), scene.start.clone());
        let summary = run(system, integrator.as_mut(), start, &scene.settings(), &mut rows)?;
        println!("\n## {name}\n\nstatus {}, {} steps", summary.status.name(), summary.steps);
        println!("worst residual {:.1e}", summary.worst_residual);
        println!(
            "unsolved steps {}, rescued steps {}",
            summary.unsolved_steps, summary.rescued_steps
        );
        println!("deepest penetration {:.2e} m", summary.max_penetration);
        let energy = &summary.energy;
        println!("energy {:.6e} J to {:.6e} J", energy.initial, energy.last);
        println!("final over initial energy {:.6}", energy.last / energy.initial);
        for (law, work) in &energy.book.works {
            println!("dissipated by {law} {:.3e} J", 0.0 - work);
        }
        println!("put in by projection {:.3e} J", energy.book.projection);
        println!("closing error {:.1e} J", energy.closing_error);
        println!("energy gains {}", energy.book.gains);
        let finished = Self { scene, summary, rows };
        let rises = finished.rows.0.windows(2).map(|w| w[1].2 - w[0].2);
        let largest = rises.fold(0.0, f64::max);
        println!(
            "largest rise of the energy from row to row {:.1e} E0",
            largest / finished.summary.energy.initial
        );
        Ok(finished)
    }

    /// A column and the times.
    fn column(&self, name: &str) -> (Vec<f64>, Vec<f64>) {
        let columns = self.scene.columns();
        let index = columns.all().position(|n| n == name).unwrap_or(0);
        self.rows.0.iter().map(|(t, values, _)| (*t, values[index])).unzip()
    }

    fn at(&self, name: &str, time: f64) -> f64 {
        let (times, values) = self.column(name);
        let near = (0..times.len())
            .min_by(|i, j| (times[*i] - time).abs().total_cmp(&(times[*j] - time).abs()));
        near.map_or(f64::NAN, |i| values[i])
    }

    fn event(&self, contact: &str, kind: EventKind, after: f64, last: bool) -> f64 {
        let name = |key| self.scene.system.contact_name(key);
        let mut times = self
            .summary
            .events
            .iter()
            .filter(|e| e.kind == kind && e.t > after && name(e.contact) == contact)
            .map(|e| e.t);
        if last { times.next_back() } else { times.next() }.unwrap_or(f64::NAN)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let top = Finished::new("tippe-top")?;
    println!("stick touches {:.4} s", top.event("stick", EventKind::Close, 0.0, false));
    println!("body touches again {:.4} s", top.event("body", EventKind::Close, 2.0, false));
    let both = top.event("body", EventKind::Close, 2.0, true);
    println!(
        "both in contact from {both:.4} s to {:.4} s",
        top.event("stick", EventKind::Open, 0.0, true)
    );
    for time in [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0] {
        println!("theta({time}) = {:.6}", top.at("theta", time));
    }

    for name in [
        "rolling-disk-coulomb",
        "rolling-disk-coulomb-contour",
        "rolling-disk-contensou",
        "rolling-disk-contensou-contour",
    ] {
        disk(&Finished::new(name)?);
    }
    Ok(())
}

fn disk(run: &Finished) {
    let (times, slip) = run.column("slip");
    let (_, beta) = run.column("beta");
    let peak = (0..slip.len()).max_by(|i, j| slip[*i].total_cmp(&slip[*j])).unwrap_or(0);
    println!("largest slip {:.3e} m/s at {:.3} s", slip[peak], times[peak]);
    if let Some(first) = slip.iter().position(|v| *v > 1e-4) {
        println!("slip above 1e-4 m/s from {:.3} s, beta {:.4}", times[first], beta[first]);
    }
    if run.scene.name == "rolling-disk-coulomb" {
        // Before the scheme has damped the nutation.
        let early = times.iter().take_while(|t| **t < 10.0).count();
        let is_maximum = |i: &usize| beta[*i] > beta[i - 1] && beta[*i] >= beta[i + 1];
        let maxima: Vec<f64> = (1..early).filter(is_maximum).map(|i| times[i]).collect();
        if let [first, .., last] = maxima[..] {
            let periods = (maxima.len() - 1) as f64;
            println!("nutation in the first 10 s {:.3} rad/s", 2.0 * PI * periods / (last - first));
        }
    }
    let stop = run.event("rim-2", EventKind::Close, 0.0, false);
    if stop.is_finite() {
        println!("lies flat at {stop:.4} s");
    }
    let end = run.scene.simulation.duration;
    println!("centre at the end ({:.4}, {:.4}) m", run.at("x", end), run.at("y", end));
    // The decay law holds near the flat position, and the last steps do not resolve it.
    let (times, rates) = run.column("alpha_dot");
    let late = |t: &f64| *t > stop - 1.65 && *t < stop - 0.05;
    let (times, rates): (Vec<f64>, Vec<f64>) =
        times.into_iter().zip(rates).filter(|(t, _)| late(t)).unzip();
    if let Some(law) = power_law::fit_until(&times, &rates, stop) {
        println!("exponent n of alpha_dot {:.3}", law.exponent);
    }
}
