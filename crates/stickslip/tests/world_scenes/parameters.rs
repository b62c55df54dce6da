//! `[parameters]`, `[start]` and what expressions make of them.

use crate::support::{complaint, complaint_with, contains, near, read, read_in, with_ball};
use std::f64::consts::PI;
use stickslip::scene::IntegratorName;
use stickslip::world::{
    ForceKind, ForceValue, FrictionForm, MassDescription, ShapeKind, TimeFunction,
};

/// A scene whose only value of interest is the radius of a ball.
fn ball(parameters: &str, radius: &str) -> String {
    format!(
        "[parameters]\n{parameters}\n[[body]]\nname = \"ball\"\nmass = 1\n[[body.shape]]\nkind = \
         \"sphere\"\nradius = {radius:?}\n"
    )
}

fn radius(parameters: &str, text: &str) -> Result<f64, String> {
    let scene = read_in(None, &ball(parameters, text), &[])?;
    match scene.description.bodies[0].shapes[0].kind {
        ShapeKind::Sphere { radius } => Ok(radius),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_made_of_parameters() {
    for (parameters, text, value) in [
        ("crank = 0.3", "crank/2", 0.15),
        ("crank = \"30 cm\"", "crank/2", 0.15),
        ("play = \"1 mm\"", "2*play + 1 mm", 3e-3),
        ("play = \"1 mm\"", "2*play+1mm", 3e-3),
        ("play = \"1 mm\"", "parameters.play", 1e-3),
        ("a = \"b/2\"\nb = \"2*c\"\nc = 3", "a", 3.0),
        ("springs = [1, \"2 mm\", \"2*springy\"]\nspringy = 3", "springs[1]", 2e-3),
        ("springs = [1, \"2 mm\", \"2*springy\"]\nspringy = 3", "springs[2]*springs[0]", 6.0),
        ("m = 5", "2*m", 10.0),
        // A word right after a number and a blank is a unit.
        ("m = 5", "2 m + 0*m", 2.0),
        ("g = 5\nk = 1", "1 m*g/k", 5.0),
        ("s = 2\nm = 3", "0 m + 6 m / s * m", 9.0),
        ("v = \"3 m/s\"\nd = \"2 s\"", "v*d", 6.0),
        ("area = \"9 m^2\"", "sqrt(area)", 3.0),
        ("a = \"3 m\"\nb = \"4 m\"", "hypot(a, b)", 5.0),
        ("a = \"3 m\"\nb = \"4 m\"", "(a^2 + b^2)^0.5", 5.0),
        ("a = \"3 m\"\nb = \"4 m\"", "min(a, b, 2 m)", 2.0),
        ("a = \"3 m\"\nb = \"4 m\"", "max(a, b)", 4.0),
        ("a = \"7 m\"", "mod(a, 4 m)", 3.0),
        ("a = -7", "mod(a, 4)", 1.0),
        ("a = \"3 m\"", "if(a > 2 m, a, 1 m)", 3.0),
        ("a = \"3 m\"", "if(a >= 2 m and not a == 3 m, a, 1 m)", 1.0),
        ("a = 1", "if(a != 1 or a <= 1 and a < 2, 5, 6)", 5.0),
        ("long = true", "if(long, 2 m, 1 m)", 2.0),
        ("omega = \"3 rad/s\"\nv = \"6 m/s\"", "v/omega", 2.0),
        ("a = 1", "atan2(a, 1)*4/pi", 1.0),
        ("a = 1", "a*PI/pi", 1.0),
        // A plain number is SI and fits anywhere.
        ("k = 4\nmass = \"2 kg\"", "mass/k", 0.5),
        ("mass = \"2 kg\"", "0.5*mass", 1.0),
        ("motion = \"rolling\"", "if(motion == 'rolling', 2, 3)", 2.0),
        ("motion = \"rolling\"\nother = \"still\"", "if(motion != other, 2, 3)", 2.0),
    ] {
        let found = radius(parameters, text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!((found - value).abs() <= 1e-15 * value, "{text}: {found}");
    }
}

#[test]
fn units_are_checked_through_the_arithmetic() {
    for (parameters, text, part) in [
        ("play = \"1 mm\"", "play + 2 kg", "a length and a mass do not go together"),
        ("mass = \"2 kg\"", "2*mass", "it is a mass, but must be a length (m)"),
        ("mass = \"2 kg\"", "mass", "it is a mass, but must be a length (m)"),
        ("v = \"3 m/s\"", "v*v", "it is in m^2 s^-2, but must be a length"),
        ("a = \"3 m\"", "a < 2 s", "a length and a time do not go together"),
        ("a = \"3 m\"", "sin(a)", "sin needs a number or an angle, not a length"),
        ("a = \"3 m\"", "max(a, 2 s)", "in max: a length and a time"),
        ("a = \"3 m\"", "2^a", "an exponent has no unit"),
        ("a = \"3 deg\"", "a", "it is an angle, but must be a length"),
        ("a = \"2*b\"\nb = \"3 s\"", "a", "it is a time, but must be a length"),
    ] {
        contains(&radius(parameters, text).expect_err(text), &[part, "body.0.shape.0.radius"]);
    }
    // An angle is no number and a frequency no angular velocity, but 2 pi f is one.
    let spin = |text: &str| {
        let text = format!(
            "[parameters]\nf = \"2 Hz\"\n[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\n\
             angular_velocity = {text:?}\n[world]\ndimension = 2\n"
        );
        read_in(None, &text, &[]).map(|scene| scene.description.bodies[0].angular_velocity[2])
    };
    contains(&spin("f").expect_err("a frequency"), &["it is a frequency, but must be an angular"]);
    near(&[spin("2*pi*f").expect("an angular velocity")], &[4.0 * PI], 1e-14);
}

#[test]
fn unknown_and_unused_names_are_errors_with_a_suggestion() {
    contains(
        &complaint(&ball("crank = 1", "crnk/2")),
        &["crnk is not known; did you mean crank?", "radius"],
    );
    contains(&complaint(&ball("crank = 1", "2")), &["radius is \"2\"; it has no unit"]);
    contains(
        &complaint(&ball("crank = 1\nplay = 2", "crank")),
        &["parameters.play is not used by any value of the scene", "in use are parameters.crank"],
    );
    contains(
        &complaint_with(&ball("crank = 1", "crank"), &["parameters.crnk=2"]),
        &["--set parameters.crnk=2: parameters.crnk is not used", "did you mean parameters.crank?"],
    );
    contains(&complaint(&ball("crank = 1", "crank[0]")), &["parameters.crank is not a list"]);
    contains(
        &complaint(&ball("c = [1]", "c[1]")),
        &["c[1] is not there; it has 1 entries, from 0"],
    );
    contains(&complaint(&ball("c = [1]", "c + 1")), &["parameters.c is a list; c[0]"]);
    contains(
        &complaint(&ball("c = \"crankk\"\ncrank = 1", "c*crank")),
        &["is the word \"crankk\""],
    );
    contains(&complaint(&ball("t = 1", "2 m")), &["t is a word of expressions"]);
    contains(&complaint(&ball("\"a-b\" = 1", "2 m")), &["must be named by letters"]);
    contains(
        &complaint(&ball("a = { b = 1 }", "2 m")),
        &["parameters.a is", "must be a number, a text"],
    );
    contains(&complaint(&ball("a = 1", "a*t")), &["t is not known: this value does not change"]);
    contains(&complaint(&ball("a = 1", "2 a")), &["\"a\" is not a unit; a product is written 2*a"]);
    contains(&complaint(&ball("a = \"1\"", "a")), &["parameters.a is \"1\"", "without quotes"]);
    // An override that replaces the only use is not punished for it.
    let scene = read_in(None, &ball("crank = 1", "crank"), &["body.ball.shape.0.radius=3"]);
    assert!(scene.is_ok(), "{:?}", scene.err());
}

#[test]
fn overrides_reach_parameters_with_units_and_expressions() {
    let text = ball("contact_radius = 1\nother = 2", "contact_radius + 0*other");
    for (change, value) in [
        ("parameters.contact_radius=\"1 mm\"", 1e-3),
        ("parameters.contact_radius=1 mm", 1e-3),
        ("parameters.contact_radius=4", 4.0),
        ("parameters.contact_radius=2*other", 4.0),
        ("parameters.contact_radius=if(other > 1, 7, 8)", 7.0),
    ] {
        let scene = read_in(None, &text, &[change]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene.description.bodies[0].shapes[0].kind, ShapeKind::Sphere { radius: value });
    }
    let wrong =
        complaint_with(&text, &["parameters.contact_radius=\"1 kg\"", "parameters.other=\"1 m\""]);
    contains(&wrong, &["a mass and a length do not go together"]);
}

/// Words, lists, whole numbers, truths, the start, functions of time and sections of the run.
#[test]
fn parameters_stand_for_values_of_every_kind() {
    let scene = read(
        r#"
        [parameters]
        friction = "contensou-hertz"
        patch = "0.5 mm"
        mu = 0.3
        heavy = true
        n = 2
        speed = "2 m/s"
        omega = "3 rad/s"
        amplitude = "4 N"
        kind = "sphere"
        stuff = "rubber"
        how = "moreau"
        length = "20 ms"
        more = false
        [start]
        place = [0, "1 cm", "2*start.height"]
        height = 3
        theta = "90 deg"
        motion = "still"
        [[body]]
        name = "ball"
        mass = "if(heavy, 2, 1)"
        position = "place"
        velocity = ["speed", 0, "if(motion == 'still', 0, 1)"]
        rotation = { axis = [0, 0, 1], angle = "theta" }
        material = "stuff"
        fixed = "more"
        [[body.shape]]
        kind = "kind"
        radius = 0.1
        [[array]]
        body = "ball"
        kind = "grid"
        counts = ["n", 1, "n - 1"]
        spacing = [1, 1, 1]
        [[force]]
        kind = "applied"
        body = "ball-0"
        force = ["amplitude*sin(omega*t)", "if(t < 1 s, 0, 5)", "0.1*t"]
        [[contact]]
        between = ["stuff", "any"]
        law = "friction"
        friction = "mu"
        contact_radius = "if(patch > 0 m, patch, 1 m)"
        [simulation]
        integrator = "how"
        duration = "2*length"
        "#,
    );
    let world = &scene.description;
    let body = &world.bodies[0];
    assert_eq!(world.bodies.len(), 2);
    assert_eq!((&body.mass, body.fixed), (&MassDescription::Total(2.0), false));
    assert_eq!((body.position, body.velocity), ([0.0, 0.01, 6.0], [2.0, 0.0, 0.0]));
    near(&body.rotation, &[0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()], 1e-15);
    assert_eq!(body.material, "rubber");
    let law = &world.contacts[0].law;
    assert_eq!(law.form, FrictionForm::ContensouHertz { contact_radius: 5e-4 });
    assert_eq!(law.friction, 0.3);
    let ForceKind::Applied { force, .. } = &world.forces[0].kind else { panic!("no force") };
    let force = force.each_ref().map(|value| match value {
        ForceValue::Time(function) => function.clone(),
        ForceValue::State(_) => panic!("a function of the state"),
    });
    near(&[force[0].at(2.0)], &[4.0 * 6.0_f64.sin()], 1e-14);
    assert_eq!([force[1].at(0.5), force[1].at(1.5), force[2].at(2.0)], [0.0, 5.0, 0.2]);
    assert!(matches!(force[0], TimeFunction::Expression { .. }));
    assert_eq!(
        (scene.simulation.duration, scene.simulation.integrator),
        (0.04, IntegratorName::Moreau)
    );
    // The effective scene keeps its parameters and reads back.
    let again = read(&scene.effective().to_string());
    assert_eq!(format!("{:?}", again.description), format!("{world:?}"));
    assert_eq!(again.effective(), scene.effective());
    // Units are checked in functions of time too.
    let wrong = with_ball(
        "[parameters]\nomega = \"3 rad/s\"\n[[force]]\nkind = \"applied\"\nbody = \"ball\"\nforce = \
         [\"omega*t*2 m\", 0, 0]",
    );
    contains(&complaint(&wrong), &["force.0.force.0: it is", "must be a force (N)"]);
}

#[test]
fn the_words_of_the_format_win() {
    let text = |law: &str| {
        with_ball(&format!(
            "[parameters]\ncoulomb = \"ellipsoid\"\nball = \"rubber\"\nuse = \"if(coulomb == ball, 1, 2)\"\n\
             [[contact]]\nbetween = [\"ball\", \"any\"]\nlaw = \"{law}\"\nfriction = \"use\"\n"
        ))
    };
    let scene = read(&text("coulomb"));
    assert_eq!(scene.description.contacts[0].law.form, FrictionForm::Coulomb);
    assert_eq!(scene.description.contacts[0].law.friction, 2.0);
    // A word that is chosen: no patch, no drilling.
    let chosen = |patch: &str| {
        with_ball(&format!(
            "[parameters]\npatch = {patch}\nform = \"contensou-hertz\"\n[default_contact]\nlaw = \
             \"if(patch > 0, form, 'coulomb')\"\nfriction = 1\n"
        ))
    };
    assert_eq!(read(&chosen("0")).description.default_contact.form, FrictionForm::Coulomb);
    contains(&complaint(&chosen("1")), &["contact_radius"]);
    contains(
        &complaint(&with_ball("[parameters]\nf = \"coulom\"\n[default_contact]\nlaw = \"f\"")),
        &["default_contact.law is \"coulom\", it must be", "did you mean \"coulomb\"?"],
    );
}

#[test]
fn an_explanation_lists_the_parameters() {
    let scene = read(&ball(
        "play = \"1 mm\"\nlaw = \"hertz\"\nk = [1, \"2 N\"]",
        "2*play + 0*k[0] + if(law == 'hertz', 0, 1)",
    ));
    assert_eq!(
        scene.parameters,
        [
            "parameters.play = 0.001 m (given as \"1 mm\")",
            "parameters.law = \"hertz\"",
            "parameters.k = [1, 2 N]",
        ]
    );
}
