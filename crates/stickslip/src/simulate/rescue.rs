//! What is done about a step that is not solved.

use super::run::Runner;
use super::summary::RunStatus;
use crate::integrate::{StepRecord, StepReport};
use crate::solve::{Auto, AutoOptions, Limits, Status};
use crate::system::{Constraints, State};

/// Pieces into which a step is cut after halves and another solver have failed: bodies that turn round
/// within a step need shorter ones.
const PIECES: [u32; 4] = [4, 8, 16, 32];

/// A piece of a step that is solved: its end, and what happened in it.
struct Piece {
    end: State,
    report: StepReport,
    record: StepRecord,
}

impl Runner<'_> {
    /// A clock may end a run, but not choose how it goes on: where the user has limited the time of a
    /// solve there is no other attempt.
    fn in_time(&mut self, report: &StepReport) -> Result<(), RunStatus> {
        if report.solve.status != Status::TimeLimit {
            return Ok(());
        }
        self.course.state.clone_from(&self.course.before);
        Err(RunStatus::TimeLimit { t: self.course.before.t, residual: report.solve.residual.value })
    }

    /// Joints that contradict each other in this step.
    fn contradiction(&self, dt: f64) -> Option<String> {
        // The middle of the step is where it asks what the joints prescribe.
        let mut middle = self.course.before.clone();
        middle.t += 0.5 * dt;
        let joints = Constraints::at(self.system, &middle)?;
        joints.contradiction_of_speeds(self.system).map(|found| found.to_string())
    }

    /// Halves the step, then tries another solver, then shorter and shorter pieces, then gives up.
    pub(super) fn rescue(&mut self, dt: f64, report: Option<&StepReport>) -> Result<(), RunStatus> {
        if let Some(report) = report {
            self.in_time(report)?;
        }
        let reason = self.contradiction(dt);
        if reason.is_some() && !self.settings.allow_inexact {
            // No step and no solver helps.
            let problem = self.integrator.failed_problem().cloned().map(Box::new);
            self.course.state.clone_from(&self.course.before);
            let residual = report.map_or(f64::NAN, |report| report.solve.residual.value);
            return Err(RunStatus::NotConverged {
                t: self.course.before.t,
                residual,
                problem,
                reason,
            });
        }
        self.course.rescued += 1;
        if self.in_pieces(dt, 2)? {
            return Ok(());
        }
        let report = self.by_last_resort(dt)?;
        if report.solve.status == Status::Solved {
            self.accept(dt, &report);
            return Ok(());
        }
        let failed = (self.course.state.clone(), self.integrator.record().clone());
        let problem = self.integrator.failed_problem().cloned().map(Box::new);
        let reason = self.course.out_of_proportion.then(|| {
            "joints and contacts would put in more than a hundred times the energy turned over so far; try a \
             shorter simulation.step"
                .to_string()
        });
        for pieces in PIECES {
            if self.in_pieces(dt, pieces)? {
                return Ok(());
            }
        }
        if self.settings.allow_inexact {
            self.course.unsolved += 1;
            self.enter(dt, Piece { end: failed.0, report, record: failed.1 });
            return Ok(());
        }
        self.course.state.clone_from(&self.course.before);
        let residual = report.solve.residual.value;
        Err(RunStatus::NotConverged { t: self.course.before.t, residual, problem, reason })
    }

    /// Makes the step in equal pieces. Nothing is entered into the books unless all of them are solved;
    /// returns whether they are.
    fn in_pieces(&mut self, dt: f64, pieces: u32) -> Result<bool, RunStatus> {
        self.course.state.clone_from(&self.course.before);
        let part = dt / f64::from(pieces);
        let mut solved = Vec::new();
        for _ in 0..pieces {
            let report = match self.step(part) {
                // Numbers out of range: no solution either.
                Err(RunStatus::Failed { .. }) => return Ok(false),
                outcome => outcome?,
            };
            self.in_time(&report)?;
            if report.solve.status != Status::Solved {
                return Ok(false);
            }
            let record = self.integrator.record().clone();
            solved.push(Piece { end: self.course.state.clone(), report, record });
        }
        for piece in solved {
            self.enter(part, piece);
        }
        Ok(true)
    }

    fn enter(&mut self, dt: f64, piece: Piece) {
        self.course.state = piece.end;
        self.course.kept_record = piece.record;
        self.course.by_kept_record = true;
        self.accept(dt, &piece.report);
        self.course.by_kept_record = false;
    }

    /// The whole step by the solver `auto`.
    fn by_last_resort(&mut self, dt: f64) -> Result<StepReport, RunStatus> {
        self.course.state.clone_from(&self.course.before);
        let solver = match self.course.last_resort.take() {
            Some(solver) => solver,
            None => {
                let tolerance = self.settings.solver_tolerance;
                let limits = Limits { tolerance, ..Limits::default() };
                let auto = Auto::new(AutoOptions { limits, ..Default::default() });
                Box::new(auto.map_err(|e| RunStatus::Failed { message: e.to_string() })?)
            }
        };
        let usual = self.integrator.exchange_solver(solver);
        let outcome = self.step(dt);
        self.course.last_resort = Some(self.integrator.exchange_solver(usual));
        let report = outcome?;
        self.in_time(&report)?;
        Ok(report)
    }
}
