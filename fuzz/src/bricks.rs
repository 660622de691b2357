//! Compares sets of voxels with sets of the standard library.

use std::collections::BTreeSet;

use orthant::{Adjacency, BitGrid, Brick, BrickSet, Hollow, Sphere, VoxelGrid};

use crate::draw::Draw;
use crate::voxels::{extent, grid};

type Cell = [i32; 3];
type Model = BTreeSet<Cell>;

fn listed(set: &BrickSet<Cell>) -> Model {
    set.validate().unwrap();
    let all: Vec<Cell> = set.iter().collect();
    assert_eq!(set.len(), all.len() as u64);
    assert!(set.bricks().flat_map(Brick::voxels).eq(all.iter().copied()));
    all.into_iter().collect()
}

fn steps(adjacency: Adjacency) -> Vec<Cell> {
    let axes = match adjacency {
        Adjacency::Faces => 1,
        Adjacency::Edges => 2,
        Adjacency::Corners => 3,
    };
    let all = (0..27).map(|code| [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1]);
    all.filter(|step: &Cell| (1..=axes).contains(&step.iter().filter(|&&by| by != 0).count()))
        .collect()
}

fn around(at: Cell, steps: &[Cell]) -> impl Iterator<Item = Cell> {
    steps.iter().filter_map(move |by| {
        Some([
            at[0].checked_add(by[0])?,
            at[1].checked_add(by[1])?,
            at[2].checked_add(by[2])?,
        ])
    })
}

/// Returns all `open` voxels that are connected with a voxel.
fn flood(from: Cell, steps: &[Cell], open: impl Fn(&Cell) -> bool) -> Model {
    let mut found = Model::from([from]);
    let mut pending = vec![from];
    while let Some(voxel) = pending.pop() {
        for next in around(voxel, steps) {
            if open(&next) && found.insert(next) {
                pending.push(next);
            }
        }
    }
    found
}

/// Fuzzes sets of voxels: near corners of bricks and tiles, walls with holes, and voxels of regions.
pub fn bricks(data: &[u8]) {
    let mut draw = Draw::near(data);
    let draw = &mut draw;
    let base = [0, 1, 2].map(|_| draw.of(&[0, 0, 0, -8, 64, 1 << 20, i32::MAX - 12, i32::MIN]));
    let corner = draw.of(&[-2, 4, 5, 60]);
    // Offsets overflow only if the base is at the end of the index range.
    let index = |draw: &mut Draw, a: usize| {
        let at = corner + draw.below(9) as i32;
        base[a].checked_add(at).unwrap_or(base[a])
    };
    let (mut set, mut model) = (BrickSet::<Cell>::new(), Model::new());
    for _ in 0..60 {
        if draw.is_done() {
            break;
        }
        let at = [0, 1, 2].map(|a| index(draw, a));
        match draw.below(16) {
            0..6 => assert_eq!(set.insert(at), model.insert(at)),
            6..9 => assert_eq!(set.remove(at), model.remove(&at)),
            9..13 => {
                // The box is a wall, which may enclose voxels, or a block.
                let other = [0, 1, 2].map(|a| index(draw, a));
                let axis = draw.below(4);
                let (low, high) = (
                    [0, 1, 2].map(|a| at[a].min(other[a])),
                    [0, 1, 2].map(|a| at[a].max(other[a])),
                );
                let mut wall = Model::new();
                for z in low[2]..=high[2] {
                    for y in low[1]..=high[1] {
                        for x in low[0]..=high[0] {
                            let v = [x, y, z];
                            if axis == 3 || v[axis] == low[axis] || v[axis] == high[axis] {
                                wall.insert(v);
                            }
                        }
                    }
                }
                let some: BrickSet<Cell> = wall.iter().copied().collect();
                combine(draw, &mut set, &mut model, &some, &wall);
            }
            13 => set = copied(&set, draw),
            14 => {
                set.clear();
                model.clear();
            }
            _ => ask_set(draw, &set, &model, at),
        }
        assert_eq!(
            (set.len(), set.is_empty()),
            (model.len() as u64, model.is_empty())
        );
        assert_eq!(set.contains(at), model.contains(&at));
    }
    assert_eq!(listed(&set), model);
    let at = model.first().copied().unwrap_or([0; 3]);
    ask_set(draw, &set, &model, at);
    regions(draw);
}

fn combine(
    draw: &mut Draw,
    set: &mut BrickSet<Cell>,
    model: &mut Model,
    some: &BrickSet<Cell>,
    wall: &Model,
) {
    assert_eq!(set.is_subset(some), model.is_subset(wall));
    assert_eq!(set.is_disjoint(some), model.is_disjoint(wall));
    assert_eq!(&*set == some, model == wall);
    match draw.below(8) {
        0 => {
            *set &= some;
            *model = &*model & wall;
        }
        1 => {
            *set ^= some;
            *model = &*model ^ wall;
        }
        2 | 3 => {
            *set -= some;
            *model = &*model - wall;
        }
        _ => {
            *set |= some;
            *model = &*model | wall;
        }
    }
}

fn copied(set: &BrickSet<Cell>, draw: &mut Draw) -> BrickSet<Cell> {
    let Some((low, high)) = set.bounds() else {
        return set.clone();
    };
    let end = high.map(|index| index.checked_add(1));
    match (draw.below(4), end) {
        (0, _) => postcard::from_bytes(&postcard::to_stdvec(set).unwrap()).unwrap(),
        (1, _) => serde_json::from_str(&serde_json::to_string(set).unwrap()).unwrap(),
        // Compare a dense block of bits, if it is small.
        (_, [Some(x), Some(y), Some(z)])
            if (0..3).all(|a| i64::from(high[a]) - i64::from(low[a]) < 100) =>
        {
            let bits = BitGrid::from_bricks(set, low, [x, y, z]);
            assert_eq!(bits.len(), set.len());
            assert!(set.iter().all(|voxel| bits.contains(voxel)));
            bits.to_bricks()
        }
        _ => set.iter().collect(),
    }
}

fn ask_set(draw: &mut Draw, set: &BrickSet<Cell>, model: &Model, at: Cell) {
    let adjacency = draw.of(&[Adjacency::Faces, Adjacency::Edges, Adjacency::Corners]);
    let steps = steps(adjacency);
    let ends = |pick: fn(i32, i32) -> i32| {
        model
            .iter()
            .copied()
            .reduce(|a, b| [0, 1, 2].map(|i| pick(a[i], b[i])))
    };
    assert_eq!(set.bounds(), ends(i32::min).zip(ends(i32::max)));
    assert!(
        set.neighbors(at, adjacency)
            .eq(around(at, &steps).filter(|voxel| model.contains(voxel)))
    );

    let grown: Model = model
        .iter()
        .flat_map(|&voxel| around(voxel, &steps).chain([voxel]))
        .collect();
    assert_eq!(listed(&set.dilated(adjacency)), grown);
    let inner = |&voxel: &Cell| {
        around(voxel, &steps)
            .filter(|next| model.contains(next))
            .count()
            == steps.len()
    };
    let shrunk: Model = model.iter().copied().filter(inner).collect();
    assert_eq!(listed(&set.eroded(adjacency)), shrunk);

    let mut left = model.clone();
    let mut parts = set.components(adjacency).into_iter();
    for first in set {
        if !left.contains(&first) {
            continue;
        }
        let part = flood(first, &steps, |voxel| model.contains(voxel));
        assert_eq!(listed(&parts.next().expect("a component more")), part);
        assert_eq!(listed(&set.component(first, adjacency)), part);
        left = &left - &part;
    }
    assert_eq!(parts.next(), None);

    // The block around all voxels has a layer outside on each side, away from the ends of the index range.
    let Some((low, high)) = ends(i32::min).zip(ends(i32::max)) else {
        return;
    };
    let near_ends = |index: i32| !(i32::MIN + 2..i32::MAX - 2).contains(&index);
    let large = (0..3).any(|a| i64::from(high[a]) - i64::from(low[a]) > 24);
    if large || low.into_iter().chain(high).any(near_ends) {
        return;
    }
    let (low, high) = (low.map(|index| index - 1), high.map(|index| index + 1));
    let within = |voxel: &Cell| (0..3).all(|a| low[a] <= voxel[a] && voxel[a] <= high[a]);
    let outside = flood(low, &steps, |voxel| within(voxel) && !model.contains(voxel));
    let mut enclosed = Model::new();
    for z in low[2]..=high[2] {
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                if !model.contains(&[x, y, z]) && !outside.contains(&[x, y, z]) {
                    enclosed.insert([x, y, z]);
                }
            }
        }
    }
    assert_eq!(listed(&set.enclosed(adjacency)), enclosed);
}

/// Compares regions that are added to sets, removed from them, or intersected with them.
fn regions(draw: &mut Draw) {
    let grid: VoxelGrid<[f64; 3]> = grid(draw);
    let balls: Vec<Sphere<[f64; 3]>> = (0..draw.below(5))
        .map(|_| Sphere::new(draw.place(), extent(draw, &grid)))
        .collect();
    if balls.iter().any(|ball| grid.check(ball).is_err()) {
        return;
    }
    let mut model = Model::new();
    for &ball in &balls {
        model.extend(grid.voxels(ball));
    }
    let mut set = BrickSet::from_regions(&grid, &balls);
    assert_eq!(listed(&set), model);
    let ball = Sphere::new(draw.place(), extent(draw, &grid));
    if grid.check(&ball).is_err() {
        return;
    }
    let near: Model = grid.voxels(ball).collect();
    assert_eq!(listed(&set.query(&grid, ball)), &model & &near);
    set.remove_region(&grid, ball);
    assert_eq!(listed(&set), &model - &near);
    set.insert_region(&grid, Hollow(ball));
    let skin: Model = grid.voxels(Hollow(ball)).collect();
    assert_eq!(listed(&set), &(&model - &near) | &skin);
}
