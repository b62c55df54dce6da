//! The part of the relative accelerations that does not depend on u̇.
//!
//! ```text
//! γ = Wᵀ u + w̃,      γ̇ = Wᵀ u̇ + b,      b = Ẇᵀ u + dw̃/dt
//! ```
//!
//! b is the derivative of W(q + s q̇, t + s)ᵀ u + w̃(q + s q̇, t + s) at s = 0 with u held,
//! taken by central differences of order 8 over ±s, ..., ±4s; the difference to order 6 from the same
//! points tells whether s is small enough.

use super::mode::Mode;
use crate::system::{ContactSet, MechanicalSystem, State};

/// Weights of the differences f(ks) − f(−ks), k = 1 to 4, of order 8 and 6.
const ORDER_8: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
const ORDER_6: [f64; 4] = [3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0];
/// Largest change of a coordinate over s (an angle in rad), and longest s.
const REACH: f64 = 0.02;
const LONGEST: f64 = 1e-2;
/// Accepted difference between the orders, relative: order 8 is then better than 1e-10.
const AGREEMENT: f64 = 1e-8;
/// Times that s is shortened, each time to a quarter.
const SHORTENINGS: usize = 14;

/// Memory of the differences.
#[derive(Clone, Debug, Default)]
pub(super) struct Bias {
    contacts: ContactSet,
    probe: State,
    rate: Vec<f64>,
    order_8: Vec<f64>,
    order_6: Vec<f64>,
    /// Largest |w_i| times largest |u_i|: what rounding is relative to.
    size: Vec<f64>,
    best: Vec<f64>,
    /// The last s that was short enough, relative to what the rates allow; 0 at first.
    pub(super) shortened: f64,
    /// Length of the system, m: the reach of coordinates is relative to it where it is large.
    pub(super) length: f64,
    /// Contact of the mode that was not listed.
    pub(super) missing: Option<u64>,
}

impl Bias {
    /// Writes b for all components of the mode. False if a contact of the mode is not listed by
    /// the system in the neighbourhood of the state.
    pub(super) fn compute(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
        out: &mut [f64],
    ) -> bool {
        if mode.contacts.is_empty() {
            return true;
        }
        self.rate.resize(at.q.len(), 0.0);
        system.coordinate_rate(at, &at.u, &mut self.rate);
        let fastest = self.rate.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        // Which coordinates are lengths is not known: too far a reach is shortened below.
        let longest = (REACH * self.length.max(1.0) / fastest).min(LONGEST);
        // The last success is a good guess; it may grow again slowly.
        let mut share = if self.shortened > 0.0 { (2.0 * self.shortened).min(1.0) } else { 1.0 };
        let mut best = f64::INFINITY;
        for _ in 0..SHORTENINGS {
            let s = share * longest;
            if !self.differences(system, at, mode, s) {
                share *= 0.25;
                continue;
            }
            let mut excess = 0.0_f64;
            for k in 0..mode.dim {
                let allowed = AGREEMENT * self.order_8[k].abs()
                    + 64.0 * f64::EPSILON * self.size[k] / s
                    + f64::MIN_POSITIVE;
                excess = excess.max((self.order_8[k] - self.order_6[k]).abs() / allowed);
            }
            if excess < best {
                best = excess;
                self.best.clone_from(&self.order_8);
                self.shortened = share;
            }
            if excess <= 1.0 {
                break;
            }
            share *= 0.25;
        }
        if best == f64::INFINITY {
            return false;
        }
        out.copy_from_slice(&self.best);
        true
    }

    fn differences(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
        s: f64,
    ) -> bool {
        for v in [&mut self.order_8, &mut self.order_6, &mut self.size] {
            v.clear();
            v.resize(mode.dim, 0.0);
        }
        for k in 0..4 {
            for sign in [1.0, -1.0] {
                let shift = sign * (k + 1) as f64 * s;
                self.probe.clone_from(at);
                self.probe.t += shift;
                for (q, rate) in self.probe.q.iter_mut().zip(&self.rate) {
                    *q += shift * rate;
                }
                self.contacts.clear();
                self.contacts.margin = f64::INFINITY;
                system.contacts(&self.probe, &mut self.contacts);
                if !self.add(system, at, mode, sign * ORDER_8[k] / s, sign * ORDER_6[k] / s) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds the velocities of the probe with the given weights.
    fn add(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
        weight_8: f64,
        weight_6: f64,
    ) -> bool {
        let blocks = system.blocks();
        let offset = |block: usize| blocks[..block].iter().sum::<usize>();
        for contact in &mode.contacts {
            let listed = self.contacts.candidates().iter().find(|c| c.key == contact.key);
            let Some(candidate) = listed.filter(|c| c.dim == contact.direction.len()) else {
                self.missing = Some(contact.key);
                return false;
            };
            let w = self.contacts.directions(candidate);
            let w_tilde = self.contacts.rheonomic(candidate);
            let size = blocks[candidate.blocks[0]];
            let (first, second) = (offset(candidate.blocks[0]), offset(candidate.blocks[1]));
            for (k, row) in w.chunks_exact(candidate.width()).enumerate() {
                let mut sum = w_tilde[k];
                let (mut large_w, mut large_u) = (0.0_f64, 0.0_f64);
                for (i, w) in row.iter().enumerate() {
                    let u = if i < size { at.u[first + i] } else { at.u[second + i - size] };
                    sum += w * u;
                    (large_w, large_u) = (large_w.max(w.abs()), large_u.max(u.abs()));
                }
                // Not the largest product: on the axis of a fast spin all products cancel to rounding.
                let large = w_tilde[k].abs().max(large_w * large_u);
                let component = contact.first + k;
                self.order_8[component] += weight_8 * sum;
                self.order_6[component] += weight_6 * sum;
                self.size[component] = self.size[component].max(large);
            }
        }
        true
    }
}
