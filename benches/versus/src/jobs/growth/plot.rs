use std::error::Error;
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

use super::sheet::{COLUMNS, Sheet};

const SIZE: (u32, u32) = (1650, 560);
const COLORS: [RGBColor; 4] = [
    RGBColor(214, 39, 40),
    RGBColor(31, 119, 180),
    RGBColor(44, 160, 44),
    RGBColor(127, 127, 127),
];

/// A chart for each column, side by side.
pub(super) fn draw(sheet: &Sheet, path: &Path) -> Result<(), Box<dyn Error>> {
    // Shipped, since what fonts there are differs from machine to machine.
    register_font("sans-serif", FontStyle::Normal, ttf_noto_sans::REGULAR)
        .map_err(|_| "the font cannot be read")?;
    let root = BitMapBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (column, title)) in root.split_evenly((1, COLUMNS.len())).iter().zip(COLUMNS) {
        chart(sheet, area, column, title)?;
    }
    root.present()?;
    Ok(())
}

fn chart(
    sheet: &Sheet,
    area: &DrawingArea<BitMapBackend, Shift>,
    column: &str,
    title: &str,
) -> Result<(), Box<dyn Error>> {
    let names = sheet.contestants();
    let lines: Vec<_> = names.iter().map(|name| sheet.line(name, column)).collect();
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
