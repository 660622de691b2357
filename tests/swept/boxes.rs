//! The face through which a moving box meets another, in whole numbers.

use std::cell::Cell;
use std::ops::RangeInclusive;

use orthant::glam::{IVec3, Vec3};
use orthant::{Aabb, Moving, Sweep};
use proptest::array::uniform3;
use proptest::prelude::*;

use crate::cases::cases;

/// A face through which the box may be entered or left along an axis; `when` is a fraction.
#[derive(Clone, Copy, Debug)]
struct Face {
    normal: IVec3,
    when: [i32; 2],
}

/// Returns the faces whose fraction `when` is the greatest.
fn greatest(faces: &[Face]) -> Vec<Face> {
    let beyond = |a: &Face, b: &Face| a.when[0] * b.when[1] > b.when[0] * a.when[1];
    let is_greatest = |face: &&Face| !faces.iter().any(|other| beyond(other, face));
    faces.iter().filter(is_greatest).copied().collect()
}

/// A box that comes from outside touches the face that it reaches last; a box that begins inside leaves by the shortest way. Among several such
/// faces, the reported one is met head on, if there is any.
#[test]
fn boxes_meet_by_the_face_that_is_reached_last() {
    let counts = [const { Cell::new(0) }; 4];
    // Numbers are often equal on all axes, so that faces are reached at once.
    let any = |range: RangeInclusive<i32>| {
        let same = range.clone().prop_map(|x| [x; 3]);
        prop_oneof![uniform3(range), same]
    };
    let input = (any(-5..=5), any(-3..=3), any(1..=6), any(0..=3));
    proptest!(cases(2000, 20_000), |((from, by, target, size) in input)| {
        let [from, by, target, size] = [from, by, target, size].map(IVec3::from_array);
        let there = Aabb::new(Vec3::ZERO, target.as_vec3());
        let start = Aabb::new(from.as_vec3(), (from + size).as_vec3());
        let Some(impact) = Moving::new(start, by.as_vec3()).sweep(&there) else {
            return Ok(());
        };
        let gaps = [target - from, from + size].map(|v| v.to_array());
        let apart = |a: usize| gaps[0][a] < 0 || gaps[1][a] < 0;
        let comes = (0..3).any(apart);
        prop_assert_eq!(comes, impact.first > 0.0);
        let mut faces = Vec::new();
        for (a, axis) in IVec3::AXES.into_iter().enumerate() {
            // How deep the box is behind the upper face and the lower one.
            let [above, below] = [gaps[0][a], gaps[1][a]];
            if !comes {
                faces.push(Face { normal: axis, when: [-above, 1] });
                faces.push(Face { normal: -axis, when: [-below, 1] });
            } else if by[a] != 0 {
                let behind = if by[a] < 0 { above } else { below };
                let normal = axis * -by[a].signum();
                faces.push(Face { normal, when: [-behind, by[a].abs()] });
            }
        }
        let last = greatest(&faces);
        let told = last.iter().find(|face| face.normal.as_vec3() == impact.normal);
        prop_assert!(told.is_some(), "{:?} of {:?}", impact, last);
        let is_met = |face: &Face| face.normal.dot(by) < 0;
        prop_assert!(told.is_some_and(is_met) || !last.iter().any(is_met), "{:?} of {:?}", impact, last);
        let kind = &counts[2 * usize::from(comes) + usize::from(last.len() > 1)];
        kind.set(kind.get() + 1);
    });
    let counts = counts.map(Cell::into_inner);
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

/// A face that was reached slowly, long before, is not the last one, although the box is behind it by less than the rounding of its present
/// position.
#[test]
fn a_face_reached_at_a_crawl_was_not_the_last() {
    let target = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let crawl = 2f32.powi(-23);
    for tenths in 101_u8..200 {
        let gap = f32::from(tenths) / 10.0;
        let far = Vec3::new(-gap, -0.5 * crawl, 0.5);
        let start = Aabb::new(far - Vec3::ONE, far);
        let moving = Moving::new(start, Vec3::new(20.0, crawl, 0.0));
        let impact = moving.sweep(&target).expect("an impact");
        assert_eq!(impact.normal, Vec3::NEG_X, "{gap} {impact:?}");
    }
}
