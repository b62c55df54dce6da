//! Mechanical systems with hard contact, impact and dry friction.
//!
//! Contact forces obey *set-valued* force laws: things really stick, really slip and
//! really stop. Every time step of every system is reduced to one small problem,
//!
//! ```text
//! ξ = G Λ + c,      −ξ_i ∈ N_{C_i}(Λ_i),      C_i = s_i · C_i(1)
//! ```
//!
//! which is plain data ([`problem::InclusionProblem`]). Mechanics stands above it, convex
//! analysis ([`convex`]) and the solvers ([`solve`]) below it; neither knows the other.
//!
//! A [`simulate::Simulation`] carries a system through time, made from a scene
//! ([`scene::Scene::load`]), from a description of a world in code
//! ([`world::WorldDescription`]) or from a system of one's own ([`system::MechanicalSystem`]). The
//! [`prelude`] has what most programs need; `examples/` shows each of them.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod convex;
mod crew;
pub mod digits;
pub mod integrate;
pub mod kinematics;
mod linear;
pub mod memory;
pub mod models;
pub mod ode;
pub mod prelude;
pub mod problem;
pub mod range;
pub mod scene;
pub mod simulate;
mod slabs;
pub mod solve;
pub mod stop;
pub mod study;
pub mod system;
mod threads;
pub mod world;
