//! Writes the site.

use crate::links::{Kind, local_links};
use crate::markdown::{html, parts};
use crate::summary::{Section, normal, sections};
use crate::{layout, read};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The first page.
pub const INDEX: &str = "index.html";
/// Marks a folder as ours: only such a folder, or an empty one, is replaced.
const MARK: &str = "assets/written-by-stickslip-site";

const ASSETS: &[(&str, &[u8])] = &[
    ("site.css", include_bytes!("../assets/site.css")),
    ("site.js", include_bytes!("../assets/site.js")),
    ("theme.js", include_bytes!("../assets/theme.js")),
    ("math.woff2", include_bytes!("../assets/math.woff2")),
    ("math-font-LICENSE", include_bytes!("../assets/math-font-LICENSE")),
    ("written-by-stickslip-site", b""),
];

/// Writes all pages, what they show and link to, and the index of the search; tells how many pages.
pub fn write(root: &Path, out: &Path) -> Result<usize, String> {
    let sections = sections(root)?;
    let paths: Vec<PathBuf> = listed(&sections);
    prepare(out)?;
    let mut index = Vec::new();
    let mut files = BTreeSet::new();
    for (number, path) in paths.iter().enumerate() {
        let text = read(&root.join(path))?;
        let body = html(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let page = layout::page(&sections, number, &body);
        let place = layout::web_path(path);
        put(out, &place, page.as_bytes())?;
        let title = parts(&text).get(1).map_or(String::new(), |p| p.title.clone());
        for part in parts(&text) {
            let words: Vec<&str> = part.words.split_whitespace().collect();
            index.push(json!([place, part.anchor, title, part.title, words.join(" ")]));
        }
        for link in local_links(&text) {
            let folder = path.parent().unwrap_or(Path::new(""));
            let to = normal(&folder.join(&link.path));
            if link.kind != Kind::Anchor && !paths.contains(&to) && root.join(&to).is_file() {
                files.insert(to);
            }
        }
    }
    for file in &files {
        let content = fs::read(root.join(file)).map_err(|e| format!("{}: {e}", file.display()))?;
        put(out, &file.to_string_lossy(), &content)?;
    }
    let index = serde_json::to_string(&index).map_err(|e| e.to_string())?;
    put(out, "assets/index.js", format!("window.searchIndex = {index};\n").as_bytes())?;
    for (name, content) in ASSETS {
        put(out, &format!("assets/{name}"), content)?;
    }
    Ok(paths.len())
}

/// The files of all pages.
pub fn listed(sections: &[Section]) -> Vec<PathBuf> {
    sections.iter().flat_map(|s| &s.pages).map(|page| page.path.clone()).collect()
}

/// An empty folder; an earlier site in it is removed, other files are not.
fn prepare(out: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", out.display());
    if out.exists() {
        let empty = fs::read_dir(out).map_err(failed)?.next().is_none();
        if !empty && !out.join(MARK).exists() {
            return Err(format!("{}: the folder holds other files", out.display()));
        }
        fs::remove_dir_all(out).map_err(failed)?;
    }
    fs::create_dir_all(out).map_err(failed)
}

fn put(out: &Path, name: &str, content: &[u8]) -> Result<(), String> {
    let path = out.join(name);
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&path, content).map_err(failed)
}
