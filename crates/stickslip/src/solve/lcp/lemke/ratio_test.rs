//! Which variable leaves the basis: the lexicographic ratio test.

use super::{Attempt, Basic, LemkeMethod};

impl LemkeMethod {
    /// Lexicographic ratio test; none if no basic variable falls (a ray).
    pub(super) fn choose_leaving(
        &mut self,
        artificial: usize,
        tolerances: Attempt,
    ) -> Option<usize> {
        let n = self.scaled.n;
        let mut smallest = f64::INFINITY;
        for i in 0..n {
            if self.slope[i] < -tolerances.pivot * self.slope_size[i] {
                smallest = smallest.min(self.value[i] / -self.slope[i]);
            }
        }
        if !smallest.is_finite() {
            return None;
        }
        self.ties.clear();
        for i in 0..n {
            // A tie: what would be left of this variable is round-off of its terms.
            if self.slope[i] < -tolerances.pivot * self.slope_size[i]
                && self.value[i] + self.slope[i] * smallest <= tolerances.tie * self.value[i]
            {
                if i == artificial {
                    return Some(i);
                }
                self.ties.push(i);
            }
        }
        // b is thought to be perturbed by (δ, δ², ...): compare the columns of the inverse basis.
        for column in 0..n {
            if self.ties.len() <= 1 {
                break;
            }
            self.keep_smallest_ratios(column);
        }
        let slope = &self.slope;
        self.ties.iter().copied().min_by(|i, j| slope[*i].total_cmp(&slope[*j]))
    }

    /// Keeps those ties whose value falls first under a perturbation of b in row `column`.
    fn keep_smallest_ratios(&mut self, column: usize) {
        let k = self.reduced.len();
        let unit = self.basic[column] == Basic::Y;
        if !unit {
            for p in 0..k {
                self.rhs[p] = if self.reduced[p] == column { -1.0 } else { 0.0 };
            }
            self.lu.solve(&mut self.rhs[..k]);
        }
        let (mut smallest, mut size) = (f64::INFINITY, 0.0_f64);
        for t in 0..self.ties.len() {
            let i = self.ties[t];
            let derivative = if unit {
                if i == column { 1.0 } else { 0.0 }
            } else if self.basic[i] == Basic::Y {
                self.row_product(i, &self.rhs[..k]).0
            } else {
                self.reduced.iter().position(|j| *j == i).map_or(0.0, |p| self.rhs[p])
            };
            let ratio = derivative / -self.slope[i];
            self.ratios[i] = ratio;
            smallest = smallest.min(ratio);
            size = size.max(ratio.abs());
        }
        let ratios = &self.ratios;
        // 1e-10: far above round-off, far below the ratios of equilibrated rows.
        self.ties.retain(|i| ratios[*i] <= smallest + 1e-10 * size);
    }
}
