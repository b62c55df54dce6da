//! What the laws of a group mean for an event-driven run: a list of elements.

use crate::convex::{Ball, ConvexSet, Set};
use crate::system::{ForceLaw, ForceReservoir, LawGroup, SpeedCurve};

/// How an element acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Signorini contact.
    Normal,
    /// Relative velocity zero at any force.
    Bilateral,
    /// A force that is a function of the velocity: a damper, possibly with a limit.
    Viscous,
    /// A force out of a set: sticks or slips.
    Friction,
}

/// A law, or a part of it that can stick or slip on its own.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) kind: Kind,
    /// Index of the law in its group.
    pub(super) law: usize,
    /// First component within the contact.
    pub(super) first: usize,
    pub(super) dim: usize,
    pub(super) set: Set,
    pub(super) reservoir: ForceReservoir,
    /// Viscosity, N s/m.
    pub(super) viscosity: f64,
    /// How its strength depends on the speed of the contact point, and the factor of the set at rest at
    /// the time of the last evaluation.
    pub(super) curve: Option<SpeedCurve>,
    pub(super) at_rest: f64,
    /// Largest half width of the set at unit reservoir.
    pub(super) width: f64,
    /// Half widths of the set along its components, relative to the largest: they make a velocity
    /// out of m/s and rad/s. 0 where the law can never carry a force.
    pub(super) weights: Vec<f64>,
}

impl Element {
    fn new(law: usize, first: usize, set: Set, force_law: &ForceLaw) -> Self {
        let dim = set.dim();
        let kind = match (&set, force_law.viscosity) {
            (_, Some(_)) => Kind::Viscous,
            (Set::FreeSpace(_), None) => Kind::Bilateral,
            (Set::HalfLine(_), None) if first == 0 => Kind::Normal,
            _ => Kind::Friction,
        };
        let mut weights = Vec::with_capacity(dim);
        for k in 0..dim {
            let mut e = vec![0.0; dim];
            e[k] = 1.0;
            let forward = set.support(1.0, &e);
            e[k] = -1.0;
            let width = forward.max(set.support(1.0, &e));
            weights.push(if width.is_finite() { width } else { 1.0 });
        }
        let largest = weights.iter().fold(0.0_f64, |m, w| m.max(*w));
        if largest > 0.0 {
            weights.iter_mut().for_each(|w| *w /= largest);
        }
        Self {
            kind,
            law,
            first,
            dim,
            set,
            reservoir: force_law.reservoir,
            viscosity: force_law.viscosity.unwrap_or(0.0),
            curve: force_law.curve.clone(),
            at_rest: 1.0,
            width: largest,
            weights,
        }
    }

    /// Whether the law can carry a force at all.
    pub(super) fn is_idle(&self) -> bool {
        self.kind == Kind::Friction && self.weights.iter().all(|w| *w == 0.0)
    }

    /// Product of two velocities in the measure of this law.
    pub(super) fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        self.weights.iter().zip(a.iter().zip(b)).map(|(w, (x, y))| (w * x) * (w * y)).sum()
    }

    /// Size of a velocity in the measure of this law, m/s.
    pub(super) fn speed(&self, gamma: &[f64]) -> f64 {
        self.product(gamma, gamma).sqrt()
    }

    /// Reservoir at the normal force λ_N, of friction at rest.
    pub(super) fn scale(&self, normal: f64) -> f64 {
        self.at_rest * self.reservoir.scale(normal)
    }

    pub(super) fn needs_normal(&self) -> bool {
        self.reservoir.takes_normal()
    }

    /// The part of the reservoir that does not grow with the normal force, N.
    pub(super) fn constant(&self) -> f64 {
        match self.reservoir {
            ForceReservoir::Unbounded => 1.0,
            ForceReservoir::Normal => 0.0,
            ForceReservoir::Force(force) | ForceReservoir::NormalPlus(force) => force,
        }
    }
}

/// The elements of a group in the order of their components.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) elements: Vec<Element>,
    pub(super) dim: usize,
    /// Pull, N, that the contact bears while it is closed.
    pub(super) adhesion: f64,
}

impl Plan {
    pub(super) fn new(group: &LawGroup) -> Self {
        let mut elements = Vec::new();
        let mut first = 0;
        for (law, named) in group.laws.iter().enumerate() {
            match &named.law.set {
                // Sliding and drilling without coupling stick and slip on their own.
                Set::Cylinder(set)
                    if named.law.viscosity.is_none() && named.law.curve.is_none() =>
                {
                    let disk = Set::Ball(Ball { dim: 2, radius: set.radius });
                    let interval = Set::Ball(Ball { dim: 1, radius: set.half_height });
                    elements.push(Element::new(law, first, disk, &named.law));
                    elements.push(Element::new(law, first + 2, interval, &named.law));
                }
                set => elements.push(Element::new(law, first, set.clone(), &named.law)),
            }
            first += named.law.dim();
        }
        Self { elements, dim: first, adhesion: group.adhesion() }
    }

    /// Whether the first law is a unilateral contact.
    pub(super) fn is_unilateral(&self) -> bool {
        self.elements.first().is_some_and(|e| e.kind == Kind::Normal)
    }

    /// Whether the force of its first component is told: a normal force, or the friction of a joint.
    pub(super) fn tells_force(&self) -> bool {
        self.elements.first().is_some_and(|e| matches!(e.kind, Kind::Normal | Kind::Friction))
    }
}
