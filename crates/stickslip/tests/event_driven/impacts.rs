//! Impacts, their accumulation, and the opening of contacts.

use crate::toy::{GRAVITY, Toy, closing_error, run, scheme, state, times};
use stickslip::integrate::MotionEvent;
use stickslip::system::{ForceLaw, LawGroup};

/// A ball above the floor.
fn ball(restitution: f64) -> Toy {
    let mut toy =
        Toy::new(&[2.0], vec![LawGroup::new([("normal", ForceLaw::signorini(restitution))])])
            .with_weight(0);
    toy.contacts = Box::new(|at, out| {
        out.push(7, 0, at.q[0], [0, 0], [1, 0], 1).0[0] = 1.0;
    });
    toy
}

/// Impact times t_n = t_0 + Σ 2 v_0 ε^k/g; they accumulate at t_0 (1 + ε)/(1 − ε). Tolerance of
/// the times: rounding of gaps (1e-16 m) over the velocity of the impact, 1e-10 s for all impacts
/// faster than 1e-5 m/s.
#[test]
fn a_bouncing_ball_comes_to_rest_after_infinitely_many_impacts() {
    for restitution in [0.3, 0.5, 0.8, 0.9] {
        let system = ball(restitution);
        let mut at = state(&[1.0], &[0.0]);
        let start = at.clone();
        let fall = (2.0 / GRAVITY).sqrt();
        let v = GRAVITY * fall;
        let zeno = fall * (1.0 + restitution) / (1.0 - restitution);
        let mut integrator = scheme();
        integrator.run_until(&system, &mut at, zeno + 1.0, &mut |_| {}).unwrap();
        let impacts = times(integrator.events(), "impact");
        let mut expected = fall;
        let mut rebound = restitution * v;
        let mut checked = 0;
        for t in &impacts {
            if rebound > 1e-5 * restitution {
                assert!((t - expected).abs() < 1e-10, "{restitution}: {t} {expected}");
                checked += 1;
            }
            expected += 2.0 * rebound / GRAVITY;
            rebound *= restitution;
        }
        assert!(checked >= 10, "{checked}");
        let accumulation = times(integrator.events(), "accumulation");
        assert_eq!(accumulation.len(), 1, "{restitution}");
        // The last ratio of intervals is known to 1e-8, of a rest of 1e-6 s at most.
        assert!((accumulation[0] - zeno).abs() < 1e-10, "{} {zeno}", accumulation[0]);
        assert!(at.q[0].abs() < 1e-10 && at.u[0].abs() < 1e-12, "{at:?}");
        // Energy: the impacts take all of it, 2·9.81·1 J, up to the hops that were left out.
        let error = closing_error(&system, &start, &integrator, &at);
        assert!(error.abs() < 1e-9 * 2.0 * GRAVITY, "{error}");
        let projected = stickslip::integrate::Integrator::record(&integrator).projection_work;
        assert!(projected.abs() < 1e-12, "{projected}");
    }
}

/// With ε = 1 nothing is lost, and nothing accumulates.
#[test]
fn an_elastic_ball_bounces_for_ever() {
    let system = ball(1.0);
    let mut at = state(&[1.0], &[0.0]);
    let fall = (2.0 / GRAVITY).sqrt();
    let events = run(&system, &mut at, 200.0 * fall).unwrap();
    let impacts = times(&events, "impact");
    assert_eq!(impacts.len(), 100);
    for (n, t) in impacts.iter().enumerate() {
        // The weights of the method sum to 1 up to 1e-14: each flight changes the velocity, and
        // so all later intervals, by that much, which adds up to 100²/2 times 1e-14 s.
        assert!((t - (2 * n + 1) as f64 * fall).abs() < 1e-10, "{n} {t}");
    }
    assert_eq!(times(&events, "accumulation").len(), 0);
}

/// An inelastic impact is recorded with its percussion m v and ends in rest; the force then is m g.
#[test]
fn an_inelastic_ball_stays_down() {
    use stickslip::integrate::Integrator;
    let system = ball(0.0);
    let mut at = state(&[1.0], &[0.0]);
    let fall = (2.0 / GRAVITY).sqrt();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 1.0, &mut |_| {}).unwrap();
    let impact = integrator.events().iter().find_map(|e| match e {
        MotionEvent::Impact(impact) => Some(impact.clone()),
        _ => None,
    });
    let impact = impact.unwrap();
    assert!((impact.t - fall).abs() < 1e-14);
    assert!((impact.percussion[0] - 2.0 * GRAVITY * fall).abs() < 1e-12);
    assert!((impact.velocity_before[0] + GRAVITY * fall).abs() < 1e-12);
    assert_eq!(impact.velocity_after[0], 0.0);
    // Percussion m v and the weight over the rest of the second.
    let percussion = integrator.record().contacts[0].normal_percussion;
    let expected = 2.0 * GRAVITY * fall + 2.0 * GRAVITY * (1.0 - fall);
    assert!((percussion - expected).abs() < 1e-10, "{percussion} {expected}");
}

/// A fast pass through a grazing arc: the gap is negative only within a step.
#[test]
fn a_short_dip_below_the_floor_is_not_missed() {
    // The floor has a bump: gap = x² − 1e-6 at speed 1000 m/s, far below a step.
    let mut system = Toy::new(&[1.0], vec![LawGroup::new([("normal", ForceLaw::signorini(1.0))])]);
    system.contacts = Box::new(|at, out| {
        let x = at.q[0];
        out.push(0, 0, x * x - 1e-6, [0, 0], [1, 0], 1).0[0] = 2.0 * x;
    });
    let mut at = state(&[-100.0], &[1000.0]);
    let events = run(&system, &mut at, 0.2).unwrap();
    let impacts = times(&events, "impact");
    assert_eq!(impacts.len(), 1);
    assert!((impacts[0] - (100.0 - 1e-3) / 1000.0).abs() < 1e-12, "{impacts:?}");
    assert!((at.u[0] + 1000.0).abs() < 1e-9);
}

/// A particle that slides down a smooth cylinder leaves it where its height has fallen by a third
/// of the height from which it began at rest: cosθ = 2/3 cosθ₀.
#[test]
fn a_particle_leaves_the_cylinder() {
    let radius = 0.7;
    let mut system =
        Toy::new(&[0.3, 0.3], vec![LawGroup::new([("normal", ForceLaw::signorini(0.0))])])
            .with_weight(1);
    system.contacts = Box::new(move |at, out| {
        let r = at.q[0].hypot(at.q[1]);
        let (rows, _) = out.push(0, 0, r - radius, [0, 0], [2, 0], 1);
        rows.copy_from_slice(&[at.q[0] / r, at.q[1] / r]);
    });
    let theta0 = 0.2_f64;
    let mut at = state(&[radius * theta0.sin(), radius * theta0.cos()], &[0.0, 0.0]);
    let start = at.clone();
    let mut integrator = scheme();
    let mut opened = None;
    let mut worst_gap = 0.0_f64;
    for step in 1..=200 {
        integrator.run_until(&system, &mut at, 0.005 * f64::from(step), &mut |_| {}).unwrap();
        if let Some(t) = times(integrator.events(), "opening").first() {
            opened = Some(*t);
        }
        if opened.is_none() {
            worst_gap = worst_gap.max((at.q[0].hypot(at.q[1]) - radius).abs());
        }
    }
    let t = opened.expect("it leaves");
    assert!(worst_gap < 1e-10, "{worst_gap}");
    let mut again = start.clone();
    scheme().run_until(&system, &mut again, t, &mut |_| {}).unwrap();
    let cos = again.q[1] / radius;
    // Tolerance of the integrator, times a few.
    assert!((cos - 2.0 / 3.0 * theta0.cos()).abs() < 1e-9, "{cos}");
    let energy = |s: &_| stickslip::system::MechanicalSystem::energy(&system, s).total();
    assert!((energy(&at) - energy(&start)).abs() < 1e-9 * energy(&start).abs());
}
