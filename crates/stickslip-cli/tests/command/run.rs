//! The commands `run` and `list`: files, exit codes, errors.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

use crate::common::{Folder, Run, numbers, program, read_json};
use serde_json::Value;
use std::path::Path;

const TOP: &str = "t,x,y,z,theta,phi,psi,spin,kinetic,potential,energy,body.gap,body.force,\
                   body.state,stick.gap,stick.force,stick.state,residual,iterations";
const DISK: &str = "t,x,y,z,beta,alpha_dot,psi_dot,kinetic,potential,energy,slip,chi,rim.gap,\
                    rim.force,rim.state,residual,iterations";

/// `stickslip run` with the arguments in one line, into a folder of the test.
fn run(arguments: &str, out: &str) -> Run {
    let words = arguments.split_whitespace();
    Run::new(program().arg("run").args(words).args(["--out", out]).output().expect("it runs"))
}

fn table(out: &str) -> (String, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(Path::new(out).join("trajectory.csv")).expect("the table");
    assert!(text.ends_with('\n'), "the last row is complete");
    let mut lines = text.lines();
    let header = lines.next().expect("a header").to_owned();
    (header, lines.map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

fn summary(out: &str) -> Value {
    read_json(Path::new(out).join("summary.json"))
}

#[test]
fn a_run_writes_table_summary_and_scene() {
    let folder = Folder::new();
    for (scene, header, step, laws) in [
        ("tippe-top", TOP, 1e-3, vec!["friction", "normal"]),
        ("rolling-disk-contensou-contour", DISK, 5e-3, vec!["contour", "friction", "normal"]),
    ] {
        let out = folder.path(scene);
        let done = run(&format!("{scene} --set simulation.duration=0.2"), &out);
        // The printed inertia of the disk is told.
        let told = done.err.lines().filter(|line| !line.contains("taken as rounding")).count();
        assert_eq!((done.code, told), (Some(0), 0), "{}", done.err);
        assert!(
            done.out.starts_with(&format!("{scene}: done, 0.2 s in 2000 steps")),
            "{}",
            done.out
        );
        let (found, rows) = table(&out);
        assert_eq!(found, header);
        assert_eq!(rows.len(), (0.2 / step) as usize + 1);
        for (count, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), header.split(',').count());
            let t: f64 = row[0].parse().expect("a time");
            assert!((t - count as f64 * step).abs() < 1e-12, "{t}");
            for (name, cell) in header.split(',').zip(row) {
                let state = ["open", "stick", "slip"].contains(&cell.as_str());
                let number = cell.parse::<f64>().is_ok_and(f64::is_finite);
                assert!(if name.ends_with(".state") { state } else { number }, "{name}: {cell}");
            }
        }
        let summary = summary(&out);
        assert_eq!(summary["status"], "done");
        assert_eq!((&summary["steps"], &summary["unsolved_steps"]), (&2000.into(), &0.into()));
        // The default tolerance of the solver.
        assert!(summary["worst_residual"].as_f64().expect("a residual") <= 1e-10);
        assert!(summary["max_penetration"].as_f64().expect("a depth") < 1e-5);
        let energy = &summary["energy"];
        let of = |key: &str| energy[key].as_f64().unwrap_or_else(|| panic!("energy.{key}"));
        let dissipated = energy["dissipated"].as_object().expect("laws");
        assert_eq!(dissipated.keys().collect::<Vec<_>>(), laws);
        let lost: f64 = dissipated.values().map(|v| v.as_f64().expect("J")).sum();
        let closing = of("final") - of("initial") + lost - of("drive") - of("projection");
        // The book closes by its own numbers, to the rounding of a sum.
        assert!((closing - of("closing_error")).abs() < 1e-15, "{closing}");
        assert!(energy["energy_gains"].is_u64());
        // First and last row hold the energies of the summary.
        let column = header.split(',').position(|name| name == "energy").expect("a column");
        assert_eq!(rows[0][column].parse::<f64>().ok(), Some(of("initial")));
        assert_eq!(rows[rows.len() - 1][column].parse::<f64>().ok(), Some(of("final")));
        let event = &summary["events"][0];
        let contact = if scene == "tippe-top" { "body" } else { "rim" };
        assert_eq!((&event["contact"], &event["event"]), (&contact.into(), &"close".into()));
        assert!(event["t"].is_f64());
        let state = &summary["final_state"];
        assert_eq!((state["t"].as_f64(), numbers(&state["q"]).len()), (Some(0.2), 7));
        assert_eq!(numbers(&state["u"]).len(), 6);
        assert!(state["memory"].is_array());
        assert_eq!(summary["scene"]["simulation"]["duration"], 0.2);
        assert!(summary["command"].as_str().expect("a command").starts_with("stickslip run"));
    }
}

/// θ(0.5 s) of the Tippe-Top (Leine 2003, sec. 5.4), by an independent implementation of the same
/// scheme at the same step: 0.508376, printed to six digits; hence 1e-6.
#[test]
fn the_top_tilts_as_in_the_reference() {
    let folder = Folder::new();
    let out = folder.path("top");
    assert_eq!(run("tippe-top --quiet --set simulation.duration=0.5", &out).code, Some(0));
    let (_, rows) = table(&out);
    let theta: f64 = rows[500][4].parse().expect("theta");
    assert!((theta - 0.508376).abs() < 1e-6, "{theta}");
}

#[test]
fn the_written_scene_repeats_the_run_to_the_last_bit() {
    let folder = Folder::new();
    let (first, second) = (folder.path("first"), folder.path("second"));
    let arguments = "rolling-disk --set simulation.duration=0.1 --set parameters.friction=ellipsoid \
                     --set start.angular_speed=9 --set simulation.integrator=moreau-rk4";
    assert_eq!(run(arguments, &first).code, Some(0));
    assert_eq!(run(&format!("{first}/scene.toml"), &second).code, Some(0));
    assert_eq!(table(&first), table(&second));
    let (a, b) = (summary(&first), summary(&second));
    for key in ["name", "model", "scene", "energy", "events", "final_state", "steps"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert_eq!(a["name"], "rolling-disk");
}

#[test]
fn json_is_the_summary_and_quiet_is_quiet() {
    let folder = Folder::new();
    let out = folder.path("json");
    let json = run("tippe-top --set simulation.duration=0.01 --json", &out);
    assert_eq!(json.err, "");
    let told: Value = serde_json::from_str(&json.out).expect("one object");
    assert_eq!(told, summary(&out));
    let quiet = run("tippe-top --set simulation.duration=0.01 --quiet", &out);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (Some(0), "", ""));
}

#[test]
fn bad_input_ends_with_2_and_writes_nothing() {
    let folder = Folder::new();
    let scene = folder.write("bad.toml", "model = \"tippe-top\"\n[parameters]\nmas = 1\n");
    let missing = folder.path("missing.toml");
    let binary = folder.write("binary.toml", [0xff, 0xfe]);
    for (arguments, parts) in [
        ("tipe-top", ["no scene \"tipe-top\"", "did you mean tippe-top?"]),
        ("xyz", ["no scene \"xyz\"", "rolling-disk-coulomb"]),
        (missing.as_str(), ["missing.toml cannot be read", ""]),
        (binary.as_str(), ["is not text in UTF-8", ""]),
        (scene.as_str(), ["bad.toml:3:1: parameters.mas is not used", "parameters.mass?"]),
        (
            "tippe-top --set parameters.mass=-1",
            ["--set parameters.mass=-1: parameters.mass is -1", "positive"],
        ),
        ("tippe-top --set simulation.step=0", ["simulation.step is 0", "finite and positive"]),
        (
            "tippe-top --set simulation.projection=x",
            ["simulation.projection is \"x\"", "\"identity\""],
        ),
        ("tippe-top --set nonsense", ["--set nonsense", "KEY=VALUE"]),
    ] {
        let out = folder.path("out");
        let refused = run(arguments, &out);
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{arguments}");
        for part in parts {
            assert!(refused.err.contains(part), "{part:?} is not in {}", refused.err);
        }
        let is_excerpt = |line: &str| line.contains(" | ") || line.ends_with(" |");
        assert!(
            refused.err.lines().all(|line| line.starts_with("error: ") || is_excerpt(line)),
            "{}",
            refused.err
        );
        assert!(!Path::new(&out).exists(), "{arguments} wrote something");
    }
}

#[test]
fn too_much_output_ends_with_4() {
    let folder = Folder::new();
    let small = "--set simulation.step=1e-10 --set simulation.output_step=1e-10";
    let refused = run(&format!("tippe-top {small}"), &folder.path("out"));
    assert_eq!(refused.code, Some(4));
    assert!(refused.err.contains("8.0e10 rows, at most 1e9"), "{}", refused.err);
    assert!(!Path::new(&folder.path("out")).exists());
}

#[test]
fn a_velocity_that_grows_beyond_all_bounds_ends_with_3() {
    let folder = Folder::new();
    let out = folder.path("out");
    let failed = run("tippe-top --set start.psi_dot=1e30", &out);
    assert_eq!(failed.code, Some(3));
    assert!(failed.err.contains("a velocity has grown beyond 1e60"), "{}", failed.err);
    let summary = summary(&out);
    assert_eq!(summary["status"], "failed");
    assert!(summary["message"].as_str().expect("a message").contains("beyond 1e60"));
}

#[test]
fn a_problem_that_is_not_solved_is_saved() {
    let folder = Folder::new();
    let out = folder.path("out");
    let scene = folder.write("my.toml", crate::common::CONTRADICTION);
    let failed = run(&scene, &out);
    assert_eq!(failed.code, Some(3), "{}", failed.err);
    let saved = Path::new(&out).join("failed-problem.json");
    // The real reason, with the names of the joints.
    for part in
        ["t = 0.001 s has no solution", "'joint-0' and 'joint-1.motor'", "speeds that contradict"]
    {
        assert!(failed.err.contains(part), "{part:?} is not in {}", failed.err);
    }
    assert!(failed.err.contains(saved.to_str().expect("UTF-8")), "{}", failed.err);
    assert_eq!(summary(&out)["status"], "not-converged");
    assert_eq!(summary(&out)["final_state"]["t"], 1e-3);
    // The problem can be looked at alone.
    let alone = crate::common::solve([saved.to_str().expect("UTF-8"), "--max-iterations", "100"]);
    assert_eq!(alone.code, Some(3), "{}", alone.err);

    let inexact = run(&format!("{scene} --allow-inexact"), &out);
    assert_eq!(inexact.code, Some(0), "{}", inexact.err);
    assert_eq!(summary(&out)["unsolved_steps"], 1);
    assert!(!saved.exists(), "earlier output is replaced");
}

#[test]
fn other_files_are_not_touched() {
    let folder = Folder::new();
    let mine = folder.write("notes.txt", "mine");
    let out = folder.path("");
    let short = "tippe-top --quiet --set simulation.duration=0.01";
    let refused = run(short, &out);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("holds other files (notes.txt)"), "{}", refused.err);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert!(!Path::new(&folder.path("summary.json")).exists());
    assert_eq!(run(&format!("{short} --force"), &out).code, Some(0));
    assert_eq!(std::fs::read_to_string(&mine).expect("the file"), "mine");
    // A user's own scene.toml is no output of ours, and is never replaced by the run it describes.
    let own = Folder::new();
    let scene = own.write("scene.toml", "model = \"tippe-top\"\n[simulation]\nduration = 0.01\n");
    let out = own.path("");
    assert_eq!(run(&scene, &out).code, Some(2));
    let refused = run(&format!("{scene} --force"), &out);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("replace its own scene file"), "{}", refused.err);
    // Our own output is replaced, even by a run of the scene in it.
    let out = own.path("ours");
    assert_eq!(run(&scene, &out).code, Some(0));
    assert_eq!(run(&format!("{out}/scene.toml"), &out).code, Some(0));
    // A file in place of the folder.
    assert_eq!(run(short, &scene).code, Some(2));
}

#[test]
fn a_name_in_a_file_cannot_lead_out_of_the_folder() {
    let folder = Folder::new();
    let text = "model = \"tippe-top\"\nname = \"../../up\"\n[simulation]\nduration = 0.001\n";
    let scene = folder.write("a.toml", text);
    let output = program().arg("run").arg(&scene).current_dir(folder.path("")).output();
    let done = Run::new(output.expect("it runs"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(Path::new(&folder.path("out/_.._up/summary.json")).exists());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_and_a_full_disk_end_with_4() {
    let folder = Folder::new();
    // Below a device there is no folder, whoever asks.
    let refused = run("tippe-top", "/dev/null/x");
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    assert!(refused.err.contains("--out /dev/null/x"), "{}", refused.err);
    // Files of at most 16 blocks of 512 bytes (or of 1024) stand for a full disk.
    let program = env!("CARGO_BIN_EXE_stickslip");
    let out = folder.path("full");
    let script =
        format!("trap '' XFSZ; ulimit -f 16; exec '{program}' run slider-crank --out '{out}'");
    let output = std::process::Command::new("sh").args(["-c", &script]).output();
    let full = Run::new(output.expect("a shell"));
    assert_eq!(full.code, Some(4), "{}", full.err);
    assert!(full.err.contains("cannot be written"), "{}", full.err);
    assert_eq!(summary(&out)["status"], "output-failed");
    // What does not fit is not there at all, save for the rows of the table so far.
    assert!(full.err.contains("report.html cannot be written"), "{}", full.err);
    assert!(full.err.contains("trajectory.csv cannot be written"), "{}", full.err);
    let there = |name: &str| Path::new(&out).join(name).exists();
    assert!(!there("report.html") && there("trajectory.csv"));
    let line = full.out.lines().find(|line| line.contains("written")).expect("what was written");
    let (_, listed) = line.split_once(": ").expect("the files");
    for name in listed.split(", ") {
        assert!(there(name) && name != "report.html", "{line}");
    }
    assert!(listed.contains("summary.json") && !listed.contains("trajectory.csv"), "{line}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_readable_files() {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let out = folder.path("out");
    let long = ["run", "tippe-top", "--set", "simulation.duration=100000", "--out", &out];
    let child = program()
        .args(long)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    // Rows reach the file after a second at the latest.
    let started = Instant::now();
    let rows = || std::fs::metadata(Path::new(&out).join("trajectory.csv")).map_or(0, |m| m.len());
    while rows() < 1000 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("kill").success());
    let stopped = Run::new(child.wait_with_output().expect("an end"));
    assert_eq!(stopped.code, Some(130), "{}", stopped.err);
    let summary = summary(&out);
    assert_eq!(summary["status"], "interrupted");
    let (header, rows) = table(&out);
    assert_eq!(header, TOP);
    assert_eq!(summary["rows"].as_u64(), Some(rows.len() as u64));
    assert!(rows.len() > 1 && rows.iter().all(|row| row.len() == 19));
}

#[test]
fn list_names_what_can_be_run() {
    let list = |arguments: &[&str]| {
        Run::new(program().arg("list").args(arguments).output().expect("it runs"))
    };
    let people = list(&[]);
    assert_eq!((people.code, people.err.as_str()), (Some(0), ""));
    let rows = list(&["--json"]).rows();
    for row in &rows {
        let name = row["name"].as_str().expect("a name");
        assert!(
            people.out.contains(name)
                && people.out.contains(row["caption"].as_str().expect("text"))
        );
    }
    let durations: Vec<(&str, f64)> = rows
        .iter()
        .map(|r| (r["name"].as_str().expect("a name"), r["duration"].as_f64().expect("s")))
        .collect();
    assert_eq!(
        durations[..7],
        [
            ("tippe-top", 8.0),
            ("rolling-disk", 15.0),
            ("rolling-disk-coulomb", 80.0),
            ("rolling-disk-coulomb-contour", 70.0),
            ("rolling-disk-contensou", 30.0),
            ("rolling-disk-contensou-contour", 15.0),
            ("slider-crank", 0.12),
        ]
    );
}

#[test]
fn the_slider_crank_has_its_own_columns_impacts_and_situations() {
    let header = "t,theta1,theta2,theta3,omega1,omega2,omega3,slider_x,slider_y,corner1,corner2,\
                  corner3,corner4,kinetic,potential,energy,corner1.force,corner2.force,\
                  corner3.force,corner4.force,residual,iterations";
    let impacts = "t,corner,normal_velocity_before,normal_velocity_after,\
                   tangential_velocity_before,tangential_velocity_after,normal_percussion,\
                   tangential_percussion";
    let folder = Folder::new();
    for integrator in ["moreau", "event-driven"] {
        let out = folder.path(integrator);
        let arguments = format!(
            "slider-crank --set simulation.duration=0.01 --set simulation.integrator={integrator}"
        );
        let done = run(&arguments, &out);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(table(&out).0, header);
        let file = std::fs::read_to_string(Path::new(&out).join("impacts.csv")).expect("impacts");
        let mut lines = file.lines();
        assert_eq!(lines.next(), Some(impacts));
        let first: Vec<&str> = lines.next().expect("an impact").split(',').collect();
        assert_eq!(first[1], "corner1");
        // First impact of the reference solution, 0.002692503 s; a step of 1e-5 s is its error.
        let t: f64 = first[0].parse().expect("a time");
        assert!((t - 0.002692503).abs() <= 1e-5, "{integrator}: {t}");
        let summary = summary(&out);
        assert!(summary["situations"]["two-adjacent-corners"].as_f64().expect("a share") > 0.0);
        assert!(summary["impacts"].as_u64().expect("a number") >= 2);
    }
}

#[test]
fn closings_openings_and_impacts_are_in_one_table() {
    let folder = Folder::new();
    let out = folder.path("ball");
    for integrator in ["moreau", "rattle"] {
        let ball = "bouncing-ball --set simulation.duration=1 --set simulation.integrator=";
        let done = run(&format!("{ball}{integrator}"), &out);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.out.contains("contacts.csv"), "{}", done.out);
        let text = std::fs::read_to_string(Path::new(&out).join("contacts.csv")).expect("contacts");
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header =
            "t,contact,event,normal_velocity_before,normal_velocity_after,normal_percussion";
        assert_eq!(lines.next().expect("a header").join(","), header);
        let rows: Vec<Vec<&str>> = lines.collect();
        // Two bounces: after √(2h/g) = 0.319 s, and 1.6 times that later.
        let events: Vec<&str> = rows.iter().map(|row| row[2]).collect();
        assert_eq!(events, ["close", "impact", "open", "close", "impact", "open"]);
        for (position, row) in rows.iter().enumerate() {
            assert_eq!((row.len(), row[1]), (6, "table"));
            let number = |k: usize| row[k].parse::<f64>().expect("a number");
            let fall = (2.0 * 0.5 / 9.81_f64).sqrt();
            let (expected, bounce) = if position < 3 { (fall, 0.8) } else { (2.6 * fall, 0.64) };
            // Each bounce is found at the end of a step of 1 ms.
            assert!((number(0) - expected).abs() < 3e-3, "{row:?}");
            if row[2] == "impact" {
                // The percussion of a ball of 1000 kg/m³ and 5 cm radius; gravity acts in the step as
                // well.
                let (before, after, mass) = (number(3), number(4), 0.5235987755982988);
                assert!((number(5) - mass * (after - before)).abs() < mass * 9.81e-3 + 1e-9);
                if integrator == "moreau" {
                    // Newton's law between the velocities at the ends of the step.
                    assert!((after + 0.8 * before).abs() < 1e-9, "{row:?}");
                } else {
                    // The ball that hit the ground within the step has begun to slow down again.
                    let exact = bounce * 9.81 * fall - 9.81 * (number(0) - expected);
                    assert!((after - exact).abs() < 3e-5, "{row:?}: {exact}");
                }
            } else {
                assert_eq!(row[3..], ["", "", ""]);
            }
        }
    }
    // An earlier table is ours and replaced.
    assert_eq!(run("bouncing-ball --set simulation.duration=0", &out).code, Some(0));
    let text = std::fs::read_to_string(Path::new(&out).join("contacts.csv")).expect("contacts");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn a_world_takes_the_ode_route_with_columns_of_its_elements() {
    let folder = Folder::new();
    let out = folder.path("ball");
    let done = run("bouncing-ball --set simulation.integrator=ode-rk4", &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let (header, rows) = table(&out);
    let names: Vec<&str> = header.split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).expect("a column");
    let (force, state) = (column("table.f1"), column("table.s1"));
    assert!(force < column("kinetic") && state > column("energy"), "{header}");
    let force = rows.iter().filter_map(|row| row[force].parse::<f64>().ok()).fold(0.0, f64::max);
    // The weight of the ball is 5.1 N: an impact is harder.
    assert!(force > 50.0, "{force}");
    assert_eq!(summary(&out)["units"]["table.f1"], "N");
}

#[test]
fn a_step_that_is_not_stable_is_told_before_the_run_and_kept() {
    let folder = Folder::new();
    let out = folder.path("conveyor");
    let done =
        run("conveyor-masses --set simulation.step=1e-3 --set simulation.duration=0.01", &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.starts_with("warning: the step 0.001 s is above"), "{}", done.err);
    let warnings = summary(&out)["warnings"].clone();
    assert_eq!(warnings.as_array().map(Vec::len), Some(1), "{warnings}");
    let (header, _) = table(&out);
    assert!(header.starts_with("t,p1x,p1y,p2x,p2y,"), "{header}");
}
