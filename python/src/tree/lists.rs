//! Lists of neighbors, made in pieces in any order, and returned as flat arrays, as Python's lists, or as counts.

use std::mem;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

use crate::input::{filled, reserve, value_error};

/// The form in which lists are returned.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// The start of each list, and all indices, concatenated.
    Flat,
    /// An array of Python's lists.
    Lists,
    /// The length of each list.
    Lengths,
}

impl Form {
    pub(super) fn of(number: u8) -> PyResult<Self> {
        match number {
            0 => Ok(Self::Flat),
            1 => Ok(Self::Lists),
            2 => Ok(Self::Lengths),
            _ => Err(value_error("no such form")),
        }
    }
}

/// The lists of a piece, concatenated.
#[derive(Default)]
pub(super) struct Part {
    pub(super) numbers: Vec<u32>,
    pub(super) lens: Vec<u32>,
    pub(super) items: Vec<u32>,
}

impl Part {
    /// Ends a list that began at `begin`, and sorts it, which takes no measurable time.
    pub(super) fn end(&mut self, number: u32, begin: usize) {
        self.items[begin..].sort_unstable();
        self.numbers.push(number);
        self.lens.push((self.items.len() - begin) as u32);
    }

    pub(super) fn lists(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let mut rest = &self.items[..];
        let both = self.numbers.iter().zip(&self.lens);
        both.map(move |(&number, &len)| {
            let (list, others) = rest.split_at(len as usize);
            rest = others;
            (number as usize, list)
        })
    }
}

/// Concatenates lists by number, and returns their starts first.
pub(super) fn one_behind_the_other(
    count: usize,
    parts: Vec<Part>,
) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let mut offsets = vec![0_i64; count + 1];
    for part in &parts {
        for (&number, &len) in part.numbers.iter().zip(&part.lens) {
            offsets[number as usize + 1] = i64::from(len);
        }
    }
    let mut end = 0;
    for offset in &mut offsets {
        end += mem::take(offset);
        *offset = end;
    }
    let mut items = filled(0_i64, end as usize)?;
    for part in parts {
        for (number, list) in part.lists() {
            let to = &mut items[offsets[number] as usize..][..list.len()];
            for (to, &item) in to.iter_mut().zip(list) {
                *to = i64::from(item);
            }
        }
    }
    Ok((offsets, items))
}

/// Python's integers, each made when it is first needed, since an index occurs as often as it has neighbors.
pub(super) struct Numbers(Vec<Option<Py<PyInt>>>);

impl Numbers {
    pub(super) fn new(many: usize) -> Self {
        let mut numbers = Vec::new();
        numbers.resize_with(many, || None);
        Self(numbers)
    }

    pub(super) fn list(&mut self, py: Python<'_>, items: &[u32]) -> PyResult<Py<PyAny>> {
        // Reserve memory first, since Python's own allocations cannot fail gracefully here. A list and its numbers take about as much.
        reserve(&mut Vec::<[u64; 5]>::new(), items.len() + (1 << 12))?;
        let new = |item: u32| {
            let Ok(number) = item.into_pyobject(py);
            number.unbind()
        };
        let list = items
            .iter()
            .map(|&item| match self.0.get_mut(item as usize) {
                Some(number) => number.get_or_insert_with(|| new(item)).clone_ref(py),
                None => new(item),
            });
        Ok(PyList::new(py, list)?.into_any().unbind())
    }
}
