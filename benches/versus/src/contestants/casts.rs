//! Who is asked by rays.

mod orthant;
mod parry;

use ::orthant::glam::Vec3;

use super::broadphase::orthant::Proxies;
use crate::jobs::casts::{Caster, caster};

pub(crate) fn casts() -> Vec<Caster> {
    vec![
        caster::<Proxies<Vec3>>(),
        caster::<parry::Fresh>(),
        caster::<parry::Stepped>(),
    ]
}
