//! The keys of `[[joint]]` and `[[force]]`.

use super::file_contact::LawKeys;
use super::quantity::{
    Damping, Length, Measure, NotNegative, Number, Positive, Quantity, Signal, SignalOrList,
    Stiffness, Strength, Vector, ZeroToOne,
};
use crate::world::{JointKind, PlanarMotion};
use schemars::JsonSchema;
use serde::Deserialize;

/// A joint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Joint {
    /// Unique name; default `joint-<number>`.
    pub name: Option<String>,
    /// Which motion it allows.
    #[serde(flatten)]
    pub kind: JointKeys,
    /// The two bodies by name; `ground` is the world itself.
    #[schemars(length(min = 2, max = 2))]
    pub bodies: Vec<String>,
    /// Where the joint is at the start, m, in the world; or else give `points`.
    pub at: Option<Vector<Length>>,
    /// A point of the joint on each body, m, each in the frame of its body; default the origins.
    #[schemars(length(min = 2, max = 2))]
    pub points: Option<Vec<Vector<Length>>>,
    /// Axis of a hinge or direction of a guide at the start, in the world; default z for a hinge, x
    /// for a guide. Or else give `axes`.
    pub axis: Option<Vector<Number>>,
    /// The axis on each body, each in the frame of its body.
    #[schemars(length(min = 2, max = 2))]
    pub axes: Option<Vec<Vector<Number>>>,
    /// Spring and damper along the free coordinate.
    pub spring: Option<JointSpringKeys>,
    /// Least and largest value of the free coordinate, m or rad.
    #[schemars(length(min = 2, max = 2))]
    pub limits: Option<Vec<Measure>>,
    /// Restitution at the limits, 0 to 1; default 0.
    #[serde(default)]
    pub limit_restitution: Quantity<Number, ZeroToOne>,
    /// Motor on the free coordinate.
    pub motor: Option<MotorKeys>,
    /// Springs beyond a range of the free coordinate that push and never pull.
    pub bumper: Option<BumperKeys>,
    /// The sense in which alone the free coordinate may move (a sprag clutch): it carries what would turn it
    /// back.
    pub one_way: Option<OneWay>,
    /// Play of the free coordinate, m or rad: it moves by half of it to either side of 0; in place of `limits`.
    /// Of a gear the angle by which the first wheel turns from tooth to tooth while the second is held.
    pub backlash: Option<Measure>,
    /// Whether its bodies touch each other; default false.
    #[serde(default)]
    pub collide: bool,
    /// Value of the free coordinate at the start, m or rad: assembly moves the bodies there.
    pub start: Option<Measure>,
    /// Dry friction along the free coordinate, N or N m, also as a table or expression of its speed;
    /// default none.
    pub friction: Option<Strength>,
    /// Dry friction at rest, N or N m, with `kinetic_friction`; in place of `friction`.
    pub static_friction: Option<Measure>,
    /// Dry friction of fast motion, N or N m, with `static_friction`.
    pub kinetic_friction: Option<Measure>,
    /// Speed, m/s or rad/s, over which it falls from static to kinetic; default 0: at once.
    pub stribeck_speed: Option<Measure>,
}

impl Joint {
    /// One of this kind without anything else.
    pub fn plain(kind: JointKeys) -> Self {
        Self {
            name: None,
            kind,
            bodies: Vec::new(),
            at: None,
            points: None,
            axis: None,
            axes: None,
            spring: None,
            limits: None,
            limit_restitution: Quantity::default(),
            motor: None,
            bumper: None,
            one_way: None,
            backlash: None,
            collide: false,
            start: None,
            friction: None,
            static_friction: None,
            kinetic_friction: None,
            stribeck_speed: None,
        }
    }
}

/// Kinds of joints.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JointKeys {
    /// A hinge.
    Revolute,
    /// A guide without play.
    Prismatic,
    /// A ball joint.
    Spherical,
    /// No motion.
    Fixed,
    /// A massless rod between two points.
    Distance {
        /// Its length, m; default the distance at the start.
        length: Option<Quantity<Length, Positive>>,
    },
    /// A sleeve on a rod, free to turn about its axis and to slide along it; space.
    Cylindrical {
        /// What spring, limits, motor and friction act on; default the shift.
        #[serde(default)]
        acts_on: ActsOn,
    },
    /// A universal joint (Cardan): give `axes`, the first one turning in the first body, the second one in the
    /// second; they stay across each other; space.
    Universal,
    /// A plate on a plane across the axis, free to shift and to turn; space.
    Planar {
        /// What spring, limits, motor and friction act on; default the shift along x of its frame.
        #[serde(default)]
        acts_on: PlanarActsOn,
    },
    /// A nut on a screw; its coordinate is the turn, rad, full turns included; space.
    Screw {
        /// Shift in a full turn, m; negative for a left-handed thread.
        pitch: Quantity<Length>,
    },
    /// Two spur gears; `points` are their centres.
    Gear {
        /// Numbers of their teeth.
        #[schemars(length(min = 2, max = 2), inner(range(min = 1, max = 10000)))]
        teeth: Vec<u32>,
        /// Whether the second wheel is a ring around the first; default false.
        #[serde(default)]
        internal: bool,
    },
    /// A belt without stretch around two pulleys; `points` are their centres.
    Belt {
        /// Radii of the pulleys, m.
        #[schemars(length(min = 2, max = 2))]
        radii: Vec<Quantity<Length, Positive>>,
        /// Whether it crosses itself, and the pulleys turn against each other; default false.
        #[serde(default)]
        crossed: bool,
    },
    /// A pinion (second body, its centre is the second of `points`) on a rack along the axis (first body).
    Rack {
        /// Pitch radius of the pinion, m.
        radius: Quantity<Length, Positive>,
    },
    /// A slider (second body) with play in a guide (first body); plane.
    ClearanceTranslational {
        /// Half of the length of the slider, m.
        half_length: Quantity<Length, Positive>,
        /// Half of the width of the slider, m.
        half_width: Quantity<Length, Positive>,
        /// Play on either side, m.
        clearance: Quantity<Length, Positive>,
        /// The law of its contacts; default that of `[default_contact]`.
        contact: Option<LawKeys>,
    },
    /// A pin (second body) with play in a hole (first body); plane.
    ClearanceRevolute {
        /// Radius of the pin, m.
        pin_radius: Quantity<Length, Positive>,
        /// Radius of the hole minus radius of the pin, m.
        clearance: Quantity<Length, Positive>,
        /// The law of its contact; default that of `[default_contact]`.
        contact: Option<LawKeys>,
    },
}

/// One of the coordinates of a joint that has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActsOn {
    /// The shift along the axis, m.
    #[default]
    Shift,
    /// The turn about it, rad.
    Turn,
}

/// One of the coordinates of a planar joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlanarActsOn {
    /// The shift along x of its frame, m.
    #[default]
    X,
    /// The shift along y of its frame, m.
    Y,
    /// The turn about its axis, rad.
    Turn,
}

/// What the points of a joint are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointsOf {
    /// One place, which must be given.
    Joint,
    /// One place; that of the second body if none is given, so that it holds what is there at the start.
    Start,
    /// A place on each body, by default its origin.
    Bodies,
}

/// What the axis of a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisOf {
    /// It has none.
    None,
    /// That of a turn: z of its frame, and always z in the plane.
    Turn,
    /// The direction of a guide: x of its frame.
    Guide,
    /// Two turns: the axis on each body must be given.
    Turns,
    /// That of wheels: z of its frames; their x point from the first centre to the second at the start.
    Wheels,
    /// The direction of a rack: x of its frame; y points to the pinion at the start.
    Rack,
}

impl JointKeys {
    /// What it is, where that follows from these keys alone.
    pub fn plain_kind(&self, has_backlash: bool) -> Option<JointKind> {
        Some(match self {
            JointKeys::Revolute => JointKind::Revolute,
            JointKeys::Prismatic => JointKind::Prismatic,
            JointKeys::Spherical => JointKind::Spherical,
            JointKeys::Fixed => JointKind::Fixed,
            JointKeys::Cylindrical { acts_on } => {
                JointKind::Cylindrical { acts_on_turn: *acts_on == ActsOn::Turn }
            }
            JointKeys::Universal => JointKind::Universal,
            JointKeys::Planar { acts_on } => JointKind::Planar {
                acts_on: match acts_on {
                    PlanarActsOn::X => PlanarMotion::X,
                    PlanarActsOn::Y => PlanarMotion::Y,
                    PlanarActsOn::Turn => PlanarMotion::Turn,
                },
            },
            JointKeys::Screw { pitch } => JointKind::Screw { pitch: pitch.value },
            JointKeys::Gear { teeth, internal } => {
                let &[first, second] = teeth.as_slice() else { return None };
                JointKind::Gear { teeth: [first, second], internal: *internal, has_backlash }
            }
            JointKeys::Belt { radii, crossed } => {
                let [first, second] = radii.as_slice() else { return None };
                JointKind::Belt { radii: [first.value, second.value], crossed: *crossed }
            }
            JointKeys::Rack { radius } => JointKind::Rack { radius: radius.value },
            JointKeys::Distance { .. }
            | JointKeys::ClearanceTranslational { .. }
            | JointKeys::ClearanceRevolute { .. } => return None,
        })
    }

    /// What its points are.
    pub fn points(&self) -> PointsOf {
        match self {
            JointKeys::Fixed => PointsOf::Start,
            JointKeys::Distance { .. }
            | JointKeys::Gear { .. }
            | JointKeys::Belt { .. }
            | JointKeys::Rack { .. } => PointsOf::Bodies,
            JointKeys::Revolute
            | JointKeys::Prismatic
            | JointKeys::Spherical
            | JointKeys::Cylindrical { .. }
            | JointKeys::Universal
            | JointKeys::Planar { .. }
            | JointKeys::Screw { .. }
            | JointKeys::ClearanceTranslational { .. }
            | JointKeys::ClearanceRevolute { .. } => PointsOf::Joint,
        }
    }

    /// What its axis is.
    pub fn axis(&self) -> AxisOf {
        match self {
            JointKeys::Revolute
            | JointKeys::Cylindrical { .. }
            | JointKeys::Planar { .. }
            | JointKeys::Screw { .. } => AxisOf::Turn,
            JointKeys::Universal => AxisOf::Turns,
            JointKeys::Gear { .. } | JointKeys::Belt { .. } => AxisOf::Wheels,
            JointKeys::Rack { .. } => AxisOf::Rack,
            JointKeys::Prismatic | JointKeys::ClearanceTranslational { .. } => AxisOf::Guide,
            JointKeys::Spherical
            | JointKeys::Fixed
            | JointKeys::Distance { .. }
            | JointKeys::ClearanceRevolute { .. } => AxisOf::None,
        }
    }
}

/// Spring and damper of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpringKeys {
    /// N/m for a guide, N m/rad for a hinge; not negative; default 0.
    pub stiffness: Option<Measure>,
    /// N s/m for a guide, N m s/rad for a hinge; not negative; default 0.
    pub damping: Option<Measure>,
    /// Value of the free coordinate without force, m or rad; default 0, the start.
    pub rest: Option<Measure>,
}

/// Bumpers of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BumperKeys {
    /// Where they begin below and above, m or rad.
    #[schemars(length(min = 2, max = 2))]
    pub range: Vec<Measure>,
    /// N/m for a guide, N m/rad for a hinge; not negative.
    pub stiffness: Measure,
    /// N s/m for a guide, N m s/rad for a hinge; not negative; default 0.
    pub damping: Option<Measure>,
}

/// The sense in which a joint may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OneWay {
    /// Its coordinate grows.
    Forward,
    /// It falls.
    Backward,
}

/// What drives a joint: a prescribed position, speed or effort.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorKeys {
    /// Whether it is there; default true.
    pub enabled: Option<bool>,
    /// Free coordinate, m or rad.
    pub position: Option<Signal>,
    /// Rate of the free coordinate, m/s or rad/s.
    pub speed: Option<Signal>,
    /// Force or moment, N or N m; it may depend on the state.
    pub effort: Option<Signal>,
}

/// A spring-damper or an applied force.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Force {
    /// Name; default `force-<number>`.
    pub name: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub kind: ForceKeys,
}

/// Kinds of forces.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ForceKeys {
    /// A spring and damper between two points.
    SpringDamper {
        /// The two bodies by name; `ground` is the world itself.
        #[schemars(length(min = 2, max = 2))]
        bodies: Vec<String>,
        /// Its ends, m, each in the frame of its body; default the origins.
        #[schemars(length(min = 2, max = 2))]
        points: Option<Vec<Vector<Length>>>,
        /// Stiffness, N/m; default 0.
        #[serde(default)]
        stiffness: Quantity<Stiffness, NotNegative>,
        /// Damping, N s/m; default 0.
        #[serde(default)]
        damping: Quantity<Damping, NotNegative>,
        /// Direction in the world along which it acts, whatever else moves; default the line between its
        /// ends.
        direction: Option<Vector<Number>>,
        /// Length without force, m; default the length at the start. With a `direction` the second end
        /// minus the first along it, of any sign; else not negative.
        rest_length: Option<Quantity<Length>>,
    },
    /// A spring and damper that pushes two points apart where they are near, and never pulls.
    Bumper {
        /// The two bodies by name; `ground` is the world itself.
        #[schemars(length(min = 2, max = 2))]
        bodies: Vec<String>,
        /// Its ends, m, each in the frame of its body; default the origins.
        #[schemars(length(min = 2, max = 2))]
        points: Option<Vec<Vector<Length>>>,
        /// Stiffness, N/m.
        stiffness: Quantity<Stiffness, NotNegative>,
        /// Damping, N s/m; default 0.
        #[serde(default)]
        damping: Quantity<Damping, NotNegative>,
        /// Distance below which it pushes, m.
        length: Quantity<Length, Positive>,
    },
    /// A force at a point of a body, and a moment; both may depend on time and on the state.
    Applied {
        /// The body by name.
        body: String,
        /// Point of the body where the force acts, m, in its frame; default the origin.
        point: Option<Vector<Length>>,
        /// Components of the force, N; default 0.
        #[schemars(length(min = 2, max = 3))]
        force: Option<Vec<Signal>>,
        /// Moment, N m: one value in the plane, three in space; default 0.
        moment: Option<SignalOrList>,
        /// In place of them a potential, J, of x, y and z of the body, in the plane of x, y and angle: the force
        /// at its origin is minus its slope.
        potential: Option<String>,
        /// Whether the components turn with the body; default false.
        #[serde(default)]
        follows: bool,
    },
}
