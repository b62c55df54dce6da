//! Problem files: which format, which problem.

use crate::lcp::Lcp;
use serde::Deserialize;
use std::path::Path;
use stickslip::problem::InclusionProblem;

/// What a file poses.
pub enum Problem {
    /// Contacts with set-valued laws.
    Inclusion(Box<InclusionProblem>),
    /// A linear complementarity problem.
    Lcp(Lcp),
}

/// A problem and what to call it.
pub struct Input {
    /// The name in the file, or else the name of the file.
    pub name: String,
    /// The problem.
    pub problem: Problem,
}

/// The formats that [`read`] knows, each in version 1.
const FORMATS: [&str; 3] =
    ["stickslip/inclusion-problem", "stickslip/contact-problem", "stickslip/lcp"];

#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
    #[serde(default)]
    name: String,
}

/// Reads a problem file; the error is a sentence without the name of the file.
pub fn read(path: &Path) -> Result<Input, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    let text = String::from_utf8(bytes).map_err(|e| format!("is not text in UTF-8: {e}"))?;
    let header: Header =
        serde_json::from_str(&text).map_err(|e| format!("is not a JSON problem file: {e}"))?;
    let format = header.format.unwrap_or_default();
    if !FORMATS.contains(&format.as_str()) || header.version != Some(1) {
        let version = header.version.map_or("missing".into(), |v| v.to_string());
        return Err(format!(
            "format is {format:?}, version {version}; known are {}, each in version 1",
            FORMATS.map(|f| format!("{f:?}")).join(", ")
        ));
    }
    let name = if header.name.trim().is_empty() { stem(path) } else { header.name };
    let problem = if format == FORMATS[2] {
        Problem::Lcp(Lcp::from_json(&text)?)
    } else {
        let named = InclusionProblem::from_json(&text).map_err(|e| e.to_string())?;
        Problem::Inclusion(Box::new(named.problem))
    };
    Ok(Input { name, problem })
}

/// Name of a file without folder and last extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
