//! Writes PLY files with little-endian numbers.

use std::io::Write;

use ply_rs_bw::ply::{
    Addable, ElementDef, Encoding, Ply, PropertyAccess, PropertyDef, PropertyType, ScalarType,
};
use ply_rs_bw::writer::Writer;

/// An element of a file: a corner, or a face of four corners.
pub(super) enum Element {
    Vertex([f32; 3]),
    Face([u32; 4]),
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::Vertex([0.0; 3])
    }

    fn get_float(&self, name: &str) -> Option<f32> {
        let Self::Vertex([x, y, z]) = self else {
            return None;
        };
        match name {
            "x" => Some(*x),
            "y" => Some(*y),
            "z" => Some(*z),
            _ => None,
        }
    }

    fn get_list_uint(&self, _name: &str) -> Option<&[u32]> {
        match self {
            Self::Face(corners) => Some(corners),
            Self::Vertex(_) => None,
        }
    }
}

pub(super) fn write(
    file: &mut impl Write,
    vertices: Vec<Element>,
    faces: Option<Vec<Element>>,
) -> Result<(), String> {
    let mut ply = Ply::<Element>::new();
    ply.header.encoding = Encoding::BinaryLittleEndian;
    let mut vertex = ElementDef::new("vertex".into());
    for name in ["x", "y", "z"] {
        let float = PropertyType::Scalar(ScalarType::Float);
        vertex.properties.add(PropertyDef::new(name.into(), float));
    }
    ply.header.elements.add(vertex);
    ply.payload.insert("vertex".into(), vertices);
    if let Some(faces) = faces {
        let mut face = ElementDef::new("face".into());
        let list = PropertyType::List(ScalarType::UChar, ScalarType::UInt);
        face.properties
            .add(PropertyDef::new("vertex_indices".into(), list));
        ply.header.elements.add(face);
        ply.payload.insert("face".into(), faces);
    }
    let written = Writer::new().write_ply(file, &mut ply);
    written.map(drop).map_err(|error| error.to_string())
}
