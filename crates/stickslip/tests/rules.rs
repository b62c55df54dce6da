//! The rules of docs/ARCHITECTURE.md that a machine can check, on the source text itself.
//!
//! Every rule is a function from text to complaints, so that the tests at the end can show that
//! it complains where it must.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

use std::fs;
use std::path::{Path, PathBuf};

/// Which modules each module of the library may use. A module that is not listed is an error, so
/// that a new one has to find its place here and in docs/ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    ("linear", &[]),
    ("convex", &["linear"]),
    ("problem", &["convex", "linear"]),
    ("solve", &["problem", "convex", "linear"]),
    ("system", &["convex", "problem", "linear"]),
    ("kinematics", &[]),
    ("integrate", &["ode", "system", "kinematics", "problem", "solve", "convex", "linear"]),
    ("simulate", &["integrate", "world", "system", "kinematics", "problem", "solve", "convex"]),
    ("analysis", &["simulate", "integrate", "system", "kinematics", "problem", "solve", "convex"]),
    ("models", &["convex", "system", "kinematics", "problem"]),
    ("ode", &["convex", "system", "problem", "linear"]),
    ("world", &["convex", "system", "kinematics"]),
    (
        "scene",
        &[
            "analysis",
            "simulate",
            "integrate",
            "ode",
            "models",
            "world",
            "system",
            "kinematics",
            "problem",
            "solve",
            "convex",
        ],
    ),
    ("study", &["scene", "simulate", "integrate", "system", "solve", "linear"]),
];

const MAX_LINES: usize = 500;

const FORBIDDEN_CALLS: &[&str] =
    &[".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "dbg!("];

// ---- the tree -----------------------------------------------------------------------------

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All text files of the project below `folder`, with their paths relative to the root.
fn files_below(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                if !["target", ".git", "out"].contains(&name.as_ref()) {
                    folders.push(path);
                }
            } else if endings.iter().any(|e| name.ends_with(e))
                && let Ok(text) = fs::read_to_string(&path)
            {
                let path = path.strip_prefix(root()).expect("below the root").to_path_buf();
                found.push((path.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<(String, String)> {
    let files = files_below("crates", &[".rs"]);
    assert!(files.len() > 10, "the sources were not found below {}", root().display());
    files
}

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n  {}\n", complaints.join("\n  "));
}

// ---- reading Rust -------------------------------------------------------------------------

/// The code with comments and the contents of literals blanked out; lines stay where they are.
fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match (at(i), at(i + 1)) {
            ('/', '/') => (i..chars.len()).find(|k| at(*k) == '\n').unwrap_or(chars.len()),
            ('/', '*') => {
                let mut depth = 0;
                let mut k = i;
                loop {
                    match (at(k), at(k + 1)) {
                        ('/', '*') => (depth, k) = (depth + 1, k + 2),
                        ('*', '/') => (depth, k) = (depth - 1, k + 2),
                        _ => k += 1,
                    }
                    if depth == 0 || k >= chars.len() {
                        break k;
                    }
                }
            }
            ('r', '"' | '#') if !is_word(at(i.wrapping_sub(1))) => {
                let hashes = (i + 1..).take_while(|k| at(*k) == '#').count();
                let open = i + 1 + hashes;
                let closes =
                    |k: &usize| at(*k) == '"' && (k + 1..k + 1 + hashes).all(|h| at(h) == '#');
                match at(open) {
                    '"' => (open + 1..chars.len()).find(closes).unwrap_or(chars.len()) + 1 + hashes,
                    _ => i, // a raw identifier
                }
            }
            ('"', _) => {
                let mut k = i + 1;
                while k < chars.len() && at(k) != '"' {
                    k += if at(k) == '\\' { 2 } else { 1 };
                }
                k + 1
            }
            ('\'', '\\') => (i + 3..chars.len()).find(|k| at(*k) == '\'').unwrap_or(i) + 1,
            ('\'', _) if at(i + 2) == '\'' => i + 3,
            _ => i,
        };
        if end == i {
            out.push(at(i));
            i += 1;
        }
        while i < end {
            out.push(if at(i) == '\n' { '\n' } else { ' ' });
            i += 1;
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The code with every item under `#[cfg(test)]` blanked out; expects [`code_only`].
fn without_tests(code: &str) -> String {
    let mut out = code.to_string();
    while let Some(start) = out.find("#[cfg(test)]") {
        let rest = &out[start..];
        let semicolon = rest.find(';').unwrap_or(rest.len());
        let brace = rest.find('{').unwrap_or(rest.len());
        let end = if semicolon < brace {
            semicolon + 1
        } else {
            let mut depth = 0;
            let closing = rest[brace..].char_indices().find(|(_, c)| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0
            });
            closing.map_or(rest.len(), |(k, _)| brace + k + 1)
        };
        let blank: String =
            rest[..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..start + end, &blank);
    }
    out
}

/// Whether a source file holds nothing but tests.
fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/benches/") || path.ends_with("/tests.rs")
}

/// The modules below the crate root that a file of the library names, by `crate::`, by
/// `use crate::{..}` or by as many `super::` as lead to the root; expects [`code_only`].
fn modules_used(path_below_src: &str, code: &str) -> Vec<String> {
    let path = path_below_src.trim_end_matches(".rs").trim_end_matches("/mod");
    let to_root = "super::".repeat(path.split('/').count());
    let mut used = Vec::new();
    for prefix in ["crate::", to_root.as_str()] {
        for (position, _) in code.match_indices(prefix) {
            if code[..position].ends_with(|c: char| is_word(c) || c == ':' || c == '$') {
                continue;
            }
            let rest = &code[position + prefix.len()..];
            match rest.strip_prefix('{') {
                None => used.push(first_word(rest)),
                Some(group) => {
                    let mut depth = 0;
                    let mut begin = 0;
                    for (k, c) in group.char_indices() {
                        if depth == 0 && (c == ',' || c == '}') {
                            used.push(first_word(&group[begin..k]));
                            begin = k + 1;
                        }
                        depth += i32::from(c == '{') - i32::from(c == '}');
                        if depth < 0 {
                            break;
                        }
                    }
                }
            }
        }
    }
    used
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| is_word(*c)).collect()
}

// ---- the rules ----------------------------------------------------------------------------

fn layering(path_below_src: &str, text: &str) -> Vec<String> {
    let Some((module, _)) = path_below_src.split_once('/') else {
        return Vec::new(); // lib.rs stands above all modules
    };
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
        return vec![format!("{path_below_src}: module {module} has no place in the layers")];
    };
    modules_used(path_below_src, &code_only(text))
        .into_iter()
        .filter(|used| used != module && LAYERS.iter().any(|(name, _)| name == used))
        .filter(|used| !allowed.contains(&used.as_str()))
        .map(|used| format!("{path_below_src}: {module} must not use {used}"))
        .collect()
}

fn length(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    if lines <= MAX_LINES {
        return Vec::new();
    }
    vec![format!("{path}: {lines} lines, at most {MAX_LINES} are allowed")]
}

fn calls(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in without_tests(&code_only(text)).lines().enumerate() {
        for call in FORBIDDEN_CALLS {
            let found = line
                .match_indices(call)
                .any(|(position, _)| call.starts_with('.') || !line[..position].ends_with(is_word));
            if found {
                complaints.push(format!("{path}:{}: {call} outside tests", number + 1));
            }
        }
    }
    complaints
}

/// Folders of somebody's machine; in pieces, so that this file does not break its own rule.
const MACHINE_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/tm", "p/"),
    concat!("/wo", "rk/"),
    concat!("/mn", "t/"),
    concat!(":\\Us", "ers"),
];

fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for folder in MACHINE_PATHS {
            // Such a name inside a longer path is a folder of the project.
            let absolute = |position: usize| {
                !line[..position].ends_with(|c: char| is_word(c) || matches!(c, '.' | '-' | '}'))
            };
            if line.match_indices(folder).any(|(position, _)| absolute(position)) {
                complaints.push(format!("{path}:{}: path of a machine: {folder}", number + 1));
            }
        }
    }
    complaints
}

/// Words of a page that look like paths: with a folder or a known ending, without wildcards.
fn paths_named(page: &str) -> Vec<&str> {
    const ENDINGS: &[&str] = &[".rs", ".md", ".toml", ".sh", ".json", ".lock"];
    page.split(|c: char| c.is_whitespace() || "`()[],;|\"'".contains(c))
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| !word.contains("://"))
        .filter(|word| {
            let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
            let folder = word.ends_with('/') && word.len() > 1;
            let file = ENDINGS.iter().any(|e| word.len() > e.len() && word.ends_with(e));
            plain && (folder || file || word.starts_with("crates/") || word.starts_with(".ci/"))
        })
        .collect()
}

/// A page may name a path from the root or from the sources of the library or the command.
fn missing_paths(page: &str) -> Vec<String> {
    let bases = ["", "crates/stickslip/src", "crates/stickslip-cli/src"];
    paths_named(page)
        .into_iter()
        .filter(|path| !bases.iter().any(|base| root().join(base).join(path).exists()))
        .map(|path| format!("docs/ARCHITECTURE.md names {path}, which does not exist"))
        .collect()
}

/// Rows of the table "Where to add" with the last kind that was added by them: its variants.
const ADDED: &[(&str, &[&str])] = &[
    ("a shape", &["ShapeKind::Cone", "ShapeKeys::Cone"]),
    ("a joint", &["JointKind::Cylindrical", "JointKeys::Cylindrical"]),
    ("a law in a scene", &["FrictionForm::Polygon", "LawName::Polygon"]),
];

/// Most sources that are edited by hand for one of them.
const MOST_BY_HAND: usize = 4;

/// A row names the few sources that are edited by hand, and all in which the kind occurs.
fn row_is_true(page: &str, all: &[(String, String)], name: &str, kinds: &[&str]) -> Vec<String> {
    let row = page.lines().find_map(|line| line.strip_prefix(&format!("| {name} | By hand: ")));
    let Some((by_hand, _)) = row.and_then(|row| row.split_once("The program writes")) else {
        return vec![format!(
            "\"{name}\" does not say what is by hand and what the program writes"
        )];
    };
    let named: Vec<&str> =
        paths_named(by_hand).into_iter().filter(|path| path.ends_with(".rs")).collect();
    let mut complaints = Vec::new();
    if named.len() > MOST_BY_HAND {
        complaints.push(format!("\"{name}\" names more than {MOST_BY_HAND} sources: {named:?}"));
    }
    for (path, text) in all.iter().filter(|(path, _)| path.contains("/src/")) {
        let has =
            |kind: &&&str| text.contains(&format!("{kind} ")) || text.contains(&format!("{kind},"));
        let is_named = named.iter().any(|own| path.ends_with(&format!("/src/{own}")));
        if let Some(kind) = kinds.iter().find(has).filter(|_| !is_named) {
            complaints.push(format!("\"{name}\" does not name {path}, which has {kind}"));
        }
    }
    complaints
}

// ---- the rules hold -----------------------------------------------------------------------

#[test]
fn dependencies_point_one_way() {
    let prefix = "crates/stickslip/src/";
    let all = sources();
    let library = all.iter().filter_map(|(path, text)| Some((path.strip_prefix(prefix)?, text)));
    report(library.flat_map(|(path, text)| layering(path, text)).collect());
}

#[test]
fn files_are_short() {
    report(sources().iter().flat_map(|(path, text)| length(path, text)).collect());
}

#[test]
fn nothing_panics_outside_tests() {
    let all = sources();
    let ours = all.iter().filter(|(path, _)| path.contains("/src/") && !is_test_file(path));
    report(ours.flat_map(|(path, text)| calls(path, text)).collect());
}

#[test]
fn unsafe_code_is_forbidden_in_every_crate() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    assert!(workspace.contains("unsafe_code = \"deny\""), "Cargo.toml denies unsafe code");
    let crates = files_below("crates", &["Cargo.toml"]);
    assert!(crates.len() >= 2);
    for (path, text) in crates {
        assert!(text.contains("[lints]\nworkspace = true"), "{path} takes the workspace's lints");
    }
    for (path, text) in sources() {
        if path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs") {
            assert!(text.contains("#![forbid(unsafe_code)]"), "{path} forbids unsafe code");
        }
    }
}

#[test]
fn the_architecture_page_names_what_exists() {
    let page = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the page");
    assert!(paths_named(&page).len() > 10, "the page names hardly any path");
    report(missing_paths(&page));
}

#[test]
fn few_files_are_edited_for_a_shape_a_joint_or_a_law() {
    let page = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the page");
    let all = sources();
    let complaints = |(name, kinds): &(&str, &[&str])| row_is_true(&page, &all, name, kinds);
    report(ADDED.iter().flat_map(complaints).collect());
}

#[test]
fn no_text_names_a_folder_of_a_machine() {
    let endings = [
        ".rs",
        ".md",
        ".toml",
        ".sh",
        ".json",
        ".csv",
        ".py",
        "run",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "NOTICE",
        ".cff",
    ];
    let all = files_below(".", &endings);
    assert!(all.iter().any(|(path, _)| path.ends_with("README.md")));
    report(all.iter().flat_map(|(path, text)| machine_paths(path, text)).collect());
}

// ---- the rules can fail -------------------------------------------------------------------

#[test]
fn the_layering_rule_sees_every_way_to_name_a_module() {
    let bad = [
        ("convex/ball.rs", "use crate::problem::Law;"),
        ("convex/ball.rs", "use crate::{convex::Set, problem::{Law, Residual}};"),
        ("convex/ball.rs", "fn f() { crate::solve::f() }"),
        ("convex/mod.rs", "use super::problem::Law;"),
        ("convex/ball.rs", "use super::super::problem;"),
        ("problem/mod.rs", "use crate::{\n    convex::Set,\n    solve,\n};"),
        ("solve/lcp/lemke.rs", "use super::super::super::system::State;"),
        ("models/disk.rs", "use crate::solve::Solver;"),
        ("surprise/mod.rs", ""),
    ];
    for (path, text) in bad {
        assert_eq!(layering(path, text).len(), 1, "{path}: {text}");
    }
    let good = [
        ("convex/ball.rs", "//! See [`crate::problem`].\nconst S: &str = \"crate::solve::x\";"),
        ("convex/ball.rs", "use super::problem;"), // convex::problem, no layer
        ("solve/mod.rs", "use crate::{problem::{Law, system}, convex::Set};"),
        ("solve/lcp/lemke.rs", "use super::super::Status; use crate::solve::lcp::Lcp;"),
        ("lib.rs", "use crate::scene::Scene;"),
    ];
    for (path, text) in good {
        assert_eq!(layering(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn the_rule_on_panics_sees_code_and_only_code() {
    for bad in
        ["x.unwrap();", "y.expect(\"z\");", "std::panic!(\"a\");", "todo!()", "'\"'; panic!()"]
    {
        assert_eq!(calls("a.rs", bad).len(), 1, "{bad}");
    }
    let after = "#[cfg(test)]\nmod tests {\n  fn f() { a.unwrap(); }\n}\nfn g() { a.unwrap(); }";
    assert_eq!(calls("a.rs", after), ["a.rs:5: .unwrap() outside tests"]);
    for good in [
        "// x.unwrap()",
        "/* a /* b */ .unwrap() */",
        "let s = \"todo!() \\\" panic!(\";",
        "let s = r#\"x\".unwrap()\"#;",
        "x.unwrap_or(1); std::panic::catch_unwind(f); no_panic!(1);",
        "#[cfg(test)]\nmod tests;",
        "fn f<'a>(c: &'a char) -> bool { *c == '\\'' || *c == '\"' } // panic!(",
    ] {
        assert_eq!(calls("a.rs", good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn the_rule_on_rows_sees_what_they_leave_out() {
    let row = "| a shape | By hand: `a.rs`; `b.rs`. The program writes c.json |";
    let file = |path: &str| (path.to_owned(), "x(Kind::Cone { r })".to_owned());
    let rule = |page: &str, file| row_is_true(page, &[file], "a shape", &["Kind::Cone"]).len();
    assert_eq!(rule(row, file("crates/x/src/b.rs")), 0);
    assert_eq!(rule(row, file("crates/x/src/d.rs")), 1);
    assert_eq!(rule("| a shape | four files |", file("crates/x/src/b.rs")), 1);
    let many = row.replace("`b.rs`", "`b.rs`; `d.rs`; `e.rs`; `f.rs`");
    assert_eq!(rule(&many, file("crates/x/src/b.rs")), 1);
}

#[test]
fn the_other_rules_can_fail() {
    assert_eq!(length("a.rs", &"\n".repeat(MAX_LINES + 1)).len(), 1);
    assert_eq!(length("a.rs", &"\n".repeat(MAX_LINES)).len(), 0);
    for folder in MACHINE_PATHS {
        assert_eq!(machine_paths("a.md", &format!("see `{folder}x`")).len(), 1, "{folder}");
    }
    assert_eq!(machine_paths("a.md", "target/tmp/x and https://a.org/home").len(), 0);
    let missing = "`convex/no_such_set.rs`, see no/such/folder/ or crates/none";
    assert_eq!(missing_paths(missing).len(), 3);
    assert_eq!(missing_paths("`convex/ball.rs` (in crates/stickslip/), Cargo.toml.").len(), 0);
    let no_paths = "N s/m, and/or, a.b, crate::x, https://x.org/a.md, e.g. <name>.json";
    assert_eq!(paths_named(no_paths), Vec::<&str>::new());
}
