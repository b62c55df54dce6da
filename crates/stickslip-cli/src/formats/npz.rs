//! `trajectory.npz`: one array per column.

use super::columns::Columns;
use crate::exit::Exit;
use crate::folder::{NPZ, OutputFolder};
use ndarray::ArrayView1;
use ndarray_npy::NpzWriter;
use std::io::BufWriter;

/// Writes the file.
pub fn write(table: &Columns, folder: &OutputFolder) -> Result<(), (Exit, String)> {
    let failed = |e: String| folder.write_failed(NPZ, &e);
    let mut file = NpzWriter::new(BufWriter::new(folder.create(NPZ)?));
    for (name, column) in table.names.iter().zip(&table.columns) {
        file.add_array(name.as_str(), &ArrayView1::from(column.as_slice()))
            .map_err(|e| failed(e.to_string()))?;
    }
    for (name, column) in table.state_names.iter().zip(&table.states) {
        file.add_array(name.as_str(), &ArrayView1::from(column.as_slice()))
            .map_err(|e| failed(e.to_string()))?;
    }
    file.finish().map_err(|e| failed(e.to_string()))?;
    Ok(())
}
