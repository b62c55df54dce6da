//! Branches of whatever a motion ends on: a periodic orbit or an equilibrium.

use super::{
    Branches, OrbitQuestion, RestBranch, StudyError, Vary, continue_equilibrium, continue_orbit,
    ends_at_rest,
};
use crate::scene::SceneFile;

/// Most doublings of the period that are followed one after the other.
pub const MOST_DOUBLINGS: usize = 10;

/// What was followed over a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// Periodic orbits.
    Orbits(Branches),
    /// Equilibria.
    Rest(RestBranch),
}

/// Follows the periodic orbit on which the motion of a scene ends at the first value of `vary`, with so many doublings of
/// its period, or the equilibrium where it ends at rest, or where `equilibrium` asks for it.
pub fn follow(
    file: &SceneFile,
    question: &OrbitQuestion,
    vary: &Vary,
    equilibrium: bool,
    doublings: usize,
) -> Result<Followed, StudyError> {
    if doublings > MOST_DOUBLINGS {
        return Err(StudyError::wrong(format!(
            "--switch is {doublings}, it must be at most {MOST_DOUBLINGS}"
        )));
    }
    if equilibrium && (question.section.is_some() || doublings > 0) {
        return Err(StudyError::wrong(
            "--equilibrium: equilibria pass no section and have no period that doubles",
        ));
    }
    let rest = || continue_equilibrium(file, question, vary, &mut |_| {}).map(Followed::Rest);
    if equilibrium {
        return rest();
    }
    match continue_orbit(file, question, vary, doublings, &mut |_| {}) {
        Ok(branches) => Ok(Followed::Orbits(branches)),
        Err(StudyError::NotFound(_))
            if question.section.is_none()
                && ends_at_rest(file, question, vary).is_ok_and(|rests| rests) =>
        {
            rest()
        }
        Err(error) => Err(error),
    }
}
