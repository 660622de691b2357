//! Writes a page that shows the points in space.

use std::path::Path;

use orthant::Vector;
use orthant::glam::DVec3;

use crate::Failure;
use crate::page::{Page, Size, Things};
use crate::shared::{create, unwritable};

/// Writes the page; `of` is the radius within which neighbours are counted.
pub(crate) fn write<V: Vector>(
    path: &Path,
    points: &[V],
    counts: &[u32],
    of: &str,
) -> Result<(), Failure> {
    let at = |point: &V, axis: usize| {
        if axis < V::DIM {
            point.axis(axis).into()
        } else {
            0.0
        }
    };
    let place = |point| DVec3::from_array([0, 1, 2].map(|axis| at(point, axis)));
    let page = Page {
        title: format!("{} points", points.len()),
        notes: vec![format!("colored by how many others lie within {of}")],
        // A plane is seen from above.
        view: if V::DIM < 3 {
            DVec3::new(0.0, -1e-3, 1.0)
        } else {
            DVec3::new(-0.3, -1.0, 0.9)
        },
        things: vec![Things {
            one: "point",
            what: "neighbours",
            size: Size::Points,
            places: points.iter().map(place).collect(),
            counts: counts.to_vec(),
        }],
        ..Page::default()
    };
    let (file, path) = create(path)?;
    page.write(file)
        .map_err(|failure| unwritable(path, &failure).into())
}
