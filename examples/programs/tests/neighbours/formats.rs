use super::{Files, f32s, f64s, pairs, ply, stdout};

/// The corners of 27 unit cubes: 144 pairs at distance 1, 216 more at the square root of 2.
fn lattice() -> Vec<[f64; 3]> {
    let edge = || [0.0, 1.0, 2.0, 3.0].into_iter();
    edge()
        .flat_map(|x| edge().flat_map(move |y| edge().map(move |z| [x, y, z])))
        .collect()
}

fn joined(rows: &[[f64; 3]], separator: &str) -> String {
    let row = |row: &[f64; 3]| row.map(|value| value.to_string()).join(separator) + "\n";
    rows.iter().map(row).collect()
}

#[test]
fn every_format() {
    let files = Files::new();
    let points = lattice();
    let values = || points.iter().flatten().copied();

    let mut ascii = ply("ascii", "float", points.len()) + "7\n";
    for [x, y, z] in &points {
        ascii += &format!("{x} 255 {y} {z}\n");
    }
    // Four thousand million elements without properties take no bytes, and no time.
    let nothing = "element nothing 4294967296\nelement camera";
    let little = ply("binary_little_endian", "double", points.len());
    let mut little = little.replace("element camera", nothing).into_bytes();
    let mut big = ply("binary_big_endian", "float", points.len()).into_bytes();
    little.push(7);
    big.push(7);
    for [x, y, z] in &points {
        little.extend(f64s([*x]).into_iter().chain([255]).chain(f64s([*y, *z])));
        big.extend((*x as f32).to_be_bytes().into_iter().chain([255]));
        big.extend([*y, *z].map(|value| (value as f32).to_be_bytes()).concat());
    }

    let readable = [
        (
            files.write("header.csv", "x,y,z\n".to_owned() + &joined(&points, ",")),
            "f64",
        ),
        (
            files.write(
                "semicolon.csv",
                "Z; Y; X\n".to_owned() + &joined(&points, "; "),
            ),
            "f64",
        ),
        (
            files.write("crlf.CSV", joined(&points, ",").replace('\n', "\r\n")),
            "f64",
        ),
        (files.write("plain.xyz", joined(&points, "  ")), "f64"),
        (
            files.write(
                "comment.xyz",
                "// X Y Z\n# dense\n".to_owned() + &joined(&points, " "),
            ),
            "f64",
        ),
        (
            files.write(
                "tabs.txt",
                "\u{feff}x\ty\tz\n\n".to_owned() + &joined(&points, "\t"),
            ),
            "f64",
        ),
        (files.write("ascii.ply", ascii), "f32"),
        (files.write("little.ply", little), "f64"),
        (files.write("big.ply", big), "f32"),
        (files.write("raw.f32.bin", f32s(values())), "f32"),
        (files.write("raw.f64.bin", f64s(values())), "f64"),
        (las(&files, "points.las", &points), "f64"),
        (las(&files, "points.laz", &points), "f64"),
    ];
    for (path, precision) in &readable {
        let out = stdout(&[path, "--radius", "1"]);
        assert!(
            out.contains(&format!("64 points, dimension 3, {precision}")),
            "{out}"
        );
        assert_eq!(out.lines().last(), Some("pairs 144"), "{path}");
        assert_eq!(pairs(&[path, "--radius", "1.5"]), 360, "{path}");
        // Seen from above, four points coincide: 16 columns of 6 pairs, 24 neighbouring columns of 16.
        if !path.contains("raw") && !path.contains("semicolon") {
            assert_eq!(pairs(&[path, "--radius", "1", "--dim", "2"]), 480, "{path}");
        }
    }
}

/// The points lie far from the origin, where f32 would not tell them apart.
fn las(files: &Files, name: &str, points: &[[f64; 3]]) -> String {
    let path = files.path(name);
    let mut builder = las::Builder::from((1, 2));
    builder.transforms = las::Vector {
        x: las::Transform {
            scale: 0.5,
            offset: 1e8,
        },
        y: las::Transform {
            scale: 0.5,
            offset: -1e8,
        },
        z: las::Transform {
            scale: 0.5,
            offset: 0.0,
        },
    };
    builder.point_format.is_compressed = name.ends_with("laz");
    let header = builder.into_header().expect("a header");
    let mut writer = las::Writer::from_path(&path, header).expect("a writer");
    for [x, y, z] in points {
        let point = las::Point {
            x: x + 1e8,
            y: y - 1e8,
            z: *z,
            ..Default::default()
        };
        writer.write_point(point).expect("written");
    }
    writer.close().expect("closed");
    assert_eq!(pairs(&[&path, "--radius", "1", "--precision", "f32"]), 144);
    path
}

#[test]
fn columns() {
    let files = Files::new();
    let named = files.write(
        "a.csv",
        "name,Height,LATITUDE,Longitude\na,9,0,0\nb,0,0,1\nc,0,4,0\n",
    );
    let plane = [&named, "--dim", "2", "--radius", "1"];
    assert_eq!(pairs(&plane), 1);
    assert_eq!(
        pairs(&[&plane[..], &["--columns", "height,latitude"]].concat()),
        0
    );
    assert_eq!(pairs(&[&plane[..], &["--columns", "4,3"]].concat()), 1);
    assert_eq!(
        pairs(&[&named, "--radius", "5", "--columns", "2,Latitude,4"]),
        1
    );

    let noted = files.write("c.csv", "# x y z\nx,y,z\n1,0,0\n1,0,1\n");
    assert_eq!(pairs(&[&noted, "--radius", "1"]), 1);
    assert_eq!(pairs(&[&noted, "--radius", "1", "--columns", "1,2,3"]), 1);

    let bare = files.write("b.xyz", "5 0 0\n9 0 1\n");
    assert_eq!(
        pairs(&[&bare, "--radius", "1", "--dim", "2", "--columns", "2,3"]),
        1
    );
    assert_eq!(pairs(&[&bare, "--radius", "1", "--dim", "2"]), 0);
}

#[test]
fn raw_rows_are_as_wide_as_the_dimension() {
    let files = Files::new();
    let path = files.write("six.f32.bin", f32s([0.0, 0.0, 0.5, 0.0, 0.0, 0.5]));
    assert_eq!(pairs(&[&path, "--radius", "0.5", "--dim", "2"]), 2);
    assert_eq!(pairs(&[&path, "--radius", "0.8", "--dim", "3"]), 1);
}
