use super::pairs_by_grid;
use crate::bench::Kind;
use crate::stepper::{Pair, StepContestant, Stepper, stepper};
use crate::worlds::Bounds;

/// Where nothing moves: the list handed over once more.
struct Copy(Vec<Pair>);

impl<const D: usize> Stepper<D> for Copy {
    const NAME: &'static str = "copy of the list";
    const KIND: Kind = Kind::Reference;

    fn new(boxes: &[Bounds<D>]) -> Self {
        let mut pairs = Vec::new();
        pairs_by_grid(boxes, &mut pairs);
        Self(pairs)
    }

    fn step(&mut self, _: &[Bounds<D>], _: &[u32], pairs: &mut Vec<Pair>) {
        pairs.clear();
        pairs.extend_from_slice(&self.0);
    }
}

pub(crate) fn copy<const D: usize>() -> StepContestant<D> {
    stepper::<D, Copy>()
}
