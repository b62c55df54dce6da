//! The folder of a study.

use super::StudyError;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What a folder is the study of.
pub const STUDY: &str = "study.json";

/// Makes a folder that of a study, or finds that it is: `study.json` in it says of which. A folder of another study,
/// or with other files, is refused.
pub fn claim_folder(folder: &Path, study: &Value) -> Result<(), StudyError> {
    let name = STUDY;
    let shown = folder.display();
    let failed = |e: &dyn std::fmt::Display| StudyError::File(format!("--out {shown}: {e}"));
    if folder.exists() && !folder.is_dir() {
        let message = format!("--out {shown}: this is a file, not a folder");
        return Err(StudyError::Wrong(message));
    }
    fs::create_dir_all(folder).map_err(|e| failed(&e))?;
    let path = folder.join(name);
    if !path.exists() {
        let entries = fs::read_dir(folder).map_err(|e| failed(&e))?;
        let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        // A study that was killed at once leaves its first file half-written.
        if let Some(other) = names.into_iter().find(|name| !name.ends_with(".part")) {
            return Err(StudyError::wrong(format!(
                "--out {shown}: the folder holds other files ({other}); name another folder"
            )));
        }
        let text = serde_json::to_string_pretty(study).map_err(|e| failed(&e))?;
        let part = folder.join(format!("{name}.part"));
        fs::write(&part, text + "\n").map_err(|e| failed(&e))?;
        return fs::rename(&part, &path).map_err(|e| failed(&e));
    }
    let text = fs::read_to_string(&path).map_err(|e| failed(&e))?;
    let found: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let Some(own) = study.as_object() else { return Ok(()) };
    let differs = own.iter().find(|(key, value)| found.get(*key) != Some(*value));
    let Some((key, value)) = differs else { return Ok(()) };
    let other = found.get(key).map_or("nothing".to_owned(), Value::to_string);
    Err(StudyError::wrong(format!(
        "--out {shown}: the folder holds another study: in {name} {key} is {other}, here it is {value}; \
         name another folder"
    )))
}
