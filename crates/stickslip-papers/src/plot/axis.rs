//! The range of an axis and the numbers at it.

use super::{Axis, Scale};

/// Numbers beyond this are not shown: their differences would overflow.
const LARGEST: f64 = 1e150;
/// A range is at least this part of the numbers in it, so that its ticks can be told apart.
const NARROWEST: f64 = 1e-9;

/// A number at an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, in transformed numbers (see [`Shown::transform`]).
    pub at: f64,
    /// What is written; nothing at lines of the grid between the numbers.
    pub label: String,
}

/// An axis with all decided.
#[derive(Clone, Debug)]
pub struct Shown {
    scale: Scale,
    /// Transformed numbers at the ends.
    pub range: (f64, f64),
    /// The numbers.
    pub ticks: Vec<Tick>,
    /// The factor that all numbers have in common, e.g. ×10⁻³.
    pub factor: String,
}

impl Shown {
    /// Decides the range from the data unless it is given.
    pub fn new(axis: &Axis, data: impl Iterator<Item = f64>) -> Self {
        let scale = axis.scale;
        let usable = |v: &f64| transform(scale, *v).is_finite();
        let seen = data.filter(usable).map(|v| transform(scale, v));
        let given = axis.range.map(|(a, b)| (transform(scale, a), transform(scale, b)));
        let range = match given {
            Some((a, b)) if a.is_finite() && b.is_finite() => widened(a.min(b), a.max(b), 0.0),
            _ => {
                let (low, high) =
                    seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
                if low <= high { widened(low, high, 0.04) } else { (0.0, 1.0) }
            }
        };
        let mut shown = Self { scale, range, ticks: Vec::new(), factor: String::new() };
        shown.set_ticks(axis, 6);
        shown
    }

    /// A number as a length: itself or its logarithm to the base 10; NaN if it cannot be shown.
    pub fn transform(&self, value: f64) -> f64 {
        transform(self.scale, value)
    }

    /// Chooses the numbers, about `count` of them.
    pub fn set_ticks(&mut self, axis: &Axis, count: usize) {
        self.factor.clear();
        self.ticks = if !axis.names.is_empty() {
            let named = axis.names.iter().map(|(v, name)| (self.transform(*v), name.clone()));
            named.map(|(at, label)| Tick { at, label }).collect()
        } else if self.scale == Scale::Log {
            log_ticks(self.range, count)
        } else {
            let (ticks, factor) = linear_ticks(self.range, count);
            self.factor = factor;
            ticks
        };
        let (low, high) = self.range;
        let slack = 1e-9 * (high - low);
        self.ticks.retain(|tick| tick.at >= low - slack && tick.at <= high + slack);
    }
}

fn transform(scale: Scale, value: f64) -> f64 {
    let value = if value.abs() > LARGEST { f64::NAN } else { value };
    match scale {
        Scale::Linear => value,
        Scale::Log if value > 0.0 => value.log10(),
        Scale::Log => f64::NAN,
    }
}

/// The range with a margin, and never empty.
fn widened(low: f64, high: f64, margin: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    let length = high - low;
    if length > NARROWEST * size {
        return (low - margin * length, high + margin * length);
    }
    let half = if size > 0.0 { 0.05 * size } else { 1.0 };
    (low - half, high + half)
}

fn linear_ticks((low, high): (f64, f64), count: usize) -> (Vec<Tick>, String) {
    let step = nice_step((high - low) / count.max(1) as f64);
    let size = low.abs().max(high.abs());
    // Numbers like 0.0002 or 30000 are written with a common factor.
    let exponent = size.log10().floor();
    let exponent = if (-3.0..5.0).contains(&exponent) { 0 } else { exponent as i32 };
    let unit = 10f64.powi(exponent);
    let digits = (-(step / unit).log10().floor() + 1e-9).clamp(0.0, 12.0) as usize;
    // A step such as 2.5 has one digit more than its magnitude tells.
    let exact = |digits: usize| {
        let scaled = step / unit * 10f64.powi(digits as i32);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    let digits = if exact(digits) { digits } else { digits + 1 };
    let first = (low / step).ceil();
    let ticks = (0..=(4 * count))
        .map(|k| (first + k as f64) * step)
        .take_while(|v| *v <= high + 1e-9 * (high - low))
        .map(|at| {
            let value = if at.abs() < 1e-9 * step { 0.0 } else { at / unit };
            Tick { at, label: minus(format!("{value:.digits$}")) }
        })
        .collect();
    let factor = if exponent == 0 { String::new() } else { format!("×{}", power(exponent)) };
    (ticks, factor)
}

/// 1, 2, 2.5 or 5 times a power of ten, about `rough` or the next larger one.
fn nice_step(rough: f64) -> f64 {
    let magnitude = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    let nice = steps.into_iter().find(|s| s * magnitude >= 0.85 * rough).unwrap_or(10.0);
    // Exact powers are better than products with a rounded one.
    let exponent = magnitude.log10().round() as i32;
    if exponent < 0 { nice / 10f64.powi(-exponent) } else { nice * 10f64.powi(exponent) }
}

fn log_ticks((low, high): (f64, f64), count: usize) -> Vec<Tick> {
    if high - low < 1.0 {
        // Less than a decade: ordinary numbers.
        let (ticks, factor) = linear_ticks((10f64.powf(low), 10f64.powf(high)), count);
        let positive = ticks.into_iter().filter(|tick| tick.at > 0.0);
        return positive
            .map(|tick| Tick { at: tick.at.log10(), label: format!("{}{factor}", tick.label) })
            .collect();
    }
    let (first, last) = (low.ceil() as i32, high.floor() as i32);
    let every = ((f64::from(last - first + 1)) / count.max(1) as f64).ceil().max(1.0) as i32;
    let mut ticks: Vec<Tick> = (first..=last)
        .map(|n| {
            let label = if n.rem_euclid(every) == 0 { power(n) } else { String::new() };
            Tick { at: f64::from(n), label }
        })
        .collect();
    if high - low < 2.5 {
        let between = (first - 1..=last).flat_map(|n| [2.0, 5.0].map(|m: f64| (n, m)));
        ticks.extend(between.map(|(n, m)| {
            let label = if (-3..4).contains(&n) {
                format!("{}", (m * 10f64.powi(n) * 1e6).round() / 1e6)
            } else {
                format!("{m}·{}", power(n))
            };
            Tick { at: f64::from(n) + m.log10(), label }
        }));
    }
    ticks
}

/// A power of ten with a small raised exponent.
pub fn power(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits.chars().map(|c| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize % 10],
        None => '⁻',
    });
    format!("10{}", raised.collect::<String>())
}

fn minus(number: String) -> String {
    match number.strip_prefix('-') {
        // A rounded zero has no sign.
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => number,
    }
}
