//! Property checks that hold for the prox of every convex set.
//!
//! Each check takes a relative tolerance `eps`, which is the accuracy that the set claims: a few
//! machine epsilons for closed forms, more where a condition number enters.

use fastrand::Rng;
use stickslip::convex::ConvexSet;

/// Random points per set.
const POINTS: usize = 100_000;

pub fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// a + t b.
pub fn along(a: &[f64], t: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + t * y).collect()
}

pub fn prox(set: &dyn ConvexSet, scale: f64, x: &[f64]) -> Vec<f64> {
    let mut p = x.to_vec();
    set.prox(scale, &mut p);
    p
}

pub fn derivative(set: &dyn ConvexSet, scale: f64, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = set.dim();
    // Poisoned, to see that every entry is written.
    let (mut d_x, mut d_s) = (vec![f64::NAN; n * n], vec![f64::NAN; n]);
    set.prox_derivative(scale, x, &mut d_x, &mut d_s);
    (d_x, d_s)
}

/// Random vector with components in [-1, 1], some of them 0.
pub fn direction(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| if rng.u8(..10) == 0 { 0.0 } else { 2.0 * rng.f64() - 1.0 }).collect()
}

/// 10^u with u uniform in [low, high].
pub fn magnitude(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10_f64.powf(low + (high - low) * rng.f64())
}

/// Half widths of C(1) along the coordinate axes; 1 where unbounded or flat.
fn widths(set: &dyn ConvexSet) -> Vec<f64> {
    let n = set.dim();
    (0..n)
        .map(|i| {
            let mut e = vec![0.0; n];
            e[i] = 1.0;
            let width = set.support(1.0, &e);
            if width.is_finite() && width > 0.0 { width } else { 1.0 }
        })
        .collect()
}

/// Random point: near the set in most cases, of any magnitude in the others.
fn point(rng: &mut Rng, scale: f64, widths: &[f64]) -> Vec<f64> {
    let n = widths.len();
    let mut x = direction(rng, n);
    let reach = match rng.u8(..10) {
        0 => magnitude(rng, -8.0, 8.0),
        _ if scale > 0.0 => scale * magnitude(rng, -1.5, 1.5),
        _ => 1.0,
    };
    let any = rng.u8(..10) == 0;
    for i in 0..n {
        let spread = if any { magnitude(rng, -8.0, 8.0) } else { 1.0 };
        x[i] *= reach * widths[i] * spread;
    }
    x
}

/// All checks. `seed` makes the points reproducible.
pub fn check(name: &str, set: &dyn ConvexSet, eps: f64, seed: u64) {
    check_points(name, set, eps, 0.0, seed);
}

/// The same for a set with straight edges that stand oblique to the axes: along them the prox passes on the
/// rounding of a far point as it is, which curved borders shrink.
pub fn check_straight(name: &str, set: &dyn ConvexSet, eps: f64, seed: u64) {
    check_points(name, set, eps, 4.0 * f64::EPSILON, seed);
}

fn check_points(name: &str, set: &dyn ConvexSet, eps: f64, passed_on: f64, seed: u64) {
    set.validate().unwrap_or_else(|message| panic!("{name}: {message}"));
    let mut rng = Rng::with_seed(seed);
    let widths = widths(set);
    let (mut outside, mut compared) = (0, 0);
    for _ in 0..POINTS {
        let scale = if rng.u8(..20) == 0 { 0.0 } else { magnitude(&mut rng, -8.0, 8.0) };
        let x = point(&mut rng, scale, &widths);
        let p = prox(set, scale, &x);
        let what = format!("{name}: scale {scale:e}, x {x:?}, prox {p:?}");
        if p != x {
            outside += 1;
        }
        members(set, scale, &x, &p, eps, &what);
        nearest(&mut rng, set, scale, &x, &p, &widths, eps, &what);
        equivariant(&mut rng, set, scale, &x, &p, [eps, passed_on], &what);
        compared += differentiable(&mut rng, set, scale, &x, &p, &widths, eps, &what) as usize;
        supported(&mut rng, set, scale, &widths, eps, &what);
    }
    extremes(name, set);
    eprintln!("{name}: {outside} of {POINTS} points outside, {compared} derivatives compared");
    // Kinks have measure zero; the finite-difference stencil meets few of them.
    assert!(compared > POINTS * 8 / 10, "{name}: only {compared} derivatives compared");
    // Free space has no outside, of a half line it is a half.
    if widths.iter().any(|w| *w != 1.0) {
        assert!(outside > POINTS / 10, "{name}: only {outside} points outside");
    }
}

/// The result is inside, stays where it is, and gauge and membership agree with the prox.
fn members(set: &dyn ConvexSet, scale: f64, x: &[f64], p: &[f64], eps: f64, what: &str) {
    assert!(set.contains(scale, p, eps), "not inside (gauge {:e}): {what}", set.gauge(p));
    let again = prox(set, scale, p);
    assert!(norm(&minus(&again, p)) <= eps * norm(p), "not idempotent ({again:?}): {what}");
    let gauge = set.gauge(x);
    assert!(gauge >= 0.0, "gauge {gauge}: {what}");
    if gauge <= scale * (1.0 - eps) {
        assert!(p == x, "gauge {gauge:e} says inside: {what}");
    }
    if gauge > scale * (1.0 + eps) {
        assert!(p != x, "gauge {gauge:e} says outside: {what}");
    }
    if gauge > 0.0 && gauge < f64::INFINITY {
        // x lies on the boundary of C(gauge) and outside of a smaller one.
        assert!(set.contains(gauge, x, eps), "gauge {gauge:e} too small: {what}");
        let moved = minus(&prox(set, 0.99 * gauge, x), x);
        assert!(norm(&moved) > 0.0, "gauge {gauge:e} too large: {what}");
        let double: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
        let error = (set.gauge(&double) - 2.0 * gauge).abs();
        assert!(error <= eps * gauge, "gauge not homogeneous: {what}");
    }
}

/// Variational inequality against random members, firm nonexpansiveness, and that all points of
/// the normal ray share their nearest point (which sees errors of first order).
fn nearest(
    rng: &mut Rng,
    set: &dyn ConvexSet,
    scale: f64,
    x: &[f64],
    p: &[f64],
    widths: &[f64],
    eps: f64,
    what: &str,
) {
    let normal = minus(x, p);
    for _ in 0..4 {
        let z = point(rng, scale, widths);
        let y = prox(set, scale, &z);
        let to_y = minus(&y, p);
        // x − p carries the rounding of x, p its own.
        let allowed = eps * norm(x) * (norm(p) + norm(&to_y));
        assert!(dot(&normal, &to_y) <= allowed, "nearer is {y:?}: {what}");
        let (d_x, d_p) = (minus(x, &z), minus(p, &y));
        let slack = eps * (norm(x) + norm(&z)) * (norm(&d_x) + norm(&d_p));
        assert!(dot(&d_p, &d_p) <= dot(&d_x, &d_p) + slack, "expansive with {z:?}: {what}");
    }
    for t in [0.5, 2.0] {
        let other = prox(set, scale, &along(p, t, &normal));
        let error = norm(&minus(&other, p));
        assert!(error <= 4.0 * eps * norm(x), "ray at {t} hits {other:?}: {what}");
    }
}

/// prox_{C(ks)}(kx) = k prox_{C(s)}(x).
fn equivariant(
    rng: &mut Rng,
    set: &dyn ConvexSet,
    scale: f64,
    x: &[f64],
    p: &[f64],
    [eps, passed_on]: [f64; 2],
    what: &str,
) {
    let k = magnitude(rng, -3.0, 3.0);
    let scaled: Vec<f64> = x.iter().map(|v| k * v).collect();
    let q = prox(set, k * scale, &scaled);
    let expected: Vec<f64> = p.iter().map(|v| k * v).collect();
    assert!(
        norm(&minus(&q, &expected)) <= eps * norm(&expected) + passed_on * norm(&scaled),
        "not equivariant by {k:e} ({q:?}): {what}"
    );
}

/// The derivative is homogeneous, symmetric, between 0 and 1, and agrees with finite differences
/// of the prox along a random direction of (x, s). Says whether finite differences could be
/// compared: not across kinks.
fn differentiable(
    rng: &mut Rng,
    set: &dyn ConvexSet,
    scale: f64,
    x: &[f64],
    p: &[f64],
    widths: &[f64],
    eps: f64,
    what: &str,
) -> bool {
    let n = set.dim();
    let apply = |d: &(Vec<f64>, Vec<f64>), v: &[f64], v_s: f64| -> Vec<f64> {
        (0..n).map(|i| dot(&d.0[i * n..(i + 1) * n], v) + d.1[i] * v_s).collect()
    };
    let here = derivative(set, scale, x);
    assert!(here.0.iter().chain(&here.1).all(|v| v.is_finite()), "derivative {here:?}: {what}");
    let euler = apply(&here, x, scale);
    let size = norm(p) + norm(&here.0) * norm(x) + norm(&here.1) * scale;
    assert!(norm(&minus(&euler, p)) <= eps * size, "not homogeneous ({euler:?}): {what}");
    for i in 0..n {
        for j in 0..i {
            let difference = (here.0[i * n + j] - here.0[j * n + i]).abs();
            assert!(difference <= eps * norm(&here.0), "not symmetric {here:?}: {what}");
        }
    }
    let mut v = direction(rng, n);
    let quadratic = dot(&v, &apply(&here, &v, 0.0));
    let v_squared = dot(&v, &v);
    assert!(
        quadratic >= -eps * v_squared && quadratic <= (1.0 + eps) * v_squared,
        "not between 0 and 1 {here:?}: {what}"
    );

    let size = norm(x);
    let h = 1e-6 * size;
    // A step in proportion to the components does not jump over a set that is thin compared with x.
    let thin = widths.iter().any(|w| h > 1e-3 * scale * w);
    if thin || rng.bool() {
        (0..n).for_each(|i| v[i] *= x[i].abs() / size.max(f64::MIN_POSITIVE));
    }
    let v_s = if scale > h { 2.0 * rng.f64() - 1.0 } else { 0.0 };
    let (after, before) = (along(x, h, &v), along(x, -h, &v));
    let (s_after, s_before) = (scale + h * v_s, scale - h * v_s);
    let slopes = [
        apply(&derivative(set, s_before, &before), &v, v_s),
        apply(&here, &v, v_s),
        apply(&derivative(set, s_after, &after), &v, v_s),
    ];
    let change = norm(&minus(&slopes[2], &slopes[0])) + norm(&minus(&slopes[1], &slopes[0]));
    if size == 0.0 || change > 1e-3 * norm(&slopes[1]) {
        return false;
    }
    let ends = minus(&prox(set, s_after, &after), &prox(set, s_before, &before));
    // Simpson's rule for the integral of the slope: exact but for its fourth derivative.
    let mut error = 0.0_f64;
    for i in 0..n {
        let mean = (slopes[0][i] + 4.0 * slopes[1][i] + slopes[2][i]) / 6.0;
        error = error.max((ends[i] / (2.0 * h) - mean).abs());
    }
    // The first term is the rounding of the difference, magnified by 1/h; the second covers the
    // curvature that the bound on `change` admits.
    let allowed = 4.0 * eps * norm(p) / h + 1e-6 * norm(&slopes[1]);
    assert!(error <= allowed, "derivative {here:?} off by {error:e} ({allowed:e}): {what}");
    true
}

/// The support function bounds ⟨y, v⟩ over random members and is attained.
fn supported(rng: &mut Rng, set: &dyn ConvexSet, scale: f64, widths: &[f64], eps: f64, what: &str) {
    let v = direction(rng, set.dim());
    let support = set.support(scale, &v);
    assert!(support >= 0.0, "support {support} of {v:?}: {what}");
    let y = prox(set, scale, &point(rng, scale, widths));
    let allowed = eps * norm(&y) * norm(&v);
    assert!(dot(&y, &v) <= support + allowed, "support {support:e} of {v:?}, {y:?}: {what}");
    if support.is_finite() && support > 0.0 {
        // The nearest point to a far point along v: misses the support by |p|²/distance.
        let far = 1e18 * scale * widths.iter().fold(0.0_f64, |m, w| m.max(*w));
        let p = prox(set, scale, &along(&vec![0.0; v.len()], far / norm(&v), &v));
        let missing = support - dot(&p, &v);
        let allowed = eps * (support + norm(&p) * norm(&v));
        assert!(missing <= allowed, "support {support:e} of {v:?} not attained by {p:?}: {what}");
    }
}

/// Zero, denormal and huge values give finite results.
fn extremes(name: &str, set: &dyn ConvexSet) {
    let values = [0.0, 5e-324, -1e-310, 1e-200, -1e-20, 1.0, -1e20, 1e200, -1e300, 1e300, f64::MAX];
    let scales = [0.0, 5e-324, 1e-310, 1e-200, 1e-20, 1.0, 1e20, 1e200, 1e300];
    let n = set.dim();
    for index in 0..values.len().pow(n as u32) {
        let mut rest = index;
        let x: Vec<f64> = (0..n)
            .map(|_| {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            })
            .collect();
        assert!(!set.gauge(&x).is_nan(), "{name}: gauge of {x:?}");
        for scale in scales {
            let p = prox(set, scale, &x);
            assert!(p.iter().all(|v| v.is_finite()), "{name}: scale {scale:e}, prox {x:?} = {p:?}");
            let d = derivative(set, scale, &x);
            assert!(
                d.0.iter().chain(&d.1).all(|v| v.is_finite()),
                "{name}: scale {scale:e}, x {x:?}: derivative {d:?}"
            );
            let support = set.support(scale, &x);
            assert!(support >= 0.0, "{name}: scale {scale:e}, support of {x:?} is {support}");
        }
    }
}
