//! Conditions that end a run or write a row, and what contact rules take from the default.

use crate::runs::Run;
use crate::support::{complaint, contains, read, with_ball};

/// A ball that falls from 1 m, with restitution 0.5, and the rest of a scene.
fn falling(more: &str) -> String {
    let ball = with_ball("[world.ground]\n[default_contact]\nrestitution = 0.5\n");
    let ball = ball.replace("mass = 2", "mass = 2\nposition = [0, 0, 1.1]");
    format!(
        "{ball}[[contact]]\nname = \"floor\"\nbetween = [\"ball\", \"ground\"]\n{more}\n[simulation]\nduration = 5\nstep = 1e-3\noutput_step = 0.1\n"
    )
}

/// Time of the fall from 1 m.
fn fall() -> f64 {
    (2.0_f64 / 9.81).sqrt()
}

#[test]
fn a_run_stops_where_its_condition_comes_true() {
    for integrator in ["rattle", "moreau", "event-driven"] {
        let text = falling("[[stop]]\nwhen = \"ball.z < 0.6\"\nname = \"half-way\"");
        let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
        // z = 1.1 − ½ g t², found at the end of a step.
        let exact = (2.0 * 0.5 / 9.81_f64).sqrt();
        let t = run.column("t");
        let last = *t.last().expect("rows");
        assert!(last >= exact - 1e-6 && last < exact + 2.1e-3, "{integrator}: {last} {exact}");
        assert_eq!(run.summary.stopped_by, Some(0));
        assert_eq!(run.summary.happened.len(), 1);
        // Rows at 0, 0.1, 0.2, 0.3 and at the stop.
        assert_eq!(t.len(), 5, "{t:?}");
    }
}

#[test]
fn impacts_are_counted_of_bodies_and_contacts() {
    // Impacts at T, T + T, T + T + T/2 with T the time of the fall and e = 0.5.
    for of in ["ball", "floor", "any", "ground"] {
        let text = falling(&format!("[[stop]]\nwhen = \"count( impact({of}) ) >= 3\""));
        let run = Run::of(&text, &["simulation.integrator=rattle"]);
        let last = *run.column("t").last().expect("rows");
        assert!((last - 2.5 * fall()).abs() < 5e-3, "{of}: {last}");
    }
}

#[test]
fn a_run_stops_at_rest_and_not_where_a_ball_turns_back() {
    let text = falling("[[stop]]\nwhen = \"at_rest\"");
    let run = Run::of(&text, &["simulation.integrator=rattle"]);
    // All bounces end at T (1 + 2 e/(1 − e)) = 3 T; rest counts after 0.1 s.
    let last = *run.column("t").last().expect("rows");
    assert!((last - 3.0 * fall() - 0.1).abs() < 0.02, "{last} {}", 3.0 * fall());
}

#[test]
fn a_row_is_written_at_every_event() {
    let text =
        falling("[[event]]\nwhen = \"ball.vz > 0\"\nname = \"up\"\n[[stop]]\nwhen = \"t > 1.3 s\"");
    let run = Run::of(&text, &["simulation.integrator=rattle"]);
    let t = run.column("t");
    let up: Vec<f64> =
        run.summary.happened.iter().filter(|h| h.condition == 1).map(|h| h.t).collect();
    // Rebounds at T, 2 T and 2.5 T are events; all have a row, and rows are in order.
    assert!(up.len() >= 3, "{up:?}");
    for (rebound, exact) in up.iter().zip([1.0, 2.0, 2.5]) {
        assert!((rebound - exact * fall()).abs() < 5e-3, "{up:?}");
        assert!(t.contains(rebound));
    }
    assert!(t.is_sorted_by(|a, b| a < b), "{t:?}");
}

#[test]
fn a_saved_run_with_conditions_goes_on_the_same() {
    use stickslip::scene::Scene;
    let text = falling("[[stop]]\nwhen = \"count(impact(ball)) >= 3\"");
    let scene = || Scene::read("my.toml", "my", &text, &[]).expect("a scene");
    let mut whole = scene().simulate().expect("a simulation");
    whole.run_until(5.0).expect("a run");
    let mut first = scene().simulate().expect("a simulation");
    first.run_until(0.7).expect("a run");
    let saved = first.state();
    let mut second = scene().simulate().expect("a simulation");
    second.set_state(&saved).expect("a state");
    second.run_until(5.0).expect("a run");
    assert_eq!(second.t(), whole.t());
    assert!(whole.t() < 1.3);
}

#[test]
fn events_are_counted_in_the_step_in_which_they_come_true() {
    let text = falling(
        "[[stop]]\nwhen = \"count(event(up)) >= 2\"\n[[event]]\nwhen = \"ball.vz > 0\"\nname = \"up\"",
    );
    let run = Run::of(&text, &["simulation.integrator=rattle"]);
    let happened: Vec<(usize, f64)> =
        run.summary.happened.iter().map(|h| (h.condition, h.t)).collect();
    let [(1, first), (1, second), (0, stop)] = happened[..] else { panic!("{happened:?}") };
    assert!((first - fall()).abs() < 5e-3 && (second - 2.0 * fall()).abs() < 5e-3, "{happened:?}");
    assert_eq!(stop, second);
}

#[test]
fn wrong_conditions_name_what_is_meant() {
    for (when, parts) in [
        ("bal.z < 1", ["stop.0.when", "bal.z", "did you mean ball.z?"]),
        ("count(impact(bal)) > 1", ["stop.0.when", "\"bal\" is no body", "did you mean ball?"]),
        ("count(event(upp)) > 1", ["stop.0.when", "no [[event]] has the name \"upp\"", ""]),
        ("at_res", ["stop.0.when", "at_res", "did you mean at_rest?"]),
        ("1 < 2", ["stop.0.when", "it never changes", ""]),
        ("ball.z < 1 s", ["stop.0.when", "m", "s"]),
    ] {
        contains(&complaint(&falling(&format!("[[stop]]\nwhen = {when:?}"))), &parts);
    }
    contains(&complaint(&falling("[[event]]\nwhn = \"t > 1\"")), &["event.0", "whn"]);
}

#[test]
fn contact_rules_take_from_the_default_what_they_do_not_give() {
    let law = |rule: &str| {
        let text = with_ball(&format!(
            "[world.ground]\n[default_contact]\nlaw = \"contensou-hertz\"\ncontact_radius = 1e-3\n\
             restitution = 0.5\nfriction = 0.3\n[[contact]]\nbetween = [\"ball\", \"ground\"]\n{rule}\n"
        ));
        let scene = read(&text);
        (scene.description.contacts[0].law.clone(), scene.inherited.join("\n"))
    };
    let (all, told) = law("");
    assert_eq!((all.restitution, all.friction), (0.5, 0.3));
    contains(
        &told,
        &["contact rule 0 takes", "restitution = 0.5", "friction = 0.3", "contact_radius"],
    );
    let (own, told) = law("friction = 0.1\nrestitution = 0");
    assert_eq!((own.restitution, own.friction), (0.0, 0.1));
    assert!(!told.contains("friction = 0.3") && told.contains("contact_radius"), "{told}");
    // A rule of another form takes nothing that belongs to the form.
    let (other, told) = law("law = \"coulomb\"");
    assert_eq!(other.form, stickslip::world::FrictionForm::Coulomb);
    assert!(!told.contains("contact_radius"), "{told}");
}
