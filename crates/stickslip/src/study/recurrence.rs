//! Whether a motion repeats itself.

/// Part of the range of a coordinate within which a motion has come back.
const RETURN_PART: f64 = 0.02;
/// Part of it that it must have gone away before.
const AWAY_PART: f64 = 0.2;

/// Last points of which it is asked when they come back: one of them may be at an impact, on one side or the other.
const ASKED: usize = 5;

/// The time after which a motion comes back, s; none if it does not within the second half of the points.
///
/// It is the middle one of the times of its last points.
pub(super) fn period_of(t: &[f64], points: &[Vec<f64>]) -> Option<f64> {
    let ends = (0..ASKED).filter_map(|k| points.len().checked_sub(k));
    let mut times: Vec<f64> =
        ends.filter_map(|end| return_of(t.get(..end)?, points.get(..end)?)).collect();
    times.sort_by(f64::total_cmp);
    (times.len() > ASKED / 2).then(|| times[times.len() / 2])
}

/// The time after which the last point comes back, s.
///
/// Distances are measured in each coordinate over its range; coordinates that only grow or only fall, such as
/// angles that turn round and round, are left out.
fn return_of(t: &[f64], points: &[Vec<f64>]) -> Option<f64> {
    let first = points.len() / 2;
    let half = points.get(first..)?;
    let last = half.last()?;
    let mut used: Vec<(usize, f64)> = Vec::new();
    for k in 0..last.len() {
        let values = || half.iter().map(|point| point[k]);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let rises = half.windows(2).any(|pair| pair[1][k] > pair[0][k]);
        let falls = half.windows(2).any(|pair| pair[1][k] < pair[0][k]);
        let range = high - low;
        if rises && falls && range.is_finite() && range > 1e-12 * high.abs().max(low.abs()) {
            used.push((k, range));
        }
    }
    if used.is_empty() {
        return None;
    }
    let apart =
        |point: &[f64]| scaled(&used, point, last).iter().fold(0.0, |m: f64, d| m.max(d.abs()));
    let mut has_left = false;
    let mut best: Option<(f64, f64)> = None;
    for k in (0..half.len() - 1).rev() {
        let distance = apart(&half[k]);
        // The line that leaves the last point does not come back to it.
        if !has_left {
            has_left = distance > AWAY_PART;
            continue;
        }
        // The nearest point of the line from this row to the next.
        let (a, b) = (scaled(&used, &half[k], last), scaled(&used, &half[k + 1], last));
        let along: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        let length: f64 = along.iter().map(|d| d * d).sum();
        let towards: f64 = a.iter().zip(&along).map(|(a, d)| -a * d).sum();
        let share = if length > 0.0 { (towards / length).clamp(0.0, 1.0) } else { 0.0 };
        let near = a.iter().zip(&along).fold(0.0, |m: f64, (a, d)| m.max((a + share * d).abs()));
        let [t0, t1] = [t[first + k], t[first + k + 1]];
        let time = t0 + share * (t1 - t0);
        if near < RETURN_PART && best.is_none_or(|(least, _)| near < least) {
            best = Some((near, time));
        } else if best.is_some() && distance > AWAY_PART {
            break;
        }
    }
    let (_, time) = best?;
    Some(t.last()? - time)
}

/// A point seen from another, in parts of the ranges.
fn scaled(used: &[(usize, f64)], point: &[f64], from: &[f64]) -> Vec<f64> {
    used.iter().map(|(k, range)| (point[*k] - from[*k]) / range).collect()
}

/// By how much a sequence must come nearer to repeating itself from third to third if it is settling.
const NEARER: f64 = 0.7;
/// Changes that it takes to tell this from chance.
const CHANGES_NEEDED: usize = 24;

/// After how many points a sequence repeats itself, at most half of them; none if it does not.
///
/// It does if each coordinate changes by at most `tolerance` of its largest magnitude, or if the change falls from third to
/// third: then it is settling, and a period that seems to be longer is that of the way there.
pub(super) fn period_of_sequence(points: &[Vec<f64>], tolerance: f64) -> Option<usize> {
    let width = points.first()?.len();
    let largest = |k: usize| points.iter().fold(0.0_f64, |most, point| most.max(point[k].abs()));
    let scales: Vec<f64> = (0..width).map(largest).collect();
    // Below this part of the largest, a coordinate that ought to be zero is rounding.
    let least = 1e-9 * scales.iter().fold(0.0_f64, |most, scale| most.max(*scale));
    let apart = |a: &[f64], b: &[f64]| {
        let all = a.iter().zip(b).zip(&scales);
        all.map(|((a, b), scale)| (a - b).abs() / scale.max(least)).fold(0.0, f64::max)
    };
    (1..=points.len() / 2).find(|period| {
        let changes: Vec<f64> =
            points.iter().zip(&points[*period..]).map(|(a, b)| apart(a, b)).collect();
        let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
        let mut thirds = changes.chunks(changes.len().div_ceil(3).max(1)).map(most);
        let first = thirds.next().unwrap_or(f64::INFINITY);
        let mut last = first;
        let comes_nearer = thirds.all(|next| next <= NEARER * std::mem::replace(&mut last, next));
        let is_enough = changes.len() >= CHANGES_NEEDED;
        let is_settling = is_enough && last < first && comes_nearer;
        most(&changes) <= tolerance || is_settling
    })
}
