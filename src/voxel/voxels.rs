//! The iterator over voxels.
//!
//! Voxels are written to a buffer, four of a row at a time; the next span overwrites the surplus. A branch on the end
//! of a span would be mispredicted, and cost as much as all the rest.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::{ControlFlow, Range};

use super::slab::Slab;
use super::voxelize::VoxelOf;
use super::{Spans, Voxelize};
use crate::error::shown_as;
use crate::simd::{InstructionSet, run};
use crate::vector::Voxel;

/// Number of voxels that are written at a time.
const BLOCK: usize = 256;
/// Number of voxels of a row that are written at once, needed or not.
const FOUR: usize = 4;

/// A buffer of the indices of voxels of up to four axes, with room for the surplus. Its length is a constant, so that
/// indices need no checks.
type Page = [i32; 4 * (BLOCK + FOUR)];

/// The voxels of a region, from [`VoxelGrid::voxels`](super::VoxelGrid::voxels).
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Voxels<R: Voxelize> {
    /// The spans that are not yet written to the buffer. Both are boxed, to keep the iterator small: then `left` stays in registers.
    spans: Box<Spans<R>>,
    /// The buffer of voxels, and those that are left in it.
    page: Box<Page>,
    left: Range<usize>,
}

shown_as!(impl[R: Voxelize] Voxels<R> as "Voxels");

impl<R: Voxelize> Voxels<R> {
    pub(super) fn new(spans: Spans<R>) -> Self {
        Self {
            spans: Box::new(spans),
            page: Box::new([0; 4 * (BLOCK + FOUR)]),
            left: 0..0,
        }
    }

    /// Calls `f` with the voxels in their order, many at a time, until `f` breaks. This is the fastest way to list
    /// them.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64; 3], 1.0);
    /// let mut list = Vec::new();
    /// let _ = grid.voxels(Hollow(Sphere::new([0.0; 3], 8.0))).visit(|some| {
    ///     list.extend_from_slice(some);
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(list.len(), 1184);
    /// ```
    pub fn visit<B>(
        mut self,
        mut f: impl FnMut(&[VoxelOf<R>]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while self.refill() {
            let left = core::mem::take(&mut self.left);
            f(&self.page()[left])?;
        }
        ControlFlow::Continue(())
    }

    /// The voxels of the buffer.
    #[inline(always)]
    fn page(&self) -> &[VoxelOf<R>] {
        Voxel::of_indices(&self.page[..VoxelOf::<R>::DIM * (BLOCK + FOUR)])
    }

    /// Fills the buffer if no voxels are left in it; `false` at the end.
    #[inline(always)]
    fn refill(&mut self) -> bool {
        if self.left.is_empty() {
            self.left = 0..write(&mut self.spans, &mut self.page);
        }
        !self.left.is_empty()
    }
}

/// Writes the next voxels and returns their number, 0 at the end.
#[inline(never)]
fn write<R: Voxelize>(spans: &mut Spans<R>, page: &mut Page) -> usize {
    loop {
        if spans.next >= 2 * spans.slab.rows() && !spans.refill() {
            return 0;
        }
        let Spans {
            slab,
            next,
            instructions,
            ..
        } = spans;
        let written = write_slab(VoxelOf::<R>::DIM, *instructions, slab, next, page);
        if written > 0 {
            return written;
        }
    }
}

/// Writes voxels of a slab. Compiled in this crate for one to four axes; no grid has more.
fn write_slab(
    dim: usize,
    set: InstructionSet,
    slab: &mut Slab,
    next: &mut usize,
    page: &mut Page,
) -> usize {
    match dim {
        1 => run!(set, |_simd| write_rows::<1>(slab, next, page)),
        2 => run!(set, |_simd| write_rows::<2>(slab, next, page)),
        3 => run!(set, |_simd| write_rows::<3>(slab, next, page)),
        _ => run!(set, |_simd| write_rows::<4>(slab, next, page)),
    }
}

/// Writes the voxels of a slab, from the span `next` on: row `r` has the spans `2 * r` and `2 * r + 1`. Returns their number.
///
/// ```text
/// for each row, for each of its two spans:
///     write four voxels from its first on, whatever its length, and a longer one four by four
///     stop when the page is full: the span then begins with the first voxel that is left
/// ```
#[inline(always)]
fn write_rows<const D: usize>(slab: &mut Slab, next: &mut usize, page: &mut Page) -> usize
where
    [i32; D]: Voxel,
{
    let page = page.as_chunks_mut::<D>().0;
    let page = page.first_chunk_mut().expect("up to four axes");
    let mut written = 0;
    let (first, mut is_begun) = (*next / 2, *next % 2 == 1);
    // The columns are shared while they are read, so that no store makes the loop read them again.
    let [start, hole, rest, end] = slab.columns.get();
    let stopped = 'rows: {
        for strip in &slab.strips {
            let from = first.max(strip.first);
            let rows = from..strip.end().max(from);
            let left = start[rows.clone()].iter().zip(&hole[rows.clone()]);
            let right = rest[rows.clone()].iter().zip(&end[rows.clone()]);
            for (row, ((&start, &hole), (&rest, &end))) in rows.zip(left.zip(right)) {
                let at = strip.span(row, 0, 0).first();
                if !core::mem::take(&mut is_begun) {
                    if written + FOUR > BLOCK {
                        break 'rows Some((2 * row, start));
                    }
                    let taken = put_span(at, start..hole, page, &mut written);
                    if taken < hole {
                        break 'rows Some((2 * row, taken));
                    }
                }
                // Four more have room, even if the page is full.
                let taken = put_span(at, rest..end, page, &mut written);
                if taken < end {
                    break 'rows Some((2 * row + 1, taken));
                }
            }
        }
        None
    };
    *next = 2 * hole.len();
    if let Some((span, first)) = stopped {
        let [start, _, rest, _] = slab.columns.get_mut();
        let column = if span % 2 == 0 { start } else { rest };
        (column[span / 2], *next) = (first, span);
    }
    written
}

/// Writes the voxels of a span at `written`, as many as the page has room for. Returns the coordinate on axis 0 at which
/// the rest begins.
#[inline(always)]
fn put_span<X: Voxel>(
    at: X,
    span: Range<i32>,
    page: &mut [X; BLOCK + FOUR],
    written: &mut usize,
) -> i32 {
    put(at, span.start, page, *written);
    // The numbers never decrease, so the count is not negative.
    let mut count = span.end.wrapping_sub(span.start) as u32 as usize;
    if count > FOUR {
        count = count.min(BLOCK - *written);
        for done in (FOUR..count).step_by(FOUR) {
            let x = span.start.wrapping_add(done as i32);
            put(at, x, page, *written + done);
        }
    }
    *written += count;
    span.start.wrapping_add(count as i32)
}

#[inline(always)]
fn put<X: Voxel>(at: X, x: i32, page: &mut [X; BLOCK + FOUR], to: usize) {
    let to: &mut [X; FOUR] = (&mut page[to..to + FOUR]).try_into().expect("as long");
    *to = crate::simd::from_fn(|i| at.with(0, x.wrapping_add(i as i32)));
}

impl<R: Voxelize> Iterator for Voxels<R> {
    type Item = VoxelOf<R>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if !self.refill() {
            return None;
        }
        let voxel = self.page()[self.left.start];
        self.left.start += 1;
        Some(voxel)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.len(), None)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        while self.refill() {
            let left = core::mem::take(&mut self.left);
            for &voxel in &self.page()[left] {
                all = f(all, voxel);
            }
        }
        all
    }

    #[inline]
    fn count(self) -> usize {
        let rest = usize::try_from(self.spans.voxel_count()).unwrap_or(usize::MAX);
        rest.saturating_add(self.left.len())
    }
}

impl<R: Voxelize> FusedIterator for Voxels<R> {}

/// The fastest way to a list of all voxels.
impl<R: Voxelize> From<Voxels<R>> for Vec<VoxelOf<R>> {
    fn from(voxels: Voxels<R>) -> Self {
        let mut list = Self::new();
        let _ = voxels.visit(|some| {
            list.extend_from_slice(some);
            ControlFlow::<()>::Continue(())
        });
        list
    }
}
