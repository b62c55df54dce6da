//! Bumpers, one-way clutches, backlash, and joints whose bodies touch: exact answers.

use super::runs::Run;
use std::f64::consts::PI;

const INTEGRATORS: [&str; 5] = ["moreau", "moreau-rk4", "rattle", "event-driven", "ode-rk4"];

fn by(integrator: &str, text: &str) -> Run {
    Run::of(text, &[&format!("simulation.integrator={integrator}")])
}

/// A mass of 2 kg flies at 3 m/s into a bumper of 800 N/m: in contact for π √(m/k), depth v √(m/k), and it
/// comes back at 3 m/s. By points, and by the coordinate of a guide.
#[test]
fn a_mass_on_a_bumper_swings_half_a_period() {
    let head = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "mass"
mass = 2
free = ["x"]
position = [1, 0]
velocity = [-3, 0]
"#;
    let points = r#"
[[force]]
name = "buffer"
kind = "bumper"
bodies = ["ground", "mass"]
stiffness = "800 N/m"
length = "70 cm"
"#;
    let guide = r#"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "mass"]
at = [1, 0]
axis = [1, 0]
bumper = { range = [-0.3, 5], stiffness = "0.8 N/mm" }
"#;
    // Reached after 0.1 s, and 0.1 s later than it leaves the mass is at 1 m again.
    let period = PI * (2.0_f64 / 800.0).sqrt();
    let times = format!("[simulation]\nduration = {}\nstep = 1e-4\noutput_step = 1e-3\n", 0.5);
    for (form, element) in [("points", points), ("guide", guide)] {
        let text = format!("{head}{element}{times}");
        for integrator in INTEGRATORS {
            let run = by(integrator, &text);
            // First order, second order, and tolerances.
            let allowed = match integrator {
                "moreau" | "moreau-rk4" => 5e-3,
                "rattle" => 1e-5,
                _ => 1e-6,
            };
            let speed = run.last("mass.vx");
            assert!((speed - 3.0).abs() < 3.0 * allowed, "{integrator}, {form}: {speed}");
            let at = run.last("mass.x");
            let exact = 0.7 + 3.0 * (0.5 - 0.1 - period);
            assert!((at - exact).abs() < allowed, "{integrator}, {form}: {at} is not {exact}");
            let deepest = run.column("mass.x").into_iter().fold(f64::INFINITY, f64::min);
            let depth = 0.7 - 3.0 * (2.0_f64 / 800.0).sqrt();
            // Rows are 1 ms apart: the lowest is missed by at most ½ k/m d t².
            assert!((deepest - depth).abs() < 2e-5 + allowed, "{integrator}, {form}: {deepest}");
            if form == "guide" {
                let pushes = run.column("guide.bumper");
                let exact = run.column("mass.x").into_iter().map(|x| 800.0 * (0.7 - x).max(0.0));
                for (force, exact) in pushes.iter().zip(exact) {
                    assert!((force - exact).abs() < 1e-9, "{integrator}: {force} {exact}");
                }
            }
        }
    }
}

/// With damping it loses energy, but it never pulls: with c = 2√(km) it would stick to the bumper if it could
/// pull; the speed after it is that where k d + c ḋ = 0, v/e of the critically damped swing: with
/// x = v t exp(−ωt) the force m ẍ is 0 at t = 2/ω, where the speed is −v exp(−2).
#[test]
fn a_damped_bumper_lets_go_where_its_force_is_zero() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "mass"
mass = 2
free = ["x"]
position = [1, 0]
velocity = [-3, 0]
[[force]]
kind = "bumper"
bodies = ["ground", "mass"]
stiffness = 800
damping = 80
length = 0.7
[simulation]
duration = 1
step = 1e-4
output_step = 1e-2
"#;
    for integrator in INTEGRATORS {
        let run = by(integrator, text);
        let speed = run.last("mass.vx");
        let exact = 3.0 * (-2.0_f64).exp();
        // The force jumps where it begins: steps of 1e-4 s are of first order there.
        let allowed = if integrator == "event-driven" { 1e-5 } else { 2e-3 };
        assert!((speed - exact).abs() < allowed, "{integrator}: {speed} is not {exact}");
    }
}

/// A wheel of 2 kg m² on a one-way clutch under the moment 3 cos(2t) N m: it runs ahead with ω = ¾ sin 2t while
/// this is not negative, then it stands, and the clutch carries −3 cos 2t. In the second half of the turn of
/// the moment it starts again when the moment is positive again, at t = 3π/4.
#[test]
fn a_one_way_clutch_runs_free_and_carries_the_moment_back() {
    let text = |sense: &str, sign: &str| {
        format!(
            r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = 2
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
one_way = "{sense}"
motor = {{ effort = "{sign}3*cos(2*t)" }}
[[column]]
name = "carried"
unit = "N m"
value = "hinge.clutch.force"
[simulation]
duration = 3
step = 1e-3
output_step = 0.05
"#
        )
    };
    for integrator in ["moreau", "moreau-rk4", "rattle", "event-driven"] {
        for (sense, sign, factor) in [("forward", "", 1.0), ("backward", "-", -1.0)] {
            let run = by(integrator, &text(sense, sign));
            let allowed = if integrator == "event-driven" { 1e-8 } else { 5e-3 };
            let (t, speed) = (run.column("t"), run.column("hinge.speed"));
            let force = run.column("carried");
            for (k, t) in t.iter().enumerate() {
                let free = if *t < PI / 2.0 {
                    0.75 * (2.0 * t).sin()
                } else if *t < 0.75 * PI {
                    0.0
                } else {
                    0.75 * (1.0 + (2.0 * t).sin())
                };
                let error = (factor * speed[k] - free).abs();
                assert!(error < allowed, "{integrator}, {sense}, {t}: {error:e}");
                // The mean since the last row of −3 cos 2t.
                if *t > PI / 2.0 + 0.06 && *t < 0.75 * PI - 0.01 {
                    let before = t - 0.05;
                    let mean = -1.5 * ((2.0 * t).sin() - (2.0 * before).sin()) / 0.05;
                    let error = (force[k] - mean).abs();
                    assert!(error < 1e-2, "{integrator}, {sense}, {t}: {} {mean}", force[k]);
                }
            }
        }
    }
}

/// The wheel runs free in its hinge by half of the backlash, then it takes the other one along: both turn with
/// the mean of the angular momentum.
#[test]
fn backlash_in_a_hinge_is_play_before_it_takes_along() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "shaft"
mass = 1
inertia = 1
angular_velocity = 2
[[body]]
name = "wheel"
mass = 1
inertia = 3
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "shaft"]
at = [0, 0]
[[joint]]
name = "coupling"
kind = "revolute"
bodies = ["shaft", "wheel"]
at = [0, 0]
backlash = "0.2 rad"
[simulation]
duration = 0.2
step = 1e-3
output_step = 0.01
"#;
    for integrator in ["moreau", "rattle", "event-driven"] {
        let run = by(integrator, text);
        let (wheel, shaft) = (run.column("wheel.w"), run.column("shaft.w"));
        // 0.1 rad at 2 rad/s: 0.05 s.
        assert!(wheel[4].abs() < 1e-12 && (shaft[4] - 2.0).abs() < 1e-12, "{integrator}");
        assert!((wheel[7] - 0.5).abs() < 1e-9, "{integrator}: {}", wheel[7]);
        assert!((run.last("coupling.coordinate") + 0.1).abs() < 3e-3, "{integrator}");
    }
}

/// The rod of a pendulum that falls through the post of its own hinge, and one that stops at it.
#[test]
fn bodies_of_a_joint_touch_if_it_says_so() {
    let text = |collide: bool| {
        format!(
            r#"
format = 1
[world]
dimension = 2
[[body]]
name = "post"
fixed = true
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.1]
offset = [0, -0.5]
[[body]]
name = "rod"
mass = 1
position = [0.5, 0]
[[body.shape]]
kind = "box"
half_extents = [0.3, 0.01]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["post", "rod"]
at = [0, 0]
collide = {collide}
[simulation]
duration = 3
step = 1e-3
output_step = 0.01
"#
        )
    };
    for integrator in ["moreau", "rattle"] {
        let lowest = |collide: bool| {
            let run = by(integrator, &text(collide));
            run.column("hinge.coordinate").into_iter().fold(0.0, f64::min)
        };
        assert!(lowest(false) < -3.0, "{integrator}: {}", lowest(false));
        // The corner (0.1, −0.4) of the post touches the lower face, 0.01 m from the line of the rod.
        let corner = 0.1_f64.hypot(0.4);
        let angle = -(0.4_f64.atan2(0.1) - (0.01 / corner).asin());
        assert!((lowest(true) - angle).abs() < 1e-2, "{integrator}: {} {angle}", lowest(true));
    }
}
