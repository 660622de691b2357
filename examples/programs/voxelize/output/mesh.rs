//! Writes the surface of voxels as a mesh. Faces of a plane that make a rectangle are merged, block by block, by the
//! greedy quads of block-mesh.

use std::collections::HashMap;
use std::io::Write;

use block_mesh::ndshape::{ConstShape, ConstShape3u32};
use block_mesh::{
    GreedyQuadsBuffer, MergeVoxel, RIGHT_HANDED_Y_UP_CONFIG, VoxelVisibility, greedy_quads,
};
use obj::{Group, IndexTuple, ObjData, Object, SimplePolygon};
use orthant::BrickSet;
use orthant::glam::IVec3;

use super::Scene;
use super::ply::{self, Element};

/// Edge of a block, in voxels.
const SIDE: i32 = 64;
/// Edge of a block with the voxels around it.
const PADDED: u32 = SIDE as u32 + 2;
type Shape = ConstShape3u32<PADDED, PADDED, PADDED>;
/// Largest number of voxels in a mesh; it then has some gigabytes.
const MOST: u64 = 500_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Filled(bool);

impl block_mesh::Voxel for Filled {
    fn get_visibility(&self) -> VoxelVisibility {
        if self.0 {
            VoxelVisibility::Opaque
        } else {
            VoxelVisibility::Empty
        }
    }
}

impl MergeVoxel for Filled {
    type MergeValue = ();

    fn merge_value(&self) {}
}

/// A mesh: corners in units of voxels, and faces of four corners, counterclockwise as seen from outside.
#[derive(Default)]
struct Mesh {
    corners: Vec<[i32; 3]>,
    numbers: HashMap<[i32; 3], u32>,
    faces: Vec<[u32; 4]>,
}

impl Mesh {
    fn new(set: &BrickSet) -> Result<Self, String> {
        if set.len() > MOST {
            return Err(format!("{} voxels are too many for a mesh", set.len()));
        }
        let mut mesh = Self::default();
        let mut blocks: Vec<IVec3> = set.bricks().map(|brick| brick.coordinates >> 3).collect();
        // The set lists the bricks of a block one after the other.
        blocks.dedup();
        let mut buffer = GreedyQuadsBuffer::new(Shape::USIZE);
        for block in blocks {
            mesh.add(set, block * SIDE - 1, &mut buffer)?;
        }
        Ok(mesh)
    }

    /// Adds the faces of a block; `first` is the lowest of the voxels around it.
    fn add(
        &mut self,
        set: &BrickSet,
        first: IVec3,
        buffer: &mut GreedyQuadsBuffer,
    ) -> Result<(), String> {
        let near = &BrickSet::block(first, first + PADDED as i32) & set;
        let mut filled = vec![Filled(false); Shape::USIZE];
        for voxel in &near {
            let at = (voxel - first).to_array().map(|index| index as u32);
            filled[Shape::linearize(at) as usize] = Filled(true);
        }
        let faces = &RIGHT_HANDED_Y_UP_CONFIG.faces;
        greedy_quads(&filled, &Shape {}, [0; 3], [PADDED - 1; 3], faces, buffer);
        for (face, quads) in faces.iter().zip(&buffer.quads.groups) {
            // The first triangle is a, b, d. Corner 3 lies across from a, so the order around the quad is a, b, 3, d.
            let [a, b, d, ..] = face.quad_mesh_indices(0);
            for quad in quads {
                let corners = face.quad_corners(quad).map(|corner| corner.to_array());
                let mut numbers = [0; 4];
                for (number, i) in numbers.iter_mut().zip([a, b, 3, d]) {
                    let corner = corners[i as usize].map(|index| index as i32);
                    *number = self.number((first + IVec3::from(corner)).to_array())?;
                }
                self.faces.push(numbers);
            }
        }
        Ok(())
    }

    fn number(&mut self, corner: [i32; 3]) -> Result<u32, String> {
        let next = u32::try_from(self.corners.len()).map_err(|_| "too many corners")?;
        Ok(*self.numbers.entry(corner).or_insert_with(|| {
            self.corners.push(corner);
            next
        }))
    }

    fn places(&self, voxel: f64) -> impl Iterator<Item = [f32; 3]> {
        let place = move |index: i32| (f64::from(index) * voxel) as f32;
        self.corners.iter().map(move |corner| corner.map(place))
    }

    fn summary(&self) -> String {
        format!("{} faces, {} corners", self.faces.len(), self.corners.len())
    }
}

pub(super) fn write_obj(file: &mut impl Write, scene: &Scene<'_>) -> Result<String, String> {
    let mesh = Mesh::new(scene.set)?;
    let corner = |&number: &u32| IndexTuple(number as usize, None, None);
    let polygon = |face: &[u32; 4]| SimplePolygon(face.iter().map(corner).collect());
    let mut group = Group::new("voxels".into());
    group.polys = mesh.faces.iter().map(polygon).collect();
    let mut object = Object::new("voxels".into());
    object.groups.push(group);
    let data = ObjData {
        position: mesh.places(scene.voxel).collect(),
        objects: vec![object],
        ..ObjData::default()
    };
    data.write_to_buf(file).map_err(|error| error.to_string())?;
    Ok(mesh.summary())
}

pub(super) fn write_ply(file: &mut impl Write, scene: &Scene<'_>) -> Result<String, String> {
    let mesh = Mesh::new(scene.set)?;
    let corners = mesh.places(scene.voxel).map(Element::Vertex).collect();
    let faces = mesh.faces.iter().copied().map(Element::Face).collect();
    ply::write(file, corners, Some(faces))?;
    Ok(mesh.summary())
}
