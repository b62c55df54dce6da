//! What the tests of world scenes share.

use std::path::Path;
use stickslip::scene::WorldScene;

/// A body that every scene may have.
pub const BALL: &str = "\
[[body]]
name = \"ball\"
mass = 2
[[body.shape]]
kind = \"sphere\"
radius = 0.1
";

pub fn read_in(
    folder: Option<&Path>,
    text: &str,
    overrides: &[&str],
) -> Result<WorldScene, String> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    WorldScene::read("my.toml", "my", text, &overrides, folder).map_err(|e| e.to_string())
}

pub fn read(text: &str) -> WorldScene {
    read_in(None, text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn complaint(text: &str) -> String {
    complaint_with(text, &[])
}

pub fn complaint_with(text: &str, overrides: &[&str]) -> String {
    read_in(None, text, overrides).err().unwrap_or_else(|| panic!("accepted: {text}"))
}

/// The ball with more text behind it.
pub fn with_ball(text: &str) -> String {
    format!("{BALL}{text}")
}

#[track_caller]
pub fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[track_caller]
pub fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance, "{a:?} is not {b:?}");
    }
}
