//! States of a run in a file, from which it can go on.
//!
//! docs/file-formats.md describes the format. A record is one call of the system at the end of the file, with
//! its length and checksum in front: what a crash leaves of one is not taken for a record. What changes records
//! that are there writes another file and puts it in the place of the first.

use super::simulation::SavedState;
use crate::memory::{Memory, Section};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// First bytes of the file; the number is the version.
const MARK: &[u8; 20] = b"stickslip/archive 1\n";
/// Bytes in front of the body of a record: its length and its checksum.
const FRONT: u64 = 12;
/// Records, and bytes, beyond which records are thinned.
const MOST_RECORDS: usize = 1000;
const MOST_BYTES: u64 = 256 << 20;
/// Name of the section that says where a record belongs.
const PLACE: &str = "place";

/// Why an archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is no archive.
    #[error("{} is no archive: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Where in a run a record belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecordPlace {
    /// Time, s.
    pub t: f64,
    /// Steps done.
    pub steps: u64,
    /// Rows of output so far.
    pub rows: u64,
    /// Bytes of the table up to there.
    pub table_bytes: u64,
    /// Computing time so far, s.
    pub seconds: f64,
    /// Whether the run ended here as its settings say: perhaps off the grid on which a longer run goes on.
    pub is_end: bool,
}

impl RecordPlace {
    fn section(&self) -> Section {
        let Self { t, steps, rows, table_bytes, seconds, is_end } = *self;
        let words = vec![t.to_bits(), steps, rows, table_bytes, seconds.to_bits(), is_end.into()];
        Section { name: PLACE.into(), words }
    }

    fn read(section: &Section) -> Option<Self> {
        let &[t, steps, rows, table_bytes, seconds, is_end] = section.words.as_slice() else {
            return None;
        };
        let (t, seconds, is_end) = (f64::from_bits(t), f64::from_bits(seconds), is_end != 0);
        let good = section.name == PLACE && t.is_finite() && seconds.is_finite();
        good.then_some(Self { t, steps, rows, table_bytes, seconds, is_end })
    }
}

/// A record in the file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    place: RecordPlace,
    offset: u64,
    bytes: u64,
}

/// A file of states of one run, in the order of time.
///
/// ```
/// use stickslip::prelude::*;
///
/// let scene = Scene::load("bouncing-ball", &["simulation.duration=0.2 s"])?;
/// let mut simulation = scene.simulate()?;
/// simulation.run_until(0.1)?;
/// let path = std::env::temp_dir().join(format!("{}.archive", std::process::id()));
/// simulation.save(&path, &scene.to_toml())?;
///
/// let (_, mut other) = Scene::resume(&path)?;
/// assert_eq!((other.t(), other.q()), (simulation.t(), simulation.q()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    about: String,
    entries: Vec<Entry>,
    /// Where the next record begins.
    end: u64,
}

impl Archive {
    /// A new archive without records in place of what is there. `about` is the scene as a file, from which the
    /// system can be built again; it may be empty.
    pub fn create(path: &Path, about: &str) -> Result<Self, ArchiveError> {
        let mut archive = Self::written(path, about)?;
        archive.replace()?;
        Ok(archive)
    }

    /// A new archive with one record, written as a whole, in place of what is there.
    pub fn save(
        path: &Path,
        about: &str,
        place: RecordPlace,
        state: &SavedState,
    ) -> Result<(), ArchiveError> {
        let mut archive = Self::written(path, about)?;
        archive.append(place, state)?;
        archive.replace()
    }

    /// A file beside the archive, with the text alone.
    fn written(path: &Path, about: &str) -> Result<Self, ArchiveError> {
        let part = part_of(path);
        let wrong = |error| ArchiveError::File { path: part.clone(), error };
        match fs::remove_file(&part) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(wrong(e)),
            _ => {}
        }
        let options = OpenOptions::new().read(true).write(true).create_new(true).open(&part);
        let mut file = options.map_err(wrong)?;
        let first = framed(about.as_bytes());
        file.write_all(MARK).and_then(|()| file.write_all(&first)).map_err(wrong)?;
        let end = (MARK.len() + first.len()) as u64;
        Ok(Self { path: path.into(), file, about: about.into(), entries: Vec::new(), end })
    }

    /// Puts what was written beside the archive in its place.
    fn replace(&mut self) -> Result<(), ArchiveError> {
        fs::rename(part_of(&self.path), &self.path).map_err(|error| self.wrong(error))
    }

    /// Opens an archive. What a crash has left at its end is not taken for a record.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let wrong = |error| ArchiveError::File { path: path.into(), error };
        let content =
            |reason: &str| ArchiveError::Content { path: path.into(), reason: reason.into() };
        let writable = OpenOptions::new().read(true).write(true).open(path);
        let file = writable.or_else(|_| File::open(path)).map_err(wrong)?;
        let meta = file.metadata().map_err(wrong)?;
        if !meta.is_file() {
            return Err(content("it is no file"));
        }
        let length = meta.len();
        let mut reader = BufReader::new(file.try_clone().map_err(wrong)?);
        let mut mark = [0; MARK.len()];
        let read = reader.read_exact(&mut mark);
        if read.is_err() || &mark != MARK {
            return Err(content("its first line is not \"stickslip/archive 1\""));
        }
        let mut end = MARK.len() as u64;
        let first =
            body(&mut reader, length - end).ok_or_else(|| content("its scene is damaged"))?;
        end += FRONT + first.len() as u64;
        let about = String::from_utf8(first).map_err(|_| content("its scene is no text"))?;
        let mut entries = Vec::new();
        while let Some(bytes) = body(&mut reader, length - end) {
            let memory = decoded(&bytes);
            let place =
                memory.as_ref().and_then(|memory| RecordPlace::read(memory.sections.first()?));
            let Some(place) = place else { break };
            let bytes = FRONT + bytes.len() as u64;
            entries.push(Entry { place, offset: end, bytes });
            end += bytes;
        }
        Ok(Self { path: path.into(), file, about, entries, end })
    }

    fn wrong(&self, error: io::Error) -> ArchiveError {
        ArchiveError::File { path: self.path.clone(), error }
    }

    /// The scene of the run; may be empty.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Where the records belong.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = &RecordPlace> + ExactSizeIterator {
        self.entries.iter().map(|entry| &entry.place)
    }

    /// Reads a record.
    pub fn state(&mut self, number: usize) -> Result<SavedState, ArchiveError> {
        let entry = self.entries.get(number).copied();
        let found = entry.map(|entry| self.bytes_of(&entry)).transpose()?;
        let memory = found.and_then(|bytes| decoded(bytes.get(FRONT as usize..)?));
        let mut memory = memory.ok_or_else(|| ArchiveError::Content {
            path: self.path.clone(),
            reason: format!("it has no record {number}"),
        })?;
        memory.sections.remove(0);
        Ok(memory.into())
    }

    fn bytes_of(&mut self, entry: &Entry) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        let sought = self.file.seek(SeekFrom::Start(entry.offset));
        let read = sought.and_then(|_| (&self.file).take(entry.bytes).read_to_end(&mut bytes));
        read.map_err(|error| self.wrong(error))?;
        Ok(bytes)
    }

    /// Appends a record. Beyond 1000 records, or 256 MB, every other one is removed; the first and the last two
    /// stay.
    pub fn append(&mut self, place: RecordPlace, state: &SavedState) -> Result<(), ArchiveError> {
        self.push(place, &framed(&encoded(&place, state.memory())))?;
        if self.entries.len() > MOST_RECORDS || self.end > MOST_BYTES {
            self.thin_out()?;
        }
        Ok(())
    }

    fn push(&mut self, place: RecordPlace, record: &[u8]) -> Result<(), ArchiveError> {
        let offset = self.end;
        let sought = self.file.seek(SeekFrom::Start(offset));
        if let Err(error) = sought.and_then(|_| self.file.write_all(record)) {
            // What did not find room must not stand in the way of the next one.
            let _ = self.file.set_len(offset);
            return Err(self.wrong(error));
        }
        self.end += record.len() as u64;
        self.entries.push(Entry { place, offset, bytes: record.len() as u64 });
        // Behind it may be what a crash has left.
        self.file.set_len(self.end).map_err(|error| self.wrong(error))
    }

    /// Removes records so that those that stay are as many steps apart.
    fn thin_out(&mut self) -> Result<(), ArchiveError> {
        let count = self.entries.len();
        let steps = |number: usize| self.entries[number].place.steps;
        let total = steps(count - 1).saturating_sub(steps(0)) as f64;
        let apart = (2.0 * total / count as f64).max(1.0);
        let mut last = f64::NEG_INFINITY;
        let mut kept = Vec::new();
        for number in 0..count {
            // Half of the distance that one more or less makes.
            if number + 2 >= count || steps(number) as f64 >= last + 0.75 * apart {
                last = steps(number) as f64;
                kept.push(self.entries[number]);
            }
        }
        let about = self.about.clone();
        self.rewrite(&about, &kept)
    }

    /// Keeps the first `count` records alone, with another scene.
    pub fn cut(&mut self, count: usize, about: &str) -> Result<(), ArchiveError> {
        let kept = self.entries[..count.min(self.entries.len())].to_vec();
        self.rewrite(about, &kept)
    }

    fn rewrite(&mut self, about: &str, kept: &[Entry]) -> Result<(), ArchiveError> {
        let mut other = Self::written(&self.path, about)?;
        for entry in kept {
            let bytes = self.bytes_of(entry)?;
            other.push(entry.place, &bytes)?;
        }
        other.replace()?;
        *self = other;
        Ok(())
    }
}

/// The file beside another one in which its next content is written.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Length and checksum in front of a body.
fn framed(body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let mut out = Vec::with_capacity(body.len() + FRONT as usize);
    out.extend(length);
    out.extend(checksum(length, body).to_le_bytes());
    out.extend(body);
    out
}

fn checksum(length: [u8; 8], body: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&length);
    sum.update(body);
    sum.finalize()
}

/// The next body, of at most so many bytes with what stands in front; nothing if it is not whole.
fn body(reader: &mut impl Read, left: u64) -> Option<Vec<u8>> {
    let (mut length, mut sum) = ([0; 8], [0; 4]);
    reader.read_exact(&mut length).and_then(|()| reader.read_exact(&mut sum)).ok()?;
    let bytes = u64::from_le_bytes(length);
    if bytes > left.saturating_sub(FRONT) {
        return None;
    }
    let mut body = Vec::new();
    reader.take(bytes).read_to_end(&mut body).ok()?;
    let is_whole = body.len() as u64 == bytes;
    (is_whole && checksum(length, &body) == u32::from_le_bytes(sum)).then_some(body)
}

/// The sections one after the other: length of the name and name, number of words and words.
fn encoded(place: &RecordPlace, memory: &Memory) -> Vec<u8> {
    let mut out = Vec::new();
    let place = place.section();
    for section in std::iter::once(&place).chain(&memory.sections) {
        out.extend((section.name.len() as u64).to_le_bytes());
        out.extend(section.name.as_bytes());
        out.extend((section.words.len() as u64).to_le_bytes());
        section.words.iter().for_each(|word| out.extend(word.to_le_bytes()));
    }
    out
}

fn decoded(mut bytes: &[u8]) -> Option<Memory> {
    let mut memory = Memory::default();
    while !bytes.is_empty() {
        let length = usize::try_from(word(&mut bytes)?).ok()?;
        let (name, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        let count = usize::try_from(word(&mut bytes)?).ok()?;
        let (words, rest) = bytes.split_at_checked(count.checked_mul(8)?)?;
        bytes = rest;
        let words = words.chunks_exact(8).filter_map(|mut eight| word(&mut eight)).collect();
        memory.sections.push(Section { name: String::from_utf8(name.to_vec()).ok()?, words });
    }
    Some(memory)
}

fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*first))
}
