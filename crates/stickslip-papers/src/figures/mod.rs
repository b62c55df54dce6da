//! The figures of the papers: one file per paper, and the runs behind them.

mod entry;
mod flores_2010;
mod friction_ball;
mod le_saux_2005;
mod leine_2003;
mod leine_2003_top;
mod moeller_2009;
mod runs;
pub mod verdict;
mod xiong_2013;
mod xiong_2013_examples;

pub use entry::{Entry, Outcome, entries};
pub use runs::{Context, Runs};
pub use verdict::Verdict;
