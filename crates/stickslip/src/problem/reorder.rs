//! Problems with their contacts in another order.

use super::generate::Random;
use super::{Bodies, InclusionProblem};

/// So many numbers in random order.
pub(crate) fn random_order(count: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, (random.next() % (k as u64 + 1)) as usize);
    }
    order
}

/// The same problem with its contacts in random order.
pub fn permuted(problem: &InclusionProblem, seed: u64) -> InclusionProblem {
    reordered(problem, &random_order(problem.contacts().len(), seed))
}

/// The same problem with its contacts in this order.
pub(crate) fn reordered(problem: &InclusionProblem, order: &[usize]) -> InclusionProblem {
    let mut place = vec![0; order.len()];
    let mut mixed = InclusionProblem::new();
    for (to, from) in order.iter().enumerate() {
        place[*from] = to;
        let laws = problem.laws_of(&problem.contacts[*from]);
        mixed.push_contact(laws.iter().map(|law| (law.set.clone(), law.reservoir)));
    }
    let blocks = |from: usize| {
        let row = problem.delassus.row(from).map(|(column, block)| (place[column], block));
        let mut row: Vec<(usize, &[f64])> = row.collect();
        row.sort_by_key(|block| block.0);
        row
    };
    for (to, from) in order.iter().enumerate() {
        let columns: Vec<usize> = blocks(*from).iter().map(|block| block.0).collect();
        mixed.push_delassus_row(to, &columns);
        mixed.c.extend_from_slice(&problem.c[problem.contacts[*from].range()]);
    }
    mixed.delassus.finish();
    for (to, from) in order.iter().enumerate() {
        for ((_, target), (_, source)) in mixed.delassus.row_mut(to).zip(blocks(*from)) {
            target.copy_from_slice(source);
        }
    }
    mixed.bodies = problem.bodies.as_ref().map(|bodies| {
        let mut rows = vec![Vec::new(); order.len()];
        bodies.for_each(problem.contacts.iter().map(|k| k.dim), |contact, _, own| {
            rows[place[contact]].extend_from_slice(own);
        });
        let touched = order.iter().map(|from| bodies.touched[*from]).collect();
        Bodies { touched, rows: rows.concat(), ..bodies.clone() }
    });
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percussions_in_the_other_order_have_the_same_residual() {
        let mut random = Random(7);
        let g: Vec<f64> =
            (0..36).map(|k| if k % 7 == 0 { 2.0 } else { 0.1 * random.even() }).collect();
        let c: Vec<f64> = (0..6).map(|_| random.even()).collect();
        let problem = InclusionProblem::coulomb(2, &[0.1, 0.4, 0.9], &g, &c).unwrap();
        let lambda: Vec<f64> = (0..6).map(|_| random.even()).collect();
        let order = [2, 0, 1];
        let mixed = reordered(&problem, &order);
        let moved: Vec<f64> =
            order.iter().flat_map(|k| lambda[problem.contacts()[*k].range()].to_vec()).collect();
        let (own, other) = (problem.residual(&lambda), mixed.residual(&moved));
        assert!((own.value - other.value).abs() < 1e-14 * own.value.max(1.0));
        assert!(own.value > 0.1 && own.penetration == other.penetration);
        assert!(mixed.residual(&lambda).value != own.value);
    }
}
