//! Sweeps and bifurcation diagrams: tables, resuming, what is refused.

use crate::common::{Folder, Run, program, read_json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn stickslip(arguments: &[&str]) -> Run {
    Run::new(program().args(arguments).output().expect("it runs"))
}

fn text(out: &str, name: &str) -> String {
    std::fs::read_to_string(Path::new(out).join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A sweep of a ball that falls; two densities of ten are refused by the scene.
fn sweep<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec![
        "sweep",
        "bouncing-ball",
        "--vary",
        "body.ball.density=-1000:8000:10",
        "--vary",
        "simulation.integrator=rattle,moreau",
        "--measure",
        "max(ball.z)",
        "--measure",
        "hits=count(impact(ball))",
        "--measure",
        "at(ball.z, 0.25)",
        "--set",
        "simulation.duration=0.5",
        "--out",
        out,
        "--quiet",
    ];
    all.extend(more);
    all
}

#[test]
fn a_sweep_has_a_row_for_each_point_and_failed_ones_say_why() {
    let folder = Folder::new();
    let (one, two) = (folder.path("one"), folder.path("two"));
    let run = stickslip(&sweep(&one, &["--jobs", "1"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("20 points, 16 done, 4 failed"), "{}", run.out);
    let table = text(&one, "sweep.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0],
        "body.ball.density,simulation.integrator,max(ball.z),hits,\"at(ball.z, 0.25)\",status,message"
    );
    assert_eq!(lines.len(), 21);
    assert!(lines[1].starts_with("-1000,rattle,,,,bad-input,"), "{}", lines[1]);
    assert!(lines[1].contains("density"), "{}", lines[1]);
    // The last key changes fastest.
    assert!(
        lines[5].starts_with("1000,rattle,") && lines[6].starts_with("1000,moreau,"),
        "{table}"
    );
    assert!(lines[5].contains(",done,"), "{}", lines[5]);
    // Rows do not depend on the number of jobs.
    let run = stickslip(&sweep(&two, &["--jobs", "3"]));
    assert_eq!((run.code, text(&two, "sweep.csv")), (Some(0), table));
    let study = read_json(Path::new(&one).join("study.json"));
    assert_eq!(study["measures"][0]["unit"], "m");
    assert_eq!(study["scene_hash"].as_str().map(str::len), Some(32));
    let page = text(&one, "index.html");
    assert!(page.contains("body.ball.density") && page.contains("stickslip run"));
}

#[test]
fn the_numbers_of_a_sweep_are_those_of_runs() {
    let folder = Folder::new();
    let (out, alone) = (folder.path("sweep"), folder.path("run"));
    let measures = ["max(ball.vy)", "min(ball.vy)", "last(ball.y)", "2*at(ball.y, 0.25)"];
    let mut arguments = vec!["sweep", "vibrating-table", "--vary", "parameters.shaking=0.5,0.7"];
    measures.iter().for_each(|measure| arguments.extend(["--measure", measure]));
    let set = ["--set", "simulation.duration=0.5", "--quiet"];
    arguments.extend(set.iter().chain(&["--out", &out]));
    assert_eq!(stickslip(&arguments).code, Some(0));
    let mut arguments = vec!["run", "vibrating-table", "--set", "parameters.shaking=0.7"];
    arguments.extend(set.iter().chain(&["--out", &alone]));
    assert_eq!(stickslip(&arguments).code, Some(0));
    let table = text(&alone, "trajectory.csv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(0.0)).collect())
        .collect();
    let column = |name: &str| {
        let place = header.iter().position(|own| *own == name).expect(name);
        rows.iter().map(|row| row[place]).collect::<Vec<f64>>()
    };
    let (t, y, vy) = (column("t"), column("ball.y"), column("ball.vy"));
    let quarter = t.iter().position(|t| (t - 0.25).abs() < 1e-9).expect("a row at 0.25 s");
    let expected = [
        vy.iter().copied().fold(f64::MIN, f64::max),
        vy.iter().copied().fold(f64::MAX, f64::min),
        y[y.len() - 1],
        2.0 * y[quarter],
    ];
    let found = text(&out, "sweep.csv");
    let found: Vec<f64> = found
        .lines()
        .nth(2)
        .expect("two rows")
        .split(',')
        .skip(1)
        .take(4)
        .map(|cell| cell.parse().expect("a number"))
        .collect();
    for (found, expected) in found.iter().zip(expected) {
        // The table of a run has fewer digits.
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_killed_goes_on_and_writes_the_same_table() {
    let folder = Folder::new();
    let (whole, killed) = (folder.path("whole"), folder.path("killed"));
    assert_eq!(stickslip(&sweep(&whole, &[])).code, Some(0));
    let arguments = sweep(&killed, &["--jobs", "1"]);
    let mut child =
        program().args(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it");
    let journal = Path::new(&killed).join("journal.tsv");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let patience = Instant::now() + Duration::from_secs(60);
    while lines() < 6 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("SIGKILL");
    let _ = child.wait();
    // A line that was being written, and one that rotted, are computed anew.
    let mut torn = std::fs::read_to_string(&journal).expect("a journal");
    torn.push_str("19\tdeadbeef\t8000,moreau,1,2");
    std::fs::write(&journal, torn).expect("a journal");
    let run = stickslip(&sweep(&killed, &["--jobs", "2"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(text(&whole, "sweep.csv"), text(&killed, "sweep.csv"));
    // Nothing is left to do.
    let again = stickslip(&sweep(&killed, &["--json"]));
    let told: serde_json::Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!((&told["resumed"], &told["done"]), (&20.into(), &16.into()));
}

#[test]
fn studies_that_make_no_sense_are_refused_and_nothing_is_lost() {
    let folder = Folder::new();
    let out = folder.path("out");
    let refused = |arguments: &[&str], code: i32, reason: &str| {
        let run = stickslip(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}{}", run.out, run.err);
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    };
    let table = "vibrating-table";
    let vary = "parameters.shaking=0.5:1:2";
    for (vary, measure, reason) in [
        ("parameters.shakin=0.5:1:2", "max(ball.y)", "did you mean parameters.shaking?"),
        ("parameters.shaking=1:1:5", "max(ball.y)", "the range is empty"),
        ("parameters.shaking=0.5:1", "max(ball.y)", "how many values?"),
        (vary, "max(ball.z)", "did you mean ball."),
        (vary, "ball.y", "take max(ball.y)"),
        (vary, "count(impact(bal))", "did you mean ball?"),
        (vary, "at(ball.y)", "a column and a time"),
        (vary, "max(ball.y) + max(ball.vy)", "do not go together"),
        (vary, "parameters.shaking", "does not depend on the run"),
    ] {
        refused(&["sweep", table, "--vary", vary, "--measure", measure, "--out", &out], 2, reason);
        assert!(!Path::new(&out).exists(), "{reason}");
    }
    for (section, reason) in [
        ("impact(bal)", "did you mean ball?"),
        ("ball.y crosses 1 km up", "the section is passed 0 times"),
    ] {
        let set = "simulation.duration=0.2";
        let arguments = ["bifurcation", table, "--vary", vary, "--section", section, "--set", set];
        let own = folder.path("section");
        refused(&[&arguments[..], &["--out", &own]].concat(), 2, reason);
    }
    // A folder of another study stays as it is.
    let good = |duration: &'static str, out: &str| {
        let set = format!("simulation.duration={duration}");
        let all = [
            "sweep",
            table,
            "--vary",
            vary,
            "--measure",
            "max(ball.y)",
            "--set",
            &set,
            "--out",
            out,
        ];
        stickslip(&all)
    };
    assert_eq!(good("0.1", &out).code, Some(0));
    let before = text(&out, "sweep.csv");
    let other = good("0.2", &out);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("the folder holds another study"), "{}", other.err);
    assert_eq!(text(&out, "sweep.csv"), before);
    folder.write("notes.txt", "mine");
    let other = good("0.2", &folder.path("."));
    assert!(other.code == Some(2) && other.err.contains("other files"), "{}", other.err);
    // No point is done.
    let out = folder.path("none");
    let arguments = [
        "sweep",
        table,
        "--vary",
        "parameters.shaking=0.1:0.2:2",
        "--measure",
        "steps",
        "--out",
        &out,
    ];
    let run = stickslip(&arguments);
    assert_eq!(run.code, Some(3), "{}{}", run.out, run.err);
    assert!(run.out.contains("2 points, 0 done, 2 failed"), "{}", run.out);
    assert_eq!(text(&out, "sweep.csv").lines().count(), 3);
}

/// Γ = 1.070836 is where the period doubles, see the scene.
#[test]
fn the_bifurcation_of_the_ball_on_the_table_is_found() {
    let folder = Folder::new();
    let out = folder.path("out");
    let arguments = [
        "bifurcation",
        "vibrating-table",
        "--vary",
        "parameters.shaking=1.0625:1.0825:5",
        "--section",
        "impact(ball)",
        "--follow",
        "up",
        "--keep",
        "16",
        "--set",
        "simulation.step=1e-2",
        "--set",
        "simulation.output_step=1e-2",
        "--out",
        &out,
        "--json",
    ];
    let run = stickslip(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let told: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let changes = told["changes"].as_array().expect("a list");
    assert_eq!(changes.len(), 1, "{told}");
    assert_eq!((&changes[0]["from"], &changes[0]["to"]), (&1.into(), &2.into()), "{told}");
    let ends = [0, 1].map(|k| {
        let text = changes[0]["between"][k].as_str().expect("a value");
        text.parse::<f64>().expect("a number")
    });
    let middle = 0.5 * (ends[0] + ends[1]);
    assert!((middle / 1.070836 - 1.0).abs() < 0.01, "{middle}");
    // The relative velocity behind the impact of period one is e/(1 + e) times 2 π g/ω: the flight between two
    // impacts at the same height takes one period, and the ball returns as fast as it left.
    let table = text(&out, "bifurcation.csv");
    let first: Vec<&str> = table.lines().nth(1).expect("a row").split(',').collect();
    let after: f64 = first[5].parse().expect("a number");
    let expected = 0.8 / 1.8 * 2.0 * 9.81 / 20.0;
    assert!((after - expected).abs() < 1e-3, "{after} {expected}");
    for name in ["bifurcation.svg", "bifurcation.png", "periods.csv", "index.html", "study.json"] {
        assert!(Path::new(&out).join(name).metadata().is_ok_and(|m| m.len() > 100), "{name}");
    }
}

/// A mass in two wells with damping: by symmetry half of a symmetric grid goes to each.
const TWO_WELLS: &str = r#"
format = 1
[start]
x0 = 0.5
v0 = 0
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "mass"
mass = 1
inertia = 1
position = ["x0", 0]
velocity = ["v0", 0]
[[force]]
kind = "applied"
body = "mass"
force = ["x - x^3 - 0.6*vx", 0]
[simulation]
duration = 40
step = 2e-2
output_step = 0.1
"#;

#[test]
fn basins_of_two_wells_are_halves_and_of_a_bouncing_ball_its_periods() {
    let folder = Folder::new();
    let (scene, out) = (folder.write("wells.toml", TWO_WELLS), folder.path("wells"));
    let attractors = |arguments: &[&str]| {
        let run = stickslip(arguments);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let told: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        told["attractors"].as_array().expect("a list").clone()
    };
    let keys = ["--vary", "start.x0=-1.5:1.5:6", "--vary", "start.v0=-1:1:4"];
    let found = attractors(&[&["basins", &scene, "--json", "--out", &out], &keys[..]].concat());
    assert_eq!(found.len(), 2, "{found:?}");
    for attractor in &found {
        assert_eq!((&attractor["kind"], &attractor["points"]), (&"rest".into(), &12.into()));
        // Wilson's interval of 12 of 24.
        let low = attractor["interval"][0].as_f64().expect("a number");
        assert!((low - 0.314_26).abs() < 1e-4, "{low}");
    }
    let table = text(&out, "basins.csv");
    assert_eq!(table.lines().count(), 25);
    assert!(table.starts_with("start.x0,start.v0,attractor,period,status,message\n"), "{table}");
    for name in ["attractors.csv", "basins.svg", "basins.png", "index.html"] {
        assert!(Path::new(&out).join(name).exists(), "{name}");
    }
    // It has all points: nothing is computed anew, and the answer is the same.
    let again = attractors(&[&["basins", &scene, "--json", "--out", &out], &keys[..]].concat());
    assert_eq!(again, found);

    let out = folder.path("ball");
    let step = ["--set", "simulation.step=1e-2", "--set", "simulation.output_step=1e-2"];
    let own = ["basins", "vibrating-table", "--vary", "parameters.shaking=0.7,1.2", "--out", &out];
    let found = attractors(&[&own[..], &step, &["--discard", "100", "--json"]].concat());
    let periods: Vec<_> = found.iter().map(|a| a["period"].as_u64()).collect();
    assert_eq!(periods, [Some(1), Some(2)], "{found:?}");
}

/// Motions that went on without impact were told to be at rest, each where it was at the end.
#[test]
fn motions_that_do_not_pass_the_section_are_one_attractor_or_refused() {
    let folder = Folder::new();
    let starts = ["--vary", "start.v=0,-2.4,-2.5,-2.6", "--discard", "20", "--keep", "6"];
    let step = ["--set", "simulation.step=0.5", "--set", "simulation.output_step=0.5"];
    let out = folder.path("two");
    let own = ["basins", "impact-oscillator", "--json", "--out", &out];
    let duration = ["--set", "simulation.duration=40"];
    let run = stickslip(&[&own[..], &starts, &step, &duration].concat());
    let told: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let found = told["attractors"].as_array().expect("a list");
    let kinds: Vec<_> = found.iter().map(|a| (&a["kind"], &a["points"])).collect();
    assert_eq!(kinds, [(&"periodic".into(), &1.into()), (&"unseen".into(), &3.into())], "{told}");

    let out = folder.path("none");
    let own = ["basins", "impact-oscillator", "--section", "mass.x crosses 9 up", "--out", &out];
    let run = stickslip(&[&own[..], &starts, &step, &duration].concat());
    assert_eq!(run.code, Some(2), "{}", run.out);
    assert!(run.err.contains("at no point the section is passed 26 times"), "{}", run.err);
}
