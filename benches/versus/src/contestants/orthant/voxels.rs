//! The voxels of spheres.

use super::library::glam::{IVec3, Vec3};
use super::library::{Brick, BrickSet, Hollow, Span, Sphere, VoxelGrid};
use super::{AT_ONCE, KIND, NAME};
use crate::jobs::voxels::{Union, Voxelizer};
use crate::race::Kind;
use crate::worlds::Ball;
use std::ops::ControlFlow;

pub(crate) struct Grid {
    grid: VoxelGrid<Vec3>,
    skin: Hollow<Sphere<Vec3>>,
}

impl Voxelizer for Grid {
    const NAME: &'static str = NAME;
    const KIND: Kind = KIND;
    type Voxel = IVec3;
    type Span = Span<IVec3>;
    type Brick = Brick<IVec3>;

    fn ready(ball: Ball) -> Self {
        Self {
            grid: VoxelGrid::new(Vec3::ZERO, 1.0),
            skin: Hollow(Sphere::new(ball.center.into(), ball.radius)),
        }
    }

    fn voxels(&self, voxels: &mut Vec<IVec3>) {
        let _ = self.grid.voxels(self.skin).visit(|some| {
            voxels.extend_from_slice(some);
            ControlFlow::<()>::Continue(())
        });
    }

    fn spans(&self, spans: &mut Vec<Span<IVec3>>) {
        self.grid.spans(self.skin).for_each(|s| spans.push(s));
    }

    fn count(&self) -> u64 {
        self.grid.count(self.skin)
    }

    fn bricks(&self, bricks: &mut Vec<Brick<IVec3>>) {
        self.grid.bricks(self.skin).for_each(|b| bricks.push(b));
    }

    fn index(voxel: &IVec3) -> [i32; 3] {
        voxel.to_array()
    }

    fn of_span(span: &Span<IVec3>, voxels: &mut Vec<[i32; 3]>) {
        voxels.extend(span.voxels().map(|v| v.to_array()));
    }

    fn of_brick(brick: &Brick<IVec3>, voxels: &mut Vec<[i32; 3]>) {
        voxels.extend(brick.voxels().map(|v| v.to_array()));
    }
}

/// The union of all balls, made at once.
pub(crate) struct AtOnce(pub(super) BrickSet);

impl Union for AtOnce {
    const NAME: &'static str = AT_ONCE;
    const KIND: Kind = KIND;
    type Balls = Vec<Sphere<Vec3>>;

    fn ready(balls: &[Ball]) -> Self::Balls {
        let sphere = |ball: &Ball| Sphere::new(ball.center.into(), ball.radius);
        balls.iter().map(sphere).collect()
    }

    fn unite(balls: &Self::Balls) -> Self {
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        Self(BrickSet::from_regions(&grid, balls))
    }

    fn voxels(&self) -> impl Iterator<Item = [i32; 3]> {
        let bricks = self.0.bricks();
        bricks.flat_map(|brick| brick.voxels().map(|v| v.to_array()).collect::<Vec<_>>())
    }

    fn remark(&self) -> Option<String> {
        let bricks = self.0.bricks().count();
        let bits = self.0.bytes() as f64 * 8.0 / (bricks as f64 * 512.0);
        Some(format!(
            "{bricks} bricks, {bits:.2} bits a voxel of a brick"
        ))
    }
}
