//! What a contact problem is made of: bodies, and the rows by which contacts see their velocities.

use super::{BlockSparse, InclusionProblem, ProblemError, not_finite};
use crate::linear::{cholesky, cholesky_solve};
use serde::{Deserialize, Serialize};

/// Bodies with the same number of velocities each, from which G = Wᵀ M⁻¹ W follows. A problem may carry
/// them: methods that factorise in the space of the bodies need less work where contacts are many.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Velocities of a body: 6 in space, 3 in the plane; 1 to 16.
    pub size: usize,
    /// Mass matrices, row-major, body after body.
    pub mass: Vec<f64>,
    /// The two bodies of each contact; twice the same where the other side does not move.
    pub touched: Vec<[usize; 2]>,
    /// Rows of Wᵀ: contact after contact, for each body that it touches one row a component.
    pub rows: Vec<f64>,
}

/// Largest number of velocities of a body.
pub(crate) const MOST_VELOCITIES: usize = 16;

impl Bodies {
    /// Number of bodies.
    pub fn count(&self) -> usize {
        self.mass.len() / (self.size * self.size).max(1)
    }

    /// Bodies that a contact touches.
    pub(crate) fn touched_by(&self, contact: usize) -> &[usize] {
        let both = &self.touched[contact];
        &both[..if both[0] == both[1] { 1 } else { 2 }]
    }

    /// Rows of each contact for each of its bodies, `visit(contact, body, rows)`, in order.
    pub(crate) fn for_each<'a>(
        &'a self,
        dims: impl Iterator<Item = usize>,
        mut visit: impl FnMut(usize, usize, &'a [f64]),
    ) {
        let mut start = 0;
        for (contact, dim) in dims.enumerate() {
            for body in self.touched_by(contact) {
                let end = start + dim * self.size;
                visit(contact, *body, &self.rows[start..end]);
                start = end;
            }
        }
    }

    /// Checks that the data fit contacts of these dimensions.
    fn validate(&self, dims: &[usize]) -> Result<(), ProblemError> {
        let fail = |text: String| Err(ProblemError::Structure(text));
        let square = self.size * self.size;
        if !(1..=MOST_VELOCITIES).contains(&self.size) {
            return fail(format!(
                "bodies.size is {}, it must be 1 to {MOST_VELOCITIES}",
                self.size
            ));
        }
        if !self.mass.len().is_multiple_of(square) {
            return fail(format!(
                "bodies.mass has {} entries, it must be a multiple of {square}",
                self.mass.len()
            ));
        }
        if self.touched.len() != dims.len() {
            return fail(format!(
                "bodies.touched has {} contacts, there are {}",
                self.touched.len(),
                dims.len()
            ));
        }
        if let Some(body) = self.touched.iter().flatten().find(|body| **body >= self.count()) {
            return fail(format!(
                "bodies.touched names body {body}, there are {} (counted from 0)",
                self.count()
            ));
        }
        let needed: usize =
            (0..dims.len()).map(|k| self.touched_by(k).len() * dims[k] * self.size).sum();
        if self.rows.len() != needed {
            return fail(format!(
                "bodies.rows has {} entries, the contacts need {needed}",
                self.rows.len()
            ));
        }
        not_finite("bodies.mass", &self.mass)?;
        not_finite("bodies.rows", &self.rows)
    }

    /// G = Wᵀ M⁻¹ W of contacts of these dimensions.
    fn delassus(&self, dims: &[usize]) -> Result<BlockSparse, ProblemError> {
        let (n, count) = (self.size, self.count());
        let mut factors = vec![0.0; self.mass.len()];
        for body in 0..count {
            let mass = &self.mass[body * n * n..(body + 1) * n * n];
            let symmetric = (0..n).all(|i| {
                (0..i).all(|j| {
                    (mass[i * n + j] - mass[j * n + i]).abs()
                        <= 1e-9 * (mass[i * n + i] * mass[j * n + j]).abs().sqrt()
                })
            });
            let factor = &mut factors[body * n * n..(body + 1) * n * n];
            if !symmetric || !cholesky(n, |i, j| mass[i * n + j], factor) {
                return Err(ProblemError::Structure(format!(
                    "the mass matrix of body {body} must be symmetric and positive definite"
                )));
            }
        }
        // Contacts of each body with their rows and M⁻¹ W.
        let mut response = self.rows.clone();
        let mut parts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        let mut of_contact: Vec<Vec<usize>> = vec![Vec::new(); dims.len()];
        let mut start = 0;
        for (contact, dim) in dims.iter().enumerate() {
            for body in self.touched_by(contact) {
                parts[*body].push((contact, start));
                of_contact[contact].push(start);
                for row in response[start..start + dim * n].chunks_exact_mut(n) {
                    cholesky_solve(n, &factors[body * n * n..(body + 1) * n * n], row);
                }
                start += dim * n;
            }
        }
        let mut delassus = BlockSparse::default();
        let mut neighbours = Vec::new();
        for (contact, dim) in dims.iter().enumerate() {
            neighbours.clear();
            for body in self.touched_by(contact) {
                neighbours.extend(parts[*body].iter().map(|part| part.0));
            }
            neighbours.sort_unstable();
            neighbours.dedup();
            delassus.push_row(*dim, neighbours.iter().map(|k| (*k, dims[*k])));
        }
        delassus.finish();
        for row in 0..dims.len() {
            for (column, block) in delassus.row_mut(row) {
                for (a, from) in self.touched_by(row).iter().zip(&of_contact[row]) {
                    for (b, to) in self.touched_by(column).iter().zip(&of_contact[column]) {
                        if a == b {
                            for (k, entry) in block.iter_mut().enumerate() {
                                let (i, j) = (k / dims[column], k % dims[column]);
                                let left = &self.rows[from + i * n..from + (i + 1) * n];
                                let right = &response[to + j * n..to + (j + 1) * n];
                                *entry += left.iter().zip(right).map(|(x, y)| x * y).sum::<f64>();
                            }
                        }
                    }
                }
            }
        }
        Ok(delassus)
    }
}

impl InclusionProblem {
    /// Sets the bodies, from which the Delassus matrix follows, and the free velocity c, then checks
    /// everything.
    pub fn set_bodies(&mut self, bodies: Bodies, c: Vec<f64>) -> Result<(), ProblemError> {
        let dims: Vec<usize> = self.contacts.iter().map(|k| k.dim).collect();
        bodies.validate(&dims)?;
        self.delassus = bodies.delassus(&dims)?;
        self.bodies = Some(bodies);
        self.c = c;
        self.validate()
    }

    /// Takes bodies of which it is known that G follows from them.
    pub(crate) fn carry_bodies(&mut self, bodies: Bodies) {
        self.bodies = Some(bodies);
    }

    /// Gives them back: their memory, for the next problem.
    pub(crate) fn take_bodies(&mut self) -> Option<Bodies> {
        self.bodies.take()
    }

    /// The bodies, if the problem carries them.
    pub fn bodies(&self) -> Option<&Bodies> {
        self.bodies.as_ref()
    }
}
