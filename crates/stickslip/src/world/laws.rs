//! Which laws act between two bodies.
//!
//! A rule that names more bodies beats one that names fewer, then one that names more of their shapes, then
//! one that names more materials; among equals the last one counts. Where no rule fits, the default law acts. Bodies that share a
//! joint do not touch, unless a rule names both of them.

use super::description::*;
use super::shape::Shape;
use super::touch::TouchKind;
use crate::kinematics::Vector3;
use crate::system::{Dimension, ForceLaw, ForceReservoir, GroupElements, ImpactLaw, LawGroup};
use std::collections::{HashMap, HashSet};

/// Classes of bodies up to which the rule of every pair is kept in a table.
const TABLE_UP_TO: usize = 512;

/// Which components a contact has behind the normal and the tangential ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Components {
    /// Whether drilling is the next.
    pub drilling: bool,
    /// Number of laws of contour friction.
    pub contour: usize,
    /// Number of laws of rolling friction, two components each.
    pub rolling: usize,
}

/// A shape: its body and its number among the shapes of the body.
type Place = (usize, usize);

/// A rule, ready for use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    between: [Partner; 2],
    enabled: bool,
    /// Number among the named contacts.
    pub name: Option<usize>,
    /// Group of laws by kind of touch.
    groups: [usize; 3],
    components: [Components; 3],
    /// Body and axis that the tangential axes follow.
    pub axis: Option<(usize, Vector3)>,
}

impl Rule {
    /// Group of laws and components for a touch.
    pub fn laws(&self, kind: TouchKind) -> (usize, &Components) {
        let index = match kind {
            TouchKind::Plain => 0,
            TouchKind::Round => 1,
            TouchKind::Rim => 2,
        };
        (self.groups[index], &self.components[index])
    }

    /// How well the rule fits a pair of shapes; none if it does not.
    fn fit(&self, shapes: [Place; 2], materials: [&str; 2]) -> Option<usize> {
        let side = |partner: &Partner, k: usize| match partner {
            Partner::Shape(body, number) => ((*body, *number) == shapes[k]).then_some(12),
            Partner::Body(index) => (*index == shapes[k].0).then_some(9),
            Partner::Material(name) => (name == materials[k]).then_some(1),
            Partner::Any => Some(0),
        };
        let sum = |first: usize, second: usize| {
            Some(side(&self.between[0], first)? + side(&self.between[1], second)?)
        };
        sum(0, 1).max(sum(1, 0))
    }

    /// Whether it names both bodies.
    pub fn names_both(&self) -> bool {
        self.between.iter().all(|p| matches!(p, Partner::Body(_) | Partner::Shape(..)))
    }

    /// Which of two bodies is the second of the rule; none if it does not tell them apart.
    pub fn second(&self, bodies: [usize; 2]) -> Option<usize> {
        let named = |partner: &Partner| match partner {
            Partner::Body(index) | Partner::Shape(index, _) => Some(*index),
            Partner::Material(_) | Partner::Any => None,
        };
        match [named(&self.between[0]), named(&self.between[1])] {
            [_, Some(second)] => Some(second),
            [Some(first), None] => bodies.into_iter().find(|body| *body != first),
            [None, None] => None,
        }
    }

    /// Whether it is for single shapes: its name is that of their contact.
    pub fn names_shape(&self) -> bool {
        self.between.iter().any(|partner| matches!(partner, Partner::Shape(..)))
    }
}

/// All rules of a world, and its groups of laws.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws {
    /// The rules; the last is the default.
    rules: Vec<Rule>,
    materials: Vec<String>,
    /// First of the classes of each body.
    first_shapes: Vec<usize>,
    /// Class of each shape, body by body: shapes of a class have the same laws.
    classes: Vec<u32>,
    class_count: usize,
    /// Rule of each pair of classes; empty if there are too many.
    table: Vec<u32>,
    /// Pairs of bodies with a joint, ascending.
    joined: Vec<[usize; 2]>,
    /// Names of the named contacts.
    pub names: Vec<String>,
    /// The groups of laws, each once.
    pub groups: Vec<LawGroup>,
    /// The elements of each group under the `ode-*` integrators.
    pub elements: Vec<GroupElements>,
}

impl Laws {
    /// From a description that has been checked.
    pub fn new(description: &WorldDescription) -> Self {
        let mut laws = Self::default();
        let mut known = HashMap::new();
        let default = ContactDescription {
            name: None,
            between: [Partner::Any, Partner::Any],
            enabled: true,
            law: description.default_contact.clone(),
        };
        for (number, rule) in description.contacts.iter().chain([&default]).enumerate() {
            let label = match &rule.name {
                Some(name) => format!("contact {name}"),
                None if number < description.contacts.len() => format!("contact rule {number}"),
                None => "default_contact".into(),
            };
            let constants = rule.law.elements.or(description.elements);
            let elements = GroupElements { label, constants, is_used: false, by_mass: false };
            laws.add(description.dimension, rule, &elements, &mut known);
        }
        for joint in description.joints.iter().filter(|joint| !joint.collide) {
            if let [Some(a), Some(b)] = [joint.mounts[0].body, joint.mounts[1].body] {
                laws.joined.push([a.min(b), a.max(b)]);
            }
        }
        laws.joined.sort_unstable();
        laws.materials = description.bodies.iter().map(|b| b.material.clone()).collect();
        laws.classify(description);
        laws.find_used(description);
        laws
    }

    fn add(
        &mut self,
        dimension: Dimension,
        rule: &ContactDescription,
        elements: &GroupElements,
        known: &mut HashMap<String, usize>,
    ) {
        let name = rule.name.as_ref().map(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        let mut groups = [0; 3];
        let mut components = [Components::default(); 3];
        for (index, kind) in
            [TouchKind::Plain, TouchKind::Round, TouchKind::Rim].into_iter().enumerate()
        {
            let (group, parts) = group(dimension, &rule.law, kind);
            let next = self.groups.len();
            groups[index] =
                *known.entry(format!("{group:?} {:?}", elements.constants)).or_insert(next);
            if groups[index] == next {
                self.groups.push(group);
                self.elements.push(elements.clone());
            }
            components[index] = parts;
        }
        let axis = rule.law.form.axis().filter(|_| dimension == Dimension::Three);
        let between = rule.between.clone();
        self.rules.push(Rule { between, enabled: rule.enabled, name, groups, components, axis });
    }

    /// Shapes and bodies that rules name are classes of their own; the others go by material.
    fn classify(&mut self, description: &WorldDescription) {
        let mut named = vec![false; description.bodies.len()];
        let mut named_shapes = HashSet::new();
        for partner in description.contacts.iter().flat_map(|rule| &rule.between) {
            match partner {
                Partner::Body(index) => {
                    named.iter_mut().skip(*index).take(1).for_each(|n| *n = true)
                }
                Partner::Shape(body, number) => {
                    named.iter_mut().skip(*body).take(1).for_each(|n| *n = true);
                    named_shapes.insert((*body, *number));
                }
                Partner::Material(_) | Partner::Any => {}
            }
        }
        let mut by_material: HashMap<&str, u32> = HashMap::new();
        let mut examples: Vec<Place> = Vec::new();
        for (body, keys) in description.bodies.iter().enumerate() {
            self.first_shapes.push(self.classes.len());
            let mut own = None;
            for number in 0..keys.shapes.len() {
                let next = examples.len() as u32;
                let class = if named_shapes.contains(&(body, number)) {
                    next
                } else if named[body] {
                    *own.get_or_insert(next)
                } else {
                    *by_material.entry(keys.material.as_str()).or_insert(next)
                };
                if class == next {
                    examples.push((body, number));
                }
                self.classes.push(class);
            }
        }
        self.class_count = examples.len();
        if self.class_count <= TABLE_UP_TO {
            let pairs = examples.iter().flat_map(|a| examples.iter().map(move |b| (*a, *b)));
            self.table = pairs.map(|(a, b)| self.resolve(a, b) as u32).collect();
        }
    }

    /// Which groups of laws some pair of shapes may have.
    fn find_used(&mut self, description: &WorldDescription) {
        // Of each class the body of the first shape, their number, and whether one of them moves.
        let mut classes = vec![(0, 0, false); self.class_count];
        for (index, body) in description.bodies.iter().enumerate() {
            for number in 0..body.shapes.len() {
                let class = self.classes[self.first_shapes[index] + number] as usize;
                let (first, count, moves) = &mut classes[class];
                *first = if *count == 0 { index } else { *first };
                *count += 1;
                *moves |= !body.fixed;
            }
        }
        let mut used = vec![self.table.is_empty(); self.rules.len()];
        for (a, (body_a, count_a, a_moves)) in classes.iter().enumerate() {
            for (b, (body_b, count_b, b_moves)) in classes.iter().enumerate().skip(a) {
                if self.table.is_empty() {
                    continue;
                }
                let alone = *count_a == 1 && *count_b == 1;
                let meet = *count_a > usize::from(a == b) && *count_b > 0 && (*a_moves || *b_moves);
                let index = self.table[a * self.class_count + b] as usize;
                let apart =
                    || body_a == body_b || self.keeps_apart(&self.rules[index], *body_a, *body_b);
                used[index] |= meet && !(alone && apart());
            }
        }
        for (rule, _) in self.rules.iter().zip(&used).filter(|(rule, used)| **used && rule.enabled)
        {
            for group in rule.groups {
                self.elements[group].is_used = true;
            }
        }
    }

    /// Whether a joint between two bodies keeps a rule from acting.
    fn keeps_apart(&self, rule: &Rule, a: usize, b: usize) -> bool {
        !self.joined.is_empty()
            && !rule.names_both()
            && self.joined.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Index of the rule of a pair of shapes.
    fn resolve(&self, a: Place, b: Place) -> usize {
        let materials = [self.materials[a.0].as_str(), self.materials[b.0].as_str()];
        let mut best = (0, self.rules.len() - 1);
        for (index, rule) in self.rules.iter().enumerate().take(self.rules.len() - 1) {
            match rule.fit([a, b], materials) {
                Some(fit) if fit >= best.0 => best = (fit, index),
                _ => {}
            }
        }
        best.1
    }

    /// The rule of a pair of shapes; none if they do not touch each other.
    pub fn rule(&self, first: &Shape, second: &Shape) -> Option<&Rule> {
        let (a, b) = (first.body, second.body);
        let index = if self.table.is_empty() {
            self.resolve((a, first.number), (b, second.number))
        } else {
            let class =
                |shape: &Shape| self.classes[self.first_shapes[shape.body] + shape.number] as usize;
            self.table[class(first) * self.class_count + class(second)] as usize
        };
        let rule = &self.rules[index];
        (rule.enabled && !self.keeps_apart(rule, a, b)).then_some(rule)
    }
}

/// Friction with cohesion: the law of the coefficient `mu`, with the friction `most` of its strongest direction.
fn cohesive(law: &ContactLaw, mu: f64, most: f64, of: impl Fn(f64) -> ForceLaw) -> ForceLaw {
    if law.cohesion > 0.0 && most == 0.0 {
        // Without a coefficient it is of constant strength.
        let strength = law.cohesion / law.form.extent(1.0)[1];
        return ForceLaw { reservoir: ForceReservoir::Force(strength), ..of(1.0) };
    }
    of(mu).with_cohesion(law.cohesion, most)
}

/// The laws of one kind of touch.
fn group(dimension: Dimension, law: &ContactLaw, kind: TouchKind) -> (LawGroup, Components) {
    let normal = ForceLaw {
        impact: law.impact,
        restitution_curve: law.restitution_curve.clone(),
        adhesion: law.adhesion,
        ..ForceLaw::signorini(law.restitution)
    };
    let normal = ("normal", normal);
    let (mu, slip) = (law.friction, law.slip_restitution());
    if dimension == Dimension::Two {
        let friction = cohesive(law, mu, mu, |mu| ForceLaw::coulomb_1d(mu, slip));
        let friction = friction.with_curve(law.friction_curve.clone());
        let friction = ("friction", friction);
        return (LawGroup::new([normal, friction]), Components::default());
    }
    let mut parts = Components::default();
    let most = law.form.extent(mu)[1];
    let friction = cohesive(law, mu, most, |mu| law.form.law(mu, slip));
    let friction = friction.with_curve(law.friction_curve.clone());
    parts.drilling = friction.dim() == 3;
    let mut laws = vec![normal, ("friction", friction)];
    if kind == TouchKind::Rim {
        if law.contour_friction > 0.0 {
            laws.push(("contour", ForceLaw::contour_friction(law.contour_friction)));
            parts.contour += 1;
        }
        if law.contour_viscosity > 0.0 {
            let viscous = ForceLaw::contour_friction_viscous(law.contour_viscosity);
            laws.push(("contour-viscous", viscous));
            parts.contour += 1;
        }
    }
    if kind != TouchKind::Plain {
        if law.rolling_arm > 0.0 {
            laws.push(("rolling", ForceLaw::rolling_friction(law.rolling_arm)));
            parts.rolling += 1;
        }
        if law.rolling_viscosity > 0.0 {
            let viscous = ForceLaw::rolling_friction_viscous(law.rolling_viscosity);
            laws.push(("rolling-viscous", viscous));
            parts.rolling += 1;
        }
    }
    if law.impact == ImpactLaw::Moreau {
        for (_, other) in laws.iter_mut().filter(|(_, other)| other.viscosity.is_none()) {
            other.restitution = law.restitution;
        }
    }
    (LawGroup::new(laws), parts)
}
