//! Compares the scan, which tests sixteen items at once, with the predicate of one item.

use orthant::{Bounded, InstructionSet, Linear, Overlaps, Region, Vector};

use crate::draw::Draw;
use crate::shapes::{ball, cuboid};

/// Fuzzes the scan: each bit equals the answer of one item, with all instruction sets of the machine.
pub fn rows(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(5) {
        0 => check::<[f32; 2]>(&mut draw),
        1 => check::<[f64; 2]>(&mut draw),
        2 => check::<[f64; 3]>(&mut draw),
        3 => check::<[f32; 4]>(&mut draw),
        _ => check::<[f32; 3]>(&mut draw),
    }
}

fn check<V: Vector>(draw: &mut Draw) {
    match draw.below(3) {
        0 => {
            let points = draw.several(80, |draw| draw.place::<V>());
            ask(&points, &ball::<V>(draw));
        }
        1 => {
            let balls = draw.several(80, ball::<V>);
            ask(&balls, &cuboid::<V>(draw));
        }
        _ => {
            let boxes = draw.several(80, cuboid::<V>);
            ask(&boxes, &ball::<V>(draw));
        }
    }
}

fn ask<T, R>(items: &[T], shape: &R)
where
    T: Bounded + Clone,
    R: Region<Vector = T::Vector> + Overlaps<T> + std::fmt::Debug,
{
    let truth: Vec<bool> = items.iter().map(|item| shape.overlaps(item)).collect();
    let wanted: Vec<u32> = (0..)
        .zip(&truth)
        .filter(|hit| *hit.1)
        .map(|hit| hit.0)
        .collect();
    let scan = Linear::new(items);
    assert_eq!(scan.len(), items.len());
    for set in InstructionSet::available() {
        let scan = scan.clone().with_instructions(set);
        assert_eq!(scan.count(shape), wanted.len(), "{set}: {shape:?}");
        let (mut words, mut indices) = (vec![7], vec![7]);
        scan.masks(shape, &mut words);
        scan.query(shape).append_to(&mut indices);
        assert_eq!((words[0], indices[0]), (7, 7));
        assert_eq!(&indices[1..], wanted, "{set}: {shape:?}");
        assert_eq!(words.len(), 1 + items.len().div_ceil(64));
        for bit in 0..64 * (words.len() - 1) {
            let is_set = words[1 + bit / 64] >> (bit % 64) & 1 == 1;
            assert_eq!(
                is_set,
                truth.get(bit).copied().unwrap_or(false),
                "{set}: bit {bit}, {shape:?}"
            );
        }
    }
}
