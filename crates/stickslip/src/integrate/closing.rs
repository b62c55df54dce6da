//! Closes what overlaps, and joints that are apart, before a run begins.

use super::rows::product;
use crate::convex::{FreeSpace, HalfLine, Set};
use crate::problem::{BlockSparse, InclusionProblem, Reservoir};
use crate::solve::{Auto, AutoOptions, Limits, Solver, Status};
use crate::system::mass::MassInverse;
use crate::system::{Candidate, ContactSet, MechanicalSystem, State};

/// Turns of Newton's method: features may change on the way.
const TURNS: usize = 30;
/// Rows beyond which nothing is closed: their matrix is dense.
const MOST_ROWS: usize = 2000;
/// Overlap and error over the length of the system up to which they are rounding, where a candidate does
/// not say it.
const ROUNDING: f64 = 1e-9;
/// Part of what is rounding that Newton's method may leave.
const NEWTON_REMAINDER: f64 = 1e-3;
/// Residual of the problem of each turn.
const TOLERANCE: f64 = 1e-10;
const MOST_ITERATIONS: usize = 10_000;
/// Mobility of each constraint for itself, relative, where together they cannot be met.
const CONTRADICTION_MOBILITY: f64 = 1e-2;
/// Mobility over the largest one below which a constraint moves nothing.
const FIXED: f64 = 1e-14;

/// A contact that overlapped, or a joint that was apart, at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Key of the candidate.
    pub key: u64,
    /// Whether it is a joint.
    pub is_joint: bool,
    /// Overlap or largest error of the joint before, m or rad.
    pub before: f64,
    /// The same after the motion; 0 where it is rounding.
    pub after: f64,
}

/// A gap or a component of a joint.
#[derive(Clone, Copy, Debug)]
struct GapRow {
    candidate: usize,
    component: usize,
    is_joint: bool,
    value: f64,
}

/// Moves a configuration with overlaps or with joints that are apart to the nearest one without, in the
/// metric of the mass matrix: in each turn of Newton's method the shift δ of the bodies solves
///
/// ```text
/// δ = M⁻¹ W Λ,      0 ≤ g + W_Nᵀ δ  ⊥  Λ_N ≥ 0,      e + W_Jᵀ δ = 0
/// ```
///
/// with the gaps g of all contacts near by, so that no other is closed, and the errors e of the joints.
/// Velocities stay. Returns what was violated, the worst first; none if nothing was, and then the state
/// is as before. What cannot be closed keeps the least of the worst violation that was seen.
pub fn close_start(system: &dyn MechanicalSystem, state: &mut State) -> Vec<Violation> {
    let mut closing = Closing::new(system);
    closing.list(system, state, 0.0);
    let mut found = closing.violations(system, true);
    if found.is_empty() {
        return found;
    }
    let mut best = state.clone();
    let mut least = worst(&found);
    let mut reach = 2.0 * least;
    for _ in 0..TURNS {
        if !closing.turn(system, state, reach) {
            break;
        }
        closing.list(system, state, 0.0);
        let left = worst(&closing.violations(system, false));
        if !left.is_finite() {
            break;
        }
        if left < least {
            (least, best) = (left, state.clone());
        }
        if left == 0.0 {
            break;
        }
        reach = reach.max(2.0 * left);
    }
    state.clone_from(&best);
    system.remember(state);
    closing.list(system, state, 0.0);
    let after = closing.violations(system, true);
    for violation in &mut found {
        let same = after.iter().find(|v| v.key == violation.key);
        violation.after = same.map_or(0.0, |v| v.before);
    }
    // Overlaps of other features of the same bodies, or of bodies that were pushed.
    for other in after {
        if !found.iter().any(|v| v.key == other.key) {
            found.push(Violation { after: other.before, ..other });
        }
    }
    found.sort_by(|a, b| b.before.total_cmp(&a.before));
    found
}

fn worst(found: &[Violation]) -> f64 {
    found.iter().fold(0.0, |m, v| if v.before > m || v.before.is_nan() { v.before } else { m })
}

struct Closing {
    contacts: ContactSet,
    mass_inverse: MassInverse,
    length: f64,
}

impl Closing {
    fn new(system: &dyn MechanicalSystem) -> Self {
        let mut mass_inverse = MassInverse::default();
        mass_inverse.shape(system.blocks());
        let length = system.characteristic_length().unwrap_or(1.0);
        Self { contacts: ContactSet::default(), mass_inverse, length }
    }

    fn list(&mut self, system: &dyn MechanicalSystem, state: &State, margin: f64) {
        self.contacts.clear();
        self.contacts.margin = margin;
        system.contacts(state, &mut self.contacts);
    }

    /// What is rounding at a candidate, m or rad.
    fn rounding(&self, candidate: &Candidate) -> f64 {
        if candidate.closed_at > 0.0 { candidate.closed_at } else { ROUNDING * self.length }
    }

    /// What is violated beyond rounding; beyond a small part of it where Newton's method is not to end.
    fn violations(&self, system: &dyn MechanicalSystem, beyond_rounding: bool) -> Vec<Violation> {
        let mut found = Vec::new();
        for candidate in self.contacts.candidates() {
            let errors = self.contacts.position_error(candidate);
            let is_joint = !errors.is_empty();
            let before = if is_joint {
                errors.iter().fold(0.0_f64, |m, e| if e.is_nan() { *e } else { m.max(e.abs()) })
            } else if is_rigid_gap(system, candidate) {
                -candidate.gap
            } else {
                continue;
            };
            let least =
                self.rounding(candidate) * if beyond_rounding { 1.0 } else { NEWTON_REMAINDER };
            if !(before <= least) {
                found.push(Violation { key: candidate.key, is_joint, before, after: before });
            }
        }
        found
    }

    /// One turn; gaps up to `reach` count. False if it could not be done.
    fn turn(&mut self, system: &dyn MechanicalSystem, state: &mut State, reach: f64) -> bool {
        self.list(system, state, reach);
        let n = state.u.len();
        let mut mass = vec![0.0; self.mass_inverse.entries()];
        let mut forces = vec![0.0; n];
        system.mass_and_forces(state, &mut mass, &mut forces);
        if self.mass_inverse.factor(&mass).is_err() {
            return false;
        }
        let rows = self.rows(system, reach);
        if rows.is_empty() || rows.len() > MOST_ROWS {
            return false;
        }
        let pushes: Vec<Vec<f64>> = rows.iter().map(|row| self.push(row, n)).collect();
        let mobility = |row: &GapRow, push: &[f64]| {
            let (direction, blocks) = self.direction(row);
            product(&self.mass_inverse, blocks, direction, push)
        };
        let own: Vec<f64> =
            rows.iter().zip(&pushes).map(|(row, push)| mobility(row, push)).collect();
        let least = FIXED * own.iter().fold(0.0_f64, |m, v| m.max(*v));
        // What moves nothing cannot be closed; it stays, and is named.
        let moves: Vec<usize> = (0..rows.len()).filter(|k| own[*k] > least).collect();
        let mut problem = InclusionProblem::new();
        let mut matrix = Vec::with_capacity(moves.len() * moves.len());
        for &i in &moves {
            let free = Set::FreeSpace(FreeSpace { dim: 1 });
            let set = if rows[i].is_joint { free } else { Set::HalfLine(HalfLine) };
            problem.push_contact([(set, Reservoir::Unbounded)]);
            matrix.extend(moves.iter().map(|&j| mobility(&rows[i], &pushes[j])));
        }
        let values = moves.iter().map(|&k| rows[k].value).collect();
        let dims = vec![1; moves.len()];
        if moves.is_empty() || problem.set_data(BlockSparse::dense(&dims, &matrix), values).is_err()
        {
            return false;
        }
        let mut lambda = vec![0.0; moves.len()];
        if !solve(&problem, &mut lambda) {
            // Contradictions: a compromise, as between springs.
            for k in 0..moves.len() {
                matrix[k * moves.len() + k] += CONTRADICTION_MOBILITY * own[moves[k]];
            }
            *problem.delassus_mut() = BlockSparse::dense(&dims, &matrix);
            lambda.fill(0.0);
            if !solve(&problem, &mut lambda) {
                return false;
            }
        }
        let mut shift = vec![0.0; n];
        for (&k, multiplier) in moves.iter().zip(&lambda) {
            shift.iter_mut().zip(&pushes[k]).for_each(|(s, p)| *s += multiplier * p);
        }
        // A displacement, not a rate: coordinate rates may have a prescribed part.
        let (mut rate, mut still) = (vec![0.0; state.q.len()], vec![0.0; state.q.len()]);
        system.coordinate_rate(state, &shift, &mut rate);
        system.coordinate_rate(state, &vec![0.0; n], &mut still);
        if rate.iter().chain(&still).any(|v| !v.is_finite()) {
            return false;
        }
        state.q.iter_mut().zip(rate.iter().zip(&still)).for_each(|(q, (r, s))| *q += r - s);
        system.normalize(&mut state.q);
        true
    }

    fn rows(&self, system: &dyn MechanicalSystem, reach: f64) -> Vec<GapRow> {
        let mut rows = Vec::new();
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            let row = |component, is_joint, value| GapRow {
                candidate: index,
                component,
                is_joint,
                value,
            };
            let near = candidate.gap <= reach && candidate.has_directions();
            if near && is_rigid_gap(system, candidate) {
                rows.push(row(0, false, candidate.gap));
            }
            let errors = self.contacts.position_error(candidate).iter().enumerate();
            rows.extend(errors.map(|(component, error)| row(component, true, *error)));
        }
        rows
    }

    /// Direction of a row, and the mass blocks that it touches.
    fn direction(&self, row: &GapRow) -> (&[f64], [usize; 2]) {
        let candidate = &self.contacts.candidates()[row.candidate];
        let width = candidate.width();
        let first = row.component * width;
        (&self.contacts.directions(candidate)[first..first + width], candidate.blocks)
    }

    /// M⁻¹ W of a row.
    fn push(&self, row: &GapRow, n: usize) -> Vec<f64> {
        let mut out = vec![0.0; n];
        let (direction, blocks) = self.direction(row);
        let (first, second) = direction.split_at(self.mass_inverse.size(blocks[0]));
        for (part, block) in [(first, blocks[0]), (second, blocks[1])] {
            if part.is_empty() {
                continue;
            }
            let place = self.mass_inverse.offset(block);
            let out = &mut out[place..place + part.len()];
            out.copy_from_slice(part);
            self.mass_inverse.apply(block, out);
        }
        out
    }
}

fn solve(problem: &InclusionProblem, lambda: &mut [f64]) -> bool {
    let limits =
        Limits { tolerance: TOLERANCE, max_iterations: MOST_ITERATIONS, ..Limits::default() };
    let report = Auto::new(AutoOptions { limits, ..Default::default() })
        .and_then(|mut s| s.solve(problem, lambda));
    report.is_ok_and(|report| report.status == Status::Solved)
}

/// Whether a candidate is a gap that must not be negative: one whose normal law is rigid.
fn is_rigid_gap(system: &dyn MechanicalSystem, candidate: &Candidate) -> bool {
    let law = system.law_groups()[candidate.group].laws.first().map(|named| &named.law);
    candidate.gap.is_finite()
        && law.is_some_and(|law| law.viscosity.is_none() && matches!(law.set, Set::HalfLine(_)))
}
