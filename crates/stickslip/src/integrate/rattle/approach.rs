//! Contacts that are met within a step: how they are found, and how bodies leave them again.

use super::super::rows::{product, respond};
use super::active::{ActiveSet, Level};
use super::islands::Islands;
use super::stage_one::StageOne;
use crate::problem::largest;
use crate::system::{MechanicalSystem, State};

/// Looks between start and end of a step at the most.
const MOST_LOOKS: usize = 1000;
/// Share of an overlap that is closed in a step.
const LIFTED: f64 = 0.05;

impl StageOne {
    /// Looks for contacts between start and end where bodies are fast or thin. Returns whether there
    /// are some.
    pub(super) fn look_on_the_way(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        active: &mut ActiveSet,
    ) -> bool {
        let looks = system.looks(at, &self.middle.u, dt).min(MOST_LOOKS);
        let known = active.list.len();
        for look in 1..looks {
            let passed = dt * look as f64 / looks as f64;
            let State { q, .. } = &mut self.on_the_way;
            q.resize(at.q.len(), 0.0);
            self.half_way.q.copy_from_slice(&at.q);
            system.advance(at, &self.middle.u, passed, &mut self.half_way, q);
            system.normalize(q);
            self.on_the_way.t = at.t + passed;
            self.on_the_way.u.clone_from(&self.middle.u);
            self.on_the_way.memory.clone_from(&at.memory);
            self.passing.clear();
            system.contacts(&self.on_the_way, &mut self.passing);
            active.meet(&self.passing, &self.dynamics.inverse, &self.middle.u, passed);
        }
        active.list.len() > known
    }

    /// Gap at the end up to which rows are of use: what the contacts move in a step.
    pub(super) fn margin(&self, active: &ActiveSet, dt: f64) -> f64 {
        let inverse = &self.dynamics.inverse;
        let size = largest(&self.end.q);
        active.list.iter().filter(|a| a.level == Level::Gap).fold(1e-12 * size, |margin, a| {
            margin.max(2.0 * dt * active.gamma_a(inverse, a, 0, &self.middle.u).abs())
        })
    }

    /// Contacts with restitution that are met within the step leave a gap at its end: what is left of
    /// the way, turned round. Without joints only: a mechanism may have no room for it. Nor where
    /// contacts come one after the other in one step.
    pub(super) fn let_rebound(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        known: usize,
        turn: usize,
        active: &mut ActiveSet,
        islands: &Islands,
    ) {
        for (index, contact) in active.list.iter().enumerate() {
            let joint = contact.level != Level::Gap;
            if joint || (turn > 0 && index >= known) {
                let crowded = joint
                    || active.list[..known].iter().any(|other| {
                        islands.of(other.rows.blocks[0]) == islands.of(contact.rows.blocks[0])
                    });
                if crowded {
                    self.late[islands.of(contact.rows.blocks[0])] = true;
                }
            }
        }
        let groups = system.law_groups();
        for index in 0..active.list.len() {
            let contact = active.list[index];
            if self.late[islands.of(contact.rows.blocks[0])] {
                active.list[index].rebound = 0.0;
                continue;
            }
            let gamma = active.gamma_a(&self.dynamics.inverse, &contact, 0, &at.u);
            let restitution = groups[contact.group].velocity_restitution(0, -gamma, at.t);
            let fresh = turn == 0 || index >= known;
            let gap_e =
                if contact.gap_e.is_nan() { contact.gap_a + dt * gamma } else { contact.gap_e };
            if fresh && restitution > 0.0 && gamma < 0.0 && gap_e < 0.0 {
                active.list[index].rebound = restitution * (-gap_e).min(-gamma * dt);
            }
        }
    }

    /// Bodies that overlap at the start of the step are not thrown apart: the depth falls by a share, or
    /// by the way that the smooth forces go in a step. Nothing that is resolved overlaps; where points
    /// of contact have jumped, the percussions of both stages act at different places, and what a high
    /// speed of closing puts in would not be taken out again.
    pub(super) fn lift_slowly(&mut self, dt: f64, active: &mut ActiveSet) {
        let inverse = &self.dynamics.inverse;
        for index in 0..active.list.len() {
            let contact = active.list[index];
            let depth = -contact.gap_a;
            if contact.level != Level::Gap || !(depth > contact.closed_at) {
                continue;
            }
            self.momentum.clear();
            self.momentum.extend_from_slice(&active.start[contact.rows.row(0)]);
            respond(inverse, contact.rows.blocks, &mut self.momentum);
            let blocks = contact.rows.blocks;
            let acceleration = product(inverse, blocks, &self.momentum, &self.dynamics.forces);
            let lift = (LIFTED * depth).max(acceleration.abs() * dt * dt);
            active.list[index].sunk = (depth - lift).max(0.0);
        }
    }
}
