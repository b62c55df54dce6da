//! Numbers in messages, as people write them: 0.04, 2.825, 1.2e-7.

/// A number with so many significant digits and no zeros behind them, with an exponent only where there would be
/// many zeros.
pub fn digits(value: f64, count: usize) -> String {
    let last = count.max(1) - 1;
    // The exponent after rounding: 9.9996 with four digits is 10.
    let scientific = format!("{value:.last$e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific; // inf and NaN
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 {
        "0".into()
    } else if (-3..6).contains(&exponent) {
        let places = usize::try_from(last as i32 - exponent).unwrap_or(0);
        trimmed(&format!("{value:.places$}")).into()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

/// Without zeros at the end of a fraction.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_as_people_write_them() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (0.5, "0.5"),
            (0.04, "0.04"),
            (2.825_077, "2.825"),
            (9.999_96, "10"),
            (-180.0, "-180"),
            (2_951.928, "2952"),
            (123_456.0, "123456"),
            (1.234_56e6, "1.235e6"),
            (1e-3, "0.001"),
            (8.19e-15, "8.19e-15"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(digits(value, 4), text);
        }
        assert_eq!(digits(2.825_077_3, 7), "2.825077");
        assert_eq!(digits(1.26, 1), "1");
    }
}
