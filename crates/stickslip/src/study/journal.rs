//! The journal of a study: rows in the order in which they came, of which a crash spoils at most the last.

use super::StudyError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file with a line for each point that is done: number, checksum, row.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the row of each point is, and its length; none if it is not done.
    places: Vec<Option<(u64, usize)>>,
    end: u64,
    done: usize,
}

impl Journal {
    /// Opens the journal of a study with so many points, or begins it.
    pub fn open(path: PathBuf, count: usize) -> Result<Self, StudyError> {
        let failed = |e: std::io::Error| StudyError::File(format!("{}: {e}", path.display()));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(failed)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(StudyError::File(format!(
                "{}: another study is writing to this folder; wait for its end, or name another folder",
                path.display()
            )));
        }
        let mut places = vec![None; count];
        let (mut end, mut done) = (0_u64, 0);
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(failed)?;
            let Some((number, start, row)) = parsed(&line) else { break };
            let Some(place) = places.get_mut(number) else { break };
            done += usize::from(place.is_none());
            *place = Some((end + start as u64, row));
            end += length as u64;
        }
        // Whatever stands behind the last whole line was being written when the program was ended.
        file.set_len(end).map_err(failed)?;
        Ok(Self { file, places, end, done, path })
    }

    /// Number of points that are done.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The points that are not done.
    pub fn todo(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|number| self.places[*number].is_none()).collect()
    }

    /// Notes the row of a point.
    pub fn push(&mut self, number: usize, row: &str) -> Result<(), StudyError> {
        let sum = crc32fast::hash(row.as_bytes());
        let head = format!("{number}\t{sum:08x}\t");
        let line = format!("{head}{row}\n");
        let written = self
            .file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(line.as_bytes()));
        written.map_err(|e| StudyError::File(format!("{}: {e}", self.path.display())))?;
        if let Some(place) = self.places.get_mut(number) {
            self.done += usize::from(place.is_none());
            *place = Some((self.end + head.len() as u64, row.len()));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// The row of a point; none if it is not done.
    pub fn row(&mut self, number: usize) -> Result<Option<String>, StudyError> {
        let Some((start, length)) = self.places.get(number).copied().flatten() else {
            return Ok(None);
        };
        let mut bytes = vec![0; length];
        let read = self
            .file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|e| e.to_string());
        let text = read.and_then(|()| String::from_utf8(bytes).map_err(|e| e.to_string()));
        text.map(Some).map_err(|e| StudyError::File(format!("{}: {e}", self.path.display())))
    }

    /// Writes all rows that are there below a header, in the order of the points.
    pub fn write_table(&mut self, path: &Path, header: &str) -> Result<(), StudyError> {
        let failed = |e: std::io::Error| StudyError::File(format!("{}: {e}", path.display()));
        // Under its name it is whole at every moment.
        let part = path.with_extension("part");
        let mut out = std::io::BufWriter::new(File::create(&part).map_err(failed)?);
        writeln!(out, "{header}").map_err(failed)?;
        for number in 0..self.places.len() {
            if let Some(row) = self.row(number)? {
                writeln!(out, "{row}").map_err(failed)?;
            }
        }
        out.flush().map_err(failed)?;
        std::fs::rename(&part, path).map_err(failed)
    }
}

/// Number of a line, and where its row begins and how long it is; nothing if the line is not whole.
fn parsed(line: &[u8]) -> Option<(usize, usize, usize)> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let mut parts = text.splitn(3, '\t');
    let (number, sum, row) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(row.as_bytes());
    let start = text.len() - row.len();
    is_whole.then_some((number.parse().ok()?, start, row.len()))
}
