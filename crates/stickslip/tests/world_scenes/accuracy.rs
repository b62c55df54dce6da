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

/// Largest distance of a body in all rows, over its size, and largest angle between its orientations.
fn body_apart(a: &Run, b: &Run, body: &str, size: f64) -> f64 {
    let has = |name: &str| a.names().contains(&format!("{body}.{name}"));
    let columns = |run: &Run, names: &[&str]| -> Vec<Vec<f64>> {
        let names = names.iter().filter(|name| has(name));
        names.map(|name| run.column(&format!("{body}.{name}"))).collect()
    };
    let distance = |names: &[&str], sign: f64, row: usize| {
        let (a, b) = (columns(a, names), columns(b, names));
        let squares = a.iter().zip(&b).map(|(a, b)| (a[row] - sign * b[row]).powi(2));
        squares.sum::<f64>().sqrt()
    };
    assert!(has("x"), "{body} is not in {:?}", a.names());
    let mut worst = 0.0_f64;
    for row in 0..a.column("t").len() {
        worst = worst.max(distance(&["x", "y", "z"], 1.0, row) / size);
        worst = worst.max(distance(&["angle"], 1.0, row));
        // |p − p'| of unit quaternions is half of the angle between them; p and −p are the same.
        let turned = |sign: f64| 2.0 * distance(&["qw", "qx", "qy", "qz"], sign, row);
        worst = worst.max(turned(1.0).min(turned(-1.0)));
    }
    worst
}

/// A scene whose accuracy is looked at.
struct Case {
    name: &'static str,
    /// What is changed in it.
    changes: &'static [&'static str],
    /// Bodies with their sizes, m: half of the longest diagonal of their shape, or of the scene.
    bodies: &'static [(&'static str, f64)],
    duration: f64,
    /// Time between two rows, and longest step, s.
    row: f64,
    accuracy: f64,
    /// Whether a fixed step is worse even with as many steps as were computed in all, those to
    /// compare with and those refused among them.
    by_all: bool,
}

const CASES: [Case; 10] = [
    // Impacts with restitution.
    Case {
        name: "bouncing-ball",
        changes: &[],
        bodies: &[("ball", 0.05)],
        duration: 2.0,
        row: 1e-2,
        accuracy: 1e-3,
        by_all: true,
    },
    // Impacts and sliding, then rolling.
    Case {
        name: "billiard-shot",
        changes: &[],
        bodies: &[("cue", 0.0285), ("blocker", 0.0285), ("object", 0.0285)],
        duration: 3.0,
        row: 1e-2,
        accuracy: 1e-3,
        by_all: true,
    },
    // Impacts without restitution after which another corner leaves: one step and two halves are late
    // by the same time there.
    Case {
        name: "rocking-block",
        changes: &[],
        bodies: &[("block", 0.41)],
        duration: 2.0,
        row: 1e-2,
        accuracy: 1e-4,
        by_all: true,
    },
    // It slides up, stops and slides down: the friction force jumps.
    Case {
        name: "block-on-incline",
        changes: &["body.block.velocity=[1, 0.363970234266202]"],
        bodies: &[("block", 0.22)],
        duration: 1.5,
        row: 1e-2,
        accuracy: 1e-4,
        by_all: true,
    },
    // Impacts of bodies on joints.
    Case {
        name: "newtons-cradle",
        changes: &[],
        bodies: &[("left", 0.05), ("middle", 0.05), ("right", 0.05)],
        duration: 2.0,
        row: 1e-2,
        accuracy: 1e-3,
        by_all: true,
    },
    Case {
        name: "four-bar-clearance",
        changes: &[],
        bodies: &[("crank", 0.025), ("coupler", 0.075), ("rocker", 0.05)],
        duration: 0.2,
        row: 1e-3,
        accuracy: 1e-2,
        by_all: true,
    },
    // Joints alone.
    Case {
        name: "andrews-squeezer",
        changes: &[],
        bodies: &[("k1", 0.007), ("k3", 0.04), ("k5", 0.04), ("k7", 0.04)],
        duration: 0.03,
        row: 1e-3,
        accuracy: 0.1,
        by_all: false,
    },
    Case {
        name: "sphere-on-turntable",
        changes: &[],
        bodies: &[("ball", 0.05)],
        duration: 2.0,
        row: 1e-2,
        accuracy: 1e-3,
        by_all: false,
    },
    // These two name the schemes of their papers.
    Case {
        name: "slider-crank-world",
        changes: &["simulation.integrator=rattle"],
        bodies: &[("crank", 0.5), ("rod", 0.5), ("slider", 0.5)],
        duration: 0.04,
        row: 1e-3,
        accuracy: 1e-2,
        by_all: false,
    },
    // A spinning top that is dropped from 2 mm, and slides.
    Case {
        name: "tippe-top-world",
        changes: &["simulation.integrator=rattle", "body.top.position=[0, 0, 0.014015]"],
        bodies: &[("top", 0.015)],
        duration: 1.0,
        row: 1e-2,
        accuracy: 1e-2,
        by_all: false,
    },
];

#[test]
fn the_error_asked_for_is_met_with_fewer_steps_than_a_fixed_step() {
    // Against event-driven. The error is asked for per second of motion, relative to the size, and may be
    // missed by a factor of 3.
    for case in &CASES {
        let Case { name, duration, row, accuracy, .. } = *case;
        let run = |more: &[String]| {
            let mut all: Vec<String> = case.changes.iter().map(|c| (*c).to_owned()).collect();
            all.push(format!("simulation.duration={duration}"));
            all.push(format!("simulation.output_step={row}"));
            all.extend_from_slice(more);
            Run::named(name, &all.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let step = |step: f64| format!("simulation.step={step}");
        let exact = run(&[step(row), "simulation.integrator=event-driven".to_owned()]);
        let error_of = |run: &Run| {
            apart(run, &exact, "t"); // rows at the same times
            let bodies = case.bodies.iter();
            bodies.fold(0.0_f64, |m, (body, size)| m.max(body_apart(run, &exact, body, *size)))
        };
        let chosen_run = run(&[step(row), format!("simulation.accuracy={accuracy}")]);
        let (error, count) = (error_of(&chosen_run), chosen(&chosen_run));
        assert!(error <= 3.0 * accuracy * duration, "{name}: {error:e}, {count:?}");
        assert!(count.taken > 0 && count.computed >= count.taken + count.refused, "{count:?}");
        assert_eq!(count.inaccurate, 0, "{name}: {count:?}");
        let steps = if case.by_all { count.computed } else { count.taken };
        let per_row = (row * steps as f64 / duration).ceil();
        let fixed = run(&[step(row / per_row)]);
        assert!(fixed.summary.steps >= steps, "{name}");
        let worse = error_of(&fixed);
        assert!(worse > error, "{name}: fixed {worse:e}, chosen {error:e}, {count:?}");
    }
}

#[test]
fn the_error_asked_for_is_met_by_moreau_too() {
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
    for integrator in ["rattle", "moreau"] {
        let overrides = [
            "simulation.accuracy=1e-3",
            "simulation.least_step=1e-6",
            "simulation.duration=1",
            &format!("simulation.integrator={integrator}"),
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
