//! The general procedure gives the equations of the paper: right-hand sides written by hand.
//! Tolerances: round-off, relative to the largest term, K times a deflection over a mass.

use crate::oracles::{
    BeltOscillator, BeltOscillatorParameters, BouncingMass, BouncingMassParameters, ConveyorMasses,
    ConveyorMassesParameters, FrictionChoice, FrictionMass, FrictionMassParameters, RollingSphere,
    RollingSphereParameters,
};
use crate::support::{assert_close, rate, signed};
use fastrand::Rng;
use stickslip::ode::{OdeSystem, Regularisation, RegularisedFriction, UnilateralContact};
use stickslip::system::{ContactSet, Energy, ForceLaw, LawGroup, MechanicalSystem, State};

fn sat(limit: f64, x: f64) -> f64 {
    x.clamp(-limit, limit)
}

fn state(t: f64, q: &[f64], u: &[f64], internal: &[f64]) -> State {
    State { t, q: q.to_vec(), u: u.to_vec(), memory: internal.to_vec() }
}

#[track_caller]
fn assert_all_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(a, b)| assert_close(*a, *b, tolerance));
}

#[test]
fn friction_mass_is_xiong_2013_eq_19() {
    let system = FrictionMass::new(FrictionMassParameters::default()).unwrap();
    let regularisation = system.regularisation().unwrap();
    let mut rng = Rng::with_seed(19);
    for _ in 0..500 {
        let (t, v) = (4.0 * rng.f64(), 0.1 * signed(&mut rng));
        let a = 2e-4 * signed(&mut rng);
        let f_e = if t < 2.0 { (0.8 * t).min(0.52) } else { 0.336 + 0.144 * (100.0 * t).cos() };
        let s = sat(0.5 / 5e3, a + 2e-3 * v);
        let expected = [v, f_e - 5e3 * s, (s - a) / 2e-3];
        let found = rate(&system, &regularisation, &state(t, &[0.3], &[v], &[a]));
        assert_all_close(&found, &expected, 1e-13);
    }
}

#[test]
fn friction_mass_with_bristles_is_xiong_2013_eq_12() {
    let parameters =
        FrictionMassParameters { law: FrictionChoice::Lugre, ..FrictionMassParameters::default() };
    let system = FrictionMass::new(parameters).unwrap();
    let regularisation = system.regularisation().unwrap();
    let (v, a) = (0.02_f64, 3e-5);
    let a_dot = v - 5e3 * v.abs() * a / 0.5;
    let expected = [v, 0.4 - (5e3 * a + 10.0 * a_dot), a_dot];
    let found = rate(&system, &regularisation, &state(0.5, &[0.0], &[v], &[a]));
    assert_all_close(&found, &expected, 1e-14);
}

#[test]
fn bouncing_mass_is_xiong_2013_eq_27() {
    let system = BouncingMass::new(BouncingMassParameters::default()).unwrap();
    let regularisation = system.regularisation().unwrap();
    let mut rng = Rng::with_seed(27);
    for _ in 0..500 {
        let (p, v, e) = (0.01 * signed(&mut rng), signed(&mut rng), 0.01 * rng.f64());
        let f = 1e5 * (e - 0.01 * (p + e) / 0.005).max(0.0);
        let expected = [v, -9.8 + f, (-e / 0.01).max(-(p + e) / 0.005)];
        let found = rate(&system, &regularisation, &state(0.0, &[p], &[v], &[e]));
        assert_all_close(&found, &expected, 1e-11);
    }
}

/// (37), with the sphere not yet turned, where body and inertial frame agree.
#[test]
fn rolling_sphere_is_xiong_2013_eq_37() {
    let system = RollingSphere::new(RollingSphereParameters::default()).unwrap();
    let regularisation = system.regularisation().unwrap();
    let (k, beta, alpha, radius, mu) = (1e5, 4e-3, 2.8e-3, 0.5, 0.1);
    let mut rng = Rng::with_seed(37);
    for _ in 0..500 {
        let z = radius + 2e-3 * signed(&mut rng);
        let u: Vec<f64> = (0..6).map(|_| signed(&mut rng)).collect();
        let e = 1e-3 * rng.f64();
        let a = [1e-4 * signed(&mut rng), 1e-4 * signed(&mut rng)];
        let psi = k * (e - beta * (e + z - radius) / alpha).max(0.0);
        let slip = [u[0] - u[4] * radius, u[1] + u[3] * radius];
        let x = [a[0] + beta * slip[0], a[1] + beta * slip[1]];
        let (length, limit) = (x[0].hypot(x[1]), mu * psi / k);
        let factor = if length > limit { limit / length } else { 1.0 };
        let theta = x.map(|x| k * factor * x);
        // d × (−θ_x, −θ_y, ψ) with d = (0, 0, −R).
        let turn = 5.0 / (2.0 * radius * radius);
        let torque = [-radius * theta[1], radius * theta[0], 0.0];
        let found = rate(
            &system,
            &regularisation,
            &state(0.0, &[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0], &u, &[e, a[0], a[1]]),
        );
        let expected = [
            -theta[0],
            -theta[1],
            psi - 9.8,
            turn * torque[0],
            turn * torque[1],
            turn * torque[2],
            (-e / beta).max(-(e + z - radius) / alpha),
            (theta[0] / k - a[0]) / beta,
            (theta[1] / k - a[1]) / beta,
        ];
        assert_all_close(&found[7..], &expected, 1e-11);
    }
}

#[test]
fn conveyor_masses_are_xiong_2013_eq_45() {
    let system = ConveyorMasses::new(ConveyorMassesParameters::default()).unwrap();
    let regularisation = system.regularisation().unwrap();
    let (k, beta, alpha) = (5e5, 2e-3, 1.6e-3);
    let (m1, m2, mu, belt) = (0.5, 1.0, 0.5, 1.0);
    let mut rng = Rng::with_seed(45);
    for _ in 0..500 {
        let p: Vec<f64> = (0..4).map(|_| 1e-3 * signed(&mut rng)).collect();
        let v: Vec<f64> = (0..4).map(|_| signed(&mut rng)).collect();
        let e: Vec<f64> = (0..3).map(|_| 1e-3 * rng.f64()).collect();
        let a: Vec<f64> = (0..3).map(|_| 1e-4 * signed(&mut rng)).collect();
        let gaps = [p[0], p[2] - p[0], p[3]];
        let slips = [v[1], v[1] - v[3], v[2] + belt];
        let psi: Vec<f64> =
            (0..3).map(|i| k * (e[i] - beta * (gaps[i] + e[i]) / alpha).max(0.0)).collect();
        let theta: Vec<f64> =
            (0..3).map(|i| k * sat(mu * psi[i] / k, a[i] + beta * slips[i])).collect();
        let mut expected = v.clone();
        expected.extend([
            (psi[0] - psi[1]) / m1,
            (-100.0 * p[1] - theta[0] - theta[1]) / m1,
            (-theta[2] + psi[1]) / m2,
            (theta[1] + psi[2]) / m2 - 9.8,
        ]);
        for i in 0..3 {
            expected.push((-e[i] / beta).max(-(gaps[i] + e[i]) / alpha));
            expected.push((theta[i] / k - a[i]) / beta);
        }
        let internal = [e[0], a[0], e[1], a[1], e[2], a[2]];
        let found = rate(&system, &regularisation, &state(0.0, &p, &v, &internal));
        assert_all_close(&found, &expected, 1e-10);
    }
}

/// (49) and (50), in the form for ṗ = u − w.
#[test]
fn belt_oscillator_is_xiong_2013_eq_49_and_50() {
    let mut rng = Rng::with_seed(49);
    for law in [FrictionChoice::Xiong, FrictionChoice::Smooth] {
        let parameters = BeltOscillatorParameters { law, ..BeltOscillatorParameters::default() };
        let (system, elements) = BeltOscillator::new(parameters).unwrap().regularised().unwrap();
        for _ in 0..500 {
            let (p, a) = (2.0 * signed(&mut rng), 1e-5 * signed(&mut rng));
            let w = 10f64.powf(-7.0 * rng.f64()) * signed(&mut rng);
            let (f, v, eps) = (0.5, 1.0, 1e-5);
            let mut expected = vec![1.0 - w];
            let friction = if law == FrictionChoice::Xiong {
                1e5 * sat(f / ((v + w.abs()) * 1e5), a + 0.5 * w)
            } else {
                f * sat(eps, w) / ((v + w.abs().max(eps)) * eps)
            };
            expected.push(-(p * p * p - p - friction));
            let mut internal = vec![];
            if law == FrictionChoice::Xiong {
                expected.push((friction / 1e5 - a) / 0.5);
                internal.push(a);
            }
            let found =
                rate(&system, &elements.regularisation, &state(0.0, &[p], &[1.0 - w], &internal));
            // K times the rounding error of w = u − ṗ, 1e5·1e-16.
            assert_all_close(&found, &expected, 2e-11);
        }
    }
}

/// A block with two candidates that come and go, for the bookkeeping of internal states.
struct Changing {
    group: LawGroup,
}

impl MechanicalSystem for Changing {
    fn coordinate_count(&self) -> usize {
        1
    }
    fn blocks(&self) -> &[usize] {
        &[1]
    }
    fn memory_count(&self) -> usize {
        1
    }
    fn mass_and_forces(&self, _at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass[0] = 1.0;
        forces[0] = 0.0;
    }
    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }
    fn contacts(&self, at: &State, out: &mut ContactSet) {
        out.clear();
        // The list is turned round after t = 1, and key 5 is new.
        let keys: &[u64] = if at.t < 1.0 { &[3, 4] } else { &[5, 4, 3] };
        for key in keys {
            out.push_open(*key, 0, 1.0);
        }
    }
    fn law_groups(&self) -> &[LawGroup] {
        std::slice::from_ref(&self.group)
    }
    fn energy(&self, _at: &State) -> Energy {
        Energy::default()
    }
}

#[test]
fn internal_states_follow_their_contacts() {
    let group = LawGroup::new([
        ("normal", ForceLaw::signorini(0.0)),
        ("friction", ForceLaw::coulomb_1d(0.3, 0.0)),
    ]);
    let system = Changing { group };
    let contact = UnilateralContact { stiffness: 1.0, relaxation_time: 1.0, contact_time: 0.5 };
    let friction = RegularisedFriction { stiffness: 1.0, relaxation_time: 1.0 };
    let regularisation =
        Regularisation::uniform(system.law_groups(), contact, friction, 1.0).unwrap();
    let mut ode = OdeSystem::new(regularisation);
    let mut at = state(0.0, &[0.0], &[0.0], &[7.0, 0.3, 0.31, 0.4, 0.41]);
    ode.prepare(&system, &mut at).unwrap();
    assert_eq!(at.memory, [7.0, 0.3, 0.31, 0.4, 0.41]);
    at.t = 2.0;
    ode.prepare(&system, &mut at).unwrap();
    assert_eq!(at.memory, [7.0, 0.0, 0.0, 0.4, 0.41, 0.3, 0.31]);
    // Open contacts relax: ė = −e/β, ȧ = −a/β.
    let mut y = Vec::new();
    ode.pack(&at, &mut y);
    let mut y_dot = vec![0.0; y.len()];
    ode.rate(&system, 2.0, &y, &mut y_dot).unwrap();
    assert_eq!(y_dot[2..8], [0.0, 0.0, -0.4, -0.41, -0.3, -0.31]);
}
