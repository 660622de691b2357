//! Reads PLY files.

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::{AXES, Cloud, Precision};
use crate::Failure;

struct Vertex([f64; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([0.0; 3])
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(axis) = AXES.iter().position(|axis| *axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[axis] = match property {
            Property::Char(value) => value.into(),
            Property::UChar(value) => value.into(),
            Property::Short(value) => value.into(),
            Property::UShort(value) => value.into(),
            Property::Int(value) => value.into(),
            Property::UInt(value) => value.into(),
            Property::Float(value) => value.into(),
            Property::Double(value) => value,
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// An element that is skipped.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}

pub(super) fn read(bytes: &[u8], dim: usize) -> Result<Cloud, Failure> {
    let mut reader = Reader::new(bytes);
    let vertices = Parser::<Vertex>::new();
    let header = vertices
        .read_header(&mut reader)
        .map_err(|error| brief(&error))?;
    let Some(definition) = header.elements.get("vertex") else {
        return Err("no element \"vertex\"".into());
    };

    let mut precision = Precision::F32;
    for axis in &AXES[..dim] {
        let Some(property) = definition.properties.get(*axis) else {
            let names: Vec<_> = definition.properties.keys().map(String::as_str).collect();
            return Err(format!("no property {axis}; there are: {}", names.join(", ")).into());
        };
        // Integers of up to 16 bits are exact in f32; wider ones need f64.
        if let PropertyType::Scalar(ScalarType::Double | ScalarType::Int | ScalarType::UInt) =
            property.data_type
        {
            precision = Precision::F64;
        }
    }

    for element in header.elements.values() {
        if element.name == definition.name {
            break;
        }
        if element.properties.is_empty() && header.encoding != Encoding::Ascii {
            // Elements without properties take no bytes in a binary file.
            continue;
        }
        Parser::<Skipped>::new()
            .read_payload_for_element(&mut reader, element, &header)
            .map_err(|error| brief(&error))?;
    }
    let rows = vertices
        .read_payload_for_element(&mut reader, definition, &header)
        .map_err(|error| brief(&error))?;
    Ok(Cloud {
        rows: rows.into_iter().map(|vertex| vertex.0).collect(),
        precision,
        origin: None,
    })
}

/// The message of an error, without the grammar that the parser appends.
fn brief(error: &ParseError) -> Failure {
    let message = error.to_string();
    let brief = message.split("\n\tError:").next().unwrap_or_default();
    brief.to_owned().into()
}
