//! Systems of the papers as worlds agree with the hand-written models: the same coordinates, the
//! same step, the same solver.

use super::support::*;
use crate::oracles::rolling_disk::PRESETS;
use crate::oracles::*;
use stickslip::integrate::Integrator;
use stickslip::system::{MechanicalSystem, State};
use stickslip::world::*;

/// Runs model and world side by side and gives the largest difference of q and of u.
fn compare(
    model: &dyn MechanicalSystem,
    world: &World,
    start: &State,
    integrators: [&mut dyn Integrator; 2],
    dt: f64,
    steps: usize,
) -> [f64; 2] {
    let (mut one, mut other) = (start.clone(), world.start());
    assert_eq!(one.q.len(), other.q.len());
    let [first, second] = integrators;
    let mut worst = [0.0_f64; 2];
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    for k in 0..2 {
        let d = [distance(&one.q, &other.q), distance(&one.u, &other.u)];
        assert!(d[k] < 1e-12, "the starts differ by {d:?}");
    }
    for _ in 0..steps {
        first.step(model, &mut one, dt).unwrap();
        second.step(world, &mut other, dt).unwrap();
        worst[0] = worst[0].max(distance(&one.q, &other.q));
        worst[1] = worst[1].max(distance(&one.u, &other.u));
    }
    worst
}

/// A body whose frame is that of the model, at the model's start.
fn like(start: &State, mass: f64, transverse: f64, axial: f64) -> BodyDescription {
    let mut one = body("body", ShapeKind::HalfSpace);
    one.shapes.clear();
    one.mass = MassDescription::Given {
        mass,
        center: [0.0; 3],
        inertia: [transverse, transverse, axial, 0.0, 0.0, 0.0],
    };
    let q = &start.q;
    one.position = [q[0], q[1], q[2]];
    one.rotation = [q[3], q[4], q[5], q[6]];
    one.velocity = [start.u[0], start.u[1], start.u[2]];
    let r = stickslip::kinematics::quaternion::rotation(&one.rotation);
    let spin = [start.u[3], start.u[4], start.u[5]];
    one.angular_velocity = stickslip::kinematics::vector::apply(&r, &spin);
    one
}

#[test]
fn the_tippe_top_as_two_spheres_on_a_body() {
    let p = TippeTopParameters::default();
    let top = TippeTop::new(p).unwrap();
    let start = top.start(&TippeTopStart::default());
    let mut one = like(&start, p.mass, p.inertia_transverse, p.inertia_axial);
    one.shapes = [(p.body_offset, p.body_radius), (p.stick_offset, p.stick_radius)]
        .map(|(offset, radius)| shape_at(ShapeKind::Sphere { radius }, [0.0, 0.0, offset]))
        .to_vec();
    let law = ContactLaw {
        form: FrictionForm::ContensouHertz { contact_radius: p.contact_radius },
        ..friction(p.friction_coefficient)
    };
    let world = world(&WorldDescription { exact_gaps: true, ..space(vec![floor(), one], law) });
    let theta = |state: &State| top.output(state).theta;
    let (mut a, mut b) = (start.clone(), world.start());
    let (mut first, mut second) = (moreau(1e-11), moreau(1e-11));
    let dt = 1e-4;
    for _ in 0..10_000 {
        first.step(&top, &mut a, dt).unwrap();
        second.step(&world, &mut b, dt).unwrap();
        assert_close(theta(&a), theta(&b), 1e-10);
    }
    assert!(theta(&a) > 0.3, "the top has begun to rise: {}", theta(&a));
}

#[test]
fn the_rolling_sphere() {
    let p = RollingSphereParameters::default();
    let model = RollingSphere::new(p).unwrap();
    let start = model.start(&RollingSphereStart::default());
    let inertia = 0.4 * p.mass * p.radius * p.radius;
    let mut one = like(&start, p.mass, inertia, inertia);
    one.shapes = vec![shape(ShapeKind::Sphere { radius: p.radius })];
    let law = ContactLaw { restitution: model.restitution(), ..friction(p.friction_coefficient) };
    let mut description = space(vec![floor(), one], law);
    description.gravity = [0.0, 0.0, -p.gravity];
    let world = world(&description);
    let integrators: [&mut dyn Integrator; 2] = [&mut moreau(1e-12), &mut moreau(1e-12)];
    let worst = compare(&model, &world, &start, integrators, 1e-3, 3000);
    assert!(worst[0] < 1e-10 && worst[1] < 1e-10, "{worst:?}");
}

#[test]
fn the_rolling_disk_with_all_its_frictions() {
    for preset in PRESETS {
        let p = DiskParameters { rolling: 1e-5, contour_viscous: 1e-4, ..preset.parameters };
        let model = RollingDisk::new(p).unwrap();
        let start = model.start(&DiskStart::default());
        let mut one = like(&start, p.mass, p.inertia_transverse, p.inertia_axial);
        one.shapes = vec![shape(ShapeKind::Disk { radius: p.radius })];
        let form = match p.friction {
            FrictionLaw::Coulomb => FrictionForm::Coulomb,
            _ => FrictionForm::ContensouHertz { contact_radius: p.contact_radius },
        };
        let law = ContactLaw {
            form,
            contour_friction: p.contour,
            contour_viscosity: p.contour_viscous,
            rolling_arm: p.rolling,
            ..friction(p.friction_coefficient)
        };
        let world = world(&WorldDescription { exact_gaps: true, ..space(vec![floor(), one], law) });
        assert_eq!(world.warnings().len(), 1, "the printed inertias are rounded");
        let mut pair = [projected(1e-11), projected(1e-11)];
        let [a, b] = &mut pair;
        let worst = compare(&model, &world, &start, [a, b], 2e-4, 5000);
        assert!(worst[0] < 1e-10 && worst[1] < 1e-10, "{}: {worst:?}", preset.name);
    }
}

#[test]
fn a_flat_disk_stays_at_rest_on_three_points() {
    let mut disk = body("disk", ShapeKind::Disk { radius: 0.05 });
    disk.mass = MassDescription::Density(20.0);
    disk.position = [0.0, 0.0, 0.0];
    disk.angular_velocity = [0.0, 0.0, 3.0];
    let form = FrictionForm::ContensouHertz { contact_radius: 1e-3 };
    let law = ContactLaw { form, contour_friction: 1e-3, ..friction(0.3) };
    let world = world(&space(vec![floor(), disk], law));
    let mut state = world.start();
    let mut integrator = moreau(1e-10);
    run(&mut integrator, &world, &mut state, 1e-3, 2000, |state, _| {
        assert!(state.q[2].abs() < 1e-6 && state.q[4].hypot(state.q[5]) < 1e-6, "{:?}", state.q);
    });
    let closed = integrator.record().contacts.iter().filter(|c| c.gap <= 0.0).count();
    assert_eq!(closed, 3);
    assert!(state.u.iter().all(|u| u.abs() < 1e-8), "it has come to rest: {:?}", state.u);
}
