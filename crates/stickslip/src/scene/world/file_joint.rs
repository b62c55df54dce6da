//! The keys of `[[joint]]` and `[[force]]`.

use super::file_contact::Law;
use super::quantity::{
    Damping, Length, Measure, NotNegative, Number, Positive, Quantity, Signal, SignalOrList,
    Stiffness, Strength, Vector, ZeroToOne,
};
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
    /// A slider (second body) with play in a guide (first body); plane.
    ClearanceTranslational {
        /// Half of the length of the slider, m.
        half_length: Quantity<Length, Positive>,
        /// Half of the width of the slider, m.
        half_width: Quantity<Length, Positive>,
        /// Play on either side, m.
        clearance: Quantity<Length, Positive>,
        /// The law of its contacts; default that of `[default_contact]`.
        contact: Option<Law>,
    },
    /// A pin (second body) with play in a hole (first body); plane.
    ClearanceRevolute {
        /// Radius of the pin, m.
        pin_radius: Quantity<Length, Positive>,
        /// Radius of the hole minus radius of the pin, m.
        clearance: Quantity<Length, Positive>,
        /// The law of its contact; default that of `[default_contact]`.
        contact: Option<Law>,
    },
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
    /// Force or moment, N or N m.
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
    /// A force at a point of a body, and a moment; both may depend on time.
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
        /// Whether the components turn with the body; default false.
        #[serde(default)]
        follows: bool,
    },
}
