//! The slider-crank of Flores 2010, Table 1, against an independent event-driven run.

use crate::toy::{closing_error, scheme};
use stickslip::integrate::Integrator;
use stickslip::models::slider_crank::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::scene::{Scene, built_in};

fn mechanism() -> SliderCrank {
    let parameters = SliderCrankParameters { restitution: 0.4, ..Default::default() };
    SliderCrank::new(parameters).unwrap()
}

/// First impacts of both corners of a side, and θ₁(0.12).
#[test]
fn impacts_and_crank_angle_of_the_reference() {
    let system = mechanism();
    let mut at = system.start(&SliderCrankStart::default()).unwrap();
    let start = at.clone();
    let mut integrator = scheme();
    integrator.run_until(&system, &mut at, 0.12, &mut |_| {}).unwrap();
    let record = integrator.record();
    let impacts: Vec<_> =
        record.impacts.iter().filter(|i| i.contact == 0 || i.contact == 2).collect();
    for (n, t, v) in
        [(0, 0.002692503, -0.841612), (1, 0.005612363, -0.247826), (2, 0.007475056, -0.084204)]
    {
        let impact = impacts[n];
        assert!((impact.t - t).abs() < 1e-8, "{n}: {impact:?}");
        assert!((impact.normal_velocity[0] - v).abs() < 1e-6, "{n}: {impact:?}");
    }
    assert!((at.q[0] - 11.144785).abs() < 1e-6, "{}", at.q[0]);
    assert!(at.q[2].abs() < 1e-12, "{}", at.q[2]);
    let lost: f64 = -record.works.iter().map(|w| w.work).sum::<f64>();
    assert!((lost - 0.32107).abs() < 1e-5, "{lost}");
    assert!(closing_error(&system, &start, &integrator, &at).abs() < 1e-8);
}

/// The same mechanism of three bodies with joints: the drift of the joints, which have no gap to
/// project, and the tolerance of the integrator stay below 1e-9.
#[test]
fn maximal_coordinates_give_the_same_motion() {
    let system = mechanism();
    let mut at = system.start(&SliderCrankStart::default()).unwrap();
    scheme().run_until(&system, &mut at, 0.12, &mut |_| {}).unwrap();
    let minimal = system.output(&at);
    let name = "slider-crank-world";
    let scene = Scene::read(name, name, built_in(name).unwrap().text, &[]).unwrap();
    let mut at = scene.start.clone();
    scheme().run_until(scene.system.as_ref(), &mut at, 0.12, &mut |_| {}).unwrap();
    for (theta, body) in minimal.theta.iter().zip(at.q.chunks(3)) {
        assert!((theta - body[2]).abs() < 1e-9, "{minimal:?} {at:?}");
    }
}

/// An asymmetric start: one corner, opposite corners, cascades. The motion is not a convergent
/// quantity there, but the run comes through and its book closes.
#[test]
fn an_asymmetric_start_comes_through() {
    for restitution in [0.1, 0.4, 0.6, 0.9] {
        let parameters = SliderCrankParameters { restitution, ..Default::default() };
        let system = SliderCrank::new(parameters).unwrap();
        let start = SliderCrankStart { omega3: -0.01, ..Default::default() };
        let mut at = system.start(&start).unwrap();
        let start = at.clone();
        let mut integrator = scheme();
        integrator.run_until(&system, &mut at, 0.12, &mut |_| {}).unwrap();
        // Of an energy of 17 J, at the tolerance 1e-10 per step.
        let error = closing_error(&system, &start, &integrator, &at);
        assert!(error.abs() < 1e-8, "{restitution}: {error}");
    }
}

/// The end of a run in macro steps, or where it failed.
fn in_steps(restitution: f64, omega3: f64, step: f64) -> Result<f64, String> {
    let parameters = SliderCrankParameters { restitution, ..Default::default() };
    let system = SliderCrank::new(parameters).unwrap();
    let mut at = system.start(&SliderCrankStart { omega3, ..Default::default() }).unwrap();
    let mut integrator = scheme();
    for n in 0..(0.12 / step).round() as usize {
        integrator
            .step(&system, &mut at, step)
            .map_err(|error| format!("{restitution} {omega3} {step} after {n}: {error:?}"))?;
    }
    Ok(at.q[0])
}

/// The step is an interval of output: runs come through wherever its ends fall between the events,
/// and end where the run in one step does.
#[test]
fn intervals_of_output_have_no_influence() {
    let mut failures = Vec::new();
    for step in [1e-5, 1e-4, 2e-4, 1e-3, 2e-3] {
        for restitution in [0.1, 0.4, 0.6, 0.9] {
            match in_steps(restitution, 0.0, step) {
                Ok(angle) if restitution == 0.4 && !((angle - 11.144785).abs() < 1e-6) => {
                    failures.push(format!("{step}: {angle}"));
                }
                Ok(_) => {}
                Err(failure) => failures.push(failure),
            }
        }
    }
    for restitution in [0.1, 0.4, 0.6, 0.9] {
        failures.extend(in_steps(restitution, -0.01, 1e-4).err());
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
