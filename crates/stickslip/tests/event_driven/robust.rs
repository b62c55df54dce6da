//! Refused input, limits, extreme values.

use crate::toy::{GRAVITY, Toy, closing_error, scheme, state};
use stickslip::integrate::{EventDriven, EventDrivenOptions, Integrator, StepError};
use stickslip::system::{ForceLaw, LawGroup};

fn block(restitution: f64, belt: f64) -> Toy {
    let laws = [
        ("normal", ForceLaw::signorini(restitution)),
        ("friction", ForceLaw::coulomb_1d(0.3, 0.0)),
    ];
    let mut toy = Toy::new(&[1.0, 1.0], vec![LawGroup::new(laws)]).with_weight(1);
    toy.contacts = Box::new(move |at, out| {
        let (rows, rheonomic) = out.push(0, 0, at.q[1], [0, 0], [2, 0], 2);
        rows.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]);
        rheonomic[1] = -belt;
    });
    toy
}

#[test]
fn options_out_of_range_are_refused() {
    for tolerance in [0.0, 1e-15, 0.1, f64::NAN] {
        assert!(EventDriven::new(EventDrivenOptions { tolerance, ..Default::default() }).is_err());
    }
    for max_step in [0.0, -1.0, f64::NAN] {
        assert!(EventDriven::new(EventDrivenOptions { max_step, ..Default::default() }).is_err());
    }
}

#[test]
fn bad_states_and_steps_are_errors_and_change_nothing() {
    let system = block(0.5, 0.0);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut at = state(&[0.0, 1.0], &[bad, 0.0]);
        let error = scheme().step(&system, &mut at, 0.1);
        assert!(matches!(error, Err(StepError::NotFinite { .. })), "{error:?}");
    }
    let mut at = state(&[0.0, 1.0], &[0.0, 0.0]);
    let before = at.clone();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(scheme().step(&system, &mut at, dt), Err(StepError::Step(_))));
    }
    let mut massless = block(0.5, 0.0);
    massless.mass[0] = 0.0;
    assert!(matches!(scheme().step(&massless, &mut at, 0.1), Err(StepError::Mass { .. })));
    assert_eq!(at, before);
}

#[test]
fn too_many_events_end_with_their_name() {
    let options = EventDrivenOptions { max_events: 5, ..Default::default() };
    let mut integrator = EventDriven::new(options).unwrap();
    let mut at = state(&[0.0, 1.0], &[0.0, 0.0]);
    let error = integrator.step(&block(0.9, 0.0), &mut at, 10.0).unwrap_err();
    assert!(matches!(error, StepError::TooManyEvents { events: 6, .. }), "{error}");
    assert!(error.to_string().starts_with("too-many-events"));
}

/// Whatever the size of the numbers, a run ends, and never with a NaN.
#[test]
fn extreme_states_end() {
    let sizes = [0.0, 5e-324, 1e-300, 1e-20, 1e-9, 1.0, 1e9, 1e100, 1e300];
    for height in sizes {
        for speed in sizes {
            let mut at = state(&[0.0, height], &[speed, -speed]);
            if scheme().step(&block(0.5, 0.0), &mut at, 0.3).is_ok() {
                assert!(
                    at.q.iter().chain(&at.u).all(|v| v.is_finite()),
                    "{height} {speed}: {at:?}"
                );
                assert!(at.q[1] > -1e-10 * (1.0 + height + speed), "{height} {speed}: {at:?}");
            }
        }
    }
}

/// A block thrown on a moving belt: impacts, slip, stick; the belt drives it, and the book closes.
/// In the end it moves with the belt, so that the belt's work against gravity-free friction is
/// known: momentum m v_b times v_b.
#[test]
fn the_work_of_a_belt_is_booked() {
    let belt = 2.0;
    let system = block(0.5, belt);
    let mut at = state(&[0.0, 0.3], &[0.0, 0.0]);
    let start = at.clone();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 4.0, &mut |_| {}).unwrap();
    assert!((at.u[0] - belt).abs() < 1e-12, "{at:?}");
    assert!(closing_error(&system, &start, &integrator, &at).abs() < 1e-9);
    let record = integrator.record();
    assert!((record.drive_work - belt * belt).abs() < 1e-9, "{}", record.drive_work);
    // Normal: the potential energy; friction: half of what the belt gives.
    let work = |law| record.works.iter().find(|w| w.law == law).unwrap().work;
    assert!((work(0) + 0.3 * GRAVITY).abs() < 1e-9, "{}", work(0));
    assert!((work(1) + 0.5 * belt * belt).abs() < 1e-9, "{}", work(1));
}
