//! Springs, dampers and applied forces.

use super::Context;
use crate::kinematics::quaternion::IDENTITY;
use crate::kinematics::vector::{dot, norm, sub};
use crate::scene::world::file_joint::{Force, ForceKeys};
use crate::scene::world::quantity::{Signal, SignalOrList};
use crate::scene::world::units::{self, Unit};
use crate::world::{BodyDescription, ColumnInputs, ForceDescription, ForceKind, ForceValue, Mount};

/// What a potential replaces.
const OTHERS: &str = "point, force, moment or follows";

impl Context<'_> {
    pub(super) fn forces(
        &mut self,
        given: &[Force],
        bodies: &[BodyDescription],
        inputs: &ColumnInputs,
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
                ForceKeys::Bumper { bodies: names, points, stiffness, damping, length } => {
                    let numbers = self.two_bodies(&key, names, bodies);
                    let points = self.body_points(&key, points.as_deref());
                    let Some(numbers) = numbers else { continue };
                    let mount = |side: usize| Mount {
                        body: numbers[side],
                        point: points[side],
                        rotation: IDENTITY,
                    };
                    ForceKind::Bumper {
                        mounts: [mount(0), mount(1)],
                        stiffness: stiffness.value,
                        damping: damping.value,
                        length: length.value,
                    }
                }
                ForceKeys::Applied {
                    body: name,
                    point: place,
                    force,
                    moment,
                    potential,
                    follows,
                } => {
                    let body = self.body_number(&format!("{key}.body"), name);
                    let known = (inputs, name.as_str());
                    let point = self.vector(&format!("{key}.point"), place.as_ref());
                    let has_others =
                        place.is_some() || force.is_some() || moment.is_some() || *follows;
                    let force_key = format!("{key}.force");
                    let force = match force {
                        None => Default::default(),
                        Some(list) => self.signals(&force_key, list, &units::FORCE, known),
                    };
                    let moment = self.moment(&format!("{key}.moment"), moment.as_ref(), known);
                    let Some(Some(body)) = body else {
                        if body.is_some() {
                            let key = format!("{key}.body");
                            self.wrong(&key, format!("{key} is the ground, which does not move"));
                        }
                        continue;
                    };
                    match potential {
                        None => {
                            ForceKind::Applied { body, point, force, moment, follows: *follows }
                        }
                        Some(text) => {
                            let key = format!("{key}.potential");
                            if has_others {
                                self.wrong(&key, format!("{key} is given with {OTHERS}; give one"));
                            }
                            let found = self.state_expression(&key, text, &units::ENERGY, known);
                            let Some(potential) = found else { continue };
                            ForceKind::Potential { body, potential }
                        }
                    }
                }
            };
            let name = force.name.clone().unwrap_or_else(|| format!("force-{number}"));
            forces.push(ForceDescription { name, kind });
        }
        forces
    }

    fn signals(
        &mut self,
        key: &str,
        list: &[Signal],
        unit: &Unit,
        known: (&ColumnInputs, &str),
    ) -> [ForceValue; 3] {
        let wanted = if self.is_plane() { 2 } else { 3 };
        let mut out: [ForceValue; 3] = Default::default();
        if list.len() != wanted {
            let message = format!("{key} has {} components; it must have {wanted}", list.len());
            self.wrong(key, message);
            return out;
        }
        for (axis, signal) in list.iter().enumerate() {
            out[axis] = self.force_value(&format!("{key}.{axis}"), signal, unit, known);
        }
        out
    }

    fn moment(
        &mut self,
        key: &str,
        given: Option<&SignalOrList>,
        known: (&ColumnInputs, &str),
    ) -> [ForceValue; 3] {
        match given {
            None => Default::default(),
            Some(SignalOrList::One(signal)) if self.is_plane() => {
                let about_z = self.force_value(key, signal, &units::MOMENT, known);
                [ForceValue::default(), ForceValue::default(), about_z]
            }
            Some(SignalOrList::List(list)) if !self.is_plane() => {
                self.signals(key, list, &units::MOMENT, known)
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
