//! A system of one's own: an oscillator that hits a stop, q̈ = −ω² q, q ≥ −0.1 m.

use std::sync::Arc;
use stickslip::prelude::*;
use stickslip::solve::Auto;
use stickslip::system::{Column, ForceLaw, LawGroup};

/// A mass of 1 kg on a spring.
struct Oscillator {
    stiffness: f64,
    stop: [LawGroup; 1],
}

impl MechanicalSystem for Oscillator {
    fn coordinate_count(&self) -> usize {
        1
    }

    fn blocks(&self) -> &[usize] {
        &[1]
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass[0] = 1.0;
        forces[0] = -self.stiffness * at.q[0];
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        let (direction, _) = out.push(0, 0, at.q[0] + 0.1, [0, 0], [1, 0], 1);
        direction[0] = 1.0;
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.stop
    }

    fn contact_name(&self, _key: u64) -> String {
        "stop".into()
    }

    fn energy(&self, at: &State) -> Energy {
        Energy {
            kinetic: 0.5 * at.u[0] * at.u[0],
            potential: 0.5 * self.stiffness * at.q[0] * at.q[0],
        }
    }
}

impl Observed for Oscillator {
    fn columns(&self) -> Vec<Column> {
        vec![Column::new("q", "m"), Column::new("q_dot", "m/s").rate_of("q")]
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        out.extend([at.q[0], at.u[0]]);
    }

    fn reported_contacts(&self) -> &[u64] {
        &[0]
    }
}

/// The program.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stop = [LawGroup::new([("normal", ForceLaw::signorini(0.5))])];
    let system = Arc::new(Oscillator { stiffness: 100.0, stop });
    let start = State { q: vec![0.2], u: vec![0.0], ..State::default() };
    let integrator = Rattle::new(Box::new(Auto::default()));
    let settings = RunSettings::new(1.0, 1e-4, 1e-2);
    let mut simulation = Simulation::new(system, Box::new(integrator), start, settings)?;
    let summary = simulation.run(&mut Unobserved);
    for impact in &summary.impacts {
        let [before, after] = impact.normal_velocity;
        println!("{:.4} s: {before:.4} m/s, then {after:.4} m/s", impact.t);
    }
    // From 0.2 m to −0.1 m the phase is 120°, and the speed there ω √(0.2² − 0.1²).
    let first = summary.impacts.first().ok_or("no impact")?;
    assert!((first.t - 2.0 / 3.0 * std::f64::consts::PI / 10.0).abs() < 2e-4);
    assert!((first.normal_velocity[0] + 10.0 * 0.03_f64.sqrt()).abs() < 1e-2);
    Ok(())
}
