//! What a body is and does, wherever it is.

use super::{Body, Broadphase, Filter, Motion, or_panic};
use crate::{Error, Handle, Vector};

impl<V: Vector> Broadphase<V> {
    /// Lets a body move in another way.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn set_motion(&mut self, handle: Handle, motion: Motion) {
        or_panic(self.try_set_motion(handle, motion));
    }

    /// Lets a body move in another way.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_set_motion(&mut self, handle: Handle, motion: Motion) -> Result<(), Error> {
        let body = self.body(handle)?;
        if body.proxy.motion != motion {
            body.proxy.motion = motion;
            let rests = body.rests();
            self.engine.rest(handle.slot, rests);
            self.touch(handle);
        }
        Ok(())
    }

    /// Lets a body meet others than before; the next [`update`](Self::update) says which pairs begin
    /// and end by that.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn set_filter(&mut self, handle: Handle, filter: Filter) {
        or_panic(self.try_set_filter(handle, filter));
    }

    /// Lets a body meet others than before; the next [`update`](Self::update) says which pairs begin
    /// and end by that.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_set_filter(&mut self, handle: Handle, filter: Filter) -> Result<(), Error> {
        let body = self.body(handle)?;
        if body.proxy.filter != filter {
            body.proxy.filter = filter;
            self.touch(handle);
        }
        Ok(())
    }

    /// Gives a body another number of yours.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn set_user(&mut self, handle: Handle, user: u64) {
        or_panic(self.try_set_user(handle, user));
    }

    /// Gives a body another number of yours.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_set_user(&mut self, handle: Handle, user: u64) -> Result<(), Error> {
        self.body(handle)?.proxy.user = user;
        Ok(())
    }

    /// Promises that a body will not move for a while, so that it costs nothing in the meantime. Its
    /// pairs stay, and whatever moves still meets it: no answer changes.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn sleep(&mut self, handle: Handle) {
        or_panic(self.try_sleep(handle));
    }

    /// Promises that a body will not move for a while.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_sleep(&mut self, handle: Handle) -> Result<(), Error> {
        self.set_asleep(handle, true)
    }

    /// Takes the promise of [`sleep`](Self::sleep) back; so does giving the body a place.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn wake(&mut self, handle: Handle) {
        or_panic(self.try_wake(handle));
    }

    /// Takes the promise of [`sleep`](Self::sleep) back.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    pub fn try_wake(&mut self, handle: Handle) -> Result<(), Error> {
        self.set_asleep(handle, false)
    }

    fn set_asleep(&mut self, handle: Handle, asleep: bool) -> Result<(), Error> {
        let body = self.body(handle)?;
        if body.asleep != asleep {
            let before = body.rests();
            body.asleep = asleep;
            let rests = body.rests();
            if rests != before {
                self.engine.rest(handle.slot, rests);
            }
        }
        Ok(())
    }

    fn body(&mut self, handle: Handle) -> Result<&mut Body<V>, Error> {
        self.slots.get_mut(handle).ok_or(Error::Stale { handle })
    }

    /// Has the pairs of a body judged anew, since its proxy has changed.
    pub(super) fn touch(&mut self, handle: Handle) {
        if let Some(body) = self.slots.get_mut(handle) {
            let held = self.engine.bounds(handle.slot);
            let needs = self.rules.needs(body, &held);
            self.needy.drop(core::mem::replace(&mut body.needs, needs));
            self.needy.add(needs);
            self.engine.touch(handle.slot);
            self.settled = false;
        }
    }
}
