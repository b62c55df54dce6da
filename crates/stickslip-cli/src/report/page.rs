//! The frame of the page, with styles and scripts.

use std::io::{self, Write};

const TEMPLATE: &str = include_str!("../../assets/report.html");
const STYLE: &str = include_str!("../../assets/report.css");
/// In the order in which they build on each other.
const SCRIPTS: [&str; 12] = [
    include_str!("../../assets/data.js"),
    include_str!("../../assets/geometry.js"),
    include_str!("../../assets/shaders.js"),
    include_str!("../../assets/camera.js"),
    include_str!("../../assets/renderer.js"),
    include_str!("../../assets/view.js"),
    include_str!("../../assets/player.js"),
    include_str!("../../assets/plots.js"),
    include_str!("../../assets/charts.js"),
    include_str!("../../assets/panels.js"),
    include_str!("../../assets/sheets.js"),
    include_str!("../../assets/page.js"),
];

/// Writes the page with this title and these data, which must be JSON.
///
/// Names and texts of a scene come from strangers. Outside the data there is only the title, as
/// escaped text; in the data no `<` remains, so that they cannot end their element; and the scripts
/// put texts into the page as text alone.
pub fn write(title: &str, data: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, behind)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let (key, behind) = behind.split_once("}}").unwrap_or((behind, ""));
        match key {
            "title" => out.write_all(escaped(title).as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "data" => out.write_all(data.replace('<', "\\u003c").as_bytes())?,
            "scripts" => SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes()))?,
            _ => {}
        }
        rest = behind;
    }
    out.write_all(rest.as_bytes())
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
