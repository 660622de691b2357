use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use super::plot;
use crate::table::Row;

/// Numbers by points, contestant and column.
#[derive(Default)]
pub(super) struct Sheet(BTreeMap<(usize, &'static str, &'static str), f64>);

pub(super) const COLUMNS: [(&str, &str); 3] = [
    ("build_ns_per_point", "build, ns a point"),
    ("query_ns", "query for 30 points, ns"),
    ("bytes_per_point", "memory, bytes a point"),
];

impl Sheet {
    pub(super) fn put(
        &mut self,
        points: usize,
        contestant: &'static str,
        column: &'static str,
        number: f64,
    ) {
        self.0.insert((points, contestant, column), number);
    }

    /// The medians of a row.
    pub(super) fn add(&mut self, points: usize, column: &'static str, row: &Row) {
        for entry in &row.entries {
            self.put(points, entry.name, column, entry.median());
        }
    }

    /// Orthant first.
    pub(super) fn contestants(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.0.keys().map(|key| key.1).collect();
        names.sort_by_key(|name| (*name != "orthant", *name));
        names.dedup();
        names
    }

    /// Points and numbers of one column.
    pub(super) fn line(&self, contestant: &str, column: &str) -> Vec<(f64, f64)> {
        let cells = self
            .0
            .iter()
            .filter(|((_, c, k), _)| *c == contestant && *k == column);
        cells
            .map(|((points, ..), number)| (*points as f64, *number))
            .collect()
    }

    /// A table and a picture; the answer names them.
    pub(super) fn write(&self, folder: &Path) -> Result<String, Box<dyn Error>> {
        fs::create_dir_all(folder)?;
        let (table, picture) = (folder.join("growth.csv"), folder.join("growth.png"));
        let mut writer = csv::Writer::from_path(&table)?;
        let head = ["points", "contestant"].into_iter();
        writer.write_record(head.chain(COLUMNS.map(|(column, _)| column)))?;
        let mut rows: Vec<_> = self
            .0
            .keys()
            .map(|&(points, name, _)| (points, name))
            .collect();
        rows.dedup();
        for (points, name) in rows {
            let cells = COLUMNS.map(|(column, _)| {
                let number = self.0.get(&(points, name, column));
                number.map_or_else(String::new, |number| format!("{number:.2}"))
            });
            let head = [points.to_string(), name.to_owned()].into_iter();
            writer.write_record(head.chain(cells))?;
        }
        writer.flush()?;
        plot::draw(self, &picture)?;
        Ok(format!(
            "wrote {} and {}",
            table.display(),
            picture.display()
        ))
    }
}
