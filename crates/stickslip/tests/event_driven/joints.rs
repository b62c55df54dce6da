//! Bilateral joints, dampers, constant friction.

use crate::toy::{GRAVITY, Toy, closing_error, run, scheme, state, times};
use stickslip::system::{ForceLaw, LawGroup};

/// A point on a rod of length 1 as a bilateral constraint in Cartesian coordinates.
fn pendulum() -> Toy {
    let mut toy = Toy::new(&[1.0, 1.0], vec![LawGroup::new([("joint", ForceLaw::bilateral(1))])])
        .with_weight(1);
    toy.contacts = Box::new(|at, out| {
        let (rows, _) = out.push(0, 0, f64::NEG_INFINITY, [0, 0], [2, 0], 1);
        rows.copy_from_slice(&at.q);
    });
    toy
}

/// The period of a pendulum of amplitude π/2 is 4 K(1/√2) √(l/g), K = Γ(1/4)²/(4√π).
#[test]
fn a_pendulum_in_maximal_coordinates_keeps_its_period_and_length() {
    let quarter = 1.854_074_677_301_372 / GRAVITY.sqrt();
    let mut at = state(&[1.0, 0.0], &[0.0, 0.0]);
    let start = at.clone();
    let mut integrator = scheme();
    let system = pendulum();
    integrator.run_until(&system, &mut at, 4.0 * quarter * 5.0, &mut |_| {}).unwrap();
    // Five periods at the tolerance 1e-10 per step, some hundred steps.
    assert!((at.q[0] - 1.0).abs() < 1e-8 && at.q[1].abs() < 1e-8, "{at:?}");
    assert!((at.q[0].hypot(at.q[1]) - 1.0).abs() < 1e-8);
    let error = closing_error(&system, &start, &integrator, &at);
    assert!(error.abs() < 1e-8, "{error}");
}

/// A permanent damper and a brake of constant force on a line: m v̇ = −c v − F until it stops at
/// t = (m/c) ln(1 + c v/F); then the brake holds.
#[test]
fn a_damper_and_a_brake_act_side_by_side() {
    let (m, c, force, v) = (2.0, 0.7, 1.1, 3.0);
    let damper = ForceLaw { viscosity: Some(c), ..ForceLaw::bilateral(1) };
    let laws = [("damper", damper), ("brake", ForceLaw::dry_friction(1, force))];
    let mut system = Toy::new(&[m], vec![LawGroup::new(laws)]);
    system.contacts = Box::new(|_, out| {
        out.push(0, 0, f64::NEG_INFINITY, [0, 0], [1, 0], 2).0.fill(1.0);
    });
    let mut at = state(&[0.0], &[v]);
    let start = at.clone();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 6.0, &mut |_| {}).unwrap();
    let stop = m / c * (c * v / force).ln_1p();
    let sticks = times(integrator.events(), "stick");
    assert!((sticks[0] - stop).abs() < 1e-9, "{sticks:?} {stop}");
    let way = (m * v - force * stop) / c;
    assert!((at.q[0] - way).abs() < 1e-9 && at.u[0].abs() < 1e-13, "{at:?} {way}");
    let error = closing_error(&system, &start, &integrator, &at);
    assert!(error.abs() < 1e-9, "{error}");
}

/// Two corners of one block stick at once: their tangential forces are not unique, their sum is.
#[test]
fn redundant_stick_is_no_obstacle() {
    let laws = [("normal", ForceLaw::signorini(0.0)), ("friction", ForceLaw::coulomb_1d(0.5, 0.0))];
    let mut system = Toy::new(&[1.0, 1.0, 0.1], vec![LawGroup::new(laws)]);
    system.forces = Box::new(|at, h| {
        h[0] = 2.0 * at.t;
        h[1] = -GRAVITY;
    });
    system.contacts = Box::new(|at, out| {
        for (key, arm) in [(0, -0.5), (1, 0.5)] {
            let gap = at.q[1] + arm * at.q[2];
            let (rows, _) = out.push(key, 0, gap, [0, 0], [3, 0], 2);
            rows.copy_from_slice(&[0.0, 1.0, arm, 1.0, 0.0, 0.0]);
        }
    });
    let mut at = state(&[0.0; 3], &[0.0; 3]);
    let events = run(&system, &mut at, 4.0).unwrap();
    let onset = 0.25 * GRAVITY;
    let slips = times(&events, "slip");
    // The sum reaches its limit when either does, here both at once.
    assert!((slips[0] - onset).abs() < 1e-9, "{slips:?} {onset}");
    let v = (4.0 - onset).powi(2);
    assert!((at.u[0] - v).abs() < 1e-9, "{at:?} {v}");
}
