//! Symmetries of mechanics: a motion mirrored, turned about the vertical, seen from a moving frame
//! or written in other units is the same motion, to 1e-9 over the first 0.5 s.
//!
//! Rounding differs between the two runs and grows with the motion by some powers of ten; the
//! solvers end at a residual of 1e-13.

use crate::oracles::{
    DiskParameters, DiskStart, RollingDisk, TippeTop, TippeTopParameters, TippeTopStart,
};
use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::system::{MechanicalSystem, State};

const TOLERANCE: f64 = 1e-9;
const DT: f64 = 1e-4;
const STEPS: usize = 5000;

/// The motion with its quantities free of units: lengths over `length`, rates over `rate`.
fn motion(
    mut integrator: impl Integrator,
    system: &dyn MechanicalSystem,
    start: &State,
    length: f64,
    rate: f64,
) -> Vec<State> {
    let mut state = start.clone();
    let mut states = Vec::new();
    run(&mut integrator, system, &mut state, DT, STEPS, |state, _| {
        let mut s = state.clone();
        s.q[..3].iter_mut().for_each(|x| *x /= length);
        s.u[..3].iter_mut().for_each(|v| *v /= length * rate);
        s.u[3..].iter_mut().for_each(|w| *w /= rate);
        states.push(s);
    });
    states
}

fn top_motion(top: &TippeTop, start: &State) -> Vec<State> {
    motion(runge_kutta(1e-13), top, start, top.parameters().body_radius, 180.0)
}

fn disk_motion(disk: &RollingDisk, start: &State, metric: ProjectionMetric) -> Vec<State> {
    motion(moreau(1e-13, metric), disk, start, disk.parameters().radius, 10.0)
}

/// Largest difference between one motion, changed by `change`, and the other.
#[track_caller]
fn assert_same(a: &[State], b: &[State], change: impl Fn(&mut State)) {
    let mut worst = 0.0_f64;
    for (a, b) in a.iter().zip(b) {
        let mut a = a.clone();
        change(&mut a);
        // Both signs of a quaternion are the same orientation.
        let sign = if (3..7).map(|k| a.q[k] * b.q[k]).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        a.q[3..].iter_mut().for_each(|e| *e *= sign);
        worst = worst.max(distance(&a.q, &b.q)).max(distance(&a.u, &b.u));
    }
    assert!(worst < TOLERANCE, "{worst}");
}

/// Reflection y → −y: the angular velocity is an axial vector.
fn mirror(s: &mut State) {
    for k in [1, 4, 6] {
        s.q[k] = -s.q[k];
    }
    for k in [1, 3, 5] {
        s.u[k] = -s.u[k];
    }
    if let [_, across] = s.memory.as_mut_slice() {
        *across = -*across;
    }
}

/// Turn by `angle` about the vertical; body-fixed quantities stay.
fn turn(s: &mut State, angle: f64) {
    let plane = |v: &mut [f64], angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let (x, y) = (v[0], v[1]);
        v[0] = cos * x - sin * y;
        v[1] = sin * x + cos * y;
    };
    plane(&mut s.q[..2], angle);
    plane(&mut s.u[..2], angle);
    let (sin, cos) = (0.5 * angle).sin_cos();
    let [e0, e1, e2, e3] = [s.q[3], s.q[4], s.q[5], s.q[6]];
    let turned =
        [cos * e0 - sin * e3, cos * e1 - sin * e2, cos * e2 + sin * e1, cos * e3 + sin * e0];
    s.q[3..].copy_from_slice(&turned);
}

#[test]
fn the_top_in_a_mirror_turned_or_boosted() {
    let top = top(|_| {});
    let start = top.start(&TippeTopStart { x_dot: 0.02, y_dot: -0.01, ..TippeTopStart::default() });
    let reference = top_motion(&top, &start);
    let mut mirrored = start.clone();
    mirror(&mut mirrored);
    assert_same(&reference, &top_motion(&top, &mirrored), mirror);
    let mut turned = start.clone();
    turn(&mut turned, 1.1);
    assert_same(&reference, &top_motion(&top, &turned), |s| turn(s, 1.1));
    let floor = [0.3, -0.2];
    let moving = crate::support::top(|p| p.floor_velocity = floor);
    let mut boosted = start.clone();
    (0..2).for_each(|k| boosted.u[k] += floor[k]);
    assert_same(&reference, &top_motion(&moving, &boosted), |s| boost(s, floor, 0.015, 180.0));
}

/// Adds the motion of the frame to a state free of units.
fn boost(s: &mut State, velocity: [f64; 2], length: f64, rate: f64) {
    for k in 0..2 {
        s.q[k] += velocity[k] * s.t / length;
        s.u[k] += velocity[k] / (length * rate);
    }
}

#[test]
fn the_disk_in_a_mirror_turned_or_boosted() {
    for simulation in [2, 4] {
        let disk = disk(simulation);
        let run = |disk: &RollingDisk, s: &State| disk_motion(disk, s, ProjectionMetric::Identity);
        let start = disk.start(&DiskStart::default());
        let reference = run(&disk, &start);
        let mut mirrored = start.clone();
        mirror(&mut mirrored);
        assert_same(&reference, &run(&disk, &mirrored), mirror);
        let turned = disk.start(&DiskStart { heading: 1.1, ..DiskStart::default() });
        assert_same(&reference, &run(&disk, &turned), |s| turn(s, 1.1));
        let floor = [0.3, -0.2];
        let parameters = DiskParameters { floor_velocity: floor, ..*disk.parameters() };
        let moving = RollingDisk::new(parameters).unwrap();
        let boosted = moving.start(&DiskStart::default());
        assert_same(&reference, &run(&moving, &boosted), |s| boost(s, floor, 0.0375, 10.0));
    }
}

/// Lengths and velocities of a state in mm.
fn in_millimetres(s: &State) -> State {
    let mut s = s.clone();
    s.q[..3].iter_mut().chain(&mut s.u[..3]).for_each(|x| *x *= 1e3);
    s
}

#[test]
fn the_top_in_millimetres_and_grams() {
    let p = TippeTopParameters::default();
    let (top, start) = (top(|_| {}), TippeTopStart::default());
    let small = TippeTop::new(TippeTopParameters {
        mass: p.mass * 1e3,
        inertia_transverse: p.inertia_transverse * 1e9,
        inertia_axial: p.inertia_axial * 1e9,
        gravity: p.gravity * 1e3,
        body_offset: p.body_offset * 1e3,
        stick_offset: p.stick_offset * 1e3,
        body_radius: p.body_radius * 1e3,
        stick_radius: p.stick_radius * 1e3,
        contact_radius: p.contact_radius * 1e3,
        ..p
    });
    let small = small.unwrap();
    let reference = top_motion(&top, &top.start(&start));
    let other = top_motion(&small, &in_millimetres(&top.start(&start)));
    assert_same(&reference, &other, |_| {});
}

#[test]
fn the_disk_in_millimetres_and_grams() {
    // With the projection in the metric of the mass: the Euclidean metric of the coordinates adds
    // lengths to the numbers of a quaternion, so it depends on the unit of length by its nature.
    for viscous in [false, true] {
        let p = DiskParameters {
            contour_viscous: if viscous { 1e-4 } else { 0.0 },
            rolling: if viscous { 1e-5 } else { 0.0 },
            rolling_viscous: if viscous { 1e-6 } else { 0.0 },
            ..DiskParameters::default()
        };
        let disk = RollingDisk::new(p).unwrap();
        let small = RollingDisk::new(DiskParameters {
            mass: p.mass * 1e3,
            inertia_transverse: p.inertia_transverse * 1e9,
            inertia_axial: p.inertia_axial * 1e9,
            gravity: p.gravity * 1e3,
            radius: p.radius * 1e3,
            contact_radius: p.contact_radius * 1e3,
            contour_viscous: p.contour_viscous * 1e3,
            rolling: p.rolling * 1e3,
            rolling_viscous: p.rolling_viscous * 1e9,
            ..p
        });
        let small = small.unwrap();
        let start = disk.start(&DiskStart::default());
        let reference = disk_motion(&disk, &start, ProjectionMetric::Mass);
        let other = disk_motion(&small, &in_millimetres(&start), ProjectionMetric::Mass);
        assert_same(&reference, &other, |_| {});
    }
}
