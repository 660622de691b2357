//! Times the voxels of a sphere's surface: by rows against a test of every voxel of the bounding box.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::glam::{IVec3, Vec3};
use orthant::{Aabb, Bounded, Hollow, Overlaps, Sphere, VoxelGrid};

/// The radii, in voxels.
const RADII: [f32; 4] = [8.0, 32.0, 128.0, 500.0];
/// The largest radius for the scan, which takes a minute beyond it.
const LARGEST_SCAN: f32 = 32.0;

/// Returns a sphere whose center is off the lattice.
fn skin(radius: f32) -> Hollow<Sphere<Vec3>> {
    Hollow(Sphere::new(Vec3::new(0.3, -0.2, 0.45), radius))
}

fn scan(grid: VoxelGrid<Vec3>, skin: Hollow<Sphere<Vec3>>) -> Result<Vec<IVec3>, orthant::Error> {
    let bounds: Aabb<Vec3> = skin.core();
    // The range is one voxel larger on each side, since touching counts.
    let low = grid.voxel_of(bounds.min())? - IVec3::ONE;
    let high = grid.voxel_of(bounds.max())? + IVec3::ONE;
    let mut met = Vec::new();
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                let voxel = IVec3::new(x, y, z);
                if skin.overlaps(&grid.voxel_bounds(voxel)) {
                    met.push(voxel);
                }
            }
        }
    }
    Ok(met)
}

fn voxels(criterion: &mut Criterion) {
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    let mut group = criterion.benchmark_group("voxels");
    for radius in RADII {
        let skin = skin(radius);
        let count = grid.count(skin);
        group.throughput(Throughput::Elements(count));
        if radius <= LARGEST_SCAN {
            let scanned = scan(grid, skin).expect("the sphere is in range");
            assert_eq!(scanned, grid.voxels(skin).collect::<Vec<_>>());
            group.bench_function(BenchmarkId::new("scan", radius), |b| {
                b.iter(|| scan(grid, skin));
            });
        }
        let mut met = Vec::new();
        group.bench_function(BenchmarkId::new("voxels", radius), |b| {
            b.iter(|| {
                met.clear();
                grid.voxels(skin).for_each(|voxel| met.push(voxel));
                met.len()
            });
        });
        group.bench_function(BenchmarkId::new("list", radius), |b| {
            b.iter(|| Vec::from(grid.voxels(skin)).len());
        });
        group.bench_function(BenchmarkId::new("bricks", radius), |b| {
            b.iter(|| grid.bricks(skin).fold(0, |all, brick| all ^ brick.mask[0]));
        });
        group.bench_function(BenchmarkId::new("spans", radius), |b| {
            b.iter(|| grid.spans(skin).count());
        });
        group.bench_function(BenchmarkId::new("count", radius), |b| {
            b.iter(|| grid.count(skin));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = voxels
}
criterion_main!(benches);
