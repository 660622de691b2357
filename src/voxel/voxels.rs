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
use super::{Span, Spans, Voxelize};
use crate::error::shown_as;
use crate::simd::{InstructionSet, run};
use crate::vector::Voxel;

type ArrayOf<R> = <VoxelOf<R> as Voxel>::Array;

/// Number of voxels that are written at a time.
const BLOCK: usize = 256;
/// Number of voxels of a row that are written at once, needed or not.
const FOUR: usize = 4;

/// A buffer of voxels, with room for the surplus. Its length is a constant, so that indices need no checks.
pub(super) type Page<X> = [X; BLOCK + FOUR];

/// The voxels of a region, from [`VoxelGrid::voxels`](super::VoxelGrid::voxels).
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Voxels<R: Voxelize> {
    /// Boxed, as the buffer is, so that `left` stays in registers.
    rest: Box<Rest<R>>,
    /// The buffer of voxels, and those that are left in it.
    block: Box<Page<ArrayOf<R>>>,
    left: Range<usize>,
}

shown_as!(impl[R: Voxelize] Voxels<R> as "Voxels");

/// The spans that are not yet written to the buffer.
#[derive(Clone, Debug)]
struct Rest<R: Voxelize> {
    spans: Spans<R>,
    /// The rest of the last span.
    row: Option<Span<ArrayOf<R>>>,
}

impl<R: Voxelize> Voxels<R> {
    pub(super) fn new(spans: Spans<R>) -> Self {
        Self {
            rest: Box::new(Rest { spans, row: None }),
            block: Box::new([Voxel::from_fn(|_| 0); BLOCK + FOUR]),
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
            f(VoxelOf::<R>::of_arrays(&self.block[left]))?;
        }
        ControlFlow::Continue(())
    }

    /// Fills the buffer if no voxels are left in it; `false` at the end.
    #[inline(always)]
    fn refill(&mut self) -> bool {
        if self.left.is_empty() {
            self.left = 0..self.rest.write(&mut self.block);
        }
        !self.left.is_empty()
    }
}

impl<R: Voxelize> Rest<R> {
    /// Writes the next voxels and returns their number, 0 at the end.
    #[inline(never)]
    fn write(&mut self, block: &mut Page<ArrayOf<R>>) -> usize {
        let Self { spans, row } = self;
        loop {
            if let Some(span) = row.take() {
                return write_span(span, row, block);
            }
            if spans.next >= 2 * spans.slab.rows() && !spans.refill() {
                return 0;
            }
            let (set, slab) = (spans.instructions, &spans.slab);
            let written = ArrayOf::<R>::write(set, slab, &mut spans.next, row, block);
            if written > 0 {
                return written;
            }
        }
    }
}

/// Writes voxels to a buffer. Compiled in this crate for one to four axes; no grid has more.
pub trait Write: Sized {
    /// Writes voxels of a slab from the span `next` on, and leaves in `rest` what does not fit of the last span.
    /// Returns the number of voxels.
    fn write(
        instructions: InstructionSet,
        slab: &Slab,
        next: &mut usize,
        rest: &mut Option<Span<Self>>,
        block: &mut Page<Self>,
    ) -> usize {
        let _ = (instructions, slab, next, rest, block);
        0
    }
}

macro_rules! write {
    ($($dim:literal)*) => {
        $(
            impl Write for [i32; $dim] {
                #[inline(never)]
                fn write(
                    instructions: InstructionSet,
                    slab: &Slab,
                    next: &mut usize,
                    rest: &mut Option<Span<Self>>,
                    block: &mut Page<Self>,
                ) -> usize {
                    run!(instructions, |_simd| write_slab(slab, next, rest, block))
                }
            }
        )*
    };
}

write!(1 2 3 4);

// No grid has more than four axes.
impl Write for [i32; 5] {}
impl Write for [i32; 6] {}
impl Write for [i32; 7] {}
impl Write for [i32; 8] {}

/// Writes as many voxels of a span as there is room for, and leaves the rest.
fn write_span<X: Voxel>(span: Span<X>, rest: &mut Option<Span<X>>, block: &mut Page<X>) -> usize {
    let (first, Range { start, end }) = (span.first(), span.range());
    let count = (span.len() as usize).min(BLOCK);
    for (to, x) in block[..count].iter_mut().zip(start..) {
        *to = first.with(0, x);
    }
    let next = start.wrapping_add(count as i32);
    *rest = (next < end).then(|| Span::new(first.with(0, next), end));
    count
}

/// Writes the voxels of a slab.
///
/// ```text
/// for each row, for each of its two spans:
///     write four voxels from its first on, whatever its length, and a longer one four by four
///     stop when the page is full
/// ```
///
/// `next` is the next span: row `r` has the spans `2 * r` and `2 * r + 1`.
#[inline(always)]
fn write_slab<X: Voxel>(
    slab: &Slab,
    next: &mut usize,
    left_over: &mut Option<Span<X>>,
    block: &mut Page<X>,
) -> usize {
    let [start, hole, rest, end] = slab.columns.get();
    let mut written = 0;
    let (first, mut is_begun) = (*next / 2, *next % 2 == 1);
    for strip in &slab.strips {
        let from = first.max(strip.first);
        let rows = from..strip.end().max(from);
        let left = start[rows.clone()].iter().zip(&hole[rows.clone()]);
        let right = rest[rows.clone()].iter().zip(&end[rows.clone()]);
        for (row, ((&start, &hole), (&rest, &end))) in rows.zip(left.zip(right)) {
            let at = strip.span::<X>(row, 0, 0).first();
            if !core::mem::take(&mut is_begun) {
                if written + FOUR > BLOCK {
                    *next = 2 * row;
                    return written;
                }
                let taken = put_span(at, start..hole, block, &mut written);
                if taken < hole {
                    *next = 2 * row + 1;
                    *left_over = Some(Span::new(at.with(0, taken), hole));
                    return written;
                }
            }
            if written + FOUR > BLOCK {
                *next = 2 * row + 1;
                return written;
            }
            let taken = put_span(at, rest..end, block, &mut written);
            if taken < end {
                *next = 2 * row + 2;
                *left_over = Some(Span::new(at.with(0, taken), end));
                return written;
            }
        }
    }
    *next = 2 * start.len();
    written
}

/// Writes the voxels of a span at `written`, as many as the page has room for. Returns the coordinate on axis 0 at which
/// the rest begins.
#[inline(always)]
fn put_span<X: Voxel>(at: X, span: Range<i32>, block: &mut Page<X>, written: &mut usize) -> i32 {
    put(at, span.start, block, *written);
    // The numbers never decrease, so the count is not negative.
    let mut count = span.end.wrapping_sub(span.start) as u32 as usize;
    if count > FOUR {
        count = count.min(BLOCK - *written);
        for done in (FOUR..count).step_by(FOUR) {
            put(
                at,
                span.start.wrapping_add(done as i32),
                block,
                *written + done,
            );
        }
    }
    *written += count;
    span.start.wrapping_add(count as i32)
}

#[inline(always)]
fn put<X: Voxel>(at: X, x: i32, block: &mut Page<X>, to: usize) {
    let to: &mut [X; FOUR] = (&mut block[to..to + FOUR]).try_into().expect("as long");
    *to = crate::simd::from_fn(|i| at.with(0, x.wrapping_add(i as i32)));
}

impl<R: Voxelize> Iterator for Voxels<R> {
    type Item = VoxelOf<R>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if !self.refill() {
            return None;
        }
        let voxel = self.block[self.left.start];
        self.left.start += 1;
        Some(Voxel::of_array(voxel))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let row = self.rest.row.map_or(0, |row| row.len() as usize);
        (self.left.len() + row, None)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        while self.refill() {
            let left = core::mem::take(&mut self.left);
            for &voxel in &self.block[left] {
                all = f(all, Voxel::of_array(voxel));
            }
        }
        all
    }

    #[inline]
    fn count(self) -> usize {
        let known = self.size_hint().0;
        let rest = usize::try_from(self.rest.spans.voxel_count()).unwrap_or(usize::MAX);
        rest.saturating_add(known)
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
