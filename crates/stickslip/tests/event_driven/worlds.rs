//! Worlds that once ended with a wrong error, or never.

use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{EventKind, Observer, RunStatus, Sample, Summary, run};
use stickslip::stop::{self, StopCheck};

/// Keeps the last row.
#[derive(Default)]
struct Last {
    values: Vec<f64>,
    forces: Vec<f64>,
}

impl Observer for Last {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.values = sample.values.to_vec();
        self.forces = sample.contacts.iter().map(|c| c.values.force).collect();
        Ok(())
    }
}

/// A scene that was run.
pub struct Run {
    pub scene: Scene,
    pub summary: Summary,
    last: Last,
}

impl Run {
    pub fn new(text: &str, overrides: &[&str]) -> Self {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        let scene =
            Scene::read("my.toml", "my", text, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let mut integrator = scene.integrator().unwrap();
        let (system, start) = (scene.system.as_ref(), scene.start.clone());
        let mut last = Last::default();
        let settings = scene.settings();
        let summary = run(system, integrator.as_mut(), start, &settings, &mut last).unwrap();
        Self { scene, summary, last }
    }

    pub fn done(text: &str, overrides: &[&str]) -> Self {
        let run = Self::new(text, overrides);
        assert_eq!(run.summary.status, RunStatus::Done);
        run
    }

    pub fn last(&self, column: &str) -> f64 {
        let columns = self.scene.system.columns();
        let position = columns.iter().position(|c| *c == column);
        self.last.values[position.unwrap_or_else(|| panic!("{columns:?}"))]
    }
}

const EVENT_DRIVEN: &str = "simulation.integrator=event-driven";

fn shipped(name: &str) -> &'static str {
    built_in(name).unwrap().text
}

/// A mass on a vertical guide falls on a rough floor: friction has nothing to do, the guide blocks
/// its direction.
fn guided(friction: f64, more: &str) -> String {
    format!(
        "[world]\ndimension = 2\n[world.ground]\n[[body]]\nname = \"mass\"\nmass = 2\n\
         position = [0, 0.3]\n[[body.shape]]\nkind = \"circle\"\nradius = 0.1\n[[joint]]\n\
         name = \"guide\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"mass\"]\n\
         points = [[0, 0], [0, 0]]\naxis = [0, 1]\n[[contact]]\nname = \"floor\"\n\
         between = [\"mass\", \"ground\"]\nfriction = {friction}\nrestitution = 0.3\n{more}\n\
         [simulation]\nduration = 1\nstep = 0.1\noutput_step = 0.1\nintegrator = \"event-driven\""
    )
}

#[test]
fn a_guided_mass_that_lands_on_a_rough_floor_is_no_painleve_paradox() {
    for friction in [0.5, 2.0] {
        let run = Run::done(&guided(friction, ""), &[]);
        assert!((run.last("mass.y") - 0.1).abs() < 1e-9, "{}", run.last("mass.y"));
        assert!((run.last.forces[0] - 2.0 * 9.81).abs() < 1e-8, "{:?}", run.last.forces);
        // Infinitely many impacts end at √(2h/g) (1 + ε)/(1 − ε).
        let zeno = (2.0 * 0.2 / 9.81_f64).sqrt() * 1.3 / 0.7;
        let events = run.summary.events.iter();
        let found: Vec<f64> =
            events.filter(|e| e.kind == EventKind::Accumulation).map(|e| e.t).collect();
        assert!(found.len() == 1 && (found[0] - zeno).abs() < 1e-9, "{found:?} {zeno}");
    }
}

/// The same mass is pulled up again: the contact opens although friction is blocked.
#[test]
fn a_guided_mass_leaves_a_rough_floor() {
    let pull = "[[force]]\nkind = \"applied\"\nbody = \"mass\"\nforce = [5, \"40*(t - 0.4)\"]";
    let run = Run::done(&guided(0.5, pull), &[]);
    let opens = 0.4 + 2.0 * 9.81 / 40.0_f64;
    // From there on 2 ÿ = 40 (t − t₀).
    let y = 0.1 + 40.0 / 2.0 * (1.0 - opens).powi(3) / 6.0;
    assert!((run.last("mass.y") - y).abs() < 1e-9, "{} {y}", run.last("mass.y"));
}

/// A 3-D box of 1 kg on the floor, its four corners under friction.
fn pushed_box(force: &str) -> String {
    format!(
        "[world.ground]\n[[body]]\nname = \"block\"\nmass = 1\nposition = [0, 0, 0.1]\n\
         [[body.shape]]\nkind = \"box\"\nhalf_extents = [0.2, 0.2, 0.1]\n[[force]]\n\
         kind = \"applied\"\nbody = \"block\"\nforce = {force}\n[default_contact]\nfriction = 0.5\n\
         [simulation]\nduration = 1\nstep = 0.1\noutput_step = 0.1\nintegrator = \"event-driven\""
    )
}

#[test]
fn a_box_in_space_that_sticks_near_its_limit_does_not_hang() {
    for push in [4.0, 4.7, 4.9] {
        let run = Run::done(&pushed_box(&format!("[{push}, 0, 0]")), &[]);
        assert!(run.last("block.x").abs() < 1e-12, "{push}: {}", run.last("block.x"));
    }
    // tan of the incline is 0.364: μ is 1.03 to 1.1 of it.
    for friction in [0.375, 0.382, 0.4] {
        let gravity = "world.gravity=[3.3552176, 0, -9.2183845]";
        let friction = format!("default_contact.friction={friction}");
        let run = Run::done(&pushed_box("[0, 0, 0]"), &[gravity, &friction]);
        assert!(run.last("block.x").abs() < 1e-12, "{friction}: {}", run.last("block.x"));
    }
}

/// A push that grows slides the box from 4.905 N on, and not before.
#[test]
fn a_box_in_space_begins_to_slide_at_its_limit() {
    let run = Run::done(&pushed_box("[\"4 + t\", 0, 0]"), &[]);
    // ẍ = t − 0.905 from t = 0.905 on.
    let x = (1.0 - 0.905_f64).powi(3) / 6.0;
    assert!((run.last("block.x") - x).abs() < 1e-9, "{} {x}", run.last("block.x"));
}

/// Bricard's mechanism: six rods along edges of a cube, one of them the ground, with hinges across
/// neighbouring edges: one redundant constraint. Thin rods have hardly any axial inertia.
fn bricard() -> String {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0],
        [0.0, 0.0, 1.0],
    ];
    let mut text = String::from("[world]\ngravity = [0, -9.81, 0]\n");
    for (k, pair) in corners.windows(2).enumerate() {
        let center = [0, 1, 2].map(|i| 0.5 * (pair[0][i] + pair[1][i]));
        let inertia = [0, 1, 2].map(|i| if pair[0][i] == pair[1][i] { 1.0 / 12.0 } else { 1e-5 });
        text += &format!(
            "[[body]]\nname = \"rod{}\"\nmass = 1\ninertia = {inertia:?}\nposition = {center:?}\n",
            k + 1
        );
    }
    for (k, corner) in corners.iter().enumerate() {
        let name = |i: usize| if i.is_multiple_of(6) { "ground".into() } else { format!("rod{i}") };
        let axis = [[0, 1, 0], [0, 0, 1], [1, 0, 0]][k % 3];
        text += &format!(
            "[[joint]]\nname = \"hinge{k}\"\nkind = \"revolute\"\nbodies = [{:?}, {:?}]\n\
             at = {corner:?}\naxis = {axis:?}\n",
            name(k),
            name(k + 1)
        );
    }
    text + "[simulation]\nduration = 0.2\nstep = 0.05\noutput_step = 0.05\n\
            integrator = \"event-driven\"\ntolerance = 1e-8"
}

#[test]
fn one_redundant_constraint_of_thin_rods_does_not_contradict() {
    let run = Run::done(&bricard(), &[]);
    // It falls, and keeps its energy.
    let energy = &run.summary.energy;
    assert!((energy.last - energy.initial).abs() < 1e-6, "{energy:?}");
    let speed = run.summary.final_state.u.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    assert!(speed > 0.1, "{speed}");
}

#[test]
fn a_motor_that_is_not_at_speed_begins_with_an_impact() {
    let text = "[world]\ndimension = 2\nassemble = false\n[[body]]\nname = \"wheel\"\nmass = 1\ninertia = 0.5\n\
                [[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"wheel\"]\n\
                points = [[0, 0], [0, 0]]\nmotor = { speed = 3 }\n[simulation]\nduration = 1\n\
                step = 0.1\noutput_step = 0.1\nintegrator = \"event-driven\"";
    let run = Run::done(text, &[]);
    assert!((run.last("wheel.w") - 3.0).abs() < 1e-12);
    assert!((run.last("wheel.angle") - 3.0).abs() < 1e-10, "{}", run.last("wheel.angle"));
    // The percussion I ω does the work I ω² through the motor, half of it is lost in the impact.
    let energy = &run.summary.energy;
    assert!((energy.book.drive - 4.5).abs() < 1e-12, "{energy:?}");
    assert!(energy.closing_error.abs() < 1e-12 && energy.book.projection.abs() < 1e-12);
}

#[test]
fn lengths_as_larger_numbers_change_nothing() {
    // A block rocks, and a ball bounces beside it; lengths in m and in units of 1e-6 m and 1e6 m.
    let scene = |unit: f64| {
        format!(
            "[world]\ndimension = 2\ngravity = [0, {}]\n[world.ground]\n[[body]]\nname = \"block\"\n\
             mass = 10\nrotation = 0.1\n[[body.shape]]\nkind = \"box\"\noffset = [{}, {}]\n\
             half_extents = [{}, {}]\n[[body]]\nname = \"ball\"\nmass = 1\nposition = [{}, {}]\n\
             velocity = [{}, 0]\n[[body.shape]]\nkind = \"circle\"\nradius = {}\n[default_contact]\n\
             friction = 0.8\nrestitution = 0.3\n[simulation]\nduration = 1\nstep = 0.1\n\
             output_step = 0.1\nintegrator = \"event-driven\"",
            -9.81 * unit,
            0.1 * unit,
            0.4 * unit,
            0.1 * unit,
            0.4 * unit,
            3.0 * unit,
            0.5 * unit,
            0.7 * unit,
            0.05 * unit
        )
    };
    let place = |unit: f64| {
        let run = Run::done(&scene(unit), &[]);
        [run.last("block.x") / unit, run.last("block.angle"), run.last("ball.x") / unit]
    };
    let one = place(1.0);
    for unit in [1e-6, 1e6] {
        let other = place(unit);
        for (a, b) in one.iter().zip(other) {
            assert!((a - b).abs() < 1e-8, "{unit}: {one:?} {other:?}");
        }
    }
}

#[test]
fn the_tolerance_of_the_scene_is_used() {
    let pendulum = "[world]\ndimension = 2\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 0.01\n\
                    position = [1, 0]\n[[joint]]\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\n\
                    at = [0, 0]\n[simulation]\nduration = 4\nstep = 4\noutput_step = 4\n\
                    integrator = \"event-driven\"";
    let angle = |tolerance: &str| {
        let run = Run::done(pendulum, &[&format!("simulation.tolerance={tolerance}")]);
        run.last("a.angle")
    };
    let reference = angle("1e-12");
    let errors = ["1e-4", "1e-7", "1e-10"].map(|t| (angle(t) - reference).abs());
    assert!(errors[0] > 10.0 * errors[1] && errors[1] > 10.0 * errors[2], "{errors:?}");
    // By default as before.
    let scene = Scene::read("my.toml", "my", pendulum, &[]).unwrap();
    assert_eq!(scene.simulation.tolerance, 1e-10);
}

#[test]
fn errors_name_joints_and_contacts() {
    // A slender rod slides into the region of Painlevé.
    let text = "[world]\ndimension = 2\n[world.ground]\n[[body]]\nname = \"chalk\"\nmass = 1\n\
                inertia = 0.0833333333\nposition = [0, 0.4207354924]\nrotation = 1\n\
                velocity = [-5, 0]\n[[body.shape]]\nkind = \"box\"\nhalf_extents = [0.5, 1e-9]\n\
                [default_contact]\nfriction = 2\n[simulation]\nduration = 1\n\
                integrator = \"event-driven\"";
    let messages = ["[-5, 0]", "[5, 0]"].map(|v| {
        let run = Run::new(text, &[&format!("body.chalk.velocity={v}")]);
        match run.summary.status {
            RunStatus::Failed { message } => message,
            other => other.name().to_string(),
        }
    });
    assert!(
        messages.iter().any(|m| m.contains("painleve") && m.contains("chalk/ground")),
        "{messages:?}"
    );
}

/// A block that rocks ends with infinitely many impacts of either corner in turn.
#[test]
fn the_end_of_rocking_is_an_event_with_a_name() {
    let steps = ["simulation.step=0.5", "simulation.output_step=0.5", "simulation.duration=8"];
    let run = Run::done(shipped("rocking-block"), &[EVENT_DRIVEN, steps[0], steps[1], steps[2]]);
    let events = run.summary.events.iter();
    let ends: Vec<f64> =
        events.filter(|e| e.kind == EventKind::Accumulation).map(|e| e.t).collect();
    let last = run.summary.impacts.last().unwrap().t;
    assert!(ends.len() == 1 && (ends[0] - last).abs() < 1e-5, "{ends:?} {last}");
    assert!(run.last("block.angle").abs() < 1e-12, "{}", run.last("block.angle"));
    // Changes of edge before that, each with 0.91176 of the rate of turning.
    assert!(run.summary.impacts.len() > 100, "{}", run.summary.impacts.len());
}

/// A check that says stop ends the step, and the run as interrupted.
#[test]
fn a_long_step_can_be_stopped_from_outside() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    let scene = Scene::read("my.toml", "my", &bricard(), &[]).unwrap();
    let mut integrator = scene.integrator().unwrap();
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    let check: StopCheck = Arc::new(move || count.fetch_add(1, Ordering::Relaxed) >= 3);
    let (system, start) = (scene.system.as_ref(), scene.start.clone());
    let mut last = Last::default();
    let summary = stop::watching(Some(&check), || {
        run(system, integrator.as_mut(), start, &scene.settings(), &mut last).unwrap()
    });
    assert_eq!(summary.status, RunStatus::Interrupted);
    assert!(asked.load(Ordering::Relaxed) >= 4);
}

#[test]
fn the_woodpecker_pecks_its_way_down() {
    let step = ["simulation.step=1e-2", "simulation.output_step=1e-2"];
    let run = Run::done(shipped("woodpecker-toy"), &[EVENT_DRIVEN, step[0], step[1]]);
    // A limit cycle of 0.125 s and 7.2 mm per peck.
    let fall = 0.1 - run.last("sleeve.y");
    assert!((fall / 1.5 * 0.125 - 7.2e-3).abs() < 1e-3, "{fall}");
}

/// The features of polygons had other numbers when they were far: a contact could appear closed
/// within a step, and the beak hit the pole late or not at all.
#[test]
fn the_beak_hits_the_pole_at_the_same_time_at_every_tolerance() {
    let steps = ["simulation.step=1e-2", "simulation.output_step=1e-2", "simulation.duration=0.1"];
    let times = ["1e-6", "1e-10"].map(|tolerance| {
        let tolerance = format!("simulation.tolerance={tolerance}");
        let overrides = [EVENT_DRIVEN, steps[0], steps[1], steps[2], &tolerance];
        let run = Run::done(shipped("woodpecker-toy"), &overrides);
        // Nothing had to be pushed out.
        let pushed = run.summary.energy.book.projection;
        assert!(pushed.abs() < 1e-10 * run.summary.energy.initial, "{pushed}");
        assert!(run.summary.max_penetration < 1e-12, "{}", run.summary.max_penetration);
        let beak = |key| run.scene.system.contact_name(key).starts_with("beak");
        run.summary.impacts.iter().find(|i| beak(i.contact)).expect("an impact").t
    });
    assert!((times[1] - 0.077_931_293).abs() < 1e-9, "{times:?}");
    assert!((times[0] - times[1]).abs() < 1e-7, "{times:?}");
}

/// Friction of many links reaches its limits one after the other, in times that fall by a factor of
/// seven, and every later event moved a little: the run went on for ever within one step.
#[test]
fn a_chain_begins_to_slip_over_an_edge() {
    let overrides = [EVENT_DRIVEN, "simulation.tolerance=1e-4", "simulation.duration=0.02836"];
    let run = Run::done(shipped("chain-over-edge"), &overrides);
    assert!(run.summary.energy.closing_error.abs() < 1e-6, "{:?}", run.summary.energy);
}

#[test]
fn drawers_slide_and_jam_whatever_the_step() {
    let place = |step: &str| {
        let steps = [format!("simulation.step={step}"), format!("simulation.output_step={step}")];
        let run =
            Run::done(shipped("drawer-with-clearance"), &[EVENT_DRIVEN, &steps[0], &steps[1]]);
        [run.last("deep.x"), run.last("short.x")]
    };
    let (fine, coarse) = (place("1e-3"), place("1e-2"));
    for (a, b) in fine.iter().zip(coarse) {
        assert!((a - b).abs() < 1e-7, "{fine:?} {coarse:?}");
    }
    assert!(fine[0] > 0.4 && fine[1].abs() < 1e-2, "{fine:?}");
}

/// Four blocks that overhang too far fall: every run ends, at its end or with names.
#[test]
fn a_falling_overhang_of_blocks_does_not_hang() {
    let mut text = String::from("[world]\ndimension = 2\n[world.ground]\n");
    for (k, x) in [0.0, 0.06, 0.12, 0.18].iter().enumerate() {
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nmass = 1\nposition = [{x}, {}]\n[[body.shape]]\n\
             kind = \"box\"\nhalf_extents = [0.1, 0.05]\n",
            0.05 + 0.1 * k as f64
        );
    }
    text += "[default_contact]\nfriction = 0.5\n[simulation]\nduration = 0.5\nstep = 1e-2\n\
             output_step = 1e-2\nintegrator = \"event-driven\"";
    let run = Run::done(&text, &[]);
    assert!(run.last("b3.y") < 0.3, "{}", run.last("b3.y"));
}
