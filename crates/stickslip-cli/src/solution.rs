//! Solution files, so that anyone can check a residual.

use crate::output::{SolveRow, safe};
use serde::Serialize;
use std::collections::HashSet;
use std::path::PathBuf;

/// The numbers of a solution; the names are the JSON keys.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Numbers {
    /// Of an inclusion problem.
    Inclusion {
        /// Λ, N s.
        percussions: Vec<f64>,
        /// ξ = G Λ + c, m/s.
        relative_velocities: Vec<f64>,
    },
    /// Of a linear complementarity problem.
    Lcp {
        /// The solution x; none if there is none or none was found.
        x: Option<Vec<f64>>,
        /// y = A x + b.
        y: Option<Vec<f64>>,
        /// Every x that complete enumeration found.
        #[serde(skip_serializing_if = "Option::is_none")]
        solutions: Option<Vec<Vec<f64>>>,
    },
}

#[derive(Serialize)]
struct SolutionFile<'a> {
    format: &'static str,
    version: u64,
    name: &'a str,
    solver: &'a str,
    status: &'static str,
    iterations: Option<usize>,
    residual: Option<f64>,
    #[serde(flatten)]
    numbers: &'a Numbers,
}

/// The folder for solutions, and the file names given out so far.
pub struct SolutionFolder {
    folder: PathBuf,
    used: HashSet<String>,
}

impl SolutionFolder {
    /// Creates the folder if it is missing.
    pub fn create(folder: PathBuf) -> Result<Self, String> {
        std::fs::create_dir_all(&folder)
            .map_err(|e| format!("--write-solutions {}: {e}", folder.display()))?;
        Ok(Self { folder, used: HashSet::new() })
    }

    /// Writes `<name>.solution.json`. A second problem of that name in this run becomes
    /// `<name>-2`, and so on; only then the path is returned, so that the user can be told.
    pub fn write(&mut self, row: &SolveRow, numbers: &Numbers) -> Result<Option<PathBuf>, String> {
        let (name, renamed) = self.unused(&row.name);
        let path = self.folder.join(format!("{name}.solution.json"));
        let file = SolutionFile {
            format: "stickslip/solution",
            version: 1,
            name: &row.name,
            solver: &row.solver,
            status: row.status,
            iterations: row.iterations,
            residual: row.residual,
            numbers,
        };
        serde_json::to_string(&file)
            .map_err(std::io::Error::from)
            .and_then(|text| std::fs::write(&path, text + "\n"))
            .map_err(|e| format!("the solution cannot be written to {}: {e}", path.display()))?;
        Ok(renamed.then_some(path))
    }

    fn unused(&mut self, name: &str) -> (String, bool) {
        let name = safe(name, "problem");
        let mut candidate = name.clone();
        let mut number = 1;
        // Some file systems do not tell upper from lower case.
        while !self.used.insert(candidate.to_lowercase()) {
            number += 1;
            candidate = format!("{name}-{number}");
        }
        (candidate, number > 1)
    }
}
