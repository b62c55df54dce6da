//! Studies: what is varied, sections, expressions of columns.

use std::f64::consts::{PI, TAU};
use stickslip::scene::SceneFile;
use stickslip::study::{Section, Surface, Vary};

fn table() -> SceneFile {
    SceneFile::open("vibrating-table").expect("a scene of the program")
}

fn refused(argument: &str) -> String {
    Vary::parse(argument).expect_err(argument).to_string()
}

#[test]
fn ranges_and_lists_are_read_with_units() {
    let of = |argument: &str| {
        let vary = Vary::parse(argument).expect(argument);
        let count = vary.count().expect("a count");
        (0..count).map(|n| vary.argument(n).expect("a value")).collect::<Vec<_>>()
    };
    assert_eq!(of("parameters.mu=0:0.5:6")[3], "parameters.mu=0.3");
    // Both ends are exact, also where a tenth is not.
    assert_eq!(of("a.b=0.1:0.7:4"), ["a.b=0.1", "a.b=0.3", "a.b=0.5", "a.b=0.7"]);
    assert_eq!(of("a.b=0.7:0.1:4")[3], "a.b=0.1");
    assert_eq!(of("a.b=1 mm:3 mm:3"), ["a.b=1 mm", "a.b=2 mm", "a.b=3 mm"]);
    assert_eq!(of("a.b=2*pi:4*pi:2")[0], format!("a.b={TAU}"));
    assert_eq!(of("a.b=rattle,moreau"), ["a.b=rattle", "a.b=moreau"]);
    assert_eq!(of("a.b=[0, 1],[2, 3]"), ["a.b=[0, 1]", "a.b=[2, 3]"]);
    assert_eq!(of("a.b=1e-3,2"), ["a.b=0.001", "a.b=2"]);
    assert_eq!(of("a.b=3:4:1"), ["a.b=3"]);
}

#[test]
fn wrong_ranges_are_refused_with_what_is_allowed() {
    for (argument, reason) in [
        ("mu", "KEY=from:to:count"),
        ("mu=", "KEY=from:to:count"),
        ("mu=0:1:0", "the count is \"0\", it must be from 1"),
        ("mu=0:1:2.5", "the count is \"2.5\""),
        ("mu=2:2:5", "the range is empty"),
        ("mu=2:2", "the range is empty"),
        ("mu=0:x:5", "\"x\" is no number"),
        ("mu=1 mm:2:5", "one end has the unit \"mm\" and the other \"\""),
        ("mu=0:inf:5", "\"inf\""),
        ("mu=1,,2", "a value of the list is empty"),
        ("mu=0:1:2:3", "KEY=from:to:count"),
    ] {
        let message = refused(argument);
        assert!(message.contains(reason), "{argument}: {message}");
        assert!(message.contains(argument), "{message}");
    }
}

#[test]
fn sections_know_bodies_contacts_columns_and_parameters() {
    let file = table();
    let of = |text: &str| Section::parse(text).expect(text).of_file(&file, &[]);
    for name in ["ball", "bounce", "table", "any"] {
        let surface = of(&format!("impact({name})")).expect(name);
        assert!(matches!(surface, Surface::Impact(own) if own == name));
    }
    for text in ["period 2*pi/omega", "period 0.1 s", "period 1/frequency"] {
        let Ok(Surface::Period(period)) = of(text) else { panic!("{text}") };
        assert!((period - 0.1).abs() < 1e-15, "{period}");
    }
    let scene = file.scene(&[]).expect("a scene");
    for (text, expected) in [
        // Below the value before it is crossed.
        ("ball.vy crosses 0 up", 1.02 * PI * 9.81 / (20.0 * PI)),
        ("ball.vy crosses 0 down", -1.02 * PI * 9.81 / (20.0 * PI)),
        ("2*ball.x + t crosses amplitude*0 s/m + 1 s up", -1.0),
        ("bounce.gap crosses 1 mm up", -1e-3),
    ] {
        let Ok(Surface::Level(mut level)) = of(text) else { panic!("{text}") };
        let value = level.value(&scene.start);
        assert!((value - expected).abs() < 1e-12, "{text}: {value}");
    }
}

#[test]
fn wrong_sections_are_refused_with_what_is_allowed() {
    for (text, reason) in [
        ("", "it must be"),
        ("impact", "it must be"),
        ("impact()", "it must be"),
        ("ball.vy crosses 0", "up or down"),
        ("ball.vy crosses 0 sideways", "up or down"),
        ("impact(bal)", "did you mean ball?"),
        ("ball.vz crosses 0 up", "did you mean ball.v"),
        ("ball.vy crosses 1 kg up", "do not go together"),
        ("restitution crosses 0 up", "never changes"),
        ("bounce.force crosses 1 up", "not known from the state alone"),
        ("period omega", "must be a time"),
        ("period -1", "it must be positive"),
        ("period t", "t is not known"),
    ] {
        let found = Section::parse(text).and_then(|section| section.of_file(&table(), &[]));
        let Err(error) = found else { panic!("{text} is taken") };
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
}
