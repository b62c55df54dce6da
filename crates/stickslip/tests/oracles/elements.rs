//! How the models of Xiong 2013 choose the elements of the ODE route.

use super::ParameterError;
use serde::{Deserialize, Serialize};
use stickslip::ode::{
    ContactElement, Element, FrictionElement, HuntCrossley, LinearContact, Regularisation,
    RegularisedFriction, SpeedFactor, UnilateralContact, effective_restitution,
};
use stickslip::system::LawGroup;

pub use stickslip::system::{ContactChoice, FrictionChoice};

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

/// The constants K, β, α and ε of the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    pub stiffness: f64,
    pub relaxation_time: f64,
    pub contact_time: f64,
    pub smoothing_speed: f64,
}

impl Constants {
    pub fn contact(&self) -> UnilateralContact {
        UnilateralContact {
            stiffness: self.stiffness,
            relaxation_time: self.relaxation_time,
            contact_time: self.contact_time,
        }
    }

    /// The element for a choice of contact.
    #[allow(clippy::panic)] // a choice that the oracle does not know is an error of the test
    pub fn contact_element(&self, choice: ContactChoice, viscosity: f64, damping: f64) -> Element {
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
            other => panic!("no oracle for {other:?}"),
        })
    }

    /// The element for a choice of friction.
    pub fn friction_element(&self, choice: FrictionChoice, speed_factor: SpeedFactor) -> Element {
        let Self { stiffness, relaxation_time, smoothing_speed, .. } = *self;
        let constants = RegularisedFriction { stiffness, relaxation_time };
        let element = FrictionElement::chosen(choice, constants, smoothing_speed);
        Element::Friction { element, speed_factor, length: 1.0 }
    }

    /// The restitution that a set-valued contact needs to do as the element does with this mass:
    /// the wanted one if there is one, at most 1.
    pub fn restitution(&self, wanted: RestitutionChoice, mass: f64) -> Result<f64, ParameterError> {
        match wanted {
            RestitutionChoice::Value(restitution) => Ok(restitution),
            RestitutionChoice::Named(NamedRestitution::Effective) => {
                Ok(effective_restitution(&self.contact(), mass)?.min(1.0))
            }
        }
    }
}

/// The regularisation of checked constants. What cannot be regularised was refused before; should
/// anything be left, it is named.
pub fn regularise(
    groups: &[LawGroup],
    elements: &[Vec<Element>],
) -> Result<Regularisation, ParameterError> {
    Regularisation::new(groups, elements).map_err(|error| ParameterError {
        key: "law",
        value: f64::NAN,
        range: format!("suitable: {error}"),
    })
}
