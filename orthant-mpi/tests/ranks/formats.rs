//! Reads lidar tiles, Parquet and Arrow files on any number of ranks: the points are those of the file, in its order.

use crate::Test;
#[cfg(any(feature = "las", feature = "arrow"))]
use crate::{on_ranks, well};

pub(crate) const TESTS: &[Test] = &[
    #[cfg(feature = "las")]
    ("lidar", || on_ranks("lidar")),
    #[cfg(feature = "arrow")]
    ("columns", || {
        columns::write();
        for n in 1..=4 {
            well(n, "columns", 1 << 16, &[]);
        }
    }),
];

#[cfg(feature = "las")]
pub(crate) fn lidar(ranks: &orthant_mpi::Ranks, _: &[String]) {
    use orthant_mpi::input::read_las;

    let tile = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/autzen_trim.laz"
    );
    let mut reader = las::Reader::from_path(tile).expect("a tile");
    let min = reader.header().bounds().min;
    let all = reader.read_points(1 << 20).expect("points");
    let expected = all.x().zip(all.y()).zip(all.z());
    let expected: Vec<[f64; 3]> = expected
        .map(|((x, y), z)| [x - min.x, y - min.y, z - min.z])
        .collect();
    assert_eq!(expected.len(), 110_000);
    let mine: Vec<[f64; 3]> = read_las(ranks, tile.as_ref()).expect("points");
    let before = ranks.share(&[mine.len() as u64]).expect("counts").items;
    let first = before[..ranks.rank()].iter().sum::<u64>() as usize;
    assert_eq!(before.iter().sum::<u64>(), 110_000);
    crate::check::same("the tile", &mine, &expected[first..first + mine.len()]);
    let none = read_las::<[f64; 3]>(ranks, "none.laz".as_ref());
    assert!(none.is_err_and(|error| error.rank == 0 && error.to_string().contains("none.laz")));
}

#[cfg(feature = "arrow")]
pub(crate) mod columns {
    use std::fs::File;
    use std::path::PathBuf;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, UInt64Array};
    use arrow_ipc::writer::FileWriter;
    use orthant_mpi::Ranks;
    use orthant_mpi::input::{read_arrow, read_parquet};
    use parquet::arrow::ArrowWriter;

    use crate::check::same;
    use crate::clouds::worlds;

    fn path(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
    }

    /// Makes columns in another order, one of another type, and one that is not requested.
    fn batch(points: &[[f64; 3]]) -> RecordBatch {
        let column = |axis: usize| points.iter().map(move |p| p[axis]);
        let ids: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..points.len() as u64));
        let z: ArrayRef = Arc::new(Float32Array::from_iter_values(column(2).map(|z| z as f32)));
        let x: ArrayRef = Arc::new(Float64Array::from_iter_values(column(0)));
        let y: ArrayRef = Arc::new(Float64Array::from_iter_values(column(1)));
        RecordBatch::try_from_iter([("id", ids), ("z", z), ("x", x), ("y", y)]).expect("a batch")
    }

    /// Writes seven groups of different lengths.
    pub(crate) fn write() {
        let points: Vec<[f64; 3]> = worlds().swap_remove(0).points;
        let schema = batch(&points).schema();
        let file = |name| File::create(path(name)).expect("a file");
        let mut parquet =
            ArrowWriter::try_new(file("points.parquet"), schema.clone(), None).expect("a writer");
        let mut arrow = FileWriter::try_new(file("points.arrow"), &schema).expect("a writer");
        let ends = [0, 10, 11, 100, 250, 250, 499, 500];
        for part in ends.windows(2) {
            let batch = batch(&points[part[0]..part[1]]);
            parquet.write(&batch).expect("written");
            parquet.flush().expect("written");
            arrow.write(&batch).expect("written");
        }
        parquet.close().expect("written");
        arrow.finish().expect("written");
    }

    pub(crate) fn read(ranks: &Ranks, _: &[String]) {
        let points: Vec<[f64; 3]> = worlds().swap_remove(0).points;
        let expected: Vec<[f64; 3]> = points
            .iter()
            .map(|&[x, y, z]| [x, y, f64::from(z as f32)])
            .collect();
        let (parquet, arrow) = (path("points.parquet"), path("points.arrow"));
        let names = ["x", "y", "z"];
        for mine in [
            read_parquet(ranks, &parquet, &names),
            read_arrow(ranks, &arrow, &names),
        ] {
            let all = ranks.share(&mine.expect("points")).expect("points");
            same("columns", &all.items, &expected);
        }
        for (names, words) in [
            (&["x", "y", "id"][..], "column id is of UInt64"),
            (&["x", "y", "w"], "points."),
            (&["x", "y"], "2 columns for 3 axes"),
        ] {
            let refused = [
                read_parquet::<[f64; 3]>(ranks, &parquet, names),
                read_arrow(ranks, &arrow, names),
            ];
            for refused in refused {
                let error = refused.expect_err("refused");
                assert!(error.to_string().contains(words), "{error}");
            }
        }
        if ranks.size() > 1 {
            let last = ranks.rank() + 1 == ranks.size();
            let names = if last { ["y", "x", "z"] } else { names };
            let mixed = [
                read_parquet::<[f64; 3]>(ranks, &parquet, &names),
                read_arrow(ranks, &arrow, &names),
            ];
            for mixed in mixed {
                let error = mixed.expect_err("refused");
                assert_eq!(error.rank, ranks.size() - 1, "{error}");
                assert!(
                    error.to_string().contains("columns: not the same"),
                    "{error}"
                );
            }
        }
        let budget = Ranks::new(ranks.communicator()).with_budget(2000);
        let refused = read_parquet::<[f64; 3]>(&budget, &parquet, &names);
        assert!(refused.is_err_and(|error| error.to_string().contains("the budget is 2000")));
    }
}
