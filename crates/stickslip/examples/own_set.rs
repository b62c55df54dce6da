//! A convex set of one's own, friction along the edges of a ratchet plate, |x| + |y| ≤ s, as a law of a contact
//! problem that the solvers of the library solve.

use stickslip::convex::{HalfLine, OwnSet, Set};
use stickslip::prelude::*;
use stickslip::problem::{BlockSparse, Reservoir};
use stickslip::solve::by_name;

/// The rhombus |x| + |y| ≤ 1.
struct Rhombus;

impl ConvexSet for Rhombus {
    fn dim(&self) -> usize {
        2
    }

    fn validate(&self) -> Result<(), String> {
        Ok(())
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        if self.gauge(x) <= scale {
            return;
        }
        // Both sizes shrink by the same amount, the smaller one at most to zero.
        let [a, b] = [x[0].abs(), x[1].abs()];
        let shrink = (0.5 * (a + b - scale)).max(a.max(b) - scale);
        for value in x.iter_mut() {
            *value = value.signum() * (value.abs() - shrink).max(0.0);
        }
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let mut nearest = [x[0], x[1]];
        self.prox(scale, &mut nearest);
        d_x.fill(0.0);
        d_scale.fill(0.0);
        if self.gauge(x) <= scale {
            (d_x[0], d_x[3]) = (1.0, 1.0);
        } else if nearest[0] != 0.0 && nearest[1] != 0.0 {
            let [s, t] = [x[0].signum(), x[1].signum()];
            d_x.copy_from_slice(&[0.5, -0.5 * s * t, -0.5 * s * t, 0.5]);
            d_scale.copy_from_slice(&[0.5 * s, 0.5 * t]);
        } else {
            d_scale.copy_from_slice(&nearest.map(|v| if v == 0.0 { 0.0 } else { v.signum() }));
        }
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        scale * velocity[0].abs().max(velocity[1].abs())
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let along_x = velocity[0].abs() >= velocity[1].abs();
        let largest = if along_x { velocity[0] } else { velocity[1] };
        let force = if largest == 0.0 { 0.0 } else { scale * largest.signum() };
        out.copy_from_slice(&if along_x { [force, 0.0] } else { [0.0, force] });
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        x[0].abs() + x[1].abs()
    }
}

/// The program.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A mass of 2 kg hits the floor with 0.3 m/s and slides with (0.5, 0.2) m/s, on friction of 0.5 times
    // the rhombus: a contact problem with the normal law and the set of our own.
    let friction = Set::Own(OwnSet::new(Rhombus)).scaled(0.5);
    let mut problem = InclusionProblem::new();
    problem.push_contact([
        (Set::HalfLine(HalfLine), Reservoir::Unbounded),
        (friction.clone(), Reservoir::Normal),
    ]);
    let (inverse_mass, velocity) = (0.5, [-0.3, 0.5, 0.2]);
    let mut response = [0.0; 9];
    (0..3).for_each(|k| response[4 * k] = inverse_mass);
    problem.set_data(BlockSparse::dense(&[3], &response), velocity.to_vec())?;
    for name in ["auto", "newton", "gauss-seidel", "augmented-lagrangian"] {
        let mut solver = by_name(name, Limits::default())?.ok_or("a solver of the library")?;
        let mut percussion = [0.0; 3];
        let report = solver.solve(&problem, &mut percussion)?;
        assert_eq!(report.status, Status::Solved);
        let after: Vec<f64> = (0..3).map(|k| velocity[k] + inverse_mass * percussion[k]).collect();
        println!("{name}: percussion {percussion:?} N s, velocity after it {after:?} m/s");
        // The floor stops it with 0.6 N s; of these friction has a half, which it uses to slow the faster
        // direction down: the two velocities are not equal yet.
        let exact = [0.6, -0.3, 0.0];
        assert!((0..3).all(|k| (percussion[k] - exact[k]).abs() < 1e-9), "{percussion:?}");
        let dissipated = friction.support(percussion[0], &[-after[1], -after[2]]);
        let work: f64 = (1..3).map(|k| -percussion[k] * after[k]).sum();
        assert!((dissipated - work).abs() < 1e-9, "the largest dissipation: {dissipated}, {work}");
    }
    Ok(())
}
