//! The event-driven integrator against motions in closed form and reference runs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../oracles/mod.rs"]
mod oracles;

mod energy_book;
mod impact_laws;
mod impacts;
mod instants;
mod joints;
mod painleve;
mod reactions;
mod robust;
mod slider_crank;
mod sliding;
mod tippe_top;
mod toy;
mod variation;
mod worlds;
