//! Queries of a body, where it was built or where it was moved to: by regions, for the nearest ball, and by moving shapes.

use core::convert::Infallible;
use core::ops::ControlFlow;

use super::build::widened;
use super::{MovedTree, SphereTree};
use crate::nearest::Nearest;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::{Descent, Held, Hierarchy, Query, SlotRun, SpatialIndex, best_first, next_run};
use crate::shape::{Aabb, Sphere};
use crate::vector::{Scalar, Vector};

/// The most common queries; [`SpatialIndex`] has all of them.
impl<V: Vector> SphereTree<V> {
    /// The balls that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for most regions, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of balls that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The ball nearest to a point; of several, the one with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for balls that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

/// The most common queries; [`SpatialIndex`] has all of them.
impl<V: Vector> MovedTree<'_, V> {
    /// The moved balls that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for most regions, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of moved balls that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The moved ball nearest to a point; of several, the one with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for balls that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

impl<V: Vector> MovedTree<'_, V> {
    /// Whether any ball overlaps a region: a sphere, a box, their surfaces, or a shape of yours.
    ///
    /// # Complexity
    ///
    /// O(log n) for most regions, O(n) at worst.
    ///
    /// ```
    /// use orthant::{Aabb, SphereTree};
    /// let tree = SphereTree::from_points(&[[0.0, 0.0], [3.0, 0.0]], 1.0);
    /// assert!(tree.lies().meets(Aabb::new([1.0, 0.0], [2.0, 9.0])));
    /// assert!(!tree.lies().meets(Aabb::new([1.25, 0.0], [1.75, 9.0])));
    /// ```
    #[must_use]
    pub fn meets<R>(&self, region: R) -> bool
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        self.visit(region, |_| ControlFlow::Break(())).is_break()
    }
}

/// Implements `SpatialIndex` for a body, given how to read the ball in a slot.
macro_rules! searches {
    ($bodies:ty: |$body:ident, $slot:ident| $ball:expr) => {
        impl<V: Vector> SpatialIndex for $bodies {
            type Vector = V;
            type Item = Sphere<V>;
            type Key = usize;
            type ByBlocks = Infallible;
            type Cursor = ();
            type Walk = Descent;

            fn len(&self) -> usize {
                self.nodes().body.balls.len()
            }

            fn extent(&self) -> Option<Extent<V>> {
                let nodes = self.nodes();
                nodes.root().map(|root| nodes.extent(root))
            }

            #[inline]
            fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
            where
                R: Region<Vector = V> + Overlaps<Sphere<V>>,
            {
                self.nodes().next_run(region, descent)
            }

            fn best_first(
                &self,
                bound: impl Fn(&Extent<V>) -> Option<V::Scalar>,
                mut offer: impl FnMut(SlotRun) -> V::Scalar,
            ) {
                best_first(&self.nodes(), &bound, &mut offer);
            }

            fn items_of<'a>(&'a self, _: u32) -> impl Fn(u32) -> Option<Held<'a, Sphere<V>>> {
                move |$slot| {
                    let $body = self;
                    $ball
                }
            }

            fn key_at(&self, _: u32, slot: u32) -> usize {
                self.nodes().body.indices[slot as usize] as usize
            }
        }
    };
}

searches!(SphereTree<V>: |body, slot| Some(Held::Kept(&body.balls[slot as usize])));
searches!(MovedTree<'_, V>: |body, slot| body.ball(slot as usize).map(Held::Made));

/// The nodes of a body where it was built, or where it was moved to.
struct Nodes<'a, V: Vector> {
    body: &'a SphereTree<V>,
    moved: Option<&'a MovedTree<'a, V>>,
}

impl<V: Vector> SphereTree<V> {
    fn nodes(&self) -> Nodes<'_, V> {
        Nodes {
            body: self,
            moved: None,
        }
    }
}

impl<V: Vector> MovedTree<'_, V> {
    fn nodes(&self) -> Nodes<'_, V> {
        Nodes {
            body: self.tree,
            moved: Some(self),
        }
    }
}

impl<V: Vector> Nodes<'_, V> {
    fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
    where
        R: Region<Vector = V>,
    {
        // If the slack is infinite, moved balls may be beyond the finite numbers; then test each.
        let never_inside = self.moved.is_some_and(|moved| !moved.slack.is_finite());
        let relate = |extent: &Extent<V>| match extent.relate::<Sphere<V>>(region) {
            Relation::Inside if never_inside => Relation::Straddles,
            relation => relation,
        };
        next_run(self, &relate, descent)
    }
}

impl<V: Vector> Hierarchy for Nodes<'_, V> {
    type Space = V;

    fn root(&self) -> Option<u32> {
        (!self.body.nodes.is_empty()).then_some(0)
    }

    fn extent(&self, node: u32) -> Extent<V> {
        let node = &self.body.nodes[node as usize];
        let core = match self.moved {
            None => around(node.center, node.spread),
            Some(MovedTree { motion, slack, .. }) => {
                around(motion.point(node.center), widened(node.spread, *slack))
            }
        };
        Extent {
            core,
            least: node.least,
            most: node.most,
        }
    }

    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let node = &self.body.nodes[node as usize];
        let many = if inside || node.is_leaf() { 0 } else { 2 };
        node.children..node.children + many
    }

    fn run(&self, node: u32, inside: bool) -> SlotRun {
        let node = &self.body.nodes[node as usize];
        SlotRun::of(if inside || node.is_leaf() {
            node.start..node.end
        } else {
            0..0
        })
    }
}

/// The box around all points within a distance of a center; the box of all finite points if that overflows.
fn around<V: Vector>(center: V, by: V::Scalar) -> Aabb<V> {
    if center.non_finite_axis().is_none() && by.is_finite() {
        return Aabb::point(center).grown(by);
    }
    let most = V::Scalar::MAX;
    Aabb::from_corners(V::splat(V::Scalar::ZERO - most), V::splat(most))
}
