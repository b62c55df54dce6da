//! The report page: its data, its size, and that nothing in a scene can become markup.
//! What the page does in a browser is tested in tests/browser.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

use crate::common::{Folder, Run, index, numbers, program};
use serde_json::Value;
use std::path::Path;

fn run(arguments: &[&str], out: &str) -> Run {
    Run::new(program().arg("run").args(arguments).args(["--out", out]).output().expect("it runs"))
}

fn page(out: &str) -> String {
    std::fs::read_to_string(Path::new(out).join("report.html")).expect("the page")
}

/// The data of a page, as a browser finds them: up to the end of their element.
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    assert_eq!(page.matches(begin).count(), 1, "one element with data");
    let (_, rest) = page.split_once(begin).expect("the data");
    let (text, _) = rest.split_once("</script>").expect("their end");
    serde_json::from_str(text).expect("JSON")
}

fn bytes(text: &Value) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = text.as_str().expect("a text").trim_end_matches('=');
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for c in text.chars() {
        bits = bits << 6 | digits.find(c).expect("base 64") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 255) as u8);
        }
    }
    out
}

fn doubles(text: &Value) -> Vec<f64> {
    let bytes = bytes(text);
    let (chunks, rest) = bytes.as_chunks::<8>();
    assert!(rest.is_empty());
    chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}

/// A column: an offset and numbers in single precision.
fn column(value: &Value) -> Vec<f64> {
    let offset = value["offset"].as_f64().expect("an offset");
    let bytes = bytes(&value["data"]);
    let (chunks, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    chunks.iter().map(|chunk| offset + f64::from(f32::from_le_bytes(*chunk))).collect()
}

/// A column of trajectory.csv.
fn table(out: &str, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(Path::new(out).join("trajectory.csv")).expect("the table");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let at = header.iter().position(|h| *h == name).expect("the column");
    let cell = |line: &str| line.split(',').nth(at).expect("a cell").parse().expect("a number");
    lines.map(cell).collect()
}

/// The table rounds times to this, s.
const ROUND: f64 = 1e-12;

fn same_times(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= ROUND)
}

/// Rounding of single precision, with the sum of an offset.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-7 * b.abs().max(1e-12)
}

#[test]
fn a_short_run_is_shown_row_by_row() {
    let folder = Folder::new();
    let out = folder.path("out");
    let done = run(&["tippe-top", "--set", "simulation.duration=0.2"], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("report.html"), "{}", done.out);
    let page = page(&out);
    let data = data(&page);
    assert_eq!((index(&data["frames"]), index(&data["stride"])), (201, 1));
    assert!(same_times(&doubles(&data["t"]), &table(&out, "t")));
    let columns = data["columns"].as_array().expect("columns");
    let names: Vec<_> = columns.iter().map(|c| c["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["x", "y", "z", "theta", "phi", "psi", "spin"]);
    let units: Vec<_> = columns.iter().map(|c| c["unit"].as_str().expect("a unit")).collect();
    assert_eq!(units, ["m", "m", "m", "rad", "rad", "rad", "rad/s"]);
    for (name, shown) in names.iter().zip(columns) {
        let (shown, full) = (column(&shown["value"]), table(&out, name));
        assert_eq!(shown.len(), full.len());
        for (a, b) in shown.iter().zip(full) {
            assert!(close(*a, b), "{name}: {a} {b}");
        }
    }
    let force = column(&data["contacts"][0]["force"]["value"]);
    for (a, b) in force.iter().zip(table(&out, "body.force")) {
        assert!(close(*a, b), "{a} {b}");
    }
    // One body with 7 numbers, two contacts that always have a place.
    assert_eq!(column(&data["poses"]["position"]).len(), 3 * 201);
    assert_eq!(bytes(&data["poses"]["rotation"]).len(), 2 * 4 * 201);
    assert_eq!(bytes(&data["places"]["point"]).len(), 4 * 3 * 2 * 201);
    assert_eq!(data["drawing"]["bodies"][0]["name"], "top");
    assert_eq!(data["summary"]["status"], "done");
    assert!(data["scene"].as_str().expect("a text").contains("name = \"tippe-top\""));
    // Nothing is fetched from anywhere.
    for word in ["http://", "https://", "src=", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn a_long_run_is_thinned_out_without_losing_an_impact() {
    let folder = Folder::new();
    let out = folder.path("out");
    // 12 001 rows.
    let done = run(&["slider-crank", "--set", "simulation.output_step=1e-5"], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let page = page(&out);
    let data = data(&page);
    let (t, full) = (doubles(&data["t"]), table(&out, "t"));
    let stride = index(&data["stride"]);
    assert!(stride > 1 && t.len() < full.len() / 2 && t.len() > 1000, "{stride}, {}", t.len());
    assert!(same_times(&[t[0], t[t.len() - 1]], &[full[0], full[full.len() - 1]]));
    assert!(t.windows(2).all(|pair| pair[0] < pair[1]));
    // The row of the page that shows a row of the table.
    let frame = |row: usize| row.div_ceil(stride);
    for (row, time) in full.iter().enumerate() {
        let k = frame(row);
        assert!(time - ROUND < t[k] && (k == 0 || time - ROUND > t[k - 1]), "{time}");
    }
    for contact in 0..4 {
        let shown = &data["contacts"][contact];
        let states = bytes(&shown["states"]);
        let force = column(&shown["force"]["value"]);
        let (low, high) = (column(&shown["force"]["low"]), column(&shown["force"]["high"]));
        let rows = table(&out, &format!("corner{}.force", contact + 1));
        let mut sums = vec![(0.0, 0.0); t.len()];
        for (row, value) in rows.iter().enumerate() {
            let k = frame(row);
            let slack = 1e-6 * value;
            assert!(low[k] <= value + slack && high[k] >= value - slack, "row {row}");
            assert!(*value == 0.0 || states[k] & 6 != 0, "row {row}: a force without contact");
            sums[k] = (sums[k].0 + value, sums[k].1 + 1.0);
        }
        for (k, (sum, count)) in sums.iter().enumerate() {
            let mean = sum / count;
            assert!((force[k] - mean).abs() <= 1e-6 * mean, "frame {k}: {} {mean}", force[k]);
        }
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(*v));
        assert!(close(largest(&high), largest(&rows)));
    }
    let impacts = std::fs::read_to_string(Path::new(&out).join("impacts.csv")).expect("impacts");
    assert_eq!(numbers(&data["impacts"]["t"]).len(), impacts.lines().count() - 1);
    for (k, name) in [(0, "theta1"), (6, "slider_x"), (9, "corner2")] {
        let shown = &data["columns"][k];
        let (low, high) = (column(&shown["low"]), column(&shown["high"]));
        for (row, value) in table(&out, name).iter().enumerate() {
            let (k, slack) = (frame(row), 1e-6 * value.abs());
            assert!(low[k] <= value + slack && high[k] >= value - slack, "{name} row {row}");
        }
    }
    assert!(page.len() < 2_000_000, "{}", page.len());
}

#[test]
fn nothing_in_a_scene_becomes_markup() {
    let folder = Folder::new();
    let evil =
        "</script><script>window.evil = 1</script><img src=x onerror=evil()>{{data}}{{title}}";
    let scene = folder.write(
        "evil.toml",
        format!(
            "model = \"tippe-top\"\nname = {name}\ncaption = {name}\n[simulation]\nduration = 0.01\n",
            name = serde_json::to_string(evil).expect("a text")
        ),
    );
    let out = folder.path("out");
    let done = run(&[&scene], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let page = page(&out);
    let data = data(&page);
    assert_eq!(data["summary"]["name"], evil);
    assert_eq!(data["caption"], evil);
    assert!(data["scene"].as_str().expect("a text").contains("<script>"));
    let harmless = run(&["tippe-top", "--set", "simulation.duration=0.01"], &folder.path("other"));
    assert_eq!(harmless.code, Some(0));
    let other = self::page(&folder.path("other"));
    for mark in ["<script", "</script", "<img", "<title", "</title"] {
        assert_eq!(page.matches(mark).count(), other.matches(mark).count(), "{mark}");
    }
    let title = "<title>&lt;/script&gt;&lt;script&gt;window.evil = 1&lt;/script&gt;&lt;img src=x \
                 onerror=evil()&gt;{{data}}{{title}} · stickslip</title>";
    assert!(page.contains(title));
}

#[test]
fn a_run_that_fails_gets_its_page_too() {
    let folder = Folder::new();
    let out = folder.path("out");
    let scene = folder.write("my.toml", crate::common::CONTRADICTION);
    assert_eq!(run(&[&scene], &out).code, Some(3));
    let data = data(&page(&out));
    assert_eq!(data["summary"]["status"], "not-converged");
    assert!(data["summary"]["message"].as_str().expect("a message").contains("has no solution"));
    assert_eq!(index(&data["frames"]), 2);
}

#[test]
fn a_run_replaces_its_earlier_page() {
    let folder = Folder::new();
    let out = folder.path("out");
    for duration in ["simulation.duration=0.01", "simulation.duration=0.02"] {
        assert_eq!(run(&["tippe-top", "--set", duration], &out).code, Some(0));
    }
    assert_eq!(index(&data(&page(&out))["frames"]), 21);
}

/// Dots and arrows of the page: contacts without names too, each with its own force and state.
#[test]
fn every_contact_of_a_world_has_a_place() {
    let folder = Folder::new();
    let out = folder.path("out");
    let done = run(&["domino-row", "--set", "simulation.duration=0.05"], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let data = data(&page(&out));
    let places = &data["places"];
    let singles = |text: &Value| -> Vec<f32> {
        let bytes = bytes(text);
        bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
    };
    let begin: Vec<usize> = bytes(&places["begin"])
        .as_chunks::<4>()
        .0
        .iter()
        .map(|chunk| u32::from_le_bytes(*chunk) as usize)
        .collect();
    let (force, state) = (singles(&places["force"]), bytes(&places["state"]));
    assert_eq!(begin.len(), index(&data["frames"]) + 1);
    assert_eq!((force.len(), state.len()), (begin[begin.len() - 1], begin[begin.len() - 1]));
    // Each of the 30 dominoes stands on two corners, save for the first, which leaves one of them.
    let last = begin[begin.len() - 2]..begin[begin.len() - 1];
    assert!(last.len() >= 59, "{last:?}");
    assert!(state[last.clone()].iter().all(|state| [2, 4].contains(&(state & 7))));
    // Density, area, gravity. Nothing has hit anything: 29 of them rest on the ground, to the
    // tolerance 1e-8 of the solver, and the first presses with some two times its weight at most.
    let weight = 26.4 * (7.5e-3 * 48e-3) * 9.81;
    let sum: f64 = force[last].iter().map(|force| f64::from(*force)).sum();
    assert!(sum >= 29.0 * weight * (1.0 - 1e-6) && sum < 31.0 * weight, "{sum} {weight}");
    let unit = |data: &Value, name: &str| {
        let columns = data["columns"].as_array().expect("columns");
        columns.iter().find(|column| column["name"] == name).expect("the column")["unit"].clone()
    };
    assert_eq!(
        (unit(&data, "domino-0.w"), unit(&data, "domino-0.vx")),
        ("rad/s".into(), "m/s".into())
    );
    let belt = folder.path("belt");
    assert_eq!(run(&["belt-oscillator", "--set", "simulation.duration=0.1"], &belt).code, Some(0));
    assert_eq!(unit(&self::data(&page(&belt)), "w"), "m/s");
}

/// A contact that closes and opens between two rows is in the timeline.
#[test]
fn a_short_contact_is_not_lost() {
    let folder = Folder::new();
    let out = folder.path("out");
    let done = run(&["bouncing-ball", "--set", "simulation.output_step=0.05"], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let data = data(&page(&out));
    let contact = &data["contacts"][0];
    let name = contact["name"].as_str().expect("a name");
    let (states, forces) = (bytes(&contact["states"]), table(&out, &format!("{name}.force")));
    assert_eq!(states.len(), forces.len());
    let mut short = 0;
    for (states, force) in states.iter().zip(&forces) {
        assert!(*force == 0.0 || states & 6 != 0, "a force without contact");
        // Closed at some time, open at the end.
        short += usize::from(states & 6 != 0 && states >> 3 == 1);
    }
    assert!(short > 0, "no bounce between two rows");
}

/// Friction over the normal force in 16 bits, and the boundary of its set.
#[test]
fn friction_of_the_page_stays_within_its_set() {
    let folder = Folder::new();
    let out = folder.path("out");
    let coulomb = ["--set", "parameters.friction=coulomb", "--set", "simulation.duration=0.05"];
    let done = run(&[&["tippe-top"], &coulomb[..]].concat(), &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let data = data(&page(&out));
    let places = &data["places"];
    let scene = data["scene"].as_str().expect("a text");
    assert!(scene.contains("friction_coefficient = 0.3"), "the scene has another coefficient");
    let law = places["laws"].as_array().expect("laws").iter().find(|law| law.is_object());
    let law = law.expect("a law");
    assert_eq!(law["normal"], true);
    let radii = bytes(&law["radii"]);
    for radius in radii.as_chunks::<4>().0 {
        assert!((f32::from_le_bytes(*radius) - 0.3).abs() < 1e-6, "{radius:?}");
    }
    let factor = places["friction_factor"].as_f64().expect("a factor") / 32767.0;
    let shares: Vec<f64> = bytes(&places["friction"])
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| factor * f64::from(i16::from_le_bytes(*pair)))
        .collect();
    let states = bytes(&places["state"]);
    assert_eq!(shares.len(), 2 * states.len());
    let mut slips = 0;
    for (share, state) in shares.chunks_exact(2).zip(&states) {
        let size = share[0].hypot(share[1]);
        // Half a unit of the last place in two components.
        assert!(size <= 0.3 + factor, "{size}");
        if state & 4 != 0 {
            slips += 1;
            assert!(size >= 0.3 - factor, "{size}");
        }
    }
    assert!(slips > 20, "{slips}");
}

/// They were told in N.
#[test]
fn moments_of_teeth_are_in_newton_metres() {
    let folder = Folder::new();
    let out = folder.path("out");
    let done = run(&["gear-backlash", "--set", "simulation.duration=0.5"], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("the largest moment was"), "{}", done.out);
    let data = data(&page(&out));
    let contacts = data["contacts"].as_array().expect("contacts");
    let teeth = contacts.iter().find(|contact| contact["name"] == "teeth.lower").expect("teeth");
    assert_eq!(teeth["force"]["unit"], "N m");
    assert_eq!(teeth["units"], serde_json::json!(["rad", "rad/s"]));
    let summary = crate::common::read_json(Path::new(&out).join("summary.json"));
    assert_eq!(summary["forces"]["contacts"]["teeth.lower"]["unit"], "N m");
}

#[test]
fn runs_are_compared_in_one_page() {
    let folder = Folder::new();
    let [a, b, out] = ["a", "b", "both"].map(|name| folder.path(name));
    for (out, radius) in [(&a, "1e-3"), (&b, "2e-3")] {
        let radius = format!("parameters.contact_radius={radius}");
        let set = ["tippe-top", "--set", "simulation.duration=0.02", "--set", &radius];
        assert_eq!(run(&set, out).code, Some(0));
    }
    let compare = |runs: &[&str], out: &str| {
        let words = program().arg("compare").args(runs).args(["--out", out]).output();
        Run::new(words.expect("it runs"))
    };
    let done = compare(&[&a, &b], &out);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("compare.html"), "{}", done.out);
    let text = std::fs::read_to_string(Path::new(&out).join("compare.html")).expect("the page");
    let both = data(&text);
    let labels: Vec<_> = both.as_array().expect("runs").iter().map(|run| &run["label"]).collect();
    assert_eq!(labels, ["a", "b"]);
    assert_eq!(both[0]["data"], data(&page(&a)));
    for word in ["http://", "https://", "src="] {
        assert!(!text.contains(word), "{word}");
    }
    // Folders without a page, and one run alone.
    let none = compare(&[&a, &folder.path("none")], &out);
    assert_eq!(none.code, Some(2), "{}", none.err);
    assert!(none.err.contains("none") && none.err.contains("report.html"), "{}", none.err);
    assert_eq!(compare(&[&a], &out).code, Some(2));
}
