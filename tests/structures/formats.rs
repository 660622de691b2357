//! Formats beside JSON, and solids of each kind to write.

use orthant::{Hexahedron, Plane};
use serde::{Serialize, de::DeserializeOwned};

/// The configuration of bincode, in which lengths come first and nothing names the type of the next value. The limit caps the memory that a read
/// may ask for.
const CONFIG: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<10_000_000>,
> = bincode::config::standard().with_limit();

pub(crate) fn to_bincode<T: Serialize>(value: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, CONFIG).unwrap()
}

pub(crate) fn from_bincode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let read = bincode::serde::decode_from_slice(bytes, CONFIG).ok();
    read.map(|(value, _)| value)
}

/// Makes solids from axes, from corners and from planes.
pub(crate) fn solids() -> Vec<Hexahedron<[f64; 3]>> {
    let axes = [[0.6, 0.8, 0.1], [-0.8, 0.6, 0.0], [0.1, 0.3, 1.0]];
    let corner = |i: usize| {
        let upper = |bit: usize| f64::from(u8::from(i >> bit & 1 == 1));
        [1.0 + upper(0), 3.0 * upper(1), 0.5 * upper(2)]
    };
    let planes = [
        ([1.0, 0.5, 0.0], 1.0),
        ([-1.0, 0.0, 0.25], 1.0),
        ([0.0, 1.0, 0.0], 2.0),
        ([0.0, -1.0, 0.5], 1.0),
        ([0.0, 0.0, 1.0], 1.0),
        ([0.25, 0.0, -1.0], 1.0),
    ];
    vec![
        Hexahedron::oriented([0.1, 20.0, -3.0], [0.3, 1.0, 2.0], axes),
        Hexahedron::from_corners(std::array::from_fn(corner)),
        Hexahedron::from_planes(planes.map(|(normal, offset)| Plane::new(normal, offset))),
    ]
}
