//! The inclusion problem: the waist of the hourglass.
//!
//! ```text
//! ξ = G Λ + c,      −ξ_i ∈ N_{C_i}(Λ_i),      C_i = s_i · C_i(1)         (Möller 2009, eq. 17)
//! ```
//!
//! Plain data: what moves above it knows no solver, and the solvers below it know no mechanics.
//! The [residual](InclusionProblem::residual) that judges every solver belongs to the problem.

mod bodies;
mod delassus;
mod energy_scale;
mod file;
pub mod generate;
mod product;
pub(crate) mod reorder;
mod residual;

pub use bodies::Bodies;
pub use delassus::{BlockSparse, StructureError};
pub(crate) use energy_scale::equilibrating_factors;
pub use file::{FileError, Named};
pub use residual::Residual;
pub(crate) use residual::{largest, unit_of_squares};

use crate::convex::{Ball, ConvexSet, HalfLine, Set};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What scales the set of a law: C = s · C(1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reservoir {
    /// The set is a cone and does not scale (contact, joints).
    Unbounded,
    /// A constant percussion, N s (a brake, a pretensioned slider).
    Constant(f64),
    /// The normal percussion of the same contact: its first component, where positive.
    Normal,
    /// That and a constant percussion, N s: friction with cohesion.
    NormalPlus(f64),
}

impl Reservoir {
    /// Whether it grows with the normal percussion.
    pub fn takes_normal(self) -> bool {
        matches!(self, Reservoir::Normal | Reservoir::NormalPlus(_))
    }

    /// The reservoir s ≥ 0 at the normal percussion of the contact.
    #[inline]
    pub fn scale(self, normal: f64) -> f64 {
        match self {
            Reservoir::Unbounded => 1.0,
            Reservoir::Constant(s) => s,
            Reservoir::Normal => normal.max(0.0),
            Reservoir::NormalPlus(s) => normal.max(0.0) + s,
        }
    }
}

/// One set-valued law: a set, its reservoir, and where its components stand in Λ.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Admissible percussions at unit reservoir.
    pub set: Set,
    /// What scales the set.
    pub reservoir: Reservoir,
    /// First component in Λ, ξ and c.
    pub offset: usize,
    /// Number of components.
    pub dim: usize,
}

impl Law {
    /// The components of this law.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.dim
    }
}

/// A group of laws that act at one place and share its normal percussion.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// First component in Λ; with [`Reservoir::Normal`] among the laws this is the normal one.
    pub offset: usize,
    /// Number of components of all its laws.
    pub dim: usize,
    /// Its laws, as a range of [`InclusionProblem::laws`].
    pub laws: Range<usize>,
    /// Friction coefficient, if the first two laws are Signorini contact and isotropic Coulomb
    /// friction in one or two directions: such a pair has a cone form.
    pub coulomb: Option<f64>,
}

impl Contact {
    /// The components of this contact.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.dim
    }
}

/// Why a problem cannot be posed. Contacts and components count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum ProblemError {
    #[error("contact {contact}: {message}")]
    Contact { contact: usize, message: String },
    #[error("dimension is {0}, it must be 2 or 3")]
    SpaceDimension(usize),
    #[error("c has {found} components, the contacts have {expected}")]
    Dimension { expected: usize, found: usize },
    #[error("the Delassus matrix does not fit the contacts: {0}")]
    Structure(String),
    #[error("{quantity}[{index}] is {value}, it must be finite")]
    NotFinite { quantity: &'static str, index: usize, value: f64 },
    #[error(
        "contact {contact}: diagonal entry {component} of the Delassus matrix is {value}, it must be positive"
    )]
    Diagonal { contact: usize, component: usize, value: f64 },
}

/// Plain data of one contact problem: the block-sparse Delassus matrix G, the free velocity c and
/// the laws, contact by contact.
///
/// ```
/// use stickslip::problem::InclusionProblem;
/// // A point mass of 1 kg that hits the floor obliquely; friction coefficient 0.5.
/// let g = [1.0, 0.0, 0.0, 1.0];
/// let mut problem = InclusionProblem::coulomb(2, &[0.5], &g, &[-1.0, 2.0])?;
/// // It slips: normal percussion 1, friction 0.5 against the motion.
/// assert!(problem.residual(&[1.0, -0.5]).value < 1e-15);
/// # Ok::<(), stickslip::problem::ProblemError>(())
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct InclusionProblem {
    pub(crate) delassus: BlockSparse,
    pub(crate) c: Vec<f64>,
    laws: Vec<Law>,
    contacts: Vec<Contact>,
    /// What G is made of, where that is known. Whatever changes G forgets it.
    bodies: Option<Bodies>,
}

impl Clone for InclusionProblem {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Field by field, into the memory that is there: solvers copy problems in every step.
    fn clone_from(&mut self, other: &Self) {
        let Self { delassus, c, laws, contacts, bodies } = self;
        delassus.clone_from(&other.delassus);
        c.clone_from(&other.c);
        laws.clone_from(&other.laws);
        contacts.clone_from(&other.contacts);
        bodies.clone_from(&other.bodies);
    }
}

impl InclusionProblem {
    /// A problem without contacts; see [`push_contact`](Self::push_contact).
    pub fn new() -> Self {
        Self::default()
    }

    /// Contacts with isotropic Coulomb friction: `dimension` 2 (one tangential component) or 3,
    /// one friction coefficient per contact, G dense and row-major, components of a contact
    /// ordered normal first.
    pub fn coulomb(
        dimension: usize,
        friction: &[f64],
        delassus: &[f64],
        c: &[f64],
    ) -> Result<Self, ProblemError> {
        if dimension != 2 && dimension != 3 {
            return Err(ProblemError::SpaceDimension(dimension));
        }
        let mut problem = Self::new();
        for mu in friction {
            problem.push_coulomb_contact(*mu, dimension - 1);
        }
        let n = problem.dim();
        if delassus.len() != n * n {
            return Err(ProblemError::Structure(format!(
                "{n} components need {} entries, found {}",
                n * n,
                delassus.len()
            )));
        }
        let dims: Vec<usize> = problem.contacts.iter().map(|k| k.dim).collect();
        problem.delassus = BlockSparse::dense(&dims, delassus);
        problem.c = c.to_vec();
        problem.validate()?;
        Ok(problem)
    }

    /// Removes all contacts and keeps the memory, to pose the problem of the next step.
    pub fn clear(&mut self) {
        self.bodies = None;
        self.delassus.clear();
        self.c.clear();
        self.laws.clear();
        self.contacts.clear();
    }

    /// The same, but the pattern of the Delassus matrix stays until it is posed again.
    pub(crate) fn clear_contacts(&mut self) {
        self.bodies = None;
        self.c.clear();
        self.laws.clear();
        self.contacts.clear();
    }

    /// Adds a contact with the given laws in the order of their components. Where a law has
    /// [`Reservoir::Normal`], the first component of the contact is its normal percussion.
    pub fn push_contact(&mut self, laws: impl IntoIterator<Item = (Set, Reservoir)>) {
        let offset = self.dim();
        let first = self.laws.len();
        let mut next = offset;
        for (set, reservoir) in laws {
            let dim = set.dim();
            self.laws.push(Law { set, reservoir, offset: next, dim });
            next += dim;
        }
        let coulomb = cone_friction(&self.laws[first..]);
        self.contacts.push(Contact {
            offset,
            dim: next - offset,
            laws: first..self.laws.len(),
            coulomb,
        });
    }

    /// Adds a Signorini contact with isotropic Coulomb friction in `tangents` directions.
    pub fn push_coulomb_contact(&mut self, friction: f64, tangents: usize) {
        self.push_contact([
            (Set::HalfLine(HalfLine), Reservoir::Unbounded),
            (Set::Ball(Ball { dim: tangents, radius: friction }), Reservoir::Normal),
        ]);
    }

    /// Takes another set of the same dimension for the law number `law` of [`laws`](Self::laws), which
    /// belongs to the contact number `contact`.
    pub fn set_law(&mut self, contact: usize, law: usize, set: Set) {
        self.laws[law].set = set;
        let contact = &mut self.contacts[contact];
        contact.coulomb = cone_friction(&self.laws[contact.laws.clone()]);
    }

    /// Sets the Delassus matrix G and the free velocity c, then checks everything.
    pub fn set_data(&mut self, delassus: BlockSparse, c: Vec<f64>) -> Result<(), ProblemError> {
        self.bodies = None;
        self.delassus = delassus;
        self.c = c;
        self.validate()
    }

    /// The Delassus matrix, to be filled in place; [`validate`](Self::validate) checks it.
    pub fn delassus_mut(&mut self) -> &mut BlockSparse {
        self.bodies = None;
        &mut self.delassus
    }

    /// Appends the block row of a contact to the Delassus matrix: coupled with these contacts, ascending,
    /// itself among them.
    pub(crate) fn push_delassus_row(&mut self, contact: usize, coupled: &[usize]) {
        let Self { delassus, contacts, .. } = self;
        let blocks = coupled.iter().map(|k| (*k, contacts[*k].dim));
        delassus.push_row(contacts[contact].dim, blocks);
    }

    /// The free velocity, to be filled in place; [`validate`](Self::validate) checks it.
    pub fn c_mut(&mut self) -> &mut Vec<f64> {
        &mut self.c
    }

    /// Number of components of Λ.
    pub fn dim(&self) -> usize {
        self.contacts.last().map_or(0, |k| k.offset + k.dim)
    }

    /// The contacts in the order of their components.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The laws of all contacts in the order of their components.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// The laws of one contact.
    pub fn laws_of(&self, contact: &Contact) -> &[Law] {
        &self.laws[contact.laws.clone()]
    }

    /// The Delassus matrix G = Wᵀ M⁻¹ W.
    pub fn delassus(&self) -> &BlockSparse {
        &self.delassus
    }

    /// The free velocity c.
    pub fn c(&self) -> &[f64] {
        &self.c
    }

    /// Reservoir s ≥ 0 of a law of `contact` at the percussions `lambda`.
    #[inline]
    pub fn scale(&self, contact: &Contact, law: &Law, lambda: &[f64]) -> f64 {
        law.reservoir.scale(lambda[contact.offset])
    }

    /// Relative velocities ξ = G Λ + c.
    pub fn relative_velocities(&self, lambda: &[f64], xi: &mut [f64]) {
        self.delassus.multiply(lambda, xi);
        for (x, c) in xi.iter_mut().zip(&self.c) {
            *x += c;
        }
    }

    /// Adds ρ to the diagonal of G and takes ρ·centre from c: the proximal-point subproblem.
    pub(crate) fn shift(&mut self, rho: f64, centre: &[f64]) {
        self.bodies = None;
        for (index, contact) in self.contacts.iter().enumerate() {
            let block = self.delassus.diagonal_mut(index);
            for k in 0..contact.dim {
                block[k * contact.dim + k] += rho;
            }
        }
        for (c, x) in self.c.iter_mut().zip(centre) {
            *c -= rho * x;
        }
    }

    /// Checks dimensions, finiteness, parameters of the laws and the diagonal of G.
    pub fn validate(&self) -> Result<(), ProblemError> {
        for (index, contact) in self.contacts.iter().enumerate() {
            self.validate_contact(contact)
                .map_err(|message| ProblemError::Contact { contact: index, message })?;
        }
        let n = self.dim();
        if self.c.len() != n {
            return Err(ProblemError::Dimension { expected: n, found: self.c.len() });
        }
        if !self.delassus.block_dims().eq(self.contacts.iter().map(|k| k.dim)) {
            return Err(ProblemError::Structure(
                "its blocks must have the dimensions of the contacts".into(),
            ));
        }
        not_finite("c", &self.c)?;
        not_finite("delassus", self.delassus.data())?;
        for (index, contact) in self.contacts.iter().enumerate() {
            for component in 0..contact.dim {
                let value = self.delassus.diagonal_entry(index, component);
                if value <= 0.0 {
                    return Err(ProblemError::Diagonal { contact: index, component, value });
                }
            }
        }
        Ok(())
    }

    fn validate_contact(&self, contact: &Contact) -> Result<(), String> {
        if contact.dim == 0 {
            return Err("it has no law".into());
        }
        for (index, law) in self.laws_of(contact).iter().enumerate() {
            law.set.validate().map_err(|message| format!("law {index}: {message}"))?;
            match law.reservoir {
                Reservoir::Constant(s) | Reservoir::NormalPlus(s)
                    if !(s.is_finite() && s >= 0.0) =>
                {
                    return Err(format!(
                        "law {index}: reservoir is {s}, it must be finite and not negative"
                    ));
                }
                other if other.takes_normal() && law.offset == contact.offset => {
                    return Err(format!(
                        "law {index} takes its reservoir from the normal percussion, so a normal law must stand first"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn not_finite(quantity: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    if all_finite(values) {
        return Ok(());
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { quantity, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Whether all are finite: four sums that do not wait for each other, and nothing but zeros in them.
fn all_finite(values: &[f64]) -> bool {
    let (fours, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        for k in 0..4 {
            sums[k] += 0.0 * four[k];
        }
    }
    sums.iter().all(|sum| *sum == 0.0) && rest.iter().all(|v| v.is_finite())
}

/// Friction coefficient if the laws begin with Signorini contact and isotropic Coulomb friction.
fn cone_friction(laws: &[Law]) -> Option<f64> {
    match laws {
        [normal, friction, ..] => match (&normal.set, &friction.set, friction.reservoir) {
            (Set::HalfLine(_), Set::Ball(ball), Reservoir::Normal) if ball.dim <= 2 => {
                Some(ball.radius)
            }
            _ => None,
        },
        _ => None,
    }
}
