//! Bytes of three formats, altered or made up.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::draw::Draw;
use crate::formats::{from_bincode, to_bincode};

/// Reads altered bytes; a value that can be read is checked, and reads back when it is written.
pub(super) fn attack<T: Serialize + DeserializeOwned>(
    draw: &mut Draw,
    value: &T,
    mut ask: impl FnMut(T, &Value),
) {
    let read: Option<T> = match draw.below(8) {
        0 => serde_json::from_slice(&draw.rest()).ok(),
        1 => postcard::from_bytes(&draw.rest()).ok(),
        2 => from_bincode(&draw.rest()),
        3 | 4 => {
            let mut changed = serde_json::to_value(value).expect("a value in JSON");
            for _ in 0..1 + draw.below(4) {
                let places = count(&changed);
                let at = draw.below(places);
                change(&mut changed, at, draw);
            }
            serde_json::from_value(changed).ok()
        }
        5 | 6 => {
            let mut bytes = postcard::to_stdvec(value).expect("a value in bytes");
            scramble(draw, &mut bytes);
            postcard::from_bytes(&bytes).ok()
        }
        _ => {
            let mut bytes = to_bincode(value);
            scramble(draw, &mut bytes);
            from_bincode(&bytes)
        }
    };
    let Some(read) = read else { return };
    let told = serde_json::to_value(&read).expect("a value in JSON");
    let again: T =
        postcard::from_bytes(&postcard::to_stdvec(&read).unwrap()).expect("bytes as written");
    assert_eq!(serde_json::to_value(&again).unwrap(), told);
    let again: T = from_bincode(&to_bincode(&read)).expect("bytes as written");
    assert_eq!(serde_json::to_value(&again).unwrap(), told);
    ask(read, &told);
}

fn scramble(draw: &mut Draw, bytes: &mut Vec<u8>) {
    for _ in 0..draw.below(5) {
        if bytes.is_empty() {
            return;
        }
        let at = draw.below(bytes.len());
        match draw.below(6) {
            0 => bytes[at] ^= 1 << draw.below(8),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, draw.byte()),
            3 => drop(bytes.remove(at)),
            _ => bytes[at] = draw.byte(),
        }
    }
}

/// Counts the parts of a value, whole arrays and maps included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

fn change(value: &mut Value, at: usize, draw: &mut Draw) {
    if at > 0 {
        let mut left = at - 1;
        let inner: Vec<&mut Value> = match value {
            Value::Array(list) => list.iter_mut().collect(),
            Value::Object(map) => map.values_mut().collect(),
            _ => Vec::new(),
        };
        for inner in inner {
            let many = count(inner);
            if left < many {
                return change(inner, left, draw);
            }
            left -= many;
        }
        return;
    }
    let odd = [
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(-0.0),
        json!(1e-320),
        json!(1e38),
        json!(f64::MAX),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(i32::MIN),
        json!(true),
        json!(null),
        json!("Static"),
        json!([]),
        json!({}),
    ];
    let how = draw.below(odd.len() + 8);
    match value {
        value if how < odd.len() => *value = odd[how].clone(),
        Value::Array(list) if how.is_multiple_of(3) => drop(list.pop()),
        Value::Array(list) if how % 3 == 1 => list.reverse(),
        Value::Array(list) => list.extend(list.first().cloned()),
        Value::Number(number) => {
            let by = if how.is_multiple_of(2) { 1 } else { -1 };
            match (
                number.as_i64().and_then(|whole| whole.checked_add(by)),
                number.as_f64(),
            ) {
                (Some(whole), _) => *value = json!(whole),
                (None, Some(float)) => {
                    *value = json!(if by > 0 { float.next_up() } else { 0.0 - float })
                }
                _ => {}
            }
        }
        Value::Object(map) => {
            let first = map.keys().next().cloned();
            first.and_then(|key| map.remove(&key));
        }
        _ => {}
    }
}
