//! Stability of the upright Tippe-Top (Leine 2003, sec. 5.5).

use crate::oracles::{FrictionLaw, TippeTop, TippeTopParameters};
use crate::support::*;
use std::f64::consts::PI;
use stickslip::system::State;
use stickslip_papers::polynomial::{Complex, evaluate, roots};
use stickslip_papers::top_stability::{SpinningTop, StabilityRegion, slip_slope};

fn body() -> SpinningTop {
    SpinningTop::on_body(&TippeTopParameters::default())
}

fn stick() -> SpinningTop {
    SpinningTop::on_stick(&TippeTopParameters::default())
}

#[test]
fn critical_speeds_are_the_reference_values() {
    // (5.35); reference data: 21.69977 and 88.10743 rad/s, five digits after the point. Asked: 1e-6
    // relative to the closed form ω_k² = 470.88 s⁻² (body).
    assert_close(body().critical_speed().unwrap(), 470.88_f64.sqrt(), 1e-12);
    assert_close(body().critical_speed().unwrap(), 21.69977, 5e-6);
    assert_close(stick().critical_speed().unwrap(), 88.10743, 5e-6);
}

#[test]
fn the_growth_rate_changes_sign_at_the_critical_speed() {
    // At ω_k one eigenvalue is i r ω₀/h exactly (5.32); the body loses stability above it, the
    // stick below it. Round-off of roots of size 1e3: 1e-10.
    for (top, sign) in [(body(), 1.0), (stick(), -1.0)] {
        let critical = top.critical_speed().unwrap();
        let at = top.eigenvalues(critical).unwrap();
        assert_eq!(at.len(), 3);
        assert_close(at[0].re, 0.0, 1e-10);
        assert_close(at[0].im, top.radius / top.height() * critical, 1e-9);
        for factor in [0.2, 0.9, 0.999, 1.001, 1.1, 3.0] {
            let growth = top.eigenvalues(factor * critical).unwrap()[0].re;
            assert_eq!(growth < 0.0, top.is_stable(factor * critical));
            assert!(growth * sign * (factor - 1.0) > 0.0, "{factor}: {growth}");
        }
        // The sense of the spin does not matter.
        let (left, right) = (top.eigenvalues(-70.0).unwrap(), top.eigenvalues(70.0).unwrap());
        assert_close(left[0].re, right[0].re, 1e-10);
    }
}

#[test]
fn the_diagram_has_four_regions() {
    // Fig. 11: h/r over I₃/I₁, divided by h/r = 1 and h/r = I₁/I₃; a signs the weight.
    assert_eq!(body().region(), StabilityRegion::StableBelow); // h/r = 0.8, I₃/I₁ = 0.875
    assert_eq!(stick().region(), StabilityRegion::StableAbove); // h/r = 4.2
    let with = |height_ratio: f64, inertia_ratio: f64| SpinningTop {
        offset: 0.015 * (1.0 - height_ratio),
        inertia_axial: 8e-7 * inertia_ratio,
        ..body()
    };
    let mut seen = [0; 4];
    for i in 1..40 {
        for j in 1..20 {
            let (x, y) = (0.05 * i as f64 + 0.011, 0.1 * j as f64 + 0.007);
            let top = with(x, y);
            let (slow, fast) = (top.is_stable(1e-6), top.is_stable(1e6));
            let region = top.region();
            seen[region as usize] += 1;
            let expected = match region {
                StabilityRegion::NeverStable => (false, false),
                StabilityRegion::StableAbove => (false, true),
                StabilityRegion::AlwaysStable => (true, true),
                StabilityRegion::StableBelow => (true, false),
            };
            assert_eq!((slow, fast), expected, "h/r = {x}, I3/I1 = {y}");
            assert_eq!(top.critical_speed().is_some(), slow != fast);
            // The eigenvalues say the same at a moderate spin.
            let growth = top.eigenvalues(150.0).unwrap()[0].re;
            assert_eq!(growth < 0.0, top.is_stable(150.0), "h/r = {x}, I3/I1 = {y}: {growth}");
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn roots_are_roots_and_pure_rolling_is_the_limit() {
    let top = body();
    for spin in [0.1, 5.0, 21.7, 100.0, 180.0, 1000.0] {
        let polynomial = top.characteristic_polynomial(spin);
        for root in top.eigenvalues(spin).unwrap() {
            let size: f64 =
                (0..4).map(|k| polynomial[3 - k].abs() * root.abs().powi(k as i32)).sum();
            assert!(evaluate(&polynomial, root).abs() < 1e-14 * size);
        }
        // (5.36), (5.37): R → 0 leaves the two imaginary roots of pure rolling.
        let point = SpinningTop { contact_radius: 0.0, ..top };
        let rolling = point.eigenvalues(spin).unwrap();
        assert_eq!(rolling.len(), 2);
        let a = 8e-7 + 6e-3 * 0.012_f64.powi(2);
        let b = (7e-7 + 6e-3 * 0.012 * 0.015) * spin;
        let c = 0.003 * 6e-3 * 9.81;
        let (mean, half) = (b / (2.0 * a), (b * b / (4.0 * a * a) + c / a).sqrt());
        for root in rolling {
            assert_close(root.re, 0.0, 1e-12 * half);
            assert_close((root.im - mean).abs(), half, 1e-12 * half);
        }
    }
    assert_eq!(roots(&[Complex::default(), Complex::new(1.0, 0.0)]), None);
    assert_eq!(roots(&[]), None);
    let triple = roots(&[1.0, -3.0, 3.0, -1.0].map(|c| Complex::new(c, 0.0))).unwrap();
    assert!(triple.iter().all(|y| (*y - Complex::new(1.0, 0.0)).abs() < 1e-4)); // cube root of round-off
}

#[test]
fn the_slip_slope_is_the_one_of_the_contact_area() {
    // F = µλ_N ∫ σ (v + ω × ρ)/|v + ω × ρ| dA for a small slip by quadrature. Linearisation costs
    // u²/4 = 1e-4 at u = v/(ωR) = 0.02 (5.23), the grid less than 1e-3.
    let u: f64 = 0.02;
    type Pressure = fn(f64) -> f64;
    let pressures: [(FrictionLaw, Pressure); 3] = [
        (FrictionLaw::ContensouHertz, |x| 1.5 / PI * (1.0 - x * x).sqrt()),
        (FrictionLaw::ContensouUniform, |_| 1.0 / PI),
        (FrictionLaw::ContensouParabolic, |x| 2.0 / PI * (1.0 - x * x)),
    ];
    for (law, pressure) in pressures {
        let (rings, sectors) = (2000, 720);
        let mut force = 0.0;
        for i in 0..rings {
            let x = (i as f64 + 0.5) / rings as f64;
            for j in 0..sectors {
                let angle = 2.0 * PI * (j as f64 + 0.5) / sectors as f64;
                let (vx, vy) = (u - x * angle.sin(), x * angle.cos());
                let area = x / rings as f64 * 2.0 * PI / sectors as f64;
                force += pressure(x) * area * vx / vx.hypot(vy);
            }
        }
        let slope = slip_slope(law).unwrap();
        assert_close(force / u, slope, 1e-3 * slope);
    }
    assert_eq!(slip_slope(FrictionLaw::Coulomb), None);
    // (5.25) with 3π/8 instead of the printed 3/(8π).
    let viscosity = 0.3 * 6e-3 * 9.81 * 3.0 * PI / 8.0 / (100.0 * 5e-4);
    assert_close(body().slip_viscosity(100.0).unwrap(), viscosity, 1e-15);
}

#[test]
fn the_full_model_follows_the_eigenmode() {
    // The quaternion model with λ_T = −ε γ_T and λ_N = m g, started in the growing mode of (5.28)
    // with the small tilt ξ = α + iβ of the axis b = (β, −α, 1): after 0.1 s the tilt is
    // ξ₀ e^{λt}. Second-order terms are (1e-6)² and the spin is constant; RK4 errors with 2e-5 s
    // are 1e-9: tolerance 1e-5 of the tilt.
    let model = TippeTop::new(TippeTopParameters::default()).unwrap();
    let (top, spin, tilt) = (body(), 100.0, 1e-6);
    let eps = top.slip_viscosity(spin).unwrap();
    for lambda in top.eigenvalues(spin).unwrap() {
        // First row of (5.28): (m λ + ε) w = −ε (i h λ + r ω₀) ξ.
        let (h, r) = (top.height(), top.radius);
        let drive = Complex::new(0.0, h) * lambda + Complex::new(r * spin, 0.0);
        let w = drive.times(-eps * tilt).over(lambda.times(top.mass) + Complex::new(eps, 0.0));
        let xi_dot = lambda.times(tilt);
        // ξ₀ = tilt is a turn α about x; the angular velocity is (α̇, β̇) across, the spin along b.
        let half = 0.5 * tilt;
        let axis = [0.0, -tilt, 1.0];
        let omega = [xi_dot.re, xi_dot.im + spin * axis[1], spin];
        let q = vec![0.0, 0.0, h, half.cos(), half.sin(), 0.0, 0.0];
        let mut at = State { t: 0.0, q, u: vec![w.re, w.im, 0.0, 0.0, 0.0, 0.0], memory: vec![] };
        let r_matrix =
            stickslip::kinematics::quaternion::rotation(&[half.cos(), half.sin(), 0.0, 0.0]);
        let body_omega = stickslip::kinematics::vector::apply_transposed(&r_matrix, &omega);
        at.u[3..].copy_from_slice(&body_omega);
        let force = |s: &State| {
            let gamma = contacts(&model, s)[0].velocities(&s.u);
            let lambda = vec![6e-3 * 9.81, -eps * gamma[1], -eps * gamma[2], 0.0];
            acceleration(&model, s, &[(0, lambda)])
        };
        let (end, steps) = (0.1, 5000);
        for _ in 0..steps {
            at = rk4_step(&model, &at, end / steps as f64, &force);
        }
        let r_matrix =
            stickslip::kinematics::quaternion::rotation(&[at.q[3], at.q[4], at.q[5], at.q[6]]);
        let xi = Complex::new(-r_matrix[1][2], r_matrix[0][2]);
        let expected = lambda.times(end).exp().times(tilt);
        let error = (xi - expected).abs();
        assert!(error < 1e-5 * tilt.max(expected.abs()), "{lambda:?}: {xi:?} {expected:?}");
    }
}
