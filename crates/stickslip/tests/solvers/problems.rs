//! Seeded random contact problems, and a proof of uniqueness for some of them.
#![allow(dead_code)] // every test uses a part of it
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use fastrand::Rng;
use std::collections::BTreeMap;
use stickslip::convex::{ConvexSet, HalfLine, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, Reservoir};
use stickslip::solve::lcp::{Enumerate, EnumerateOptions};

/// A random problem.
pub struct Case {
    /// How it was made, for messages.
    pub label: String,
    pub problem: InclusionProblem,
    /// Whether it has a solution for certain: G regular, or c in the range of G (c = Wᵀ v), which
    /// lies in the dual cone of the percussions without effect (Klarbring & Pang 1998).
    pub solvable: bool,
}

/// The laws of one contact, component groups in the order of the contact.
pub type Laws = Vec<(Set, Reservoir)>;

/// What the generator may vary.
#[derive(Clone, Copy)]
pub struct Shape {
    /// 3 or 6 degrees of freedom of a body.
    pub body: usize,
    pub contacts: usize,
    pub bodies: usize,
    /// Masses spread over 10^±decades.
    pub decades: f64,
    /// Directions of random components instead of orthonormal frames at random points: couples
    /// normal and tangential directions strongly.
    pub skew: bool,
    /// Free velocity of mixed signs that no motion has, instead of c = Wᵀ(M⁻¹h + (1 + ε)u).
    pub any_velocity: bool,
}

pub fn symmetric(rng: &mut Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

fn unit(rng: &mut Rng) -> [f64; 3] {
    loop {
        let v = [(); 3].map(|()| symmetric(rng));
        let length = dot(&v, &v).sqrt();
        if (0.1..=1.0).contains(&length) {
            return v.map(|x| x / length);
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * a.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    norm(&difference)
}

pub fn velocities(problem: &InclusionProblem, lambda: &[f64]) -> Vec<f64> {
    let mut xi = vec![0.0; problem.dim()];
    problem.relative_velocities(lambda, &mut xi);
    xi
}

/// The size that the residual is relative to: max(|c|, |Λ'|, |ξ|), a velocity.
pub fn size(problem: &InclusionProblem, lambda: &[f64], xi: &[f64]) -> f64 {
    let s = problem.delassus().mean_diagonal();
    norm(problem.c()).max(s * norm(lambda)).max(norm(xi))
}

/// Directions of force of one contact on one body: normal, tangential, then moments. In the plane
/// every further component turns the body.
fn frame(rng: &mut Rng, shape: &Shape, dim: usize) -> Vec<Vec<f64>> {
    let body = shape.body;
    if shape.skew {
        return (0..dim).map(|_| (0..body).map(|_| symmetric(rng)).collect()).collect();
    }
    if body == 3 {
        let angle = std::f64::consts::TAU * rng.f64();
        let (n, t) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
        let p = [symmetric(rng), symmetric(rng)];
        let moment = |d: [f64; 2]| vec![d[0], d[1], p[0] * d[1] - p[1] * d[0]];
        return (0..dim)
            .map(|k| match k {
                0 => moment(n),
                1 => moment(t),
                _ => vec![0.0, 0.0, 0.5 + rng.f64()],
            })
            .collect();
    }
    let n = unit(rng);
    let mut t1 = cross(n, unit(rng));
    let length = dot(&t1, &t1).sqrt();
    t1 = if length > 1e-3 { t1.map(|v| v / length) } else { unit(rng) };
    let t2 = cross(n, t1);
    let p = [(); 3].map(|()| symmetric(rng));
    let force = |d: [f64; 3]| [d, cross(p, d)].concat();
    (0..dim)
        .map(|k| match k {
            0 => force(n),
            1 => force(t1),
            2 => force(t2),
            3 => [[0.0; 3], n].concat(),
            4 => [[0.0; 3], t1].concat(),
            _ => [unit(rng), unit(rng)].concat(),
        })
        .collect()
}

/// A problem with the given laws: every contact acts between two random bodies, or one and the
/// ground.
pub fn assemble(rng: &mut Rng, shape: &Shape, laws: Vec<Laws>) -> Case {
    let dofs = shape.bodies * shape.body;
    let inverse_mass: Vec<f64> =
        (0..dofs).map(|_| 10_f64.powf(shape.decades * symmetric(rng))).collect();
    let mut problem = InclusionProblem::new();
    let mut w: Vec<Vec<f64>> = Vec::new();
    for contact in laws {
        let dim = contact.iter().map(|(set, _)| set.dim()).sum();
        let first = rng.usize(..shape.bodies);
        let second = rng.usize(..=shape.bodies); // the last is the ground
        let (a, b) = (frame(rng, shape, dim), frame(rng, shape, dim));
        for k in 0..dim {
            let mut column = vec![0.0; dofs];
            column[first * shape.body..][..shape.body].copy_from_slice(&a[k]);
            if second < shape.bodies && second != first {
                column[second * shape.body..][..shape.body].copy_from_slice(&b[k]);
            }
            w.push(column);
        }
        problem.push_contact(contact);
    }
    let n = w.len();
    let mut g = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            // The same order of the sum for (i, j) and (j, i): exactly symmetric.
            g[i * n + j] = (0..dofs).map(|k| w[i][k] * w[j][k] * inverse_mass[k]).sum();
        }
    }
    let c: Vec<f64> = if shape.any_velocity {
        (0..n).map(|_| symmetric(rng)).collect()
    } else {
        // c = Wᵀ M⁻¹ h Δt + (1 + ε) γ with one ε, so that c is in the range of Wᵀ.
        let restitution = rng.f64();
        let v: Vec<f64> = (0..dofs)
            .map(|k| 0.1 * inverse_mass[k] * symmetric(rng) + (1.0 + restitution) * symmetric(rng))
            .collect();
        w.iter().map(|column| dot(column, &v)).collect()
    };
    let regular = n <= dofs && inverse(&g).is_some();
    set_dense(&mut problem, &g, c);
    let label = format!(
        "{} contacts, {} bodies of {}, 10^±{}, skew {}, any velocity {}",
        shape.contacts, shape.bodies, shape.body, shape.decades, shape.skew, shape.any_velocity
    );
    Case { label, problem, solvable: regular || !shape.any_velocity }
}

/// Sets G from dense data; blocks of contacts that share no body are not stored.
pub fn set_dense(problem: &mut InclusionProblem, g: &[f64], c: Vec<f64>) {
    let n = c.len();
    let dims: Vec<usize> = problem.contacts().iter().map(|k| k.dim).collect();
    let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..n {
            if g[i * n + j] != 0.0 {
                indices.push(j);
                data.push(g[i * n + j]);
            }
        }
        indptr.push(data.len());
    }
    let delassus = BlockSparse::from_csr(&dims, &indptr, &indices, &data).unwrap();
    problem.set_data(delassus, c).unwrap();
}

/// Contacts with Coulomb friction, mu 0..2 (1 in 8 without friction).
pub fn coulomb_laws(rng: &mut Rng, contacts: usize, tangents: usize, most: f64) -> Vec<Laws> {
    (0..contacts)
        .map(|_| {
            let mu = if rng.u8(..8) == 0 { 0.0 } else { most * rng.f64() };
            vec![
                (Set::HalfLine(HalfLine), Reservoir::Unbounded),
                (
                    Set::Ball(stickslip::convex::Ball { dim: tangents, radius: mu }),
                    Reservoir::Normal,
                ),
            ]
        })
        .collect()
}

/// Inverse of a symmetric positive definite matrix; none if it is singular or nearly so.
pub fn inverse(g: &[f64]) -> Option<Vec<f64>> {
    let n = (g.len() as f64).sqrt() as usize;
    let mut a = g.to_vec();
    let mut x = vec![0.0; n * n];
    (0..n).for_each(|i| x[i * n + i] = 1.0);
    for p in 0..n {
        let pivot = a[p * n + p];
        if pivot <= 1e-9 * g[p * n + p] {
            return None;
        }
        for i in 0..n {
            let factor = a[i * n + p] / pivot;
            if i != p && factor != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= factor * a[p * n + j];
                    x[i * n + j] -= factor * x[p * n + j];
                }
            }
        }
    }
    for i in 0..n {
        (0..n).for_each(|j| x[i * n + j] /= a[i * n + i]);
    }
    Some(x)
}

/// Upper bound of the largest eigenvalue of a symmetric positive semidefinite matrix, at most
/// n^(1/64) too large: trace(S^64)^(1/64).
fn largest_eigenvalue(s: &[f64]) -> f64 {
    let n = (s.len() as f64).sqrt() as usize;
    let trace = |s: &[f64]| (0..n).map(|i| s[i * n + i]).sum::<f64>();
    let (mut power, mut log) = (s.to_vec(), 0.0);
    for _ in 0..6 {
        let t = trace(&power);
        if t <= 0.0 {
            return 0.0;
        }
        // trace((S/t)^2) t^2: keep the numbers near one.
        log = 2.0 * (log + t.ln());
        power.iter_mut().for_each(|v| *v /= t);
        let mut square = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                square[i * n + j] = (0..n).map(|k| power[i * n + k] * power[k * n + j]).sum();
            }
        }
        power = square;
    }
    ((log + trace(&power).ln()) / 64.0).exp()
}

/// Whether ξ is proven to be the same at all solutions.
///
/// For two solutions with difference δΛ, δξ = G δΛ the laws with support functions σ and
/// reservoirs s_i = Λ_N,i give ⟨δξ, δΛ⟩ ≤ Σ |δΛ_N,i| |δσ_i|, because
/// Λ·(−ξ) = s σ(−ξ) and Λ'·(−ξ) ≤ s' σ(−ξ). With |δσ_i| ≤ |a∘δξ_i| for weights a that bound the set,
/// |δΛ_N| ≤ √λ_max((G⁻¹)_NN) |δΛ|_G and |a∘δξ_T| ≤ √λ_max(a G_TT a) |δΛ|_G this is impossible for
/// δΛ ≠ 0 if the product of the two eigenvalues is below one. Without friction that depends on the
/// normal percussion nothing is on the right side, and G may be singular.
pub fn proven_unique(problem: &InclusionProblem) -> bool {
    let n = problem.dim();
    let g = problem.delassus().to_dense();
    // (normal component, weight) of every component that depends on a normal percussion.
    let mut dependent: Vec<(usize, usize, f64)> = Vec::new();
    for contact in problem.contacts() {
        let laws = problem.laws_of(contact);
        let normal: Vec<_> = laws.iter().filter(|l| l.reservoir == Reservoir::Normal).collect();
        let count: usize = normal.iter().map(|l| l.dim).sum();
        // Σ a_k |x_k| ≤ √count |a∘x|; a single ball needs no such factor.
        let single = normal.len() == 1 && matches!(normal[0].set, Set::Ball(_));
        let factor = if single { 1.0 } else { (count as f64).sqrt() };
        for law in normal {
            for k in 0..law.dim {
                let mut e = vec![0.0; law.dim];
                e[k] = 1.0;
                let minus: Vec<f64> = e.iter().map(|v| -v).collect();
                let width = law.set.support(1.0, &e).max(law.set.support(1.0, &minus));
                if width > 0.0 {
                    dependent.push((contact.offset, law.offset + k, factor * width));
                }
            }
        }
    }
    if dependent.is_empty() {
        return true;
    }
    let Some(inverse) = inverse(&g) else { return false };
    let mut normals: Vec<usize> = dependent.iter().map(|d| d.0).collect();
    normals.dedup();
    // Balance the contacts: the product of both sides does not change.
    let balance = |normal: usize| {
        let sum: f64 =
            dependent.iter().filter(|d| d.0 == normal).map(|d| d.2 * d.2 * g[d.1 * n + d.1]).sum();
        (sum / inverse[normal * n + normal]).powf(0.25)
    };
    let m = normals.len();
    let mut nn = vec![0.0; m * m];
    for (i, p) in normals.iter().enumerate() {
        for (j, q) in normals.iter().enumerate() {
            nn[i * m + j] = inverse[p * n + q] * balance(*p) * balance(*q);
        }
    }
    let m = dependent.len();
    let mut tt = vec![0.0; m * m];
    for (i, p) in dependent.iter().enumerate() {
        for (j, q) in dependent.iter().enumerate() {
            tt[i * m + j] = p.2 * q.2 * g[p.1 * n + q.1] / (balance(p.0) * balance(q.0));
        }
    }
    largest_eigenvalue(&nn) * largest_eigenvalue(&tt) < 0.999
}

/// The distinct relative velocities of all solutions of a small planar problem, by enumeration;
/// none if the problem is too large for it.
pub fn all_velocities(problem: &InclusionProblem) -> Option<Vec<Vec<f64>>> {
    let mut enumerate = Enumerate::new(EnumerateOptions::default()).unwrap();
    let solutions = enumerate.all_solutions(problem).ok()?;
    let mut distinct: Vec<Vec<f64>> = Vec::new();
    for lambda in solutions {
        let xi = velocities(problem, &lambda);
        let limit = 1e-9 * size(problem, &lambda, &xi);
        if distinct.iter().all(|other| distance(other, &xi) > limit) {
            distinct.push(xi);
        }
    }
    Some(distinct)
}

/// Counts of solved problems per solver and of agreement per kind of problem.
#[derive(Default)]
pub struct Tally {
    solvers: BTreeMap<String, [usize; 2]>,
    problems: BTreeMap<&'static str, [usize; 2]>,
}

impl Tally {
    pub fn count(&mut self, solver: &str, solved: bool) {
        let entry = self.solvers.entry(solver.to_string()).or_default();
        entry[0] += usize::from(solved);
        entry[1] += 1;
    }

    pub fn problem(&mut self, kind: &'static str, agreed: bool) {
        let entry = self.problems.entry(kind).or_default();
        entry[0] += usize::from(agreed);
        entry[1] += 1;
    }

    /// Problems of a kind.
    pub fn problems(&self, kind: &str) -> usize {
        self.problems.get(kind).map_or(0, |e| e[1])
    }

    /// Problems of a kind on which solvers found different velocities.
    pub fn apart(&self, kind: &str) -> usize {
        self.problems.get(kind).map_or(0, |e| e[1] - e[0])
    }

    pub fn print(&self, title: &str) {
        for (kind, [agreed, all]) in &self.problems {
            println!("{title}: {kind}: {all} problems, all solvers agree on {agreed}");
        }
        for (solver, [solved, all]) in &self.solvers {
            println!("{title}: {solver} solved {solved} of {all}");
        }
    }

    /// Every solver that was counted reaches its floor.
    pub fn check(&self, floors: &[(&str, f64)]) {
        for (solver, [solved, all]) in &self.solvers {
            let (_, floor) = floors.iter().find(|(name, _)| name == solver).unwrap();
            let share = *solved as f64 / *all as f64;
            assert!(share >= *floor, "{solver} solved {solved} of {all}, the floor is {floor}");
        }
    }
}
