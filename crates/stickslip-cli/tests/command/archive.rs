//! Runs that are ended in every way and go on: bit for bit, with files that are whole at every moment.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests
#![cfg(unix)]

use crate::common::{CONTRADICTION, Folder, Run, numbers, program, read_json};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn stickslip(arguments: &str) -> Run {
    Run::new(program().args(arguments.split_whitespace()).output().expect("it runs"))
}

fn begin(arguments: &str) -> Child {
    let mut command = program();
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

fn signal(child: &Child, name: &str) {
    let kill = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
}

fn text(out: &str, name: &str) -> String {
    std::fs::read_to_string(Path::new(out).join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Everything that must not depend on where a run was cut.
fn results(out: &str) -> (Vec<String>, Value) {
    let mut summary = read_json(Path::new(out).join("summary.json"));
    let keys = summary.as_object_mut().expect("an object");
    let _ = ["command", "seconds"].map(|key| keys.remove(key));
    (["trajectory.csv", "contacts.csv", "impacts.csv"].map(|name| text(out, name)).into(), summary)
}

/// The keys in which two summaries differ.
fn differing(a: &Value, b: &Value) -> String {
    let keys =
        a.as_object().into_iter().flatten().filter(|(key, value)| b[key.as_str()] != **value);
    keys.map(|(key, value)| format!("{key}: {value} {} ", b[key.as_str()])).collect()
}

/// All rows are there as a whole.
fn assert_whole(out: &str, name: &str) {
    let table = text(out, name);
    assert!(table.ends_with('\n'), "{name} is cut off");
    assert_columns(&table, name);
}

/// The same after a kill. The system itself cuts a write between two pages of a file, so that a row across them may
/// end there, and nowhere else.
fn assert_whole_but_for_a_page(out: &str, name: &str) {
    const PAGE: usize = 4096;
    let table = text(out, name);
    let whole = table.rfind('\n').map_or(0, |end| end + 1);
    let length = table.len();
    assert!(
        whole == length || length.is_multiple_of(PAGE),
        "{name} is cut off after {length} bytes"
    );
    assert_columns(&table[..whole], name);
}

fn assert_columns(table: &str, name: &str) {
    let columns = table.lines().next().expect("a header").split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() == columns), "{name}");
}

/// Scenes with durations and integrators.
const SCENES: &[(&str, &str, &[&str])] = &[
    ("tippe-top", "0.3", &["moreau-rk4", "event-driven", "ode-rk4"]),
    ("bouncing-ball", "1.2", &["rattle", "ode-stiff", "event-driven"]),
    ("bouncing-mass", "0.4", &["rattle", "moreau", "moreau-rk4", "event-driven", "ode-adaptive"]),
    ("block-on-incline", "0.1", &["rattle", "moreau", "event-driven", "ode-rk4"]),
    ("rolling-disk-coulomb", "0.05", &["rattle", "moreau", "moreau-rk4"]),
    ("slider-crank", "0.02", &["rattle", "moreau", "moreau-rk4", "event-driven"]),
    ("woodpecker-toy", "0.05", &["rattle", "moreau", "moreau-rk4"]),
    ("newtons-cradle", "0.5", &["rattle", "moreau", "event-driven"]),
    ("conveyor-masses", "0.5", &["rattle", "event-driven", "ode-adaptive", "ode-stiff", "ode-rk4"]),
    ("box-stack", "0.05", &["rattle", "moreau", "moreau-rk4"]),
    ("rattleback", "0.05", &["rattle", "moreau", "moreau-rk4"]),
];

/// Those whose steps are chosen by an accuracy.
const CHOSEN: &[(&str, &str, &[&str])] = &[
    ("bouncing-ball", "1.2", &["rattle", "moreau"]),
    ("bouncing-mass", "0.4", &["moreau", "moreau-rk4"]),
];

/// Runs to random times, and from there on to the end, against runs in one piece; returns their number.
fn cut(scenes: &[(&str, &str, &[&str])], cuts: usize, chosen: bool) -> usize {
    let (folder, mut random, mut count) = (Folder::new(), fastrand::Rng::with_seed(16), 0);
    for (scene, duration, integrators) in scenes {
        for integrator in *integrators {
            let steps = if chosen { "--set simulation.accuracy=1e-3" } else { "" };
            let common =
                format!("--no-report --quiet --set simulation.integrator={integrator} {steps}");
            let whole = folder.path(&format!("{scene}-{integrator}"));
            let duration_set = format!("--set simulation.duration={duration}");
            let done = stickslip(&format!("run {scene} {common} {duration_set} --out {whole}"));
            let end: f64 = duration.parse().expect("a number");
            for _ in 0..cuts {
                let out = folder.path("cut");
                let at = end * random.f64();
                let set = format!("--set simulation.duration={at}");
                // The state at the end, which may be off the grid, was taken for one on the way where the
                // last step took long or a checkpoint was due.
                stickslip(&format!("run {scene} {common} {set} --checkpoint 0s --out {out}"));
                let gone =
                    stickslip(&format!("resume {out} --no-report --quiet --until {duration}s"));
                assert_eq!(gone.code, done.code, "{scene} {integrator} at {at}: {}", gone.err);
                let ([a, b], name) =
                    ([results(&whole), results(&out)], format!("{scene} {integrator}"));
                assert!(a.0 == b.0, "{name}: a table differs, cut at {at}");
                assert!(a.1 == b.1, "{name}, cut at {at}: {}", differing(&a.1, &b.1));
                count += 1;
            }
        }
    }
    count
}

#[test]
fn a_run_that_goes_on_beyond_its_end_is_the_longer_run() {
    cut(&SCENES[1..3], 1, false);
    cut(&[SCENES[5]], 1, false);
    cut(&CHOSEN[..1], 1, true);
}

/// Takes minutes.
#[test]
#[ignore = "takes minutes"]
fn a_run_that_goes_on_beyond_its_end_is_the_longer_run_at_twenty_cuts_of_all_scenes() {
    let count = cut(SCENES, 20, false) + cut(CHOSEN, 20, true);
    println!("{count} runs were cut");
}

/// Kills runs at random moments; returns how many could go on, and how many had not begun.
fn kill(count: usize) -> [usize; 2] {
    let (folder, mut random, mut tally) = (Folder::new(), fastrand::Rng::with_seed(9), [0, 0]);
    let runs = [
        ("tippe-top", "--set simulation.duration=2"),
        ("slider-crank", "--set simulation.duration=0.05 --set simulation.integrator=event-driven"),
        ("conveyor-masses", "--set simulation.duration=20"),
    ];
    for (number, (scene, set)) in runs.iter().enumerate() {
        let (whole, out) = (folder.path(scene), folder.path(&format!("killed-{number}")));
        let common = format!("run {scene} {set} --no-report --quiet --checkpoint 50ms --out");
        let started = Instant::now();
        assert_eq!(stickslip(&format!("{common} {whole}")).code, Some(0));
        let time = started.elapsed();
        for _ in 0..count.div_ceil(runs.len()) {
            let mut child = begin(&format!("{common} {out}"));
            std::thread::sleep(time.mul_f64(random.f64()));
            child.kill().expect("kill -9");
            child.wait().expect("an end");
            // What stands under the names of results is whole.
            for name in ["trajectory.csv", "contacts.csv", "impacts.csv"] {
                let is_empty =
                    std::fs::metadata(Path::new(&out).join(name)).map_or(0, |m| m.len()) == 0;
                if !is_empty {
                    assert_whole_but_for_a_page(&out, name);
                }
            }
            if !Path::new(&out).join("run.archive").exists() {
                tally[1] += 1;
                continue;
            }
            let gone = stickslip(&format!("resume {out} --no-report --quiet"));
            // It may have been complete.
            let complete = gone.code == Some(2) && gone.err.contains("the run is complete");
            assert!(gone.code == Some(0) || complete, "{}", gone.err);
            if gone.code == Some(0) {
                let [a, b] = [results(&whole), results(&out)];
                assert!(a.0 == b.0, "{scene}: a table differs");
                assert!(a.1 == b.1, "{scene}: {}", differing(&a.1, &b.1));
            }
            tally[0] += 1;
        }
    }
    tally
}

#[test]
fn rows_were_cut_off_by_a_kill_and_runs_were_lost() {
    kill(9);
}

/// Takes minutes.
#[test]
#[ignore = "takes minutes"]
fn runs_that_are_killed_at_two_hundred_moments_go_on() {
    println!("{:?} could go on, had not begun", kill(201));
}

#[test]
fn a_second_run_into_the_same_folder_is_refused_and_earlier_results_stay_until_the_new_ones_are_complete()
 {
    let folder = Folder::new();
    let out = folder.path("out");
    let short = format!("run bouncing-ball --quiet --no-report --out {out}");
    assert_eq!(stickslip(&short).code, Some(0));
    let before = text(&out, "trajectory.csv");
    let mut first = begin(&format!("run tippe-top --set simulation.duration=1000 --out {out}"));
    let archive = Path::new(&out).join("run.archive");
    let started = Instant::now();
    while !(Path::new(&out).join("earlier").exists() && archive.exists()) {
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
    for command in [short.clone(), format!("resume {out}")] {
        let second = stickslip(&command);
        assert_eq!(second.code, Some(4), "{}", second.err);
        let who = format!("a run is writing to this folder (process {})", first.id());
        assert!(second.err.contains(&who), "{}", second.err);
    }
    assert!(first.try_wait().expect("a state").is_none(), "the first goes on");
    first.kill().expect("kill -9");
    first.wait().expect("an end");
    assert_eq!(text(&out, "earlier/trajectory.csv"), before);
    // A killed run leaves no lock; the results of a complete run stay until others are complete.
    assert_eq!(stickslip(&format!("{short} --max-steps 10")).code, Some(4));
    assert_eq!(text(&out, "earlier/trajectory.csv"), before);
    assert_eq!(stickslip(&short).code, Some(0));
    assert_eq!(text(&out, "trajectory.csv"), before);
    assert!(!Path::new(&out).join("earlier").exists());
}

/// Signals were looked at every 256 steps, and SIGTERM not at all.
#[test]
fn signals_are_looked_at_by_time_also_within_long_steps() {
    let long = "--set simulation.step=1000 --set simulation.output_step=1000 --set simulation.duration=1000";
    let runs = [
        ("tippe-top", "--set simulation.duration=1000"),
        ("slider-crank", &format!("--set simulation.integrator=event-driven {long}") as &str),
        ("conveyor-masses", &format!("--set simulation.integrator=ode-adaptive {long}")),
        ("sphere-pile", ""),
    ];
    let folder = Folder::new();
    for (scene, set) in runs {
        for (name, code) in [("-TERM", 143), ("-INT", 130)] {
            let out = folder.path(&format!("{scene}{name}"));
            let child = begin(&format!("run {scene} {set} --no-report --out {out}"));
            let started = Instant::now();
            while !Path::new(&out).join("run.archive").exists() {
                assert!(started.elapsed() < Duration::from_secs(30));
                std::thread::sleep(Duration::from_millis(10));
            }
            std::thread::sleep(Duration::from_millis(300));
            signal(&child, name);
            let sent = Instant::now();
            let stopped = Run::new(child.wait_with_output().expect("an end"));
            let time = sent.elapsed();
            println!("{scene} {name}: {time:?}");
            assert_eq!(stopped.code, Some(code), "{scene}: {}", stopped.err);
            // 0.5 s to look, the rest to write; the machine may be busy.
            assert!(time < Duration::from_secs(2), "{scene} {name}: {time:?}");
            assert_whole(&out, "trajectory.csv");
            assert_eq!(read_json(Path::new(&out).join("summary.json"))["status"], "interrupted");
        }
    }
}

#[test]
fn a_state_of_a_run_is_that_of_a_shorter_one_and_a_scene_starts_there() {
    let folder = Folder::new();
    let (out, half) = (folder.path("out"), folder.path("half"));
    let run = "run bouncing-ball --quiet --no-report --set simulation.duration";
    assert_eq!(stickslip(&format!("{run}=1 --out {out}")).code, Some(0));
    assert_eq!(stickslip(&format!("{run}=0.5 --out {half}")).code, Some(0));
    let shown = stickslip(&format!("state {out} --at 0.5 --json"));
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    let state: Value = serde_json::from_str(&shown.out).expect("JSON");
    let end = &read_json(Path::new(&half).join("summary.json"))["final_state"];
    for key in ["q", "u", "memory"] {
        assert_eq!(numbers(&state[key]), numbers(&end[key]), "{key}");
    }
    let later = folder.path("later.toml");
    assert_eq!(stickslip(&format!("state {out} --at 0.5s --write {later}")).code, Some(0));
    let rest = folder.path("rest");
    let done = stickslip(&format!("run {later} --quiet --no-report --out {rest}"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    // In flight the same numbers follow, but for the rounding of times that begin elsewhere.
    let column = |out: &str| -> Vec<[f64; 2]> {
        let table = text(out, "trajectory.csv");
        let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
        let z = header.iter().position(|name| *name == "ball.z").expect("a column");
        let number = |cell: &str| cell.parse().expect("a number");
        let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        rows.map(|row| [number(row[0]), number(row[z])]).collect()
    };
    let (all, rest) = (column(&out), column(&rest));
    assert_eq!(rest[0], all[50]);
    assert_eq!(rest.len(), 51);
    for (a, b) in all[50..80].iter().zip(&rest) {
        assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12, "{a:?} {b:?}");
    }
    let refused = stickslip(&format!("state {out} --at 7"));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("from t = 0 s to t = 1 s"), "{}", refused.err);
}

#[test]
fn a_run_that_failed_is_rewound_to_before_the_failing_step() {
    let folder = Folder::new();
    let scene = folder.write("my.toml", CONTRADICTION);
    let [out, whole] = ["out", "whole"].map(|name| folder.path(name));
    let common = "--set solver.max_iterations=1000 --quiet --no-report --out";
    assert_eq!(stickslip(&format!("run {scene} {common} {out}")).code, Some(3));
    let state = stickslip(&format!("state {out}"));
    assert_eq!(state.code, Some(3), "{}", state.err);
    assert!(state.out.contains("at t = 0.001 s, after 1 steps"), "{}", state.out);
    assert_eq!(stickslip(&format!("run {scene} --allow-inexact {common} {whole}")).code, Some(0));
    let gone = stickslip(&format!("resume {out} --allow-inexact --quiet --no-report"));
    assert_eq!(gone.code, Some(0), "{}", gone.err);
    assert!(results(&out) == results(&whole));
    let complete = stickslip(&format!("resume {out}"));
    assert_eq!(complete.code, Some(2));
    assert!(complete.err.contains("the run is complete at t = 0.002 s"), "{}", complete.err);
}

/// 20 MB of a list took 2.7 GB, 10^6 unknown keys hours, a pipe was waited for, 10^12 steps were begun.
#[test]
fn input_that_is_too_large_is_refused_at_once() {
    let folder = Folder::new();
    let keys = |count: usize| (0..count).map(|k| format!("k{k} = 1\n")).collect::<String>();
    let cases = [
        ("list", format!("a = [{}1]", "1,".repeat(10_000_000)), 4),
        ("brackets", "[".repeat(30_000_000), 4),
        ("fewer-brackets", format!("a = {}", "[".repeat(15_000_000)), 4),
        ("keys", keys(1_000_000), 4),
        ("dots", format!("a{} = 1", ".a".repeat(2_000_000)), 4),
        // As large as allowed, and wrong.
        ("long-list", format!("format = 1\na = [{}1]", "1,".repeat(220_000)), 2),
        ("many-keys", format!("format = 1\n{}", keys(94_000)), 2),
        ("many-parameters", format!("model = \"tippe-top\"\n[parameters]\n{}", keys(94_000)), 2),
        ("many-bodies", format!("format = 1\n{}", "[[body]]\nname = \"a\"\n".repeat(40_000)), 2),
    ];
    let program = env!("CARGO_BIN_EXE_stickslip");
    let check = |file: &str| {
        // 200 MB, and what program, libraries and stacks take of the address space, in kB: beyond it the
        // program would be aborted.
        let script = format!("ulimit -v 280000; exec '{program}' check '{file}'");
        let started = Instant::now();
        let output = std::process::Command::new("sh").args(["-c", &script]).output();
        let run = Run::new(output.expect("a shell"));
        println!("{file}: {:?}", started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(20), "{file}");
        run
    };
    for (name, text, code) in cases {
        let file = folder.write(&format!("{name}.toml"), text);
        assert_eq!(check(&file).code, Some(code), "{name}");
    }
    let pipe = folder.path("pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let refused = check(&pipe);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("it is no regular file"), "{}", refused.err);
}

#[test]
fn limits_are_named_and_can_be_set() {
    let folder = Folder::new();
    let out = folder.path("out");
    for (arguments, parts) in [
        ("tippe-top --set simulation.step=1e-12", ["8.0e12 steps", "--max-steps"]),
        ("tippe-top --max-output 10kB", ["bytes", "--max-output"]),
        ("box-stack --max-contacts 2", ["contacts are closed, at most 2", "--max-contacts"]),
        (
            "tippe-top --set simulation.accuracy=1e-4 --max-steps 9e4",
            ["more than 9.0e4 steps were computed", "--max-steps"],
        ),
    ] {
        let refused = stickslip(&format!("run {arguments} --quiet --no-report --out {out}"));
        assert_eq!(refused.code, Some(4), "{arguments}: {}", refused.err);
        for part in parts {
            assert!(refused.err.contains(part), "{part:?} is not in {}", refused.err);
        }
    }
    // A model in Rust took any number where a world does not.
    for scene in ["slider-crank", "tippe-top", "belt-oscillator"] {
        for value in ["1e308", "-1e31"] {
            let key = match scene {
                "slider-crank" => "start.omega1",
                "tippe-top" => "start.psi_dot",
                _ => "start.w",
            };
            let refused = stickslip(&format!("check {scene} --set {key}={value}"));
            assert_eq!(refused.code, Some(2), "{scene} {value}: {}{}", refused.out, refused.err);
        }
    }
}
