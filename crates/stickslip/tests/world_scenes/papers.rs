//! The systems of the papers as scene files of worlds agree with the hand-written models: through
//! the files, at the same step, integrator and solver.
//!
//! Where model and world have the same coordinates they do the same arithmetic but for rounding, and agree to
//! 1e-10. To 1e-6 agree a whole second of the top, whose motion enlarges rounding (its first rows agree to 1e-10,
//! too), and the slider-crank in other coordinates.

use super::runs::{Run, distance};
use crate::oracles::rolling_disk::{DiskMotion, PRESETS};
use crate::oracles::{
    BeltOscillator, BeltOscillatorParameters, BeltOscillatorStart, BouncingMass,
    BouncingMassParameters, ConveyorMasses, DiskParameters, DiskStart, FrictionChoice, FrictionLaw,
    FrictionMass, FrictionMassParameters, RollingDisk, RollingSphere, TippeTop, TippeTopParameters,
    TippeTopStart,
};
use stickslip::integrate::{Integrator, Ode};
use stickslip::ode::{Regularisation, RegularisedFriction, UnilateralContact};
use stickslip::scene::{Scene, built_in};
use stickslip::system::{MechanicalSystem, State};

/// Where a motion enlarges rounding, or the coordinates are others.
const ENLARGED: f64 = 1e-6;

/// Runs a model and its world with the same overrides.
fn both(model: &str, overrides: &[&str]) -> [Run; 2] {
    [Run::named(model, overrides), Run::named(&format!("{model}-world"), overrides)]
}

/// Restitution of the contacts of a scene, by group of laws.
fn restitutions(name: &str) -> Vec<f64> {
    let text = built_in(name).expect("a scene").text;
    let scene = Scene::read(name, name, text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let groups = scene.system.law_groups();
    groups.iter().map(|group| group.laws[0].law.restitution).collect()
}

fn read(name: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let text = built_in(name).expect("a scene").text;
    Scene::read(name, name, text, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// Columns of a hand-written system and of the world of the same name must be the same, and their values in
/// the first rows equal to 1e-10 of the largest.
#[track_caller]
fn assert_same_columns(oracle: &Run, world: &Run, rows: usize) {
    assert_eq!(oracle.names(), world.names());
    for name in oracle.names() {
        let (a, b) = (oracle.column(name), world.column(name));
        let rows = rows.min(a.len());
        let largest = a.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let worst = distance(&a[..rows], &b[..rows]);
        // A quantity that is nothing but rounding has no digits to compare.
        assert!(worst <= 1e-10 * largest.max(1e-3), "{name}: {worst:e} of {largest:e}");
    }
}

/// Columns of the model and of the world must agree.
#[track_caller]
fn assert_agree(model: &Run, world: &Run, names: &[(&str, &str)], tolerance: f64) {
    for (name, other) in names {
        let worst = distance(&model.column(name), &world.column(other));
        assert!(worst < tolerance, "{name}: {worst:e}");
    }
}

/// With moreau-rk4 the step is half that of the scene. The contact of that scheme opens and closes
/// from stage to stage, gaps of ±1e-8 m at 1e-4 s, which is a chaotic motion of its own: rounding
/// reaches its size after 0.8 s. That is 1.6e-6 rad at 1e-4 s, 3e-7 at 5e-5 s and 1e-7 at 2.5e-5 s;
/// before that the tilts agree to 1e-12.
#[test]
fn the_tippe_top() {
    for (integrator, step) in [("moreau", "1e-4"), ("moreau-rk4", "5e-5")] {
        let integrator = format!("simulation.integrator={integrator}");
        let step = format!("simulation.step={step}");
        let scene = read("tippe-top", &[&integrator, &step, "simulation.duration=1"]);
        assert_eq!(scene.model, "world");
        let top = TippeTop::new(TippeTopParameters::default()).expect("a top");
        let oracle = Run::by(&scene, &top, top.start(&TippeTopStart::default()));
        let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
        assert_same_columns(&oracle, &world, 700);
        let a = oracle.column("theta");
        let worst = distance(&a, &world.column("theta"));
        assert!(worst < ENLARGED, "{integrator}: {worst:e}");
        assert!(a[a.len() - 1] > 1.5, "the top has risen: {}", a[a.len() - 1]);
    }
}

/// Every law of friction, other data and another start.
#[test]
fn the_tippe_top_with_every_law_of_friction() {
    use FrictionLaw::{ContensouParabolic, ContensouUniform, Coulomb, Ellipsoid};
    for (name, friction, contact_radius) in [
        ("coulomb", Coulomb, 5e-4),
        ("ellipsoid", Ellipsoid, 5e-4),
        ("contensou-uniform", ContensouUniform, 5e-4),
        ("contensou-parabolic", ContensouParabolic, 1e-3),
        ("ellipsoid", Ellipsoid, 0.0),
    ] {
        let law = format!("parameters.friction={name}");
        let radius = format!("parameters.contact_radius={contact_radius}");
        let others = ["start.theta=0.5", "start.phi=0.7", "start.psi=-2.5", "start.theta_dot=2"];
        let mut overrides = vec![law.as_str(), radius.as_str(), "simulation.duration=0.1"];
        overrides.extend(others.iter().chain(&["parameters.floor_velocity=[0.1, -0.2]"]));
        let scene = read("tippe-top", &overrides);
        let floor_velocity = [0.1, -0.2];
        let data = TippeTopParameters {
            friction,
            contact_radius,
            floor_velocity,
            ..TippeTopParameters::default()
        };
        let top = TippeTop::new(data).expect("a top");
        let (theta, phi, psi, theta_dot) = (0.5, 0.7, -2.5, 2.0);
        let start = TippeTopStart { theta, phi, psi, theta_dot, ..TippeTopStart::default() };
        let oracle = Run::by(&scene, &top, top.start(&start));
        let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
        assert_same_columns(&oracle, &world, usize::MAX);
    }
}

/// What no world can say is reached by the same scene.
#[test]
fn systems_in_rust_take_the_place_of_a_world() {
    let euler = read("tippe-top", &["parameters.coordinates=euler"]);
    assert_eq!((euler.model, euler.start.q.len()), ("tippe-top", 6));
    for name in ["tippe-top", "rolling-disk", "slider-crank-multibody"] {
        assert_eq!(read(name, &["simulation.integrator=ode-rk4"]).model, "world");
    }
}

#[test]
fn slider_crank_multibody_has_the_columns_of_slider_crank() {
    let short = ["simulation.duration=0.03", "start.omega3=-0.01", "parameters.restitution=0.5"];
    let [one, other] = ["slider-crank-multibody", "slider-crank"].map(|n| Run::named(n, &short));
    assert_eq!(one.names(), other.names());
    let same = [
        "simulation.duration=0.03",
        "body.slider.angular_velocity=-0.01",
        "joint.guide.contact.restitution=0.5",
    ];
    let bare = Run::named("slider-crank-world", &same);
    let corner = |k: usize| format!("corner{k}");
    assert_agree(&one, &bare, &ANGLES, 1e-10);
    assert!((1..5).all(|k| one.column(&corner(k)).iter().all(|v| v.abs() < 1.01)), "in the guide");
    let driven = Run::named(
        "slider-crank-multibody",
        &["parameters.drive=constant-speed", "simulation.duration=0.03"],
    );
    let speeds = driven.column("omega1");
    assert!(speeds.iter().all(|speed| (speed - 150.0).abs() < 1e-6), "{speeds:?}");
}

#[test]
fn the_rolling_disk() {
    for preset in PRESETS {
        let scene = read(preset.name, &["simulation.duration=2"]);
        assert_eq!(scene.model, "world");
        let disk = RollingDisk::new(preset.parameters).expect("a disk");
        let oracle = Run::by(&scene, &disk, disk.start(&DiskStart::default()));
        let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
        assert_same_columns(&oracle, &world, usize::MAX);
        assert!(world.column("beta").iter().any(|beta| beta.abs() > 0.05), "the disk leans");
    }
    let stationary = ["start.motion=stationary", "start.heading=1.1", "simulation.duration=0.2"];
    let scene = read("rolling-disk", &stationary);
    let disk = RollingDisk::new(DiskParameters::default()).expect("a disk");
    let motion = DiskMotion::Stationary;
    let start = disk.start(&DiskStart { motion, heading: 1.1, ..DiskStart::default() });
    let oracle = Run::by(&scene, &disk, start);
    let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
    assert_same_columns(&oracle, &world, usize::MAX);
}

const ANGLES: [(&str, &str); 3] =
    [("theta1", "crank.angle"), ("theta2", "rod.angle"), ("theta3", "slider.angle")];

/// In minimal coordinates the midpoint rule is another scheme: the difference is its error, of order
/// one in the step. The event-driven integrator has no such error.
#[test]
fn the_slider_crank_in_minimal_coordinates() {
    let differences = ["1e-5", "5e-6"].map(|step| {
        let step = format!("simulation.step={step}");
        let [model, world] = both("slider-crank", &[&step]);
        distance(&model.column("theta1"), &world.column("crank.angle"))
    });
    let ratio = differences[0] / differences[1];
    assert!((ratio - 2.0).abs() < 0.05, "{differences:?}");
    let [model, world] = both(
        "slider-crank",
        &["simulation.integrator=event-driven", "simulation.step=1e-4", "simulation.duration=0.05"],
    );
    assert_agree(&model, &world, &ANGLES, ENLARGED);
    assert!(world.summary.impacts.len() > 20, "{}", world.summary.impacts.len());
}

/// Steps a hand-written system with elements of its own, and the world of the same name, by Runge-Kutta; the
/// largest difference of the coordinates, given by their numbers in both.
fn by_elements(
    world: &Scene,
    system: &dyn MechanicalSystem,
    start: State,
    elements: Regularisation,
    numbers: &[[usize; 2]],
    steps: usize,
) -> f64 {
    let mut integrators = (Ode::rk4(elements), world.integrator().expect("an integrator"));
    let (mut one, mut other) = (start, world.start.clone());
    let (step, mut worst) = (world.simulation.step, 0.0_f64);
    for _ in 0..steps {
        integrators.0.step(system, &mut one, step).expect("a step");
        integrators.1.step(world.system.as_ref(), &mut other, step).expect("a step");
        for [a, b] in numbers {
            worst = worst.max((one.q[*a] - other.q[*b]).abs());
        }
    }
    worst
}

/// By Runge-Kutta the top and the disk as worlds move as the hand-written systems with the same elements.
#[test]
fn the_top_and_the_disk_by_the_ode_route() {
    let rk4 = "simulation.integrator=ode-rk4";
    let uniform = |system: &dyn MechanicalSystem, [k, beta, alpha]: [f64; 3], arm: f64| {
        let contact =
            UnilateralContact { stiffness: k, relaxation_time: beta, contact_time: alpha };
        let friction = RegularisedFriction { stiffness: k, relaxation_time: beta };
        Regularisation::uniform(system.law_groups(), contact, friction, arm).expect("elements")
    };
    let numbers: Vec<[usize; 2]> = (0..7).map(|k| [k, k]).collect();
    let top = TippeTop::new(TippeTopParameters::default()).expect("a top");
    let elements = uniform(&top, [1e3, 3e-3, 1e-3], top.parameters().body_radius);
    let start = top.start(&TippeTopStart::default());
    let worst = by_elements(&read("tippe-top", &[rk4]), &top, start, elements, &numbers, 3000);
    assert!(worst < 1e-10, "{worst:e}");
    let disk = RollingDisk::new(DiskParameters::default()).expect("a disk");
    let elements = uniform(&disk, [1e5, 1e-3, 3e-4], disk.parameters().radius);
    let start = disk.start(&DiskStart::default());
    let worst = by_elements(&read("rolling-disk", &[rk4]), &disk, start, elements, &numbers, 3000);
    assert!(worst < 1e-10, "{worst:e}");
}

#[test]
fn the_rolling_sphere() {
    let sphere = RollingSphere::new(Default::default()).expect("a sphere");
    let start = sphere.start(&Default::default());
    let elements = sphere.regularisation().expect("elements");
    let numbers: Vec<[usize; 2]> = (0..7).map(|k| [k, k]).collect();
    let world = read("rolling-sphere", &[]);
    let worst = by_elements(&world, &sphere, start.clone(), elements, &numbers, 3000);
    assert!(worst < 1e-10, "{worst:e}");
    let scene = read("rolling-sphere", &["simulation.integrator=moreau"]);
    let oracle = Run::by(&scene, &sphere, start);
    let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
    assert_same_columns(&oracle, &world, usize::MAX);
    assert!(world.summary.impacts.len() > 5, "it bounces");
    for same in [sphere.restitution(), restitutions("rolling-sphere-world")[0]] {
        assert!((restitutions("rolling-sphere")[0] - same).abs() < 1e-15);
    }
}

/// The element of the bouncing mass does not know its speed: rounding grows at impacts, by 1e7 in five of them.
#[test]
fn the_masses_of_one_coordinate() {
    for law in ["xiong", "lugre", "dahl", "smooth", "tanh"] {
        let scene = read("friction-mass", &[&format!("parameters.law={law}")]);
        let law = serde_json::from_value(law.into()).expect("a law");
        let mass = FrictionMass::new(FrictionMassParameters { law, ..Default::default() });
        let mass = mass.expect("a mass");
        let elements = mass.regularisation().expect("elements");
        let start = mass.start(&Default::default());
        let worst = by_elements(&scene, &mass, start, elements, &[[0, 0]], 4000);
        assert!(worst < 1e-12, "{worst:e}");
    }
    for law in ["xiong", "viscoelastic", "viscoelastic-push", "hunt-crossley"] {
        let scene = read("bouncing-mass", &[&format!("parameters.law={law}")]);
        let law = serde_json::from_value(law.into()).expect("a law");
        let mass = BouncingMass::new(BouncingMassParameters { law, ..Default::default() });
        let mass = mass.expect("a mass");
        let elements = mass.regularisation().expect("elements");
        let start = mass.start(&Default::default());
        let worst = by_elements(&scene, &mass, start, elements, &[[0, 1]], 3000);
        assert!(worst < 1e-10, "{worst:e}");
    }
    let overrides = ["simulation.integrator=event-driven"];
    let scene = read("bouncing-mass", &overrides);
    let mass = BouncingMass::new(Default::default()).expect("a mass");
    let oracle = Run::by(&scene, &mass, mass.start(&Default::default()));
    let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
    assert_same_columns(&oracle, &world, usize::MAX);
}

/// The masses chatter: a difference grows by 10 in every 0.08 s, so that the first part is compared, and by the
/// event-driven integrator all of it. The prestressed spring has an energy of its own, (m₁ g)²/2k.
#[test]
fn the_masses_and_the_conveyor() {
    let masses = ConveyorMasses::new(Default::default()).expect("masses");
    let start = masses.start(&Default::default());
    let numbers = [[0, 0], [1, 1], [2, 3], [3, 4]];
    let elements = masses.regularisation().expect("elements");
    let world = read("conveyor-masses", &[]);
    let worst = by_elements(&world, &masses, start.clone(), elements, &numbers, 900);
    assert!(worst < 1e-10, "{worst:e}");
    let scene = read("conveyor-masses", &["simulation.integrator=event-driven"]);
    let oracle = Run::by(&scene, &masses, start.clone());
    let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
    assert_eq!(oracle.names(), world.names());
    for name in ["p1x", "p1y", "p2x", "p2y", "v1x", "v1y", "v2x", "v2y"] {
        let worst = distance(&oracle.column(name), &world.column(name));
        assert!(worst < 1e-9, "{name}: {worst:e}");
    }
    let prestress = (0.5 * 9.8_f64).powi(2) / 200.0;
    let energies = [masses.energy(&start), scene.system.energy(&scene.start)].map(|e| e.total());
    assert!((energies[0] + prestress - energies[1]).abs() < 1e-13, "{energies:?}");
    let world = restitutions("conveyor-masses");
    for group in masses.law_groups() {
        let own = group.laws[0].law.restitution;
        assert!(world.iter().any(|other| (own - other).abs() < 1e-15), "{own} in {world:?}");
    }
}

/// The friction of the world is that of the paper as one law; the model by hand splits it, for set-valued
/// methods, into a dry and a smooth part. Solved exactly, or by the same elements, both are the same.
#[test]
fn the_oscillator_on_a_belt() {
    for (integrator, law) in [
        ("ode-rk4", "xiong"),
        ("ode-rk4", "lugre"),
        ("ode-rk4", "dahl"),
        ("ode-rk4", "smooth"),
        ("ode-rk4", "tanh"),
        ("event-driven", "xiong"),
    ] {
        let integrator_key = format!("simulation.integrator={integrator}");
        let law_key = format!("parameters.law={law}");
        let overrides = [
            integrator_key.as_str(),
            law_key.as_str(),
            "simulation.duration=1.5",
            "parameters.mass=1.3",
            "parameters.springs=[0.9, 1.2]",
            "parameters.force=0.6",
            "parameters.falling_speed=0.7",
            "parameters.belt_speed=1.1",
            "parameters.smoothing_speed=1e-3",
            "parameters.stiffness=1e4",
            "parameters.relaxation_time=1e-3",
            "start.p=1.1",
            "start.w=0.2",
        ];
        let scene = read("belt-oscillator", &overrides);
        assert_eq!(scene.model, "world");
        let belt = BeltOscillator::new(BeltOscillatorParameters {
            mass: 1.3,
            springs: [0.9, 1.2],
            force: 0.6,
            falling_speed: 0.7,
            belt_speed: 1.1,
            law: match law {
                "lugre" => FrictionChoice::Lugre,
                "dahl" => FrictionChoice::Dahl,
                "smooth" => FrictionChoice::Smooth,
                "tanh" => FrictionChoice::Tanh,
                _ => FrictionChoice::Xiong,
            },
            stiffness: 1e4,
            relaxation_time: 1e-3,
            smoothing_speed: 1e-3,
        })
        .expect("an oscillator");
        let start = belt.start(&BeltOscillatorStart { p: 1.1, w: 0.2 });
        if integrator == "event-driven" {
            let oracle = Run::by(&scene, &belt, start);
            let world = Run::by(&scene, scene.system.as_ref(), scene.start.clone());
            assert_same_columns(&oracle, &world, usize::MAX);
            continue;
        }
        let (belt, elements) = belt.regularised().expect("elements");
        // With this step lugre and dahl are not stable for long.
        let steps = if matches!(law, "lugre" | "dahl") { 2000 } else { 30_000 };
        let worst = by_elements(&scene, &belt, start, elements.regularisation, &[[0, 0]], steps);
        assert!(worst < 1e-10, "{law}: {worst:e}");
    }
}
