//! parry's voxels of meshes.

use crate::jobs::voxels::Voxelizer;
use crate::worlds::Ball;
use parry3d::math::Vector;
use parry3d::shape;
use parry3d::transformation::voxelization::{FillMode, VoxelSet};

/// parry's voxels of a mesh. The mesh of the ball has edges of about a voxel and a half; making it is not timed.
/// Its voxels are only nearly those of the sphere.
pub(super) struct Mesh {
    points: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
}

impl Voxelizer for Mesh {
    const NAME: &'static str = "parry3d mesh";
    type Voxel = [i32; 3];
    type Span = ();
    type Brick = ();

    fn ready(ball: Ball) -> Self {
        let [x, y, z] = ball.center;
        let around = ((std::f32::consts::TAU * ball.radius / 1.5) as u32).max(32);
        let (mut points, triangles) = shape::Ball::new(ball.radius).to_trimesh(around, around / 2);
        points.iter_mut().for_each(|p| *p += Vector::new(x, y, z));
        Self { points, triangles }
    }

    fn voxels(&self, voxels: &mut Vec<[i32; 3]>) {
        let fill = FillMode::SurfaceOnly;
        let set = VoxelSet::with_voxel_size(&self.points, &self.triangles, 1.0, fill, false);
        let coordinates = set.voxels().iter().map(|voxel| voxel.coords);
        voxels.extend(coordinates.map(|at| [at.x, at.y, at.z]));
    }

    /// Voxel 0 has its middle at the least coordinates.
    fn origin(&self) -> [f32; 3] {
        let least = self.points.iter().copied().reduce(Vector::min);
        let least = least.unwrap_or_default() - 0.5;
        [least.x, least.y, least.z]
    }

    fn index(voxel: &[i32; 3]) -> [i32; 3] {
        *voxel
    }
}
