//! The frames of the pages, with styles and scripts.

use super::squeeze::squeezed;
use std::io::{self, Write};

const STYLE: &str = include_str!("../../assets/report.css");

/// Signs of styles that need no blanks.
const STYLE_SIGNS: &[&str] = &[": ", "; ", ", ", " {"];

/// A kind of page: its frame, and its scripts in the order in which they build on each other.
pub struct Page {
    template: &'static str,
    /// What it has besides.
    extra: Extra,
    scripts: &'static [&'static str],
}

/// What one kind of page has and another with the same frame has not.
struct Extra {
    /// More styles, and the class of the main part.
    style: &'static str,
    class: &'static str,
    /// What it may load besides.
    policy: &'static str,
    /// More elements in front of the view.
    elements: &'static str,
}

const NOTHING: Extra = Extra { style: "", class: "", policy: "", elements: "" };

/// What all pages share.
const SHARED: &[&str] = &[
    include_str!("../../assets/data.js"),
    include_str!("../../assets/contacts.js"),
    include_str!("../../assets/geometry.js"),
    include_str!("../../assets/shaders.js"),
    include_str!("../../assets/camera.js"),
    include_str!("../../assets/renderer.js"),
    include_str!("../../assets/arrows.js"),
    include_str!("../../assets/joints.js"),
    include_str!("../../assets/view.js"),
    include_str!("../../assets/player.js"),
    include_str!("../../assets/plots.js"),
    include_str!("../../assets/charts.js"),
    include_str!("../../assets/columns.js"),
    include_str!("../../assets/ball.js"),
    include_str!("../../assets/panels.js"),
    include_str!("../../assets/sheets.js"),
];

/// One run.
pub const REPORT: Page = Page {
    template: include_str!("../../assets/report.html"),
    extra: NOTHING,
    scripts: &[
        include_str!("../../assets/bodies.js"),
        include_str!("../../assets/export.js"),
        include_str!("../../assets/page.js"),
    ],
};

/// A run that is turned by hand, live.
pub const LAB: Page = Page {
    template: include_str!("../../assets/report.html"),
    extra: Extra {
        style: include_str!("../../assets/lab.css"),
        class: " class=\"lab\"",
        policy: "; connect-src 'self'; frame-src 'self'",
        elements: include_str!("../../assets/lab.html"),
    },
    scripts: &[
        include_str!("../../assets/bodies.js"),
        include_str!("../../assets/export.js"),
        include_str!("../../assets/page.js"),
        include_str!("../../assets/editor.js"),
        include_str!("../../assets/knobs.js"),
        include_str!("../../assets/lab.js"),
    ],
};

/// Several runs side by side.
pub const COMPARE: Page = Page {
    template: include_str!("../../assets/compare.html"),
    extra: NOTHING,
    scripts: &[include_str!("../../assets/compare.js")],
};

/// Writes a page with this title and these data, which must be JSON.
///
/// Names and texts of a scene come from strangers. Outside the data there is only the title, as
/// escaped text; in the data no `<` remains, so that they cannot end their element; and the scripts
/// put texts into the page as text alone.
pub fn write(page: &Page, title: &str, data: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = page.template;
    while let Some((before, behind)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let (key, behind) = behind.split_once("}}").unwrap_or((behind, ""));
        match key {
            "title" => out.write_all(escaped(title).as_bytes())?,
            "style" => [STYLE, page.extra.style]
                .iter()
                .try_for_each(|style| out.write_all(tight(&slim(style), STYLE_SIGNS).as_bytes()))?,
            "class" => out.write_all(page.extra.class.as_bytes())?,
            "policy" => out.write_all(page.extra.policy.as_bytes())?,
            "extra" => out.write_all(page.extra.elements.as_bytes())?,
            "data" => out.write_all(data.replace('<', "\\u003c").as_bytes())?,
            "scripts" => SHARED
                .iter()
                .chain(page.scripts)
                .try_for_each(|script| out.write_all(squeezed(&slim(script)).as_bytes()))?,
            _ => {}
        }
        rest = behind;
    }
    out.write_all(rest.as_bytes())
}

/// A script, or styles, without comments on lines of their own and without indentation, within templates too.
fn slim(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let mut slim = String::with_capacity(text.len());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        slim.push_str(line);
        slim.push('\n');
    }
    slim
}

/// A text in which these signs have no blanks about them.
fn tight(text: &str, signs: &[&str]) -> String {
    signs.iter().fold(text.to_owned(), |text, sign| text.replace(sign, sign.trim()))
}

/// Text for HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
