//! The laws: every structure answers exactly what the scan answers.
//!
//! One runner × structures × vectors × items × regions, each combination a named test, no epsilon
//! anywhere. Coordinates are small integers times a step, so that ties are common.

mod answers;
mod combined;
mod crowds;
mod make;
mod models;
mod nearest;
mod relations;
mod shells;
mod solids;

macro_rules! regions {
    ($v:ty, $structure:ident, $items:ident) => {
        use crate::answers::{check, $structure};
        use crate::make::*;

        #[test]
        fn sphere() {
            check::<$v, $structure, $items, Ball>();
        }
        #[test]
        fn hollow_sphere() {
            check::<$v, $structure, $items, Skin<Ball>>();
        }
        #[test]
        fn shell() {
            check::<$v, $structure, $items, Ring>();
        }
        #[test]
        fn ellipsoid() {
            check::<$v, $structure, $items, Egg>();
        }
        #[test]
        fn hollow_ellipsoid() {
            check::<$v, $structure, $items, Skin<Egg>>();
        }
        #[test]
        fn aabb() {
            check::<$v, $structure, $items, Brick>();
        }
        #[test]
        fn hollow_aabb() {
            check::<$v, $structure, $items, Skin<Brick>>();
        }
    };
}

macro_rules! trees {
    ($v:ty, $name:ident, $structure:ident) => {
        mod $name {
            use super::*;

            mod points {
                use super::*;
                regions!($v, $structure, Point);
            }
            mod boxes {
                use super::*;
                regions!($v, $structure, Brick);
            }
            mod hollow_boxes {
                use super::*;
                regions!($v, $structure, HollowBrick);
            }
            mod spheres {
                use super::*;
                regions!($v, $structure, Ball);
            }
        }
    };
}

macro_rules! laws {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            #[allow(unused_imports, reason = "arrays need none")]
            use orthant::glam::*;

            trees!($v, orthtree, Bulk);
            trees!($v, loose, Loose);

            mod cell_list {
                use super::*;
                regions!($v, Cells, Point);
            }
            mod broadphase {
                use super::*;
                regions!($v, World, Body);
            }
            #[test]
            fn relations_are_monotone() {
                crate::relations::check_all::<$v>();
            }
            #[test]
            fn instructions_do_not_matter_to_nearest() {
                use crate::make::{Ball, Brick, HollowBrick, Point};
                crate::nearest::check::<$v, Point>();
                crate::nearest::check::<$v, Brick>();
                crate::nearest::check::<$v, HollowBrick>();
                crate::nearest::check::<$v, Ball>();
            }
            #[test]
            fn shells_are_balls_less_balls() {
                crate::shells::check::<$v>();
            }
            #[test]
            fn loose_tree_is_its_model() {
                crate::models::loose::<$v>();
            }
        }
    )*};
}

laws! {
    vec3: Vec3,
}

// In release these would take minutes more to compile.
#[cfg(debug_assertions)]
laws! {
    vec2: Vec2,
    dvec2: DVec2,
    vec3a: Vec3A,
    vec4: Vec4,
    dvec3: DVec3,
    dvec4: DVec4,
    array1: [f32; 1],
    array3: [f64; 3],
}

macro_rules! solids {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use crate::answers::{check, Bulk, Cells, Loose, World};
            use crate::make::{Ball, Body, Brick, HollowBrick, Point, Skin};
            use crate::solids::{Camera, Solid};
            #[allow(unused_imports, reason = "arrays need none")]
            use orthant::glam::*;

            #[test]
            fn relations_are_monotone() {
                crate::relations::check::<$v, Solid>();
                crate::relations::check::<$v, Skin<Solid>>();
                crate::relations::check::<$v, Camera>();
                crate::relations::check::<$v, Skin<Camera>>();
            }
            solids!(@$v, Solid, hexahedron, hollow_hexahedron);
            solids!(@$v, Camera, frustum, hollow_frustum);
        }
    )*};
    (@$v:ty, $shape:ident, $solid:ident, $hollow:ident) => {
        #[test]
        fn $solid() {
            check::<$v, Bulk, Point, $shape>();
            check::<$v, Bulk, Brick, $shape>();
            check::<$v, Bulk, HollowBrick, $shape>();
            check::<$v, Bulk, Ball, $shape>();
            check::<$v, Loose, Ball, $shape>();
            check::<$v, Cells, Point, $shape>();
            check::<$v, World, Body, $shape>();
        }
        #[test]
        fn $hollow() {
            check::<$v, Bulk, Point, Skin<$shape>>();
            check::<$v, Bulk, Brick, Skin<$shape>>();
            check::<$v, Bulk, HollowBrick, Skin<$shape>>();
            check::<$v, Bulk, Ball, Skin<$shape>>();
            check::<$v, Loose, Ball, Skin<$shape>>();
            check::<$v, Cells, Point, Skin<$shape>>();
            check::<$v, World, Body, Skin<$shape>>();
        }
    };
}

solids! {
    solids_vec3: Vec3,
}

#[cfg(debug_assertions)]
solids! {
    solids_vec3a: Vec3A,
    solids_dvec3: DVec3,
    solids_array3: [f32; 3],
}

macro_rules! combined {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use crate::answers::{check, Bulk, Cells, Loose, World};
            use crate::combined::{AllBut, Mixed};
            use crate::make::{Ball, Body, Brick, HollowBrick, Point};
            use orthant::glam::*;

            #[test]
            fn relations_are_monotone() {
                crate::relations::check::<$v, Mixed>();
                crate::relations::check::<$v, AllBut>();
            }
            #[test]
            fn mixed() {
                check::<$v, Bulk, Point, Mixed>();
                check::<$v, Bulk, HollowBrick, Mixed>();
                check::<$v, Loose, Ball, Mixed>();
                check::<$v, Cells, Point, Mixed>();
                check::<$v, World, Body, Mixed>();
            }
            #[test]
            fn all_but() {
                check::<$v, Bulk, Brick, AllBut>();
                check::<$v, Loose, Ball, AllBut>();
            }
        }
    )*};
}

combined! {
    combined_vec3: Vec3,
}

#[cfg(debug_assertions)]
combined! {
    combined_dvec2: DVec2,
}
