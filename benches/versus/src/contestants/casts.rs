//! Who is asked by rays.

mod orthant;
mod parry;

use ::orthant::glam::Vec3;

#[cfg(feature = "before")]
use super::before;
use super::broadphase::orthant::Proxies;
use super::field;
use crate::jobs::casts::{Caster, caster};

pub(crate) fn casts() -> Vec<Caster> {
    field(
        vec![caster::<Proxies<Vec3>>()],
        before![caster::<before::boxes::Proxies<before::Vec3>>()],
        vec![caster::<parry::Fresh>(), caster::<parry::Stepped>()],
    )
}
