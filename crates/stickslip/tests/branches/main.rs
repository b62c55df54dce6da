//! Branches of orbits and equilibria, and Lyapunov exponents, against closed forms and independent computations.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

mod bifurcations;
mod equilibria;
mod exponents;
mod known_orbits;
mod neimark_sacker;
mod nonsmooth_orbits;

use stickslip::scene::SceneFile;
use stickslip::study::{OrbitQuestion, Section, Vary};

/// A scene from its text.
fn scene(text: &str) -> SceneFile {
    SceneFile { source: "text".into(), name: "text".into(), text: text.into(), path: None }
}

/// A scene of the program.
fn shipped(name: &str) -> SceneFile {
    SceneFile::open(name).expect("a scene of the program")
}

fn asked(overrides: &[&str], section: Option<&str>) -> OrbitQuestion {
    OrbitQuestion {
        overrides: overrides.iter().map(|text| (*text).to_owned()).collect(),
        section: section.map(|text| Section::parse(text).expect("a section")),
    }
}

fn range(text: &str) -> Vary {
    Vary::parse(text).expect("a range")
}
