//! The sections that every scene has: `[simulation]` and `[solver]`.

use super::document::Document;
use super::error::one_of;
use super::reader::Reader;
use super::world::quantity::{NotNegative, Positive, Quantity, Time};
use crate::integrate::{
    EventDriven, EventDrivenOptions, Integrator, Moreau, MoreauRk4, Ode, Projection,
    ProjectionMetric, Rattle,
};
use crate::ode::{Elements, Tolerances};
use crate::range::require;
use crate::simulate::RunSettings;
use crate::solve::{Limits, SOLVER_NAMES, SolveError, Solver, by_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The integrators by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum IntegratorName {
    /// Nonsmooth RATTLE: second order, without penetration.
    Rattle,
    /// Moreau's midpoint rule.
    Moreau,
    /// The Runge-Kutta time stepping of Leine 2003, Table 2.
    MoreauRk4,
    /// Smooth phases by a method of high order, impacts and transitions where they happen.
    EventDriven,
    /// Elements in place of the laws (Xiong 2013), classical Runge-Kutta method with the given step.
    OdeRk4,
    /// The same elements, an explicit method that chooses its steps.
    OdeAdaptive,
    /// The same elements, an implicit method that chooses its steps.
    OdeStiff,
}

impl IntegratorName {
    /// Its name if it needs elements in place of the laws.
    pub fn ode_name(self) -> Option<&'static str> {
        match self {
            IntegratorName::OdeRk4 => Some("ode-rk4"),
            IntegratorName::OdeAdaptive => Some("ode-adaptive"),
            IntegratorName::OdeStiff => Some("ode-stiff"),
            IntegratorName::Rattle
            | IntegratorName::Moreau
            | IntegratorName::MoreauRk4
            | IntegratorName::EventDriven => None,
        }
    }
}

impl IntegratorName {
    /// Whether a projection follows each of its steps; the others let nothing penetrate or drift, or
    /// need it to penetrate.
    pub fn projects(self) -> bool {
        matches!(self, IntegratorName::Moreau | IntegratorName::MoreauRk4)
    }

    /// Its name in scene files.
    pub fn name(self) -> String {
        toml::Value::try_from(self)
            .ok()
            .and_then(|v| v.as_str().map(Into::into))
            .unwrap_or_default()
    }
}

/// How a penetration is removed after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProjectionName {
    /// It is left alone.
    None,
    /// By the nearest configuration in the coordinates q.
    Identity,
    /// By the nearest configuration in the metric of the mass matrix.
    Mass,
    /// By sweeps over all gaps and joints in the metric of the mass matrix, part of the way in each
    /// step: for piles.
    Gaps,
}

/// The section `[simulation]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = []))]
pub struct Simulation {
    /// Simulated time, s; not negative.
    #[schemars(with = "Quantity<Time, NotNegative>")]
    pub duration: f64,
    /// Time step, s; positive.
    #[schemars(with = "Quantity<Time, Positive>")]
    pub step: f64,
    /// Time between two rows of the table, s; a whole multiple of the step.
    #[schemars(with = "Quantity<Time, Positive>")]
    pub output_step: f64,
    /// The time integrator.
    pub integrator: IntegratorName,
    /// Stage step over step of `moreau-rk4`; above 0, at most 1.
    pub stage_ratio: f64,
    /// Relative tolerance per step of `event-driven`, `ode-adaptive` and `ode-stiff`, which choose their
    /// steps; 1e-12 to 1e-2; default 1e-10 for `event-driven`, else 1e-8.
    pub tolerance: f64,
    /// Accuracy of places (relative to the size of the bodies) and of velocities (relative to the
    /// largest so far) per second of motion, by which the time steppers choose their steps, with
    /// `step` the largest; 0, or 1e-12 to 0.1. With 0 all steps are equal.
    pub accuracy: f64,
    /// Least step with an accuracy, s; above 0, at most half of `step`.
    #[schemars(with = "Quantity<Time, Positive>")]
    pub least_step: f64,
    /// Projection of constraint violation.
    pub projection: ProjectionName,
    /// Whether to go on where a contact problem is not solved.
    pub allow_inexact: bool,
}

/// What no model or file decides otherwise.
impl Default for Simulation {
    fn default() -> Self {
        Self {
            duration: 1.0,
            step: 1e-3,
            output_step: 1e-2,
            integrator: IntegratorName::Moreau,
            stage_ratio: 0.25,
            tolerance: 1e-8,
            accuracy: 0.0,
            least_step: 1e-9,
            projection: ProjectionName::None,
            allow_inexact: false,
        }
    }
}

impl Simulation {
    /// The defaults for the integrator that a file chooses.
    pub(crate) fn defaults_for(self, document: &Document) -> Self {
        let given = document.table.get("simulation").and_then(|s| s.get("integrator"));
        let chosen = given.and_then(|name| name.clone().try_into().ok());
        match chosen.unwrap_or(self.integrator) {
            IntegratorName::EventDriven => {
                Self { tolerance: EventDrivenOptions::default().tolerance, ..self }
            }
            _ => self,
        }
    }

    /// What a world takes where its file says nothing but, perhaps, the integrator. Of all
    /// projections `identity` has the smallest error by `moreau` (docs/scene-format.md has the table);
    /// integrators that do not need one have none.
    pub fn of_world(chosen: Option<IntegratorName>) -> Self {
        let default = Self { integrator: IntegratorName::Rattle, ..Self::default() };
        let projection = match chosen.unwrap_or(default.integrator).projects() {
            true => ProjectionName::Identity,
            false => ProjectionName::None,
        };
        Self { projection, ..default }
    }

    /// That a projection which the file asks for has no effect.
    pub(crate) fn unused_projection(&self, given: bool) -> Option<String> {
        (given && self.projection != ProjectionName::None && !self.integrator.projects()).then(
            || {
                let integrator = self.integrator.name();
                format!("simulation.projection has no effect with the integrator {integrator:?}")
            },
        )
    }

    pub(crate) fn settings(&self, solver_tolerance: f64) -> RunSettings {
        RunSettings {
            duration: self.duration,
            step: self.step,
            output_step: self.output_step,
            allow_inexact: self.allow_inexact,
            solver_tolerance,
            accuracy: (self.accuracy != 0.0).then_some(self.accuracy),
            least_step: self.least_step,
            close_start: matches!(
                self.integrator,
                IntegratorName::Rattle | IntegratorName::EventDriven
            ),
        }
    }

    pub(crate) fn check(&self, reader: &mut Reader) {
        if let Err(e) = self.settings(Limits::default().tolerance).validate() {
            reader.complain(e.key, e.to_string());
        }
        let (ratio, tolerance) = (self.stage_ratio, self.tolerance);
        let is_ratio = ratio > 0.0 && ratio <= 1.0;
        let is_tolerance = (1e-12..=1e-2).contains(&tolerance);
        for checked in [
            require(is_ratio, "simulation.stage_ratio", ratio, "above 0 and at most 1"),
            require(is_tolerance, "simulation.tolerance", tolerance, "between 1e-12 and 1e-2"),
        ] {
            if let Err(error) = checked {
                reader.complain(error.key, error.to_string());
            }
        }
        // No range: the value is one that other integrators take.
        let chooses = match self.integrator {
            IntegratorName::EventDriven => Some("event-driven"),
            other => other.ode_name(),
        };
        if let (Some(name), true) = (chooses, self.accuracy != 0.0) {
            let message = format!(
                "simulation.accuracy is {:e}, it must be 0 with the integrator {name}, whose accuracy is \
                 simulation.tolerance (or, of ode-rk4, the step): it is for rattle, moreau and moreau-rk4",
                self.accuracy
            );
            reader.complain("simulation.accuracy", message);
        }
    }

    /// The integrator of the ODE route, if it is chosen.
    pub(crate) fn ode(&self, elements: &Elements) -> Option<Ode> {
        let Elements { regularisation, names } = elements.clone();
        let tolerances =
            Tolerances { relative: self.tolerance, absolute: ABSOLUTE_SHARE * self.tolerance };
        let ode = match self.integrator {
            IntegratorName::OdeRk4 => Ode::rk4(regularisation),
            IntegratorName::OdeAdaptive => Ode::adaptive(regularisation, tolerances),
            IntegratorName::OdeStiff => Ode::stiff(regularisation, tolerances),
            _ => return None,
        };
        Some(ode.with_names(names))
    }

    /// The integrators of set-valued laws.
    pub(crate) fn integrator(
        &self,
        solver: Box<dyn Solver>,
    ) -> Result<Box<dyn Integrator>, String> {
        let projection = Projection::new(match self.projection {
            ProjectionName::None => ProjectionMetric::None,
            ProjectionName::Identity => ProjectionMetric::Identity,
            ProjectionName::Mass => ProjectionMetric::Mass,
            ProjectionName::Gaps => ProjectionMetric::Sweeps,
        });
        Ok(match self.integrator {
            IntegratorName::Rattle => Box::new(Rattle::new(solver)),
            IntegratorName::Moreau => Box::new(Moreau::new(solver, projection)),
            IntegratorName::MoreauRk4 => {
                Box::new(MoreauRk4::new(solver, projection, self.stage_ratio))
            }
            // It corrects drift by itself, and its decisions need a solver of their own: `[solver]`
            // is for the time steppers.
            IntegratorName::EventDriven => Box::new(
                EventDriven::new(EventDrivenOptions {
                    tolerance: self.tolerance,
                    ..EventDrivenOptions::default()
                })
                .map_err(|e| e.to_string())?,
            ),
            IntegratorName::OdeRk4 | IntegratorName::OdeAdaptive | IntegratorName::OdeStiff => {
                return Err("simulation.integrator: this system has no ODE route".into());
            }
        })
    }
}

/// Absolute over relative tolerance of the methods that choose their steps.
const ABSOLUTE_SHARE: f64 = 1e-2;

/// The section `[solver]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = []))]
pub struct SolverChoice {
    /// Name of the method, one of [`SOLVER_NAMES`]; default auto.
    pub method: String,
    /// Largest residual of a solved contact problem, 0 to 1; default 1e-10.
    pub tolerance: f64,
    /// Largest number of iterations of one solve; at least 1; default 100 000.
    pub max_iterations: usize,
}

impl Default for SolverChoice {
    fn default() -> Self {
        Self { method: "auto".into(), tolerance: 1e-10, max_iterations: 100_000 }
    }
}

/// The last two sections of every scene, `[simulation]` with these defaults and `[solver]`, checked; keys that no
/// section knows are told, too. None if one of them cannot be read.
pub(crate) fn read_both(
    reader: &mut Reader,
    defaults: &Simulation,
) -> Option<(Simulation, SolverChoice)> {
    let simulation = reader.section("simulation", defaults);
    let solver = reader.section("solver", &SolverChoice::default());
    if let Some(simulation) = &simulation {
        simulation.check(reader);
    }
    if let Some(solver) = &solver {
        solver.check(reader);
    }
    reader.report_unknown_keys();
    simulation.zip(solver)
}

impl SolverChoice {
    fn limits(&self) -> Limits {
        let Self { tolerance, max_iterations, .. } = *self;
        Limits { tolerance, max_iterations, max_time: None }
    }

    pub(crate) fn check(&self, reader: &mut Reader) {
        if let Err(error) = self.limits().validate() {
            match error {
                SolveError::Option(error) => {
                    reader.complain(&format!("solver.{}", error.key), format!("solver.{error}"));
                }
                other => reader.complain("solver", other.to_string()),
            }
        } else if let Err(message) = self.build() {
            reader.complain("solver.method", message);
        }
    }

    pub(crate) fn build(&self) -> Result<Box<dyn Solver>, String> {
        let unknown =
            || format!("solver.method is {:?}, it must be {}", self.method, one_of(SOLVER_NAMES));
        by_name(&self.method, self.limits()).map_err(|e| e.to_string())?.ok_or_else(unknown)
    }
}
