//! Points of OBJ and STL files next to a scene.
//!
//! A scene may come from anywhere: it reads nothing outside of its own folder.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Largest mesh file, bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Why a mesh was not read; sentences without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// It is wrong, or not there.
    Wrong(String),
    /// It is too large.
    Limit(String),
}

/// The distinct points of an OBJ or STL file (text or binary), in the order of the file. `name`
/// must be relative and stay within the folder, also behind symbolic links.
pub fn read(folder: Option<&Path>, name: &str) -> Result<Vec<[f64; 3]>, MeshError> {
    let wrong = |message: &str| MeshError::Wrong(message.to_owned());
    let folder =
        folder.ok_or_else(|| wrong("this scene has no folder from which to read files"))?;
    let path = inside(folder, name)?;
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if !["obj", "stl"].contains(&ending.as_str()) {
        return Err(wrong("it must be a file .obj or .stl"));
    }
    let unreadable = |e: std::io::Error| MeshError::Wrong(format!("it cannot be read: {e}"));
    // A pipe or a device could block or never end; to open a pipe may block already.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(wrong("it is not a file"));
    }
    let file = File::open(&path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(MeshError::Limit(format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    let points = if ending == "obj" { obj(&bytes) } else { stl(&bytes) };
    let points = distinct(points.map_err(MeshError::Wrong)?);
    if points.len() < 4 {
        return Err(MeshError::Wrong(format!(
            "it has {} distinct points; at least 4 are needed",
            points.len()
        )));
    }
    Ok(points)
}

/// The path of a file in a folder or below it.
fn inside(folder: &Path, name: &str) -> Result<PathBuf, MeshError> {
    let outside = || {
        MeshError::Wrong("a scene reads files of its own folder only, or of folders in it".into())
    };
    let relative = Path::new(name);
    // Also on systems where a backslash is part of a name: scenes travel.
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !plain || name.contains('\\') || name.contains(':') {
        return Err(outside());
    }
    let unreadable = |e: std::io::Error| MeshError::Wrong(format!("it cannot be read: {e}"));
    let folder = folder.canonicalize().map_err(unreadable)?;
    let path = folder.join(relative).canonicalize().map_err(unreadable)?;
    if path.starts_with(&folder) { Ok(path) } else { Err(outside()) }
}

/// Lines `v x y z` of a Wavefront OBJ file.
fn obj(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if words.next() == Some("v") {
            points.push(point(&mut words).ok_or_else(|| no_point(number))?);
        }
    }
    Ok(points)
}

/// Corners of the triangles of an STL file.
fn stl(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
    // Binary: 80 bytes, the number of triangles, 50 bytes for each. Some begin with "solid" too, so
    // that the size decides.
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    if let Some(count) = count
        && bytes.len() as u64 == 84 + 50 * u64::from(count)
    {
        let number = |at: usize| match bytes.get(at..at + 4).and_then(|b| b.try_into().ok()) {
            Some(four) => f64::from(f32::from_le_bytes(four)),
            None => f64::NAN,
        };
        let corners =
            (0..count as usize).flat_map(|t| (0..3).map(move |k| 84 + 50 * t + 12 + 12 * k));
        return Ok(corners.map(|at| [number(at), number(at + 4), number(at + 8)]).collect());
    }
    if !bytes.trim_ascii_start().starts_with(b"solid") {
        return Err("it is neither a text nor a binary STL file".into());
    }
    let text = String::from_utf8_lossy(bytes);
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if words.next() == Some("vertex") {
            points.push(point(&mut words).ok_or_else(|| no_point(number))?);
        }
    }
    Ok(points)
}

fn point<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<[f64; 3]> {
    let mut next = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite());
    Some([next()?, next()?, next()?])
}

fn no_point(line: usize) -> String {
    format!("its line {} has no three finite numbers", line + 1)
}

/// Every point once.
fn distinct(points: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let mut seen = std::collections::HashSet::with_capacity(points.len());
    // Adding 0 makes one of the two zeros.
    points.into_iter().filter(|p| seen.insert(p.map(|x| (x + 0.0).to_bits()))).collect()
}
