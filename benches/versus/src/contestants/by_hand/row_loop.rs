//! A handwritten loop over rows: square roots give the ends of each row, and the exact test corrects them.

use std::ops::Range;

use crate::jobs::voxels::Voxelizer;
use crate::worlds::Ball;

pub(crate) struct RowLoop(Ball);

/// The squares of the distances to the nearest and the farthest point of `[v, v + 1]`.
#[inline(always)]
fn on_axis(v: i32, c: f32) -> (f32, f32) {
    let (below, above) = (v as f32 - c, c - (v + 1) as f32);
    let near = below.max(above).max(0.0);
    let far = (-below).max(-above);
    (near * near, far * far)
}

fn around(c: f32, r: f32) -> Range<i32> {
    (c - r).floor() as i32 - 1..(c + r).floor() as i32 + 2
}

impl RowLoop {
    #[inline(always)]
    fn each_span(&self, mut span: impl FnMut(i32, i32, Range<i32>)) {
        let Ball { center, radius } = self.0;
        let limit = radius * radius;
        for z in around(center[2], radius) {
            let (near_z, far_z) = on_axis(z, center[2]);
            if near_z > limit {
                continue;
            }
            for y in around(center[1], radius) {
                let (near_y, far_y) = on_axis(y, center[1]);
                if near_y + near_z > limit {
                    continue;
                }
                let met = |x: i32| (on_axis(x, center[0]).0 + near_y) + near_z <= limit;
                let within = |x: i32| (on_axis(x, center[0]).1 + far_y) + far_z < limit;
                let half = ((limit - near_y) - near_z).max(0.0).sqrt();
                let mut start = (center[0] - half).floor() as i32;
                let mut end = (center[0] + half).floor() as i32 + 1;
                while met(start - 1) {
                    start -= 1;
                }
                while start < end && !met(start) {
                    start += 1;
                }
                while met(end) {
                    end += 1;
                }
                while start < end && !met(end - 1) {
                    end -= 1;
                }
                if start >= end {
                    continue;
                }
                let left = (limit - far_y) - far_z;
                let half = left.max(0.0).sqrt();
                let mut from = (center[0] - half).floor() as i32 + 1;
                let mut to = (center[0] + half).floor() as i32;
                while from < to && !within(from) {
                    from += 1;
                }
                while from < to && !within(to - 1) {
                    to -= 1;
                }
                if from >= to {
                    // Only the cell around the center may be within.
                    let middle = center[0].floor() as i32;
                    (from, to) = if left > 0.0 && within(middle) {
                        (middle, middle + 1)
                    } else {
                        (end, end)
                    };
                }
                while from < to && within(from - 1) {
                    from -= 1;
                }
                while from < to && within(to) {
                    to += 1;
                }
                if start < from {
                    span(y, z, start..from);
                }
                if to < end {
                    span(y, z, to..end);
                }
            }
        }
    }
}

impl Voxelizer for RowLoop {
    const NAME: &'static str = "row loop";
    type Voxel = [i32; 3];
    type Span = [i32; 4];
    type Brick = ();

    fn ready(ball: Ball) -> Self {
        Self(ball)
    }

    fn voxels(&self, voxels: &mut Vec<[i32; 3]>) {
        self.each_span(|y, z, range| range.for_each(|x| voxels.push([x, y, z])));
    }

    fn spans(&self, spans: &mut Vec<[i32; 4]>) {
        self.each_span(|y, z, range| spans.push([range.start, range.end, y, z]));
    }

    fn count(&self) -> u64 {
        let mut sum = 0;
        self.each_span(|_, _, range| sum += range.len() as u64);
        sum
    }

    fn index(voxel: &[i32; 3]) -> [i32; 3] {
        *voxel
    }

    fn of_span(&[start, end, y, z]: &[i32; 4], voxels: &mut Vec<[i32; 3]>) {
        voxels.extend((start..end).map(|x| [x, y, z]));
    }
}
