//! Periodic orbits of time steppers: fixed points of the map over a period of the drive, in whole steps.
//!
//! ```text
//! P(x) = Φⁿ(x) = x,      n steps of length T/n in m periods of the drive
//! ```
//!
//! by Newton's method, with the derivative of the steps ([`Carrying`]) and from the orbit of the exact motion. It is
//! an orbit of what the time stepper computes: with shorter steps it tends to that of the exact motion, and so do its
//! multipliers where no impact is in it.

use super::family::{Family, Member};
use super::shooting::{Place, least_squares};
use super::{Orbit, OrbitQuestion, StudyError};
use crate::integrate::{
    Carried, Carrying, ContactState, Integrator as _, Manifold, SharedChanges, StepRecord, Tangent,
};
use crate::scene::{IntegratorName, Scene, SceneFile};
use crate::solve::Status;
use crate::system::{MechanicalSystem, State};
use faer::Mat;

/// Newton's steps, the change that ends them, and the change that will do, both relative.
const STEPS: usize = 20;
const STEP_GOAL: f64 = 1e-10;
const STEP_ACCEPTED: f64 = 1e-7;
/// Residual that the contact problems are solved to at least.
const TOLERANCE: f64 = 1e-12;
/// How much a multiplier may exceed 1 by rounding.
const ROUNDING: f64 = 1e-7;

/// One period in steps, with its derivative.
struct Shot {
    end: State,
    /// Row by row, in the coordinates of the manifold.
    matrix: Vec<Vec<f64>>,
    size: f64,
    modes: Vec<String>,
    blind: usize,
}

/// Finds the periodic orbit on which the motion of a driven scene ends, by a time stepper: `moreau`, `moreau-rk4` or
/// `rattle`. The step of the scene is shortened so that a period is a whole number of them.
pub fn find_step_orbit(
    file: &SceneFile,
    question: &OrbitQuestion,
    by: IntegratorName,
) -> Result<Orbit, StudyError> {
    let name = by.name();
    if !matches!(by, IntegratorName::Moreau | IntegratorName::MoreauRk4 | IntegratorName::Rattle) {
        return Err(StudyError::wrong(format!(
            "--by {name}: it must be event-driven, rattle, moreau or moreau-rk4"
        )));
    }
    let mut overrides = question.overrides.clone();
    overrides.push(format!("simulation.integrator={name}"));
    let scene = file.scene(&overrides)?;
    let family = Family::new(file, question, None);
    let member = family.member(0.0, None)?;
    if member.drive.is_none() {
        return Err(StudyError::NotFound(format!(
            "{}: --by {name} needs a drive, whose period is known: without one the period of an orbit is no whole \
             number of steps",
            file.source
        )));
    }
    let found = family.first(&member)?;
    let step_family = StepFamily { member: &member, scene: &scene, source: &file.source };
    step_family.correct(found.place.clone(), &found.manifold)
}

/// The integrator of orbits with a name: `event-driven`, or a time stepper of [`find_step_orbit`].
pub fn orbit_integrator(name: &str) -> Result<IntegratorName, StudyError> {
    use IntegratorName::{EventDriven, Moreau, MoreauRk4, Rattle};
    let all = [EventDriven, Rattle, Moreau, MoreauRk4];
    all.into_iter().find(|own| own.name() == name).ok_or_else(|| {
        let names = all.map(IntegratorName::name).join(", ");
        StudyError::wrong(format!("--by {name}: it must be one of {names}"))
    })
}

struct StepFamily<'a> {
    member: &'a Member,
    scene: &'a Scene,
    source: &'a str,
}

impl StepFamily<'_> {
    fn correct(&self, mut place: Place, manifold: &Manifold) -> Result<Orbit, StudyError> {
        let system = self.member.system.as_ref();
        let none = || {
            StudyError::NotFound(format!(
                "{}: no periodic orbit of the integrator {} near that of the exact motion; a shorter \
                 simulation.step may have one",
                self.source,
                self.scene.simulation.integrator.name()
            ))
        };
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let shot = self.shoot(&place, manifold)?;
            let mut rows = shot.matrix.clone();
            rows.iter_mut().enumerate().for_each(|(i, row)| row[i] -= 1.0);
            let way = manifold.difference(system, &place.state, &shot.end);
            let right: Vec<f64> = way.iter().map(|r| -r / shot.size).collect();
            let (change, open) = match rows.is_empty() {
                true => (Vec::new(), 0),
                false => least_squares(&rows, &right).ok_or_else(none)?,
            };
            let length = change.iter().map(|v| v * v).sum::<f64>().sqrt();
            if length < STEP_GOAL || (length < STEP_ACCEPTED && length >= 0.5 * last) {
                return Ok(self.orbit(&place, manifold, &shot, open));
            }
            if !(length < 1e3) {
                return Err(none());
            }
            last = length;
            let share = (1.0 / length).min(1.0) * shot.size;
            let shares: Vec<f64> = change.iter().map(|v| share * v).collect();
            manifold.shift(system, &mut place.state, &shares).map_err(|_| none())?;
        }
        Err(none())
    }

    fn orbit(&self, place: &Place, manifold: &Manifold, shot: &Shot, neutral: usize) -> Orbit {
        let n = shot.matrix.len();
        let matrix = Mat::from_fn(n, n, |i, j| shot.matrix[i][j]);
        let values = matrix.eigenvalues().unwrap_or_default();
        let mut multipliers: Vec<[f64; 2]> = values.iter().map(|v| [v.re, v.im]).collect();
        multipliers.resize(manifold.freedom.max(n), [0.0, 0.0]);
        let size = |m: &[f64; 2]| m[0].hypot(m[1]);
        multipliers.sort_by(|a, b| size(b).total_cmp(&size(a)).then(b[1].total_cmp(&a[1])));
        let grows = multipliers.iter().filter(|m| size(m) > 1.0 + ROUNDING);
        // Directions in which nothing changes have the multiplier 1.
        let open = |m: &&[f64; 2]| neutral == 0 || (m[0] - 1.0).hypot(m[1]) > 1e-3;
        Orbit {
            value: 0.0,
            period: place.period,
            stable: grows.filter(open).count() == 0,
            multipliers,
            modes: shot.modes.clone(),
            state: place.state.clone(),
            drift: 0.0,
            blind: shot.blind,
        }
    }

    /// One period with the derivatives along the basis of the manifold.
    fn shoot(&self, place: &Place, manifold: &Manifold) -> Result<Shot, StudyError> {
        let system = self.member.system.as_ref();
        let failed = |reason: String| StudyError::NotFound(format!("{}: {reason}", self.source));
        let count = (place.period / self.scene.simulation.step - 1e-9).ceil().max(1.0);
        let carried = |tangent: &Tangent| Carried { tangent: tangent.clone(), pairs: Vec::new() };
        let changes = SharedChanges::new(manifold.basis.iter().map(carried).collect());
        let mut inner = self.scene.integrator()?;
        // The map is compared with itself.
        let mut solver = inner.exchange_solver(Box::new(crate::solve::Newton::default()));
        let mut limits = solver.limits();
        limits.tolerance = limits.tolerance.min(TOLERANCE);
        solver.set_limits(limits);
        inner.exchange_solver(solver);
        let mut integrator = Carrying::new(inner, changes.clone());
        let (mut state, begin) = (place.state.clone(), place.state.t);
        let mut words = Words::default();
        let mut size = 0.0_f64;
        for k in 1..=count as u64 {
            let t_end = begin + place.period * k as f64 / count;
            let dt = t_end - state.t;
            let report = integrator
                .step(system, &mut state, dt)
                .map_err(|error| failed(error.to_string()))?;
            if report.solve.status != Status::Solved {
                return Err(failed(format!(
                    "at t = {} s: a contact problem is not solved",
                    state.t
                )));
            }
            state.t = t_end;
            words.note(system, integrator.record());
            if crate::stop::requested() {
                return Err(failed("stopped".into()));
            }
            let way = manifold.difference(system, &place.state, &state);
            size = size.max(way.iter().map(|v| v * v).sum::<f64>().sqrt());
        }
        let now = changes.now();
        let shares = |change: &Carried| manifold.shares(system, &place.state, &change.tangent);
        let images: Vec<Vec<f64>> = now.list.iter().map(shares).collect();
        let n = images.len();
        let matrix = (0..n).map(|i| images.iter().map(|image| image[i]).collect()).collect();
        let size = if size > 0.0 { size } else { 1.0 };
        Ok(Shot { end: state, matrix, size, modes: words.all(), blind: now.blind })
    }
}

/// What the contacts do, in words.
#[derive(Default)]
struct Words {
    list: Vec<String>,
}

impl Words {
    fn note(&mut self, system: &dyn MechanicalSystem, record: &StepRecord) {
        let closed = record
            .contacts
            .iter()
            .filter(|contact| contact.gap.is_finite() && contact.state != ContactState::Open);
        let words: Vec<String> = closed
            .map(|contact| format!("{} {}", system.contact_name(contact.key), contact.state.name()))
            .collect();
        let word = if words.is_empty() { "free".to_owned() } else { words.join(", ") };
        if self.list.last() != Some(&word) {
            self.list.push(word);
        }
    }

    fn all(mut self) -> Vec<String> {
        // The period begins within a mode.
        if self.list.len() > 1 && self.list.first() == self.list.last() {
            self.list.pop();
        }
        self.list
    }
}
