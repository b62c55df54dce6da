//! Mechanisms from a description: bodies with shapes, joints, forces and contact laws, in the plane
//! or in space. What scene files are made of.
//!
//! A [`WorldDescription`] is plain data; `World::new` checks it and turns it into a system.
//! Every moving body is a block of the mass matrix of its own:
//!
//! ```text
//! space:  q = (x, y, z, e₀, e₁, e₂, e₃),   u = (v, Ω),   Ω in the body frame
//! plane:  q = (x, y, φ),                   u = (v_x, v_y, ω)
//! ```
//!
//! with the *centre of mass* (x, y, z). A scene speaks of the origin of the frame of a body instead;
//! [`frames`] converts.

mod applied;
mod balls;
mod border;
mod boxes;
mod builder;
mod bumper;
mod collide;
mod columns;
mod conditions;
mod contact_names;
mod depth;
pub mod description;
mod drawn_joints;
mod forces;
pub mod frames;
mod friction_form;
mod held;
mod hull;
mod inertia;
mod joint;
mod joint_checks;
mod joint_columns;
mod joint_groups;
mod joints;
mod laws;
mod manifold;
mod motion;
mod mounts;
mod observed;
mod outputs;
mod pairs;
mod passing;
mod polygons;
mod rims;
mod rows;
mod shape;
mod skeleton;
mod start;
mod state_force;
mod table;
mod touch;
mod validate;
#[allow(clippy::module_inception)]
mod world;

pub use columns::ColumnInputs;
pub use conditions::{ANY_CONTACT, AT_REST};
pub use description::*;
pub use frames::{Frame, Frames, Twist};
pub use inertia::MassProperties;
pub use joints::Joints;
pub use motion::{AssemblyDescription, MotionDescription, PlacedBody, TimedMotion};
pub(crate) use start::Asked;
pub use start::{JointCoordinate, start_state};
pub(crate) use table::{all_names, fits};
pub use world::World;
