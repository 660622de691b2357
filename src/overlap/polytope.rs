//! The predicates of solids of few planes, in `f64`.
//!
//! The relation to a cell follows from the least and greatest `n · x - k` over it for every plane, and from the box
//! around the solid; that to a ball from these and its radius. Such expressions are monotone after rounding, so the
//! relation to a cell holds for everything in it. Only what they leave open is tested exactly: a ball by the
//! distance, a box by separating axes (S. Gottschalk, M. Lin and D. Manocha, "`OBBTree`", 1996, for any polytope: the
//! box's axes, the planes' normals, and the products of edges).
//!
//! The distance of a point outside is the least one to a *visible* face, one that has the point in front of its
//! plane. With `x` the nearest point of the solid to `c`, `c - x` is a sum `Σ λ n` over planes through `x`, `λ >= 0`,
//! so that `|c - x|² = Σ λ (n · c - k)`, and some plane with `λ > 0` has `n · c > k`.

mod cross_axes;
mod pair;

use core::cmp::Ordering;

pub(crate) use cross_axes::CrossAxis;

use crate::overlap::distance::{gap_sq, near_sq};
use crate::overlap::{Contains, Overlaps, Relation};
use crate::shape::Aabb;
use crate::shape::polytope::{
    Edge, HalfSpace, Point, Polytope, along, corner_towards, cross, dot, sub,
};
use crate::vector::Scalar;

/// A point, and its squared distance from another as a fraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    pub(crate) point: Point,
    numerator: f64,
    denominator: f64,
}

impl Foot {
    /// The nearest point of a plane.
    fn on(plane: &HalfSpace, c: Point) -> Self {
        let g = plane.at(c);
        Self {
            point: along(c, -g / plane.nn, plane.n),
            numerator: g * g,
            denominator: plane.nn,
        }
    }

    pub(crate) fn distance_sq(&self) -> f64 {
        self.numerator / self.denominator
    }

    /// Whether the distance is at most a radius. Compares products, since a quotient would be rounded.
    pub(crate) fn within(&self, radius: f64) -> bool {
        self.numerator <= radius * radius * self.denominator
    }

    /// The order of two distances. NaN, which huge coordinates cause, replaces no distance before it.
    fn compare(&self, other: &Self) -> Ordering {
        let order = self.distance_sq().partial_cmp(&other.distance_sq());
        order.unwrap_or(Ordering::Less)
    }
}

impl Polytope {
    pub(crate) fn relate(&self, cell: &Aabb<Point>) -> Relation {
        if !self.bounds.overlaps(cell) {
            return Relation::Outside;
        }
        let mut inside = self.bounds.contains(cell);
        for plane in &self.planes {
            if plane.least(cell) > 0.0 {
                return Relation::Outside;
            }
            inside &= plane.greatest(cell) <= 0.0;
        }
        Relation::of(false, inside)
    }

    /// Whether some plane has all of a cell less than `depth` behind it, by more than rounding.
    pub(crate) fn stays_above(&self, cell: &Aabb<Point>, depth: f64) -> bool {
        self.planes.iter().any(|plane| {
            let depth = depth * Scalar::sqrt(plane.nn) * (1.0 - 8.0 * f64::EPSILON);
            plane.least(cell)
                > if depth > 0.0 {
                    plane.rounding(cell) - depth
                } else {
                    0.0
                }
        })
    }

    // Planes that were laid through rounded corners meet a little beyond them. Points there are behind every plane,
    // but not in the solid, so the bounds are compared too.

    /// Whether the bounds contain a cell, and `test` holds for each plane and the greatest `n · x - k` over the cell.
    fn is_behind(&self, cell: &Aabb<Point>, test: impl Fn(f64, &HalfSpace) -> bool) -> bool {
        let mut planes = self.planes.iter();
        self.bounds.contains(cell) && planes.all(|plane| test(plane.greatest(cell), plane))
    }

    /// Whether all of a cell lies strictly behind every plane.
    pub(crate) fn encloses(&self, cell: &Aabb<Point>) -> bool {
        self.is_behind(cell, |most, _| most < 0.0)
    }

    /// How the solid relates to balls with centers in a cell and radii up to `most`.
    pub(crate) fn relate_balls(&self, centers: &Aabb<Point>, most: f64) -> Relation {
        if self.misses(centers, most) || gap_sq(&self.bounds, centers) > most * most {
            return Relation::Outside;
        }
        Relation::of(false, self.relate(centers) == Relation::Inside)
    }

    /// Whether all balls of a radius with centers in a cell lie in front of one plane.
    pub(crate) fn misses(&self, centers: &Aabb<Point>, radius: f64) -> bool {
        let reach = radius * radius;
        self.planes.iter().any(|plane| {
            let least = plane.least(centers);
            least > 0.0 && least * least > reach * plane.nn
        })
    }

    /// Whether all balls of a radius with centers in a cell lie strictly behind every plane.
    pub(crate) fn encloses_balls(&self, centers: &Aabb<Point>, radius: f64) -> bool {
        let reach = radius * radius;
        self.is_behind(centers, |most, p| most < 0.0 && most * most > reach * p.nn)
    }

    /// Whether a ball lies behind every plane.
    pub(crate) fn holds_ball(&self, center: Point, radius: f64) -> bool {
        let (center, reach) = (Aabb::point(center), radius * radius);
        self.is_behind(&center, |most, p| {
            most <= 0.0 && most * most >= reach * p.nn
        })
    }

    /// Whether a point lies in the solid.
    pub(crate) fn holds(&self, p: Point) -> bool {
        self.bounds.contains(&p) && self.planes.iter().all(|plane| plane.at(p) <= 0.0)
    }

    pub(crate) fn overlaps_ball(&self, center: Point, radius: f64) -> bool {
        self.relate_balls(&Aabb::point(center), radius)
            .or_ask(|| self.outer_foot(center).is_some_and(|f| f.within(radius)))
    }

    /// The nearest point of the solid to a point outside; `None` for a point inside.
    pub(crate) fn foot(&self, c: Point) -> Option<Foot> {
        (!self.holds(c)).then(|| self.outer_foot(c)).flatten()
    }

    /// The nearest point of the solid to a point that is known to be outside.
    fn outer_foot(&self, c: Point) -> Option<Foot> {
        let visible = |face: u8| self.planes[usize::from(face)].at(c) > 0.0;
        // The foot lies on a face if it is behind all other planes. Heights are compared times |n|².
        let on_faces = (0..self.planes.len()).filter(|&face| {
            let (plane, g) = (&self.planes[face], self.planes[face].at(c));
            let mut others = self.planes.iter().enumerate().filter(|&(i, _)| i != face);
            g > 0.0 && others.all(|(_, p)| p.at(c) * plane.nn <= g * dot(plane.n, p.n))
        });
        let on_faces = on_faces.map(|face| Foot::on(&self.planes[face], c));
        let on_edges = self.edges.iter();
        let on_edges = on_edges.filter(|edge| edge.faces.into_iter().any(visible));
        let feet = on_faces.chain(on_edges.map(|edge| edge_foot(edge, c)));
        feet.min_by(Foot::compare).or_else(|| {
            // Rounding alone leads here: no plane is visible, or only one that touches the solid nowhere.
            let on_edges = self.edges.iter().map(|edge| edge_foot(edge, c));
            on_edges.min_by(Foot::compare)
        })
    }

    /// The nearest point of the surface to a point inside, and its plane.
    pub(crate) fn inner_foot(&self, c: Point) -> Option<(Foot, &HalfSpace)> {
        let feet = self.planes.iter().map(|plane| (Foot::on(plane, c), plane));
        feet.min_by(|(a, _), (b, _)| a.compare(b))
    }
}

fn edge_foot(edge: &Edge, c: Point) -> Foot {
    let d = edge.direction;
    let end = |point: Point| {
        let d = sub(c, point);
        Foot {
            point,
            numerator: dot(d, d),
            denominator: 1.0,
        }
    };
    let (from, dd) = (sub(c, edge.from), dot(d, d));
    // Measure from the nearer end, since the rounding error grows with the distance from the end.
    let (corner, from, ahead) = match edge.to {
        Some(to) if 2.0 * dot(from, d) > dd => (to, sub(c, to), -1.0),
        _ => (edge.from, from, 1.0),
    };
    let t = dot(from, d);
    if ahead * t <= 0.0 || dd == 0.0 {
        return end(corner);
    }
    let across = cross(from, d);
    Foot {
        point: along(corner, t / dd, d),
        numerator: dot(across, across),
        denominator: dd,
    }
}

// Solids of few planes and boxes: whether they meet, and how far apart they are.
//
// A box without its upper faces is tested like the closed box, except where solid and box only touch: all that they
// share lies on an upper face if the touching side of the box is the upper one on some axis.
//
// Two convex solids that are apart are nearest at a corner of one and some point of the other, or at
// two edges (C. Ericson, "Real-Time Collision Detection", 2005, section 9.3). All of these are tried.
// Squares are compared as fractions, so that no division is rounded.

/// Whether a direction points to an upper face of a box. A box has no upper face on an axis without extent.
fn is_up(direction: Point, cell: &Aabb<Point>) -> bool {
    (0..3).any(|a| direction[a] > 0.0 && cell.min()[a] < cell.max()[a])
}

fn opposite(direction: Point) -> Point {
    direction.map(|x| 0.0 - x)
}

impl Polytope {
    pub(crate) fn overlaps_box(&self, cell: &Aabb<Point>) -> bool {
        self.overlaps_box_unless(cell, || self.separated(cell))
    }

    /// Whether it meets a box; `separated` tells whether a product of edges separates the two where no plane does.
    #[inline(always)]
    pub(crate) fn overlaps_box_unless(
        &self,
        cell: &Aabb<Point>,
        separated: impl FnOnce() -> bool,
    ) -> bool {
        self.relate(cell)
            .or_ask(|| self.holds_some(cell) || !separated())
    }

    /// Whether it meets the surface of a box.
    pub(crate) fn overlaps_shell(&self, cell: &Aabb<Point>) -> bool {
        self.relate(cell)
            .or_ask(|| !cell.contains_strictly(&self.bounds) && !self.separated(cell))
    }

    /// Whether it meets a box without its upper faces.
    pub(crate) fn overlaps_half_open(&self, cell: &Aabb<Point>) -> bool {
        self.relate(cell)
            .or_ask(|| self.holds_some(cell) || !(self.is_above(cell) || self.separated(cell)))
    }

    /// Whether one of a few points of a box, none on an upper face, lies in the solid. That quickly decides most
    /// boxes that a face cuts.
    fn holds_some(&self, cell: &Aabb<Point>) -> bool {
        let (lo, hi, middle) = (cell.min(), cell.max(), cell.center());
        let is_below = |p: Point| (0..3).all(|a| p[a] < hi[a] || lo[a] == hi[a]);
        let mut cut = self
            .planes
            .iter()
            .filter(|plane| plane.greatest(cell) > 0.0);
        self.holds(middle)
            || cut.any(|plane| {
                let corner = corner_towards(cell, plane.n, false);
                let p = [0, 1, 2].map(|a| corner[a] + (middle[a] - corner[a]) * 0.0625);
                is_below(p) && self.holds(p)
            })
    }

    /// Whether a box without its upper faces lies in the interior.
    pub(crate) fn encloses_half_open(&self, cell: &Aabb<Point>) -> bool {
        self.is_behind(cell, |most, p| {
            most < 0.0 || (most == 0.0 && is_up(p.n, cell))
        })
    }

    /// Whether the solid shares nothing with a box but points of an upper face, if anything.
    fn is_above(&self, cell: &Aabb<Point>) -> bool {
        let starts =
            |a: usize| cell.min()[a] < cell.max()[a] && cell.max()[a] <= self.bounds.min()[a];
        let mut planes = self.planes.iter();
        (0..3).any(starts)
            || planes.any(|p| p.least(cell) >= 0.0 && is_up(opposite(p.n), cell))
            || self.cross_axes().any(|cross| cross.is_met_above(cell))
    }

    /// Compares its distance from a box with `distance`.
    pub(crate) fn compare_box(&self, cell: &Aabb<Point>, distance: f64) -> Option<Ordering> {
        if self.overlaps_box(cell) {
            return 0.0.partial_cmp(&distance);
        }
        let limit = distance * distance;
        if self.misses(cell, distance) || gap_sq(&self.bounds, cell) > limit {
            return Some(Ordering::Greater);
        }
        let (lo, hi) = (cell.min(), cell.max());
        // The corner nearest to a face decides most boxes, so it comes first.
        let ahead = self.planes.iter().filter(|plane| plane.least(cell) > 0.0);
        let ahead = ahead.filter_map(|plane| self.outer_foot(corner_towards(cell, plane.n, false)));
        let feet = (0..8_usize).filter_map(|i| {
            let is_upper = |a: usize| i >> a & 1 == 1;
            // Visit each corner once, even where the box has no extent on an axis.
            let is_new = (0..3).all(|a| !is_upper(a) || lo[a] < hi[a]);
            let corner = [0, 1, 2].map(|a| if is_upper(a) { hi[a] } else { lo[a] });
            is_new.then(|| self.outer_foot(corner)).flatten()
        });
        let feet = ahead.chain(feet);
        let feet = feet.map(|foot| (foot.numerator, foot.denominator));
        let corners = self
            .corners
            .iter()
            .map(|corner| (near_sq(corner, cell), 1.0));
        let sides = [(lo, lo), (lo, hi), (hi, lo), (hi, hi)];
        let edges = self.edges.iter().flat_map(|edge| {
            let all = [0, 1, 2]
                .into_iter()
                .flat_map(|a| sides.map(|(p, q)| (a, p, q)));
            all.filter_map(|(axis, p, q)| across(edge, cell, axis, p, q))
        });
        let mut least = Ordering::Greater;
        for (numerator, denominator) in feet.chain(corners).chain(edges) {
            least = least.min(numerator.partial_cmp(&(limit * denominator))?);
            if least == Ordering::Less {
                break;
            }
        }
        Some(least)
    }

    /// Compares the distance of its surface from a box with `distance`.
    pub(crate) fn compare_surface(&self, cell: &Aabb<Point>, distance: f64) -> Option<Ordering> {
        if !self.encloses(cell) {
            return self.compare_box(cell, distance);
        }
        let limit = distance * distance;
        let mut least = Ordering::Greater;
        for plane in &self.planes {
            let depth = plane.greatest(cell);
            least = least.min((depth * depth).partial_cmp(&(limit * plane.nn))?);
        }
        Some(least)
    }
}

/// The squared distance, as a fraction, between an edge of the solid and the edge of a box along an axis, if the
/// nearest points lie within both; `p` and `q` say where the box's edge is on the next two axes.
fn across(edge: &Edge, cell: &Aabb<Point>, axis: usize, p: Point, q: Point) -> Option<(f64, f64)> {
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let (from, d) = (edge.from, edge.direction);
    let (x, y) = (p[a] - from[a], q[b] - from[b]);
    let square = d[a] * d[a] + d[b] * d[b];
    let along = x * d[a] + y * d[b];
    // The place of the nearest point along the axis, times `square`.
    let at = from[axis] * square + along * d[axis];
    let is_within = along > 0.0
        && (along < square || edge.to.is_none())
        && cell.min()[axis] * square < at
        && at < cell.max()[axis] * square;
    let apart = x * d[b] - y * d[a];
    is_within.then_some((apart * apart, square))
}
