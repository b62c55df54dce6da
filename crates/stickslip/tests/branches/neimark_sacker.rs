//! Pairs of multipliers that pass the unit circle, where that is known.

use crate::{asked, range, scene};
use std::f64::consts::PI;
use stickslip::scene::SceneFile;
use stickslip::study::{Branch, continue_orbit};

/// x" + c x' + x = cos 1.7t: the response to the drive exists for dampers that put energy in, too.
const DRIVEN: &str = r#"
format = 1
[parameters]
damping = 0.3
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "mass"
mass = 1
free = ["x"]
[[body.shape]]
kind = "box"
half_extents = [0.05, 0.05]
[[force]]
name = "spring"
kind = "applied"
body = "mass"
force = ["cos(1.7*t) - mass.x - damping*mass.vx", 0]
[simulation]
integrator = "event-driven"
duration = 120
"#;

/// A ball on a table that is shaken at 10 Hz, with a force along its velocity.
const PUSHED_BALL: &str = r#"
format = 1
[parameters]
drag = 0
omega = "20*pi*1 rad/s"
amplitude = "0.8*9.81 m/s^2/omega^2"
[world]
dimension = 2
[[body]]
name = "table"
motion = { position = [0, "amplitude*sin(omega*t)"] }
[[body.shape]]
kind = "half-space"
[[body]]
name = "ball"
mass = 1
free = ["y"]
position = [0, "6 mm"]
velocity = [0, "0.49 m/s"]
[[body.shape]]
kind = "circle"
radius = "5 mm"
[[force]]
name = "drag"
kind = "applied"
body = "ball"
force = [0, "-drag*ball.vy"]
[[contact]]
name = "bounce"
between = ["ball", "table"]
restitution = 0.8
[simulation]
integrator = "event-driven"
duration = 10
"#;

/// A Tippe-Top upside down on its stick, and a tippedisk with its heavy side up: a hand keeps the spin against drilling
/// friction, which is that of 3π/16 of the contact radius. Its moment is vertical, as that of the friction is, so that both
/// cancel for small tilts too. Contacts are larger than those of the scenes, which makes friction less stiff.
const TOP: &str = r#"
format = 1
model = "tippe-top"
[parameters]
spin = 90
contact_radius = 2.5e-3
[[force]]
name = "hand"
kind = "applied"
body = "top"
moment = [0, 0, "3*pi/16*friction_coefficient*mass*gravity*contact_radius + 1e-6*(spin - top.wz)"]
[start]
theta = "pi"
psi_dot = "-spin"
z = 0.021
[simulation]
integrator = "event-driven"
duration = 0.4
"#;
const DISK: &str = r#"
format = 1
model = "tippedisk"
[[force]]
name = "hand"
kind = "applied"
body = "disk"
moment = [0, 0, "3*pi/16*0.3*0.435*9.81*5e-3 + 1e-3*(spin - disk.wz)"]
[start]
spin = 30.2
roll = "pi"
[simulation]
integrator = "event-driven"
duration = 0.5
"#;

fn branch(file: &SceneFile, overrides: &[&str], vary: &str) -> Branch {
    let asked = asked(overrides, None);
    continue_orbit(file, &asked, &range(vary), 0, &mut |_| {}).expect("a branch").first
}

/// The only bifurcation.
fn passed(branch: &Branch) -> f64 {
    let [special] = &branch.bifurcations[..] else { panic!("{:?}", branch.bifurcations) };
    assert_eq!(special.kind, "neimark-sacker");
    special.value
}

#[test]
fn a_driven_oscillator_loses_stability_where_its_damping_passes_zero() {
    let branch = branch(&scene(DRIVEN), &[], "parameters.damping=0.3:-0.2");
    assert!(passed(&branch).abs() < 1e-9, "{:?}", branch.bifurcations);
    let period: f64 = 2.0 * PI / 1.7;
    for orbit in &branch.points {
        // exp(s T) with s² + c s + 1 = 0.
        let c = orbit.value;
        let (size, angle) = ((-0.5 * c * period).exp(), period * (1.0 - 0.25 * c * c).sqrt());
        let [a, b] = orbit.multipliers[..] else { panic!("{orbit:?}") };
        assert!((a[0] - size * angle.cos()).abs() < 1e-8, "{c} {a:?}");
        assert!((a[1].abs() - size * angle.sin().abs()).abs() < 1e-8 && a[1] == -b[1], "{c}");
        assert_eq!(orbit.stable, c > 0.0);
    }
}

#[test]
fn a_ball_that_is_pushed_along_its_velocity_balances_what_its_impacts_take() {
    // An impact shrinks areas of changes by e², the flight by exp(-c T): a pair has the modulus 1 where c = 2 ln e/T.
    let branch = branch(&scene(PUSHED_BALL), &[], "parameters.drag=0:-6");
    let exact = 2.0 * 0.8_f64.ln() / 0.1;
    assert!((passed(&branch) - exact).abs() < 1e-6, "{:?} {exact}", branch.bifurcations);
    for orbit in &branch.points {
        let [a, b] = orbit.multipliers[..] else { panic!("{orbit:?}") };
        let area = a[0] * b[0] - a[1] * b[1];
        assert!((area - 0.64 * (-0.1 * orbit.value).exp()).abs() < 1e-7, "{orbit:?}");
    }
}

#[test]
fn a_tippe_top_on_its_stick_falls_below_the_critical_speed_of_the_paper() {
    let branch = branch(&scene(TOP), &[], "parameters.spin=90:86");
    // Leine & Glocker 2003, eq. 5.35, with a = -16 mm and r = 5 mm.
    let (a, r, m, i1, i3) = (-0.016, 0.005, 6e-3, 8e-7, 7e-7);
    let ratio: f64 = r / (r - a);
    let critical = (-a * m * 9.81 / (ratio * i1 * (i3 / i1 - ratio))).sqrt();
    assert!((critical - 88.107_428).abs() < 1e-6);
    assert!((passed(&branch) - critical).abs() < 1e-6, "{:?}", branch.bifurcations);
    for orbit in &branch.points {
        assert!((orbit.period - 2.0 * PI / orbit.value).abs() < 1e-9, "{orbit:?}");
        assert_eq!(orbit.stable, orbit.value > critical, "{orbit:?}");
    }
}

/// Equations of a tippedisk near its upright spin Ω, heavy side up, in axes that turn with it: tilts about both horizontal
/// axes with their rates, and the velocity of the centre of mass. Friction at the contact is ε times the slip, with the slope
/// 3π/8 of Hertz' pressure.
fn rates_of_disk(spin: f64, x: [f64; 6]) -> [f64; 6] {
    let (m, r, e, g) = (0.435, 0.045, 0.0025, 9.81);
    // About the horizontal axis in the plane of the disk, the vertical and the axis of the disk.
    let (i1, i2, i3) = (0.227e-3, 0.249e-3, 0.468e-3);
    let viscosity = 0.3 * m * g * 3.0 * PI / 8.0 / (spin * 5e-3);
    let h = r + e;
    let [a1, a3, d1, d3, v1, v3] = x;
    let (w1, w3) = (spin * a3 + d1, d3 - spin * a1);
    let f1 = -viscosity * (v1 + h * w3);
    let f3 = -viscosity * (v3 - h * w1 + r * spin * a3);
    [
        d1,
        d3,
        -spin * d3 + ((i2 - i3) * spin * w3 + m * g * h * a1 - h * f3) / i1,
        spin * d1 + ((i1 - i2) * spin * w1 + m * g * e * a3 + h * f1) / i3,
        f1 / m - spin * v3,
        f3 / m + spin * v1,
    ]
}

/// The eigenvalue of these equations near a guess, by Newton's method on the determinant.
fn eigenvalue_of_disk(spin: f64, guess: [f64; 2]) -> [f64; 2] {
    let mut matrix = [[0.0; 6]; 6];
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = 1.0;
        let column = rates_of_disk(spin, unit);
        (0..6).for_each(|i| matrix[i][k] = column[i]);
    }
    let determinant = |s: [f64; 2]| {
        let times =
            |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
        let over = |a: [f64; 2], b: [f64; 2]| {
            let size = b[0] * b[0] + b[1] * b[1];
            times(a, [b[0] / size, -b[1] / size])
        };
        let mut rows: Vec<Vec<[f64; 2]>> =
            matrix.iter().map(|row| row.iter().map(|v| [*v, 0.0]).collect()).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            row[i] = [row[i][0] - s[0], row[i][1] - s[1]];
        }
        let mut product = [1.0, 0.0];
        for k in 0..6 {
            let size = |i: &usize| rows[*i][k][0].hypot(rows[*i][k][1]);
            let best = (k..6).max_by(|a, b| size(a).total_cmp(&size(b))).expect("a row");
            if best != k {
                rows.swap(best, k);
                product = [-product[0], -product[1]];
            }
            product = times(product, rows[k][k]);
            for i in k + 1..6 {
                let share = over(rows[i][k], rows[k][k]);
                for j in k..6 {
                    let part = times(share, rows[k][j]);
                    rows[i][j] = [rows[i][j][0] - part[0], rows[i][j][1] - part[1]];
                }
            }
        }
        product
    };
    let mut s = guess;
    for _ in 0..60 {
        let h = 1e-5;
        let (now, up, down) =
            (determinant(s), determinant([s[0] + h, s[1]]), determinant([s[0] - h, s[1]]));
        let slope = [(up[0] - down[0]) / (2.0 * h), (up[1] - down[1]) / (2.0 * h)];
        let size = slope[0] * slope[0] + slope[1] * slope[1];
        let step = [
            (now[0] * slope[0] + now[1] * slope[1]) / size,
            (now[1] * slope[0] - now[0] * slope[1]) / size,
        ];
        s = [s[0] - step[0], s[1] - step[1]];
    }
    s
}

#[test]
fn the_slow_swinging_of_a_tippedisk_grows_below_the_critical_spin() {
    let set = ["contact.floor.contact_radius=5 mm"];
    let branch = branch(&scene(DISK), &set, "start.spin=30.2:29.8");
    let (mut low, mut high) = (29.0, 31.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if eigenvalue_of_disk(middle, [0.0, 5.9])[0] > 0.0 { low = middle } else { high = middle }
    }
    assert!((low - 29.985_264_07).abs() < 1e-6, "{low}");
    assert!((passed(&branch) - low).abs() < 1e-6, "{:?} {low}", branch.bifurcations);
    for orbit in [&branch.points[0], branch.points.last().expect("points")] {
        for guess in [5.9, 26.1] {
            let [re, im] = eigenvalue_of_disk(orbit.value, [0.1, guess]);
            let (size, angle) = ((re * orbit.period).exp(), im * orbit.period);
            let expected = [size * angle.cos(), size * angle.sin()];
            let off = |m: &[f64; 2]| (m[0] - expected[0]).hypot(m[1].abs() - expected[1].abs());
            let nearest = orbit.multipliers.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-7, "{expected:?} {:?}", orbit.multipliers);
        }
    }
}
