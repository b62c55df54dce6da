//! Checking of parameters.

use crate::ode::ConstantError;

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} is {value}, it must be {range}")]
pub struct ParameterError {
    /// Name of the parameter as in a scene file.
    pub key: &'static str,
    /// The refused value.
    pub value: f64,
    /// What is allowed, as a phrase.
    pub range: String,
}

impl From<ConstantError> for ParameterError {
    fn from(error: ConstantError) -> Self {
        Self { key: error.key, value: error.value, range: error.range.into() }
    }
}

/// An error unless `allowed`.
pub(crate) fn require(
    allowed: bool,
    key: &'static str,
    value: f64,
    range: impl Into<String>,
) -> Result<(), ParameterError> {
    if allowed { Ok(()) } else { Err(ParameterError { key, value, range: range.into() }) }
}

/// The value must be finite and positive.
pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite() && value > 0.0, key, value, "finite and positive")
}

/// The value must be finite and not negative.
pub(crate) fn not_negative(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite() && value >= 0.0, key, value, "finite and not negative")
}

/// The value must be finite.
pub(crate) fn finite(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite(), key, value, "finite")
}

/// A coefficient of restitution lies between 0 and 1.
pub(crate) fn restitution(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require((0.0..=1.0).contains(&value), key, value, "between 0 and 1")
}
