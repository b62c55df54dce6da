//! Scene files: every key that a file documents is there, defaults are what the files say, errors
//! name the key and its place.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

#[path = "oracles/mod.rs"]
mod oracles;

use crate::oracles::rolling_disk::PRESETS;
use crate::oracles::{DiskParameters, DiskStart, TippeTopParameters, TippeTopStart};
use stickslip::scene::{
    BUILT_IN, BuiltIn, IntegratorName, Outline, ProjectionName, Scene, SolverChoice, built_in,
};
use stickslip::simulate::{Observer, Sample};

/// The systems of Xiong 2013.
const XIONG: [&str; 5] =
    ["friction-mass", "bouncing-mass", "rolling-sphere", "conveyor-masses", "belt-oscillator"];

fn read(text: &str, overrides: &[&str]) -> Result<Scene, String> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Scene::read("my.toml", "my", text, &overrides).map_err(|e| e.to_string())
}

fn named(name: &str, overrides: &[&str]) -> Scene {
    let text = built_in(name).expect("a built-in scene").text;
    read(text, overrides).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The scenes that name a model.
fn models() -> impl Iterator<Item = &'static BuiltIn> {
    BUILT_IN.iter().filter(|scene| !Scene::describes_world("", scene.text).expect("TOML"))
}

fn complaint(text: &str, overrides: &[&str]) -> String {
    read(text, overrides).err().unwrap_or_else(|| panic!("accepted: {text} {overrides:?}"))
}

/// The parameters of a model without the constants of the elements that may stand for its laws.
fn own_parameters(effective: &toml::Table) -> toml::Table {
    let mut table = effective["parameters"].as_table().expect("a section").clone();
    for key in ["stiffness", "relaxation_time", "contact_time"] {
        assert!(table.remove(key).is_some(), "{key}");
    }
    table
}

/// The file with its documented defaults put into force: "# key = value" without the "#".
fn uncommented(text: &str) -> String {
    let is_key = |line: &str| {
        line.strip_prefix("# ").and_then(|l| l.split_once(" = ")).is_some_and(|(key, _)| {
            key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        })
    };
    let lines = text.lines().map(|line| if is_key(line) { &line[2..] } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_scene_in_the_folder_is_built_in_and_can_be_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of scenes")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let mut known: Vec<String> = BUILT_IN.iter().map(|s| format!("{}.toml", s.name)).collect();
    files.sort();
    known.sort();
    assert_eq!(files, known);
    for scene in BUILT_IN {
        let outline = Outline::read(scene.name, scene.text).expect("a scene");
        assert!(!outline.caption.is_empty(), "{}", scene.name);
    }
    for scene in models() {
        assert!(named(scene.name, &[]).integrator().is_ok(), "{}", scene.name);
    }
}

#[test]
fn documented_defaults_are_the_defaults() {
    for name in ["slider-crank"] {
        let text = built_in(name).expect("a scene").text;
        let plain = uncommented(text);
        let written: toml::Table = plain.parse().expect("TOML");
        let documented = read(&plain, &[]).expect("every documented key is accepted");
        assert_eq!(documented.effective(), named(name, &[]).effective(), "{name}");
        // And every key that exists is documented.
        for (section, values) in documented.effective() {
            let Some(values) = values.as_table() else { continue };
            for key in values.keys() {
                assert!(written[section].get(key).is_some(), "{name}: {section}.{key}");
            }
        }
    }
}

#[test]
fn the_top_has_the_data_of_leine_2003_and_the_defaults_of_its_model() {
    let scene = named("tippe-top", &[]);
    let table = scene.effective();
    let parameters: TippeTopParameters = own_parameters(table).try_into().expect("data");
    let start: TippeTopStart = table["start"].clone().try_into().expect("a start");
    assert_eq!(parameters, TippeTopParameters::default());
    assert_eq!(start, TippeTopStart::default());
    let s = &scene.simulation;
    assert_eq!((s.duration, s.step, s.output_step, s.stage_ratio), (8.0, 1e-4, 1e-3, 0.25));
    assert_eq!((s.integrator, s.projection), (IntegratorName::MoreauRk4, ProjectionName::None));
    let solver = SolverChoice { method: "auto".into(), tolerance: 1e-10, max_iterations: 100_000 };
    assert_eq!(scene.solver, solver);
}

#[test]
fn the_disks_are_the_four_simulations_of_le_saux_2005() {
    for preset in PRESETS {
        let scene = named(preset.name, &[]);
        let table = scene.effective();
        let parameters: DiskParameters = own_parameters(table).try_into().expect("data");
        let start: DiskStart = table["start"].clone().try_into().expect("a start");
        assert_eq!(
            (parameters, start),
            (preset.parameters, DiskStart::default()),
            "{}",
            preset.name
        );
        assert_eq!(scene.caption, preset.caption);
        let s = &scene.simulation;
        assert_eq!((s.duration, s.step, s.output_step), (preset.duration, 1e-4, 5e-3));
        assert_eq!(
            (s.integrator, s.projection),
            (IntegratorName::Moreau, ProjectionName::Identity)
        );
    }
}

#[test]
fn the_effective_scene_reads_back_to_the_same_scene() {
    let of_papers = |scene: &&BuiltIn| {
        XIONG.contains(&scene.name) || models().any(|model| model.name == scene.name)
    };
    for scene in BUILT_IN.iter().filter(of_papers) {
        // Keys that every system has in some form: a mass, and a start near zero.
        let (mass, start) = match scene.name {
            "slider-crank" => ("parameters.rod_mass=0.1234567890123456", "start.omega3=-1e-300"),
            "conveyor-masses" => {
                ("parameters.stiffness=0.1234567890123456", "start.positions=[-1e-300, 1, 1, 0]")
            }
            "rolling-sphere" => {
                ("parameters.mass=0.1234567890123456", "start.velocity=[-1e-300, 0, 0]")
            }
            name if XIONG.contains(&name) => {
                ("parameters.mass=0.1234567890123456", "start.p=-1e-300")
            }
            _ => ("parameters.mass=0.1234567890123456", "start.x=-1e-300"),
        };
        let changes = ["simulation.step=2.5e-5", mass, start];
        let once = named(scene.name, &changes);
        let again = read(&once.to_toml(), &[]).expect("the effective scene");
        assert_eq!(once.effective(), again.effective());
        assert_eq!(once.to_toml(), again.to_toml());
        assert_eq!((&once.start, once.simulation.step), (&again.start, 2.5e-5));
        assert_eq!(once.name, again.name);
    }
}

#[test]
fn overrides_take_toml_values_and_bare_words() {
    let scene = named(
        "tippe-top",
        &[
            "parameters.friction=contensou-uniform",
            "parameters.coordinates = \"euler\"",
            "parameters.floor_velocity=[0.5, 0]",
            "simulation.duration=3",
            "simulation.allow_inexact=true",
            "solver.max_iterations=7",
            "solver.tolerance=.5",
            "name=other",
        ],
    );
    let table = scene.effective();
    assert_eq!(table["parameters"]["friction"].as_str(), Some("contensou-uniform"));
    assert_eq!(table["parameters"]["floor_velocity"][0].as_float(), Some(0.5));
    assert_eq!(scene.simulation.duration, 3.0);
    assert!(scene.simulation.allow_inexact);
    assert_eq!((scene.solver.max_iterations, scene.solver.tolerance), (7, 0.5));
    assert_eq!(scene.name, "other");
    // The Euler form has six coordinates, the quaternion form seven.
    assert_eq!((scene.start.q.len(), named("tippe-top", &[]).start.q.len()), (6, 7));
    // The last override of a key counts.
    let twice = named("tippe-top", &["simulation.duration=1", "simulation.duration=2"]);
    assert_eq!(twice.simulation.duration, 2.0);
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_known_one() {
    let top = "model = \"tippe-top\"\n";
    for (text, overrides, parts) in [
        (
            "[parameters]\nmas = 1",
            vec![],
            ["my.toml:3:", "parameters.mas is not used", "parameters.mass?"],
        ),
        (
            "[simulaton]\nstep = 1",
            vec![],
            ["my.toml:2:", "simulaton is not known", "mean simulation?"],
        ),
        ("duration = 1", vec![], ["my.toml:2:", "duration is not known", "known are array"]),
        ("[start]\ngravity = 1", vec![], ["my.toml:3:", "start.gravity", "not used"]),
        (
            "[solver]\nzzzzzzzz = 1",
            vec![],
            ["my.toml:3:", "solver.zzzzzzzz", "known are method, tolerance"],
        ),
        (
            "",
            vec!["solver.metod=newton"],
            ["--set solver.metod=newton:", "not known", "solver.method?"],
        ),
        (
            "",
            vec!["parameters.contour=1"],
            ["--set parameters.contour=1:", "not used", "those in use are"],
        ),
        ("", vec!["a.b.c=1"], ["--set a.b.c=1:", "a is not known", "known are array"]),
    ] {
        let message = complaint(&format!("{top}{text}"), &overrides);
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
    }
}

#[test]
fn bad_values_name_key_value_and_range() {
    let top = "model = \"tippe-top\"\n";
    for (text, overrides, parts) in [
        (
            "[parameters]\nmass = -1",
            vec![],
            ["my.toml:3:", "parameters.mass is -1", "finite and positive"],
        ),
        (
            "[parameters]\nmass = \"a\"",
            vec![],
            ["my.toml:", "parameters.mass is the word \"a\"", "a number"],
        ),
        (
            "[start]\ntheta = nan",
            vec![],
            ["my.toml:3:", "start.theta is nan", "from -1e30 to 1e30"],
        ),
        (
            "[parameters]\nfriction = \"x\"",
            vec![],
            ["my.toml:3:", "is \"x\"", "\"contensou-hertz\""],
        ),
        (
            "[parameters]\nfloor_velocity = [1]",
            vec![],
            ["my.toml:", "parameters.floor_velocity[1] is not there", "1 entries"],
        ),
        (
            "[simulation]\nstep = 0",
            vec![],
            ["my.toml:3:", "simulation.step is 0", "finite and positive"],
        ),
        (
            "[simulation]\nstep = 3e-4",
            vec![],
            ["my.toml:", "output_step is 0.001", "multiple of the step 0.0003"],
        ),
        ("[simulation]\nintegrator = 4", vec![], ["my.toml:3:", "integrator is 4", "it must be"]),
        (
            "[simulation]\nstage_ratio = 1.5",
            vec![],
            ["my.toml:3:", "stage_ratio is 1.5", "at most 1"],
        ),
        (
            "[simulation]\nallow_inexact = 1",
            vec![],
            ["my.toml:3:", "allow_inexact is 1", "true or false"],
        ),
        (
            "[solver]\ntolerance = 2",
            vec![],
            ["my.toml:3:", "solver.tolerance is 2", "between 0 and 1"],
        ),
        (
            "[solver]\nmax_iterations = 0",
            vec![],
            ["my.toml:3:", "solver.max_iterations is 0", "at least 1"],
        ),
        (
            "[solver]\nmax_iterations = 1.5",
            vec![],
            ["my.toml:3:", "max_iterations is 1.5", "whole number"],
        ),
        (
            "[solver]\nmethod = \"x\"",
            vec![],
            ["my.toml:3:", "solver.method is \"x\"", "\"gauss-seidel\""],
        ),
        ("parameters = 3", vec![], ["my.toml:2:", "parameters is 3", "a section [parameters]"]),
        ("name = 3", vec![], ["my.toml:2:", "name is 3", "text"]),
        ("name = ", vec![], ["my.toml:2:", "not TOML", ""]),
        ("", vec!["simulation.step"], ["--set simulation.step:", "KEY=VALUE", ""]),
        ("", vec!["simulation..step=1"], ["--set simulation..step=1:", "joined by dots", ""]),
        ("", vec!["simulation.step=[1"], ["--set simulation.step=[1:", "value must be", ""]),
        ("", vec!["model.x=1"], ["model is { x = 1 }", "it must be", ""]),
        (
            "",
            vec!["model=tipe-top"],
            ["--set model=tipe-top:", "model is \"tipe-top\"", "\"tippe-top\"?"],
        ),
    ] {
        let message = complaint(&format!("{top}{text}"), &overrides);
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
    }
    // A set that cannot be computed with is refused before the run.
    let message = complaint(top, &["parameters.contact_radius=1e-90"]);
    assert!(
        message.contains("contact_radius is 1e-90") && message.contains("it must be 0, or from"),
        "{message}"
    );
    assert!(complaint("", &[]).contains("model must be \"tippe-top\""));
}

#[test]
fn several_errors_are_told_at_once_in_the_order_of_the_file() {
    let text = "model = \"tippe-top\"\n[solver]\ntolerance = 2\n[startt]\nx = 1\n";
    let message = complaint(text, &["simulation.step=-1"]);
    let expected = "\
my.toml:3:13: solver.tolerance is 2, it must be between 0 and 1
  |
3 | tolerance = 2
  |             ^
my.toml:4:2: startt is not known; did you mean start?
  |
4 | [startt]
  |  ^^^^^^
--set simulation.step=-1: simulation.step is -1, it must be finite and positive";
    assert_eq!(message, expected);
}

/// Whatever the text is, it is read or refused.
#[test]
fn mutated_scenes_are_read_or_refused() {
    let mut random = fastrand::Rng::with_seed(7);
    let full = uncommented(BUILT_IN[1].text);
    let pieces = [
        "nan", "inf", "-1", "1e308", "[", "]", "=", "\"", "\n", "{}", "#", "é", "'", "..", "[[a]]",
        "\0",
    ];
    let mut read_back = 0;
    for _ in 0..2000 {
        let mut text: Vec<char> = full.chars().collect();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..text.len());
            match random.u8(..3) {
                0 => text.truncate(at.max(1)),
                1 => drop(text.drain(at..(at + random.usize(1..9)).min(text.len()))),
                _ => drop(
                    text.splice(at..at, random.choice(pieces).into_iter().flat_map(str::chars)),
                ),
            }
            if text.is_empty() {
                text.push('#');
            }
        }
        let text: String = text.into_iter().collect();
        match read(&text, &[]) {
            Ok(_) => read_back += 1,
            Err(message) => assert!(!message.is_empty()),
        }
    }
    assert!((1..2000).contains(&read_back), "{read_back} of 2000 were accepted");
}

/// Every model runs by every integrator, to the same motion as long as nothing touches yet or the
/// elements hold: 1 ms is less than their first contact.
#[test]
fn every_model_runs_by_both_routes() {
    struct Last(Vec<f64>);
    impl Observer for Last {
        fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
            self.0 = sample.state.q.clone();
            Ok(())
        }
    }
    // Of the disks one with Coulomb friction: the friction ball of a disk that nearly rolls is too
    // stiff for event-driven integration (docs/user-guide.md).
    let others = ["tippe-top", "rolling-disk-coulomb", "slider-crank"];
    for name in others.iter().chain(&XIONG) {
        let mut ends = Vec::new();
        for integrator in ["moreau", "event-driven", "ode-rk4", "ode-adaptive", "ode-stiff"] {
            let integrator = format!("simulation.integrator={integrator}");
            let scene = named(
                name,
                &[
                    integrator.as_str(),
                    "simulation.duration=1e-3",
                    "simulation.step=1e-5",
                    "simulation.output_step=1e-3",
                ],
            );
            let mut warnings = scene.warnings();
            // The printed inertia of the disk.
            warnings.retain(|warning| !warning.contains("taken as rounding"));
            assert_eq!(warnings, [""; 0], "{name} {integrator}");
            let mut last = Last(Vec::new());
            let summary = stickslip::simulate::run(
                scene.system.as_ref(),
                scene.integrator().expect("an integrator").as_mut(),
                scene.start.clone(),
                &scene.settings(),
                &mut last,
            )
            .expect("settings");
            assert_eq!(summary.status.name(), "done", "{name} {integrator}");
            ends.push(last.0);
        }
        for end in &ends[1..] {
            let far = end.iter().zip(&ends[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Elements give way by weight over stiffness, tens of micrometres, and one turn of the
            // top takes 35 ms: nothing may differ by more than a hundredth.
            assert!(far < 1e-2, "{name}: {far}");
        }
    }
}

#[test]
fn the_ode_route_warns_and_refuses() {
    let large = named("conveyor-masses", &["simulation.step=1e-3"]).warnings().join("\n");
    assert!(large.contains("above 7.0") && large.contains("e-4 s"), "{large}");
    let gains = named("bouncing-mass", &["parameters.contact_time=0.02"]).warnings().join("\n");
    assert!(gains.contains("0.02") && gains.contains("energy"), "{gains}");
    // The exact laws have no stability limit.
    let exact =
        named("conveyor-masses", &["simulation.step=1e-3", "simulation.integrator=event-driven"]);
    assert_eq!(exact.warnings(), [""; 0]);
    for (key, range) in [
        ("parameters.stiffness=0", "stiffness is 0, it must be finite and positive"),
        ("parameters.relaxation_time=-1", "relaxation_time is -1, it must be finite and positive"),
        ("parameters.contact_time=0", "contact_time is 0, it must be finite and positive"),
        ("simulation.tolerance=1", "it must be between 1e-12 and 1e-2"),
        ("simulation.integrator=ode", "ode-adaptive"),
    ] {
        for name in ["rolling-sphere", "tippe-top"] {
            let told = complaint(built_in(name).expect("a scene").text, &[key]);
            assert!(told.contains(range), "{told}");
        }
    }
    let told =
        complaint(built_in("rolling-sphere").expect("a scene").text, &["parameters.law=dahl"]);
    assert!(told.contains("xiong") && told.contains("smooth"), "{told}");
}
