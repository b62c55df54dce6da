//! What is done before the first step.

use super::course::Course;
use super::run::{Observer, Runner};
use super::{RunSettings, Summary};
use crate::integrate::{AssembledJoint, Assembly, Integrator, Violation, assemble, close_start};
use crate::range::OutOfRange;
use crate::system::{Observed, State};

/// Violations that are told one by one.
const MOST_TOLD: usize = 5;

/// Carries the system from `start` through the settings' duration.
///
/// With [`RunSettings::close_start`] overlaps and joints that are apart are closed first, by moving the
/// bodies; the energy book begins after that, and [`Summary::warnings`] say how much and between whom.
///
/// A step whose contact problem is not solved is halved, then tried with the solver `auto` to the same
/// tolerance, and then ends the run (or is counted, with [`RunSettings::allow_inexact`]).
pub fn run(
    system: &dyn Observed,
    integrator: &mut dyn Integrator,
    start: State,
    settings: &RunSettings,
    observer: &mut dyn Observer,
) -> Result<Summary, OutOfRange> {
    let mut course = Course::new(system, start, settings)?;
    Ok(Runner { system, integrator, settings, course: &mut course }.run(observer))
}

/// Closes what overlaps or is apart at the start, and says how much.
pub(super) fn close(system: &dyn Observed, start: &mut State) -> Vec<String> {
    if start.q.iter().chain(&start.u).any(|v| !v.is_finite()) {
        return Vec::new();
    }
    let before = system.energy(start).total();
    let assembly = assemble(system, start);
    let assembled = system.energy(start).total();
    let mut told: Vec<String> =
        assembly.iter().map(|done| tell_assembly(done, assembled - before)).collect();
    let found = close_start(system, start);
    told.extend(tell(system, &found, system.energy(start).total() - assembled));
    told
}

/// What assembly did, in a sentence.
fn tell_assembly(assembly: &Assembly, energy: f64) -> String {
    let joints = assembly.joints.iter().take(MOST_TOLD).map(|joint| {
        let AssembledJoint { name, apart, still_apart, speed, still_speed, .. } = joint;
        format!(
            "'{name}' was apart by {apart:.3e} (m or rad, now {still_apart:.3e}) and moved against its \
             constraint by {speed:.3e} (m/s or rad/s, now {still_speed:.3e})"
        )
    });
    let mut joints: Vec<String> = joints.collect();
    if assembly.joints.len() > MOST_TOLD {
        joints.push(format!("{} more", assembly.joints.len() - MOST_TOLD));
    }
    format!(
        "the start was assembled before the run: {}; this changed the energy by {energy:.3e} J, which is no \
         part of the energy book",
        joints.join(", ")
    )
}

/// What was violated at the start, in sentences.
fn tell(system: &dyn Observed, found: &[Violation], energy: f64) -> Vec<String> {
    let is_closed = |v: &&Violation| v.after == 0.0;
    let list = |violations: Vec<&Violation>, words: &dyn Fn(&Violation) -> String| {
        let mut text: Vec<String> = violations.iter().take(MOST_TOLD).map(|v| words(v)).collect();
        if violations.len() > MOST_TOLD {
            text.push(format!("{} more", violations.len() - MOST_TOLD));
        }
        text.join(", ")
    };
    let name = |v: &Violation| {
        let kind = if v.is_joint { "joint " } else { "" };
        format!("{kind}'{}'", system.contact_name(v.key))
    };
    let unit = |v: &Violation| if v.is_joint { "(m or rad)" } else { "m" };
    let mut told = Vec::new();
    let closed: Vec<&Violation> = found.iter().filter(is_closed).collect();
    if !closed.is_empty() {
        let text = list(closed, &|v| format!("{} by {:.3e} {}", name(v), v.before, unit(v)));
        told.push(format!(
            "what overlaps or is apart at the start was closed before the run, by moving the bodies: \
             {text}; this changed the energy by {energy:.3e} J, which is no part of the energy book"
        ));
    }
    let open: Vec<&Violation> = found.iter().filter(|v| !is_closed(v)).collect();
    if !open.is_empty() {
        let text = list(open, &|v| {
            format!("{}: {:.3e} of {:.3e} {} are left", name(v), v.after, v.before, unit(v))
        });
        told.push(format!(
            "what overlaps or is apart at the start could not be closed by moving the bodies, which are \
             wedged or held: {text}"
        ));
    }
    told
}
