//! New places for all bodies that move.

use super::Volume;
use super::kind::Kind;
use super::world::World;
use crate::overlap::check_item;
use crate::{Aabb, Error, Handle, Scalar, Vector};

/// Says where some bodies are.
pub(super) type Whereabouts<'a, V> = dyn Fn(&[Handle], &mut [Volume<V>]) + Sync + 'a;

/// Bodies that are asked about at a time: a call for each would take longer than the rest.
const TOGETHER: usize = 32;

impl<V: Vector> World<V> {
    /// Gives every body that neither is static nor sleeps another place.
    ///
    /// ```text
    /// for the bodies, so many at a time, on several threads:
    ///     ask where those are that neither rest nor are gone
    ///     write the boxes of those of which the box is all
    /// place the others one by one
    /// ```
    pub(super) fn set_all(&mut self, whereabouts: &Whereabouts<'_, V>) -> Result<(), Error> {
        let slots = &self.slots;
        let nowhere = Volume::Box(Aabb::point(V::splat(V::Scalar::ZERO)));
        let (any, left) = self.engine.relocate(slots.kinds.len(), |mut places, left| {
            let mut handles = [Handle {
                slot: 0,
                generation: 0,
            }; TOGETHER];
            let mut volumes = [nowhere; TOGETHER];
            let (first, end) = (places.first(), places.end());
            for from in (first..end).step_by(TOGETHER) {
                let mut many = 0;
                for slot in from..end.min(from + TOGETHER as u32) {
                    let kind = slots.kinds[slot as usize];
                    if kind.has(Kind::ALIVE) && !kind.rests() {
                        handles[many] = slots.handle(slot);
                        many += 1;
                    }
                }
                whereabouts(&handles[..many], &mut volumes[..many]);
                for (handle, volume) in handles[..many].iter().zip(&volumes) {
                    match volume {
                        Volume::Box(bounds)
                            if slots.kinds[handle.slot()].is_usual() && bounds.is_valid() =>
                        {
                            places.set(handle.slot, *bounds);
                        }
                        _ => left.push(handle.slot),
                    }
                }
            }
            places.any()
        });
        self.is_settled &= !any;
        let still = V::splat(V::Scalar::ZERO);
        let mut result = Ok(());
        for slot in left {
            let mut volume = [nowhere];
            whereabouts(&[self.slots.handle(slot)], &mut volume);
            let [volume] = volume;
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
