//! Small tools of these tests: accelerations, finite differences, a Runge-Kutta step.

use fastrand::Rng;
use stickslip::system::{ContactSet, MechanicalSystem, State};

/// All directions of a contact, whether it is open or closed.
pub struct Contact {
    pub key: u64,
    pub group: usize,
    pub gap: f64,
    pub rows: Vec<Vec<f64>>,
    pub rheonomic: Vec<f64>,
}

impl Contact {
    /// γ = Wᵀu + w̃.
    pub fn velocities(&self, u: &[f64]) -> Vec<f64> {
        self.rows.iter().zip(&self.rheonomic).map(|(row, w)| dot(row, u) + w).collect()
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// All candidates with their directions.
pub fn contacts(system: &dyn MechanicalSystem, at: &State) -> Vec<Contact> {
    let mut set = ContactSet::default();
    set.margin = f64::INFINITY;
    system.contacts(at, &mut set);
    set.candidates()
        .iter()
        .map(|c| Contact {
            key: c.key,
            group: c.group,
            gap: c.gap,
            rows: set.directions(c).chunks(c.width()).map(<[f64]>::to_vec).collect(),
            rheonomic: set.rheonomic(c).to_vec(),
        })
        .collect()
}

/// Solution of a x = b (dense, row-major) by elimination with row exchanges.
pub fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
        let pivot = pivot.unwrap();
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
        }
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    b
}

/// Accelerations u̇ = M⁻¹(h + Σ W λ) for forces λ at contacts, listed as (contact, λ).
pub fn acceleration(
    system: &dyn MechanicalSystem,
    at: &State,
    forces: &[(usize, Vec<f64>)],
) -> Vec<f64> {
    let n: usize = system.blocks().iter().sum();
    let (mut mass, mut h) = (vec![0.0; n * n], vec![0.0; n]);
    system.mass_and_forces(at, &mut mass, &mut h);
    let contacts = contacts(system, at);
    for (contact, lambda) in forces {
        for (row, l) in contacts[*contact].rows.iter().zip(lambda) {
            (0..n).for_each(|k| h[k] += row[k] * l);
        }
    }
    solve(&mass, &h)
}

/// q̇ = F(q) u.
pub fn coordinate_rate(system: &dyn MechanicalSystem, at: &State) -> Vec<f64> {
    let mut q_dot = vec![0.0; system.coordinate_count()];
    system.coordinate_rate(at, &at.u, &mut q_dot);
    q_dot
}

/// The state moved by `dt` along q̇ and u̇, to first order.
pub fn shifted(at: &State, q_dot: &[f64], u_dot: &[f64], dt: f64) -> State {
    let mut next = at.clone();
    next.q.iter_mut().zip(q_dot).for_each(|(q, d)| *q += dt * d);
    next.u.iter_mut().zip(u_dot).for_each(|(u, d)| *u += dt * d);
    next
}

/// Central difference of a function along the motion q̇, u̇.
pub fn derivative(
    f: impl Fn(&State) -> f64,
    at: &State,
    q_dot: &[f64],
    u_dot: &[f64],
    dt: f64,
) -> f64 {
    (f(&shifted(at, q_dot, u_dot, dt)) - f(&shifted(at, q_dot, u_dot, -dt))) / (2.0 * dt)
}

/// One step of the classical Runge-Kutta method for q̇ = F u, u̇ = `acceleration`.
pub fn rk4_step(
    system: &dyn MechanicalSystem,
    state: &State,
    dt: f64,
    acceleration: &dyn Fn(&State) -> Vec<f64>,
) -> State {
    let rates = |s: &State| (coordinate_rate(system, s), acceleration(s));
    let k1 = rates(state);
    let k2 = rates(&shifted(state, &k1.0, &k1.1, 0.5 * dt));
    let k3 = rates(&shifted(state, &k2.0, &k2.1, 0.5 * dt));
    let k4 = rates(&shifted(state, &k3.0, &k3.1, dt));
    let mean = |a: &[f64], b: &[f64], c: &[f64], d: &[f64]| -> Vec<f64> {
        (0..a.len()).map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0).collect()
    };
    let q_dot = mean(&k1.0, &k2.0, &k3.0, &k4.0);
    let u_dot = mean(&k1.1, &k2.1, &k3.1, &k4.1);
    let mut next = shifted(state, &q_dot, &u_dot, dt);
    next.t += dt;
    next
}

/// Free flight to the time `end` in `steps` steps.
pub fn free_flight(system: &dyn MechanicalSystem, start: &State, end: f64, steps: usize) -> State {
    let free = |s: &State| acceleration(system, s, &[]);
    (0..steps).fold(start.clone(), |s, _| rk4_step(system, &s, end / steps as f64, &free))
}

/// Observed order of an error that falls from `coarse` to `fine` when the step is halved.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// A number between −1 and 1.
pub fn signed(rng: &mut Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

/// A unit quaternion.
pub fn unit_quaternion(rng: &mut Rng) -> [f64; 4] {
    loop {
        let p = [signed(rng), signed(rng), signed(rng), signed(rng)];
        let n = dot(&p, &p).sqrt();
        if n > 0.1 && n < 1.0 {
            return p.map(|e| e / n);
        }
    }
}

/// A random state of a free body in quaternion coordinates: position and velocity of size
/// `length` and `speed`, angular velocity of size `spin`.
pub fn free_body_state(rng: &mut Rng, length: f64, speed: f64, spin: f64) -> State {
    let p = unit_quaternion(rng);
    let mut q: Vec<f64> = (0..3).map(|_| length * signed(rng)).collect();
    q.extend(p);
    let mut u: Vec<f64> = (0..3).map(|_| speed * signed(rng)).collect();
    u.extend((0..3).map(|_| spin * signed(rng)));
    State { t: 0.0, q, u, memory: vec![0.0, -1.0] }
}

/// Fails unless the numbers differ by at most `tolerance`.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}
