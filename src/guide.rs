//! [Trees]: crate::guide::trees
//! [Particles]: crate::guide::particles
//! [Voxels]: crate::guide::voxels
//! [Games]: crate::guide::games
//! [Physics]: crate::guide::physics
//! [Point clouds]: crate::guide::point_clouds
//! [Molecules]: crate::guide::molecules
//! [Geography]: crate::guide::geography
//! [Precision]: crate::guide::precision
//! [Features]: crate::guide::features
//! [Other crates]: crate::guide::other_crates
#![doc = include_str!("../docs/guide.md")]

// Chapters define the names of their links to other chapters at their ends, as paths of files. In Markdown
// the first definition of a name counts, so the definitions here make the same links lead to modules.

/// A chapter, which is a file of `docs/guide`.
macro_rules! chapters {
    ($($name:ident)*) => {$(
        /// [Guide]: crate::guide
        /// [Trees]: crate::guide::trees
        /// [Particles]: crate::guide::particles
        /// [Voxels]: crate::guide::voxels
        /// [Games]: crate::guide::games
        /// [Physics]: crate::guide::physics
        /// [Point clouds]: crate::guide::point_clouds
        /// [Molecules]: crate::guide::molecules
        /// [Geography]: crate::guide::geography
        /// [Precision]: crate::guide::precision
        /// [Features]: crate::guide::features
        /// [Other crates]: crate::guide::other_crates
        #[doc = include_str!(concat!("../docs/guide/", stringify!($name), ".md"))]
        pub mod $name {}
    )*};
}

chapters! { trees particles voxels games physics point_clouds molecules geography precision features other_crates }
