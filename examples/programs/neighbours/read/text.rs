//! Reads columns of numbers that are separated by commas, semicolons, tabs or spaces.

use std::borrow::Cow;

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::{AXES, Cloud, Precision};
use crate::Failure;

pub(super) fn read(bytes: &[u8], dim: usize, columns: Option<&[String]>) -> Result<Cloud, Failure> {
    if let Some(columns) = columns.filter(|columns| columns.len() != dim) {
        return Err(format!(
            "--columns names {} columns, --dim {dim} takes {dim}",
            columns.len()
        )
        .into());
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut picked: Option<Vec<Column>> = None;
    let mut rows = Vec::new();
    each_row(bytes, |line, fields| {
        let Some(picked) = &picked else {
            // Some programs write the header as a comment.
            let names = header(fields);
            let commented = is_comment(fields[0]);
            let found = find(&names, dim, columns);
            let named = columns.is_none_or(|all| all.iter().any(|one| numbered(one).is_none()));
            if commented && !(named && found.is_ok()) {
                return Ok(());
            }
            let is_header = commented || names.iter().all(|name| name.parse::<f64>().is_err());
            picked = Some(if is_header {
                found?
            } else {
                first(dim, columns)?
            });
            if !is_header {
                rows.push(point(line, fields, picked.as_deref().unwrap_or_default())?);
            }
            return Ok(());
        };
        if !is_comment(fields[0]) {
            rows.push(point(line, fields, picked)?);
        }
        Ok(())
    })?;
    Ok(Cloud {
        rows,
        precision: Precision::F64,
        origin: None,
    })
}

/// The column of a coordinate.
#[derive(Clone, Debug)]
struct Column {
    index: usize,
    name: String,
}

fn is_comment(field: &str) -> bool {
    field.starts_with('#') || field.starts_with("//")
}

fn header(fields: &[&str]) -> Vec<String> {
    let names = fields
        .iter()
        .map(|name| name.trim_start_matches(['#', '/']).trim().to_owned());
    // In "# x y z", the mark is a field of its own.
    if fields.len() > 1 && matches!(fields[0], "#" | "//") {
        names.skip(1).collect()
    } else {
        names.collect()
    }
}

/// The columns that a header names.
fn find(names: &[String], dim: usize, columns: Option<&[String]>) -> Result<Vec<Column>, Failure> {
    let position = |wanted: &str| {
        let index = names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(wanted))?;
        Some(Column {
            index,
            name: names[index].clone(),
        })
    };
    let missing = |wanted: &str| format!("no column {wanted}; there are: {}", names.join(", "));
    if let Some(columns) = columns {
        return columns
            .iter()
            .map(|wanted| {
                position(wanted)
                    .or_else(|| numbered(wanted))
                    .ok_or_else(|| missing(wanted).into())
            })
            .collect();
    }
    if dim == 2
        && let (None, Some(x), Some(y)) =
            (position("x"), position("longitude"), position("latitude"))
    {
        return Ok(vec![x, y]);
    }
    let found: Result<_, String> = AXES[..dim]
        .iter()
        .map(|axis| position(axis).ok_or_else(|| missing(axis)))
        .collect();
    found.map_err(|message| {
        let plane = dim > 2 && find(names, 2, None).is_ok();
        let hint = if plane {
            " (for two dimensions: --dim 2)"
        } else {
            ""
        };
        format!("{message}{hint}").into()
    })
}

/// The columns of a file without a header.
fn first(dim: usize, columns: Option<&[String]>) -> Result<Vec<Column>, Failure> {
    let Some(columns) = columns else {
        return Ok((1..=dim).filter_map(|n| numbered(&n.to_string())).collect());
    };
    columns
        .iter()
        .map(|wanted| {
            numbered(wanted).ok_or_else(|| {
                format!("no column {wanted}: the file has no header, count columns from 1").into()
            })
        })
        .collect()
}

fn numbered(wanted: &str) -> Option<Column> {
    let index = wanted.trim().parse::<usize>().ok()?.checked_sub(1)?;
    Some(Column {
        index,
        name: (index + 1).to_string(),
    })
}

fn point(line: u64, fields: &[&str], columns: &[Column]) -> Result<[f64; 3], Failure> {
    let mut point = [0.0; 3];
    for (coordinate, column) in point.iter_mut().zip(columns) {
        let name = &column.name;
        let Some(field) = fields.get(column.index) else {
            let count = fields.len();
            return Err(format!("line {line}: no column {name}, only {count} columns").into());
        };
        *coordinate = match field.parse::<f64>() {
            Ok(value) if value.is_finite() => value,
            Ok(_) => {
                let refusal = format!("line {line}: {field} in column {name} is not finite");
                return Err(refusal.into());
            }
            Err(_) => {
                let refusal = format!("line {line}: {field:?} in column {name} is not a number");
                return Err(refusal.into());
            }
        };
    }
    Ok(point)
}

/// Calls `visit` with the number and the trimmed fields of every line that is not blank.
fn each_row(
    bytes: &[u8],
    mut visit: impl FnMut(u64, &[&str]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Names may be in any encoding; numbers are ASCII.
    let lines = || {
        (1..).zip(
            bytes
                .split(|byte| *byte == b'\n')
                .map(String::from_utf8_lossy),
        )
    };
    let delimiter = lines()
        .map(|(_, line)| line)
        .find(|line| !line.trim().is_empty() && !is_comment(line.trim()))
        .and_then(|line| {
            [',', ';', '\t']
                .into_iter()
                .find(|mark| line.trim().contains(*mark))
        });
    let Some(delimiter) = delimiter else {
        for (number, line) in lines() {
            let fields: Vec<_> = line.split_whitespace().collect();
            if !fields.is_empty() {
                visit(number, &fields)?;
            }
        }
        return Ok(());
    };

    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter as u8)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record)? {
        let fields: Vec<Cow<'_, str>> = record.iter().map(String::from_utf8_lossy).collect();
        let fields: Vec<&str> = fields.iter().map(AsRef::as_ref).collect();
        if fields.iter().any(|field| !field.is_empty()) {
            visit(line_of(&record, bytes), &fields)?;
        }
    }
    Ok(())
}

/// The line on which a record starts.
fn line_of(record: &ByteRecord, bytes: &[u8]) -> u64 {
    let Some(position) = record.position() else {
        return 0;
    };
    // The reader counts the line before it skips blank lines.
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + blank.filter(|byte| **byte == b'\n').count() as u64
}
