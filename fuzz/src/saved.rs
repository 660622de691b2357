//! Fuzzes saved trees with altered bytes: they are an error, or a tree on which every query runs.

use orthant::{
    Aabb, Bounded, Distance, InstructionSet, Linear, Orthtree, Overlaps, SpatialIndex, Sphere,
};

use crate::draw::Draw;
use crate::every_question::{ask_all, ask_in_space, ask_in_the_plane, ask_points};
use crate::shapes::{ball, cuboid};

/// Fuzzes bytes of saved trees, altered, or made up behind a header.
pub fn saved(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(6) {
        0 => open(
            &mut draw,
            |draw| draw.place::<[f32; 3]>(),
            |tree, other| {
                ask_all!(tree, f32, 3);
                ask_points(tree, other);
                ask_in_space(tree);
            },
        ),
        1 => open(
            &mut draw,
            |draw| draw.place::<[f64; 2]>(),
            |tree, other| {
                ask_all!(tree, f64, 2);
                ask_points(tree, other);
                ask_in_the_plane(tree);
            },
        ),
        2 => open(&mut draw, cuboid::<[f32; 3]>, |tree, _| {
            ask_all!(tree, f32, 3);
            ask_in_space(tree);
        }),
        3 => open(&mut draw, cuboid::<[f64; 2]>, |tree, _| {
            ask_all!(tree, f64, 2);
            ask_in_the_plane(tree);
        }),
        4 => open(&mut draw, ball::<[f32; 3]>, |tree, _| {
            ask_all!(tree, f32, 3);
            ask_in_space(tree);
        }),
        _ => open(&mut draw, ball::<[f64; 3]>, |tree, _| {
            ask_all!(tree, f64, 3);
        }),
    }
}

/// Bytes that begin at a multiple of 64, as those of a mapped file do.
struct Aligned {
    memory: Vec<u8>,
    at: usize,
    len: usize,
}

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let mut memory = vec![0; bytes.len() + 63];
        let (at, len) = (memory.as_ptr().align_offset(64), bytes.len());
        memory[at..at + len].copy_from_slice(bytes);
        Self { memory, at, len }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.at..][..self.len]
    }
}

/// Alters some bytes: mostly behind the header, in words that are plausible there.
fn alter(draw: &mut Draw, bytes: &mut Vec<u8>) {
    for _ in 0..draw.below(12) {
        if draw.is_done() || bytes.len() < 4 {
            break;
        }
        let header = draw.one_in(12);
        let (first, len) = if header {
            (0, bytes.len().min(64))
        } else {
            (64, bytes.len().saturating_sub(64))
        };
        if len == 0 {
            continue;
        }
        let at = first + draw.below(len);
        // This is a whole word, also if bytes at the end are gone.
        let last_word = bytes.len() - 4;
        let word_at = |at: usize| (at / 4 * 4).min(last_word);
        match draw.below(8) {
            0 => bytes[at] = draw.byte(),
            1 => bytes[at] ^= 1 << draw.below(8),
            // The word becomes a neighboring number, a slot, or an extreme number.
            2..5 => {
                let at = word_at(at);
                let known =
                    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                let byte = u32::from(draw.byte());
                let odd = [
                    0,
                    u32::MAX,
                    1 << 31,
                    f32::NAN.to_bits(),
                    f32::INFINITY.to_bits(),
                    byte,
                    0x7fef_ffff,
                ];
                let word = match draw.below(9) {
                    7 => known.wrapping_add(1),
                    8 => known.wrapping_sub(1),
                    which => odd[which],
                };
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            5 => {
                let (at, other) = (word_at(at), word_at(first + draw.below(len)));
                for i in 0..4 {
                    bytes.swap(at + i, other + i);
                }
            }
            6 => {
                // Some bytes are repeated.
                let many = draw.below(16).min(bytes.len() - at);
                let to = (at + many).min(bytes.len() - many);
                bytes.copy_within(at..at + many, to);
            }
            _ if draw.one_in(8) => bytes.truncate(at),
            _ => bytes[at] = 0xff,
        }
    }
}

fn open<T>(draw: &mut Draw, make: fn(&mut Draw) -> T, ask: fn(&Orthtree<T>, &Orthtree<T>))
where
    T: Bounded + Distance + Clone + PartialEq + std::fmt::Debug + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    let items = draw.several(40, make);
    let tree = Orthtree::new(&items);
    let mut bytes = tree.to_bytes();
    alter(draw, &mut bytes);
    let copied = Orthtree::<T>::from_bytes(&bytes);
    let bytes = Aligned::new(&bytes);
    let lent = Orthtree::<T>::open(bytes.bytes());
    // Bytes that can be copied can be opened, and an opened tree that passes all checks is valid.
    match (&copied, &lent) {
        (Ok(_), Err(error)) => panic!("copied, and not opened: {error}"),
        (copied, Ok(lent)) => {
            let checked = lent.check();
            assert_eq!(
                copied.as_ref().err().map(ToString::to_string),
                checked.err().map(|error| error.to_string())
            );
            ask(lent, &tree);
            if draw.one_in(8) {
                let copy = Orthtree::<T>::clone(lent);
                ask(&copy.with_instructions(InstructionSet::BASELINE), &tree);
            }
        }
        _ => {}
    }
    let Ok(copied) = copied else { return };
    copied.validate().unwrap();
    let items = copied.items();
    let scan = Linear::new(&items);
    let ball = ball::<T::Vector>(draw);
    let mut found: Vec<usize> = copied.query(ball).collect();
    found.sort_unstable();
    assert!(scan.query(ball).eq(found));
    assert_eq!(copied.count(ball), scan.count(ball));
    assert_eq!(
        copied.nearest_n(ball.center(), 5),
        scan.nearest_n(ball.center(), 5)
    );
    let again = Orthtree::<T>::from_bytes(&copied.to_bytes()).unwrap();
    assert_eq!(again.items(), items);
}
