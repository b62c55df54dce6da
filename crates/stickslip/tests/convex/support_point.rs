//! The force of a sliding contact: the point of a set where its support function is attained.

#![allow(clippy::unwrap_used)]

use fastrand::Rng;
use stickslip::convex::{
    Ball, ContensouBall, ConvexSet, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval,
    LinearImage, OrthotropicEllipse, Polygon, Pressure, Set,
};

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Random vector with components in [-1, 1], some of them 0.
fn direction(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| if rng.u8(..10) == 0 { 0.0 } else { 2.0 * rng.f64() - 1.0 }).collect()
}

/// 10^u with u uniform in [low, high].
fn magnitude(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10_f64.powf(low + (high - low) * rng.f64())
}

fn bounded_sets() -> Vec<Set> {
    let contensou = |contact_radius, pressure| {
        Set::Contensou(ContensouBall { friction: 0.3, contact_radius, pressure })
    };
    let map = [2.0, 0.5, 0.0, -0.3, 1.0, 0.2, 0.0, 0.1, 0.7];
    vec![
        Set::Interval(Interval { lower: -2.0, upper: 0.5 }),
        Set::Ball(Ball { dim: 1, radius: 0.4 }),
        Set::Ball(Ball { dim: 2, radius: 0.4 }),
        Set::Ellipsoid(Ellipsoid::new(&[0.3, 0.3, 1e-3]).unwrap()),
        Set::OrthotropicEllipse(OrthotropicEllipse::new([0.2, 0.7], [1.0, 3.0]).unwrap()),
        Set::Polygon(Polygon::new(&[[0.4, -0.1], [0.2, 0.6], [-0.7, -0.3]]).unwrap()),
        Set::Cylinder(Cylinder { radius: 0.3, half_height: 0.01 }),
        contensou(5e-4, Pressure::Hertz),
        contensou(1.0, Pressure::Uniform),
        contensou(0.2, Pressure::Parabolic),
        contensou(0.0, Pressure::Hertz),
        Set::LinearImage(LinearImage::new(&map, contensou(0.5, Pressure::Hertz)).unwrap()),
    ]
}

/// ⟨p, v⟩ = sup ⟨y, v⟩ with p ∈ C. Tolerance: rounding of the closed forms and tables of the
/// boundary (1e-14), divided by nothing.
#[test]
fn the_support_is_attained_inside_the_set() {
    let mut rng = Rng::with_seed(11);
    for set in bounded_sets() {
        let n = set.dim();
        for _ in 0..10_000 {
            let size = magnitude(&mut rng, -9.0, 9.0);
            let mut v = direction(&mut rng, n);
            if n == 3 {
                v[2] *= magnitude(&mut rng, -4.0, 5.0);
            }
            v.iter_mut().for_each(|x| *x *= size);
            let scale = magnitude(&mut rng, -3.0, 3.0);
            let mut p = vec![f64::NAN; n];
            set.support_point(scale, &v, &mut p);
            let support = set.support(scale, &v);
            assert!((dot(&p, &v) - support).abs() <= 1e-13 * support, "{set:?} {v:?}");
            assert!(set.contains(scale, &p, 1e-12), "{set:?} {v:?} {p:?}");
        }
    }
}

/// The prox of a point far along v tends to the support point: two ways to the same force.
#[test]
fn the_far_prox_is_the_support_point() {
    let mut rng = Rng::with_seed(12);
    // Strictly convex sets, where the point is unique. The distance from the limit is (size of
    // the set)²/(radius of curvature)/far: about 1e-6 here for axes of 0.2 to 0.7.
    let sets = [
        Set::Ball(Ball { dim: 2, radius: 0.4 }),
        Set::OrthotropicEllipse(OrthotropicEllipse::new([0.2, 0.7], [1.0, 3.0]).unwrap()),
        Set::Contensou(ContensouBall {
            friction: 0.5,
            contact_radius: 1.0,
            pressure: Pressure::Hertz,
        }),
    ];
    for set in sets {
        for _ in 0..1000 {
            let v = direction(&mut rng, set.dim());
            if dot(&v, &v) < 0.01 {
                continue;
            }
            let mut p = vec![0.0; set.dim()];
            set.support_point(1.0, &v, &mut p);
            let mut far: Vec<f64> = v.iter().map(|x| 1e8 * x).collect();
            set.prox(1.0, &mut far);
            for (a, b) in far.iter().zip(&p) {
                assert!((a - b).abs() <= 1e-6, "{set:?} {v:?}: {far:?} {p:?}");
            }
        }
    }
}

#[test]
fn zero_extreme_and_unbounded_velocities() {
    for set in bounded_sets() {
        let n = set.dim();
        let mut p = vec![f64::NAN; n];
        set.support_point(1.0, &vec![0.0; n], &mut p);
        assert!(p.iter().all(|x| *x == 0.0), "{set:?} {p:?}");
        for size in [1e-308, 1e-320, 1e300, f64::MAX] {
            set.support_point(1.0, &vec![size; n], &mut p);
            assert!(p.iter().all(|x| x.is_finite()), "{set:?} {size}: {p:?}");
            assert!(set.contains(1.0, &p, 1e-9), "{set:?} {size}: {p:?}");
        }
    }
    let mut p = [f64::NAN];
    HalfLine.support_point(1.0, &[2.0], &mut p);
    assert_eq!(p, [f64::INFINITY]);
    HalfLine.support_point(1.0, &[-2.0], &mut p);
    assert_eq!(p, [0.0]);
    FreeSpace { dim: 1 }.support_point(1.0, &[-1.0], &mut p);
    assert_eq!(p, [f64::NEG_INFINITY]);
}
