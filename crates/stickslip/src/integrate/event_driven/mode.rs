//! Which contacts are closed, and which of their laws stick or slip.

use super::plan::{Element, Kind, Plan};

/// How an element moves in the present mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Motion {
    /// Its relative velocity stays zero: closed normal direction, joint, stick.
    #[default]
    Constrained,
    /// It slips: the force is the point of its set that the velocity determines.
    Slip,
    /// The force is a function of the velocity.
    Viscous,
}

/// A contact of the mode.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveContact {
    pub(super) key: u64,
    pub(super) group: usize,
    /// A joint or another law without a gap.
    pub(super) permanent: bool,
    /// First component among all components of the mode.
    pub(super) first: usize,
    pub(super) motions: Vec<Motion>,
    /// Velocity, per component, that tells the direction of slip where the velocity itself is
    /// zero, and which way is forwards.
    pub(super) direction: Vec<f64>,
    /// Per element: slip has just begun and the direction above holds.
    pub(super) onset: Vec<bool>,
    /// Per component: where forces are not unique, those nearest to these are taken, measured by
    /// these sizes.
    pub(super) reference: Vec<f64>,
    pub(super) size: Vec<f64>,
}

impl ActiveContact {
    /// A contact whose unilateral and bilateral directions are constrained, and whose friction
    /// slips in no direction yet.
    pub(super) fn new(key: u64, group: usize, permanent: bool, first: usize, plan: &Plan) -> Self {
        let motion = |e: &Element| match e.kind {
            Kind::Normal | Kind::Bilateral => Motion::Constrained,
            Kind::Viscous => Motion::Viscous,
            Kind::Friction => Motion::Slip,
        };
        Self {
            key,
            group,
            permanent,
            first,
            motions: plan.elements.iter().map(motion).collect(),
            direction: vec![0.0; plan.dim],
            onset: vec![false; plan.elements.len()],
            reference: vec![0.0; plan.dim],
            size: vec![1.0; plan.dim],
        }
    }

    /// Whether the contact has a gap that must stay zero.
    pub(super) fn has_gap(&self, plan: &Plan) -> bool {
        !self.permanent && plan.is_unilateral()
    }

    /// Whether an element may change between constrained and slipping: friction, and the
    /// unilateral law of a joint (a ratchet).
    pub(super) fn is_free(&self, element: &Element) -> bool {
        !element.is_idle()
            && (element.kind == Kind::Friction || element.kind == Kind::Normal && self.permanent)
    }
}

/// Contacts in force, in the order in which the system lists them.
#[derive(Clone, Debug, Default)]
pub(super) struct Mode {
    pub(super) contacts: Vec<ActiveContact>,
    /// Components of all contacts.
    pub(super) dim: usize,
}

impl Mode {
    pub(super) fn push(&mut self, key: u64, group: usize, permanent: bool, plan: &Plan) {
        self.contacts.push(ActiveContact::new(key, group, permanent, self.dim, plan));
        self.dim += plan.dim;
    }

    /// Removes contacts and counts the components anew.
    pub(super) fn retain(&mut self, plans: &[Plan], mut keep: impl FnMut(usize) -> bool) {
        let mut position = 0;
        self.contacts.retain(|_| {
            position += 1;
            keep(position - 1)
        });
        self.dim = 0;
        for contact in &mut self.contacts {
            contact.first = self.dim;
            self.dim += plans[contact.group].dim;
        }
    }

    pub(super) fn find(&self, key: u64) -> Option<&ActiveContact> {
        self.contacts.iter().find(|c| c.key == key)
    }
}
