//! Who takes part at moving boxes.

mod boxdd;
mod broccoli;
pub(super) mod bvh;
mod grid;
pub(super) mod obvhs;
pub(crate) mod orthant;
pub(super) mod parry;
mod rapier;
mod rstar;
mod static_aabb2d;
mod sweep;

use ::orthant::glam::{Vec2, Vec3};

#[cfg(feature = "before")]
use super::before::{self, boxes};
use super::field;
use crate::stepper::{StepContestant, stepper};
pub(crate) use grid::pairs_by_grid;

pub(crate) fn broadphase3() -> Vec<StepContestant<3>> {
    field(
        vec![
            stepper::<3, orthant::Listed<Vec3>>(),
            stepper::<3, orthant::Proxies<Vec3>>(),
        ],
        before![
            stepper::<3, boxes::Listed<before::Vec3>>(),
            stepper::<3, boxes::Proxies<before::Vec3>>()
        ],
        vec![
            stepper::<3, parry::three::Refit>(),
            stepper::<3, parry::three::Fat>(),
            stepper::<3, rapier::three::Rapier>(),
            stepper::<3, obvhs::Rebuilt>(),
            stepper::<3, obvhs::Avian>(),
            stepper::<3, bvh::Rebuilt<3>>(),
            stepper::<3, rstar::Rebuilt>(),
            stepper::<3, sweep::Sweep<3>>(),
            stepper::<3, grid::Grid>(),
        ],
    )
}

pub(crate) fn broadphase2() -> Vec<StepContestant<2>> {
    field(
        vec![
            stepper::<2, orthant::Listed<Vec2>>(),
            stepper::<2, orthant::Proxies<Vec2>>(),
        ],
        before![
            stepper::<2, boxes::Listed<before::Vec2>>(),
            stepper::<2, boxes::Proxies<before::Vec2>>()
        ],
        vec![
            stepper::<2, parry::two::Refit>(),
            stepper::<2, parry::two::Fat>(),
            stepper::<2, rapier::two::Rapier>(),
            stepper::<2, broccoli::Tree>(),
            stepper::<2, static_aabb2d::Rebuilt>(),
            stepper::<2, boxdd::Tree>(),
            stepper::<2, bvh::Rebuilt<2>>(),
            stepper::<2, rstar::Rebuilt>(),
            stepper::<2, sweep::Sweep<2>>(),
            stepper::<2, grid::Grid>(),
        ],
    )
}
