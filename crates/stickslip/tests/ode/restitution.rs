//! The effective restitution of a contact element.

use crate::oracles::{BouncingMass, BouncingMassParameters, BouncingMassStart};
use crate::support::{assert_close, run};
use stickslip::integrate::Ode;
use stickslip::ode::{
    RestitutionError, Tolerances, UnilateralContact, contact_time_for_restitution,
    effective_restitution, maximal_penetration,
};

fn contact(contact_time: f64) -> UnilateralContact {
    UnilateralContact { stiffness: 1e5, relaxation_time: 0.01, contact_time }
}

/// The value of the independent reference, to its digits.
#[test]
fn the_bouncing_mass_of_xiong_2013_fig_5_has_restitution_0_7708() {
    assert_close(effective_restitution(&contact(0.005), 1.0).unwrap(), 0.7708, 5e-5);
}

/// Only α/β and β√(K/M) matter: the units of mass, and of time, may be changed.
#[test]
fn restitution_depends_on_two_numbers_only() {
    let one = effective_restitution(&contact(0.005), 1.0).unwrap();
    let heavy = UnilateralContact { stiffness: 7e5, ..contact(0.005) };
    assert_close(effective_restitution(&heavy, 7.0).unwrap(), one, 1e-12);
    let slow = UnilateralContact { stiffness: 1e3, relaxation_time: 0.1, contact_time: 0.05 };
    assert_close(effective_restitution(&slow, 1.0).unwrap(), one, 1e-12);
}

/// α = β is perfectly elastic (Xiong 2013, sec. 4.2), α > β gains energy.
#[test]
fn equal_times_are_elastic() {
    assert_close(effective_restitution(&contact(0.01), 1.0).unwrap(), 1.0, 1e-11);
    assert!(effective_restitution(&contact(0.012), 1.0).unwrap() > 1.0);
    let mut last = 0.0;
    for k in 1..=10 {
        let now = effective_restitution(&contact(1e-3 * f64::from(k)), 1.0).unwrap();
        assert!(now > last, "smaller α dissipates more (Fig. 5)");
        last = now;
    }
}

/// α → 0 is spring and damper without suction, whose restitution is exp(−ζφ/√(1−ζ²)) for the time
/// φ/ω at which the force vanishes; closed form for ζ = β√(K/M)/2. Tolerance: α/β = 1e-7.
#[test]
fn short_contact_times_are_a_spring_and_damper() {
    let beta = 1e-3;
    let zeta = 0.5 * beta * 1e5_f64.sqrt();
    let root = (1.0 - zeta * zeta).sqrt();
    // p + βv = 0 for p = −e^{−ζτ} sin(root τ)/root, τ = √(K/M) t.
    let (sin_2, cos_2) = (2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta);
    let phase = std::f64::consts::PI - sin_2.atan2(cos_2);
    let exact = (-zeta * phase / root).exp();
    let element =
        UnilateralContact { stiffness: 1e5, relaxation_time: beta, contact_time: 1e-7 * beta };
    assert_close(effective_restitution(&element, 1.0).unwrap(), exact, 1e-6);
}

/// The inverse within 1e-6, over the range that β allows.
#[test]
fn the_inverse_finds_the_contact_time() {
    for restitution in [0.2, 0.5, 0.7708, 0.9, 0.999, 1.0] {
        let alpha = contact_time_for_restitution(restitution, 1e5, 0.01, 1.0).unwrap();
        let found = effective_restitution(&contact(alpha), 1.0).unwrap();
        assert_close(found, restitution, 1e-6);
    }
    let alpha = contact_time_for_restitution(
        effective_restitution(&contact(0.005), 1.0).unwrap(),
        1e5,
        0.01,
        1.0,
    );
    assert_close(alpha.unwrap(), 0.005, 1e-6 * 0.005);
    // A short β cannot dissipate much.
    let refused = contact_time_for_restitution(0.1, 1e5, 1e-3, 1.0).unwrap_err();
    assert!(matches!(refused, RestitutionError::TooSmall { .. }), "{refused}");
    assert!(refused.to_string().contains("a longer relaxation_time"), "{refused}");
    assert!(contact_time_for_restitution(1.2, 1e5, 1e-3, 1.0).is_err());
}

/// An impact without gravity, integrated: the same speed afterwards and the same penetration, for
/// any speed. Tolerance: that of the integration, 1e-8 in relative terms, with some room.
#[test]
fn a_simulated_impact_agrees_for_every_speed() {
    for speed in [1e-3, 1.0, 100.0] {
        let parameters = BouncingMassParameters { gravity: 0.0, ..Default::default() };
        let system = BouncingMass::new(parameters).unwrap();
        let start = system.start(&BouncingMassStart { p: 0.0, v: -speed });
        let tolerances = Tolerances { relative: 1e-9, absolute: 1e-12 };
        let mut integrator = Ode::adaptive(system.regularisation().unwrap(), tolerances);
        let mut deepest = 0.0_f64;
        let end = run(&mut integrator, &system, start, 1e-5, 0.1, |s| {
            deepest = deepest.max(-s.q[0]);
        });
        assert_close(end.u[0] / speed, system.restitution(), 1e-7);
        let exact = maximal_penetration(&contact(0.005), 1.0, speed).unwrap();
        // Sampled every 1e-5 s: relative error of a flat maximum below (1e-5·450)²/2.
        assert_close(deepest / exact, 1.0, 2e-5);
    }
}

/// No panic, no NaN, no endless loop from extreme constants.
#[test]
fn extreme_constants_are_harmless() {
    for stiffness in [1e-300, 1e-5, 1e300] {
        for times in [[1e-300, 1e-300], [1e-10, 1e5], [1e5, 1e-10], [1e150, 1e150]] {
            let element =
                UnilateralContact { stiffness, relaxation_time: times[0], contact_time: times[1] };
            for mass in [1e-300, 1.0, 1e300] {
                let found = effective_restitution(&element, mass).unwrap();
                assert!(!found.is_nan() && found >= 0.0, "{element:?} {mass} {found}");
            }
        }
    }
}
