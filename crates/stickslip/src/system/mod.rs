//! What moves: states, mechanical systems, contact candidates and their laws.
//!
//! ```text
//! q̇ = F(q) u,      M(q, t) u̇ = h(q, u, t) + Σ W_i(q, t) λ_i,      γ_i = W_iᵀ u + w̃_i
//! ```
//!
//! A [`MechanicalSystem`] is constant data and pure functions of a [`State`]; everything that
//! changes lives in the state. It never sees a solver or an integrator.

mod candidates;
mod column;
mod constraints;
mod drawing;
mod elements;
mod group;
mod hertz;
mod law;
mod law_words;
pub(crate) mod mass;
mod observed;
mod speed_curve;

pub(crate) use candidates::left_at;
pub use candidates::{Candidate, ContactSet, Near};
pub use column::{Column, ColumnKind, columns};
pub use constraints::{Constraints, Contradiction, find_contradiction};
pub(crate) use constraints::{constrained, touched};
pub use drawing::{
    ContactPlace, Dimension, Drawing, DrawnBody, DrawnJoint, DrawnPart, DrawnPose, DrawnShape,
    JointSymbol,
};
pub use elements::{
    ContactChoice, ElementConstants, FrictionChoice, GroupElements, SMOOTHING_SPEED,
};
pub use group::{LawGroup, NamedLaw};
pub use hertz::{effective_modulus, effective_radius, hertz_contact_radius, hertz_mean_radius};
pub use law::{ForceLaw, ForceReservoir, ImpactLaw};
pub use observed::{
    ColumnList, Condition, ContactColumn, ContactValues, Facts, JointPart, JointReaction, Observed,
    Seen,
};
pub use speed_curve::SpeedCurve;

use crate::memory::Tape;

/// All that changes in time.
#[derive(Debug, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities; q̇ = F(q) u.
    pub u: Vec<f64>,
    /// What a system must remember from step to step beside q and u (e.g. which points of a disk
    /// were in contact when it lay flat).
    pub memory: Vec<f64>,
}

/// By hand, because a derived `clone_from` allocates.
impl Clone for State {
    fn clone(&self) -> Self {
        let Self { t, q, u, memory } = self;
        Self { t: *t, q: q.clone(), u: u.clone(), memory: memory.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.t = source.t;
        self.q.clone_from(&source.q);
        self.u.clone_from(&source.u);
        self.memory.clone_from(&source.memory);
    }
}

impl State {
    /// Writes the state, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.real(&mut self.t);
        [&mut self.q, &mut self.u, &mut self.memory]
            .into_iter()
            .for_each(|list| tape.numbers(list));
    }
}

/// Energy of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy of all conservative forces, J.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential energy, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Bodies or a mechanism with contact candidates.
///
/// What has no default is what a system must say; the example `own_system` adds a contact.
///
/// ```
/// use stickslip::prelude::*;
/// use stickslip::solve::Auto;
/// use stickslip::system::LawGroup;
///
/// /// A mass of 1 kg on a spring of 100 N/m.
/// struct Oscillator;
///
/// impl MechanicalSystem for Oscillator {
///     fn coordinate_count(&self) -> usize {
///         1
///     }
///     fn blocks(&self) -> &[usize] {
///         &[1]
///     }
///     fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
///         (mass[0], forces[0]) = (1.0, -100.0 * at.q[0]);
///     }
///     fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
///         q_dot.copy_from_slice(v);
///     }
///     fn contacts(&self, _at: &State, out: &mut ContactSet) {
///         out.clear();
///     }
///     fn law_groups(&self) -> &[LawGroup] {
///         &[]
///     }
///     fn contact_name(&self, _key: u64) -> String {
///         String::new()
///     }
///     fn energy(&self, at: &State) -> Energy {
///         let (kinetic, potential) = (0.5 * at.u[0].powi(2), 50.0 * at.q[0].powi(2));
///         Energy { kinetic, potential }
///     }
/// }
///
/// let mut state = State { q: vec![0.1], u: vec![0.0], ..State::default() };
/// let mut integrator = Rattle::new(Box::new(Auto::default()));
/// for _ in 0..1000 {
///     integrator.step(&Oscillator, &mut state, 1e-3)?;
/// }
/// assert!((state.q[0] - 0.1 * 10.0_f64.cos()).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MechanicalSystem {
    /// Number of coordinates q.
    fn coordinate_count(&self) -> usize;

    /// Sizes of the diagonal blocks of the mass matrix: one block per free body, or one block for
    /// a mechanism in minimal coordinates. Their sum is the number of velocities u.
    fn blocks(&self) -> &[usize];

    /// Number of remembered values; see [`State::memory`]. An integrator may keep values of its own
    /// behind them.
    fn memory_count(&self) -> usize {
        0
    }

    /// Mass matrix M (its blocks one after the other, each dense row-major) and all smooth forces
    /// h at (t, q, u): gyroscopic, gravity, springs, drives.
    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]);

    /// Which of the forces was not finite the last time that one was not, in words with its time: the
    /// reason of a step that failed.
    fn not_finite(&self) -> Option<String> {
        None
    }

    /// Rate q̇ = F(q) v (plus a prescribed part) for the velocities `v`, which need not be `at.u`.
    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]);

    /// Gradient with respect to q of a function whose rate is wᵀ u: out = F⁺ᵀ w with u = F⁺ q̇.
    /// The default serves systems with q̇ = u.
    fn coordinate_gradient(&self, _at: &State, w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }

    /// The same of one block alone, for systems that keep blocks apart
    /// ([`coordinates_of_block`](Self::coordinates_of_block)): `w` and `out` belong to that block. False
    /// (the default) if only the whole can be had.
    fn block_gradient(&self, _at: &State, _block: usize, _w: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// Number of coordinates of each block of velocities, where they stand block after block and F keeps the
    /// blocks apart; none (the default) if this is not so.
    fn coordinates_of_block(&self) -> Option<usize> {
        None
    }

    /// Moves the coordinates with the constant velocities `v` for a time `dt` by the implicit midpoint
    /// rule, q_E = q_A + dt F(½(q_A + q_E)) v, which keeps the length of a quaternion. `half_way` is
    /// memory that comes in with the coordinates of `from`.
    ///
    /// A system that knows the motion in closed form gives it.
    fn advance(&self, from: &State, v: &[f64], dt: f64, half_way: &mut State, q_e: &mut [f64]) {
        half_way.t = from.t + 0.5 * dt;
        // A turn by less than a radian in a step gains two digits with every pass.
        for _ in 0..30 {
            self.coordinate_rate(half_way, v, q_e);
            let mut change = 0.0_f64;
            for ((q_e, middle), start) in q_e.iter_mut().zip(&mut half_way.q).zip(&from.q) {
                let shift = 0.5 * dt * *q_e;
                change = change.max((start + shift - *middle).abs() / (1.0 + middle.abs()));
                *middle = start + shift;
                *q_e = start + 2.0 * shift;
            }
            if !(change > 1e-15) {
                break;
            }
        }
    }

    /// Into how many parts the motion with the velocities `v` for a time `dt` must be divided so that no
    /// body passes through another between two looks. 1 unless bodies are thin or fast.
    fn looks(&self, _from: &State, _v: &[f64], _dt: f64) -> usize {
        1
    }

    /// The diagonal blocks of ∂h/∂u, laid out like the mass matrix; false, and zeros, if the system
    /// does not know them. Schemes that take velocities implicitly converge faster with them.
    fn force_jacobian(&self, _at: &State, _out: &mut [f64]) -> bool {
        false
    }

    /// Restores the constraints of the coordinates after a step (unit quaternions).
    fn normalize(&self, _q: &mut [f64]) {}

    /// Brings coordinates to those nearest to `near` that mean the same place. Quaternions may change their signs, and
    /// `signs` gets −1 where they do; angles lose whole turns only if `turns` says so, for springs may count these.
    fn turn_back(&self, _q: &mut [f64], _near: &[f64], _turns: bool, _signs: &mut [f64]) {}

    /// Brings [`State::memory`] up to date after an accepted step.
    fn remember(&self, _state: &mut State) {}

    /// Lists the contact candidates with gap, key and laws; directions W and w̃ at least where the
    /// gap is at most [`ContactSet::margin`].
    fn contacts(&self, at: &State, out: &mut ContactSet);

    /// Lists the position errors of all bilateral constraints, in the order in which [`contacts`](Self::contacts) adds these
    /// and without their directions. False (the default) if only the candidates tell them.
    fn joint_errors(&self, _at: &State, _out: &mut Vec<f64>) -> bool {
        false
    }

    /// The largest penetration of all gaps at a state, m, if it is more than `known`, else `known`: most
    /// gaps need no look then. `memory` is what it may work with.
    fn penetration(&self, at: &State, known: f64, memory: &mut ContactSet) -> f64 {
        memory.clear();
        memory.ask_for_gaps();
        self.contacts(at, memory);
        memory.deepest(known)
    }

    /// The groups of laws that candidates refer to.
    fn law_groups(&self) -> &[LawGroup];

    /// Name of the candidate with this key, as reports show it.
    fn contact_name(&self, key: u64) -> String {
        format!("contact-{key}")
    }

    /// Restores closed gaps where the general projection does not converge. False if the system
    /// has no way of its own.
    fn restore_gaps(&self, _state: &mut State) -> bool {
        false
    }

    /// How many of the first velocities of each block of the mass matrix are those of a point along the
    /// axes of the world: their generalized forces are forces in the world. 0 if they are something else.
    fn translations(&self) -> usize {
        0
    }

    /// Whether nothing ever acts along this velocity, so that it stays what it is.
    fn is_held(&self, _velocity: usize) -> bool {
        false
    }

    /// A length of the system, m, to which gaps and coordinates are small or large; none if it does
    /// not say.
    fn characteristic_length(&self) -> Option<f64> {
        None
    }

    /// The part of the smooth forces h that has no potential (drives, dampers, applied forces), as
    /// generalized forces f: their power is fᵀu. Zero unless the system has some. Integrators enter
    /// their work along the motion into the energy book as work of the drive.
    fn applied_forces(&self, _at: &State, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// [`mass_and_forces`](Self::mass_and_forces) and [`applied_forces`](Self::applied_forces) at once, for systems that
    /// need not compute the same forces twice.
    fn mass_and_all_forces(
        &self,
        at: &State,
        mass: &mut [f64],
        forces: &mut [f64],
        applied: &mut [f64],
    ) {
        self.mass_and_forces(at, mass, forces);
        self.applied_forces(at, applied);
    }

    /// Kinetic and potential energy.
    fn energy(&self, at: &State) -> Energy;
}
