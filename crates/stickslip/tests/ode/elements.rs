//! The elements against the inclusions that they solve, and the models they are compared with.

use crate::support::{assert_close, signed};
use fastrand::Rng;
use stickslip::convex::in_dio;
use stickslip::ode::{
    HuntCrossley, LinearContact, LuGre, SmoothedFriction, SmoothingCurve, SpeedFactor,
    UnilateralContact,
};

/// (24), (25) solve (22), (23): f = K(e + βė) and f ∈ dio(g + e + αė). Tolerance: round-off.
#[test]
fn the_contact_element_solves_its_inclusion_xiong_2013_eq_22() {
    let mut rng = Rng::with_seed(24);
    for _ in 0..4000 {
        let element = UnilateralContact {
            stiffness: 1.0,
            relaxation_time: 10f64.powf(-3.0 * rng.f64()),
            contact_time: 10f64.powf(-3.0 * rng.f64()),
        };
        let (gap, e) = (signed(&mut rng), rng.f64());
        let (f, rate) = (element.force(gap, e), element.rate(gap, e));
        assert!(f >= 0.0);
        let size = 1.0 + 1e3 * (gap.abs() + e);
        assert_close(f, e + element.relaxation_time * rate, 1e-13 * size);
        assert!(in_dio(gap + e + element.contact_time * rate, f, 1e-13 * size));
        // No force beyond the reach.
        assert_eq!(element.force(element.reach(e) + 1e-9 * size, e), 0.0);
    }
}

/// In steady sliding every model has the full friction force; LuGre adds its viscosity.
#[test]
fn all_models_slide_with_the_full_force() {
    let (v, limit) = ([0.6, -0.8], 2.0);
    let mut f = [0.0; 2];
    for shape in [SmoothingCurve::Linear, SmoothingCurve::Tanh] {
        SmoothedFriction { shape, smoothing_speed: 1e-3 }.force(limit, &v, &mut f);
        assert_close(f[0], 1.2, 1e-14);
        assert_close(f[1], -1.6, 1e-14);
    }
    // Steady bristles: ȧ = 0 at a = (F/K) v/|v| (Xiong 2013, eq. 12).
    let bristles = LuGre { stiffness: 1e3, bristle_viscosity: 3.0, viscosity: 0.5 };
    let a = [1.2e-3, -1.6e-3];
    let mut rate = [1.0; 2];
    bristles.rate(limit, &a, &v, &mut rate);
    bristles.force(&a, &v, &rate, &mut f);
    assert_close(rate[0].hypot(rate[1]), 0.0, 1e-15);
    assert_close(f[0], 1.2 + 0.5 * 0.6, 1e-14);
    let dahl = LuGre::dahl(1e3);
    dahl.force(&a, &v, &rate, &mut f);
    assert_close(f[1], -1.6, 1e-14);
}

/// At rest the smoothed models are linear.
#[test]
fn models_at_rest() {
    let mut f = [0.0];
    for shape in [SmoothingCurve::Linear, SmoothingCurve::Tanh] {
        let smoothed = SmoothedFriction { shape, smoothing_speed: 0.1 };
        smoothed.force(2.0, &[1e-6], &mut f);
        // tanh x = x − x³/3 with x = 1e-5.
        assert_close(f[0], 2e-5, 1e-14);
        smoothed.force(2.0, &[0.0], &mut f);
        assert_eq!(f[0], 0.0);
    }
}

/// (15) pulls at the end of an impact, (16) does not; Hunt-Crossley pulls when parting fast.
#[test]
fn contacts_that_are_functions_xiong_2013_eq_15_and_16() {
    let linear = |suction| LinearContact { stiffness: 1e3, viscosity: 10.0, suction };
    assert_eq!(linear(true).force(-0.01, -1.0), 20.0);
    assert_eq!(linear(true).force(-0.001, 1.0), -9.0);
    assert_eq!(linear(false).force(-0.001, 1.0), 0.0);
    assert_eq!(linear(true).force(0.001, -1.0), 0.0);
    let hertz = HuntCrossley { stiffness: 1e3, exponent: 1.5, damping: 0.5 };
    assert_close(hertz.force(-0.04, -1.0), 1e3 * 0.008 * 1.5, 1e-12);
    assert!(hertz.force(-0.04, 3.0) < 0.0);
    assert_eq!(hertz.force(0.1, -1.0), 0.0);
}

/// Strength against speed: (47) and the curve of Stribeck.
#[test]
fn strength_depends_on_the_speed_xiong_2013_eq_47() {
    let falling = SpeedFactor::Falling { speed: 2.0 };
    assert_eq!(falling.at(0.0), 1.0);
    assert_close(0.5 / 2.0 * falling.at(3.0), 0.5 / (2.0 + 3.0), 1e-16);
    let stribeck = SpeedFactor::Stribeck { ratio: 1.5, speed: 0.1, exponent: 2.0 };
    assert_eq!(stribeck.at(0.0), 1.5);
    assert_close(stribeck.at(0.1), 1.0 + 0.5 / std::f64::consts::E, 1e-15);
    assert_close(stribeck.at(10.0), 1.0, 1e-15);
}
