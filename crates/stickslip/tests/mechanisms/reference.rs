//! The slider-crank of Flores 2010, Table 1, against an event-driven integration of the exact laws
//! (data/slider_crank_eps04.csv; d = 2b + 2c).

use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::system::MechanicalSystem;

/// θ₁(0.12 s), converged.
const THETA1: f64 = 11.144785;

/// Rows of the reference: t, θ₁, θ₂, ω₁, ω₂, y/c.
fn reference() -> Vec<[f64; 6]> {
    let text = include_str!("../data/slider_crank_eps04.csv");
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        assert_eq!(values[0], 0.4, "coefficient of restitution of Table 1");
        [values[1], values[2], values[3], values[4], values[5], values[6]]
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn crank_angle_converges_with_order_1_to_the_event_driven_one() {
    // Reference scheme at 1e-5: 11.12997, an error of 0.014815; ours may be 1.1 times that.
    let error = |step: f64| {
        let (summary, rows) = table_1_run(0.12, step, 0.002);
        // The printed start is symmetric, so θ₃ = 0; 1e-12 is rounding over the run.
        assert!(rows.values.iter().all(|row| row[2].abs() < 1e-12), "theta3 at {step}");
        (summary.final_state.q[0] - THETA1).abs()
    };
    let first = error(1e-5);
    assert!(first <= 1.1 * (THETA1 - 11.12997), "{first}");
    // Order 1: error/Δt is constant; 2 % is what the next order leaves at 1e-5.
    for step in [5e-6, 2e-6, 1e-6] {
        let ratio = error(step) / first * (1e-5 / step);
        assert!((ratio - 1.0).abs() < 0.02, "{step}: {ratio}");
    }
}

#[test]
fn all_rows_of_the_reference_are_approached() {
    let reference = reference();
    assert!(reference.len() > 60);
    // Largest deviations of θ₁, θ₂ and y/c.
    let deviations = |step: f64| {
        let (_, rows) = table_1_run(0.14, step, 0.002);
        let mut largest = [0.0_f64; 3];
        for (row, r) in rows.values.iter().zip(&reference) {
            for (slot, (value, exact)) in
                [(row[0], r[1]), (row[1], r[2]), (row[8], r[5])].into_iter().enumerate()
            {
                largest[slot] = largest[slot].max((value - exact).abs());
            }
        }
        assert_eq!(rows.t.len(), reference.len());
        largest
    };
    let (coarse, fine) = (deviations(4e-6), deviations(1e-6));
    for slot in 0..3 {
        // Order 1 between 4e-6 and 1e-6 is a factor of 4; impacts that fall on the other side of a
        // row make it uneven.
        let factor = coarse[slot] / fine[slot];
        assert!(factor > 3.0, "quantity {slot}: {coarse:?} {fine:?}");
    }
}

#[test]
fn first_impacts_have_the_reference_times_and_velocities() {
    let (summary, _) = table_1_run(0.03, 1e-6, 0.03);
    let exact = [
        (0.002692503, 0, -0.841612),
        (0.005612363, 0, -0.247826),
        (0.007475056, 0, -0.084204),
        (0.025889563, 2, -0.638136),
    ];
    for (t, corner, velocity) in exact {
        // Both corners of a face hit together. The lag of the crank shifts times by 1e-3 of
        // themselves at this step (halving with it), velocities by 0.3 %.
        for key in [corner, corner + 1] {
            let found = summary.impacts.iter().filter(|i| i.contact == key);
            let nearest = found.min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs())).unwrap();
            assert_close(nearest.t, t, 1.5e-3 * t);
            assert_close(nearest.normal_velocity[0], velocity, 3e-3 * velocity.abs());
        }
    }
    let first = summary.impacts[0];
    // The first flight is smooth: the impact lies in the step that contains it, or the next.
    assert!(first.t > 0.002692503 && first.t < 0.002692503 + 2e-6, "{}", first.t);
}

#[test]
fn contacts_lose_the_reference_energy_and_the_scheme_its_known_share() {
    for (step, own) in [(1e-4, 0.43), (1e-5, 0.045)] {
        let (summary, _) = table_1_run(0.12, step, 0.002);
        let lost: f64 = summary.energy.book.works.iter().map(|(_, work)| -work).sum();
        // Reference 0.32107 J, asked within 1 %.
        assert_close(lost, 0.32107, 0.01 * 0.32107);
        // Known to two digits.
        assert_close(summary.energy.closing_error.abs(), own, 0.02 * own);
        assert_eq!(summary.energy.book.gains, 0, "Newton's law must not put energy in here");
    }
    // 8.7e-6 m at 1e-5, two digits.
    let (summary, _) = table_1_run(0.12, 1e-5, 0.002);
    assert!(summary.max_penetration < 1.1 * 8.7e-6, "{:e}", summary.max_penetration);
}

#[test]
fn projection_in_the_mass_metric_leaves_no_penetration_and_books_its_energy() {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    for omega3 in [0.0, -0.01] {
        let start =
            system.start(&SliderCrankStart { omega3, ..SliderCrankStart::default() }).unwrap();
        let mut integrator = moreau("lemke", ProjectionMetric::Mass);
        let mut rows = Rows::default();
        let settings = settings(0.12, 1e-5, 1e-5);
        let summary = finished(&system, &mut integrator, start, &settings, &mut rows);
        // Corners 1, 2 touch at 1 and corners 3, 4 at −1 in units of c = 1e-3 m: 1e-12 m.
        for row in &rows.values {
            let deepest = row[8].max(row[9]).max(-row[10]).max(-row[11]) - 1.0;
            assert!(deepest * 1e-3 <= 1e-12, "penetration {:e} m", deepest * 1e-3);
        }
        assert!(summary.energy.book.projection != 0.0);
    }
}

#[test]
fn projection_work_is_the_energy_between_the_states_with_and_without() {
    // The slider stands 1e-5 m in the upper wall, tilted, and moves deeper.
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let mut start = system.start(&SliderCrankStart::default()).unwrap();
    start.q = vec![0.3, 0.0, 1e-4];
    start.q[1] = ((1e-3 + 1e-5 - 0.153 * 0.3_f64.sin()) / 0.306).asin();
    let (mut free, mut projected) = (start.clone(), start);
    let mut without = moreau("lemke", ProjectionMetric::None);
    let mut with = moreau("lemke", ProjectionMetric::Mass);
    without.step(&system, &mut free, 1e-6).unwrap();
    with.step(&system, &mut projected, 1e-6).unwrap();
    assert_eq!(free.u, projected.u);
    let deepest = |state| candidates(&system, state).iter().map(|c| c.gap).fold(1.0, f64::min);
    // Newton's method ends on the admissible side, by the square of the violation times curvature.
    assert!(deepest(&free) < -9e-6, "{:e}", deepest(&free));
    assert!((-1e-15..1e-9).contains(&deepest(&projected)), "{:e}", deepest(&projected));
    let energy = system.energy(&projected).total() - system.energy(&free).total();
    assert!(energy.abs() > 1e-8);
    assert_eq!(with.record().projection_work, energy);
    assert_eq!(without.record().projection_work, 0.0);
}
