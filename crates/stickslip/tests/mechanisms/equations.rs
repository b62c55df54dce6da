//! The equations (89)–(114) of Flores 2010 against differentiation of energies and gaps.

use crate::support::*;
use fastrand::Rng;
use stickslip::models::slider_crank::Drive;
use stickslip::models::{SliderCrank, SliderCrankParameters};
use stickslip::system::{MechanicalSystem, State};

fn random_state(rng: &mut Rng) -> State {
    State {
        t: 0.0,
        q: (0..3).map(|_| 3.0 * signed(rng)).collect(),
        u: (0..3).map(|_| 50.0 * signed(rng)).collect(),
        memory: Vec::new(),
    }
}

/// Kinetic and potential energy, body by body from the positions and velocities of their centres.
fn energies(p: &SliderCrankParameters, q: &[f64], u: &[f64]) -> (f64, f64) {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    let bodies = [
        (p.crank_mass, p.crank_inertia, 0.5, 0.0),
        (p.rod_mass, p.rod_inertia, 1.0, 0.5),
        (p.slider_mass, p.slider_inertia, 1.0, 1.0),
    ];
    for (index, (mass, inertia, crank, rod)) in bodies.into_iter().enumerate() {
        let (l1, l2) = (crank * p.crank_length, rod * p.rod_length);
        let x_dot = -l1 * q[0].sin() * u[0] - l2 * q[1].sin() * u[1];
        let y_dot = l1 * q[0].cos() * u[0] + l2 * q[1].cos() * u[1];
        kinetic += 0.5 * mass * (x_dot * x_dot + y_dot * y_dot);
        kinetic += 0.5 * inertia * u[index] * u[index];
        potential += mass * p.gravity * (l1 * q[0].sin() + l2 * q[1].sin());
    }
    (kinetic, potential)
}

#[test]
fn mass_and_forces_follow_from_the_lagrangian_eqs_86_to_97() {
    let p = SliderCrankParameters::default();
    let system = SliderCrank::new(p).unwrap();
    let mut rng = Rng::with_seed(1);
    let e = |k: usize| -> Vec<f64> { (0..3).map(|i| f64::from(u8::from(i == k))).collect() };
    for _ in 0..50 {
        let at = random_state(&mut rng);
        let (mut mass, mut forces) = ([0.0; 9], [0.0; 3]);
        system.mass_and_forces(&at, &mut mass, &mut forces);
        // M by polarisation of T, which is quadratic in u: exact up to rounding.
        let m = |q: &[f64], i: usize, j: usize| {
            let both: Vec<f64> = (0..3).map(|k| e(i)[k] + e(j)[k]).collect();
            energies(&p, q, &both).0 - energies(&p, q, &e(i)).0 - energies(&p, q, &e(j)).0
        };
        for (k, entry) in mass.iter().enumerate() {
            assert_close(*entry, m(&at.q, k / 3, k % 3), 1e-16);
        }
        // h = ∂(T − V)/∂q − Ṁ u by central differences of step 1e-5: relative error 1e-10, and
        // rounding 1e-16·T/1e-5 with T up to 1e2.
        let step = 1e-5;
        let shifted = |k: usize, h: f64| {
            let mut q = at.q.clone();
            q[k] += h;
            q
        };
        for i in 0..3 {
            let lagrangian = |q: &[f64]| {
                let (kinetic, potential) = energies(&p, q, &at.u);
                kinetic - potential
            };
            let mut h =
                (lagrangian(&shifted(i, step)) - lagrangian(&shifted(i, -step))) / step / 2.0;
            for j in 0..3 {
                for k in 0..3 {
                    let rate = (m(&shifted(k, step), i, j) - m(&shifted(k, -step), i, j)) / step;
                    h -= 0.5 * rate * at.u[j] * at.u[k];
                }
            }
            assert_close(forces[i], h, 1e-7);
        }
        let energy = system.energy(&at);
        let (kinetic, potential) = energies(&p, &at.q, &at.u);
        assert_close(energy.kinetic, kinetic, 1e-13 * kinetic);
        assert_close(energy.potential, potential, 1e-15);
    }
}

#[test]
fn gaps_and_directions_eqs_98_to_114() {
    let p = SliderCrankParameters { drive: Drive::ConstantSpeed, ..Default::default() };
    let system = SliderCrank::new(p).unwrap();
    let mut rng = Rng::with_seed(2);
    let (a, b, d) = (p.slider_half_length, p.slider_half_width, 2.0 * (0.025 + 0.001));
    // Gaps g_N and positions g_T along the guide, as printed.
    let printed = |q: &[f64]| -> [[f64; 2]; 4] {
        let y = p.crank_length * q[0].sin() + p.rod_length * q[1].sin();
        let x = p.crank_length * q[0].cos() + p.rod_length * q[1].cos();
        let (s, c) = q[2].sin_cos();
        [
            [d / 2.0 - y + a * s - b * c, x - a * c - b * s],
            [d / 2.0 - y - a * s - b * c, x + a * c - b * s],
            [d / 2.0 + y - a * s - b * c, x - a * c + b * s],
            [d / 2.0 + y + a * s - b * c, x + a * c + b * s],
        ]
    };
    for _ in 0..50 {
        let at = random_state(&mut rng);
        let found = candidates(&system, &at);
        assert_eq!(found.len(), 5);
        let exact = printed(&at.q);
        for corner in 0..4 {
            assert_eq!(found[corner].key, corner as u64);
            assert_close(found[corner].gap, exact[corner][0], 1e-15);
            for k in 0..3 {
                // Central differences with 1e-6: error 1e-12 and rounding 1e-10.
                let mut ahead = at.q.clone();
                let mut behind = at.q.clone();
                ahead[k] += 1e-6;
                behind[k] -= 1e-6;
                for row in 0..2 {
                    let slope =
                        (printed(&ahead)[corner][row] - printed(&behind)[corner][row]) / 2e-6;
                    assert_close(found[corner].rows[row][k], slope, 2e-10);
                }
            }
        }
        assert_eq!(found[4].rows, [[1.0, 0.0, 0.0]]);
        assert_eq!(found[4].gap, f64::NEG_INFINITY);
    }
}

#[test]
fn dimensionless_motion_of_the_corners_eq_115() {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let mut rng = Rng::with_seed(3);
    for _ in 0..50 {
        let at = random_state(&mut rng);
        let output = system.output(&at);
        for (corner, candidate) in candidates(&system, &at).iter().enumerate() {
            // Upper corners: y − b = c − g; lower ones: y + b = g − c.
            let side = if corner < 2 { 1.0 } else { -1.0 };
            let expected = side * (1e-3 - candidate.gap) / 1e-3;
            assert_close(output.corners[corner], expected, 1e-12);
        }
    }
}
