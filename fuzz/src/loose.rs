//! Compares operations on a loose tree with a list.

use std::fmt::Debug;

use orthant::{Distance, Handle, LooseOrthtree, Orthtree, Overlaps, SpatialIndex, Sphere};
use serde::{Serialize, de::DeserializeOwned};

use crate::draw::Draw;
use crate::formats::{from_bincode, to_bincode};
use crate::shapes::{Ask, Room, ball, cuboid, region};

/// Fuzzes a loose tree: after any operations it answers as a list does.
pub fn loose(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(6) {
        0 => life::<[f32; 2], _>(&mut draw, |draw| draw.place::<[f32; 2]>()),
        1 => life::<[f64; 3], _>(&mut draw, |draw| draw.place::<[f64; 3]>()),
        2 => life::<[f32; 3], _>(&mut draw, cuboid),
        3 => life::<[f64; 2], _>(&mut draw, cuboid),
        4 => life::<[f64; 3], Sphere<[f64; 3]>>(&mut draw, ball),
        _ => life::<[f32; 3], Sphere<[f32; 3]>>(&mut draw, ball),
    }
}

/// The list: items with their handles, and stale handles.
struct Model<T> {
    items: Vec<(Handle, T)>,
    stale: Vec<Handle>,
}

impl<T: Clone> Model<T> {
    fn pick(&self, draw: &mut Draw) -> Option<usize> {
        (!self.items.is_empty()).then(|| draw.below(self.items.len()))
    }

    fn sorted(&self) -> Vec<(Handle, T)> {
        let mut items = self.items.clone();
        items.sort_by_key(|item| item.0);
        items
    }
}

fn life<V, T>(draw: &mut Draw, make: fn(&mut Draw) -> T)
where
    V: Room,
    T: Distance<Vector = V> + Clone + PartialEq + Debug + Sync + Serialize + DeserializeOwned,
    dyn Ask<V> + 'static: Overlaps<T>,
    for<'r> &'r (dyn Ask<V> + 'static): Overlaps<T>,
{
    let mut tree = LooseOrthtree::new();
    let mut model = Model {
        items: Vec::new(),
        stale: Vec::new(),
    };
    for _ in 0..200 {
        if draw.is_done() {
            break;
        }
        match draw.below(32) {
            0..10 => {
                let item = make(draw);
                model.items.push((tree.insert(item.clone()), item));
            }
            10..15 => {
                if let Some(i) = model.pick(draw) {
                    let (handle, item) = model.items.swap_remove(i);
                    assert_eq!(tree.remove(handle), Some(item));
                    model.stale.push(handle);
                }
            }
            15..21 => {
                if let Some(i) = model.pick(draw) {
                    let item = make(draw);
                    let old = tree.update(model.items[i].0, item.clone());
                    assert_eq!(std::mem::replace(&mut model.items[i].1, item), old);
                }
            }
            21 => {
                let many = draw.several(20, make);
                let handles = tree.insert_batch(many.iter().cloned());
                model.items.extend(handles.into_iter().zip(many));
            }
            22 => {
                let many = draw.several(9, make);
                tree.extend(many.iter().cloned());
                let known: Vec<Handle> = model.sorted().iter().map(|item| item.0).collect();
                let new: Vec<Handle> = tree
                    .iter()
                    .map(|item| item.0)
                    .filter(|handle| known.binary_search(handle).is_err())
                    .collect();
                assert_eq!(new.len(), many.len());
                for handle in new {
                    model.items.push((handle, tree[handle].clone()));
                }
                let mut left = many;
                for (_, item) in &model.items[model.items.len() - left.len()..] {
                    let at = left.iter().position(|one| one == item);
                    left.swap_remove(at.expect("an item that was added"));
                }
            }
            23 => {
                let parity = draw.below(3) as u32;
                let keeps = |handle: Handle| handle.slot() as u32 % 3 != parity;
                tree.retain(|handle, _| keeps(handle));
                let (kept, gone) = model.items.drain(..).partition(|item| keeps(item.0));
                model.items = kept;
                model
                    .stale
                    .extend(gone.into_iter().map(|item: (Handle, T)| item.0));
            }
            24 => tree = copied(&tree, draw),
            25 => {
                let saved = model.sorted();
                if draw.one_in(2) {
                    assert!(tree.drain().eq(saved));
                } else {
                    tree.clear();
                }
                model.stale.extend(model.items.drain(..).map(|item| item.0));
            }
            26 if !model.stale.is_empty() => {
                let handle = model.stale[draw.below(model.stale.len())];
                assert!(!tree.contains(handle) && tree.get(handle).is_none());
                assert_eq!(tree.remove(handle), None);
            }
            27 => saved(&model, draw),
            _ => ask(&tree, &model, draw),
        }
        tree.validate().unwrap();
        assert_eq!(tree.len(), model.items.len());
    }
    let all: Vec<_> = tree
        .iter()
        .map(|(handle, item)| (handle, item.clone()))
        .collect();
    assert_eq!(all, model.sorted());
    let around = tree.bounds();
    assert_eq!(around.is_none(), model.items.is_empty());
    for (_, item) in &model.items {
        let (held, bounds) = (around.expect("there are items"), item.bounds());
        for axis in 0..V::DIM {
            assert!(held.min().axis(axis) <= bounds.min().axis(axis));
            assert!(bounds.max().axis(axis) <= held.max().axis(axis));
        }
    }
    ask(&tree, &model, draw);
}

/// Returns a copy of a tree: its clone, or one that is written and read.
fn copied<T>(tree: &LooseOrthtree<T>, draw: &mut Draw) -> LooseOrthtree<T>
where
    T: orthant::Bounded + Clone + Serialize + DeserializeOwned,
{
    match draw.below(4) {
        0 => tree.clone(),
        1 => postcard::from_bytes(&postcard::to_stdvec(tree).unwrap()).unwrap(),
        2 => from_bincode(&to_bincode(tree)).unwrap(),
        _ => serde_json::from_str(&serde_json::to_string(tree).unwrap()).unwrap(),
    }
}

/// Compares a tree that is built at once from the items.
fn saved<V, T>(model: &Model<T>, draw: &mut Draw)
where
    V: Room,
    T: Distance<Vector = V> + Clone + PartialEq + Debug + Sync,
    dyn Ask<V> + 'static: Overlaps<T>,
    for<'r> &'r (dyn Ask<V> + 'static): Overlaps<T>,
{
    let items: Vec<T> = model.items.iter().map(|item| item.1.clone()).collect();
    let tree = Orthtree::new(&items);
    let region = region::<V>(draw);
    let mut found: Vec<usize> = tree.query(&*region).collect();
    found.sort_unstable();
    let hits = (0..items.len()).filter(|&i| Overlaps::<T>::overlaps(&*region, &items[i]));
    assert!(hits.eq(found));
}

fn ask<V, T>(tree: &LooseOrthtree<T>, model: &Model<T>, draw: &mut Draw)
where
    V: Room,
    T: Distance<Vector = V> + Clone + PartialEq + Debug + Sync,
    dyn Ask<V> + 'static: Overlaps<T>,
    for<'r> &'r (dyn Ask<V> + 'static): Overlaps<T>,
{
    let region = region::<V>(draw);
    let hits = model
        .items
        .iter()
        .filter(|item| Overlaps::<T>::overlaps(&*region, &item.1));
    let mut expected: Vec<Handle> = hits.map(|item| item.0).collect();
    expected.sort_unstable();
    let mut found: Vec<Handle> = tree.query(&*region).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "{region:?}");
    assert_eq!(tree.count(&*region), expected.len());

    let (from, n): (V, usize) = (draw.place(), draw.below(20));
    let mut far: Vec<_> = model
        .items
        .iter()
        .map(|item| (item.1.distance_sq(from), item.0))
        .collect();
    far.sort_by(|a, b| a.partial_cmp(b).unwrap());
    far.truncate(n);
    let near: Vec<_> = tree
        .nearest_n(from, n)
        .into_iter()
        .map(|near| (near.distance_sq, near.item))
        .collect();
    assert_eq!(near, far, "{n} from {from:?}");
    let first = tree.nearest(from).map(|near| (near.distance_sq, near.item));
    assert!(n == 0 || first == far.first().copied());
}
