//! Kinds of joints, one file each.
//!
//! A new kind is a file here that says what it constrains ([`Ideal`]) or where it touches ([`Play`]), a
//! variant of [`JointKind`] and an arm in `form`: everything else in a world asks these.

mod belt;
mod clearance;
mod clearance_revolute;
mod clearance_translational;
mod cylindrical;
mod distance;
mod fixed;
mod free_coordinate;
mod gear;
mod ideal;
mod planar;
mod prismatic;
mod rack;
mod revolute;
mod screw;
mod spherical;
mod universal;

pub use planar::PlanarMotion;

pub(super) use clearance::Clearance;
pub(super) use free_coordinate::FreeCoordinate;
pub(super) use ideal::{IdealJoint, JointLimits};

use super::description::ContactLaw;
use super::joint_checks::Checks;
use super::mounts::Pair;
use crate::system::{ContactPlace, ContactSet, Dimension, DrawnShape, JointSymbol};
use std::fmt::Debug;
use std::sync::Arc;

/// Kinds of joints. The free coordinate is of the second mount against the first: the turn about z of a
/// hinge, the shift along x of a guide.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// A hinge about z.
    Revolute,
    /// A guide along x.
    Prismatic,
    /// A ball joint (in the plane the same as revolute).
    Spherical,
    /// No motion.
    Fixed,
    /// A massless rod between the two points.
    Distance {
        /// Its length, m.
        length: f64,
    },
    /// Space only: a sleeve on a rod along z, free to turn and to slide.
    Cylindrical {
        /// Whether springs, limits, motors and friction act on the turn; else on the shift.
        acts_on_turn: bool,
    },
    /// Space only: z of the first mount stays across z of the second (Cardan).
    Universal,
    /// Space only: shifts across z and the turn about z are free.
    Planar {
        /// What springs, limits, motors and friction act on.
        acts_on: PlanarMotion,
    },
    /// Space only: a nut on a screw along z; its coordinate is the turn, full turns included.
    Screw {
        /// Shift in a full turn, m; negative for a left-handed thread.
        pitch: f64,
    },
    /// Spur gears about z of both mounts.
    Gear {
        /// Numbers of their teeth.
        teeth: [u32; 2],
        /// Whether the second wheel is a ring around the first.
        internal: bool,
        /// Whether there is backlash: nothing but the limits of its coordinate holds it, the angle of the
        /// first wheel from the middle of the play, rad.
        has_backlash: bool,
    },
    /// A belt around pulleys about z of both mounts.
    Belt {
        /// Their radii, m.
        radii: [f64; 2],
        /// Whether it crosses itself, and the pulleys turn against each other.
        crossed: bool,
    },
    /// A pinion (second mount) that rolls on a rack along x of the first mount, on the side of its y.
    Rack {
        /// Pitch radius of the pinion, m.
        radius: f64,
    },
    /// Plane only: a slider (second mount) with play in a guide along x of the first mount: four
    /// unilateral contacts (Flores 2010).
    ClearanceTranslational {
        /// Half of the length of the slider, m.
        half_length: f64,
        /// Half of the width of the slider, m.
        half_width: f64,
        /// Half of the width of the guide minus half of the width of the slider, m.
        clearance: f64,
        /// The law of the contacts.
        law: ContactLaw,
    },
    /// Plane only: a pin (second mount) with play in a hole (first mount).
    ClearanceRevolute {
        /// Radius of the pin, m.
        pin_radius: f64,
        /// Radius of the hole minus radius of the pin, m.
        clearance: f64,
        /// The law of the contact.
        law: ContactLaw,
    },
}

/// Takes a position error and writes its direction, the exact gradient of the error also where the
/// joint has drifted apart, into a row that is zero before.
pub(super) type Enter<'a> = dyn FnMut(f64, &dyn Fn(&mut [f64])) + 'a;

/// A joint without play: bilateral constraints.
pub(super) trait Ideal: Debug + Send + Sync {
    /// The only space in which it exists; none: in both.
    fn dimension(&self) -> Option<Dimension> {
        None
    }

    /// Notes what is wrong with its lengths.
    fn check(&self, _checks: &mut Checks) {}

    /// What it does, for people.
    fn words(&self) -> String;

    /// Number of constraints.
    fn dim(&self, dimension: Dimension) -> usize;

    /// The one free coordinate that springs, limits, motors and friction act on, if it has one.
    fn free(&self, dimension: Dimension) -> Option<FreeCoordinate>;

    /// Whether all that it does in the plane is to hold both origins together.
    fn is_pin(&self) -> bool {
        false
    }

    /// Its free coordinate, with its direction in `row` (zero before).
    fn coordinate(&self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        self.free(pair.dimension()).map_or(0.0, |free| free.value(pair, row))
    }

    /// Enters its constraints.
    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>);
}

/// A joint with play, in the plane: unilateral contacts with friction (Flores 2010, sec. 6.3).
pub(super) trait Play: Debug + Send + Sync {
    /// Notes what is wrong with its lengths.
    fn check(&self, checks: &mut Checks);

    /// What it does, for people.
    fn words(&self, law: &ContactLaw) -> String;

    /// Size of the smaller part, m.
    fn size(&self) -> f64;

    /// Endings of the names of its contacts.
    fn endings(&self) -> &'static [&'static str];

    /// Adds the candidates, from this key on.
    fn list(&self, pair: &Pair<'_>, key: u64, group: usize, closed_at: f64, out: &mut ContactSet);

    /// Appends the places of its contacts, with the normal force on the second part.
    fn places(&self, pair: &Pair<'_>, key: u64, out: &mut Vec<ContactPlace>);

    /// Its second part as it is drawn.
    fn drawn(&self) -> DrawnShape;
}

/// What a kind of joint is made of.
pub(super) enum JointForm {
    Ideal(Arc<dyn Ideal>),
    Play(Arc<dyn Play>, Box<ContactLaw>),
}

impl JointKind {
    /// What it does, for people.
    pub(crate) fn words(&self) -> String {
        match self.form() {
            JointForm::Ideal(kind) => kind.words(),
            JointForm::Play(play, law) => play.words(&law),
        }
    }

    /// The only space in which it exists; none: in both.
    pub(crate) fn only_in(&self) -> Option<Dimension> {
        match self.form() {
            JointForm::Ideal(kind) => kind.dimension(),
            JointForm::Play(..) => Some(Dimension::Two),
        }
    }

    /// Whether its free coordinate is an angle; none if there is not one.
    pub(crate) fn free_is_angle(&self, dimension: Dimension) -> Option<bool> {
        match self.form() {
            JointForm::Ideal(kind) => kind.free(dimension).map(FreeCoordinate::is_angle),
            JointForm::Play(..) => None,
        }
    }

    /// What it looks like.
    pub(super) fn symbol(&self) -> JointSymbol {
        match *self {
            JointKind::Revolute => JointSymbol::Pin,
            JointKind::Prismatic => JointSymbol::Guide,
            JointKind::Spherical | JointKind::Universal => JointSymbol::Ball,
            JointKind::Fixed => JointSymbol::Weld,
            JointKind::Distance { .. } => JointSymbol::Rod,
            JointKind::Cylindrical { .. } | JointKind::Screw { .. } => JointSymbol::Sleeve,
            JointKind::Planar { .. } => JointSymbol::Plane,
            JointKind::Gear { teeth, internal, .. } => JointSymbol::Gear { teeth, internal },
            JointKind::Belt { radii, crossed } => JointSymbol::Belt { radii, crossed },
            JointKind::Rack { radius } => JointSymbol::Rack { radius },
            JointKind::ClearanceTranslational { half_length, half_width, clearance, .. } => {
                JointSymbol::Slot { half_length, half_width, clearance }
            }
            JointKind::ClearanceRevolute { pin_radius: radius, clearance, .. } => {
                JointSymbol::Hole { radius, clearance }
            }
        }
    }

    /// What this kind is made of.
    pub(super) fn form(&self) -> JointForm {
        match *self {
            JointKind::Revolute => JointForm::Ideal(Arc::new(revolute::Revolute)),
            JointKind::Prismatic => JointForm::Ideal(Arc::new(prismatic::Prismatic)),
            JointKind::Spherical => JointForm::Ideal(Arc::new(spherical::Spherical)),
            JointKind::Fixed => JointForm::Ideal(Arc::new(fixed::Fixed)),
            JointKind::Distance { length } => {
                JointForm::Ideal(Arc::new(distance::Distance { length }))
            }
            JointKind::Cylindrical { acts_on_turn } => {
                JointForm::Ideal(Arc::new(cylindrical::Cylindrical { acts_on_turn }))
            }
            JointKind::Universal => JointForm::Ideal(Arc::new(universal::Universal)),
            JointKind::Planar { acts_on } => JointForm::Ideal(Arc::new(planar::Planar { acts_on })),
            JointKind::Screw { pitch } => JointForm::Ideal(Arc::new(screw::Screw { pitch })),
            JointKind::Gear { teeth, internal, has_backlash } => {
                JointForm::Ideal(Arc::new(gear::Gear { teeth, internal, is_free: has_backlash }))
            }
            JointKind::Belt { radii, crossed } => {
                JointForm::Ideal(Arc::new(belt::Belt { radii, crossed }))
            }
            JointKind::Rack { radius } => JointForm::Ideal(Arc::new(rack::Rack { radius })),
            JointKind::ClearanceTranslational { half_length, half_width, clearance, ref law } => {
                let guide = clearance_translational::Guide { half_length, half_width, clearance };
                JointForm::Play(Arc::new(guide), Box::new(law.clone()))
            }
            JointKind::ClearanceRevolute { pin_radius, clearance, ref law } => {
                let hole = clearance_revolute::Hole { pin_radius, clearance };
                JointForm::Play(Arc::new(hole), Box::new(law.clone()))
            }
        }
    }
}
