//! Archives .zip of files that are not compressed (PKWARE APPNOTE 6.3), with the 64-bit entries that long
//! runs of many bodies need.

use std::io::{self, Write};

/// What stands where a number is too large for its field and follows in a 64-bit one.
const ELSEWHERE: u32 = u32::MAX;
/// 1 January 1980, so that the same run gives the same file.
const DATE: u16 = 0x21;
/// The version that a reader needs: 4.5, for 64-bit entries.
const VERSION: u16 = 45;
/// The name is UTF-8.
const FLAGS: u16 = 1 << 11;

/// An archive that is being written.
pub struct StoredZip<W> {
    writer: W,
    /// Bytes written.
    length: u64,
    /// What the directory at the end says of each file.
    directory: Vec<u8>,
    files: u64,
}

impl<W: Write> StoredZip<W> {
    /// An empty archive.
    pub fn new(writer: W) -> Self {
        Self { writer, length: 0, directory: Vec::new(), files: 0 }
    }

    /// Adds a file of these pieces.
    pub fn add(&mut self, name: &str, pieces: &[&[u8]]) -> io::Result<()> {
        let mut crc = crc32fast::Hasher::new();
        pieces.iter().for_each(|piece| crc.update(piece));
        let size = pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
        let name_length = u16::try_from(name.len()).map_err(io::Error::other)?;
        let mut common = Vec::new();
        for number in [VERSION, FLAGS, 0, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc.finalize(), ELSEWHERE, ELSEWHERE] {
            common.extend(number.to_le_bytes());
        }
        common.extend(name_length.to_le_bytes());

        let start = self.length;
        // Signature, common part, length of what follows the name: two sizes of 64 bits.
        self.put(b"PK\x03\x04")?;
        self.put(&common)?;
        self.put(&20_u16.to_le_bytes())?;
        self.put(name.as_bytes())?;
        self.put(&[1, 0, 16, 0])?;
        self.put(&[size.to_le_bytes(), size.to_le_bytes()].concat())?;
        for piece in pieces {
            self.put(piece)?;
        }

        let directory = &mut self.directory;
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(common);
        // Length of the 64-bit part, then no comment, first disk, no attributes.
        directory.extend(28_u16.to_le_bytes());
        directory.extend([0; 10]);
        directory.extend(ELSEWHERE.to_le_bytes());
        directory.extend(name.as_bytes());
        directory.extend([1, 0, 24, 0]);
        for number in [size, size, start] {
            directory.extend(number.to_le_bytes());
        }
        self.files += 1;
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<()> {
        let (start, directory) = (self.length, std::mem::take(&mut self.directory));
        self.put(&directory)?;
        let end = self.length;
        // The end with 64-bit numbers (44 bytes follow its length), where it is, and the end that came before 64-bit numbers.
        self.put(b"PK\x06\x06")?;
        self.put(&44_u64.to_le_bytes())?;
        self.put(&[VERSION.to_le_bytes(), VERSION.to_le_bytes()].concat())?;
        self.put(&[0; 8])?;
        for number in [self.files, self.files, directory.len() as u64, start] {
            self.put(&number.to_le_bytes())?;
        }
        self.put(b"PK\x06\x07\0\0\0\0")?;
        self.put(&end.to_le_bytes())?;
        self.put(&1_u32.to_le_bytes())?;
        self.put(b"PK\x05\x06\0\0\0\0")?;
        self.put(&[0xFF; 12])?;
        self.put(&[0; 2])?;
        self.writer.flush()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.writer.write_all(bytes)
    }
}
