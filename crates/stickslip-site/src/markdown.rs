//! Markdown to HTML: headings with anchors, links between pages, formulas, blocks of code.

use crate::snippets::Snippet;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{RenderConfig, Storage};
use std::collections::HashMap;

/// How the pages are read.
pub fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH
}

/// A heading of a page and the text below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// 1 is the title of the page.
    pub level: usize,
    /// The heading.
    pub title: String,
    /// Its anchor.
    pub anchor: String,
    /// All words up to the next heading.
    pub words: String,
}

/// The parts of a page in their order; what stands before the first heading has no title.
pub fn parts(text: &str) -> Vec<Part> {
    let mut anchors = Anchors::default();
    let mut parts = vec![Part::default()];
    let mut heading: Option<Part> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some(Part { level: level as usize, ..Part::default() });
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some(mut part) = heading.take() else { continue };
                part.anchor = anchors.next(&part.title);
                parts.push(part);
            }
            Event::Text(words) | Event::Code(words) | Event::InlineMath(words) => {
                match (&mut heading, parts.last_mut()) {
                    (Some(part), _) => part.title += &words,
                    (None, Some(part)) => part.words += &words,
                    (None, None) => {}
                }
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::TableCell | TagEnd::Item) => {
                if let Some(part) = parts.last_mut() {
                    part.words.push(' ');
                }
            }
            _ => {}
        }
    }
    parts
}

/// Anchors as GitHub makes them: small letters, spaces as dashes, no punctuation, numbered if they repeat.
#[derive(Default)]
struct Anchors(HashMap<String, usize>);

impl Anchors {
    fn next(&mut self, title: &str) -> String {
        let kept = |c: char| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c),
            _ => None,
        };
        let plain: String = title.trim().to_lowercase().chars().filter_map(kept).collect();
        let count = self.0.entry(plain.clone()).or_default();
        *count += 1;
        if *count == 1 { plain } else { format!("{plain}-{}", *count - 1) }
    }
}

/// Where a link to a page of the sources leads on the site.
pub fn target(link: &str) -> String {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(p, a)| (p, Some(a)));
    let mut path = path.to_owned();
    if !path.contains("://")
        && let Some(stem) = path.strip_suffix(".md")
    {
        path = match stem.strip_suffix("README") {
            Some(folder) => format!("{folder}index.html"),
            None => format!("{stem}.html"),
        };
    }
    anchor.map_or(path.clone(), |anchor| format!("{path}#{anchor}"))
}

/// A formula as MathML.
pub fn formula(latex: &str, block: bool) -> Result<String, String> {
    let storage = Storage::new();
    let parser = pulldown_latex::Parser::new(latex, &storage);
    let display_mode = if block { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut text = String::new();
    pulldown_latex::push_mathml(&mut text, parser, config).map_err(|e| e.to_string())?;
    if text.contains("<merror") {
        Err(format!("the formula {latex} cannot be read"))
    } else {
        Ok(text)
    }
}

/// The page as HTML, without its frame.
pub fn html(text: &str) -> Result<String, String> {
    let mut anchors = parts(text).into_iter().skip(1);
    let mut events: Vec<Event> = Vec::new();
    let mut code: Option<Snippet> = None;
    let raw = |text: String| Event::Html(CowStr::from(text));
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let anchor = anchors.next().unwrap_or_default().anchor;
                events.push(raw(format!("<{level} id=\"{anchor}\">")));
            }
            Event::End(TagEnd::Heading(level)) => events.push(raw(format!("</{level}>\n"))),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = target(&dest_url).into();
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Table(columns)) => {
                events.push(raw("<div class=\"wide\">".into()));
                events.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                events.push(raw("</div>".into()));
            }
            Event::InlineMath(latex) => {
                events.push(Event::InlineHtml(formula(&latex, false)?.into()));
            }
            Event::DisplayMath(latex) => {
                let shown = formula(&latex, true)?;
                events.push(Event::InlineHtml(
                    format!("<span class=\"formula\">{shown}</span>").into(),
                ));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let words = match &kind {
                    CodeBlockKind::Fenced(words) => words.as_ref(),
                    CodeBlockKind::Indented => "",
                };
                code = Some(Snippet::from_words(words));
            }
            Event::Text(part) if code.is_some() => {
                if let Some(snippet) = &mut code {
                    snippet.text += &part;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                events.extend(code.take().map(|snippet| raw(block(&snippet))));
            }
            // Comments in the sources are for the tests.
            Event::Html(part) if part.trim_start().starts_with("<!--") || part.contains("-->") => {}
            other => events.push(other),
        }
    }
    let mut page = String::new();
    html::push_html(&mut page, without_comments(events).into_iter());
    Ok(page)
}

/// Drops what is left of comments of several lines.
fn without_comments(events: Vec<Event>) -> Vec<Event> {
    let mut inside = false;
    let keep = |event: &Event| {
        match event {
            Event::Start(Tag::HtmlBlock) => inside = true,
            Event::End(TagEnd::HtmlBlock) => inside = false,
            Event::Html(_) if inside => return false,
            _ => {}
        }
        true
    };
    events.into_iter().filter(keep).collect()
}

/// A block of code with its file or the reason why no test runs it.
fn block(snippet: &Snippet) -> String {
    let mut note = String::new();
    if let Some(file) = &snippet.file {
        note = format!("<figcaption>{}</figcaption>", escaped(file));
    }
    if let Some(why) = &snippet.no_run {
        note = format!("<figcaption>not run by the tests: {}</figcaption>", escaped(why));
    }
    let lines: Vec<String> = snippet.text.lines().map(|l| line(&snippet.language, l)).collect();
    let language = escaped(&snippet.language);
    format!(
        "<figure class=\"code\">{note}<pre><code class=\"{language}\">{}</code></pre></figure>\n",
        lines.join("\n")
    )
}

/// A line of code with its comment and its prompt marked.
fn line(language: &str, text: &str) -> String {
    let marked =
        |class: &str, text: &str| format!("<span class=\"{class}\">{}</span>", escaped(text));
    if language == "console" {
        return match text.strip_prefix("$ ") {
            Some(command) => format!("{}{}", marked("prompt", "$ "), escaped(command)),
            None => marked("printed", text),
        };
    }
    if !["sh", "toml", "python"].contains(&language) {
        return escaped(text);
    }
    let begins = |at: &usize| *at == 0 || text[..*at].ends_with("  ");
    match text.match_indices('#').map(|(at, _)| at).find(begins) {
        Some(at) => format!("{}{}", escaped(&text[..at]), marked("comment", &text[at..])),
        None => escaped(text),
    }
}

/// Text for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{formula, html, parts, target};

    #[test]
    fn anchors_are_those_of_github() {
        let text = "# A page\n\n## What `rattle` is\n\n## [simulation] and [solver]\n\n## Zwei: µ, λ_N\n\n## A page\n";
        let anchors: Vec<String> = parts(text).into_iter().map(|p| p.anchor).collect();
        let expected =
            ["", "a-page", "what-rattle-is", "simulation-and-solver", "zwei-µ-λ_n", "a-page-1"];
        assert_eq!(anchors, expected);
    }

    #[test]
    fn links_between_pages_stay_links() {
        assert_eq!(target("laws.md#laws-of-impact"), "laws.html#laws-of-impact");
        assert_eq!(target("../README.md"), "../index.html");
        assert_eq!(target("https://a.org/b.md"), "https://a.org/b.md");
        assert_eq!(target("#here"), "#here");
    }

    #[test]
    fn a_formula_is_set_and_a_wrong_one_is_an_error() {
        let set = formula(r"\frac{a}{b} \in \mathcal{N}_C(\Lambda)", true).expect("a formula");
        assert!(set.contains("<mfrac>") && set.contains("display=\"block\""), "{set}");
        assert!(formula(r"\notacommand{x", false).is_err());
    }

    #[test]
    fn code_has_its_caption_and_comments_of_the_sources_are_gone() {
        let page = html(
            "<!-- scene:\na = 1\n\nb = 2\n-->\n```sh no-run: no network\npip install .  # now\n```\n",
        );
        let page = page.expect("a page");
        assert!(page.contains("not run by the tests: no network"), "{page}");
        assert!(page.contains("<span class=\"comment\"># now</span>"), "{page}");
        assert!(!page.contains("scene:") && !page.contains("b = 2"), "{page}");
    }
}
