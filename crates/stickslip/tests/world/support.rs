//! Short ways to describe worlds, and to run them.

use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::solve::{Limits, Solver, Status, by_name};
use stickslip::system::{ContactSet, Dimension, MechanicalSystem, State};
use stickslip::world::*;

pub const UNIT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
pub const GRAVITY: f64 = 9.81;

pub fn shape(kind: ShapeKind) -> ShapeDescription {
    ShapeDescription { kind, offset: [0.0; 3], rotation: UNIT, density: None }
}

pub fn shape_at(kind: ShapeKind, offset: [f64; 3]) -> ShapeDescription {
    ShapeDescription { offset, ..shape(kind) }
}

/// A moving body of density 1000 at rest at the origin.
pub fn body(name: &str, kind: ShapeKind) -> BodyDescription {
    BodyDescription {
        name: name.into(),
        fixed: false,
        free: Default::default(),
        mass: MassDescription::Density(1000.0),
        position: [0.0; 3],
        rotation: UNIT,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        material: String::new(),
        shapes: vec![shape(kind)],
    }
}

pub fn fixed(name: &str, kind: ShapeKind) -> BodyDescription {
    BodyDescription { fixed: true, ..body(name, kind) }
}

pub fn floor() -> BodyDescription {
    fixed("floor", ShapeKind::HalfSpace)
}

pub fn sphere(name: &str, radius: f64, position: [f64; 3]) -> BodyDescription {
    BodyDescription { position, ..body(name, ShapeKind::Sphere { radius }) }
}

pub fn friction(friction: f64) -> ContactLaw {
    ContactLaw { friction, ..ContactLaw::default() }
}

/// A world in space under gravity along −z.
pub fn space(bodies: Vec<BodyDescription>, law: ContactLaw) -> WorldDescription {
    WorldDescription {
        gravity: [0.0, 0.0, -GRAVITY],
        bodies,
        default_contact: law,
        ..WorldDescription::default()
    }
}

/// A world in the plane under gravity along −y.
pub fn plane(bodies: Vec<BodyDescription>, law: ContactLaw) -> WorldDescription {
    WorldDescription {
        dimension: Dimension::Two,
        gravity: [0.0, -GRAVITY, 0.0],
        ..space(bodies, law)
    }
}

pub fn world(description: &WorldDescription) -> World {
    World::new(description).unwrap_or_else(|errors| panic!("{errors:?}"))
}

pub fn solver(tolerance: f64) -> Box<dyn Solver> {
    by_name("auto", Limits { tolerance, ..Limits::default() }).unwrap().unwrap()
}

pub fn moreau(tolerance: f64) -> Moreau {
    Moreau::new(solver(tolerance), Projection::default())
}

pub fn projected(tolerance: f64) -> Moreau {
    Moreau::new(solver(tolerance), Projection::new(ProjectionMetric::Mass))
}

/// Steps that must all be solved.
pub fn run(
    integrator: &mut dyn Integrator,
    system: &dyn MechanicalSystem,
    state: &mut State,
    dt: f64,
    steps: usize,
    mut look: impl FnMut(&State, &dyn Integrator),
) {
    for _ in 0..steps {
        let report = integrator.step(system, state, dt).unwrap();
        assert_eq!(report.solve.status, Status::Solved, "at t = {}", state.t);
        look(state, integrator);
    }
}

/// The state after so many steps.
pub fn advance(world: &World, integrator: &mut dyn Integrator, dt: f64, steps: usize) -> State {
    let mut state = world.start();
    run(integrator, world, &mut state, dt, steps, |_, _| {});
    state
}

/// Keys and gaps of all candidates of a state.
pub fn gaps(world: &World, state: &State) -> Vec<(u64, f64)> {
    let mut contacts = ContactSet::default();
    contacts.margin = f64::NEG_INFINITY;
    world.contacts(state, &mut contacts);
    contacts.candidates().iter().map(|c| (c.key, c.gap)).collect()
}

/// Smallest gap of a state; ∞ without candidates.
pub fn least_gap(world: &World, state: &State) -> f64 {
    gaps(world, state).iter().fold(f64::INFINITY, |m, (_, gap)| m.min(*gap))
}

/// Angular velocity of a body in the inertial frame.
pub fn omega(world: &World, state: &State, body: usize) -> [f64; 3] {
    let frame = world.frames().frame(state, Some(body));
    world.frames().twist(&frame, &state.u, Some(body)).angular_velocity
}

#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}

/// A random unit quaternion.
pub fn random_rotation(random: &mut fastrand::Rng) -> [f64; 4] {
    loop {
        let p: [f64; 4] = std::array::from_fn(|_| 2.0 * random.f64() - 1.0);
        let square: f64 = p.iter().map(|v| v * v).sum();
        if (0.01..1.0).contains(&square) {
            return p.map(|v| v / square.sqrt());
        }
    }
}
