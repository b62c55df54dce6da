//! What the tests of the command share.

#![allow(dead_code)] // not every test uses all of it
#![allow(clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.stdin(Stdio::null());
    command
}

/// Runs `stickslip solve` and makes sure that no text of a panic appears.
pub fn solve<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let output = program().arg("solve").args(arguments).output().expect("the program runs");
    Run::new(output)
}

pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let run =
            Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        let all = format!("{}{}", run.out, run.err).to_lowercase();
        for word in ["panicked", "please report it", "rust_backtrace"] {
            assert!(!all.contains(word), "{word} in:\n{}\n{}", run.out, run.err);
        }
        run
    }

    pub fn rows(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }
}

/// A folder of its own for each test, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stickslip-solve-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path.to_str().expect("UTF-8").into()
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn read_json(path: impl AsRef<Path>) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    serde_json::from_str(&text).expect("JSON")
}

pub fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list, not {value}"));
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

pub fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

/// The contact problem of a point mass of 1 kg that hits the floor with friction 0.5.
pub fn point_mass() -> Value {
    json!({"format": "stickslip/contact-problem", "version": 1, "name": "point-mass",
           "dimension": 2, "friction": [0.5], "c": [-1.0, 2.0],
           "delassus": {"indptr": [0, 1, 2], "indices": [0, 1], "data": [1.0, 1.0]}})
}

/// The same file with one entry replaced.
pub fn changed(pointer: &str, value: Value) -> String {
    let mut file = point_mass();
    *file.pointer_mut(pointer).expect("an entry of the file") = value;
    file.to_string()
}

/// A scene whose second contact problem has no solution: a body that is welded to the ground and
/// driven from the second step on.
pub const CONTRADICTION: &str = r#"
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[joint]]
kind = "fixed"
bodies = ["ground", "a"]
[[joint]]
kind = "prismatic"
bodies = ["ground", "a"]
at = [0, 0, 0]
motor = { speed = "0.5*(1 + sign(t - 1.2e-3))" }
[simulation]
duration = 2e-3
output_step = 1e-3
"#;
