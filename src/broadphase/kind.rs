//! What is asked about every body, in a byte: a table of them stays in the cache.

use super::{BodyInfo, Filter, Motion};

/// What a body is, as bits; none where there is no body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALIVE: Self = Self(1);
    pub(super) const ASLEEP: Self = Self(2);
    pub(super) const STATIC: Self = Self(4);
    pub(super) const KINEMATIC: Self = Self(8);
    /// Its filter is not [`Filter::ALL`].
    pub(super) const FILTERED: Self = Self(16);
    /// Its box in the engine does not say what it touches.
    pub(super) const SHAPED: Self = Self(32);
    /// It is its box in the engine, and stays where it is: what is noted of its volume is old.
    pub(super) const BARE: Self = Self(64);

    #[inline(always)]
    pub(super) fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    #[inline(always)]
    pub(super) fn with(self, bits: Self, on: bool) -> Self {
        let rest = self.0 & !bits.0;
        Self(if on { rest | bits.0 } else { rest })
    }

    #[inline(always)]
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The same with other motion and filter.
    pub(super) fn of(self, proxy: &BodyInfo) -> Self {
        self.with(Self::STATIC, proxy.motion == Motion::Static)
            .with(Self::KINEMATIC, proxy.motion == Motion::Kinematic)
            .with(Self::FILTERED, proxy.filter != Filter::ALL)
    }

    /// Whether the body is not expected to move.
    #[inline(always)]
    pub(super) fn rests(self) -> bool {
        self.has(Self::ASLEEP.or(Self::STATIC))
    }

    /// Whether a new box is all that has to be noted of a move.
    #[inline(always)]
    pub(super) fn is_usual(self) -> bool {
        let asked = Self::ALIVE.or(Self::ASLEEP).or(Self::BARE);
        self.0 & asked.0 == Self::ALIVE.or(Self::BARE).0
    }

    /// The same of one that has a shape beside its box, and keeps it with any other ball.
    #[inline(always)]
    pub(super) fn is_usual_ball(self) -> bool {
        let asked = Self::ALIVE.or(Self::ASLEEP).or(Self::SHAPED);
        self.0 & asked.0 == Self::ALIVE.or(Self::SHAPED).0
    }

    /// Whether two bodies that live may be a pair by their motions: static ones only with dynamic
    /// ones.
    #[inline(always)]
    pub(super) fn pairs_with(self, other: Self) -> bool {
        let guided = Self::STATIC.or(Self::KINEMATIC);
        let parted = self.has(guided) & other.has(guided) & self.or(other).has(Self::STATIC);
        self.has(Self::ALIVE) & other.has(Self::ALIVE) & !parted
    }
}
