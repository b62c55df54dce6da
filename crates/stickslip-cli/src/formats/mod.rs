//! The trajectory in other formats than comma-separated values.

mod mesh;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod study_parquet;
mod vtk;
mod zip;

use crate::exit::Exit;
use crate::folder::OutputFolder;
use std::path::Path;
use stickslip::simulate::{Sample, Trajectory};
use stickslip::system::{ColumnList, Observed};
use vtk::VtkSeries;

/// A format of the trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// trajectory.csv, which is always written
    Csv,
    /// trajectory.npz: one array per column, for numpy.load
    Npz,
    /// vtk/motion.pvd and vtk/contacts.pvd: time series for ParaView
    Vtk,
    /// trajectory.parquet, if the program was built with the feature parquet
    Parquet,
}

/// An error if the program was built without the feature that `asked` needs.
pub fn has_parquet(asked: &str) -> Result<(), (Exit, String)> {
    if cfg!(feature = "parquet") {
        return Ok(());
    }
    let message = format!(
        "{asked}: this program was built without it; build it with cargo build --release --features parquet"
    );
    Err((Exit::BadInput, message))
}

/// Makes a Parquet file beside the table of a study, with units (`unit.NAME`), the hash of the scene and all that makes
/// the study as metadata.
pub fn study_parquet(
    table: &Path,
    units: &[(String, String)],
    study: &serde_json::Value,
) -> Result<(), (Exit, String)> {
    let units = units.iter().filter(|(_, unit)| !unit.is_empty());
    let mut metadata: Vec<(String, String)> =
        units.map(|(name, unit)| (format!("unit.{name}"), unit.clone())).collect();
    let hash = study["scene_hash"].as_str().unwrap_or_default().to_owned();
    metadata.extend([("scene_hash".to_owned(), hash), ("study".to_owned(), study.to_string())]);
    #[cfg(feature = "parquet")]
    return study_parquet::convert(table, metadata)
        .map_err(|e| (Exit::ResourceLimit, format!("{}: {e}", table.display())));
    #[cfg(not(feature = "parquet"))]
    {
        let _ = (table, metadata);
        has_parquet("--parquet")
    }
}

/// Writers of the formats that were asked for.
#[derive(Default)]
pub struct Formats {
    columns: Option<Trajectory>,
    npz: bool,
    parquet: bool,
    vtk: Option<VtkSeries>,
}

/// Numbers that are kept in memory at most: 1.6 GB.
const MOST_NUMBERS: f64 = 2e8;

/// Columns in memory, for formats that are written at the end.
fn in_memory(
    system: &dyn Observed,
    own: &ColumnList,
    rows: f64,
) -> Result<Trajectory, (Exit, String)> {
    let trajectory = Trajectory::new(system, own);
    let columns = trajectory.names.len();
    if rows * columns as f64 > MOST_NUMBERS {
        let message = format!(
            "--formats npz, parquet: {rows:.0} rows of {columns} columns are more than \
             {MOST_NUMBERS:.0e} numbers; take a larger simulation.output_step, or csv alone"
        );
        return Err((Exit::ResourceLimit, message));
    }
    Ok(trajectory)
}

impl Formats {
    /// Prepares the writers. `rows` is the number of rows to come.
    pub fn new(
        wanted: &[Format],
        system: &dyn Observed,
        own: &ColumnList,
        rows: f64,
        folder: &OutputFolder,
    ) -> Result<Self, (Exit, String)> {
        let npz = wanted.contains(&Format::Npz);
        let parquet = wanted.contains(&Format::Parquet);
        if parquet {
            has_parquet("--formats parquet")?;
        }
        let columns = match npz || parquet {
            true => Some(in_memory(system, own, rows)?),
            false => None,
        };
        let vtk = match wanted.contains(&Format::Vtk) {
            true => Some(VtkSeries::new(system, rows, folder)?),
            false => None,
        };
        Ok(Self { columns, npz, parquet, vtk })
    }

    /// Takes a row.
    pub fn row(&mut self, system: &dyn Observed, sample: &Sample) -> std::io::Result<()> {
        if let Some(columns) = &mut self.columns {
            columns.row(sample);
        }
        match &mut self.vtk {
            Some(vtk) => vtk.row(system, sample),
            None => Ok(()),
        }
    }

    /// Writes what is left, and tells what could not be written.
    pub fn finish(self, folder: &OutputFolder) -> Vec<(Exit, String)> {
        let mut done = Vec::new();
        if let Some(columns) = self.columns {
            if self.npz {
                done.push(npz::write(&columns, folder));
            }
            if self.parquet {
                #[cfg(feature = "parquet")]
                done.push(parquet::write(&columns, folder));
            }
        }
        done.extend(self.vtk.map(|vtk| vtk.finish(folder)));
        done.into_iter().filter_map(Result::err).collect()
    }
}
