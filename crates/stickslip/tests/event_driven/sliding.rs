//! Stick, slip and the transitions between them.

use crate::toy::{GRAVITY, Toy, closing_error, run, scheme, state, times};
use stickslip::convex::Pressure;
use stickslip::integrate::{ContactState, Integrator};
use stickslip::system::{ForceLaw, LawGroup};

fn group(friction: ForceLaw) -> Vec<LawGroup> {
    vec![LawGroup::new([("normal", ForceLaw::signorini(0.0)), ("friction", friction)])]
}

/// A block on an incline of the given angle: coordinates along (upwards) and across it.
fn incline(angle: f64, friction: f64) -> Toy {
    let mut toy = Toy::new(&[1.5, 1.5], group(ForceLaw::coulomb_1d(friction, 0.0)));
    let (s, c) = angle.sin_cos();
    toy.forces = Box::new(move |_, h| {
        h[0] = -1.5 * GRAVITY * s;
        h[1] = -1.5 * GRAVITY * c;
    });
    toy.potential = Box::new(move |at| 1.5 * GRAVITY * (s * at.q[0] + c * at.q[1]));
    toy.contacts = Box::new(|at, out| {
        let (rows, _) = out.push(0, 0, at.q[1], [0, 0], [2, 0], 2);
        rows.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]);
    });
    toy
}

/// tan α = μ (1 ∓ 1e-3): it rests exactly, or slides with g (sin α − μ cos α).
#[test]
fn a_block_on_an_incline_at_the_limit() {
    let mu = 0.4_f64;
    let mut at = state(&[0.0, 0.0], &[0.0, 0.0]);
    let mut integrator = scheme();
    let system = incline((mu * (1.0 - 1e-3)).atan(), mu);
    integrator.run_until(&system, &mut at, 10.0, &mut |_| {}).unwrap();
    // Rounding of the forces, 1e-16 g, over ten seconds.
    assert!(at.q[0].abs() < 1e-13 && at.u[0].abs() < 1e-15, "{at:?}");
    assert_eq!(integrator.record().contacts[0].state, ContactState::Stick);

    let alpha = (mu * (1.0 + 1e-3)).atan();
    let mut at = state(&[0.0, 0.0], &[0.0, 0.0]);
    run(&incline(alpha, mu), &mut at, 10.0).unwrap();
    let a = GRAVITY * (alpha.sin() - mu * alpha.cos());
    // The difference of the two terms has lost three digits.
    assert!((at.q[0] + 50.0 * a).abs() < 1e-11 * 50.0, "{} {}", at.q[0], -50.0 * a);
}

/// Shot upwards, the block stops at v/(g (sin α + μ cos α)) and stays or slides back.
#[test]
fn a_block_shot_up_the_incline_stops_or_returns() {
    let v = 3.0;
    for (mu, returns) in [(0.8, false), (0.3, true)] {
        let alpha = 0.5_f64;
        let (s, c) = alpha.sin_cos();
        let system = incline(alpha, mu);
        let mut at = state(&[0.0, 0.0], &[v, 0.0]);
        let start = at.clone();
        let mut integrator = scheme();
        integrator.run_until(&system, &mut at, 2.0, &mut |_| {}).unwrap();
        let stop = v / (GRAVITY * (s + mu * c));
        let name = if returns { "slip" } else { "stick" };
        let turned = times(integrator.events(), name);
        let turned = turned.last().unwrap();
        assert!((turned - stop).abs() < 1e-12, "{mu}: {turned} {stop}");
        let top = 0.5 * v * stop;
        let down = if returns { 0.5 * GRAVITY * (s - mu * c) * (2.0 - stop).powi(2) } else { 0.0 };
        assert!((at.q[0] - (top - down)).abs() < 1e-11, "{mu}: {}", at.q[0]);
        let error = closing_error(&system, &start, &integrator, &at);
        assert!(error.abs() < 1e-10, "{error}");
    }
}

/// A particle on a plane: stops after v/(μ g) on a straight line, whatever the direction.
#[test]
fn a_particle_slides_straight_and_stops() {
    let mut system = Toy::new(&[0.2; 3], group(ForceLaw::coulomb(0.3, 0.0))).with_weight(2);
    system.contacts = Box::new(|at, out| {
        let (rows, _) = out.push(0, 0, at.q[2], [0, 0], [3, 0], 3);
        rows.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    });
    let mut at = state(&[0.0; 3], &[3.0, 4.0, 0.0]);
    let start = at.clone();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 4.0, &mut |_| {}).unwrap();
    let stop = 5.0 / (0.3 * GRAVITY);
    let sticks = times(integrator.events(), "stick");
    assert_eq!(sticks.len(), 1);
    // A velocity in a plane counts as zero at 1e-9 of the fastest, 5e-9 m/s or 2e-9 s, and the
    // last turn of a velocity that small adds as much again.
    assert!((sticks[0] - stop).abs() < 5e-9, "{} {stop}", sticks[0]);
    let way = 12.5 / (0.3 * GRAVITY);
    assert!((at.q[0] - 0.6 * way).abs() < 1e-9 && (at.q[1] - 0.8 * way).abs() < 1e-9, "{at:?}");
    assert_eq!(integrator.record().contacts[0].state, ContactState::Stick);
    let error = closing_error(&system, &start, &integrator, &at);
    assert!(error.abs() < 1e-9 * 2.5, "{error}");
}

/// A ball that is thrown sliding rolls from t = 2 v/(7 μ g) on with 5/7 v.
#[test]
fn a_sliding_ball_comes_to_roll() {
    let (m, r, mu, v) = (0.17, 0.03, 0.2, 2.0);
    let mut system =
        Toy::new(&[m, m, 0.4 * m * r * r], group(ForceLaw::coulomb_1d(mu, 0.0))).with_weight(1);
    system.contacts = Box::new(move |at, out| {
        let (rows, _) = out.push(0, 0, at.q[1] - r, [0, 0], [3, 0], 2);
        rows.copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, r]);
    });
    let mut at = state(&[0.0, r, 0.0], &[v, 0.0, 0.0]);
    let events = run(&system, &mut at, 1.0).unwrap();
    let rolls = times(&events, "stick");
    assert_eq!(rolls.len(), 1);
    assert!((rolls[0] - 2.0 * v / (7.0 * mu * GRAVITY)).abs() < 1e-12);
    assert!((at.u[0] - 5.0 / 7.0 * v).abs() < 1e-12);
    assert!((at.u[0] + r * at.u[2]).abs() < 1e-14);
}

/// A mass on a belt, held by a spring, with a driving force c (ẋ − v_b) that acts in slip like a
/// falling friction characteristic. Stick lasts until k x = μ N; the slip phase is a linear
/// oscillator with the damping −c that begins with z₀ = c v_b/k, ż₀ = v_b and ends where ż = v_b.
#[test]
fn the_belt_oscillator_has_its_stick_slip_period() {
    let (m, k, c, mu, belt) = (1.0, 40.0, 0.8, 0.3, 0.25);
    let limit = mu * m * GRAVITY;
    let mut system = Toy::new(&[m, m], group(ForceLaw::coulomb_1d(mu, 0.0)));
    system.forces = Box::new(move |at, h| {
        h[0] = -k * at.q[0] + c * (at.u[0] - belt);
        h[1] = -m * GRAVITY;
    });
    system.contacts = Box::new(move |at, out| {
        let (rows, rheonomic) = out.push(0, 0, at.q[1], [0, 0], [2, 0], 2);
        rows.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]);
        rheonomic[1] = -belt;
    });
    // Closed form of the slip phase.
    let (delta, omega) = (0.5 * c / m, (k / m - 0.25 * c * c / (m * m)).sqrt());
    let z0 = c * belt / k;
    let b = (belt - delta * z0) / omega;
    let z = |t: f64| (delta * t).exp() * (z0 * (omega * t).cos() + b * (omega * t).sin());
    let rate = |t: f64| {
        let (s, co) = (omega * t).sin_cos();
        delta * z(t) + (delta * t).exp() * omega * (b * co - z0 * s)
    };
    // The velocity returns to that of the belt in the last quarter of a turn.
    let (mut low, mut high) =
        (1.2 * std::f64::consts::PI / omega, 1.99 * std::f64::consts::PI / omega);
    assert!(rate(low) < belt && rate(high) > belt, "{} {}", rate(low), rate(high));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if rate(middle) < belt { low = middle } else { high = middle }
    }
    let slip = low;
    let x1 = z(slip) + (limit - c * belt) / k;
    let period = slip + (limit / k - x1) / belt;
    let mut at = state(&[0.0, 0.0], &[belt, 0.0]);
    let events = run(&system, &mut at, 12.0).unwrap();
    let (slips, sticks) = (times(&events, "slip"), times(&events, "stick"));
    assert!(slips.len() >= 4, "{slips:?}");
    assert!((slips[0] - limit / k / belt).abs() < 1e-11, "{slips:?}");
    for n in 1..slips.len() {
        // Tolerance: 1e-10 of the integrator, events at the crossing of forces.
        assert!((slips[n] - slips[n - 1] - period).abs() < 1e-9, "{slips:?} {period}");
        assert!((sticks[n] - slips[n - 1] - slip).abs() < 1e-9, "{sticks:?} {slip}");
    }
}

/// A disk-like foot that slides and spins: with Coulomb-Contensou friction both end together
/// (Leine 2003, sec. 2), and the energy book closes.
#[test]
fn sliding_and_spinning_end_together() {
    let law = ForceLaw::coulomb_contensou(0.3, 0.02, Pressure::Uniform);
    let inertia = 0.5 * 0.2 * 0.02 * 0.02;
    let mut system = Toy::new(&[0.2, 0.2, 0.2, inertia], group(law)).with_weight(2);
    system.contacts = Box::new(|at, out| {
        let (rows, _) = out.push(0, 0, at.q[2], [0, 0], [4, 0], 4);
        rows[2] = 1.0;
        rows[4] = 1.0;
        rows[4 + 5] = 1.0;
        rows[3 * 4 + 3] = 1.0;
    });
    let mut at = state(&[0.0; 4], &[0.3, 0.1, 0.0, 40.0]);
    let start = at.clone();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 1.0, &mut |_| {}).unwrap();
    let sticks = times(integrator.events(), "stick");
    assert_eq!(sticks.len(), 1, "{:?}", integrator.events());
    assert!(at.u.iter().all(|u| u.abs() < 1e-12), "{at:?}");
    let error = closing_error(&system, &start, &integrator, &at);
    // Loss of 0.042 J; the tolerance of the integrator times a few.
    assert!(error.abs() < 1e-10, "{error}");
    // Spinning shares the friction: the way is longer than v²/(2 μ g).
    let way = at.q[0].hypot(at.q[1]);
    assert!(way > 1.05 * 0.1 / (2.0 * 0.3 * GRAVITY), "{way}");
}

/// Slip in a plane that begins slowly, under a force that grows and turns.
#[test]
fn slip_in_a_plane_begins_in_the_direction_of_the_force() {
    let (m, mu) = (1.0, 0.5);
    let mut system = Toy::new(&[m; 3], group(ForceLaw::coulomb(mu, 0.0)));
    system.forces = Box::new(move |at, h| {
        h[0] = 3.0 * at.t;
        h[1] = 4.0 * at.t;
        h[2] = -m * GRAVITY;
    });
    system.contacts = Box::new(|at, out| {
        let (rows, _) = out.push(0, 0, at.q[2], [0, 0], [3, 0], 3);
        rows.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    });
    let mut at = state(&[0.0; 3], &[0.0; 3]);
    let events = run(&system, &mut at, 2.0).unwrap();
    let onset = mu * m * GRAVITY / 5.0;
    let slips = times(&events, "slip");
    assert_eq!(slips.len(), 1, "{events:?}");
    assert!((slips[0] - onset).abs() < 1e-10, "{slips:?} {onset}");
    // Straight: v = ∫ 5 (t − onset) dt.
    let v = 2.5 * (2.0 - onset).powi(2);
    assert!((at.u[0] - 0.6 * v).abs() < 1e-9 && (at.u[1] - 0.8 * v).abs() < 1e-9, "{at:?}");
}
