//! Writes a `.vox` scene: models of at most 256 voxels a side, which the scene graph puts in their places.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use dot_vox::{Color, Dict, DotVoxData, Frame, Model, SceneNode, ShapeModel, Size, Voxel};
use indicatif::ProgressBar;

use crate::request::Request;
use crate::shared::{create, unwritable};

/// Largest number of voxels. Each takes four bytes, the file counts its bytes in 32 bits, and is made in memory.
const MOST: u64 = 200_000_000;
const SIDE: i32 = 256;
const COLORS: usize = 64;

/// Writes the scene and says how many models it has.
pub(crate) fn write(
    path: &Path,
    request: &Request,
    solid: bool,
    voxels: u64,
    bar: &ProgressBar,
) -> Result<usize, String> {
    if voxels > MOST {
        return Err(format!("{voxels} voxels are too many for a .vox file"));
    }
    let failed = |error: std::io::Error| unwritable(path, &error);
    let (mut file, _) = create(path)?;
    let parts = split(request, solid, base(request), bar)?;
    let models = parts.len();
    data(parts, base(request))
        .write_vox(&mut file)
        .map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(models)
}

/// The index from which models are counted, so that a small shape is one model.
fn base(request: &Request) -> [i32; 3] {
    let (center, half) = request.extent();
    [0, 1, 2]
        .map(|a| ((center[a] - half[a]) / request.voxel()).floor() as i32)
        .map(|index| index.saturating_sub(1))
}

/// Divides the voxels into models. The key of a model is its lower corner, counted from `base` in units of `SIDE`.
fn split(
    request: &Request,
    solid: bool,
    base: [i32; 3],
    bar: &ProgressBar,
) -> Result<BTreeMap<[i32; 3], Vec<Voxel>>, String> {
    let (center, half) = request.extent();
    let height =
        |z: i32| (f64::from(z) * request.voxel() - center[2]) / half[2].max(request.voxel());
    let mut parts: BTreeMap<_, Vec<Voxel>> = BTreeMap::new();
    let mut slab = None;
    request.each_span(solid, |row| {
        if slab != Some(request.slab(&row)) {
            slab = Some(request.slab(&row));
            bar.inc(1);
        }
        let local = |index: i32, a: usize| (index - base[a]).rem_euclid(SIDE) as u8;
        let shade = (0.5 + 0.5 * height(row.z)) * (COLORS - 1) as f64;
        for x in row.start..row.end {
            let at = [x, row.y, row.z];
            let part = [0, 1, 2].map(|a| (at[a] - base[a]).div_euclid(SIDE));
            parts.entry(part).or_default().push(Voxel {
                x: local(x, 0),
                y: local(row.y, 1),
                z: local(row.z, 2),
                i: shade as u8,
            });
        }
    })?;
    Ok(parts)
}

fn data(parts: BTreeMap<[i32; 3], Vec<Voxel>>, base: [i32; 3]) -> DotVoxData {
    let mut data = DotVoxData {
        version: 200,
        index_map: Vec::new(),
        models: Vec::new(),
        palette: palette(),
        materials: Vec::new(),
        scenes: vec![
            transform(1, Dict::new(), u32::MAX),
            SceneNode::Group {
                attributes: Dict::new(),
                children: Vec::new(),
            },
        ],
        layers: Vec::new(),
    };
    let mut children = Vec::new();
    for (part, mut voxels) in parts {
        let (corner, size) = crop(&mut voxels);
        let position = [0, 1, 2].map(|a| {
            // A model is placed by its middle, rounded down.
            base[a] + part[a] * SIDE + corner[a] + size[a] as i32 / 2
        });
        let [x, y, z] = position;
        let place = Dict::from([("_t".to_owned(), format!("{x} {y} {z}"))]);
        let node = data.scenes.len() as u32;
        children.push(node);
        data.scenes.push(transform(node + 1, place, 0));
        data.scenes.push(SceneNode::Shape {
            attributes: Dict::new(),
            models: vec![ShapeModel {
                model_id: data.models.len() as u32,
                attributes: Dict::new(),
            }],
        });
        let [x, y, z] = size;
        data.models.push(Model {
            size: Size { x, y, z },
            voxels,
        });
    }
    if let SceneNode::Group { children: all, .. } = &mut data.scenes[1] {
        *all = children;
    }
    data
}

/// Moves a model's voxels to its lower corner; returns that corner and the model's size.
fn crop(voxels: &mut [Voxel]) -> ([i32; 3], [u32; 3]) {
    let (mut low, mut high) = ([u8::MAX; 3], [0; 3]);
    for voxel in &*voxels {
        for (a, index) in [voxel.x, voxel.y, voxel.z].into_iter().enumerate() {
            low[a] = low[a].min(index);
            high[a] = high[a].max(index);
        }
    }
    for voxel in voxels {
        voxel.x -= low[0];
        voxel.y -= low[1];
        voxel.z -= low[2];
    }
    let size = [0, 1, 2].map(|a| u32::from(high[a] - low[a]) + 1);
    (low.map(i32::from), size)
}

fn transform(child: u32, attributes: Dict, layer_id: u32) -> SceneNode {
    SceneNode::Transform {
        attributes: Dict::new(),
        frames: vec![Frame { attributes }],
        child,
        layer_id,
    }
}

/// The colors of voxels, by height.
fn palette() -> Vec<Color> {
    let color = |i: usize| {
        let c = colorous::VIRIDIS.eval_rational(i.min(COLORS - 1), COLORS);
        let (r, g, b, a) = (c.r, c.g, c.b, 255);
        Color { r, g, b, a }
    };
    (0..256).map(color).collect()
}
