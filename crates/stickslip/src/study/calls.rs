//! Calls within the text of an expression that another evaluator takes over.

/// A call that was taken out.
pub(super) struct Call {
    pub function: &'static str,
    pub arguments: Vec<String>,
}

/// The text with `placeholder[k]` in place of the k-th call of one of these functions. `max` and `min` of several
/// arguments stay, and a function without brackets has no arguments.
pub(super) fn split_calls(
    text: &str,
    functions: &[&'static str],
    placeholder: &str,
) -> (String, Vec<Call>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (mut out, mut calls): (String, Vec<Call>) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        let Some(function) = functions.iter().copied().find(|own| *own == word) else {
            out.push_str(word);
            continue;
        };
        let (arguments, behind) = match behind.trim_start().strip_prefix('(') {
            Some(inside) => match closed(inside) {
                Some(found) => found,
                None => {
                    out.push_str(word);
                    continue;
                }
            },
            // `period` alone.
            None if function == "period" => (Vec::new(), behind),
            None => {
                out.push_str(word);
                continue;
            }
        };
        if arguments.len() > 1 && matches!(function, "max" | "min") {
            out.push_str(word);
            continue;
        }
        out.push_str(&format!("{placeholder}[{}]", calls.len()));
        calls.push(Call { function, arguments });
        rest = behind;
    }
    (out, calls)
}

/// The arguments up to the bracket that closes, and what stands behind it.
fn closed(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut open, mut begin) = (0_usize, 0);
    let mut arguments = Vec::new();
    for (place, c) in text.char_indices() {
        match c {
            '(' | '[' => open += 1,
            ')' if open == 0 => {
                arguments.push(text[begin..place].trim().to_owned());
                return Some((arguments, &text[place + 1..]));
            }
            ')' | ']' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                arguments.push(text[begin..place].trim().to_owned());
                begin = place + 1;
            }
            _ => {}
        }
    }
    None
}
