//! The laws: every structure answers exactly what the scan answers.
//!
//! One runner × structures × vectors × items × regions, each combination a named test, no epsilon
//! anywhere. Coordinates are small integers times a step, so that ties are common.
//!
//! The full product is taken over arrays: both scalars in the plane and in space, and one and four
//! dimensions. A vector of glam is read axis by axis and answers by the same expressions as the array
//! of its scalar and dimension; what it has of its own is how it is made and read. So each of them
//! passes each structure once, not in all combinations: what is compiled for a vector and a kind of item,
//! with all instruction sets, is what takes the time and memory of compiling.

mod answers;
mod combined;
mod crowds;
mod make;
mod models;
mod nearest;
mod relations;
mod runner;
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
            mod points {
                regions!($v, $structure, Point);
            }
            mod boxes {
                regions!($v, $structure, Brick);
            }
            mod hollow_boxes {
                regions!($v, $structure, HollowBrick);
            }
            mod spheres {
                regions!($v, $structure, Ball);
            }
        }
    };
}

macro_rules! laws {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            trees!($v, orthtree, Bulk);
            trees!($v, loose, Loose);

            mod cell_list {
                regions!($v, Cells, Point);
            }
            mod broadphase {
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
    f32x3: [f32; 3],
}

// In release these would take minutes more to compile.
#[cfg(debug_assertions)]
laws! {
    f32x1: [f32; 1],
    f32x2: [f32; 2],
    f64x2: [f64; 2],
    f64x3: [f64; 3],
    f64x4: [f64; 4],
}

macro_rules! samples {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use crate::answers::{Bulk, Cells, Loose, World, check};
            use crate::make::{Ball, Body, Brick, Egg, Point, Ring, Skin};
            use orthant::glam::*;

            #[test]
            fn orthtree() {
                check::<$v, Bulk, Point, Ball>();
                check::<$v, Bulk, Point, Skin<Egg>>();
            }
            #[test]
            fn loose() {
                check::<$v, Loose, Ball, Ring>();
            }
            #[test]
            fn cell_list() {
                check::<$v, Cells, Point, Brick>();
            }
            #[test]
            fn broadphase() {
                check::<$v, World, Body, Skin<Brick>>();
            }
            #[test]
            fn relations_are_monotone() {
                crate::relations::check::<$v, Egg>();
            }
            #[test]
            fn instructions_do_not_matter_to_nearest() {
                crate::nearest::check::<$v, Point>();
            }
        }
    )*};
}

#[cfg(debug_assertions)]
samples! {
    vec2: Vec2,
    dvec2: DVec2,
    vec3: Vec3,
    vec3a: Vec3A,
    dvec3: DVec3,
    vec4: Vec4,
    dvec4: DVec4,
}

macro_rules! solids {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use crate::answers::{check, Bulk, Cells, Loose, World};
            use crate::make::{Ball, Body, Brick, HollowBrick, Point, Skin};
            use crate::solids::{Camera, Solid};
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
    solids_f32x3: [f32; 3],
}

#[cfg(debug_assertions)]
solids! {
    solids_f64x3: [f64; 3],
}

#[cfg(debug_assertions)]
mod solids_vec3a {
    use crate::answers::{Bulk, Cells, check};
    use crate::make::{Brick, Point, Skin};
    use crate::solids::{Camera, Solid};
    use orthant::glam::Vec3A;

    #[test]
    fn hexahedron() {
        check::<Vec3A, Bulk, Brick, Skin<Solid>>();
    }
    #[test]
    fn frustum() {
        check::<Vec3A, Cells, Point, Camera>();
    }
}

macro_rules! combined {
    ($($name:ident: $v:ty,)*) => {$(
        mod $name {
            use crate::answers::{check, Bulk, Cells, Loose, World};
            use crate::combined::{AllBut, Mixed};
            use crate::make::{Ball, Body, Brick, HollowBrick, Point};

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
    combined_f32x3: [f32; 3],
}

#[cfg(debug_assertions)]
combined! {
    combined_f64x2: [f64; 2],
}
