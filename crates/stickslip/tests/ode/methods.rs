//! The methods on equations with known solutions.

use crate::support::assert_close;
use stickslip::ode::{DormandPrince, OdeError, RateError, Rk4, Rosenbrock, Tolerances};

/// ẋ = −x + t + 1 (so x = t + e^{−t}) and its integral, which nothing depends on; made nonlinear by
/// w = x², ẇ = 2 √w (1 + t − √w).
fn rate(t: f64, y: &[f64], y_dot: &mut [f64]) -> Result<(), RateError> {
    let root = y[0].abs().sqrt();
    y_dot[0] = 2.0 * root * (1.0 + t - root);
    if y.len() > 1 {
        y_dot[1] = root;
    }
    Ok(())
}

fn exact(t: f64) -> [f64; 2] {
    let x = t + (-t).exp();
    [x * x, 0.5 * t * t + 1.0 - (-t).exp()]
}

const LOOSE: Tolerances = Tolerances { relative: 1e-2, absolute: 1e9 };

/// Errors at t = 1 with n steps, of both components.
fn error(n: usize, step: &mut dyn FnMut(f64, &mut [f64], f64)) -> [f64; 2] {
    let mut y = [1.0, 0.0];
    let dt = 1.0 / n as f64;
    for k in 0..n {
        step(k as f64 * dt, &mut y, dt);
    }
    let end = exact(1.0);
    [(y[0] - end[0]).abs(), (y[1] - end[1]).abs()]
}

/// Both components fall with the order of the method when the step is halved.
#[test]
fn methods_have_their_order() {
    let mut rk4 = Rk4::default();
    let mut dormand_prince = DormandPrince::new(LOOSE);
    let mut rosenbrock = Rosenbrock::new(LOOSE);
    // So loose a tolerance takes every interval in one step, once the first is behind.
    dormand_prince.advance(&mut rate, 0.0, &mut [1.0, 0.0], 1.0, &[1e9]).unwrap();
    rosenbrock.advance(&mut rate, 0.0, &mut [1.0, 0.0], 1.0, &[1e9]).unwrap();
    let check = |order: f64, step: &mut dyn FnMut(f64, &mut [f64], f64)| {
        let (coarse, fine) = (error(10, step), error(20, step));
        for i in 0..2 {
            let found = (coarse[i] / fine[i]).log2();
            assert!(found > order - 0.35, "order {found} of component {i}, not {order}");
        }
    };
    check(4.0, &mut |t, y, dt| rk4.step(&mut rate, t, y, dt).unwrap());
    check(5.0, &mut |t, y, dt| {
        assert_eq!(dormand_prince.advance(&mut rate, t, y, dt, &[1e9]).unwrap(), 1);
    });
    check(4.0, &mut |t, y, dt| {
        assert_eq!(rosenbrock.advance(&mut rate, t, y, dt, &[1e9]).unwrap(), 1);
    });
}

/// The tolerance is met, with room for the accumulation over the steps.
#[test]
fn error_estimates_hold() {
    for relative in [1e-6, 1e-9] {
        let tolerances = Tolerances { relative, absolute: relative };
        let end = exact(2.0);
        let mut y = [1.0, 0.0];
        let mut explicit = DormandPrince::new(tolerances);
        explicit.advance(&mut rate, 0.0, &mut y, 2.0, &[relative]).unwrap();
        assert_close(y[0], end[0], 20.0 * relative);
        let mut y = [1.0, 0.0];
        let mut implicit = Rosenbrock::new(tolerances);
        implicit.advance(&mut rate, 0.0, &mut y, 2.0, &[relative]).unwrap();
        assert_close(y[0], end[0], 20.0 * relative);
    }
}

/// Prothero and Robinson: ẏ = −10⁷ (y − cos t) − sin t. The linearly implicit method takes few steps.
#[test]
fn a_stiff_equation_takes_few_steps() {
    let mut stiff = |t: f64, y: &[f64], y_dot: &mut [f64]| {
        y_dot[0] = -1e7 * (y[0] - t.cos()) - t.sin();
        Ok(())
    };
    let mut y = [1.0];
    let mut method = Rosenbrock::new(Tolerances { relative: 1e-6, absolute: 1e-6 });
    let steps = method.advance(&mut stiff, 0.0, &mut y, 10.0, &[1e-6]).unwrap();
    assert!(steps < 500, "{steps}");
    assert_close(y[0], 10f64.cos(), 1e-5);
}

/// A solution that ends (ẏ = y², y = 1/(1 − t)) is reported, not run into for ever.
#[test]
fn a_pole_is_an_error() {
    let mut pole = |t: f64, y: &[f64], y_dot: &mut [f64]| {
        if !y[0].is_finite() {
            return Err(RateError::NotFinite { t, index: 0, value: y[0] });
        }
        y_dot[0] = y[0] * y[0];
        Ok(())
    };
    let tolerances = Tolerances::default();
    let error = DormandPrince::new(tolerances).advance(&mut pole, 0.0, &mut [1.0], 2.0, &[1e-10]);
    assert!(matches!(error, Err(OdeError::StepTooSmall { .. })), "{error:?}");
    let error = Rosenbrock::new(tolerances).advance(&mut pole, 0.0, &mut [1.0], 2.0, &[1e-10]);
    assert!(error.is_err(), "{error:?}");
}
