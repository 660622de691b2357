//! What a body is and does, wherever it is.

use super::kind::Kind;
use super::proxy::Record;
use super::{Broadphase, Filter, Motion, or_panic};
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
        let (kind, record) = self.record(handle)?;
        if record.proxy.motion != motion {
            record.proxy.motion = motion;
            let kind = kind.of(&record.proxy);
            self.engine.rest(handle.slot, kind.rests());
            self.touch(handle.slot, kind);
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
        let (kind, record) = self.record(handle)?;
        if record.proxy.filter != filter {
            record.proxy.filter = filter;
            let kind = kind.of(&record.proxy);
            self.touch(handle.slot, kind);
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
        self.record(handle)?.1.proxy.user = user;
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
        let (kind, _) = self.record(handle)?;
        let slept = kind.with(Kind::ASLEEP, asleep);
        self.slots.set_kind(handle.slot, slept);
        if slept.rests() != kind.rests() {
            self.engine.rest(handle.slot, slept.rests());
        }
        Ok(())
    }

    fn record(&mut self, handle: Handle) -> Result<(Kind, &mut Record<V>), Error> {
        let kind = self.slots.kind(handle).ok_or(Error::Stale { handle })?;
        Ok((kind, &mut self.slots.records[handle.slot()]))
    }

    /// Has the pairs of a body judged anew, since it is of another kind.
    fn touch(&mut self, slot: u32, kind: Kind) {
        self.slots.set_kind(slot, kind);
        self.engine.touch(slot);
        self.settled = false;
    }
}
