//! Systems of the other papers by the ODE route: the Tippe-Top tends to the motion with the exact
//! laws, and the rolling disk, which remembers something of its own, rolls.

use crate::oracles::{
    DiskParameters, DiskStart, FrictionLaw, RollingDisk, SliderCrank, SliderCrankParameters,
    SliderCrankStart, TippeTop, TippeTopParameters, TippeTopStart,
};
use crate::support::{assert_close, run};
use stickslip::integrate::{EventDriven, EventDrivenOptions, Ode};
use stickslip::ode::{Regularisation, RegularisedFriction, Tolerances, UnilateralContact};
use stickslip::system::MechanicalSystem;

/// θ(t) of the event-driven reference (Hertz pressure, contact radius 5e-4 m).
const REFERENCE: [(f64, f64); 6] = [
    (0.01, 0.09362231368),
    (0.03, 0.04077157233),
    (0.05, 0.05357710707),
    (0.07, 0.02549119944),
    (0.09, 0.05832784451),
    (0.11, 0.02493265313),
];

/// Largest error of θ.
fn error(stiffness: f64, stiff: bool) -> f64 {
    let system = TippeTop::new(TippeTopParameters::default()).unwrap();
    let start = system.start(&TippeTopStart::default());
    // Critically damped for the mass of 2.2e-3 kg behind the sliding of the body.
    let relaxation_time = 2.0 * (2.2e-3 / stiffness).sqrt();
    let contact =
        UnilateralContact { stiffness, relaxation_time, contact_time: 0.3 * relaxation_time };
    let friction = RegularisedFriction { stiffness, relaxation_time };
    // Drilling counts as sliding at the radius of the body.
    let regularisation =
        Regularisation::uniform(system.law_groups(), contact, friction, 1.5e-2).unwrap();
    let tolerances = Tolerances { relative: 1e-8, absolute: 1e-10 };
    let mut integrator = if stiff {
        Ode::stiff(regularisation, tolerances)
    } else {
        Ode::adaptive(regularisation, tolerances)
    };
    let mut largest = 0.0_f64;
    run(&mut integrator, &system, start, 1e-3, 0.11, |s| {
        if let Some((_, theta)) = REFERENCE.iter().find(|(t, _)| (t - s.t).abs() < 1e-9) {
            largest = largest.max((system.output(s).theta - theta).abs());
        }
    });
    largest
}

/// The error falls with the stiffness, from 1e3 N/m on tenfold per decade (docs/ode.md): it is of
/// first order in 1/K, with some room.
#[test]
fn tippe_top_tends_to_the_exact_laws() {
    let errors: Vec<f64> =
        [1e2, 1e3, 1e4, 1e5, 1e6].into_iter().map(|stiffness| error(stiffness, false)).collect();
    assert!(errors.windows(2).all(|e| e[1] < e[0]), "{errors:?}");
    assert!(errors[1..].windows(2).all(|e| e[1] < e[0] / 7.0), "{errors:?}");
}

/// Both methods integrate the same equation; tolerance: a hundred times the relative tolerance.
#[test]
fn stiff_and_explicit_methods_agree() {
    let (explicit, implicit) = (error(1e4, false), error(1e4, true));
    assert!((explicit - implicit).abs() < 1e-6, "{explicit} {implicit}");
}

/// The disk remembers two values of its own; the internal states stand behind them and survive. With
/// Coulomb friction it rolls without loss (Le Saux 2005, simulation 1): the element may cost little.
#[test]
fn rolling_disk_keeps_both_memories() {
    let parameters = DiskParameters {
        friction: FrictionLaw::Coulomb,
        contour: 0.0,
        ..DiskParameters::default()
    };
    let system = RollingDisk::new(parameters).unwrap();
    let start = system.start(&DiskStart::default());
    let contact = UnilateralContact { stiffness: 1e6, relaxation_time: 1e-3, contact_time: 3e-4 };
    let friction = RegularisedFriction { stiffness: 1e6, relaxation_time: 1e-3 };
    let regularisation =
        Regularisation::uniform(system.law_groups(), contact, friction, 1.0).unwrap();
    let mut integrator = Ode::adaptive(regularisation, Tolerances::default());
    let energy = system.energy(&start).total();
    let end = run(&mut integrator, &system, start, 1e-3, 0.5, |_| ());
    let own = system.memory_count();
    assert_close(end.memory[0].hypot(end.memory[1]), 1.0, 1e-12);
    // One of the three contacts carries the disk.
    let closed = end.memory[own..].iter().filter(|e| e.abs() > 1e-8).count();
    assert!(end.memory.len() > own && closed > 0, "{:?}", end.memory);
    let loss = 1.0 - system.energy(&end).total() / energy;
    assert!(loss.abs() < 1e-3, "{loss}");
}

/// Largest error of the angle of the crank over one turn (0.06 s, six impacts without restitution)
/// against the event-driven motion with the exact laws.
fn slider_crank_error(stiffness: f64, exact: &[f64]) -> f64 {
    let parameters = SliderCrankParameters { restitution: 0.0, ..Default::default() };
    let system = SliderCrank::new(parameters).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    // Critically damped for the slider; so short a contact time leaves next to no rebound.
    let relaxation_time = 2.0 * (0.08 / stiffness).sqrt();
    let contact =
        UnilateralContact { stiffness, relaxation_time, contact_time: 0.01 * relaxation_time };
    let friction = RegularisedFriction { stiffness, relaxation_time };
    let regularisation =
        Regularisation::uniform(system.law_groups(), contact, friction, 1.0).unwrap();
    let mut integrator = Ode::adaptive(regularisation, Tolerances::default());
    let (mut largest, mut row) = (0.0_f64, 0);
    run(&mut integrator, &system, start, 1e-4, 0.06, |s| {
        largest = largest.max((s.q[0] - exact[row]).abs());
        row += 1;
    });
    largest
}

/// The slider-crank tends to the motion with the exact laws (docs/ode.md): about tenfold per decade
/// of K, with some room. Beyond 1e7 N/m the small rebound that the element keeps is what is left.
#[test]
fn slider_crank_tends_to_the_exact_laws() {
    let parameters = SliderCrankParameters { restitution: 0.0, ..Default::default() };
    let system = SliderCrank::new(parameters).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    let mut integrator = EventDriven::new(EventDrivenOptions::default()).unwrap();
    let mut exact = Vec::new();
    run(&mut integrator, &system, start, 1e-4, 0.06, |s| exact.push(s.q[0]));
    let errors = [1e4, 1e5, 1e6].map(|stiffness| slider_crank_error(stiffness, &exact));
    assert!(errors.windows(2).all(|e| e[1] < e[0] / 5.0), "{errors:?}");
    assert!(errors[2] < 5e-4, "{errors:?}");
}
