//! Mechanisms and tops with numbers from the literature, or from an integration of their own in the
//! smallest coordinates; with the default integrator of worlds.

use crate::motion::{Motion, motion};
use stickslip::kinematics::vector::{add, cross, dot, norm, scale, sub};

type Vector = [f64; 3];

const GRAVITY: f64 = 9.81;

/// The classical Runge-Kutta method.
fn integrate<const N: usize>(
    mut y: [f64; N],
    duration: f64,
    steps: usize,
    rate: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = duration / steps as f64;
    let moved = |y: &[f64; N], k: &[f64; N], h: f64| {
        let mut out = *y;
        out.iter_mut().zip(k).for_each(|(y, k)| *y += h * k);
        out
    };
    for _ in 0..steps {
        let k1 = rate(&y);
        let k2 = rate(&moved(&y, &k1, 0.5 * h));
        let k3 = rate(&moved(&y, &k2, 0.5 * h));
        let k4 = rate(&moved(&y, &k3, h));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            y = moved(&y, &k, weight * h / 6.0);
        }
    }
    y
}

/// Largest change of the energy over the largest kinetic energy.
fn energy_error(run: &Motion) -> f64 {
    let largest = run.energies.iter().fold(0.0_f64, |most, [kinetic, _]| most.max(*kinetic));
    let start = run.energies[0][1];
    run.energies.iter().map(|[_, e]| (e - start).abs() / largest).fold(0.0, f64::max)
}

// Andrews' squeezing mechanism.

/// Angles of k1, k2, k3, k4, k5, k6, k7 at 0.03 s from the IVP test set (Mazzia and Magherini 2008):
/// β, β + Θ, γ, Φ + δ, δ, Ω + ε, ε.
const SQUEEZED: [f64; 7] = [
    15.81077119629904,
    15.81077119629904 - 15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948 + 0.5244099658805304,
    0.5244099658805304,
    0.5347301163226948 + 1.048080741042263,
    1.048080741042263,
];

fn squeezed(overrides: &[&str]) -> [f64; 7] {
    let run = motion("andrews-squeezer", overrides);
    [1, 2, 3, 4, 5, 6, 7].map(|body| run.last(&format!("k{body}.angle")))
}

#[test]
fn andrews_squeezer_by_event_driven_has_the_printed_angles() {
    let angles = squeezed(&["simulation.integrator=event-driven", "simulation.step=1e-4"]);
    for (angle, printed) in angles.iter().zip(SQUEEZED) {
        assert!((angle - printed).abs() < 1e-7, "{angle} is not {printed}");
    }
}

/// Accelerations at the start from the same source.
#[test]
fn andrews_squeezer_begins_with_the_printed_accelerations() {
    let step = 1e-8;
    let key = format!("simulation.step={step}");
    let run = motion(
        "andrews-squeezer",
        &[&key, "simulation.duration=1e-7", "simulation.output_step=1e-7"],
    );
    let [beta, rod] = ["k1.w", "k2.w"].map(|name| run.last(name) / 1e-7);
    assert!((beta / 14222.4439199541 - 1.0).abs() < 1e-6, "{beta}");
    assert!((rod / (14222.4439199541 - 10666.8329399656) - 1.0).abs() < 1e-6, "{rod}");
}

#[test]
fn andrews_squeezer_has_the_printed_angles() {
    let angles = squeezed(&[]);
    for (angle, printed) in angles.iter().zip(SQUEEZED) {
        assert!((angle - printed).abs() < 5e-3, "{angle} is not {printed}");
    }
}

// Bricard's mechanism: one freedom. The corners stand on two triangles of radii r and 2/(3r), the second
// one turned by 60 degrees, at a distance h: rods of length 1 and hinges at right angles ask for
// r² = 5/6 + ½ cos φ, h = ½ sin φ / r.

/// Corners of the ring and the axes of its hinges at even corners, where the rod from the last to the
/// first corner is held along z and the first hinge along y.
fn ring(phi: f64) -> ([Vector; 6], [Vector; 3]) {
    let r = (5.0 / 6.0 + 0.5 * phi.cos()).sqrt();
    let (other, h) = (2.0 / (3.0 * r), 0.5 * phi.sin() / r);
    let turn = |k: usize| (k as f64 * std::f64::consts::FRAC_PI_3).sin_cos();
    let corners: [Vector; 6] = std::array::from_fn(|k| {
        let (sin, cos) = turn(k);
        let (radius, height) = if k % 2 == 0 { (r, h) } else { (other, 0.0) };
        [radius * cos, radius * sin, height]
    });
    // At right angles to both rods, which are on a line where φ = π: the factor cos φ/2 is left out.
    let (tilt, up) = (0.5 * phi).sin_cos();
    let axes: [Vector; 3] = std::array::from_fn(|k| {
        let (sin, cos) = turn(2 * k);
        [tilt * cos, tilt * sin, -up]
    });
    let along = sub(&corners[5], &corners[0]);
    let third = cross(&axes[0], &along);
    let turned = |v: &Vector| [dot(v, &third), dot(v, &axes[0]), dot(v, &along)];
    (corners.map(|corner| turned(&sub(&corner, &corners[0]))), axes.map(|axis| turned(&axis)))
}

fn corners(phi: f64) -> [Vector; 6] {
    ring(phi).0
}

/// Three axes of a rod that turn with it: along it, the hinge at its even corner, and across.
fn axes((corners, hinges): &([Vector; 6], [Vector; 3]), rod: usize) -> [Vector; 3] {
    let along = sub(&corners[rod + 1], &corners[rod]);
    let hinge = hinges[rod.div_ceil(2) % 3];
    [along, hinge, cross(&along, &hinge)]
}

/// Kinetic energy at dφ/dt = 1 times 2, and potential.
fn inertia_and_potential(phi: f64) -> (f64, f64) {
    let step = 1e-4;
    type Ring = ([Vector; 6], [Vector; 3]);
    let places = [-2.0, -1.0, 1.0, 2.0].map(|k| ring(phi + k * step));
    // Fourth order.
    let derivative = |of: &dyn Fn(&Ring) -> Vector| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| of(&places[k]));
        let difference = |k: usize| (a[k] - d[k] + 8.0 * (c[k] - b[k])) / (12.0 * step);
        [difference(0), difference(1), difference(2)]
    };
    let here = ring(phi);
    let (mut inertia, mut potential) = (0.0, 0.0);
    for rod in 0..5 {
        let middle = |(c, _): &Ring| scale(0.5, &add(&c[rod], &c[rod + 1]));
        let velocity = derivative(&middle);
        let turning = axes(&here, rod);
        // ω = ½ Σ e × de/dt.
        let omega = (0..3).fold([0.0; 3], |sum, k| {
            let rate = derivative(&|c: &Ring| axes(c, rod)[k]);
            add(&sum, &scale(0.5, &cross(&turning[k], &rate)))
        });
        let along = dot(&omega, &turning[0]).powi(2);
        let across = dot(&omega, &omega) - along;
        inertia += dot(&velocity, &velocity) + 1.01 / 12.0 * across + 0.01 / 6.0 * along;
        potential += GRAVITY * middle(&here)[1];
    }
    (inertia, potential)
}

/// φ and its rate at a time, from rest at the start.
fn bricard(time: f64) -> [f64; 2] {
    let start = (-1.0_f64 / 3.0).acos();
    integrate([start, 0.0], time, (2000.0 * time) as usize + 1, |[phi, rate]| {
        let step = 1e-3;
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| inertia_and_potential(phi + k * step));
        let slope = |a: f64, b: f64, c: f64, d: f64| (a - d + 8.0 * (c - b)) / (12.0 * step);
        let inertia = inertia_and_potential(*phi).0;
        let force = slope(a.1, b.1, c.1, d.1) + 0.5 * slope(a.0, b.0, c.0, d.0) * rate * rate;
        [*rate, -force / inertia]
    })
}

#[test]
fn the_reference_of_bricards_mechanism_is_the_ring_of_the_scene() {
    let phi = bricard(0.0)[0];
    let expected = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 0.0, 1.0],
    ];
    for (corner, expected) in corners(phi).iter().zip(expected) {
        assert!(norm(&sub(corner, &expected)) < 1e-12, "{corner:?} is not {expected:?}");
    }
    // Rods of length 1 at any φ, hinges at right angles to them, and axes at odd corners that two
    // rods have in common: at right angles to both, and to the hinges at their other ends.
    for phi in [0.3, 1.0, 2.0, 3.0, 4.5] {
        let (c, hinges) = ring(phi);
        for rod in 0..6 {
            let along = sub(&c[(rod + 1) % 6], &c[rod]);
            assert!((norm(&along) - 1.0).abs() < 1e-12);
            assert!(dot(&along, &hinges[rod.div_ceil(2) % 3]).abs() < 1e-12);
        }
        for odd in [1, 3, 5] {
            let axis = cross(&sub(&c[odd], &c[odd - 1]), &sub(&c[(odd + 1) % 6], &c[odd]));
            assert!(dot(&axis, &hinges[(odd - 1) / 2]).abs() < 1e-12);
            assert!(dot(&axis, &hinges[odd.div_ceil(2) % 3]).abs() < 1e-12);
        }
    }
}

/// Place of the corner between rod-3 and rod-4: P3 of the benchmark.
fn corner_of_bricard(run: &Motion) -> Vector {
    let [three, four] = ["rod-3", "rod-4"]
        .map(|rod| ["x", "y", "z"].map(|axis| run.last(&format!("{rod}.{axis}"))));
    let two = ["x", "y", "z"].map(|axis| run.last(&format!("rod-2.{axis}")));
    let five = ["x", "y", "z"].map(|axis| run.last(&format!("rod-5.{axis}")));
    // Corner 3 = 2 (m3 − m2 + m1) from the held end on; corner 4 the same way from the other side.
    let one = ["x", "y", "z"].map(|axis| run.last(&format!("rod-1.{axis}")));
    let from_first = scale(2.0, &add(&sub(&three, &two), &one));
    let from_last = add(&scale(2.0, &sub(&four, &five)), &[0.0, 0.0, 1.0]);
    assert!(norm(&sub(&from_first, &from_last)) < 1e-4, "the ring is open");
    from_first
}

fn assert_bricard(overrides: &[&str], tolerance: f64) {
    for time in [1.0, 2.0, 5.0] {
        let duration = format!("simulation.duration={time}");
        let run = motion("bricard", &[overrides, &[duration.as_str()]].concat());
        let expected = corners(bricard(time)[0])[3];
        let found = corner_of_bricard(&run);
        let error = norm(&sub(&found, &expected));
        assert!(error < tolerance, "{found:?} is not {expected:?} at {time} s: {error:e}");
    }
}

#[test]
fn bricards_mechanism_by_event_driven_moves_like_its_one_freedom() {
    assert_bricard(&["simulation.integrator=event-driven"], 1e-6);
}

#[test]
fn bricards_mechanism_moves_like_its_one_freedom() {
    assert_bricard(&[], 2e-3);
    assert!(energy_error(&motion("bricard", &[])) < 1e-3);
}

// The heavy top.

/// Axis of the heavy top and its rate after a time: I₁ (e″ + e |e′|²) = −I₃ ω₃ e′ × e − m g l (z − e (e·z)).
fn heavy_top(time: f64) -> [f64; 6] {
    let (across, spin, weight) = (0.234375 + 15.0, 0.46875 * 150.0, 15.0 * GRAVITY);
    integrate([0.0, 1.0, 0.0, 4.61538, 0.0, 0.0], time, 200_000, |y| {
        let (e, v) = ([y[0], y[1], y[2]], [y[3], y[4], y[5]]);
        let gyroscopic = scale(-spin / across, &cross(&v, &e));
        let pull = scale(-weight / across, &sub(&[0.0, 0.0, 1.0], &scale(e[2], &e)));
        let a = sub(&add(&gyroscopic, &pull), &scale(dot(&v, &v), &e));
        [v[0], v[1], v[2], a[0], a[1], a[2]]
    })
}

fn assert_heavy_top(overrides: &[&str], tolerance: f64) {
    let run = motion("heavy-top", overrides);
    let expected = heavy_top(2.0);
    let found = ["x", "y", "z"].map(|axis| run.last(&format!("top.{axis}")));
    let error = norm(&sub(&found, &[expected[0], expected[1], expected[2]]));
    assert!(error < tolerance, "{found:?} is not {expected:?}: {error:e}");
    assert!(energy_error(&run) < 1e-3, "energy by {}", energy_error(&run));
}

#[test]
fn the_heavy_top_by_event_driven_follows_its_axis() {
    assert_heavy_top(&["simulation.integrator=event-driven"], 1e-7);
}

#[test]
fn the_heavy_top_follows_its_axis() {
    assert_heavy_top(&[], 5e-3);
}

// The free body.

const NUT: [f64; 3] = [1e-4, 2e-4, 2.5e-4];

/// Complete elliptic integral K(k) by the arithmetic-geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Time from one turning over to the next: half of the period of the angular velocity in the body,
/// Landau and Lifshitz, Mechanics, sec. 37.
fn half_period() -> f64 {
    let [i1, i2, i3] = NUT;
    let omega = [0.01, 10.0, 0.0];
    let twice_energy: f64 = (0..3).map(|k| NUT[k] * omega[k] * omega[k]).sum();
    let squared: f64 = (0..3).map(|k| (NUT[k] * omega[k]).powi(2)).sum();
    // In the other case 1 and 3 change their roles.
    assert!(squared < twice_energy * i2);
    let fast = (i2 - i1) * (twice_energy * i3 - squared);
    let slow = (i3 - i2) * (squared - twice_energy * i1);
    2.0 * elliptic((slow / fast).sqrt()) * (i1 * i2 * i3 / fast).sqrt()
}

/// Times at which the y axis of the body passes the equator.
fn tumbles(run: &Motion) -> Vec<f64> {
    let [x, z] = ["qx", "qz"].map(|part| run.column(&format!("nut.{part}")));
    let up: Vec<f64> = (0..x.len()).map(|k| 1.0 - 2.0 * (x[k] * x[k] + z[k] * z[k])).collect();
    let crossing = |k: usize| {
        let part = up[k] / (up[k] - up[k + 1]);
        run.times[k] + part * (run.times[k + 1] - run.times[k])
    };
    (0..up.len() - 1).filter(|k| up[*k] * up[k + 1] < 0.0).map(crossing).collect()
}

fn assert_tumbles(overrides: &[&str], tolerance: f64) {
    let run = motion("dzhanibekov", overrides);
    let times = tumbles(&run);
    assert!(times.len() >= 2, "{times:?}");
    for pair in times.windows(2) {
        let error = (pair[1] - pair[0]) / half_period() - 1.0;
        assert!(error.abs() < tolerance, "{times:?}, not every {} s", half_period());
    }
    assert!(energy_error(&run) < 1e-3, "energy by {}", energy_error(&run));
    // Angular momentum in the axes of the world: constant, and so is what turns about y in them.
    let [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(|part| run.column(&format!("nut.{part}")));
    let omega = ["wx", "wy", "wz"].map(|part| run.column(&format!("nut.{part}")));
    for k in 0..w.len() {
        let rotation = stickslip::kinematics::quaternion::rotation(&[w[k], x[k], y[k], z[k]]);
        let omega = [omega[0][k], omega[1][k], omega[2][k]];
        let body = [0, 1, 2].map(|i| (0..3).map(|j| rotation[j][i] * omega[j]).sum::<f64>());
        let momentum = [0, 1, 2].map(|i| (0..3).map(|j| rotation[i][j] * NUT[j] * body[j]).sum());
        let start = [NUT[0] * 0.01, NUT[1] * 10.0, 0.0];
        let change = norm(&sub(&momentum, &start)) / norm(&start);
        assert!(change < 1e-3, "angular momentum by {change} at {}", run.times[k]);
    }
}

#[test]
fn the_free_body_by_event_driven_turns_over_after_equal_times() {
    assert_tumbles(&["simulation.integrator=event-driven"], 1e-4);
}

#[test]
fn the_free_body_turns_over_after_equal_times() {
    assert_tumbles(&[], 1e-3);
}
