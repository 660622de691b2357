//! Balls that are not much larger than a cell, asked row by row, sixteen points at a time; other regions
//! cell by cell.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::CellList;
use super::region::CellWalk;
use crate::overlap::lanes::{Ball, Probe};
use crate::query::Query;
use crate::simd::{Job, LANES, Mask, Pile, Room, compress};
use crate::voxel::RowsOf;
use crate::{Lists, Overlaps, Region, Vector};

/// In more cells than this, a ball is asked as any region is: those inside need not be looked into.
const MANY: usize = 512;

/// The indices that are found at a time.
const BUFFER: usize = 256;

/// The points that overlap a region: what [`CellList::query`] returns. Lazy.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct CellQuery<'a, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    cells: &'a CellList<V>,
    state: State<'a, V, R>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "the large one is where an iterator works; a box would be an allocation for each query"
)]
enum State<'a, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    /// Not asked yet, which is the state to be moved in.
    Fresh(R),
    Ball(Ahead<V>),
    Other(Query<CellWalk<'a, V, R>>),
    Done,
}

/// What is left to ask, and what was found but not handed out.
struct Ahead<V: Vector> {
    walk: BallWalk<V>,
    found: Room<BUFFER>,
    at: usize,
}

/// The rows of cells around a ball.
struct BallWalk<V: Vector> {
    ball: Ball<V>,
    rows: RowsOf<V::Voxel>,
    /// What is left of the row at hand.
    slots: Range<u32>,
    done: bool,
}

impl<V: Vector> BallWalk<V> {
    /// For a solid ball, if it is not much larger than a cell.
    #[inline(always)]
    fn new<R: Region<Vector = V>>(cells: &CellList<V>, region: &R) -> Option<Self> {
        let ball = region.ball().filter(|ball| !ball.hollow)?;
        let block = cells.grid.around(ball.center, ball.outer)?;
        (block.cells() <= MANY).then(|| Self {
            ball,
            rows: RowsOf::new(block),
            slots: 0..0,
            done: false,
        })
    }

    /// The next up to sixteen slots to be asked.
    #[inline(always)]
    fn next(&mut self, cells: &CellList<V>) -> Option<(usize, usize)> {
        while self.slots.is_empty() {
            let Some(row) = self.rows.next() else {
                self.done = true;
                return None;
            };
            self.slots = cells.buckets.row(&cells.grid, &row);
        }
        let (first, many) = (self.slots.start as usize, self.slots.len().min(LANES));
        self.slots.start += many as u32;
        Some((first, many))
    }

    /// Finds more, until the room is full or nothing is left.
    #[inline(always)]
    fn fill(&mut self, cells: &CellList<V>, to: &mut Pile<'_>) {
        let walk = self;
        cells.instructions.run(Fill { cells, walk, to });
    }

    /// Hands on what is left, until `f` breaks.
    #[inline(always)]
    fn visit<B>(
        &mut self,
        cells: &CellList<V>,
        mut f: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut found = Room::<BUFFER>::new();
        while !self.done {
            found.clear();
            self.fill(cells, &mut found.pile());
            for &index in found.as_slice() {
                f(index as usize)?;
            }
        }
        ControlFlow::Continue(())
    }
}

struct Fill<'a, 'b, V: Vector> {
    cells: &'a CellList<V>,
    walk: &'a mut BallWalk<V>,
    to: &'a mut Pile<'b>,
}

impl<V: Vector> Job for Fill<'_, '_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { cells, walk, to } = self;
        let mut to = to.pile();
        let probe = Probe::<V, S, false>::new(simd, &walk.ball);
        while to.room() >= LANES
            && let Some((first, many)) = walk.next(cells)
        {
            let mask = meets(simd, cells, &probe, first, many);
            let indices = cells.buckets.indices_and_more()[first..].first_chunk();
            compress(simd, indices.expect("sixteen more"), mask, &mut to);
        }
    }
}

/// Counts what is left.
struct Count<'a, V: Vector> {
    cells: &'a CellList<V>,
    walk: &'a mut BallWalk<V>,
}

impl<V: Vector> Job for Count<'_, V> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Self { cells, walk } = self;
        let probe = Probe::<V, S, false>::new(simd, &walk.ball);
        let mut count = 0;
        while let Some((first, many)) = walk.next(cells) {
            count += meets(simd, cells, &probe, first, many).count();
        }
        count
    }
}

/// Which of some points overlap.
#[inline(always)]
fn meets<V: Vector, S: Simd>(
    simd: S,
    cells: &CellList<V>,
    probe: &Probe<V, S, false>,
    first: usize,
    many: usize,
) -> Mask {
    let buckets = &cells.buckets;
    let mask = probe.meets_row(&buckets.coordinates[first..], buckets.stride());
    mask & Mask::new(simd, (1 << many) - 1)
}

impl<V: Vector> CellList<V> {
    /// The points that overlap a region, lazily, each once.
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for points that are spread evenly and regions that are not much longer than
    /// wide nor much smaller than a cell, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> CellQuery<'_, V, R>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        let state = State::Fresh(region);
        CellQuery { cells: self, state }
    }

    /// Calls `f` with each point that [`query`](Self::query) gives, in the same order, until it
    /// breaks.
    #[inline]
    pub fn visit<R, B>(&self, region: R, f: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        self.query(region).visit(f)
    }

    /// The number of points that overlap a region.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        self.query(region).count()
    }

    /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives for region
    /// `i`, in the same order. On several threads with the feature `rayon`.
    #[must_use]
    pub fn query_batch<R>(&self, regions: &[R]) -> Lists<u32>
    where
        R: Region<Vector = V> + Overlaps<V> + Sync,
    {
        Lists::collect(regions, |region, found| {
            self.query(region)
                .for_each(|index| found.push(index as u32));
        })
    }
}

impl<V, R> CellQuery<'_, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    /// Calls `f` with what is left, until it breaks.
    #[inline]
    fn visit<B>(self, mut f: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        let cells = self.cells;
        match self.state {
            State::Fresh(region) => match BallWalk::new(cells, &region) {
                Some(mut walk) => walk.visit(cells, f),
                None => Query::new(CellWalk::new(cells, region)).visit(f),
            },
            State::Ball(mut ahead) => {
                for &index in &ahead.found.as_slice()[ahead.at..] {
                    f(index as usize)?;
                }
                ahead.walk.visit(cells, f)
            }
            State::Other(query) => query.visit(f),
            State::Done => ControlFlow::Continue(()),
        }
    }

    /// The next index, where none was found ahead.
    #[inline(never)]
    fn look(&mut self) -> Option<usize> {
        if matches!(self.state, State::Fresh(_)) {
            self.start();
        }
        match &mut self.state {
            State::Ball(ahead) => {
                while ahead.at == ahead.found.len() && !ahead.walk.done {
                    ahead.found.clear();
                    ahead.at = 0;
                    ahead.walk.fill(self.cells, &mut ahead.found.pile());
                }
                let index = ahead.found.as_slice().get(ahead.at).copied();
                ahead.at += usize::from(index.is_some());
                index.map(|index| index as usize)
            }
            State::Other(query) => query.next(),
            State::Fresh(_) | State::Done => None,
        }
    }

    fn start(&mut self) {
        let State::Fresh(region) = core::mem::replace(&mut self.state, State::Done) else {
            return;
        };
        self.state = match BallWalk::new(self.cells, &region) {
            Some(walk) => State::Ball(Ahead {
                walk,
                found: Room::new(),
                at: 0,
            }),
            None => State::Other(Query::new(CellWalk::new(self.cells, region))),
        };
    }
}

impl<V, R> Iterator for CellQuery<'_, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if let State::Ball(ahead) = &mut self.state
            && let Some(&index) = ahead.found.as_slice().get(ahead.at)
        {
            ahead.at += 1;
            return Some(index as usize);
        }
        self.look()
    }

    #[inline]
    fn fold<A, F: FnMut(A, usize) -> A>(self, init: A, mut f: F) -> A {
        let mut all = Some(init);
        let _ = self.visit(|index| {
            all = all.take().map(|all| f(all, index));
            ControlFlow::<()>::Continue(())
        });
        all.expect("put back by every call")
    }

    #[inline]
    fn count(self) -> usize {
        let cells = self.cells;
        match self.state {
            State::Fresh(region) => match BallWalk::new(cells, &region) {
                Some(mut walk) => cells.instructions.run(Count {
                    cells,
                    walk: &mut walk,
                }),
                None => Query::new(CellWalk::new(cells, region)).count(),
            },
            State::Ball(mut ahead) => {
                let found = ahead.found.len() - ahead.at;
                let walk = &mut ahead.walk;
                found + cells.instructions.run(Count { cells, walk })
            }
            State::Other(query) => query.count(),
            State::Done => 0,
        }
    }
}

impl<V, R> FusedIterator for CellQuery<'_, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
}

impl<V, R> fmt::Debug for CellQuery<'_, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellQuery").finish_non_exhaustive()
    }
}
