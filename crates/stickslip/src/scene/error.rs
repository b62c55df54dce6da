//! What can be wrong with a scene.

use super::excerpt::FilePlace;
use std::fmt;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the file.
    File(FilePlace),
    /// In an override; the argument as it was given.
    Override(String),
    /// Nowhere: it is a default, or it is missing.
    Default,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It is wrong.
    #[default]
    Wrong,
    /// It is too large: a limit of the program.
    Limit,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file as the user named it; empty if the message names it.
    pub source: String,
    /// Where in it.
    pub origin: Origin,
    /// Dotted key; empty if the file could not be read at all.
    pub key: String,
    /// Why.
    pub cause: Cause,
    /// Key, value, and what is allowed.
    pub message: String,
}

/// The place and the message in the first line; then, if it is in the file, the line of the file
/// with carets under what is wrong.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, message, .. } = self;
        match &self.origin {
            Origin::File(place) => {
                write!(f, "{source}:{}:{}: {message}\n{place}", place.line, place.column)
            }
            Origin::Override(argument) => write!(f, "--set {argument}: {message}"),
            Origin::Default if source.is_empty() => f.write_str(message),
            Origin::Default => write!(f, "{source}: {message}"),
        }
    }
}

/// Everything that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// At least one.
    pub complaints: Vec<Complaint>,
}

impl SceneError {
    pub(crate) fn new(source: &str, origin: Origin, cause: Cause, message: String) -> Self {
        let (source, key) = (source.into(), String::new());
        Self { complaints: vec![Complaint { source, origin, key, cause, message }] }
    }

    /// Whether a limit of the program is the only reason.
    pub fn is_limit(&self) -> bool {
        self.complaints.iter().all(|complaint| complaint.cause == Cause::Limit)
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, complaint) in self.complaints.iter().enumerate() {
            if position > 0 {
                writeln!(f)?;
            }
            write!(f, "{complaint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// The nearest of the known words, if one is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer ones are no slip of the pen, and comparing them takes time.
    if word.len() > 100 {
        return None;
    }
    let most = (word.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= most && *distance < candidate.len())
        .map(|(_, candidate)| candidate)
}

/// `a`, `b` or `c`.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("{only:?}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|w| format!("{w:?}")).collect();
            format!("{} or {last:?}", first.join(", "))
        }
    }
}
