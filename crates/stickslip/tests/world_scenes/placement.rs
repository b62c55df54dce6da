//! Rotations, and where joints and forces are fastened.

use crate::support::{BALL, complaint, contains, near, read, with_ball};
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use stickslip::kinematics::Matrix3;
use stickslip::kinematics::euler::EulerAngles;
use stickslip::kinematics::quaternion::{from_axis_angle, rotation};
use stickslip::kinematics::vector::{add, apply};
use stickslip::world::{ForceKind, JointKind, Mount, WorldDescription};

fn turned(text: &str) -> [f64; 4] {
    read(&BALL.replace("mass = 2\n", &format!("mass = 2\nrotation = {text}\n"))).description.bodies
        [0]
    .rotation
}

#[test]
fn rotations_have_three_forms() {
    let half = FRAC_1_SQRT_2;
    near(&turned("{ quaternion = [2, 0, 0, 2] }"), &[half, 0.0, 0.0, half], 1e-15);
    near(&turned("{ axis = [0, 3, 0], angle = \"90 deg\" }"), &[half, 0.0, half, 0.0], 1e-15);
    near(&turned("{ euler = [0, 0, \"90 deg\"] }"), &[half, 0.0, 0.0, half], 1e-15);
    // Intrinsic z-x-z is what the kinematics of the Tippe-Top call (φ, θ, ψ).
    let euler = EulerAngles { theta: 0.5, phi: 0.3, psi: -0.7 }.to_quaternion();
    near(&turned("{ euler = [0.3, 0.5, -0.7], order = \"zxz\" }"), &euler, 1e-15);
    // Intrinsic x-y-z: R = R_x R_y R_z.
    let product = |a: &Matrix3, b: &Matrix3| -> Matrix3 {
        let column = |j: usize| apply(a, &[b[0][j], b[1][j], b[2][j]]);
        let columns = [column(0), column(1), column(2)];
        [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]])
    };
    let turn = |axis: [f64; 3], angle: f64| rotation(&from_axis_angle(&axis, angle));
    let expected = product(
        &product(&turn([1.0, 0.0, 0.0], 0.1), &turn([0.0, 1.0, 0.0], 0.2)),
        &turn([0.0, 0.0, 1.0], 0.3),
    );
    let given = rotation(&turned("{ euler = [0.1, 0.2, 0.3] }"));
    for (row, wanted) in given.iter().zip(&expected) {
        near(row, wanted, 1e-15);
    }
    for (text, part) in [
        ("0.3", "body.0.rotation is an angle; in space give quaternion"),
        ("{ quaternion = [0, 0, 0, 0] }", "is zero"),
        ("{ axis = [0, 0, 0], angle = 1 }", "is zero and has no direction"),
        ("{ axis = [0, 0, 1] }", "incomplete or has too much"),
        ("{ quaternion = [1, 0, 0, 0], angle = 1 }", "incomplete or has too much"),
        ("{ euler = [1, 2, 3], order = \"xxz\" }", "no two equal ones"),
        ("{ euler = [1, 2, 3], order = \"abc\" }", "three of the letters x, y, z"),
        ("{ quaternion = [1, 0, 0] }", "a list of 4"),
        ("true", "it must be a number or a text with a unit or a table"),
    ] {
        let text = BALL.replace("mass = 2\n", &format!("mass = 2\nrotation = {text}\n"));
        contains(&complaint(&text), &[part]);
    }
}

fn in_world(world: &WorldDescription, mount: &Mount) -> ([f64; 3], Matrix3) {
    let Some(body) = mount.body.map(|body| &world.bodies[body]) else {
        return (mount.point, rotation(&mount.rotation));
    };
    let turn = rotation(&body.rotation);
    let point = add(&body.position, &apply(&turn, &mount.point));
    let p = stickslip::kinematics::quaternion::product(&body.rotation, &mount.rotation);
    (point, rotation(&p))
}

/// Point and frame of a joint given once in the world are the same on both bodies at the start.
#[test]
fn a_joint_in_the_world_meets_on_both_bodies() {
    let body = |name: &str, rest: &str| {
        format!("[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [1, 1, 1]\n{rest}\n")
    };
    let bodies = body("a", "position = [1, 2, 3]\nrotation = { axis = [1, 2, 2], angle = 0.7 }")
        + &body("b", "position = [-1, 0, 2]\nrotation = { quaternion = [0.3, -1, 0.2, 0.5] }");
    for (kind, axis, own) in [("revolute", [1.0, -2.0, 2.0], 2), ("prismatic", [-1.0, 0.0, 0.0], 0)]
    {
        let text = format!(
            "{bodies}[[joint]]\nkind = \"{kind}\"\nbodies = [\"a\", \"b\"]\nat = [0.5, -0.5, 1.5]\naxis = {axis:?}"
        );
        let world = read(&text).description;
        let joint = &world.joints[0];
        let sides = joint.mounts.map(|mount| in_world(&world, &mount));
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (point, frame) in &sides {
            near(point, &[0.5, -0.5, 1.5], 1e-14);
            let along = [frame[0][own], frame[1][own], frame[2][own]];
            near(&along, &axis.map(|x| x / length), 1e-14);
        }
        for row in 0..3 {
            near(&sides[0].1[row], &sides[1].1[row], 1e-14);
        }
    }
    // Per body: points and axes are taken as they are.
    let text = format!(
        "{bodies}[[joint]]\nkind = \"revolute\"\nbodies = [\"a\", \"ground\"]\npoints = [[1, 0, 0], [0, 1, \
         0]]\naxes = [[0, 0, 1], [1, 0, 0]]"
    );
    let joint = &read(&text).description.joints[0];
    assert_eq!((joint.mounts[0].point, joint.mounts[1].body), ([1.0, 0.0, 0.0], None));
    near(&joint.mounts[0].rotation, &[1.0, 0.0, 0.0, 0.0], 0.0);
    near(&apply(&rotation(&joint.mounts[1].rotation), &[0.0, 0.0, 1.0]), &[1.0, 0.0, 0.0], 1e-15);
}

#[test]
fn lengths_that_are_not_given_are_those_of_the_start() {
    let text = with_ball(
        "[[joint]]\nkind = \"distance\"\nbodies = [\"ground\", \"ball\"]\npoints = [[3, 0, 0], [0, 4, 0]]\n\
         [[force]]\nkind = \"spring-damper\"\nbodies = [\"ball\", \"ground\"]\npoints = [[0, 0, 0], [0, 0, \
         2]]\nstiffness = \"10 N/m\"",
    );
    let world = read(&text).description;
    assert_eq!(world.joints[0].kind, JointKind::Distance { length: 5.0 });
    match &world.forces[0].kind {
        ForceKind::SpringDamper { rest_length, stiffness, damping, .. } => {
            assert_eq!((*rest_length, *stiffness, *damping), (2.0, 10.0, 0.0));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_plane_has_two_components_and_one_angle() {
    let plane = "[world]\ndimension = 2\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 2\nposition = [1, 2]\n\
                 rotation = \"90 deg\"\nangular_velocity = \"1 rad/s\"\n";
    let body = &read(plane).description.bodies[0];
    assert_eq!((body.position, body.angular_velocity), ([1.0, 2.0, 0.0], [0.0, 0.0, 1.0]));
    near(&body.rotation, &[FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2], 1e-15);
    let guide = format!(
        "{plane}[[joint]]\nkind = \"clearance-translational\"\nbodies = [\"ground\", \"a\"]\nat = [1, 2]\naxes = \
         [[1, 0], [0, -1]]\nhalf_length = \"50 mm\"\nhalf_width = \"25 mm\"\nclearance = \"1 mm\"\n[joint.contact]\nrestitution = 0.4"
    );
    let joint = &read(&guide).description.joints[0];
    near(&joint.mounts[1].rotation, &from_axis_angle(&[0.0, 0.0, 1.0], -PI / 2.0), 1e-15);
    match &joint.kind {
        JointKind::ClearanceTranslational { law, clearance, .. } => {
            assert_eq!((law.restitution, *clearance), (0.4, 1e-3));
        }
        other => panic!("{other:?}"),
    }
    for (from, to, part) in [
        (
            "position = [1, 2]",
            "position = [1, 2, 3]",
            "has 3 components; in the plane it must have 2",
        ),
        ("rotation = \"90 deg\"", "rotation = { axis = [0, 0, 1], angle = 1 }", "one angle (rad)"),
        ("\"1 rad/s\"", "[0, 0, 1]", "in the plane it must be one number"),
        ("inertia = 2", "inertia = [1, 1, 1]", "in the plane it must be one number"),
    ] {
        contains(&complaint(&plane.replace(from, to)), &[part]);
    }
    let hinge = format!(
        "{plane}[[joint]]\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\nat = [1, 2]\naxis = [1, 0]"
    );
    contains(&complaint(&hinge), &["joint.0.axis has no meaning for this joint"]);
}

#[test]
fn joints_that_cannot_be_are_refused() {
    for (keys, part) in [
        ("bodies = [\"ball\", \"ground\"]", "give at = [...]"),
        ("bodies = [\"ball\", \"bal\"]\nat = [0, 0, 0]", "did you mean \"ball\"?"),
        ("bodies = [\"ball\", \"ball\"]\nat = [0, 0, 0]", "are the same"),
        ("bodies = [\"ground\", \"ground\"]\nat = [0, 0, 0]", "are the same"),
        ("bodies = [\"ball\"]\nat = [0, 0, 0]", "a list of 2"),
        ("bodies = [\"ball\", \"ground\"]\nat = [0, 0]", "in space it must have 3"),
        (
            "bodies = [\"ball\", \"ground\"]\nat = [0, 0, 0]\npoints = [[0, 0, 0], [0, 0, 0]]",
            "has at and points; give one",
        ),
        ("bodies = [\"ball\", \"ground\"]\nat = [0, 0, 0]\nlimits = [1, 0]", "first must be below"),
        (
            "bodies = [\"ball\", \"ground\"]\nat = [0, 0, 0]\nlimits = [\"1 mm\", \"2 mm\"]",
            "it is a length, but must be an angle (rad)",
        ),
        (
            "bodies = [\"ball\", \"ground\"]\nat = [0, 0, 0]\nspring = { stiffness = -1 }",
            "not negative",
        ),
        ("bodies = [\"ball\", \"ground\"]\nat = [0, 0, 0]\naxis = [0, 0, 0]", "no direction"),
    ] {
        contains(
            &complaint(&with_ball(&format!("[[joint]]\nkind = \"revolute\"\n{keys}"))),
            &[part],
        );
    }
}
