//! What can be wrong with a scene.

use std::fmt;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the file, at this line (from 1).
    Line(usize),
    /// In an override; the argument as it was given.
    Override(String),
    /// Nowhere: it is a default, or it is missing.
    Default,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file as the user named it.
    pub source: String,
    /// Where in it.
    pub origin: Origin,
    /// Dotted key; empty if the file could not be read at all.
    pub key: String,
    /// Key, value, and what is allowed.
    pub message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Line(line) => write!(f, "{}:{line}: {}", self.source, self.message),
            Origin::Override(argument) => write!(f, "--set {argument}: {}", self.message),
            Origin::Default => write!(f, "{}: {}", self.source, self.message),
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
    pub(crate) fn new(source: &str, origin: Origin, key: &str, message: String) -> Self {
        let complaint = Complaint { source: source.into(), origin, key: key.into(), message };
        Self { complaints: vec![complaint] }
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
