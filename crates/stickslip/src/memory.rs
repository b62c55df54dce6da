//! Everything that changes in a run as plain numbers, so that it can be kept and go on bit for bit.
//!
//! What is kept tells a [`Tape`] its values one after the other; the same words in the same order
//! write them and read them, so that the two cannot disagree.

/// Named sections of 64-bit words; real numbers stand in them by their bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The sections in the order in which they were written.
    pub sections: Vec<Section>,
}

/// A section of a [`Memory`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// What it holds.
    pub name: String,
    /// Its values; a list begins with its length.
    pub words: Vec<u64>,
}

/// Why a memory cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Another section than the one that is expected.
    #[error(
        "the saved state has {found:?} where {expected:?} is expected: it belongs to another system, \
         integrator or version"
    )]
    Section {
        /// The section that is read.
        expected: String,
        /// The section that is there; empty at the end.
        found: String,
    },
    /// Another grid of steps.
    #[error("the saved state is not on the grid of steps: simulation.step or output_step differs")]
    Grid,
    /// A section that is too short or too long, or a value that means nothing.
    #[error("the saved state is damaged in {section:?}, or belongs to another system")]
    Content {
        /// The section.
        section: String,
    },
}

/// Writes to a [`Memory`] or reads from it.
#[derive(Clone, Debug)]
pub struct Tape {
    memory: Memory,
    reads: bool,
    /// Number of sections begun, and words of the last one passed, while reading.
    section: usize,
    word: usize,
    error: Option<MemoryError>,
}

impl Tape {
    /// A tape that writes.
    pub fn writer() -> Self {
        Self { reads: false, ..Self::reader(Memory::default()) }
    }

    /// A tape that reads.
    pub fn reader(memory: Memory) -> Self {
        Self { memory, reads: true, section: 0, word: 0, error: None }
    }

    /// Whether values are read, so that what follows from them must be computed again.
    pub fn reads(&self) -> bool {
        self.reads
    }

    /// Begins a section.
    pub fn section(&mut self, name: &str) {
        if !self.reads {
            self.memory.sections.push(Section { name: name.into(), words: Vec::new() });
            return;
        }
        self.check_length();
        let found = self.memory.sections.get(self.section).map_or("", |s| &s.name);
        if found != name {
            let (expected, found) = (name.to_owned(), found.to_owned());
            self.error.get_or_insert(MemoryError::Section { expected, found });
        }
        self.section += 1;
        self.word = 0;
    }

    fn present(&self) -> Option<&Section> {
        self.memory.sections.get(self.section.checked_sub(1)?)
    }

    /// All words of a section must have been read.
    fn check_length(&mut self) {
        if self.present().is_some_and(|section| section.words.len() != self.word) {
            self.refuse();
        }
    }

    /// Refuses what was read: it means nothing here.
    pub fn refuse(&mut self) {
        let section = self.present().map_or(String::new(), |section| section.name.clone());
        self.error.get_or_insert(MemoryError::Content { section });
    }

    /// One word; the value stays as it is where nothing can be read.
    pub fn whole(&mut self, value: &mut u64) {
        if !self.reads {
            if let Some(section) = self.memory.sections.last_mut() {
                section.words.push(*value);
            }
        } else if self.error.is_none() {
            match self.present().and_then(|section| section.words.get(self.word)) {
                Some(word) => *value = *word,
                None => self.refuse(),
            }
            self.word += 1;
        }
    }

    /// A real number.
    pub fn real(&mut self, value: &mut f64) {
        let mut bits = value.to_bits();
        self.whole(&mut bits);
        *value = f64::from_bits(bits);
    }

    /// Several real numbers.
    pub fn reals<'a>(&mut self, values: impl IntoIterator<Item = &'a mut f64>) {
        values.into_iter().for_each(|value| self.real(value));
    }

    /// A number of things.
    pub fn size(&mut self, value: &mut usize) {
        let mut word = *value as u64;
        self.whole(&mut word);
        match usize::try_from(word) {
            Ok(size) => *value = size,
            Err(_) => self.refuse(),
        }
    }

    /// One of the values of a list.
    pub fn choice<T: Copy + PartialEq>(&mut self, value: &mut T, all: &[T]) {
        let mut place = all.iter().position(|one| one == value).unwrap_or(all.len());
        self.size(&mut place);
        match all.get(place) {
            Some(chosen) => *value = *chosen,
            None => self.refuse(),
        }
    }

    /// Yes or no.
    pub fn flag(&mut self, value: &mut bool) {
        self.choice(value, &[false, true]);
    }

    /// A list, each of whose entries takes at least one word.
    pub fn list<T: Default>(&mut self, list: &mut Vec<T>, each: impl FnMut(&mut Self, &mut T)) {
        let mut length = list.len();
        self.size(&mut length);
        if self.reads {
            let left = self.present().map_or(0, |s| s.words.len().saturating_sub(self.word));
            if length > left {
                self.refuse();
            }
            if self.error.is_some() {
                return;
            }
            list.resize_with(length, T::default);
        }
        let mut each = each;
        list.iter_mut().for_each(|entry| each(self, entry));
    }

    /// A list of real numbers.
    pub fn numbers(&mut self, list: &mut Vec<f64>) {
        self.list(list, Tape::real);
    }

    /// Something that may be missing.
    pub fn option<T: Default>(&mut self, value: &mut Option<T>, each: impl Fn(&mut Self, &mut T)) {
        let mut is_there = value.is_some();
        self.flag(&mut is_there);
        if is_there {
            each(self, value.get_or_insert_default());
        } else {
            *value = None;
        }
    }

    /// What was written, or what was read if all of it was understood.
    pub fn finish(mut self) -> Result<Memory, MemoryError> {
        if self.reads {
            self.check_length();
            if self.section < self.memory.sections.len() {
                let found = self.memory.sections[self.section].name.clone();
                self.error.get_or_insert(MemoryError::Section { expected: String::new(), found });
            }
        }
        self.error.map_or(Ok(self.memory), Err)
    }
}
