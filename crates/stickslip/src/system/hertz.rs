//! Size of a contact surface by the theory of Hertz (Leine 2003, eq. 3.2, 3.3).

use std::f64::consts::PI;

/// Radius of relative curvature of two bodies, m: 1/ρ* = 1/ρ₁ + 1/ρ₂. A plane has the radius ∞, a
/// hollow a negative one.
pub fn effective_radius(first: f64, second: f64) -> f64 {
    1.0 / (1.0 / first + 1.0 / second)
}

/// Effective modulus of elasticity of two bodies, Pa, from their (modulus of elasticity, Poisson
/// ratio): 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂ (Leine 2003, eq. 3.3). A rigid body has E = ∞.
pub fn effective_modulus(first: (f64, f64), second: (f64, f64)) -> f64 {
    let compliance = |(modulus, poisson): (f64, f64)| (1.0 - poisson * poisson) / modulus;
    1.0 / (compliance(first) + compliance(second))
}

/// Radius of the circular contact surface, m, under the normal force `load` (N): R³ = 3 ρ* λ_N/(4 E*)
/// (Leine 2003, eq. 3.2). 0 for a load that is not positive.
///
/// For hard bodies this is often less than the roughness of their surfaces, which then determines
/// the contact radius (Leine 2003, sec. 3.1).
pub fn hertz_contact_radius(load: f64, effective_radius: f64, effective_modulus: f64) -> f64 {
    (0.75 * effective_radius * load.max(0.0) / effective_modulus).cbrt()
}

/// Mean friction radius R̄ = 3πR/16 of the Hertz pressure on a contact surface of radius R: pure
/// drilling has the moment μ R̄ λ_N (Möller 2009, eq. 50).
pub fn hertz_mean_radius(contact_radius: f64) -> f64 {
    3.0 * PI / 16.0 * contact_radius
}
