//! Self-checks with exact answers.

use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::solve::Status;
use stickslip::system::{ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, State};

/// Gap and directions (normal, tangential) of every contact of a state.
type Contacts = fn(&State) -> Vec<(f64, Vec<f64>)>;

/// Masses that move along axes of their own, with contacts given by a function.
struct Masses {
    mass: Vec<f64>,
    force: Vec<f64>,
    group: LawGroup,
    contacts: Contacts,
    blocks: [usize; 1],
}

impl Masses {
    fn new(mass: &[f64], force: &[f64], group: LawGroup, contacts: Contacts) -> Self {
        let (mass, force) = (mass.to_vec(), force.to_vec());
        Self { blocks: [mass.len()], mass, force, group, contacts }
    }
}

impl MechanicalSystem for Masses {
    fn coordinate_count(&self) -> usize {
        self.mass.len()
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn mass_and_forces(&self, _at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass.fill(0.0);
        (0..self.mass.len()).for_each(|k| mass[k * (self.mass.len() + 1)] = self.mass[k]);
        forces.copy_from_slice(&self.force);
    }

    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        for (key, (gap, directions)) in (self.contacts)(at).into_iter().enumerate() {
            let dim = directions.len() / self.mass.len();
            let (rows, _) = out.push(key as u64, 0, gap, [0, 0], [self.mass.len(), 0], dim);
            rows.copy_from_slice(&directions);
        }
    }

    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }

    fn energy(&self, at: &State) -> Energy {
        Energy {
            kinetic: 0.5 * self.mass.iter().zip(&at.u).map(|(m, u)| m * u * u).sum::<f64>(),
            potential: -dot(&self.force, &at.q),
        }
    }
}

fn state(q: &[f64], u: &[f64]) -> State {
    State { t: 0.0, q: q.to_vec(), u: u.to_vec(), memory: Vec::new() }
}

fn frictionless(restitution: f64) -> LawGroup {
    LawGroup::new([("normal", ForceLaw::signorini(restitution))])
}

#[test]
fn bouncing_ball_rebounds_to_its_heights_and_stops_at_the_zeno_time() {
    let (g, height, eps) = (9.81_f64, 1.0_f64, 0.5_f64);
    let ball = Masses::new(&[1.0], &[-g], frictionless(eps), |at| vec![(at.q[0], vec![1.0])]);
    let (dt, fall) = (1e-5, (2.0 * height / g).sqrt());
    // t = fall (1 + 2ε + 2ε² + ...).
    let zeno = fall * (1.0 + eps) / (1.0 - eps);
    let mut state = state(&[height], &[0.0]);
    let mut integrator = moreau("auto", ProjectionMetric::None);
    let (mut peaks, mut times, mut rising) = (Vec::new(), Vec::new(), false);
    while state.t < zeno + 0.1 {
        integrator.step(&ball, &mut state, dt).unwrap();
        if rising && state.u[0] <= 0.0 {
            peaks.push(state.q[0]);
        }
        if !rising && state.u[0] > 0.0 {
            times.push(state.t);
        }
        rising = state.u[0] > 0.0;
    }
    for k in 0..6 {
        // An impact lies within a step, so velocities err by g Δt and heights by v Δt.
        assert_close(peaks[k], height * eps.powi(2 * k as i32 + 2), 5.0 * dt);
        let exact = fall * (1.0 + 2.0 * eps * (1.0 - eps.powi(k as i32)) / (1.0 - eps));
        assert_close(times[k], exact, 10.0 * dt);
    }
    // After the accumulation point only the flicker of the scheme is left.
    assert!(state.u[0].abs() <= 2.0 * g * dt && state.q[0].abs() <= 1e-5, "{state:?}");
    let last = times.iter().rev().find(|t| **t < zeno - 1e-3).unwrap();
    assert!(*last > zeno - 0.1, "it still bounces shortly before");
}

#[test]
fn newtons_cradle_of_three_balls_by_the_simultaneous_law() {
    // Balls 2 and 3 touch at rest, ball 1 hits with 1 m/s. Newton's law at both contacts at once:
    // γ₁⁺ = ε, γ₂⁺ = 0, and momentum.
    let cases = [
        (1.0, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (0.5, [0.0, 0.5, 0.5]),
        (0.0, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]),
    ];
    for (eps, expected) in cases {
        let cradle = Masses::new(&[2.0; 3], &[0.0; 3], frictionless(eps), |at| {
            vec![
                (at.q[1] - at.q[0], vec![-1.0, 1.0, 0.0]),
                (at.q[2] - at.q[1], vec![0.0, -1.0, 1.0]),
            ]
        });
        for name in ["lemke", "enumerate", "gauss-seidel", "newton", "augmented-lagrangian", "auto"]
        {
            // Touching: the midpoint of the first step closes the gap of the first contact.
            let mut state = state(&[0.0; 3], &[1.0, 0.0, 0.0]);
            moreau(name, ProjectionMetric::None).step(&cradle, &mut state, 1e-6).unwrap();
            for (u, exact) in state.u.iter().zip(expected) {
                // Tolerance of the iterative solvers, 1e-10 of the velocities.
                assert_close(*u, exact, 1e-9);
            }
        }
    }
}

#[test]
fn planar_rod_in_the_painleve_region_ends_with_a_named_status() {
    // A rod of length 1 m pushed with its lower end over a rough floor (µ > 4/3): around 50° the
    // sliding contact has no, or two, accelerations. q = (x, y, φ).
    fn tip(at: &State) -> Vec<(f64, Vec<f64>)> {
        let (sin, cos) = at.q[2].sin_cos();
        let (x, y) = (-0.5 * cos, -0.5 * sin);
        vec![(at.q[1] + y, vec![0.0, 1.0, x, 1.0, 0.0, -y])]
    }
    let laws = LawGroup::new([
        ("normal", ForceLaw::signorini(0.0)),
        ("friction", ForceLaw::coulomb_1d(2.0, 0.0)),
    ]);
    let rod = Masses::new(&[1.0, 1.0, 1.0 / 12.0], &[0.0, -9.81, 0.0], laws, tip);
    let mut jumped = false;
    for name in ["lemke", "enumerate", "gauss-seidel", "newton", "augmented-lagrangian", "auto"] {
        for degrees in [30.0_f64, 50.0, 60.0, 70.0] {
            for (speed, spin) in [(5.0, 0.0), (-5.0, 0.0), (5.0, -1.0), (-5.0, 1.0)] {
                let angle = degrees.to_radians();
                // The tip stands on the floor and slides.
                let tip_rate = 0.5 * spin * angle.cos();
                let mut state = state(
                    &[0.0, 0.5 * angle.sin() - 1e-12, angle],
                    &[speed - 0.5 * spin * angle.sin(), tip_rate, spin],
                );
                let mut integrator = moreau(name, ProjectionMetric::None);
                for _ in 0..100 {
                    let before = state.u.clone();
                    let report = integrator.step(&rod, &mut state, 1e-3).unwrap();
                    assert!(state.u.iter().all(|u| u.is_finite()));
                    if report.solve.status != Status::Solved {
                        // Named, and the problem can be saved and replayed.
                        assert!(!report.solve.status.name().is_empty());
                        assert!(integrator.failed_problem().is_some());
                        break;
                    }
                    // A jump of the tip without a collision: what Painlevé's paradox asks for.
                    jumped |= (state.u[0] - before[0]).abs() > 1.0;
                }
            }
        }
    }
    assert!(jumped, "no case was in the Painlevé region");
}

#[test]
fn both_impact_laws_with_tangential_restitution_eqs_32_to_35() {
    let (eps_n, eps_t, mass) = (0.5, 0.4, 2.0);
    for friction in [0.1, 0.5, 0.9, 2.0] {
        for (normal, tangential) in [(-1.0, 0.6), (-2.0, -1.0), (-0.3, 5.0), (-1.0, 0.0)] {
            let laws = LawGroup::new([
                ("normal", ForceLaw::signorini(eps_n)),
                ("friction", ForceLaw::coulomb_1d(friction, eps_t)),
            ]);
            let mass_point = Masses::new(&[mass; 2], &[0.0; 2], laws, |at| {
                vec![(at.q[0], vec![1.0, 0.0, 0.0, 1.0])]
            });
            // (34): γ_N⁺ = −ε_N γ_N⁻. (35): a full reversal −ε_T γ_T⁻ if friction is enough for it,
            // otherwise the largest friction.
            let percussion = mass * (1.0 + eps_n) * -normal;
            let wanted = -mass * (1.0 + eps_t) * tangential;
            let given = wanted.clamp(-friction * percussion, friction * percussion);
            for name in
                ["lemke", "enumerate", "gauss-seidel", "newton", "augmented-lagrangian", "auto"]
            {
                let mut state = state(&[-1e-12, 0.0], &[normal, tangential]);
                let mut integrator = moreau(name, ProjectionMetric::None);
                integrator.step(&mass_point, &mut state, 1e-6).unwrap();
                // Tolerance of the iterative solvers, 1e-10 of 5 m/s.
                assert_close(state.u[0], -eps_n * normal, 1e-9);
                assert_close(state.u[1], tangential + given / mass, 1e-9);
                let contact = integrator.record().contacts[0];
                assert_close(contact.normal_percussion, percussion, 1e-9);
                assert_close(contact.tangential_percussion, given, 1e-9);
                assert_eq!(contact.normal_velocity[0], normal);
                assert_eq!(contact.tangential_velocity[0], tangential);
                assert_eq!(contact.tangential_velocity[1], state.u[1]);
            }
        }
    }
}
