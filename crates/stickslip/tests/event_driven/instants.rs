//! Events in the summary of a run stand at their instants, not at the ends of steps.

use crate::reactions::{EVENT_DRIVEN, Rows};
use stickslip::simulate::EventKind;

/// A ball falls from 1 m: the instants of its impacts are those of the fall.
#[test]
fn impacts_are_told_at_their_instants() {
    let text = r#"
[world]
ground = {}
[[body]]
name = "ball"
mass = 1
position = [0, 0, 1.1]
[[body.shape]]
kind = "sphere"
radius = 0.1
[[contact]]
name = "floor"
between = ["ball", "ground"]
restitution = 0.5
[simulation]
duration = 2
step = 0.1
output_step = 0.1
"#;
    let rows = Rows::of(text, &[EVENT_DRIVEN]);
    let summary = rows.summary();
    let fall = (2.0_f64 / 9.81).sqrt();
    assert!((summary.impacts[0].t - fall).abs() < 1e-9);
    assert!((summary.impacts[1].t - 2.0 * fall).abs() < 1e-9);
    // t₀ (1 + 2 (ε + ε² + ...)) = 3 t₀ for ε = ½.
    let told = |kind: EventKind| {
        let mut found = summary.events.iter().filter(|event| event.kind == kind);
        let event = found.next().unwrap_or_else(|| panic!("no {kind:?} in {:?}", summary.events));
        assert!(found.next().is_none());
        event.t
    };
    assert_eq!(summary.events.len(), 2);
    assert!((told(EventKind::Accumulation) - 3.0 * fall).abs() < 1e-7, "{:?}", summary.events);
    // The last hops, too low to be seen, are left out.
    assert!((told(EventKind::Close) - 3.0 * fall).abs() < 1e-6, "{:?}", summary.events);
}
