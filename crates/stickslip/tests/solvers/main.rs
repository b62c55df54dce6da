//! Contact problems and their solvers: agreement, pitfalls, files, problems of other simulators.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests may fail

mod agree;
mod agree_laws;
mod contact_benchmarks;
mod elimination;
mod large;
mod lcp;
mod lcp_contact;
mod pitfalls;
mod problem_files;
mod problems;
mod threads;
