//! Every convex set: 10⁵ random points each, through the checks of `common::convex`.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use crate::common::{check, check_straight};
use stickslip::convex::{
    Ball, Cylinder, Ellipsoid, FreeSpace, HalfLine, Interval, LinearImage, OrthotropicEllipse,
    Polygon, Set,
};

/// Claimed accuracy of sets with closed forms or a scalar equation: some 50 machine epsilons,
/// because sums of a few rounded terms are compared.
const CLOSED: f64 = 1e-14;

fn ellipsoid(axes: &[f64]) -> Set {
    Set::Ellipsoid(Ellipsoid::new(axes).unwrap())
}

#[test]
fn cones() {
    check("half line", &HalfLine, CLOSED, 1);
    check("free space", &FreeSpace { dim: 3 }, CLOSED, 2);
}

#[test]
fn intervals() {
    check("interval", &Interval { lower: -0.5, upper: 2.0 }, CLOSED, 3);
    check("interval to 0", &Interval { lower: 0.0, upper: 2.0 }, CLOSED, 4);
    check("interval to infinity", &Interval { lower: -0.5, upper: f64::INFINITY }, CLOSED, 5);
}

#[test]
fn balls() {
    for dim in 1..=4 {
        check("ball", &Ball { dim, radius: 0.3 }, CLOSED, 10 + dim as u64);
    }
    check("point", &Ball { dim: 2, radius: 0.0 }, CLOSED, 15);
}

#[test]
fn ellipsoids() {
    check("segment", &ellipsoid(&[0.7]), CLOSED, 20);
    check("ellipse", &ellipsoid(&[0.7, 0.2]), CLOSED, 21);
    // Möller 2009, eq. 55.
    check("friction ellipsoid", &ellipsoid(&[0.3, 0.3, 0.3 * 0.589]), CLOSED, 22);
    check("three axes", &ellipsoid(&[0.5, 2.0, 1.0]), CLOSED, 23);
    check("four axes", &ellipsoid(&[0.5, 2.0, 1.0, 0.1]), CLOSED, 24);
}

#[test]
fn extreme_ellipsoids() {
    check("needle", &ellipsoid(&[1e12, 1.0, 1e-12]), CLOSED, 25);
    check("plate", &ellipsoid(&[1.0, 1.0, 1e-12]), CLOSED, 26);
    check("lens", &ellipsoid(&[1e-12, 1e12]), CLOSED, 27);
    check("flat", &ellipsoid(&[0.5, 0.0, 1.0]), CLOSED, 28);
    check("flat segment", &ellipsoid(&[0.0, 0.7]), CLOSED, 29);
}

#[test]
fn orthotropic_ellipses() {
    let set = |friction, axis| OrthotropicEllipse::new(friction, axis).unwrap();
    check("orthotropic", &set([0.6, 0.2], [1.0, 2.0]), CLOSED, 30);
    check("isotropic", &set([0.6, 0.6], [1.0, -2.0]), CLOSED, 31);
    let two_way = |friction, backward, axis| {
        OrthotropicEllipse::with_senses(friction, backward, axis).unwrap()
    };
    check("two-way", &two_way([0.6, 0.2], [0.1, 0.4], [1.0, 2.0]), CLOSED, 32);
    let one_way_across = two_way([0.6, 0.2], [0.0, 0.2], [1.0, 2.0]);
    check_straight("one-way, oblique", &one_way_across, CLOSED, 33);
    check_straight("nearly one-way", &two_way([0.6, 0.2], [1e-5, 0.2], [1.0, 2.0]), CLOSED, 34);
    // No resistance against the axis: its border is a straight line through the origin.
    let one_way = two_way([0.6, 0.2], [0.0, 0.2], [1.0, 0.0]);
    for (x, nearest) in
        [([-1.0, 0.1], [0.0, 0.1]), ([-1.0, 1.0], [0.0, 0.2]), ([2.0, 0.0], [0.6, 0.0])]
    {
        let found = crate::common::prox(&one_way, 1.0, &x);
        let error = crate::common::norm(&crate::common::minus(&found, &nearest));
        assert!(error < CLOSED, "{x:?}: {found:?}");
    }
}

#[test]
fn polygons() {
    let set = |vertices: &[[f64; 2]]| Polygon::new(vertices).unwrap();
    check("square", &set(&[[0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]]), CLOSED, 60);
    check_straight("triangle", &set(&[[0.4, -0.1], [0.2, 0.6], [-0.7, -0.3]]), CLOSED, 61);
    check_straight(
        "with a vertex in an edge",
        &set(&[[1.0, -1.0], [1.0, 0.0], [1.0, 1.0], [-2.0, 0.0]]),
        CLOSED,
        62,
    );
    // Friction that resists one way only: the origin is on the border.
    check_straight("half", &set(&[[0.0, -0.5], [0.3, 0.0], [0.0, 0.5]]), CLOSED, 63);
    let regular: Vec<[f64; 2]> = (0..36)
        .map(|k| 0.1 * f64::from(k) * 1.7453292519943295)
        .map(|angle| [0.3 * angle.cos(), 0.3 * angle.sin()])
        .collect();
    check_straight("36 corners", &set(&regular), CLOSED, 64);
}

/// Widths that differ by nine decades: rounding of the longer one is all that the shorter one has.
#[test]
fn degenerate_polygons() {
    let set = |vertices: &[[f64; 2]]| Polygon::new(vertices).unwrap();
    check("point", &set(&[[0.0, 0.0]]), CLOSED, 65);
    check("segment", &set(&[[0.5, 0.0], [-0.2, 0.0]]), CLOSED, 66);
    check("folded segment", &set(&[[0.5, 0.0], [0.7, 0.0], [-0.2, 0.0], [0.1, 0.0]]), CLOSED, 67);
    check_straight("lens", &set(&[[1e3, 0.0], [0.0, 1e-6], [-1e3, 0.0], [0.0, -1e-6]]), CLOSED, 68);
}

#[test]
fn polygons_name_the_vertex_that_is_wrong() {
    let refused = |vertices: &[[f64; 2]], vertex: usize, part: &str| {
        let (found, text) = Polygon::new(vertices).unwrap_err();
        assert!(found == vertex && text.contains(part), "{vertices:?}: {found} {text}");
    };
    let square = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    for first in 0..4 {
        // Any vertex may be the first.
        let mut turned = square;
        turned.rotate_left(first);
        let extent = Polygon::new(&turned).unwrap().extent();
        assert_eq!(extent, [1.0, 2.0_f64.sqrt()]);
    }
    let mut clockwise = square;
    clockwise.reverse();
    refused(&clockwise, 1, "counter-clockwise");
    refused(&[square[0], square[2], square[1], square[3]], 1, "convex");
    refused(&[[1.0, -1.0], [1.0, 1.0], [0.1, 0.0], [-1.0, 1.0], [-1.0, -1.0]], 2, "convex");
    refused(&[[1.0, 1.0], [2.0, 1.0], [1.5, 2.0]], 0, "origin");
    refused(&[[1.0, 0.0], [2.0, 0.0]], 1, "origin");
    refused(&[[1.0, 0.0]], 0, "must be the origin");
    refused(&[[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], 1, "as the one before");
    refused(&[[1.0, f64::NAN], [-1.0, 0.0]], 0, "finite");
    refused(&[], 0, "0 vertices");
    let star: Vec<[f64; 2]> = (0..5)
        .map(|k| 2.0 * f64::from(k) * 1.2566370614359172)
        .map(|angle| [angle.cos(), angle.sin()])
        .collect();
    refused(&star, 4, "more than once");
}

#[test]
fn cylinders() {
    check("cylinder", &Cylinder { radius: 0.3, half_height: 0.1 }, CLOSED, 40);
    check("disk", &Cylinder { radius: 0.3, half_height: 0.0 }, CLOSED, 41);
}

#[test]
fn linear_images_of_ellipsoids() {
    let image = |map: &[f64], set| LinearImage::new(map, set).unwrap();
    let ball = Set::Ball(Ball { dim: 3, radius: 0.5 });
    let map = [1.0, 0.3, -0.2, 0.1, 2.0, 0.4, 0.0, -0.6, 0.7];
    // The matrix products lose up to its condition number (about 5) more than the scalar equation.
    check("image of a ball", &image(&map, ball), 1e-13, 50);
    check("image of an ellipsoid", &image(&map, ellipsoid(&[0.2, 1.0, 3.0])), 1e-13, 51);
}

#[test]
fn linear_images_by_iteration() {
    let image = |map: &[f64], set| LinearImage::new(map, set).unwrap();
    let cylinder = Set::Cylinder(Cylinder { radius: 0.3, half_height: 0.2 });
    let map = [1.0, 0.3, -0.2, 0.1, 2.0, 0.4, 0.0, -0.6, 0.7];
    check("image of a cylinder", &image(&map, cylinder.clone()), 1e-13, 52);
    check("image of the axis", &image(&[-2.0], Set::HalfLine(HalfLine)), CLOSED, 53);
}
