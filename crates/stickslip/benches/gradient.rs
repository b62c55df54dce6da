//! What derivatives of a run cost, over the run itself.
//!
//! `cargo bench -p stickslip --bench gradient` prints for each integrator the CPU time of the derivatives of the Tippe-Top
//! by one key and by three, over that of the same run in a sweep, 1 taken off: extra runs, in all and for each key.
//! Each is run in turn and the fastest counts: the machine may be busy. `-- INTEGRATOR...` takes these alone,
//! `-- --once INTEGRATOR DURATION KEYS` makes one run and no times (for counts of instructions; no keys: the run itself).

#![allow(clippy::expect_used, clippy::panic)] // a benchmark may stop

use std::time::Instant;
use stickslip::scene::SceneFile;
use stickslip::study::{Design, GradientQuestion, Plan, Sweep, Vary, gradient, never};

const ROUNDS: usize = 3;
const INTEGRATORS: [&str; 4] = ["event-driven", "moreau", "moreau-rk4", "rattle"];
const KEYS: [&str; 3] = ["parameters.friction_coefficient", "start.psi_dot", "parameters.mass"];
const MEASURE: &str = "last(theta)";

/// CPU time of this thread so far, s; of a clock on the wall where the system does not tell it.
fn now(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.map_or(begin.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// Makes one run with derivatives by so many keys, and returns these; none if they grow beyond all numbers.
fn run(integrator: &str, duration: f64, keys: usize) -> Option<Vec<f64>> {
    let file = SceneFile::open("tippe-top").expect("the scene");
    let measures = vec![MEASURE.to_owned()];
    let overrides = vec![
        format!("simulation.integrator={integrator}"),
        format!("simulation.duration={duration:?}"),
    ];
    if keys == 0 {
        let vary = Vary::parse("start.psi_dot=180").expect("a value");
        let plan = Plan::new(vec![vary], Design::Grid).expect("a plan");
        let sweep = Sweep::new(file, &overrides, plan, &measures).expect("a sweep");
        let point = sweep.point(0, &never()).expect("a run");
        assert_eq!(point.status, "done");
        return Some(Vec::new());
    }
    let keys = KEYS[..keys].iter().map(|key| (*key).to_owned()).collect();
    let question = GradientQuestion { overrides, measures, keys };
    let found = gradient(&file, &question, &never()).ok()?;
    found.list.first().map(|measure| measure.derivatives.clone())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [once, integrator, duration, keys] = &arguments[..]
        && once == "--once"
    {
        let (duration, keys) = (duration.parse().expect("s"), keys.parse().expect("a number"));
        println!("{:?}", run(integrator, duration, keys));
        return;
    }
    let begin = Instant::now();
    println!(
        "{:14} {:>4} {:>5}  {:>10} {:>12}",
        "integrator", "s", "keys", "extra runs", "for each key"
    );
    for integrator in INTEGRATORS {
        if !arguments.is_empty() && !arguments.iter().any(|name| name == integrator) {
            continue;
        }
        for duration in [1.0, 5.0] {
            let mut best = [f64::INFINITY; 3];
            for _ in 0..ROUNDS {
                for (slot, keys) in best.iter_mut().zip([0, 1, 3]) {
                    let start = now(begin);
                    if run(integrator, duration, keys).is_some() {
                        *slot = slot.min(now(begin) - start);
                    }
                }
            }
            for (time, keys) in best[1..].iter().zip([1, 3]) {
                if !time.is_finite() {
                    println!("{integrator:14} {duration:4} {keys:5}  has no derivative");
                    continue;
                }
                let extra = time / best[0] - 1.0;
                let each = extra / f64::from(keys);
                println!("{integrator:14} {duration:4} {keys:5}  {extra:10.2} {each:12.2}");
            }
        }
    }
}
