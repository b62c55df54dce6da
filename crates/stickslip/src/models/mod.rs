//! The systems of the papers that no world can say, each with its data set and start state. They show how the
//! trait [`MechanicalSystem`](crate::system::MechanicalSystem) is used; all other systems are scene files.
//!
//! | model | paper | system |
//! |---|---|---|
//! | Tippe-Top in Euler angles | Leine 2003, sec. 5 | [`TippeTopEuler`] |
//! | slider-crank in minimal coordinates | Flores 2010, sec. 6 | [`SliderCrank`] |
//!
//! A model never sees a solver.

mod drawn;
mod laws;
pub mod slider_crank;
pub mod tippe_top;

pub use crate::range::OutOfRange as ParameterError;
pub use laws::{ContactLaws, FrictionLaw};
pub use slider_crank::{SliderCrank, SliderCrankParameters, SliderCrankStart};
pub use tippe_top::{TippeTopEuler, TippeTopParameters, TippeTopStart};
