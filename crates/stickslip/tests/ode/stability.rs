//! Largest stable steps.

use crate::oracles::{
    BeltOscillator, BeltOscillatorParameters, BeltOscillatorStart, ConveyorMasses,
    ConveyorMassesParameters, ConveyorMassesStart, FrictionChoice, FrictionMass,
    FrictionMassParameters, FrictionMassStart, RollingSphere, RollingSphereParameters,
    RollingSphereStart,
};
use crate::support::assert_close;
use stickslip::integrate::Ode;
use stickslip::ode::rk4_step_limit;

/// The real interval of stability ends at the real root of z³/24 + z²/6 + z/2 + 1 = 0 …, −2.785293563405;
/// the imaginary one at √8.
#[test]
fn interval_of_stability_of_runge_kutta() {
    assert_close(rk4_step_limit(-2.0, 0.0), 2.785293563405 / 2.0, 1e-9);
    assert_close(rk4_step_limit(0.0, 1.0), 8f64.sqrt(), 1e-6);
    assert_eq!(rk4_step_limit(0.0, 0.0), f64::INFINITY);
    assert_eq!(rk4_step_limit(1.0, 0.0), f64::INFINITY);
}

/// M s² + Kβ s + K = 0 for the mass of Fig. 3: s = −5 ± 70.5 i.
#[test]
fn friction_mass_is_stable_at_the_step_of_the_paper() {
    let system = FrictionMass::new(FrictionMassParameters::default()).unwrap();
    let start = system.start(&FrictionMassStart::default());
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let limit = integrator.stability_limit(&system, &start).unwrap();
    // Slipping, with −1/β = −500, is the stricter one.
    assert_close(limit.step, 2.785293563405 / 500.0, 1e-9);
    assert_eq!(limit.warning(FrictionMass::STEP), None);
}

#[test]
fn rolling_sphere_is_stable_at_the_step_of_the_paper() {
    let system = RollingSphere::new(RollingSphereParameters::default()).unwrap();
    let start = system.start(&RollingSphereStart::default());
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let warnings = integrator.warnings(&system, &start, RollingSphere::STEP).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// Two digits, as the errata of the paper give them: Example II needs Δt ≤ 7.0e-4.
#[test]
fn conveyor_masses_need_a_smaller_step_than_the_paper_takes() {
    let system = ConveyorMasses::new(ConveyorMassesParameters::default()).unwrap();
    let start = system.start(&ConveyorMassesStart::default());
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let limit = integrator.stability_limit(&system, &start).unwrap();
    assert_close(limit.step, 7.0e-4, 0.05e-4);
    assert!(limit.warning(1e-3).unwrap().contains("stable in stick"));
    assert_eq!(limit.warning(ConveyorMasses::STEP), None);
}

/// (49) needs Δt ≤ 5.6e-5, (50) with F = 0.2 needs Δt ≤ 1.4e-4.
#[test]
fn belt_oscillator_needs_a_smaller_step_than_the_paper_takes() {
    for (law, force, expected) in
        [(FrictionChoice::Xiong, 0.5, 5.6e-5), (FrictionChoice::Smooth, 0.2, 1.4e-4)]
    {
        let parameters = BeltOscillatorParameters { law, force, ..Default::default() };
        let system = BeltOscillator::new(parameters).unwrap();
        let start = system.start(&BeltOscillatorStart::default());
        let (system, elements) = system.regularised().unwrap();
        let mut integrator = Ode::rk4(elements.regularisation);
        let limit = integrator.stability_limit(&system, &start).unwrap();
        assert_close(limit.step, expected, 0.05 * expected / 5.0);
        assert!(limit.warning(1e-3).is_some());
        assert_eq!(limit.warning(BeltOscillator::STEP), None);
        assert!(elements.names.forces.iter().any(|name| name == "f"));
    }
}
