//! A refusal is the same on all ranks, by the same words; a rank that dies ends all others, within seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orthant::{Aabb, Periodic};
use orthant_mpi::input::{Raw, read_raw, read_raw_parts};
use orthant_mpi::{Balance, Bodies, Cause, Cloud, Error, Halo, Ranks, Tree};

use crate::clouds::worlds;
use crate::{Test, run, well};

pub(crate) const TESTS: &[Test] = &[
    ("what is refused", || {
        for n in [1, 3] {
            well(n, "refused", 64, &[]);
        }
    }),
    ("raw files", raw_files),
    ("a rank that dies ends all", deaths),
];

/// Asserts that all ranks get the same error, and from which rank.
#[track_caller]
fn by(ranks: &Ranks, rank: usize, result: Result<impl Sized, Error>, words: &str) {
    let error = result.err().expect("refused");
    assert!(error.to_string().contains(words), "{error}: not {words}");
    assert_eq!(error.rank, rank, "{error}");
    let told: Vec<u8> = error.to_string().into_bytes();
    let all = ranks.share(&told).expect("words");
    assert!(
        (0..ranks.size()).all(|rank| all.of(rank) == told),
        "not the same on all"
    );
}

pub(crate) fn refused(ranks: &Ranks, _: &[String]) {
    let (last, me) = (ranks.size() - 1, ranks.rank());
    let on_last = |bad: f32, good: f32| if me == last { bad } else { good };
    let points: Vec<[f32; 3]> = worlds().swap_remove(0).points[..100].to_vec();
    let mut bad = points.clone();
    bad[7][1] = on_last(f32::NAN, 0.0);
    let id = 100 * last + 7;
    by(
        ranks,
        last,
        Cloud::new(ranks, &bad),
        &format!("point {id}: NaN on axis 1"),
    );

    let mut cloud = Cloud::new(ranks, &points).expect("a cloud");
    by(
        ranks,
        last,
        cloud.set_points(ranks, &bad),
        &format!("point {id}: NaN"),
    );
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let halo = Halo::new(ranks, &cloud, on_last(radius, 0.1));
        by(
            ranks,
            last,
            halo,
            &format!("radius {radius} is not a positive number"),
        );
    }
    if last > 0 {
        let words = "radius: not the same as on rank 0";
        let radius = on_last(0.1, 0.2);
        by(ranks, last, Halo::new(ranks, &cloud, radius), words);
        by(ranks, last, cloud.groups(ranks, radius), words);
        let tree = Tree::new(ranks, &cloud).expect("a tree");
        let n = if me == last { 2 } else { 3 };
        let words = "the number of nearest: not the same";
        by(ranks, last, tree.nearest_n(ranks, &points, n), words);
        mixed_up(ranks, &mut cloud);
    }
    let rule = Balance {
        tolerance: f64::NAN,
        ..Balance::default()
    };
    by(ranks, 0, cloud.balance(ranks, &rule), "not numbers");
    let weights = vec![1; if me == last { 99 } else { 100 }];
    let refused = cloud.balance_by(ranks, &Balance::default(), &weights);
    by(ranks, last, refused, "weights: 99 for 100 points");
    let values = vec![0_u8; if me == last { 1 } else { 100 }];
    by(
        ranks,
        last,
        cloud.carry(ranks, "color", values.clone()),
        "column 0, color of u8: 1 for 100 points",
    );
    by(
        ranks,
        last,
        cloud.to_home(ranks, &values),
        "1 for 100 points",
    );
    let halo = Halo::new(ranks, &cloud, 0.1).expect("a halo");
    by(
        ranks,
        last,
        halo.fill(ranks, &values),
        "1 values for 100 own points",
    );
    by(
        ranks,
        0,
        halo.pair_counts(ranks, &[0.05, 0.2]),
        "bin 1 ends at 0.2",
    );

    budgets(ranks, &points, &halo);
    let error = ranks.exchange(&[1_u8], &vec![2; ranks.size()]);
    by(ranks, 0, error, "counts of");
    by(
        ranks,
        0,
        Ranks::new(ranks.communicator()).with_piece(1),
        "a piece of 1 bytes",
    );

    let skewed = Periodic::spanned([0.0_f32; 2], [[1.0, 0.0], [0.5, 1.0]]);
    by(
        ranks,
        0,
        Cloud::new_periodic(ranks, &[[0.0; 2]], skewed),
        "not aligned",
    );
    let small = Periodic::new(Aabb::new([0.0_f32; 2], [0.001; 2]));
    let tiny = Cloud::new_periodic(ranks, &[[0.0_f32; 2]], small).expect("a cloud");
    let halo = Halo::new(ranks, &tiny, 1.0).expect("a halo");
    by(
        ranks,
        0,
        halo.count_pairs(ranks),
        "more than a hundred images",
    );
    by(ranks, 0, tiny.groups(ranks, 1.0), "more than a hundred");
    let mut bodies = Bodies::<[f32; 2]>::new(ranks, &[], Balance::default()).expect("none");
    let one = [Aabb::new([0.0; 2], [1.0; 2])];
    let boxes = if me == last { &one[..] } else { &[] };
    by(
        ranks,
        last,
        bodies.update(ranks, boxes),
        "1 boxes where there were 0",
    );
    let own = ranks.agree(if me == last {
        Err(Cause::Other { what: "no".into() })
    } else {
        Ok(())
    });
    by(ranks, last, own, "no");
}

/// Refuses columns and points whose types differ between ranks.
fn mixed_up(ranks: &Ranks, cloud: &mut Cloud<[f32; 3]>) {
    let (last, me) = (ranks.size() - 1, ranks.rank());
    let many = cloud.len();
    // With another order, the first column differs.
    let refused = if me == last {
        cloud.carry(ranks, "mass", vec![1_f64; many]).map(drop)
    } else {
        cloud
            .carry(ranks, "speed", vec![[1_f32; 3]; many])
            .map(drop)
    };
    let words = "column 0, mass of f64: not the same as on rank 0";
    by(ranks, last, refused, words);
    let name = if me == last { "heat" } else { "mass" };
    let refused = cloud.carry(ranks, name, vec![1_f64; many]);
    by(ranks, last, refused, "column 0, heat of f64: not the same");
    let refused = if me == last {
        Cloud::new(ranks, &[[0_f64; 3]]).map(drop)
    } else {
        Cloud::new(ranks, &[[0_f32; 3]]).map(drop)
    };
    by(ranks, last, refused, "the type of points: not the same");
}

/// Budgets count what is held and what a call allocates; a refusal has the size of the sum.
fn budgets(ranks: &Ranks, points: &[[f32; 3]], halo: &Halo<[f32; 3]>) {
    let (last, me) = (ranks.size() - 1, ranks.rank());
    let poor = |bytes: usize| {
        let poor = Ranks::new(ranks.communicator())
            .with_piece(64)
            .expect("a piece");
        if me == last {
            poor.with_budget(bytes)
        } else {
            poor
        }
    };
    let words =
        |needed: u64, budget: u64| format!("{needed} bytes are needed, the budget is {budget}");
    // This counts 100 points of 12 bytes with ids, and the number of points of each rank.
    let counts = 8 * ranks.size() as u64;
    by(
        ranks,
        last,
        Cloud::new(&poor(1000), points),
        &words(2000 + counts, 1000),
    );
    let purse = poor(5000);
    let first = Cloud::new(&purse, points).expect("the first");
    let second = Cloud::new(&purse, points).expect("the second");
    by(
        ranks,
        last,
        Cloud::new(&purse, points),
        &words(6000 + counts, 5000),
    );
    drop(second);
    let mut third = Cloud::new(&purse, points).expect("in its place");
    // While it is built, a tree takes at most twice the points and 16 bytes for each.
    by(ranks, last, Tree::new(&purse, &first), &words(8000, 5000));
    let masses = third
        .carry(&purse, "mass", vec![0_f64; 100])
        .expect("4800 in all");
    assert_eq!(third.column(masses).len(), 100);
    by(
        ranks,
        last,
        third.carry(&purse, "heat", vec![0_f64; 100]),
        &words(5600, 5000),
    );

    let lists = halo.neighbor_ids(ranks).expect("lists");
    let sizes = [
        40 * halo.points().len() as u64,
        8 * lists.items().len() as u64,
    ];
    let [cells, items] = ranks.share(&[sizes]).expect("sizes").of(last)[0];
    let refused = halo.neighbor_ids(&poor(cells as usize));
    by(ranks, last, refused, &words(cells + items, cells));
    let refused = halo.count_pairs(&poor(cells as usize - 1));
    by(ranks, last, refused, &words(cells, cells - 1));
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn bytes(points: &[[f64; 3]]) -> Vec<u8> {
    points
        .iter()
        .flatten()
        .flat_map(|x| (*x as f32).to_le_bytes())
        .collect()
}

/// Reads a file that all share and a file for each rank: whole, without points, truncated, missing.
fn raw_files() {
    let folder = folder("raw");
    let points: Vec<[f64; 3]> = worlds().swap_remove(1).points;
    let all = bytes(&points);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("written");
    write("all", &all);
    write("part.0", &all[..1200]);
    write("part.1", &[]);
    write("part.2", &all[1200..]);
    write("torn.0", &all[..120]);
    write("torn.1", &all[..115]);
    let folder = folder.to_str().expect("a path");
    for n in 1..=4 {
        well(n, "files", 64, &[folder]);
    }
}

pub(crate) fn files(ranks: &Ranks, arguments: &[String]) {
    let path = |name: &str| Path::new(&arguments[0]).join(name);
    let points: Vec<[f32; 3]> = worlds().swap_remove(1).points;
    let same = |mine: Vec<[f32; 3]>| {
        let all = ranks.share(&mine).expect("points");
        // Points are converted through f64, since the file has f32.
        let expected = points.iter().map(|p| p.map(|x| f64::from(x) as f32));
        assert!(all.items.into_iter().eq(expected));
    };
    same(read_raw(ranks, &path("all"), Raw::F32).expect("points"));
    if ranks.size() == 3 {
        same(read_raw_parts(ranks, &path("part"), Raw::F32).expect("points"));
    }
    if ranks.size() == 2 {
        let torn = read_raw_parts::<[f32; 3]>(ranks, &path("torn"), Raw::F32);
        by(ranks, 1, torn, "torn.1: 115 bytes, no multiple of 12");
    }
    if ranks.size() == 4 {
        let missing = read_raw_parts::<[f32; 3]>(ranks, &path("part"), Raw::F32);
        by(ranks, 3, missing, "part.3: ");
    }
    by(
        ranks,
        0,
        read_raw::<[f32; 3]>(ranks, &path("none"), Raw::F64),
        "none: ",
    );
    let all = read_raw::<[f64; 4]>(ranks, &path("all"), Raw::F64);
    if !all.is_ok_and(|points| points.len() * ranks.size() >= 100) {
        by(
            ranks,
            0,
            read_raw::<[f64; 4]>(ranks, &path("all"), Raw::F64),
            "no multiple of 32",
        );
    }
}

fn deaths() {
    for (how, says) in [
        ("panic", "rank 1 of 3 panicked"),
        ("kill", "signal 9"),
        ("exit", "non-zero"),
    ] {
        for stage in ["early", "late"] {
            let begin = Instant::now();
            let output = run(3, "die", 64, &[how, stage]);
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(
                begin.elapsed() < Duration::from_secs(30),
                "{how} {stage} hangs"
            );
            assert!(
                !output.status.success() && text.contains(says),
                "{how} {stage}: {text}"
            );
        }
    }
}

pub(crate) fn die(ranks: &Ranks, arguments: &[String]) {
    let points: Vec<[f32; 3]> = worlds().swap_remove(0).points;
    let now = |stage: &str| {
        if ranks.rank() != 1 || arguments[1] != stage {
            return;
        }
        match &*arguments[0] {
            "panic" => panic!("as it was asked to"),
            "exit" => std::process::exit(7),
            _ => {
                let me = std::process::id().to_string();
                let killed = std::process::Command::new("kill")
                    .args(["-9", &me])
                    .status();
                assert!(killed.is_ok());
            }
        }
    };
    now("early");
    let mut cloud = Cloud::new(ranks, &points).expect("a cloud");
    cloud.balance(ranks, &Balance::default()).expect("balanced");
    now("late");
    let halo = Halo::new(ranks, &cloud, 0.1).expect("a halo");
    assert!(halo.count_pairs(ranks).is_ok());
}
