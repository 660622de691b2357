//! The predicates asked of a row of items at once.
//!
//! [`Rows`] keeps boxes, spheres or points by coordinate, sixteen at a time, so that one instruction asks
//! 4 to 16 of them. The best [`InstructionSet`] of the machine is chosen when a row is made, with
//! nothing to set in the build. A lane computes what [`Overlaps`](crate::Overlaps) computes for one
//! item, in the same order of operations, without fused multiply-add, so that every answer is the
//! same bit on every machine.
//!
//! ```
//! use orthant::rows::Rows;
//! use orthant::{Aabb, Sphere, glam::Vec3};
//!
//! let boxes: Vec<_> = (0..100)
//!     .map(|i| Aabb::new(Vec3::splat(i as f32), Vec3::splat(i as f32 + 0.5)))
//!     .collect();
//! let rows = Rows::new(&boxes);
//! let ball = Sphere::new(Vec3::splat(41.0), 1.0);
//! assert_eq!(rows.count(&ball), 2);
//! let mut met = Vec::new();
//! rows.indices(&ball, &mut met);
//! assert_eq!(met, [40, 41]);
//! ```

mod kernels;

use alloc::vec::Vec;
use core::fmt::Debug;
use core::marker::PhantomData;

pub(crate) use kernels::Kernels;

use crate::error::{Error, or_panics, shown_as};
use crate::overlap::{check_count, check_item};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::simd::{Column, InstructionSet, LANES};
use crate::vector::{Scalar, Vector};
use kernels::{Question, WORD};

type ArrayOf<T> = <<T as Bounded>::Vector as Vector>::Array;

mod sealed {
    use super::{Aabb, Sphere, Vector};

    pub trait Sealed {}
    impl<V: Vector> Sealed for V {}
    impl<V: Vector> Sealed for Aabb<V> {}
    impl<V: Vector> Sealed for Sphere<V> {}
}

/// What [`Rows`] can hold: points, [`Aabb`] and [`Sphere`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be held in `Rows`",
    label = "neither a point, nor an `Aabb`, nor a `Sphere`",
    note = "rows hold numbers alone: take the point, box or sphere of each item, in the order of the items"
)]
pub trait Row: Bounded + Copy + Debug + sealed::Sealed {
    /// The numbers that make one item.
    const COLUMNS: usize;

    /// One of them.
    #[doc(hidden)]
    #[inline(always)]
    fn column(&self, column: usize) -> <Self::Vector as Vector>::Scalar {
        let dim = <Self::Vector as Vector>::DIM;
        if column < dim {
            self.core().min().axis(column)
        } else if Self::HAS_RADIUS {
            self.radius()
        } else {
            self.core().max().axis(column - dim)
        }
    }
}

impl<V: Vector> Row for V {
    const COLUMNS: usize = V::DIM;
}

impl<V: Vector> Row for Aabb<V> {
    const COLUMNS: usize = 2 * V::DIM;
}

impl<V: Vector> Row for Sphere<V> {
    const COLUMNS: usize = V::DIM + 1;
}

/// A shape that rows of `T` can be asked for.
///
/// ```
/// use orthant::{Aabb, Sphere, rows::{Ask, Row, Rows}};
/// fn met<T: Row>(items: &[T], shape: &impl Ask<T>) -> usize {
///     Rows::new(items).count(shape)
/// }
/// let (ball, cell) = (Sphere::new([0.0, 0.0], 1.0), Aabb::new([0.5, 0.0], [2.0, 2.0]));
/// assert_eq!((met(&[ball], &cell), met(&[cell], &ball)), (1, 1));
/// ```
#[diagnostic::on_unimplemented(
    message = "rows of `{T}` cannot be asked for `{Self}`",
    label = "not a shape that rows of `{T}` are asked for",
    note = "rows of boxes or points are asked for a `Sphere`, rows of spheres for an `Aabb`, of the same type of vector; a tree or `Linear` is asked for any region"
)]
pub trait Ask<T: Row>: sealed::Sealed {
    #[doc(hidden)]
    fn question(&self) -> Question<ArrayOf<T>>;
}

/// Boxes against one ball.
impl<V: Vector> Ask<Aabb<V>> for Sphere<V> {
    fn question(&self) -> Question<V::Array> {
        Question::Boxes {
            center: self.center().array(),
            limit: self.radius() * self.radius(),
        }
    }
}

/// Balls against one box.
impl<V: Vector> Ask<Sphere<V>> for Aabb<V> {
    fn question(&self) -> Question<V::Array> {
        Question::Balls {
            min: self.min().array(),
            max: self.max().array(),
        }
    }
}

/// Points against one ball.
impl<V: Vector> Ask<V> for Sphere<V> {
    fn question(&self) -> Question<V::Array> {
        Question::Points {
            center: self.center().array(),
            limit: self.radius() * self.radius(),
        }
    }
}

/// Boxes, spheres or points, laid out to be asked all at once.
///
/// | rows of | asked by |
/// |---|---|
/// | [`Aabb`] | [`Sphere`] |
/// | [`Sphere`] | [`Aabb`] |
/// | points | [`Sphere`] |
///
/// Asking takes time and memory traffic in proportion to the number of items, whatever the answer.
///
/// ```
/// use orthant::{Sphere, rows::Rows};
/// let rows = Rows::new(&[[0.0, 0.0], [5.0, 0.0]]);
/// assert_eq!((rows.len(), rows.count(&Sphere::new([5.0, 1.0], 1.0))), (2, 1));
/// ```
#[derive(Clone)]
pub struct Rows<T: Row> {
    /// `T::COLUMNS` for each sixteen items, one after the other, up to a whole word of items.
    columns: Vec<Column<<T::Vector as Vector>::Scalar>>,
    len: usize,
    instructions: InstructionSet,
    items: PhantomData<T>,
}

shown_as!(impl[T: Row] Rows<T> as "Rows", |this| items: this.len, instructions: this.instructions);

impl<T: Row> Rows<T> {
    or_panics! {
        /// Rows of these items, in their order.
        Rows: new = try_new(items: &[T])
    }

    /// Rows of these items, in their order.
    ///
    /// # Errors
    ///
    /// If a point has a coordinate that is infinite or NaN, or there are more items than `u32` can
    /// name.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn try_new(items: &[T]) -> Result<Self, Error> {
        const { assert!(T::COLUMNS > 0, "rows take vectors of at least 1 dimension") }
        check_count(items.len())?;
        let blocks = items.len().div_ceil(WORD) * (WORD / LANES);
        let mut columns = Vec::new();
        columns.resize(blocks * T::COLUMNS, Column([Scalar::ZERO; LANES]));
        for (index, item) in items.iter().enumerate() {
            check_item(item).map_err(|error| Error::Item { index, error })?;
            let first = index / LANES * T::COLUMNS;
            for column in 0..T::COLUMNS {
                columns[first + column].0[index % LANES] = item.column(column);
            }
        }
        Ok(Self {
            columns,
            len: items.len(),
            instructions: InstructionSet::best(),
            items: PhantomData,
        })
    }

    /// The same rows, asked with other instructions: for measurements and tests, since answers do
    /// not depend on it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// What the rows are asked with.
    #[must_use]
    pub fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many items overlap a shape.
    #[must_use]
    pub fn count(&self, shape: &impl Ask<T>) -> usize {
        let question = shape.question();
        <ArrayOf<T>>::count(self.instructions, &question, &self.columns, self.len)
    }

    /// Appends a bit for each item, set if it overlaps the shape: item `64 * word + bit`, the lowest
    /// bit first. Bits beyond the last item are 0.
    ///
    /// ```
    /// use orthant::{Sphere, rows::Rows};
    /// let rows = Rows::new(&[[0.0, 0.0], [5.0, 0.0], [1.0, 0.0]]);
    /// let mut words = Vec::new();
    /// rows.masks(&Sphere::new([0.0, 0.0], 1.0), &mut words);
    /// assert_eq!(words, [0b101]);
    /// ```
    pub fn masks(&self, shape: &impl Ask<T>, words: &mut Vec<u64>) {
        let first = words.len();
        words.resize(first + self.len.div_ceil(WORD), 0);
        let (set, words) = (self.instructions, &mut words[first..]);
        <ArrayOf<T>>::masks(set, &shape.question(), &self.columns, self.len, words);
    }

    /// Appends the indices of the items that overlap a shape, ascending, in 32 bits: `items[i as usize]`.
    pub fn indices(&self, shape: &impl Ask<T>, indices: &mut Vec<u32>) {
        let set = self.instructions;
        <ArrayOf<T>>::indices(set, &shape.question(), &self.columns, self.len, indices);
    }
}
