//! Assembly: the places and velocities of a start that fulfil joints, prescribed motions and motors.
//!
//! The errors e(q) of the joints are brought to zero by steps of Levenberg and Marquardt in the metric of
//! the mass matrix. With rows w_i of the joints, scaled by their lengths √(wᵀ M⁻¹ w), a step is
//!
//! ```text
//! δ = −M⁻¹ W (G + λ)⁻¹ e,      G = Wᵀ M⁻¹ W,      λ in proportion to |e|
//! ```
//!
//! of all shifts that close the joints to first order it is the one with the least δᵀ M δ. The damping λ
//! falls with the errors, so that the steps converge quadratically also where constraints are redundant
//! (Yamashita and Fukushima 2001), for which G alone has no inverse. Velocities follow from
//! Wᵀu + w̃ = 0 in the same metric.

use crate::linear::{cholesky, cholesky_solve};
use crate::system::mass::MassInverse;
use crate::system::{ContactSet, Observed, State, constrained, touched};

/// Rows beyond which nothing is assembled: their matrix is dense.
const MOST_ROWS: usize = 1000;
/// Steps of Levenberg and Marquardt.
const STEPS: usize = 300;
/// Error of a joint over the length of the system (or over 1 rad) up to which it is rounding.
const ROUNDING: f64 = 1e-9;
/// Part of the velocities of a joint up to which a velocity against it is rounding; smaller where the
/// bodies were moved.
const MOVING: f64 = 1e-6;
const MOVING_AFTER_SHIFT: f64 = 1e-13;
/// Damping λ at the first step, and its least value: G has a unit diagonal.
const FIRST_DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-13;
/// Factor on the damping beyond which there is no way down.
const MOST_FACTOR: f64 = 1e12;
/// Rounds of the velocities: one, and refinements.
const ROUNDS: usize = 20;
/// Squared length of a row over the largest below which it moves nothing.
const FIXED: f64 = 1e-20;

/// What assembly found at a joint, or at another constraint of the start.
#[derive(Clone, Debug, PartialEq)]
pub struct AssembledJoint {
    /// The key of its candidate, the first if there are several of this name.
    pub key: u64,
    /// Its name.
    pub name: String,
    /// By how much it was apart, m or rad.
    pub apart: f64,
    /// By how much it still is; 0 where that is rounding.
    pub still_apart: f64,
    /// Velocity against it before, m/s or rad/s.
    pub speed: f64,
    /// The same after; 0 where that is rounding.
    pub still_speed: f64,
}

/// What assembly did to a start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// Joints that were apart or moved against their constraints.
    pub joints: Vec<AssembledJoint>,
    /// Whether bodies were moved.
    pub moved: bool,
    /// Whether velocities were changed.
    pub sped: bool,
}

impl Assembly {
    /// Joints that could not be closed, or whose velocities could not be had.
    pub fn failed(&self) -> impl Iterator<Item = &AssembledJoint> {
        self.joints.iter().filter(|joint| joint.still_apart != 0.0 || joint.still_speed != 0.0)
    }
}

/// Moves bodies and changes velocities, as little as possible in the metric of the mass matrix, so that
/// joints meet and velocities follow joints and motors, at the time of the state. Nothing, and the state as
/// before, where everything fits up to rounding, or where the system does not want it.
pub fn assemble(system: &dyn Observed, state: &mut State) -> Option<Assembly> {
    let before = Rows::at(system, state, true)?;
    let speeds_before = Rows::at(system, state, false)?;
    if before.rows.len().max(speeds_before.rows.len()) > MOST_ROWS {
        return None;
    }
    let length = system.characteristic_length().unwrap_or(1.0).max(f64::MIN_POSITIVE);
    let mut assembly = Assembly::default();
    let given = state.clone();
    if before.worst() > ROUNDING * length {
        close(system, state, &before, length);
        assembly.moved = true;
    }
    let after = Rows::at(system, state, true)?;
    let speeds = Rows::at(system, state, false)?;
    let least = if assembly.moved { MOVING_AFTER_SHIFT } else { MOVING };
    let is_closed = after.worst() <= ROUNDING * length;
    if is_closed && speeds.against(&state.u, least).iter().any(|speed| *speed > 0.0) {
        speeds.fulfil(state);
        assembly.sped = true;
    }
    if !assembly.moved && !assembly.sped {
        return None;
    }
    if state.q.iter().chain(&state.u).any(|v| !v.is_finite()) {
        state.clone_from(&given);
    }
    let mut note = |row: &ClosureRow, fill: &dyn Fn(&mut AssembledJoint)| {
        let name = system.contact_name(row.key);
        let place = assembly.joints.iter().position(|joint| joint.name == name);
        let place = place.unwrap_or(assembly.joints.len());
        if place == assembly.joints.len() {
            assembly.joints.push(AssembledJoint {
                key: row.key,
                name,
                apart: 0.0,
                still_apart: 0.0,
                speed: 0.0,
                still_speed: 0.0,
            });
        }
        fill(&mut assembly.joints[place]);
    };
    let beyond = |error: f64| if error.abs() > ROUNDING * length { error.abs() } else { 0.0 };
    for (row, end) in before.rows.iter().zip(&after.rows) {
        let (apart, still) = (beyond(row.value), beyond(end.value));
        note(row, &|joint| {
            joint.apart = joint.apart.max(apart);
            joint.still_apart = joint.still_apart.max(still);
        });
    }
    let still = speeds.against(&state.u, MOVING);
    let was = speeds_before.against(&given.u, MOVING);
    for (row, (speed, still)) in speeds_before.rows.iter().zip(was.into_iter().zip(still)) {
        let still = if is_closed { still } else { 0.0 };
        note(row, &|joint| {
            joint.speed = joint.speed.max(speed);
            joint.still_speed = joint.still_speed.max(still);
        });
    }
    assembly.joints.retain(|joint| {
        [joint.apart, joint.still_apart, joint.speed, joint.still_speed].iter().any(|v| *v != 0.0)
    });
    assembly.joints.sort_by(|a, b| b.still_apart.total_cmp(&a.still_apart));
    system.remember(state);
    Some(assembly)
}

/// Steps until the errors do not fall any more.
fn close(system: &dyn Observed, state: &mut State, first: &Rows, length: f64) {
    let begin = first.size(first);
    let mut rows = first.clone();
    let (mut factor, mut idle) = (1.0, 0);
    for _ in 0..STEPS {
        let size = rows.size(&rows);
        if !(size > 0.0) {
            return;
        }
        let damping = (FIRST_DAMPING * factor * size / begin).max(LEAST_DAMPING);
        let Some(shift) = rows.shift(damping, |row| row.value) else { return };
        let mut trial = state.clone();
        let mut half_way = state.clone();
        system.advance(state, &shift, 1.0, &mut half_way, &mut trial.q);
        system.normalize(&mut trial.q);
        let Some(next) = Rows::at(system, &trial, true) else { return };
        // Both in the scale of this step: the lengths of rows change with the places.
        let left = rows.size(&next);
        if left < size {
            state.clone_from(&trial);
            factor = f64::max(0.2 * factor, 1e-3);
            idle = if left < 0.5 * size { 0 } else { idle + 1 };
            rows = next;
        } else {
            factor *= 5.0;
            // Close to rounding nothing falls any more.
            idle += usize::from(rows.worst() <= 1e-3 * ROUNDING * length);
        }
        if factor > MOST_FACTOR || idle > 100 || (idle > 2 && rows.worst() <= 1e-15 * length) {
            return;
        }
        if idle > 5 && rows.worst() <= 1e-3 * ROUNDING * length {
            return;
        }
    }
}

/// A scalar constraint of the start.
#[derive(Clone, Debug)]
struct ClosureRow {
    key: u64,
    /// First velocity of each touched body that may change, its block, and the direction there.
    parts: Vec<(usize, usize, Vec<f64>)>,
    /// M⁻¹ of the direction, likewise.
    pushes: Vec<Vec<f64>>,
    /// Directions of bodies that keep their velocity.
    held: Vec<(usize, Vec<f64>)>,
    /// Error of position, or w̃.
    value: f64,
    /// √(wᵀ M⁻¹ w).
    length: f64,
}

impl ClosureRow {
    fn product(&self, other: &ClosureRow) -> f64 {
        let mut sum = 0.0;
        for (first, _, part) in &self.parts {
            for ((other_first, ..), push) in other.parts.iter().zip(&other.pushes) {
                if first == other_first {
                    sum += part.iter().zip(push).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }

    /// Wᵀu + w̃, and the sum of the sizes of its terms.
    fn velocity(&self, u: &[f64]) -> [f64; 2] {
        let moving = self.parts.iter().map(|(first, _, part)| (first, part));
        let held = self.held.iter().map(|(first, part)| (first, part));
        let mut found = [self.value, self.value.abs()];
        for (first, part) in moving.chain(held) {
            for (a, b) in part.iter().zip(&u[*first..]) {
                found = [found[0] + a * b, found[1] + (a * b).abs()];
            }
        }
        found
    }
}

#[derive(Clone, Debug)]
struct Rows {
    rows: Vec<ClosureRow>,
    dim: usize,
}

impl Rows {
    /// The constraints of positions or of velocities at a state.
    fn at(system: &dyn Observed, state: &State, of_positions: bool) -> Option<Self> {
        let mut set = ContactSet::default();
        if !system.start_constraints(state, of_positions, &mut set) {
            return None;
        }
        if set.candidates().is_empty() {
            return Some(Self { rows: Vec::new(), dim: state.u.len() });
        }
        let blocks = system.blocks();
        let mut inverse = MassInverse::default();
        inverse.shape(blocks);
        let mut mass = vec![0.0; inverse.entries()];
        let mut forces = vec![0.0; state.u.len()];
        system.mass_and_forces(state, &mut mass, &mut forces);
        inverse.factor(&mass).ok()?;
        let mut rows = Vec::new();
        for candidate in set.candidates() {
            let Some(group) = system.law_groups().get(candidate.group) else { continue };
            let errors = set.position_error(candidate);
            let counts = candidate.gap == f64::NEG_INFINITY && candidate.has_directions();
            if !counts || (of_positions && errors.is_empty()) {
                continue;
            }
            let width = candidate.width();
            for component in constrained(group) {
                let all = &set.directions(candidate)[component * width..(component + 1) * width];
                let values = if of_positions { errors } else { set.rheonomic(candidate) };
                let mut row = ClosureRow {
                    key: candidate.key,
                    parts: Vec::new(),
                    pushes: Vec::new(),
                    held: Vec::new(),
                    value: values[component],
                    length: 0.0,
                };
                let mut done = 0;
                for block in touched(candidate, &inverse) {
                    let (first, size) = (inverse.offset(block), inverse.size(block));
                    let part = all[done..done + size].to_vec();
                    done += size;
                    if system.is_held_at_start(block, of_positions) {
                        row.held.push((first, part));
                        continue;
                    }
                    let mut push = part.clone();
                    inverse.apply(block, &mut push);
                    row.parts.push((first, block, part));
                    row.pushes.push(push);
                }
                row.length = row.product(&row).max(0.0).sqrt();
                rows.push(row);
            }
        }
        Some(Self { rows, dim: state.u.len() })
    }

    /// Velocity against each row, if it is more than this part of the terms of its joint, and more than rounding
    /// of the fastest motion leaves: a guide at its dead centre has terms that are nothing but rounding.
    fn against(&self, u: &[f64], part: f64) -> Vec<f64> {
        let rounding = u.iter().fold(0.0_f64, |most, v| most.max(v.abs())) * f64::EPSILON;
        let found: Vec<[f64; 2]> = self.rows.iter().map(|row| row.velocity(u)).collect();
        let mut out = Vec::with_capacity(found.len());
        for (row, [velocity, _]) in self.rows.iter().zip(&found) {
            let of_joint = self.rows.iter().zip(&found).filter(|(other, _)| other.key == row.key);
            let terms = of_joint.fold(0.0_f64, |most, (_, [_, terms])| most.max(*terms));
            out.push(if velocity.abs() > rounding.max(part * terms) {
                velocity.abs()
            } else {
                0.0
            });
        }
        out
    }

    /// Largest error.
    fn worst(&self) -> f64 {
        self.rows.iter().fold(0.0, |most, row| {
            if row.value.is_nan() { f64::INFINITY } else { row.value.abs().max(most) }
        })
    }

    /// Rows that move something.
    fn moving(&self) -> Vec<usize> {
        let longest = self.rows.iter().fold(0.0_f64, |most, row| most.max(row.length));
        let moves = |row: &usize| self.rows[*row].length.powi(2) > FIXED * longest * longest;
        (0..self.rows.len()).filter(moves).collect()
    }

    /// |e| of other values of the same rows, in the scale of these.
    fn size(&self, values: &Rows) -> f64 {
        let scaled = self.moving().into_iter().map(|k| values.rows[k].value / self.rows[k].length);
        let sum = scaled.map(|r| r * r).sum::<f64>().sqrt();
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    /// −M⁻¹ W (G + λ)⁻¹ r; none if that cannot be computed.
    fn shift(&self, damping: f64, residual: impl Fn(&ClosureRow) -> f64) -> Option<Vec<f64>> {
        let moving = self.moving();
        let rows: Vec<&ClosureRow> = moving.iter().map(|k| &self.rows[*k]).collect();
        let n = rows.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                matrix[i * n + j] = rows[i].product(rows[j]) / (rows[i].length * rows[j].length);
            }
            matrix[i * n + i] += damping;
        }
        let mut lower = vec![0.0; n * n];
        let mut damping = damping;
        // Rounding of a matrix without full rank can make it indefinite.
        while !cholesky(n, |i, j| matrix[i * n + j], &mut lower) {
            damping *= 10.0;
            if !(damping < 1.0) {
                return None;
            }
            (0..n).for_each(|i| matrix[i * n + i] += damping);
        }
        let mut x: Vec<f64> = rows.iter().map(|row| -residual(row) / row.length).collect();
        cholesky_solve(n, &lower, &mut x);
        let mut shift = vec![0.0; self.dim];
        for (multiplier, row) in x.iter().zip(&rows) {
            for ((first, ..), push) in row.parts.iter().zip(&row.pushes) {
                for (out, entry) in shift[*first..].iter_mut().zip(push) {
                    *out += multiplier / row.length * entry;
                }
            }
        }
        shift.iter().all(|v| v.is_finite()).then_some(shift)
    }

    /// Changes the velocities so that Wᵀu + w̃ = 0.
    fn fulfil(&self, state: &mut State) {
        let worst = |u: &[f64]| {
            self.rows
                .iter()
                .map(|row| row.velocity(u)[0].abs() / row.length.max(f64::MIN_POSITIVE))
                .fold(0.0_f64, f64::max)
        };
        let mut least = worst(&state.u);
        for _ in 0..ROUNDS {
            let Some(change) = self.shift(LEAST_DAMPING, |row| row.velocity(&state.u)[0]) else {
                return;
            };
            let next: Vec<f64> = state.u.iter().zip(&change).map(|(u, c)| u + c).collect();
            let left = worst(&next);
            if !(left < least) {
                return;
            }
            (least, state.u) = (left, next);
        }
    }
}
