//! Contestants that test one box against one sphere at a time, in arrays of their own types.

use crate::jobs::predicate::Predicate;
use crate::worlds::{Ball, Bounds};

/// A peer's types and its test.
pub(crate) trait Test: 'static {
    const NAME: &'static str;
    type Box;
    type Ball;

    fn cuboid(cuboid: &Bounds<3>) -> Self::Box;
    fn ball(ball: &Ball) -> Self::Ball;
    fn meet(cuboid: &Self::Box, ball: &Self::Ball) -> bool;
}

pub(crate) struct OneByOne<T: Test> {
    boxes: Vec<T::Box>,
    balls: Vec<T::Ball>,
}

impl<T: Test> Predicate for OneByOne<T> {
    const NAME: &'static str = T::NAME;

    fn build(boxes: &[Bounds<3>], balls: &[Ball]) -> Self {
        Self {
            boxes: boxes.iter().map(T::cuboid).collect(),
            balls: balls.iter().map(T::ball).collect(),
        }
    }

    fn count_boxes(&self, ball: usize) -> usize {
        let ball = &self.balls[ball];
        self.boxes.iter().filter(|b| T::meet(b, ball)).count()
    }

    fn count_balls(&self, cuboid: usize) -> usize {
        let cuboid = &self.boxes[cuboid];
        self.balls.iter().filter(|b| T::meet(cuboid, b)).count()
    }

    fn boxes(&self, ball: usize, ids: &mut Vec<u32>) {
        let ball = &self.balls[ball];
        let met = (0..).zip(&self.boxes).filter(|(_, b)| T::meet(b, ball));
        ids.extend(met.map(|(id, _)| id));
    }

    fn balls(&self, cuboid: usize, ids: &mut Vec<u32>) {
        let cuboid = &self.boxes[cuboid];
        let met = (0..).zip(&self.balls).filter(|(_, b)| T::meet(cuboid, b));
        ids.extend(met.map(|(id, _)| id));
    }
}
