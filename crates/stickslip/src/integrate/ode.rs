//! The ODE route as an integrator: regularised laws, integrated by a method for ordinary
//! differential equations.

use super::record::{ContactRecord, ContactState, StepRecord};
use super::transmission::Directions;
use super::{Integrator, StepError, StepReport, check_finite, check_step};
use crate::memory::Tape;
use crate::ode::{
    DormandPrince, Evaluator, OdeError, OdeNames, OdeSystem, RateError, Regularisation, Rk4,
    Rosenbrock, StabilityLimit, Tolerances,
};
use crate::problem::{InclusionProblem, Residual};
use crate::solve::{SolveReport, Solver, Status};
use crate::stop;
use crate::system::{ColumnList, MechanicalSystem, State};

/// The method behind an [`Ode`].
#[derive(Clone, Debug)]
enum Method {
    Rk4(Rk4),
    Adaptive(Box<DormandPrince>),
    Stiff(Box<Rosenbrock>),
}

/// Integrates a system whose set-valued laws are replaced by elements (Xiong 2013): `ode-rk4` with
/// the given step, `ode-adaptive` and `ode-stiff` with as many steps of their own as their
/// tolerances ask for, landing on the end of each given step.
///
/// There is no contact problem to be solved: every step reports one that was solved exactly, and
/// the iterations are the steps of the method. The internal states stand in [`State::memory`] behind
/// what the system itself remembers.
#[derive(Clone)]
pub struct Ode {
    ode: OdeSystem,
    method: Method,
    y: Vec<f64>,
    absolute: Vec<f64>,
    absolute_tolerance: f64,
    record: StepRecord,
    end: State,
    names: OdeNames,
    evaluator: Evaluator,
}

impl Ode {
    fn new(regularisation: Regularisation, method: Method, absolute_tolerance: f64) -> Self {
        Self {
            evaluator: Evaluator::new(regularisation.clone()),
            ode: OdeSystem::new(regularisation),
            names: OdeNames::default(),
            method,
            y: Vec::new(),
            absolute: Vec::new(),
            absolute_tolerance,
            record: StepRecord::default(),
            end: State::default(),
        }
    }

    /// `ode-rk4`: the classical Runge-Kutta method with the given step.
    pub fn rk4(regularisation: Regularisation) -> Self {
        Self::new(regularisation, Method::Rk4(Rk4::default()), 0.0)
    }

    /// `ode-adaptive`: an explicit method with an error estimate.
    pub fn adaptive(regularisation: Regularisation, tolerances: Tolerances) -> Self {
        let method = Method::Adaptive(Box::new(DormandPrince::new(tolerances)));
        Self::new(regularisation, method, tolerances.absolute)
    }

    /// `ode-stiff`: a linearly implicit method with an error estimate.
    pub fn stiff(regularisation: Regularisation, tolerances: Tolerances) -> Self {
        let method = Method::Stiff(Box::new(Rosenbrock::new(tolerances)));
        Self::new(regularisation, method, tolerances.absolute)
    }

    /// With columns of the forces and internal states under these names.
    pub fn with_names(self, names: OdeNames) -> Self {
        Self { names, ..self }
    }

    /// Which element stands for which law.
    pub fn regularisation(&self) -> &Regularisation {
        self.ode.regularisation()
    }

    /// The largest step with which `ode-rk4` is stable in stick at the configuration of the state.
    pub fn stability_limit(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
    ) -> Result<StabilityLimit, StepError> {
        Ok(self.ode.stability_limit(system, state)?)
    }

    /// What a user should be told before a run with the step `dt`.
    pub fn warnings(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        dt: f64,
    ) -> Result<Vec<String>, StepError> {
        let mut warnings = self.regularisation().notes();
        if let Method::Rk4(_) = self.method {
            warnings.extend(self.stability_limit(system, state)?.warning(dt));
        }
        Ok(warnings)
    }

    fn enter(&mut self, system: &dyn MechanicalSystem, dt: f64) {
        let (percussions, works, drive) = self.ode.sums(&self.y);
        self.record.clear();
        let translations = system.translations();
        let (candidates, mut next) = (self.ode.contacts.candidates(), 0);
        for (position, (contact, percussion)) in
            self.ode.contacts().iter().zip(percussions).enumerate()
        {
            // Both lists have nearly the same order: look behind the last one.
            let mut places = (next..candidates.len()).chain(0..next);
            let place = places.find(|place| candidates[*place].key == contact.key);
            next = place.map_or(next, |place| place + 1);
            let listed = place.map(|place| &candidates[place]);
            if let Some(candidate) = listed.filter(|c| c.has_directions()) {
                let directions = Directions {
                    block: candidate.blocks[0],
                    rows: self.ode.contacts.directions(candidate),
                    width: candidate.width(),
                    size: self.ode.mass_inverse.size(candidate.blocks[0]),
                    translations,
                };
                let forces = self.ode.contact_forces(position).iter().copied();
                // Forces of the last evaluation of the step stand for its end, and its mean.
                self.record.forces.push(candidate.key, candidate.group, directions, forces.clone());
                let over_step = forces.map(|force| dt * force);
                self.record.percussions.push(candidate.key, candidate.group, directions, over_step);
            }
            let state = match (contact.closed, contact.sticks) {
                (false, _) => ContactState::Open,
                (true, true) => ContactState::Stick,
                (true, false) => ContactState::Slip,
            };
            self.record.contacts.push(ContactRecord {
                key: contact.key,
                gap: contact.gap,
                normal_percussion: *percussion,
                // A regularised contact has no impacts to describe: its forces are finite.
                tangential_percussion: 0.0,
                normal_velocity: [0.0; 2],
                tangential_velocity: [0.0, contact.slip],
                state,
            });
        }
        let mut works = works.iter();
        for (group, laws) in system.law_groups().iter().enumerate() {
            for law in 0..laws.laws.len() {
                if let Some(work) = works.next()
                    && *work != 0.0
                {
                    self.record.book(group, law, *work);
                }
            }
        }
        self.record.drive_work = drive;
        self.record.stores_energy = true;
        self.record.knows_forces = true;
    }
}

impl From<RateError> for StepError {
    fn from(error: RateError) -> Self {
        match error {
            RateError::Mass { t, block } => StepError::Mass { t, block },
            RateError::NotFinite { t, index, value } => {
                StepError::NotFinite { t, quantity: "state", index, value }
            }
            RateError::Stopped { t } => StepError::Stopped { t },
            other @ RateError::NoElements { .. } => StepError::Ode(other.to_string()),
        }
    }
}

impl From<OdeError> for StepError {
    fn from(error: OdeError) -> Self {
        match error {
            OdeError::Rate(error) => error.into(),
            other => StepError::Ode(other.to_string()),
        }
    }
}

impl Integrator for Ode {
    fn name(&self) -> &'static str {
        match self.method {
            Method::Rk4(_) => "ode-rk4",
            Method::Adaptive(_) => "ode-adaptive",
            Method::Stiff(_) => "ode-stiff",
        }
    }

    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        check_step(dt)?;
        self.end.clone_from(state);
        self.ode.prepare(system, &mut self.end)?;
        self.ode.pack(&self.end, &mut self.y);
        let ode = &mut self.ode;
        if self.absolute_tolerance > 0.0 {
            ode.tolerances(self.absolute_tolerance, &mut self.absolute);
        }
        let mut rate = |t: f64, y: &[f64], y_dot: &mut [f64]| match stop::requested() {
            true => Err(RateError::Stopped { t }),
            false => ode.rate(system, t, y, y_dot),
        };
        let (t, y, absolute) = (state.t, &mut self.y, &self.absolute);
        let iterations = match &mut self.method {
            Method::Rk4(method) => {
                method.step(&mut rate, t, y, dt)?;
                1
            }
            Method::Adaptive(method) => method.advance(&mut rate, t, y, dt, absolute)?,
            Method::Stiff(method) => method.advance(&mut rate, t, y, dt, absolute)?,
        };
        check_finite(t + dt, "state", &self.y)?;
        self.ode.unpack(&self.y, &mut self.end);
        system.normalize(&mut self.end.q);
        self.end.t = t + dt;
        // The system brings its own part of the memory up to date and sees no other.
        self.end.memory.truncate(system.memory_count());
        system.remember(&mut self.end);
        self.end.memory.extend_from_slice(self.ode.internal(&self.y));
        self.enter(system, dt);
        std::mem::swap(state, &mut self.end);
        let contacts = self.ode.contacts().iter().filter(|c| c.closed).count();
        let solve =
            SolveReport { status: Status::Solved, iterations, residual: Residual::default() };
        Ok(StepReport { solve, contacts })
    }

    fn columns(&self) -> ColumnList {
        let OdeNames { forces, states, .. } = &self.names;
        ColumnList { before_energy: forces.clone(), behind_energy: states.clone() }
    }

    fn observe(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        before: &mut Vec<f64>,
        behind: &mut Vec<f64>,
    ) {
        if !(self.names.forces.is_empty() && self.names.states.is_empty()) {
            self.evaluator.observe(&self.ode, system, at, &self.names, before, behind);
        }
    }

    fn record(&self) -> &StepRecord {
        &self.record
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        None
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.ode.keep(tape);
        match &mut self.method {
            Method::Rk4(_) => {}
            Method::Adaptive(method) => method.keep(tape),
            Method::Stiff(method) => method.keep(tape),
        }
        self.record.keep(tape);
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        // No solver is used, so the one that comes in is the one that was there.
        solver
    }
}
