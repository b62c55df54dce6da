//! What derivatives of a run cost, over the run itself.
//!
//! `cargo bench -p stickslip --bench gradient` prints for eight scenes and each integrator the CPU time of derivatives by one
//! key and by all keys of the list, over that of the same run in a sweep, 1 taken off: extra runs, in all and for each key.
//! Each is run in turn and the fastest counts: the machine may be busy. `-- WORD...` takes the integrators and scenes with
//! these names alone, `-- --once SCENE INTEGRATOR KEYS` makes one run and no times (for counts of instructions; no keys: the
//! run itself).

#![allow(clippy::expect_used, clippy::panic)] // a benchmark may stop

use std::time::Instant;
use stickslip::scene::SceneFile;
use stickslip::study::{Design, GradientQuestion, Plan, Sweep, Vary, gradient, never};

const ROUNDS: usize = 3;
/// CPU time, s, below which a run is repeated: the system counts in milliseconds.
const ENOUGH_TIME: f64 = 0.3;
const INTEGRATORS: [&str; 4] = ["event-driven", "moreau", "moreau-rk4", "rattle"];

/// A run whose derivatives are taken.
struct Case {
    scene: &'static str,
    /// How long it is, s, beside what else is set.
    duration: f64,
    set: &'static [&'static str],
    measure: &'static str,
    keys: &'static [&'static str],
    /// Integrators by which the derivative grows beyond all bounds: what it costs says nothing.
    without: &'static [&'static str],
}

const TOP: Case = Case {
    scene: "tippe-top",
    duration: 1.0,
    set: &[],
    measure: "last(theta)",
    keys: &["parameters.friction_coefficient", "start.psi_dot", "parameters.mass"],
    without: &["moreau-rk4"],
};

/// The scenes whose derivatives are tested, and the Tippe-Top up to where it spins on its stick too. Steps are so short that
/// to read a scene, which takes as long as some thousand steps of a ball, is a small part.
const CASES: [Case; 9] = [
    TOP,
    Case { duration: 5.0, ..TOP },
    Case {
        scene: "block-on-incline",
        duration: 0.5,
        set: &["simulation.step=1e-5"],
        measure: "last(block.x)",
        keys: &["default_contact.friction", "body.block.mass"],
        ..TOP
    },
    Case {
        scene: "bouncing-ball",
        duration: 0.5,
        set: &["simulation.step=1e-5"],
        measure: "last(ball.z)",
        keys: &["contact.table.restitution", "body.ball.position.2"],
        without: &[],
    },
    Case {
        scene: "vibrating-table",
        duration: 0.35,
        set: &["simulation.step=1e-5"],
        measure: "last(ball.y)",
        keys: &["parameters.restitution", "parameters.shaking"],
        without: &[],
    },
    Case {
        scene: "impact-oscillator",
        duration: 6.0,
        set: &["simulation.step=1e-4"],
        measure: "last(mass.x)",
        keys: &["parameters.restitution", "parameters.omega", "start.v"],
        without: &[],
    },
    Case {
        scene: "rolling-sphere",
        duration: 0.8,
        set: &["simulation.step=1e-5"],
        measure: "last(x)",
        keys: &["parameters.friction_coefficient", "parameters.radius"],
        without: &[],
    },
    Case {
        scene: "belt-oscillator",
        duration: 4.0,
        set: &["simulation.step=1e-4", "start.w=0.5"],
        measure: "last(mass.x)",
        keys: &["parameters.force", "parameters.falling_speed", "start.p"],
        without: &[],
    },
    Case {
        scene: "slider-crank-world",
        duration: 0.02,
        set: &["simulation.step=1e-6"],
        measure: "last(slider.vx)",
        keys: &["body.rod.mass", "body.slider.mass"],
        without: &[],
    },
];

/// CPU time of this thread so far, s; of a clock on the wall where the system does not tell it.
fn now(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.map_or(begin.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// Makes one run with derivatives by so many keys. None if there are none.
fn run(case: &Case, integrator: &str, keys: usize) -> Option<()> {
    let file = SceneFile::open(case.scene).expect("the scene");
    let measures = vec![case.measure.to_owned()];
    let mut overrides = vec![
        format!("simulation.integrator={integrator}"),
        format!("simulation.duration={:?}", case.duration),
    ];
    overrides.extend(case.set.iter().map(|set| (*set).to_owned()));
    if keys == 0 {
        // The run of the scene itself: its step is varied over one value.
        let vary =
            Vary::parse(&format!("simulation.duration={:?}", case.duration)).expect("a value");
        let plan = Plan::new(vec![vary], Design::Grid).expect("a plan");
        overrides.remove(1);
        let sweep = Sweep::new(file, &overrides, plan, &measures).expect("a sweep");
        let point = sweep.point(0, &never()).expect("a run");
        assert_eq!(point.status, "done");
        return Some(());
    }
    let keys = case.keys[..keys].iter().map(|key| (*key).to_owned()).collect();
    let question = GradientQuestion { overrides, measures, keys };
    let found = gradient(&file, &question, &never());
    found.map_err(|error| eprintln!("{} by {integrator}: {error}", case.scene)).ok().map(|_| ())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [once, scene, integrator, keys] = &arguments[..]
        && once == "--once"
    {
        let case = CASES.iter().find(|case| case.scene == scene).expect("a scene");
        println!("{:?}", run(case, integrator, keys.parse().expect("a number")));
        return;
    }
    let words = |known: &dyn Fn(&str) -> bool| -> Vec<&String> {
        arguments.iter().filter(|word| known(word)).collect()
    };
    let scenes = words(&|word| CASES.iter().any(|case| case.scene == word));
    let integrators = words(&|word| INTEGRATORS.contains(&word));
    let begin = Instant::now();
    println!(
        "{:20} {:>5} {:14} {:>9} {:>5} {:>10} {:>12}",
        "scene", "s", "integrator", "run, ms", "keys", "extra runs", "for each key"
    );
    for case in &CASES {
        if !scenes.is_empty() && !scenes.iter().any(|name| *name == case.scene) {
            continue;
        }
        for integrator in INTEGRATORS {
            let is_asked = integrators.is_empty() || integrators.iter().any(|n| *n == integrator);
            if !is_asked || case.without.contains(&integrator) {
                continue;
            }
            let mut best = [f64::INFINITY; 3];
            for _ in 0..ROUNDS {
                for (slot, keys) in best.iter_mut().zip([0, 1, case.keys.len()]) {
                    let (start, mut runs) = (now(begin), 0);
                    while run(case, integrator, keys).is_some() {
                        runs += 1;
                        let spent = now(begin) - start;
                        if spent > ENOUGH_TIME {
                            *slot = slot.min(spent / f64::from(runs));
                            break;
                        }
                    }
                }
            }
            for (time, keys) in best[1..].iter().zip([1, case.keys.len()]) {
                let extra = time / best[0] - 1.0;
                let each = extra / keys as f64;
                println!(
                    "{:20} {:5} {integrator:14} {:9.2} {keys:5} {extra:10.2} {each:12.2}",
                    case.scene,
                    case.duration,
                    1e3 * best[0]
                );
            }
        }
    }
}
