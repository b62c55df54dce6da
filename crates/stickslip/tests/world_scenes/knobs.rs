//! Values that are turned by hand: their ranges in the file, and how they get into its text.

use stickslip::scene::{Knob, KnobKind, Scene, SceneFile, with_value};
use stickslip::simulate::Unobserved;

const SLIDING: &str = r#"
# A block on a plane.
[parameters]
mu = { value = 0.3, min = 0, max = 1 }   # of the plane
slope = { value = "10 deg", min = "0 deg", max = 0.7853981633974483 }
mass = 2.5      # kg, positive
count = 4
kind = "coulomb"
place = [0.0, "2 m"]
heavy = true
half = "mass/2"

[start]
v = "3 m/s"

[words]
kind = ["coulomb", "ellipsoid"]

[[body]]
name = "block"
mass = "if(heavy, mass + count + half, 1 kg)"
position = ["place[0]", "place[1]", 1]
velocity = ["v", "slope/1 rad * 1 m/s", 0]
[[body.shape]]
kind = "sphere"
radius = 0.1
[default_contact]
friction = "mu"
law = "if(kind == 'ellipsoid', 'coulomb', kind)"
"#;

fn read(text: &str, overrides: &[&str]) -> Result<Scene, String> {
    let overrides: Vec<String> = overrides.iter().map(|one| (*one).to_owned()).collect();
    Scene::read("scene.toml", "scene", text, &overrides).map_err(|e| e.to_string())
}

fn knob(scene: &Scene, text: &str, key: &str) -> Knob {
    scene.knobs(text).into_iter().find(|knob| knob.key == key).expect("a knob")
}

#[test]
fn every_value_is_a_knob_of_its_kind() {
    let scene = read(SLIDING, &[]).expect("read");
    let keys: Vec<String> = scene.knobs(SLIDING).into_iter().map(|knob| knob.key).collect();
    let all = ["mu", "slope", "mass", "count", "kind", "place", "heavy", "half"];
    let mut expected = all.map(|name| format!("parameters.{name}")).to_vec();
    expected.push("start.v".into());
    assert_eq!(keys, expected);
    let number = |value, min, max, unit: &str, whole| KnobKind::Number {
        value,
        min,
        max,
        unit: unit.into(),
        whole,
    };
    let of = |key: &str| knob(&scene, SLIDING, key);
    assert_eq!(of("parameters.mu").kind, number(0.3, 0.0, 1.0, "", false));
    assert_eq!(of("parameters.mu").hint, "of the plane");
    // A range may be given in other units: 0.785 rad are 45 degrees.
    let KnobKind::Number { max, unit, .. } = of("parameters.slope").kind else { panic!() };
    assert!((max - 45.0).abs() < 1e-9 && unit == "deg", "{max} {unit}");
    assert_eq!(of("parameters.mass").kind, number(2.5, 0.25, 5.0, "", false));
    assert_eq!(of("parameters.mass").hint, "kg, positive");
    assert_eq!(of("parameters.count").kind, number(4.0, 0.4, 8.0, "", true));
    assert_eq!(of("start.v").kind, number(3.0, 3.0 * 0.1, 6.0, "m/s", false));
    let words = vec!["coulomb".to_owned(), "ellipsoid".to_owned()];
    assert_eq!(of("parameters.kind").kind, KnobKind::Choice { value: "coulomb".into(), words });
    assert_eq!(of("parameters.heavy").kind, KnobKind::Switch { value: true });
    let half = KnobKind::Text { value: "mass/2".into(), raw: false };
    assert_eq!(of("parameters.half").kind, half);
    assert!(matches!(of("parameters.place").kind, KnobKind::Text { raw: true, .. }));
}

#[test]
fn ranges_stay_with_other_values_and_forbid_nothing() {
    for given in ["0.4", "\"0.4\"", "{ value = 0.4, min = -1, max = 2 }"] {
        let scene = read(SLIDING, &[&format!("parameters.mu={given}")]);
        if given.starts_with('"') {
            // A number in quotes is an error as ever.
            assert!(scene.is_err_and(|e| e.contains("no unit")));
            continue;
        }
        let scene = scene.expect("read");
        let value = scene.effective()["parameters"]["mu"].as_float();
        assert_eq!(value, Some(0.4));
        let KnobKind::Number { min, max, .. } = knob(&scene, SLIDING, "parameters.mu").kind else {
            panic!()
        };
        assert_eq!((min, max), if given.starts_with('{') { (-1.0, 2.0) } else { (0.0, 1.0) });
        // The file of a run has them too, and says the same.
        let again = read(&scene.to_toml(), &[]).expect("read again");
        assert_eq!(again.effective(), scene.effective());
        assert_eq!(again.to_toml(), scene.to_toml());
    }
    // Outside of its range: the slider goes further.
    let far = read(SLIDING, &["parameters.mu=3"]).expect("read");
    let KnobKind::Number { max, .. } = knob(&far, SLIDING, "parameters.mu").kind else { panic!() };
    assert_eq!(max, 3.0);
}

#[test]
fn a_scene_that_changes_another_keeps_its_ranges() {
    let file = SceneFile::open("tippe-top").expect("built in");
    let text = "model = \"tippe-top\"\n[parameters]\nmass = { value = 7e-3, max = 0.01 }\n";
    let scene = Scene::read("own.toml", "own", text, &[]).expect("read");
    let KnobKind::Number { value, min, max, .. } = knob(&scene, text, "parameters.mass").kind
    else {
        panic!()
    };
    assert_eq!((value, max), (7e-3, 0.01));
    assert!(min <= 7e-4, "{min}");
    let words = match knob(&scene, text, "parameters.friction").kind {
        KnobKind::Choice { words, .. } => words,
        other => panic!("{other:?}"),
    };
    assert_eq!(words.len(), 5);
    // Comments of the file are hints.
    let own = file.scene(&[]).expect("read");
    assert_eq!(knob(&own, &file.text, "start.psi_dot").hint, "rad/s, spin about its own axis");
}

#[test]
fn zero_and_negative_values_have_sensible_sliders() {
    let text = "[parameters]\nnone = 0\ndown = -4.0\nlow = { value = 5, max = 2 }\nhigh = { value = 1, min = \
                3 }\n[[body]]\nname = \"b\"\nmass = \"1 kg + 0*(none + down + low + high)*1 kg\"\ninertia = \
                [1, 1, 1]\n";
    let scene = read(text, &[]).expect("read");
    for (key, expected) in [
        ("none", (-1.0, 1.0)),
        ("down", (-8.0, -0.4)),
        // A value outside of its own range counts.
        ("low", (0.5, 5.0)),
        ("high", (1.0, 4.0)),
    ] {
        let found = knob(&scene, text, &format!("parameters.{key}")).kind;
        let KnobKind::Number { value, min, max, .. } = found else { panic!("{key}") };
        assert!(min < max && (min..=max).contains(&value), "{key}: {min} to {max}");
        assert_eq!((min, max), expected, "{key}");
    }
}

#[test]
fn wrong_ranges_are_told_at_their_place() {
    for (value, line, message) in [
        ("{ value = 1, most = 2 }", "3:18", "parameters.a.most is not known"),
        ("{ min = 1 }", "3:5", "parameters.a has no value"),
        ("{ value = 1, min = 2, max = 2 }", "3:33", "parameters.a.max must be more than"),
        ("{ value = 1, max = \"fast\" }", "3:24", "it must be a number or a text with a unit"),
        ("{ value = \"1 m\", max = \"2 s\" }", "3:28", "a unit that fits the value's"),
        ("{ value = 1, max = 1e40 }", "3:24", "it must be a number or a text with a unit"),
        ("{ value = \"coulomb\", max = 2 }", "3:32", "only numbers have a range"),
        ("{ value = true, min = 2 }", "3:27", "only numbers have a range"),
        ("{ value = nan, min = 2 }", "3:5", "parameters.a is"),
        ("{ other = 1 }", "3:5", "it must be a number, a text with a unit"),
    ] {
        let text = format!(
            "\n[parameters]\na = {value}\n[[body]]\nname = \"b\"\nmass = \"1 + a\"\ninertia = [1, 1, 1]\n"
        );
        let error = read(&text, &[]).err().unwrap_or_else(|| panic!("{value} is taken"));
        assert!(error.starts_with(&format!("scene.toml:{line}: ")), "{value}: {error}");
        assert!(error.contains(message), "{value}: {error}");
    }
}

#[test]
fn turning_a_value_changes_its_bytes_alone() {
    for (key, value, before, after) in [
        ("parameters.mu", "0.5", "mu = { value = 0.3,", "mu = { value = 0.5,"),
        ("parameters.mass", "3.5", "mass = 2.5      # kg", "mass = 3.5      # kg"),
        ("parameters.slope", "\"12 deg\"", "value = \"10 deg\"", "value = \"12 deg\""),
        ("parameters.kind", "\"ellipsoid\"", "kind = \"coulomb\"\n", "kind = \"ellipsoid\"\n"),
        ("parameters.heavy", "false", "heavy = true", "heavy = false"),
        ("start.v", "\"-3 m/s\"", "v = \"3 m/s\"", "v = \"-3 m/s\""),
    ] {
        let changed = with_value(SLIDING, key, value).expect(key);
        assert_eq!(changed, SLIDING.replacen(before, after, 1), "{key}");
        read(&changed, &[]).expect(key);
    }
}

#[test]
fn a_value_that_the_file_does_not_have_is_added() {
    let text = "model = \"tippe-top\"";
    let first = with_value(text, "parameters.mass", "0.007").expect("added");
    let both = with_value(&first, "parameters.gravity", "1.6").expect("added");
    let all = with_value(&both, "start.psi_dot", "100").expect("added");
    let scene = Scene::read("own.toml", "own", &all, &[]).expect("read");
    let table = scene.effective();
    assert_eq!(table["parameters"]["mass"].as_float(), Some(0.007));
    assert_eq!(table["parameters"]["gravity"].as_float(), Some(1.6));
    assert_eq!(table["start"]["psi_dot"].as_integer(), Some(100));
    assert!(all.starts_with(text));
    for (key, value) in [
        ("parameters.mass", "]"),
        ("parameters.mass", "1\n[x]\ny = 2"),
        ("body.0.mass", "1"),
        ("parameters.a b", "1"),
        ("parameters.", "1"),
        ("parameters", "1"),
    ] {
        assert!(with_value(text, key, value).is_err(), "{key} = {value}");
    }
    // An inline section cannot get another line: nothing is broken.
    let inline = "parameters = { a = 1 }\n";
    assert!(with_value(inline, "parameters.b", "2").is_err());
    assert_eq!(with_value(inline, "parameters.a", "2").as_deref(), Ok("parameters = { a = 2 }\n"));
}

/// A block that slides with μ: its deceleration is μ g.
fn slider(mu: f64) -> String {
    format!(
        "[parameters]\nmu = {mu}\n[world.ground]\n[[body]]\nname = \"block\"\nmass = 1\nposition = [0, 0, \
         0.1]\nvelocity = [4, 0, 0]\n[[body.shape]]\nkind = \"box\"\nhalf_extents = [0.1, 0.1, 0.1]\n\
         [default_contact]\nfriction = \"mu\"\n[simulation]\nduration = 0.5\nstep = 1e-3\noutput_step = 1e-2\n"
    )
}

#[test]
fn a_branch_goes_on_with_other_values_and_its_book_closes() {
    let (first, second) = (read(&slider(0.2), &[]).expect("read"), read(&slider(0.5), &[]));
    let mut parent = first.simulate().expect("simulation");
    parent.run_until(0.2).expect("it runs");
    let state = parent.state();
    let end = parent.run(&mut Unobserved);

    // The same values: the same numbers, bit for bit.
    let mut same = first.simulate().expect("simulation");
    same.branch(&state).expect("the same system");
    let summary = same.run(&mut Unobserved);
    assert_eq!(summary.final_state.q, end.final_state.q);
    assert_eq!(summary.energy.book.drive, end.energy.book.drive);

    // Other friction: v = 4 − 0.2 g 0.2 − 0.5 g 0.3.
    let mut other = second.expect("read").simulate().expect("simulation");
    other.branch(&state).expect("the same system");
    let summary = other.run(&mut Unobserved);
    let expected = 4.0 - 9.81 * (0.2 * 0.2 + 0.5 * 0.3);
    assert!((other.u()[0] - expected).abs() < 1e-6, "{} instead of {expected}", other.u()[0]);
    assert!(summary.energy.closing_error.abs() < 1e-6, "{}", summary.energy.closing_error);

    // Twice the mass: the energy that the change puts in is work of the drive, ½ v² and m g h of 1 kg more.
    let heavy = read(&slider(0.2).replace("mass = 1", "mass = 2"), &[]).expect("read");
    let mut heavy = heavy.simulate().expect("simulation");
    heavy.branch(&state).expect("the same system");
    let speed: f64 = 4.0 - 9.81 * 0.2 * 0.2;
    let put_in = 0.5 * speed * speed + 9.81 * 0.1;
    let drive = heavy.energy_book().drive;
    assert!((drive - put_in).abs() < 1e-6, "{drive} instead of {put_in}");
    let summary = heavy.run(&mut Unobserved);
    assert!(summary.energy.closing_error.abs() < 1e-6, "{}", summary.energy.closing_error);

    // Another grid of steps, or another system, is refused and changes nothing.
    let coarse = read(&slider(0.2), &["simulation.step=5e-3"]).expect("read");
    let mut coarse = coarse.simulate().expect("simulation");
    let why = coarse.branch(&state).expect_err("another grid").to_string();
    assert!(why.contains("simulation.step"), "{why}");
    assert_eq!(coarse.t(), 0.0);
    let mut ball = Scene::load("bouncing-ball", &[]).expect("read").simulate().expect("simulation");
    assert!(ball.branch(&state).is_err());
}
