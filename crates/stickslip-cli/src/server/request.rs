//! Requests and answers.

use std::fs::File;

/// What a browser asks for.
#[derive(Debug, Default)]
pub struct Request {
    /// `GET`, `HEAD` or `POST`.
    pub method: String,
    /// The path with its escapes resolved, beginning with `/`.
    pub path: String,
    /// What stands behind `?`, as it was sent.
    pub query: String,
    /// What was sent with it.
    pub body: Vec<u8>,
}

impl Request {
    /// A whole number of the query.
    pub fn number(&self, key: &str) -> Option<u64> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| *name == key).find_map(|(_, value)| value.parse().ok())
    }
}

/// What is answered.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The type of the content.
    pub kind: &'static str,
    /// The content.
    pub body: Body,
    /// The name under which the browser is to save it.
    pub save_as: Option<String>,
}

/// The content of an answer.
pub enum Body {
    /// As bytes.
    Bytes(Vec<u8>),
    /// As a file of this length.
    File(File, u64),
}

impl Answer {
    /// Bytes of a kind.
    pub fn new(status: u16, kind: &'static str, body: Vec<u8>) -> Self {
        Self { status, kind, body: Body::Bytes(body), save_as: None }
    }

    /// A sentence.
    pub fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text.as_bytes().to_vec())
    }

    /// There is no such thing.
    pub fn not_found() -> Self {
        Self::text(404, "no such file\n")
    }
}

/// Text with its %-escapes resolved; nothing if they are wrong.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        bytes.push(is_hex.then(|| u8::from_str_radix(digits, 16).ok())??);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}
