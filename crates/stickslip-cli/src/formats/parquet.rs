//! `trajectory.parquet`: the table by columns, in one row group.

use crate::exit::Exit;
use crate::folder::{OutputFolder, PARQUET};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;
use stickslip::simulate::Trajectory;

/// Writes the file.
pub fn write(table: &Trajectory, folder: &OutputFolder) -> Result<(), (Exit, String)> {
    folder.write_by(PARQUET, |writer| write_to(table, writer))
}

fn write_to(table: &Trajectory, file: impl Write + Send) -> Result<(), ParquetError> {
    let schema = Arc::new(schema(table)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties(table)))?;
    let mut rows = writer.next_row_group()?;
    let (mut numbers, mut states) = (table.columns.iter(), table.states.iter());
    while let Some(mut column) = rows.next_column()? {
        if let Some(values) = numbers.next() {
            column.typed::<DoubleType>().write_batch(values, None, None)?;
        } else if let Some(values) = states.next() {
            let values: Vec<i32> = values.iter().map(|state| i32::from(*state)).collect();
            column.typed::<Int32Type>().write_batch(&values, None, None)?;
        }
        column.close()?;
    }
    rows.close()?;
    writer.close()?;
    Ok(())
}

/// The units are metadata of the file: `unit.NAME`.
fn properties(table: &Trajectory) -> WriterProperties {
    let unit =
        |(name, unit): (&String, &String)| KeyValue::new(format!("unit.{name}"), unit.clone());
    let units = table.units.iter().map(unit).collect();
    WriterProperties::builder().set_key_value_metadata(Some(units)).build()
}

/// Numbers first, then the states of contacts as small integers.
fn schema(table: &Trajectory) -> Result<Type, ParquetError> {
    let number = |name: &String| {
        Type::primitive_type_builder(name, Physical::DOUBLE)
            .with_repetition(Repetition::REQUIRED)
            .build()
    };
    let state = |name: &String| {
        Type::primitive_type_builder(name, Physical::INT32)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::integer(8, true)))
            .build()
    };
    let names = table.names.iter().map(number);
    let fields: Result<Vec<Type>, ParquetError> =
        names.chain(table.state_names.iter().map(state)).collect();
    let fields = fields?.into_iter().map(Arc::new).collect();
    Type::group_type_builder("trajectory").with_fields(fields).build()
}
