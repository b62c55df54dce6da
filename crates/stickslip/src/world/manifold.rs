//! Reduces the points where two shapes touch to at most four (two in the plane) that span the same area.

use super::border::Witness;
use super::touch::Touch;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{cross, dot, norm, sub};

/// Points nearer than this, over the size of the smaller shape, are one.
const SAME: f64 = 1e-6;

/// Chooses at most `most` (2 or 4) of the witnesses so that they span the area of all of them, and
/// appends them with numbers made of their features.
pub(super) fn reduce(witnesses: &mut Vec<Witness>, size: f64, most: usize, out: &mut Vec<Touch>) {
    drop_unknown(witnesses, size);
    let Some(deepest) = best(witnesses, |w| -w.gap) else { return };
    let mut chosen = [deepest; 4];
    let mut count = 1;
    let mut choose = |measure: &dyn Fn(&Witness, &[usize]) -> f64, least: f64| {
        if count < most
            && let Some(next) = best(witnesses, |w| measure(w, &chosen[..count]))
            && measure(&witnesses[next], &chosen[..count]) > least
        {
            chosen[count] = next;
            count += 1;
        }
    };
    let at = |k: usize| witnesses[k].point_a;
    choose(&|w, c| norm(&sub(&w.point_a, &at(c[0]))), SAME * size);
    let area = |w: &Witness, a: Vector3, b: Vector3| {
        dot(&cross(&sub(&b, &a), &sub(&w.point_a, &a)), &w.normal)
    };
    let least = SAME * size * size;
    choose(&|w, c| if c.len() < 2 { 0.0 } else { area(w, at(c[0]), at(c[1])).abs() }, least);
    // The fourth: whatever lies farthest beyond an edge of the triangle.
    choose(
        &|w, c| {
            if c.len() < 3 {
                return 0.0;
            }
            let [p, q, r] = [at(c[0]), at(c[1]), at(c[2])];
            let sense = area(&witnesses[c[2]], p, q).signum();
            let beyond = [(p, q), (q, r), (r, p)].map(|(a, b)| -sense * area(w, a, b));
            beyond[0].max(beyond[1]).max(beyond[2])
        },
        least,
    );
    let first = out.len();
    for &index in &chosen[..count] {
        let w = &witnesses[index];
        let mut number = hash(w.feature);
        while out[first..].iter().any(|t| t.number == number) {
            number = number.wrapping_add(1);
        }
        let mut touch = Touch::new(number, w.gap, w.point_a, w.normal);
        touch.point_b = w.point_b;
        out.push(touch);
    }
    // The order of the features, not of the depths: it changes less from step to step.
    out[first..].sort_unstable_by_key(|t| t.number);
}

/// A point whose features are unknown is the deepest one; it is of use only where the others do
/// not reach as deep.
fn drop_unknown(witnesses: &mut Vec<Witness>, size: f64) {
    let known = |w: &Witness| w.feature != 0;
    let deepest = witnesses.iter().filter(|w| known(w)).fold(f64::INFINITY, |m, w| m.min(w.gap));
    if deepest < f64::INFINITY {
        witnesses.retain(|w| known(w) || w.gap < deepest - SAME * size);
    }
}

fn best(witnesses: &[Witness], measure: impl Fn(&Witness) -> f64) -> Option<usize> {
    (0..witnesses.len()).max_by(|a, b| measure(&witnesses[*a]).total_cmp(&measure(&witnesses[*b])))
}

/// Sixteen bits of a pair of features.
fn hash(feature: u64) -> u16 {
    (feature.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}
