use super::Broadphase;
use crate::{Overlaps, Vector};

impl<V: Vector> Broadphase<V> {
    /// Checks what every update relies on, for tests and for memory that is in doubt: the tree is
    /// sound, and the pairs are sorted, each once, and overlap unless a box has been touched since
    /// the last update.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n + pairs).
    pub fn validate(&self) -> Result<(), &'static str> {
        self.tree.validate()?;
        if !self.pairs.is_sorted_by(|a, b| a < b) {
            return Err("the pairs are not sorted");
        }
        for &(a, b) in &self.pairs {
            if a >= b {
                return Err("a pair has its greater handle first");
            }
            if self.is_touched(a) || self.is_touched(b) {
                continue;
            }
            let (Some(a), Some(b)) = (self.tree.get(a), self.tree.get(b)) else {
                return Err("a pair of a box that was removed");
            };
            if !a.overlaps(b) {
                return Err("a pair that does not overlap");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Broadphase;
    use crate::{Aabb, Motion};

    fn unit(x: f64) -> Aabb<[f64; 2]> {
        Aabb::new([x, 0.0], [x + 1.0, 1.0])
    }

    /// What `validate` says of a world that was tampered with.
    fn broken(tamper: impl FnOnce(&mut Broadphase<[f64; 2]>)) -> &'static str {
        let mut world = Broadphase::new();
        for x in [0.0, 0.5, 1.0, 5.0] {
            world.insert(unit(x), Motion::Dynamic);
        }
        assert_eq!(world.update().len(), 3);
        world.validate().unwrap();
        tamper(&mut world);
        world.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        assert_eq!(broken(|w| w.pairs.swap(0, 1)), "the pairs are not sorted");
        assert_eq!(
            broken(|w| {
                let last = w.pairs.last_mut().unwrap();
                *last = (last.1, last.0);
            }),
            "a pair has its greater handle first"
        );
        assert_eq!(
            broken(|w| {
                let (_, b) = w.pairs[0];
                w.remove(b);
                w.touched.fill(false);
            }),
            "a pair of a box that was removed"
        );
        assert_eq!(
            broken(|w| {
                let (_, b) = w.pairs[0];
                w.set_bounds(b, unit(50.0));
                w.touched.fill(false);
            }),
            "a pair that does not overlap"
        );
    }
}
