//! All bodies that move are told where they are now.

use super::engine::Told;
use super::kind::Kind;
use super::{Broadphase, Volume, or_panic};
use crate::overlap::check_item;
use crate::{Error, Handle, Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// Gives every body that neither is static nor sleeps the place or size that `place` says, as
    /// [`set_bounds`](Self::set_bounds) without a displacement would: for worlds in which most bodies
    /// move at each step.
    ///
    /// With the feature `rayon`, several threads may call `place` at once. It may be called twice for
    /// a body.
    ///
    /// # Panics
    ///
    /// Where [`try_set_all_bounds`](Self::try_set_all_bounds) returns an error.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Event, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new();
    /// let [a, b] = [0.0, 5.0].map(|x| world.insert(unit(x), Motion::Dynamic));
    /// world.update();
    /// let places = [3.0, 4.0];
    /// world.set_all_bounds(|body| unit(places[body.slot()]));
    /// assert_eq!(world.update(), [Event::Begin(a, b)]);
    /// ```
    #[track_caller]
    pub fn set_all_bounds<T>(&mut self, place: impl Fn(Handle) -> T + Sync)
    where
        T: Into<Volume<V>>,
    {
        or_panic(self.try_set_all_bounds(place));
    }

    /// Gives every body that neither is static nor sleeps the place or size that `place` says.
    ///
    /// # Errors
    ///
    /// If a box is that of a point that is not finite: names the first such body's slot. Those bodies
    /// stay where they were, all others are where `place` says.
    ///
    /// # Complexity
    ///
    /// O(n), whether bodies are asked about or not.
    pub fn try_set_all_bounds<T>(&mut self, place: impl Fn(Handle) -> T + Sync) -> Result<(), Error>
    where
        T: Into<Volume<V>>,
    {
        let slots = &self.slots;
        let (any, left) = self.engine.set_each(&slots.kinds, |slot, kind| {
            if !kind.has(Kind::ALIVE) || kind.rests() {
                return Told::Nothing;
            }
            // As in `try_set_bounds`, what is unusual is left for later.
            if kind.is_usual()
                && let Volume::Box(bounds) = place(slots.handle(slot)).into()
                && bounds.is_valid()
            {
                return Told::Place(bounds);
            }
            Told::Other
        });
        self.settled &= !any;
        let still = V::splat(V::Scalar::ZERO);
        let mut result = Ok(());
        for slot in left {
            let volume = place(self.slots.handle(slot)).into();
            match check_item(&volume) {
                Ok(()) => {
                    let kind = self.slots.kinds[slot as usize];
                    match volume {
                        Volume::Sphere(ball) if self.rules.is_bare() && kind.is_usual_ball() => {
                            self.set_ball(slot, ball);
                        }
                        _ => _ = self.place(slot, kind, volume, still, still),
                    }
                }
                Err(error) => {
                    let index = slot as usize;
                    result = result.and(Err(Error::Item { index, error }));
                }
            }
        }
        result
    }
}
