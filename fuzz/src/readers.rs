//! Fuzzes the readers of the examples: any bytes of a file are points, or an error with a message.

use std::fmt::Write;

use orthant::Vector;
use orthant::glam::{DVec3, Vec2};

use crate::draw::Draw;
use crate::kind::Kind;
use crate::read;

/// Fuzzes files of every format that the examples read, and shapes as they are named on the command line.
pub fn readers(data: &[u8]) {
    let mut draw = Draw::new(data);
    let dim = 2 + draw.below(2);
    let columns = match draw.below(6) {
        0 => Some(vec!["x".to_owned(), "2".to_owned()]),
        1 => Some(vec!["1".to_owned(), "0".to_owned(), "z".to_owned()]),
        _ => None,
    };
    let which = draw.below(10);
    let name = [
        "a.las",
        "a.laz",
        "a.ply",
        "a.csv",
        "a.xyz",
        "a.txt",
        "a.f32.bin",
        "a.f64.bin",
        "",
        "a.png",
    ][which];
    let is_text = (3..6).contains(&which);
    let columns = if is_text || draw.one_in(8) {
        columns
    } else {
        None
    };
    let bytes = match which {
        2 if !draw.one_in(3) => ply(&mut draw),
        3..6 if draw.one_in(2) => text(&mut draw),
        8 => return shape(&mut draw),
        _ => draw.rest(),
    };
    let read = read::bytes(name, bytes, dim, columns.as_deref());
    match read {
        Ok(cloud) => {
            let say = |refused: String| assert!(refused.starts_with("point "), "{refused}");
            match cloud.points::<Vec2>() {
                Ok(points) => assert!(points.iter().all(|point| point.non_finite_axis().is_none())),
                Err(refused) => say(refused.to_string()),
            }
            match cloud.points::<DVec3>() {
                Ok(points) => assert_eq!(points.len(), cloud.rows.len()),
                Err(refused) => say(refused.to_string()),
            }
        }
        Err(refused) => assert!(!refused.to_string().is_empty()),
    }
}

/// Makes a header with some of the needed lines, followed by the remaining bytes.
fn ply(draw: &mut Draw) -> Vec<u8> {
    let mut head = "ply\n".to_owned();
    let format = draw.of(&[
        "ascii 1.0",
        "binary_little_endian 1.0",
        "binary_big_endian 1.0",
        "ascii 9",
        "x",
    ]);
    let _ = writeln!(head, "format {format}");
    for _ in 0..draw.below(4) {
        let element = draw.of(&["vertex", "vertex", "face", "edge"]);
        let many = draw.of(&[
            "0",
            "1",
            "2",
            "3",
            "200",
            "4294967296",
            "18446744073709551615",
            "-1",
            "99999999999999999999",
        ]);
        let _ = writeln!(head, "element {element} {many}");
        for _ in 0..draw.below(5) {
            let kind = draw.of(&[
                "float",
                "double",
                "uchar",
                "int",
                "list uchar int",
                "list int float",
                "list uint double",
                "x",
            ]);
            let name = draw.of(&["x", "y", "z", "vertex_indices", ""]);
            let _ = writeln!(head, "property {kind} {name}");
        }
    }
    head.push_str(draw.of(&[
        "end_header\n",
        "end_header\r\n",
        "comment\nend_header\n",
        "",
    ]));
    let mut bytes = head.into_bytes();
    bytes.extend(draw.rest());
    bytes
}

/// Makes fields that are nearly numbers, in rows of nearly equal length.
fn text(draw: &mut Draw) -> Vec<u8> {
    let mut text = String::new();
    let mark = draw.of(&[",", ";", "\t", " ", "  ", ", "]);
    while !draw.is_done() && text.len() < 2000 {
        let field = draw.of(&[
            "x",
            "y",
            "z",
            "longitude",
            "latitude",
            "1",
            "-2.5",
            "1e400",
            "nan",
            "inf",
            "\"3\"",
            "\"",
            "#",
            "//",
            "",
            "\u{feff}",
            "é",
            "0x1",
            "1_0",
            "\r",
            "+4",
            "1e-400",
        ]);
        text.push_str(field);
        text.push_str(if draw.one_in(3) {
            draw.of(&["\n", "\r\n", "\n\n", "\r"])
        } else {
            mark
        });
    }
    text.into_bytes()
}

fn shape(draw: &mut Draw) {
    let mut text = String::new();
    while !draw.is_done() && text.len() < 200 {
        text.push_str(draw.of(&[
            "sphere",
            "circle",
            "ellipsoid:",
            "box:",
            "oriented:",
            "frustum:",
            "capsule:",
            "cloud:",
            ",",
            "1",
            "-1",
            "nan",
            "inf",
            "1e999",
            "0",
            " ",
            ":",
            "é",
            "179",
            "180",
        ]));
    }
    match text.parse::<Kind>() {
        Ok(kind) => assert!(kind.is_round() || text.contains(':'), "{text}"),
        Err(refused) => assert!(!refused.is_empty()),
    }
}
