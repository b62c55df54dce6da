//! Springs, dampers and applied forces.

use super::Context;
use crate::kinematics::quaternion::IDENTITY;
use crate::kinematics::vector::{dot, norm, sub};
use crate::scene::world::file_joint::{Force, ForceKeys};
use crate::scene::world::quantity::{Signal, SignalOrList};
use crate::scene::world::units::{self, Unit};
use crate::world::{BodyDescription, ForceDescription, ForceKind, Mount, TimeFunction};

impl Context<'_> {
    pub(super) fn forces(
        &mut self,
        given: &[Force],
        bodies: &[BodyDescription],
    ) -> Vec<ForceDescription> {
        let mut forces = Vec::with_capacity(given.len());
        for (number, force) in given.iter().enumerate() {
            let key = format!("force.{number}");
            let kind = match &force.kind {
                ForceKeys::SpringDamper {
                    bodies: names,
                    points,
                    stiffness,
                    damping,
                    direction,
                    rest_length,
                } => {
                    let numbers = self.two_bodies(&key, names, bodies);
                    let points = self.body_points(&key, points.as_deref());
                    let Some([first, second]) = numbers else { continue };
                    let mount = |body, point| Mount { body, point, rotation: IDENTITY };
                    let mounts = [mount(first, points[0]), mount(second, points[1])];
                    let ends = mounts.map(|m| super::joints::in_world(bodies, m.body, &m.point));
                    let between = sub(&ends[1], &ends[0]);
                    let direction = match direction {
                        None => None,
                        Some(given) => {
                            let found = self.direction(&format!("{key}.direction"), &given.0);
                            let Some(found) = found else { continue };
                            Some(found)
                        }
                    };
                    let length = direction.map_or_else(|| norm(&between), |e| dot(&e, &between));
                    if let (None, Some(given)) = (direction, rest_length)
                        && given.value < 0.0
                    {
                        let key = format!("{key}.rest_length");
                        let message = format!(
                            "{key} is {}; without a direction it must not be negative",
                            given.value
                        );
                        self.wrong(&key, message);
                    }
                    ForceKind::SpringDamper {
                        mounts,
                        stiffness: stiffness.value,
                        damping: damping.value,
                        direction,
                        rest_length: rest_length.map_or(length, |given| given.value),
                    }
                }
                ForceKeys::Applied { body, point, force, moment, follows } => {
                    let body = self.body_number(&format!("{key}.body"), body);
                    let point = self.vector(&format!("{key}.point"), point.as_ref());
                    let force_key = format!("{key}.force");
                    let force = match force {
                        None => Default::default(),
                        Some(list) => self.signals(&force_key, list, &units::FORCE),
                    };
                    let moment = self.moment(&format!("{key}.moment"), moment.as_ref());
                    let Some(Some(body)) = body else {
                        if body.is_some() {
                            let key = format!("{key}.body");
                            self.wrong(&key, format!("{key} is the ground, which does not move"));
                        }
                        continue;
                    };
                    ForceKind::Applied { body, point, force, moment, follows: *follows }
                }
            };
            let name = force.name.clone().unwrap_or_else(|| format!("force-{number}"));
            forces.push(ForceDescription { name, kind });
        }
        forces
    }

    fn signals(&mut self, key: &str, list: &[Signal], unit: &Unit) -> [TimeFunction; 3] {
        let wanted = if self.is_plane() { 2 } else { 3 };
        let mut out: [TimeFunction; 3] = Default::default();
        if list.len() != wanted {
            let message = format!("{key} has {} components; it must have {wanted}", list.len());
            self.wrong(key, message);
            return out;
        }
        for (axis, signal) in list.iter().enumerate() {
            out[axis] = self.signal(&format!("{key}.{axis}"), signal, unit);
        }
        out
    }

    fn moment(&mut self, key: &str, given: Option<&SignalOrList>) -> [TimeFunction; 3] {
        match given {
            None => Default::default(),
            Some(SignalOrList::One(signal)) if self.is_plane() => {
                let about_z = self.signal(key, signal, &units::MOMENT);
                [TimeFunction::default(), TimeFunction::default(), about_z]
            }
            Some(SignalOrList::List(list)) if !self.is_plane() => {
                self.signals(key, list, &units::MOMENT)
            }
            Some(_) => {
                let allowed =
                    if self.is_plane() { "in the plane one value" } else { "in space three" };
                self.wrong(key, format!("{key} does not fit; it must be {allowed} (N m)"));
                Default::default()
            }
        }
    }
}
