//! Bodies without shapes under gravity, joined by the joints of a world.

use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::kinematics::vector::{apply, cross};
use stickslip::kinematics::{Quaternion, Vector3, quaternion};
use stickslip::solve::{Limits, Status, by_name};
use stickslip::system::{
    Column, ContactSet, Dimension, Energy, LawGroup, MechanicalSystem, Observed, State,
};
use stickslip::world::frames::Placement;
use stickslip::world::{
    BodyDescription, Frame, Frames, JointDescription, JointKind, Joints, MassDescription, Mount,
    Twist, WorldDescription, start_state,
};

/// A world of bodies that touch nothing.
pub struct Toy {
    pub frames: Frames,
    pub joints: Joints,
    gravity: Vector3,
    /// Mass and principal moments of inertia of the moving bodies.
    masses: Vec<(f64, Vector3)>,
    blocks: Vec<usize>,
    groups: Vec<LawGroup>,
    pub start: State,
}

impl Toy {
    pub fn new(world: &WorldDescription) -> Self {
        let frames = frames(world);
        let joints = Joints::new(world, &frames).unwrap();
        let start = start_state(world, &frames);
        let mut masses = Vec::new();
        for body in world.bodies.iter().filter(|body| !body.fixed) {
            let MassDescription::Given { mass, inertia, .. } = body.mass else {
                panic!("the toy needs masses");
            };
            masses.push((mass, [inertia[0], inertia[1], inertia[2]]));
        }
        let blocks = vec![frames.velocities(); masses.len()];
        let groups = joints.groups();
        Self { joints, gravity: world.gravity, masses, blocks, groups, start, frames }
    }

    /// Largest position error of all joints.
    pub fn apart(&self, at: &State) -> f64 {
        let mut set = ContactSet::default();
        self.contacts(at, &mut set);
        let errors = set.candidates().iter().flat_map(|c| set.position_error(c));
        errors.fold(0.0_f64, |most, error| most.max(error.abs()))
    }
}

/// Where the bodies of a world are.
pub fn frames(world: &WorldDescription) -> Frames {
    let mut block = 0;
    let placements = world.bodies.iter().map(|body| {
        if body.fixed {
            let rotation = quaternion::rotation(&body.rotation);
            let frame = Frame { center: body.position, rotation, origin: body.position };
            let twist = Twist { velocity: body.velocity, angular_velocity: body.angular_velocity };
            return Placement::Fixed { frame, twist };
        }
        block += 1;
        let center = match body.mass {
            MassDescription::Given { center, .. } => center,
            MassDescription::Density(_) | MassDescription::Total(_) => [0.0; 3],
        };
        Placement::Moving { block: block - 1, center }
    });
    Frames { dimension: world.dimension, placements: placements.collect() }
}

impl MechanicalSystem for Toy {
    fn coordinate_count(&self) -> usize {
        self.frames.coordinates() * self.masses.len()
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let n = self.frames.velocities();
        mass.fill(0.0);
        forces.fill(0.0);
        for (b, (m, inertia)) in self.masses.iter().enumerate() {
            let (mass, force) = (&mut mass[b * n * n..], &mut forces[b * n..]);
            let linear = if n == 3 { 2 } else { 3 };
            for k in 0..linear {
                mass[k * n + k] = *m;
                force[k] = m * self.gravity[k];
            }
            if n == 3 {
                mass[8] = inertia[2];
                continue;
            }
            let u = &at.u[b * n..];
            let omega = [u[3], u[4], u[5]];
            let momentum = [0, 1, 2].map(|k| inertia[k] * omega[k]);
            let gyroscopic = cross(&momentum, &omega);
            for k in 0..3 {
                mass[(3 + k) * n + 3 + k] = inertia[k];
                force[3 + k] = gyroscopic[k];
            }
        }
        self.joints.add_forces(&self.frames, at, forces);
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            q_dot.copy_from_slice(v);
            return;
        }
        let states = q_dot.chunks_exact_mut(7).zip(v.chunks_exact(6)).zip(at.q.chunks_exact(7));
        for ((out, v), q) in states {
            out[..3].copy_from_slice(&v[..3]);
            let rate = quaternion::rate(&[q[3], q[4], q[5], q[6]], &[v[3], v[4], v[5]]);
            out[3..].copy_from_slice(&rate);
        }
    }

    fn coordinate_gradient(&self, at: &State, w: &[f64], out: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            out.copy_from_slice(w);
            return;
        }
        let states = out.chunks_exact_mut(7).zip(w.chunks_exact(6)).zip(at.q.chunks_exact(7));
        for ((out, w), q) in states {
            out[..3].copy_from_slice(&w[..3]);
            let gradient = quaternion::gradient(&[q[3], q[4], q[5], q[6]], &[w[3], w[4], w[5]]);
            out[3..].copy_from_slice(&gradient);
        }
    }

    fn normalize(&self, q: &mut [f64]) {
        if self.frames.dimension == Dimension::Three {
            for q in q.chunks_exact_mut(7) {
                let unit = quaternion::normalized(&[q[3], q[4], q[5], q[6]]);
                q[3..].copy_from_slice(&unit);
            }
        }
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        self.joints.contacts(&self.frames, at, &[], 0, 0, out);
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        self.joints.contact_name(key)
    }

    fn energy(&self, at: &State) -> Energy {
        let n = self.frames.velocities();
        let mut energy = Energy { kinetic: 0.0, potential: self.joints.energy(&self.frames, at) };
        for (b, (m, inertia)) in self.masses.iter().enumerate() {
            let (q, u) = (&at.q[b * self.frames.coordinates()..], &at.u[b * n..]);
            let linear = if n == 3 { 2 } else { 3 };
            for k in 0..linear {
                energy.kinetic += 0.5 * m * u[k] * u[k];
                energy.potential -= m * self.gravity[k] * q[k];
            }
            for (k, j) in inertia.iter().enumerate() {
                match n {
                    3 if k == 2 => energy.kinetic += 0.5 * j * u[2] * u[2],
                    6 => energy.kinetic += 0.5 * j * u[3 + k] * u[3 + k],
                    _ => {}
                }
            }
        }
        energy
    }
}

impl Observed for Toy {
    fn columns(&self) -> Vec<Column> {
        Vec::new()
    }

    fn observe(&self, _at: &State, _out: &mut Vec<f64>) {}

    fn reported_contacts(&self) -> &[u64] {
        &[]
    }
}

// ---- descriptions ----------------------------------------------------------------------------

pub const NO_TURN: Quaternion = [1.0, 0.0, 0.0, 0.0];

pub fn about_z(angle: f64) -> Quaternion {
    quaternion::from_axis_angle(&[0.0, 0.0, 1.0], angle)
}

/// A body with principal moments of inertia, at rest in the origin.
pub fn body(name: &str, mass: f64, inertia: Vector3) -> BodyDescription {
    BodyDescription {
        name: name.into(),
        fixed: false,
        free: Default::default(),
        mass: MassDescription::Given {
            mass,
            center: [0.0; 3],
            inertia: [inertia[0], inertia[1], inertia[2], 0.0, 0.0, 0.0],
        },
        position: [0.0; 3],
        rotation: NO_TURN,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        material: String::new(),
        shapes: Vec::new(),
    }
}

pub fn ground(point: Vector3) -> Mount {
    Mount { body: None, point, rotation: NO_TURN }
}

pub fn on(body: usize, point: Vector3) -> Mount {
    Mount { body: Some(body), point, rotation: NO_TURN }
}

pub fn joint(name: &str, kind: JointKind, first: Mount, second: Mount) -> JointDescription {
    JointDescription::new(name, kind, first, second)
}

pub fn world(
    dimension: Dimension,
    bodies: Vec<BodyDescription>,
    joints: Vec<JointDescription>,
) -> WorldDescription {
    WorldDescription { dimension, bodies, joints, ..WorldDescription::default() }
}

// ---- stepping --------------------------------------------------------------------------------

pub fn moreau(solver: &str, tolerance: f64, metric: ProjectionMetric) -> Moreau {
    let limits = Limits { tolerance, ..Limits::default() };
    Moreau::new(by_name(solver, limits).unwrap().unwrap(), Projection::new(metric))
}

/// Steps until the time is reached; every contact problem must be solved.
pub fn go(
    toy: &Toy,
    integrator: &mut dyn Integrator,
    state: &mut State,
    dt: f64,
    until: f64,
    mut look: impl FnMut(&State),
) {
    let steps = (until / dt).round() as usize;
    for _ in 0..steps {
        let report = integrator.step(toy, state, dt).unwrap();
        assert_eq!(report.solve.status, Status::Solved, "at t = {}", state.t);
        look(state);
    }
}

/// Velocities of all components of the permanent bilateral laws ("joint" and "motor").
pub fn constraint_velocity(toy: &Toy, at: &State, u: &[f64]) -> f64 {
    let mut set = ContactSet::default();
    toy.contacts(at, &mut set);
    let n = toy.frames.velocities();
    let mut most = 0.0_f64;
    for candidate in set.candidates() {
        let name = toy.groups[candidate.group].laws[0].name;
        if !["joint", "motor"].contains(&name) {
            continue;
        }
        let rows = set.directions(candidate).chunks(candidate.width());
        for (row, prescribed) in rows.zip(set.rheonomic(candidate)) {
            let mut velocity = *prescribed;
            for (part, block) in row.chunks(n).zip(candidate.blocks) {
                velocity += part.iter().zip(&u[block * n..]).map(|(w, u)| w * u).sum::<f64>();
            }
            most = most.max(velocity.abs());
        }
    }
    most
}

/// Fourth-order Runge-Kutta for an independent model in minimal coordinates.
pub fn rk4<const N: usize>(
    mut y: [f64; N],
    dt: f64,
    until: f64,
    rate: impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let steps = (until / dt).round() as usize;
    for step in 0..steps {
        let t = step as f64 * dt;
        let shifted = |k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
        let k1 = rate(t, &y);
        let k2 = rate(t + 0.5 * dt, &shifted(&k1, 0.5 * dt));
        let k3 = rate(t + 0.5 * dt, &shifted(&k2, 0.5 * dt));
        let k4 = rate(t + dt, &shifted(&k3, dt));
        y = std::array::from_fn(|i| y[i] + dt / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

/// A number between −1 and 1.
pub fn signed(rng: &mut fastrand::Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

/// A random rotation.
pub fn any_turn(rng: &mut fastrand::Rng) -> Quaternion {
    quaternion::normalized(&[signed(rng), signed(rng), signed(rng), signed(rng)])
}

/// Turns a vector.
pub fn turned(by: &Quaternion, vector: Vector3) -> Vector3 {
    apply(&quaternion::rotation(by), &vector)
}

/// Fails unless the numbers differ by at most `tolerance`.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a} and {b} differ by {:e} > {tolerance:e}",
        (a - b).abs()
    );
}
