//! Small dense systems whose equations may be redundant.
//!
//! Equations that share no unknowns (bodies that do not feel each other) are solved apart: the
//! work grows with the cube of the number of equations. Rows that an elimination does not change
//! are left alone, which is most of them in a chain.

/// Pivots below this share of the scaled diagonal count as zero. The matrix holds squares of the
/// directions: constraints count as one where they agree to about 3e-6.
const PIVOT: f64 = 1e-11;
/// Share of the right-hand side that redundant equations may contradict each other by.
const CONTRADICTION: f64 = 1e-8;

/// Memory of the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    scaled: Vec<f64>,
    lu: Vec<f64>,
    pivots: Vec<usize>,
    scale: Vec<f64>,
    target: Vec<f64>,
    step: Vec<f64>,
    /// Directions of the solutions that the equations leave free, one row each.
    kernel: Vec<f64>,
    /// Largest entry of each row that is left, and its column.
    largest: Vec<(f64, usize)>,
    /// Part of each equation, and the equations of one part.
    parts: Vec<usize>,
    members: Vec<usize>,
    part_matrix: Vec<f64>,
    part_rhs: Vec<f64>,
    part_reference: Vec<f64>,
    part_size: Vec<f64>,
    /// Equations of the last solve that others already imply.
    pub(super) redundant: usize,
    /// The equation that the last solve contradicts most.
    pub(super) worst: usize,
}

/// Which of several solutions is wanted: the one nearest to `reference`, each unknown measured by
/// its own `size`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest<'a> {
    pub(super) reference: &'a [f64],
    pub(super) size: &'a [f64],
}

impl Linear {
    /// Solves A x = b (A row-major); b becomes x. Of redundant but consistent equations, as of two
    /// corners that stick on one straight guide, the solution nearest to what is wanted is taken
    /// (to zero unless something else is). False if there is no solution.
    pub(super) fn solve(&mut self, a: &[f64], b: &mut [f64], wanted: Option<Nearest>) -> bool {
        let n = b.len();
        self.redundant = 0;
        let count = self.find_parts(a, n);
        // Below this, in the scale of all equations together, a contradiction is rounding.
        let size = |i: usize| b[i].abs() * scale_of(a[i * n + i]);
        let target = (0..n).fold(0.0_f64, |m, i| m.max(size(i)));
        if count <= 1 {
            return self.solve_part(a, b, wanted, target);
        }
        let mut good = true;
        let (mut redundant, mut worst) = (0, None);
        for part in 0..count {
            let mut members = std::mem::take(&mut self.members);
            members.clear();
            members.extend((0..n).filter(|i| self.parts[*i] == part));
            let mut matrix = std::mem::take(&mut self.part_matrix);
            matrix.clear();
            matrix.extend(members.iter().flat_map(|i| members.iter().map(move |j| a[i * n + j])));
            let mut rhs = std::mem::take(&mut self.part_rhs);
            rhs.clear();
            rhs.extend(members.iter().map(|i| b[*i]));
            let mut reference = std::mem::take(&mut self.part_reference);
            let mut sizes = std::mem::take(&mut self.part_size);
            let part_wanted = wanted.map(|wanted| {
                reference.clear();
                reference.extend(members.iter().map(|i| wanted.reference[*i]));
                sizes.clear();
                sizes.extend(members.iter().map(|i| wanted.size[*i]));
                Nearest { reference: &reference, size: &sizes }
            });
            let solved = self.solve_part(&matrix, &mut rhs, part_wanted, target);
            redundant += self.redundant;
            if !solved && worst.is_none() {
                worst = members.get(self.worst).copied();
            }
            good &= solved;
            for (i, x) in members.iter().zip(&rhs) {
                b[*i] = *x;
            }
            (self.members, self.part_matrix, self.part_rhs) = (members, matrix, rhs);
            (self.part_reference, self.part_size) = (reference, sizes);
        }
        self.redundant = redundant;
        self.worst = worst.unwrap_or(self.worst);
        good
    }

    /// Numbers the parts of the equations that share no unknowns, and counts them.
    fn find_parts(&mut self, a: &[f64], n: usize) -> usize {
        self.parts.clear();
        self.parts.resize(n, usize::MAX);
        let mut count = 0;
        for seed in 0..n {
            if self.parts[seed] != usize::MAX {
                continue;
            }
            self.members.clear();
            self.members.push(seed);
            self.parts[seed] = count;
            let mut next = 0;
            while let Some(&i) = self.members.get(next) {
                next += 1;
                for j in 0..n {
                    let joined = a[i * n + j] != 0.0 || a[j * n + i] != 0.0;
                    if joined && self.parts[j] == usize::MAX {
                        self.parts[j] = count;
                        self.members.push(j);
                    }
                }
            }
            count += 1;
        }
        count
    }

    /// Solves equations of one part; `target` is the size of all scaled right-hand sides.
    fn solve_part(
        &mut self,
        a: &[f64],
        b: &mut [f64],
        wanted: Option<Nearest>,
        target: f64,
    ) -> bool {
        let n = b.len();
        self.redundant = 0;
        if n == 0 {
            return true;
        }
        // Unit diagonal: forces and moments, light and heavy bodies get comparable numbers.
        self.scale.clear();
        self.scale.extend((0..n).map(|i| scale_of(a[i * n + i])));
        self.scaled.clear();
        for i in 0..n {
            for j in 0..n {
                self.scaled.push(a[i * n + j] * self.scale[i] * self.scale[j]);
            }
        }
        self.target.clear();
        self.target.extend(b.iter().zip(&self.scale).map(|(b, s)| b * s));
        self.lu.clone_from(&self.scaled);
        let rank = self.factor(n);
        self.redundant = n - rank;
        b.fill(0.0);
        // One solve and one correction of its rounding.
        for _ in 0..2 {
            self.residual(b);
            self.back(n, rank);
            b.iter_mut().zip(&self.step).for_each(|(x, s)| *x += s);
        }
        let mut good = true;
        if rank < n {
            self.choose(b, rank, wanted);
            self.residual(b);
            let mut largest = 0.0;
            for (i, r) in self.step.iter().enumerate() {
                if r.abs() > largest {
                    (largest, self.worst) = (r.abs(), i);
                }
            }
            good = largest <= CONTRADICTION * target;
        }
        b.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        good && b.iter().all(|x| x.is_finite())
    }

    /// Moves a solution to the nearest one: x + K z with the least Σ ((x + K z − r)_i / s_i)².
    fn choose(&mut self, x: &mut [f64], rank: usize, wanted: Option<Nearest>) {
        let (n, free) = (x.len(), x.len() - rank);
        self.find_kernel(n, rank);
        let kernel = &self.kernel;
        // In the scaled unknowns x_i / scale_i.
        let weight = |i: usize| match wanted {
            Some(nearest) => (self.scale[i] / nearest.size[i]).powi(2),
            None => 1.0,
        };
        let reference =
            |i: usize| wanted.map_or(0.0, |nearest| nearest.reference[i] / self.scale[i]);
        let mut normal = vec![0.0; free * free];
        let mut right = vec![0.0; free];
        for a in 0..free {
            let row_a = &kernel[a * n..(a + 1) * n];
            for b in 0..free {
                let row_b = &kernel[b * n..(b + 1) * n];
                normal[a * free + b] = (0..n).map(|i| weight(i) * row_a[i] * row_b[i]).sum();
            }
            right[a] = (0..n).map(|i| weight(i) * row_a[i] * (reference(i) - x[i])).sum();
        }
        solve_positive(&mut normal, &mut right);
        for (a, z) in right.iter().enumerate() {
            for (x, k) in x.iter_mut().zip(&kernel[a * n..(a + 1) * n]) {
                *x += z * k;
            }
        }
    }

    /// Rows of `kernel`: solutions of A x = 0, one for every column without a pivot.
    fn find_kernel(&mut self, n: usize, rank: usize) {
        self.kernel.clear();
        for column in rank..n {
            self.step.clear();
            self.step.resize(n, 0.0);
            self.step[column] = 1.0;
            for i in (0..rank).rev() {
                let sum: f64 = (i + 1..n).map(|k| self.lu[i * n + k] * self.step[k]).sum();
                self.step[i] = -sum / self.lu[i * n + i];
            }
            self.restore_order(n);
            self.kernel.extend_from_slice(&self.step);
        }
    }

    /// step ← target − A x.
    fn residual(&mut self, x: &[f64]) {
        let n = x.len();
        self.step.clear();
        for i in 0..n {
            let row = &self.scaled[i * n..(i + 1) * n];
            self.step.push(self.target[i] - row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>());
        }
    }

    /// Gauss elimination with the largest pivot of all that is left; returns the rank. `pivots`
    /// holds the exchanged row and column of every pivot. Unlike `linear::RankLu` it keeps the largest entry of
    /// every row, so that a pivot is found without a look at all that is left.
    fn factor(&mut self, n: usize) -> usize {
        self.pivots.clear();
        self.largest.clear();
        self.largest.extend(self.lu.chunks_exact(n).map(|row| largest_from(row, 0)));
        for k in 0..n {
            let (mut row, mut largest) = (k, 0.0_f64);
            for i in k..n {
                if self.largest[i].0 > largest {
                    (row, largest) = (i, self.largest[i].0);
                }
            }
            // Written so that a NaN counts as zero.
            if !(largest > PIVOT) {
                return k;
            }
            let column = self.largest[row].1;
            self.pivots.extend([row, column]);
            self.largest.swap(k, row);
            if row != k {
                let (above, below) = self.lu.split_at_mut(row * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            for row in self.lu.chunks_exact_mut(n) {
                row.swap(k, column);
            }
            let (above, below) = self.lu.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            for (i, row) in below.chunks_exact_mut(n).enumerate() {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                let place = &mut self.largest[k + 1 + i];
                if factor != 0.0 {
                    for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *x -= factor * p;
                    }
                    *place = largest_from(row, k + 1);
                } else if place.1 == k {
                    // What stood in this column went to that of the pivot.
                    place.1 = column;
                }
            }
        }
        n
    }

    /// step ← a solution of A x = step that is zero in the columns without a pivot.
    fn back(&mut self, n: usize, rank: usize) {
        for k in 0..rank {
            self.step.swap(k, self.pivots[2 * k]);
        }
        for i in 0..rank {
            for k in 0..i {
                self.step[i] -= self.lu[i * n + k] * self.step[k];
            }
        }
        for i in (0..rank).rev() {
            for k in i + 1..rank {
                self.step[i] -= self.lu[i * n + k] * self.step[k];
            }
            self.step[i] /= self.lu[i * n + i];
        }
        self.step[rank..].fill(0.0);
        self.restore_order(n);
    }

    /// Takes the exchanges of columns back.
    fn restore_order(&mut self, n: usize) {
        debug_assert_eq!(self.step.len(), n);
        for k in (0..self.pivots.len() / 2).rev() {
            self.step.swap(k, self.pivots[2 * k + 1]);
        }
    }
}

/// What makes a diagonal entry 1 from both sides.
fn scale_of(diagonal: f64) -> f64 {
    let d = diagonal.abs().sqrt();
    if d > 0.0 && d.is_finite() { 1.0 / d } else { 1.0 }
}

/// Size and place of the largest entry of a row from a column on; 0 where all are zero or NaN.
fn largest_from(row: &[f64], first: usize) -> (f64, usize) {
    let mut best = (0.0_f64, first);
    for (j, x) in row.iter().enumerate().skip(first) {
        if x.abs() > best.0 {
            best = (x.abs(), j);
        }
    }
    best
}

/// Solves a small positive definite system by Cholesky's method; b becomes x.
fn solve_positive(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for j in 0..n {
        for k in 0..j {
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        }
        a[j * n + j] = a[j * n + j].max(f64::MIN_POSITIVE).sqrt();
        for i in j + 1..n {
            for k in 0..j {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= a[j * n + j];
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] /= a[i * n + i];
    }
}
