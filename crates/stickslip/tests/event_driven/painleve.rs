//! The rod of Painlevé: a slender rod that slides with one end on a rough floor.
//!
//! With inclination φ, half length l, mass m and slip to the right, the normal force pushes its
//! own contact with (1/m)(1 + 3 cosφ (cosφ − μ sinφ)), which is negative for some φ if μ > 4/3:
//! there the accelerations have no solution or two.

use crate::toy::{GRAVITY, Toy, run, state};
use stickslip::integrate::StepError;
use stickslip::system::{ForceLaw, LawGroup};

const HALF: f64 = 0.5;

fn rod(friction: f64) -> Toy {
    let laws =
        [("normal", ForceLaw::signorini(0.0)), ("friction", ForceLaw::coulomb_1d(friction, 0.0))];
    let mut toy =
        Toy::new(&[1.0, 1.0, HALF * HALF / 3.0], vec![LawGroup::new(laws)]).with_weight(1);
    // The lower end lies at −l (cosφ, sinφ) from the centre.
    toy.contacts = Box::new(|at, out| {
        let (s, c) = at.q[2].sin_cos();
        let (rows, _) = out.push(3, 0, at.q[1] - HALF * s, [0, 0], [3, 0], 2);
        rows.copy_from_slice(&[0.0, 1.0, -HALF * c, 1.0, 0.0, HALF * s]);
    });
    toy
}

/// The rod touches the floor, its lower end slides with v.
fn sliding(phi: f64, phi_dot: f64, v: f64) -> stickslip::system::State {
    let (s, c) = phi.sin_cos();
    state(&[0.0, HALF * s, phi], &[v - HALF * s * phi_dot, HALF * c * phi_dot, phi_dot])
}

/// (1/m)(1 + 3 cosφ (cosφ ∓ μ sinφ)) for the two directions of slip.
fn push(phi: f64, mu: f64, v: f64) -> f64 {
    1.0 + 3.0 * phi.cos() * (phi.cos() - mu * phi.sin() * v.signum())
}

#[test]
fn inside_the_region_the_run_ends_with_its_name() {
    let mu = 2.0;
    // Find the sign of slip for which the region exists, by the formula.
    let phi = 1.0;
    let v = if push(phi, mu, 1.0) < 0.0 { 1.0 } else { -1.0 };
    assert!(push(phi, mu, v) < 0.0);
    // Without rotation the weight presses: no solution.
    let error = run(&rod(mu), &mut sliding(phi, 0.0, -v), 1.0);
    let other = run(&rod(mu), &mut sliding(phi, 0.0, v), 1.0);
    let named =
        |e: &Result<_, StepError>| matches!(e, Err(StepError::Painleve { solutions: "no", .. }));
    assert!(named(&error) != named(&other), "{error:?} {other:?}");
    // Fast rotation lifts: the rod may leave the floor or stay, two solutions.
    let spin = (2.0 * GRAVITY / (HALF * phi.sin())).sqrt();
    let several = |e: &Result<_, StepError>| {
        matches!(e, Err(StepError::Painleve { solutions: "several", .. }))
    };
    let one = run(&rod(mu), &mut sliding(phi, spin, v), 0.1);
    let two = run(&rod(mu), &mut sliding(phi, spin, -v), 0.1);
    assert!(several(&one) != several(&two), "{one:?} {two:?}");
}

/// From outside, for many starts: every run ends, at the end time or with a name.
#[test]
fn no_start_makes_it_hang() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut done, mut painleve) = (0, 0);
    for _ in 0..60 {
        let mu = 1.0 + 2.0 * rng.f64();
        let phi = 0.1 + 1.3 * rng.f64();
        let mut at = sliding(phi, 4.0 * rng.f64() - 2.0, 6.0 * rng.f64() - 3.0);
        match run(&rod(mu), &mut at, 1.0) {
            Ok(_) => done += 1,
            Err(StepError::Painleve { .. }) => painleve += 1,
            Err(other) => panic!("{mu} {phi}: {other}"),
        }
    }
    assert!(done > 10 && painleve > 0, "{done} {painleve}");
}
