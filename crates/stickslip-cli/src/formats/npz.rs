//! `trajectory.npz`: one array per column.

use crate::exit::Exit;
use crate::folder::{NPZ, OutputFolder};
use ndarray::ArrayView1;
use ndarray_npy::{NpzWriter, WriteNpzError};
use std::io::{Seek, Write};
use stickslip::simulate::Trajectory;

/// Writes the file.
pub fn write(table: &Trajectory, folder: &OutputFolder) -> Result<(), (Exit, String)> {
    folder.write_by(NPZ, |writer| write_to(table, writer))
}

fn write_to(table: &Trajectory, writer: impl Write + Seek) -> Result<(), WriteNpzError> {
    let mut file = NpzWriter::new(writer);
    for (name, column) in table.names.iter().zip(&table.columns) {
        file.add_array(name.as_str(), &ArrayView1::from(column.as_slice()))?;
    }
    for (name, column) in table.state_names.iter().zip(&table.states) {
        file.add_array(name.as_str(), &ArrayView1::from(column.as_slice()))?;
    }
    // Texts are no numbers: the units are a JSON object in UTF-8, json.loads(bytes(file["units"])).
    let units = serde_json::to_vec(&table.units).unwrap_or_default();
    file.add_array("units", &ArrayView1::from(units.as_slice()))?;
    file.finish()?;
    Ok(())
}
