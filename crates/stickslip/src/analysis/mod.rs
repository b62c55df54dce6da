//! What can be said of a system before it is simulated.
//!
//! | file | what |
//! |---|---|
//! | [`eccentric`] | friction that jams, impacts that gain energy |
//! | [`spin`] | energy that explicit gyroscopic forces put into spinning bodies |
//! | [`start`] | whether any system can start: masses, overlaps, joints |
//! | [`stiffness`] | rates of springs and dampers, for the length of a step |

pub mod eccentric;
pub mod spin;
pub mod start;
pub mod stiffness;
