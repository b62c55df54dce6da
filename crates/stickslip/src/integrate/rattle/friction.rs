//! Which law friction obeys in stage 2.
//!
//! Taking the force of stage 1 again is the midpoint rule: of second order, but it rings where half a
//! step of friction could turn the motion round. There the law is taken for the second stage alone,
//! which damps. After an impact only the law for the whole step gives the right percussion.

use super::active::{Active, ActiveSet, Level};
use super::islands::Islands;
use super::stage_one::StageOne;
use crate::system::{ForceLaw, ForceReservoir, LawGroup};

/// How a law is taken in stage 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The force over the normal force, or the force, of stage 1.
    Keep,
    /// The law between the velocities at the end and the percussion of stage 2 alone.
    Alone,
    /// The law between the velocities at the end and the percussion of the whole step.
    Whole,
}

/// Speed relative to that of the whole motion at the contact below which it stays closed.
const PERSISTENT: f64 = 1e-6;

/// The choice for all laws of all active contacts, and the islands that see an impact.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    /// Modes of all laws, contact after contact.
    pub(super) modes: Vec<Mode>,
    /// By island: whether there is an impact in the step.
    pub(super) impact: Vec<bool>,
    /// Kinetic energy by island, J.
    energy: Vec<f64>,
    /// Velocities that the friction of stage 1 gives by itself.
    by_friction: Vec<f64>,
}

/// Whether a law takes part in the choice: all but normal laws and rigid joints.
pub(super) fn is_friction(contact: &Active, position: usize, law: &ForceLaw) -> bool {
    let normal = contact.level == Level::Gap && position == 0;
    !normal && contact.level != Level::Position && !law.is_rigid()
}

impl Choice {
    /// Finds the islands with an impact: a contact that was open, or approached, or a joint whose
    /// velocities did not fit, at the start.
    pub(super) fn find_impacts(
        &mut self,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
        groups: &[LawGroup],
        u_a: &[f64],
        dt: f64,
    ) {
        let inverse = &stage.dynamics.inverse;
        let blocks = inverse.block_count();
        self.impact.clear();
        self.impact.resize(blocks, false);
        self.energy.clear();
        self.energy.resize(blocks, 0.0);
        for block in 0..blocks {
            let u = &stage.middle.u[stage.dynamics.range(block)];
            self.energy[islands.of(block)] += 0.5 * stage.dynamics.twice_energy(block, u);
        }
        for (index, contact) in active.list.iter().enumerate() {
            let island = islands.of(contact.rows.blocks[0]);
            // The normal law of a contact that presses, or that closes at the very end of the step, so that
            // stage 1 need not press; joints and motors have one law, if it is rigid.
            let first = &groups[contact.group].laws[0].law;
            let closes = || {
                contact.gap_e <= contact.closed_at
                    && contact.gap_a > contact.closed_at
                    && active.gamma_m(inverse, contact, 0, &stage.middle.u) < 0.0
            };
            let judged = match contact.level {
                Level::Gap => stage.lambda[contact.offset] > 0.0 || closes(),
                Level::Position | Level::Velocity => first.is_rigid(),
            };
            for k in 0..if judged { first.dim() } else { 0 } {
                let response = stage.problem.delassus().diagonal_entry(index, k);
                let speed = (2.0 * self.energy[island] * response.abs()).sqrt();
                let allowed = PERSISTENT * speed + contact.closed_at / dt;
                let gamma = active.gamma_a(inverse, contact, k, u_a);
                let gap = if contact.level == Level::Gap { contact.gap_a } else { 0.0 };
                // A gap that was not listed at the start counts as open.
                if !(gap <= allowed * dt) || gamma.abs() > allowed {
                    self.impact[island] = true;
                }
            }
        }
    }

    /// Chooses the modes by ζ: the velocity that the friction of stage 1 changes by itself over the
    /// velocity that it acts against.
    pub(super) fn choose(
        &mut self,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
        groups: &[LawGroup],
    ) {
        let inverse = &stage.dynamics.inverse;
        self.by_friction.clear();
        self.by_friction.resize(inverse.dim(), 0.0);
        for (index, contact) in active.list.iter().enumerate() {
            let rows = &stage.rows.contacts[index];
            let mut k = 0;
            for (position, named) in groups[contact.group].laws.iter().enumerate() {
                let dim = named.law.dim();
                if is_friction(contact, position, &named.law) {
                    for component in k..k + dim {
                        let mut one = *rows;
                        one.start += component * rows.width;
                        one.dim = 1;
                        let lambda = &stage.lambda[contact.offset + component..][..1];
                        stage.rows.add(inverse, &one, lambda, &mut self.by_friction);
                    }
                }
                k += dim;
            }
        }
        self.modes.clear();
        for (index, contact) in active.list.iter().enumerate() {
            let whole = self.impact[islands.of(contact.rows.blocks[0])];
            let mut k = 0;
            for (position, named) in groups[contact.group].laws.iter().enumerate() {
                let dim = named.law.dim();
                let mode = if whole {
                    Mode::Whole
                } else if is_friction(contact, position, &named.law)
                    && !matches!(named.law.reservoir, ForceReservoir::NormalPlus(_))
                    && (contact.level != Level::Gap || stage.lambda[contact.offset] > 0.0)
                    && self.ratio(stage, active, index, k, dim) <= 1.0
                {
                    Mode::Keep
                } else {
                    Mode::Alone
                };
                self.modes.push(mode);
                k += dim;
            }
        }
    }

    /// ζ of a law with components k to k + dim of a contact.
    fn ratio(
        &self,
        stage: &StageOne,
        active: &ActiveSet,
        index: usize,
        k: usize,
        dim: usize,
    ) -> f64 {
        let inverse = &stage.dynamics.inverse;
        let contact = &active.list[index];
        let seen = |component: usize, u: &[f64]| {
            let row = &active.mean[contact.rows.row(component)];
            super::super::rows::product(inverse, contact.rows.blocks, row, u)
        };
        let gamma = |component: usize| active.gamma_m(inverse, contact, component, &stage.middle.u);
        let sliding = k..k + dim.min(2);
        let size = |f: &dyn Fn(usize) -> f64, range: std::ops::Range<usize>| {
            range.map(|c| f(c).powi(2)).sum::<f64>().sqrt()
        };
        let changed = size(&|c| seen(c, &self.by_friction), sliding.clone());
        let mut ratio = over(changed, size(&gamma, sliding));
        for drilling in k + 2..k + dim {
            let response = stage.problem.delassus().diagonal_entry(index, drilling);
            let alone = response * stage.lambda[contact.offset + drilling].abs();
            ratio = ratio.max(over(alone, gamma(drilling).abs()));
        }
        ratio
    }
}

/// a/b, infinite for b = 0: what does not move sticks.
fn over(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::INFINITY }
}
