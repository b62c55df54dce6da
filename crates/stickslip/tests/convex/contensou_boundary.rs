//! The boundary of the friction plates against direct integration over the contact disk, and
//! against what the papers print.

use std::f64::consts::PI;
use stickslip::convex::{ContensouBall, ConvexSet, Pressure, RadialProfile};

fn ball(pressure: Pressure) -> ContensouBall {
    ContensouBall { friction: 1.0, contact_radius: 1.0, pressure }
}

/// The boundary point with normal (u, 1), as nearest point to a point far out on that normal:
/// rounding of the far point enters with its distance only along the normal.
fn boundary(set: &ContensouBall, u: f64) -> (f64, f64) {
    let far = 1e4 / (1.0 + u);
    let (mut b_t, mut b_tau) = (0.0, 0.0);
    // x = b + far (u, 1) has the nearest point b; b itself is not known yet, so twice.
    for _ in 0..4 {
        let mut x = [b_t + far * u, 0.0, b_tau + far];
        set.prox(1.0, &mut x);
        (b_t, b_tau) = (x[0], x[2]);
    }
    (b_t, b_tau)
}

/// Gauss-Legendre points and weights on [−1, 1].
fn gauss(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|k| {
            let mut x = (PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut slope = 0.0;
            for _ in 0..100 {
                let (mut p0, mut p1) = (1.0, x);
                for j in 2..=n {
                    let j = j as f64;
                    (p0, p1) = (p1, ((2.0 * j - 1.0) * x * p1 - (j - 1.0) * p0) / j);
                }
                slope = n as f64 * (x * p1 - p0) / (x * x - 1.0);
                x -= p1 / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Direct integration in polar coordinates (r, ψ) around the pole of the sliding motion, which
/// lies at the distance u from the centre: there the direction of the velocity depends on ψ
/// only and nothing is singular. No elliptic integrals.
fn integrate(u: f64, sigma: impl Fn(f64) -> f64) -> (f64, f64) {
    let rule = gauss(80);
    let (mut area, mut force, mut torque) = (0.0, 0.0, 0.0);
    // Along the ray from the pole at ψ, between the radii r_1 and r_2, with a square root at
    // the rim smoothed by r = middle + half sin s.
    let mut ray = |psi_cos: f64, r_1: f64, r_2: f64, weight: f64| {
        for &(s, w) in &rule {
            let s = 0.5 * PI * s;
            let (half, middle) = (0.5 * (r_2 - r_1), 0.5 * (r_1 + r_2));
            let r = middle + half * s.sin();
            let rho2 = u * u + r * r + 2.0 * u * r * psi_cos;
            let share = weight * w * 0.5 * PI * half * s.cos() * r * sigma(rho2);
            area += share;
            force -= share * psi_cos;
            torque += share * (r + u * psi_cos);
        }
    };
    if u < 1.0 {
        let n = 4000;
        for k in 0..n {
            let psi = 2.0 * PI * (k as f64 + 0.5) / n as f64;
            let (sin, cos) = psi.sin_cos();
            let rim = (1.0 - u * u * sin * sin).sqrt();
            ray(cos, 0.0, rim - u * cos, 2.0 * PI / n as f64);
        }
    } else {
        // Rays that meet the disk: sin ψ = sin α/u, half chord cos α.
        for &(t, w) in &gauss(200) {
            let alpha = 0.5 * PI * t;
            let psi_cos = -(1.0 - (alpha.sin() / u).powi(2)).sqrt();
            let weight = w * 0.5 * PI * alpha.cos() / (u * -psi_cos);
            let (middle, half) = (-u * psi_cos, alpha.cos());
            ray(psi_cos, middle - half, middle + half, weight);
        }
    }
    (force / area, torque / area)
}

/// u on both sides of 1; the direct integral loses its accuracy only within a per cent of it.
const RATIOS: [f64; 16] =
    [1e-3, 0.02, 0.1, 0.25, 0.4, 0.6, 0.8, 0.9, 0.98, 1.02, 1.1, 1.4, 2.0, 4.1, 17.0, 300.0];

/// Tolerance: the 1e-10 that the boundary is asked for.
fn check_boundary(pressure: Pressure, sigma: impl Fn(f64) -> f64) {
    let set = ball(pressure);
    for u in RATIOS {
        let (force, torque) = integrate(u, &sigma);
        let (b_t, b_tau) = boundary(&set, u);
        assert!((b_t / force - 1.0).abs() < 1e-10, "u = {u}: b_T {b_t} instead of {force}");
        assert!((b_tau / torque - 1.0).abs() < 1e-10, "u = {u}: b_tau {b_tau}, {torque}");
        let potential = set.support(1.0, &[0.0, u, 1.0]);
        assert!((potential / (u * force + torque) - 1.0).abs() < 1e-10, "u = {u}: {potential}");
    }
}

#[test]
fn uniform_boundary_is_the_pressure_integral() {
    check_boundary(Pressure::Uniform, |_| 1.0);
}

#[test]
fn hertz_boundary_is_the_pressure_integral() {
    check_boundary(Pressure::Hertz, |rho2| (1.0 - rho2).max(0.0).sqrt());
}

#[test]
fn parabolic_boundary_is_the_pressure_integral() {
    check_boundary(Pressure::Parabolic, |rho2| 1.0 - rho2);
}

/// Leine 2003, eq. 3.14, 3.17 and 3.18, and Möller 2009, eq. 51 and 52, as printed; they cancel
/// like u⁴ epsilons, so they serve up to u = 10.
#[test]
fn hertz_boundary_is_the_closed_form_of_the_papers() {
    let set = ball(Pressure::Hertz);
    for k in 1..=400 {
        let u = 0.025 * k as f64;
        let (u2, u4) = (u * u, u.powi(4));
        let (force, torque, potential) = if u <= 1.0 {
            (
                3.0 * PI / 32.0 * u * (4.0 - u2),
                3.0 * PI / 128.0 * (3.0 * u4 - 8.0 * u2 + 8.0),
                3.0 * PI / 128.0 * (-u4 + 8.0 * u2 + 8.0),
            )
        } else {
            let (angle, root) = ((1.0 / u).asin(), (u2 - 1.0).sqrt());
            (
                3.0 / 16.0 / u * (u2 * (4.0 - u2) * angle + (u2 + 2.0) * root),
                3.0 / 64.0 * ((3.0 * u4 - 8.0 * u2 + 8.0) * angle + (6.0 - 3.0 * u2) * root),
                3.0 / 64.0 * ((-u4 + 8.0 * u2 + 8.0) * angle + (u2 + 14.0) * root),
            )
        };
        let tolerance = 4e-14 + 4e-16 * u4;
        let (b_t, b_tau) = boundary(&set, u);
        assert!((b_t - force).abs() < tolerance, "u = {u}: {b_t} {force}");
        assert!((b_tau - torque).abs() < tolerance, "u = {u}: {b_tau} {torque}");
        assert!((set.support(1.0, &[u, 0.0, 1.0]) - potential).abs() < tolerance * u);
    }
}

/// Far out the series of b_T and b_τ in w = 1/u: Leine 2003, eq. 2.14 (uniform), and for Hertz
/// 1 − w²/10 and w/5, from eq. 3.17 and 3.18.
#[test]
fn asymptotes() {
    for u in [1e3, 1e6, 1e9, 1e120] {
        let (_, torque) = boundary(&ball(Pressure::Uniform), u);
        assert!((torque * u / (0.25 + 1.0 / (48.0 * u * u)) - 1.0).abs() < 1e-13, "{torque}");
        let (_, torque) = boundary(&ball(Pressure::Hertz), u);
        // The next term is 3/280 of the first, times w².
        assert!((torque * u / 0.2 - 1.0).abs() < 0.1 / (u * u) + 1e-13, "{torque}");
    }
}

/// A profile that samples or computes a built-in law gives that law: 1e-10 asked.
#[test]
fn user_profiles_reproduce_the_built_in_laws() {
    let points = |list: &[[f64; 2]]| RadialProfile::from_points(list.to_vec()).unwrap();
    let function = |f: fn(f64) -> f64| RadialProfile::from_function(&[0.0, 1.0], f).unwrap();
    let cases = [
        (points(&[[0.0, 7.0], [1.0, 7.0]]), Pressure::Uniform),
        (points(&[[0.0, 1e300], [0.3, 1e300], [0.8, 1e300], [1.0, 1e300]]), Pressure::Uniform),
        (function(|_| 3.0), Pressure::Uniform),
        (function(|rho| 1.0 - rho * rho), Pressure::Parabolic),
        (function(|rho| 5e5 * (1.0 - rho * rho).sqrt()), Pressure::Hertz),
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for (profile, pressure) in cases {
        let (mine, exact) = (ball(Pressure::Profile(profile)), ball(pressure));
        for u in RATIOS.into_iter().chain([0.999999, 1.0, 1.000001]) {
            let ((t_1, tau_1), (t_2, tau_2)) = (boundary(&mine, u), boundary(&exact, u));
            assert!((t_1 / t_2 - 1.0).abs() < 1e-10, "u = {u}: {t_1} {t_2}, {exact:?}");
            assert!((tau_1 / tau_2 - 1.0).abs() < 1e-10, "u = {u}: {tau_1} {tau_2}, {exact:?}");
        }
        for _ in 0..1000 {
            let x = [(); 3].map(|()| 4.0 * random.f64() - 2.0);
            let (mut y, mut z) = (x, x);
            mine.prox(1.0, &mut y);
            exact.prox(1.0, &mut z);
            assert!((0..3).all(|i| (y[i] - z[i]).abs() < 1e-10), "{x:?}: {y:?} {z:?}");
        }
    }
}

/// A ring, a step and a cone: jumps and kinks within the disk, against direct integration.
#[test]
fn profiles_with_jumps_and_kinks() {
    // The direct integral is only algebraically accurate for these; the prox properties and a
    // superposition of disks are not.  Step = disk of radius 1/2 on a disk of radius 1.
    let step = RadialProfile::from_points(vec![[0.0, 3.0], [0.5, 3.0], [0.5, 1.0], [1.0, 1.0]]);
    let step = ball(Pressure::Profile(step.unwrap()));
    let disk = ball(Pressure::Uniform);
    for u in RATIOS.into_iter().chain([0.499, 0.5, 0.501]) {
        // Forces 2·(1/4) and 1 of 3/2; the small disk sees u relative to its radius.
        let ((t_1, tau_1), (t_2, tau_2)) = (boundary(&disk, 2.0 * u), boundary(&disk, u));
        let (force, torque) = ((0.5 * t_1 + t_2) / 1.5, (0.25 * tau_1 + tau_2) / 1.5);
        let (b_t, b_tau) = boundary(&step, u);
        assert!((b_t / force - 1.0).abs() < 1e-12, "u = {u}: {b_t} {force}");
        assert!((b_tau / torque - 1.0).abs() < 1e-12, "u = {u}: {b_tau} {torque}");
    }
    // Kinks: the sampled parabola tends to the parabola with the square of the spacing.
    let error = |n: usize| {
        let sample = |k: usize| {
            let rho = k as f64 / n as f64;
            [rho, 1.0 - rho * rho]
        };
        let sampled = RadialProfile::from_points((0..=n).map(sample).collect()).unwrap();
        let (t_1, _) = boundary(&ball(Pressure::Profile(sampled)), 0.7);
        (t_1 - boundary(&ball(Pressure::Parabolic), 0.7).0).abs()
    };
    let (coarse, fine) = (error(8), error(32));
    assert!(fine < 1e-3 && (12.0..20.0).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}

#[test]
fn profiles_are_checked() {
    let message = |points: &[[f64; 2]]| RadialProfile::from_points(points.to_vec()).unwrap_err();
    assert!(message(&[[0.0, 1.0]]).contains("2 to"));
    assert!(message(&[[0.1, 1.0], [1.0, 1.0]]).contains("from 0.1"));
    assert!(message(&[[0.0, 1.0], [0.6, 1.0], [0.5, 1.0], [1.0, 1.0]]).contains("0.5"));
    assert!(message(&[[0.0, 1.0], [1.0, -1.0]]).contains("-1 at radius 1"));
    assert!(message(&[[0.0, f64::NAN], [1.0, 1.0]]).contains("NaN"));
    assert!(message(&[[0.0, 0.0], [1.0, 0.0]]).contains("integral"));
    assert!(RadialProfile::from_function(&[0.0, 1.0], |rho| 0.5 - rho).is_err());
    assert!(RadialProfile::from_function(&[0.0, 1.0], |_| f64::NAN).is_err());
}

/// The series of Leine 2003 (eq. 2.18; 3.19 with the coefficient 729/32768 of Le Saux 2005,
/// eq. 2.31) are approximations: at most 0.2 and 0.4 per cent too small. That is why they are not used.
#[test]
fn the_series_of_the_papers_are_off() {
    let poly = |x2: f64, c: [f64; 3]| x2 * (c[0] + x2 * (c[1] + x2 * c[2]));
    let uniform = |xi: f64, eta: f64| {
        if xi <= 1.0 - 1.0 / 8.0 - 1.0 / 64.0 {
            2.25 * eta * eta + poly(xi * xi, [1.5, -15.0 / 32.0, -5.0 / 128.0])
        } else {
            xi * xi + poly(eta * eta, [4.0, -20.0 / 3.0, 40.0 / 9.0])
        }
    };
    let (xi_star, eta_star) = (9.0 * PI / 32.0, 9.0 * PI / 128.0);
    let hertz = |xi: f64, eta: f64| {
        if xi <= xi_star {
            let (xi, eta) = (xi / xi_star, eta / eta_star);
            let low = [9.0 / 8.0, -243.0 / 1024.0, -729.0 / 32768.0];
            9.0 / 64.0 * eta * eta + poly(xi * xi, low)
        } else {
            xi * xi + poly(eta * eta, [5.0, -75.0 / 7.0, 1250.0 / 147.0])
        }
    };
    type Series<'a> = &'a dyn Fn(f64, f64) -> f64;
    let cases: [(Pressure, Series, f64); 2] =
        [(Pressure::Uniform, &uniform, -0.002), (Pressure::Hertz, &hertz, -0.004)];
    for (pressure, series, expected) in cases {
        let set = ball(pressure);
        let mut worst = 0.0_f64;
        for k in 1..2000 {
            let angle = 0.5 * PI * k as f64 / 2000.0;
            // Where the ray meets the series: bisect.
            let (mut low, mut high) = (0.3, 1.2);
            for _ in 0..60 {
                let r = 0.5 * (low + high);
                let inside = series(r * angle.cos(), r * angle.sin()) <= 1.0;
                if inside { low = r } else { high = r }
            }
            let error = set.gauge(&[low * angle.cos(), 0.0, low * angle.sin()]) - 1.0;
            if error.abs() > worst.abs() {
                worst = error;
            }
        }
        assert!(worst < 0.5 * expected && worst > 1.5 * expected, "{worst}");
    }
}

/// Möller 2009, sec. 5: the ellipsoid with the same axes contains the Hertz ball and is up to 6.4 %
/// larger (errata: measured in the gauge).
#[test]
fn the_ellipsoid_contains_the_ball() {
    let set = ball(Pressure::Hertz);
    let mut largest = 1.0_f64;
    for k in 0..=1000 {
        let angle = 0.5 * PI * k as f64 / 1000.0;
        let x = [angle.cos(), 0.0, 3.0 * PI / 16.0 * angle.sin()];
        let gauge = set.gauge(&x);
        assert!(gauge >= 1.0 - 1e-14);
        largest = largest.max(gauge);
    }
    assert!((largest - 1.064).abs() < 5e-4, "{largest}");
}
