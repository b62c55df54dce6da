//! Plots, other formats of the trajectory, `view`, completions and the man page.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

use crate::common::{Folder, Run, numbers, program, read_json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

fn run(arguments: &[&str]) -> Run {
    Run::new(program().args(arguments).output().expect("it runs"))
}

#[test]
fn plots_and_formats_are_written_and_replaced() {
    let folder = Folder::new();
    let out = folder.path("top");
    let arguments = [
        "run",
        "tippe-top",
        "--set",
        "simulation.duration=0.02",
        "--plots",
        "--formats",
        "npz,vtk",
        "--quiet",
        "--out",
        &out,
    ];
    // Twice: our own earlier output is replaced without --force.
    for _ in 0..2 {
        let done = run(&arguments);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.err);
    }
    let out = Path::new(&out);
    for name in ["coordinates", "energy", "forces", "timeline", "residual", "phase"] {
        let png = fs::read(out.join(format!("plot-{name}.png"))).expect("a PNG");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        let svg = fs::read_to_string(out.join(format!("plot-{name}.svg"))).expect("an SVG");
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
    // The colour of slip in the page.
    let timeline = fs::read_to_string(out.join("plot-timeline.svg")).expect("an SVG");
    assert!(timeline.contains("#E8960C"));
    let coordinates = fs::read_to_string(out.join("plot-coordinates.svg")).expect("an SVG");
    assert!(coordinates.contains("theta") && !coordinates.contains("first 12"));
    let npz = fs::read(out.join("trajectory.npz")).expect("arrays");
    assert!(npz.starts_with(b"PK") && npz.windows(9).any(|w| w == b"theta.npy"));
    assert!(npz.windows(9).any(|w| w == b"units.npy"));
    // One frame for each of the 21 rows.
    let list = fs::read_to_string(out.join("vtk/motion.pvd")).expect("a series");
    assert_eq!(list.matches("<DataSet").count(), 21);
    let frame = fs::read_to_string(out.join("vtk/motion-00020.vtp")).expect("a frame");
    assert!(frame.contains("NumberOfPoints") && frame.trim_end().ends_with("</VTKFile>"));
    let contacts = fs::read_to_string(out.join("vtk/contacts-00020.vtp")).expect("contacts");
    assert!(contacts.contains("Name=\"force\""), "{contacts}");
    let odd = run(&["run", "tippe-top", "--formats", "hdf5"]);
    assert_eq!(odd.code, Some(2));
    assert!(odd.err.contains("hdf5") && odd.err.contains("npz"), "{}", odd.err);
}

const PARQUET: [&str; 8] = [
    "run",
    "tippe-top",
    "--set",
    "simulation.duration=0.02",
    "--formats",
    "parquet",
    "--quiet",
    "--out",
];

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_refused_before_the_run() {
    let folder = Folder::new();
    let out = folder.path("top");
    let refused = run(&[&PARQUET[..], &[&out]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("--features parquet"), "{}", refused.err);
}

/// The file says what the table of comma-separated values says.
#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_holds_the_table() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = Folder::new();
    let out = folder.path("top");
    let done = run(&[&PARQUET[..], &[&out]].concat());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.err);
    let file = fs::File::open(Path::new(&out).join("trajectory.parquet")).expect("a file");
    let table = fs::read_to_string(Path::new(&out).join("trajectory.csv")).expect("a table");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows = reader.get_row_iter(None).expect("rows");
    let mut count = 0;
    for (row, values) in rows.zip(lines) {
        let row = row.expect("a row");
        assert_eq!(row.len(), names.len());
        for (name, field) in row.get_column_iter() {
            let place = names.iter().position(|n| n == name).expect("a known column");
            match field {
                Field::Double(value) => {
                    // Times of the table are tidied by rounding errors, the rest is exact.
                    let rounding = if name == "t" { 1e-15 } else { 0.0 };
                    let wanted: f64 = values[place].parse().expect("a number");
                    assert!((value - wanted).abs() <= rounding, "{name}: {value} {wanted}");
                }
                Field::Byte(state) => {
                    let known = ["open", "stick", "slip"];
                    assert_eq!(known[usize::try_from(*state).expect("a state")], values[place]);
                }
                other => panic!("{name} is {other:?}"),
            }
        }
        count += 1;
    }
    assert_eq!(count, 21);
}

#[test]
fn a_foreign_file_in_the_folder_of_a_series_is_not_removed() {
    let folder = Folder::new();
    let out = folder.path("top");
    let arguments =
        ["run", "tippe-top", "--set", "simulation.duration=0.001", "--quiet", "--out", &out];
    assert_eq!(run(&arguments).code, Some(0));
    let own = Path::new(&out).join("vtk/notes.txt");
    fs::create_dir(own.parent().expect("a folder")).expect("made");
    fs::write(&own, "mine").expect("written");
    let refused = run(&arguments);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("vtk"), "{}", refused.err);
    assert_eq!(fs::read_to_string(own).expect("still there"), "mine");
}

/// An answer of the server to a request.
fn ask(address: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("asked");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn view_serves_the_folder_and_nothing_else() {
    let folder = Folder::new();
    let out = folder.path("top");
    let done =
        run(&["run", "tippe-top", "--set", "simulation.duration=0.001", "--quiet", "--out", &out]);
    assert_eq!(done.code, Some(0));
    fs::write(folder.path("secret.txt"), "secret").expect("written");
    let mut server = program()
        .args(["view", &out, "--no-open"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    let stdout = server.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).expect("its address");
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.expect("an address").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let page = ask(&address, "/", &address);
    let table = ask(&address, "/trajectory.csv", "localhost");
    let outside = ask(&address, "/../secret.txt", &address);
    let escaped = ask(&address, "/%2e%2e/secret.txt", &address);
    let stranger = ask(&address, "/", "example.org");
    server.kill().expect("it ends");
    let _ = server.wait();
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("text/html"), "{page}");
    assert!(table.starts_with("HTTP/1.1 200 OK") && table.contains("t,x,y,z"), "{table}");
    assert!(outside.starts_with("HTTP/1.1 404"), "{outside}");
    assert!(escaped.starts_with("HTTP/1.1 404"), "{escaped}");
    assert!(stranger.starts_with("HTTP/1.1 403"), "{stranger}");
}

#[test]
fn view_needs_a_page() {
    let folder = Folder::new();
    let empty = folder.path("empty");
    fs::create_dir(&empty).expect("made");
    for path in [empty, folder.path("missing")] {
        let refused = run(&["view", &path, "--no-open"]);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
    }
}

#[test]
fn shells_and_manuals_are_served() {
    for shell in ["bash", "zsh", "fish"] {
        let done = run(&["completions", shell]);
        assert_eq!(done.code, Some(0));
        assert!(done.out.contains("stickslip") && done.out.contains("reproduce"), "{shell}");
    }
    let page = run(&["man"]);
    assert!(page.out.contains(".TH stickslip 1"), "{}", page.out);
    let folder = Folder::new();
    let out = folder.path("man");
    assert_eq!(run(&["man", "--out", &out]).code, Some(0));
    assert!(Path::new(&out).join("stickslip-run.1").is_file());
}

#[test]
fn a_run_tells_forces_in_words_and_numbers() {
    let folder = Folder::new();
    let out = folder.path("out");
    let arguments =
        ["run", "gripper", "--out", &out, "--no-report", "--output-step", "0.02", "--set"];
    let mut command = program();
    let settings = ["simulation.duration=0.1", "--set", "simulation.integrator=moreau"];
    let done = Run::new(command.args(arguments).args(settings).output().expect("it runs"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.out.contains("\n  in words ") && done.out.contains("\n  next     "),
        "{}",
        done.out
    );
    assert!(done.out.contains("the largest force was"), "{}", done.out);
    assert!(!Path::new(&out).join("report.html").exists());
    let text = std::fs::read_to_string(Path::new(&out).join("trajectory.csv")).expect("a table");
    assert_eq!(text.lines().count(), 7);
    // Short numbers: none has a long row of zeros, and each is the shortest of its value.
    let mut tiny = 0;
    for number in text.lines().skip(1).flat_map(|line| line.split(',')) {
        assert!(!number.trim_start_matches('-').starts_with("0.000"), "{number}");
        if let Ok(value) = number.parse::<f64>() {
            let shortest = format!("{value}").len().min(format!("{value:e}").len());
            assert!(number.len() <= shortest + 4, "{number}");
            tiny += usize::from(number.contains('e'));
        }
    }
    assert!(tiny > 0);
    let summary = read_json(Path::new(&out).join("summary.json"));
    let forces = &summary["forces"];
    let contacts = forces["contacts"].as_object().expect("contacts");
    assert!(contacts.values().all(|own| own["force"]["value"].as_f64().expect("a force") > 0.0));
    let joints = forces["joints"].as_object().expect("joints");
    for own in joints.values() {
        let range = numbers(&own["coordinate"]);
        assert!(own["force"]["value"].is_f64() && range[0] <= range[1], "{own}");
    }
    assert!(!contacts.is_empty() && !joints.is_empty());
    let units = summary["units"].as_object().expect("units");
    for (name, unit) in contacts.keys().map(|name| (format!("{name}.friction_x"), "N")) {
        assert_eq!(units[&name], unit);
    }
    assert!(summary["energy"]["dissipated_at"].is_object());
    assert!(summary["words"].as_str().expect("words").contains("largest force"));
}
