//! Contact of a body away from the foot of its centre of mass, in the plane.
//!
//! A body of mass m and radius of gyration ρ touches with a point at the distance a of its centre of
//! mass, in any attitude θ. With κ = ρ²/a² and lengths in a, masses in m:
//!
//! ```text
//! G_NN = 1 + cos²θ/κ,    G_TT = 1 + sin²θ/κ,    G_NT = sin θ cos θ/κ
//! ```
//!
//! Friction can jam the contact where G_NN − μ|G_NT| ≤ 0 (the paradox of Painlevé): the smallest
//! value over all attitudes is 1 + (1 − √(1 + μ²))/(2κ), so that it needs μ ≥ 2√(κ(1 + κ)). For a
//! thin rod κ = 1/3 and μ ≥ 4/3.

use std::f64::consts::PI;

/// Least coefficient of friction with which Painlevé's paradox is possible, for κ = ρ²/a².
pub fn paradox_friction(kappa: f64) -> f64 {
    2.0 * (kappa * (1.0 + kappa)).sqrt()
}

/// Largest gain of kinetic energy in one impact by Newton's law with friction, relative to the
/// energy of the approach: over attitudes and directions of approach on a grid. Zero if energy is
/// never gained. Attitudes with Painlevé's paradox are left out.
///
/// Newton's coefficients say by how much relative velocities come back, not how much work is done;
/// where normal and tangential coefficients differ and friction couples both directions, the work
/// may be positive.
pub fn newton_energy_gain(kappa: f64, friction: f64, restitution: f64, tangential: f64) -> f64 {
    const STEPS: usize = 90;
    let mut largest = 0.0_f64;
    for attitude in 1..STEPS {
        let (sin, cos) = (PI * attitude as f64 / STEPS as f64).sin_cos();
        let (nn, tt, nt) = (1.0 + cos * cos / kappa, 1.0 + sin * sin / kappa, sin * cos / kappa);
        for direction in 1..STEPS {
            // Normal approach with speed 1, sliding speed from very slow to very fast.
            let angle = PI * (direction as f64 / STEPS as f64 - 0.5);
            let slip = angle.tan();
            if let Some(gain) = gain(nn, tt, nt, slip, friction, restitution, tangential) {
                largest = largest.max(gain);
            }
        }
    }
    // Below it is rounding.
    if largest > 1e-9 { largest } else { 0.0 }
}

/// Relative gain of one impact from γ = (−1, slip); none if it has no solution by friction.
fn gain(nn: f64, tt: f64, nt: f64, slip: f64, friction: f64, e_n: f64, e_t: f64) -> Option<f64> {
    let determinant = nn * tt - nt * nt;
    // Sticking: G P = −(1 + ε) γ in both directions.
    let (b_n, b_t) = (1.0 + e_n, -(1.0 + e_t) * slip);
    let (mut p_n, mut p_t) =
        ((tt * b_n - nt * b_t) / determinant, (nn * b_t - nt * b_n) / determinant);
    if !(p_n >= 0.0 && p_t.abs() <= friction * p_n) {
        // Slipping to one side: the friction force points against ξ_T = γ_T⁺ + ε_T γ_T⁻.
        let slipping = [1.0, -1.0].into_iter().find_map(|side| {
            let stiffness = nn - side * friction * nt;
            let p_n = b_n / stiffness;
            let p_t = -side * friction * p_n;
            let xi = (1.0 + e_t) * slip + nt * p_n + tt * p_t;
            (stiffness > 0.0 && xi * side >= 0.0).then_some((p_n, p_t))
        });
        (p_n, p_t) = slipping?;
    }
    let after_t = slip + nt * p_n + tt * p_t;
    let work = 0.5 * ((e_n - 1.0) * p_n + (slip + after_t) * p_t);
    let before = 0.5 * (tt + 2.0 * nt * slip + nn * slip * slip) / determinant;
    Some(work / before)
}
