//! How a settling disk loses its energy (Le Saux 2005, sec. 5.5), by simulation from stationary
//! rolling: fitted rate against the decay laws with the corrected constants.

use crate::oracles::rolling_disk::DiskMotion;
use crate::oracles::{DiskParameters, DiskStart, FrictionLaw, RollingDisk};
use crate::support::*;
use stickslip::integrate::ProjectionMetric;
use stickslip::system::MechanicalSystem;
use stickslip_papers::disk_decay::{DecayLaw, Disk, Dissipation};
use stickslip_papers::power_law;

const DT: f64 = 2e-5;

/// A disk with Coulomb friction and the given resistance.
fn disk(dissipation: Dissipation) -> (RollingDisk, DecayLaw) {
    let mut p = DiskParameters {
        friction: FrictionLaw::Coulomb,
        contour: 0.0,
        ..DiskParameters::default()
    };
    match dissipation {
        Dissipation::DryContour(c) => p.contour = c,
        Dissipation::ViscousContour(c) => p.contour_viscous = c,
        Dissipation::DryRolling(c) => p.rolling = c,
        Dissipation::ViscousRolling(c) => p.rolling_viscous = c,
        Dissipation::Contensou { .. } => {}
    }
    let data = Disk { mass: p.mass, radius: p.radius, gravity: p.gravity };
    (RollingDisk::new(p).unwrap(), DecayLaw::new(&data, dissipation))
}

/// Simulates from β = 1.5 until the energy has fallen to a fifth. Returns the fitted constant of
/// Ė = −a E^p over the expected one, and the fitted exponent n of (6.1) where there is one.
fn settle(dissipation: Dissipation) -> (f64, Option<f64>) {
    let (disk, law) = disk(dissipation);
    let start = DiskStart { motion: DiskMotion::Stationary, beta: 1.5, ..DiskStart::default() };
    let mut state = disk.start(&start);
    let first = disk.energy(&state).total();
    let (mut times, mut energies, mut rates) = (vec![], vec![], vec![]);
    let mut integrator = moreau(1e-10, ProjectionMetric::Identity);
    while energies.last().is_none_or(|e| *e > 0.2 * first) {
        assert!(state.t < 5.0, "the energy hardly falls");
        run(&mut integrator, &disk, &mut state, DT, 50, |_, _| {});
        times.push(state.t);
        energies.push(disk.energy(&state).total());
        rates.push(disk.output(&state).alpha_dot);
    }
    // E^(1−p), or ln E, falls linearly.
    let q = 1.0 - law.power;
    let straight = |e: f64| if q == 0.0 { e.ln() } else { e.powf(q) / q };
    let values: Vec<f64> = energies.iter().map(|e| straight(*e)).collect();
    let n = times.len() as f64;
    let (mt, mv) = (times.iter().sum::<f64>() / n, values.iter().sum::<f64>() / n);
    let tv: f64 = times.iter().zip(&values).map(|(t, v)| (t - mt) * (v - mv)).sum();
    let tt: f64 = times.iter().map(|t| (t - mt).powi(2)).sum();
    let ratio = -tv / tt / law.constant;
    // The end of the motion, from the fitted law.
    let exponent = law.time_to_rest(first).and_then(|_| {
        let end = mt - mv / (tv / tt);
        power_law::fit_until(&times, &rates, end).map(|fit| fit.exponent)
    });
    (ratio, exponent)
}

#[test]
fn dry_contour_friction_ends_with_exponent_3() {
    // (5.37), its r² read as r³, and (5.38): within 5 %.
    let (ratio, exponent) = settle(Dissipation::DryContour(3e-3));
    assert_close(ratio, 1.0, 0.05);
    assert_close(exponent.unwrap(), 3.0, 0.15);
}

#[test]
fn viscous_contour_friction_ends_with_exponent_4() {
    // (5.40), with a = 6 c g̃² m r⁴, and (5.41): within 5 %.
    let (ratio, exponent) = settle(Dissipation::ViscousContour(1e-3));
    assert_close(ratio, 1.0, 0.05);
    assert_close(exponent.unwrap(), 4.0, 0.2);
}

#[test]
fn dry_rolling_friction_ends_with_exponent_1() {
    // (5.46), (5.47): within 5 %.
    let (ratio, exponent) = settle(Dissipation::DryRolling(2e-4));
    assert_close(ratio, 1.0, 0.05);
    assert_close(exponent.unwrap(), 1.0, 0.05);
}

#[test]
fn viscous_rolling_friction_is_exponential() {
    // (5.49), (5.50): within 5 %.
    let (ratio, exponent) = settle(Dissipation::ViscousRolling(2e-4));
    assert_close(ratio, 1.0, 0.05);
    assert_eq!(exponent, None);
}
