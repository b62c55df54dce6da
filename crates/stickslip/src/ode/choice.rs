//! Constants of elements that follow from masses, speeds and step.
//!
//! A contact of a mass M has the time √(M/K), the restitution that b = β √(K/M) and α/β fix
//! (`restitution.rs`), and a depth of about v √(M/K) when it is hit with the speed v. So K follows
//! from the depth that is small against the system, or from the step with which Runge-Kutta is
//! stable; β is critical damping, b = 2, or longer where a small restitution asks for it; and α
//! follows from the restitution of the rule.

use super::{
    ContactElement, Element, FrictionElement, HuntCrossley, LinearContact, OdeSystem, RateError,
    Regularisation, RegularisationError, RegularisedFriction, SpeedFactor, UnilateralContact,
    contact_time_for_restitution, effective_restitution,
};
use crate::convex::Set;
use crate::system::mass::MassInverse;
use crate::system::{
    ContactChoice, ContactSet, ElementConstants, FrictionChoice, GroupElements, MechanicalSystem,
    SMOOTHING_SPEED, State,
};
use std::collections::BTreeMap;

/// Depth of an impact over the size of the system.
const DEPTH: f64 = 1e-3;

/// Largest step with which Runge-Kutta is stable over the step that is taken: contacts that come
/// later may be stiffer than those of the start.
const SAFETY: f64 = 3.0;

/// Least restitution: less takes a damper that is much faster than the contact itself.
const LEAST_RESTITUTION: f64 = 0.05;

/// Least α/β that is taken before β is made longer.
const LEAST_RATIO: f64 = 0.01;

/// β √(K/M) of contacts, in the order in which they are tried; the first is critical damping.
const DAMPING: [f64; 8] = [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0];

/// Contacts that a body may have at once, where the start has none.
const CONTACTS_OF_A_BODY: f64 = 12.0;

/// Turns in which a stable stiffness is looked for where constants are given.
const TURNS: usize = 12;

/// The elements of a group of laws with the constants that count.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenElements {
    /// What the group is called.
    pub label: String,
    /// Stiffness K, N/m.
    pub stiffness: f64,
    /// Relaxation time β of the contact, or of the first law, s.
    pub relaxation_time: f64,
    /// Relaxation time of friction, s.
    pub friction_relaxation_time: f64,
    /// Contact time α, s; none without a unilateral contact.
    pub contact_time: Option<f64>,
    /// Restitution of the law, and what the element amounts to for the lightest and the heaviest mass
    /// behind the contacts of the start.
    pub restitution: Option<(f64, [f64; 2])>,
    /// Whether a contact may ever have these laws.
    pub is_used: bool,
    /// Whether the stiffness counts per mass; see [`GroupElements::by_mass`].
    pub by_mass: bool,
}

/// Elements for all laws of a system.
#[derive(Clone, Debug)]
pub struct ElementChoice {
    /// The elements.
    pub regularisation: Regularisation,
    /// Their constants, group by group; groups that no contact has at the start included.
    pub groups: Vec<ChosenElements>,
    /// Mass of the lightest body, kg: the stiffness of joints is K per this mass.
    pub lightest: f64,
}

/// Why there are no elements.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum ChoiceError {
    #[error(transparent)]
    Regularisation(#[from] RegularisationError),
    #[error(transparent)]
    Rate(#[from] RateError),
}

/// Masses behind the contacts of a group: least and largest.
#[derive(Clone, Copy, Debug)]
struct Masses {
    normal: [f64; 2],
    tangential: f64,
    moment: f64,
    /// Whether there are none at the start.
    is_later: bool,
}

const NONE: Masses = Masses {
    normal: [f64::INFINITY, 0.0],
    tangential: f64::INFINITY,
    moment: f64::INFINITY,
    is_later: true,
};

/// What is known of the system at the start.
struct Survey {
    groups: Vec<Masses>,
    /// Mass behind every component of the contacts that count per mass.
    scales: BTreeMap<u64, Vec<f64>>,
    /// Groups whose contacts are constraints of positions.
    held: Vec<bool>,
    /// Lightest and heaviest body, kg; least square of a radius of gyration, m².
    bodies: [f64; 2],
    gyration: f64,
    /// A speed, m/s, and a length, m, of the motion.
    speed: f64,
    length: f64,
}

/// Chooses the elements of a system of free bodies, one entry of `given` for each group of laws. With
/// a `step` the constants that are not given are such that Runge-Kutta is stable.
pub fn choose_elements(
    system: &dyn MechanicalSystem,
    start: &State,
    given: &[GroupElements],
    step: Option<f64>,
) -> Result<ElementChoice, ChoiceError> {
    let survey = Survey::new(system, start, given)?;
    let mut stiffness = survey.stiffness(given);
    let is_free = given.iter().any(|group| group.constants.stiffness.is_none());
    for _ in 0..TURNS {
        let choice = survey.choose(system, given, stiffness)?;
        let Some(step) = step.filter(|_| is_free) else { return Ok(choice) };
        let limit = OdeSystem::new(choice.regularisation.clone()).stability_limit(system, start)?;
        let share = limit.step.min(survey.limit_of_later(&choice.groups)) / (SAFETY * step);
        if share >= 1.0 {
            return Ok(choice);
        }
        stiffness *= (share * share).clamp(1e-6, 0.98);
    }
    Ok(survey.choose(system, given, stiffness)?)
}

impl Survey {
    fn new(
        system: &dyn MechanicalSystem,
        start: &State,
        given: &[GroupElements],
    ) -> Result<Self, RateError> {
        let blocks = system.blocks();
        let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
        let mut forces = vec![0.0; blocks.iter().sum()];
        system.mass_and_forces(start, &mut mass, &mut forces);
        let mut inverse = MassInverse::default();
        inverse.shape(blocks);
        inverse.factor(&mass).map_err(|block| RateError::Mass { t: start.t, block })?;
        let mut survey = Self {
            groups: vec![NONE; system.law_groups().len()],
            scales: BTreeMap::new(),
            held: vec![false; system.law_groups().len()],
            bodies: [f64::INFINITY, 0.0],
            gyration: f64::INFINITY,
            speed: 0.0,
            length: system.characteristic_length().unwrap_or(1.0),
        };
        survey.look_at_bodies(start, &mass, &forces, &inverse);
        survey.look_at_contacts(system, start, given, &inverse);
        Ok(survey)
    }

    fn look_at_bodies(&mut self, at: &State, mass: &[f64], h: &[f64], inverse: &MassInverse) {
        let mut entries = 0;
        let mut fastest = 0.0_f64;
        for block in 0..inverse.block_count() {
            let (n, first) = (inverse.size(block), inverse.offset(block));
            let m = &mass[entries..entries + n * n];
            entries += n * n;
            let body = m[0];
            self.bodies = [self.bodies[0].min(body), self.bodies[1].max(body)];
            // Turns stand behind the translations: one of 3 velocities, or three of 6.
            for k in n - n / 2..n {
                self.gyration = self.gyration.min(m[k * n + k] / body);
            }
            let u = &at.u[first..first + n];
            let square: f64 = (0..n * n).map(|e| u[e / n] * m[e] * u[e % n]).sum::<f64>() / body;
            let mut rate = h[first..first + n].to_vec();
            inverse.apply(block, &mut rate);
            let power: f64 = rate.iter().zip(&h[first..]).map(|(a, b)| a * b).sum::<f64>() / body;
            // From rest over the length of the system: v² = 2 a L.
            fastest = fastest.max(square).max(2.0 * power.max(0.0).sqrt() * self.length);
        }
        self.speed = fastest.sqrt();
    }

    fn look_at_contacts(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        given: &[GroupElements],
        inverse: &MassInverse,
    ) {
        let mut contacts = ContactSet::default();
        contacts.margin = f64::INFINITY;
        system.contacts(at, &mut contacts);
        for candidate in contacts.candidates().iter().filter(|c| c.has_directions()) {
            let Some(group) = system.law_groups().get(candidate.group) else { continue };
            let units = group.component_units();
            let width = candidate.width();
            let rows = contacts.directions(candidate);
            let mut behind = Vec::with_capacity(candidate.dim);
            for k in 0..candidate.dim {
                let mut rest = &rows[k * width..(k + 1) * width];
                let mut square = 0.0;
                for block in candidate.blocks {
                    let (part, others) = rest.split_at(inverse.size(block).min(rest.len()));
                    rest = others;
                    let mut x = part.to_vec();
                    if !x.is_empty() {
                        inverse.apply(block, &mut x);
                    }
                    square += part.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
                }
                behind.push(if square > 0.0 { 1.0 / square } else { f64::INFINITY });
            }
            let masses = &mut self.groups[candidate.group];
            for (k, mass) in behind.iter().enumerate().filter(|(_, mass)| mass.is_finite()) {
                if k == 0 {
                    masses.normal = [masses.normal[0].min(*mass), masses.normal[1].max(*mass)];
                } else if units.get(k) == Some(&"N m") {
                    masses.moment = masses.moment.min(*mass);
                } else {
                    masses.tangential = masses.tangential.min(*mass);
                }
            }
            self.held[candidate.group] |= !contacts.position_error(candidate).is_empty();
            if given.get(candidate.group).is_some_and(|given| given.by_mass) {
                let blocks = candidate.blocks.map(|block| inverse.size(block));
                let turns: Vec<bool> = rows.chunks(width).map(|w| is_moment(w, blocks)).collect();
                // The directions of a joint turn with its bodies: what all of them give together stays.
                let of_all = |turn: bool| {
                    let own = behind.iter().zip(&turns).filter(|(_, own)| **own == turn);
                    1.0 / own.map(|(mass, _)| 1.0 / mass).sum::<f64>()
                };
                let factors = [false, true].map(|turn| of_all(turn) / self.bodies[0]);
                let factor = |turn: &bool| Some(factors[usize::from(*turn)]);
                let factor = |turn| factor(turn).filter(|f| f.is_finite()).unwrap_or(1.0);
                self.scales.insert(candidate.key, turns.iter().map(factor).collect());
            }
        }
        for (masses, given) in self.groups.iter_mut().zip(given) {
            let [lightest, heaviest] = self.bodies;
            if given.by_mass {
                *masses = Masses {
                    normal: [lightest; 2],
                    tangential: lightest,
                    moment: lightest,
                    is_later: false,
                };
                continue;
            }
            let is_absent = masses.normal[1] == 0.0;
            masses.is_later = is_absent && given.is_used;
            if is_absent {
                masses.normal = [lightest, heaviest];
            }
            masses.tangential = masses.tangential.min(masses.normal[0]);
            if !masses.moment.is_finite() {
                masses.moment = self.gyration * masses.tangential;
            }
        }
    }

    /// Largest stable step, s, of contacts that come after the start: many of them on the lightest
    /// body, each with the stiffness K β/α that the element has at once.
    fn limit_of_later(&self, chosen: &[ChosenElements]) -> f64 {
        let later = chosen.iter().zip(&self.groups).filter(|(_, masses)| masses.is_later);
        let limits = later.filter_map(|(values, masses)| {
            let at_once = values.stiffness * values.relaxation_time / values.contact_time?;
            Some(2.0 * (masses.normal[0] / (CONTACTS_OF_A_BODY * at_once)).sqrt())
        });
        limits.fold(f64::INFINITY, f64::min)
    }

    /// The stiffness with which the fastest impact is not too deep for the heaviest mass.
    fn stiffness(&self, given: &[GroupElements]) -> f64 {
        let told = given.iter().find_map(|group| group.constants.stiffness);
        let used = self.groups.iter().zip(given).filter(|(_, given)| given.is_used);
        let heaviest = used.map(|(masses, _)| masses.normal[1]).fold(0.0, f64::max);
        let rate = self.speed.max(1e-3 * self.length) / (DEPTH * self.length);
        let fitting = heaviest * rate * rate;
        told.unwrap_or(if fitting > 0.0 && fitting.is_finite() { fitting } else { 1e5 })
    }

    fn choose(
        &self,
        system: &dyn MechanicalSystem,
        given: &[GroupElements],
        stiffness: f64,
    ) -> Result<ElementChoice, RegularisationError> {
        let groups = system.law_groups();
        let (mut elements, mut chosen) = (Vec::new(), Vec::new());
        let nothing = GroupElements::default();
        for (index, group) in groups.iter().enumerate() {
            let given = given.get(index).unwrap_or(&nothing);
            let masses = &self.groups[index];
            let first = group.laws.first().map(|named| &named.law);
            let values = constants(given, masses, stiffness, first, self.speed);
            let friction = RegularisedFriction {
                stiffness: values.stiffness,
                relaxation_time: values.friction_relaxation_time,
            };
            let told = &given.constants;
            let arm = told.arm.unwrap_or((masses.moment / masses.tangential).sqrt());
            let arm = if arm.is_finite() && arm > 0.0 { arm } else { 1.0 };
            let element = |(position, named): (usize, &crate::system::NamedLaw)| {
                let law = &named.law;
                if law.viscosity.is_some() {
                    Element::Function
                } else if position == 0 && matches!(law.set, Set::HalfLine(_)) {
                    Element::Contact(contact(told, &values))
                } else if law.is_rigid() && self.held[index] {
                    Element::Joint(friction)
                } else {
                    let has_arm = !given.by_mass && (law.moment || law.dim() == 3);
                    let choice = match &law.set {
                        // Without friction there is nothing to remember.
                        Set::Ball(ball) if ball.radius == 0.0 => FrictionChoice::Smooth,
                        // Motors are no friction.
                        _ if law.is_rigid() => FrictionChoice::Xiong,
                        _ => told.friction.unwrap_or_default(),
                    };
                    let speed = told.smoothing_speed.unwrap_or(SMOOTHING_SPEED);
                    Element::Friction {
                        element: FrictionElement::chosen(choice, friction, speed),
                        speed_factor: SpeedFactor::Constant,
                        length: if has_arm { arm } else { 1.0 },
                    }
                }
            };
            elements.push(group.laws.iter().enumerate().map(element).collect());
            chosen.push(values);
        }
        let regularisation = Regularisation::new(groups, &elements)?;
        let regularisation = regularisation.with_scales(self.scales.clone());
        Ok(ElementChoice { regularisation, groups: chosen, lightest: self.bodies[0] })
    }
}

/// Whether a direction has parts along turns alone: of a body 1 of 3 velocities, or 3 of 6.
fn is_moment(row: &[f64], blocks: [usize; 2]) -> bool {
    let (first, second) = row.split_at(blocks[0].min(row.len()));
    let shifts = |part: &[f64]| part.iter().take(part.len() - part.len() / 2).any(|w| *w != 0.0);
    !shifts(first) && !shifts(second)
}

/// The element in place of a unilateral contact.
fn contact(told: &ElementConstants, values: &ChosenElements) -> ContactElement {
    let ChosenElements { stiffness, relaxation_time, contact_time, .. } = *values;
    let viscosity = told.viscosity.unwrap_or(0.0);
    let linear = |suction| ContactElement::Linear(LinearContact { stiffness, viscosity, suction });
    match told.contact.unwrap_or_default() {
        ContactChoice::Xiong => ContactElement::Xiong(UnilateralContact {
            stiffness,
            relaxation_time,
            contact_time: contact_time.unwrap_or(relaxation_time),
        }),
        ContactChoice::Viscoelastic => linear(true),
        ContactChoice::ViscoelasticPush => linear(false),
        ContactChoice::HuntCrossley => {
            let damping = told.damping.unwrap_or(0.0);
            ContactElement::HuntCrossley(HuntCrossley { stiffness, exponent: 1.5, damping })
        }
    }
}

/// The constants of a group for a stiffness where none is given.
fn constants(
    given: &GroupElements,
    masses: &Masses,
    stiffness: f64,
    first: Option<&crate::system::ForceLaw>,
    speed: f64,
) -> ChosenElements {
    let ElementConstants { stiffness: own, relaxation_time, contact_time, .. } = given.constants;
    let stiffness = own.unwrap_or(stiffness);
    let [lightest, heaviest] = masses.normal;
    let mass = (lightest * heaviest).sqrt();
    let unit = (mass / stiffness).sqrt();
    let critical = 2.0 * (masses.tangential / stiffness).sqrt();
    let mut values = ChosenElements {
        label: given.label.clone(),
        stiffness,
        relaxation_time: relaxation_time.unwrap_or(DAMPING[0] * unit),
        friction_relaxation_time: relaxation_time.unwrap_or(critical),
        contact_time: None,
        restitution: None,
        is_used: given.is_used,
        by_mass: given.by_mass,
    };
    let is_xiong = given.constants.contact.unwrap_or_default() == ContactChoice::Xiong;
    let Some(law) = first.filter(|law| is_xiong && matches!(law.set, Set::HalfLine(_))) else {
        return values;
    };
    // An element has one restitution: where the law has a curve, that at the speed of the motion.
    let of_rule = law.restitution_at(speed, 0.0);
    let wanted = of_rule.clamp(LEAST_RESTITUTION, 1.0);
    let mut alpha = contact_time;
    for b in DAMPING {
        let beta = relaxation_time.unwrap_or(b * unit);
        if alpha.is_some() {
            break;
        }
        values.relaxation_time = beta;
        let found = contact_time_for_restitution(wanted, stiffness, beta, mass).ok();
        alpha = found.filter(|alpha| relaxation_time.is_some() || *alpha >= LEAST_RATIO * beta);
        if relaxation_time.is_some() {
            break;
        }
    }
    // A relaxation time that is given may be too short for the restitution: the least that is fast.
    let alpha = alpha.unwrap_or(LEAST_RATIO * values.relaxation_time);
    let contact = UnilateralContact {
        stiffness,
        relaxation_time: values.relaxation_time,
        contact_time: alpha,
    };
    values.contact_time = Some(alpha);
    let amounts = |mass: f64| effective_restitution(&contact, mass).unwrap_or(f64::NAN);
    values.restitution = Some((of_rule, [amounts(lightest), amounts(heaviest)]));
    values
}
