//! The documentation as a site: `cargo run -p stickslip-site` reads the pages that docs/SUMMARY.md lists and
//! writes HTML that needs no network, with navigation, search and set formulas.
//!
//! Two pages are made by the program and checked in, so that they can be read without the site: the gallery
//! ([`gallery`]) and the reference of scene files ([`mod@reference`]). What the tests run of the pages is found by
//! [`snippets`], and what they link to by [`links`].

#![forbid(unsafe_code)]

pub mod gallery;
mod layout;
pub mod links;
pub mod markdown;
pub mod reference;
pub mod site;
pub mod snippets;
pub mod summary;

use std::path::{Path, PathBuf};

/// The root of the sources.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The text of a file of the sources, or a message that names it.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
