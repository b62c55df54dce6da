//! Bodies: names, masses, start, and the ground.

use super::{ANY, Context, GROUND, MOST_BODIES, MOST_POINTS, is_plain};
use crate::kinematics::quaternion::IDENTITY;
use crate::scene::world::file::{Body, FreeDirection, Ground, WorldFile};
use crate::scene::world::file_shape::{Shape, ShapeKeys};
use crate::scene::world::quantity::OneOrList;
use crate::scene::world::units;
use crate::world::{BodyDescription, Freedom, MassDescription, ShapeDescription, ShapeKind};

/// Excess of a principal moment over the sum of the two others, relative to it, that passes for
/// rounding of printed numbers.
const MOST_ROUNDING: f64 = 0.01;

impl Context<'_> {
    /// All bodies, copies and ground included; the names are known afterwards.
    pub(super) fn bodies(
        &mut self,
        file: &WorldFile,
        out: &mut Vec<BodyDescription>,
        entries: &mut Vec<Option<usize>>,
    ) {
        let arrays = self.arrays_by_body(file);
        let copies =
            |entry: usize| arrays.get(&entry).map_or(1, |array| file.array[*array].count());
        let total = (0..file.body.len()).map(copies).fold(0_usize, usize::saturating_add);
        if total > MOST_BODIES {
            let key = if file.array.is_empty() { "body" } else { "array" };
            let message =
                format!("there would be {total} bodies; at most {MOST_BODIES} are allowed");
            return self.findings.limit(key, message);
        }
        let mut points = 0_usize;
        for (entry, body) in file.body.iter().enumerate() {
            let key = format!("body.{entry}");
            let mut description = self.body(&key, entry, body);
            let own: usize = description.shapes.iter().map(|shape| shape.kind.point_count()).sum();
            points = points.saturating_add(own.saturating_mul(copies(entry)));
            if points > MOST_POINTS {
                let message =
                    format!("the shapes of all bodies have more than {MOST_POINTS} points");
                return self.findings.limit(&key, message);
            }
            let first = out.len();
            match arrays.get(&entry) {
                None => out.push(description),
                Some(array) => {
                    // A rule that names the body means all of its copies.
                    if description.material.is_empty() {
                        description.material.clone_from(&description.name);
                    }
                    let name = description.name.clone();
                    self.copied.insert(name, description.material.clone());
                    self.copies(&format!("array.{array}"), &file.array[*array], &description, out);
                }
            }
            self.shape_names(&key, body, (out.len() == first + 1).then_some(first));
            for number in first..out.len() {
                self.name(&key, &out[number].name, number);
                self.materials.insert(out[number].material.clone());
                entries.push(Some(entry));
            }
            if body.hold || body.motion.is_some() {
                self.motions(&key, body, first, out);
            }
        }
        if let Some(ground) = &file.world.ground {
            let ground = self.ground(ground);
            self.bodies.insert(GROUND.into(), out.len());
            self.materials.insert(ground.material.clone());
            out.push(ground);
            entries.push(None);
        }
        self.materials.remove("");
    }

    /// Notes the name of a body if it can be one.
    fn name(&mut self, key: &str, name: &str, number: usize) {
        let key = format!("{key}.name");
        if !is_plain(name) {
            let message = format!(
                "{key} is {name:?}, it must be of letters a to z, digits, _ and -, at most 100"
            );
            self.wrong(&key, message);
        } else if name == GROUND || name == ANY {
            let meaning = if name == GROUND { "the world itself" } else { "every body" };
            self.wrong(
                &key,
                format!("{key} is {name:?}, which means {meaning}; take another name"),
            );
        } else if self.bodies.insert(name.to_owned(), number).is_some() {
            self.wrong(&key, format!("{key} is {name:?}, but another body has this name"));
        }
    }

    /// Notes the names of the shapes of a body, if it stands alone: shapes of copies cannot be named.
    fn shape_names(&mut self, key: &str, body: &Body, number: Option<usize>) {
        for (shape, keys) in body.shape.iter().enumerate() {
            let Some(name) = &keys.name else { continue };
            let key = format!("{key}.shape.{shape}.name");
            let full = format!("{}.{name}", body.name);
            if self.split.contains(key.trim_end_matches(".name")) {
                self.split.insert(full.clone());
            }
            if !is_plain(name) {
                let message = format!(
                    "{key} is {name:?}, it must be of letters a to z, digits, _ and -, at most 100"
                );
                self.wrong(&key, message);
            } else if let Some(number) = number
                && self.shapes.insert(full, (number, shape)).is_some()
            {
                let message =
                    format!("{key} is {name:?}, but another shape of the body has this name");
                self.wrong(&key, message);
            }
        }
    }

    fn body(&mut self, key: &str, entry: usize, body: &Body) -> BodyDescription {
        let shapes = self.shapes(key, entry, &body.shape);
        BodyDescription {
            mass: self.mass(key, body, &shapes),
            name: body.name.clone(),
            fixed: body.fixed,
            free: self.freedom(key, body),
            position: self.vector(&format!("{key}.position"), body.position.as_ref()),
            rotation: self.rotation(&format!("{key}.rotation"), body.rotation.as_ref()),
            velocity: self.vector(&format!("{key}.velocity"), body.velocity.as_ref()),
            angular_velocity: self
                .spin(&format!("{key}.angular_velocity"), body.angular_velocity.as_ref()),
            material: body.material.clone().unwrap_or_default(),
            shapes,
        }
    }

    /// In which directions a body may move.
    fn freedom(&mut self, key: &str, body: &Body) -> Freedom {
        let Some(list) = &body.free else { return Freedom::default() };
        let key = format!("{key}.free");
        let has = |direction: FreeDirection| list.contains(&direction);
        let axes = [FreeDirection::X, FreeDirection::Y, FreeDirection::Z].map(has);
        let is_disk = |shape: &Shape| matches!(shape.kind, ShapeKeys::Disk { .. });
        let wrong = if body.fixed {
            "the body is fixed; give free or fixed"
        } else if list.is_empty() {
            "it is empty; give fixed = true for a body that does not move"
        } else if self.is_plane() && axes[2] {
            "in the plane there is no z"
        } else if body.shape.iter().any(is_disk) {
            "a disk moves in all directions"
        } else {
            return Freedom { axes, turn: has(FreeDirection::Turn) };
        };
        self.wrong(&key, format!("{key}: {wrong}"));
        Freedom::default()
    }

    fn mass(&mut self, key: &str, body: &Body, shapes: &[ShapeDescription]) -> MassDescription {
        let name = &body.name;
        let free = body.free.as_deref();
        let cannot_turn = free.is_some_and(|list| !list.contains(&FreeDirection::Turn));
        let has_volume = shapes.iter().any(|s| s.kind != ShapeKind::HalfSpace);
        let is_driven = body.motion.is_some();
        let has_half_space = shapes.iter().any(|s| s.kind == ShapeKind::HalfSpace);
        if !body.fixed && !is_driven && has_half_space {
            let message =
                format!("the body {name:?} has a half-space and moves; give fixed = true");
            self.wrong(key, message);
        }
        let center = self.vector(&format!("{key}.center"), body.center.as_ref());
        if body.center.is_some() && body.inertia.is_none() {
            let center = format!("{key}.center");
            let message =
                format!("{center} needs mass and inertia; else it follows from the shapes");
            self.wrong(&center, message);
        }
        match (body.mass, &body.inertia, &body.density) {
            (Some(mass), Some(inertia), None) => MassDescription::Given {
                mass: mass.value,
                center,
                inertia: self.inertia(&format!("{key}.inertia"), inertia),
            },
            // The mass of a body whose motion is prescribed matters to nothing but its energy.
            (None, None, None) if is_driven && has_volume => MassDescription::Total(1.0),
            (None, None, None) if is_driven => MassDescription::Given {
                mass: 1.0,
                center,
                inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            },
            // A body that cannot turn has no inertia; the number is used by nothing.
            (Some(mass), None, None) if !has_volume && (cannot_turn || is_driven) => {
                MassDescription::Given {
                    mass: mass.value,
                    center,
                    inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
                }
            }
            (Some(mass), None, None) => {
                if !has_volume && !body.fixed {
                    let message = format!(
                        "the body {name:?} has no shapes from which its inertia could follow; give \
                         inertia (kg m²)"
                    );
                    self.wrong(key, message);
                }
                MassDescription::Total(mass.value)
            }
            (None, None, Some(density)) => {
                let unit = if self.is_plane() { units::AREA_DENSITY } else { units::DENSITY };
                let density = self.measure(&format!("{key}.density"), density, &unit, 1e-30);
                if !has_volume && !body.fixed {
                    let message = format!("the body {name:?} has a density but no shapes");
                    self.wrong(key, message);
                }
                MassDescription::Density(density)
            }
            (None, None, None) => {
                let all = !shapes.is_empty() && shapes.iter().all(|s| s.density.is_some());
                if !body.fixed && !all {
                    let message = format!(
                        "the body {name:?} has no mass; give mass (kg), density (kg/m³, in the plane \
                         kg/m²), or fixed = true"
                    );
                    self.wrong(key, message);
                }
                MassDescription::Density(1.0)
            }
            (Some(_), _, Some(_)) => {
                self.wrong(
                    &format!("{key}.density"),
                    format!("{key} has mass and density; give one"),
                );
                MassDescription::Density(1.0)
            }
            (None, Some(_), _) => {
                let inertia = format!("{key}.inertia");
                self.wrong(&inertia, format!("{inertia} needs mass (kg) beside it"));
                MassDescription::Density(1.0)
            }
        }
    }

    fn inertia<M, R>(&mut self, key: &str, given: &OneOrList<M, R>) -> [f64; 6] {
        let list: Vec<f64> = match given {
            OneOrList::One(one) => vec![one.value],
            OneOrList::List(list) => list.iter().map(|part| part.value).collect(),
        };
        let inertia = match (self.is_plane(), list.as_slice()) {
            (true, [zz]) => [*zz, *zz, *zz, 0.0, 0.0, 0.0],
            (false, [xx, yy, zz]) => [*xx, *yy, *zz, 0.0, 0.0, 0.0],
            (false, [xx, yy, zz, xy, xz, yz]) => [*xx, *yy, *zz, *xy, *xz, *yz],
            _ => {
                let allowed = if self.is_plane() {
                    "in the plane it must be one number (kg m²)"
                } else {
                    "in space it must be a list xx, yy, zz or xx, yy, zz, xy, xz, yz (kg m²)"
                };
                self.wrong(key, format!("{key} has {} values; {allowed}", list.len()));
                return [1.0; 6];
            }
        };
        let [xx, yy, zz, xy, xz, yz] = inertia;
        // Sylvester: leading minors, scaled so that no product over- or underflows.
        let largest = inertia.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let [a, b, c, d, e, f] = [xx, yy, zz, xy, xz, yz].map(|x| x / largest);
        let second = a * b - d * d;
        let third = c * second - a * f * f - b * e * e + 2.0 * d * e * f;
        if !(a > 0.0 && second > 0.0 && third > 0.0) {
            let message = format!("{key} must be positive: no body has such an inertia");
            self.wrong(key, message);
            return [1.0; 6];
        }
        if !self.is_plane() {
            self.triangle(key, [xx, yy, zz]);
        }
        inertia
    }

    /// For every body, each moment of inertia is at most the sum of the two others. It holds for
    /// the diagonal in any axes.
    fn triangle(&mut self, key: &str, diagonal: [f64; 3]) {
        let sum: f64 = diagonal.iter().sum();
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        let excess = (2.0 * largest - sum) / largest;
        if excess > MOST_ROUNDING {
            let message = format!(
                "{key} has a moment {largest} above the sum of the two others; no body has such an \
                 inertia"
            );
            self.wrong(key, message);
        } else if excess > 1e-12 {
            let message = format!(
                "a moment is {:.2} % above the sum of the two others, which no body has; taken as \
                 rounding",
                100.0 * excess
            );
            self.warnings.push((key.to_owned(), message));
        }
    }

    fn ground(&mut self, ground: &Ground) -> BodyDescription {
        let key = "world.ground";
        let shape = ShapeDescription {
            kind: ShapeKind::HalfSpace,
            offset: [0.0; 3],
            rotation: IDENTITY,
            density: None,
        };
        BodyDescription {
            name: GROUND.into(),
            fixed: true,
            free: Freedom::default(),
            mass: MassDescription::Density(1.0),
            position: self.vector(&format!("{key}.position"), ground.position.as_ref()),
            rotation: self.rotation(&format!("{key}.rotation"), ground.rotation.as_ref()),
            velocity: self.vector(&format!("{key}.velocity"), ground.velocity.as_ref()),
            angular_velocity: self
                .spin(&format!("{key}.angular_velocity"), ground.angular_velocity.as_ref()),
            material: ground.material.clone().unwrap_or_default(),
            shapes: vec![shape],
        }
    }
}
