//! The site as it is built: links, pages, pictures.

#![allow(clippy::expect_used)] // helpers of tests

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_site::links::{dead_links, dead_links_of_site};
use stickslip_site::{gallery, reference, root, site, summary};

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n  {}\n", complaints.join("\n  "));
}

/// All Markdown files of the root and of docs/, relative to the root.
fn markdown() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("docs")];
    let mut take = |folder: &Path, folders: &mut Vec<PathBuf>, deeper: bool| {
        for entry in fs::read_dir(root().join(folder)).expect("a folder").flatten() {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() && deeper {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    };
    take(Path::new(""), &mut Vec::new(), false);
    while let Some(folder) = folders.pop() {
        take(&folder, &mut folders, true);
    }
    found.sort();
    found
}

#[test]
fn no_link_of_the_pages_is_dead() {
    let pages = markdown();
    assert!(pages.len() > 25, "the pages were not found");
    report(dead_links(&root(), &pages));
}

#[test]
fn every_page_of_docs_is_on_the_site_once() {
    let listed = site::listed(&summary::sections(&root()).expect("a list of pages"));
    let once: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a page is listed twice");
    let in_docs =
        markdown().into_iter().filter(|p| p.starts_with("docs") && !p.ends_with("SUMMARY.md"));
    let missing: Vec<PathBuf> = in_docs.filter(|p| !once.contains(p)).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn the_site_is_built_and_has_no_dead_link() {
    let out = std::env::temp_dir().join(format!("stickslip-site-test-{}", std::process::id()));
    let count = site::write(&root(), &out).expect("a site");
    let complaints = dead_links_of_site(&out);
    let index = fs::read_to_string(out.join(site::INDEX)).expect("a page");
    let search = fs::read_to_string(out.join("assets/index.js")).expect("an index");
    let theory = fs::read_to_string(out.join("docs/theory.html")).expect("a page");
    // Written twice it replaces itself; a folder of somebody else stays as it is.
    let again = site::write(&root(), &out);
    fs::remove_dir_all(&out).expect("a folder");
    fs::create_dir_all(&out).expect("a folder");
    fs::write(out.join("mine.txt"), "").expect("a file");
    let refused = site::write(&root(), &out);
    fs::remove_dir_all(&out).expect("a folder");
    report(complaints);
    assert_eq!(again, Ok(count));
    assert!(refused.is_err_and(|e| e.contains("other files")));
    assert!(count > 25 && index.contains("id=\"search\"") && search.contains("Signorini"));
    assert!(theory.contains("<math") && !theory.contains("$$") && !theory.contains("http://"));
    for text in [&index, &theory] {
        let asks = text.matches("src=\"http").count()
            + text.matches("<link rel=\"stylesheet\" href=\"http").count();
        assert_eq!(asks, 0, "the site asks for something of the network");
    }
}

#[test]
fn pages_that_are_made_are_up_to_date() {
    for (path, text) in
        [(gallery::PAGE, gallery::page(&root())), (reference::PAGE, reference::page(&root()))]
    {
        let text = text.expect("a page");
        let kept = fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(kept == text, "{path} is old: cargo run -p stickslip-site -- --pages");
    }
}

#[test]
fn every_scene_has_its_picture() {
    let pictures = root().join("docs").join(gallery::PICTURES);
    let names = gallery::names(&root()).expect("scenes");
    let missing: Vec<&String> =
        names.iter().filter(|n| !pictures.join(format!("{n}.jpg")).exists()).collect();
    assert!(missing.is_empty(), "no picture of {missing:?}: docs/pictures.sh makes them");
    let size: u64 = fs::read_dir(&pictures)
        .expect("a folder")
        .flatten()
        .filter_map(|e| Some(e.metadata().ok()?.len()))
        .sum();
    assert!(size < 2_000_000, "the pictures have {size} bytes");
}

#[test]
fn the_moving_picture_is_small() {
    let length = fs::metadata(root().join("docs/images/tippe-top.gif")).expect("a picture").len();
    assert!(length < 1_000_000, "{length} bytes");
}
