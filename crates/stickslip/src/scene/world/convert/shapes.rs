//! Shapes of bodies.

use super::{Context, pieces};
use crate::kinematics::vector::norm;
use crate::scene::world::file_shape::{IN_PLANE, IN_SPACE, Shape, ShapeKeys};
use crate::scene::world::mesh;
use crate::scene::world::quantity::{Length, Vector};
use crate::scene::world::units;
use crate::world::{ShapeDescription, ShapeKind};

/// Most points of a convex hull or polygon.
const MOST_POINTS: usize = 10_000;

impl Context<'_> {
    /// The shapes of the body with this number in the file.
    pub(super) fn shapes(
        &mut self,
        key: &str,
        body: usize,
        given: &[Shape],
    ) -> Vec<ShapeDescription> {
        let mut shapes = Vec::with_capacity(given.len());
        // Further pieces of a shape stand behind all shapes: rules name shapes by their number.
        let mut pieces = Vec::new();
        for (number, shape) in given.iter().enumerate() {
            let key = format!("{key}.shape.{number}");
            let Some(kind) = self.kind(&key, (body, number), &shape.kind) else { continue };
            let is_area = self.is_plane() || kind.is_area();
            let density_unit = if is_area { units::AREA_DENSITY } else { units::DENSITY };
            let density = shape.density.as_ref().map(|density| {
                self.measure(&format!("{key}.density"), density, &density_unit, 1e-30)
            });
            let mut kinds = self.in_pieces(&key, kind).into_iter();
            let Some(kind) = kinds.next() else { continue };
            let first = ShapeDescription {
                kind,
                offset: self.vector(&format!("{key}.offset"), shape.offset.as_ref()),
                rotation: self.rotation(&format!("{key}.rotation"), shape.rotation.as_ref()),
                density,
            };
            pieces.extend(kinds.map(|kind| ShapeDescription { kind, ..first.clone() }));
            shapes.push(first);
        }
        shapes.append(&mut pieces);
        shapes
    }

    /// A shape, or the convex pieces of a polygon.
    fn in_pieces(&mut self, key: &str, kind: ShapeKind) -> Vec<ShapeKind> {
        let ShapeKind::Polygon { points } = &kind else { return vec![kind] };
        match pieces::convex_pieces(points) {
            Ok(found) if found.len() > 1 => {
                self.split.insert(key.to_owned());
                found.into_iter().map(|points| ShapeKind::Polygon { points }).collect()
            }
            Ok(_) => vec![kind],
            Err(reason) => {
                let key = format!("{key}.points");
                self.wrong(&key, format!("{key}: {reason}"));
                Vec::new()
            }
        }
    }

    fn kind(&mut self, key: &str, place: (usize, usize), given: &ShapeKeys) -> Option<ShapeKind> {
        if given.only_in().is_some_and(|only| only != self.dimension) {
            let message = if self.is_plane() {
                format!("this kind of shape is for space; in the plane there are {IN_PLANE}")
            } else {
                format!("this kind of shape is for the plane; in space there are {IN_SPACE}")
            };
            self.wrong(&format!("{key}.kind"), message);
            return None;
        }
        Some(match given {
            ShapeKeys::Box { half_extents } => {
                let [x, y, z] = self.vector(&format!("{key}.half_extents"), Some(half_extents));
                if self.is_plane() {
                    ShapeKind::Rectangle { half_extents: [x, y] }
                } else {
                    ShapeKind::Box { half_extents: [x, y, z] }
                }
            }
            ShapeKeys::Ellipsoid { semi_axes } => {
                let semi_axes = self.vector(&format!("{key}.semi_axes"), Some(semi_axes));
                ShapeKind::Ellipsoid { semi_axes }
            }
            ShapeKeys::ConvexHull { points, file, scale } => {
                let scale = scale.map(|scale| scale.value);
                let points = match (points, file) {
                    (Some(points), None) if scale.is_none() => {
                        self.points(&format!("{key}.points"), points, 4)?
                    }
                    (None, Some(file)) => {
                        let points =
                            self.mesh(&format!("{key}.file"), file, scale.unwrap_or(1.0))?;
                        self.meshes.push((place.0, place.1, points.clone()));
                        points
                    }
                    _ => {
                        let message =
                            "a convex-hull has points, or a file with an optional scale; not both";
                        self.wrong(key, message.into());
                        return None;
                    }
                };
                ShapeKind::ConvexHull { points }
            }
            ShapeKeys::Polygon { points } => {
                let points = self.points(&format!("{key}.points"), points, 3)?;
                ShapeKind::Polygon { points: points.into_iter().map(|[x, y, _]| [x, y]).collect() }
            }
            ShapeKeys::Segment { ends } => {
                let ends = self.points(&format!("{key}.ends"), ends, 2)?;
                if ends[0] == ends[1] {
                    self.wrong(&format!("{key}.ends"), format!("{key}.ends are the same point"));
                }
                ShapeKind::Segment { ends: [[ends[0][0], ends[0][1]], [ends[1][0], ends[1][1]]] }
            }
            ShapeKeys::Capsule { radius, half_length } if self.is_plane() => {
                ShapeKind::Stadium { radius: radius.value, half_length: half_length.value }
            }
            plain => plain.plain_kind()?,
        })
    }

    fn points(
        &mut self,
        key: &str,
        given: &[Vector<Length>],
        least: usize,
    ) -> Option<Vec<[f64; 3]>> {
        if given.len() < least {
            let message = format!("{key} has {} points; at least {least} are needed", given.len());
            self.wrong(key, message);
            return None;
        }
        self.few_points(key, given.len())?;
        let points =
            given.iter().enumerate().map(|(i, p)| self.vector(&format!("{key}.{i}"), Some(p)));
        Some(points.collect())
    }

    fn few_points(&mut self, key: &str, count: usize) -> Option<()> {
        if count > MOST_POINTS {
            let message = format!("{key} has {count} points; at most {MOST_POINTS} are allowed");
            self.findings.limit(key, message);
            return None;
        }
        Some(())
    }

    fn mesh(&mut self, key: &str, file: &str, scale: f64) -> Option<Vec<[f64; 3]>> {
        let points = match mesh::read(self.folder, file) {
            Ok(points) => points,
            Err(mesh::MeshError::Wrong(message)) => {
                self.wrong(key, format!("{key} is {file:?}: {message}"));
                return None;
            }
            Err(mesh::MeshError::Limit(message)) => {
                self.findings.limit(key, format!("{key} is {file:?}: {message}"));
                return None;
            }
        };
        self.few_points(key, points.len())?;
        let points: Vec<[f64; 3]> = points.iter().map(|p| p.map(|x| x * scale)).collect();
        if points.iter().flatten().any(|x| !(x.abs() <= 1e30)) {
            self.wrong(
                key,
                format!("{key} is {file:?}: a coordinate is not finite or above 1e30 m"),
            );
            return None;
        }
        Some(points)
    }
}

/// Radius of a sphere about the origin of the body frame that holds the shape; infinite for a half
/// space.
pub(super) fn outer_radius(shape: &ShapeDescription) -> f64 {
    shape.kind.reach() + norm(&shape.offset)
}
