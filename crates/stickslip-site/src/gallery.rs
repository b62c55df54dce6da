//! The gallery: every scene with its picture, what its file says about it, and the command.

use crate::read;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Where the page is.
pub const PAGE: &str = "docs/gallery.md";
/// Where its pictures are, relative to the page; docs/pictures.sh makes them.
pub const PICTURES: &str = "images/gallery";
const SCENES: &str = "scenes";

const BEGIN: &str = "\
# Gallery

<!-- Made of the files in scenes/ by `cargo run -p stickslip-site -- --pages`; do not edit. -->

Every scene that ships, with a picture from its own report page (`docs/pictures.sh` makes them) and what the
first lines of its file say. `stickslip run NAME` runs one, `stickslip copy NAME` writes its file to
change it.
";

/// The names of the scenes, in the order of the alphabet.
pub fn names(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join(SCENES);
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

/// The page.
pub fn page(root: &Path) -> Result<String, String> {
    let names = names(root)?;
    let links: Vec<String> = names.iter().map(|name| format!("[{name}](#{name})")).collect();
    let mut text = format!("{BEGIN}\n{}\n", links.join(" ·\n"));
    for name in names {
        let file = read(&root.join(SCENES).join(format!("{name}.toml")))?;
        let caption = caption(&file).unwrap_or(&name).replace(['[', ']'], "");
        let _ = write!(
            text,
            "\n## {name}\n\n[![{caption}]({PICTURES}/{name}.jpg)](../{SCENES}/{name}.toml)\n\n{}\n\n\
             ```sh short\nstickslip run {name}\n```\n",
            first_lines(&file).join("\n\n")
        );
    }
    Ok(text)
}

/// The comment at the start of a scene, in paragraphs.
fn first_lines(file: &str) -> Vec<String> {
    let comment = file.lines().take_while(|line| line.starts_with('#'));
    let lines: Vec<&str> = comment.map(|line| line.trim_start_matches('#')).collect();
    let paragraphs = lines.split(|line| line.trim().is_empty());
    paragraphs
        .filter(|p| !p.is_empty())
        .map(paragraph)
        .filter(|p| !is_for_readers_of_files(p))
        .collect()
}

/// How values are written in files does not belong into a gallery.
fn is_for_readers_of_files(paragraph: &str) -> bool {
    paragraph.starts_with("Values may have a unit") || paragraph.starts_with("Every key")
}

/// Lines of a paragraph; those that begin farther to the right are formulas, on lines of their own.
fn paragraph(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let formula = line.starts_with("  ");
        let gap = match (text.is_empty(), formula) {
            (true, _) => "",
            (false, true) => "  \n",
            (false, false) if text.ends_with('\u{200b}') => "  \n",
            (false, false) => "\n",
        };
        text += gap;
        text += &escaped(line.trim());
        if formula {
            text.push('\u{200b}');
        }
    }
    text.replace('\u{200b}', "")
}

/// Text that is no Markdown, as Markdown: what looks like a formula or emphasis stays as it is; words in
/// backquotes stay code, and so do options.
fn escaped(line: &str) -> String {
    let mut text = String::new();
    let mut code = false;
    for letter in line.chars() {
        code ^= letter == '`';
        if !code && ['*', '_', '<', '>', '|', '[', ']', '$'].contains(&letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// The value of `caption`.
fn caption(file: &str) -> Option<&str> {
    let line = file.lines().find_map(|line| line.strip_prefix("caption = \""))?;
    line.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::{caption, first_lines};

    #[test]
    fn the_comment_at_the_begin_is_told_and_nothing_else() {
        let file = "# A ball.\n#\n# It has x_1:\n#   a * b\n# and `y_2`.\n#\n# Values may have a unit: x\n\n# no\nformat = 1\ncaption = \"a ball\"\n";
        assert_eq!(first_lines(file), ["A ball.", "It has x\\_1:  \na \\* b  \nand `y_2`."]);
        assert_eq!(caption(file), Some("a ball"));
    }
}
