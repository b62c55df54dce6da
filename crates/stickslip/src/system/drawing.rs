//! What a viewer needs to draw a system: shapes, poses, places of contact.

use serde::Serialize;

/// Space in which a system moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dimension {
    /// The plane z = 0; x to the right, y up.
    Two,
    /// Space; z up.
    #[default]
    Three,
}

/// The shapes of a system. Without bodies there is nothing to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Plane or space.
    pub dimension: Dimension,
    /// What moves; [`Observed::poses`](super::Observed::poses) gives one pose for each.
    pub bodies: Vec<DrawnBody>,
    /// What does not move, placed in the inertial frame.
    pub ground: Vec<DrawnPart>,
    /// Joints, springs and the like between them.
    pub joints: Vec<DrawnJoint>,
}

/// A joint, a spring or a belt between two places.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnJoint {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub symbol: JointSymbol,
    /// The frames that it joins, each in a body by its number among those drawn, or in the inertial frame.
    pub ends: [(Option<usize>, DrawnPose); 2],
    /// Whether a motor drives it.
    pub driven: bool,
    /// Whether a spring acts along its free coordinate.
    pub sprung: bool,
}

/// What a joint looks like; lengths in m, axes as those of a [`Mount`](crate::world::Mount).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JointSymbol {
    /// A hinge about z.
    Pin,
    /// A ball in its socket.
    Ball,
    /// No motion.
    Weld,
    /// A guide along x.
    Guide,
    /// A sleeve on a rod along z, also of a screw.
    Sleeve,
    /// A rod between the two places.
    Rod,
    /// A plane across z.
    Plane,
    /// A belt around two pulleys.
    Belt {
        /// Their radii.
        radii: [f64; 2],
        /// Whether it crosses itself.
        crossed: bool,
    },
    /// Gear wheels.
    Gear {
        /// Numbers of their teeth.
        teeth: [u32; 2],
        /// Whether the second is a ring around the first.
        internal: bool,
    },
    /// A pinion, second, on a rack along x of the first.
    Rack {
        /// Radius of the pinion.
        radius: f64,
    },
    /// A spring, and a damper, between the two places.
    Spring,
    /// A pin, second, with play in a hole.
    Hole {
        /// Radius of the pin.
        radius: f64,
        /// Radius of the hole minus that of the pin.
        clearance: f64,
    },
    /// A slider, second, with play in a guide along x of the first.
    Slot {
        /// Half of its length.
        half_length: f64,
        /// Half of its width.
        half_width: f64,
        /// Half of the width of the guide minus that.
        clearance: f64,
    },
}

/// A moving body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnBody {
    /// Its name.
    pub name: String,
    /// Its parts, placed in the frame of the body.
    pub parts: Vec<DrawnPart>,
}

/// A shape at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPart {
    /// The shape.
    pub shape: DrawnShape,
    /// Where it stands in the frame of its body.
    pub pose: DrawnPose,
}

/// Position and orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnPose {
    /// Origin, m.
    pub position: [f64; 3],
    /// Unit quaternion, scalar part first.
    pub rotation: [f64; 4],
}

impl Default for DrawnPose {
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] }
    }
}

/// A shape; lengths in m. Axes of symmetry are z. Who draws must know all of them, so that this list is closed.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawnShape {
    /// A ball (in the plane: a circle).
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box (in the plane: a rectangle).
    Box {
        /// Half of its edges.
        half_extents: [f64; 3],
    },
    /// A cylinder.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half of its length along z.
        half_length: f64,
    },
    /// A cylinder with half balls at its ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half of the length of the cylinder along z.
        half_length: f64,
    },
    /// A thin disk in the plane z = 0.
    Disk {
        /// Its radius.
        radius: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Its semi-axes.
        semi_axes: [f64; 3],
    },
    /// A surface of triangles.
    Mesh {
        /// Corners.
        vertices: Vec<[f64; 3]>,
        /// Three corners each, counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A line through points; closed and filled in the plane if it is a polygon.
    Line {
        /// The points.
        points: Vec<[f64; 3]>,
        /// Whether the last point is joined to the first.
        closed: bool,
    },
    /// The half space below z = 0, drawn as a grid.
    HalfSpace,
}

impl DrawnShape {
    /// The shape at the origin of its body.
    pub fn centred(self) -> DrawnPart {
        DrawnPart { shape: self, pose: DrawnPose::default() }
    }

    /// The shape at a place in the frame of its body.
    pub fn at(self, position: [f64; 3]) -> DrawnPart {
        DrawnPart { shape: self, pose: DrawnPose { position, ..DrawnPose::default() } }
    }
}

/// Where a contact candidate is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlace {
    /// Key of the candidate.
    pub key: u64,
    /// Its point, m.
    pub point: [f64; 3],
    /// Unit direction of the normal force on the body that is drawn.
    pub normal: [f64; 3],
    /// Unit directions, on that body, of the components of friction; in the plane the first alone counts.
    pub tangents: [[f64; 3]; 2],
}
