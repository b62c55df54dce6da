//! The systems of the papers, each with its data set and start state.
//!
//! | model | paper | system |
//! |---|---|---|
//! | Tippe-Top | Leine 2003, sec. 5 | [`TippeTop`] (quaternions), [`TippeTopEuler`] (Euler angles) |
//! | rolling disk | Le Saux 2005, sec. 2–4 | [`RollingDisk`] |
//! | slider-crank | Flores 2010, sec. 6 | [`SliderCrank`] |
//! | mass with friction | Xiong 2013, Fig. 3 | [`FrictionMass`] |
//! | bouncing mass | Xiong 2013, Fig. 5 | [`BouncingMass`] |
//! | rolling sphere | Xiong 2013, sec. 5.1 | [`RollingSphere`] |
//! | masses on a conveyor | Xiong 2013, sec. 5.2 | [`ConveyorMasses`] |
//! | oscillator on a belt | Xiong 2013, sec. 5.3 | [`BeltOscillator`] |
//!
//! A model never sees a solver. Which laws act at its contacts it says by plain data,
//! [`ContactLaws`]; the components of a contact always stand in the order written there.

pub mod belt_oscillator;
pub mod bouncing_mass;
pub mod conveyor_masses;
mod drawn;
mod elements;
mod free_body;
pub mod friction_mass;
mod laws;
pub mod rolling_disk;
pub mod rolling_sphere;
pub mod slider_crank;
pub mod tippe_top;

pub use crate::range::OutOfRange as ParameterError;
pub use belt_oscillator::{BeltOscillator, BeltOscillatorParameters, BeltOscillatorStart};
pub use bouncing_mass::{BouncingMass, BouncingMassParameters, BouncingMassStart};
pub use conveyor_masses::{ConveyorMasses, ConveyorMassesParameters, ConveyorMassesStart};
pub use elements::{
    ContactChoice, ContactFrictionChoice, FrictionChoice, NamedRestitution, RestitutionChoice,
};
pub use friction_mass::{FrictionMass, FrictionMassParameters, FrictionMassStart};
pub use laws::{Components, ContactLaws, FrictionLaw, Resistance};
pub use rolling_disk::{DiskParameters, DiskStart, RollingDisk};
pub use rolling_sphere::{RollingSphere, RollingSphereParameters, RollingSphereStart};
pub use slider_crank::{SliderCrank, SliderCrankParameters, SliderCrankStart};
pub use tippe_top::{TippeTop, TippeTopEuler, TippeTopParameters, TippeTopStart};
