//! Bodies that move in some directions only, and springs along a direction.

use crate::runs::{Run, distance};
use crate::support::{BALL, complaint, contains, near};

/// A point mass in the plane.
fn mass(free: &str, more: &str) -> String {
    format!("[world]\ndimension = 2\n[[body]]\nname = \"m\"\nmass = 2\nfree = {free}\n{more}\n")
}

#[test]
fn a_point_mass_needs_no_inertia_and_falls() {
    for integrator in ["rattle", "moreau", "moreau-rk4", "event-driven"] {
        let text = mass("[\"x\", \"y\"]", "velocity = [3, 4]");
        let by = format!("simulation.integrator={integrator}");
        let run = Run::of(&text, &[&by, "simulation.duration=0.5"]);
        near(&[run.last("m.x"), run.last("m.vx")], &[1.5, 3.0], 1e-12);
        near(&[run.last("m.vy"), run.last("m.angle")], &[4.0 - 0.5 * 9.81, 0.0], 1e-12);
    }
}

/// Under gravity and a spring of any direction it moves along x only.
#[test]
fn a_guided_mass_swings_along_its_direction() {
    let spring = "position = [0.1, 0]\n[[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"m\"]\nstiffness = \
                  50\ndirection = [2, 0]\nrest_length = 0\n";
    let run = Run::of(&mass("[\"x\"]", spring), &["simulation.duration=1", "simulation.step=1e-4"]);
    // ω = √(k/m) = 5 rad/s; rattle has the order 2: (ωΔt)²/24 · ωt · x₀.
    let exact: Vec<f64> = run.column("t").iter().map(|t| 0.1 * (5.0 * t).cos()).collect();
    assert!(distance(&run.column("m.x"), &exact) < 2e-8);
    assert!(run.column("m.y").iter().chain(&run.column("m.vy")).all(|v| *v == 0.0));
}

/// A spring along y holds a mass up whatever its x is; its energy is in the book.
#[test]
fn a_spring_along_a_direction_has_no_force_across_it() {
    let text = mass(
        "[\"x\", \"y\"]",
        "velocity = [5, 0]\n[[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"m\"]\nstiffness = 196.2\ndirection = \
         [0, 1]\nrest_length = 0.1\n",
    );
    let run = Run::of(&text, &["simulation.duration=1"]);
    // k (y − 0.1) = −m g at y = 0: it stays there and goes on along x.
    near(&[run.last("m.x"), run.last("m.y"), run.last("m.vx")], &[5.0, 0.0, 5.0], 1e-11);
    let damper =
        text.replace("stiffness = 196.2", "damping = 4").replace("rest_length = 0.1\n", "");
    let run = Run::of(
        &damper,
        &["simulation.duration=1", "world.gravity=[0, 0]", "body.m.velocity=[5, 3]"],
    );
    // m v̇ = −c v along y alone.
    near(&[run.last("m.vx")], &[5.0], 1e-12);
    near(&[run.last("m.vy")], &[3.0 * (-2.0_f64).exp()], 1e-5);
    let energy = run.summary.energy.closing_error;
    assert!(energy.abs() < 1e-6, "{energy}");
}

/// A ball that cannot turn slides like a block: no rolling, no drilling.
#[test]
fn a_ball_that_cannot_turn_slides_like_a_block() {
    let text = format!(
        "{}[world.ground]\n[default_contact]\nfriction = 0.2\n",
        BALL.replace(
            "mass = 2",
            "mass = 2\nfree = [\"x\", \"y\", \"z\"]\nposition = [0, 0, 0.1]\nvelocity = [1, 0, 0]"
        )
    );
    for integrator in ["rattle", "moreau"] {
        let by = format!("simulation.integrator={integrator}");
        let run = Run::of(&text, &[&by, "simulation.duration=0.25"]);
        near(&[run.last("ball.vx")], &[1.0 - 0.2 * 9.81 * 0.25], 1e-9);
        near(&[run.last("ball.wy")], &[0.0], 0.0);
        let rest = Run::of(&text, &[&by, "simulation.duration=1"]);
        near(&[rest.last("ball.vx")], &[0.0], 1e-12);
    }
}

/// A mass on a vertical guide over a rough floor: friction acts across its direction and does nothing.
#[test]
fn a_guided_mass_bounces_on_a_rough_floor() {
    let text = format!(
        "{}[world.ground]\n[default_contact]\nfriction = 0.5\nrestitution = 0.5\n",
        BALL.replace("mass = 2", "mass = 2\nfree = [\"z\"]\nposition = [0, 0, 1.1]")
    );
    for solver in ["auto", "gauss-seidel", "newton", "augmented-lagrangian", "jacobi"] {
        for integrator in ["rattle", "moreau"] {
            let by =
                [format!("simulation.integrator={integrator}"), format!("solver.method={solver}")];
            let run = Run::of(&text, &[&by[0], &by[1], "simulation.duration=0.7"]);
            // It falls for √(2/g) = 0.4515 s and leaves with half of its speed.
            let fall = (2.0_f64 / 9.81).sqrt();
            let (speed, left) = (0.5 * 9.81 * fall, 0.7 - fall);
            near(&[run.last("ball.vz")], &[speed - 9.81 * left], 2e-2);
            assert!(run.column("ball.x").iter().all(|x| *x == 0.0), "{solver} {integrator}");
        }
    }
    // A contact that presses against a direction that is held carries no force.
    let side = text
        .replace("free = [\"z\"]", "free = [\"x\"]")
        .replace("0, 1.1]", "0, 0.1]\nvelocity = [1, 0, 0]");
    let run = Run::of(&side, &["simulation.duration=0.5"]);
    near(&[run.last("ball.vx"), run.last("ball.z")], &[1.0, 0.1], 0.0);
}

#[test]
fn wrong_freedoms_are_refused() {
    for (text, part) in [
        (mass("[]", ""), "body.0.free: it is empty; give fixed = true"),
        (mass("[\"z\"]", ""), "in the plane there is no z"),
        (mass("[\"x\"]", "fixed = true"), "the body is fixed"),
        (mass("[\"xx\"]", ""), "body.0.free.0 is \"xx\", it must be"),
        (mass("[\"turn\"]", ""), "has no shapes from which its inertia could follow"),
        (
            mass(
                "[\"x\", \"y\"]",
                "[[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"m\"]\nrest_length = -1",
            ),
            "force.0.rest_length is -1; without a direction it must not be negative",
        ),
        (
            mass(
                "[\"x\", \"y\"]",
                "[[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"m\"]\ndirection = [0, 0]",
            ),
            "force.0.direction is zero",
        ),
    ] {
        contains(&complaint(&text), &[part]);
    }
    for (more, part) in [
        ("velocity = [0, 1]", "body.0.velocity: it starts in a direction that is not in free"),
        (
            "angular_velocity = 1",
            "body.0.angular_velocity: it turns at the start, but free has no turn",
        ),
    ] {
        let scene = stickslip::scene::Scene::read("my.toml", "my", &mass("[\"x\"]", more), &[]);
        contains(&scene.err().expect("an error").to_string(), &[part]);
    }
}
