//! Worlds: exact answers, agreement with the models, symmetries, collision, masses, bad input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests may fail

#[path = "../oracles/mod.rs"]
mod oracles;

mod bad_input;
mod collision;
mod drawing;
mod exact_answers;
mod impacts;
mod laws;
mod masses;
mod models;
mod pile;
mod support;
mod symmetry;
