//! The measurements, as a table and as a picture with a chart for each column.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement};
use plotters::prelude::{BitMapBackend, IntoLogRange};
use plotters::series::LineSeries;
use plotters::style::{
    BLACK, Color, FontStyle, IntoFont, RGBColor, ShapeStyle, WHITE, register_font,
};

use crate::table::Row;

/// Numbers by points, contestant and column.
#[derive(Default)]
pub(super) struct Measurements(BTreeMap<(usize, &'static str, &'static str), f64>);

const COLUMNS: [(&str, &str); 3] = [
    ("build_ns_per_point", "build, ns a point"),
    ("query_ns", "query for 30 points, ns"),
    ("bytes_per_point", "memory, bytes a point"),
];

impl Measurements {
    pub(super) fn put(
        &mut self,
        points: usize,
        contestant: &'static str,
        column: &'static str,
        number: f64,
    ) {
        self.0.insert((points, contestant, column), number);
    }

    /// Adds the medians of a row.
    pub(super) fn add(&mut self, points: usize, column: &'static str, row: &Row) {
        for entry in &row.entries {
            self.put(points, entry.name, column, entry.median());
        }
    }

    /// The names of the contestants, orthant first.
    fn contestants(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.0.keys().map(|key| key.1).collect();
        names.sort_by_key(|name| (*name != "orthant", *name));
        names.dedup();
        names
    }

    /// Points and numbers of one column.
    fn line(&self, contestant: &str, column: &str) -> Vec<(f64, f64)> {
        let cells = self
            .0
            .iter()
            .filter(|((_, c, k), _)| *c == contestant && *k == column);
        cells
            .map(|((points, ..), number)| (*points as f64, *number))
            .collect()
    }

    /// Writes a table and a picture, and returns a message that names them.
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
        draw(self, &picture)?;
        Ok(format!(
            "wrote {} and {}",
            table.display(),
            picture.display()
        ))
    }
}

const SIZE: (u32, u32) = (1650, 560);
const COLORS: [RGBColor; 4] = [
    RGBColor(214, 39, 40),
    RGBColor(31, 119, 180),
    RGBColor(44, 160, 44),
    RGBColor(127, 127, 127),
];

/// A chart for each column, side by side.
fn draw(measurements: &Measurements, path: &Path) -> Result<(), Box<dyn Error>> {
    // The font comes from a crate, since machines have different fonts.
    register_font("sans-serif", FontStyle::Normal, ttf_noto_sans::REGULAR)
        .map_err(|_| "the font cannot be read")?;
    let root = BitMapBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (column, title)) in root.split_evenly((1, COLUMNS.len())).iter().zip(COLUMNS) {
        chart(measurements, area, column, title)?;
    }
    root.present()?;
    Ok(())
}

fn chart(
    measurements: &Measurements,
    area: &DrawingArea<BitMapBackend, Shift>,
    column: &str,
    title: &str,
) -> Result<(), Box<dyn Error>> {
    let names = measurements.contestants();
    let lines: Vec<_> = names
        .iter()
        .map(|name| measurements.line(name, column))
        .collect();
    let all = || lines.iter().flatten();
    let (Some(first), Some(last)) = (
        all().map(|p| p.0).reduce(f64::min),
        all().map(|p| p.0).reduce(f64::max),
    ) else {
        return Ok(());
    };
    let top = 1.1 * all().map(|p| p.1).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 24).into_font())
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d((first..1.01 * last).log_scale(), 0.0..top)?;
    chart
        .configure_mesh()
        .x_desc("points")
        .x_label_formatter(&|points| format!("{points:.0e}"))
        .y_label_formatter(&|number| format!("{number:.0}"))
        .label_style(("sans-serif", 16))
        .light_line_style(WHITE)
        .draw()?;
    for ((name, line), color) in names.iter().zip(&lines).zip(COLORS) {
        let stroke = ShapeStyle::from(&color).stroke_width(3);
        chart
            .draw_series(LineSeries::new(line.iter().copied(), stroke))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], stroke));
        let dots = line.iter().map(|&at| Circle::new(at, 4, color.filled()));
        chart.draw_series(dots)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .label_font(("sans-serif", 16))
        .draw()?;
    Ok(())
}
