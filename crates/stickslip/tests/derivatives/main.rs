//! Derivatives of runs against differences of runs, and fits that use them.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

mod fits;
mod gradients;
