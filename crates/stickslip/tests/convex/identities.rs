//! Identities of the papers between sets, norms and set-valued maps, and tabulated prox values.
#![allow(clippy::unwrap_used, clippy::panic)] // tests
#![allow(dead_code)] // of the shared helpers, each test file uses a part

use crate::common::{along, derivative, direction, dot, magnitude, minus, norm, prox};
use fastrand::Rng;
use std::f64::consts::PI;
use stickslip::convex::{
    Ball, ConvexSet, Cylinder, Ellipsoid, HalfLine, LinearImage, OrthotropicEllipse, Set, in_dio,
    in_sgn, in_upr, negative_part, prox_in_norm, sat, sgn_parts,
};

/// Row-major square matrices of the dimension of `x`.
fn multiply(a: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    (0..n).map(|i| dot(&a[i * n..(i + 1) * n], x)).collect()
}

fn transpose(a: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| a[(k % n) * n + k / n]).collect()
}

fn compose(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let columns = transpose(b, n);
    (0..n * n).map(|k| dot(&a[k / n * n..][..n], &columns[k % n * n..][..n])).collect()
}

/// Inverse of a well-conditioned matrix by the adjugate of 2×2 and 3×3 matrices.
fn inverse(a: &[f64], n: usize) -> Vec<f64> {
    if n == 2 {
        let det = a[0] * a[3] - a[1] * a[2];
        return [a[3], -a[1], -a[2], a[0]].map(|v| v / det).to_vec();
    }
    let minor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (t, u) = ((j + 1) % 3, (j + 2) % 3);
        a[r * 3 + t] * a[s * 3 + u] - a[r * 3 + u] * a[s * 3 + t]
    };
    let det: f64 = (0..3).map(|j| a[j] * minor(0, j)).sum();
    (0..9).map(|k| minor(k % 3, k / 3) / det).collect()
}

/// Random matrix near the identity: condition number below about 10.
fn regular(rng: &mut Rng, n: usize) -> Vec<f64> {
    let size = magnitude(rng, -1.0, 1.0);
    (0..n * n)
        .map(|k| size * (0.3 * (2.0 * rng.f64() - 1.0) + if k % (n + 1) == 0 { 1.0 } else { 0.0 }))
        .collect()
}

fn positive_definite(rng: &mut Rng, n: usize) -> Vec<f64> {
    let b = regular(rng, n);
    compose(&transpose(&b, n), &b, n)
}

/// Sets with smooth and with kinked boundary, treated exactly and by iteration.
fn sets() -> Vec<Set> {
    vec![
        Set::Ball(Ball { dim: 2, radius: 0.7 }),
        Set::Ball(Ball { dim: 3, radius: 0.7 }),
        Set::Ellipsoid(Ellipsoid::new(&[1.0, 0.5, 0.2]).unwrap()),
        Set::OrthotropicEllipse(OrthotropicEllipse::new([1.0, 0.2], [0.6, 0.8]).unwrap()),
        Set::Cylinder(Cylinder { radius: 0.8, half_height: 0.3 }),
    ]
}

/// The set A⁻¹C = { y : A y ∈ C } (Möller 2009, eq. 19).
fn preimage(a: &[f64], set: &Set) -> Set {
    Set::LinearImage(LinearImage::new(&inverse(a, set.dim()), set.clone()).unwrap())
}

fn prox_r(set: &Set, scale: f64, r: &[f64], x: &[f64]) -> Vec<f64> {
    let mut p = x.to_vec();
    prox_in_norm(set, scale, r, &mut p).unwrap();
    p
}

/// Condition numbers of A and R (below 10 and 100) times some rounding errors.
const ROUNDING: f64 = 1e-12;

#[test]
fn normal_cones_transform_moeller_2009_eq_20_and_25() {
    let mut rng = Rng::with_seed(20);
    for _ in 0..2000 {
        for set in sets() {
            let n = set.dim();
            let a = regular(&mut rng, n);
            let image = preimage(&a, &set);
            // y = z − prox(z) is a normal of C at x = prox(z).
            let z = along(&vec![0.0; n], 2.0, &direction(&mut rng, n));
            let x = prox(&set, 1.0, &z);
            let y = minus(&z, &x);
            // Then Aᵀy is a normal of A⁻¹C at A⁻¹x: adding it leads back to the same point.
            let x_hat = multiply(&inverse(&a, n), &x);
            let y_hat = multiply(&transpose(&a, n), &y);
            for factor in [0.1, 1.0, 10.0] {
                let back = prox(&image, 1.0, &along(&x_hat, factor, &y_hat));
                let error = norm(&minus(&back, &x_hat));
                assert!(error <= ROUNDING * (1.0 + norm(&x_hat)), "{error:e}: {set:?} {a:?} {z:?}");
            }
            // And a vector that is no normal is none there either.
            if norm(&y) > 1e-3 {
                let wrong: Vec<f64> = y_hat.iter().map(|v| -v).collect();
                let moved = prox(&image, 1.0, &along(&x_hat, 1e-3, &wrong));
                assert!(norm(&minus(&moved, &x_hat)) > 1e-8, "{set:?} {a:?} {z:?}");
            }
        }
    }
}

#[test]
fn prox_in_a_norm_is_nearest_moeller_2009_eq_4() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..2000 {
        for set in sets() {
            let n = set.dim();
            let r = positive_definite(&mut rng, n);
            let scale = magnitude(&mut rng, -2.0, 2.0);
            let x = along(&vec![0.0; n], 3.0 * scale, &direction(&mut rng, n));
            let p = prox_r(&set, scale, &r, &x);
            assert!(set.contains(scale, &p, ROUNDING), "{set:?} {scale} {r:?} {x:?}");
            let pull = multiply(&r, &minus(&x, &p));
            for _ in 0..10 {
                let z = along(&vec![0.0; n], 3.0 * scale, &direction(&mut rng, n));
                let y = prox(&set, scale, &z);
                let slope = dot(&pull, &minus(&y, &p));
                assert!(slope <= ROUNDING * norm(&pull) * scale, "{set:?} {scale} {r:?} {x:?}");
            }
            // First order: R(x − p) is a normal of C at p in the Euclidean sense (eq. 26).
            let unit = along(&vec![0.0; n], scale / norm(&pull).max(1e-300), &pull);
            let back = prox(&set, scale, &along(&p, 1.0, &unit));
            if norm(&minus(&x, &p)) > 1e-3 * scale {
                // Division by |x − p| loses up to three digits.
                let error = norm(&minus(&back, &p));
                assert!(error <= 1e3 * ROUNDING * scale, "{error:e} {set:?} {scale} {r:?} {x:?}");
            }
        }
    }
}

#[test]
fn prox_transforms_moeller_2009_eq_23() {
    let mut rng = Rng::with_seed(23);
    for _ in 0..2000 {
        for set in sets() {
            let n = set.dim();
            let (a, r) = (regular(&mut rng, n), positive_definite(&mut rng, n));
            let x = along(&vec![0.0; n], 2.0, &direction(&mut rng, n));
            let left = prox_r(&set, 1.0, &r, &x);
            let r_hat = compose(&compose(&transpose(&a, n), &r, n), &a, n);
            let x_hat = multiply(&inverse(&a, n), &x);
            let right = multiply(&a, &prox_r(&preimage(&a, &set), 1.0, &r_hat, &x_hat));
            let error = norm(&minus(&left, &right));
            assert!(error <= 10.0 * ROUNDING, "{error:e}: {set:?} {a:?} {r:?} {x:?}");
        }
    }
}

#[test]
fn inclusions_as_prox_equations_moeller_2009_eq_30_and_31() {
    let mut rng = Rng::with_seed(30);
    for _ in 0..2000 {
        for set in sets() {
            let n = set.dim();
            let (a, r_hat) = (regular(&mut rng, n), positive_definite(&mut rng, n));
            let image = preimage(&a, &set);
            let a_inverse = inverse(&a, n);
            let z = along(&vec![0.0; n], 2.0, &direction(&mut rng, n));
            let x = prox(&set, 1.0, &z);
            // (30): with y a normal at x both prox equations hold, R and R̂ chosen freely.
            let y = minus(&z, &x);
            let r = positive_definite(&mut rng, n);
            let left = prox_r(&set, 1.0, &r, &along(&x, 1.0, &multiply(&inverse(&r, n), &y)));
            assert!(norm(&minus(&left, &x)) <= 100.0 * ROUNDING, "{set:?} {r:?} {z:?}");
            let x_hat = multiply(&a_inverse, &x);
            let y_hat = multiply(&transpose(&a, n), &y);
            let push = multiply(&inverse(&r_hat, n), &y_hat);
            let right = prox_r(&image, 1.0, &r_hat, &along(&x_hat, 1.0, &push));
            let error = norm(&minus(&right, &x_hat));
            assert!(error <= 100.0 * ROUNDING * (1.0 + norm(&x_hat)), "{error:e} {set:?} {a:?}");
            // (31): any x, y, but R = A⁻ᵀ R̂ A⁻¹ (eq. 29).
            let (x, y) = (direction(&mut rng, n), direction(&mut rng, n));
            let r = compose(&compose(&transpose(&a_inverse, n), &r_hat, n), &a_inverse, n);
            let left = prox_r(&set, 1.0, &r, &along(&x, 1.0, &multiply(&inverse(&r, n), &y)));
            let push = multiply(&inverse(&r_hat, n), &multiply(&transpose(&a, n), &y));
            let argument = along(&multiply(&a_inverse, &x), 1.0, &push);
            let right = multiply(&a, &prox_r(&image, 1.0, &r_hat, &argument));
            let error = norm(&minus(&left, &right));
            // The arguments are up to 1e3 long (R⁻¹ y with |R⁻¹| ≤ 1e3).
            assert!(error <= 1e3 * ROUNDING, "{error:e}: {set:?} {a:?} {r_hat:?} {x:?} {y:?}");
        }
    }
}

#[test]
fn image_of_a_diagonal_map_is_the_ellipsoid_moeller_2009_eq_56() {
    let mut rng = Rng::with_seed(56);
    let mean_radius = 3.0 * PI / 16.0;
    let ball = Set::Ball(Ball { dim: 3, radius: 0.3 });
    let map = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, mean_radius];
    let image = LinearImage::new(&map, ball).unwrap();
    let ellipsoid = Ellipsoid::spheroid(0.3, 0.3 * mean_radius);
    for _ in 0..10_000 {
        let x = direction(&mut rng, 3);
        let difference = minus(&prox(&image, 1.0, &x), &prox(&ellipsoid, 1.0, &x));
        assert!(norm(&difference) <= 1e-15, "{x:?}");
    }
}

#[test]
fn images_of_images_are_one_image() {
    let cylinder = Set::Cylinder(Cylinder { radius: 0.8, half_height: 0.3 });
    let mut rng = Rng::with_seed(7);
    let (a, b) = (regular(&mut rng, 3), regular(&mut rng, 3));
    let inner = Set::LinearImage(LinearImage::new(&b, cylinder.clone()).unwrap());
    let nested = LinearImage::new(&a, inner).unwrap();
    assert_eq!(nested.set(), &cylinder);
    let product = compose(&a, &b, 3);
    assert!(norm(&minus(&nested.map(), &product)) <= 1e-15 * norm(&product));
}

#[test]
fn ill_conditioned_images_reach_round_off() {
    let cylinder = Set::Cylinder(Cylinder { radius: 0.8, half_height: 0.3 });
    let mut rng = Rng::with_seed(8);
    for _ in 0..200 {
        let mut map = regular(&mut rng, 3);
        let stretch = magnitude(&mut rng, -3.0, 3.0);
        map[6..].iter_mut().for_each(|v| *v *= stretch);
        let image = LinearImage::new(&map, cylinder.clone()).unwrap();
        for _ in 0..20 {
            let x: Vec<f64> = multiply(&map, &along(&[0.0; 3], 2.0, &direction(&mut rng, 3)));
            let p = prox(&image, 1.0, &x);
            // All points of the normal ray have the same nearest point. The condition number of
            // the map is up to 1e4, and enters the preimage of p.
            let far = prox(&image, 1.0, &along(&p, 2.0, &minus(&x, &p)));
            let error = norm(&minus(&far, &p));
            assert!(error <= 1e-11 * norm(&x), "{error:e}: {map:?} {x:?}");
            assert!(image.contains(1.0, &p, 1e-11), "{map:?} {x:?}");
        }
    }
}

#[test]
fn maps_that_are_not_regular_are_refused() {
    let ball = |dim| Set::Ball(Ball { dim, radius: 1.0 });
    let message = LinearImage::new(&[1.0, 2.0, 2.0, 4.0], ball(2)).unwrap_err();
    assert!(message.contains("map is [[1.0, 2.0], [2.0, 4.0]]"), "{message}");
    assert!(LinearImage::new(&[1.0, f64::NAN, 0.0, 1.0], ball(2)).is_err());
    assert!(LinearImage::new(&[1.0], ball(2)).is_err());
    assert!(LinearImage::new(&[1.0; 25], ball(5)).is_err());
    let mut x = [1.0, 1.0];
    assert!(prox_in_norm(&ball(2), 1.0, &[1.0, 2.0, 2.0, 1.0], &mut x).is_err());
    assert!(prox_in_norm(&ball(2), 1.0, &[1.0, 0.0], &mut x).is_err());
}

#[test]
fn flat_orthotropic_ellipse_is_a_segment() {
    // A skate: friction across it and none along it.
    let set = OrthotropicEllipse::new([0.0, 0.5], [3.0, 4.0]).unwrap();
    let p = prox(&set, 2.0, &[-4.0, 3.0]);
    // Across (−0.8, 0.6), cut to length 1; rounding of three products.
    assert!(norm(&minus(&p, &[-0.8, 0.6])) < 1e-15, "{p:?}");
    let p = prox(&set, 2.0, &[3.0, 4.0]);
    assert!(norm(&p) < 1e-15 * 5.0, "{p:?}");
    assert!(set.contains(2.0, &[-0.4, 0.3], 1e-14));
    assert!(!set.contains(2.0, &[-0.4, 0.301], 1e-6));
    let (d_x, d_scale) = derivative(&set, 2.0, &[-4.0, 3.0]);
    assert!(norm(&d_x) < 1e-15, "{d_x:?}");
    assert!(norm(&minus(&d_scale, &[-0.4, 0.3])) < 1e-15, "{d_scale:?}");
}

/// `tests/data/prox_table.csv`: unit reservoir, R = 1, independent computation with 13 decimals.
#[test]
fn ellipsoid_prox_table() {
    let mean_radius = 3.0 * PI / 16.0;
    let set = Set::Ellipsoid(Ellipsoid::spheroid(1.0, mean_radius));
    // Distances measured where the ellipsoid is a sphere: R = A⁻² with A of Möller 2009, eq. 56.
    let sphere = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, mean_radius.powi(-2)];
    let mut rows = [0, 0];
    for line in include_str!("../data/prox_table.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != "ellipsoid" {
            continue;
        }
        let numbers: Vec<f64> = fields[2..].iter().map(|v| v.parse().unwrap()).collect();
        let p = match fields[1] {
            "euclid" => {
                rows[0] += 1;
                prox(&set, 1.0, &numbers[..3])
            }
            "sphere_metric" => {
                rows[1] += 1;
                prox_r(&set, 1.0, &sphere, &numbers[..3])
            }
            other => panic!("metric {other}"),
        };
        let error = norm(&minus(&p, &numbers[3..]));
        assert!(error <= 1e-12, "{line}: {p:?}, off by {error:e}");
    }
    assert_eq!(rows, [20, 20]);
}

#[test]
fn sat_solves_the_inclusion_with_sgn_xiong_2013_theorem_1() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..100_000 {
        let n = rng.usize(1..4);
        let limit = if rng.u8(..20) == 0 { 0.0 } else { magnitude(&mut rng, -3.0, 3.0) };
        let x = along(&vec![0.0; n], magnitude(&mut rng, -4.0, 4.0), &direction(&mut rng, n));
        let mut y = x.clone();
        sat(limit, &mut y);
        // ⇐: rounding of x − y.
        let tolerance = 1e-15 * (norm(&x) + limit);
        assert!(in_sgn(limit, &minus(&x, &y), &y, tolerance), "{limit} {x:?} {y:?}");
        // ⇒: no other y satisfies the inclusion.
        let size = norm(&x) + limit;
        let other = along(&y, 0.1 * size, &direction(&mut rng, n));
        if norm(&minus(&other, &y)) > 1e-3 * size {
            let tolerance = 1e-6 * size;
            assert!(
                !in_sgn(limit, &minus(&x, &other), &other, tolerance),
                "{limit} {x:?} {other:?}"
            );
        }
    }
    // eq. 2
    let mut y = [3.0, 4.0];
    sat(1.0, &mut y);
    assert!(norm(&minus(&y, &[0.6, 0.8])) < 1e-15);
}

#[test]
fn max_solves_the_inclusion_with_dio_xiong_2013_theorem_2() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..100_000 {
        let x = magnitude(&mut rng, -4.0, 4.0) * (2.0 * rng.f64() - 1.0);
        let y = negative_part(x);
        assert!(in_dio(x + y, y, 0.0), "{x}");
        let other = y + x.abs() * (2.0 * rng.f64() - 1.0);
        if (other - y).abs() > 1e-6 * x.abs() {
            assert!(!in_dio(x + other, other, 1e-9 * x.abs()), "{x} {other}");
        }
    }
    assert!(in_dio(0.0, 7.0, 0.0) && in_dio(1.0, 0.0, 0.0));
    assert!(!in_dio(-1.0, 0.0, 0.0) && !in_dio(1.0, 1.0, 0.0) && !in_dio(0.0, -1.0, 0.0));
}

#[test]
fn both_theorems_are_prox_equations_xiong_2013_eq_8() {
    let mut rng = Rng::with_seed(8);
    for _ in 0..10_000 {
        let limit = magnitude(&mut rng, -2.0, 2.0);
        let x = along(&[0.0; 2], magnitude(&mut rng, -2.0, 2.0), &direction(&mut rng, 2));
        let mut y = x.clone();
        sat(limit, &mut y);
        let ball = Ball { dim: 2, radius: limit };
        // x − y ∈ N_S(y): support attained at y, to the rounding of its two products.
        let normal = minus(&x, &y);
        let gap = ball.support(1.0, &normal) - dot(&normal, &y);
        assert!(gap.abs() <= 1e-14 * norm(&x) * limit, "{limit} {x:?}: {gap:e}");
        let x = x[0];
        let y = negative_part(x);
        assert_eq!(vec![y], prox(&HalfLine, 1.0, &[-x]));
        assert_eq!(HalfLine.support(1.0, &[-x - y]), 0.0);
    }
}

#[test]
fn unilateral_primitive_flores_2010_eq_4_and_5() {
    assert!(in_upr(1.0, 0.0, 0.0) && in_upr(0.0, -3.0, 0.0) && in_upr(0.0, 0.0, 0.0));
    assert!(!in_upr(1.0, -1.0, 0.0) && !in_upr(0.0, 1.0, 0.0) && !in_upr(-1.0, 0.0, 0.0));
    let values = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0];
    for x in values {
        for y in values {
            let complementary = x >= 0.0 && y >= 0.0 && x * y == 0.0;
            assert_eq!(in_upr(x, -y, 0.0), complementary, "{x} {y}");
            // The diode of Xiong 2013 is its mirror image.
            assert_eq!(in_upr(x, -y, 0.0), in_dio(x, y, 0.0), "{x} {y}");
        }
    }
}

#[test]
fn sgn_is_two_unilateral_primitives_flores_2010_eq_7_and_8() {
    let values: Vec<f64> = (-8..=8).map(|k| f64::from(k) / 4.0).collect();
    for x in &values {
        for y in &values {
            let (x, y) = (*x, *y);
            let inclusion = match x.partial_cmp(&0.0).unwrap() {
                std::cmp::Ordering::Greater => -y == 1.0,
                std::cmp::Ordering::Less => -y == -1.0,
                std::cmp::Ordering::Equal => (-1.0..=1.0).contains(&y),
            };
            assert_eq!(in_sgn(1.0, &[x], &[-y], 0.0), inclusion, "{x} {y}");
            // Search for the parts over a grid that contains every candidate.
            let decomposable = values.iter().any(|x_r| {
                let x_l = x_r - x;
                in_upr(*x_r, -y - 1.0, 0.0) && in_upr(x_l, y - 1.0, 0.0)
            });
            assert_eq!(decomposable, inclusion, "{x} {y}");
            let parts = sgn_parts(x, y);
            assert_eq!(parts.is_some(), inclusion, "{x} {y}");
            if let Some((x_r, x_l)) = parts {
                assert_eq!(x, x_r - x_l);
                assert!(1.0 + y >= 0.0 && x_r >= 0.0 && (1.0 + y) * x_r == 0.0);
                assert!(1.0 - y >= 0.0 && x_l >= 0.0 && (1.0 - y) * x_l == 0.0);
            }
        }
    }
}
