//! Scene files that describe worlds: every key, every error.

#![allow(clippy::expect_used, clippy::panic)] // helpers of tests

#[path = "../oracles/mod.rs"]
mod oracles;

mod accuracy;
mod arrays;
mod assembly;
mod at_rest;
mod benchmarks;
mod columns;
mod conditions;
mod continued;
mod copies_and_pieces;
mod errors;
mod exact_answers;
mod examples;
mod explain;
mod falling_friction;
mod force_elements;
mod free;
mod fuzz;
mod hard_cases;
mod joints_by_each;
mod judged;
mod knobs;
mod laws;
mod library;
mod mechanisms;
mod meshes;
mod motion;
mod ode_route;
mod orbits;
mod own_laws;
mod papers;
mod parameters;
mod parameters_hostile;
mod penetration;
mod placement;
mod prescribed;
mod random_worlds;
mod runs;
mod schema;
mod shipped_scenes;
mod start;
mod state_forces;
mod studies;
mod support;
mod symmetry;
mod trust;
mod values;
mod wrong_numbers;
