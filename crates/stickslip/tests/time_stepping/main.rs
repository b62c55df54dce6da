//! Time stepping: the reference numbers of the Tippe-Top and the rolling disk, orders, symmetries,
//! conservation, the energy book.

#![allow(clippy::unwrap_used)] // helpers of tests may fail like tests

#[path = "../oracles/mod.rs"]
mod oracles;

mod conservation;
mod decay;
mod disk_reference;
mod energy_book;
mod free_motion;
mod not_finite;
mod orders;
mod rattle;
mod solvers;
mod support;
mod symmetry;
mod top_reference;
