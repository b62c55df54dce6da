//! Figures 3 and 5 of Xiong 2013: the mass with friction and the bouncing mass. Numbers of an
//! independent implementation; tolerances are half a unit of their last digit unless said otherwise.

use crate::oracles::{
    BouncingMass, BouncingMassParameters, BouncingMassStart, ContactChoice, FrictionChoice,
    FrictionMass, FrictionMassParameters, FrictionMassStart,
};
use crate::support::{assert_close, run, solver};
use stickslip::integrate::{Integrator, Moreau, Ode, Projection, ProjectionMetric};
use stickslip::ode::Tolerances;

fn friction(law: FrictionChoice) -> FrictionMass {
    FrictionMass::new(FrictionMassParameters { law, ..Default::default() }).unwrap()
}

fn moreau() -> Moreau {
    Moreau::new(solver(), Projection::new(ProjectionMetric::None))
}

/// Mean positions over two stretches of 7.1 s, which are 113 periods of the load (355/113 ≈ π), and
/// the drift between them, m/s.
fn mean_and_drift(system: &FrictionMass, integrator: &mut dyn Integrator, dt: f64) -> [f64; 2] {
    let mut sums = [[0.0; 2]; 2];
    let start = system.start(&FrictionMassStart::default());
    run(integrator, system, start, dt, 17.2, |s| {
        let stretch = ((s.t - 3.0 - 0.5 * dt) / 7.1).floor();
        if stretch == 0.0 || stretch == 1.0 {
            sums[stretch as usize][0] += s.q[0];
            sums[stretch as usize][1] += 1.0;
        }
    });
    let means = sums.map(|[sum, count]| sum / count);
    [means[0], (means[1] - means[0]) / 7.1]
}

#[test]
fn friction_mass_stays_where_it_is() {
    let system = friction(FrictionChoice::Xiong);
    let regularisation = || system.regularisation().unwrap();
    let [mean, drift] = mean_and_drift(&system, &mut Ode::rk4(regularisation()), 1e-3);
    assert_close(mean, 0.021368, 5e-7);
    assert!(drift.abs() < 1e-9, "{drift}");
    for mut integrator in [
        Ode::adaptive(regularisation(), Tolerances::default()),
        Ode::stiff(regularisation(), Tolerances::default()),
    ] {
        let [mean, drift] = mean_and_drift(&system, &mut integrator, 1e-3);
        assert_close(mean, 0.021371, 5e-7);
        assert!(drift.abs() < 1e-9, "{drift}");
    }
}

#[test]
fn bristles_drift() {
    let system = friction(FrictionChoice::Lugre);
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let [_, drift] = mean_and_drift(&system, &mut integrator, 1e-3);
    assert_close(drift, 1.1748e-3, 1e-7);
    // Dahl's, without damping of the bristles, drifts too.
    let system = friction(FrictionChoice::Dahl);
    let mut integrator = Ode::rk4(system.regularisation().unwrap());
    let [_, drift] = mean_and_drift(&system, &mut integrator, 1e-3);
    assert!(drift > 1e-4, "{drift}");
}

/// A smoothed law creeps as long as there is a load: at ε f/F, with the mean load of 0.336 N.
#[test]
fn smoothed_friction_creeps() {
    for law in [FrictionChoice::Smooth, FrictionChoice::Tanh] {
        let system = friction(law);
        let mut integrator = Ode::rk4(system.regularisation().unwrap());
        let [_, drift] = mean_and_drift(&system, &mut integrator, 1e-3);
        assert!(drift > 0.5 * 1e-3 * 0.336 / 0.5, "{law:?} {drift}");
    }
}

/// The exact law: sticks at 2.170989 s at p = 0.02106225. Moreau's rule with 1e-4: the position to
/// 1e-8 (a friction force without impacts is integrated to second order but for the last step).
#[test]
fn friction_mass_with_the_exact_law() {
    let system = friction(FrictionChoice::Xiong);
    let start = system.start(&FrictionMassStart::default());
    let mut sticks = 0.0;
    let end = run(&mut moreau(), &system, start, 1e-4, 3.0, |s| {
        if s.u[0].abs() > 1e-12 {
            sticks = s.t;
        }
    });
    assert_close(end.q[0], 0.02106225, 1e-8);
    assert_close(sticks, 2.170989, 1e-4);
}

/// Highest position in the first rebound.
fn peak(system: &BouncingMass, integrator: &mut dyn Integrator, dt: f64) -> f64 {
    let mut peak = 0.0_f64;
    let start = system.start(&BouncingMassStart::default());
    run(integrator, system, start, dt, 1.0, |s| {
        if s.t > 0.5 {
            peak = peak.max(s.q[0]);
        }
    });
    peak
}

#[test]
fn bouncing_mass_rebounds() {
    let system = BouncingMass::new(BouncingMassParameters::default()).unwrap();
    let regularisation = || system.regularisation().unwrap();
    assert_close(peak(&system, &mut Ode::rk4(regularisation()), 1e-3), 0.58690, 5e-6);
    let tolerances = Tolerances::default();
    for mut integrator in
        [Ode::adaptive(regularisation(), tolerances), Ode::stiff(regularisation(), tolerances)]
    {
        assert_close(peak(&system, &mut integrator, 1e-4), 0.58925, 5e-6);
    }
    // The exact law with the same restitution: e² = 0.59412. Moreau is of first order, and 1e-5·v.
    assert_close(peak(&system, &mut moreau(), 1e-5), 0.59412, 1e-5);
}

/// Fig. 5: the smaller α, the lower the rebound; α = β loses nothing.
#[test]
fn the_contact_time_sets_the_rebound() {
    let mut last = 2.0;
    for contact_time in [0.01, 0.007, 0.005, 0.001] {
        let parameters = BouncingMassParameters { contact_time, ..Default::default() };
        let system = BouncingMass::new(parameters).unwrap();
        let mut integrator = Ode::adaptive(system.regularisation().unwrap(), Tolerances::default());
        let now = peak(&system, &mut integrator, 1e-3);
        assert!(now < last, "{contact_time}: {now}");
        if contact_time == 0.01 {
            assert_close(now, 1.0, 1e-5);
        }
        last = now;
    }
}

/// The other contact models run too; damped ones rebound less than to the height of the fall.
#[test]
fn other_contacts_bounce() {
    for law in
        [ContactChoice::Viscoelastic, ContactChoice::ViscoelasticPush, ContactChoice::HuntCrossley]
    {
        let parameters = BouncingMassParameters { law, ..Default::default() };
        let system = BouncingMass::new(parameters).unwrap();
        let mut integrator = Ode::adaptive(system.regularisation().unwrap(), Tolerances::default());
        let now = peak(&system, &mut integrator, 1e-3);
        assert!(now > 0.1 && now < 0.95, "{law:?}: {now}");
    }
}
