//! Links between pages and to files: what they lead to must be there.

use crate::markdown::{options, parts};
use crate::summary::normal;
use pulldown_cmark::{Event, Parser, Tag};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file or page.
    File,
    /// A picture.
    Picture,
    /// A place on the same page.
    Anchor,
}

/// A link that stays within the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it leads to.
    pub kind: Kind,
    /// The path as it is written, without the anchor.
    pub path: String,
    /// The anchor.
    pub anchor: Option<String>,
}

impl Link {
    /// A link as it is written; nothing if it leads elsewhere.
    pub fn new(written: &str, picture: bool) -> Option<Self> {
        let elsewhere = ["http:", "https:", "mailto:", "data:"];
        if elsewhere.iter().any(|scheme| written.starts_with(scheme)) {
            return None;
        }
        let (path, anchor) = written.split_once('#').map_or((written, None), |(p, a)| (p, Some(a)));
        let kind = match (path.is_empty(), picture) {
            (true, _) => Kind::Anchor,
            (_, true) => Kind::Picture,
            _ => Kind::File,
        };
        Some(Self { kind, path: path.to_owned(), anchor: anchor.map(str::to_owned) })
    }
}

/// The links of a page that stay within the sources.
pub fn local_links(text: &str) -> Vec<Link> {
    let link = |event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Link::new(&dest_url, false),
        Event::Start(Tag::Image { dest_url, .. }) => Link::new(&dest_url, true),
        _ => None,
    };
    Parser::new_ext(text, options()).filter_map(link).collect()
}

/// Links of the pages (paths relative to the root) that lead nowhere.
pub fn dead_links(root: &Path, pages: &[PathBuf]) -> Vec<String> {
    let mut anchors: HashMap<PathBuf, Vec<String>> = HashMap::new();
    let mut complaints = Vec::new();
    for page in pages {
        let Ok(text) = fs::read_to_string(root.join(page)) else {
            complaints.push(format!("{}: cannot be read", page.display()));
            continue;
        };
        for link in local_links(&text) {
            let to = match link.kind {
                Kind::Anchor => page.clone(),
                _ => normal(&page.parent().unwrap_or(Path::new("")).join(&link.path)),
            };
            let shown = format!("{}: {}", page.display(), link.path);
            if !root.join(&to).exists() {
                complaints.push(format!("{shown} does not exist"));
                continue;
            }
            let Some(anchor) = link.anchor else { continue };
            let known = anchors.entry(to.clone()).or_insert_with(|| {
                let text = fs::read_to_string(root.join(&to)).unwrap_or_default();
                parts(&text).into_iter().map(|part| part.anchor).collect()
            });
            if !known.contains(&anchor) {
                complaints.push(format!("{shown} has no heading #{anchor}"));
            }
        }
    }
    complaints
}

/// Links of the pages of a site that lead nowhere: every `href` and `src` of its HTML.
pub fn dead_links_of_site(site: &Path) -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![site.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "html") {
                pages.push(path);
            }
        }
    }
    let mut complaints = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap_or_default();
        for written in attributes(&text) {
            let Some(link) = Link::new(&written, false) else { continue };
            let to = match link.kind {
                Kind::Anchor => page.clone(),
                _ => normal(&page.parent().unwrap_or(site).join(&link.path)),
            };
            if !to.exists() {
                complaints.push(format!("{}: {written} does not exist", page.display()));
            } else if let Some(anchor) = link.anchor.filter(|a| !a.is_empty()) {
                let there = fs::read_to_string(&to).unwrap_or_default();
                if !there.contains(&format!("id=\"{anchor}\"")) {
                    complaints.push(format!("{}: {written} has no such place", page.display()));
                }
            }
        }
    }
    complaints
}

/// The values of `href` and `src`.
fn attributes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in [" href=\"", " src=\""] {
        for (at, _) in text.match_indices(name) {
            let value = &text[at + name.len()..];
            let end = value.find('"').unwrap_or(0);
            let plain = value[..end].replace("&amp;", "&");
            found.push(percent_decoded(&plain));
        }
    }
    found
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let code = text_of(others).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.get(..2)?).ok()
}

#[cfg(test)]
mod tests {
    use super::{Kind, Link, attributes};

    #[test]
    fn links_to_elsewhere_are_left_alone() {
        assert_eq!(Link::new("https://rustup.rs", false), None);
        let link = Link::new("laws.md#impact", false).expect("a link");
        assert_eq!((link.kind, link.path.as_str()), (Kind::File, "laws.md"));
        assert_eq!(Link::new("#here", false).map(|l| l.kind), Some(Kind::Anchor));
    }

    #[test]
    fn attributes_are_found_and_decoded() {
        let text = "<a class=\"x\" href=\"a.html#%C2%B5\">b</a> <img src=\"c.png\">";
        assert_eq!(attributes(text), ["a.html#µ", "c.png"]);
    }
}
