//! Which element stands for which law of a system.

use super::element::PreparedLaw;
use super::{
    ContactElement, Element, FrictionElement, RegularisedFriction, SpeedFactor, UnilateralContact,
    positive,
};
use crate::convex::Set;
use crate::range::OutOfRange;
use crate::system::{ForceReservoir, LawGroup, SMOOTHING_SPEED, SpeedCurve};
use std::collections::BTreeMap;

/// Elements for all laws of a system, with constants per group of laws: what the general procedure
/// of Xiong 2013, sec. 4.4, needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Regularisation {
    pub(crate) groups: Vec<Vec<PreparedLaw>>,
    /// Factors of the stiffness, for each component, of contacts that have some.
    pub(crate) scales: BTreeMap<u64, Vec<f64>>,
}

/// Why a law has no element.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum RegularisationError {
    #[error("there are elements for {elements} laws in group {group}, which has {laws}")]
    Count { group: usize, laws: usize, elements: usize },
    #[error("law {law} of group {group}: {source}")]
    Constant { group: usize, law: &'static str, source: OutOfRange },
    #[error("law {law} of group {group}: {reason}")]
    Unsuitable { group: usize, law: &'static str, reason: &'static str },
}

impl Regularisation {
    /// The given elements, one list per group of laws.
    pub fn new(
        groups: &[LawGroup],
        elements: &[Vec<Element>],
    ) -> Result<Self, RegularisationError> {
        let mut prepared = Vec::with_capacity(groups.len());
        for (index, group) in groups.iter().enumerate() {
            let given = elements.get(index).map_or(&[] as &[Element], Vec::as_slice);
            if given.len() != group.laws.len() {
                let (laws, elements) = (group.laws.len(), given.len());
                return Err(RegularisationError::Count { group: index, laws, elements });
            }
            let mut laws = Vec::with_capacity(given.len());
            for (position, element) in given.iter().enumerate() {
                laws.push(prepare(index, group, position, element)?);
            }
            prepared.push(laws);
        }
        Ok(Self { groups: prepared, scales: BTreeMap::new() })
    }

    /// With factors of the stiffness for the components of some contacts, by their keys.
    pub fn with_scales(self, scales: BTreeMap<u64, Vec<f64>>) -> Self {
        Self { scales, ..self }
    }

    /// The same constants everywhere: (24), (25) for unilateral contact, (18) and its generalisation
    /// for everything else; viscous laws stay as they are. `length` is ℓ of [`Element::Friction`].
    pub fn uniform(
        groups: &[LawGroup],
        contact: UnilateralContact,
        friction: RegularisedFriction,
        length: f64,
    ) -> Result<Self, RegularisationError> {
        let elements: Vec<Vec<Element>> = groups
            .iter()
            .map(|group| {
                let element = |(position, named): (usize, &crate::system::NamedLaw)| {
                    if named.law.viscosity.is_some() {
                        Element::Function
                    } else if position == 0 && matches!(named.law.set, Set::HalfLine(_)) {
                        Element::Contact(ContactElement::Xiong(contact))
                    } else {
                        Element::Friction {
                            element: FrictionElement::Xiong(friction),
                            speed_factor: SpeedFactor::Constant,
                            length: if named.law.dim() == 3 { length } else { 1.0 },
                        }
                    }
                };
                group.laws.iter().enumerate().map(element).collect()
            })
            .collect();
        Self::new(groups, &elements)
    }

    /// What a user should know of these constants.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for law in self.groups.iter().flatten() {
            if let Element::Contact(ContactElement::Xiong(contact)) = &law.element
                && let Some(note) = contact.note()
                && !notes.contains(&note)
            {
                notes.push(note);
            }
        }
        notes
    }

    /// Number of internal states of a group.
    pub(crate) fn states(&self, group: usize) -> usize {
        self.groups[group].iter().map(|law| law.states).sum()
    }

    /// States of a contact that is found closed: its spring is compressed by the depth.
    pub(crate) fn settle(&self, group: usize, gap: f64, states: &mut [f64]) {
        if let Some(law) = self.groups[group].first()
            && matches!(law.element, Element::Contact(ContactElement::Xiong(_)))
            && gap.is_finite()
            && let Some(e) = states.first_mut()
        {
            *e = (-gap).max(0.0);
        }
    }

    /// Number of all laws.
    pub(crate) fn law_count(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }
}

fn prepare(
    group: usize,
    laws: &LawGroup,
    position: usize,
    element: &Element,
) -> Result<PreparedLaw, RegularisationError> {
    let (name, law) = (laws.laws[position].name, &laws.laws[position].law);
    let constant = |source| RegularisationError::Constant { group, law: name, source };
    let unsuitable = |reason| RegularisationError::Unsuitable { group, law: name, reason };
    let mut set = law.set.clone();
    let states = match element {
        Element::Contact(contact) => {
            contact.validate().map_err(constant)?;
            if position != 0 || !matches!(law.set, Set::HalfLine(_)) {
                let reason = "a contact element stands for a unilateral contact, the first law";
                return Err(unsuitable(reason));
            }
            if law.adhesion > 0.0 {
                let reason = "the ode-* integrators have no element with adhesion; moreau, rattle and \
                              event-driven take it";
                return Err(unsuitable(reason));
            }
            contact.states()
        }
        Element::Joint(constants) => {
            constants.validate().map_err(constant)?;
            if !law.is_rigid() {
                return Err(unsuitable("only a bilateral constraint is held by a spring"));
            }
            0
        }
        Element::Function => {
            if law.viscosity.is_none() {
                return Err(unsuitable("only a viscous law is a function as it is"));
            }
            0
        }
        Element::Friction { element, speed_factor, length } => {
            speed_factor.validate().map_err(constant)?;
            positive("length", *length).map_err(constant)?;
            let ball = matches!(law.set, Set::Ball(_));
            match element {
                FrictionElement::Xiong(friction) => {
                    friction.validate().map_err(constant)?;
                    if *length != 1.0 {
                        let stretched = match law.dim() {
                            dim if law.moment => set.stretched(&vec![1.0 / length; dim]),
                            3 => set.stretched(&[1.0, 1.0, 1.0 / length]),
                            _ => None,
                        };
                        set = stretched.ok_or_else(|| {
                            unsuitable(
                                "a length needs a law of moments, or of two forces and a moment",
                            )
                        })?;
                    }
                }
                FrictionElement::LuGre(bristles) => {
                    bristles.validate().map_err(constant)?;
                    let constant_limit =
                        matches!(law.reservoir, ForceReservoir::Force(f) if f > 0.0);
                    if !ball || !constant_limit {
                        let reason = "bristles need friction of constant strength above 0";
                        return Err(unsuitable(reason));
                    }
                }
                FrictionElement::Smoothed(smoothed) => {
                    smoothed.validate().map_err(constant)?;
                    if !ball {
                        return Err(unsuitable("smoothing needs isotropic Coulomb friction"));
                    }
                }
            }
            element.states(law.dim())
        }
    };
    Ok(PreparedLaw {
        element: *element,
        dim: law.dim(),
        states,
        set,
        reservoir: law.reservoir,
        viscosity: law.viscosity,
        curve: law.curve.clone().map(|curve| match curve {
            // A drop at once would be none of an ordinary differential equation.
            SpeedCurve::Stribeck { at_rest, kinetic, speed: 0.0 } => {
                SpeedCurve::Stribeck { at_rest, kinetic, speed: SMOOTHING_SPEED }
            }
            other => other,
        }),
        moments: law.moment,
    })
}
