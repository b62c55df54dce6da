//! The ODE route (Xiong 2013): elements, the general procedure, methods, models.

#![allow(clippy::unwrap_used)] // helpers of tests may fail like tests

#[path = "../oracles/mod.rs"]
mod oracles;

mod elements;
mod equations;
mod methods;
mod other_systems;
mod refusals;
mod restitution;
mod stability;
mod support;
mod xiong_examples;
mod xiong_figures;
