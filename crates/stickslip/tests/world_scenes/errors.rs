//! Errors show the place in the file, several at once.

use crate::support::{complaint, contains, with_ball};
use stickslip::scene::{Scene, WorldScene};

#[test]
fn errors_point_at_the_text() {
    let text = "\
format = 1
[world]
gravty = [0, 0, -9.81]
[[body]]
name = \"ball\"
mass = \"3 mm\"
  [[body.shape]]
  kind = \"spere\"
  radius = 1
[[body]]
fixed = true
position = [0, 0, \"20 deg\"]
[simulation]
step = -1
";
    let expected = "\
my.toml:3:1: world.gravty is not known; did you mean world.gravity?
  |
3 | gravty = [0, 0, -9.81]
  | ^^^^^^
my.toml:6:8: body.0.mass is \"3 mm\"; it is a length, but must be a mass (kg)
  |
6 | mass = \"3 mm\"
  |        ^^^^^^
my.toml:8:10: body.0.shape.0.kind is \"spere\", it must be \"sphere\", \"box\", \"capsule\", \"cylinder\", \"cone\", \
\"disk\", \"ellipsoid\", \"convex-hull\", \"half-space\", \"circle\", \"polygon\" or \"segment\"; did you mean \
\"sphere\"?
  |
8 |   kind = \"spere\"
  |          ^^^^^^^
my.toml:10:1: body.1 has no name; it must be given
   |
10 | [[body]]
   | ^^^^^^^^
my.toml:12:19: body.1.position.2 is \"20 deg\"; it is an angle, but must be a length (m)
   |
12 | position = [0, 0, \"20 deg\"]
   |                   ^^^^^^^^
my.toml:14:8: simulation.step is -1, it must be finite and positive
   |
14 | step = -1
   |        ^^";
    assert_eq!(complaint(text), expected);
}

#[test]
fn what_is_not_toml_is_pointed_at_too() {
    assert_eq!(
        complaint("format = 1\n[world\ngravity = 3\n").lines().skip(1).collect::<Vec<_>>(),
        ["  |", "2 | [world", "  |       ^"]
    );
}

#[test]
fn names_that_are_not_known_are_pointed_at_in_their_list() {
    let text = with_ball(
        "[[contact]]\nbetween = [\"ball\", \"flor\"]\n[world.ground]\nmaterial = \"floor\"",
    );
    let expected = "\
my.toml:8:20: contact.0.between.1 is \"flor\"; it must be the name of a body, of one of its shapes (\"body.shape\") or of a material, or \"any\"; did \
you mean \"floor\"?
  |
8 | between = [\"ball\", \"flor\"]
  |                    ^^^^^^";
    assert_eq!(complaint(&text), expected);
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let numbers = "1.25, ".repeat(2000);
    let message = complaint(&with_ball(&format!("[world]\ngravity = [{numbers} true]")));
    contains(&message, &["world.gravity is [1.25, 1.25,", "...", "of three in space"]);
    assert!(message.lines().all(|line| line.chars().count() < 220), "{message}");
    let message = complaint(&format!("x = [{numbers} ?]"));
    assert!(message.lines().all(|line| line.chars().count() < 220), "{message}");
    contains(&message, &[":1:12"]);
    let control = complaint("format = 1\nname = 3 # \u{202e}\u{1b}[31m\n");
    assert!(!control.contains('\u{1b}'), "{control:?}");
}

#[test]
fn values_of_the_wrong_type_say_what_is_allowed() {
    for (text, parts) in [
        ("format = 2", ["format is 2, it must be 1", ""]),
        ("format = \"1\"", ["format is \"1\", it must be a whole number", ""]),
        ("format = 1\nbody = 3", ["body is 3, it must be a list", ""]),
        ("[body]\nname = \"a\"", ["it must be a list; write [[body]] with two brackets", ""]),
        ("[world]\ndimension = 4", ["world.dimension is 4", "a whole number from 2 to 3"]),
        ("[world]\ndimension = 2.5", ["world.dimension is 2.5", "a whole number"]),
        ("[world]\ngravity = 9.81", ["world.gravity is 9.81", "a list"]),
        ("[world]\ngravity = [1]", ["world.gravity is [1]", "of three in space"]),
        ("[world]\ngravity = [nan, 0, 0]", ["world.gravity.0 is nan", "from -1e30 to 1e30"]),
        ("[world]\ngravity = [1e31, 0, 0]", ["world.gravity.0 is", "from -1e30 to 1e30"]),
        ("[world]\ngravity = 1979-05-27", ["world.gravity is 1979-05-27", "a list"]),
        ("format = 1\nname = 3", ["name is 3", "a text in quotes"]),
        ("[[body]]\nname = \"a\"\nfixed = 1", ["body.0.fixed is 1", "true or false"]),
        ("[[body]]\nname = \"a b\"\nfixed = true", ["body.0.name is \"a b\"", "letters a to z"]),
        ("[[body]]\nname = \"ground\"\nfixed = true", ["means the world itself", ""]),
        ("[[body]]\nname = \"any\"\nfixed = true", ["means every body", ""]),
        ("format = 1\nmodell = 3", ["modell is not known", "did you mean model?"]),
        (
            "format = 1\n[simulation]\nsteps = 3",
            ["simulation.steps is not known", "simulation.step?"],
        ),
        ("format = 1\n[solver]\nmethod = \"x\"", ["solver.method is \"x\"", "\"gauss-seidel\""]),
        ("format = 1\nsimulation = 3", ["simulation is 3", "a section [simulation]"]),
    ] {
        contains(&complaint(text), &parts);
    }
}

#[test]
fn shapes_have_their_dimension() {
    let shape = |dimension: u32, keys: &str| {
        format!(
            "[world]\ndimension = {dimension}\n[[body]]\nname = \"a\"\nfixed = true\n[[body.shape]]\n{keys}"
        )
    };
    contains(
        &complaint(&shape(2, "kind = \"sphere\"\nradius = 1")),
        &["is for space; in the plane"],
    );
    contains(
        &complaint(&shape(3, "kind = \"circle\"\nradius = 1")),
        &["is for the plane; in space"],
    );
    contains(
        &complaint(&shape(2, "kind = \"segment\"\nends = [[1, 1], [1, 1]]")),
        &["are the same point"],
    );
    contains(&complaint(&shape(3, "kind = \"sphere\"\nradius = 0")), &["positive"]);
    contains(
        &complaint(&shape(3, "kind = \"sphere\"\nradus = 1")),
        &["body.0.shape.0.radius?", "has no radius"],
    );
    contains(&complaint(&shape(3, "radius = 1")), &["body.0.shape.0 has no kind; it must be"]);
}

#[test]
fn very_many_errors_are_told_in_part() {
    let text = format!("format = 1\n{}", "[[body]]\nname = 3\n".repeat(5000));
    let error = WorldScene::read("my.toml", "my", &text, &[], None).err().expect("errors");
    assert_eq!(error.complaints.len(), 101);
    contains(&error.to_string(), &["4900 more errors are not shown"]);
}

#[test]
fn limits_are_told_apart_from_mistakes() {
    let deep = format!("format = 1\nname = {}{}", "[".repeat(200), "]".repeat(200));
    let error = WorldScene::read("my.toml", "my", &deep, &[], None).err().expect("too deep");
    assert!(error.is_limit(), "{error}");
    contains(&error.to_string(), &["nested too deeply"]);
    let keys = format!("format = 1\n{} = 1", vec!["a"; 200].join("."));
    let error = WorldScene::read("my.toml", "my", &keys, &[], None).err().expect("too deep");
    assert!(error.is_limit(), "{error}");
    let error = Scene::read("my.toml", "my", "model = 3", &[]).err().expect("wrong");
    assert!(!error.is_limit());
}

#[test]
fn a_scene_is_a_world_or_a_model() {
    assert!(Scene::describes_world("", "format = 1").expect("TOML"));
    assert!(Scene::describes_world("", "[world]").expect("TOML"));
    assert!(Scene::describes_world("", "[[body]]").expect("TOML"));
    assert!(Scene::describes_world("", "model = \"tippe-top\"").expect("TOML"));
    assert!(!Scene::describes_world("", "model = \"slider-crank\"").expect("TOML"));
    let euler = "model = \"tippe-top\"\nparameters.coordinates = \"euler\"";
    assert!(!Scene::describes_world("", euler).expect("TOML"));
    assert!(!Scene::describes_world("", "").expect("TOML"));
}
