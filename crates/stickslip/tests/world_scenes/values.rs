//! Units, expressions in time, defaults, overrides.

use crate::support::{BALL, complaint, complaint_with, contains, near, read, read_in, with_ball};
use std::f64::consts::PI;
use stickslip::scene::world::units::{self, Unit};
use stickslip::scene::{IntegratorName, SolverChoice};
use stickslip::system::Dimension;
use stickslip::world::{ForceKind, ForceValue, MassDescription, Motor, TimeFunction};

#[test]
fn numbers_with_units_are_si() {
    let cases: [(&str, Unit, f64); 18] = [
        ("3 mm", units::LENGTH, 3e-3),
        ("3mm", units::LENGTH, 3e-3),
        ("-1.5e2 µm", units::LENGTH, -1.5e-4),
        ("+2 in", units::LENGTH, 0.0508),
        ("150 rad/s", units::ANGULAR_VELOCITY, 150.0),
        ("120 rpm", units::ANGULAR_VELOCITY, 4.0 * PI),
        ("90 deg/s", units::ANGULAR_VELOCITY, PI / 2.0),
        ("20 deg", units::ANGLE, PI / 9.0),
        ("20°", units::ANGLE, PI / 9.0),
        ("1.5 kg", units::MASS, 1.5),
        ("9.81 m/s^2", units::ACCELERATION, 9.81),
        ("9.81 m/s²", units::ACCELERATION, 9.81),
        ("9.81 m s^-2", units::ACCELERATION, 9.81),
        ("10 N/mm", units::STIFFNESS, 1e4),
        ("7 g/cm^3", units::DENSITY, 7e3),
        ("2 N*m/rad", units::ANGULAR_STIFFNESS, 2.0),
        ("36 km/h", units::VELOCITY, 10.0),
        ("5 J", units::MOMENT, 5.0),
    ];
    for (text, unit, value) in cases {
        let read = units::parse(text, &unit).unwrap_or_else(|e| panic!("{text}: {e}"));
        // A few roundings of the factors.
        assert!((read - value).abs() <= 4.0 * f64::EPSILON * value.abs(), "{text}: {read}");
    }
}

#[test]
fn wrong_units_say_what_they_are() {
    for (text, parts) in [
        ("20 deg", ["is an angle", "must be a length (m)"]),
        ("3 s", ["is a time", "must be a length (m)"]),
        ("3 m^2/s", ["is in m^2 s^-1", "must be a length (m)"]),
        ("3 parsec", ["\"parsec\" is not a unit", "known are m, km"]),
        ("3", ["has no unit", "plain number for m"]),
        ("mm", ["must be a length (m)", "with a unit"]),
        ("", ["must be a length (m)", ""]),
        ("nan m", ["must be a length (m)", ""]),
        ("3 m^99", ["exponent", ""]),
        ("3 m^0", ["exponent", ""]),
        ("3 m/", ["is not a unit", ""]),
        ("3 m//s", ["is not a unit", ""]),
    ] {
        contains(&units::parse(text, &units::LENGTH).expect_err(text), &parts);
    }
    // A frequency is not an angular velocity.
    assert!(units::parse("3 Hz", &units::ANGULAR_VELOCITY).is_err());
    assert!(units::parse("3 1/s", &units::ANGULAR_VELOCITY).is_err());
}

#[test]
fn the_smallest_world_has_the_defaults_of_the_document() {
    let scene = read(BALL);
    let world = &scene.description;
    assert_eq!((scene.name.as_str(), scene.caption.as_str()), ("my", ""));
    assert_eq!((world.dimension, world.gravity), (Dimension::Three, [0.0, 0.0, -9.81]));
    assert_eq!(world.bodies.len(), 1);
    let ball = &world.bodies[0];
    assert_eq!(ball.mass, MassDescription::Total(2.0));
    assert_eq!((ball.position, ball.rotation), ([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
    assert_eq!((ball.velocity, ball.angular_velocity), ([0.0; 3], [0.0; 3]));
    assert!(!ball.fixed && ball.material.is_empty());
    let s = &scene.simulation;
    assert_eq!((s.duration, s.step, s.output_step), (1.0, 1e-3, 1e-2));
    assert_eq!((s.integrator, &scene.solver), (IntegratorName::Rattle, &SolverChoice::default()));
    let plane = read("[world]\ndimension = 2");
    assert_eq!(plane.description.gravity, [0.0, -9.81, 0.0]);
    assert_eq!(plane.description.dimension, Dimension::Two);
}

#[test]
fn the_ground_is_a_fixed_half_space_that_may_move() {
    let scene = read(&with_ball(
        "[world.ground]\nposition = [0, 0, -1]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 0, \"60 rpm\"]",
    ));
    let ground = &scene.description.bodies[1];
    assert!(ground.fixed && ground.name == "ground");
    assert_eq!((ground.position, ground.velocity), ([0.0, 0.0, -1.0], [1.0, 0.0, 0.0]));
    near(&ground.angular_velocity, &[0.0, 0.0, 2.0 * PI], 1e-14);
}

/// The force along x of a world with this text for it.
fn force(text: &str) -> Result<TimeFunction, String> {
    let text = with_ball(&format!(
        "[[force]]\nkind = \"applied\"\nbody = \"ball\"\nforce = [{text:?}, 0, 0]"
    ));
    let scene = read_in(None, &text, &[])?;
    match &scene.description.forces[0].kind {
        ForceKind::Applied { force: [ForceValue::Time(force), ..], .. } => Ok(force.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expressions_are_functions_of_time() {
    type Case = (&'static str, fn(f64) -> f64);
    let cases: [Case; 8] = [
        ("0.336 + 0.144*cos(100*t)", |t| 0.336 + 0.144 * (100.0 * t).cos()),
        ("2*t^3 - 4/(1 + t)", |t| 2.0 * t.powi(3) - 4.0 / (1.0 + t)),
        ("exp(-t)*sin(2*PI*t)", |t| (-t).exp() * (2.0 * PI * t).sin()),
        ("-t", |t| -t),
        ("1e-3*t", |t| 1e-3 * t),
        ("sqrt(t) + abs(t - 1)", |t| t.sqrt() + (t - 1.0).abs()),
        ("3 kN", |_| 3000.0),
        ("2*3", |_| 6.0),
    ];
    for (text, expected) in cases {
        let function = force(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        for t in [0.0, 0.3, 7.0] {
            let (value, wanted) = (function.at(t), expected(t));
            assert!(
                (value - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()),
                "{text} at {t}: {value}"
            );
        }
    }
}

/// A minus in front binds before a power in some languages and after it in others.
#[test]
fn a_sign_before_a_power_is_what_mathematics_says() {
    assert_eq!(force("0 - t^2").expect("an expression").at(3.0), -9.0);
    assert_eq!(force("-t^2").expect("an expression").at(3.0), -9.0);
    assert_eq!(force("2*(-t^2)").expect("an expression").at(3.0), -18.0);
    assert_eq!(force("sin(0) - 3^2").expect("an expression").at(3.0), -9.0);
    assert_eq!(force("2^-t").expect("an expression").at(1.0), 0.5);
    assert_eq!(force("2^3^2 + 0*t").expect("an expression").at(1.0), 512.0);
    assert_eq!(force("8/2/2 - 1 - 1").expect("an expression").at(1.0), 0.0);
    assert_eq!(force("2*-t^2").expect("an expression").at(3.0), -18.0);
}

#[test]
fn bad_expressions_are_refused() {
    for (text, part) in [
        ("1/t", "at t = 0"),
        ("ln(t)", "at t = 0"),
        ("2*xyz", "xyz is not known"),
        ("time", "time is not known"),
        ("2*(t", "not closed"),
        ("2*t)", "not opened"),
        ("t +", "ends too early"),
        ("", "ends too early"),
        ("sin", "argument in brackets"),
        ("{t}", "'{' is not expected"),
        ("2 cos(t)", "\"cos\" is not a unit; a product is written 2*cos"),
        ("1e999*t", "a number that is none"),
        ("t*.", "a number that is none"),
        ("3 mm", "it is a length, but must be a force (N)"),
    ] {
        contains(&force(text).expect_err(text), &[part, "force.0.force.0"]);
    }
    let long = format!("0{}", "+t".repeat(600));
    contains(&force(&long).expect_err("too long"), &["longer than 1000 characters"]);
    let deep = format!("{}t{}", "(".repeat(60), ")".repeat(60));
    contains(&force(&deep).expect_err("too deep"), &["nested more than 50 deep"]);
    let waiting = format!("t{}", "^t".repeat(400));
    contains(&force(&waiting).expect_err("too deep"), &["more than 64 values"]);
    assert!(force(&"-".repeat(900)).is_err());
    assert_eq!(force(&format!("{}t", "-".repeat(900))).expect("signs").at(2.0), 2.0);
}

#[test]
fn overrides_reach_into_lists_by_number_and_by_name() {
    let text = with_ball("[[contact]]\nbetween = [\"ball\", \"any\"]\nfriction = 0.1");
    let scene = read_in(
        None,
        &text,
        &[
            "body.0.mass=3",
            "body.ball.position=[1, 0, \"5 mm\"]",
            "body.0.shape.0.radius=3 cm",
            "contact.0.friction=0.7",
            "simulation.step=2e-3",
            "simulation.duration=20 ms",
            "world.gravity=[0,0,0]",
            "name=other",
        ],
    )
    .expect("overrides");
    let body = &scene.description.bodies[0];
    assert_eq!((&body.mass, body.position), (&MassDescription::Total(3.0), [1.0, 0.0, 5e-3]));
    assert_eq!(scene.description.contacts[0].law.friction, 0.7);
    assert_eq!((scene.simulation.step, scene.simulation.duration), (2e-3, 20e-3));
    assert_eq!((scene.name.as_str(), scene.description.gravity), ("other", [0.0; 3]));
    for (change, parts) in [
        ("body.0.mass=-3", ["--set body.0.mass=-3: body.0.mass is -3", "positive"]),
        (
            "body.ball.mass=\"3 m\"",
            ["--set body.ball.mass=", "body.0.mass is \"3 m\"; it is a length"],
        ),
        ("body.1.mass=3", ["--set body.1.mass=3: 1 is not in the list", "there are 1"]),
        (
            "body.balll.mass=3",
            ["balll is not in the list", "numbers from 0 (there are 1); did you mean ball?"],
        ),
        ("body.0.mas=3", ["--set body.0.mas=3: body.0.mas is not known", "body.0.mass?"]),
        ("body.0.mass.x=3", ["mass is a value", ""]),
        ("simulation.duration=3 mm", ["it is a length, but must be a time (s)", ""]),
    ] {
        contains(&complaint_with(&text, &[change]), &parts);
    }
}

#[test]
fn the_effective_scene_reads_back_to_the_same_scene() {
    let text = format!(
        "caption = \"c\"\n{BALL}[[array]]\nbody = \"ball\"\nkind = \"random\"\ncount = 5\nlower = \
         [0, 0, 0]\nupper = [1, 1, 1]\nturned = true\n[simulation]\nduration = \"3 s\""
    );
    let once = read_in(None, &text, &["body.ball.mass=0.1234567890123456"]).expect("a scene");
    let file = once.effective().to_string();
    let again = read(&file);
    assert_eq!(once.effective(), again.effective());
    assert_eq!(file, again.effective().to_string());
    assert_eq!(format!("{:?}", once.description), format!("{:?}", again.description));
    assert_eq!((again.name.as_str(), again.simulation.duration), ("my", 3.0));
}

#[test]
fn motors_have_the_units_of_their_joints() {
    let joint = |kind: &str, motor: &str| {
        with_ball(&format!(
            "[[joint]]\nkind = \"{kind}\"\nbodies = [\"ground\", \"ball\"]\nat = [0, 0, 1]\nmotor = {{ {motor} }}"
        ))
    };
    let scene = read(&joint("revolute", "speed = \"60 rpm\""));
    match &scene.description.joints[0].motor {
        Some(Motor::Speed(speed)) => near(&[speed.at(1.0)], &[2.0 * PI], 1e-14),
        other => panic!("{other:?}"),
    }
    let scene = read(&joint("prismatic", "effort = \"3*t\""));
    assert!(
        matches!(&scene.description.joints[0].motor, Some(Motor::Effort(ForceValue::Time(e))) if e.at(2.0) == 6.0)
    );
    let scene = read(&joint("revolute", "position = \"t^2*1 deg/s^2\""));
    match &scene.description.joints[0].motor {
        Some(Motor::Position(angle)) => {
            near(&[angle.value.at(3.0), angle.rate.at(3.0)], &[PI / 20.0, PI / 30.0], 1e-14);
        }
        other => panic!("{other:?}"),
    }
    for (kind, motor, part) in [
        ("revolute", "position = \"1 m\"", "it is a length, but must be an angle (rad)"),
        (
            "revolute",
            "speed = \"1 m/s\"",
            "it is a velocity, but must be an angular velocity (rad/s)",
        ),
        ("prismatic", "effort = \"1 N m\"", "it is a moment, but must be a force (N)"),
        ("prismatic", "", "needs one of position, speed and effort"),
        ("prismatic", "speed = 1, effort = 1", "needs one of position, speed and effort"),
        ("spherical", "speed = 1", "for revolute and prismatic joints"),
    ] {
        contains(&complaint(&joint(kind, motor)), &[part]);
    }
}
