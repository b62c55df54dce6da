//! The rolling disk of Le Saux 2005, sec. 2–4.

use crate::oracles::FrictionLaw;
use crate::oracles::rolling_disk::{DiskMotion, DiskParameters, DiskStart, RollingDisk};
use crate::oracles::rolling_disk::{FLAT, LEANING, PRESETS, RollingMotion};
use crate::support::*;
use fastrand::Rng;
use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector;
use stickslip::scene::Scene;
use stickslip::system::{ContactSet, MechanicalSystem, State};
use stickslip_papers::disk_motion::{Rates, rolling_accelerations};

/// A disk with every law, so that all components exist: normal, two tangential, drilling,
/// contour, two rolling. Exactly uniform and thin, as sec. 5 assumes.
fn disk() -> RollingDisk {
    let p = DiskParameters { contour: 1e-3, rolling: 1e-4, ..Default::default() };
    let square = p.mass * p.radius * p.radius;
    RollingDisk::new(DiskParameters {
        inertia_transverse: square / 4.0,
        inertia_axial: square / 2.0,
        ..p
    })
    .unwrap()
}

/// A random state that leans, with the inclination away from flat and everything moving.
fn leaning(rng: &mut Rng, disk: &RollingDisk) -> State {
    let mut at = disk.rolling(&rolling_motion(rng));
    (0..3).for_each(|k| at.u[k] += 0.3 * signed(rng));
    at.q[2] += 0.01 * signed(rng);
    at
}

fn rolling_motion(rng: &mut Rng) -> RollingMotion {
    RollingMotion {
        alpha: 3.0 * signed(rng),
        beta: 1.3 * signed(rng),
        gamma: 3.0 * signed(rng),
        alpha_dot: 10.0 * signed(rng),
        beta_dot: 3.0 * signed(rng),
        gamma_dot: 15.0 * signed(rng),
    }
}

fn rotation_of(at: &State) -> [[f64; 3]; 3] {
    rotation(&[at.q[3], at.q[4], at.q[5], at.q[6]])
}

/// Central differences with d = 1e-5 s at rates of 30 rad/s: error d²/6·ω³ = 5e-7 of a unit
/// length; round-off 1e-16/d = 1e-11. Lengths here are below 0.04 m and 1/cosβ below 4.
const STEP: f64 = 1e-5;
const DIFFERENCE: f64 = 1e-6;

#[test]
fn the_normal_direction_is_the_derivative_of_the_gap() {
    // (2.15), (2.19), for C₁ and the gradient with respect to q (3.12).
    let disk = disk();
    let mut rng = Rng::with_seed(21);
    for _ in 0..100 {
        let at = leaning(&mut rng, &disk);
        let q_dot = coordinate_rate(&disk, &at);
        let rim = &contacts(&disk, &at)[0];
        let gap = |s: &State| contacts(&disk, s)[0].gap;
        let rate = derivative(gap, &at, &q_dot, &[0.0; 6], STEP);
        assert_close(rim.velocities(&at.u)[0], rate, 0.04 * DIFFERENCE);
        let mut gradient = [0.0; 7];
        disk.coordinate_gradient(&at, &rim.rows[0], &mut gradient);
        for (i, entry) in gradient.iter().enumerate() {
            let mut unit = [0.0; 7];
            unit[i] = 1.0;
            assert_close(*entry, derivative(gap, &at, &unit, &[0.0; 6], 1e-6), 1e-9);
        }
        let r33 = rotation_of(&at)[2][2];
        assert_close(rim.gap, at.q[2] - 0.0375 * (1.0 - r33 * r33).sqrt(), 1e-15);
        assert_close(contacts(&disk, &at)[1].gap, at.q[2] + 0.5 * (at.q[2] - rim.gap), 1e-16);
    }
}

#[test]
fn three_points_move_like_material_points_of_the_contour() {
    // (2.13), (2.14), (2.19), (2.20): C₁ is the lowest point, the others are a third away; their
    // velocities are those of the body-fixed points, followed by differences.
    let disk = disk();
    let mut rng = Rng::with_seed(22);
    let third = std::f64::consts::TAU / 3.0;
    for _ in 0..100 {
        let at = leaning(&mut rng, &disk);
        let q_dot = coordinate_rate(&disk, &at);
        // Lowest point by search over the contour, to the accuracy of a golden section in a
        // minimum, sqrt of round-off: 1e-7 rad, and 30 rad/s · 1e-7 · r in a velocity.
        let rim = |angle: f64| [0.0375 * angle.cos(), 0.0375 * angle.sin(), 0.0];
        let height = |angle: f64| vector::apply(&rotation_of(&at), &rim(angle))[2];
        let coarse = (0..1000).map(|k| k as f64 * 2e-3 * std::f64::consts::PI);
        let mut lowest = coarse.min_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap();
        let mut width = 1e-2;
        while width > 1e-9 {
            if height(lowest + width) < height(lowest) {
                lowest += width;
            } else if height(lowest - width) < height(lowest) {
                lowest -= width;
            } else {
                width *= 0.5;
            }
        }
        for (k, contact) in contacts(&disk, &at).iter().enumerate() {
            let turn = [0.0, third, -third][k];
            let material = rim(lowest + turn);
            let gamma = contact.velocities(&at.u);
            for (component, axis) in [(1, 0), (2, 1), (0, 2)] {
                let position =
                    |s: &State| s.q[axis] + vector::apply(&rotation_of(s), &material)[axis];
                let rate = derivative(position, &at, &q_dot, &[0.0; 6], STEP);
                assert_close(gamma[component], rate, 1e-6);
            }
        }
        let rim = &contacts(&disk, &at)[0].velocities(&at.u);
        assert_close(disk.output(&at).slip, rim[1].hypot(rim[2]), 1e-15);
    }
}

#[test]
fn drilling_contour_and_rolling_velocities_are_what_they_are_called() {
    // (2.21), (2.23), (5.42), (5.43) by differences of the rotation and of the angle of C₁ in the
    // body frame.
    let disk = disk();
    let components = disk.contact_laws()[LEANING].components();
    assert_eq!((components.drilling, components.contour), (Some(3), 4..5));
    assert_eq!((components.rolling, components.dim), (5..7, 7));
    let mut rng = Rng::with_seed(23);
    for _ in 0..100 {
        let at = leaning(&mut rng, &disk);
        let q_dot = coordinate_rate(&disk, &at);
        let rim = &contacts(&disk, &at)[0];
        assert_eq!(rim.group, LEANING);
        let gamma = rim.velocities(&at.u);
        let r = rotation_of(&at);
        let turn = |i: usize, j: usize| -> f64 {
            let rate =
                |k: usize| derivative(|s| rotation_of(s)[i][k], &at, &q_dot, &[0.0; 6], STEP);
            (0..3).map(|k| rate(k) * r[j][k]).sum()
        };
        let bound = 20.0 * DIFFERENCE;
        assert_close(gamma[3], turn(1, 0), bound);
        assert_close(gamma[5], turn(2, 1), bound);
        assert_close(gamma[6], turn(0, 2), bound);
        // Angle of the lowest point in the body frame; its rate is ψ̇ (2.18). Differences of an
        // angle lose a factor 1/cos³β more.
        let angle = |s: &State| {
            let moved = rotation_of(s);
            let [c, s] = [-moved[2][0], -moved[2][1]];
            let [c0, s0] = [-r[2][0], -r[2][1]];
            (c0 * s - s0 * c).atan2(c0 * c + s0 * s)
        };
        let psi_dot = derivative(angle, &at, &q_dot, &[0.0; 6], STEP);
        assert_close(gamma[4], -0.0375 * psi_dot, 0.0375 * 64.0 * bound);
        assert_close(disk.output(&at).psi_dot, psi_dot, 64.0 * bound);
    }
}

#[test]
fn the_output_gives_back_the_angles_and_rates_of_rolling() {
    // Rates of sec. 5.1; 1/cosβ < 4 and rates of 15 rad/s multiply the round-off.
    let disk = disk();
    let mut rng = Rng::with_seed(24);
    for _ in 0..200 {
        let motion = rolling_motion(&mut rng);
        let output = disk.output(&disk.rolling(&motion));
        assert_close(output.beta, motion.beta, 1e-14);
        assert_close(output.alpha_dot, motion.alpha_dot, 1e-12);
        assert_close(output.beta_dot, motion.beta_dot, 1e-12);
        assert_close(output.gamma_dot, motion.gamma_dot, 1e-12);
        assert_close(output.slip, 0.0, 1e-14);
        assert_close(output.gap, 0.0, 1e-17);
    }
}

/// Accelerations with C₁ held to the table without slip: λ from d/dt γ = 0 for the normal and the
/// tangential velocities, the part Ẇᵀu by a difference along q̇.
fn rolling_without_slip(disk: &RollingDisk, at: &State) -> (Vec<f64>, Vec<f64>) {
    let free = acceleration(disk, at, &[]);
    let q_dot = coordinate_rate(disk, at);
    let rim = &contacts(disk, at)[0];
    let mut delassus = [0.0; 9];
    let mut right = [0.0; 3];
    for j in 0..3 {
        let mut unit = vec![0.0; 3];
        unit[j] = 1.0;
        let pushed = acceleration(disk, at, &[(0, unit)]);
        for i in 0..3 {
            let response: f64 = (0..6).map(|k| rim.rows[i][k] * (pushed[k] - free[k])).sum();
            delassus[i * 3 + j] = response;
        }
    }
    for (i, value) in right.iter_mut().enumerate() {
        let gamma = |s: &State| contacts(disk, s)[0].velocities(&s.u)[i];
        *value = -derivative(gamma, at, &q_dot, &free, STEP);
    }
    let lambda = solve(&delassus, &right);
    (acceleration(disk, at, &[(0, lambda.clone())]), lambda)
}

#[test]
fn rolling_without_slip_obeys_the_reduced_equations() {
    // (5.5)–(5.7) with the errata against the full model with the constraint forces eliminated.
    // Accelerations reach 1e4 rad/s²; differences with d = 1e-5 s leave 1e-6 of that.
    let disk = disk();
    let mut rng = Rng::with_seed(25);
    for _ in 0..200 {
        let motion = rolling_motion(&mut rng);
        let at = disk.rolling(&motion);
        let (u_dot, _) = rolling_without_slip(&disk, &at);
        let q_dot = coordinate_rate(&disk, &at);
        let rate = |f: &dyn Fn(&State) -> f64| derivative(f, &at, &q_dot, &u_dot, STEP);
        let rates =
            Rates { alpha: motion.alpha_dot, beta: motion.beta_dot, gamma: motion.gamma_dot };
        let expected = rolling_accelerations(9.81 / 0.0375, motion.beta, rates);
        let size = 1.0 + expected.alpha.abs() + expected.beta.abs() + expected.gamma.abs();
        assert_close(rate(&|s| disk.output(s).alpha_dot), expected.alpha, 1e-5 * size);
        assert_close(rate(&|s| disk.output(s).beta_dot), expected.beta, 1e-5 * size);
        assert_close(rate(&|s| disk.output(s).gamma_dot), expected.gamma, 1e-5 * size);
    }
}

#[test]
fn a_stationary_start_stays_stationary() {
    // (5.14): centre of mass at rest, no acceleration of β, contact force m g; also with the
    // printed moments of inertia. Forces from differences: 1e-6 relative.
    for disk in [disk(), RollingDisk::new(DiskParameters::default()).unwrap()] {
        for beta in [0.4, 1.0, 1.5, -1.2] {
            let start = DiskStart {
                motion: DiskMotion::Stationary,
                beta,
                heading: 0.7,
                ..Default::default()
            };
            let at = disk.start(&start);
            (0..3).for_each(|k| assert_close(at.u[k], 0.0, 1e-14));
            let (u_dot, lambda) = rolling_without_slip(&disk, &at);
            let weight = 0.3048 * 9.81;
            assert_close(lambda[0], weight, 1e-5 * weight);
            assert_close(lambda[1].hypot(lambda[2]), 0.0, 1e-5 * weight);
            let q_dot = coordinate_rate(&disk, &at);
            let beta_dd = derivative(|s| disk.output(s).beta_dot, &at, &q_dot, &u_dot, STEP);
            let scale = disk.output(&at).alpha_dot.powi(2);
            assert_close(beta_dd, 0.0, 1e-5 * scale);
            assert_close(disk.output(&at).chi, 0.0, 1e-12);
        }
    }
}

#[test]
fn the_start_is_the_one_of_the_paper() {
    // (4.1), (4.2); ψ̇ = −‖ω‖ cosδ.
    let disk = RollingDisk::new(DiskParameters::default()).unwrap();
    let at = disk.start(&DiskStart::default());
    let (s, c) = 0.035_f64.sin_cos();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let q = [0.0, 0.0, 0.0375, half, half, 0.0, 0.0];
    let u = [-0.375 * c, -0.375 * s, 0.0, 10.0 * s, 0.0, 10.0 * c];
    (0..7).for_each(|k| assert_close(at.q[k], q[k], 2e-16));
    (0..6).for_each(|k| assert_close(at.u[k], u[k], 2e-15));
    let output = disk.output(&at);
    assert_close(output.psi_dot, -9.9938756, 5e-8);
    assert_close(output.slip, 0.0, 1e-15);
    assert_close(disk.energy(&at).total(), 0.1442694885, 5e-11); // reference data, t = 0
    let turned = disk.start(&DiskStart { heading: 1.0, ..Default::default() });
    let (s1, c1) = 1.0_f64.sin_cos();
    assert_close(turned.u[0], c1 * u[0] - s1 * u[1], 1e-15);
    assert_close(turned.u[1], s1 * u[0] + c1 * u[1], 1e-15);
    assert_close(disk.output(&turned).slip, 0.0, 1e-15);
    // On a moving table it rolls without slip on that table.
    let moving = DiskParameters { floor_velocity: [0.4, -0.2], ..Default::default() };
    let moving = RollingDisk::new(moving).unwrap();
    let carried = moving.start(&DiskStart::default());
    assert_close(carried.u[0], u[0] + 0.4, 1e-15);
    assert_close(carried.u[1], u[1] - 0.2, 1e-15);
    assert_close(moving.output(&carried).slip, 0.0, 1e-15);
    let gamma = contacts(&moving, &carried)[0].velocities(&carried.u);
    assert_close(gamma[1].hypot(gamma[2]), 0.0, 1e-15);
}

#[test]
fn a_flat_disk_keeps_its_contact_points() {
    // (2.24): tilt the disk by less and less about a fixed diameter; at the flat position and
    // after it the points are the last ones, fixed to the disk, three of them, independent.
    let disk = disk();
    let mut at =
        disk.rolling(&RollingMotion { beta: 1.5, alpha: 0.3, gamma: 0.8, ..Default::default() });
    let before = at.memory.clone();
    let flat = disk.rolling(&RollingMotion {
        beta: std::f64::consts::FRAC_PI_2,
        alpha: 0.3,
        gamma: 0.8,
        ..Default::default()
    });
    at.q = flat.q.clone();
    disk.remember(&mut at);
    assert_eq!(at.memory, before);
    let all = contacts(&disk, &at);
    assert!(all.iter().all(|c| c.group == FLAT && c.rows.len() == 4));
    let r = rotation_of(&at);
    let arm = vector::apply(&r, &[0.0375 * before[0], 0.0375 * before[1], 0.0]);
    // Angular part of W_N in the inertial frame is r_SC × e_z (2.25).
    let turn = vector::apply(&r, &[all[0].rows[0][3], all[0].rows[0][4], all[0].rows[0][5]]);
    assert_close(turn[0], arm[1], 1e-16);
    assert_close(turn[1], -arm[0], 1e-16);
    let matrix: Vec<f64> = (0..9).map(|k| all[k / 3].rows[0][[2, 3, 4][k % 3]]).collect();
    let load = solve(&matrix, &[1.0, 1.0, 1.0]); // rigid descent: no rotation
    assert_close(load[0], 1.0, 1e-14);
    assert_close(load[1].hypot(load[2]), 0.0, 1e-12);
    // Nothing moves along the contour, and a spinning flat disk reports its spin.
    at.u[5] = 3.0;
    let output = disk.output(&at);
    assert_eq!((output.psi_dot, output.chi), (0.0, 0.0));
    assert_close(output.alpha_dot, 3.0, 1e-15);
    // A missing memory is no reason to fail.
    at.memory.clear();
    assert!(contacts(&disk, &at).iter().all(|c| c.rows.iter().flatten().all(|w| w.is_finite())));
}

#[test]
fn only_closed_contacts_have_directions_and_the_lowest_closes_first() {
    let disk = disk();
    let at = disk.rolling(&RollingMotion { beta: 1.0, ..Default::default() });
    let mut set = ContactSet::default();
    set.margin = 1e-9;
    disk.contacts(&at, &mut set);
    let closed: Vec<bool> = set.candidates().iter().map(|c| c.has_directions()).collect();
    assert_eq!(closed, [true, false, false]);
    assert!(set.candidates()[1].gap > 0.01);
}

#[test]
fn restoring_the_gap_lifts_a_sunk_disk_and_no_other() {
    let disk = disk();
    for beta in [0.5, 1.5, 1.565, std::f64::consts::FRAC_PI_2] {
        let mut at = disk.rolling(&RollingMotion { beta, ..Default::default() });
        let height = at.q[2];
        at.q[2] -= 1e-6;
        at.q[3..7].iter_mut().for_each(|e| *e *= 1.0 + 1e-8);
        disk.restore_gap(&mut at);
        assert_close(at.q[2], height, 1e-17);
        assert_close(dot(&at.q[3..7], &at.q[3..7]), 1.0, 1e-15);
        at.q[2] += 1e-3;
        disk.restore_gap(&mut at);
        assert_close(at.q[2], height + 1e-3, 1e-17);
    }
}

#[test]
fn free_flight_conserves_energy_and_momentum_and_has_order_four() {
    let disk = disk();
    let mut rng = Rng::with_seed(26);
    let start = free_body_state(&mut rng, 0.02, 0.5, 30.0);
    let run = |steps: usize| {
        let end = free_flight(&disk, &start, 0.2, steps);
        let change = vector::sub(&disk.angular_momentum(&end), &disk.angular_momentum(&start));
        (
            (disk.energy(&end).total() - disk.energy(&start).total()).abs(),
            vector::norm(&change),
            end,
        )
    };
    let (coarse, fine, finest) = (run(100), run(200), run(400));
    assert!(order(coarse.0, fine.0) > 3.85, "energy {} {}", coarse.0, fine.0);
    assert!(order(coarse.1, fine.1) > 3.85, "momentum {} {}", coarse.1, fine.1);
    let distance = |a: &State, b: &State| -> f64 {
        (0..7).map(|k| (a.q[k] - b.q[k]).abs()).fold(0.0, f64::max)
    };
    let observed = order(distance(&coarse.2, &fine.2), distance(&fine.2, &finest.2));
    assert!((observed - 4.0).abs() < 0.15, "order {observed}");
}

#[test]
fn the_four_simulations_have_the_laws_of_the_paper() {
    // Sec. 4: µ = 0.3, ε = 2e-3 m, µ_R = 3e-4. A and C are m r²/4 and m r²/2 as far as the four
    // digits of the printed mass go, 0.5e-4/0.3048 = 1.7e-4.
    let dims = PRESETS.map(|preset| {
        let disk = RollingDisk::new(preset.parameters).unwrap();
        disk.contact_laws().map(|laws| laws.components().dim)
    });
    assert_eq!(dims, [[3, 3], [4, 3], [4, 4], [5, 4]]);
    assert_eq!(PRESETS.map(|preset| preset.duration), [80.0, 70.0, 30.0, 15.0]);
    assert_eq!(PRESETS[1].parameters.friction, FrictionLaw::Coulomb);
    let p = DiskParameters::default();
    let square = p.mass * p.radius * p.radius;
    assert_close(p.inertia_transverse, square / 4.0, 1.7e-4 * square / 4.0);
    assert_close(p.inertia_axial, square / 2.0, 1.7e-4 * square / 2.0);
    let text = stickslip::scene::built_in("rolling-disk").unwrap().text;
    for (key, value, allowed) in [
        ("parameters.inertia_axial", "2.2e-4", "at most twice inertia_transverse"),
        ("parameters.contour", "-1e-4", "finite and not negative"),
        ("start.beta", "1.6", "between -pi/2 and pi/2 and not 0"),
    ] {
        let scene = Scene::read("disk", "disk", text, &[format!("{key}={value}")]);
        let message = scene.err().unwrap().to_string();
        assert!(message.contains(&format!("{key} is ")) && message.contains(allowed), "{message}");
    }
}
