//! Numbers as text for the page: little-endian bytes in base 64.

use serde::Serialize;

/// Largest value of a fraction in 16 bits.
const FULL: f64 = i16::MAX as f64;

/// A column of numbers: `offset` plus single-precision numbers.
#[derive(Serialize)]
pub struct Column {
    offset: f64,
    data: String,
}

impl Column {
    /// Encodes the values; an offset is used where they differ by little compared to their size,
    /// so that single precision suffices.
    pub fn new(values: impl Iterator<Item = f64> + Clone) -> Self {
        let finite = values.clone().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let close = high - low < 1e-2 * low.abs().max(high.abs());
        let offset = if close { low } else { 0.0 };
        Self { offset, data: singles(values.map(|value| value - offset)) }
    }
}

/// Numbers in double precision.
pub fn doubles(values: impl Iterator<Item = f64>) -> String {
    base64(values.flat_map(f64::to_le_bytes))
}

/// Numbers in single precision.
pub fn singles(values: impl Iterator<Item = f64>) -> String {
    base64(values.flat_map(|value| (value as f32).to_le_bytes()))
}

/// Numbers between −1 and 1 in 16 bits; what is no number is 0.
pub fn fractions(values: impl Iterator<Item = f64>) -> String {
    base64(values.flat_map(|value| ((FULL * value.clamp(-1.0, 1.0)).round() as i16).to_le_bytes()))
}

/// A number between −1 and 1 as the page gets it in [`fractions`].
pub fn rounded(value: f64) -> f64 {
    (FULL * value.clamp(-1.0, 1.0)).round() / FULL
}

/// Whole numbers in 32 bits; what is too large becomes the largest one.
pub fn integers(values: impl Iterator<Item = usize>) -> String {
    base64(values.flat_map(|value| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()))
}

/// Bytes in base 64 with padding (RFC 4648, sec. 4).
pub fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    let mut bytes = bytes.fuse();
    while let Some(first) = bytes.next() {
        let (second, third) = (bytes.next(), bytes.next());
        let bits = u32::from(first) << 16
            | u32::from(second.unwrap_or(0)) << 8
            | u32::from(third.unwrap_or(0));
        let digit = |shift: u32| char::from(DIGITS[(bits >> shift & 63) as usize]);
        out.push(digit(18));
        out.push(digit(12));
        out.push(if second.is_some() { digit(6) } else { '=' });
        out.push(if third.is_some() { digit(0) } else { '=' });
    }
    out
}
