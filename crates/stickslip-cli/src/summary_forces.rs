//! Forces in the summary of a run: the largest of every contact and joint, the ranges of the joints, and
//! what was lost where.

use serde::Serialize;
use std::collections::BTreeMap;
use stickslip::simulate::{Extreme, Summary};
use stickslip::system::{ContactColumn, Observed};

/// A value of largest magnitude, and its time in s.
#[derive(Clone, Copy, Serialize)]
pub struct Peak {
    value: f64,
    t: f64,
}

impl From<Extreme> for Peak {
    fn from(extreme: Extreme) -> Self {
        Self { value: extreme.value, t: extreme.t }
    }
}

/// The largest forces.
#[derive(Serialize)]
pub struct Forces {
    contacts: BTreeMap<String, OfContact>,
    joints: BTreeMap<String, OfJoint>,
}

#[derive(Serialize)]
struct OfContact {
    /// N, or N m of what acts about an axis.
    unit: &'static str,
    force: Peak,
    friction: Peak,
}

#[derive(Serialize)]
struct OfJoint {
    /// None where the integrator does not tell reactions.
    force: Option<Peak>,
    moment: Option<Peak>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Peak>,
    /// Least and largest value of the free coordinate.
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinate: Option<[f64; 2]>,
}

impl Forces {
    /// Of a run.
    pub fn new(system: &dyn Observed, summary: &Summary) -> Self {
        let book = &summary.forces;
        let keys = system.reported_contacts().iter().zip(&book.contacts);
        let contacts = keys.map(|(key, own)| {
            let unit = ContactColumn::Force.unit(system.contact_turns(*key));
            let peaks = OfContact { unit, force: own.force.into(), friction: own.friction.into() };
            (system.contact_name(*key), peaks)
        });
        let joints = system.reported_joints().iter().zip(&book.joints).map(|(name, own)| {
            let is_known = own.last.force.iter().all(|force| force.is_finite());
            let known = |extreme: Extreme| is_known.then_some(Peak::from(extreme));
            let peaks = OfJoint {
                force: known(own.force),
                moment: known(own.moment),
                effort: known(own.effort).filter(|peak| peak.value != 0.0),
                coordinate: own.range,
            };
            (name.clone(), peaks)
        });
        Self { contacts: contacts.collect(), joints: joints.collect() }
    }
}

/// What each reported contact and joint took out of the energy, J, by law; those that took nothing are left
/// out.
pub fn losses(
    system: &dyn Observed,
    summary: &Summary,
) -> BTreeMap<String, BTreeMap<&'static str, f64>> {
    let book = &summary.forces;
    let keys = system.reported_contacts().iter().map(|key| system.contact_name(*key));
    let contacts = keys.zip(book.contacts.iter().map(|own| &own.works));
    let names = system.reported_joints().iter().cloned();
    let joints = names.zip(book.joints.iter().map(|own| &own.works));
    let mut losses = BTreeMap::new();
    for (name, works) in contacts.chain(joints) {
        let own: BTreeMap<&'static str, f64> = works
            .iter()
            .filter(|(_, work)| *work != 0.0)
            .map(|(law, work)| (*law, -work))
            .collect();
        if !own.is_empty() {
            losses.insert(name, own);
        }
    }
    losses
}
