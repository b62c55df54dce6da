//! Laws of one's own: polygons, two-way friction, pressure profiles, adhesion and cohesion.

use super::runs::Run;
use super::support::{complaint, contains, read};
use stickslip::convex::{ContensouBall, ConvexSet, Pressure};
use stickslip::scene::Scene;
use stickslip::world::FrictionForm;

const TIME_STEPPING: [&str; 3] = ["moreau", "moreau-rk4", "rattle"];
const ALL: [&str; 4] = ["moreau", "moreau-rk4", "rattle", "event-driven"];

/// A body of 2 kg that cannot turn, on the ground in space, g = 10 m/s².
fn block(law: &str, force: &str, integrator: &str) -> String {
    format!(
        "format = 1
        [world]
        gravity = [0, 0, -10]
        [world.ground]
        [[body]]
        name = \"block\"
        mass = 2
        position = [0, 0, 0.1]
        free = [\"x\", \"y\", \"z\"]
        [[body.shape]]
        kind = \"sphere\"
        radius = 0.1
        [[force]]
        kind = \"applied\"
        body = \"block\"
        force = {force}
        [[contact]]
        name = \"base\"
        between = [\"block\", \"ground\"]
        {law}
        [simulation]
        duration = 0.1
        step = 1e-3
        integrator = \"{integrator}\""
    )
}

fn size([x, y, z]: [f64; 3]) -> f64 {
    x.hypot(y).hypot(z)
}

/// Velocity at the end, after 0.1 s.
fn velocity(scene: &str) -> [f64; 3] {
    let run = Run::of(scene, &[]);
    ["block.vx", "block.vy", "block.vz"].map(|name| run.last(name))
}

/// A rhombus: its edge in the first quadrant is 0.4 x + y = 0.2.
fn rhombus(axis_body: &str) -> String {
    format!(
        "law = \"polygon\"
        vertices = [[0.5, 0], [0, 0.2], [-0.5, 0], [0, -0.2]]
        axis = [1, 0, 0]
        axis_body = \"{axis_body}\""
    )
}

/// The body starts where the pull leaves m g times the polygon, and slides along the normal of the edge:
/// of the pull F the part beyond the edge, (n·F − m g h) n, accelerates it.
#[test]
fn a_body_leaves_a_polygon_of_friction_along_the_normal_of_its_edge() {
    let length = 0.4_f64.hypot(1.0);
    let (normal, height) = ([0.4 / length, 1.0 / length], 0.2 / length);
    for integrator in TIME_STEPPING {
        for share in [0.999, 1.001, 2.0] {
            let scale = share * 20.0 * 0.2 / (0.4 * 3.0 + 2.0);
            let pull = [3.0 * scale, 2.0 * scale];
            let force = format!("[{}, {}, 0]", pull[0], pull[1]);
            for body in ["ground", "block"] {
                let beyond = normal[0] * pull[0] + normal[1] * pull[1] - 20.0 * height;
                // Far beyond, the nearest point of the polygon would be a corner.
                let speed = beyond.max(0.0) / 2.0 * 0.1;
                let v = velocity(&block(&rhombus(body), &force, integrator));
                for k in 0..2 {
                    let wanted = normal[k] * speed;
                    assert!((v[k] - wanted).abs() < 1e-9, "{integrator} {share} {body}: {v:?}");
                }
            }
        }
    }
}

/// A triangle holds different forces in opposite directions: the vertices are of the force that the body of
/// the axis exerts on the other one, whichever of both is the body of the axis.
#[test]
fn the_vertices_of_a_polygon_are_forces_on_the_other_body() {
    // The ground pushes the block by up to 0.4 m g = 8 N along x, and by 0.1 m g = 2 N against it.
    let law = |body: &str, vertices: &str| {
        format!(
            "law = \"polygon\"\nvertices = {vertices}\naxis = [1, 0, 0]\naxis_body = \"{body}\""
        )
    };
    let triangle = "[[0.4, 0], [-0.1, 0.3], [-0.1, -0.3]]";
    for integrator in ["moreau", "rattle"] {
        let speed = |body: &str, force: f64| {
            let scene = block(&law(body, triangle), &format!("[{force}, 0, 0]"), integrator);
            velocity(&scene)[0]
        };
        // On the block: pulled along −x it is held by 8 N, along x by 2 N.
        assert!(speed("ground", -7.99).abs() < 1e-12 && speed("ground", 1.99).abs() < 1e-12);
        assert!((speed("ground", 3.0) - 0.05).abs() < 1e-9);
        assert!((speed("ground", -9.0) + 0.05).abs() < 1e-9);
        // By the block on the ground: the other way round.
        assert!(speed("block", 7.99).abs() < 1e-12 && speed("block", -1.99).abs() < 1e-12);
        assert!((speed("block", 9.0) - 0.05).abs() < 1e-9);
    }
}

/// The same polygon by angles; permuted or turned vertices, and other units of angle, change nothing.
#[test]
fn a_polar_table_is_its_polygon() {
    let polar = "law = \"polygon\"
        polar = [[\"-90 deg\", 0.2], [0, 0.5], [\"90 deg\", 0.2], [3.141592653589793, 0.5]]
        axis = [1, 0, 0]
        axis_body = \"ground\"";
    let rotated = rhombus("ground").replace(
        "[[0.5, 0], [0, 0.2], [-0.5, 0], [0, -0.2]]",
        "[[-0.5, 0], [0, -0.2], [0.5, 0], [0, 0.2]]",
    );
    let force = "[6, 2.5, 0]";
    let wanted = velocity(&block(&rhombus("ground"), force, "moreau"));
    for law in [polar, rotated.as_str()] {
        let found = velocity(&block(law, force, "moreau"));
        assert!((0..2).all(|k| (found[k] - wanted[k]).abs() < 1e-12), "{found:?} {wanted:?}");
    }
}

/// A factor on the polygon, also one that falls with the speed; the coefficient of the default is none.
#[test]
fn friction_is_a_factor_on_a_polygon() {
    let law = format!("{}\nfriction = 0.5", rhombus("ground"));
    let speed =
        |law: &str, force: f64| velocity(&block(law, &format!("[{force}, 0, 0]"), "moreau"))[0];
    assert!(speed(&law, 4.99).abs() < 1e-12);
    assert!((speed(&law, 7.0) - 0.1).abs() < 1e-9);
    let inherited = format!(
        "{}\n[default_contact]\nfriction = 0.01",
        block(&rhombus("ground"), "[9.9, 0, 0]", "moreau")
    );
    assert!(velocity(&inherited)[0].abs() < 1e-12);
    let sharp = format!("{}\nstatic_friction = 1\nkinetic_friction = 0.5", rhombus("ground"));
    assert!((speed(&sharp, 11.0) - (11.0 - 5.0) / 2.0 * 0.1).abs() < 1e-9);
}

/// A segment resists along itself only; a point not at all; a needle hardly across.
#[test]
fn polygons_without_area_hold_what_they_can() {
    let law = |vertices: &str| {
        rhombus("ground").replace("[[0.5, 0], [0, 0.2], [-0.5, 0], [0, -0.2]]", vertices)
    };
    for integrator in TIME_STEPPING {
        let run = |vertices: &str| velocity(&block(&law(vertices), "[6, 1, 0]", integrator));
        let v = run("[[0.2, 0], [-0.2, 0]]");
        assert!((v[0] - 0.1).abs() < 1e-9 && (v[1] - 0.05).abs() < 1e-9, "{v:?}");
        let v = run("[[0, 0]]");
        assert!((v[0] - 0.3).abs() < 1e-9 && (v[1] - 0.05).abs() < 1e-9, "{v:?}");
        let v = run("[[0.2, 0], [0, 1e-7], [-0.2, 0], [0, -1e-7]]");
        assert!((v[0] - 0.1).abs() < 1e-6 && (v[1] - 0.05).abs() < 1e-6, "{v:?}");
    }
}

/// Four coefficients: 0.1 along the axis, 0.4 against it, 0.2 and 0.3 across.
#[test]
fn two_way_friction_has_a_coefficient_for_each_sense() {
    let law = |body: &str| {
        format!(
            "law = \"orthotropic\"
            friction = 0.1
            friction_backward = 0.4
            friction_across = 0.2
            friction_across_backward = 0.3
            axis = [1, 0, 0]
            axis_body = \"{body}\""
        )
    };
    for integrator in ALL {
        for (direction, mu) in [([1, 0], 0.1), ([-1, 0], 0.4), ([0, 1], 0.2), ([0, -1], 0.3)] {
            let [x, y] = direction.map(|d| 10.0 * f64::from(d));
            let v = velocity(&block(&law("ground"), &format!("[{x}, {y}, 0]"), integrator));
            let wanted = (10.0 - mu * 20.0) / 2.0 * 0.1;
            assert!((v[0].hypot(v[1]) - wanted).abs() < 1e-9, "{integrator} {direction:?}: {v:?}");
        }
        // Seen from the block it is the ground that slides the other way; across counts about the other normal.
        let v = velocity(&block(&law("block"), "[10, 0, 0]", integrator));
        assert!((v[0] - 0.1).abs() < 1e-9, "{integrator}: {v:?}");
    }
    contains(
        &complaint(&block("law = \"coulomb\"\nfriction_backward = 0.1", "[0, 0, 0]", "moreau")),
        &["contact.0.friction_backward", "\"orthotropic\" only"],
    );
}

/// Uniform, Hertz and parabolic pressure as expressions and the uniform one as a table, to 1e-8 of the built-in
/// ones: prox, support and gauge.
#[test]
fn pressure_profiles_reproduce_the_known_ones() {
    let set = |pressure: &str| {
        let law = format!(
            "law = \"contensou-profile\"\nfriction = 0.3\ncontact_radius = 0.02\npressure = {pressure}"
        );
        let law = read(&block(&law, "[0, 0, 0]", "moreau")).description.contacts[0].law.clone();
        let FrictionForm::Contensou { contact_radius, pressure } = law.form else {
            panic!("{:?}", law.form)
        };
        ContensouBall { friction: law.friction, contact_radius, pressure }
    };
    for (own, known) in [
        ("\"7\"", Pressure::Uniform),
        ("2", Pressure::Uniform),
        ("[[0, 5], [0.3, 5], [1, 5]]", Pressure::Uniform),
        ("\"sqrt(1 - r^2)\"", Pressure::Hertz),
        ("\"3*(1 - r^2)\"", Pressure::Parabolic),
    ] {
        let (own, known) =
            (set(own), ContensouBall { friction: 0.3, contact_radius: 0.02, pressure: known });
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let x = [2.0 * rng.f64() - 1.0, rng.f64(), 0.04 * rng.f64() - 0.02];
            let (mut a, mut b) = (x, x);
            own.prox(1.0, &mut a);
            known.prox(1.0, &mut b);
            let v = [x[0], x[1], 1e3 * x[2]];
            assert!(
                (0..3).all(|k| (a[k] - b[k]).abs() < 1e-8 * 0.3),
                "{known:?} {x:?} {a:?} {b:?}"
            );
            let (s, t) = (own.support(1.0, &v), known.support(1.0, &v));
            assert!((s - t).abs() < 1e-8 * t, "{known:?} {v:?}: {s} {t}");
            let (s, t) = (own.gauge(&x), known.gauge(&x));
            assert!((s - t).abs() < 1e-8 * t, "{known:?} {x:?}: {s} {t}");
        }
    }
    for (pressure, part) in [
        ("\"1 - 2*r\"", "not negative"),
        ("\"1 - q\"", "r is the radius"),
        ("\"1 + t\"", "t"),
        ("[[0, 1], [0.5, 1]]", "from 0 to 0.5"),
        ("0", "must be positive"),
    ] {
        let law =
            format!("law = \"contensou-profile\"\ncontact_radius = 0.02\npressure = {pressure}");
        contains(&complaint(&block(&law, "[0, 0, 0]", "moreau")), &["contact.0.pressure", part]);
    }
}

/// Pulled up by less than m g + adhesion it stays, with a negative normal force; by more it leaves at once.
#[test]
fn adhesion_holds_a_body_up_to_its_force() {
    for integrator in ALL {
        let law = "adhesion = \"30 N\"\nfriction = 0.2";
        let run = Run::of(&block(law, "[0, 0, 49.99]", integrator), &[]);
        assert!((run.last("block.z") - 0.1).abs() < 1e-12, "{integrator} {}", run.last("block.z"));
        assert!(
            (run.contacts[0].force + 29.99).abs() < 1e-9,
            "{integrator}: {}",
            run.contacts[0].force
        );
        let run = Run::of(&block(law, "[0, 0, 50.01]", integrator), &[]);
        // Free but for what the first step of time stepping still holds.
        let wanted = (50.01 - 20.0) / 2.0 * 0.1;
        let first = 15.1 * 1e-3;
        let vz = run.last("block.vz");
        assert!(vz > wanted - first - 1e-9 && vz <= wanted + 1e-9, "{integrator}: {vz}");
        assert_eq!(run.contacts[0].force, 0.0);
        // Friction is measured from −adhesion: 0.2 (20 + 30) = 10 N.
        let run = Run::of(&block(law, "[9.99, 0, 0]", integrator), &[]);
        assert!(run.last("block.vx").abs() < 1e-9 && (run.contacts[0].force - 20.0).abs() < 1e-9);
        let run = Run::of(&block(law, "[12, 0, 0]", integrator), &[]);
        assert!((run.last("block.vx") - 0.1).abs() < 1e-9, "{integrator}");
        assert!((size(run.contacts[0].friction) - 10.0).abs() < 1e-9, "{integrator}");
    }
    let scene = Scene::read("my.toml", "my", &block("adhesion = 1", "[0, 0, 0]", "ode-rk4"), &[]);
    let refused = match scene {
        Ok(scene) => scene.integrator().err().map(|e| e.to_string()).unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    contains(&refused, &["adhesion", "ode"]);
}

/// An impact takes no time: adhesion does not hold back what rebounds.
#[test]
fn adhesion_gives_no_percussion_in_an_impact() {
    let scene = block("adhesion = 500\nrestitution = 0.5", "[0, 0, 20]", "event-driven")
        .replace("position = [0, 0, 0.1]", "position = [0, 0, 0.2]\nvelocity = [0, 0, -2]");
    assert!((velocity(&scene)[2] - 1.0).abs() < 1e-9);
    // In time stepping no more than the force in the steps in which it is closed.
    let scene = scene
        .replace("event-driven", "rattle")
        .replace("1e-3", "1e-6")
        .replace("duration = 0.1", "duration = 0.06");
    let vz = velocity(&scene)[2];
    assert!((vz - 1.0).abs() < 3.0 * 250.0 * 1e-6, "{vz}");
}

/// A block on a slope slides exactly when m g sin a > c + μ m g cos a.
#[test]
fn cohesion_holds_on_a_slope() {
    let (m_g, angle) = (20.0_f64, 40.0_f64.to_radians());
    let gravity = format!("gravity = [{}, 0, {}]", 10.0 * angle.sin(), -10.0 * angle.cos());
    for (integrator, mu) in ALL.into_iter().flat_map(|i| [(i, 0.3), (i, 0.0)]) {
        let limit = m_g * angle.sin() - mu * m_g * angle.cos();
        let run = |cohesion: f64| {
            let scene =
                block(&format!("friction = {mu}\ncohesion = {cohesion}"), "[0, 0, 0]", integrator);
            Run::of(&scene.replace("gravity = [0, 0, -10]", &gravity), &[])
        };
        assert!(run(limit * 1.0001).last("block.vx").abs() < 1e-9, "{integrator} {mu}");
        let slides = run(limit - 2.0);
        assert!(
            (slides.last("block.vx") - 0.1).abs() < 1e-9,
            "{integrator} {mu}: {}",
            slides.last("block.vx")
        );
        let friction = limit - 2.0 + mu * m_g * angle.cos();
        assert!((size(slides.contacts[0].friction) - friction).abs() < 1e-8, "{integrator} {mu}");
    }
}

/// Both at once: up to cohesion + μ (N + adhesion), with N < 0, in any units.
#[test]
fn cohesion_and_adhesion_add_up() {
    for integrator in ALL {
        // N = 20 − 25 = −5 N; 4 + 0.5 (−5 + 15) = 9 N.
        let law = "adhesion = \"15 N\"\ncohesion = \"0.004 kN\"\nfriction = 0.5";
        let held = Run::of(&block(law, "[8.99, 0, 25]", integrator), &[]);
        assert!(held.last("block.vx").abs() < 1e-9, "{integrator}");
        let slides = Run::of(&block(law, "[11, 0, 25]", integrator), &[]);
        assert!((slides.last("block.vx") - 0.1).abs() < 1e-9, "{integrator}");
        assert!((slides.contacts[0].force + 5.0).abs() < 1e-9, "{integrator}");
    }
    contains(
        &complaint(&block("adhesion = -1", "[0, 0, 0]", "moreau")),
        &["contact.0.adhesion", "not negative"],
    );
    contains(
        &complaint(&block("cohesion = \"1 m\"", "[0, 0, 0]", "moreau")),
        &["contact.0.cohesion", "force"],
    );
}
