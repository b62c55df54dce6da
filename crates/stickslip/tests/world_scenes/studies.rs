//! Studies: what is varied, sections, expressions of columns.

use std::f64::consts::{PI, TAU};
use stickslip::scene::SceneFile;
use stickslip::study::{
    Bifurcation, Crossings, Design, Plan, Section, Surface, Sweep, Vary, never,
};

fn table() -> SceneFile {
    SceneFile::open("vibrating-table").expect("a scene of the program")
}

fn refused(argument: &str) -> String {
    Vary::parse(argument).expect_err(argument).to_string()
}

#[test]
fn ranges_and_lists_are_read_with_units() {
    let of = |argument: &str| {
        let vary = Vary::parse(argument).expect(argument);
        let count = vary.count().expect("a count");
        (0..count).map(|n| vary.argument(n).expect("a value")).collect::<Vec<_>>()
    };
    assert_eq!(of("parameters.mu=0:0.5:6")[3], "parameters.mu=0.3");
    // Both ends are exact, also where a tenth is not.
    assert_eq!(of("a.b=0.1:0.7:4"), ["a.b=0.1", "a.b=0.3", "a.b=0.5", "a.b=0.7"]);
    assert_eq!(of("a.b=0.7:0.1:4")[3], "a.b=0.1");
    assert_eq!(of("a.b=0.2:1.2:11")[6], "a.b=0.8");
    assert_eq!(of("a.b=-0.1:0.2:4")[1], "a.b=0");
    assert_eq!(of("a.b=1 mm:3 mm:3"), ["a.b=1 mm", "a.b=2 mm", "a.b=3 mm"]);
    assert_eq!(of("a.b=2*pi:4*pi:2")[0], format!("a.b={TAU}"));
    assert_eq!(of("a.b=rattle,moreau"), ["a.b=rattle", "a.b=moreau"]);
    assert_eq!(of("a.b=[0, 1],[2, 3]"), ["a.b=[0, 1]", "a.b=[2, 3]"]);
    assert_eq!(of("a.b=1e-3,2"), ["a.b=0.001", "a.b=2"]);
    assert_eq!(of("a.b=3:4:1"), ["a.b=3"]);
}

#[test]
fn wrong_ranges_are_refused_with_what_is_allowed() {
    for (argument, reason) in [
        ("mu", "KEY=from:to:count"),
        ("mu=", "KEY=from:to:count"),
        ("mu=0:1:0", "the count is \"0\", it must be from 1"),
        ("mu=0:1:2.5", "the count is \"2.5\""),
        ("mu=2:2:5", "the range is empty"),
        ("mu=2:2", "the range is empty"),
        ("mu=0:x:5", "\"x\" is no number"),
        ("mu=1 mm:2:5", "one end has the unit \"mm\" and the other \"\""),
        ("mu=0:inf:5", "\"inf\""),
        ("mu=1,,2", "a value of the list is empty"),
        ("mu=0:1:2:3", "KEY=from:to:count"),
    ] {
        let message = refused(argument);
        assert!(message.contains(reason), "{argument}: {message}");
        assert!(message.contains(argument), "{message}");
    }
}

#[test]
fn sections_know_bodies_contacts_columns_and_parameters() {
    let file = table();
    let of = |text: &str| Section::parse(text).expect(text).of_file(&file, &[]);
    for name in ["ball", "bounce", "table", "any"] {
        let surface = of(&format!("impact({name})")).expect(name);
        assert!(matches!(surface, Surface::Impact(own) if own == name));
    }
    for text in ["period 2*pi/omega", "period 0.1 s", "period 1/frequency"] {
        let Ok(Surface::Period(period)) = of(text) else { panic!("{text}") };
        assert!((period - 0.1).abs() < 1e-15, "{period}");
    }
    let scene = file.scene(&[]).expect("a scene");
    for (text, expected) in [
        // Below the value before it is crossed.
        ("ball.vy crosses 0 up", 1.02 * PI * 9.81 / (20.0 * PI)),
        ("ball.vy crosses 0 down", -1.02 * PI * 9.81 / (20.0 * PI)),
        ("2*ball.x crosses amplitude up", -1.1 * 9.81 / (20.0 * PI).powi(2)),
        ("bounce.gap crosses 1 mm up", -1e-3),
    ] {
        let Ok(Surface::Level(mut level)) = of(text) else { panic!("{text}") };
        let value = level.value(&scene.start);
        assert!((value - expected).abs() < 1e-12, "{text}: {value}");
    }
}

#[test]
fn wrong_sections_are_refused_with_what_is_allowed() {
    for (text, reason) in [
        ("", "it must be"),
        ("impact", "it must be"),
        ("impact()", "it must be"),
        ("ball.vy crosses 0", "up or down"),
        ("ball.vy crosses 0 sideways", "up or down"),
        ("impact(bal)", "did you mean ball?"),
        ("ball.vz crosses 0 up", "did you mean ball.v"),
        ("ball.vy crosses 1 kg up", "do not go together"),
        ("restitution crosses 0 up", "never changes"),
        ("bounce.force crosses 1 up", "not known from the state alone"),
        ("period omega", "must be a time"),
        ("period -1", "it must be positive"),
        ("period t", "t is not known"),
    ] {
        let found = Section::parse(text).and_then(|section| section.of_file(&table(), &[]));
        let Err(error) = found else { panic!("{text} is taken") };
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
}

/// The first 2ⁿ points of the sequence of Sobol have one point in each of 2ⁿ equal parts of every coordinate, and of the
/// first two coordinates one in each cell of every grid of 2ⁿ equal cells.
#[test]
fn samples_of_sobol_fill_the_box_evenly() {
    let keys: Vec<Vary> =
        (0..10).map(|k| Vary::parse(&format!("a.k{k}=0:1")).expect("a range")).collect();
    let plan = Plan::new(keys, Design::parse("sobol:64").expect("a sample")).expect("a plan");
    let points: Vec<Vec<f64>> = (0..64)
        .map(|n| plan.values(n).iter().map(|v| v.parse().expect("a number")).collect())
        .collect();
    for k in 0..10 {
        let mut parts: Vec<usize> = points.iter().map(|p| (p[k] * 64.0) as usize).collect();
        parts.sort_unstable();
        assert_eq!(parts, (0..64).collect::<Vec<_>>(), "coordinate {k}");
    }
    for rows in [1_usize, 2, 4, 8, 16, 32, 64] {
        let columns = 64 / rows;
        let cell = |p: &Vec<f64>| {
            (p[0] * rows as f64) as usize * columns + (p[1] * columns as f64) as usize
        };
        let mut cells: Vec<usize> = points.iter().map(cell).collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..64).collect::<Vec<_>>(), "{rows} rows");
    }
    // The first points of the published sequence.
    assert_eq!(points[1][..3], [0.5, 0.5, 0.5]);
    assert_eq!(points[2][..3], [0.25, 0.75, 0.75]);
    assert_eq!(points[3][..3], [0.75, 0.25, 0.25]);
}

#[test]
fn random_samples_are_the_same_each_time_and_spread() {
    let keys =
        || vec![Vary::parse("a.b=2:4").expect("a range"), Vary::parse("a.c=x,y").expect("words")];
    let values = |n: usize| {
        let design = Design::parse("random:1000").expect("a sample");
        Plan::new(keys(), design).expect("a plan").values(n)
    };
    assert_eq!(values(7), values(7));
    let all: Vec<Vec<String>> = (0..1000).map(values).collect();
    let numbers: Vec<f64> = all.iter().map(|v| v[0].parse().expect("a number")).collect();
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    // The standard deviation of the mean is 2/√12/√1000.
    assert!((mean - 3.0).abs() < 5.0 * 2.0 / 12_f64.sqrt() / 1000_f64.sqrt(), "{mean}");
    assert!(numbers.iter().all(|x| (2.0..4.0).contains(x)));
    let words = all.iter().filter(|v| v[1] == "x").count();
    assert!((400..600).contains(&words), "{words}");
    for (text, reason) in [("sobol", "sobol:N"), ("sobol:0", "from 1"), ("grid:5", "sobol:N")] {
        let error = Design::parse(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// One point of a sweep of the ball on the table.
fn measured(measures: &[&str], set: &[&str]) -> Vec<Option<f64>> {
    let plan = vec![Vary::parse("parameters.restitution=0.8").expect("a value")];
    let plan = Plan::new(plan, Design::Grid).expect("a plan");
    let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let sweep = Sweep::new(table(), &own(set), plan, &own(measures)).expect("a sweep");
    let point = sweep.point(0, &never()).expect("a point");
    assert_eq!(point.status, "done", "{}", point.message);
    point.values
}

#[test]
fn measures_are_those_of_a_flight() {
    // The ball leaves with v = 1.02 π g/ω from 5 mm + A sin φ and flies for 2 v/g = 0.102 s.
    let (g, omega) = (9.81, 20.0 * PI);
    let v = 1.02 * PI * g / omega;
    let amplitude = 1.1 * g / (omega * omega);
    let phase = (PI * 0.2 / (1.8 * 1.1)).acos();
    let y = |t: f64| 5e-3 + amplitude * phase.sin() + v * t - 0.5 * g * t * t;
    let set = ["simulation.duration=0.09", "simulation.output_step=1e-3"];
    let measures = [
        "at(ball.y, 0.0405)",
        "mean(ball.vy)",
        "last(ball.y) - at(ball.y, 0)",
        "max(abs(ball.vy))/max(1 m/s, 2 m/s)",
        "max(ball.y)",
        "count(impact(ball)) + 2*count(impact(any))",
        "end",
    ];
    let found = measured(&measures, &set);
    let expected = [
        // In proportion between the rows at 40 and 41 ms.
        0.5 * (y(0.04) + y(0.041)),
        v - 0.5 * g * 0.09,
        y(0.09) - y(0.0),
        v / 2.0,
        y(0.051),
        0.0,
        0.09,
    ];
    for ((found, expected), text) in found.iter().zip(expected).zip(measures) {
        let found = found.expect(text);
        assert!((found - expected).abs() < 1e-9, "{text}: {found} {expected}");
    }
}

#[test]
fn the_period_of_a_motion_is_that_of_the_drive_and_then_twice_that() {
    let set = |shaking: &'static str| [shaking, "simulation.duration=8", "simulation.step=5e-3"];
    let once = measured(&["period", "period(ball.y)"], &set("parameters.shaking=0.7"));
    let twice = measured(&["period", "period(ball.y)"], &set("parameters.shaking=1.2"));
    for (found, expected) in once.iter().chain(&twice).zip([0.1, 0.1, 0.2, 0.2]) {
        let found = found.expect("a period");
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
}

/// The top of the first flight, and the impact behind it, to the accuracy of the integrator.
#[test]
fn passages_of_a_section_are_located() {
    let scene = table().scene(&[]).expect("a scene");
    let pass = |text: &str, count: usize| {
        let surface = Section::parse(text).and_then(|s| s.of(&scene)).expect(text);
        let mut crossings = Crossings::new(&scene, surface, None, &never()).expect("a simulation");
        let next = || crossings.pass().expect("a run").expect("a passage");
        std::iter::repeat_with(next).take(count).collect::<Vec<_>>()
    };
    // Velocities of the table come first: that along y of the ball is the fifth.
    let top = 1.02 * PI / (20.0 * PI);
    let found = pass("ball.vy crosses 0 down", 2);
    assert!((found[0].t - top).abs() < 1e-9, "{}", found[0].t);
    assert!(found[0].state.u[4].abs() < 1e-8 && found[1].t > found[0].t + 0.05);
    let hit = pass("impact(bounce)", 1);
    let impact = hit[0].impact.expect("an impact");
    assert!(hit[0].t > 0.09 && hit[0].t < 0.11 && impact.normal_velocity[1] > 0.0);
    // Just behind the impact the ball goes up.
    assert!(hit[0].state.u[4] > 0.4, "{:?}", hit[0].state.u);
    let strobe = pass("period 0.03 s", 3);
    for (k, found) in strobe.iter().enumerate() {
        let t = 0.03 * (k + 1) as f64;
        assert!((found.t - t).abs() < 1e-12);
        let vy = 9.81 * (top - t);
        assert!((found.state.u[4] - vy).abs() < 1e-8, "{} {vy}", found.state.u[4]);
    }
}

/// A damped oscillator that is looked at in steps of its drive spirals inwards; for some frequencies every fifth point is near
/// the one before it, which is no period.
#[test]
fn a_motion_that_still_settles_has_no_longer_period() {
    let text = "format = 1\n[parameters]\nomega = \"2.4 rad/s\"\n[world]\ndimension = 2\ngravity = [0, 0]\n\
        [[body]]\nname = \"mass\"\nmass = 1\ninertia = 1\nposition = [1, 0]\n[[force]]\nkind = \"applied\"\n\
        body = \"mass\"\nforce = [\"-x - 0.1*vx + cos(omega*t)\", 0]\n[simulation]\nintegrator = \"event-driven\"\n\
        duration = 5\nstep = 0.1\noutput_step = 0.1\n";
    let (source, name) = ("oscillator".to_owned(), "oscillator".to_owned());
    let file = SceneFile { source, name, text: text.to_owned(), path: None };
    let vary = Vary::parse("parameters.omega=2 rad/s:3.4 rad/s:8").expect("a range");
    let section = Section::parse("period 2*pi/omega").expect("a section");
    let shown = ["mass.x".to_owned(), "energy".to_owned()];
    let mut diagram = Bifurcation::new(file, &[], vary, section, &shown).expect("a diagram");
    (diagram.discard, diagram.keep) = (40, 30);
    assert_eq!(diagram.shown()[0], ("mass.x".to_owned(), "m".to_owned()));
    assert_eq!(diagram.shown()[1].1, "J");
    for settled in diagram.run(2, &never(), &mut |_| {}).expect("a diagram") {
        assert_eq!((settled.status, settled.period), ("done", Some(1)), "{}", settled.value);
        // x = Re(exp(iωt)/(1 − ω² + 0.1 iω)) at the begins of periods.
        let omega: f64 = settled.value.parse().expect("a number");
        let (re, im) = (1.0 - omega * omega, 0.1 * omega);
        let expected = re / (re * re + im * im);
        let last = settled.points.last().expect("points")[1];
        // What is left of the free motion: exp(−0.05 t) after 70 periods.
        let left = (-0.05 * 70.0 * TAU / omega).exp();
        assert!((last - expected).abs() < 2.0 * left + 1e-6, "{omega}: {last} {expected}");
    }
}
