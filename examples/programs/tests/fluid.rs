//! Tests of the example `fluid`.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;

use super::{example, text};

fn command(args: &[&str]) -> Command {
    let mut command = example("fluid");
    command.args(args);
    command
}

fn run(mut command: Command) -> Output {
    let output = command.output();
    output.expect("it starts")
}

fn stdout(command: Command) -> String {
    text(run(command))
}

/// The number that follows a word.
fn number_after(text: &str, word: &str) -> f32 {
    let rest = text.split(word).nth(1).expect("the word is there");
    let number = rest.split_whitespace().next().expect("something follows");
    number.parse().expect("a number")
}

fn read_dump(path: &Path) -> Vec<[f32; 3]> {
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_path(path)
        .expect("a dump");
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row.expect("a row");
        assert_eq!(row.len(), 3);
        std::array::from_fn(|a| row[a].parse().expect("a coordinate"))
    };
    reader.into_records().map(row).collect()
}

#[test]
fn the_last_line_counts_the_pairs_of_the_dumped_particles() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("water.csv");
    let dump = path.to_str().expect("text");
    for steps in ["1", "30"] {
        let text = stdout(command(&[
            "--particles",
            "900",
            "--steps",
            steps,
            "--dump",
            dump,
        ]));
        let points = read_dump(&path);
        assert!(text.starts_with(&format!("{} particles", points.len())));
        let reach = number_after(&text, "within");
        let mut pairs = 0;
        for (i, p) in points.iter().enumerate() {
            for q in &points[..i] {
                let [x, y, z] = std::array::from_fn(|a| q[a] - p[a]);
                pairs += u32::from(x * x + y * y + z * z <= reach * reach);
            }
        }
        assert!(pairs > 5000, "{pairs}");
        let last = text.lines().last().expect("lines");
        assert_eq!(last, format!("pairs {pairs}"), "after {steps} steps");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dump = |seed: &str, threads: &str| {
        let path = folder.path().join("water.csv");
        let text = path.to_str().expect("text");
        let mut command = command(&[
            "--particles",
            "900",
            "--steps",
            "25",
            "--seed",
            seed,
            "--dump",
            text,
        ]);
        command.env("RAYON_NUM_THREADS", threads);
        stdout(command);
        std::fs::read(path).expect("a dump")
    };
    let first = dump("7", "1");
    assert!(first == dump("7", "3"));
    assert!(first != dump("8", "1"));
}

#[test]
fn the_water_is_at_the_box_when_it_was_in_the_experiment() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("water.csv");
    let dump = path.to_str().expect("text");
    let text = stdout(command(&[
        "--particles",
        "2000",
        "--steps",
        "50",
        "--dump",
        dump,
    ]));
    // Rows begin with the step, the time, two measurements, and then the front.
    let rows = text
        .lines()
        .filter_map(|line| {
            let numbers: Option<Vec<f32>> =
                line.split_whitespace().map(|n| n.parse().ok()).collect();
            numbers.filter(|n| n.len() == 8)
        })
        .collect::<Vec<_>>();
    assert_eq!(rows.len(), 11, "{text}");
    let arrived = rows.windows(2).find(|two| two[1][4] > 2.3955);
    let [before, after] = [0, 1].map(|i| &arrived.expect("it arrives")[i]);
    let share = (2.3955 - before[4]) / (after[4] - before[4]);
    let arrival = before[1] + share * (after[1] - before[1]);
    assert!((arrival - 0.4).abs() < 0.1, "after {arrival} s:\n{text}");
    for row in &rows {
        assert!(row[6] < 5.0, "squeezed by {} %:\n{text}", row[6]);
    }
    for two in rows.windows(2) {
        assert!(two[1][7] < 1.01 * two[0][7], "energy from nothing:\n{text}");
    }
    let inside = |p: &[f32; 3]| {
        let tank = [3.22, 1.0, f32::MAX];
        let (low, high) = ([2.3955, 0.295, 0.0], [2.5565, 0.698, 0.161]);
        let in_box = (0..3).all(|a| p[a] > low[a] + 1e-5 && p[a] < high[a] - 1e-5);
        (0..3).all(|a| p[a] >= 0.0 && p[a] <= tank[a]) && !in_box
    };
    assert!(read_dump(&path).iter().all(inside), "water left the tank");
}

#[test]
fn pictures_show_water_that_moves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (png, gif) = (folder.path().join("a.png"), folder.path().join("a.gif"));
    stdout(command(&[
        "--particles",
        "300",
        "--steps",
        "5",
        "--png",
        png.to_str().expect("text"),
        "--gif",
        gif.to_str().expect("text"),
    ]));
    let picture = image::open(&png).expect("a picture").into_rgb8();
    let colors: HashSet<_> = picture.pixels().collect();
    assert!(colors.len() > 1000, "{} colors", colors.len());
    let file = BufReader::new(File::open(&gif).expect("an animation"));
    let frames = GifDecoder::new(file).expect("an animation").into_frames();
    let frames = frames.collect_frames().expect("frames");
    assert!(frames.len() > 1);
    for two in frames.windows(2) {
        assert!(two[0].buffer() != two[1].buffer());
    }
}

#[test]
fn the_page_has_the_particles_of_all_steps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("dam.html");
    let text = path.to_str().expect("text");
    stdout(command(&[
        "--particles",
        "300",
        "--steps",
        "3",
        "--html",
        text,
    ]));
    let scene = crate::scene(&path);
    assert_eq!(scene["frames"].as_array().expect("frames").len(), 4);
    let layer = &scene["layers"][0];
    let items = layer["items"].as_u64().expect("a number");
    assert!(items > 200 && items <= 300);
    assert_eq!(layer["counts"]["length"], 4 * items);
}

#[test]
fn bad_arguments_are_named() {
    let nowhere = ["--particles", "9", "--steps", "1", "--png", "no/such/a.png"];
    let no_page = [
        "--particles",
        "9",
        "--steps",
        "1",
        "--html",
        "no/such/a.html",
    ];
    for (args, complaint) in [
        (&["--steps", "0"][..], "--steps"),
        (&["--particles", "0"], "--particles"),
        (&["--particles", "many"], "--particles"),
        (&["--color"], "--color"),
        (&nowhere, "cannot write no/such/a.png"),
        (&no_page, "cannot write no/such/a.html"),
    ] {
        let output = run(command(args));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.starts_with("error: "), "{args:?}: {errors}");
        assert!(errors.contains(complaint), "{args:?}: {errors}");
        assert!(!errors.contains("panicked"), "{args:?}: {errors}");
    }
}
