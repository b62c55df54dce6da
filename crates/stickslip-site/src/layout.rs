//! The frame of a page: navigation, search, the pages before and after.

use crate::markdown::{escaped, target};
use crate::summary::{Listed, Section};
use std::path::Path;

/// A page of the site with its frame. `index` is its place among all listed pages.
pub fn page(sections: &[Section], index: usize, body: &str) -> String {
    let all: Vec<&Listed> = sections.iter().flat_map(|s| &s.pages).collect();
    let here = all[index];
    let up = "../".repeat(here.path.components().count().saturating_sub(1));
    let link = |to: &Listed| format!("{up}{}", web_path(&to.path));
    let mut navigation = String::new();
    for section in sections {
        navigation += &format!("<h2>{}</h2>\n<ul>\n", escaped(&section.title));
        for listed in &section.pages {
            let current = if listed.path == here.path { " aria-current=\"page\"" } else { "" };
            let title = escaped(&listed.title);
            navigation += &format!("<li><a href=\"{}\"{current}>{title}</a></li>\n", link(listed));
        }
        navigation += "</ul>\n";
    }
    let beside = |found: Option<&&Listed>, class: &str, words: &str| {
        found.map_or(String::new(), |listed| {
            let (href, title) = (link(listed), escaped(&listed.title));
            format!("<a class=\"{class}\" rel=\"{class}\" href=\"{href}\"><small>{words}</small>{title}</a>")
        })
    };
    let before = beside(index.checked_sub(1).and_then(|i| all.get(i)), "prev", "before");
    let after = beside(all.get(index + 1), "next", "next");
    let title = escaped(&here.title);
    format!(
        "<!doctype html>\n<html lang=\"en\" data-up=\"{up}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title} · stickslip</title>\n<link rel=\"stylesheet\" href=\"{up}assets/site.css\">\n\
         <script src=\"{up}assets/theme.js\"></script></head>\n<body>\n\
         <header><button id=\"menu\" aria-label=\"pages\" aria-expanded=\"false\">☰</button>\
         <a class=\"name\" href=\"{up}index.html\">stickslip</a>\
         <div class=\"search\"><input id=\"search\" type=\"search\" placeholder=\"search\" \
         aria-label=\"search the pages\" autocomplete=\"off\"><div id=\"found\" hidden></div></div>\
         <button id=\"theme\" aria-label=\"light or dark\">◐</button></header>\n\
         <nav id=\"pages\" aria-label=\"pages\">{navigation}</nav>\n\
         <main>\n{body}\n<footer>{before}{after}</footer></main>\n\
         <script src=\"{up}assets/index.js\" defer></script>\n\
         <script src=\"{up}assets/site.js\" defer></script>\n</body></html>\n"
    )
}

/// Where a page of the sources is on the site.
pub fn web_path(path: &Path) -> String {
    target(&path.to_string_lossy().replace('\\', "/"))
}
