//! The command as a user meets it: arguments, files, exit codes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests may fail

mod archive;
mod common;
mod derivatives;
#[cfg(unix)]
mod docs;
mod lab;
mod orbits;
mod outputs;
mod problem;
mod refused;
mod report;
mod reproduce;
mod run;
mod scene_commands;
mod solve;
mod studies;
