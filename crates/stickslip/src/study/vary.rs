//! What is varied: `KEY=a:b:n`, `KEY=a:b`, `KEY=a,b,c`.

use super::StudyError;
use crate::scene::world::units;

/// Most values of one key.
const MOST_VALUES: usize = 10_000_000;

/// A key of a scene and the values that it takes, in the words of `--set`.
///
/// ```
/// use stickslip::study::Vary;
///
/// let vary = Vary::parse("parameters.clearance=0 mm:2 mm:5")?;
/// assert_eq!((vary.count(), vary.unit.as_str()), (Some(5), "mm"));
/// assert_eq!(vary.argument(1).as_deref(), Some("parameters.clearance=0.5 mm"));
/// assert_eq!(Vary::parse("parameters.mu=0:1")?.count(), None);
/// assert!(Vary::parse("parameters.mu=1:1:5").is_err());
/// # Ok::<(), stickslip::study::StudyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// Dotted key, as `--set` takes it.
    pub key: String,
    /// Unit of all values, as it was given; empty for plain numbers and words.
    pub unit: String,
    /// The values.
    pub values: Values,
}

/// Values of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `a,b,c`: numbers without their unit, or words.
    List(Vec<String>),
    /// `a:b:n`, both ends included; without a count `a:b`, where what is done with it finds the values.
    Range {
        /// The first value.
        from: f64,
        /// The last one; it may be less than the first.
        to: f64,
        /// How many, at least 1.
        count: Option<usize>,
    },
}

/// As they were given, without their unit.
impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Values::List(list) => f.write_str(&list.join(",")),
            Values::Range { from, to, count } => {
                write!(f, "{}:{}", super::number(*from), super::number(*to))?;
                count.map_or(Ok(()), |count| write!(f, ":{count}"))
            }
        }
    }
}

impl Vary {
    /// Reads `KEY=a:b:n`, `KEY=a:b` or `KEY=a,b,c`; a, b and c may have a unit, the same in all of them, and
    /// may be made of numbers and pi.
    pub fn parse(argument: &str) -> Result<Self, StudyError> {
        let wrong = |reason: &str| StudyError::wrong(format!("--vary {argument}: {reason}"));
        let shape = "it must be KEY=from:to:count, KEY=from:to or KEY=a,b,c, for example \
                     parameters.mu=0:0.5:51";
        let (key, values) = argument.split_once('=').ok_or_else(|| wrong(shape))?;
        let (key, values) = (key.trim().to_owned(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(wrong(shape));
        }
        if !values.contains(':') {
            return Self::list(key, values).map_err(|reason| wrong(&reason));
        }
        let parts: Vec<&str> = values.split(':').map(str::trim).collect();
        let (from, to, count) = match parts[..] {
            [from, to] => (from, to, None),
            [from, to, count] => {
                let most = format!("the count is {count:?}, it must be from 1 to {MOST_VALUES}");
                let count = count.parse::<usize>().ok();
                let count = count.filter(|n| (1..=MOST_VALUES).contains(n));
                (from, to, Some(count.ok_or_else(|| wrong(&most))?))
            }
            _ => return Err(wrong(shape)),
        };
        let [from, to] = [number(from), number(to)].map(|end| end.map_err(|reason| wrong(&reason)));
        let ((from, unit), (to, other)) = (from?, to?);
        if unit != other {
            let reason = format!("one end has the unit {unit:?} and the other {other:?}");
            return Err(wrong(&format!("{reason}; give both the same")));
        }
        if from == to && count != Some(1) {
            return Err(wrong(&format!("the range is empty, it begins and ends at {from}")));
        }
        Ok(Self { key, unit, values: Values::Range { from, to, count } })
    }

    fn list(key: String, values: &str) -> Result<Self, String> {
        let texts = entries(values);
        if texts.iter().any(String::is_empty) {
            return Err("a value of the list is empty".into());
        }
        if texts.len() > MOST_VALUES {
            return Err(format!("there are {} values, at most {MOST_VALUES}", texts.len()));
        }
        let numbers: Option<Vec<(f64, String)>> = texts.iter().map(|t| number(t).ok()).collect();
        let (unit, list) = match numbers {
            Some(numbers) if numbers.iter().all(|(_, unit)| *unit == numbers[0].1) => {
                let plain = numbers.iter().map(|(value, _)| super::number(*value));
                (numbers[0].1.clone(), plain.collect())
            }
            _ => (String::new(), texts),
        };
        Ok(Self { key, unit, values: Values::List(list) })
    }

    /// For the file that says what a study is.
    pub(super) fn description(&self) -> serde_json::Value {
        let Self { key, unit, values } = self;
        serde_json::json!({ "key": key, "unit": unit, "values": values.to_string() })
    }

    /// How many values there are; none of a range without a count.
    pub fn count(&self) -> Option<usize> {
        match &self.values {
            Values::List(list) => Some(list.len()),
            Values::Range { count, .. } => *count,
        }
    }

    /// The ends of a range; none of a list.
    pub fn ends(&self) -> Option<[f64; 2]> {
        match self.values {
            Values::Range { from, to, .. } => Some([from, to]),
            Values::List(_) => None,
        }
    }

    /// The value with this number, from 0, without its unit.
    pub fn value(&self, number: usize) -> Option<String> {
        match &self.values {
            Values::List(list) => list.get(number).cloned(),
            Values::Range { from, to, count } => {
                let last = (*count)?.checked_sub(1)?;
                (number <= last).then(|| {
                    super::number(match number {
                        0 => *from,
                        n if n == last => *to,
                        n => rounded(from, to, n as f64 / last as f64),
                    })
                })
            }
        }
    }

    /// The value at a share of the way, from 0 to 1, without its unit: what a sample takes.
    pub fn sampled(&self, share: f64) -> String {
        match &self.values {
            Values::List(list) => {
                let number = (share * list.len() as f64) as usize;
                list.get(number.min(list.len().saturating_sub(1))).cloned().unwrap_or_default()
            }
            Values::Range { from, to, .. } => super::number(rounded(from, to, share)),
        }
    }

    /// The argument of `--set` for a value without its unit.
    pub fn set(&self, value: &str) -> String {
        let Self { key, unit, .. } = self;
        format!("{key}={value} {unit}").trim_end().to_owned()
    }

    /// The argument of `--set` for the value with this number, from 0.
    pub fn argument(&self, number: usize) -> Option<String> {
        Some(self.set(&self.value(number)?))
    }
}

/// The value at a share of a range, with 15 digits: 0.8 and not 0.7999999999999999.
fn rounded(from: &f64, to: &f64, share: f64) -> f64 {
    let value = from * (1.0 - share) + to * share;
    if value.abs() < 1e-15 * from.abs().max(to.abs()) {
        return 0.0;
    }
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The entries of a list; commas in brackets do not part them.
fn entries(text: &str) -> Vec<String> {
    let (mut out, mut open, mut last) = (Vec::new(), 0_i32, String::new());
    for c in text.chars() {
        match c {
            '[' | '(' => open += 1,
            ']' | ')' => open -= 1,
            _ => {}
        }
        match (c, open) {
            (',', 0) => out.push(std::mem::take(&mut last)),
            _ => last.push(c),
        }
    }
    out.push(last);
    out.iter().map(|entry| entry.trim().trim_matches('"').to_owned()).collect()
}

/// A number with its unit, which may be empty; a number may be made of others and pi.
fn number(text: &str) -> Result<(f64, String), String> {
    let refuse = || format!("{text:?} is no number, and no number with a unit");
    let (value, unit) = match units::split(text) {
        Some((number, unit)) if unit.is_empty() || units::unit_value(unit).is_ok() => {
            (number, unit.to_owned())
        }
        _ => (super::quantity::plain_number(text).ok_or_else(refuse)?, String::new()),
    };
    if value.is_finite() { Ok((value, unit)) } else { Err(format!("{text} is not finite")) }
}
