//! The file of the scene: where it is, whether it has changed, and saving.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use stickslip::scene::SceneFile;

/// Largest text that is edited, bytes.
pub const MOST_TEXT: usize = 2 << 20;
/// Characters of a name.
const MOST_NAME: usize = 100;

/// Why a file was not saved.
#[derive(Debug)]
pub enum NotSaved {
    /// It needs another name.
    Name(String),
    /// There is another file, or the file has changed since it was read.
    Exists(String),
    /// The system says no.
    Failed(String),
}

/// The file that is edited.
pub struct Disk {
    folder: PathBuf,
    /// Its name in the folder; none for a scene that was never saved.
    name: Option<String>,
    /// What it held when it was last read or written.
    known: String,
    stamp: Option<(SystemTime, u64)>,
    /// Whether it has changed since, and the user has not decided what counts.
    pub has_changed: bool,
}

impl Disk {
    /// Of a scene; one of the program is saved in the present folder.
    pub fn new(file: &SceneFile) -> io::Result<Self> {
        let here = || std::env::current_dir().and_then(fs::canonicalize);
        let (folder, name) = match &file.path {
            None => (here()?, None),
            Some(path) => {
                let path = fs::canonicalize(path)?;
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                (path.parent().map_or_else(here, |folder| Ok(folder.into()))?, name)
            }
        };
        let mut disk =
            Self { folder, name, known: file.text.clone(), stamp: None, has_changed: false };
        disk.stamp = disk.now();
        Ok(disk)
    }

    /// The name of the file.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The path of the file.
    pub fn path(&self) -> Option<PathBuf> {
        Some(self.folder.join(self.name.as_ref()?))
    }

    /// Whether a text is the one of the file.
    pub fn holds(&self, text: &str) -> bool {
        self.known == text
    }

    fn now(&self) -> Option<(SystemTime, u64)> {
        let meta = fs::metadata(self.path()?).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    }

    /// What the file holds, if that is not what it held.
    pub fn news(&mut self) -> Option<String> {
        let now = self.now()?;
        if self.stamp == Some(now) || now.1 > MOST_TEXT as u64 {
            return None;
        }
        let text = fs::read_to_string(self.path()?).ok()?;
        self.stamp = Some(now);
        if text == self.known {
            return None;
        }
        self.known.clone_from(&text);
        Some(text)
    }

    /// Saves a text, under another name of the same folder if one is given; replaces another file, or one
    /// that has changed, only if it is forced to.
    pub fn save(&mut self, text: &str, name: Option<&str>, force: bool) -> Result<(), NotSaved> {
        let name = match name {
            Some(name) => file_name(name)?,
            None => {
                let none = || NotSaved::Name("this scene has no file yet; give it a name".into());
                self.name.clone().ok_or_else(none)?
            }
        };
        let path = self.folder.join(&name);
        let is_own = self.name.as_ref() == Some(&name);
        let before = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(NotSaved::Failed(format!("{name} cannot be read: {e}"))),
        };
        if !force && let Some(before) = before {
            if !is_own {
                return Err(NotSaved::Exists(format!("{name} exists already")));
            }
            if before != self.known.as_bytes() {
                return Err(NotSaved::Exists(format!("{name} has changed on disk")));
            }
        }
        write(&path, text)
            .map_err(|e| NotSaved::Failed(format!("{name} cannot be written: {e}")))?;
        (self.name, self.known, self.has_changed) = (Some(name), text.to_owned(), false);
        self.stamp = self.now();
        Ok(())
    }
}

/// A plain name that ends in .toml.
fn file_name(name: &str) -> Result<String, NotSaved> {
    let name = name.trim();
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let is_part = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    if stem.is_empty() || stem.starts_with('.') || stem.chars().count() > MOST_NAME {
        return Err(NotSaved::Name(
            "a name has 1 to 100 characters and begins with no point".into(),
        ));
    }
    match stem.chars().all(is_part) {
        true => Ok(format!("{stem}.toml")),
        false => Err(NotSaved::Name(format!("{name:?} is no name of a file in this folder"))),
    }
}

/// The file is there as a whole, or as it was.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = fs::File::create(&part)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&part, path)).inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}
