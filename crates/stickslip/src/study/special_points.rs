//! Where the kind of the orbits of a branch changes.

use super::StudyError;
use super::continuation::{FOLD, GRAZING, OnBranch, PERIOD_DOUBLING, SLIDING, SpecialPoint};
use super::family::Family;
use super::happening::impacts;

/// Rounds of root finding, and the way along the branch that is precise enough.
const ROUNDS: usize = 60;
const WAY_GOAL: f64 = 1e-10;
/// Gap over the size of an orbit, below which a branch that ends is taken to end because the gap closes: a hundred times the
/// error of the steps between whose samples it is found.
const TOUCHES: f64 = 1e-6;
/// How far from 1 a multiplier is that belongs to a direction in which nothing changes, and how near to the unit
/// circle one must be that passes it.
const NEUTRAL: f64 = 1e-3;
const PASSES: f64 = 1e-4;

/// Functions that pass zero at a bifurcation: of period doubling, of Neimark and Sacker, of folds; and how many multipliers
/// the first two are made of.
fn tests(point: &OnBranch) -> ([f64; 3], usize) {
    let autonomous = usize::from(point.found.place.multiple == 0);
    let mut neutral = 2 * point.found.neutral + autonomous;
    let mut own: Vec<[f64; 2]> = Vec::new();
    for [re, im] in point.found.multipliers() {
        if neutral > 0 && (re - 1.0).hypot(im) < NEUTRAL {
            neutral -= 1;
        } else {
            own.push([re, im]);
        }
    }
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    let doubling = own.iter().fold([1.0, 0.0], |product, m| times(product, [m[0] + 1.0, m[1]]));
    let mut pairs = [1.0, 0.0];
    for (k, a) in own.iter().enumerate() {
        for b in &own[k + 1..] {
            let product = times(*a, *b);
            pairs = times(pairs, [product[0] - 1.0, product[1]]);
        }
    }
    ([doubling[0], pairs[0], point.tangent.last().copied().unwrap_or(0.0)], own.len())
}

/// Whether multipliers pass the unit circle where a test is zero.
fn is_real(kind: usize, point: &OnBranch) -> bool {
    let multipliers = point.found.multipliers();
    match kind {
        0 => multipliers.iter().any(|[re, im]| (re + 1.0).hypot(*im) < PASSES),
        1 => multipliers
            .iter()
            .any(|[re, im]| (re.hypot(*im) - 1.0).abs() < PASSES && im.abs() > PASSES),
        _ => true,
    }
}

/// The smallest of what falls to zero where an orbit begins to graze: gaps that nearly close, or, squared, the
/// velocities of impacts.
fn clearance(point: &OnBranch, of_impacts: bool) -> Option<f64> {
    let found = &point.found;
    let gaps = found.near_misses.iter().map(|miss| miss.gap);
    let speeds = found.impacts.iter().map(|(_, _, speed)| speed * speed);
    let least = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::min);
    if of_impacts { least(&mut { speeds }) } else { least(&mut { gaps }) }
}

impl Family {
    /// Bifurcations between two orbits with the same modes and impacts, a distance apart along the branch.
    pub(super) fn passed(
        &self,
        from: &OnBranch,
        to: &OnBranch,
        distance: f64,
    ) -> Result<Vec<(SpecialPoint, OnBranch)>, StudyError> {
        let ((first, count), (last, count_there)) = (tests(from), tests(to));
        let mut found = Vec::new();
        for (index, kind) in [PERIOD_DOUBLING, "neimark-sacker", FOLD].into_iter().enumerate() {
            // Where one more multiplier counts as 1 the signs of products say nothing.
            if first[index] * last[index] >= 0.0 || (count != count_there && kind != FOLD) {
                continue;
            }
            let (mut low, mut high) = ((0.0, first[index]), (distance, last[index]));
            let (mut side, mut nearest) = (0, None);
            for _ in 0..ROUNDS {
                if high.0 - low.0 < WAY_GOAL * distance {
                    break;
                }
                // The Illinois rule.
                let x =
                    low.0 + (low.1 / (low.1 - high.1)).clamp(1e-3, 1.0 - 1e-3) * (high.0 - low.0);
                let Some(point) = self.at_distance(from, x)? else { break };
                let value = tests(&point).0[index];
                let precise = value.abs() < 1e-13 * first[index].abs().max(last[index].abs());
                nearest = Some(point);
                if precise {
                    break;
                }
                if value * low.1 > 0.0 {
                    low = (x, value);
                    high.1 *= if side == 1 { 0.5 } else { 1.0 };
                    side = 1;
                } else {
                    high = (x, value);
                    low.1 *= if side == -1 { 0.5 } else { 1.0 };
                    side = -1;
                }
            }
            if let Some(point) = nearest.filter(|point| is_real(index, point)) {
                let special = SpecialPoint { kind, value: point.found.place.value };
                found.push((low.0, (special, point)));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, bifurcation)| bifurcation).collect())
    }

    /// Where the modes or impacts of an orbit change within a distance, and the last orbit before that; beyond may be
    /// none.
    pub(super) fn changed(
        &self,
        from: &OnBranch,
        to: Option<&OnBranch>,
        distance: f64,
    ) -> Result<(Option<SpecialPoint>, OnBranch), StudyError> {
        let more = |to: &OnBranch| impacts(&to.sequence) < impacts(&from.sequence);
        let of_impacts = to.is_some_and(more);
        let first = clearance(from, of_impacts);
        let (mut low, mut high) = (0.0, distance);
        let (mut last, mut before) = (from.clone(), None);
        for round in 0..ROUNDS {
            if high - low < WAY_GOAL {
                break;
            }
            let now = clearance(&last, of_impacts).map(|value| (low, value));
            let root = match (before, now) {
                (Some((x0, v0)), Some((x1, v1))) if v1 < v0 && round % 3 != 2 => {
                    let root: f64 = x1 + v1 * (x1 - x0) / (v0 - v1);
                    Some(root).filter(|root| *root > low && *root < high)
                }
                _ => None,
            };
            let x = root.unwrap_or(0.5 * (low + high));
            match self.at_distance(from, x)?.filter(|point| point.sequence == from.sequence) {
                Some(point) => {
                    before = now;
                    (low, last) = (x, point);
                }
                None => high = x,
            }
        }
        let left = clearance(&last, of_impacts).zip(first).map(|(left, first)| left / first);
        // Where the branch came near to its end in the step before, there is nothing left to compare with but the orbit itself.
        let touches =
            clearance(&last, of_impacts).is_some_and(|left| left < TOUCHES * last.found.size);
        let kind = match to {
            Some(to) if impacts(&to.sequence) != impacts(&from.sequence) => GRAZING,
            Some(to) if to.sequence != from.sequence => SLIDING,
            None if touches || left.is_some_and(|left| left < 1e-3) => GRAZING,
            // The tangent turned, or Newton's method failed: nothing that has a name.
            _ => return Ok((None, last)),
        };
        Ok((Some(SpecialPoint { kind, value: last.found.place.value }), last))
    }
}
