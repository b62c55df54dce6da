//! How much a text would take to read, before it is read: reading takes some 270 bytes for each value.

/// Most work: 1 for every sign between words, 4 for one that begins a value, 8 if that has a key.
const MOST_WORK: usize = 1_050_000;
/// Deepest nesting of lists and tables.
pub(super) const MOST_DEPTH: usize = 80;

/// Why a text is too large, in a sentence, and where that shows; linear in the text.
pub(super) fn excess(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut work, mut depth, mut at) = (0, 0_usize, 0);
    while at < bytes.len() {
        let end = match bytes[at] {
            b'#' => past(bytes, at, b"\n"),
            quote @ (b'"' | b'\'') => past_string(bytes, at, quote),
            _ => at + 1,
        };
        match bytes[at] {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        work += match bytes[at] {
            b'=' => 8,
            b',' | b'[' | b'{' => 4,
            byte => usize::from(!(byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))),
        };
        if depth > MOST_DEPTH {
            let message =
                format!("lists and tables are nested too deeply; {MOST_DEPTH} levels are allowed");
            return Some((at, message));
        }
        if work > MOST_WORK {
            let message = format!("it has too many values; about {} are allowed", MOST_WORK / 4);
            return Some((at, message));
        }
        at = end;
    }
    None
}

/// Behind the next one of these bytes.
fn past(bytes: &[u8], from: usize, ends: &[u8]) -> usize {
    let found = bytes[from..].iter().position(|byte| ends.contains(byte));
    found.map_or(bytes.len(), |position| from + position + 1)
}

/// Behind a string. One that does not end on its line is wrong, and ends there.
fn past_string(bytes: &[u8], begin: usize, quote: u8) -> usize {
    let three = [quote; 3];
    let is_long = bytes[begin..].starts_with(&three);
    let mut at = begin + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            byte if is_long && byte == quote && bytes[at..].starts_with(&three) => return at + 3,
            byte if !is_long && (byte == quote || byte == b'\n') => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}
