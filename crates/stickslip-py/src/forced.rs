//! A system with one more force, a function of Python.
//!
//! Everything else is that of the system inside. A method that the traits get with a default must be passed on
//! here too; a test compares a scene with the force zero with the scene itself.

use crate::own::{Callback, array};
use std::sync::Arc;
use stickslip::system::{
    Column, Condition, ContactColumn, ContactPlace, ContactSet, Drawing, DrawnPose, Energy, Facts,
    JointPart, LawGroup, MechanicalSystem, Observed, Seen, State,
};

/// h + f(t, q, u); f has no potential, its work counts as that of a drive.
pub struct Forced {
    pub(crate) system: Arc<dyn Observed>,
    pub(crate) force: Callback,
}

impl Forced {
    fn force(&self, at: &State, out: &mut [f64]) {
        self.force.fill("the force", out, |py, function| {
            function.call1(py, (at.t, array(py, &at.q), array(py, &at.u)))
        });
    }

    /// Adds the force.
    fn add(&self, at: &State, forces: &mut [f64]) {
        let mut own = vec![0.0; forces.len()];
        self.force(at, &mut own);
        forces.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
}

impl MechanicalSystem for Forced {
    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.system.mass_and_forces(at, mass, forces);
        self.add(at, forces);
    }

    fn applied_forces(&self, at: &State, out: &mut [f64]) {
        self.system.applied_forces(at, out);
        self.add(at, out);
    }

    /// Without the function, whose derivative is not known: it makes iterations converge faster, no more.
    fn force_jacobian(&self, at: &State, out: &mut [f64]) -> bool {
        self.system.force_jacobian(at, out)
    }

    fn coordinate_count(&self) -> usize {
        self.system.coordinate_count()
    }

    fn blocks(&self) -> &[usize] {
        self.system.blocks()
    }

    fn memory_count(&self) -> usize {
        self.system.memory_count()
    }

    fn not_finite(&self) -> Option<String> {
        self.system.not_finite()
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        self.system.coordinate_rate(at, v, q_dot);
    }

    fn coordinate_gradient(&self, at: &State, w: &[f64], out: &mut [f64]) {
        self.system.coordinate_gradient(at, w, out);
    }

    fn coordinates_of_block(&self) -> Option<usize> {
        self.system.coordinates_of_block()
    }

    fn advance(&self, from: &State, v: &[f64], dt: f64, half_way: &mut State, q_e: &mut [f64]) {
        self.system.advance(from, v, dt, half_way, q_e);
    }

    fn looks(&self, from: &State, v: &[f64], dt: f64) -> usize {
        self.system.looks(from, v, dt)
    }

    fn normalize(&self, q: &mut [f64]) {
        self.system.normalize(q);
    }

    fn remember(&self, state: &mut State) {
        self.system.remember(state);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        self.system.contacts(at, out);
    }

    fn law_groups(&self) -> &[LawGroup] {
        self.system.law_groups()
    }

    fn contact_name(&self, key: u64) -> String {
        self.system.contact_name(key)
    }

    fn restore_gaps(&self, state: &mut State) -> bool {
        self.system.restore_gaps(state)
    }

    fn translations(&self) -> usize {
        self.system.translations()
    }

    fn characteristic_length(&self) -> Option<f64> {
        self.system.characteristic_length()
    }

    fn energy(&self, at: &State) -> Energy {
        self.system.energy(at)
    }
}

impl Observed for Forced {
    fn columns(&self) -> Vec<Column> {
        self.system.columns()
    }

    fn extra_columns(&self) -> Vec<Column> {
        self.system.extra_columns()
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        self.system.observe(at, out);
    }

    fn derive(&self, at: &State, seen: &Seen, values: &mut Vec<f64>) {
        self.system.derive(at, seen, values);
    }

    fn start_constraints(&self, at: &State, of_positions: bool, out: &mut ContactSet) -> bool {
        self.system.start_constraints(at, of_positions, out)
    }

    fn is_held_at_start(&self, block: usize, of_positions: bool) -> bool {
        self.system.is_held_at_start(block, of_positions)
    }

    fn conditions(&self) -> &[Condition] {
        self.system.conditions()
    }

    fn counter_count(&self) -> usize {
        self.system.counter_count()
    }

    fn counts_impact(&self, counter: usize, contact: u64) -> bool {
        self.system.counts_impact(counter, contact)
    }

    fn conditions_hold(
        &self,
        at: &State,
        seen: &Seen,
        facts: &Facts,
        memory: &mut [Vec<f64>; 2],
        out: &mut Vec<bool>,
    ) {
        self.system.conditions_hold(at, seen, facts, memory, out);
    }

    fn reported_contacts(&self) -> &[u64] {
        self.system.reported_contacts()
    }

    fn reported_index(&self, key: u64) -> Option<usize> {
        self.system.reported_index(key)
    }

    fn contact_label(&self) -> &'static str {
        self.system.contact_label()
    }

    fn has_slider_corners(&self) -> bool {
        self.system.has_slider_corners()
    }

    fn contact_columns(&self, contact: usize) -> &[ContactColumn] {
        self.system.contact_columns(contact)
    }

    fn contact_turns(&self, contact: u64) -> bool {
        self.system.contact_turns(contact)
    }

    fn is_second(&self, contact: u64, block: usize) -> bool {
        self.system.is_second(contact, block)
    }

    fn reported_joints(&self) -> &[String] {
        self.system.reported_joints()
    }

    fn joint_part(&self, key: u64) -> Option<(usize, JointPart)> {
        self.system.joint_part(key)
    }

    fn joint_coordinate(&self, at: &State, joint: usize) -> Option<f64> {
        self.system.joint_coordinate(at, joint)
    }

    fn drawing(&self) -> Drawing {
        self.system.drawing()
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        self.system.poses(at, out);
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        self.system.contact_places(at, out);
    }
}
