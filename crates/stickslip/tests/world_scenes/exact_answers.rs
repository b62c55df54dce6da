//! Motions with an exact answer, from scene files with units.

use super::runs::Run;

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;

#[track_caller]
fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}

/// A ball of 10 cm radius on the ground, with more keys of the ball and other sections.
fn ball(keys: &str, sections: &str) -> String {
    format!(
        "format = 1
        [[body]]
        name = \"ball\"
        mass = \"2 kg\"
        {keys}
        [[body.shape]]
        kind = \"sphere\"
        radius = \"100 mm\"
        [solver]
        tolerance = 1e-12
        {sections}"
    )
}

/// Slip of the lowest point along x and y, by row.
fn slip(run: &Run) -> Vec<[f64; 2]> {
    let [vx, vy] = ["ball.vx", "ball.vy"].map(|name| run.column(name));
    let [wx, wy] = ["ball.wx", "ball.wy"].map(|name| run.column(name));
    (0..vx.len()).map(|k| [vx[k] - RADIUS * wy[k], vy[k] + RADIUS * wx[k]]).collect()
}

#[test]
fn a_sliding_sphere_begins_to_roll_at_two_sevenths() {
    let (speed, mu, step) = (2.0, 0.3, 1e-4);
    let run = Run::of(
        &ball(
            "position = [0, 0, \"10 cm\"]\nvelocity = [\"7.2 km/h\", 0, 0]",
            "[world.ground]
            [default_contact]
            friction = 0.3
            [simulation]
            duration = \"300 ms\"
            step = \"0.1 ms\"
            output_step = \"0.1 ms\"",
        ),
        &[],
    );
    let time = 2.0 * speed / (7.0 * mu * GRAVITY);
    let (t, vx) = (run.column("t"), run.column("ball.vx"));
    for (t, vx) in t.iter().zip(&vx).filter(|(t, _)| **t < time - step) {
        // Constant deceleration: exact in discrete time.
        assert_close(*vx, speed - mu * GRAVITY * t, 1e-9);
    }
    let first = slip(&run).iter().position(|[x, _]| x.abs() < 1e-9).expect("it rolls");
    // Rolling begins within a step; the first step is spent until the gap closes.
    assert_close(t[first], time, 2.0 * step);
    assert_close(run.last("ball.vx"), 5.0 / 7.0 * speed, 1e-9);
}

#[test]
fn the_slip_of_a_billiard_shot_keeps_its_direction() {
    let run = Run::of(
        &ball(
            "position = [0, 0, \"10 cm\"]
            velocity = [\"1 m/s\", \"500 mm/s\", 0]
            angular_velocity = [\"6 rad/s\", \"-9 rad/s\", \"20 rad/s\"]",
            "[world.ground]
            [default_contact]
            friction = 0.2
            [simulation]
            duration = \"400 ms\"
            output_step = \"1 ms\"",
        ),
        &[],
    );
    let slip = slip(&run);
    let direction = slip[0][1].atan2(slip[0][0]);
    let sliding: Vec<_> = slip.iter().filter(|[x, y]| x.hypot(*y) > 1e-3).collect();
    assert!(sliding.len() > 100, "only {} steps of slip", sliding.len());
    for [x, y] in sliding {
        // Wanted of a friction disk; a polyhedral cone would turn it by degrees.
        assert_close(y.atan2(*x), direction, 1e-9);
    }
    let course = |k: usize| run.column("ball.vy")[k].atan2(run.column("ball.vx")[k]);
    assert!((course(slip.len() - 1) - course(0)).abs() > 0.05, "the path is curved");
    let [x, y] = slip[slip.len() - 1];
    assert!(x.hypot(y) < 1e-9, "it rolls at the end");
}

#[test]
fn a_sphere_on_an_incline_rolls_if_friction_allows() {
    let angle = 20_f64.to_radians();
    let needed = 2.0 / 7.0 * angle.tan();
    for (mu, rolls) in [(1.01 * needed, true), (0.99 * needed, false)] {
        let (x, z) = (RADIUS * angle.sin(), RADIUS * angle.cos());
        let run = Run::of(
            &ball(
                &format!("position = [{x}, 0, {z}]"),
                &format!(
                    "[world.ground]
                    rotation = {{ axis = [0, 1, 0], angle = \"20 deg\" }}
                    [default_contact]
                    friction = {mu}
                    [simulation]
                    duration = \"500 ms\""
                ),
            ),
            &[],
        );
        let (vx, vz) = (run.last("ball.vx"), run.last("ball.vz"));
        let down = vx * angle.cos() - vz * angle.sin();
        let slip = down - RADIUS * run.last("ball.wy");
        if rolls {
            assert_close(slip, 0.0, 1e-9);
            assert_close(down, 5.0 / 7.0 * GRAVITY * angle.sin() * 0.5, 1e-9);
        } else {
            assert_close(down, GRAVITY * (angle.sin() - mu * angle.cos()) * 0.5, 1e-9);
            // 7/2 of what friction lacks, 1 % of µ g cos α.
            assert_close(slip, 3.5 * 0.01 * needed * GRAVITY * angle.cos() * 0.5, 1e-9);
        }
    }
}

#[test]
fn three_balls_in_contact_leave_a_third_and_two_thirds() {
    let mut text = String::from(
        "format = 1
        [world]
        gravity = [0, 0, 0]
        [default_contact]
        restitution = 1
        [simulation]
        duration = \"10 ms\"
        [solver]
        tolerance = 1e-13\n",
    );
    for (name, x, speed) in [("left", -10, 3), ("middle", 0, 0), ("right", 10, 0)] {
        text += &format!(
            "[[body]]
            name = \"{name}\"
            density = \"7.8 g/cm^3\"
            position = [\"{x} cm\", 0, 0]
            velocity = [\"{speed} m/s\", 0, 0]
            [[body.shape]]
            kind = \"sphere\"
            radius = \"50 mm\"\n"
        );
    }
    let run = Run::of(&text, &[]);
    for (name, share) in [("left", -1.0 / 3.0), ("middle", 2.0 / 3.0), ("right", 2.0 / 3.0)] {
        // The tolerance of the solver, and rounding.
        assert_close(run.last(&format!("{name}.vx")), 3.0 * share, 1e-11);
    }
}

#[test]
fn a_table_with_four_legs_slides_like_a_block() {
    // Sixteen corners on the floor: their forces are not unique, the motion is. All corners stand
    // 1 nm below the floor, so that no step is spent falling.
    let mut text = String::from(
        "format = 1
        [world.ground]
        [default_contact]
        friction = 0.2
        [simulation]
        duration = \"800 ms\"
        [[body]]
        name = \"table\"
        density = \"700 kg/m^3\"
        position = [0, 0, 0.719999999]
        velocity = [1, 0.5, 0]
        [[body.shape]]
        kind = \"box\"
        half_extents = [\"50 cm\", \"30 cm\", \"2 cm\"]\n",
    );
    for (x, y) in [(45, 25), (-45, 25), (-45, -25), (45, -25)] {
        text += &format!(
            "[[body.shape]]
            kind = \"box\"
            half_extents = [\"2 cm\", \"2 cm\", \"35 cm\"]
            offset = [\"{x} cm\", \"{y} cm\", \"-37 cm\"]\n"
        );
    }
    let (speed, mu) = (1.0_f64.hypot(0.5), 0.2);
    let stops = speed / (mu * GRAVITY);
    let names = ["x", "y", "vx", "vy", "wx", "wy", "wz"].map(|name| format!("table.{name}"));
    for method in ["auto", "gauss-seidel", "augmented-lagrangian"] {
        let run = Run::of(&text, &[&format!("solver.method={method}")]);
        let [_, _, vx, vy, wx, wy, wz] = names.each_ref().map(|name| run.column(name));
        for (k, t) in run.column("t").iter().enumerate() {
            let expected = (speed - mu * GRAVITY * t).max(0.0);
            // Near the end within a step of it.
            let tolerance = if (t - stops).abs() < 2e-3 { mu * GRAVITY * 2e-3 } else { 1e-6 };
            assert_close(vx[k].hypot(vy[k]), expected, tolerance);
            let turns = wx[k].abs().max(wy[k].abs()).max(wz[k].abs());
            assert!(turns < 1e-6, "{method}: it neither turns nor tips: {turns} at {t}");
        }
        // ½ v²/(µ g) along the start, with the first order of the rule.
        let path = speed * speed / (2.0 * mu * GRAVITY);
        let there = run.last("table.x").hypot(run.last("table.y"));
        assert_close(there, path, speed * 1e-3);
    }
}

/// The ball that met the ground at the very end of a step stopped dead.
#[test]
fn an_impact_at_the_very_end_of_a_step_had_no_rebound() {
    for integrator in ["rattle", "moreau", "event-driven"] {
        for (gap, speed, step) in [(0.1, 2.0, 1e-3), (0.1, 2.0, 2e-3), (0.03, 1.0, 5e-4)] {
            let height = RADIUS + gap;
            let text = ball(
                &format!("position = [0, 0, {height}]\nvelocity = [0, 0, {}]", -speed),
                &format!(
                    "[world]\ngravity = [0, 0, 0]\n[world.ground]\n[default_contact]\n\
                     restitution = 0.75\n[simulation]\nduration = 0.1\nstep = {step}"
                ),
            );
            let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
            assert_close(run.last("ball.vz"), 0.75 * speed, 1e-9);
            let rise = 0.75 * speed * (0.1 - gap / speed);
            assert_close(run.last("ball.z"), RADIUS + rise, 2.0 * speed * step);
        }
    }
}
