use std::fs;
use std::path::Path;

use super::{AIRPORTS, Files, f32s, ply, run};

/// The name of a mistake, a file with it, the arguments after the file, and a part of the message.
type Refusal = (&'static str, Vec<u8>, &'static [&'static str], &'static str);

#[test]
fn bad_input_is_refused_with_its_place() {
    let tile = fs::read(Path::new(AIRPORTS).with_file_name("autzen_trim.laz")).expect("shipped");
    let cut_ply = ply("ascii", "float", 3) + "7\n0 0 0 0\n0 0 0 0\n";
    let bad_ply = ply("ascii", "float", 1) + "7\n0 0 zero 0\n";
    // The headers of these files state more points, or a longer record, than any memory or number holds.
    let long_records = &include_bytes!("../../../../fuzz/corpus/readers/long-records")[5..];
    let many_points = &include_bytes!("../../../../fuzz/corpus/readers/too-many-points")[5..];
    let behind =
        &include_bytes!("../../../../fuzz/corpus/readers/long-record-behind-the-points")[5..];
    let refusals: &[Refusal] = &[
        (
            "a.csv",
            b"x,y,z\n0,0,0\n\n# note\n1,two,3\n".into(),
            &[],
            "line 5: \"two\" in column y",
        ),
        (
            "a.csv",
            b"0,0,0\r\n\r\n1,2\r\n".into(),
            &[],
            "line 3: no column 3",
        ),
        (
            "a.xyz",
            b"0 0 0\n0 nan 0\n".into(),
            &[],
            "line 2: nan in column 2 is not finite",
        ),
        ("a.csv", b"x,y,z\n".into(), &[], "no points"),
        ("a.csv", b"".into(), &[], "empty"),
        (
            "a.csv",
            b"x,y\n0,0\n".into(),
            &[],
            "no column z; there are: x, y (for two dimensions: --dim 2)",
        ),
        (
            "a.csv",
            b"lon,lat\n0,0\n".into(),
            &["--dim", "2"],
            "there are: lon, lat",
        ),
        (
            "a.csv",
            b"longitude,latitude\n0,0\n0,91\n".into(),
            &["--great-circle"],
            "point 1: latitude 91 is beyond a pole",
        ),
        (
            "a.csv",
            b"longitude,latitude\n0,0\n".into(),
            &["--great-circle", "--precision", "f32"],
            "computes in f64",
        ),
        (
            "a.csv",
            b"x,y,z\n0,0,0\n".into(),
            &["--columns", "x,y,w"],
            "no column w",
        ),
        (
            "a.csv",
            b"x,y,z\n0,0,0\n".into(),
            &["--columns", "1,2"],
            "names 2 columns",
        ),
        (
            "a.csv",
            b"0,0,0\n".into(),
            &["--columns", "x,y,z"],
            "no header",
        ),
        (
            "a.csv",
            b"1e300,0,0\n".into(),
            &["--precision", "f32"],
            "point 0: x is 1e300",
        ),
        ("a.ply", cut_ply.into(), &[], "expected 3, got 2"),
        ("a.ply", bad_ply.into(), &[], "Line 13"),
        (
            "a.ply",
            ply("ascii", "float", 0).into_bytes(),
            &["--columns", "1,2,3"],
            "text files",
        ),
        (
            "a.ply",
            (ply("ascii", "float", 0) + "7\n").into(),
            &[],
            "no points",
        ),
        ("a.ply", b"plyx\n".into(), &[], "Line 1"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nend_header\n".into(),
            &[],
            "no element \"vertex\"",
        ),
        ("a.laz", tile[..300_000].into(), &[], "not a whole LAS file"),
        ("a.laz", tile[..300].into(), &[], "not a whole LAS file"),
        ("a.las", b"x,y,z\n".into(), &[], "not a whole LAS file"),
        ("a.las", long_records.into(), &[], "not a whole LAS file"),
        (
            "a.las",
            many_points.into(),
            &[],
            "not a whole LAS file: the header states",
        ),
        (
            "a.las",
            behind.into(),
            &[],
            "not a whole LAS file: a record of",
        ),
        (
            "a.f32.bin",
            vec![0; 16],
            &[],
            "16 bytes are not a whole number of points",
        ),
        (
            "a.f64.bin",
            vec![0; 24],
            &["--dim", "2"],
            "24 bytes are not a whole number",
        ),
        (
            "a.f32.bin",
            f32s([0.0, 0.0, 0.0, 1.0, f64::NAN, 0.0]),
            &[],
            "point 1: y is NaN",
        ),
        ("a.bin", vec![0; 24], &[], "supported are .las"),
        (
            "a.csv",
            b"0,0,0\n".into(),
            &["--png", "/no/such/place/a.png"],
            "place",
        ),
        (
            "a.csv",
            b"0,0,0\n".into(),
            &["--csv", "/no/such/place/a.csv"],
            "place",
        ),
    ];
    let files = Files::new();
    for (name, bytes, args, message) in refusals {
        let path = files.write(name, bytes);
        refused(
            &[&[path.as_str(), "--radius", "1"], *args].concat(),
            message,
        );
    }
    refused(
        &[&files.path("missing.csv"), "--radius", "1"],
        "missing.csv",
    );
}

#[test]
fn bad_radius_is_refused() {
    refused(&["--radius", "-1"], "-1 is negative");
    refused(&["--radius", "nan"], "NaN is not a finite number");
    refused(&["--radius", "inf"], "inf is not a finite number");
    refused(
        &["--radius", "1e300", "--precision", "f32"],
        "too large for f32",
    );
    // The default radius is that of the tile, and does not apply to other files.
    let usage = run(&[AIRPORTS, "--dim", "2"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&usage.stderr).contains("--radius"));
}

#[test]
fn bad_boxes_are_refused() {
    let tile = ["--radius", "1"];
    // No structure searches a thousand images.
    for structure in ["linear", "octree", "loose", "cells"] {
        refused(
            &[
                "--structure",
                structure,
                "--radius",
                "1000",
                "--periodic",
                "1,1,1",
            ],
            "more than a hundred images of the box",
        );
    }
    let refused = |args: &[&str], message| refused(&[&tile[..], args].concat(), message);
    refused(
        &["--dim", "2", "--periodic", "15,15,15"],
        "--periodic has 3 lengths, not 2",
    );
    refused(&["--periodic", "15,15,nan"], "NaN is not a length");
    refused(
        &["--structure", "cells", "--periodic", "15,15,0.001"],
        "reaches more than a hundred images of the box",
    );
    refused(&["--cell", "1,0,0,1"], "--cell has 4 numbers, not 9");
    refused(
        &["--cell", "1,0,0,0,1,0,1,1,0"],
        "the vectors of the cell span 0",
    );
}

fn refused(args: &[&str], message: &str) {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
    assert!(
        errors.starts_with("error: ") && errors.lines().count() == 1,
        "{args:?}: {errors}"
    );
    assert!(errors.contains(message), "{args:?}: {errors}");
    assert!(
        !String::from_utf8_lossy(&output.stdout).contains("pairs"),
        "{args:?}"
    );
}
