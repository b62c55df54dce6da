//! Pieces of code on the pages, and how a test takes them.
//!
//! The first word after the fence is the language, the others say more:
//!
//! | fence | what a test does |
//! |---|---|
//! | `sh` | runs it; all of a page in one folder |
//! | `sh short` | runs it with a short `simulation.duration` |
//! | `console` | runs what follows `$ ` and compares what it prints |
//! | `toml` | `stickslip check`; a comment in front, `<!-- scene: ... -->`, holds the rest of the scene |
//! | `python` | runs it; all of a page as one program |
//! | `rust` | is a documentation test of the library |
//! | `usage` | looks for every option in the help of the command |
//! | `... file=NAME` | writes it to a file of the folder first |
//! | `... no-run: WHY` | nothing; the site says why |

use crate::markdown::options;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A block of code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snippet {
    /// The first word behind the fence; empty if there is none.
    pub language: String,
    /// Whether it is run with a short duration.
    pub short: bool,
    /// The file that it is.
    pub file: Option<String>,
    /// Why no test runs it.
    pub no_run: Option<String>,
    /// The rest of a scene, from the comment in front.
    pub rest: Option<String>,
    /// The code.
    pub text: String,
    /// Its line on the page, from 1.
    pub line: usize,
}

impl Snippet {
    /// What the words behind a fence say.
    pub fn from_words(words: &str) -> Self {
        let (words, no_run) = match words.split_once("no-run:") {
            Some((words, why)) => (words, Some(why.trim().to_owned())),
            None => (words, None),
        };
        let mut words = words.split_whitespace();
        let language = words.next().unwrap_or_default().to_owned();
        let mut snippet = Self { language, no_run, ..Self::default() };
        for word in words {
            match word.split_once('=') {
                Some(("file", name)) => snippet.file = Some(name.to_owned()),
                _ => snippet.short |= word == "short",
            }
        }
        snippet
    }
}

/// All blocks of code of a page, those without a fence too, which have no language.
pub fn snippets(text: &str) -> Vec<Snippet> {
    let mut found: Vec<Snippet> = Vec::new();
    let mut open: Option<Snippet> = None;
    let mut comment = String::new();
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let words = match &kind {
                    CodeBlockKind::Fenced(words) => words.as_ref(),
                    CodeBlockKind::Indented => "",
                };
                let rest = comment.trim().strip_prefix("<!-- scene:");
                let rest = rest.map(|r| r.trim_end_matches("-->").to_owned());
                let line = 1 + text[..range.start].matches('\n').count();
                open = Some(Snippet { rest, line, ..Snippet::from_words(words) });
                comment.clear();
            }
            Event::Text(part) if open.is_some() => {
                if let Some(snippet) = &mut open {
                    snippet.text += &part;
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            Event::Html(part) => comment += &part,
            Event::Start(Tag::HtmlBlock) => comment.clear(),
            Event::End(TagEnd::HtmlBlock) => {}
            _ => comment.clear(),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Snippet, snippets};

    #[test]
    fn words_behind_a_fence() {
        let snippet = Snippet::from_words("sh no-run: takes minutes");
        assert_eq!((snippet.language.as_str(), snippet.short), ("sh", false));
        assert_eq!(snippet.no_run.as_deref(), Some("takes minutes"));
        assert!(Snippet::from_words("sh short").short);
        assert_eq!(Snippet::from_words("toml file=a.toml").file.as_deref(), Some("a.toml"));
    }

    #[test]
    fn blocks_are_found_with_their_lines_and_the_rest_of_a_scene() {
        let text = "# A\n\n<!-- scene:\nformat = 1\n-->\n```toml\na = 1\n```\n\n    indented\n\n- x\n\n  ```sh\n  ls\n  ```\n";
        let all = snippets(text);
        let lines: Vec<_> = all.iter().map(|s| (s.language.as_str(), s.line)).collect();
        assert_eq!(lines, [("toml", 6), ("", 10), ("sh", 14)]);
        assert_eq!(all[0].rest.as_deref().map(str::trim), Some("format = 1"));
        assert_eq!(all[0].text, "a = 1\n");
        assert_eq!(all[2].text, "ls\n");
    }
}
