//! The systems of the papers, each with its data set and start state.
//!
//! | model | paper | system |
//! |---|---|---|
//! | Tippe-Top | Leine 2003, sec. 5 | [`TippeTop`] (quaternions), [`TippeTopEuler`] (Euler angles) |
//! | rolling disk | Le Saux 2005, sec. 2–4 | [`RollingDisk`] |
//! | slider-crank | Flores 2010, sec. 6 | [`SliderCrank`] (angles), [`SliderCrankMultibody`] (planar bodies) |
//!
//! A model never sees a solver. Which laws act at its contacts it says by plain data,
//! [`ContactLaws`]; the components of a contact always stand in the order written there.

mod free_body;
mod laws;
mod parameter;
pub mod rolling_disk;
pub mod slider_crank;
pub mod tippe_top;

pub use laws::{Components, ContactLaws, FrictionLaw, Resistance};
pub use parameter::ParameterError;
pub use rolling_disk::{DiskParameters, DiskStart, RollingDisk};
pub use slider_crank::{
    SliderCrank, SliderCrankMultibody, SliderCrankParameters, SliderCrankStart,
};
pub use tippe_top::{TippeTop, TippeTopEuler, TippeTopParameters, TippeTopStart};
