//! The ODE route: systems with contact and dry friction as ordinary differential equations that
//! still stick (Xiong, Kikuuwe & Yamamoto 2013).
//!
//! A set-valued law is replaced by an element with a state of its own, a short spring with a damper
//! in front of the exact law. The pair has a unique force for every state, so that any integrator
//! for ordinary differential equations will do, and because the exact law is still there a body
//! under a load below the friction limit comes to rest for ever.
//!
//! - The elements: [`RegularisedFriction`] (eq. 18), [`UnilateralContact`] (eq. 24, 25). The models they
//!   are compared with: [`LuGre`] (with Dahl's), [`SmoothedFriction`], [`LinearContact`],
//!   [`HuntCrossley`], and strength that depends on the speed, [`SpeedFactor`].
//! - The general procedure of sec. 4.4: a [`Regularisation`] says which element stands for which
//!   law, and an [`OdeSystem`] evaluates the right-hand side of any mechanical system. Laws other
//!   than contact and Coulomb friction get the natural generalisation
//!
//!   ```text
//!   λ = K prox_{C(s)/K}(−a − β γ),      ȧ = (−λ/K − a)/β
//!   ```
//!
//!   which for a ball is eq. 18 with f = −λ.
//! - Methods: [`Rk4`], [`DormandPrince`], [`Rosenbrock`]; [`StabilityLimit`] says how large a step
//!   of the first may be.
//! - [`effective_restitution`] and its inverse answer which restitution the constants of a contact
//!   amount to.

mod bristle;
mod choice;
mod choice_words;
mod contact;
mod curve;
mod dormand_prince;
mod element;
mod friction;
mod layout;
mod observed;
mod regularisation;
mod restitution;
mod rk4;
mod rosenbrock;
mod stability;
mod system;

pub use bristle::LuGre;
pub use choice::{ChoiceError, ChosenElements, ElementChoice, choose_elements};
pub use contact::{ContactElement, HuntCrossley, LinearContact, UnilateralContact};
pub use curve::{SmoothedFriction, SmoothingCurve, SpeedFactor};
pub use dormand_prince::DormandPrince;
pub use element::{Element, FrictionElement};
pub use friction::RegularisedFriction;
pub(crate) use observed::Evaluator;
pub use observed::{Elements, OdeNames};
pub use regularisation::{Regularisation, RegularisationError};
pub use restitution::{
    RestitutionError, contact_time_for_restitution, effective_restitution, maximal_penetration,
};
pub use rk4::{Rate, Rk4};
pub use rosenbrock::Rosenbrock;
pub use stability::{StabilityLimit, rk4_step_limit};
pub use system::{OdeContact, OdeSystem, RateError};

use crate::range::{OutOfRange, positive, require};

/// Tolerances of the methods with an error estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Relative tolerance per step; 1e-12 to 1e-2, default 1e-8.
    pub relative: f64,
    /// Absolute tolerance per step in the unit of the component (m, m/s, rad, ...); above 0,
    /// default 1e-10. For the deflections of elements it counts as a force of 100 times as many
    /// newton.
    pub absolute: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { relative: 1e-8, absolute: 1e-10 }
    }
}

impl Tolerances {
    /// Whether the tolerances lie in their ranges.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let relative = (1e-12..=1e-2).contains(&self.relative);
        require(relative, "relative", self.relative, "1e-12 to 1e-2")?;
        positive("absolute", self.absolute)
    }
}

/// Why an integration with an error estimate stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum OdeError {
    #[error(transparent)]
    Rate(#[from] RateError),
    #[error("the error estimate cannot be met at t = {t} s, even with a step of {step} s")]
    StepTooSmall { t: f64, step: f64 },
    #[error("{0} steps were not enough; the equations are stiff, or the tolerance is too tight")]
    TooManySteps(usize),
}
