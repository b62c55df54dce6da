//! The trajectory in other formats than comma-separated values.

mod mesh;
mod npz;
mod vtk;

use crate::exit::Exit;
use crate::folder::OutputFolder;
use npz::NpzTable;
use stickslip::simulate::Sample;
use stickslip::system::Observed;
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
}

/// Writers of the formats that were asked for.
pub struct Formats {
    npz: Option<NpzTable>,
    vtk: Option<VtkSeries>,
}

impl Formats {
    /// Prepares the writers. `rows` is the number of rows to come.
    pub fn new(
        wanted: &[Format],
        system: &dyn Observed,
        rows: f64,
        folder: &OutputFolder,
    ) -> Result<Self, (Exit, String)> {
        let npz = match wanted.contains(&Format::Npz) {
            true => Some(NpzTable::new(system, rows)?),
            false => None,
        };
        let vtk = match wanted.contains(&Format::Vtk) {
            true => Some(VtkSeries::new(system, rows, folder)?),
            false => None,
        };
        Ok(Self { npz, vtk })
    }

    /// Takes a row.
    pub fn row(&mut self, system: &dyn Observed, sample: &Sample) -> std::io::Result<()> {
        if let Some(npz) = &mut self.npz {
            npz.row(sample);
        }
        match &mut self.vtk {
            Some(vtk) => vtk.row(system, sample),
            None => Ok(()),
        }
    }

    /// Writes what is left.
    pub fn finish(self, folder: &OutputFolder) -> Result<(), (Exit, String)> {
        if let Some(npz) = self.npz {
            npz.write(folder)?;
        }
        match self.vtk {
            Some(vtk) => vtk.finish(folder),
            None => Ok(()),
        }
    }
}
