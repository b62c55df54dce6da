//! The Tippe-Top of Leine 2003, sec. 5.4, against an independent event-driven run.

use crate::toy::{closing_error, scheme, times};
use stickslip::models::{TippeTop, TippeTopParameters, TippeTopStart};

fn start(top: &TippeTop) -> stickslip::system::State {
    top.start(&TippeTopStart::default())
}

/// θ(0.5), θ(1), the time at which the stick touches the floor.
#[test]
fn it_inverts_as_in_the_reference() {
    let top = TippeTop::new(TippeTopParameters::default()).unwrap();
    let mut at = start(&top);
    let begin = at.clone();
    let mut integrator = scheme();
    let mut events = Vec::new();
    let clock = std::time::Instant::now();
    let mut run = |at: &mut _, t: f64| {
        integrator.run_until(&top, at, t, &mut |e| events.push(e.clone())).unwrap();
        println!("t = {t}: {:?}", clock.elapsed());
    };
    run(&mut at, 0.5);
    let half = top.output(&at).theta;
    run(&mut at, 1.0);
    let one = top.output(&at).theta;
    run(&mut at, 2.0);
    let two = top.output(&at).theta;
    println!("{half} {one} {two}");
    for e in &events {
        println!("{} {} {}", e.name(), e.t(), e.contact());
    }
    assert!((half - 0.508334).abs() < 1e-6, "{half}");
    assert!((one - 1.567312).abs() < 1e-6, "{one}");
    assert!((two - 3.037513).abs() < 1e-5, "{two}");
    let touch = events.iter().find(|e| e.name() == "impact" && e.contact() == 1).unwrap().t();
    assert!((touch - 1.37081).abs() < 1e-4, "{touch}");
    let _ = (begin, times(&events, "impact"), closing_error);
}
