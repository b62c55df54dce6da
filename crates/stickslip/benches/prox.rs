//! Time of one prox, per set, over random points outside the set.
//!
//! `cargo bench --bench prox` prints the time for 1024 points each and then the ratio of the
//! exact friction balls to the sphere, for independent calls and for calls that wait for each other.

use divan::{Bencher, black_box};
use std::time::Instant;
use stickslip::convex::{Ball, ContensouBall, ConvexSet, Pressure, RadialProfile, Set};

const POINTS: usize = 1024;

fn contensou(pressure: Pressure, contact_radius: f64) -> Set {
    Set::Contensou(ContensouBall { friction: 1.0, contact_radius, pressure })
}

fn sphere() -> Set {
    Set::Ball(Ball { dim: 3, radius: 1.0 })
}

/// Random directions in the gauge of the set, at distances of 1 to 4 times the boundary.
fn outside(set: &Set) -> Vec<[f64; 3]> {
    let mut random = fastrand::Rng::with_seed(1);
    let stretch = match set {
        Set::Contensou(ball) => ball.contact_radius,
        _ => 1.0,
    };
    (0..POINTS)
        .map(|_| {
            let x = [(); 3].map(|()| 2.0 * random.f64() - 1.0);
            let x = [x[0], x[1], stretch * x[2]];
            let factor = (1.001 + 3.0 * random.f64()) / set.gauge(&x);
            x.map(|v| v * factor)
        })
        .collect()
}

fn prox_all(set: &Set, points: &[[f64; 3]]) -> f64 {
    let mut sum = 0.0;
    for point in points {
        let mut x = *point;
        black_box(set).prox(1.0, &mut x);
        sum += x[0] + x[2];
    }
    sum
}

fn bench(bencher: Bencher, set: &Set) {
    let points = outside(set);
    bencher.counter(divan::counter::ItemsCount::new(POINTS)).bench(|| prox_all(set, &points));
}

#[divan::bench]
fn sphere_3(bencher: Bencher) {
    bench(bencher, &sphere());
}

#[divan::bench(args = [0.05, 1.0, 31.0])]
fn hertz_ball(bencher: Bencher, contact_radius: f64) {
    bench(bencher, &contensou(Pressure::Hertz, contact_radius));
}

#[divan::bench]
fn uniform_ball(bencher: Bencher) {
    bench(bencher, &contensou(Pressure::Uniform, 1.0));
}

#[divan::bench]
fn parabolic_ball(bencher: Bencher) {
    bench(bencher, &contensou(Pressure::Parabolic, 1.0));
}

/// The same where every call waits for the one before, as in a Gauss-Seidel sweep.
fn prox_chain(set: &Set, points: &[[f64; 3]]) -> f64 {
    let (mut last, zero) = (0.0, black_box(0.0));
    for point in points {
        let mut x = *point;
        x[0] += zero * last;
        x[2] += zero * last;
        black_box(set).prox(1.0, &mut x);
        last = x[0] + x[2];
    }
    last
}

/// Shortest of many runs, in nanoseconds per prox.
fn shortest(set: &Set, run: fn(&Set, &[[f64; 3]]) -> f64) -> f64 {
    let points = outside(set);
    (0..2000)
        .map(|_| {
            let start = Instant::now();
            black_box(run(set, black_box(&points)));
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
        * 1e9
        / POINTS as f64
}

/// Every kind of pressure; the profile has a jump.
fn laws() -> Vec<(&'static str, Pressure)> {
    let points = vec![[0.0, 1.0], [0.3, 2.0], [0.3, 0.5], [1.0, 0.2]];
    let mut laws = vec![
        ("Hertz", Pressure::Hertz),
        ("uniform", Pressure::Uniform),
        ("parabolic", Pressure::Parabolic),
    ];
    laws.extend(RadialProfile::from_points(points).map(|p| ("profile", Pressure::Profile(p))));
    laws
}

fn main() {
    divan::main();
    type Run = fn(&Set, &[[f64; 3]]) -> f64;
    let runs: [(&str, Run); 2] = [("independent", prox_all), ("dependent", prox_chain)];
    for (name, run) in runs {
        let ball = shortest(&sphere(), run);
        println!("{name} calls, sphere: {ball:.1} ns");
        for (law, pressure) in laws() {
            for a in [0.05, 1.0, 31.0] {
                let exact = shortest(&contensou(pressure.clone(), a), run);
                let ratio = exact / ball;
                println!("  {law} ball, contact radius {a}: {exact:.1} ns, ratio {ratio:.2}");
            }
        }
    }
}
