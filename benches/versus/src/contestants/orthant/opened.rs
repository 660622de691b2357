//! A saved tree that is opened in place, one that is copied, and one that is built from the points.

use super::library::{Nearest, Orthtree, Vector};

use super::{KIND, NAME};
use crate::jobs::open::{First, OpenContestant, opener};
use crate::race::Kind;

pub(super) fn open<const D: usize>() -> Vec<OpenContestant<D>>
where
    [f32; D]: Vector<Scalar = f32>,
{
    vec![
        opener(NAME, KIND, lent),
        opener("orthant copied", Kind::Reference, copied),
        opener("orthant built", Kind::Reference, built),
    ]
}

fn item(nearest: Option<Nearest<usize, f32>>) -> u32 {
    nearest.map_or(0, |near| near.item as u32)
}

/// Opens bytes in place; they begin at a multiple of 64, as those of a mapped file.
fn lent<const D: usize>(points: &[[f32; D]]) -> First<D>
where
    [f32; D]: Vector<Scalar = f32>,
{
    let saved = Orthtree::new(points).to_bytes();
    let mut memory = vec![0; saved.len() + 63];
    let at = memory.as_ptr().align_offset(64);
    let range = at..at + saved.len();
    memory[range.clone()].copy_from_slice(&saved);
    Box::new(move |center| {
        let tree = Orthtree::<[f32; D]>::open(&memory[range.clone()]);
        item(tree.expect("its own bytes").nearest(*center))
    })
}

/// Copies all bytes into a tree.
fn copied<const D: usize>(points: &[[f32; D]]) -> First<D>
where
    [f32; D]: Vector<Scalar = f32>,
{
    let saved = Orthtree::new(points).to_bytes();
    Box::new(move |center| {
        let tree = Orthtree::<[f32; D]>::from_bytes(&saved);
        item(tree.expect("its own bytes").nearest(*center))
    })
}

/// Builds a tree from points.
fn built<const D: usize>(points: &[[f32; D]]) -> First<D>
where
    [f32; D]: Vector<Scalar = f32>,
{
    let points = points.to_vec();
    Box::new(move |center| item(Orthtree::new(&points).nearest(*center)))
}
