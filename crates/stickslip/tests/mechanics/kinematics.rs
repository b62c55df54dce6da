//! Quaternions and Euler angles.

use crate::support::{assert_close, dot, signed, unit_quaternion};
use fastrand::Rng;
use stickslip::kinematics::euler::EulerAngles;
use stickslip::kinematics::quaternion as quat;
use stickslip::kinematics::vector::{self, Matrix3};

/// Round-off of a handful of products of numbers of size one.
const ROUND_OFF: f64 = 1e-14;

fn matrix_product(a: &Matrix3, b: &Matrix3) -> Matrix3 {
    let column = |j: usize| [b[0][j], b[1][j], b[2][j]];
    a.map(|row| [0, 1, 2].map(|j| vector::dot(&row, &column(j))))
}

fn difference(a: &Matrix3, b: &Matrix3) -> f64 {
    (0..9).map(|k| (a[k / 3][k % 3] - b[k / 3][k % 3]).abs()).fold(0.0, f64::max)
}

fn about_z(angle: f64) -> Matrix3 {
    let (s, c) = angle.sin_cos();
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

fn about_x(angle: f64) -> Matrix3 {
    let (s, c) = angle.sin_cos();
    [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
}

/// Matrix H of the inertial angular velocity, ω = 2 H ṗ (Le Saux 2005, eq. 2.2).
fn h_matrix(p: &quat::Quaternion) -> [[f64; 4]; 3] {
    let [e0, e1, e2, e3] = *p;
    [[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]]
}

#[test]
fn the_rotation_matrix_is_h_times_h_bar_transposed() {
    // Le Saux 2005, eq. 2.2, also for a quaternion that is not quite of unit length.
    let mut rng = Rng::with_seed(1);
    for _ in 0..200 {
        let p = unit_quaternion(&mut rng);
        let (h, h_bar) = (h_matrix(&p), quat::h_bar_matrix(&p));
        let r = h.map(|row| h_bar.map(|other| dot(&row, &other)));
        assert!(difference(&quat::rotation(&p), &r) < ROUND_OFF);
        let long = p.map(|e| 1.001 * e);
        assert!(difference(&quat::rotation(&long), &r) < ROUND_OFF);
        let unit = quat::normalized(&long);
        assert!((0..4).all(|k| (unit[k] - p[k]).abs() < ROUND_OFF));
    }
}

#[test]
fn the_quaternion_rate_turns_the_body_with_its_angular_velocity() {
    // Ṙ = R Ω̃ (Le Saux 2005, eq. 2.6). Central difference with step d: error d²/6·|Ω|³ = 2e-9
    // and round-off 1e-16/d = 1e-11.
    let mut rng = Rng::with_seed(2);
    let d = 1e-5;
    for _ in 0..200 {
        let p = unit_quaternion(&mut rng);
        let omega = [signed(&mut rng), 2.0 * signed(&mut rng), 3.0 * signed(&mut rng)];
        let p_dot = quat::rate(&p, &omega);
        assert_close(dot(&p, &p_dot), 0.0, ROUND_OFF); // (2.10)
        let moved = |t: f64| quat::rotation(&[0, 1, 2, 3].map(|k| p[k] + t * p_dot[k]));
        let (plus, minus, r) = (moved(d), moved(-d), quat::rotation(&p));
        for column in 0..3 {
            let mut unit = [0.0; 3];
            unit[column] = 1.0;
            let expected = vector::apply(&r, &vector::cross(&omega, &unit));
            for row in 0..3 {
                let rate = (plus[row][column] - minus[row][column]) / (2.0 * d);
                assert_close(rate, expected[row], 5e-9);
            }
        }
    }
}

#[test]
fn rate_angular_velocity_and_gradient_belong_together() {
    // Ω = 2 H̄ ṗ (2.9), and the gradient of a function with rate wᵀΩ gives back that rate; also for
    // quaternions that are not of unit length.
    let mut rng = Rng::with_seed(3);
    for _ in 0..200 {
        let length = 0.5 + rng.f64();
        let p = unit_quaternion(&mut rng).map(|e| length * e);
        let omega = [signed(&mut rng), signed(&mut rng), signed(&mut rng)];
        let w = [signed(&mut rng), signed(&mut rng), signed(&mut rng)];
        let p_dot = quat::rate(&p, &omega);
        let back = quat::angular_velocity(&p, &p_dot);
        (0..3).for_each(|k| assert_close(back[k], omega[k], ROUND_OFF));
        let gradient = quat::gradient(&p, &w);
        assert_close(dot(&gradient, &p_dot), vector::dot(&w, &omega), ROUND_OFF);
        assert_close(dot(&gradient, &p), 0.0, ROUND_OFF);
    }
}

#[test]
fn euler_angles_are_three_elementary_rotations() {
    // Leine 2003, eq. 5.1: A^14 = (A^43 A^32 A^21)ᵀ = R_z(φ) R_x(θ) R_z(ψ).
    let mut rng = Rng::with_seed(4);
    for _ in 0..200 {
        let [theta, phi, psi] = [3.0, 6.0, 6.0].map(|size| size * signed(&mut rng));
        let p = EulerAngles { theta, phi, psi }.to_quaternion();
        let r = matrix_product(&matrix_product(&about_z(phi), &about_x(theta)), &about_z(psi));
        assert!(difference(&quat::rotation(&p), &r) < ROUND_OFF);
        let x = quat::from_axis_angle(&vector::E_X, theta);
        let z = |angle| quat::from_axis_angle(&vector::E_Z, angle);
        let product = quat::product(&quat::product(&z(phi), &x), &z(psi));
        assert!(difference(&quat::rotation(&product), &r) < ROUND_OFF);
    }
}

#[test]
fn euler_angles_come_back_from_quaternions_also_near_the_singular_positions() {
    let mut rng = Rng::with_seed(5);
    let pi = std::f64::consts::PI;
    for theta in [0.0, 1e-300, 1e-12, 1e-6, 0.1, 1.5, 3.0, pi - 1e-6, pi - 1e-12, pi] {
        for _ in 0..50 {
            let [phi, psi] = [0, 1].map(|_| pi * signed(&mut rng));
            let p = EulerAngles { theta, phi, psi }.to_quaternion();
            let back = EulerAngles::from_quaternion(&p);
            // θ is exact to round-off: relative near 0, absolute near π.
            assert_close(back.theta, theta, 4e-16 * theta);
            let again = quat::rotation(&back.to_quaternion());
            assert!(difference(&again, &quat::rotation(&p)) < ROUND_OFF);
            assert!(back.phi.abs() <= pi && back.psi.abs() <= pi);
            if theta > 1e-13 && theta < pi - 1e-13 {
                let turn = |a: f64, b: f64| (0.5 * (a - b)).sin().abs();
                assert!(turn(back.phi, phi) < 1e-3 * theta.min(pi - theta) + ROUND_OFF);
                assert!(turn(back.psi, psi) < 1e-3 * theta.min(pi - theta) + ROUND_OFF);
            }
        }
    }
}

#[test]
fn euler_rates_and_angular_velocity_are_inverse() {
    // Leine 2003, eq. 5.3; 1/sinθ ≤ 10 here multiplies the round-off.
    let mut rng = Rng::with_seed(6);
    for _ in 0..200 {
        let angles = EulerAngles {
            theta: 0.1 + 2.9 * rng.f64(),
            phi: 3.0 * signed(&mut rng),
            psi: 3.0 * signed(&mut rng),
        };
        let rates =
            EulerAngles { theta: signed(&mut rng), phi: signed(&mut rng), psi: signed(&mut rng) };
        let back = angles.rates(&angles.angular_velocity(rates));
        assert_close(back.theta, rates.theta, 1e-13);
        assert_close(back.phi, rates.phi, 1e-13);
        assert_close(back.psi, rates.psi, 1e-13);
    }
    let upright = EulerAngles::default().rates(&[0.0, 0.0, 5.0]);
    assert_eq!((upright.theta, upright.phi, upright.psi), (0.0, 0.0, 5.0));
}

#[test]
fn extreme_quaternions_give_finite_rotations() {
    for size in [0.0, 5e-324, 1e-300, 1e-160, 1e160, 1e300] {
        for p in [[size; 4], [size, 0.0, 0.0, 0.0], [0.0, size, -size, 0.0]] {
            let r = quat::rotation(&p);
            for row in r {
                assert_close(vector::norm(&row), 1.0, ROUND_OFF);
            }
            let unit = quat::normalized(&p);
            assert_close(dot(&unit, &unit), 1.0, ROUND_OFF);
            assert!(EulerAngles::from_quaternion(&p).theta.is_finite());
            let omega = quat::angular_velocity(&p, &[0.0; 4]);
            assert!(omega.iter().all(|o| *o == 0.0));
        }
    }
}
