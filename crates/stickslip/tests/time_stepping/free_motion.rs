//! Free flight, and the two coordinate systems of the Tippe-Top against each other.

use crate::oracles::{TippeTop, TippeTopEuler, TippeTopParameters, TippeTopStart, to_quaternion};
use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::system::{MechanicalSystem, State};

fn integrator(name: &str) -> Box<dyn Integrator> {
    match name {
        "moreau" => Box::new(moreau(1e-12, ProjectionMetric::None)),
        _ => Box::new(runge_kutta(1e-12)),
    }
}

/// A top high above the floor that tumbles, or one that slides on its body, leaning.
fn start(flying: bool) -> TippeTopStart {
    let p = TippeTopParameters::default();
    let theta = 0.8_f64;
    let floor = p.body_radius - p.body_offset * theta.cos();
    TippeTopStart {
        z: if flying { 10.0 } else { floor },
        theta,
        theta_dot: if flying { 5.0 } else { 0.0 },
        phi_dot: if flying { -4.0 } else { 0.0 },
        psi_dot: if flying { 300.0 } else { 100.0 },
        ..TippeTopStart::default()
    }
}

#[test]
fn free_flight_conserves_energy_and_angular_momentum() {
    // At the integrator's order with gyroscopic forces: 4 and 1 (see the tests of order). Energy of
    // Runge-Kutta may do better (order 5 is usual): the slope is a lower bound.
    let top = top(|_| {});
    let begin = top.start(&start(true));
    let (energy, momentum) = (top.energy(&begin).total(), top.angular_momentum(&begin));
    let size = momentum.iter().fold(0.0_f64, |m, h| m.max(h.abs()));
    for (name, steps, order) in [("moreau", [800, 1600, 3200], 1.0), ("rk4", [50, 100, 200], 4.0)] {
        let (mut energies, mut momenta) = (Vec::new(), Vec::new());
        for n in steps {
            let end = advance(integrator(name).as_mut(), &top, &begin, 0.4, n);
            let dt = 0.4 / n as f64;
            energies.push((dt, (top.energy(&end).total() / energy - 1.0).abs()));
            momenta.push((dt, distance(&top.angular_momentum(&end), &momentum) / size));
        }
        assert!(slope(&energies) > order - 0.15, "{name}: energy {energies:?}");
        assert!(slope(&momenta) > order - 0.15, "{name}: angular momentum {momenta:?}");
    }
}

/// Distance of the physical states that the two coordinate systems arrive at.
fn difference(name: &str, flying: bool, end: f64, steps: usize) -> f64 {
    let parameters = TippeTopParameters::default();
    let quaternion = TippeTop::new(parameters).unwrap();
    let euler = TippeTopEuler::new(parameters).unwrap();
    let start = start(flying);
    let a = advance(integrator(name).as_mut(), &quaternion, &quaternion.start(&start), end, steps);
    let b = advance(integrator(name).as_mut(), &euler, &euler.start(&start), end, steps);
    let b = to_quaternion(&b);
    let observed = |s: &State| {
        let o = quaternion.output(s);
        [s.q[0], s.q[1], s.q[2], o.theta.cos(), o.spin / 100.0]
    };
    distance(&observed(&a), &observed(&b))
}

#[test]
fn euler_angles_and_quaternions_agree_to_integrator_order() {
    // Leine 2003, (5.4)–(5.21), against quaternions: the difference is that of two errors of the
    // scheme. It falls with order 1: with contact always, in free flight because M and h depend on q
    // and on u in Euler angles (see the tests of order).
    for name in ["moreau", "rk4"] {
        for flying in [true, false] {
            let points: Vec<(f64, f64)> = [1000, 2000, 4000, 8000]
                .iter()
                .map(|n| (0.1 / *n as f64, difference(name, flying, 0.1, *n)))
                .collect();
            assert!(slope(&points) > 0.85, "{name}, flying {flying}: {points:?}");
        }
    }
}
