//! Linear complementarity problems and their solutions as JSON files.

use super::{LcpError, LinearComplementarityProblem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A linear complementarity problem together with the name that its file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLcp {
    /// Name of the problem; empty if the file has none.
    pub name: String,
    /// The problem.
    pub problem: LinearComplementarityProblem,
}

/// Why a text is not a linear complementarity problem.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum LcpFileError {
    #[error("not valid JSON for a {FORMAT} file: {0}")]
    Json(#[from] serde_json::Error),
    #[error("format is {found:?}, version {version}; known is {FORMAT:?}, version 1")]
    Format { found: String, version: u64 },
    #[error(transparent)]
    Problem(#[from] LcpError),
}

/// Name of the format.
const FORMAT: &str = "stickslip/lcp";

#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
}

/// Entries are read as any JSON value, so that a wrong one is reported by row and column.
#[derive(Deserialize)]
struct InputFile {
    #[serde(default)]
    name: String,
    #[serde(rename = "A")]
    a: Vec<Vec<Value>>,
    b: Vec<Value>,
}

#[derive(Serialize)]
struct OutputFile<'a> {
    format: &'static str,
    version: u64,
    name: &'a str,
    #[serde(rename = "A")]
    a: Vec<&'a [f64]>,
    b: &'a [f64],
}

impl LinearComplementarityProblem {
    /// Reads a problem of the format `stickslip/lcp`, version 1:
    /// `{"format": "stickslip/lcp", "version": 1, "name": "...", "A": [[...], ...], "b": [...]}`.
    pub fn from_json(text: &str) -> Result<NamedLcp, LcpFileError> {
        let header: Header = serde_json::from_str(text)?;
        if header.format != FORMAT || header.version != 1 {
            return Err(LcpFileError::Format { found: header.format, version: header.version });
        }
        let file: InputFile = serde_json::from_str(text)?;
        let mut rows = Vec::with_capacity(file.a.len());
        for (row, values) in file.a.iter().enumerate() {
            let mut numbers = Vec::with_capacity(values.len());
            for (column, value) in values.iter().enumerate() {
                numbers.push(value.as_f64().ok_or_else(|| LcpError::Matrix {
                    row,
                    column,
                    value: value.to_string(),
                })?);
            }
            rows.push(numbers);
        }
        let mut b = Vec::with_capacity(file.b.len());
        for (row, value) in file.b.iter().enumerate() {
            b.push(
                value.as_f64().ok_or_else(|| LcpError::Vector { row, value: value.to_string() })?,
            );
        }
        Ok(NamedLcp { name: file.name, problem: Self::from_rows(&rows, &b)? })
    }

    /// The problem as text of the format `stickslip/lcp`, version 1. Numbers are written so that
    /// they read back to the last bit.
    pub fn to_json(&self, name: &str) -> Result<String, LcpFileError> {
        let a = (0..self.dim()).map(|row| self.row(row)).collect();
        let file = OutputFile { format: FORMAT, version: 1, name, a, b: self.b() };
        Ok(serde_json::to_string(&file)?)
    }
}
