//! Fit of a finite-time singularity to a time series (Le Saux 2005, eq. 6.1).

/// The fitted law |α̇| = factor · (t_f − t)^(−1/n).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Exponent n.
    pub exponent: f64,
    /// Time t_f of the singularity, s.
    pub end_time: f64,
    /// Factor.
    pub factor: f64,
    /// Root mean square of the deviation of ln|α̇|.
    pub deviation: f64,
}

/// Fits (6.1) with a known end time by least squares in ln|α̇| over ln(t_f − t).
///
/// Samples that are not before the end, zero or not finite are left out. `None` if fewer than two
/// different times remain, or if the rate does not grow towards the end.
pub fn fit_until(times: &[f64], rates: &[f64], end_time: f64) -> Option<PowerLaw> {
    let (mut n, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    for (x, y) in logarithms(times, rates, end_time) {
        n += 1.0;
        sum_x += x;
        sum_y += y;
    }
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in logarithms(times, rates, end_time) {
        xx += (x - mean_x).powi(2);
        xy += (x - mean_x) * (y - mean_y);
        yy += (y - mean_y).powi(2);
    }
    let slope = xy / xx;
    if !slope.is_finite() || slope >= 0.0 {
        return None;
    }
    Some(PowerLaw {
        exponent: -1.0 / slope,
        end_time,
        factor: (mean_y - slope * mean_x).exp(),
        deviation: ((yy - slope * xy).max(0.0) / n).sqrt(),
    })
}

/// The points (ln(t_f − t), ln|α̇|) of the usable samples.
fn logarithms<'a>(
    times: &'a [f64],
    rates: &'a [f64],
    end_time: f64,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    times
        .iter()
        .zip(rates)
        .map(move |(t, rate)| ((end_time - t).ln(), rate.abs().ln()))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
}

/// Distances of the end time from the last sample that are tried first.
const TRIALS: usize = 120;

/// Fits (6.1) with an unknown end time after the last sample: the one of the least deviation.
///
/// `None` if no end time between 1e-6 and 100 times the length of the series gives a growing rate.
pub fn fit(times: &[f64], rates: &[f64]) -> Option<PowerLaw> {
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = last - first;
    if !(span > 0.0 && span.is_finite()) {
        return None;
    }
    // The deviation over the logarithm of the distance: search, then golden section.
    let at = |x: f64| fit_until(times, rates, last + span * x.exp());
    let deviation = |x: f64| at(x).map_or(f64::INFINITY, |law| law.deviation);
    let (low, high) = (1e-6_f64.ln(), 100.0_f64.ln());
    let step = (high - low) / (TRIALS - 1) as f64;
    let trial = |k: usize| low + step * k as f64;
    let best = (0..TRIALS).min_by(|i, j| deviation(trial(*i)).total_cmp(&deviation(trial(*j))))?;
    let (mut a, mut b) = (trial(best) - step, trial(best) + step);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        if deviation(c) <= deviation(d) {
            b = d;
        } else {
            a = c;
        }
    }
    at(0.5 * (a + b))
}
