//! The cells that a search tests, for the demo.

use core::cell::RefCell;

use orthant::{Aabb, Overlaps, Region, Relation, Sphere};
use wasm_bindgen::prelude::*;

use crate::input::Result;
use crate::tree::{Octree, Place, ball};

/// A ball that records the cells for which it is tested.
struct Asked {
    ball: Sphere<Place>,
    /// The corners of each cell, and its relation to the ball.
    cells: RefCell<Vec<f32>>,
}

impl Overlaps<Place> for Asked {
    fn overlaps(&self, point: &Place) -> bool {
        self.ball.overlaps(point)
    }
}

impl Region for Asked {
    type Vector = Place;

    fn relate(&self, cell: &Aabb<Place>) -> Relation {
        let relation = self.ball.relate(cell);
        let kind = match relation {
            Relation::Outside => 0.0,
            Relation::Straddles => 1.0,
            Relation::Inside => 2.0,
        };
        let mut cells = self.cells.borrow_mut();
        cells.extend(cell.min());
        cells.extend(cell.max());
        cells.push(kind);
        relation
    }

    /// Points have no radius.
    fn relate_balls(&self, centers: &Aabb<Place>, _least: f32, _most: f32) -> Relation {
        self.relate(centers)
    }
}

#[wasm_bindgen]
impl Octree {
    /// Returns the cells that a search for the points in a ball tests, seven numbers each: their corners, and 0 for cells outside, 1 for cells
    /// whose points are tested, and 2 for cells inside.
    pub fn cells(&self, x: f32, y: f32, z: f32, radius: f32) -> Result<Vec<f32>> {
        let (ball, cells) = (ball([x, y, z], radius)?, RefCell::default());
        let asked = Asked { ball, cells };
        // Only the recorded cells matter, not the points that are found.
        let _ = self.0.0.query(&asked).count();
        Ok(asked.cells.into_inner())
    }
}
