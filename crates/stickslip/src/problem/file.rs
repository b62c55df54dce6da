//! Problems as JSON files: the general format of this project, and the contact-problem format.

use super::{BlockSparse, Bodies, InclusionProblem, ProblemError, Reservoir};
use crate::convex::{ConvexSet, Set};
use serde::{Deserialize, Serialize};

/// A problem together with the name that its file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Name of the problem; empty if the file has none.
    pub name: String,
    /// The problem.
    pub problem: InclusionProblem,
}

/// Why a text is not a problem.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum FileError {
    #[error("not valid JSON for a {expected} file: {source}")]
    Json { expected: &'static str, source: serde_json::Error },
    #[error(
        "format is {found:?}, version {version}; known are \"stickslip/inclusion-problem\" and \"stickslip/contact-problem\", version 1"
    )]
    Format { found: String, version: u64 },
    #[error("the problem needs either delassus or bodies, not both and not neither")]
    Matrix,
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Name of the general format.
const GENERAL: &str = "stickslip/inclusion-problem";
/// Name of the format for contacts with isotropic Coulomb friction.
const COULOMB: &str = "stickslip/contact-problem";

#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct Csr {
    indptr: Vec<usize>,
    indices: Vec<usize>,
    data: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct LawRecord {
    set: Set,
    reservoir: Reservoir,
}

#[derive(Serialize, Deserialize)]
struct ContactRecord {
    laws: Vec<LawRecord>,
}

#[derive(Serialize, Deserialize)]
struct GeneralFile {
    format: String,
    version: u64,
    #[serde(default)]
    name: String,
    contacts: Vec<ContactRecord>,
    c: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delassus: Option<Csr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bodies: Option<Bodies>,
}

#[derive(Deserialize)]
struct CoulombFile {
    #[serde(default)]
    name: String,
    dimension: usize,
    friction: Vec<f64>,
    c: Vec<f64>,
    delassus: Csr,
}

impl InclusionProblem {
    /// The problem as text of the format `stickslip/inclusion-problem`, version 1. Numbers are
    /// written so that they read back to the last bit.
    pub fn to_json(&self, name: &str) -> Result<String, FileError> {
        let mut delassus = Csr { indptr: vec![0], indices: Vec::new(), data: Vec::new() };
        let mut row = 0;
        for block_row in 0..self.delassus.block_count() {
            let blocks: Vec<(usize, &[f64])> = self.delassus.row(block_row).collect();
            let height = self.contacts[block_row].dim;
            for i in 0..height {
                for (column, block) in &blocks {
                    let width = self.contacts[*column].dim;
                    for j in 0..width {
                        delassus.indices.push(self.delassus.offset(*column) + j);
                        delassus.data.push(block[i * width + j]);
                    }
                }
                row += 1;
                delassus.indptr.push(delassus.data.len());
            }
        }
        debug_assert_eq!(row, self.dim());
        let contacts = self
            .contacts
            .iter()
            .map(|contact| ContactRecord {
                laws: self
                    .laws_of(contact)
                    .iter()
                    .map(|law| LawRecord { set: law.set.clone(), reservoir: law.reservoir })
                    .collect(),
            })
            .collect();
        let file = GeneralFile {
            format: GENERAL.into(),
            version: 1,
            name: name.into(),
            contacts,
            c: self.c.clone(),
            delassus: self.bodies.is_none().then_some(delassus),
            bodies: self.bodies.clone(),
        };
        serde_json::to_string(&file).map_err(|source| FileError::Json { expected: GENERAL, source })
    }

    /// Reads a problem of the format `stickslip/inclusion-problem` or `stickslip/contact-problem`.
    pub fn from_json(text: &str) -> Result<Named, FileError> {
        let header: Header = parse("problem", text)?;
        match (header.format.as_str(), header.version) {
            (GENERAL, 1) => {
                let file: GeneralFile = parse(GENERAL, text)?;
                // A set in a file can claim any dimension: compare before anything is built on it.
                let laws = file.contacts.iter().flat_map(|contact| &contact.laws);
                let claimed = laws.fold(0_usize, |n, law| n.saturating_add(law.set.dim()));
                if claimed != file.c.len() {
                    let (expected, found) = (claimed, file.c.len());
                    return Err(ProblemError::Dimension { expected, found }.into());
                }
                let mut problem = InclusionProblem::new();
                for contact in file.contacts {
                    problem.push_contact(contact.laws.into_iter().map(|l| (l.set, l.reservoir)));
                }
                match (file.delassus, file.bodies) {
                    (Some(delassus), None) => finish(problem, file.name, delassus, file.c),
                    (None, Some(bodies)) => {
                        problem.set_bodies(bodies, file.c)?;
                        Ok(Named { name: file.name, problem })
                    }
                    _ => Err(FileError::Matrix),
                }
            }
            (COULOMB, 1) => {
                let file: CoulombFile = parse(COULOMB, text)?;
                if file.dimension != 2 && file.dimension != 3 {
                    return Err(ProblemError::SpaceDimension(file.dimension).into());
                }
                let mut problem = InclusionProblem::new();
                for mu in &file.friction {
                    problem.push_coulomb_contact(*mu, file.dimension - 1);
                }
                finish(problem, file.name, file.delassus, file.c)
            }
            _ => Err(FileError::Format { found: header.format, version: header.version }),
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(expected: &'static str, text: &'a str) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|source| FileError::Json { expected, source })
}

fn finish(
    mut problem: InclusionProblem,
    name: String,
    csr: Csr,
    c: Vec<f64>,
) -> Result<Named, FileError> {
    let dims: Vec<usize> = problem.contacts.iter().map(|k| k.dim).collect();
    let delassus = BlockSparse::from_csr(&dims, &csr.indptr, &csr.indices, &csr.data)
        .map_err(|e| ProblemError::Structure(e.0))?;
    problem.set_data(delassus, c)?;
    Ok(Named { name, problem })
}
