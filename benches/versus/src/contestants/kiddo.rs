//! kiddo: the tree that it recommends, the flat leaves that its own radius benchmarks use, the mutable
//! tree, and its calls for many queries.

mod batch;
mod changed;
mod lists;
mod opened;
mod pairs;
mod tree;

use super::Register;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::rebuilt::{counter, lister, rebuilt, rebuilt_counter};
use crate::contestant::{Loop, batch, nearest, nearest_n, radius};
use crate::jobs::groups::grouper;
use crate::jobs::loose::changer;
use crate::jobs::nearest::SEVERAL;
use crate::jobs::pairs::pairs;
use crate::race::Kind;
use batch::{Batch, Join};
use changed::Changed;
use lists::{JoinCount, Periodic};
use pairs::{OneByOne, groups};
use tree::{Flat, Immutable, Mutable};

pub(super) fn enter(to: &mut Register) {
    to.radius3.extend([
        radius::<_, 3, Immutable<f32, 3>>(),
        radius::<_, 3, Flat<f32, 3>>(),
        radius::<_, 3, Mutable<f32, 3>>(),
    ]);
    to.radius3_f64.extend([
        radius::<_, 3, Immutable<f64, 3>>(),
        radius::<_, 3, Flat<f64, 3>>(),
        radius::<_, 3, Mutable<f64, 3>>(),
    ]);
    to.radius2.extend([
        radius::<_, 2, Immutable<f32, 2>>(),
        radius::<_, 2, Flat<f32, 2>>(),
        radius::<_, 2, Mutable<f32, 2>>(),
    ]);
    to.batch3.extend([
        batch::<_, 3, Loop<Immutable<f32, 3>>>(),
        batch::<_, 3, Loop<Flat<f32, 3>>>(),
        batch::<_, 3, Batch<3>>(),
        batch::<_, 3, Join<3>>(),
    ]);
    to.batch2.extend([
        batch::<_, 2, Loop<Immutable<f32, 2>>>(),
        batch::<_, 2, Loop<Flat<f32, 2>>>(),
        batch::<_, 2, Batch<2>>(),
        batch::<_, 2, Join<2>>(),
    ]);
    to.nearest3.extend([
        nearest::<_, 3, Immutable<f32, 3>>(),
        nearest::<_, 3, Flat<f32, 3>>(),
        nearest::<_, 3, Mutable<f32, 3>>(),
    ]);
    to.nearest_n3.extend([
        nearest_n::<_, 3, Immutable<f32, 3>, SEVERAL>(),
        nearest_n::<_, 3, Flat<f32, 3>, SEVERAL>(),
        nearest_n::<_, 3, Mutable<f32, 3>, SEVERAL>(),
    ]);
    to.nearest2.extend([
        nearest::<_, 2, Immutable<f32, 2>>(),
        nearest::<_, 2, Flat<f32, 2>>(),
        nearest::<_, 2, Mutable<f32, 2>>(),
    ]);
    to.nearest_n2.extend([
        nearest_n::<_, 2, Immutable<f32, 2>, SEVERAL>(),
        nearest_n::<_, 2, Flat<f32, 2>, SEVERAL>(),
        nearest_n::<_, 2, Mutable<f32, 2>, SEVERAL>(),
    ]);
    to.groups3.push(grouper("kiddo", Kind::Peer, groups::<3>));
    to.groups2.push(grouper("kiddo", Kind::Peer, groups::<2>));
    to.open3.extend(opened::open());
    to.open2.extend(opened::open());
    to.pairs3.extend([
        pairs::<3, OneByOne<3, Immutable<f32, 3>>>(),
        pairs::<3, OneByOne<3, Flat<f32, 3>>>(),
    ]);
    to.pairs2.extend([
        pairs::<2, OneByOne<2, Immutable<f32, 2>>>(),
        pairs::<2, OneByOne<2, Flat<f32, 2>>>(),
    ]);
    to.changing_points.push(changer::<Changed>());
    to.lists3.extend([
        rebuilt::<_, 3, Loop<Immutable<f32, 3>>>(),
        rebuilt::<_, 3, Loop<Flat<f32, 3>>>(),
        rebuilt::<_, 3, Batch<3>>(),
        rebuilt::<_, 3, Join<3>>(),
    ]);
    to.lists3_f64.extend([
        rebuilt::<_, 3, Loop<Immutable<f64, 3>>>(),
        rebuilt::<_, 3, Loop<Flat<f64, 3>>>(),
    ]);
    to.lists2.extend([
        rebuilt::<_, 2, Loop<Immutable<f32, 2>>>(),
        rebuilt::<_, 2, Loop<Flat<f32, 2>>>(),
        rebuilt::<_, 2, Batch<2>>(),
        rebuilt::<_, 2, Join<2>>(),
    ]);
    to.periodic3.extend([
        lister::<_, 3, Periodic>("kiddo"),
        lister::<_, 3, Ghosts<Flat<f32, 3>>>("kiddo flat, ghosts"),
    ]);
    to.counts3.extend([
        rebuilt_counter::<_, 3, Immutable<f32, 3>>(),
        rebuilt_counter::<_, 3, Flat<f32, 3>>(),
        counter::<_, 3, JoinCount>("kiddo join"),
    ]);
}
