//! The friction ball as a convex set: reference values, random properties, extreme input.

use std::f64::consts::PI;
use stickslip::convex::{ContensouBall, ConvexSet, Pressure, RadialProfile, Set};

fn ball(pressure: Pressure, friction: f64, contact_radius: f64) -> ContensouBall {
    ContensouBall { friction, contact_radius, pressure }
}

fn laws() -> [Pressure; 3] {
    [Pressure::Uniform, Pressure::Hertz, Pressure::Parabolic]
}

fn length(x: &[f64; 3]) -> f64 {
    (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt()
}

fn minus(x: &[f64; 3], y: &[f64; 3]) -> [f64; 3] {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

fn dot(x: &[f64; 3], y: &[f64; 3]) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn prox(set: &impl ConvexSet, scale: f64, x: &[f64; 3]) -> [f64; 3] {
    let mut y = *x;
    set.prox(scale, &mut y);
    y
}

/// Values of an independent implementation, printed with 13 decimals: 1e-12 leaves ten units of
/// the last one for points of size one.
#[test]
fn prox_matches_the_reference_table() {
    let table = include_str!("../data/prox_table.csv");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let pressure = match fields[0] {
            "uniform" => Pressure::Uniform,
            "hertz" => Pressure::Hertz,
            _ => continue,
        };
        assert_eq!(fields[1], "euclid");
        let n: Vec<f64> = fields[2..].iter().map(|f| f.parse().unwrap()).collect();
        let y = prox(&ball(pressure, 1.0, 1.0), 1.0, &[n[0], n[1], n[2]]);
        for i in 0..3 {
            assert!((y[i] - n[3 + i]).abs() <= 1e-12 * n[3 + i].abs().max(0.1), "{line}: {y:?}");
        }
        rows += 1;
    }
    assert_eq!(rows, 40);
}

/// Points of moderate size are found by the table of a boundary, huge ones by a bracketed search; the prox is
/// homogeneous of degree one, and powers of two do not round. The least exact are those that are nearly normal to the
/// longer axis, where the root is as uncertain as the point is; 1e-13 is four times that.
#[test]
fn the_table_agrees_with_the_search() {
    let huge = 2.0_f64.powi(340);
    let mut random = fastrand::Rng::with_seed(7);
    for pressure in laws() {
        for a in [0.05, 1.0, 31.0] {
            let set = ball(pressure.clone(), 1.0, a);
            for _ in 0..20_000 {
                let stretch = a * 10.0_f64.powf(4.0 * random.f64() - 2.0);
                let mut axis = || 2.0 * random.f64() - 1.0;
                let x = [axis(), axis(), stretch * axis()];
                let far = 1.0 + 10.0_f64.powf(8.0 * random.f64() - 6.0);
                let x = x.map(|v| v * far / set.gauge(&x));
                let y = prox(&set, 1.0, &x);
                let z = prox(&set, huge, &x.map(|v| v * huge)).map(|v| v / huge);
                let error = minus(&y, &z);
                let error = length(&[error[0], error[1], error[2] / a]);
                assert!(error <= 1e-13, "{pressure:?}, a = {a}, {x:?}: {error:e}");
            }
        }
    }
}

/// Random point for the tests: from deep inside to far outside, sometimes on an axis.
fn random_point(random: &mut fastrand::Rng, m: f64, a: f64) -> [f64; 3] {
    let angle = 2.0 * PI * random.f64();
    let far = if random.u32(..10) == 0 { 1e3 } else { 1.0 };
    let mut size = || {
        let exponent = if random.bool() { 1.0 } else { 8.0 };
        2.5 * random.f64().powf(exponent)
    };
    let (force, torque) = (far * m * size(), far * m * a * size());
    let sign = if random.bool() { 1.0 } else { -1.0 };
    match random.u32(..50) {
        0 => [force, 0.0, 0.0],
        1 => [0.0, 0.0, sign * torque],
        2 => [0.0, -force, sign * torque],
        _ => [force * angle.cos(), force * angle.sin(), sign * torque],
    }
}

/// Inside, idempotent, nearest, equivariant, consistent with gauge, support and derivative: 10⁵ points
/// per law, over four axis factors. 1e-13 is some hundred roundings.
fn check_properties(pressure: Pressure, points_per_radius: usize) {
    let mut random = fastrand::Rng::with_seed(20);
    let mut outside = 0;
    for a in [1e-3, 0.05, 1.0, 31.0] {
        for k in 0..points_per_radius {
            let set = ball(pressure.clone(), 0.1 + random.f64(), a);
            let scale = 0.1 + 3.0 * random.f64();
            let m = set.friction * scale;
            let x = random_point(&mut random, m, a);
            let y = prox(&set, scale, &x);
            let gauge = set.gauge(&x);
            let context = format!("{set:?} scale {scale} x {x:?} prox {y:?} gauge {gauge}");

            let moved = length(&minus(&x, &y));
            if gauge > scale * (1.0 + 1e-13) {
                outside += 1;
                assert!((set.gauge(&y) / scale - 1.0).abs() <= 1e-13, "on the boundary, {context}");
            } else if gauge < scale * (1.0 - 1e-13) {
                assert_eq!(x, y, "inside points stay, {context}");
            }
            assert!(set.contains(scale, &y, 1e-13), "{context}");
            let again = prox(&set, scale, &y);
            assert!(length(&minus(&again, &y)) <= 1e-13 * length(&y), "idempotent, {context}");

            // ⟨x − y, z − y⟩ ≤ 0 for members z; with y nearest, x − y is normal and the support is attained.
            let z = random_point(&mut random, m, a);
            let shrink = (scale * random.f64() / set.gauge(&z).max(1e-300)).min(1.0);
            let z = z.map(|v| v * shrink);
            let size = length(&x) * (length(&y) + length(&z));
            let normal = minus(&x, &y);
            assert!(dot(&normal, &minus(&z, &y)) <= 1e-13 * size, "nearest, {context}, {z:?}");
            let support = set.support(scale, &normal);
            let reached = dot(&normal, &y);
            assert!((support - reached).abs() <= 1e-13 * length(&x) * length(&y), "{context}");
            assert!(moved <= length(&minus(&x, &z)) * (1.0 + 1e-13), "{context}");

            let factor = 10.0_f64.powf(4.0 * random.f64() - 2.0);
            let scaled = prox(&set, factor * scale, &x.map(|v| factor * v));
            let expected = y.map(|v| factor * v);
            let error = length(&minus(&scaled, &expected));
            assert!(error <= 1e-13 * factor * length(&x), "equivariant, {context}");

            if k % 4 == 0 {
                check_derivative(&set, scale, &x, &y, gauge);
            }
        }
    }
    assert!(outside > points_per_radius, "the points must not all be inside: {outside}");
}

fn check_derivative(set: &ContensouBall, scale: f64, x: &[f64; 3], y: &[f64; 3], gauge: f64) {
    let (mut d_x, mut d_scale) = ([0.0; 9], [0.0; 3]);
    set.prox_derivative(scale, x, &mut d_x, &mut d_scale);
    let context = format!("{set:?} scale {scale} x {x:?} prox {y:?} {d_x:?} {d_scale:?}");
    // Homogeneous of degree one: d_x·x + scale·d_scale = prox.
    for i in 0..3 {
        let sum = (0..3).map(|j| d_x[3 * i + j] * x[j]).sum::<f64>() + scale * d_scale[i];
        assert!((sum - y[i]).abs() <= 1e-13 * length(x), "homogeneous, {context}");
    }
    if (gauge / scale - 1.0).abs() < 0.02 {
        return; // the prox has a kink where x enters the set
    }
    // In units in which force and torque are of size one. The difference is off by the
    // modulus of continuity of the derivative, at worst h |log h| = 2e-6 times a constant near
    // u = 1, and by the rounding of both prox values.
    let a = set.contact_radius;
    let m = set.friction * scale;
    let units = [m, m, m * a];
    for j in 0..4 {
        let h = if j < 3 { 1e-7 * (x[j] / units[j]).abs().max(1.0) } else { 1e-7 };
        let difference = if j < 3 {
            let (mut plus, mut less) = (*x, *x);
            plus[j] += h * units[j];
            less[j] -= h * units[j];
            minus(&prox(set, scale, &plus), &prox(set, scale, &less)).map(|v| v / (2.0 * h))
        } else {
            let step = h * scale;
            minus(&prox(set, scale + step, x), &prox(set, scale - step, x))
                .map(|v| v / (2.0 * step))
        };
        for i in 0..3 {
            let (exact, unit) = if j < 3 {
                (d_x[3 * i + j] * units[j], units[i])
            } else {
                (d_scale[i], units[i] / scale)
            };
            let error = (difference[i] - exact).abs() / unit;
            let rounding = 4.0 * f64::EPSILON * length(x) / (2.0 * h * units[i]);
            assert!(error <= 2e-5 + rounding, "d{i}/d{j}: {error:e}, {context}");
        }
    }
}

#[test]
fn hertz_has_all_properties_of_a_prox() {
    check_properties(Pressure::Hertz, 50_000);
}

#[test]
fn uniform_has_all_properties_of_a_prox() {
    check_properties(Pressure::Uniform, 25_000);
}

#[test]
fn parabolic_has_all_properties_of_a_prox() {
    check_properties(Pressure::Parabolic, 25_000);
}

/// u = 1 is where the two halves of the boundary meet: points on its normal.
#[test]
fn points_on_the_normal_at_the_seam() {
    let cases = [
        (Pressure::Uniform, 8.0 / (3.0 * PI), 8.0 / (9.0 * PI)),
        (Pressure::Hertz, 9.0 * PI / 32.0, 9.0 * PI / 128.0),
    ];
    for (pressure, force, torque) in cases {
        for a in [1e-3, 1.0, 31.0] {
            for distance in [1e-12, 1e-3, 1.0, 1e6] {
                let set = ball(pressure.clone(), 1.0, a);
                let x = [force + a * distance, 0.0, -(a * torque + distance)];
                let y = prox(&set, 1.0, &x);
                let error = length(&minus(&y, &[force, 0.0, -a * torque]));
                assert!(error <= 1e-14 * length(&x), "{pressure:?} {a} {distance}: {error:e}");
            }
        }
    }
}

/// The boundary is not smooth at u = 1 and where the pressure jumps: a table may not be taken for one side beyond it.
#[test]
fn points_beside_the_seam_and_a_jump() {
    let points = vec![[0.0, 1.0], [0.3, 2.0], [0.3, 0.5], [1.0, 0.2]];
    let profile = Pressure::Profile(RadialProfile::from_points(points).unwrap());
    for pressure in laws().into_iter().chain([profile]) {
        for (a, seam) in
            [(0.05, 0.3), (0.05, 1.0), (1.0, 0.3), (1.0, 1.0), (31.0, 0.3), (31.0, 1.0)]
        {
            let set = ball(pressure.clone(), 1.0, a);
            for k in -90_i32..=90 {
                // From 1e-9 to 0.1 on both sides.
                let distance = 10.0_f64.powf(-9.0 + f64::from(k.abs()) / 11.25);
                let u = seam + distance.copysign(f64::from(k));
                let (normal, mut y) = ([0.6 * a * u, 0.8 * a * u, -1.0], [0.0; 3]);
                set.support_point(1.0, &normal, &mut y);
                for far in [0.01, 1.0] {
                    let far = far * a.min(1.0) / length(&normal);
                    let x = [0, 1, 2].map(|i| y[i] + far * normal[i]);
                    let error = minus(&prox(&set, 1.0, &x), &y);
                    let error = length(&[error[0], error[1], error[2] / a]);
                    assert!(error <= 2e-14, "{pressure:?} a = {a}, u = {u}, {far}: {error:e}");
                }
            }
        }
    }
}

/// Semi-axes: μ in the plane, μ a (2/3, 3π/16, 8/15) for the torque.
#[test]
fn semi_axes() {
    for (pressure, mean) in laws().into_iter().zip([2.0 / 3.0, 3.0 * PI / 16.0, 8.0 / 15.0]) {
        let set = ball(pressure, 0.3, 0.002);
        assert!((set.support(2.0, &[0.0, 0.0, -1.0]) / (0.6 * 0.002 * mean) - 1.0).abs() < 1e-14);
        assert!((set.support(2.0, &[0.6, 0.8, 0.0]) / 0.6 - 1.0).abs() < 1e-14);
        assert!((set.gauge(&[0.0, 0.0, 0.6 * 0.002 * mean]) / 2.0 - 1.0).abs() < 1e-14);
        assert!((set.gauge(&[0.6, 0.0, 0.0]) / 2.0 - 1.0).abs() < 1e-14);
    }
}

/// Whatever the magnitudes: finite, inside, and equal to the prox of the same problem in other
/// units.
#[test]
fn extreme_magnitudes() {
    let values =
        [0.0, 5e-324, 1e-310, 1e-300, 1e-160, 1e-20, 1e-8, 1.0, 1e8, 1e20, 1e160, 1e300, f64::MAX];
    for pressure in laws() {
        for a in [0.0, 1e-60, 1e-9, 1e-3, 1.0, 1e3, 1e60] {
            let set = ball(pressure.clone(), 0.7, a);
            assert!(set.validate().is_ok());
            for force in values {
                for torque in values {
                    for scale in values {
                        check_extreme(&set, scale, &[0.6 * force, -0.8 * force, torque]);
                        check_extreme(&set, scale, &[force, force, -torque]);
                    }
                }
            }
        }
    }
}

fn check_extreme(set: &ContensouBall, scale: f64, x: &[f64; 3]) {
    let y = prox(set, scale, x);
    let (mut d_x, mut d_scale) = ([0.0; 9], [0.0; 3]);
    set.prox_derivative(scale, x, &mut d_x, &mut d_scale);
    let context = format!("{set:?} scale {scale:e} x {x:?} prox {y:?}");
    assert!(y.iter().all(|v| v.is_finite()), "{context}");
    assert!(d_x.iter().all(|v| v.abs() <= 1.0 + 1e-12), "{context} {d_x:?}");
    assert!(d_scale.iter().all(|v| v.is_finite()), "{context} {d_scale:?}");
    assert!(!set.support(scale, x).is_nan() && !set.gauge(x).is_nan(), "{context}");
    for i in 0..3 {
        assert!(
            y[i].abs() <= x[i].abs() + 2e-323 && y[i] * x[i].signum() >= 0.0,
            "no component grows, {context}"
        );
    }
    let m = 0.7 * scale;
    // Up to rounding, also of the factor by which a component is reduced if that is denormal.
    let bound = |limit: f64, from: f64| limit * (1.0 + 1e-14) + 5e-324 * (1.0 + from);
    let force = |x: &[f64; 3]| x[0].hypot(x[1]);
    assert!(force(&y) <= bound(m, force(x)), "{context}");
    assert!(y[2].abs() <= bound(m * set.contact_radius, x[2].abs()), "{context}");
    // A power of two changes nothing as long as nothing under- or overflows.
    let moderate = |v: f64| v == 0.0 || (1e-200..1e200).contains(&v.abs());
    if x.iter().chain(&y).all(|v| moderate(*v)) && moderate(scale) {
        let factor = 2.0_f64.powi(250);
        let scaled = prox(set, factor * scale, &x.map(|v| factor * v));
        for i in 0..3 {
            let error = (scaled[i] / factor - y[i]).abs();
            assert!(error <= 1e-13 * y[i].abs().max(1e-3 * length(&y)), "{context} {scaled:?}");
        }
    }
}

/// With contact radius zero only the friction disk is left.
#[test]
fn without_extent_no_torque() {
    let set = ball(Pressure::Hertz, 0.5, 0.0);
    assert_eq!(prox(&set, 2.0, &[3.0, 4.0, 7.0]), [0.6000000000000001, 0.8, 0.0]);
    assert_eq!(set.gauge(&[0.0, 0.0, 1e-9]), f64::INFINITY);
    assert_eq!(set.gauge(&[0.3, 0.4, 0.0]), 1.0);
    assert_eq!(set.support(2.0, &[3.0, 4.0, 9.0]), 5.0);
    let (mut d_x, mut d_scale) = ([1.0; 9], [1.0; 3]);
    set.prox_derivative(2.0, &[0.0, 4.0, 7.0], &mut d_x, &mut d_scale);
    assert_eq!(d_x, [0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(d_scale, [0.0, 0.5, 0.0]);
}

/// Without a reservoir the prox is zero, and grows with the scale along the boundary point
/// whose normal is x.
#[test]
fn vanishing_reservoir() {
    for pressure in laws() {
        let set = ball(pressure, 0.4, 0.5);
        let x = [0.3, -0.4, 0.2];
        assert_eq!(prox(&set, 0.0, &x), [0.0; 3]);
        let (mut d_x, mut d_scale) = ([1.0; 9], [1.0; 3]);
        set.prox_derivative(0.0, &x, &mut d_x, &mut d_scale);
        assert_eq!(d_x, [0.0; 9]);
        let small = prox(&set, 1e-9, &x).map(|v| v / 1e-9);
        // The second derivative by the scale is of size one.
        assert!(length(&minus(&small, &d_scale)) < 1e-8);
    }
}

#[test]
fn files_name_the_pressure() {
    let texts = [
        r#"{"kind":"contensou","friction":0.3,"contact_radius":0.0005,"pressure":"hertz"}"#,
        r#"{"kind":"contensou","friction":0.3,"contact_radius":0.0005,"pressure":"uniform"}"#,
        r#"{"kind":"contensou","friction":0.3,"contact_radius":0.0005,"pressure":"parabolic"}"#,
        r#"{"kind":"contensou","friction":0.3,"contact_radius":0.0005,"pressure":{"profile":[[0.0,2.0],[0.5,2.0],[0.5,1.0],[1.0,0.0]]}}"#,
    ];
    for text in texts {
        let set: Set = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&set).unwrap(), text);
        assert!(set.validate().is_ok());
        assert_eq!(set, serde_json::from_str(text).unwrap());
    }
    let wrong = r#"{"kind":"contensou","friction":0.3,"contact_radius":1.0,"pressure":{"profile":[[0.0,-2.0],[1.0,1.0]]}}"#;
    let message = serde_json::from_str::<Set>(wrong).unwrap_err().to_string();
    assert!(message.contains("pressure -2 at radius 0"), "{message}");
}

#[test]
fn bad_parameters_are_named() {
    assert!(ball(Pressure::Hertz, -0.1, 1.0).validate().unwrap_err().contains("friction is -0.1"));
    for a in [-1.0, f64::NAN, f64::INFINITY, 1e-70] {
        let message = ball(Pressure::Hertz, 0.1, a).validate().unwrap_err();
        assert!(message.contains("contact_radius"), "{message}");
    }
}
