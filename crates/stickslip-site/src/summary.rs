//! The order of the pages: docs/SUMMARY.md.

use crate::read;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};

/// Where the list of pages is.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// Pages under a common heading.
pub struct Section {
    /// The heading.
    pub title: String,
    /// The pages in their order.
    pub pages: Vec<Listed>,
}

/// A page of the list.
pub struct Listed {
    /// What it is called in the navigation.
    pub title: String,
    /// Its file, relative to the root.
    pub path: PathBuf,
}

/// The sections of the list.
pub fn sections(root: &Path) -> Result<Vec<Section>, String> {
    parse(&read(&root.join(SUMMARY))?)
}

fn parse(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    let mut words = String::new();
    let mut target = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => words.clear(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                words.clear();
                target = Some(dest_url.to_string());
            }
            Event::Text(part) | Event::Code(part) => words += &part,
            Event::End(TagEnd::Heading(pulldown_cmark::HeadingLevel::H2)) => {
                sections.push(Section { title: words.clone(), pages: Vec::new() });
            }
            Event::End(TagEnd::Link) => {
                let path = normal(&Path::new("docs").join(target.take().unwrap_or_default()));
                let listed = Listed { title: words.clone(), path };
                let section = sections.last_mut();
                section.ok_or(format!("{SUMMARY}: a page before any section"))?.pages.push(listed);
            }
            _ => {}
        }
    }
    Ok(sections)
}

/// The path without `..` and `.`.
pub fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                parts.pop();
            }
            std::path::Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn pages_stand_under_their_sections() {
        let text = "# All\n\n## Learn\n\n- [One](tutorial/1.md)\n- [Home](../README.md)\n";
        let sections = parse(text).expect("a list");
        assert_eq!((sections.len(), sections[0].title.as_str()), (1, "Learn"));
        let paths: Vec<_> = sections[0].pages.iter().map(|p| p.path.to_string_lossy()).collect();
        assert_eq!(paths, ["docs/tutorial/1.md", "README.md"]);
        assert!(parse("- [One](1.md)").is_err());
    }
}
