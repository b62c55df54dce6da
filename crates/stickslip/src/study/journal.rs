//! The journal of a study: rows in the order in which they came, of which a crash spoils at most the last.

use super::StudyError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is read at a time when all rows are.
const BUFFER: usize = 1 << 16;

/// A file with a line for each point that is done: number, checksum, row.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the row of each point begins, behind number and checksum; none if it is not done. It is all that grows
    /// with the number of points.
    places: Vec<Option<NonZeroU64>>,
    end: u64,
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
        let mut end = 0_u64;
        let mut reader = BufReader::new(&file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(failed)?;
            let Some((number, start)) = parsed(&line) else { break };
            let Some(place) = places.get_mut(number) else { break };
            *place = NonZeroU64::new(end + start as u64);
            end += length as u64;
        }
        // Whatever stands behind the last whole line was being written when the program was ended.
        file.set_len(end).map_err(failed)?;
        Ok(Self { file, places, end, path })
    }

    /// The points that are not done, as ranges: they are few, for points are done almost in their order.
    pub fn todo(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let missing = (0..self.places.len()).filter(|number| self.places[*number].is_none());
        for number in missing {
            match ranges.last_mut() {
                Some(last) if last.end == number => last.end += 1,
                _ => ranges.push(number..number + 1),
            }
        }
        ranges
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
            *place = NonZeroU64::new(self.end + head.len() as u64);
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Shows all rows that are there, with the numbers of their points, in the order of the points.
    pub fn each(
        &self,
        visit: &mut dyn FnMut(usize, &str) -> Result<(), StudyError>,
    ) -> Result<(), StudyError> {
        let failed =
            |e: &dyn std::fmt::Display| StudyError::File(format!("{}: {e}", self.path.display()));
        let mut reader = BufReader::with_capacity(BUFFER, &self.file);
        let mut at = reader.seek(SeekFrom::Start(0)).map_err(|e| failed(&e))?;
        let mut line = Vec::new();
        for (number, place) in self.places.iter().enumerate() {
            let Some(start) = place.map(NonZeroU64::get) else { continue };
            // Most rows lie within what was read already.
            let way = start as i64 - at as i64;
            reader.seek_relative(way).map_err(|e| failed(&e))?;
            line.clear();
            at = start + reader.read_until(b'\n', &mut line).map_err(|e| failed(&e))? as u64;
            let row = line.strip_suffix(b"\n").unwrap_or(&line);
            visit(number, std::str::from_utf8(row).map_err(|e| failed(&e))?)?;
        }
        Ok(())
    }

    /// Writes all rows that are there below a header, in the order of the points.
    pub fn write_table(&self, path: &Path, header: &str) -> Result<(), StudyError> {
        self.write_changed(path, header, &mut |_, row| Ok(row.to_owned()))
    }

    /// The same, with what `changed` makes of each row.
    pub fn write_changed(
        &self,
        path: &Path,
        header: &str,
        changed: &mut dyn FnMut(usize, &str) -> Result<String, StudyError>,
    ) -> Result<(), StudyError> {
        let failed = |e: std::io::Error| StudyError::File(format!("{}: {e}", path.display()));
        // Under its name it is whole at every moment.
        let part = path.with_extension("part");
        let mut out = std::io::BufWriter::new(File::create(&part).map_err(failed)?);
        writeln!(out, "{header}").map_err(failed)?;
        self.each(&mut |number, row| writeln!(out, "{}", changed(number, row)?).map_err(failed))?;
        out.flush().map_err(failed)?;
        drop(out);
        std::fs::rename(&part, path).map_err(failed)
    }
}

/// Number of a line, and where its row begins; nothing if the line is not whole.
fn parsed(line: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let mut parts = text.splitn(3, '\t');
    let (number, sum, row) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(row.as_bytes());
    let start = text.len() - row.len();
    is_whole.then_some((number.parse().ok()?, start))
}
