//! The systems of the papers written by hand, with elements of their own for the ODE route: what the worlds
//! of the same names are compared with, and systems for tests of integrators. Not a test by itself.

#![allow(dead_code, unused_imports)] // no test uses all of them
#![allow(clippy::unwrap_used)]

pub mod belt_oscillator;
pub mod bouncing_mass;
pub mod conveyor_masses;
pub mod elements;
pub mod free_body;
pub mod friction_mass;
pub mod laws;
pub mod rolling_disk;
pub mod rolling_sphere;
pub mod top;

pub use belt_oscillator::{BeltOscillator, BeltOscillatorParameters, BeltOscillatorStart};
pub use bouncing_mass::{BouncingMass, BouncingMassParameters, BouncingMassStart};
pub use conveyor_masses::{ConveyorMasses, ConveyorMassesParameters, ConveyorMassesStart};
pub use elements::{
    ContactChoice, ContactFrictionChoice, FrictionChoice, NamedRestitution, RestitutionChoice,
};
pub use friction_mass::{FrictionMass, FrictionMassParameters, FrictionMassStart};
pub use laws::{Components, ContactLaws, Resistance};
pub use rolling_disk::{DiskParameters, DiskStart, RollingDisk};
pub use rolling_sphere::{RollingSphere, RollingSphereParameters, RollingSphereStart};
pub use stickslip::models::*;
pub use top::{TippeTop, TippeTopOutput, from_quaternion, to_quaternion};
