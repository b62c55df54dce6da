//! Scenes with numbers of their own: walkers, tops, and mechanisms that go one way or step by step.

use crate::motion::{Motion, motion, scene};
use crate::runs::Run;
use std::f64::consts::{PI, TAU};
use stickslip::integrate::Impact;

const GRAVITY: f64 = 9.81;

/// Times of the impacts.
fn times(run: &Motion) -> Vec<f64> {
    run.summary.impacts.iter().map(|impact| impact.t).collect()
}

/// Of the map of bounces: period one from Γ = π(1 − e)/(1 + e), stable up to
/// Γ² = [π(1 − e)/(1 + e)]² + [2(1 + e²)/(1 + e)²]².
#[test]
fn the_period_of_the_vibrating_table_doubles_at_its_critical_shaking() {
    let e = 0.8_f64;
    let exists = PI * (1.0 - e) / (1.0 + e);
    let doubles = exists.hypot(2.0 * (1.0 + e * e) / (1.0 + e).powi(2));
    assert!((exists - 0.349066).abs() < 1e-6 && (doubles - 1.070836).abs() < 1e-6);
    let intervals = |shaking: f64| {
        let key = format!("parameters.shaking={shaking}");
        let times = times(&motion("vibrating-table", &[&key]));
        times.windows(2).map(|t| t[1] - t[0]).collect::<Vec<f64>>()
    };
    // 3 % below, the error of the start dies out; 3 % above a long flight follows a short one.
    let below = intervals(0.97 * doubles);
    assert!(below.len() > 90 && (below[0] - 0.1).abs() > 5e-4, "{below:?}");
    assert!(below[90..].iter().all(|t| (t - 0.1).abs() < 1e-6), "{:?}", &below[90..]);
    let above = intervals(1.03 * doubles);
    let late = &above[above.len() - 6..];
    for pair in late.windows(2) {
        assert!((pair[0] + pair[1] - 0.2).abs() < 1e-5, "{late:?}");
        assert!((pair[0] - pair[1]).abs() > 0.01, "{late:?}");
    }
}

#[test]
fn the_rimless_wheel_walks_with_the_speed_of_its_limit_cycle() {
    let wheel = motion("rimless-wheel", &["simulation.duration=16"]);
    let (inertia, alpha, slope) = (1.5_f64, PI / 8.0, 5.0 * PI / 180.0);
    let keeps = 1.0 - (1.0 - (2.0 * alpha).cos()) / inertia;
    let gained = 4.0 * GRAVITY * alpha.sin() * slope.sin() / inertia;
    // ω⁻² of a step to the next: η² of it, and what the slope gives.
    let mut before = 1.0 + gained;
    // The foot on which it stood is an impact too, without a velocity.
    let lands = |impact: &&Impact| impact.normal_velocity[0] < -1e-6;
    let impacts: Vec<_> = wheel.summary.impacts.iter().filter(lands).collect();
    assert!(impacts.len() > 20, "{}", impacts.len());
    for impact in impacts {
        // The foot that lands is 2 l sin α away from the one about which the wheel turns.
        let speed = impact.normal_velocity[0] / (2.0 * alpha.sin());
        assert!((speed * speed - before).abs() < 1e-7, "{speed} {before}");
        before = keeps * keeps * before + gained;
    }
    let cycle = (gained / (1.0 - keeps * keeps)).sqrt();
    assert!((cycle - 1.573514).abs() < 1e-6 && (before.sqrt() - cycle).abs() < 1e-4);
}

#[test]
fn the_compass_walks_with_equal_steps() {
    let walker = motion("compass-walker", &[]);
    let times = times(&walker);
    assert!(times.len() >= 11, "{times:?}");
    // Period and length of a step of the walk, found without this program.
    for (k, t) in times.iter().enumerate() {
        let step = t - if k > 0 { times[k - 1] } else { 0.0 };
        assert!((step - 0.757_763_809_648).abs() < 1e-9, "step {k} takes {step}");
    }
    let gone = walker.at("hip.x", 8.33) - walker.at("hip.x", 8.33 - 0.76 * 2.0);
    assert!((gone - 2.0 * 0.542_482_56).abs() < 0.01, "{gone}");
}

#[test]
fn a_ball_with_backspin_slides_for_the_exact_time_and_rolls_back() {
    let ball = motion("backspin", &[]);
    let (speed, surface, friction) = (2.0, 0.03 * 200.0, 0.3);
    let ends = 2.0 * (speed + surface) / (7.0 * friction * GRAVITY);
    for (t, v) in ball.times.iter().zip(ball.column("ball.vx")) {
        let expected = if *t < ends {
            speed - friction * GRAVITY * t
        } else {
            5.0 / 7.0 * speed - 2.0 / 7.0 * surface
        };
        assert!((v - expected).abs() < 1e-9, "at {t}: {v} {expected}");
    }
}

/// p = 1 + 3 cos φ (cos φ − μ sin φ), μ = 2: N = m g/p where it is positive; where it is not, an impact whose
/// percussion does not depend on the step stops the point.
#[test]
fn the_rod_of_painleve_slides_or_stops_at_once_by_the_sign_of_its_coefficient() {
    let friction = 2.0;
    for degrees in [20.0_f64, 30.0, 36.0, 38.5, 50.0, 78.0, 80.0] {
        let phi = degrees.to_radians();
        let p = 1.0 + 3.0 * phi.cos() * (phi.cos() - friction * phi.sin());
        // G of the point, with ρ² = l²/3.
        let (nn, tt) = (1.0 + 3.0 * phi.cos().powi(2), 1.0 + 3.0 * phi.sin().powi(2));
        let nt = -3.0 * phi.sin() * phi.cos();
        for step in [1e-5, 1e-6] {
            let keys = [
                format!("parameters.inclination=\"{degrees} deg\""),
                format!("simulation.step={step:e}"),
                format!("simulation.output_step={step:e}"),
                format!("simulation.duration={step:e}"),
            ];
            let rod = Run::named("painleve-rod", &keys.each_ref().map(String::as_str));
            let (tip, force) = (rod.last("tip.vx"), rod.contacts[0].force);
            if p > 0.0 {
                let expected = GRAVITY / p;
                assert!(
                    (force - expected).abs() < 1e-3 * expected,
                    "{degrees}: {force} {expected}"
                );
                let change = (friction * tt + nt) * expected * step;
                assert!((tip + 2.0 - change).abs() < 1e-3 * change, "{degrees}: {tip}");
            } else {
                // Sticking: G Λ = (0, 2 m/s).
                let percussion = -2.0 * nt / (nn * tt - nt * nt);
                assert!(tip.abs() < 1e-9, "{degrees}: {tip}");
                assert!(
                    (force * step - percussion).abs() < 1e-3,
                    "{degrees}: {force} {percussion}"
                );
            }
        }
    }
    let exact = scene("painleve-rod", &["simulation.integrator=event-driven"]);
    let end = exact.simulate().expect("a simulation").step(1);
    assert!(matches!(&end, Err(status) if status.to_string().contains("no solution")), "{end:?}");
}

/// The friction of a disk with equal pressure, by quadrature over its area: force and moment over μ N and μ N R.
fn shared_friction(speed: f64, surface: f64) -> [f64; 2] {
    const RINGS: usize = 60;
    const PARTS: usize = 60;
    let mut sums = [0.0; 2];
    for ring in 0..RINGS {
        let r = (ring as f64 + 0.5) / RINGS as f64;
        for part in 0..PARTS {
            let (s, c) = (TAU * (part as f64 + 0.5) / PARTS as f64).sin_cos();
            let (vx, vy) = (speed - surface * r * s, surface * r * c);
            let weight = 2.0 * r / ((RINGS * PARTS) as f64 * vx.hypot(vy));
            sums[0] += weight * vx;
            sums[1] += weight * r * (c * vy - s * vx);
        }
    }
    sums
}

#[test]
fn the_curling_stone_goes_as_far_as_its_shared_friction_lets_it() {
    let stone = motion("curling-stone", &[]);
    let (radius, mass, inertia, friction) = (0.065, 19.0, 0.19, 0.015);
    let (mut v, mut w, mut x) = (2.0_f64, 1.5_f64, 0.0);
    let step = 5e-3;
    let rates = |v: f64, w: f64| {
        let [force, moment] = shared_friction(v, w * radius);
        [-friction * GRAVITY * force, -friction * mass * GRAVITY * radius * moment / inertia]
    };
    let mut k = 0;
    while v > 1e-3 {
        if k % 200 == 0 {
            let t = step * f64::from(k);
            let [there, spin] = ["stone.x", "stone.wz"].map(|name| stone.at(name, t));
            let told = format!("{t}: {there} {x} {spin} {w}");
            assert!((there - x).abs() < 1e-3 && (spin - w).abs() < 2e-3, "{told}");
        }
        let half = rates(v, w);
        let half = [v + 0.5 * step * half[0], w + 0.5 * step * half[1]];
        let rate = rates(half[0], half[1]);
        x += step * half[0];
        (v, w) = (v + step * rate[0], w + step * rate[1]);
        k += 1;
    }
    // Farther than without turning; and turning to the left it drifts a little to the right.
    let end = stone.last("stone.x");
    assert!((end - x).abs() < 2e-3 && end > 4.0 / (2.0 * friction * GRAVITY) + 0.03, "{end} {x}");
    let drift = stone.last("stone.y");
    assert!(-0.02 < drift && drift < -5e-3, "{drift}");
}

#[test]
fn the_overrunning_clutch_lets_the_wheel_go_and_catches_it() {
    let clutch = motion("overrunning-clutch", &["simulation.duration=1.2"]);
    let brake = 10.0;
    let leaves = (-brake / (10.0 * TAU)).acos() / TAU;
    let most = 10.0 * (TAU * leaves).sin();
    let mut driven = [0; 2];
    for (t, w) in clutch.times.iter().zip(clutch.column("wheel.w")) {
        let driver = 10.0 * (TAU * t).sin();
        let free = most - brake * (t - leaves);
        let expected = if *t < leaves { driver } else { free.max(driver) };
        driven[usize::from(expected > driver)] += 1;
        assert!((w - expected).abs() < 0.03, "at {t}: {w} {expected}");
    }
    assert!(driven[0] > 30 && driven[1] > 60, "{driven:?}");
}

#[test]
fn the_ratchet_stops_at_whole_teeth() {
    let ratchet = motion("ratchet", &[]);
    let stops = [0.99, 1.99, 2.99].map(|t| ratchet.at("wheel.angle", t));
    let pitch = PI / 6.0;
    for pair in stops.windows(2) {
        // It rests up to the speed at which its teeth and pawl are closed.
        assert!((pair[1] - pair[0] - pitch).abs() < 1e-5, "{stops:?}");
    }
    // The pawl had to be lifted over a tooth each time.
    let highest = ratchet.column("wheel.angle").iter().copied().fold(0.0, f64::max);
    assert!(highest > stops[2] + 0.3);
}

/// N = m g + F + (k − m ω²) e sin ωt is positive up to ω² = (g + F/m)/e + k/m.
#[test]
fn the_follower_lifts_off_above_the_critical_speed_of_its_cam() {
    let critical = ((GRAVITY + 20.0 / 0.5) / 0.01 + 1000.0 / 0.5_f64).sqrt();
    for (factor, lifts) in [(0.99, false), (1.01, true)] {
        let speed = factor * critical;
        let key = format!("parameters.speed={speed}");
        let cam = motion("cam-follower", &[&key]);
        let above = |t: &f64| 0.04 + 0.01 * (speed * t).sin();
        let y = cam.column("follower.y");
        let flies = cam.times.iter().zip(&y).fold(0.0_f64, |most, (t, y)| most.max(y - above(t)));
        assert_eq!(flies > 1e-6, lifts, "{speed}: {flies}");
        assert_eq!(cam.summary.impacts.is_empty(), !lifts);
        if !lifts {
            let force = cam.force(0).into_iter().skip(1).fold(f64::INFINITY, f64::min);
            let least = 0.5 * GRAVITY + 20.0 + (1000.0 - 0.5 * speed * speed) * 0.01;
            assert!((force - least).abs() < 0.1, "{force} {least}");
        }
    }
}

#[test]
fn the_geneva_wheel_goes_on_by_a_quarter_in_every_turn() {
    let drive = motion("geneva-drive", &[]);
    for turn in 1..4 {
        let t = f64::from(turn);
        let gone = drive.at("wheel.angle", t + 1.0) - drive.at("wheel.angle", t);
        assert!((gone + 0.5 * PI).abs() < 1e-5, "{gone}");
        // It stands still while the pin is out of its slots.
        let rest = drive.at("wheel.angle", t + 0.3) - drive.at("wheel.angle", t - 0.3);
        assert!(rest.abs() < 1e-9, "{rest}");
    }
    // tan β = sin α/(√2 − cos α), and in the middle β' = ω/(√2 − 1).
    let fastest = drive.column("wheel.w").into_iter().fold(0.0, f64::min);
    assert!((fastest + TAU / (2.0_f64.sqrt() - 1.0)).abs() < 1e-2, "{fastest}");
    for part in -10..=10 {
        let t = 1.5 + 0.01 * f64::from(part);
        let alpha = TAU * (1.5 - t);
        let beta = (alpha.sin() / (2.0_f64.sqrt() - alpha.cos())).atan();
        // Its slots are at 45° and so on; play is 0.2 mm at 29 to 71 mm from the middle.
        let slot = drive.at("wheel.angle", t) + 0.75 * PI;
        let lags = slot - beta;
        assert!(lags > 2.5e-3 && lags < 7e-3, "{t}: {lags}");
    }
}

/// Above 30.2 rad/s the swinging of the disk with its heavy side up dies out, below it grows (the equations
/// linearised there, with strong viscous friction at the contact).
#[test]
fn the_tippedisk_turns_over_and_stays_so_above_its_critical_spin() {
    let disk = Run::named("tippedisk", &["simulation.duration=3"]);
    let turned = disk.column("turned");
    assert!(turned[0] < -0.99 && turned[75..].iter().all(|turned| *turned > 0.99));
    // Heavy side up with an error of 0.1 rad, while drilling takes 4 rad/s off.
    let swings = |spin: f64| {
        let key = format!("start.spin={spin}");
        let keys = [key.as_str(), "start.roll=3.04", "simulation.duration=1.3"];
        let error: Vec<f64> = Run::named("tippedisk", &keys).column("turned");
        let most = |rows: &[f64]| rows.iter().fold(0.0_f64, |most, turned| most.max(1.0 - turned));
        most(&error[error.len() - 26..]) / most(&error[..26])
    };
    let (above, below) = (swings(36.0), swings(28.0));
    assert!(above < 0.9 && below > 1.1, "{above} {below}");
}
