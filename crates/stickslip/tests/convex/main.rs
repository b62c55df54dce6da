//! Convex sets and the laws made of them: identities of convex analysis, closed forms, files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests may fail

mod common;
mod contensou;
mod contensou_boundary;
mod files;
mod identities;
mod laws;
mod properties;
mod support_point;
