//! Values outside their range: one error for all of them, and the ranges that occur everywhere.

/// A value outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} is {}, it must be {range}", shown(*value))]
pub struct OutOfRange {
    /// Name of the quantity, as in a scene file where it stands in one.
    pub key: &'static str,
    /// The refused value.
    pub value: f64,
    /// What is allowed, as a phrase.
    pub range: String,
}

/// For checks whose errors are sentences.
impl From<OutOfRange> for String {
    fn from(error: OutOfRange) -> Self {
        error.to_string()
    }
}

/// A number without many zeros.
fn shown(value: f64) -> String {
    let is_plain = value == 0.0 || !value.is_finite() || (1e-4..1e16).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// An error unless `allowed`.
pub(crate) fn require(
    allowed: bool,
    key: &'static str,
    value: f64,
    range: impl Into<String>,
) -> Result<(), OutOfRange> {
    if allowed { Ok(()) } else { Err(OutOfRange { key, value, range: range.into() }) }
}

/// The value must be finite and positive.
pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), OutOfRange> {
    require(value.is_finite() && value > 0.0, key, value, "finite and positive")
}

/// The value must be finite and not negative.
pub(crate) fn not_negative(key: &'static str, value: f64) -> Result<(), OutOfRange> {
    require(value.is_finite() && value >= 0.0, key, value, "finite and not negative")
}

/// The value must be finite.
pub(crate) fn finite(key: &'static str, value: f64) -> Result<(), OutOfRange> {
    require(value.is_finite(), key, value, "finite")
}

/// The value must lie between 0 and 1: restitution, shares.
pub(crate) fn fraction(key: &'static str, value: f64) -> Result<(), OutOfRange> {
    require((0.0..=1.0).contains(&value), key, value, "between 0 and 1")
}
