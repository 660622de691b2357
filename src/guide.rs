//! [Trees]: trees
//! [Particles]: particles
//! [Physics]: physics
//! [Voxels]: voxels
//! [Precision]: precision
//! [Features]: features
#![doc = include_str!("../docs/guide.md")]

// Chapters link to each other by names that they define at their ends, as files. Of a name that is defined
// twice the first definition holds, so that in this documentation they are modules.

/// A chapter, which is a file of `docs/guide`.
macro_rules! chapters {
    ($($name:ident)*) => {$(
        /// [Guide]: crate::guide
        /// [Trees]: crate::guide::trees
        /// [Particles]: crate::guide::particles
        /// [Physics]: crate::guide::physics
        /// [Voxels]: crate::guide::voxels
        /// [Precision]: crate::guide::precision
        /// [Features]: crate::guide::features
        #[doc = include_str!(concat!("../docs/guide/", stringify!($name), ".md"))]
        pub mod $name {}
    )*};
}

chapters! { trees particles physics voxels precision features }
