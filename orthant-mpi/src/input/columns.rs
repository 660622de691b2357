//! Parquet by row groups and Arrow IPC by record batches; only the columns of the coordinates are read.

use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_schema::{ArrowError, DataType, Schema};
use orthant::{Scalar, Vector};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{input, same_length, share};
use crate::error::catch;
use crate::{Cause, Error, Point, Ranks};

/// Reads one Parquet file that all ranks share. Each reads whole row groups, contiguous and as even in number as they allow, and only the named
/// columns, one for each axis, of `f32` or `f64`. Collective.
///
/// # Errors
///
/// If a rank cannot read the file, a column is missing, of another type or has nulls, or a rank's part is more than its
/// budget.
///
/// # Complexity
///
/// O(points of the rank).
pub fn read_parquet<P: Point>(
    ranks: &Ranks,
    path: &Path,
    columns: &[&str],
) -> Result<Vec<P>, Error> {
    let _call = ranks.tell("reading");
    ranks.same_words("columns", &columns.join(","))?;
    let open = || {
        let file = File::open(path).map_err(|error| input(path, error))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file);
        let builder = builder.map_err(|error| input(path, error))?;
        let places = places::<P>(path, builder.schema(), columns)?;
        Ok((builder, places))
    };
    let (builder, places) = ranks.agree(catch(path, open))?;
    let metadata = builder.metadata().clone();
    same_length(ranks, path, metadata.num_row_groups() as u64, "row groups")?;
    let Range { start, end } = share(metadata.num_row_groups() as u64, ranks.rank(), ranks.size());
    let failed =
        |what: &dyn Display| input(path, format_args!("row groups {start} to {end}: {what}"));
    let groups: Vec<usize> = (start as usize..end as usize).collect();
    let rows = groups.iter().try_fold(0_usize, |sum, &group| {
        sum.checked_add(usize::try_from(metadata.row_group(group).num_rows()).ok()?)
    });
    let rows = rows.ok_or_else(|| failed(&"a number of rows that is none"));
    let mut points: Vec<P> = ranks.room(ranks.agree(rows)?)?;
    let read = || {
        let mask = ProjectionMask::roots(builder.parquet_schema(), places.iter().copied());
        let reader = builder
            .with_row_groups(groups)
            .with_projection(mask)
            .build();
        for batch in reader.map_err(|error| failed(&error))? {
            let batch = batch.map_err(|error| failed(&error))?;
            append(path, &batch, columns, &mut points)?;
        }
        Ok(points)
    };
    ranks.agree(catch(path, read))
}

/// Reads one Arrow IPC file (Feather 2) that all ranks share. Each reads whole record batches, contiguous and as even in number as they allow,
/// and only the named columns, one for each axis, of `f32` or `f64`. Collective.
///
/// # Errors
///
/// If a rank cannot read the file, a column is missing, of another type or has nulls, or a rank's part is more than its
/// budget.
///
/// # Complexity
///
/// O(points of the rank).
pub fn read_arrow<P: Point>(ranks: &Ranks, path: &Path, columns: &[&str]) -> Result<Vec<P>, Error> {
    let _call = ranks.tell("reading");
    ranks.same_words("columns", &columns.join(","))?;
    let open = || {
        let mut file = File::open(path).map_err(|error| input(path, error))?;
        check_blocks(&mut file).map_err(|error| input(path, error))?;
        let reader = FileReader::try_new(file, None).map_err(|error| input(path, error))?;
        places::<P>(path, &reader.schema(), columns)?;
        Ok(reader)
    };
    let mut reader = ranks.agree(catch(path, open))?;
    same_length(ranks, path, reader.num_batches() as u64, "record batches")?;
    let Range { start, end } = share(reader.num_batches() as u64, ranks.rank(), ranks.size());
    // The number of rows of a batch is known only when it is read.
    let mut points: Vec<P> = Vec::new();
    let mut read = || {
        let failed = |at: u64, error| input(path, format_args!("record batch {at}: {error}"));
        if start < end {
            reader
                .set_index(start as usize)
                .map_err(|error| failed(start, error))?;
        }
        let batches = reader.by_ref().take((end - start) as usize);
        for (at, batch) in (start..).zip(batches) {
            let batch = batch.map_err(|error| failed(at, error))?;
            ranks.take(batch.num_rows() * size_of::<P>())?;
            append(path, &batch, columns, &mut points)?;
        }
        Ok(())
    };
    let read = catch(path, &mut read);
    ranks.agree(read)?;
    Ok(points)
}

/// Checks that the footer of an Arrow file names no block outside the file, since the reader allocates whatever the footer says.
fn check_blocks(file: &mut File) -> Result<(), ArrowError> {
    let damaged = |what: &str| ArrowError::IpcError(what.to_owned());
    let len = file.metadata()?.len();
    let mut end = [0; 10];
    file.seek(SeekFrom::End(-10))?;
    file.read_exact(&mut end)?;
    let footer_len = read_footer_length(end)? as u64;
    let at = len.checked_sub(10 + footer_len);
    let at = at.ok_or_else(|| damaged("a footer longer than the file"))?;
    let mut footer = vec![0; footer_len as usize];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut footer)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(&error.to_string()))?;
    let (dictionaries, batches) = (footer.dictionaries(), footer.recordBatches());
    for block in dictionaries.into_iter().chain(batches).flatten() {
        let sizes = [
            block.offset(),
            block.metaDataLength().into(),
            block.bodyLength(),
        ];
        let end = sizes.iter().try_fold(0_u64, |end, &size| {
            end.checked_add(u64::try_from(size).ok()?)
        });
        if end.is_none_or(|end| end > at) {
            return Err(damaged("a block outside of the file"));
        }
    }
    file.rewind()?;
    Ok(())
}

/// Returns the positions of the named columns, if they hold numbers.
fn places<P: Vector>(path: &Path, schema: &Schema, columns: &[&str]) -> Result<Vec<usize>, Cause> {
    if columns.len() != P::DIM {
        let (given, axes) = (columns.len(), P::DIM);
        return Err(Cause::argument(format_args!(
            "{given} columns for {axes} axes"
        )));
    }
    let place = |name: &&str| {
        let place = schema.index_of(name).map_err(|error| input(path, error))?;
        match schema.field(place).data_type() {
            DataType::Float32 | DataType::Float64 => Ok(place),
            other => Err(input(
                path,
                format_args!("column {name} is of {other}, not of floats"),
            )),
        }
    };
    columns.iter().map(place).collect()
}

/// Appends the points of a batch.
fn append<P: Vector>(
    path: &Path,
    batch: &RecordBatch,
    columns: &[&str],
    points: &mut Vec<P>,
) -> Result<(), Cause> {
    let mut axes: Vec<Vec<P::Scalar>> = Vec::with_capacity(P::DIM);
    for name in columns {
        let column = batch.column_by_name(name);
        let column = column.ok_or_else(|| input(path, format_args!("no column {name}")))?;
        if column.null_count() > 0 {
            let first = (0..column.len())
                .find(|&row| column.is_null(row))
                .unwrap_or(0);
            let row = points.len() + first;
            return Err(input(
                path,
                format_args!("column {name} is null in row {row} of a rank"),
            ));
        }
        axes.push(match column.data_type() {
            DataType::Float32 => {
                let values = column.as_primitive::<Float32Type>().values().iter();
                values.map(|&x| P::Scalar::from_f64(x.into())).collect()
            }
            DataType::Float64 => {
                let values = column.as_primitive::<Float64Type>().values().iter();
                values.map(|&x| P::Scalar::from_f64(x)).collect()
            }
            other => return Err(input(path, format_args!("column {name} is of {other}"))),
        });
    }
    points.extend((0..batch.num_rows()).map(|row| P::from_fn(|axis| axes[axis][row])));
    Ok(())
}
