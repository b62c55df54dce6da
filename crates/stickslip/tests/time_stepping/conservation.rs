//! Jellett's J of the Tippe-Top.

use crate::oracles::{FrictionLaw, TippeTop, TippeTopStart};
use crate::support::*;
use stickslip::convex::ConvexSet;
use stickslip::system::{ContactSet, MechanicalSystem, State};

/// Largest relative change of J in the first second.
fn change_of_jellett(top: &TippeTop, dt: f64) -> f64 {
    let mut state = top.start(&TippeTopStart::default());
    let first = top.output(&state).jellett;
    let mut worst = 0.0_f64;
    let steps = (1.0 / dt).round() as usize;
    run(&mut runge_kutta(1e-10), top, &mut state, dt, steps, |state, _| {
        worst = worst.max((top.output(state).jellett / first - 1.0).abs());
    });
    worst
}

#[test]
fn coulomb_friction_conserves_jellett() {
    // J = H·(r₁ e_z − a₁ b) is an integral of the motion as long as the body alone touches. The
    // percussions of a stage act at its midpoint, Δt/8 later than the lever of J is taken, so the
    // scheme conserves J to first order; 1e-6 is asked, and reached at this step.
    let top = top(|p| p.friction = FrictionLaw::Coulomb);
    let steps = [1e-4, 5e-5, 2.5e-5, 1.25e-5];
    let points = steps.map(|dt| (dt, change_of_jellett(&top, dt)));
    assert!(points[3].1 < 1e-6, "{points:?}");
    assert_close(slope(&points), 1.0, 0.15);
}

#[test]
fn without_drilling_friction_the_top_does_not_invert() {
    // Leine 2003, sec. 5.4: with R = 0 it never rises above its start θ = 0.1.
    let top = top(|p| p.contact_radius = 0.0);
    let mut state = top.start(&TippeTopStart::default());
    run(&mut runge_kutta(1e-10), &top, &mut state, 1e-4, 80_000, |state, _| {
        assert!(top.output(state).theta < 0.1, "{}", top.output(state).theta);
    });
}

/// Relative velocities of the body at the floor, whether it touches or not.
fn body_velocities(system: &dyn MechanicalSystem, at: &State) -> Vec<f64> {
    let mut set = ContactSet::default();
    set.margin = f64::INFINITY;
    system.contacts(at, &mut set);
    let body = &set.candidates()[0];
    let rows = set.directions(body).chunks(body.width());
    rows.map(|row| row.iter().zip(&at.u).map(|(w, u)| w * u).sum()).collect()
}

#[test]
fn drilling_friction_changes_jellett_by_its_torque() {
    // dJ/dt = τ_N (r₁ − a₁ cosθ) until the stick touches. τ_N is −∂Φ/∂ω of the velocity potential
    // (Leine 2003, eq. 2.9), at the normal force of the step. The scheme conserves J to first order
    // only and the sum here is a rectangle rule: an error of order Δt, 0.5 % at 1e-4 s, which
    // extrapolation removes.
    let top = top(|_| {});
    let p = *top.parameters();
    let law = &top.law_groups()[0].laws[1].law;
    let error = |dt: f64| {
        let mut state = top.start(&TippeTopStart::default());
        let first = top.output(&state).jellett;
        let mut sum = 0.0;
        let steps = (1.2 / dt).round() as usize;
        run(&mut runge_kutta(1e-10), &top, &mut state, dt, steps, |state, integrator| {
            let gamma = body_velocities(&top, state);
            let percussion = integrator.record().contacts[0].normal_percussion;
            let potential = |spin: f64| law.set.support(percussion, &[gamma[1], gamma[2], spin]);
            let delta = 1e-4 * gamma[3];
            let torque =
                -(potential(gamma[3] + delta) - potential(gamma[3] - delta)) / (2.0 * delta);
            sum += torque * (p.body_radius - p.body_offset * top.output(state).theta.cos());
        });
        let change = top.output(&state).jellett - first;
        assert!(change < -0.01 * first, "J hardly changed");
        sum / change - 1.0
    };
    let (coarse, fine) = (error(1e-4), error(5e-5));
    assert_close(slope(&[(1e-4, coarse.abs()), (5e-5, fine.abs())]), 1.0, 0.15);
    assert_close(2.0 * fine - coarse, 0.0, 5e-4);
}
