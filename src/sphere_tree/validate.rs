use super::{SphereTree, margin};
use crate::validate::check_permutation;
use crate::vector::{Scalar, Vector};

impl<V: Vector> SphereTree<V> {
    /// Checks what every query relies on, for tests and for memory that is in doubt: each ball is in
    /// exactly one leaf, and in the balls of all nodes above it.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        check_permutation(&self.indices, self.balls.len())?;
        let sum = |v: V| (0..V::DIM).fold(V::Scalar::ZERO, |sum, a| sum + v.axis(a).abs());
        if self.balls.iter().any(|b| sum(b.center()) > self.breadth) {
            return Err("a ball lies beyond the body's breadth");
        }
        let Some(root) = self.nodes.first() else {
            let empty = self.balls.is_empty();
            return empty.then_some(()).ok_or("balls without a root");
        };
        if (root.start, root.end as usize) != (0, self.balls.len()) {
            return Err("the root does not hold all balls");
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(balls) = self.balls.get(self.run(node)) else {
                return Err("a node's run is not a run of balls");
            };
            let held = |ball| {
                margin::reach(node.center, ball) <= node.reach
                    && node.spread_of(ball) <= node.spread
                    && node.least <= ball.radius()
                    && ball.radius() <= node.most
            };
            if balls.is_empty() || !balls.iter().all(held) {
                return Err("a ball lies outside its node");
            }
            if !node.is_leaf() {
                let [lower, upper] = node.halves();
                let (Some(lower), Some(upper)) = (self.nodes.get(lower), self.nodes.get(upper))
                else {
                    return Err("a child is not a node");
                };
                let divided =
                    (lower.start, lower.end, upper.end) == (node.start, upper.start, node.end);
                if !divided || node.children as usize <= at {
                    return Err("children do not divide their parent's run");
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{Node, SphereTree};
    use crate::shape::Sphere;

    fn tree() -> SphereTree<[f32; 3]> {
        let balls: Vec<_> = (0..100)
            .map(|i| {
                let center = [i as f32, (i * 7 % 13) as f32, (i % 5) as f32];
                Sphere::new(center, (i % 3) as f32)
            })
            .collect();
        SphereTree::new(&balls)
    }

    /// What `validate` says of a tree that was tampered with.
    fn broken(tamper: impl FnOnce(&mut SphereTree<[f32; 3]>)) -> &'static str {
        let mut tree = tree();
        tree.validate().unwrap();
        tamper(&mut tree);
        tree.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        assert_eq!(
            broken(|t| t.indices[3] = t.indices[4]),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|t| t.indices.truncate(99)),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|t| t.breadth = 9.0),
            "a ball lies beyond the body's breadth"
        );
        assert_eq!(broken(|t| t.nodes.clear()), "balls without a root");
        assert_eq!(
            broken(|t| t.nodes[0].end -= 1),
            "the root does not hold all balls"
        );
        assert_eq!(
            broken(|t| {
                let orphan = t.nodes[1];
                t.nodes.push(Node {
                    end: 1000,
                    ..orphan
                });
            }),
            "a node's run is not a run of balls"
        );
        let outside = "a ball lies outside its node";
        assert_eq!(broken(|t| t.nodes[2].reach *= 0.99), outside);
        assert_eq!(broken(|t| t.nodes[2].spread *= 0.99), outside);
        assert_eq!(broken(|t| t.nodes[1].least = 1.0), outside);
        assert_eq!(broken(|t| t.nodes[1].most = 1.0), outside);
        assert_eq!(
            broken(|t| t.nodes[0].children = 1000),
            "a child is not a node"
        );
        assert_eq!(
            broken(|t| t.nodes[0].children = 3),
            "children do not divide their parent's run"
        );
    }
}
