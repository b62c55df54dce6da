//! How many sweeps are tried before something else is, by the number of components of a problem.

/// Sweeps before the rate of convergence is looked at, by the number of components: in a large pile
/// the residual falls by fits and starts, and so many sweeps cost less than a Newton step.
pub(super) fn trial_sweeps(dim: usize) -> usize {
    16 + dim / 4
}

/// Sweeps in all, at the mean rate up to then, above which the interior point is thought of: the more the larger
/// the problem is, for so does the interior point cost.
pub(super) fn few_sweeps(dim: usize) -> f64 {
    256.0_f64.max(dim as f64 / 8.0)
}

/// Sweeps that are worth doing before Newton, by the number of components: a Newton step costs as
/// much as many sweeps, and the more the larger the problem is.
pub(super) fn affordable_sweeps(dim: usize) -> usize {
    100 + 2 * dim
}
