//! Complete elliptic integrals in the combinations that the pressure integrals need.

/// B = (E − (1−k²) K)/k², D = (K − E)/k² and E at modulus k ∈ [0, 1), given k² and 1 − k² > 0.
///
/// By the arithmetic-geometric mean; B and D are free of the cancellation of their definitions
/// at k → 0. K = B + D grows like a logarithm at k → 1.
pub(super) fn elliptic(k2: f64, complement: f64) -> Elliptic {
    let (mut a, mut g) = (1.0_f64, complement.sqrt());
    // sum of 2^(n−1) c_n²/k² with c_0 = k, c_n = c_{n−1}²/(4 a_n): D = K·sum.
    let mut c2 = k2;
    let (mut sum, mut power) = (0.5, 1.0);
    for _ in 0..40 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
        c2 = c2 / a * (c2 / a) / 16.0;
        let term = if k2 > 0.0 { power * (c2 / k2) } else { 0.0 };
        sum += term;
        power *= 2.0;
        if term <= 1e-17 * sum {
            break;
        }
    }
    let k = std::f64::consts::FRAC_PI_2 / (0.5 * (a + g));
    let d = k * sum;
    let b = k - d;
    Elliptic { b, d, e: b + complement * d }
}

/// See [`elliptic`].
pub(super) struct Elliptic {
    pub b: f64,
    pub d: f64,
    pub e: f64,
}
