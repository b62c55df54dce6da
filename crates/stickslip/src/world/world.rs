//! A world as a mechanical system.

use super::collide::{Collider, Scratch};
use super::columns::Computed;
use super::conditions::Conditions;
use super::description::*;
use super::drawn_joints::drawn_joints;
use super::frames::Placement;
use super::held::Held;
use super::inertia::{self, MassProperties};
use super::joint_columns::ideal_names;
use super::joints::Joints;
use super::laws::Laws;
use super::passing::thin_pair;
use super::shape::Shape;
use super::skeleton::skeleton;
use super::start::start_state;
use super::validate::{self, Check};
use crate::kinematics::vector::{apply, cross, dot};
use crate::kinematics::{Vector3, quaternion};
use crate::system::{
    ContactSet, Dimension, DrawnJoint, DrawnPart, Energy, GroupElements, LawGroup,
    MechanicalSystem, State,
};
use crate::world::Frames;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keys of named contacts, behind those of the points of contact.
pub(super) const NAMED: u64 = 1 << 62;
/// Gap over the size of the smaller shape or body up to which two of them touch.
const CLOSED: f64 = 1e-9;
/// First key of the joints.
pub(super) const JOINTS: u64 = 1 << 63;

/// Bodies with shapes, joints, forces and contact laws.
///
/// ```
/// use stickslip::prelude::*;
///
/// let mut description = WorldDescription::space();
/// let ball = description.add(Body::new("ball").mass(2.0).sphere(0.05).at([0.0, 0.0, 1.0]));
/// let world = World::new(&description).map_err(|errors| errors[0].clone())?;
/// assert_eq!(world.start().u, [0.0; 6]);
/// assert!((world.energy(&world.start()).potential - 2.0 * 9.81).abs() < 1e-12);
/// assert_eq!(world.mass_properties(ball).map(|mass| mass.mass), Some(2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A pair of shapes is looked at where its gap is small against the smaller of them, so that the
/// cost of a step grows with the number of neighbours only. A world of few pairs looks at all of them
/// at any distance.
pub struct World {
    pub(super) bodies: Vec<Body>,
    pub(super) frames: Frames,
    pub(super) laws: Laws,
    pub(super) collider: Collider,
    pub(super) named_keys: Vec<u64>,
    blocks: Vec<usize>,
    pub(super) gravity: Vector3,
    /// Gap over the size of the smaller of two shapes up to which they touch.
    pub(super) closed: f64,
    pub(super) joints: Joints,
    /// The groups of laws: of contacts, then of joints.
    groups: Vec<LawGroup>,
    start: State,
    warnings: Vec<String>,
    pub(super) derived: Computed,
    pub(super) conditions: Conditions,
    /// Own names of contacts of joints, and what tables call them.
    pub(super) contact_names: Vec<(String, String)>,
    pub(super) joint_names: Vec<String>,
    /// Points of contact that messages have named, by pair of shapes: see `contact_names.rs`.
    pub(super) told_points: Mutex<Vec<(u64, u16)>>,
    /// Whether only the first point of a contact between shapes is reported.
    pub(super) first_points: bool,
    pub(super) held: Held,
    scratch: Mutex<Scratch>,
    pub(super) drawn_joints: Vec<DrawnJoint>,
    /// The last function of the state that was not finite, in words.
    not_finite: Mutex<Option<String>>,
}

/// A body of a world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    /// Its name.
    pub name: String,
    /// Mass and inertia; zero for a fixed body.
    pub mass: MassProperties,
    /// Number of its shapes.
    pub shapes: usize,
    /// What is drawn of a moving body that has none.
    pub skeleton: Vec<DrawnPart>,
}

impl World {
    /// The world of a description, or everything that is wrong with it.
    pub fn new(description: &WorldDescription) -> Result<Self, Vec<WorldError>> {
        let mut check = Check::default();
        validate::check(description, &mut check);
        let dimension = description.dimension;
        let mut warnings = Vec::new();
        let mut bodies = Vec::with_capacity(description.bodies.len());
        let mut shapes = Vec::new();
        let mut moving = Vec::new();
        for (index, body) in description.bodies.iter().enumerate() {
            let wrong = |e: &WorldError| match e.part {
                Part::Body(b) | Part::Shape(b, _) => b == index,
                _ => false,
            };
            if check.errors.iter().any(wrong) {
                continue;
            }
            let mass = if body.fixed {
                MassProperties::default()
            } else {
                inertia::of_body(index, dimension, body, &mut check, &mut warnings)
            };
            let name = body.name.clone();
            bodies.push(Body { name, mass, shapes: body.shapes.len(), skeleton: Vec::new() });
            for (number, shape) in body.shapes.iter().enumerate() {
                shapes.push(Shape::new(index, number, shape, &mut check));
                moving.push(!body.fixed);
            }
        }
        if !check.errors.is_empty() {
            return Err(check.errors);
        }
        for (index, body) in bodies.iter_mut().enumerate() {
            if body.shapes == 0 && !description.bodies[index].fixed {
                body.skeleton = skeleton(description, index, &body.mass);
            }
        }
        let frames = Frames::new(description, bodies.iter().map(|body| body.mass.center));
        let mut joints = Joints::new(description, &frames)?;
        let derived = Computed::new(description)?;
        let conditions = Conditions::new(description)?;
        let closed = if description.exact_gaps { 0.0 } else { CLOSED };
        joints.close_within(closed, |body| bodies[body].mass.gyration());
        warnings.extend_from_slice(joints.warnings());
        warnings.extend(thin_pair(&bodies, &shapes, &moving));
        let laws = Laws::new(description);
        let mut collider = Collider::new(shapes, moving, &laws);
        collider.measure_reaches(&frames);
        let count = frames.placements.iter().filter(|p| is_moving(p)).count();
        let named = (0..laws.names.len() as u64).map(|k| NAMED + k);
        let jointed = joints.named_contacts().into_iter().map(|(key, _)| JOINTS + key);
        let mut world = Self {
            groups: laws.groups.iter().cloned().chain(joints.groups()).collect(),
            blocks: vec![frames.velocities(); count],
            named_keys: named.chain(jointed).collect(),
            joints,
            gravity: description.gravity,
            closed,
            start: State::default(),
            scratch: Mutex::new(Scratch::default()),
            not_finite: Mutex::new(None),
            bodies,
            frames,
            laws,
            collider,
            warnings,
            derived,
            conditions,
            first_points: description.table.first_points,
            contact_names: description.table.contact_names.clone(),
            joint_names: ideal_names(description),
            told_points: Mutex::new(Vec::new()),
            held: Held::new(description),
            drawn_joints: Vec::new(),
        };
        world.drawn_joints = drawn_joints(description, &world.frames);
        let mut start = start_state(description, &world.frames);
        world.remember(&mut start);
        world.start = start;
        if world.start.q.iter().chain(&world.start.u).any(|v| !v.is_finite()) {
            let message = "positions and velocities at the start are too large".to_string();
            return Err(vec![WorldError { part: Part::World, key: "", message }]);
        }
        Ok(world)
    }

    /// Positions and velocities of the description, at t = 0.
    pub fn start(&self) -> State {
        self.start.clone()
    }

    /// What deserves attention but is no error.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Where the bodies are in q and u.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }

    /// What the description says of the elements in place of the laws, for each group of laws: see
    /// [`choose_elements`](crate::ode::choose_elements).
    pub fn elements(&self) -> Vec<GroupElements> {
        self.laws.elements.iter().chain(self.joints.elements()).cloned().collect()
    }

    /// Mass and inertia of a body; zero if it is fixed.
    pub fn mass_properties(&self, body: usize) -> Option<&MassProperties> {
        self.bodies.get(body).map(|body| &body.mass)
    }

    /// The memory of the collision detection with the points of contact of a state.
    pub(super) fn collide(&self, at: &State) -> MutexGuard<'_, Scratch> {
        let mut scratch = self.last_collision();
        self.collider.find(&self.frames, &self.laws, at, &mut scratch);
        scratch
    }

    /// The same with those of the last state that was looked at.
    pub(super) fn last_collision(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Key of a point of contact.
    pub(super) fn key(shapes: [u32; 2], number: u16) -> u64 {
        let [a, b] = shapes.map(u64::from);
        a.min(b) << 39 | a.max(b) << 16 | u64::from(number)
    }

    /// Shapes and number of a key of a point of contact; none for other keys.
    pub(super) fn parts(&self, key: u64) -> Option<([&Shape; 2], u16)> {
        let shape = |k: u64| self.collider.shapes.get(k as usize);
        let (a, b) = (shape(key >> 39)?, shape(key >> 16 & 0x7f_ffff)?);
        Some(([a, b], (key & 0xffff) as u16))
    }

    /// Remembers which function of the state is not finite.
    fn blame(&self, number: Option<usize>, at: &State) {
        let Some(number) = number else { return };
        let what = self.joints.blame(number, &self.frames, at);
        *self.not_finite.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(format!("at t = {} s: {what}", at.t));
    }

    /// Calls `visit` with block and mass of every moving body.
    pub(super) fn moving(&self) -> impl Iterator<Item = (usize, usize, &MassProperties)> + '_ {
        self.frames.placements.iter().zip(&self.bodies).enumerate().filter_map(
            |(index, (placement, body))| match placement {
                Placement::Moving { block, .. } => Some((index, *block, &body.mass)),
                Placement::Fixed { .. } => None,
            },
        )
    }
}

fn is_moving(placement: &Placement) -> bool {
    matches!(placement, Placement::Moving { .. })
}

impl MechanicalSystem for World {
    fn coordinate_count(&self) -> usize {
        self.blocks.len() * self.frames.coordinates()
    }

    fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    fn coordinates_of_block(&self) -> Option<usize> {
        Some(self.frames.coordinates())
    }

    fn memory_count(&self) -> usize {
        self.collider.memory_count
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.mass_and_weights(at, mass, forces);
        let wrong = self.joints.add_forces(&self.frames, at, forces);
        self.blame(wrong, at);
        self.held.forces(self.frames.velocities(), forces);
    }

    /// The largest of the sizes of the moving shapes, of the arms of joints and of the distances at
    /// the start.
    fn characteristic_length(&self) -> Option<f64> {
        let shapes = self.collider.shapes.iter().map(|shape| shape.size);
        let per = self.frames.coordinates();
        let lengths = if self.frames.dimension == Dimension::Two { 2 } else { 3 };
        let places = self.start.q.chunks_exact(per).flat_map(|q| q[..lengths].iter());
        let all = shapes.chain(places.map(|x| x.abs())).chain([self.joints.longest_arm()]);
        let longest = all.filter(|length| length.is_finite()).fold(0.0_f64, f64::max);
        (longest > 0.0).then_some(longest)
    }

    fn applied_forces(&self, at: &State, out: &mut [f64]) {
        out.fill(0.0);
        let wrong = self.joints.add_applied_forces(&self.frames, at, out);
        self.blame(wrong, at);
        self.held.forces(self.frames.velocities(), out);
    }

    fn mass_and_all_forces(
        &self,
        at: &State,
        mass: &mut [f64],
        forces: &mut [f64],
        applied: &mut [f64],
    ) {
        self.mass_and_weights(at, mass, forces);
        applied.fill(0.0);
        let wrong = self.joints.add_all_forces(&self.frames, at, forces, applied);
        self.blame(wrong, at);
        for out in [forces, applied] {
            self.held.forces(self.frames.velocities(), out);
        }
    }

    fn not_finite(&self) -> Option<String> {
        self.not_finite.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_held(&self, velocity: usize) -> bool {
        self.held.holds(self.frames.velocities(), velocity)
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            q_dot.copy_from_slice(v);
            return;
        }
        for (rate, (q, v)) in q_dot.chunks_exact_mut(7).zip(at.q.chunks(7).zip(v.chunks(6))) {
            rate[..3].copy_from_slice(&v[..3]);
            let turn = quaternion::rate(&[q[3], q[4], q[5], q[6]], &[v[3], v[4], v[5]]);
            rate[3..].copy_from_slice(&turn);
        }
    }

    /// In closed form: p_E = p_A (1 + b)/|1 + b| with b = ½Δt Ω as a pure quaternion. With this turn,
    /// by the angle 2 atan(½Δt|Ω|), the implicit midpoint rule of a free body keeps its angular
    /// momentum in space: (1 + S) Θ Ω and (1 − S) Θ Ω with S = ½Δt Ω̃ are turned into each other.
    fn advance(&self, from: &State, v: &[f64], dt: f64, _half_way: &mut State, q_e: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            for ((end, q), v) in q_e.iter_mut().zip(&from.q).zip(v) {
                *end = q + dt * v;
            }
            return;
        }
        let bodies = from.q.chunks_exact(7).zip(v.chunks_exact(6));
        for (end, (q, v)) in q_e.chunks_exact_mut(7).zip(bodies) {
            for k in 0..3 {
                end[k] = q[k] + dt * v[k];
            }
            let b = [v[3], v[4], v[5]].map(|omega| 0.5 * dt * omega);
            let turned = quaternion::product(&[q[3], q[4], q[5], q[6]], &[1.0, b[0], b[1], b[2]]);
            end[3..].copy_from_slice(&quaternion::normalized(&turned));
        }
    }

    fn looks(&self, from: &State, v: &[f64], dt: f64) -> usize {
        self.looks_for_passing(from, v, dt)
    }

    fn force_jacobian(&self, at: &State, out: &mut [f64]) -> bool {
        let n = self.frames.velocities();
        out.fill(0.0);
        if self.frames.dimension == Dimension::Three {
            for (_, block, body) in self.moving() {
                // ∂/∂Ω of ΘΩ × Ω, column by column.
                let u = &at.u[block * n..];
                let omega = [u[3], u[4], u[5]];
                let spin = apply(&body.inertia, &omega);
                let jacobian = &mut out[block * n * n..(block + 1) * n * n];
                for column in 0..3 {
                    let mut e = [0.0; 3];
                    e[column] = 1.0;
                    let inertia = apply(&body.inertia, &e);
                    let (a, b) = (cross(&inertia, &omega), cross(&spin, &e));
                    for row in 0..3 {
                        jacobian[(3 + row) * n + 3 + column] = a[row] + b[row];
                    }
                }
            }
        }
        self.joints.add_jacobian(&self.frames, at, out);
        self.held.jacobian(n, out);
        true
    }

    fn coordinate_gradient(&self, at: &State, w: &[f64], out: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            out.copy_from_slice(w);
            return;
        }
        for (block, (out, w)) in out.chunks_exact_mut(7).zip(w.chunks(6)).enumerate() {
            self.block_gradient(at, block, w, out);
        }
    }

    fn block_gradient(&self, at: &State, block: usize, w: &[f64], out: &mut [f64]) -> bool {
        if self.frames.dimension == Dimension::Two {
            out.copy_from_slice(w);
            return true;
        }
        let q = &at.q[7 * block..];
        out[..3].copy_from_slice(&w[..3]);
        let turn = quaternion::gradient(&[q[3], q[4], q[5], q[6]], &[w[3], w[4], w[5]]);
        out[3..].copy_from_slice(&turn);
        true
    }

    fn normalize(&self, q: &mut [f64]) {
        if self.frames.dimension == Dimension::Two {
            return;
        }
        for q in q.chunks_exact_mut(7) {
            let unit = quaternion::normalized(&[q[3], q[4], q[5], q[6]]);
            q[3..].copy_from_slice(&unit);
        }
        self.lay_rims_flat(q);
    }

    fn turn_back(&self, q: &mut [f64], near: &[f64], turns: bool, signs: &mut [f64]) {
        self.frames.turn_back(q, near, turns, signs);
    }

    fn remember(&self, state: &mut State) {
        self.remember_rims(state);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        if out.only_joints {
            return self.list_joints(at, &[], out);
        }
        if let Some(near) = out.near.filter(|_| out.only_gaps)
            && self.list_near(at, near, out)
        {
            return;
        }
        let scratch = self.collide(at);
        self.list_points(&scratch, out);
        self.list_joints(at, &scratch.frames, out);
    }

    fn joint_errors(&self, at: &State, out: &mut Vec<f64>) -> bool {
        self.list_errors(at, out)
    }

    fn penetration(&self, at: &State, known: f64, memory: &mut ContactSet) -> f64 {
        self.deepest(at, known, memory)
    }

    fn law_groups(&self) -> &[LawGroup] {
        &self.groups
    }

    fn contact_name(&self, key: u64) -> String {
        self.name_of(key)
    }

    fn translations(&self) -> usize {
        if self.frames.dimension == Dimension::Two { 2 } else { 3 }
    }

    fn restore_gaps(&self, state: &mut State) -> bool {
        self.lift_rims(state)
    }

    fn energy(&self, at: &State) -> Energy {
        let mut energy = Energy::default();
        let (nq, nu) = (self.frames.coordinates(), self.frames.velocities());
        for (_, block, body) in self.moving() {
            let (q, u) = (&at.q[block * nq..], &at.u[block * nu..]);
            let (position, velocity, turning) = match self.frames.dimension {
                Dimension::Two => {
                    let turning = body.inertia[2][2] * u[2] * u[2];
                    ([q[0], q[1], 0.0], [u[0], u[1], 0.0], turning)
                }
                Dimension::Three => {
                    let omega = [u[3], u[4], u[5]];
                    let turning = dot(&omega, &apply(&body.inertia, &omega));
                    ([q[0], q[1], q[2]], [u[0], u[1], u[2]], turning)
                }
            };
            energy.kinetic += 0.5 * (body.mass * dot(&velocity, &velocity) + turning);
            energy.potential -= body.mass * dot(&self.gravity, &position);
        }
        energy.potential += self.joints.energy(&self.frames, at);
        energy
    }
}
