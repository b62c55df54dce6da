//! The keys of `[[body.shape]]` and of rotations.

use super::quantity::{Angle, Length, Measure, Number, Positive, Quantity, Vector};
use crate::system::Dimension;
use crate::world::ShapeKind;
use schemars::JsonSchema;
use serde::Deserialize;

/// A shape of a body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Shape {
    /// Name among the shapes of its body; contact rules may name it as `<body>.<shape>`.
    pub name: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub kind: ShapeKeys,
    /// Its centre in the body frame, m; default the origin.
    pub offset: Option<Vector<Length>>,
    /// Its orientation in the body frame; default not turned.
    pub rotation: Option<RotationKeys>,
    /// A density of its own, kg/m³ (in the plane kg/m²); default that of the body.
    pub density: Option<Measure>,
}

/// Kinds of shapes; axes of symmetry along z.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ShapeKeys {
    /// A ball; space.
    Sphere {
        /// Radius, m.
        radius: Quantity<Length, Positive>,
    },
    /// A box; in the plane a rectangle.
    Box {
        /// Half of its edges, m.
        half_extents: Vector<Length, Positive>,
    },
    /// A cylinder with half balls at its ends; in the plane a rectangle along y with half circles.
    Capsule {
        /// Radius, m.
        radius: Quantity<Length, Positive>,
        /// Half of the length between the centres of its ends, m.
        half_length: Quantity<Length, Positive>,
    },
    /// A cylinder; space.
    Cylinder {
        /// Radius, m.
        radius: Quantity<Length, Positive>,
        /// Half of its length, m.
        half_length: Quantity<Length, Positive>,
    },
    /// A cone with a round base below and its tip above, its origin half-way between them; space.
    Cone {
        /// Radius of the base, m.
        radius: Quantity<Length, Positive>,
        /// Half of its height, m.
        half_length: Quantity<Length, Positive>,
    },
    /// A thin disk whose rim touches planes (Le Saux 2005); space.
    Disk {
        /// Radius, m.
        radius: Quantity<Length, Positive>,
    },
    /// An ellipsoid; space.
    Ellipsoid {
        /// Semi-axes, m.
        semi_axes: Vector<Length, Positive>,
    },
    /// The convex hull of points, given here or in a file; space.
    ConvexHull {
        /// The points, m.
        points: Option<Vec<Vector<Length>>>,
        /// An OBJ or STL file in the folder of the scene, or in a folder below it.
        file: Option<String>,
        /// Length of one unit of the file, m; default 1.
        scale: Option<Quantity<Length, Positive>>,
    },
    /// The half space below z = 0, in the plane below y = 0; for fixed bodies.
    HalfSpace,
    /// A circle; plane.
    Circle {
        /// Radius, m.
        radius: Quantity<Length, Positive>,
    },
    /// A polygon; plane. One that is not convex is divided into convex pieces.
    Polygon {
        /// Its corners in order, m.
        points: Vec<Vector<Length>>,
    },
    /// A piece of a line; plane.
    Segment {
        /// Its two ends, m.
        #[schemars(length(min = 2, max = 2))]
        ends: Vec<Vector<Length>>,
    },
}

/// The shapes of the plane; a test holds both lists against [`ShapeKeys::only_in`].
pub const IN_PLANE: &str = "box, circle, capsule, polygon, segment and half-space";
/// The shapes of space.
pub const IN_SPACE: &str =
    "sphere, box, capsule, cylinder, cone, disk, ellipsoid, convex-hull and half-space";

impl ShapeKeys {
    /// What it is, where that follows from these keys alone.
    pub fn plain_kind(&self) -> Option<ShapeKind> {
        Some(match self {
            ShapeKeys::Sphere { radius } => ShapeKind::Sphere { radius: radius.value },
            ShapeKeys::Circle { radius } => ShapeKind::Circle { radius: radius.value },
            ShapeKeys::Disk { radius } => ShapeKind::Disk { radius: radius.value },
            ShapeKeys::HalfSpace => ShapeKind::HalfSpace,
            ShapeKeys::Capsule { radius, half_length } => {
                ShapeKind::Capsule { radius: radius.value, half_length: half_length.value }
            }
            ShapeKeys::Cylinder { radius, half_length } => {
                ShapeKind::Cylinder { radius: radius.value, half_length: half_length.value }
            }
            ShapeKeys::Cone { radius, half_length } => {
                ShapeKind::Cone { radius: radius.value, half_length: half_length.value }
            }
            ShapeKeys::Box { .. }
            | ShapeKeys::Ellipsoid { .. }
            | ShapeKeys::ConvexHull { .. }
            | ShapeKeys::Polygon { .. }
            | ShapeKeys::Segment { .. } => return None,
        })
    }

    /// The only space in which it exists; none: in both.
    pub fn only_in(&self) -> Option<Dimension> {
        match self {
            ShapeKeys::Box { .. } | ShapeKeys::Capsule { .. } | ShapeKeys::HalfSpace => None,
            ShapeKeys::Circle { .. } | ShapeKeys::Polygon { .. } | ShapeKeys::Segment { .. } => {
                Some(Dimension::Two)
            }
            ShapeKeys::Sphere { .. }
            | ShapeKeys::Cylinder { .. }
            | ShapeKeys::Cone { .. }
            | ShapeKeys::Disk { .. }
            | ShapeKeys::Ellipsoid { .. }
            | ShapeKeys::ConvexHull { .. } => Some(Dimension::Three),
        }
    }
}

/// A rotation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RotationKeys {
    /// A turn about z, in the plane.
    Turn(Quantity<Angle>),
    /// A quaternion, an axis with an angle, or Euler angles.
    Table(RotationTable),
}

/// A rotation in one of three forms: `quaternion`; `axis` and `angle`; `euler` and `order`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationTable {
    /// Quaternion, scalar part first; it is brought to length one.
    #[schemars(length(min = 4, max = 4))]
    pub quaternion: Option<Vec<Quantity<Number>>>,
    /// Axis of a turn; it is brought to length one.
    #[schemars(length(min = 3, max = 3))]
    pub axis: Option<Vec<Quantity<Number>>>,
    /// Angle of the turn about `axis`, rad.
    pub angle: Option<Quantity<Angle>>,
    /// Three angles, rad, each about an axis that the turns before have turned.
    #[schemars(length(min = 3, max = 3))]
    pub euler: Option<Vec<Quantity<Angle>>>,
    /// Axes of the Euler angles, e.g. "zxz"; default "xyz".
    pub order: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value, json};

    /// A value for every key that some shape has.
    fn sample(key: &str, kind: &Value) -> Option<Value> {
        match key {
            "kind" => Some(kind.clone()),
            "radius" | "half_length" => Some(json!(1.0)),
            "half_extents" | "semi_axes" => Some(json!([1.0, 1.0, 1.0])),
            "points" | "ends" => Some(json!([[0.0, 0.0], [1.0, 0.0]])),
            _ => None,
        }
    }

    #[test]
    fn the_lists_of_shapes_are_those_of_the_kinds() {
        let schema = schemars::schema_for!(ShapeKeys).to_value();
        let kinds = schema["oneOf"].as_array().unwrap();
        let mut counts = [0, 0];
        for one in kinds {
            let kind = &one["properties"]["kind"]["const"];
            let keys = one["properties"].as_object().unwrap().keys();
            let shape: Map<String, Value> =
                keys.filter_map(|key| Some((key.clone(), sample(key, kind)?))).collect();
            let shape: ShapeKeys = serde_json::from_value(Value::Object(shape)).unwrap();
            let only = shape.only_in();
            let lists = [(IN_PLANE, Dimension::Two), (IN_SPACE, Dimension::Three)];
            for ((list, dimension), count) in lists.into_iter().zip(&mut counts) {
                let is_listed = list.replace(" and ", ", ").split(", ").any(|word| *kind == *word);
                assert_eq!(is_listed, only.is_none_or(|only| only == dimension), "{kind}: {list}");
                *count += usize::from(is_listed);
            }
        }
        let words =
            [IN_PLANE, IN_SPACE].map(|list| list.replace(" and ", ", ").split(", ").count());
        assert_eq!(counts, words);
    }
}
