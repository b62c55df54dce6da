//! Dense linear algebra of small matrices, row-major: one place for factorisations and solves.
//!
//! | matrix | |
//! |---|---|
//! | regular | [`Lu`], partial pivoting, many right-hand sides; [`solve_in_place`], one right-hand side |
//! | of any rank | [`RankLu`], complete pivoting: rank, a particular solution, the null space |
//! | symmetric, positive definite | [`cholesky`] with [`cholesky_solve`] |
//! | symmetric, positive semidefinite | [`semidefinite_factor`] |
//! | with a positive definite symmetric part | [`definite_lu`] with [`definite_lu_solve`], no pivoting |
//!
//! Sizes are those of a body, a contact or the constraints of a mechanism. Memory belongs to the
//! caller or is kept between uses.

mod lu;
mod positive;

pub(crate) use lu::{Lu, RankLu, solve_in_place};
pub(crate) use positive::{
    cholesky, cholesky_solve, definite_lu, definite_lu_solve, semidefinite_factor,
    semidefinite_solve,
};
