//! The energy book: E(t) − E(0) − Σ works closes, exactly where the scheme is exact.
//!
//! ```text
//! ΔT = ½(u_A + u_E)ᵀ (h Δt + W Λ)        for a mass matrix that is constant over the step
//! ```

use crate::oracles::{DiskStart, TippeTop, TippeTopParameters, TippeTopStart};
use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric, StepRecord};
use stickslip::system::{MechanicalSystem, State};

/// All work that a record names.
fn booked(record: &StepRecord) -> f64 {
    let laws: f64 = record.works.iter().map(|w| w.work).sum();
    laws + record.drive_work + record.projection_work
}

/// What the book leaves open at the end over the energy at the start, and the energy gains.
fn closing(
    integrator: &mut dyn Integrator,
    system: &dyn MechanicalSystem,
    start: &State,
    end: f64,
    steps: usize,
) -> (f64, usize) {
    let mut state = start.clone();
    let first = system.energy(start).total();
    let (mut sum, mut gains) = (0.0, 0);
    run(integrator, system, &mut state, end / steps as f64, steps, |_, integrator| {
        sum += booked(integrator.record());
        gains += integrator.record().energy_gains;
    });
    ((system.energy(&state).total() - first - sum) / first, gains)
}

/// A top without gyroscopic forces: three equal moments of inertia.
fn ball(change: impl FnOnce(&mut TippeTopParameters)) -> TippeTop {
    top(|p| {
        p.inertia_axial = p.inertia_transverse;
        change(p);
    })
}

/// Leaning, falling, spinning and sliding, 1 mm above the floor.
fn falling(top: &TippeTop) -> State {
    let mut state = top.start(&TippeTopStart {
        theta: 0.7,
        x_dot: 0.2,
        z_dot: -0.5,
        psi_dot: 30.0,
        theta_dot: 3.0,
        ..TippeTopStart::default()
    });
    state.q[2] += 1e-3 - top.output(&state).body_gap;
    state
}

#[test]
fn an_impact_without_smooth_forces_closes_to_rounding() {
    // No gravity, no gyroscopic forces: only the impact works. A few hundred roundings of 1e-16.
    for restitution in [0.0, 0.5] {
        let ball = ball(|p| {
            p.gravity = 0.0;
            p.restitution = restitution;
        });
        let start = falling(&ball);
        let lost = 1.0 - {
            let end = advance(&mut runge_kutta(1e-12), &ball, &start, 0.01, 100);
            ball.energy(&end).total() / ball.energy(&start).total()
        };
        assert!(lost > 0.1, "there was no impact: {lost}");
        let mut rule = moreau(1e-12, ProjectionMetric::None);
        let (open, gains) = closing(&mut rule, &ball, &start, 0.01, 100);
        assert!(open.abs() < 1e-14, "Moreau: {open}");
        assert_eq!(gains, 0);
        let (open, _) = closing(&mut runge_kutta(1e-12), &ball, &start, 0.01, 100);
        assert!(open.abs() < 1e-14, "Runge-Kutta: {open}");
    }
}

#[test]
fn moreau_with_gravity_on_a_moving_floor_closes_to_rounding() {
    // Gravity is constant and Δz = ½Δt (v_A + v_E) exactly, so its work is exact too. The floor
    // moves and works; the projection lifts and works. 3000 steps of rounding, each of 1e-16.
    for metric in [ProjectionMetric::None, ProjectionMetric::Identity, ProjectionMetric::Mass] {
        let ball = ball(|p| p.floor_velocity = [0.4, -0.3]);
        let start = falling(&ball);
        let (open, _) = closing(&mut moreau(1e-12, metric), &ball, &start, 0.3, 3000);
        assert!(open.abs() < 1e-12, "{metric:?}: {open}");
    }
}

#[test]
fn the_projection_and_the_floor_are_booked() {
    let ball = ball(|p| p.floor_velocity = [0.4, -0.3]);
    let mut state = falling(&ball);
    let (mut lifted, mut driven) = (0.0, 0.0);
    let mut integrator = moreau(1e-12, ProjectionMetric::Identity);
    run(&mut integrator, &ball, &mut state, 1e-4, 3000, |state, integrator| {
        let record = integrator.record();
        assert!(record.projection_work >= 0.0 || record.projection_work.abs() < 1e-15);
        lifted += record.projection_work;
        driven += record.drive_work;
        // To rounding of lengths of 0.02 m.
        assert!(ball.output(state).body_gap > -1e-16, "{}", ball.output(state).body_gap);
    });
    assert!(lifted > 0.0 && driven.abs() > 0.0, "{lifted} {driven}");
}

#[test]
fn with_gyroscopic_forces_the_book_closes_at_the_order_of_the_scheme() {
    // Order 1: the gyroscopic forces of Moreau (explicit Euler), the contacts of Runge-Kutta.
    let top = top(|_| {});
    let disk = disk(4);
    let top_start = top.start(&TippeTopStart::default());
    let disk_start = disk.start(&DiskStart::default());
    let order = |one: &dyn Fn(usize) -> f64| {
        let points: Vec<(f64, f64)> =
            [4000, 8000, 16_000, 32_000].iter().map(|n| (1.0 / *n as f64, one(*n).abs())).collect();
        assert_close(slope(&points), 1.0, 0.15);
        points[3].1
    };
    let rk4 = order(&|n| closing(&mut runge_kutta(1e-10), &top, &top_start, 0.4, n).0);
    let rule =
        order(&|n| closing(&mut moreau(1e-10, ProjectionMetric::None), &top, &top_start, 0.4, n).0);
    order(&|n| {
        let mut integrator = moreau(1e-10, ProjectionMetric::Identity);
        closing(&mut integrator, &disk, &disk_start, 0.4, n).0
    });
    assert!(rk4 < rule, "Runge-Kutta has the smaller constant");
}

#[test]
fn impacts_that_gain_energy_are_counted() {
    // Newton's law of impact with friction can gain energy where slip reverses (Kane & Levinson
    // 1985). Random leaning tops that hit the floor in the first step; without restitution, and
    // where the book says so, none gains.
    let mut rng = fastrand::Rng::with_seed(5);
    let mut gaining = 0;
    for restitution in [0.0, 1.0] {
        let top = top(|p| {
            p.restitution = restitution;
            p.gravity = 0.0;
        });
        for _ in 0..2000 {
            let mut signed = |size: f64| size * (2.0 * rng.f64() - 1.0);
            let mut state = top.start(&TippeTopStart {
                theta: 1.6 + signed(1.5),
                z_dot: -0.2,
                x_dot: signed(0.5),
                y_dot: signed(0.5),
                theta_dot: signed(20.0),
                phi_dot: signed(20.0),
                psi_dot: signed(20.0),
                ..TippeTopStart::default()
            });
            let o = top.output(&state);
            state.q[2] -= o.body_gap.min(o.stick_gap) + 1e-9;
            let mut integrator = moreau(1e-12, ProjectionMetric::None);
            // So short a step that gyroscopic forces do nothing.
            run(&mut integrator, &top, &mut state, 1e-9, 1, |_, integrator| {
                let record = integrator.record();
                let work: f64 = record.works.iter().map(|w| w.work).sum();
                let size: f64 = record.works.iter().map(|w| w.work.abs()).sum();
                if restitution == 0.0 {
                    assert_eq!(record.energy_gains, 0);
                }
                // One contact: its gain is the whole work.
                if integrator.record().contacts.iter().filter(|c| c.gap <= 0.0).count() == 1 {
                    assert_eq!(record.energy_gains > 0, work > 1e-6 * size, "{work} of {size}");
                }
                gaining += record.energy_gains;
            });
        }
    }
    assert!(gaining > 0, "no impact gained energy");
}

#[test]
fn a_dropped_top_bounces_by_its_restitution() {
    // Newton's law, ε = 0.5: every rebound has half the speed and a quarter of the height. The step
    // of impact takes the speed at its start and gravity acts through it: an error of g Δt.
    let top = top(|p| p.restitution = 0.5);
    let floor = top.parameters().body_radius - top.parameters().body_offset;
    let height = 0.02;
    let mut state = top.start(&TippeTopStart {
        z: floor + height,
        theta: 0.0,
        psi_dot: 0.0,
        ..TippeTopStart::default()
    });
    let dt = 1e-5;
    let mut before = 0.0;
    let (mut ratios, mut peaks) = (Vec::new(), Vec::new());
    run(&mut moreau(1e-12, ProjectionMetric::None), &top, &mut state, dt, 20_000, |state, _| {
        let v = state.u[2];
        if before < 0.0 && v > 0.0 {
            ratios.push(-v / before);
        }
        if before > 0.0 && v <= 0.0 {
            peaks.push(top.output(state).body_gap);
        }
        before = v;
    });
    assert!(ratios.len() >= 3 && peaks.len() >= 2);
    for ratio in &ratios[..3] {
        assert_close(*ratio, 0.5, 1e-12);
    }
    // A height is wrong by the way of one step at the speed of impact, 0.63 m/s.
    assert_close(peaks[0], height / 4.0, 0.63 * dt);
    assert_close(peaks[1], height / 16.0, 0.63 * dt);
}
