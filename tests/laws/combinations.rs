//! The combinations of structures, vectors, items and regions, each a named test.

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
            mod cell_levels {
                regions!($v, Levels, Point);
            }
            mod sphere_tree {
                regions!($v, OneBody, Ball);
            }
            #[test]
            fn what_holds_a_point() {
                use crate::answers::{Bulk, Cells, Levels, Loose, OneBody, World, check};
                use crate::make::{Ball, Body, Brick, Point};
                check::<$v, Bulk, Brick, Point>();
                check::<$v, Loose, Ball, Point>();
                check::<$v, Cells, Point, Point>();
                check::<$v, World, Body, Point>();
                check::<$v, Levels, Point, Point>();
                check::<$v, OneBody, Ball, Point>();
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
            fn nearest_to_shapes_is_the_scan() {
                use crate::answers::{Bulk, Cells, Levels, Loose, OneBody, World};
                use crate::make::{Ball, Body, Brick, Point};
                use crate::nearest::check_shapes;
                check_shapes::<$v, Bulk, Point>();
                check_shapes::<$v, Bulk, Brick>();
                check_shapes::<$v, Loose, Ball>();
                check_shapes::<$v, Cells, Point>();
                check_shapes::<$v, Levels, Point>();
                check_shapes::<$v, OneBody, Ball>();
                check_shapes::<$v, World, Body>();
            }
            #[test]
            fn radii_reach_what_was_found() {
                use crate::answers::{Bulk, Cells, Levels, Loose, OneBody, World};
                use crate::make::{Ball, Body, Brick, HollowBrick, Point};
                use crate::nearest::{reaches, reaches_by_norms};
                reaches::<$v, Bulk, Point>(true);
                reaches::<$v, Bulk, Brick>(true);
                reaches::<$v, Bulk, HollowBrick>(true);
                reaches::<$v, Bulk, Ball>(false);
                reaches::<$v, Loose, Point>(true);
                reaches::<$v, Loose, Ball>(false);
                reaches::<$v, Cells, Point>(true);
                reaches::<$v, Levels, Point>(true);
                reaches::<$v, OneBody, Ball>(false);
                reaches::<$v, World, Body>(false);
                reaches_by_norms::<$v, Bulk, Point>();
                reaches_by_norms::<$v, Bulk, Ball>();
                reaches_by_norms::<$v, Loose, Brick>();
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

#[allow(unused_macros, reason = "the program of `f32` has none in release")]
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
    (in the plane $name:ident: $v:ty) => {
        mod $name {
            use crate::answers::{check, Bulk, Cells, Loose, World};
            use crate::make::{Ball, Body, Brick, HollowBrick, Point, Skin};
            use crate::solids::Turned;
            #[test]
            fn relations_are_monotone() {
                crate::relations::check::<$v, Turned>();
                crate::relations::check::<$v, Skin<Turned>>();
            }
            solids!(@$v, Turned, quadrilateral, hollow_quadrilateral);
        }
    };
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
