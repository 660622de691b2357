//! Files that are truncated, altered, or missing on a rank are refused on all ranks by the same words, which name the file; no rank hangs or
//! panics.

#[cfg(any(feature = "las", feature = "arrow"))]
use std::path::{Path, PathBuf};

use crate::Test;
#[cfg(any(feature = "las", feature = "arrow"))]
use crate::{clouds::mix, well};
#[cfg(any(feature = "las", feature = "arrow"))]
use orthant_mpi::{Error, Ranks, input};

pub(crate) const TESTS: &[Test] = &[
    #[cfg(feature = "las")]
    ("damaged tiles", tiles),
    #[cfg(feature = "arrow")]
    ("damaged columns", columns),
];

#[cfg(any(feature = "las", feature = "arrow"))]
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Makes copies of a file that are truncated, at the beginning, in the middle and by one byte, and copies with one altered byte.
#[cfg(any(feature = "las", feature = "arrow"))]
fn damage(sound: &Path, tests: u64) {
    let bytes = std::fs::read(sound).expect("a file");
    let len = bytes.len();
    let write = |name: String, bytes: &[u8]| {
        let name = format!(
            "{name}.{}",
            sound.extension().and_then(|e| e.to_str()).unwrap_or("")
        );
        std::fs::write(folder().join(name), bytes).expect("written");
    };
    for (i, end) in [
        0,
        3,
        100,
        230,
        len / 9,
        len / 3,
        len / 2,
        len * 9 / 10,
        len - 1,
    ]
    .into_iter()
    .enumerate()
    {
        write(format!("cut{i}"), &bytes[..end]);
    }
    // Half of the altered bytes are near the ends, where headers and footers are.
    for test in 0..tests {
        let mut bytes = bytes.clone();
        let within = if test % 2 == 0 { len } else { len.min(600) };
        let at = mix(test) as usize % within;
        let at = if test % 4 == 3 { len - 1 - at } else { at };
        bytes[at] ^= (mix(test + 1000) % 255 + 1) as u8;
        write(format!("altered{test}"), &bytes);
    }
    let (kind, tests) = (
        sound.extension().and_then(|e| e.to_str()),
        tests.to_string(),
    );
    for n in [1, 3] {
        well(n, "damaged", 1 << 20, &[kind.unwrap_or(""), &tests]);
    }
}

#[cfg(any(feature = "las", feature = "arrow"))]
pub(crate) fn read(ranks: &Ranks, arguments: &[String]) {
    let [kind, tests] = arguments else {
        panic!("a kind, and how many")
    };
    let read = |path: &Path| -> Result<Vec<[f64; 3]>, Error> {
        match &**kind {
            #[cfg(feature = "las")]
            "las" | "laz" => input::read_las(ranks, path),
            #[cfg(feature = "arrow")]
            "parquet" => input::read_parquet(ranks, path, &["x", "y", "z"]),
            #[cfg(feature = "arrow")]
            _ => input::read_arrow(ranks, path, &["x", "y", "z"]),
            #[cfg(not(feature = "arrow"))]
            _ => panic!("{kind}"),
        }
    };
    // All ranks report the same words, or all have points.
    let told = |result: Result<Vec<[f64; 3]>, Error>| {
        let words = result.map_or_else(|error| error.to_string(), |_| String::new());
        let all = ranks.share(words.as_bytes()).expect("words");
        let is_same = (0..ranks.size()).all(|rank| all.of(rank) == words.as_bytes());
        assert!(is_same, "{words}");
        words
    };
    for i in 0..9 {
        let name = format!("cut{i}.{kind}");
        let words = told(read(&folder().join(&name)));
        assert!(
            words.starts_with("rank ") && words.contains(&name),
            "{name}: {words}"
        );
    }
    for test in 0..tests.parse().expect("a number") {
        let name = format!("altered{test}.{kind}");
        let words = told(read(&folder().join(&name)));
        let is_refused = words.starts_with("rank ");
        assert!(words.is_empty() || is_refused, "{name}: {words}");
    }
    let last = ranks.size() - 1;
    let name = if ranks.rank() == last {
        "missing"
    } else {
        "sound"
    };
    let words = told(read(&folder().join(format!("{name}.{kind}"))));
    assert!(words.starts_with(&format!("rank {last}: ")), "{words}");
    assert!(words.contains("missing"), "{words}");
}

#[cfg(feature = "las")]
fn tiles() {
    let tile = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/autzen_trim.laz"
    );
    let sound = folder().join("sound.laz");
    std::fs::copy(tile, &sound).expect("copied");
    damage(&sound, 24);
    let sound = folder().join("sound.las");
    let mut reader = las::Reader::from_path(tile).expect("a tile");
    let mut writer = las::Writer::from_path(&sound, reader.header().clone()).expect("a file");
    let points = reader.read_points(10_000).expect("points");
    writer.write_points(&points).expect("written");
    writer.close().expect("closed");
    damage(&sound, 24);
}

#[cfg(feature = "arrow")]
fn columns() {
    crate::formats::columns::write();
    for name in ["points.parquet", "points.arrow"] {
        let from = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let sound = folder().join(name.replace("points", "sound"));
        std::fs::copy(from, &sound).expect("copied");
        damage(&sound, 60);
    }
}
