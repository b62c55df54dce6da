//! Nearest point of an axis-aligned ellipsoid: one scalar (secular) equation.
//!
//! With the semi-axes b_i = s a_i the nearest point to an outside x is
//!
//! ```text
//! p_i = b_i w_i,    w_i = b_i x_i/(b_i² + t),    |w(t)| = 1,    t > 0
//! ```
//!
//! because x − p is t times the normal p_i/b_i². Lengths are measured in M = max(|x|, b) and
//! t in M·b (b the longest semi-axis), so that no square overflows or underflows whatever the
//! size of x and of s: with β_i = b_i/b, y = x/M, k = b/M
//!
//! ```text
//! w_i = c_i/(d_i + τ),      c_i = β_i y_i,      d_i = k β_i²
//! ```
//!
//! 1/|w(τ)| is increasing and concave, so Newton's method for 1/|w| = 1 climbs monotonically to
//! the root from every start below it, and the lower bounds used here are such starts.

/// Largest dimension of ellipsoids and linear images: they live without heap memory.
pub(super) const MAX_DIM: usize = 4;

/// A semi-axis at most this part of the longest one counts as 0.
pub(super) const FLAT: f64 = 1e-100;

/// The nearest boundary point of an ellipsoid, with what its derivative needs.
pub(super) struct Footpoint {
    /// The unit vector w: the point itself is p_i = s a_i w_i.
    unit: [f64; MAX_DIM],
    /// β_i; 0 for flat axes.
    beta: [f64; MAX_DIM],
    /// d_i + τ.
    slope: [f64; MAX_DIM],
    /// k.
    ratio: f64,
    /// The longest semi-axis of C(1).
    longest: f64,
}

/// The longest semi-axis, and up to which length one counts as 0.
fn longest_and_flat(axes: &[f64]) -> (f64, f64) {
    let longest = axes.iter().fold(0.0_f64, |m, a| m.max(*a));
    (longest, FLAT * longest)
}

/// Replaces x by the nearest point of the ellipsoid with semi-axes `scale`·`axes`; says whether
/// x was changed.
pub(super) fn project(axes: &[f64], scale: f64, x: &mut [f64]) -> bool {
    if let Some(foot) = footpoint(axes, scale, x) {
        for i in 0..axes.len() {
            let length = scale * axes[i];
            x[i] = if length.is_finite() {
                length * foot.unit[i]
            } else {
                scale * (axes[i] * foot.unit[i])
            };
        }
        return true;
    }
    let (_, flat) = longest_and_flat(axes);
    let mut changed = false;
    for i in 0..axes.len() {
        if axes[i] <= flat && x[i] != 0.0 {
            x[i] = 0.0;
            changed = true;
        }
    }
    changed
}

/// Derivative of [`project`], laid out as in [`super::ConvexSet::prox_derivative`].
///
/// With E_i = b_i²/(b_i² + t) and the normal n_i = p_i/b_i², the constraint nᵀ dp = ds/s gives
///
/// ```text
/// dp/dx = E − E n nᵀ E/(nᵀ E n),      dp/ds = E n/(s nᵀ E n)
/// ```
///
/// written without the differences of nearly equal numbers and without dividing by s.
pub(super) fn project_derivative(
    axes: &[f64],
    scale: f64,
    x: &[f64],
    d_x: &mut [f64],
    d_scale: &mut [f64],
) {
    let n = axes.len();
    d_x.fill(0.0);
    d_scale.fill(0.0);
    let Some(foot) = footpoint(axes, scale, x) else {
        // Scaled by 0 every axis is flat.
        let (_, flat) = longest_and_flat(axes);
        for i in 0..n {
            d_x[i * n + i] = if axes[i] > flat && scale > 0.0 { 1.0 } else { 0.0 };
        }
        return;
    };
    // weight_i = E_i n_i² and push_i = E_i n_i, up to common factors that cancel below.
    let mut weight = [0.0; MAX_DIM];
    let mut push = [0.0; MAX_DIM];
    for i in 0..n {
        push[i] = foot.beta[i] * foot.unit[i] / foot.slope[i];
        weight[i] = foot.unit[i] * foot.unit[i] / foot.slope[i];
    }
    let total: f64 = weight.iter().sum();
    for i in 0..n {
        d_scale[i] = foot.longest * (push[i] / total);
        for j in 0..n {
            d_x[i * n + j] = -foot.ratio * push[i] * (push[j] / total);
        }
        let others: f64 = (0..n).filter(|j| *j != i).map(|j| weight[j]).sum();
        let contraction = foot.ratio * foot.beta[i] * foot.beta[i] / foot.slope[i];
        d_x[i * n + i] = contraction * (others / total);
    }
}

/// The nearest boundary point; none if the components of x along the axes that are not flat lie
/// inside.
fn footpoint(axes: &[f64], scale: f64, x: &[f64]) -> Option<Footpoint> {
    let n = axes.len();
    let (longest, flat) = longest_and_flat(axes);
    let mut size = 0.0_f64;
    for i in 0..n {
        if axes[i] > flat {
            size = size.max(x[i].abs());
        }
    }
    if size == 0.0 {
        return None;
    }
    let reach = scale * longest;
    let (ratio, unit) = if reach >= size { (1.0, reach) } else { (reach / size, size) };
    let inverse_unit = 1.0 / unit;
    let in_units = |x: f64| {
        if inverse_unit.is_normal() {
            x * inverse_unit
        } else if reach >= size {
            x / scale / longest
        } else {
            x / size
        }
    };

    // Neighbouring axes of equal length share one term: the friction ellipsoid (μ, μ, μ R̄) of
    // Möller 2009, eq. 55 needs two.
    let mut foot = Footpoint {
        unit: [0.0; MAX_DIM],
        beta: [0.0; MAX_DIM],
        slope: [1.0; MAX_DIM],
        ratio,
        longest,
    };
    let mut group = [0; MAX_DIM];
    let mut beta = [0.0; MAX_DIM];
    let mut y = [0.0_f64; MAX_DIM];
    let mut count = 0;
    for i in 0..n {
        if axes[i] <= flat {
            continue;
        }
        let y_i = in_units(x[i]);
        foot.unit[i] = y_i;
        if i > 0 && count > 0 && axes[i] == axes[i - 1] {
            let y_g = &mut y[count - 1];
            *y_g = (*y_g * *y_g + y_i * y_i).sqrt();
        } else {
            beta[count] = axes[i] / longest;
            y[count] = y_i.abs();
            count += 1;
        }
        group[i] = count - 1;
        foot.beta[i] = beta[count - 1];
    }
    let root = secular_root(ratio, &beta[..count], &y[..count])?;
    for i in 0..n {
        if foot.beta[i] > 0.0 {
            foot.slope[i] = ratio * foot.beta[i] * foot.beta[i] + root;
            foot.unit[i] *= beta[group[i]] / foot.slope[i];
        }
    }
    Some(foot)
}

/// The root τ ≥ 0 of Σ (c_i/(d_i + τ))² = 1 with c_i = β_i y_i, d_i = k β_i²; none if the point
/// is inside.
fn secular_root(ratio: f64, beta: &[f64], y: &[f64]) -> Option<f64> {
    let count = beta.len();
    let mut gauge_squared = 0.0;
    let mut c = [0.0; MAX_DIM];
    let mut d = [0.0; MAX_DIM];
    let (mut c_squared, mut d_largest, mut tau) = (0.0, 0.0_f64, 0.0_f64);
    for i in 0..count {
        if y[i] > 0.0 {
            let r = y[i] / (ratio * beta[i]);
            gauge_squared += r * r;
        }
        c[i] = beta[i] * y[i];
        d[i] = ratio * beta[i] * beta[i];
        c_squared += c[i] * c[i];
        d_largest = d_largest.max(d[i]);
        // No single term exceeds 1 at the root.
        tau = tau.max(beta[i] * (y[i] - ratio * beta[i]));
    }
    if gauge_squared <= 1.0 {
        return None;
    }
    tau = tau.max(c_squared.sqrt() - d_largest);
    // Measured on random points: 2 steps in the mean, at most 9 for axes in ratios up to 100, 18
    // up to 1e24, 22 up to 1e100. The bound only guards the loop.
    for _ in 0..64 {
        let (mut w_squared, mut slope) = (0.0, 0.0);
        for i in 0..count {
            let inverse = 1.0 / (d[i] + tau);
            let w = c[i] * inverse;
            w_squared += w * w;
            slope += w * w * inverse;
        }
        let length: f64 = w_squared.sqrt();
        let excess = length - 1.0;
        if excess <= 2.0 * f64::EPSILON {
            break;
        }
        tau += excess * w_squared / slope;
    }
    Some(tau)
}
