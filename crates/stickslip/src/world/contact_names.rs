//! What contacts are called in files and messages.

use super::laws::Rule;
use super::start::Asked;
use super::world::{JOINTS, NAMED, World};
use std::sync::PoisonError;

/// Numbers of points below this are corners, which have few; all others are made of features.
const FIRST_FEATURE: u16 = 8;

impl World {
    /// Name of a candidate: that of its joint, of its rule if the user gave one, or else of its bodies, the
    /// moving one first; that of a rule and those of the bodies where the rule is for several pairs of shapes.
    /// Where two shapes touch at several points a small number follows.
    pub(super) fn name_of(&self, key: u64) -> String {
        if key >= JOINTS {
            let name = self.joints.contact_name(key - JOINTS);
            let other = self.contact_names.iter().find(|(own, _)| *own == name);
            return other.map_or(name, |(_, other)| other.clone());
        }
        if (NAMED..JOINTS).contains(&key) {
            let name = self.laws.names.get((key - NAMED) as usize);
            return name.cloned().unwrap_or_else(|| format!("contact-{key}"));
        }
        let Some((shapes, number)) = self.parts(key) else { return format!("contact-{key}") };
        // The number of a shape where a body has several.
        let [a, b] = shapes.map(|shape| {
            let body = &self.bodies[shape.body];
            match body.shapes {
                1 => body.name.clone(),
                _ => format!("{}.{}", body.name, shape.number),
            }
        });
        let fixed_first = self.frames.block(Some(shapes[0].body)).is_none();
        let bodies = if fixed_first { format!("{b}/{a}") } else { format!("{a}/{b}") };
        let rule = self.laws.rule(shapes[0], shapes[1]);
        let given = rule.and_then(|rule| Some((rule, self.laws.names.get(rule.name?)?)));
        // Whether the name says which shapes touch.
        let is_enough = |rule: &Rule| {
            let single = shapes.iter().all(|shape| self.bodies[shape.body].shapes == 1);
            rule.names_shape() || rule.names_both() && single
        };
        let number = self.small_number(key, number);
        match given {
            Some((rule, name)) if is_enough(rule) && number == 0 => name.clone(),
            Some((rule, name)) if is_enough(rule) => format!("{name}-{}", number + 1),
            Some((_, name)) if number == 0 => format!("{name}:{bodies}"),
            Some((_, name)) => format!("{name}:{bodies}#{number}"),
            None if number == 0 => bodies,
            None => format!("{bodies}#{number}"),
        }
    }

    /// What the file itself asks for at the start with a candidate, and the joint that it asks it of.
    pub(crate) fn asked(&self, key: u64) -> Option<(Asked, &str)> {
        let (asked, number) = self.joints.asked(key.checked_sub(JOINTS)?)?;
        Some((asked, self.joint_names.get(number)?))
    }

    /// The number of a point as people see it. Points of shapes without corners of their own have numbers
    /// made of their features, up to 65535: they are counted in the order in which they are named.
    fn small_number(&self, key: u64, number: u16) -> u16 {
        if number < FIRST_FEATURE {
            return number;
        }
        let pair = key >> 16;
        let mut told = self.told_points.lock().unwrap_or_else(PoisonError::into_inner);
        let known = || told.iter().filter(|(other, _)| *other == pair);
        let found = known().position(|(_, other)| *other == number);
        let position = found.unwrap_or(known().count());
        if found.is_none() {
            told.push((pair, number));
        }
        FIRST_FEATURE.saturating_add(u16::try_from(position).unwrap_or(u16::MAX))
    }
}
