//! The papers behind `stickslip`: their figures with verdicts on their numbers, and what follows from
//! steady motions without simulation.
//!
//! | module | what | paper |
//! |---|---|---|
//! | [`figures`] | the figures, one file per paper, and how their numbers compare | all |
//! | [`gallery`] | the folder with the figures, a page and a table | |
//! | [`plot`] | plots: plain descriptions, drawn as SVG and PNG | |
//! | [`top_stability`] | stability of the spinning Tippe-Top | Leine 2003, sec. 5.5 |
//! | [`disk_motion`] | rolling without slip, circular rolling, nutation | Le Saux 2005, sec. 5.1–5.4 |
//! | [`disk_decay`] | loss of energy of a disk that settles | Le Saux 2005, sec. 5.5 |
//! | [`power_law`] | exponent of a finite-time singularity in a time series | Le Saux 2005, (6.1) |
//! | [`polynomial`] | roots of complex polynomials | |

#![forbid(unsafe_code)]

pub mod disk_decay;
pub mod disk_motion;
pub mod figures;
pub mod gallery;
pub mod markdown;
mod page;
pub mod plot;
pub mod polynomial;
pub mod power_law;
pub mod top_stability;

/// What went wrong, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Something could not be written.
    NotWritten,
    /// The folder that was named cannot be used.
    BadFolder,
    /// A fault of the program.
    Internal,
}

/// What went wrong, in words.
pub type Failure = (Fault, String);

/// A figure that was computed.
pub struct Finished {
    /// The figure.
    pub entry: &'static figures::Entry,
    /// What came of it.
    pub outcome: figures::Outcome,
}
