//! Mass and inertia from density and shapes.

use super::support::*;
use stickslip::world::*;

fn of(kind: ShapeKind) -> MassProperties {
    let description = space(vec![body("b", kind)], ContactLaw::default());
    *world(&description).mass_properties(0).unwrap()
}

#[track_caller]
fn assert_like(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    let size = b.inertia.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    assert_close(a.mass / b.mass, 1.0, tolerance);
    for i in 0..3 {
        assert_close(a.center[i], b.center[i], tolerance);
        for j in 0..3 {
            assert_close(a.inertia[i][j] / size, b.inertia[i][j] / size, tolerance);
        }
    }
}

#[test]
fn closed_forms_are_those_of_an_independent_computation() {
    use parry3d_f64::math::Vector;
    use parry3d_f64::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, Shape};
    // parry's cylinders stand along y.
    let cases: [(ShapeKind, Box<dyn Shape>, [usize; 3]); 5] = [
        (ShapeKind::Sphere { radius: 0.3 }, Box::new(Ball::new(0.3)), [0, 1, 2]),
        (
            ShapeKind::Box { half_extents: [0.1, 0.2, 0.3] },
            Box::new(Cuboid::new(Vector::new(0.1, 0.2, 0.3))),
            [0, 1, 2],
        ),
        (
            ShapeKind::Cylinder { radius: 0.2, half_length: 0.3 },
            Box::new(Cylinder::new(0.3, 0.2)),
            [2, 0, 1],
        ),
        (
            ShapeKind::Cone { radius: 0.2, half_length: 0.3 },
            Box::new(Cone::new(0.3, 0.2)),
            [2, 0, 1],
        ),
        (
            ShapeKind::Capsule { radius: 0.2, half_length: 0.3 },
            Box::new(Capsule::new_z(0.3, 0.2)),
            [0, 1, 2],
        ),
    ];
    for (kind, shape, order) in cases {
        let ours = of(kind.clone());
        let theirs = shape.mass_properties(1000.0);
        assert_close(ours.mass / theirs.mass(), 1.0, 1e-12);
        let matrix = theirs.reconstruct_inertia_matrix();
        for i in 0..3 {
            let expected = matrix.col(order[i])[order[i]];
            assert_close(ours.inertia[i][i] / expected, 1.0, 1e-12);
        }
    }
}

#[test]
fn a_hull_has_the_inertia_of_the_box_that_it_is() {
    let half = [0.1, 0.2, 0.3];
    let shift = [0.5, -0.2, 0.1];
    let points = (0..8)
        .map(|k| {
            std::array::from_fn(|i| shift[i] + if k >> i & 1 == 0 { -half[i] } else { half[i] })
        })
        .collect();
    let mut expected = of(ShapeKind::Box { half_extents: half });
    expected.center = shift;
    // Rounding of sums over twelve tetrahedra.
    assert_like(&of(ShapeKind::ConvexHull { points }), &expected, 1e-12);
}

#[test]
fn a_hull_of_many_points_approaches_an_ellipsoid() {
    let axes = [0.2, 0.3, 0.4];
    let (m, n) = (60, 120);
    let mut points = Vec::new();
    for i in 0..=m {
        for j in 0..n {
            let (s, c) = (std::f64::consts::PI * i as f64 / m as f64).sin_cos();
            let (sin, cos) = (std::f64::consts::TAU * j as f64 / n as f64).sin_cos();
            points.push([axes[0] * s * cos, axes[1] * s * sin, axes[2] * c]);
        }
    }
    // An inscribed polyhedron with cells of 3°: 5/2 (π/60)²/4 too little.
    let expected = of(ShapeKind::Ellipsoid { semi_axes: axes });
    assert_like(&of(ShapeKind::ConvexHull { points }), &expected, 5e-3);
}

#[test]
fn shapes_add_up() {
    // A box made of two halves, one of them turned about.
    let whole = of(ShapeKind::Box { half_extents: [0.2, 0.1, 0.05] });
    let mut halves = body("b", ShapeKind::Box { half_extents: [0.1, 0.1, 0.05] });
    halves.shapes[0].offset = [0.1, 0.0, 0.0];
    let mut second = halves.shapes[0].clone();
    second.offset = [-0.1, 0.0, 0.0];
    second.rotation = [0.5, 0.5, 0.5, 0.5];
    second.kind = ShapeKind::Box { half_extents: [0.1, 0.05, 0.1] };
    // The turn takes x to y, y to z, z to x.
    halves.shapes.push(second);
    let world = world(&space(vec![halves], ContactLaw::default()));
    assert_like(world.mass_properties(0).unwrap(), &whole, 1e-12);
}

#[test]
fn shapes_of_the_plane() {
    let of = |kind: ShapeKind| {
        let world = world(&plane(vec![body("b", kind)], ContactLaw::default()));
        let found = *world.mass_properties(0).unwrap();
        (found.mass, found.center, found.inertia[2][2])
    };
    let (mass, _, moment) = of(ShapeKind::Rectangle { half_extents: [0.2, 0.1] });
    assert_close(mass, 80.0, 1e-12);
    assert_close(moment, 80.0 * (0.04 + 0.01) / 3.0, 1e-12);
    let corners = vec![[1.0, 1.0], [1.0, 1.2], [1.4, 1.2], [1.4, 1.0]];
    for points in [corners.clone(), corners.into_iter().rev().collect()] {
        let (m, center, j) = of(ShapeKind::Polygon { points });
        assert_close(m, mass, 1e-10);
        assert_close(j, moment, 1e-10);
        assert_close(center[0], 1.2, 1e-12);
        assert_close(center[1], 1.1, 1e-12);
    }
    let (mass, _, moment) = of(ShapeKind::Circle { radius: 0.1 });
    assert_close(moment, 0.5 * mass * 0.01, 1e-12);
}

#[test]
fn a_body_whose_frame_is_elsewhere_moves_the_same() {
    // The frame 0.3 off the centre of mass, turning: the velocity of its origin is converted.
    let mut one = sphere("ball", 0.1, [1.0, 0.0, 1.0]);
    one.angular_velocity = [0.0, 0.0, 2.0];
    let mut other = one.clone();
    other.shapes[0].offset = [0.3, 0.0, 0.0];
    other.position = [0.7, 0.0, 1.0];
    other.velocity = [0.0, -0.6, 0.0];
    let [a, b] = [one, other].map(|b| world(&space(vec![b], ContactLaw::default())).start());
    for k in 0..7 {
        assert_close(a.q[k], b.q[k], 1e-14);
    }
    for k in 0..6 {
        assert_close(a.u[k], b.u[k], 1e-14);
    }
}
