//! `trajectory.npz`: one array per column.

use super::zip::StoredZip;
use crate::exit::Exit;
use crate::folder::{NPZ, OutputFolder};
use std::io::{self, Write};
use stickslip::simulate::Trajectory;

/// Writes the file.
pub fn write(table: &Trajectory, folder: &OutputFolder) -> Result<(), (Exit, String)> {
    folder.write_by(NPZ, |writer| write_to(table, writer))
}

fn write_to(table: &Trajectory, writer: impl Write) -> io::Result<()> {
    let mut file = StoredZip::new(writer);
    for (name, column) in table.names.iter().zip(&table.columns) {
        let bytes: Vec<u8> = column.iter().flat_map(|value| value.to_le_bytes()).collect();
        file.add(&format!("{name}.npy"), &[&header("<f8", column.len()), &bytes])?;
    }
    for (name, column) in table.state_names.iter().zip(&table.states) {
        let bytes: Vec<u8> = column.iter().flat_map(|value| value.to_le_bytes()).collect();
        file.add(&format!("{name}.npy"), &[&header("|i1", column.len()), &bytes])?;
    }
    // Texts are no numbers: the units are a JSON object in UTF-8, json.loads(bytes(file["units"])).
    let units = serde_json::to_vec(&table.units).unwrap_or_default();
    file.add("units.npy", &[&header("|u1", units.len()), &units])?;
    file.finish()
}

/// What stands before the numbers of an array in a file .npy of version 1.0, filled up to 128 bytes.
fn header(kind: &str, length: usize) -> Vec<u8> {
    let shape = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({length},), }}");
    [b"\x93NUMPY\x01\x00\x76\x00", format!("{shape:<117}\n").as_bytes()].concat()
}
