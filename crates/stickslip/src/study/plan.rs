//! The points of a study: a grid, or a sample.

use super::{StudyError, Vary};
use crate::scene::SceneFile;

/// Most points of a study.
const MOST_POINTS: usize = 100_000_000;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// Every value of each key with every value of the others.
    Grid,
    /// So many points of the sequence of Sobol (Joe and Kuo 2008), which fills a box evenly.
    Sobol(usize),
    /// So many points at random, the same ones each time.
    Random(usize),
}

impl Design {
    /// Reads `sobol:N` or `random:N`.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let wrong = || {
            StudyError::wrong(format!(
                "--sample {text}: it must be sobol:N or random:N with N from 1 to {MOST_POINTS}"
            ))
        };
        let (kind, count) = text.trim().split_once(':').ok_or_else(wrong)?;
        let count: usize = count.trim().parse().map_err(|_| wrong())?;
        match kind.trim() {
            _ if !(1..=MOST_POINTS).contains(&count) => Err(wrong()),
            "sobol" => Ok(Design::Sobol(count)),
            "random" => Ok(Design::Random(count)),
            _ => Err(wrong()),
        }
    }
}

impl std::fmt::Display for Design {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Design::Grid => f.write_str("grid"),
            Design::Sobol(count) => write!(f, "sobol:{count}"),
            Design::Random(count) => write!(f, "random:{count}"),
        }
    }
}

/// The points of a study.
///
/// ```
/// use stickslip::study::{Design, Plan, Vary};
///
/// let plan = Plan::new(vec![Vary::parse("a.x=1,2")?, Vary::parse("a.y=0:1:3")?], Design::Grid)?;
/// assert_eq!(plan.count(), 6);
/// // The last key changes fastest.
/// assert_eq!(plan.arguments(4), ["a.x=2", "a.y=0.5"]);
/// # Ok::<(), stickslip::study::StudyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    varies: Vec<Vary>,
    design: Design,
    count: usize,
}

impl Plan {
    /// The points of these keys.
    pub fn new(varies: Vec<Vary>, design: Design) -> Result<Self, StudyError> {
        if varies.is_empty() {
            return Err(StudyError::wrong("nothing is varied; give --vary KEY=from:to:count"));
        }
        for (number, vary) in varies.iter().enumerate() {
            if varies[..number].iter().any(|other| other.key == vary.key) {
                let message = format!("--vary {}: this key is varied twice", vary.key);
                return Err(StudyError::Wrong(message));
            }
        }
        let count = match design {
            Design::Sobol(_) if varies.len() > DIRECTIONS.len() + 1 => {
                return Err(StudyError::wrong(format!(
                    "--sample sobol: there are {} keys, at most {} are possible; take random:N",
                    varies.len(),
                    DIRECTIONS.len() + 1
                )));
            }
            Design::Sobol(count) | Design::Random(count) => count,
            Design::Grid => {
                let mut all = 1_usize;
                for vary in &varies {
                    let count = vary.count().ok_or_else(|| {
                        StudyError::wrong(format!(
                            "--vary {}: how many values? write {0}=from:to:count, or take --sample",
                            vary.key
                        ))
                    })?;
                    all = all.saturating_mul(count);
                }
                all
            }
        };
        if count > MOST_POINTS {
            let message =
                format!("the study has {count} points, at most {MOST_POINTS} are allowed");
            return Err(StudyError::Wrong(message));
        }
        Ok(Self { varies, design, count })
    }

    /// What is varied.
    pub fn varies(&self) -> &[Vary] {
        &self.varies
    }

    /// How the points are chosen.
    pub fn design(&self) -> Design {
        self.design
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The values of a point without their units; of a grid the last key changes fastest.
    pub fn values(&self, point: usize) -> Vec<String> {
        let sampled = |share: &dyn Fn(usize) -> f64| {
            let keys = self.varies.iter().enumerate();
            keys.map(|(key, vary)| vary.sampled(share(key))).collect()
        };
        match self.design {
            Design::Sobol(_) => sampled(&|key| sobol(point as u64, key)),
            Design::Random(_) => {
                let keys = self.varies.len();
                sampled(&|key| random((point * keys + key) as u64))
            }
            Design::Grid => {
                let mut rest = point;
                let mut values: Vec<String> = Vec::with_capacity(self.varies.len());
                for vary in self.varies.iter().rev() {
                    let count = vary.count().unwrap_or(1).max(1);
                    values.push(vary.value(rest % count).unwrap_or_default());
                    rest /= count;
                }
                values.reverse();
                values
            }
        }
    }

    /// The arguments of `--set` of a point.
    pub fn arguments(&self, point: usize) -> Vec<String> {
        let values = self.values(point);
        self.varies.iter().zip(&values).map(|(vary, value)| vary.set(value)).collect()
    }
}

/// That every key is one of the scene: there, or taken at one of three points.
pub(super) fn check_keys(
    file: &SceneFile,
    overrides: &[String],
    plan: &Plan,
    effective: &toml::Table,
) -> Result<(), StudyError> {
    let is_there = |key: &str| {
        let mut parts = key.split('.');
        let first = parts.next().and_then(|part| effective.get(part));
        parts.fold(first, |inside, part| {
            let inside = inside?;
            let named = |list: &'_ Vec<toml::Value>| {
                let name =
                    |v: &toml::Value| v.get("name").and_then(toml::Value::as_str) == Some(part);
                list.iter().position(name).or_else(|| part.parse().ok())
            };
            match inside {
                toml::Value::Array(list) => list.get(named(list)?),
                other => other.get(part),
            }
        })
    };
    if plan.varies().iter().all(|vary| is_there(&vary.key).is_some()) {
        return Ok(());
    }
    let last = plan.count().saturating_sub(1);
    let mut refused = None;
    for point in [0, last / 2, last] {
        let own = plan.arguments(point);
        let all: Vec<String> = overrides.iter().cloned().chain(own).collect();
        match file.scene(&all) {
            Ok(_) => return Ok(()),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    refused.map_or(Ok(()), |error| Err(StudyError::Scene(error)))
}

/// Of the dimensions behind the first: degree and coefficients of a primitive polynomial, and the first direction
/// numbers (Joe and Kuo 2008, doi:10.1137/070709359).
const DIRECTIONS: [(usize, u32, &[u32]); 9] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
];

/// Bits of a coordinate.
const BITS: usize = 32;

/// A coordinate of a point of the sequence of Sobol, from 0 to below 1.
fn sobol(point: u64, dimension: usize) -> f64 {
    let mut directions = [0_u32; BITS];
    match dimension.checked_sub(1).and_then(|row| DIRECTIONS.get(row)) {
        None => (0..BITS).for_each(|k| directions[k] = 1 << (BITS - 1 - k)),
        Some((degree, coefficients, first)) => {
            for k in 0..BITS {
                directions[k] = match first.get(k) {
                    Some(number) => number << (BITS - 1 - k),
                    None => {
                        let before = directions[k - degree];
                        let inner =
                            (1..*degree).filter(|j| coefficients >> (degree - 1 - j) & 1 == 1);
                        inner.fold(before ^ (before >> degree), |sum, j| sum ^ directions[k - j])
                    }
                };
            }
        }
    }
    let bits = directions.iter().enumerate().filter(|(k, _)| point >> k & 1 == 1);
    let sum = bits.fold(0, |sum, (_, direction)| sum ^ direction);
    f64::from(sum) / 2_f64.powi(BITS as i32)
}

/// A number from 0 to below 1 that depends on its place alone: SplitMix64 (Steele, Lea and Flood 2014).
fn random(place: u64) -> f64 {
    let mut z = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / 2_f64.powi(53)
}
