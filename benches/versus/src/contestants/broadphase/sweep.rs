use crate::bench::Kind;
use crate::stepper::{Pair, Stepper, pair};
use crate::worlds::Bounds;

/// Sort and sweep along the first axis; the order is kept.
pub(crate) struct Sweep<const D: usize> {
    /// The low ends.
    order: Vec<(f32, u32)>,
    sorted: Vec<Bounds<D>>,
}

impl<const D: usize> Stepper<D> for Sweep<D> {
    const NAME: &'static str = "sweep";
    const KIND: Kind = Kind::Reference;
    const STARTS_AFRESH: bool = true;
    const MOST_BOXES: usize = 100_000;

    fn new(boxes: &[Bounds<D>]) -> Self {
        Self {
            order: (0..boxes.len() as u32).map(|id| (0.0, id)).collect(),
            sorted: Vec::new(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<D>], _: &[u32], pairs: &mut Vec<Pair>) {
        for (low, id) in &mut self.order {
            *low = boxes[*id as usize].min[0];
        }
        self.order.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.sorted.clear();
        let sorted = self.order.iter().map(|&(_, id)| boxes[id as usize]);
        self.sorted.extend(sorted);
        pairs.clear();
        for (i, a) in self.sorted.iter().enumerate() {
            for (j, b) in self.sorted.iter().enumerate().skip(i + 1) {
                if b.min[0] > a.max[0] {
                    break;
                }
                if a.overlaps(b) {
                    pairs.push(pair(self.order[i].1, self.order[j].1));
                }
            }
        }
    }
}
