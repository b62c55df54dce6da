//! A convex set of one's own: friction along the edges of a ratchet plate, |x| + |y| ≤ s, solved by
//! the iteration Λ ← prox(Λ − r ξ) that every law of this library obeys.

use stickslip::prelude::*;

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
    // A mass of 2 kg slides with (0.5, 0.2) m/s; friction may take at most 0.6 N s in the step.
    let (inverse_mass, velocity, reservoir) = (0.5, [0.5, 0.2], 0.6);
    let mut percussion = [0.0; 2];
    let mut after = velocity;
    for _ in 0..200 {
        after = [0, 1].map(|k| velocity[k] + inverse_mass * percussion[k]);
        percussion = [0, 1].map(|k| percussion[k] - after[k]);
        Rhombus.prox(reservoir, &mut percussion);
    }
    println!("percussion {percussion:?} N s, velocity after it {after:?} m/s");
    // Friction acts in an edge: both velocities are left equal, and all of the reservoir is used.
    assert!((after[0] - after[1]).abs() < 1e-12 && after[0] > 0.0);
    let power = Rhombus.support(reservoir, &after);
    let work: f64 = percussion.iter().zip(&after).map(|(force, v)| -force * v).sum();
    assert!((power - work).abs() < 1e-12, "the largest dissipation: {power} and {work}");
    Ok(())
}
