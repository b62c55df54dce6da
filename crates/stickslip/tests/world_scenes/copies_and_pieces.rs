//! Polar arrays, chains, polygons in pieces, capsules of the plane.

use super::runs::Run;
use std::f64::consts::PI;
use stickslip::scene::Scene;
use stickslip::world::{MassProperties, World, WorldDescription};

fn described(text: &str) -> WorldDescription {
    let scene = stickslip::scene::WorldScene::read("my.toml", "my", text, &[], None);
    scene.unwrap_or_else(|e| panic!("{e}\n{text}")).description
}

fn complaint(text: &str) -> String {
    match Scene::read("my.toml", "my", text, &[]) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

fn mass_of(text: &str) -> MassProperties {
    let world = World::new(&described(text)).unwrap_or_else(|e| panic!("{e:?}"));
    *world.mass_properties(0).expect("a body")
}

fn body(shape: &str) -> String {
    format!(
        "format = 1\n[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"piece\"\ndensity = 2\n{shape}"
    )
}

fn polygon(points: &str) -> String {
    body(&format!("[[body.shape]]\nkind = \"polygon\"\npoints = {points}\n"))
}

#[test]
fn copies_on_a_circle_are_turned_with_their_velocities() {
    let text = r#"
format = 1
[world]
dimension = 2
[[body]]
name = "planet"
mass = 1
position = [3, 1]
velocity = [0, 2]
rotation = "10 deg"
[[body.shape]]
kind = "circle"
radius = 0.1
[[array]]
body = "planet"
kind = "polar"
count = 6
center = [1, 1]
"#;
    let world = described(text);
    assert_eq!(world.bodies.len(), 6);
    for (k, body) in world.bodies.iter().enumerate() {
        let angle = PI / 3.0 * k as f64;
        let place = [1.0 + 2.0 * angle.cos(), 1.0 + 2.0 * angle.sin()];
        let velocity = [-2.0 * angle.sin(), 2.0 * angle.cos()];
        for axis in 0..2 {
            assert!((body.position[axis] - place[axis]).abs() < 1e-14, "{k}: {body:?}");
            assert!((body.velocity[axis] - velocity[axis]).abs() < 1e-14, "{k}: {body:?}");
        }
        let turn = 2.0 * body.rotation[3].atan2(body.rotation[0]);
        let error = (turn - angle - 10.0_f64.to_radians()).rem_euclid(2.0 * PI);
        assert!(error.min(2.0 * PI - error) < 1e-14, "{k}: {error:e}");
    }
    let told = complaint(&text.replace("count = 6", "count = 6\nangle = \"90 deg\""));
    assert!(told.contains("array.0.angle") && told.contains("at most once"), "{told}");
    let arc =
        described(&text.replace("count = 6", "count = 3\nangle = \"-30 deg\"\nturned = false"));
    assert!((arc.bodies[2].position[1] - (1.0 - 2.0 * (PI / 3.0).sin())).abs() < 1e-14);
    assert_eq!(arc.bodies[2].velocity, [0.0, 2.0, 0.0]);
}

/// n links hang in a row: the reaction of joint k is the weight below it; the whole hangs from the ground.
#[test]
fn a_chain_hangs_by_its_joints() {
    for (space, down, points, first) in [
        ("2", "[0, -9.81]", "[[0, 0.1], [0, -0.1]]", "[0, -0.1]"),
        ("3", "[0, 0, -9.81]", "[[0, 0, 0.1], [0, 0, -0.1]]", "[0, 0, -0.1]"),
    ] {
        let inertia = if space == "2" { "0.01" } else { "[0.01, 0.01, 0.01]" };
        let text = format!(
            r#"
format = 1
[world]
dimension = {space}
gravity = {down}
[[body]]
name = "link"
mass = 0.5
inertia = {inertia}
position = {first}
[[array]]
body = "link"
kind = "chain"
count = 5
points = {points}
first = "ground"
[simulation]
duration = 0.1
step = 1e-3
output_step = 0.1
"#
        );
        for integrator in ["moreau", "rattle", "event-driven"] {
            let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
            // Tolerance of a step; of rattle with turns of Newton's method.
            let allowed = if integrator == "rattle" { 1e-6 } else { 1e-8 };
            for k in 0..4 {
                let force = run.last(&format!("link-joint-{k}.force"));
                let weight = 0.5 * 9.81 * (4 - k) as f64;
                assert!((force - weight).abs() < allowed, "{integrator}, {space}, {k}: {force}");
            }
            let whole = run.last("link-first.force");
            assert!((whole - 2.5 * 9.81).abs() < allowed, "{integrator}, {space}: {whole}");
        }
    }
    let told = complaint(
        "format = 1\n[world]\ndimension = 2\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 1\n[[array]]\nbody = \"a\"\n\
         kind = \"chain\"\ncount = 3\npoints = [[0, 0], [0.1, 0]]\nlast = \"nobody\"\n",
    );
    assert!(told.contains("array.0.last") && told.contains("nobody"), "{told}");
}

/// Mass, centre and moment of an L, a star and a comb by their exact integrals over all triangles with a
/// corner at the origin, signed: for any polygon.
#[test]
fn a_polygon_that_is_not_convex_has_its_exact_mass() {
    let star: Vec<[f64; 2]> = (0..14)
        .map(|k| {
            let (radius, angle) = (if k % 2 == 0 { 1.0 } else { 0.3 }, PI / 7.0 * f64::from(k));
            [radius * angle.cos() + 0.2, radius * angle.sin() - 0.1]
        })
        .collect();
    let mut comb = vec![[0.0, 0.0], [6.0, 0.0]];
    for k in (0..6).rev() {
        let x = f64::from(k);
        comb.extend([
            [x + 1.0, 1.0],
            [x + 0.75, 1.0],
            [x + 0.75, 3.0],
            [x + 0.25, 3.0],
            [x + 0.25, 1.0],
        ]);
    }
    comb.push([0.0, 1.0]);
    let ell = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    // At most 2r + 1 pieces with r corners that turn inwards (Hertel and Mehlhorn).
    for (mut points, most) in [(ell, 3), (star, 15), (comb, 25)] {
        for _ in 0..2 {
            points.reverse(); // in either sense
            let text = polygon(&format!("{points:?}"));
            let pieces = described(&text).bodies[0].shapes.len();
            assert!(pieces > 1 && pieces <= most, "{pieces} pieces");
            let found = mass_of(&text);
            let (mut area, mut first, mut polar) = (0.0, [0.0; 2], 0.0);
            for k in 0..points.len() {
                let (a, b) = (points[k], points[(k + 1) % points.len()]);
                let part = 0.5 * (a[0] * b[1] - a[1] * b[0]);
                area += part;
                for i in 0..2 {
                    first[i] += part * (a[i] + b[i]) / 3.0;
                    polar += part * (a[i] * a[i] + a[i] * b[i] + b[i] * b[i]) / 6.0;
                }
            }
            let mass = 2.0 * area.abs();
            let center = first.map(|f| f / area);
            let moment = mass * (polar / area - center[0].powi(2) - center[1].powi(2));
            assert!((found.mass - mass).abs() < 1e-13 * mass, "{found:?} {mass}");
            assert!((found.center[0] - center[0]).abs() < 1e-13, "{found:?} {center:?}");
            assert!((found.center[1] - center[1]).abs() < 1e-13, "{found:?} {center:?}");
            assert!((found.inertia[2][2] - moment).abs() < 1e-12 * moment, "{found:?} {moment}");
        }
    }
}

#[test]
fn a_polygon_that_crosses_itself_is_refused() {
    let told = complaint(&polygon("[[0, 0], [2, 2], [2, 0], [0, 1], [0, 3]]"));
    assert!(told.contains("body.0.shape.0.points") && told.contains("cross"), "{told}");
    let named = polygon("[[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]]")
        .replace("kind = \"polygon\"", "name = \"ell\"\nkind = \"polygon\"");
    let rule = "[world.ground]\n[[contact]]\nbetween = [\"piece.ell\", \"ground\"]\nfriction = 1\n";
    let told = complaint(&(named + rule));
    assert!(told.contains("several convex pieces"), "{told}");
}

/// A ball rests in the notch of a V that is one polygon: with both sides at 45° each carries mg/√2.
#[test]
fn a_ball_rests_in_the_notch_of_one_polygon() {
    let text = r#"
format = 1
[world]
dimension = 2
[[body]]
name = "block"
fixed = true
[[body.shape]]
kind = "polygon"
points = [[-2, -1], [2, -1], [2, 2], [0, 0], [-2, 2]]
[[body]]
name = "ball"
mass = 2
position = [0, 0.70710678118654752]
[[body.shape]]
kind = "circle"
radius = 0.5
[simulation]
duration = 0.5
step = 1e-3
output_step = 0.1
"#;
    for integrator in ["moreau", "rattle", "event-driven"] {
        let run = Run::of(text, &[&format!("simulation.integrator={integrator}")]);
        let height = run.last("ball.y");
        assert!((height - 0.5_f64.sqrt()).abs() < 1e-6, "{integrator}: {height}");
        assert!(run.last("ball.x").abs() < 1e-6, "{integrator}");
    }
}

/// Area 4rh + πr²; a capsule that lies on a table touches it with both ends, one that stands falls over; and
/// between capsule, box and circle gaps are those of its middle line.
#[test]
fn capsules_of_the_plane() {
    let (r, h) = (0.1_f64, 0.3_f64);
    let capsule = format!("[[body.shape]]\nkind = \"capsule\"\nradius = {r}\nhalf_length = {h}\n");
    let found = mass_of(&body(&capsule));
    let area = 4.0 * r * h + PI * r * r;
    let polar = 4.0 * r * h * (r * r + h * h) / 3.0
        + 2.0 * (PI * r.powi(4) / 4.0 + PI * r * r / 2.0 * h * h + 4.0 / 3.0 * h * r.powi(3));
    assert!((found.mass - 2.0 * area).abs() < 1e-14, "{found:?}");
    assert!((found.inertia[2][2] - 2.0 * polar).abs() < 1e-14, "{found:?}");
    let lying = |table: &str| {
        format!(
            r#"
format = 1
[world]
dimension = 2
{table}
[[body]]
name = "capsule"
mass = 1
position = [0, 0.15]
rotation = "90 deg"
{capsule}
[default_contact]
friction = 0.3
[simulation]
duration = 1
step = 1e-3
output_step = 0.1
"#
        )
    };
    let plane = lying("[world.ground]");
    let table = lying(
        "[[body]]\nname = \"table\"\nfixed = true\nposition = [0, -1]\n[[body.shape]]\nkind = \"box\"\n\
         half_extents = [2, 1]",
    );
    for (on, text) in [("half-space", plane), ("box", table)] {
        for integrator in ["moreau", "rattle", "event-driven"] {
            let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
            let (height, speed) = (run.last("capsule.y"), run.last("capsule.w"));
            // Moreau's rule leaves what a body falls in a step: 2 m/s² times 1e-3 s at 1.7 m/s.
            assert!((height - r).abs() < 2e-3, "{integrator} on {on}: {height}");
            assert!(speed.abs() < 1e-6, "{integrator} on {on}: {speed}");
        }
    }
}
