//! The next mode, by the inclusion problem of the accelerations.
//!
//! ```text
//! γ̇ = G λ + c,      −γ̇_N ∈ N_{R⁺}(λ_N),      −γ̇_T ∈ N_{C(λ_N)}(λ_T)   where γ_T = 0
//! ```
//!
//! for the closed contacts that do not separate. A law that slips has no unknown force of its
//! own: it turns the direction in which the normal force acts, so that G is not symmetric, and
//! there may be no solution or several (Painlevé).

use super::dynamics::{Dynamics, dot, elements};
use super::mode::{Mode, Motion};
use super::plan::Kind;
use super::scale::Zero;
use super::share;
use crate::convex::{HalfLine, Set};
use crate::integrate::{StepError, names};
use crate::problem::{BlockSparse, InclusionProblem, Reservoir};
use crate::solve::lcp::{
    ENUMERATION_LIMIT, Enumerate, EnumerateOptions, Enumeration, LinearComplementarityProblem,
};
use crate::solve::{Limits, Solver, Status};
use crate::system::{ForceReservoir, MechanicalSystem, State};

/// Residual of the complementarity problem that counts as a solution, and the relative difference
/// between accelerations of two solutions that are not one.
const LCP_RESIDUAL: f64 = 1e-10;
const DIFFERENT: f64 = 1e-6;
/// Forces and accelerations that count as zero, relative to the largest.
const ZERO: f64 = 1e-10;
/// Wanted residual of the inclusion problem, and the largest that is accepted.
const RESIDUAL: f64 = 1e-13;
const ACCEPTED: f64 = 1e-9;
/// Rounds for limited dampers.
const DAMPER_ROUNDS: usize = 50;
/// Iterations of one decision: it must end.
const MOST_ITERATIONS: usize = 20_000;
/// A component that joints leave less than this share of its mobility is blocked by them, and the
/// share that it is given instead.
const BLOCKED: f64 = 1e-10;
const GIVEN: f64 = 1e-4;

/// What an event already says of the next mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    /// Contacts that open.
    pub(super) open: Vec<u64>,
    /// Elements that begin to slip: contact, element, direction.
    pub(super) slip: Vec<(u64, usize, Vec<f64>)>,
    /// Contacts that are closed whatever rounding says of their gap.
    pub(super) closed: Vec<u64>,
}

/// Finds the mode at a state without impacts.
pub(super) fn decide(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    at: &State,
    hints: &Hints,
    zero: Zero,
    solver: &mut dyn Solver,
) -> Result<Mode, StepError> {
    let mut mode = touching(dynamics, system, at, hints, zero)?;
    if mode.contacts.is_empty() {
        return Ok(mode);
    }
    dynamics.prepare(system, at, &mode)?;
    dynamics.find_bias(system, at, &mode)?;
    let still = sort_velocities(dynamics, &mut mode, hints, zero);
    // Everything holds, if it can: also where the forces that hold it are not unique.
    if !still.is_empty() && share::holds(dynamics, system, at, &mut mode) {
        return Ok(mode);
    }
    dynamics.find_slip(system, at.t, &mode)?;
    dynamics.lambda.clear();
    dynamics.lambda.resize(mode.dim, 0.0);
    solve(dynamics, system, at.t, &mode, &still, solver)?;
    share::keep(&mut mode, &dynamics.lambda);
    // What the forces and accelerations say.
    let force = largest(dynamics.lambda.iter().copied());
    let rates: Vec<f64> = (0..mode.dim).map(|k| dynamics.relative_acceleration(k)).collect();
    // Accelerations are small relative to those that the contacts prevent.
    let n = dynamics.free.len();
    let free = |k: usize| dot(&dynamics.rows[k * n..(k + 1) * n], &dynamics.free);
    let rate = largest((0..mode.dim).flat_map(|k| [free(k), dynamics.bias[k], rates[k]]));
    let stays: Vec<bool> = mode
        .contacts
        .iter()
        .map(|c| {
            let free = c.has_gap(&dynamics.plans[c.group])
                && dynamics.lambda[c.first] <= ZERO * force
                && rates[c.first] > ZERO * rate;
            !free
        })
        .collect();
    // Friction that is weaker as soon as it slides: what its drop does to the others is decided anew.
    let mut dropping = Vec::new();
    for &(position, index) in &still {
        let contact = &mut mode.contacts[position];
        let element = &dynamics.plans[contact.group].elements[index];
        let range = element.first..element.first + element.dim;
        let first = contact.first;
        let acceleration = &rates[first + range.start..first + range.end];
        if element.speed(acceleration) > ZERO * rate {
            contact.motions[index] = Motion::Slip;
            contact.direction[range].copy_from_slice(acceleration);
            contact.onset[index] = true;
            if element.curve.as_ref().is_some_and(|curve| curve.jumps(at.t)) {
                dropping.push((contact.key, index, acceleration.to_vec()));
            }
        }
    }
    if !dropping.is_empty() {
        let mut hints = hints.clone();
        hints.slip.append(&mut dropping);
        return decide(dynamics, system, at, &hints, zero, solver);
    }
    mode.retain(&dynamics.plans, |position| stays[position]);
    share::center(dynamics, system, at, &mut mode);
    Ok(mode)
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0_f64, |m, v| m.max(v.abs()))
}

/// The closed contacts that do not separate.
fn touching(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    at: &State,
    hints: &Hints,
    zero: Zero,
) -> Result<Mode, StepError> {
    dynamics.mass_inverse.shape(system.blocks());
    dynamics.list(system, at)?;
    let mut mode = Mode::default();
    for (index, candidate) in dynamics.contacts.candidates().iter().enumerate() {
        let plan = &dynamics.plans[candidate.group];
        let permanent = candidate.gap == f64::NEG_INFINITY;
        if !permanent {
            let closed = zero.closes(candidate) || hints.closed.contains(&candidate.key);
            if !closed || hints.open.contains(&candidate.key) {
                continue;
            }
            if !plan.is_unilateral() {
                let contact = system.contact_name(candidate.key);
                return Err(StepError::Unsupported { t: at.t, contact });
            }
            if dynamics.gap_rate(index, &at.u) > zero.speed {
                continue;
            }
        }
        mode.push(candidate.key, candidate.group, permanent, plan);
    }
    Ok(mode)
}

/// Tells slipping laws from those at velocity zero; returns the latter as (contact, element).
fn sort_velocities(
    dynamics: &Dynamics,
    mode: &mut Mode,
    hints: &Hints,
    zero: Zero,
) -> Vec<(usize, usize)> {
    let mut still = Vec::new();
    for (position, contact) in mode.contacts.iter_mut().enumerate() {
        for (index, element) in dynamics.plans[contact.group].elements.iter().enumerate() {
            if !contact.is_free(element) {
                continue;
            }
            let range = element.first..element.first + element.dim;
            let first = contact.first;
            let gamma = &dynamics.gamma[first + range.start..first + range.end];
            let begins = hints.slip.iter().find(|(key, e, _)| *key == contact.key && *e == index);
            if let Some((_, _, direction)) = begins {
                contact.motions[index] = Motion::Slip;
                contact.direction[range].copy_from_slice(direction);
                contact.onset[index] = true;
            } else if element.speed(gamma) > zero.speed {
                contact.motions[index] = Motion::Slip;
                contact.direction[range].copy_from_slice(gamma);
            } else {
                contact.motions[index] = Motion::Constrained;
                still.push((position, index));
            }
        }
    }
    still
}

/// Forces of all constrained components by the laws. The result is in `dynamics.lambda`.
fn solve(
    dynamics: &mut Dynamics,
    system: &dyn MechanicalSystem,
    t: f64,
    mode: &Mode,
    still: &[(usize, usize)],
    solver: &mut dyn Solver,
) -> Result<(), StepError> {
    // Joints first, then the components with a choice.
    let (mut joints, mut choices, mut planes) = (Vec::new(), Vec::new(), Vec::new());
    let mut limited = false;
    for contact in &mode.contacts {
        for (_, element, motion) in elements(&dynamics.plans, contact) {
            limited |= motion == Motion::Viscous && element.needs_normal();
            if motion == Motion::Constrained {
                let first = contact.first + element.first;
                if element.kind == Kind::Friction && element.dim == 2 {
                    planes.push(choices.len());
                }
                let list = if element.kind == Kind::Bilateral { &mut joints } else { &mut choices };
                list.extend(first..first + element.dim);
            }
        }
    }
    dynamics.unknown.clear();
    dynamics.unknown.extend(joints.iter().chain(&choices));
    let (n_joints, n) = (joints.len(), choices.len());
    let all = n_joints + n;
    dynamics.fill_matrix(mode);
    let full = dynamics.matrix.clone();
    let block = |r0: usize, r1: usize, c0: usize, c1: usize| -> Vec<f64> {
        (r0..r1).flat_map(|i| full[i * all + c0..i * all + c1].iter().copied()).collect()
    };
    let joint_matrix = block(0, n_joints, 0, n_joints);
    // Schur complement of the joints.
    let mut reduced = block(n_joints, all, n_joints, all);
    for j in 0..n {
        let mut column: Vec<f64> = (0..n_joints).map(|i| full[i * all + n_joints + j]).collect();
        if !dynamics.linear.solve(&joint_matrix, &mut column, None) {
            return Err(dynamics.contradiction(system, t, mode));
        }
        for i in 0..n {
            let row = &full[(n_joints + i) * all..][..n_joints];
            reduced[i * n + j] -= dot(row, &column);
        }
    }
    free_blocked(&mut reduced, n, &planes, |i| full[(n_joints + i) * (all + 1)]);
    for _ in 0..if limited { DAMPER_ROUNDS } else { 1 } {
        dynamics.fill_known(mode);
        dynamics.fill_rhs();
        let rhs = dynamics.rhs.clone();
        let mut joint_part = rhs[..n_joints].to_vec();
        if !dynamics.linear.solve(&joint_matrix, &mut joint_part, None) {
            return Err(dynamics.contradiction(system, t, mode));
        }
        let c: Vec<f64> = (0..n)
            .map(|i| {
                let row = &full[(n_joints + i) * all..][..n_joints];
                dot(row, &joint_part) - rhs[n_joints + i]
            })
            .collect();
        let forces = choose(dynamics, system, t, mode, still, &choices, &reduced, c, solver)?;
        let mut joint_forces: Vec<f64> = (0..n_joints)
            .map(|i| rhs[i] - dot(&full[i * all + n_joints..][..n], &forces))
            .collect();
        if !dynamics.linear.solve(&joint_matrix, &mut joint_forces, None) {
            return Err(dynamics.contradiction(system, t, mode));
        }
        let mut change = 0.0_f64;
        let found = joints.iter().zip(&joint_forces).chain(choices.iter().zip(&forces));
        for (component, force) in found {
            change = change.max((dynamics.lambda[*component] - force).abs());
            dynamics.lambda[*component] = *force;
        }
        dynamics.spread(mode);
        if change <= 1e-12 * largest(dynamics.lambda.iter().copied()) {
            break;
        }
    }
    Ok(())
}

/// Directions that joints block have no acceleration whatever the force: given a little mobility
/// they need no force, and the problem is well posed. `planes` are the first components of friction
/// in a plane, `own` is the mobility without joints.
fn free_blocked(reduced: &mut [f64], n: usize, planes: &[usize], own: impl Fn(usize) -> f64) {
    for i in 0..n {
        if reduced[i * n + i].abs() <= BLOCKED * own(i).abs() {
            for j in 0..n {
                reduced[i * n + j] = 0.0;
                reduced[j * n + i] = 0.0;
            }
            reduced[i * n + i] = GIVEN * own(i).abs();
        }
    }
    // The same for directions in a plane that are not along an axis.
    for &i in planes {
        let j = i + 1;
        let (a, b, d) = (reduced[i * n + i], reduced[i * n + j], reduced[j * n + j]);
        let determinant = a * d - b * reduced[j * n + i];
        let least = BLOCKED * (own(i) * own(j)).abs();
        if determinant.abs() <= least && a > 0.0 && d > 0.0 {
            // Null vector (b, −a) of the symmetric part, normed.
            let size = b.hypot(a);
            let (x, y, given) = (b / size, -a / size, GIVEN * own(i).abs());
            reduced[i * n + i] += given * x * x;
            reduced[i * n + j] += given * x * y;
            reduced[j * n + i] += given * x * y;
            reduced[j * n + j] += given * y * y;
        }
    }
}

/// Solves the reduced problem: normals alone as a linear complementarity problem, of which all
/// solutions are known; with laws at velocity zero as an inclusion problem.
fn choose(
    dynamics: &Dynamics,
    system: &dyn MechanicalSystem,
    t: f64,
    mode: &Mode,
    still: &[(usize, usize)],
    choices: &[usize],
    matrix: &[f64],
    c: Vec<f64>,
    solver: &mut dyn Solver,
) -> Result<Vec<f64>, StepError> {
    let Some(&first) = choices.first() else { return Ok(Vec::new()) };
    let at = mode.contacts.iter().rfind(|k| k.first <= first).map_or(0, |k| k.key);
    let painleve =
        |solutions| StepError::Painleve { t, contact: system.contact_name(at), solutions };
    if still.is_empty() && c.len() <= ENUMERATION_LIMIT {
        let size = largest(c.iter().copied());
        let problem = LinearComplementarityProblem::new(matrix.to_vec(), c)
            .map_err(|_| dynamics.contradiction(system, t, mode))?;
        let solutions = Enumeration::default().all(&problem, LCP_RESIDUAL);
        let Some(one) = solutions.first() else { return Err(painleve("no")) };
        let differs =
            |y: &[f64]| y.iter().zip(&one.y).any(|(a, b)| (a - b).abs() > DIFFERENT * size);
        if solutions.iter().any(|s| differs(&s.y)) {
            return Err(painleve("several"));
        }
        return Ok(one.x.clone());
    }
    let mut problem = InclusionProblem::new();
    let mut dims = Vec::new();
    for (position, contact) in mode.contacts.iter().enumerate() {
        let mut laws = Vec::new();
        for (index, element, motion) in elements(&dynamics.plans, contact) {
            if motion != Motion::Constrained || element.kind == Kind::Bilateral {
                continue;
            }
            let normal_is_here = choices.contains(&contact.first);
            let reservoir = match element.reservoir {
                ForceReservoir::Unbounded => Reservoir::Unbounded,
                ForceReservoir::Force(force) => Reservoir::Constant(force),
                ForceReservoir::Normal if normal_is_here => Reservoir::Normal,
                ForceReservoir::NormalPlus(force) if normal_is_here => Reservoir::NormalPlus(force),
                ForceReservoir::Normal | ForceReservoir::NormalPlus(_) => {
                    Reservoir::Constant(element.constant())
                }
            };
            if element.kind == Kind::Normal {
                laws.push((Set::HalfLine(HalfLine), Reservoir::Unbounded));
            } else if still.contains(&(position, index)) {
                let set = match element.curve {
                    Some(_) => element.set.scaled(element.at_rest),
                    None => element.set.clone(),
                };
                laws.push((set, reservoir));
            }
        }
        if !laws.is_empty() {
            dims.push(laws.iter().map(|(set, _)| crate::convex::ConvexSet::dim(set)).sum());
            problem.push_contact(laws);
        }
    }
    problem.set_data(BlockSparse::dense(&dims, matrix), c).map_err(|_| painleve("no"))?;
    let mut lambda = vec![0.0; problem.dim()];
    let limits =
        Limits { tolerance: RESIDUAL, max_iterations: MOST_ITERATIONS, ..Limits::default() };
    let mut outcome = None;
    if let Ok(mut enumerate) = Enumerate::new(EnumerateOptions { limits }) {
        // Spatial friction has no planar form: an error here, and the turn of the next.
        outcome = enumerate.solve(&problem, &mut lambda).ok();
    }
    let good = |r: &crate::solve::SolveReport| r.residual.value <= ACCEPTED;
    if outcome.as_ref().is_none_or(|r| !good(r)) {
        let none = outcome.is_some_and(|r| r.status == Status::NoSolution);
        lambda.fill(0.0);
        let report =
            solver.solve(&problem, &mut lambda).map_err(|source| StepError::Solve { t, source })?;
        if !good(&report) {
            return Err(if none {
                painleve("no")
            } else {
                let contacts = names(system, mode.contacts.iter().map(|c| c.key));
                StepError::Undecided { t, contacts, residual: report.residual.value }
            });
        }
    }
    Ok(lambda)
}
