//! Planar mechanisms with clearance: the slider-crank of Flores 2010 and the elements it is made
//! of.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail like tests

mod bad_input;
mod equations;
mod exact_answers;
mod impacts;
mod reference;
mod solvers;
mod support;
