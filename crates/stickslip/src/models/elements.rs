//! How the models of Xiong 2013 choose the elements of the ODE route.

use super::ParameterError;
use crate::ode::{
    ContactElement, Element, FrictionElement, HuntCrossley, LinearContact, LuGre, Regularisation,
    RegularisedFriction, SmoothedFriction, SmoothingCurve, SpeedFactor, UnilateralContact,
    effective_restitution,
};
use crate::range::{fraction, not_negative, positive};
use crate::system::LawGroup;
use serde::{Deserialize, Serialize};

/// Element in place of dry friction, for the `ode-*` integrators; the others always use the exact
/// law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionChoice {
    /// Xiong 2013, eq. 18.
    #[default]
    Xiong,
    /// LuGre without Stribeck effect (eq. 12), with B = K β and D = 0.
    Lugre,
    /// Dahl: LuGre with B = D = 0.
    Dahl,
    /// Linear within `smoothing_speed` (eq. 50).
    Smooth,
    /// tanh(v/smoothing_speed).
    Tanh,
}

/// Element in place of dry friction that a contact force limits: bristles are not among them, because
/// they need friction of constant strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactFrictionChoice {
    /// Xiong 2013, eq. 18.
    #[default]
    Xiong,
    /// Linear within `smoothing_speed` (eq. 50).
    Smooth,
    /// tanh(v/smoothing_speed).
    Tanh,
}

impl From<ContactFrictionChoice> for FrictionChoice {
    fn from(choice: ContactFrictionChoice) -> Self {
        match choice {
            ContactFrictionChoice::Xiong => FrictionChoice::Xiong,
            ContactFrictionChoice::Smooth => FrictionChoice::Smooth,
            ContactFrictionChoice::Tanh => FrictionChoice::Tanh,
        }
    }
}

/// Element in place of unilateral contact, for the `ode-*` integrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactChoice {
    /// Xiong 2013, eq. 24, 25.
    #[default]
    Xiong,
    /// Spring and damper that may pull (eq. 15), with B = `viscosity`.
    Viscoelastic,
    /// Spring and damper without suction (eq. 16), with B = `viscosity`.
    ViscoelasticPush,
    /// Hunt and Crossley, with the exponent 3/2 and c = `damping`.
    HuntCrossley,
}

/// Restitution of a set-valued contact that stands beside an element: `"effective"` or a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RestitutionChoice {
    /// A given coefficient, 0 to 1.
    Value(f64),
    /// By name.
    Named(NamedRestitution),
}

/// A restitution that follows from something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedRestitution {
    /// That of the contact element, so that both routes rebound alike; at most 1.
    Effective,
}

impl Default for RestitutionChoice {
    fn default() -> Self {
        RestitutionChoice::Named(NamedRestitution::Effective)
    }
}

impl RestitutionChoice {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        match *self {
            RestitutionChoice::Value(value) => fraction("restitution", value),
            RestitutionChoice::Named(_) => Ok(()),
        }
    }
}

/// The constants K, β, α and ε of the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Constants {
    pub stiffness: f64,
    pub relaxation_time: f64,
    pub contact_time: f64,
    pub smoothing_speed: f64,
}

impl Constants {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        positive("stiffness", self.stiffness)?;
        positive("relaxation_time", self.relaxation_time)?;
        positive("contact_time", self.contact_time)?;
        positive("smoothing_speed", self.smoothing_speed)
    }

    pub(crate) fn contact(&self) -> UnilateralContact {
        UnilateralContact {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.contact_time,
        }
    }

    /// The element for a choice of contact.
    pub(crate) fn contact_element(
        &self,
        choice: ContactChoice,
        viscosity: f64,
        damping: f64,
    ) -> Element {
        let stiffness = self.stiffness;
        Element::Contact(match choice {
            ContactChoice::Xiong => ContactElement::Xiong(self.contact()),
            ContactChoice::Viscoelastic | ContactChoice::ViscoelasticPush => {
                let suction = choice == ContactChoice::Viscoelastic;
                ContactElement::Linear(LinearContact { stiffness, viscosity, suction })
            }
            ContactChoice::HuntCrossley => {
                ContactElement::HuntCrossley(HuntCrossley { stiffness, exponent: 1.5, damping })
            }
        })
    }

    /// The element for a choice of friction.
    pub(crate) fn friction_element(
        &self,
        choice: FrictionChoice,
        speed_factor: SpeedFactor,
    ) -> Element {
        let Self { stiffness, relaxation_time, smoothing_speed, .. } = *self;
        let element = match choice {
            FrictionChoice::Xiong => {
                FrictionElement::Xiong(RegularisedFriction { stiffness, relaxation_time })
            }
            FrictionChoice::Lugre => FrictionElement::LuGre(LuGre {
                stiffness,
                bristle_viscosity: stiffness * relaxation_time,
                viscosity: 0.0,
            }),
            FrictionChoice::Dahl => FrictionElement::LuGre(LuGre::dahl(stiffness)),
            FrictionChoice::Smooth => FrictionElement::Smoothed(SmoothedFriction {
                shape: SmoothingCurve::Linear,
                smoothing_speed,
            }),
            FrictionChoice::Tanh => FrictionElement::Smoothed(SmoothedFriction {
                shape: SmoothingCurve::Tanh,
                smoothing_speed,
            }),
        };
        Element::Friction { element, speed_factor, length: 1.0 }
    }

    /// The restitution that a set-valued contact needs to do as the element does with this mass:
    /// the wanted one if there is one, at most 1.
    pub(crate) fn restitution(
        &self,
        wanted: RestitutionChoice,
        mass: f64,
    ) -> Result<f64, ParameterError> {
        match wanted {
            RestitutionChoice::Value(restitution) => Ok(restitution),
            RestitutionChoice::Named(NamedRestitution::Effective) => {
                Ok(effective_restitution(&self.contact(), mass)?.min(1.0))
            }
        }
    }
}

/// Checks of the constants of the alternative contacts.
pub(crate) fn contact_constants(viscosity: f64, damping: f64) -> Result<(), ParameterError> {
    not_negative("viscosity", viscosity)?;
    not_negative("damping", damping)
}

/// The regularisation of checked constants. What cannot be regularised was refused before; should
/// anything be left, it is named.
pub(crate) fn regularise(
    groups: &[LawGroup],
    elements: &[Vec<Element>],
) -> Result<Regularisation, ParameterError> {
    Regularisation::new(groups, elements).map_err(|error| ParameterError {
        key: "law",
        value: f64::NAN,
        range: format!("suitable: {error}"),
    })
}
