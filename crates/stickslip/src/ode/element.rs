//! Which element stands for a law, and its force.

use super::{
    ContactElement, LuGre, RegularisedFriction, SmoothedFriction, SmoothingCurve, SpeedFactor,
};
use crate::convex::{ConvexSet, Set};
use crate::ode::bristle::length;
use crate::system::{ForceReservoir, FrictionChoice, SpeedCurve};

/// An element in place of a friction law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // each variant is documented at its type
#[non_exhaustive]
pub enum FrictionElement {
    Xiong(RegularisedFriction),
    LuGre(LuGre),
    Smoothed(SmoothedFriction),
}

impl FrictionElement {
    /// The element of a choice, with K, N/m, β, s, and the speed of those that are smoothed, m/s.
    pub fn chosen(choice: FrictionChoice, constants: RegularisedFriction, speed: f64) -> Self {
        let RegularisedFriction { stiffness, relaxation_time } = constants;
        let smoothed = |shape| SmoothedFriction { shape, smoothing_speed: speed };
        match choice {
            FrictionChoice::Xiong => FrictionElement::Xiong(constants),
            FrictionChoice::Lugre => FrictionElement::LuGre(LuGre {
                stiffness,
                bristle_viscosity: stiffness * relaxation_time,
                viscosity: 0.0,
            }),
            FrictionChoice::Dahl => FrictionElement::LuGre(LuGre::dahl(stiffness)),
            FrictionChoice::Smooth => FrictionElement::Smoothed(smoothed(SmoothingCurve::Linear)),
            FrictionChoice::Tanh => FrictionElement::Smoothed(smoothed(SmoothingCurve::Tanh)),
        }
    }

    /// Number of internal states of an element with `dim` components.
    pub fn states(&self, dim: usize) -> usize {
        match self {
            FrictionElement::Smoothed(_) => 0,
            _ => dim,
        }
    }
}

/// What stands for a set-valued law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// For a unilateral contact, which must be the first law of its group.
    Contact(ContactElement),
    /// For friction, joints and any other law between velocity and force.
    Friction {
        /// The element.
        element: FrictionElement,
        /// How the strength of the friction depends on the speed of sliding.
        speed_factor: SpeedFactor,
        /// Length ℓ, m, for laws of two forces and a drilling moment: the moment counts as a force
        /// moment/ℓ, so that its stiffness is K ℓ². 1 takes all components alike. For laws of moments
        /// alone it holds of all components.
        length: f64,
    },
    /// For a bilateral constraint of positions: a spring and a damper at the level of positions,
    /// λ = −K (g + β γ) with the error g of the constraint. It is the element of friction without a
    /// limit (eq. 18 with F → ∞), whose deflection is g and need not be integrated.
    Joint(RegularisedFriction),
    /// The law is a function of the velocity as it is: viscous laws.
    Function,
}

impl Element {
    /// The friction element of Xiong 2013, eq. 18, without further ado.
    pub fn friction(constants: RegularisedFriction) -> Self {
        Element::Friction {
            element: FrictionElement::Xiong(constants),
            speed_factor: SpeedFactor::Constant,
            length: 1.0,
        }
    }
}

/// A law as the right-hand side needs it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PreparedLaw {
    pub(crate) element: Element,
    pub(crate) dim: usize,
    /// Number of internal states.
    pub(crate) states: usize,
    /// The set, with a drilling moment measured as moment/ℓ.
    pub(crate) set: Set,
    pub(crate) reservoir: ForceReservoir,
    pub(crate) viscosity: Option<f64>,
    /// How its strength depends on the speed of the contact point.
    pub(crate) curve: Option<SpeedCurve>,
    /// Whether all components are moments.
    pub(crate) moments: bool,
}

impl PreparedLaw {
    /// Force λ of a law other than unilateral contact and constraints, from the normal force of the
    /// contact at time t, the relative velocity γ and the internal states; writes the rates of the states. True
    /// if the law holds fast: its force lies inside its set. `scale` multiplies the stiffness.
    pub(crate) fn evaluate(
        &self,
        t: f64,
        normal: f64,
        scale: f64,
        gamma: &[f64],
        states: &[f64],
        lambda: &mut [f64],
        rates: &mut [f64],
    ) -> bool {
        let mut reservoir = match self.reservoir {
            // Cohesion ends with the contact.
            ForceReservoir::NormalPlus(_) if normal <= 0.0 => 0.0,
            other => other.scale(normal),
        };
        let Element::Friction { element, speed_factor, length: arm } = &self.element else {
            // −γ − λ/c ∈ N_C(λ) is solved by λ = prox_C(−c γ).
            let viscosity = self.viscosity.unwrap_or(0.0);
            for (l, g) in lambda.iter_mut().zip(gamma) {
                *l = -viscosity * g;
            }
            self.set.prox(reservoir, lambda);
            return false;
        };
        let speed = match speed_factor {
            SpeedFactor::Constant => 0.0,
            _ => length(gamma),
        };
        reservoir *= match element {
            FrictionElement::Smoothed(smoothed) => speed_factor.at(smoothed.strength_speed(speed)),
            _ => speed_factor.at(speed),
        };
        if let Some(curve) = &self.curve {
            let speed = length(&gamma[..self.dim.min(2)]);
            reservoir *= curve.sliding(speed, t) / curve.reference();
        }
        match element {
            FrictionElement::Xiong(constants) => {
                let (k, beta) = (scale * constants.stiffness, constants.relaxation_time);
                let scale = |i: usize| if i == 2 || self.moments { *arm } else { 1.0 };
                for i in 0..self.dim {
                    lambda[i] = -(states[i] + beta * scale(i) * gamma[i]);
                    // Kept to see whether the prox changes it.
                    rates[i] = lambda[i];
                }
                self.set.prox(reservoir / k, lambda);
                let holds = lambda.iter().zip(rates.iter()).all(|(l, r)| l == r);
                for i in 0..self.dim {
                    rates[i] = (-lambda[i] - states[i]) / beta;
                    lambda[i] *= k * scale(i);
                }
                holds
            }
            FrictionElement::LuGre(bristles) => {
                let limit = reservoir * self.radius();
                bristles.rate(limit, states, gamma, rates);
                bristles.force(states, gamma, rates, lambda);
                let holds = length(lambda) < limit;
                lambda.iter_mut().for_each(|l| *l = -*l);
                holds
            }
            FrictionElement::Smoothed(smoothed) => {
                smoothed.force(reservoir * self.radius(), gamma, lambda);
                lambda.iter_mut().for_each(|l| *l = -*l);
                length(gamma) < smoothed.smoothing_speed
            }
        }
    }

    /// Radius of the ball of a Coulomb law.
    pub(crate) fn radius(&self) -> f64 {
        match &self.set {
            Set::Ball(ball) => ball.radius,
            _ => 0.0,
        }
    }

    /// Stiffness by which deflections turn into forces; 0 where there are no states.
    pub(crate) fn stiffness(&self) -> f64 {
        match &self.element {
            Element::Contact(ContactElement::Xiong(contact)) => contact.stiffness,
            Element::Friction { element: FrictionElement::Xiong(f), .. } => f.stiffness,
            Element::Friction { element: FrictionElement::LuGre(f), .. } => f.stiffness,
            Element::Joint(constants) => constants.stiffness,
            _ => 0.0,
        }
    }

    /// Rates of the states where the contact is open: deflections relax.
    pub(crate) fn relax(&self, gap: f64, states: &[f64], rates: &mut [f64]) {
        match &self.element {
            Element::Contact(contact) => {
                contact.evaluate(gap, 0.0, states, rates);
            }
            Element::Friction { element: FrictionElement::Xiong(constants), .. } => {
                for (r, a) in rates.iter_mut().zip(states) {
                    *r = -a / constants.relaxation_time;
                }
            }
            _ => rates.fill(0.0),
        }
    }
}
