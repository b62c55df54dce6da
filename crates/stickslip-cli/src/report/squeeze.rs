//! Scripts without what only people need: comments, indentation, and blanks beside signs.
//!
//! Every page carries its scripts, and a short run weighs little besides. Texts, templates and regular
//! expressions stay as they are; nothing is renamed, so that a page can still be read.

/// A script without blanks that do nothing.
pub fn squeezed(script: &str) -> String {
    Squeezer { text: script.chars().collect(), at: 0, out: String::with_capacity(script.len()) }
        .run()
}

/// Behind these signs a line goes on or another begins by itself.
const OPEN_ENDS: &[char] = &[';', '{', ',', '(', '[', '\n'];
/// Behind these signs a slash begins a regular expression.
const BEFORE_PATTERN: &[char] =
    &['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '>', '\n'];

struct Squeezer {
    text: Vec<char>,
    at: usize,
    out: String,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl Squeezer {
    fn run(mut self) -> String {
        while let Some(&c) = self.text.get(self.at) {
            match c {
                '"' | '\'' => self.quoted(c),
                '`' => self.template(),
                '/' if self.next() == Some('/') => self.comment(),
                '/' if self.begins_pattern() => self.pattern(),
                ' ' | '\n' => self.blanks(),
                _ => self.copy(),
            }
        }
        self.out
    }

    fn next(&self) -> Option<char> {
        self.text.get(self.at + 1).copied()
    }

    /// The last sign that was kept.
    fn last(&self) -> char {
        self.out.chars().next_back().unwrap_or('\n')
    }

    fn copy(&mut self) {
        self.out.extend(self.text.get(self.at));
        self.at += 1;
    }

    /// A text up to its closing quote.
    fn quoted(&mut self, quote: char) {
        self.copy();
        while let Some(&c) = self.text.get(self.at) {
            self.copy();
            match c {
                '\\' => self.copy(),
                c if c == quote => return,
                _ => {}
            }
        }
    }

    /// A template with what is in its braces, which may hold texts and templates again.
    fn template(&mut self) {
        self.copy();
        while let Some(&c) = self.text.get(self.at) {
            if c == '$' && self.next() == Some('{') {
                self.copy();
                self.braces();
                continue;
            }
            self.copy();
            match c {
                '\\' => self.copy(),
                '`' => return,
                _ => {}
            }
        }
    }

    fn braces(&mut self) {
        let mut depth = 0;
        while let Some(&c) = self.text.get(self.at) {
            match c {
                '"' | '\'' => self.quoted(c),
                '`' => self.template(),
                _ => {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    self.copy();
                    if depth == 0 {
                        return;
                    }
                }
            }
        }
    }

    fn begins_pattern(&self) -> bool {
        let before = self.out.trim_end_matches(' ');
        before.chars().next_back().is_none_or(|c| BEFORE_PATTERN.contains(&c))
            || before.ends_with("return")
    }

    fn pattern(&mut self) {
        self.copy();
        let mut in_class = false;
        while let Some(&c) = self.text.get(self.at) {
            self.copy();
            match c {
                '\\' => self.copy(),
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => return,
                '\n' => return,
                _ => {}
            }
        }
    }

    /// Up to the end of the line.
    fn comment(&mut self) {
        while self.text.get(self.at).is_some_and(|&c| c != '\n') {
            self.at += 1;
        }
    }

    /// Blanks and ends of lines, of which at most one is kept.
    fn blanks(&mut self) {
        let mut has_line = false;
        while let Some(&c) = self.text.get(self.at).filter(|c| [' ', '\n'].contains(c)) {
            has_line |= c == '\n';
            self.at += 1;
        }
        let (before, behind) = (self.last(), self.text.get(self.at).copied().unwrap_or('\n'));
        // A comment ends with its line, which comes here again.
        let is_comment = behind == '/' && self.next() == Some('/');
        if has_line {
            if !OPEN_ENDS.contains(&before) && behind != '}' {
                self.out.push('\n');
            }
        } else if !is_comment
            && ((is_word(before) && is_word(behind))
                || before == '/'
                || behind == '/'
                || (before == behind && ['+', '-'].contains(&before)))
        {
            self.out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::squeezed;

    #[test]
    fn blanks_beside_signs_go_and_those_between_words_stay() {
        let cases = [
            ("const a = b + c;\n", "const a=b+c;"),
            ("return x;\nreturn \"a  b\";", "return x;return\"a  b\";"),
            ("if (a) {\n  // why\n  b();\n}\nc();\n", "if(a){b();}\nc();\n".trim_end()),
            ("a = 1; // one\nb = 2;", "a=1;b=2;"),
            ("const f = () => a - -b + +c;", "const f=()=>a- -b+ +c;"),
            ("const x = a / b / c;", "const x=a / b / c;"),
            ("s.replace(/ \\/ [ /]/g, ' ')", "s.replace(/ \\/ [ /]/g,' ')"),
            ("`a ${ b + `c  ${d} e` } // f`  + 1", "`a ${ b + `c  ${d} e` } // f`+1"),
            ("'it\\'s  // no comment'", "'it\\'s  // no comment'"),
            ("const a = 1\nconst b = 2", "const a=1\nconst b=2"),
            ("return /x y/.test( z )", "return /x y/.test(z)"),
        ];
        for (script, wanted) in cases {
            assert_eq!(squeezed(script), wanted);
        }
    }

    #[test]
    fn what_does_not_end_is_copied_to_its_end() {
        for script in ["\"abc", "`a ${ b", "/ab[", "'a\\", "// a"] {
            let _ = squeezed(script);
        }
        assert_eq!(squeezed("\"abc"), "\"abc");
    }
}
