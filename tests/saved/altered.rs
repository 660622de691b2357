//! Reads trees from altered bytes.

use orthant::{
    Bounded, Error, InstructionSet, Linear, Orthtree, Scalar, SpatialIndex, Sphere, Vector,
};

use crate::every_question::{ask_all, ask_in_space, ask_in_the_plane, ask_points};
use crate::{Aligned, Random, balls, boxes, points};

/// Checks that altered bytes are refused, or that their tree answers as the scan of its items does.
fn answers<V: Vector>(bytes: &[u8]) {
    let Ok(tree) = Orthtree::<Sphere<V>>::from_bytes(bytes) else {
        return;
    };
    let items = tree.items();
    let scan = Linear::new(&items);
    let mut random = Random(5);
    for radius in [0.0, 2.0, 30.0] {
        let at = random.point::<V>();
        let ball = Sphere::new(at, orthant::Scalar::from_f64(radius));
        let mut found: Vec<usize> = tree.query(ball).collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(scan.query(ball)));
        assert_eq!(tree.count(ball), scan.count(ball));
        assert_eq!(tree.nearest(at), scan.nearest(at));
        assert_eq!(tree.nearest_n(at, 5), scan.nearest_n(at, 5));
    }
}

#[test]
fn every_byte_altered_and_every_length() {
    let bytes = Orthtree::new(&balls::<[f32; 2]>(150)).to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[at] ^= change;
            if at < 64 {
                let refused = Orthtree::<Sphere<[f32; 2]>>::from_bytes(&altered);
                assert!(matches!(refused, Err(Error::Saved { .. })), "{at}");
            } else {
                answers::<[f32; 2]>(&altered);
            }
        }
        let refused = Orthtree::<Sphere<[f32; 2]>>::from_bytes(&bytes[..at]);
        assert_eq!(
            refused.unwrap_err(),
            Error::Saved {
                what: "it is cut short"
            }
        );
    }
}

/// Changes some bytes, as in a damaged file.
fn damage(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = 64 + random.below(bytes.len() - 64);
        match random.below(3) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            _ => {
                // Two words are swapped.
                let (a, b) = (at / 4 * 4, (64 + random.below(bytes.len() - 64)) / 4 * 4);
                for i in 0..4 {
                    bytes.swap(a + i, b + i);
                }
            }
        }
    }
}

/// Replaces some or all numbers of the last part of the bytes, where the items are, by invalid ones.
fn poison<S: Scalar>(bytes: &mut [u8], items: usize, random: &mut Random) {
    let size = size_of::<S>();
    let first = bytes.len() - items;
    let of_all = [1, 2, 8, 100][random.below(4)];
    let one = random.below(2) == 0;
    let mut odd = S::ZERO;
    for at in (first..bytes.len()).step_by(size) {
        if random.below(of_all) != 0 && at != first {
            continue;
        }
        if !one || at == first {
            odd = match random.below(10) {
                0 | 1 => S::from_f64(f64::NAN),
                2 => S::INFINITY,
                3 => S::ZERO - S::INFINITY,
                4 => S::MAX,
                5 => S::ZERO - S::MAX,
                6 => S::from_f64(1e19),
                7 => S::ZERO - S::ONE,
                8 => S::MIN_POSITIVE,
                _ => S::from_f64(random.whole()),
            };
        }
        bytes[at..at + size].copy_from_slice(&odd.to_bits().to_le_bytes()[..size]);
    }
}

/// Replaces indices by those of other items.
fn repeat(bytes: &mut [u8], len: usize, random: &mut Random) {
    let of_all = [1, 3, 20][random.below(3)];
    let all_the_same = random.below(2) == 0;
    let same = random.below(len) as u32;
    for slot in 0..len {
        if random.below(of_all) == 0 {
            let index = if all_the_same {
                same
            } else {
                random.below(len) as u32
            };
            bytes[64 + 4 * slot..][..4].copy_from_slice(&index.to_le_bytes());
        }
    }
}

/// Runs all queries of trees whose bytes were altered at random.
fn ask_altered<T>(items: &[T], many: usize, ask: impl Fn(&Orthtree<T>, &Orthtree<T>))
where
    T: Bounded + Clone + Sync,
{
    let tree = Orthtree::new(items);
    // The items consist of numbers only.
    let size = items.len().next_multiple_of(16) * size_of::<T>();
    let mut random = Random(77);
    let (mut opened, mut sound) = (0, 0);
    let bytes = tree.to_bytes();
    let mut altered = Aligned::new(&bytes);
    for case in 0..many {
        altered.bytes().copy_from_slice(&bytes);
        let bytes = altered.bytes();
        match case % 4 {
            0 => damage(bytes, &mut random),
            1 => poison::<ScalarOf<T>>(bytes, size, &mut random),
            2 => repeat(bytes, items.len(), &mut random),
            _ => {
                poison::<ScalarOf<T>>(bytes, size, &mut random);
                repeat(bytes, items.len(), &mut random);
            }
        }
        let Ok(altered) = Orthtree::<T>::open(bytes) else {
            continue;
        };
        opened += 1;
        let (checked, copied) = (altered.check(), Orthtree::<T>::from_bytes(bytes));
        assert!(checked.is_err() || altered.validate().is_ok());
        let why = copied.as_ref().err().map(ToString::to_string);
        assert_eq!(checked.err().map(|error| error.to_string()), why);
        sound += usize::from(copied.is_ok());
        ask(&altered, &tree);
        if case % 16 < 4 {
            let other = altered.clone().with_instructions(InstructionSet::BASELINE);
            ask(&other, &tree);
        }
    }
    assert!(opened >= many / 2 && sound <= opened, "{opened} {sound}");
}

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// The number of altered trees, divided among the kinds of items.
const CASES: usize = if cfg!(debug_assertions) { 400 } else { 100_000 };

#[test]
fn altered_points_are_asked_all() {
    ask_altered(&points::<[f32; 3]>(150), CASES / 4, |tree, other| {
        ask_all!(tree, f32, 3);
        ask_points(tree, other);
        ask_in_space(tree);
    });
    ask_altered(&points::<[f64; 2]>(150), CASES / 4, |tree, other| {
        ask_all!(tree, f64, 2);
        ask_points(tree, other);
        ask_in_the_plane(tree);
    });
    // Spread the points, so that the tree has nodes below nodes, and few points are near each other.
    let apart = |[x, y, z]: [f32; 3]| [x * 90.0 + y, y * 90.0 + z, z * 90.0];
    let many: Vec<_> = points(5000).into_iter().map(apart).collect();
    ask_altered(&many, CASES / 1000 + 1, |tree, other| {
        ask_all!(tree, f32, 3);
        ask_points(tree, other);
    });
}

#[test]
fn altered_boxes_are_asked_all() {
    ask_altered(&boxes::<[f32; 3]>(150), CASES / 8, |tree, _| {
        ask_all!(tree, f32, 3);
        ask_in_space(tree);
    });
    ask_altered(&boxes::<[f64; 2]>(150), CASES / 8, |tree, _| {
        ask_all!(tree, f64, 2);
        ask_in_the_plane(tree);
    });
}

#[test]
fn altered_balls_are_asked_all() {
    ask_altered(&balls::<[f32; 3]>(150), CASES / 8, |tree, _| {
        ask_all!(tree, f32, 3);
        ask_in_space(tree);
    });
    ask_altered(&balls::<[f64; 4]>(150), CASES / 8, |tree, _| {
        ask_all!(tree, f64, 4);
    });
}

#[test]
fn random_alterations() {
    let bytes = Orthtree::new(&balls::<[f32; 3]>(500)).to_bytes();
    let mut random = Random(77);
    let many = if cfg!(debug_assertions) {
        5_000
    } else {
        100_000
    };
    for _ in 0..many {
        let mut altered = bytes.clone();
        damage(&mut altered, &mut random);
        answers::<[f32; 3]>(&altered);
    }
}

/// The run of a child that does not exist could be any two equal numbers, and the weights of a node are summed over runs. The fuzz target
/// `saved` found it.
#[test]
fn the_run_of_no_child_lies_among_the_items() {
    let tree = Orthtree::new(&points::<[f32; 3]>(3));
    let bytes = tree.to_bytes();
    let weights = [&[0.5; 3][..]; 2];
    let mut opened = 0;
    for at in (64..bytes.len() - 8).step_by(4) {
        let mut altered = bytes.clone();
        altered[at..at + 4].copy_from_slice(&512u32.to_le_bytes());
        altered[at + 4..at + 8].copy_from_slice(&512u32.to_le_bytes());
        let mut altered = Aligned::new(&altered);
        if let Ok(lent) = Orthtree::<[f32; 3]>::open(altered.bytes()) {
            opened += 1;
            let sums = lent
                .weigh_neighbors(&tree, weights, &[1.0, 9.0], true)
                .unwrap();
            assert_eq!(sums.len(), 2);
        }
    }
    assert!(opened > 0);
}
