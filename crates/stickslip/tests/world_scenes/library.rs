//! The scenes that ship show what their first lines say.

use crate::motion::{motion, scene};
use std::f64::consts::PI;
use stickslip::analysis::start::StartReport;
use stickslip::scene::{BUILT_IN, Scene};

const GRAVITY: f64 = 9.81;

/// Every world begins well: nothing overlaps, joints meet; and its first 50 ms are solved.
#[test]
fn every_world_that_ships_begins_to_run() {
    let mut worlds = 0;
    for built in BUILT_IN {
        if !Scene::describes_world(built.name, built.text).expect("TOML") {
            continue;
        }
        worlds += 1;
        let name = built.name;
        let shipped = scene(name, &[]);
        // The printed inertias of the disk are rounded, and that is told.
        let rounded = name.starts_with("rolling-disk");
        assert_eq!(shipped.warnings().is_empty(), !rounded, "{name}: {:?}", shipped.warnings());
        let report = StartReport::new(shipped.system.as_ref(), &shipped.start, 1e-6);
        assert!(report.overlaps.is_empty() && report.joint_gaps.is_empty(), "{name}: {report:?}");
        // The pile costs as much as all others together.
        let short = if name == "sphere-pile" {
            ["simulation.duration=5e-3", "simulation.output_step=1e-3"]
        } else {
            ["simulation.duration=0.05", "simulation.output_step=0.01"]
        };
        assert_eq!(motion(name, &short).summary.rescued_steps, 0, "{name}");
    }
    assert!(worlds >= 18, "{worlds}");
}

/// The path of a billiard ball that slides is a parabola: its velocity changes along one line, from
/// v0 to v0 − 2/7 of the sliding velocity.
#[test]
fn the_cue_ball_slides_in_one_direction_and_then_rolls() {
    let shot = motion("billiard-shot", &["simulation.duration=0.9"]);
    let (vx, vy) = (shot.column("cue.vx"), shot.column("cue.vy"));
    // The sliding velocity at the start is (1.4, 4.9) m/s; sliding ends at 0.742 s.
    let slope = f64::atan2(4.9, 1.4);
    let rows = shot.times.iter().filter(|t| **t < 0.74).count();
    assert!(rows > 70);
    for k in 1..rows {
        let direction = f64::atan2(vy[0] - vy[k], vx[0] - vx[k]);
        assert!((direction - slope).abs() < 1e-9, "{direction}");
        let fall = f64::hypot(vx[0] - vx[k], vy[0] - vy[k]);
        assert!((fall - 0.2 * GRAVITY * shot.times[k]).abs() < 1e-9);
    }
    // Exact, since the last sliding step ends in sticking: conservation about the contact point.
    assert!((shot.last("cue.vx") - 1.0).abs() < 1e-9 && (shot.last("cue.vy") + 0.7).abs() < 1e-9);
}

/// Housner 1963: ω⁺/ω⁻ = 1 − 1.5 sin²α.
#[test]
fn the_rocking_block_keeps_its_share_at_each_change_of_edge() {
    let step = 1e-4;
    let block = motion(
        "rocking-block",
        &["simulation.duration=1.7", "simulation.step=1e-4", "simulation.output_step=1e-4"],
    );
    let ratio = 1.0 - 1.5 * 0.01 / (0.01 + 0.16);
    let (angle, rate) = (block.column("block.angle"), block.column("block.w"));
    // The moment of gravity turns the block with at most m g b/J in the step of the impact, twice
    // as much around it, since the touching point is found a step late.
    let acceleration = GRAVITY * 0.1 / (4.0 / 3.0 * 0.17);
    let mut changes = 0;
    for k in 2..rate.len() {
        if (rate[k] / rate[k - 1] - 1.0).abs() < 0.05 || rate[k].abs() < 0.3 {
            continue;
        }
        changes += 1;
        assert!(angle[k].abs() < 1e-3);
        let error = (rate[k] / rate[k - 1] - ratio).abs();
        assert!(error < 2.0 * acceleration * step / rate[k].abs(), "{error}");
    }
    // At 0.455, 1.087 and 1.595 s.
    assert_eq!(changes, 3);
}

/// A solid sphere on a turntable runs on a circle with 2/7 of its angular velocity.
#[test]
fn the_sphere_needs_seven_halves_of_a_turn() {
    let ball = motion("sphere-on-turntable", &["simulation.duration=3.5"]);
    let (rate, step) = (2.0 / 7.0 * 2.0 * PI, ball.scene.simulation.step);
    // The forces of a step belong to its start, which lets a circle grow by (rate·step)²/2 in each
    // step: exp(π·rate·step) in one round.
    let growth = PI * rate * step;
    let radius = f64::hypot(ball.last("ball.x") - 0.1, ball.last("ball.y")) / 0.2;
    assert!((radius - 1.0).abs() < 1.2 * growth, "{radius}");
    // The phase: by how much it misses the place where it began, in steps.
    let late = ball.last("ball.y") / (rate * 0.2) / step;
    assert!(late.abs() < 1.0, "{late}");
}

#[test]
fn the_rattleback_turns_round_one_way_only() {
    let wrong_way = motion("rattleback", &["simulation.duration=9"]);
    let energy = wrong_way.summary.energy.clone();
    assert_eq!(wrong_way.at("celt.wz", 0.0), -5.0);
    assert!(wrong_way.last("celt.wz") > 4.5, "{}", wrong_way.last("celt.wz"));
    // It rolls: no energy is lost but for the jerk at the start, which is not quite consistent.
    assert!((energy.last / energy.initial - 1.0).abs() < 1e-3);
    let right_way =
        motion("rattleback", &["simulation.duration=6", "body.celt.angular_velocity=[0, 0, 5]"]);
    assert!(right_way.last("celt.wz") > 4.9);
}

/// A half circle stands if it is thicker than 0.1075 of its radius (Heyman 1969).
#[test]
fn the_arch_stands_and_the_thin_one_falls() {
    let arch = motion("arch", &["simulation.duration=1"]);
    let crown = arch.column("stone-8.y");
    // Stones settle into their contacts by free fall in a few steps: 20 g dt² is 0.2 mm.
    assert!(crown.iter().all(|y| y.abs() < 2e-4));
    assert!((crown[50] - crown[100]).abs() < 1e-9, "it creeps");
    let thin = motion("arch-thin", &["simulation.duration=0.7"]);
    assert!(thin.at("stone-8.y", 0.2) < -0.03);
    assert!(thin.last("stone-8.y") < -0.9);
}

#[test]
fn all_dominoes_fall_one_after_the_other() {
    let row = motion("domino-row", &["simulation.duration=1.3"]);
    let mut fallen = Vec::new();
    for k in 0..30 {
        let angle = row.column(&format!("domino-{k}.angle"));
        assert!(*angle.last().expect("a row") < -1.2, "domino {k} stands");
        let first = angle.iter().position(|a| *a < -0.3).expect("it falls");
        fallen.push(row.times[first]);
    }
    assert!(fallen.windows(2).all(|pair| pair[0] < pair[1]));
    // The wave has its own speed: ten dominoes take as long as the ten behind them, within two rows.
    let (first, second) = (fallen[17] - fallen[7], fallen[27] - fallen[17]);
    assert!((first - second).abs() <= 2.0 * row.scene.simulation.output_step + 1e-9);
}

#[test]
fn the_woodpecker_pecks_its_way_down() {
    let toy = motion("woodpecker-toy", &[]);
    let beak = |key: u64| toy.scene.system.contact_name(key).starts_with("beak");
    let pecks: Vec<f64> =
        toy.summary.impacts.iter().filter(|i| beak(i.contact)).map(|i| i.t).collect();
    assert!(pecks.len() >= 11, "{pecks:?}");
    // A limit cycle after the first two. Half the step changes the period by 0.3 %, and single
    // periods differ by as much from each other.
    for pair in pecks[2..].windows(2) {
        assert!((pair[1] - pair[0] - 0.1258).abs() < 0.01 * 0.1258, "{pecks:?}");
        let drop = toy.at("sleeve.y", pair[0]) - toy.at("sleeve.y", pair[1]);
        // 7.6 mm with a step of 2.5e-5 s.
        assert!((drop - 7.6e-3).abs() < 0.3e-3, "{drop}");
    }
    // In between it stands still: jammed for some 40 ms of every period.
    let still = toy.column("sleeve.vy").iter().filter(|v| v.abs() < 1e-6).count();
    assert!(still > toy.times.len() / 4, "{still} of {}", toy.times.len());
}

#[test]
fn the_stack_rests_until_the_ball_comes() {
    let stack = motion("box-stack", &["simulation.duration=0.5"]);
    for k in 0..10 {
        for axis in ["x", "y", "z"] {
            let place = stack.column(&format!("box-{k}.{axis}"));
            // After 0.1 s the contacts are settled; what is left is the tolerance of the solver.
            let moved = place[10..].iter().map(|p| (p - place[10]).abs()).fold(0.0, f64::max);
            assert!(moved < 1e-6, "box {k} moves by {moved} m along {axis}");
        }
    }
    let weight = 10.0 * GRAVITY;
    assert!(stack.force(0)[10..].iter().all(|f| (f - weight).abs() < 1e-3 * weight));
}

#[test]
fn the_chain_runs_over_the_edge() {
    let chain = motion("chain-over-edge", &[]);
    let energy = &chain.summary.energy;
    // The book closes to rounding: thousands of steps of 1e-15 of some joules.
    assert!(energy.closing_error.abs() < 1e-11, "{}", energy.closing_error);
    assert!(chain.at("link-1.z", 0.6) > 0.0 && chain.last("link-1.z") < -0.1);
    // It stays in its plane and does not run faster than it falls.
    assert!(chain.column("link-16.y").iter().all(|y| y.abs() < 1e-9));
    assert!(energy.last < energy.initial);
}

/// Corners that bear F d/(2 l) each leave F (1 − μ d/l), with the arms of the turned drawer.
#[test]
fn the_deep_drawer_slides_and_the_short_one_jams() {
    let drawers = motion("drawer-with-clearance", &[]);
    let turn = -drawers.last("deep.angle");
    let arm = 0.3 * turn.cos() - 0.5 * turn.sin();
    let lever = 0.45 * turn.cos() - 0.3 * turn.sin();
    let expected = 20.0 / 2.0 * (1.0 - 0.4 * lever / arm);
    let speed = |t: f64| drawers.at("deep.vx", t);
    let acceleration = (speed(0.5) - speed(0.1)) / 0.4;
    // Constant forces: exact but for the tolerance of the solver.
    assert!((acceleration - expected).abs() < 1e-6 * expected, "{acceleration} {expected}");
    assert!(drawers.last("short.vx").abs() < 1e-8 && drawers.last("short.x") < 2e-3);
    let strong = motion("drawer-with-clearance", &["force.pull-short.force=[1000, 0]"]);
    assert!(strong.last("short.vx").abs() < 1e-6, "{}", strong.last("short.vx"));
}

#[test]
fn the_rocker_swings_as_without_play_and_its_pin_hits() {
    let linkage = motion("four-bar-clearance", &[]);
    let angle = linkage.column("rocker.angle");
    let (low, high) = angle.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (x.min(a), x.max(b)));
    // Crank and coupler in one line: 20 and 10 cm from the crank's pivot to the end of the rocker.
    let at_rocker = |far: f64| PI - ((0.0325 - far * far) / 0.03_f64).acos();
    // The play makes the coupler longer or shorter by 0.5 mm.
    for (end, far) in [(low, 0.2), (high, 0.1)] {
        let play = at_rocker(far + 0.5e-3)..at_rocker(far - 0.5e-3);
        assert!(play.contains(&end), "{end} is not in {play:?}");
    }
    assert!(linkage.summary.impacts.len() > 8);
}

#[test]
fn the_thrown_box_and_the_coin_come_to_rest() {
    let thrown = motion("tumbling-box", &[]);
    let weight = 500.0 * 8.0 * 0.12 * 0.08 * 0.05 * GRAVITY;
    // It lies on a face; contacts settle by g dt² in some steps.
    assert!((thrown.last("box.z") - 0.08).abs() < 1e-4, "{}", thrown.last("box.z"));
    assert!((thrown.force(0).last().expect("a row") - weight).abs() < 1e-6 * weight);
    let coin = motion("spinning-coin", &[]);
    assert!(coin.at("coin.z", 1.0) > 0.01, "it stands for a second");
    assert!(coin.last("coin.z").abs() < 1e-6 && coin.last("coin.wz").abs() < 1e-6);
}

/// A thousand spheres of 1 cm: all of it is in the file.
#[test]
fn the_pile_comes_to_rest_with_little_penetration() {
    let pile = motion("sphere-pile", &[]);
    let (radius, step) = (0.01, 1e-3);
    assert_eq!(pile.summary.steps, 2000);
    assert!(pile.summary.worst_residual <= 1e-4, "{:e}", pile.summary.worst_residual);
    // Wanted: below 1 % of the radius. The fastest spheres go 0.2 radii in a step.
    let depth = pile.summary.max_penetration;
    assert!(depth < 0.01 * radius, "{depth:e}");
    let grains: Vec<usize> = (0..1000).collect();
    let last = |grain: usize, end: &str| pile.last(&format!("grain-{grain}.{end}"));
    let speed = |grain: usize| {
        let v = ["vx", "vy", "vz"].map(|end| last(grain, end));
        v.iter().map(|v| v * v).sum::<f64>()
    };
    // At rest: much slower than a step of free fall makes a sphere that is not carried.
    let mean = (grains.iter().map(|&grain| speed(grain)).sum::<f64>() / 1000.0).sqrt();
    assert!(mean < 0.2 * GRAVITY * step, "{mean:e}");
    // Within the walls and on the ground, but for what is left of penetration.
    for grain in grains {
        let [x, y, z] = ["x", "y", "z"].map(|end| last(grain, end));
        let inside = 0.16 - 0.98 * radius;
        assert!(x.abs() < inside && y.abs() < inside && z > 0.98 * radius, "{x} {y} {z}");
        assert!(z < 0.12, "the pile is at most six layers high: {z}");
    }
}
