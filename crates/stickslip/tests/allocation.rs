//! A step allocates nothing after the first: counted by the allocator itself.

#![allow(unsafe_code)] // an allocator cannot be written without
#![allow(clippy::unwrap_used)]

#[path = "oracles/mod.rs"]
mod oracles;

use crate::oracles::{
    DiskParameters, DiskStart, RollingDisk, TippeTop, TippeTopParameters, TippeTopStart,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use stickslip::integrate::{Integrator, Moreau, MoreauRk4, Projection, ProjectionMetric};
use stickslip::solve::{Limits, by_name};
use stickslip::system::{ContactSet, MechanicalSystem, State};
use stickslip::world::frames::Placement;
use stickslip::world::{
    ContactLaw, ForceDescription, ForceKind, Frames, JointDescription, JointKind, JointSpring,
    Joints, Motor, Mount, TimeFunction, WorldDescription,
};

/// The system's allocator, which counts the requests of each thread.
struct Counting;

thread_local! {
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends has no counter any more.
    let _ = REQUESTS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every request is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SOLVERS: [&str; 4] = ["auto", "gauss-seidel", "jacobi", "augmented-lagrangian"];

fn integrators(solver: &str) -> [Box<dyn Integrator>; 3] {
    let solver = || by_name(solver, Limits::default()).unwrap().unwrap();
    [
        Box::new(Moreau::new(solver(), Projection::new(ProjectionMetric::Identity))),
        Box::new(Moreau::new(solver(), Projection::new(ProjectionMetric::Mass))),
        Box::new(MoreauRk4::new(solver(), Projection::new(ProjectionMetric::Identity), 0.25)),
    ]
}

/// Requests for memory in 300 steps after the first.
fn requests(
    system: &dyn MechanicalSystem,
    start: &State,
    integrator: &mut dyn Integrator,
) -> usize {
    let mut state = start.clone();
    let first = integrator.step(system, &mut state, 1e-4).unwrap();
    assert!(first.contacts > 0, "the first step must be in contact");
    let before = REQUESTS.get();
    for _ in 0..300 {
        integrator.step(system, &mut state, 1e-4).unwrap();
    }
    REQUESTS.get() - before
}

#[test]
fn the_counter_counts() {
    let before = REQUESTS.get();
    let mut values = vec![1.0; 10];
    values.reserve(1000);
    assert_eq!(REQUESTS.get() - before, 2);
    drop(values);
    assert_eq!(REQUESTS.get() - before, 2);
}

#[test]
fn a_step_of_the_top_allocates_nothing() {
    let top = TippeTop::new(TippeTopParameters::default()).unwrap();
    // A little below the floor, so that all stages of the first step are in contact.
    let on_body = top.start(&TippeTopStart { z: 1.2e-2, ..TippeTopStart::default() });
    // On body and stick at once: θ where both gaps vanish.
    let p = top.parameters();
    let cosine = (p.stick_radius - p.body_radius) / (p.stick_offset - p.body_offset);
    let on_both = top.start(&TippeTopStart {
        theta: cosine.acos(),
        z: p.body_radius - p.body_offset * cosine - 1e-5,
        ..TippeTopStart::default()
    });
    for solver in SOLVERS {
        for start in [&on_body, &on_both] {
            for mut integrator in integrators(solver) {
                let found = requests(&top, start, integrator.as_mut());
                assert_eq!(found, 0, "{solver}, {}", integrator.name());
            }
        }
    }
}

#[test]
fn a_step_of_the_disk_allocates_nothing() {
    let disk = RollingDisk::new(DiskParameters {
        contour_viscous: 1e-4,
        rolling: 1e-5,
        rolling_viscous: 1e-6,
        ..DiskParameters::default()
    });
    let disk = disk.unwrap();
    let mut leaning = disk.start(&DiskStart::default());
    leaning.q[2] -= 1e-5;
    // Flat at rest: three contacts.
    let flat = State {
        t: 0.0,
        q: vec![0.0, 0.0, -1e-5, 1.0, 0.0, 0.0, 0.0],
        u: vec![0.0; 6],
        memory: vec![0.0, -1.0],
    };
    for solver in SOLVERS {
        for start in [&leaning, &flat] {
            for mut integrator in integrators(solver) {
                let found = requests(&disk, start, integrator.as_mut());
                assert_eq!(found, 0, "{solver}, {}", integrator.name());
            }
        }
    }
}

/// One of each joint between a body and the ground, with all that acts on free coordinates.
#[test]
fn joints_and_forces_allocate_nothing() {
    use stickslip::system::Dimension;
    let no_turn = [1.0, 0.0, 0.0, 0.0];
    let law = ContactLaw { friction: 0.1, ..ContactLaw::default() };
    let kinds = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Spherical,
        JointKind::Fixed,
        JointKind::Distance { length: 1.0 },
        JointKind::ClearanceRevolute { pin_radius: 0.1, clearance: 0.01, law },
    ];
    for (dimension, count) in [(Dimension::Two, 6), (Dimension::Three, 5)] {
        let mounts = [None, Some(0)].map(|body| Mount { body, point: [0.0; 3], rotation: no_turn });
        let joint = |(index, kind): (usize, &JointKind)| {
            let free = index < 2;
            JointDescription {
                spring: free.then(JointSpring::default),
                limits: free.then_some([0.0, 1.0]),
                motor: free.then(|| Motor::Speed(TimeFunction::Constant(1.0))),
                friction: if free { 1.0 } else { 0.0 },
                ..JointDescription::new(&index.to_string(), kind.clone(), mounts[0], mounts[1])
            }
        };
        let spring = ForceKind::SpringDamper {
            mounts,
            stiffness: 1.0,
            damping: 1.0,
            direction: None,
            rest_length: 1.0,
        };
        let world = WorldDescription {
            dimension,
            joints: kinds[..count].iter().enumerate().map(joint).collect(),
            forces: vec![ForceDescription { name: "spring".into(), kind: spring }],
            ..WorldDescription::default()
        };
        let placements = vec![Placement::Moving { block: 0, center: [0.0; 3] }];
        let frames = Frames { dimension, placements };
        let joints = Joints::new(&world, &frames).unwrap();
        let mut at = State { q: vec![0.0; 7], u: vec![0.5; 6], ..State::default() };
        (at.q[0], at.q[3]) = (0.02, 1.0);
        let mut set = ContactSet::default();
        set.margin = f64::INFINITY;
        joints.contacts(&frames, &at, &[], 0, 0, &mut set);
        let (candidates, mut forces) = (set.candidates().len(), vec![0.0; 6]);
        assert_eq!(candidates, count + 2 * 4);
        let before = REQUESTS.get();
        set.clear();
        joints.contacts(&frames, &at, &[], 0, 0, &mut set);
        joints.add_forces(&frames, &at, &mut forces);
        assert!(joints.energy(&frames, &at) > 0.0);
        assert_eq!(REQUESTS.get() - before, 0);
    }
}
