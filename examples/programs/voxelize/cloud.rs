//! The balls around the points of a file, as one set of voxels.

use std::path::Path;

use orthant::glam::{DVec3, IVec3};
use orthant::{Adjacency, BrickSet, Sphere, VoxelGrid};

use crate::read;
use crate::request::Row;

pub(crate) struct Cloud {
    pub(crate) points: usize,
    pub(crate) radius: f64,
    /// The corners of the box around all balls.
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    solid: BrickSet,
}

impl Cloud {
    pub(crate) fn read(path: &Path, radius: f64, grid: &VoxelGrid<DVec3>) -> Result<Self, String> {
        let cloud = read::file(path, 3, None).map_err(|error| error.to_string())?;
        let points: Vec<DVec3> = cloud.points().map_err(|error| error.to_string())?;
        let balls: Result<Vec<_>, _> = points
            .iter()
            .map(|&point| Sphere::try_new(point, radius))
            .collect();
        let balls = balls.map_err(|error| error.to_string())?;
        let ends = |pick: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(pick);
        Ok(Self {
            points: points.len(),
            radius,
            low: ends(DVec3::min).unwrap_or_default() - radius,
            high: ends(DVec3::max).unwrap_or_default() + radius,
            solid: BrickSet::try_from_regions(grid, &balls).map_err(|error| error.to_string())?,
        })
    }

    /// All voxels, or only those with a neighbour outside the set.
    pub(crate) fn bricks(&self, solid: bool) -> BrickSet {
        if solid {
            self.solid.clone()
        } else {
            &self.solid - &self.solid.eroded(Adjacency::Corners)
        }
    }

    /// Calls `f` with the runs of voxels, row of bricks by row of bricks.
    pub(crate) fn each_span(&self, solid: bool, mut f: impl FnMut(Row)) {
        let set = self.bricks(solid);
        let mut bricks: Vec<_> = set.bricks().collect();
        let row = |at: IVec3| (at.z, at.y);
        bricks.sort_unstable_by_key(|brick| (row(brick.coordinates), brick.coordinates.x));
        // A row of bricks has 64 rows of voxels, whose runs may continue from brick to brick.
        for bricks in bricks.chunk_by(|a, b| row(a.coordinates) == row(b.coordinates)) {
            let (bz, by) = row(bricks[0].coordinates);
            for line in 0..64 {
                let mut run: Option<Row> = None;
                for brick in bricks {
                    let bits = brick.mask[line / 8] >> (8 * (line % 8)) & 0xFF;
                    for x in (0..8).filter(|x| bits >> x & 1 == 1) {
                        let x = brick.coordinates.x * 8 + x;
                        match &mut run {
                            Some(run) if run.end == x => run.end += 1,
                            _ => {
                                let (y, z) = (by * 8 + line as i32 % 8, bz * 8 + line as i32 / 8);
                                let next = Row {
                                    start: x,
                                    end: x + 1,
                                    y,
                                    z,
                                };
                                run.replace(next).into_iter().for_each(&mut f);
                            }
                        }
                    }
                }
                run.into_iter().for_each(&mut f);
            }
        }
    }
}
