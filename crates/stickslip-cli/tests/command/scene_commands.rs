//! The commands `check`, `explain`, `new`, `schema` and `converge`, and runs that are doubted: what they say and their exit codes.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Folder, Run, program};

fn stickslip(arguments: &[&str]) -> Run {
    Run::new(program().args(arguments).output().expect("the program runs"))
}

#[test]
fn check_tells_of_joints_and_overlaps() {
    let good = stickslip(&["check", "slider-crank-world"]);
    assert_eq!((good.code, good.err.as_str()), (Some(0), ""), "{}", good.out);
    for part in
        ["9 velocities in 3 mass blocks", "6 constraints of joints, all independent", "it can run"]
    {
        assert!(good.out.contains(part), "{part:?} is not in {}", good.out);
    }
    let deep = stickslip(&["check", "tippe-top", "--set", "start.z=0.01"]);
    assert!(deep.out.contains("warning: ") && deep.out.contains("overlap, gap -"), "{}", deep.out);
    let coarse = stickslip(&["check", "backspin", "--set", "simulation.step=5e-3"]);
    assert!(coarse.out.contains("warning: ball turns by 1.00 rad in a step"), "{}", coarse.out);
    assert_eq!(coarse.code, Some(0));
    let wrong = stickslip(&["check", "tippe-top", "--tolerance=-1"]);
    assert_eq!(wrong.code, Some(2));
}

/// Two rods of different length between the same points: `check` refused what `run` ran. A motor
/// against a weld: `check` said that it can run.
#[test]
fn check_and_run_agree_on_constraints_that_contradict_each_other() {
    let folder = Folder::new();
    let rods = |lengths: [f64; 2]| {
        let rod = |name: &str, length: f64| {
            format!(
                "[[joint]]\nname = \"{name}\"\nkind = \"distance\"\nbodies = [\"ground\", \"a\"]\n\
                 points = [[0, 0], [0, 0]]\nlength = {length}\n"
            )
        };
        format!(
            "[world]\ndimension = 2\n[[body]]\nname = \"a\"\nposition = [1, 0]\nmass = 1\n\
             inertia = 0.1\n{}{}[simulation]\nduration = 0.01\n",
            rod("short", lengths[0]),
            rod("long", lengths[1])
        )
    };
    let motor = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nname = \"weld\"\n\
                 kind = \"fixed\"\nbodies = [\"ground\", \"a\"]\n[[joint]]\nname = \"guide\"\n\
                 kind = \"prismatic\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
                 motor = { speed = \"0.5*t\" }\n[simulation]\nduration = 0.01\n";
    let cases: [(String, i32, &[&str]); 4] = [
        (rods([1.0, 1.1]), 2, &["'short' and 'long'", "cannot be closed together", "1.000e-1 m"]),
        (motor.to_owned(), 2, &["'weld' and 'guide.motor'", "speeds that contradict"]),
        // The same rod twice, and twice too long: it is redundant, and can be closed.
        (rods([1.0, 1.0]), 0, &[]),
        (rods([1.1, 1.1]), 0, &[]),
    ];
    for (number, (text, code, parts)) in cases.into_iter().enumerate() {
        let file = folder.write(&format!("case-{number}.toml"), &text);
        let check = stickslip(&["check", &file]);
        let run =
            stickslip(&["run", &file, "--quiet", "--out", &folder.path(&format!("{number}"))]);
        assert_eq!((check.code, run.code), (Some(code), Some(code)), "{}{}", check.out, run.err);
        assert_eq!(check.out.contains("it can run"), code == 0, "{}", check.out);
        for part in parts {
            assert!(check.out.contains(part), "{part:?} is not in {}", check.out);
            assert!(run.err.contains(part), "{part:?} is not in {}", run.err);
        }
    }
}

#[test]
fn errors_of_a_file_have_excerpts_and_limits_their_own_exit_code() {
    let folder = Folder::new();
    let file = folder.write("bad.toml", "format = 1\n[[body]]\nname = \"a\"\nmas = \"3 mm\"\n");
    for command in ["check", "explain", "run"] {
        let bad = stickslip(&[command, &file]);
        assert_eq!((bad.code, bad.out.as_str()), (Some(2), ""), "{command}");
        let message = "bad.toml:4:1: body.0.mas is not known; did you mean body.0.mass?\n  |\n4 | mas = \
                       \"3 mm\"\n  | ^^^\n";
        assert!(bad.err.starts_with("error: ") && bad.err.contains(message), "{}", bad.err);
    }
    let many = "[[body]]\nname = \"a\"\nfixed = true\n[[array]]\nbody = \"a\"\nkind = \"grid\"\ncounts = \
                [1000, 1000, 1]\nspacing = [1, 1, 1]\n";
    let many = stickslip(&["check", &folder.write("many.toml", many)]);
    assert_eq!(many.code, Some(4), "{}", many.err);
    assert!(many.err.contains("1000000 bodies; at most 100000"), "{}", many.err);
}

#[test]
fn new_writes_a_scene_once_and_explain_tells_it() {
    let folder = Folder::new();
    let path = folder.path("demo");
    let new = stickslip(&["new", &path]);
    assert_eq!((new.code, new.err.as_str()), (Some(0), ""));
    let again = stickslip(&["new", &path]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("exists already"), "{}", again.err);
    let told = stickslip(&["explain", &format!("{path}.toml")]);
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""));
    for part in
        ["2 moving and 2 fixed bodies", "material rubber with any body", "nothing is averaged"]
    {
        assert!(told.out.contains(part), "{part:?} is not in {}", told.out);
    }
    assert_eq!(stickslip(&["new", &folder.path("")]).code, Some(2));
    assert_eq!(stickslip(&["new", &folder.path("none/demo")]).code, Some(4));
}

#[test]
fn the_schema_is_json() {
    let schema = stickslip(&["schema"]);
    assert_eq!(schema.code, Some(0));
    let schema: serde_json::Value = serde_json::from_str(&schema.out).expect("JSON");
    assert!(schema["properties"]["body"].is_object());
}

#[test]
fn the_laws_of_models_are_told_in_words() {
    let told = |arguments: &[&str]| {
        let run = stickslip(&[&["explain"], arguments].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.out
    };
    let top = told(&["tippe-top"]);
    assert!(top.contains("contact rule 1 (stick): shape 1 of body top"), "{top}");
    assert!(top.contains("0.3 of the normal force"), "{top}");
    assert!(top.contains("pressure of Hertz over a contact disk of radius 0.0005 m"), "{top}");
    let crank = told(&["slider-crank"]);
    assert!(crank.contains("restitution 0.4: it leaves with 40 %"), "{crank}");
    let rolling = ["--set", "parameters.rolling=1e-5", "--set", "parameters.rolling_viscous=1e-6"];
    let disk = told(&[&["rolling-disk"], &rolling[..]].concat());
    assert!(disk.contains("0.00001 m, rolling arm: rolling is resisted by at most this"), "{disk}");
    assert!(disk.contains("0.000001 N m s"), "{disk}");
    // The friction on the belt is a force of its own, and its default is an ODE with elements.
    let belt = told(&["belt-oscillator"]);
    assert!(
        belt.contains("holds up to 0.5 N") && belt.contains("elements of joint-friction"),
        "{belt}"
    );
}

#[test]
fn help_fits_into_80_columns_and_the_list_is_aligned() {
    for command in
        ["run", "resume", "state", "check", "compare", "explain", "new", "schema", "list"]
    {
        let help = stickslip(&[command, "--help"]);
        assert_eq!(help.code, Some(0));
        let wide: Vec<&str> = help.out.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command}: {wide:?}");
        assert!(help.out.contains(&format!("  stickslip {command}")), "{command}: no example");
    }
    let list = stickslip(&["list"]);
    let begin = list.out.lines().next().and_then(|line| line.find("what it shows"));
    let begin = begin.expect("a column of captions");
    for line in list.out.lines().skip(1).take_while(|line| !line.is_empty()) {
        let (before, caption) = line.split_at(begin);
        assert!(before.ends_with("  ") && !caption.starts_with(' '), "{line}");
    }
}

#[test]
fn converge_finds_the_order_and_the_error_of_a_pendulum() {
    // Moreau's rule with a spring is of second order: the exact answer is a cosine.
    let folder = Folder::new();
    let text = "[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 1\n\
                position = [0.1, 0]\n[[joint]]\nkind = \"prismatic\"\nbodies = [\"ground\", \"a\"]\n\
                at = [0, 0]\naxis = [1, 0]\nspring = { stiffness = 4, rest = -0.1 }\n\
                [simulation]\nduration = 1\nstep = 1e-2\nintegrator = \"moreau\"\n";
    let (file, out) = (folder.write("spring.toml", text), folder.path("out"));
    let done = stickslip(&["converge", &file, "--json", "--out", &out]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.err);
    assert_eq!(done.out.lines().count(), 1);
    let answer: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let steps: Vec<u64> = serde_json::from_value(answer["steps"].clone()).expect("steps");
    assert_eq!(steps, [100, 200, 400, 800]);
    let quantities = answer["quantities"].as_array().expect("quantities");
    let velocity = quantities.iter().find(|q| q["name"] == "a.vx").expect("a velocity");
    let number = |key: &str| velocity[key].as_f64().expect("a number");
    assert!((number("order") - 2.0).abs() < 0.05, "{velocity}");
    // v = −0.1 · 2 sin 2: the estimate of the error is the error.
    let values = velocity["values"].as_array().expect("levels");
    let error = (values[3].as_f64().expect("a number") + 0.2 * 2_f64.sin()).abs();
    assert!((number("error") / error - 1.0).abs() < 0.1, "{error:e} {velocity}");
    assert!(answer["verdict"].as_str().expect("a verdict").contains(" at 1 s: "), "{answer}");
    let table =
        std::fs::read_to_string(std::path::Path::new(&out).join("converge.csv")).expect("it");
    assert!(
        table.starts_with("quantity,level,step,steps,value,difference,order,error\n"),
        "{table}"
    );
    assert_eq!(table.lines().filter(|line| line.starts_with("a.vx,")).count(), 4);
    assert!(std::path::Path::new(&out).join("converge.json").is_file());
    // For people: a table and one line of verdict.
    let told = stickslip(&["converge", &file, "--levels", "3", "--quantity", "a.vx"]);
    let last = told.out.lines().last().expect("a verdict");
    assert!(last.starts_with("a.vx at 1 s: -0.18") && last.contains(" ± "), "{}", told.out);
    let wrong = stickslip(&["converge", &file, "--quantity", "b.vx"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("--quantity b.vx") && wrong.err.contains("a.vx"), "{}", wrong.err);
    assert_eq!(stickslip(&["converge", &file, "--levels", "2"]).code, Some(2));
}

#[test]
fn converge_says_where_halving_the_step_does_not_help() {
    // Without friction and gravity nothing depends on the step.
    let folder = Folder::new();
    let text = "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n\
                velocity = [1, 0, 0]\n[simulation]\nduration = 0.5\n";
    let told = stickslip(&["converge", &folder.write("free.toml", text)]);
    assert_eq!(told.code, Some(0));
    assert!(told.out.contains("equal at all levels"), "{}", told.out);
}

#[test]
fn a_run_that_is_untrustworthy_ends_with_3_and_keeps_its_results() {
    let folder = Folder::new();
    let out = folder.path("out");
    let sets = ["--set", "simulation.step=1e-2", "--set", "simulation.output_step=1e-2"];
    let run = program().args(["run", "slider-crank", "--quiet", "--out", &out]).args(sets).output();
    let run = Run::new(run.expect("it runs"));
    assert_eq!(run.code, Some(3), "{}", run.err);
    assert!(run.err.contains("the energy book does not close"), "{}", run.err);
    let summary = crate::common::read_json(std::path::Path::new(&out).join("summary.json"));
    assert_eq!((&summary["status"], &summary["rows"]), (&"untrustworthy".into(), &13.into()));
    assert!(summary["energy"]["worst_closing_share"].as_f64().expect("a share") > 0.1);
    let path = std::path::Path::new(&out);
    assert!(path.join("report.html").is_file() && path.join("trajectory.csv").is_file());
}

#[test]
fn doubts_about_the_energy_are_told_with_quiet_too() {
    let folder = Folder::new();
    let out = folder.path("out");
    let run = program()
        .args(["run", "rolling-disk-coulomb-contour", "--quiet", "--out", &out])
        .args(["--set", "simulation.step=5e-4", "--set", "simulation.duration=20"])
        .output();
    let run = Run::new(run.expect("it runs"));
    assert!(run.err.contains("warning: the energy book closes to"), "{}", run.err);
    let summary = crate::common::read_json(std::path::Path::new(&out).join("summary.json"));
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("the energy book closes to"), "{warnings}");
}

#[test]
fn a_run_with_an_accuracy_tells_its_steps() {
    let folder = Folder::new();
    let out = folder.path("out");
    let sets = ["--set", "simulation.accuracy=1e-4", "--set", "simulation.duration=1"];
    let run = program().args(["run", "bouncing-ball", "--out", &out]).args(sets).output();
    let run = Run::new(run.expect("it runs"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains(" pairs refused, "), "{}", run.out);
    let summary = crate::common::read_json(std::path::Path::new(&out).join("summary.json"));
    let steps = &summary["chosen_steps"];
    assert!(steps["refused"].as_u64() > Some(0) && steps["taken"] == summary["steps"], "{steps}");
    assert_eq!(summary["scene"]["simulation"]["least_step"], 1e-9);
}

#[test]
fn copy_writes_a_shipped_scene_once() {
    let folder = Folder::new();
    let path = folder.path("ball.toml");
    let done = stickslip(&["copy", "bouncing-ball", &path]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out.contains("stickslip run"), "{}", done.out);
    let text = std::fs::read_to_string(&path).expect("the file");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/bouncing-ball.toml");
    assert_eq!(text, std::fs::read_to_string(shipped).expect("the scene"));
    std::fs::write(&path, "mine").expect("a file");
    let again = stickslip(&["copy", "bouncing-ball", &path]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("exists already"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "mine");
    assert_eq!(stickslip(&["copy", "bouncing-ball", &path, "--force"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), text);
    let unknown = stickslip(&["copy", "bouncing-bal", &folder.path("x.toml")]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("bouncing-ball"), "{}", unknown.err);
    assert_eq!(stickslip(&["copy", "bouncing-ball", &folder.path("none/x.toml")]).code, Some(4));
}

#[test]
fn open_wants_a_report() {
    let folder = Folder::new();
    let none = stickslip(&["open", &folder.path("")]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("has no report.html"), "{}", none.err);
    assert_eq!(stickslip(&["open", &folder.path("nowhere")]).code, Some(2));
    folder.write("report.html", "a page");
    // Where no program is found there is no browser, and the page is named.
    let mut command = program();
    let lost = command.env("PATH", "").args(["open", &folder.path("")]).output().expect("it runs");
    let lost = Run::new(lost);
    assert_eq!(lost.code, Some(4), "{}", lost.err);
    assert!(lost.err.contains("no browser") && lost.err.contains("report.html"), "{}", lost.err);
}
