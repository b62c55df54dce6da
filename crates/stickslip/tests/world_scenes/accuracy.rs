//! Steps chosen by an accuracy.

use crate::runs::Run;
use crate::support::{complaint_with, contains, with_ball};
use stickslip::scene::built_in;

fn chosen(run: &Run) -> stickslip::simulate::StepCount {
    run.summary.chosen_steps.expect("steps were chosen")
}

/// Largest difference of a column in all rows, and of the rows' times.
fn apart(a: &Run, b: &Run, column: &str) -> f64 {
    let (times_a, times_b) = (a.column("t"), b.column("t"));
    assert_eq!(times_a.len(), times_b.len());
    for (x, y) in times_a.iter().zip(&times_b) {
        assert!((x - y).abs() < 1e-12, "rows at {x} and {y} s");
    }
    crate::runs::distance(&a.column(column), &b.column(column))
}

#[test]
fn the_error_asked_for_is_met_with_fewer_steps_than_a_fixed_step() {
    // Place of a body against event-driven; size is that of the body, m. The error is asked for per
    // second of motion, relative to the size, and may be missed by a factor of 3.
    for (name, column, size, duration, accuracy) in [
        ("bouncing-ball", "ball.z", 0.05, 2.0, 1e-3),
        ("billiard-shot", "cue.x", 0.0285, 1.0, 1e-3),
    ] {
        let duration_set = format!("simulation.duration={duration}");
        let exact = Run::named(name, &[&duration_set, "simulation.integrator=event-driven"]);
        let asked = format!("simulation.accuracy={accuracy}");
        let moreau = "simulation.integrator=moreau";
        let run = Run::named(name, &[&duration_set, &asked, moreau]);
        let error = apart(&run, &exact, column) / size;
        assert!(error <= 3.0 * accuracy * duration, "{name}: {error:e}");
        let count = chosen(&run);
        assert!(count.taken > 0 && count.computed >= count.taken + count.refused, "{count:?}");
        // A fixed step with as many steps as were computed is worse.
        let step = 1e-2 / (1e-2 * count.computed as f64 / duration).ceil();
        let fixed = Run::named(name, &[&duration_set, &format!("simulation.step={step}"), moreau]);
        let worse = apart(&fixed, &exact, column) / size;
        assert!(worse > error, "{name}: fixed {worse:e}, chosen {error:e}, {count:?}");
    }
}

#[test]
fn smaller_accuracies_give_smaller_errors() {
    let exact = Run::named("bouncing-ball", &["simulation.integrator=event-driven"]);
    let errors = [1e-2, 1e-3, 1e-4].map(|accuracy| {
        let asked = format!("simulation.accuracy={accuracy}");
        let run = Run::named("bouncing-ball", &[&asked, "simulation.integrator=moreau"]);
        apart(&run, &exact, "ball.z")
    });
    assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn chosen_steps_are_deterministic_and_within_their_limits() {
    let overrides = [
        "simulation.accuracy=1e-3",
        "simulation.least_step=1e-6",
        "simulation.duration=1",
        "simulation.integrator=moreau",
    ];
    let [a, b] = [0, 1].map(|_| Run::named("rocking-block", &overrides));
    assert_eq!(a.summary.final_state, b.summary.final_state);
    assert_eq!(a.summary, b.summary);
    let count = chosen(&a);
    assert!(count.range[0] >= 1e-6 * (1.0 - 1e-9), "{count:?}");
    assert!(count.range[1] <= 0.5e-3 * (1.0 + 1e-9), "{count:?}");
    assert!(count.refused > 0, "{count:?}");
    assert_eq!(a.summary.steps, count.taken);
}

#[test]
fn where_nothing_is_wrong_the_largest_step_is_taken() {
    // Free fall is exact in discrete time: pairs of half the step, none refused.
    let text = with_ball(
        "[simulation]\nduration = 1\nstep = 1e-3\naccuracy = 1e-6\nintegrator = \"moreau\"",
    );
    let run = Run::of(&text, &[]);
    let count = chosen(&run);
    assert_eq!((count.taken, count.refused, count.computed), (2000, 0, 3000));
    assert!((run.last("ball.z") + 0.5 * 9.81).abs() < 1e-10);
}

#[test]
fn an_accuracy_that_makes_no_sense_is_refused() {
    let text = built_in("bouncing-ball").expect("a scene").text;
    for (overrides, parts) in [
        (&["simulation.accuracy=0.5"][..], &["simulation.accuracy is 0.5", "1e-12 and 0.1"][..]),
        (&["simulation.accuracy=-1e-3"], &["simulation.accuracy is -0.001"]),
        (
            &["simulation.accuracy=1e-3", "simulation.least_step=1"],
            &["simulation.least_step is 1", "half of the step"],
        ),
        (
            &["simulation.accuracy=1e-3", "simulation.integrator=event-driven"],
            &["simulation.accuracy is 1e-3", "event-driven", "simulation.tolerance"],
        ),
    ] {
        contains(&complaint_with(text, overrides), parts);
    }
}
