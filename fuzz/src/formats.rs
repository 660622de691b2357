//! Reads and writes bytes of bincode, in which nothing names the type of the next value. A limit caps the memory that a read may ask for.

use serde::{Serialize, de::DeserializeOwned};

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
