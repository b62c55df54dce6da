//! The Python package, as far as it is in Rust: the module `stickslip._native`, a thin layer over the library.
//! What users see is in python/stickslip.

#![forbid(unsafe_code)]
// What the functions do is said where users see them.
#![allow(missing_docs)]

mod batch;
mod derivatives;
mod errors;
mod forced;
mod orbits;
mod own;
mod points;
mod problem;
mod run;
mod scene;
mod set;
mod settled;
mod simulation;
mod study;
mod system;
mod watch;

use pyo3::pymodule;

#[pymodule]
mod _native {
    use pyo3::prelude::*;
    use pyo3::types::PyModule;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("SOLVERS", stickslip::solve::SOLVER_NAMES.to_vec())
    }

    /// The command line; the first argument is the name of the program.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| stickslip_cli::exit_code(arguments))
    }

    #[pymodule_export]
    use super::batch::batch;
    #[pymodule_export]
    use super::derivatives::{fit, gradient};
    #[pymodule_export]
    use super::orbits::{branch, lyapunov, orbit, trace_orbit};
    #[pymodule_export]
    use super::problem::solve;
    #[pymodule_export]
    use super::run::NativeRun;
    #[pymodule_export]
    use super::scene::{NativeScene, scenes};
    #[pymodule_export]
    use super::settled::{NativeBasinRecords, NativeBasins, bifurcation};
    #[pymodule_export]
    use super::simulation::{NativeSimulation, NativeState, resume};
    #[pymodule_export]
    use super::study::{NativeRecords, NativeSweep};
}
