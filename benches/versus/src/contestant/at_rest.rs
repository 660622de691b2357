//! Boxes at rest, in structures that are built once and queried often.

use std::hint::black_box;

use crate::answers::Answers;
use crate::race::{Entrant, Kind, Registered};
use crate::worlds::Bounds;

/// A structure of boxes. The id of a box is its position in the slice given to `build`.
pub(crate) trait AtRest<const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn build(boxes: &[Bounds<D>]) -> Self;
}

/// Queries by boxes, or by the views of a camera.
pub(crate) trait Find<const D: usize, Q>: AtRest<D> {
    /// Writes the ids of the boxes that meet the query into `ids`, which is empty.
    fn find(&mut self, query: &Q, ids: &mut Vec<u32>);
}

/// A contestant's loop over all queries.
pub(crate) trait FindRun<const D: usize, Q> {
    fn run(&mut self, queries: &[Q], ids: &mut Vec<u32>) -> u64;

    fn answers(&mut self, queries: &[Q]) -> Answers;
}

impl<const D: usize, Q, T: Find<D, Q>> FindRun<D, Q> for T {
    fn run(&mut self, queries: &[Q], ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        for query in queries {
            ids.clear();
            self.find(query, ids);
            found += black_box(ids.as_slice()).len() as u64;
        }
        found
    }

    fn answers(&mut self, queries: &[Q]) -> Answers {
        let (mut answers, mut ids) = (Answers::default(), Vec::new());
        for query in queries {
            ids.clear();
            self.find(query, &mut ids);
            answers.push_ids(&ids);
        }
        answers
    }
}

pub(crate) type Finder<const D: usize, Q> = Registered<fn(&[Bounds<D>]) -> Box<dyn FindRun<D, Q>>>;

pub(crate) fn finder<const D: usize, Q, T: Find<D, Q>>() -> Finder<D, Q> {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |boxes| Box::new(T::build(boxes)),
    }
}

pub(crate) fn enter<const D: usize, Q>(
    register: &[Finder<D, Q>],
    boxes: &[Bounds<D>],
) -> Vec<Entrant<dyn FindRun<D, Q>>> {
    let entrants = register.iter().map(|c| c.enter(|build| build(boxes)));
    entrants.collect()
}
