//! Sections: the instants of a motion that are looked at.

use super::quantity::{OfState, Vocabulary};
use super::{StudyError, with_all_columns};
use crate::scene::error::nearest;
use crate::scene::world::units::TIME;
use crate::scene::{Scene, SceneFile};
use crate::system::{Observed, State};

/// When the state is taken, as a user writes it.
///
/// ```
/// use stickslip::study::Section;
///
/// assert_eq!(Section::parse("impact(ball)")?, Section::Impact("ball".into()));
/// assert!(matches!(Section::parse("ball.vy crosses 0 down")?, Section::Crossing { up: false, .. }));
/// assert!(matches!(Section::parse("period 2*pi/omega")?, Section::Period(_)));
/// assert!(Section::parse("ball.vy crosses 0").is_err());
/// # Ok::<(), stickslip::study::StudyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// `impact(NAME)`: impacts of a contact or a body, as in `[[stop]]`.
    Impact(String),
    /// `EXPR crosses VALUE up|down`.
    Crossing {
        /// An expression of columns.
        expression: String,
        /// An expression of parameters, in the unit of the other.
        value: String,
        /// Whether it crosses from below.
        up: bool,
    },
    /// `period EXPR`: every so many seconds from t = 0 on; an expression of parameters.
    Period(String),
}

/// What a section looks like.
const SHAPES: &str = "it must be \"impact(NAME)\", NAME a contact or a body, \"EXPR crosses VALUE up\" (or \
                      down), or \"period EXPR\", such as \"period 2*pi/omega\"";

impl Section {
    /// Reads a section.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let given = text.trim();
        let wrong =
            |reason: &str| StudyError::wrong(format!("--section {given:?}: {reason}{SHAPES}"));
        if let Some(inside) = given.strip_prefix("impact(") {
            let name = inside.strip_suffix(')').map(str::trim).filter(|name| !name.is_empty());
            return name.map(|name| Section::Impact(name.into())).ok_or_else(|| wrong(""));
        }
        if let Some(period) = given.strip_prefix("period ") {
            return Ok(Section::Period(period.trim().into()));
        }
        let (expression, rest) = given.split_once(" crosses ").ok_or_else(|| wrong(""))?;
        let (value, way) = rest.trim().rsplit_once(' ').unwrap_or(("", rest));
        let up = match way {
            "up" => true,
            "down" => false,
            _ => return Err(wrong("behind the value stands up or down; ")),
        };
        let (expression, value) = (expression.trim().to_owned(), value.trim().to_owned());
        if expression.is_empty() || value.is_empty() {
            return Err(wrong(""));
        }
        Ok(Section::Crossing { expression, value, up })
    }

    /// The section of the runs of a scene, whatever columns it shows.
    pub fn of_file(&self, file: &SceneFile, overrides: &[String]) -> Result<Surface, StudyError> {
        self.of(&with_all_columns(file, overrides)?)
    }

    /// The section of the runs of a scene, made of the columns that it shows.
    pub fn of(&self, scene: &Scene) -> Result<Surface, StudyError> {
        let place = "--section";
        let vocabulary = Vocabulary::of(scene);
        match self {
            Section::Impact(name) => {
                check_impact_name(place, scene.system.as_ref(), name)?;
                Ok(Surface::Impact(name.clone()))
            }
            Section::Period(text) => {
                let period = vocabulary.constant(place, text, &TIME)?;
                if period > 0.0 {
                    return Ok(Surface::Period(period));
                }
                let message =
                    format!("{place}: the period {text:?} is {period} s, it must be positive");
                Err(StudyError::Wrong(message))
            }
            Section::Crossing { expression, value, up } => {
                // One expression, so that units are compared.
                let of = vocabulary.of_state(place, &format!("({expression}) - ({value})"))?;
                let alone = vocabulary.of_state(place, expression)?;
                if alone.quantity().is_constant() {
                    let message = format!("{place}: {expression:?} never changes");
                    return Err(StudyError::Wrong(message));
                }
                Ok(Surface::Level(Level { of, up: *up }))
            }
        }
    }
}

/// That impacts of this name can be told.
pub(super) fn check_impact_name(
    place: &str,
    system: &dyn Observed,
    name: &str,
) -> Result<(), StudyError> {
    let names = system.impact_names();
    if name == "any" || names.iter().any(|known| known == name) {
        return Ok(());
    }
    let known = || names.iter().take(1000).map(String::as_str);
    let hint = match nearest(name, known()) {
        Some(near) => format!("did you mean {near}?"),
        None => {
            let some: Vec<&str> = known().take(20).collect();
            format!("there are {}", if some.is_empty() { "none".into() } else { some.join(", ") })
        }
    };
    Err(StudyError::wrong(format!(
        "{place}: impact({name}): {name:?} is no body, no contact that has a name, and not \"any\"; {hint}"
    )))
}

/// A section that belongs to a scene.
#[derive(Clone)]
pub enum Surface {
    /// Impacts of this name ([`Observed::is_impact_of`]).
    Impact(String),
    /// Where an expression passes a value.
    Level(Level),
    /// Multiples of this time, s.
    Period(f64),
}

/// Where an expression passes a value.
#[derive(Clone)]
pub struct Level {
    of: OfState,
    /// Whether it passes from below.
    pub up: bool,
}

impl Level {
    /// The columns of which it is made.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.of.quantity().inputs()
    }

    /// The expression minus the value, in SI units: below 0 before it is crossed and above 0 behind, whichever
    /// way the section is crossed.
    pub fn value(&mut self, at: &State) -> f64 {
        let value = self.of.value(at);
        if self.up { value } else { -value }
    }
}
