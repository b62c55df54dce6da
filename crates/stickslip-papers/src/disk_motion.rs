//! A disk that rolls without slip (Le Saux 2005, sec. 5.1–5.4).
//!
//! Angles as in sec. 5.1: α the direction of the plane of the disk, β its inclination (0 upright),
//! γ the turn of the disk in its plane. The disk is uniform and thin: A = m r²/4, C = m r²/2.
//! g̃ = g/r is the only parameter.

/// Rates of the angles, rad/s, or their derivatives, rad/s².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Of α.
    pub alpha: f64,
    /// Of β.
    pub beta: f64,
    /// Of γ.
    pub gamma: f64,
}

/// Accelerations (α̈, β̈, γ̈) of pure rolling: (5.5)–(5.7), with γ̈ where γ̇ is printed in the
/// inertia terms, solved for the accelerations.
///
/// ```text
/// α̈ = −2 β̇ γ̇/cosβ                                                        (5.5) − (5.7) sinβ
/// β̈ = (α̇² sinβ + 6/5 α̇ γ̇) cosβ + 4/5 g̃ sinβ                             (5.6)
/// γ̈ = −α̈ sinβ − 5/3 α̇ β̇ cosβ                                            (5.7)
/// ```
///
/// Infinite at the flat position unless β̇ γ̇ = 0.
pub fn rolling_accelerations(gravity_over_radius: f64, beta: f64, rates: Rates) -> Rates {
    let (s, c) = beta.sin_cos();
    let turn = rates.beta * rates.gamma;
    let alpha = if turn == 0.0 { 0.0 } else { -2.0 * turn / c };
    Rates {
        alpha,
        beta: (rates.alpha * s + 1.2 * rates.gamma) * rates.alpha * c
            + 0.8 * gravity_over_radius * s,
        gamma: -alpha * s - 5.0 / 3.0 * rates.alpha * rates.beta * c,
    }
}

/// Circular rolling at the inclination β₀ with ρ = r/R, R the radius of the circle of the contact
/// point (5.11), (5.12); γ̇ positive. `None` if there is no such motion: it needs
/// 0 < β₀ < π/2 and 0 < ρ sinβ₀ < 6/5.
pub fn circular_rolling(gravity_over_radius: f64, beta: f64, rho: f64) -> Option<Rates> {
    let (s, c) = beta.sin_cos();
    let square = 4.0 * gravity_over_radius * s / ((6.0 - 5.0 * rho * s) * rho * c);
    let possible = s > 0.0 && c > 0.0 && rho > 0.0 && square > 0.0 && square.is_finite();
    let gamma = if possible { square.sqrt() } else { return None };
    Some(Rates { alpha: -rho * gamma, beta: 0.0, gamma })
}

/// Stationary rolling: circular rolling about a centre of mass at rest, ρ sinβ₀ = 1 (5.13), (5.14).
pub fn stationary_rolling(gravity_over_radius: f64, beta: f64) -> Option<Rates> {
    circular_rolling(gravity_over_radius, beta, 1.0 / beta.sin())
}

/// Square of the frequency of small nutations about circular rolling, rad²/s² (5.22); negative
/// where the motion is unstable.
pub fn nutation_squared(gravity_over_radius: f64, beta: f64, rates: Rates) -> f64 {
    let (s, c) = beta.sin_cos();
    rates.alpha * rates.alpha
        + (14.0 * rates.alpha * rates.gamma * s + 12.0 * rates.gamma * rates.gamma
            - 4.0 * gravity_over_radius * c)
            / 5.0
}

/// Nutation frequency, rad/s (5.22); `None` where circular rolling is unstable.
pub fn nutation_frequency(gravity_over_radius: f64, beta: f64, rates: Rates) -> Option<f64> {
    let square = nutation_squared(gravity_over_radius, beta, rates);
    (square >= 0.0).then(|| square.sqrt())
}

/// Feasibility χ of circular rolling under Coulomb's law (Le Saux 2005, eq. 5.28): tangential
/// force over friction limit, with the sign of β. Rolling without slip is feasible if |χ| ≤ 1.
///
/// ```text
/// χ = (1 − ρ sinβ) · 4 sinβ / ((6 − 5 ρ sinβ) cosβ) / µ,      ρ = −α̇/γ̇
/// ```
///
/// A disk at rest has 0; without friction the result is infinite.
pub fn feasibility(beta: f64, alpha_dot: f64, gamma_dot: f64, friction: f64) -> f64 {
    let (s, c) = beta.sin_cos();
    let numerator = 4.0 * s * (gamma_dot + alpha_dot * s);
    let denominator = (6.0 * gamma_dot + 5.0 * alpha_dot * s) * c * friction;
    if numerator == 0.0 { 0.0 } else { numerator / denominator }
}
