//! Complete enumeration of all complementary bases.

use super::LinearComplementarityProblem;
use super::scaling::ScaledProblem;
use crate::linear::RankLu;
use crate::stop;
use std::time::Instant;

/// Largest dimension that enumeration treats: 2¹² bases.
pub const ENUMERATION_LIMIT: usize = 12;

/// Residual up to which the solvers list a basis as a solution: wrong bases are far above.
pub(super) const ENUMERATE_TOLERANCE: f64 = 1e-10;
/// A basis with a pivot below this share of its largest entry is tried as a singular one.
const RANK_RELATIVE: f64 = 1e-12;
/// A basis whose pivots are all above this share is tried as a regular one. Between the two shares
/// rounding does not tell which it is: both are tried.
const NOISE_RELATIVE: f64 = 1e-15;
/// Pivots below this count as zero in any basis, as the scaled matrix has entries near 1: such
/// numbers are left by cancellation.
const NOISE_ABSOLUTE: f64 = 1e-15;
/// Round-off of the terms of an equation, relative.
const ROUND_OFF: f64 = 1e-15;
/// A basis counts as solved if its equations are, up to this share of b, and round-off of their
/// terms is below that too. Without this any null vector, long enough, would pass for a solution.
const RESOLVED: f64 = 1e-4;
/// Solutions that differ by less than this share of their largest component are one.
const SAME: f64 = 1e-9;

/// Inequalities that fail by more than this share of their terms are not worth a residual.
const VIOLATION: f64 = 1e-6;

/// One solution of a linear complementarity problem.
#[derive(Clone, Debug, PartialEq)]
pub struct LcpSolution {
    /// x.
    pub x: Vec<f64>,
    /// y = A x + b as computed.
    pub y: Vec<f64>,
    /// The pairs whose y vanishes in the basis where the solution was found.
    pub basis: Vec<usize>,
    /// Whether that basis is singular: the solution is then one of a continuum, or a vertex of it.
    pub singular_basis: bool,
    /// Residual of x.
    pub residual: f64,
}

/// Finds all solutions by trying every complementary basis.
///
/// For every set S of pairs, y_S = 0 and x = 0 elsewhere leave A_SS x_S = −b_S. If A_SS is
/// regular there is one candidate. If it is singular and the equations are consistent, the
/// solutions with this S form a polyhedron x = x₀ + N t, x ≥ 0, y ≥ 0; it is represented by its
/// vertices and, where it solves the problem, by the point x₀ of least norm. A polyhedron in
/// x ≥ 0 that is not empty has a vertex, so that an empty list means: no solution, at least none
/// that double precision can tell from infinity (A x cancels to b in eleven digits). Each solution
/// is listed once, with the first basis where it was found.
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    scaled: ScaledProblem,
    matrix: RankLu,
    set: Vec<usize>,
    rhs: Vec<f64>,
    x_hat: Vec<f64>,
    step: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    sizes: Vec<f64>,
    face: Face,
    found: Vec<LcpSolution>,
}

/// Polyhedron of the solutions with one singular basis.
#[derive(Clone, Debug, Default)]
struct Face {
    /// Orthonormal null vectors of A_SS, each with n components.
    null: Vec<f64>,
    /// Point of least norm.
    center: Vec<f64>,
    /// Rows g_i and values h_i of the inequalities g_i t + h_i ≥ 0: x_i or y_i of each pair.
    gradient: Vec<f64>,
    value: Vec<f64>,
    /// Inequalities that are active at a candidate.
    active: Vec<usize>,
    lu: RankLu,
    rhs: Vec<f64>,
    t: Vec<f64>,
}

impl Enumeration {
    /// All solutions with a residual of at most `tolerance`; none beyond
    /// [`ENUMERATION_LIMIT`] dimensions.
    pub fn all(
        &mut self,
        problem: &LinearComplementarityProblem,
        tolerance: f64,
    ) -> Vec<LcpSolution> {
        self.run(problem, tolerance, None);
        std::mem::take(&mut self.found)
    }

    /// Solutions of the last run.
    pub(super) fn found(&self) -> &[LcpSolution] {
        &self.found
    }

    /// Fills the list of solutions; false if the deadline passed or the problem is too large.
    pub(super) fn run(
        &mut self,
        problem: &LinearComplementarityProblem,
        tolerance: f64,
        deadline: Option<Instant>,
    ) -> bool {
        let n = problem.dim();
        self.found.clear();
        if n > ENUMERATION_LIMIT {
            return false;
        }
        self.scaled.set(problem);
        for v in [&mut self.rhs, &mut self.x_hat, &mut self.step, &mut self.x, &mut self.y] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.sizes.clear();
        self.sizes.resize(2 * n, 0.0);
        for bits in 0..1_usize << n {
            let late = || deadline.is_some_and(|end| Instant::now() >= end) || stop::requested();
            if bits % 64 == 0 && late() {
                return false;
            }
            self.set.clear();
            self.set.extend((0..n).filter(|i| bits >> i & 1 == 1));
            self.try_basis(problem, tolerance);
        }
        true
    }

    fn try_basis(&mut self, problem: &LinearComplementarityProblem, tolerance: f64) {
        let (n, k) = (problem.dim(), self.set.len());
        let entries = self.matrix.entries(k);
        for (p, i) in self.set.iter().enumerate() {
            for (q, j) in self.set.iter().enumerate() {
                entries[p * k + q] = self.scaled.a[i * n + j];
            }
        }
        let full = self.matrix.factorise(NOISE_RELATIVE, NOISE_ABSOLUTE) == k;
        if full {
            self.solve_basis();
        }
        let nullity = k - self.matrix.truncate(RANK_RELATIVE);
        if full && self.resolved() {
            self.accept(problem, tolerance, false);
        }
        if nullity == 0 {
            return;
        }
        self.solve_basis();
        self.face.null.clear();
        self.face.null.resize(nullity * n, 0.0);
        for index in 0..nullity {
            self.matrix.null_vector(index, &mut self.x_hat[..k]);
            let vector = &mut self.face.null[index * n..(index + 1) * n];
            for (p, i) in self.set.iter().enumerate() {
                vector[*i] = self.scaled.unscale(*i, self.x_hat[p]);
            }
        }
        self.face.center.clear();
        self.face.center.extend_from_slice(&self.x);
        if !self.face.orthonormalise(n) || !self.consistent(problem, tolerance) {
            return;
        }
        self.x.copy_from_slice(&self.face.center);
        self.accept(problem, tolerance, true);
        self.vertices(problem, tolerance, nullity);
    }

    /// Solves A_SS x_S = −b_S with one step of iterative refinement.
    fn solve_basis(&mut self) {
        let k = self.set.len();
        self.x_hat.fill(0.0);
        for _ in 0..2 {
            self.compute_defect();
            self.matrix.particular(&self.rhs[..k], &mut self.step[..k]);
            for (x, step) in self.x_hat[..k].iter_mut().zip(&self.step) {
                *x += step;
            }
        }
        self.expand_solution();
    }

    /// What is left of the equations of the basis, −b_S − A_SS x_S.
    fn compute_defect(&mut self) {
        let n = self.scaled.n;
        for (p, i) in self.set.iter().enumerate() {
            let row = &self.scaled.a[i * n..(i + 1) * n];
            let mut defect = -self.scaled.b[*i];
            for (j, x) in self.set.iter().zip(&self.x_hat) {
                defect -= row[*j] * x;
            }
            self.rhs[p] = defect;
        }
    }

    /// Whether the equations of the basis are solved.
    fn resolved(&mut self) -> bool {
        self.compute_defect();
        let k = self.set.len();
        resolved(&self.scaled, &self.set, &self.x_hat[..k], &self.rhs[..k])
    }

    /// x in the units of the problem from the basic x̂.
    fn expand_solution(&mut self) {
        self.x.fill(0.0);
        for (p, i) in self.set.iter().enumerate() {
            self.x[*i] = self.scaled.unscale(*i, self.x_hat[p]);
        }
    }

    /// Whether the point of least norm solves y_S = 0, relative to the terms of these rows.
    fn consistent(&mut self, problem: &LinearComplementarityProblem, tolerance: f64) -> bool {
        let center = &self.face.center;
        let finite = problem.residual_into(center, &mut self.y, &mut self.sizes).is_finite();
        finite && self.set.iter().all(|i| self.y[*i].abs() <= tolerance * self.sizes[*i])
    }

    /// Vertices of the face: as many inequalities as null vectors are active.
    fn vertices(&mut self, problem: &LinearComplementarityProblem, tolerance: f64, nullity: usize) {
        let n = problem.dim();
        self.face.inequalities(problem, &self.set, nullity, &self.y);
        self.face.active.clear();
        self.face.active.extend(0..nullity);
        loop {
            if self.face.intersection(nullity) && self.face.may_be_feasible(nullity) {
                for i in 0..n {
                    let step: f64 =
                        (0..nullity).map(|d| self.face.t[d] * self.face.null[d * n + i]).sum();
                    self.x[i] = self.face.center[i] + step;
                }
                for i in &self.face.active {
                    if self.set.contains(i) {
                        self.x[*i] = 0.0;
                    }
                }
                self.accept(problem, tolerance, true);
            }
            if !next_combination(&mut self.face.active, n) {
                return;
            }
        }
    }

    /// Lists x if its residual is small enough and it is not there yet.
    fn accept(&mut self, problem: &LinearComplementarityProblem, tolerance: f64, singular: bool) {
        // Round-off below zero goes; what is more than that shows in the residual of the rest.
        if problem.residual_into(&self.x, &mut self.y, &mut self.sizes) > tolerance {
            return;
        }
        for x in &mut self.x {
            *x = x.max(0.0);
        }
        let residual = problem.residual_into(&self.x, &mut self.y, &mut self.sizes);
        if residual > tolerance {
            return;
        }
        if self.found.iter().any(|s| same(&self.scaled, &s.x, &self.x)) {
            return;
        }
        self.found.push(LcpSolution {
            x: self.x.clone(),
            y: self.y.clone(),
            basis: self.set.clone(),
            singular_basis: singular,
            residual,
        });
    }
}

impl Face {
    /// Makes the null vectors orthonormal and moves the center to the point of least norm; false
    /// if that fails.
    fn orthonormalise(&mut self, n: usize) -> bool {
        let count = self.null.len() / n;
        for d in 0..count {
            let (before, rest) = self.null.split_at_mut(d * n);
            let vector = &mut rest[..n];
            if !normalise(vector) {
                return false;
            }
            // Twice is enough: the second pass removes what cancellation left.
            for _ in 0..2 {
                for other in before.chunks_exact(n) {
                    remove_component(vector, other);
                }
                if !normalise(vector) {
                    return false;
                }
            }
        }
        for vector in self.null.chunks_exact(n) {
            remove_component(&mut self.center, vector);
        }
        true
    }

    /// Inequalities x_i ≥ 0 for pairs of the basis, y_i ≥ 0 for the others.
    fn inequalities(
        &mut self,
        problem: &LinearComplementarityProblem,
        set: &[usize],
        nullity: usize,
        y: &[f64],
    ) {
        let n = problem.dim();
        self.gradient.clear();
        self.gradient.resize(n * nullity, 0.0);
        self.value.clear();
        self.value.resize(n, 0.0);
        for i in 0..n {
            let in_set = set.contains(&i);
            self.value[i] = if in_set { self.center[i] } else { y[i] };
            for d in 0..nullity {
                let vector = &self.null[d * n..(d + 1) * n];
                self.gradient[i * nullity + d] = if in_set {
                    vector[i]
                } else {
                    problem.row(i).iter().zip(vector).map(|(a, v)| a * v).sum()
                };
            }
            let row = &mut self.gradient[i * nullity..(i + 1) * nullity];
            let largest = row_size(row);
            let terms = if in_set { 1.0 } else { row_size(problem.row(i)) };
            if largest > RANK_RELATIVE * terms {
                row.iter_mut().for_each(|v| *v /= largest);
                self.value[i] /= largest;
            } else {
                // Constant on the face up to round-off: never active at a vertex.
                row.fill(0.0);
            }
        }
    }

    /// The point t where the active inequalities are equations; false if there is none.
    fn intersection(&mut self, nullity: usize) -> bool {
        let entries = self.lu.entries(nullity);
        self.t.resize(nullity, 0.0);
        self.rhs.resize(nullity, 0.0);
        for (p, i) in self.active.iter().enumerate() {
            let row = &self.gradient[i * nullity..(i + 1) * nullity];
            entries[p * nullity..(p + 1) * nullity].copy_from_slice(row);
            self.rhs[p] = -self.value[*i];
        }
        if self.lu.factorise(RANK_RELATIVE, NOISE_ABSOLUTE) < nullity {
            return false;
        }
        self.lu.particular(&self.rhs, &mut self.t);
        true
    }

    /// Whether no inequality is clearly violated at t: a cheap sieve before the residual.
    fn may_be_feasible(&self, nullity: usize) -> bool {
        self.gradient.chunks_exact(nullity).zip(&self.value).all(|(row, value)| {
            let (mut sum, mut size) = (*value, value.abs());
            for (g, t) in row.iter().zip(&self.t) {
                sum += g * t;
                size += (g * t).abs();
            }
            sum >= -VIOLATION * size
        })
    }
}

fn row_size(row: &[f64]) -> f64 {
    row.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}

/// Whether x̂ solves the equations of the basis `set` of the scaled problem, which leave `defect`.
pub(super) fn resolved(
    scaled: &ScaledProblem,
    set: &[usize],
    x_hat: &[f64],
    defect: &[f64],
) -> bool {
    let (mut b, mut terms) = (0.0_f64, 0.0_f64);
    for i in set {
        let row = &scaled.a[i * scaled.n..(i + 1) * scaled.n];
        b = b.max(scaled.b[*i].abs());
        for (j, x) in set.iter().zip(x_hat) {
            terms = terms.max((row[*j] * x).abs());
        }
    }
    row_size(defect).max(ROUND_OFF * terms) <= RESOLVED * b
}

/// Scales to length 1; false for the zero vector and where the length is not finite.
fn normalise(vector: &mut [f64]) -> bool {
    let largest = vector.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return false;
    }
    let length = vector.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt();
    vector.iter_mut().for_each(|v| *v = *v / largest / length);
    true
}

fn remove_component(vector: &mut [f64], direction: &[f64]) {
    let share: f64 = vector.iter().zip(direction).map(|(v, d)| v * d).sum();
    for (v, d) in vector.iter_mut().zip(direction) {
        *v -= share * d;
    }
}

/// Whether two points agree in scaled variables.
fn same(scaled: &ScaledProblem, p: &[f64], q: &[f64]) -> bool {
    let (mut difference, mut size) = (0.0_f64, 0.0_f64);
    for i in 0..p.len() {
        let (u, v) = (scaled.scale(i, p[i]), scaled.scale(i, q[i]));
        difference = difference.max((u - v).abs());
        size = size.max(u.abs()).max(v.abs());
    }
    difference <= SAME * size
}

/// The next choice of ascending indices below n; false after the last one.
fn next_combination(chosen: &mut [usize], n: usize) -> bool {
    let k = chosen.len();
    for p in (0..k).rev() {
        if chosen[p] < n - k + p {
            chosen[p] += 1;
            for q in p + 1..k {
                chosen[q] = chosen[q - 1] + 1;
            }
            return true;
        }
    }
    false
}
