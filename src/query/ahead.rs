//! Regions that are asked by vectors: a buffer is filled ahead of what is handed out.

use alloc::vec::Vec;
use core::convert::Infallible;

use super::found::{Found, Name};

/// A region that is asked by vectors. The structure is lent to each call.
pub trait Ahead<S: Copy, K: Name> {
    /// Where a search stands.
    type Stand;

    /// Nothing to do yet. Apart from [`start`](Self::start), so that it is made where it stays:
    /// moving it would take a fifth of the time of a query for ten points.
    fn stand() -> Self::Stand;

    fn start(&self, structure: S, stand: &mut Self::Stand);

    /// Whether all is done; else there is something to go on with.
    fn is_done(stand: &mut Self::Stand) -> bool;

    /// Finds some more, as long as a whole vector fits.
    fn fill(&self, structure: S, stand: &mut Self::Stand, to: &mut Sink<'_, K>);

    /// Counts what is left.
    fn count(&self, structure: S, stand: &mut Self::Stand) -> usize;

    /// Appends all there is to a list.
    #[inline]
    fn append(&self, structure: S, list: &mut Vec<K::Listed>) {
        let mut stand = Self::stand();
        self.start(structure, &mut stand);
        while !Self::is_done(&mut stand) {
            K::extend(list, |to| self.fill(structure, &mut stand, to));
        }
    }

    /// Counts all there is.
    #[inline]
    fn total(&self, structure: S) -> usize {
        let mut stand = Self::stand();
        self.start(structure, &mut stand);
        let mut count = 0;
        while !Self::is_done(&mut stand) {
            count += self.count(structure, &mut stand);
        }
        count
    }
}

/// What is filled.
pub(super) type Sink<'a, K> = <<K as Name>::Found as Found>::Sink<'a>;

/// For structures that ask no region so.
impl<S: Copy, K: Name> Ahead<S, K> for Infallible {
    type Stand = ();

    fn stand() {}

    fn start(&self, _: S, (): &mut ()) {
        match *self {}
    }

    fn is_done((): &mut ()) -> bool {
        true
    }

    fn fill(&self, _: S, (): &mut (), _: &mut Sink<'_, K>) {
        match *self {}
    }

    fn count(&self, _: S, (): &mut ()) -> usize {
        match *self {}
    }
}
