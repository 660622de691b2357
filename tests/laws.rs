//! The laws: every structure answers exactly what the scan answers.
//!
//! One runner × structures × vectors × items × regions, each combination a named test, no epsilon
//! anywhere. Coordinates are small integers times a step, so that ties are common.

#[path = "laws/answers.rs"]
mod answers;
#[path = "laws/make.rs"]
mod make;
#[path = "laws/models.rs"]
mod models;
#[path = "laws/relations.rs"]
mod relations;

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
                regions!($v, World, Brick);
            }
            #[test]
            fn relations_are_monotone() {
                crate::relations::check_all::<$v>();
            }
            #[test]
            fn loose_tree_is_its_model() {
                crate::models::loose::<$v>();
            }
            #[test]
            fn broadphase_is_its_model() {
                crate::models::broadphase::<$v>();
            }
        }
    )*};
}

laws! {
    vec2: Vec2,
    vec3: Vec3,
    vec3a: Vec3A,
    vec4: Vec4,
    dvec2: DVec2,
    dvec3: DVec3,
    dvec4: DVec4,
    array1: [f32; 1],
    array3: [f64; 3],
}
