//! The systems of the papers as scene files of worlds agree with the hand-written models: through
//! the files, at the same step, integrator and solver.
//!
//! Where model and world have the same coordinates they do the same arithmetic but for rounding, and
//! 1e-6 is what is wanted of all of them.

use super::runs::{Run, distance};
use crate::oracles::rolling_disk::{DiskMotion, PRESETS};
use crate::oracles::{
    DiskParameters, DiskStart, FrictionLaw, RollingDisk, TippeTop, TippeTopParameters,
    TippeTopStart,
};
use stickslip::scene::{Scene, built_in};

const WANTED: f64 = 1e-6;

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
        assert!(worst < WANTED, "{integrator}: {worst:e}");
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
    for overrides in [["parameters.coordinates=euler"], ["simulation.integrator=ode-rk4"]] {
        assert_eq!(read("tippe-top", &overrides).model, "tippe-top");
    }
    assert_eq!(read("tippe-top", &["parameters.coordinates=euler"]).start.q.len(), 6);
    assert_eq!(read("rolling-disk", &["simulation.integrator=ode-rk4"]).model, "rolling-disk");
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
    assert_agree(&model, &world, &ANGLES, WANTED);
    assert!(world.summary.impacts.len() > 20, "{}", world.summary.impacts.len());
}

#[test]
fn the_rolling_sphere() {
    assert_eq!(restitutions("rolling-sphere"), restitutions("rolling-sphere-world")[..1]);
    let [model, world] = both("rolling-sphere", &["simulation.integrator=moreau"]);
    let names = [
        ("x", "sphere.x"),
        ("z", "sphere.z"),
        ("vx", "sphere.vx"),
        ("vz", "sphere.vz"),
        ("omega_y", "sphere.wy"),
    ];
    assert_agree(&model, &world, &names, WANTED);
    assert!(world.summary.impacts.len() > 5, "it bounces");
}

#[test]
fn the_masses_and_the_conveyor() {
    let world = restitutions("conveyor-masses-world");
    for restitution in restitutions("conveyor-masses") {
        assert!(world.contains(&restitution), "{restitution} is not among {world:?}");
    }
    // Masses that touch stand 1e-9 m in each other, as in the scene of the world: at a gap of zero the
    // last bit of a velocity decides whether the mass at the wall takes part in the next impact.
    let moreau = "simulation.integrator=moreau";
    let touching = "start.positions=[-1e-9, 0.25, 0.05, -1e-9]";
    let model = Run::named("conveyor-masses", &[moreau, touching]);
    let world = Run::named("conveyor-masses-world", &[moreau]);
    let names =
        [("p1x", "mass-1.x"), ("p1y", "mass-1.y"), ("p2x", "mass-2.x"), ("p2y", "mass-2.y")];
    for (name, other) in names {
        // Positions of the model count from where everything touches.
        let (a, b) = (model.column(name), world.column(other));
        let b: Vec<f64> = b.iter().map(|v| v - b[0] + a[0]).collect();
        let worst = distance(&a, &b);
        assert!(worst < WANTED, "{name}: {worst:e}");
    }
    assert!(world.last("mass-1.angle").abs().max(world.last("mass-2.angle").abs()) < 1e-15);
    assert!(world.summary.impacts.len() > 20, "it bounces");
}
