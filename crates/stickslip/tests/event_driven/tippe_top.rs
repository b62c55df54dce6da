//! The Tippe-Top of Leine 2003, sec. 5.4, against an independent event-driven run.

use crate::oracles::{TippeTop, TippeTopParameters, TippeTopStart};
use crate::toy::{closing_error, scheme};
use stickslip::integrate::Integrator;
use stickslip::simulate::{Observer, RunSettings, RunStatus, Sample, run};
use stickslip::system::State;

fn top() -> TippeTop {
    TippeTop::new(TippeTopParameters::default()).unwrap()
}

/// The converged values of θ, with the digits in which they are given (the reference and this run
/// differ by 1e-9 up to the accumulation of impacts at 4.9 s, and by 1e-6 after it), and the time at which the stick touches the floor and the body lifts off in the same impact.
#[test]
fn it_inverts_as_in_the_reference() {
    let top = top();
    let mut at = top.start(&TippeTopStart::default());
    let mut integrator = scheme();
    let mut events = Vec::new();
    let mut go = |at: &mut State, t: f64| {
        let before = at.clone();
        integrator.run_until(&top, at, t, &mut |e| events.push(e.clone())).unwrap();
        assert!(closing_error(&top, &before, &integrator, at).abs() < 1e-9 * 0.012);
        top.output(at).theta
    };
    for (t, theta, tolerance) in [
        (0.5, 0.508334, 1e-6),
        (1.0, 1.567312, 1e-6),
        (1.5, 3.059726, 1e-6),
        (2.0, 3.037513, 1e-6),
        (3.0, 3.09591, 1e-5),
        (4.0, 3.11837, 1e-5),
        (6.0, 2.39247, 1e-5),
        (8.0, 1.80491, 1e-5),
    ] {
        let found = go(&mut at, t);
        assert!((found - theta).abs() < tolerance, "{t}: {found} {theta}");
    }
    let first = |name: &str, contact| {
        events.iter().find(|e| e.name() == name && e.contact() == contact).map(|e| e.t())
    };
    let touch = first("impact", 1).unwrap();
    assert!((touch - 1.37081).abs() < 1e-5, "{touch}");
    assert_eq!(first("opening", 0), Some(touch));
    // The body touches again, rocks, and both stay in contact from 4.8975 to 5.5743 s.
    assert!((first("impact", 0).unwrap()) < 1e-4); // the printed start has a gap of 1.2e-8 m
    let back = events.iter().find(|e| e.name() == "impact" && e.contact() == 0 && e.t() > 2.0);
    assert!((back.unwrap().t() - 4.7515).abs() < 1e-4);
    let both = events.iter().find(|e| e.name() == "accumulation").unwrap().t();
    assert!((both - 4.8975).abs() < 1e-4, "{both}");
    let end = events.iter().rfind(|e| e.name() == "opening").unwrap();
    assert!((end.t() - 5.5743).abs() < 1e-4 && end.contact() == 1, "{end:?}");
}

/// All rows of the reference: θ, energy, spin, gaps.
#[test]
fn it_follows_the_reference_run() {
    let top = top();
    let mut at = top.start(&TippeTopStart::default());
    let mut integrator = scheme();
    let text = include_str!("../data/tippe_top_hertz_event_driven.csv");
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        let dt = row[0] - at.t;
        integrator.step(&top, &mut at, dt).unwrap();
        let out = top.output(&at);
        let energy = stickslip::system::MechanicalSystem::energy(&top, &at).total();
        // Up to 1e-9 most of the time; the fall from the stick (4.7 s) multiplies errors by 20, and
        // where impacts accumulate (4.75 to 4.9 s) both runs stop at a threshold of their own.
        // Gaps and energy are printed with six and eleven digits.
        let late = if row[0] < 4.7 { 1.0 } else { 1e3 };
        assert!((out.theta - row[1]).abs() < 5e-8 * late, "{line}: {}", out.theta);
        assert!((energy - row[4]).abs() < 1e-11 * late, "{line}: {energy}");
        assert!((out.spin - row[5]).abs() < 1e-5 * late.sqrt(), "{line}: {}", out.spin);
        assert!((out.stick_gap - row[3]).abs() < 1e-7, "{line}: {}", out.stick_gap);
        let closed: &[f64] = match row[8] {
            1.0 => &[out.body_gap],
            2.0 => &[out.stick_gap],
            _ => &[out.body_gap, out.stick_gap],
        };
        assert!(closed.iter().all(|gap| gap.abs() < 1e-10), "{line}: {closed:?}");
    }
}

struct Nothing;

impl Observer for Nothing {
    fn sample(&mut self, _: &Sample) -> std::io::Result<()> {
        Ok(())
    }
}

/// As an integrator of a run: the book of energy closes, nothing penetrates.
#[test]
fn it_runs_under_simulate() {
    let top = top();
    let start = top.start(&TippeTopStart::default());
    let settings = RunSettings::new(2.0, 0.01, 0.01);
    let summary = run(&top, &mut scheme(), start, &settings, &mut Nothing).unwrap();
    assert_eq!(summary.status, RunStatus::Done);
    assert!(summary.max_penetration < 1e-10, "{}", summary.max_penetration);
    // The tolerance of the integrator, 1e-10, per step of some 1e-4 s adds up to 1e-8.
    let energy = &summary.energy;
    assert!(energy.closing_error.abs() < 1e-8 * energy.initial, "{}", energy.closing_error);
    assert!(energy.book.projection.abs() < 1e-8 * energy.initial, "{}", energy.book.projection);
    assert!(energy.last < 0.5 * energy.initial);
}
