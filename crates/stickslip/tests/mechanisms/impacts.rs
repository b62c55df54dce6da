//! Tables, impacts and contact situations of a run.

use crate::support::*;
use stickslip::integrate::ProjectionMetric;
use stickslip::models::slider_crank::{Drive, Situation};
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::simulate::{TableWriter, write_impacts};
use stickslip::system::ColumnList;

#[test]
fn tables_have_the_documented_headers() {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let table =
        TableWriter::new(&system, &ColumnList::of(&system, ColumnList::default()), Vec::new())
            .unwrap()
            .finish()
            .unwrap();
    assert_eq!(
        String::from_utf8(table).unwrap(),
        "t,theta1,theta2,theta3,omega1,omega2,omega3,slider_x,slider_y,corner1,corner2,corner3,\
         corner4,kinetic,potential,energy,corner1.force,corner2.force,corner3.force,\
         corner4.force,residual,iterations\n"
    );
    let impacts = write_impacts(&system, &[], Vec::new()).unwrap();
    assert_eq!(
        String::from_utf8(impacts).unwrap(),
        "t,corner,normal_velocity_before,normal_velocity_after,tangential_velocity_before,\
         tangential_velocity_after,normal_percussion,tangential_percussion\n"
    );
}

#[test]
fn listed_impacts_obey_the_laws_32_to_35() {
    let (summary, _) = table_1_run(0.14, 1e-5, 0.14);
    assert!(summary.impacts.len() > 20);
    assert!(summary.impacts.windows(2).all(|w| w[0].t <= w[1].t));
    for impact in &summary.impacts {
        let [before, after] = impact.normal_velocity;
        // Newton's law with ε = 0.4; both corners of a face share the impact.
        assert_close(after, -0.4 * before, 1e-11);
        assert!(before < 0.0 && impact.normal_percussion > 0.0);
        // The slider slides all through: friction opposes the final velocity, |Λ_T| = µ Λ_N.
        let [_, sliding] = impact.tangential_velocity;
        let friction = -0.01 * impact.normal_percussion * sliding.signum();
        assert_close(impact.tangential_percussion, friction, 1e-13);
    }
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let text = write_impacts(&system, &summary.impacts, Vec::new()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().count(), 1 + summary.impacts.len());
    assert!(text.lines().nth(1).unwrap().starts_with("0.0027,corner1,-0.8"), "{text}");
    assert!(text.lines().all(|line| line.split(',').count() == 8));
}

#[test]
fn contact_situations_fig_8() {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let fractions = |theta3: f64, omega3: f64| {
        let start = SliderCrankStart { theta3, omega3, ..Default::default() };
        let start = system.start(&start).unwrap();
        let mut integrator = moreau("lemke", ProjectionMetric::None);
        let settings = settings(0.14, 1e-6, 0.14);
        let mut rows = Rows::default();
        let summary = finished(&system, &mut integrator, start, &settings, &mut rows);
        let total: f64 = summary.contact_times.iter().map(|(_, time)| time).sum();
        assert_close(total, 0.14, 1e-12);
        let fractions = Situation::fractions(&summary.contact_times);
        assert_close(fractions.iter().map(|(_, f)| f).sum(), 1.0, 1e-12);
        fractions.map(|(_, fraction)| fraction)
    };
    // The printed start is symmetric: only free flight and faces.
    let [free, one, adjacent, opposite, other] = fractions(0.0, 0.0);
    assert_eq!((one, opposite, other), (0.0, 0.0, 0.0));
    assert!(free > 0.5 && adjacent > 0.05, "{free} {adjacent}");
    // An asymmetric one has single corners, too. Its cascade of impacts depends on the step, so
    // no number is tested.
    let [free, one, adjacent, _, other] = fractions(0.0, -0.01);
    assert!(free > 0.3 && one > 0.03 && adjacent > 0.03, "{free} {one} {adjacent}");
    assert_eq!(other, 0.0, "more than two corners");
    // Tilted between both walls (a sinθ + b cosθ = b + c) and turning: opposite corners hit.
    let [_, _, _, opposite, other] = fractions(0.02010237687, 20.0);
    assert!(opposite > 0.0 && other == 0.0);
}

#[test]
fn a_driven_crank_keeps_its_speed_and_the_motor_work_is_booked() {
    let p = SliderCrankParameters { drive: Drive::ConstantSpeed, ..Default::default() };
    let system = SliderCrank::new(p).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    let closing = |step| {
        let mut rows = Rows::default();
        let mut integrator = moreau("lemke", ProjectionMetric::None);
        let settings = settings(0.1, step, 0.001);
        let summary = finished(&system, &mut integrator, start.clone(), &settings, &mut rows);
        for (t, row) in rows.t.iter().zip(&rows.values) {
            // A linear constraint: exact but for rounding and the tolerance of the solver.
            assert_close(row[3], 150.0, 1e-7);
            assert_close(row[0], 150.0 * t, 1e-8);
        }
        let book = &summary.energy.book;
        assert!(book.drive.abs() > 0.1, "the motor does work: {}", book.drive);
        summary.energy.closing_error
    };
    // What the book leaves open is the error of the scheme, of order 1.
    assert_close(closing(1e-5) / closing(5e-6), 2.0, 0.2);
}
