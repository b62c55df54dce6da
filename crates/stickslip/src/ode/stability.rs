//! How large a step of the classical Runge-Kutta method may be.

use super::element::PreparedLaw;
use super::{ContactElement, Element, FrictionElement, OdeSystem, RateError};
use crate::system::{ForceReservoir, MechanicalSystem, State};
use faer::Mat;

/// Largest linear system of which all eigenvalues are computed: it takes its size to the third power.
const MOST_EIGENVALUES: usize = 300;

/// Turns over which the growth of a larger one is averaged.
const GROWTH_TURNS: usize = 60;

/// |z| up to which Runge-Kutta is stable along the negative real axis.
const RK4_REAL: f64 = 2.785;

/// The largest step with which [`Rk4`](super::Rk4) is stable while all contacts touch and stick.
///
/// There the elements are linear; the slowest to damp decides. Steps above the limit do not always
/// blow up, because slipping and opening bound the motion, but the forces then oscillate from step
/// to step and positions of rest are wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilityLimit {
    /// The largest step, s; infinite where nothing limits it.
    pub step: f64,
    /// Real and imaginary part of the eigenvalue that limits it, 1/s.
    pub eigenvalue: [f64; 2],
}

impl StabilityLimit {
    /// What to tell a user who takes the step `dt`; nothing if it is stable.
    pub fn warning(&self, dt: f64) -> Option<String> {
        (dt > self.step).then(|| {
            format!(
                "the step {dt} s is above {:.3e} s, the largest with which Runge-Kutta is stable \
                 in stick (eigenvalue {:.4e} {:+.4e}i 1/s); take a smaller step or ode-stiff",
                self.step, self.eigenvalue[0], self.eigenvalue[1]
            )
        })
    }
}

/// The largest step, s, with which the classical Runge-Kutta method is stable for ẏ = λ y with
/// λ = re + i im (1/s); infinite for λ = 0 and where the exact solution grows.
pub fn rk4_step_limit(re: f64, im: f64) -> f64 {
    let size = re.hypot(im);
    if size == 0.0 || !size.is_finite() || re > 1e-9 * size {
        return f64::INFINITY;
    }
    let (re, im) = (re.min(0.0) / size, im / size);
    // |1 + z + z²/2 + z³/6 + z⁴/24| with z = s (re + i im), by Horner's rule.
    let growth = |s: f64| {
        let (zr, zi) = (s * re, s * im);
        let (mut r, mut i) = (1.0, 0.0);
        for k in [4.0, 3.0, 2.0, 1.0] {
            (r, i) = (1.0 + (r * zr - i * zi) / k, (r * zi + i * zr) / k);
        }
        f64::hypot(r, i)
    };
    let stable = |s: f64| growth(s) <= 1.0 + 1e-12;
    // The boundary lies between 2 and 3.4 in every direction of the left half plane.
    let (mut low, mut high) = (0.0, 4.0);
    for k in 1..=400 {
        let s = 0.01 * f64::from(k);
        if !stable(s) {
            high = s;
            break;
        }
        low = s;
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if stable(middle) { low = middle } else { high = middle }
    }
    low / size
}

/// How a force depends on gap, velocity and states while everything sticks.
struct Stick {
    /// −∂λ/∂g, −∂λ/∂γ, −∂λ/∂state.
    by_gap: f64,
    by_velocity: f64,
    by_state: f64,
    /// Rate of the state: multiples of gap, velocity and state.
    state_by_gap: f64,
    state_by_velocity: f64,
    state_by_state: f64,
}

fn stick(law: &PreparedLaw, component: usize, normal: f64, scale: f64) -> Stick {
    let mut s = Stick {
        by_gap: 0.0,
        by_velocity: 0.0,
        by_state: 0.0,
        state_by_gap: 0.0,
        state_by_velocity: 0.0,
        state_by_state: 0.0,
    };
    match &law.element {
        Element::Contact(ContactElement::Xiong(c)) => {
            let ratio = c.relaxation_time / c.contact_time;
            s.by_gap = c.stiffness * ratio;
            s.by_state = c.stiffness * (ratio - 1.0);
            s.state_by_gap = -1.0 / c.contact_time;
            s.state_by_state = -1.0 / c.contact_time;
        }
        Element::Contact(ContactElement::Linear(c)) => {
            s.by_gap = c.stiffness;
            s.by_velocity = c.viscosity;
        }
        // Its stiffness at the start of a contact is zero.
        Element::Contact(ContactElement::HuntCrossley(_)) => {}
        Element::Joint(joint) => {
            s.by_gap = joint.stiffness;
            s.by_velocity = joint.stiffness * joint.relaxation_time;
        }
        Element::Function => s.by_velocity = law.viscosity.unwrap_or(0.0),
        Element::Friction { element, speed_factor, length } => {
            let arm = if component == 2 || law.moments { *length } else { 1.0 };
            match element {
                FrictionElement::Xiong(f) => {
                    s.by_velocity = f.stiffness * f.relaxation_time * arm * arm;
                    s.by_state = f.stiffness * arm;
                    s.state_by_velocity = arm;
                }
                FrictionElement::LuGre(f) => {
                    s.by_velocity = f.bristle_viscosity + f.viscosity;
                    s.by_state = f.stiffness;
                    s.state_by_velocity = 1.0;
                }
                FrictionElement::Smoothed(f) => {
                    let reservoir = match law.reservoir {
                        ForceReservoir::Unbounded => 0.0,
                        other => other.scale(normal),
                    };
                    let own = law.curve.as_ref();
                    let own = own.map_or(1.0, |c| c.sliding(0.0, 0.0) / c.reference());
                    let factor = own * speed_factor.at(f.strength_speed(0.0));
                    s.by_velocity = reservoir * law.radius() * factor / f.smoothing_speed;
                }
            }
        }
    }
    if !matches!(law.element, Element::Function) {
        s.by_gap *= scale;
        s.by_velocity *= scale;
        s.by_state *= scale;
    }
    s
}

/// A row of W with the places of its gap and state in the linear system.
struct ElementRow {
    /// Velocity and entry.
    direction: Vec<(usize, f64)>,
    gap: Option<usize>,
    state: Option<usize>,
    stick: Stick,
}

impl OdeSystem {
    /// The limit at the configuration of a state, with all its contact candidates touching and
    /// sticking. Smoothed Coulomb friction is taken with the normal forces of that state.
    pub fn stability_limit(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
    ) -> Result<StabilityLimit, RateError> {
        let mut at = state.clone();
        self.prepare(system, &mut at)?;
        let (mut y, mut y_dot) = (Vec::new(), Vec::new());
        self.pack(&at, &mut y);
        y_dot.resize(y.len(), 0.0);
        // Factors M and gives the normal forces.
        self.rate(system, at.t, &y, &mut y_dot)?;
        let n_u = at.u.len();
        let (rows, size) = self.sticking_rows(system, &at);
        let mut limit = StabilityLimit { step: f64::INFINITY, eigenvalue: [0.0, 0.0] };
        let mut take = |re: f64, im: f64| {
            let step = rk4_step_limit(re, im);
            if step < limit.step {
                limit = StabilityLimit { step, eigenvalue: [re, im] };
            }
        };
        if size > MOST_EIGENVALUES {
            // Along any direction of the left half plane Runge-Kutta is stable up to |z| = 2.
            let fastest = self.fastest(&rows, n_u, size);
            take(-fastest * RK4_REAL / 2.0, 0.0);
        } else {
            let mut matrix = Mat::<f64>::zeros(size, size);
            let (mut unit, mut image) = (vec![0.0; size], vec![0.0; size]);
            for column in 0..size {
                unit[column] = 1.0;
                self.multiply(&rows, n_u, &unit, &mut image);
                unit[column] = 0.0;
                for (i, entry) in image.iter().enumerate() {
                    matrix[(i, column)] = *entry;
                }
            }
            for value in matrix.eigenvalues().unwrap_or_default() {
                take(value.re, value.im);
            }
        }
        // Open or slipping: deflections relax.
        for law in self.regularisation.groups.iter().flatten() {
            match &law.element {
                Element::Contact(ContactElement::Xiong(c)) => take(-1.0 / c.relaxation_time, 0.0),
                Element::Friction { element: FrictionElement::Xiong(f), .. } => {
                    take(-1.0 / f.relaxation_time, 0.0);
                }
                _ => {}
            }
        }
        Ok(limit)
    }

    /// The linear system: out = A x for x of velocities, gaps and states.
    fn multiply(&self, rows: &[ElementRow], n_u: usize, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for row in rows {
            let velocity: f64 = row.direction.iter().map(|(k, w)| w * x[*k]).sum();
            let gap = row.gap.map_or(0.0, |index| x[index]);
            let own = row.state.map_or(0.0, |index| x[index]);
            let s = &row.stick;
            let lambda = -(s.by_gap * gap + s.by_velocity * velocity + s.by_state * own);
            for (k, w) in &row.direction {
                out[*k] += lambda * w;
            }
            if let Some(index) = row.gap {
                out[index] = velocity;
            }
            if let Some(index) = row.state {
                out[index] =
                    s.state_by_gap * gap + s.state_by_velocity * velocity + s.state_by_state * own;
            }
        }
        for block in 0..self.mass_inverse.block_count() {
            let first = self.mass_inverse.offset(block);
            let range = first..(first + self.mass_inverse.size(block)).min(n_u);
            self.mass_inverse.apply(block, &mut out[range]);
        }
    }

    /// The largest size of an eigenvalue, 1/s, by the growth of a vector under the linear system.
    fn fastest(&self, rows: &[ElementRow], n_u: usize, size: usize) -> f64 {
        // No symmetry of the system may hide in the start.
        let mut x: Vec<f64> = (0..size).map(|k| (1.0 + 0.618 * k as f64).sin()).collect();
        let (mut out, mut growth) = (vec![0.0; size], 0.0);
        // The first turns forget the start, the others are averaged.
        for turn in 0..3 * GROWTH_TURNS {
            self.multiply(rows, n_u, &x, &mut out);
            let length = out.iter().map(|v| v * v).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return 0.0;
            }
            x.iter_mut().zip(&out).for_each(|(x, v)| *x = v / length);
            if turn >= 2 * GROWTH_TURNS {
                growth += length.ln() / GROWTH_TURNS as f64;
            }
        }
        growth.exp()
    }

    fn sticking_rows(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
    ) -> (Vec<ElementRow>, usize) {
        let normals: Vec<f64> = self.contacts().iter().map(|c| c.force).collect();
        self.contacts.clear();
        self.contacts.margin = f64::INFINITY;
        system.contacts(at, &mut self.contacts);
        let mut rows = Vec::new();
        let mut size = at.u.len();
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            let Some(position) = self.layout.find(index, candidate.key) else { continue };
            let directions = self.contacts.directions(candidate);
            let mut k = 0;
            for law in &self.regularisation.groups[candidate.group] {
                for component in 0..law.dim {
                    let row = &directions[k * candidate.width()..(k + 1) * candidate.width()];
                    let (a, b) = row.split_at(self.mass_inverse.size(candidate.blocks[0]));
                    let mut direction = Vec::with_capacity(row.len());
                    for (block, part) in candidate.blocks.into_iter().zip([a, b]) {
                        let first = self.mass_inverse.offset(block);
                        let entries = part.iter().enumerate().filter(|(_, w)| **w != 0.0);
                        direction.extend(entries.map(|(k, w)| (first + k, *w)));
                    }
                    let mut take = |wanted: bool| {
                        size += usize::from(wanted);
                        wanted.then_some(size - 1)
                    };
                    let gap = take(matches!(law.element, Element::Contact(_) | Element::Joint(_)));
                    let state = take(law.states > 0);
                    let scale = self.layout.scale(&self.layout.slots[position], k);
                    let stick = stick(law, component, normals[position], scale);
                    rows.push(ElementRow { direction, gap, state, stick });
                    k += 1;
                }
            }
        }
        (rows, size)
    }
}
