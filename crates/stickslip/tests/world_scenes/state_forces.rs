//! Forces, moments and efforts that are expressions of the state.

use super::runs::Run;
use stickslip::scene::Scene;
use stickslip::simulate::{self, Observer, Sample};

const INTEGRATORS: [&str; 6] =
    ["moreau", "moreau-rk4", "rattle", "event-driven", "ode-rk4", "ode-adaptive"];

/// Largest error of the position at the end over the size of the motion, for a step of 1e-3 s: first order of
/// moreau, second of rattle, the tolerances of the others.
fn tolerance(integrator: &str) -> f64 {
    match integrator {
        // In steps with joints moreau-rk4 is moreau.
        "moreau" | "moreau-rk4" => 2e-3,
        "rattle" => 1e-5,
        "ode-adaptive" => 1e-6,
        _ => 1e-8,
    }
}

fn ball(force: &str) -> String {
    // A parameter that is not used is refused.
    let given = [("stiffness", "\"4 N/m\""), ("cubic", "3")];
    let used = given.iter().filter(|(name, _)| force.contains(name));
    let lines: Vec<String> = used.map(|(name, value)| format!("{name} = {value}")).collect();
    let parameters = if lines.is_empty() {
        String::new()
    } else {
        format!("[parameters]\n{}", lines.join("\n"))
    };
    format!(
        r#"
format = 1
{parameters}
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "ball"
mass = 2
position = [0.5, 0]
velocity = [0, 0.3]
[[body.shape]]
kind = "circle"
radius = 0.1
[[force]]
name = "push"
kind = "applied"
body = "ball"
{force}
[simulation]
duration = 1
step = 1e-3
output_step = 0.1
"#
    )
}

fn complaint(text: &str) -> String {
    match Scene::read("my.toml", "my", text, &[]) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

/// x'' = −(k/m) x: x = ½ cos ωt; y' = v exp(−c t/m).
#[test]
fn springs_and_dampers_as_expressions_in_every_integrator() {
    let text = ball(r#"force = ["-stiffness*x", "-0.7*vy"]"#);
    for integrator in INTEGRATORS {
        let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
        let omega = 2.0_f64.sqrt();
        let (x, vy) = (0.5 * omega.cos(), 0.3 * (-0.35_f64).exp());
        let errors = [(run.last("ball.x") - x) / 0.5, (run.last("ball.vy") - vy) / 0.3];
        let worst = errors.iter().fold(0.0_f64, |most, e| most.max(e.abs()));
        assert!(worst < tolerance(integrator), "{integrator}: {errors:?}");
    }
}

/// The energy ½ m v² + V is kept, and what a force without a potential does is the work of the drive.
#[test]
fn a_potential_is_energy_and_gives_the_same_motion_as_its_force() {
    let potential_text = ball(r#"potential = "cubic/4*x^4 + stiffness/2*y^2""#);
    let force = ball(r#"force = ["-cubic*x^3", "-stiffness*y"]"#);
    for integrator in ["rattle", "event-driven", "ode-rk4"] {
        let key = format!("simulation.integrator={integrator}");
        let (by_potential, by_force) =
            (Run::of(&potential_text, &[&key]), Run::of(&force, &[&key]));
        for column in ["ball.x", "ball.y", "ball.vx", "ball.vy"] {
            let differs = (by_potential.last(column) - by_force.last(column)).abs();
            assert!(differs < 1e-12, "{integrator}, {column}: {differs:e}");
        }
        let at = |run: &Run, name: &str| run.last(&format!("ball.{name}"));
        let run = &by_potential;
        let kinetic = at(run, "vx").powi(2) + at(run, "vy").powi(2);
        let potential = 0.75 * at(run, "x").powi(4) + 2.0 * at(run, "y").powi(2);
        let start = 0.75 * 0.5_f64.powi(4) + 0.09;
        let drift = (kinetic + potential - start).abs();
        let allowed = if integrator == "rattle" { 1e-6 } else { 1e-9 };
        assert!(drift < allowed, "{integrator}: {drift:e}");
        let scene = Scene::read("my.toml", "my", &potential_text, &[]).expect("a scene");
        let energy = scene.system.energy(&scene.start);
        assert!((energy.potential - 0.75 * 0.5_f64.powi(4)).abs() < 1e-15, "{energy:?}");
        let works = [run, &by_force].map(|run| run.summary.energy.book.drive);
        assert!(works[0].abs() < 1e-12, "{works:?}");
        assert!((works[1] - (kinetic - 0.09)).abs() < 10.0 * allowed, "{works:?} {kinetic}");
    }
}

/// A PD controller of a hinge: θ'' = −(kp θ + kd θ')/I with kd = 2√(kp I), critically damped:
/// θ = θ₀ (1 + ωt) exp(−ωt); and another joint may use its coordinate.
#[test]
fn a_controller_of_a_joint_is_an_expression() {
    let text = r#"
format = 1
[parameters]
kp = "8 N m/rad"
kd = "8 N m s/rad"
target = "0.3 rad"
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "arm"
mass = 1
inertia = 2
[[body]]
name = "follower"
mass = 1
inertia = 1
position = [5, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
motor = { effort = "-kp*(coordinate - target) - kd*speed" }
[[joint]]
name = "other"
kind = "revolute"
bodies = ["ground", "follower"]
at = [5, 0]
motor = { effort = "2*hinge.coordinate" }
[simulation]
duration = 1
step = 1e-3
output_step = 0.1
"#;
    for integrator in INTEGRATORS {
        let run = Run::of(text, &[&format!("simulation.integrator={integrator}")]);
        let omega = 2.0_f64;
        let exact = 0.3 - 0.3 * (1.0 + omega) * (-omega).exp();
        let error = (run.last("hinge.coordinate") - exact).abs() / 0.3;
        assert!(error < tolerance(integrator), "{integrator}: {error:e}");
        // φ'' = 2 θ: the second integral of θ = 0.3 − 0.3 (1 + ωt) exp(−ωt).
        let tail = |t: f64| (-omega * t).exp() * (3.0 + omega * t) / (omega * omega);
        let second = 0.15 - 0.3 * (tail(1.0) - tail(0.0) + 2.0 / omega);
        let error = (run.last("other.coordinate") - 2.0 * second).abs();
        assert!(error < tolerance(integrator), "{integrator}: {error:e}");
        let effort = run.last("other.effort") - 2.0 * run.last("hinge.coordinate");
        assert!(effort.abs() < 1e-9, "{integrator}: {effort:e}");
    }
}

#[test]
fn names_that_are_unknown_or_clash_are_told() {
    let told = complaint(&ball(r#"force = ["-stiffness*angel", 0]"#));
    assert!(told.contains("force.0.force.0") && told.contains("did you mean angle?"), "{told}");
    let told = complaint(&ball(r#"force = ["-stiffness*bal.x", 0]"#));
    assert!(told.contains("did you mean ball.x?"), "{told}");
    let told = complaint(&ball(r#"force = ["5 kg*x", 0]"#));
    assert!(told.contains("must be a force (N)"), "{told}");
    let clash =
        ball(r#"force = ["-stiffness*x", 0]"#).replace("[parameters]", "[parameters]\nx = 3");
    let told = complaint(&clash);
    assert!(told.contains("may be ball.x or the parameter x"), "{told}");
    let told = complaint(&ball(r#"potential = "vx^2""#));
    assert!(told.contains("ball.vx") && told.contains("place of its body"), "{told}");
    let told = complaint(&ball("potential = \"x\"\nforce = [1, 0]"));
    assert!(told.contains("force.0.potential") && told.contains("give one"), "{told}");
}

#[test]
fn a_force_that_is_not_finite_is_named_with_its_time() {
    let told = complaint(&ball(r#"force = ["1/y", 0]"#));
    assert!(told.contains("force[0] of force 'push'") && told.contains("finite"), "{told}");
    let later = ball(r#"force = ["sqrt(0.15 - y)", 0]"#);
    for integrator in INTEGRATORS {
        let overrides = [format!("simulation.integrator={integrator}")];
        let scene = Scene::read("my.toml", "my", &later, &overrides).expect("a scene");
        let mut integrate = scene.integrator().expect("an integrator");
        let (system, start) = (scene.system.as_ref(), scene.start.clone());
        let settings = scene.settings();
        let summary = simulate::run(system, integrate.as_mut(), start, &settings, &mut Nobody)
            .expect("a run");
        let told = summary.status.to_string();
        assert!(told.contains("force[0] of force 'push'"), "{integrator}: {told}");
        // y = 0.15 m at t = 0.5 s.
        let at = told.contains("at t = 0.5") || told.contains("at t = 0.4999999");
        assert!(at && told.contains("NaN"), "{integrator}: {told}");
    }
}

struct Nobody;

impl Observer for Nobody {
    fn sample(&mut self, _sample: &Sample) -> std::io::Result<()> {
        Ok(())
    }
}

/// ∂h/∂u of a damper of all velocities at a point beside the centre, and of a joint, against differences of h.
#[test]
fn the_derivative_by_velocities_is_that_of_the_forces() {
    let plane = ball(
        "point = [0.1, 0.2]\nforce = [\"-3*vx^3 + w*vy\", \"-vy*abs(vy)\"]\nmoment = \"-0.2*w*x\"",
    );
    let space = r#"
format = 1
[world]
dimension = 3
[[body]]
name = "top"
mass = 2
center = [0.1, 0, 0.05]
inertia = [1, 2, 2.5]
position = [0.1, 0.2, 0.3]
rotation = { axis = [1, 2, 3], angle = 0.7 }
velocity = [1, 2, 3]
angular_velocity = [0.3, -2, 1]
[[joint]]
name = "hinge"
kind = "spherical"
bodies = ["ground", "top"]
at = [0, 0, 0]
[[force]]
kind = "applied"
body = "top"
force = ["-vx*wy", "-3*vz", "vy*x"]
moment = ["-0.2*wx^3", "wy*wz", "-vx"]
follows = true
"#;
    for text in [plane.as_str(), space] {
        let scene = Scene::read("my.toml", "my", text, &[]).expect("a scene");
        let (system, at) = (scene.system.as_ref(), scene.start.clone());
        let (n, size) = (at.u.len(), at.u.len() * at.u.len());
        let (mut mass, mut exact) = (vec![0.0; size], vec![0.0; size]);
        assert!(system.force_jacobian(&at, &mut exact));
        assert!(exact.iter().any(|v| v.abs() > 0.1));
        let mut forces = |column: usize, shift: f64| {
            let mut state = at.clone();
            state.u[column] += shift;
            let mut forces = vec![0.0; n];
            system.mass_and_forces(&state, &mut mass, &mut forces);
            forces
        };
        for column in 0..n {
            // Cubic in the velocities: central differences are wrong by 3 h² and rounding.
            let (more, less) = (forces(column, 1e-5), forces(column, -1e-5));
            for row in 0..n {
                let slope = (more[row] - less[row]) / 2e-5;
                let error = (slope - exact[row * n + column]).abs();
                assert!(error < 1e-7, "{row}, {column}: {slope} {}", exact[row * n + column]);
            }
        }
    }
}
