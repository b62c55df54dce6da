//! The impact laws of Newton, Poisson and Moreau side by side, in all three integrators that know them.

use crate::toy::{Toy, scheme, state};
use fastrand::Rng;
use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric, Rattle};
use stickslip::solve::{Auto, AutoOptions, Limits};
use stickslip::system::{ForceLaw, ImpactLaw, LawGroup, MechanicalSystem};

const LAWS: [ImpactLaw; 3] = [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Moreau];

fn group(impact: ImpactLaw, restitution: f64, friction: Option<f64>) -> LawGroup {
    let normal = ForceLaw { impact, ..ForceLaw::signorini(restitution) };
    let slip = if impact == ImpactLaw::Moreau { restitution } else { 0.0 };
    let tangential = friction.map(|mu| ("friction", ForceLaw::coulomb_1d(mu, slip)));
    LawGroup::new([("normal", normal)].into_iter().chain(tangential))
}

fn methods() -> Vec<Box<dyn Integrator>> {
    let limits = Limits { tolerance: 1e-13, ..Limits::default() };
    let solver = || Box::new(Auto::new(AutoOptions { limits, ..Default::default() }).unwrap());
    vec![
        Box::new(scheme()),
        Box::new(Moreau::new(solver(), Projection::new(ProjectionMetric::None))),
        Box::new(Rattle::new(solver())),
    ]
}

/// Velocities after an impact at t = 0 by every method.
fn after(system: &dyn MechanicalSystem, u: &[f64]) -> Vec<(&'static str, Vec<f64>)> {
    let struck = |mut method: Box<dyn Integrator>| {
        let mut at = state(&vec![0.0; u.len()], u);
        method.step(system, &mut at, 1e-6).unwrap();
        (method.name(), at.u)
    };
    methods().into_iter().map(struck).collect()
}

/// Three balls of 1 kg that touch; the first comes with 1 m/s.
fn cradle(impact: ImpactLaw, restitutions: [f64; 2]) -> Toy {
    let groups = restitutions.map(|e| group(impact, e, None)).to_vec();
    let mut toy = Toy::new(&[1.0; 3], groups);
    toy.contacts = Box::new(|at, out| {
        for k in 0..2 {
            let (w, _) = out.push(k as u64, k, at.q[k + 1] - at.q[k], [0, 0], [3, 0], 1);
            (w[k], w[k + 1]) = (-1.0, 1.0);
        }
    });
    toy
}

#[test]
fn the_cradle_tells_newton_from_poisson() {
    let third = 1.0 / 3.0;
    for (restitutions, newton, poisson) in [
        // With one restitution both are the same: γ_E = G ε Λ_C = −ε γ_A.
        ([1.0, 1.0], [-third, 2.0 * third, 2.0 * third], [-third, 2.0 * third, 2.0 * third]),
        ([0.5, 0.5], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]),
        // The contact of the second and the third ball does not approach: Newton gives nothing back
        // there, Poisson all of its percussion of 1/3 N s.
        ([0.0, 1.0], [third; 3], [0.5 * third, 0.5 * third, 2.0 * third]),
        ([0.0, 0.5], [third; 3], [0.25, 0.25, 0.5]),
    ] {
        for impact in LAWS {
            let expected = if impact == ImpactLaw::Poisson { poisson } else { newton };
            for (method, u) in after(&cradle(impact, restitutions), &[1.0, 0.0, 0.0]) {
                for (found, expected) in u.iter().zip(expected) {
                    let error = (found - expected).abs();
                    assert!(error < 1e-9, "{impact:?} {restitutions:?} {method}: {u:?}");
                }
            }
        }
    }
}

/// Kane's double pendulum: two rods of 1 kg and 1 m, 20° and 30° from the vertical, whose tip strikes the
/// floor, in coordinates in which the mass matrix is 1.
fn pendulum(impact: ImpactLaw, restitution: f64, friction: f64) -> (Toy, [f64; 2]) {
    let (a, b) = (20_f64.to_radians(), 30_f64.to_radians());
    let coupling = 0.5 * (a - b).cos();
    // M = L Lᵀ; velocities are Lᵀ u, directions L⁻¹ w.
    let l11 = (4.0 / 3.0_f64).sqrt();
    let l21 = coupling / l11;
    let l22 = (1.0 / 3.0 - l21 * l21).sqrt();
    let direction = move |w: [f64; 2]| [w[0] / l11, (w[1] - l21 * w[0] / l11) / l22];
    let rows = [direction([a.sin(), b.sin()]), direction([a.cos(), b.cos()])];
    let mut toy = Toy::new(&[1.0; 2], vec![group(impact, restitution, Some(friction))]);
    toy.contacts = Box::new(move |at, out| {
        let gap = rows[0][0] * at.q[0] + rows[0][1] * at.q[1];
        let (w, _) = out.push(0, 0, gap, [0, 0], [2, 0], 2);
        w.copy_from_slice(rows.as_flattened());
    });
    let u = [-0.1, -0.2];
    (toy, [l11 * u[0] + l21 * u[1], l22 * u[1]])
}

#[test]
fn kanes_pendulum_gains_by_newton_alone() {
    // Relative change of energy, by a program of its own that goes through stick and slip.
    for (restitution, friction, expected) in [
        (0.5, 0.5, [0.5874946869298501, -0.4551339365114766, -0.4375703847675102]),
        (0.7, 0.5, [1.757611078697396, -0.4291182891096115, -0.3635287119399132]),
        (0.9, 0.5, [2.1986899825259347, -0.4024959580633395, -0.25833777068958697]),
    ] {
        for (impact, expected) in LAWS.into_iter().zip(expected) {
            let (toy, u) = pendulum(impact, restitution, friction);
            let energy = |u: &[f64]| u.iter().map(|u| u * u).sum::<f64>();
            for (method, end) in after(&toy, &u) {
                let change = energy(&end) / energy(&u) - 1.0;
                let error = (change - expected).abs();
                assert!(error < 1e-8, "{impact:?} {restitution} {method}: {change}");
            }
        }
    }
}

#[test]
fn poisson_and_moreau_never_gain_in_ten_thousand_impacts() {
    let mut rng = Rng::with_seed(14);
    let mut newton_gains = 0;
    for _ in 0..10_000 {
        let mut number = || 2.0 * rng.f64() - 1.0;
        let rows: [f64; 6] = std::array::from_fn(|_| number());
        let u: [f64; 3] = std::array::from_fn(|_| number());
        let mass: [f64; 3] = std::array::from_fn(|_| number().abs() + 0.05);
        let (restitution, friction) = (number().abs(), 1.5 * number().abs());
        let normal: f64 = (0..3).map(|k| rows[k] * u[k]).sum();
        let sign = if normal > 0.0 { -1.0 } else { 1.0 };
        let u = u.map(|v| sign * v);
        for impact in LAWS {
            let mut toy = Toy::new(&mass, vec![group(impact, restitution, Some(friction))]);
            toy.contacts = Box::new(move |at, out| {
                let gap = (0..3).map(|k| rows[k] * at.q[k]).sum();
                out.push(0, 0, gap, [0, 0], [3, 0], 2).0.copy_from_slice(&rows);
            });
            let mut at = state(&[0.0; 3], &u);
            let before = toy.energy(&at).total();
            let mut method = methods().swap_remove(1);
            let report = method.step(&toy, &mut at, 1e-6).unwrap();
            assert_eq!(report.solve.status, stickslip::solve::Status::Solved, "{impact:?}");
            let gain = toy.energy(&at).total() / before - 1.0;
            let leaves: f64 = (0..3).map(|k| rows[k] * at.u[k]).sum();
            assert!(leaves > -1e-9, "{impact:?}: {leaves}");
            if impact == ImpactLaw::Newton {
                newton_gains += usize::from(gain > 1e-9);
            } else {
                assert!(gain < 1e-10, "{impact:?}: {gain}");
            }
        }
    }
    // What the test is about happens.
    assert!(newton_gains > 100, "{newton_gains}");
}

#[test]
fn a_ball_with_poissons_law_bounces_as_with_newtons_and_comes_to_rest() {
    for (index, name) in ["event-driven", "moreau", "rattle"].into_iter().enumerate() {
        let ends = [ImpactLaw::Newton, ImpactLaw::Poisson].map(|impact| {
            let mut toy = Toy::new(&[2.0], vec![group(impact, 0.5, None)]).with_weight(0);
            toy.contacts = Box::new(|at, out| {
                out.push(7, 0, at.q[0], [0, 0], [1, 0], 1).0[0] = 1.0;
            });
            let mut method = methods().swap_remove(index);
            let mut at = state(&[0.1], &[0.0]);
            let mut highest = 0.0_f64;
            for step in 0..2000 {
                method.step(&toy, &mut at, 5e-4).unwrap();
                if step as f64 * 5e-4 > (0.2 / 9.81_f64).sqrt() + 1e-3 {
                    highest = highest.max(at.q[0]);
                }
            }
            // 0.143 s (1 + 0.5)/(1 − 0.5) = 0.43 s have passed: it rests.
            assert!(at.u[0].abs() < 1e-9, "{name} {impact:?}: {at:?}");
            highest
        });
        assert!(
            (ends[0] - 0.025).abs() < 1e-3 && (ends[1] - 0.025).abs() < 1e-3,
            "{name} {ends:?}"
        );
    }
}
