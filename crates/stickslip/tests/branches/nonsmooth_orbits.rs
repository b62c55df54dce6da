//! Orbits with stick, several contacts and many impacts, against independent computations.

use crate::{asked, range, scene, shipped};
use std::f64::consts::PI;
use stickslip::integrate::{EventDriven, EventDrivenOptions, MotionEvent, Variation};
use stickslip::study::{continue_orbit, find_orbit};

/// The block of `rocking-block`, pushed like on a floor that is shaken.
const BLOCK: &str = r#"
format = 1
[parameters]
omega = 15
shaking = 3
[world]
dimension = 2
[world.ground]
[[body]]
name = "block"
mass = 10
rotation = 0.02
position = ["hypot(0.1, 0.4)*sin(atan(0.25) - 0.02)", "hypot(0.1, 0.4)*cos(atan(0.25) - 0.02)"]
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.4]
[[contact]]
name = "floor"
between = ["block", "ground"]
friction = 1
[[force]]
name = "inertia"
kind = "applied"
body = "block"
force = ["-10*shaking*cos(omega*t)", 0]
[simulation]
integrator = "event-driven"
duration = 15
"#;

/// A block that has left one edge with the rate w at the time t, until it comes down and has changed to the other: the
/// time and the rate behind that, both for a mirrored block half a period of the drive later (Housner 1963).
fn next_edge(t: f64, w: f64) -> [f64; 2] {
    let (omega, shaking, g): (f64, f64, f64) = (15.0, 3.0, 9.81);
    let (radius, alpha) = (0.1_f64.hypot(0.4), 0.25_f64.atan());
    let rate = |t: f64, [angle, w]: [f64; 2]| {
        let lean = alpha - angle;
        let push = shaking * (omega * t).cos();
        [w, 0.75 / radius * (push * lean.cos() - g * lean.sin())]
    };
    let step = |t: f64, x: [f64; 2], h: f64| {
        let add = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
        let k1 = rate(t, x);
        let k2 = rate(t + 0.5 * h, add(x, k1, 0.5 * h));
        let k3 = rate(t + 0.5 * h, add(x, k2, 0.5 * h));
        let k4 = rate(t + h, add(x, k3, h));
        [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    };
    let (mut now, mut x, h) = (t, [0.0, w], 1e-4);
    loop {
        let next = step(now, x, h);
        if next[0] < 0.0 {
            break;
        }
        (now, x) = (now + h, next);
        assert!(now - t < 1.0, "it falls over");
    }
    let (mut low, mut high) = (0.0, h);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if step(now, x, middle)[0] > 0.0 { low = middle } else { high = middle }
    }
    let kept = 1.0 - 1.5 * alpha.sin().powi(2);
    [now + high - PI / omega, -kept * step(now, x, high)[1]]
}

#[test]
fn a_rocking_block_that_is_shaken_has_the_orbit_of_its_two_equations() {
    // The same on both edges: t and w come back after half a period.
    let slopes = |t: f64, w: f64| {
        let h = 1e-6;
        let by = |a: [f64; 2], b: [f64; 2]| [0, 1].map(|i| (a[i] - b[i]) / (2.0 * h));
        [by(next_edge(t + h, w), next_edge(t - h, w)), by(next_edge(t, w + h), next_edge(t, w - h))]
    };
    let (mut t, mut w) = (0.45 * PI / 15.0, 0.718);
    for _ in 0..20 {
        let end = next_edge(t, w);
        let [by_t, by_w] = slopes(t, w);
        let (r, s) = (end[0] - t, end[1] - w);
        let (a, b, c, d) = (by_t[0] - 1.0, by_w[0], by_t[1], by_w[1] - 1.0);
        let determinant = a * d - b * c;
        t -= (d * r - b * s) / determinant;
        w -= (a * s - c * r) / determinant;
    }
    let left = next_edge(t, w);
    assert!((left[0] - t).hypot(left[1] - w) < 1e-10, "{left:?} {t} {w}");
    let [by_t, by_w] = slopes(t, w);
    // Both halves make a period.
    let square = [by_t[0] * by_t[0] + by_w[0] * by_t[1], by_t[1] * by_w[0] + by_w[1] * by_w[1]];
    let trace = square[0] + square[1];
    let determinant = (by_t[0] * by_w[1] - by_w[0] * by_t[1]).powi(2);
    let asked = asked(&[], Some("impact(floor)"));
    let orbit = find_orbit(&scene(BLOCK), &asked).expect("an orbit");
    assert!((orbit.period - 2.0 * PI / 15.0).abs() < 1e-10 && orbit.stable, "{orbit:?}");
    assert_eq!(orbit.modes.iter().filter(|mode| mode.starts_with("impact")).count(), 2);
    let rate = orbit.state.u[2].abs();
    assert!((rate - w).abs() < 1e-7, "{rate} {w}");
    // It may stand anywhere; a foot that sticks takes out all but angle and rate.
    let [still, a, b, rest @ ..] = &orbit.multipliers[..] else { panic!("{orbit:?}") };
    assert!((still[0] - 1.0).hypot(still[1]) < 1e-8, "{orbit:?}");
    assert!((a[0] + b[0] - trace).abs() < 1e-6, "{a:?} {b:?} {trace}");
    assert!((a[0] * b[0] - a[1] * b[1] - determinant).abs() < 1e-6, "{a:?} {b:?} {determinant}");
    assert!(rest.iter().all(|m| m[0].hypot(m[1]) < 1e-8), "{rest:?}");
}

/// An integrator like that of orbits.
fn precise() -> EventDriven {
    let options = EventDrivenOptions { tolerance: 1e-12, ..EventDrivenOptions::default() };
    EventDriven::new(options).expect("an integrator")
}

#[test]
fn derivatives_of_a_woodpecker_are_those_of_its_return_map() {
    // The sleeve rattles to rest between its corners, jams, and comes free, the beak hits: corners that others hold in the jam
    // pass zero by rounding, which was taken for events, and multipliers of 1e9 to 1e17 came out.
    let file = shipped("woodpecker-toy");
    let built = file.scene(&["simulation.integrator=event-driven".to_owned()]).expect("a scene");
    let system = built.system.as_ref();
    let mut start = built.start.clone();
    let mut beaks = Vec::new();
    let mut settle = precise();
    let mut note = |event: &MotionEvent| {
        if let MotionEvent::Impact(impact) = event
            && system.contact_name(impact.contact).starts_with("beak")
        {
            beaks.push(impact.t);
        }
    };
    settle.run_until(system, &mut start, 0.5, &mut note).expect("a run");
    let [.., before, last] = beaks[..] else { panic!("{beaks:?}") };
    let period = last - before;
    // Errors shrink by 0.31 in each period.
    assert!((period - 0.125_867).abs() < 1e-4, "{period}");
    // Where the sleeve is free.
    settle.run_until(system, &mut start, last + 0.115, &mut |_| {}).expect("a run");
    let manifold = precise().manifold(system, &mut start).expect("directions");
    assert!(manifold.words == "free" && manifold.basis.len() == 8, "{}", manifold.words);
    let end_of = |at: &stickslip::system::State| {
        let mut end = at.clone();
        precise().run_until(system, &mut end, start.t + period, &mut |_| {}).expect("a run");
        end
    };
    let mut variation = Variation::new(manifold.basis.clone());
    let mut end = start.clone();
    let t_end = start.t + period;
    precise()
        .run_with_variation(system, &mut end, t_end, &mut variation, &mut |_| {})
        .expect("a run");
    let n = manifold.basis.len();
    let h = 1e-6;
    let (mut exact, mut differences) = (Vec::new(), Vec::new());
    for (k, column) in variation.columns.iter().enumerate() {
        exact.push(manifold.shares(system, &start, column));
        let side = |sign: f64| {
            let (mut at, mut shares) = (start.clone(), vec![0.0; n]);
            shares[k] = sign * h;
            manifold.shift(system, &mut at, &shares).expect("a shift");
            manifold.difference(system, &start, &end_of(&at))
        };
        let (up, down) = (side(1.0), side(-1.0));
        differences.push((0..n).map(|i| (up[i] - down[i]) / (2.0 * h)).collect::<Vec<f64>>());
    }
    let largest = exact.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    for (a, b) in exact.iter().flatten().zip(differences.iter().flatten()) {
        assert!((a - b).abs() < 2e-5 * largest, "{a} {b} {largest}");
    }
    // Two multipliers are about 1, along the pole and in time, and one is about -0.3, for all others die in the jam.
    let trace = |m: &[Vec<f64>]| (0..n).map(|k| m[k][k]).sum::<f64>();
    let (own, other) = (trace(&exact), trace(&differences));
    assert!((own - other).abs() < 1e-3 && (own - 1.687).abs() < 0.1, "{own} {other}");
}

#[test]
#[ignore = "takes half a minute"]
fn a_woodpecker_pecks_in_a_stable_orbit() {
    // The run by events ends before its time, where impacts follow each other ever faster.
    let orbit = find_orbit(&shipped("woodpecker-toy"), &asked(&[], None)).expect("an orbit");
    assert!((orbit.period - 0.125_867).abs() < 1e-6 && orbit.stable, "{orbit:?}");
    let sizes: Vec<f64> = orbit.multipliers.iter().map(|m| m[0].hypot(m[1])).collect();
    assert!((sizes[0] - 1.0).abs() < 1e-3 && (sizes[1] - 1.0).abs() < 1e-3, "{sizes:?}");
    assert!((orbit.multipliers[2][0] + 0.3129).abs() < 1e-3, "{orbit:?}");
    assert!(sizes[3..].iter().all(|size| *size < 1e-6), "{sizes:?}");
}

/// The corner at which orbits with and without stick meet was found by an independent program, which integrates the two
/// equations of the scene; where all roots of its linear equations decay is said in the scene.
#[test]
#[ignore = "takes two minutes"]
fn the_stick_slip_of_a_drill_string_ends_in_a_fold() {
    let vary = range("parameters.table_speed=3:12");
    let found = continue_orbit(&shipped("drill-string"), &asked(&[], None), &vary, 0, &mut |_| {});
    let branch = found.expect("a branch").first;
    let [fold] = &branch.bifurcations[..] else { panic!("{:?}", branch.bifurcations) };
    assert!(fold.kind == "fold" && (fold.value - 9.215_616_7).abs() < 2e-6, "{fold:?}");
    let last = branch.points.last().expect("orbits");
    assert!((last.value - 5.2877).abs() < 1e-3, "{}", last.value);
    // Near the equilibrium the multiplier of what grows is 1 too.
    for orbit in branch.points.iter().filter(|orbit| (orbit.value - last.value).abs() > 0.02) {
        assert_eq!(orbit.stable, orbit.modes.len() > 1, "{} {:?}", orbit.value, orbit.multipliers);
    }
}
