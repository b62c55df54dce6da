//! The keys of `[[array]]`.

use super::file_joint::JointSpringKeys;
use super::quantity::{Angle, Length, NotNegative, Number, Quantity, Strength, Vector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Copies of a body in place of the body itself, called `<name>-0`, `<name>-1`, ...
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Array {
    /// Name of the body.
    pub body: String,
    /// Where the copies are.
    #[serde(flatten)]
    pub placement: Placement,
}

/// What joins the links of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainJoint {
    /// Hinges.
    Revolute,
    /// Ball joints; space.
    Spherical,
}

/// Where the copies of a body are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Placement {
    /// In rows, beginning where the body is.
    Grid {
        /// Copies along each axis.
        #[schemars(length(min = 2, max = 3), inner(range(min = 1, max = 100000)))]
        counts: Vec<u32>,
        /// Distances along each axis, m.
        spacing: Vector<Length>,
    },
    /// On a circle about an axis, beginning where the body is; velocities turn with the copies.
    Polar {
        /// Number of copies.
        #[schemars(range(min = 1, max = 100000))]
        count: u32,
        /// A point of the axis, m; default the origin.
        center: Option<Vector<Length>>,
        /// Axis in space; default z. In the plane always z.
        axis: Option<Vector<Number>>,
        /// Angle from copy to copy, rad; default a full turn over the count.
        angle: Option<Quantity<Angle>>,
        /// Whether the copies themselves are turned; default true.
        turned: Option<bool>,
    },
    /// One behind the other, each joined to the next: a chain or a rope.
    Chain {
        /// Number of links.
        #[schemars(range(min = 1, max = 100000))]
        count: u32,
        /// The two ends of a link, m, in its frame: the second of one link is where the first of the next is.
        #[schemars(length(min = 2, max = 2))]
        points: Vec<Vector<Length>>,
        /// What joins them; default a hinge in the plane, a ball joint in space.
        joint: Option<ChainJoint>,
        /// Axis of the hinges in space at the start; default z.
        axis: Option<Vector<Number>>,
        /// Spring and damper of the hinges.
        spring: Option<JointSpringKeys>,
        /// Dry friction of the hinges, N m.
        friction: Option<Strength>,
        /// The body, or `ground`, to which the first end of the first link is joined; default none.
        first: Option<String>,
        /// The body, or `ground`, to which the second end of the last link is joined; default none.
        last: Option<String>,
    },
    /// At random places in a box, without overlap of the spheres around the copies.
    Random {
        /// Number of copies.
        #[schemars(range(min = 1, max = 100000))]
        count: u32,
        /// Least coordinates of the centres, m.
        lower: Vector<Length>,
        /// Largest coordinates of the centres, m.
        upper: Vector<Length>,
        /// Seed: the same one gives the same places; default 0.
        #[serde(default)]
        seed: u32,
        /// Least distance between the spheres, m; default 0.
        #[serde(default)]
        gap: Quantity<Length, NotNegative>,
        /// Whether the copies are turned at random too; default false.
        #[serde(default)]
        turned: bool,
    },
}
