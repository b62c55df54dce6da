//! As many points as can be seen.

/// Points of a curve, thinned out so that the picture stays the same: in each of `columns` columns
/// of the range the first and the last point and those with the least and the largest y. A break in
/// the curve (a point that is not finite) stays a break. Points that go back in x are kept.
pub fn thin(points: &[(f64, f64)], range: (f64, f64), columns: usize) -> Vec<(f64, f64)> {
    if points.len() <= 4 * columns {
        return points.to_vec();
    }
    let width = (range.1 - range.0) / columns.max(1) as f64;
    let column = |p: &(f64, f64)| {
        let finite = p.0.is_finite() && p.1.is_finite();
        finite.then(|| ((p.0 - range.0) / width).floor().clamp(-1.0, columns as f64) as i64)
    };
    let mut kept = Vec::new();
    let mut begin = 0;
    while begin < points.len() {
        let here = column(&points[begin]);
        let same = points[begin..].iter().take_while(|p| column(p) == here).count();
        let run = &points[begin..begin + same];
        match here {
            None => kept.push((f64::NAN, f64::NAN)),
            Some(_) => keep_extremes(run, &mut kept),
        }
        begin += same;
    }
    kept
}

fn keep_extremes(run: &[(f64, f64)], kept: &mut Vec<(f64, f64)>) {
    let by_y = |a: &&usize, b: &&usize| run[**a].1.total_cmp(&run[**b].1);
    let all: Vec<usize> = (0..run.len()).collect();
    let mut chosen = vec![0, run.len() - 1];
    chosen.extend(all.iter().min_by(by_y));
    chosen.extend(all.iter().max_by(by_y));
    chosen.sort_unstable();
    chosen.dedup();
    kept.extend(chosen.into_iter().map(|i| run[i]));
}
