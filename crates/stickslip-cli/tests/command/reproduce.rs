//! `stickslip reproduce`: names, files, and the folders that it refuses.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Folder, Run, program};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn reproduce(arguments: &[&str]) -> Run {
    Run::new(program().arg("reproduce").args(arguments).output().expect("the program runs"))
}

/// A folder that does not exist yet, below a temporary one.
fn below(folder: &Folder, name: &str) -> (PathBuf, String) {
    let path = PathBuf::from(folder.write("mark", "")).with_file_name(name);
    let text = path.to_string_lossy().into_owned();
    (path, text)
}

fn width_and_height(file: &Path) -> (u32, u32) {
    let bytes = fs::read(file).expect("a picture");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{} is no PNG", file.display());
    let number = |at: usize| {
        let digits = bytes[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(digits)
    };
    (number(16), number(20))
}

#[test]
fn the_list_names_every_figure_of_the_papers() {
    let run = reproduce(&["--list"]);
    assert_eq!(run.code, Some(0));
    let numbers = [
        ("leine-2003-fig-", vec![2, 3, 4, 5, 6, 9, 10, 11, 12]),
        ("flores-2010-fig-", vec![1, 3, 10, 11, 12, 13]),
        ("xiong-2013-fig-", vec![1, 3, 5, 7, 9, 11]),
        ("le-saux-2005-fig-", vec![3, 4, 5, 6, 7, 9, 10]),
        ("moeller-2009-fig-", vec![3, 4]),
    ];
    let mut expected: Vec<String> = Vec::new();
    for (paper, figures) in numbers {
        expected.extend(figures.into_iter().map(|n| format!("{paper}{n}")));
    }
    expected.push("moeller-2009-speed".into());
    let listed: Vec<&str> =
        run.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, expected);
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_and_nothing_is_written() {
    let folder = Folder::new();
    let (path, out) = below(&folder, "out");
    let run = reproduce(&["leine-2003-fig9", "--out", &out]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("\"leine-2003-fig9\""), "{}", run.err);
    assert!(run.err.contains("did you mean leine-2003-fig-9?"), "{}", run.err);
    assert!(!path.exists());
}

#[test]
fn figures_come_with_pictures_data_verdicts_and_pages() {
    let folder = Folder::new();
    let (path, out) = below(&folder, "out");
    let names = ["leine-2003-fig-3", "xiong-2013-fig-5"];
    let run = reproduce(&[names[0], names[1], "--out", &out, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.is_empty(), "not on a terminal: {}", run.err);
    for name in names {
        let (width, height) = width_and_height(&path.join(format!("{name}.png")));
        assert!(width >= 1500 && height >= 600, "{name}: {width} × {height}");
        let small = path.join(format!("images/reproduction/{name}.png"));
        assert!(width_and_height(&small).0 >= 300);
        assert!(fs::metadata(&small).expect("a file").len() <= 40_000, "{name}: too large");
        let svg = fs::read_to_string(path.join(format!("{name}.svg"))).expect("a file");
        assert!(svg.starts_with("<svg") && svg.contains("sans-serif"));
        let data = fs::read_to_string(path.join(format!("{name}.csv"))).expect("a file");
        assert_eq!(data.lines().next(), Some("panel,x_label,y_label,series,x,y"));
        assert!(data.lines().count() > 100);
    }
    let verdicts: Value = serde_json::from_str(&run.out).expect("JSON");
    let file = fs::read_to_string(path.join("verdicts.json")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&file).expect("JSON"), verdicts);
    let rows = verdicts.as_array().expect("an array");
    assert!(rows.len() >= 6);
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or("");
        assert!(names.contains(&text("figure")) && !text("quantity").is_empty());
        assert_ne!(text("verdict"), "open", "{row}");
        assert!(row["tolerance"].is_number());
        assert_eq!(row["quick"], false);
    }
    // A difference that is explained, and a number of the paper that is met.
    let has = |verdict: &str| rows.iter().any(|row| row["verdict"] == verdict);
    assert!(has("matches paper") && has("matches reference, paper differs"));
    let page = fs::read_to_string(path.join("index.html")).expect("a file");
    assert!(page.contains("data:image/png;base64,") && !page.contains("<script"));
    assert!(page.contains("stickslip reproduce leine-2003-fig-3"));
    // Every row once in the table of all and once with its figure.
    let lines = page.matches("-row\">").count();
    assert_eq!(lines, 2 * rows.len(), "rows of tables");
    assert!(page.contains("id=\"only-open\""));
    let table = fs::read_to_string(path.join("reproduction.md")).expect("a file");
    assert!(table.contains("## xiong-2013-fig-5") && table.contains("| quantity |"));
}

#[test]
fn earlier_output_is_replaced_and_other_files_are_not() {
    let folder = Folder::new();
    let (path, out) = below(&folder, "out");
    let once = |force: bool, name: &str| {
        let arguments = [name, "--out", &out, "--quiet", "--force"];
        reproduce(&arguments[..if force { 5 } else { 4 }])
    };
    assert_eq!(once(false, "leine-2003-fig-3").code, Some(0));
    let again = once(false, "xiong-2013-fig-1");
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""));
    assert!(path.join("xiong-2013-fig-1.svg").exists());
    assert!(!path.join("leine-2003-fig-3.svg").exists(), "earlier output stays");
    fs::write(path.join("thesis.tex"), "my work").expect("a file");
    let refused = once(false, "leine-2003-fig-3");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("thesis.tex") && refused.err.contains("--force"),
        "{}",
        refused.err
    );
    assert!(path.join("xiong-2013-fig-1.svg").exists(), "something was lost");
    assert_eq!(once(true, "leine-2003-fig-3").code, Some(0));
    assert_eq!(fs::read_to_string(path.join("thesis.tex")).expect("a file"), "my work");
}

#[test]
fn a_quick_look_says_so() {
    let folder = Folder::new();
    let (_, out) = below(&folder, "out");
    let run = reproduce(&["leine-2003-fig-3", "--quick", "--json", "--out", &out]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let verdicts: Value = serde_json::from_str(&run.out).expect("JSON");
    let rows = verdicts.as_array().expect("an array");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["quick"] == true));
}

/// Files of at most 8 blocks stand for a full disk: what does not fit is not there at all.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_files() {
    let folder = Folder::new();
    let (path, out) = below(&folder, "out");
    let program = env!("CARGO_BIN_EXE_stickslip");
    let command = format!("'{program}' reproduce leine-2003-fig-3 --out '{out}'");
    let script = format!("trap '' XFSZ; ulimit -f 8; exec {command}");
    let output = std::process::Command::new("sh").args(["-c", &script]).output();
    let full = Run::new(output.expect("a shell"));
    assert_eq!(full.code, Some(4), "{}", full.err);
    assert!(full.err.contains("leine-2003-fig-3.svg cannot be written"), "{}", full.err);
    assert!(!path.join("leine-2003-fig-3.svg").exists());
    let page = fs::read_to_string(path.join("index.html")).expect("a page");
    assert!(page.trim_end().ends_with('>'), "{page}");
}

/// A page of another program in the folder does not make it ours.
#[test]
fn a_folder_with_some_other_index_page_is_refused() {
    let folder = Folder::new();
    let (path, out) = below(&folder, "site");
    fs::create_dir_all(&path).expect("a folder");
    fs::write(path.join("index.html"), "<!doctype html><p>mine").expect("a file");
    let run = reproduce(&["leine-2003-fig-3", "--out", &out]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert_eq!(
        fs::read_to_string(path.join("index.html")).expect("a file"),
        "<!doctype html><p>mine"
    );
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let folder = Folder::new();
    let file = folder.write("taken", "");
    let run = reproduce(&["leine-2003-fig-3", "--out", &file]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("not a folder"), "{}", run.err);
}
