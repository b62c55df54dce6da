//! The groups of laws of joints.

use super::description::{ContactLaw, JointDescription};
use crate::system::{ElementConstants, ForceLaw, GroupElements, LawGroup, SpeedCurve};
use std::collections::BTreeMap;

/// The kind of the groups of clearance joints.
const CLEARANCE: &str = "clearance";

/// Groups of laws without doubles.
#[derive(Default)]
pub(super) struct Groups {
    pub list: Vec<LawGroup>,
    /// Index by kind and parameters.
    index: BTreeMap<(&'static str, [u64; 5]), usize>,
    /// The curves of friction as texts.
    curves: Vec<String>,
    /// What the laws of clearance joints say of their elements.
    told: BTreeMap<usize, ElementConstants>,
}

impl Groups {
    fn find(
        &mut self,
        kind: &'static str,
        parameters: [f64; 5],
        group: impl FnOnce() -> LawGroup,
    ) -> usize {
        *self.index.entry((kind, parameters.map(f64::to_bits))).or_insert_with(|| {
            self.list.push(group());
            self.list.len() - 1
        })
    }

    /// The elements of the groups. Stiffness counts per mass: the components of joints are forces or
    /// moments.
    pub fn elements(&self, of_world: ElementConstants) -> Vec<GroupElements> {
        let mut elements = vec![GroupElements::default(); self.list.len()];
        for ((kind, _), index) in &self.index {
            let told = self.told.get(index).copied().unwrap_or_default();
            elements[*index] = GroupElements {
                label: (*kind).into(),
                constants: told.or(of_world),
                is_used: true,
                by_mass: *kind != CLEARANCE,
            };
        }
        elements
    }

    pub fn constraint(&mut self, dim: usize) -> usize {
        let group = || LawGroup::new([("joint", ForceLaw::bilateral(dim))]);
        self.find("joint", [dim as f64, 0.0, 0.0, 0.0, 0.0], group)
    }

    pub fn motor(&mut self) -> usize {
        self.find("motor", [0.0; 5], || LawGroup::new([("motor", ForceLaw::bilateral(1))]))
    }

    pub fn limit(&mut self, restitution: f64) -> usize {
        let group = || LawGroup::new([("limit", ForceLaw::signorini(restitution))]);
        self.find("limit", [restitution, 0.0, 0.0, 0.0, 0.0], group)
    }

    pub fn clutch(&mut self) -> usize {
        self.find("clutch", [0.0; 5], || LawGroup::new([("clutch", ForceLaw::signorini(0.0))]))
    }

    pub fn friction(&mut self, joint: &JointDescription) -> usize {
        let curve = joint.friction_curve.clone();
        let parameters = [joint.friction, self.curve(&curve), 0.0, 0.0, 0.0];
        let group = || {
            let law = ForceLaw::dry_friction(1, joint.friction).with_curve(curve);
            LawGroup::new([("joint-friction", law)])
        };
        self.find("joint-friction", parameters, group)
    }

    /// A number for a curve; 0 for none.
    fn curve(&mut self, curve: &Option<SpeedCurve>) -> f64 {
        let Some(curve) = curve else { return 0.0 };
        let text = format!("{curve:?}");
        let known = self.curves.iter().position(|other| *other == text);
        let place = known.unwrap_or_else(|| {
            self.curves.push(text);
            self.curves.len() - 1
        });
        1.0 + place as f64
    }

    pub fn clearance(&mut self, law: &ContactLaw) -> usize {
        let curve = self.curve(&law.friction_curve);
        let slip = law.slip_restitution();
        let kind = 4.0 * self.curve(&law.restitution_curve) + f64::from(law.impact as u8);
        let parameters = [law.restitution, law.friction, slip, curve, kind];
        let group = self.find(CLEARANCE, parameters, || {
            let friction =
                ForceLaw::coulomb_1d(law.friction, slip).with_curve(law.friction_curve.clone());
            let normal = ForceLaw {
                impact: law.impact,
                restitution_curve: law.restitution_curve.clone(),
                ..ForceLaw::signorini(law.restitution)
            };
            LawGroup::new([("normal", normal), ("friction", friction)])
        });
        self.told.entry(group).or_insert(law.elements);
        group
    }
}
