//! Motions that have settled: where they pass a section after a while, and whether they repeat themselves.

use super::crossings::{Crossing, Crossings};
use super::quantity::{OfState, Vocabulary};
use super::recurrence::period_of_sequence;
use super::section::{Section, Surface};
use super::{StudyError, with_columns};
use crate::scene::{Scene, SceneFile};
use crate::stop::StopCheck;
use crate::system::State;

/// Velocities of an impact, which are known beside the columns.
pub(super) const OF_IMPACT: [&str; 2] = ["normal_velocity_after", "normal_velocity_before"];

/// A quantity that is shown at a section.
pub(super) enum Shown {
    After,
    Before,
    Of(Box<OfState>),
}

impl Shown {
    pub fn new(text: &str, vocabulary: &Vocabulary) -> Result<Self, StudyError> {
        Ok(match OF_IMPACT.iter().position(|word| *word == text.trim()) {
            Some(0) => Shown::After,
            Some(_) => Shown::Before,
            None => Shown::Of(Box::new(vocabulary.of_state("--show", text)?)),
        })
    }

    fn value(&mut self, at: &Crossing) -> f64 {
        let velocity = at.impact.map_or([f64::NAN; 2], |impact| impact.normal_velocity);
        match self {
            Shown::Before => velocity[0],
            Shown::After => velocity[1],
            Shown::Of(of) => of.value(&at.state),
        }
    }
}

/// How motions are looked at.
pub(super) struct Look<'a> {
    pub file: &'a SceneFile,
    pub columns: &'a [String],
    pub section: &'a Section,
    pub shown: &'a [(String, String)],
    pub discard: usize,
    pub keep: usize,
    pub tolerance: f64,
}

/// What became of a motion.
pub(super) struct Motion {
    /// Each passage that is kept: its time in s, and the shown quantities in SI units.
    pub points: Vec<Vec<f64>>,
    /// Of each: the shown quantities, all velocities, and the time since the passage before.
    pub seen: Vec<Vec<f64>>,
    /// After how many passages it repeats itself.
    pub period: Option<usize>,
    pub status: &'static str,
    pub message: String,
    /// From where it goes on; none of a run that failed.
    pub end: Option<State>,
    /// Whether it still moves, where it no longer passes the section.
    pub is_moving: bool,
}

impl Look<'_> {
    fn read(&self, overrides: &[String]) -> Result<(Scene, Surface, Vec<Shown>), StudyError> {
        let scene = with_columns(self.file, overrides, self.columns)?;
        let surface = self.section.of(&scene)?;
        let vocabulary = Vocabulary::of(&scene);
        let shown = self.shown.iter().map(|(text, _)| Shown::new(text, &vocabulary));
        let shown = shown.collect::<Result<_, StudyError>>()?;
        Ok((scene, surface, shown))
    }

    /// Lets the motion settle, from another start if one is given.
    pub fn settle(&self, overrides: &[String], from: Option<&State>, stop: &StopCheck) -> Motion {
        let mut motion = Motion {
            points: Vec::new(),
            seen: Vec::new(),
            period: None,
            status: "done",
            message: String::new(),
            end: None,
            is_moving: false,
        };
        if let Err(error) = self.follow(overrides, from, stop, &mut motion) {
            (motion.status, motion.message) = ("bad-input", error.to_string());
        }
        motion
    }

    fn follow(
        &self,
        overrides: &[String],
        from: Option<&State>,
        stop: &StopCheck,
        motion: &mut Motion,
    ) -> Result<(), StudyError> {
        let (scene, surface, mut shown) = self.read(overrides)?;
        let is_stroboscopic = matches!(surface, Surface::Period(_));
        let mut crossings = Crossings::new(&scene, surface, from, stop)?;
        let mut last = f64::NAN;
        let mut at_section = None;
        for passage in 0..self.discard + self.keep {
            let found = match crossings.pass() {
                Ok(Some(found)) => found,
                Ok(None) => {
                    motion.status = "no-section";
                    motion.message = format!(
                        "the section is passed {passage} times, and then not for {} s \
                         (simulation.duration)",
                        scene.simulation.duration
                    );
                    motion.end = Some(crossings.present().clone());
                    motion.is_moving = crossings.still_moves(self.tolerance);
                    return Ok(());
                }
                Err(status) => {
                    (motion.status, motion.message) = (status.name(), status.to_string());
                    return Ok(());
                }
            };
            if passage >= self.discard {
                let mut point = vec![found.t];
                point.extend(shown.iter_mut().map(|shown| shown.value(&found)));
                // Velocities come back; coordinates need not, where a body goes on and on.
                let mut state = point[1..].to_vec();
                state.extend_from_slice(&found.state.u);
                state.push(found.t - last);
                // Before the very first passage there is none.
                if passage > 0 {
                    motion.seen.push(state);
                }
                motion.points.push(point);
            }
            last = found.t;
            at_section = Some(State { t: found.state.t - found.t, ..found.state });
        }
        motion.period = period_of_sequence(&motion.seen, self.tolerance);
        // A whole number of periods of the drive has passed: what goes on begins at its start, so that a drive of
        // another frequency begins with the same phase.
        motion.end = match (is_stroboscopic, at_section) {
            (true, Some(state)) => Some(state),
            _ => Some(crossings.present().clone()),
        };
        Ok(())
    }
}
