//! The place of an error in a file, and how it is shown.

use std::fmt;
use std::ops::Range;

/// Most characters of a line that are shown.
const WIDTH: usize = 96;

/// A place in a file with the text around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, or the part of it around the place; without control characters.
    pub excerpt: String,
    /// Which characters of the excerpt are meant.
    pub marked: Range<usize>,
}

impl FilePlace {
    /// The place of some bytes of a text.
    pub(crate) fn new(text: &str, bytes: Range<usize>) -> Self {
        let floor = |position: usize| {
            let position = position.min(text.len());
            (0..=position).rev().find(|p| text.is_char_boundary(*p)).unwrap_or(0)
        };
        let (start, end) = (floor(bytes.start), floor(bytes.end.max(bytes.start)));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |position| position + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |position| start + position);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let column = text[line_start..start].chars().count();
        let length = text[start..end.clamp(start, line_end)].trim_end().chars().count().max(1);
        // Around the place, if the line is long.
        let first = if column + length.min(WIDTH / 2) < WIDTH { 0 } else { column - WIDTH / 3 };
        let shown = |c: char| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        };
        let mut rest = text[line_start..line_end].trim_end().chars().skip(first);
        let mut excerpt: String = rest.by_ref().take(WIDTH).map(shown).collect();
        let mut begin = column - first;
        if first > 0 {
            excerpt.insert_str(0, "...");
            begin += 3;
        }
        let room = excerpt.chars().count().max(begin + 1);
        if rest.next().is_some() {
            excerpt.push_str("...");
        }
        let marked = begin..(begin + length).min(room);
        Self { line, column: column + 1, excerpt, marked }
    }
}

/// ```text
///   |
/// 3 | mas = 1
///   | ^^^
/// ```
impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, excerpt, marked, .. } = self;
        let width = line.to_string().len();
        let (spaces, carets) = (" ".repeat(marked.start), "^".repeat(marked.len()));
        write!(f, "{:width$} |\n{line} | {excerpt}\n{:width$} | {spaces}{carets}", "", "")
    }
}
