//! The table of a study as a Parquet file, row group by row group: it never sits in memory as a whole.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::Path;
use std::sync::Arc;
use stickslip::study::cells;

/// Rows of a group.
const ROWS: usize = 100_000;

/// Makes a Parquet file of a table of comma-separated values. Columns whose cells are all numbers or empty are
/// numbers; empty cells are nulls. `metadata` goes into the file.
pub fn convert(table: &Path, metadata: Vec<(String, String)>) -> Result<(), ParquetError> {
    let part = table.with_extension("parquet.part");
    write(table, &part, metadata)?;
    Ok(std::fs::rename(&part, table.with_extension("parquet"))?)
}

fn rows(table: &Path) -> Result<impl Iterator<Item = std::io::Result<Vec<String>>>, ParquetError> {
    let lines = BufReader::new(File::open(table)?).lines();
    Ok(lines.map(|line| line.map(|line| cells(&line))))
}

fn write(table: &Path, out: &Path, metadata: Vec<(String, String)>) -> Result<(), ParquetError> {
    let mut all = rows(table)?;
    let header = all.next().transpose()?.unwrap_or_default();
    let mut is_number = vec![true; header.len()];
    for row in all {
        for (is_number, cell) in is_number.iter_mut().zip(&row?) {
            *is_number &= cell.is_empty() || cell.parse::<f64>().is_ok();
        }
    }
    let field = |(name, is_number): (&String, &bool)| {
        let kind = if *is_number { Physical::DOUBLE } else { Physical::BYTE_ARRAY };
        let text = (!is_number).then_some(LogicalType::String);
        Type::primitive_type_builder(name, kind)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(text)
            .build()
            .map(Arc::new)
    };
    let fields = header.iter().zip(&is_number).map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("study").with_fields(fields).build()?);
    let metadata = metadata.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(metadata)).build();
    let file = BufWriter::new(File::create(out)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut all = rows(table)?.skip(1);
    loop {
        let group = all.by_ref().take(ROWS).collect::<std::io::Result<Vec<Vec<String>>>>()?;
        if group.is_empty() {
            break;
        }
        let mut columns = writer.next_row_group()?;
        let mut place = 0;
        while let Some(mut column) = columns.next_column()? {
            let cells = group.iter().map(|row| row.get(place).map_or("", String::as_str));
            // 1 where there is a value.
            let levels: Vec<i16> = cells.clone().map(|cell| i16::from(!cell.is_empty())).collect();
            let cells = cells.filter(|cell| !cell.is_empty());
            if is_number[place] {
                let values: Vec<f64> = cells.filter_map(|cell| cell.parse().ok()).collect();
                column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
            } else {
                let values: Vec<ByteArray> = cells.map(ByteArray::from).collect();
                column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
            }
            column.close()?;
            place += 1;
        }
        columns.close()?;
    }
    writer.close()?;
    Ok(())
}
