//! Solids of few planes: the questions, in `f64`.
//!
//! A cell is related by its least and greatest `n · x - k` for every plane and by the box around the
//! solid; a ball by these and its radius. Such expressions are monotone after rounding, so that what
//! a cell is told holds of everything in it. Only what is still open is asked exactly: a ball by the
//! distance, a box by separating axes (S. Gottschalk, M. Lin and D. Manocha, "`OBBTree`", 1996, for
//! any polytope: the box's axes, the planes' normals, and the products of edges).
//!
//! The distance from outside is the least one to a *visible* face, in front of whose plane the point
//! lies: of the nearest point `x`, `c - x` is a sum `Σ λ n` over planes through `x`, `λ >= 0`, so that
//! `|c - x|² = Σ λ (n · c - k)` and a plane with `λ > 0` can be chosen with `n · c > k`.

mod cell;

use super::distance::gap_sq;
use super::{Contains, Overlaps, Relation};
use crate::shape::Aabb;
use crate::shape::polytope::{Edge, HalfSpace, Point, Polytope, along, cross, dot, sub};

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

    /// The nearer of two, the first of equals.
    fn nearer(self, other: Self) -> Self {
        if other.distance_sq() < self.distance_sq() {
            other
        } else {
            self
        }
    }

    pub(crate) fn distance_sq(&self) -> f64 {
        self.numerator / self.denominator
    }

    /// Whether the distance is at most a radius: not divided, which would round.
    pub(crate) fn within(&self, radius: f64) -> bool {
        self.numerator <= radius * radius * self.denominator
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

    // Planes that were laid through rounded corners meet a little beyond them: what lies there is
    // behind every plane, and yet not of the solid.

    /// Whether all of a cell lies in the solid, strictly behind every plane.
    pub(crate) fn encloses(&self, cell: &Aabb<Point>) -> bool {
        self.bounds.contains(cell) && self.planes.iter().all(|plane| plane.greatest(cell) < 0.0)
    }

    /// How balls lie to it that are centered in a cell.
    pub(crate) fn relate_balls(&self, centers: &Aabb<Point>, most: f64) -> Relation {
        if self.misses(centers, most) || gap_sq(&self.bounds, centers) > most * most {
            return Relation::Outside;
        }
        Relation::of(false, self.relate(centers) == Relation::Inside)
    }

    /// Whether balls of a radius that are centered in a cell lie in front of a plane.
    pub(crate) fn misses(&self, centers: &Aabb<Point>, radius: f64) -> bool {
        let reach = radius * radius;
        self.planes.iter().any(|plane| {
            let least = plane.least(centers);
            least > 0.0 && least * least > reach * plane.nn
        })
    }

    /// Whether they all lie strictly behind every plane.
    pub(crate) fn encloses_balls(&self, centers: &Aabb<Point>, radius: f64) -> bool {
        let reach = radius * radius;
        let behind = |most: f64, nn: f64| most < 0.0 && most * most > reach * nn;
        let mut planes = self.planes.iter();
        self.bounds.contains(centers) && planes.all(|p| behind(p.greatest(centers), p.nn))
    }

    /// Whether a ball lies behind every plane.
    pub(crate) fn holds_ball(&self, center: Point, radius: f64) -> bool {
        let reach = radius * radius;
        let behind = |g: f64, nn: f64| g <= 0.0 && g * g >= reach * nn;
        self.bounds.contains(&center) && self.planes.iter().all(|p| behind(p.at(center), p.nn))
    }

    /// Whether a point is one of the solid.
    fn holds(&self, p: Point) -> bool {
        self.bounds.contains(&p) && self.planes.iter().all(|plane| plane.at(p) <= 0.0)
    }

    pub(crate) fn overlaps_ball(&self, center: Point, radius: f64) -> bool {
        match self.relate_balls(&Aabb::point(center), radius) {
            Relation::Outside => false,
            Relation::Inside => true,
            Relation::Straddles => self.outer_foot(center).is_some_and(|f| f.within(radius)),
        }
    }

    /// The nearest point of the solid to a point outside, none for one inside.
    pub(crate) fn foot(&self, c: Point) -> Option<Foot> {
        if self.holds(c) {
            None
        } else {
            self.outer_foot(c)
        }
    }

    /// The same for a point that is known to be outside.
    fn outer_foot(&self, c: Point) -> Option<Foot> {
        let mut best: Option<Foot> = None;
        let mut offer = |foot: Foot| {
            if best.is_none_or(|best| foot.distance_sq() < best.distance_sq()) {
                best = Some(foot);
            }
        };
        let visible = |face: u8| self.planes[usize::from(face)].at(c) > 0.0;
        for face in (0..self.planes.len() as u8).filter(|&face| visible(face)) {
            if let Some(foot) = self.face_foot(usize::from(face), c) {
                offer(foot);
            }
        }
        for edge in &self.edges {
            if edge.faces.into_iter().any(visible) {
                offer(edge_foot(edge, c));
            }
        }
        best.or_else(|| {
            // Only by rounding: a plane that touches the solid nowhere, or none.
            let on_edges = self.edges.iter().map(|edge| edge_foot(edge, c));
            on_edges.reduce(Foot::nearer)
        })
    }

    /// The foot of a point on the plane of a face, if it is one of the face.
    fn face_foot(&self, face: usize, c: Point) -> Option<Foot> {
        let plane = &self.planes[face];
        let g = plane.at(c);
        let on_face = self.planes.iter().enumerate().all(|(i, other)| {
            // The other plane at the foot, times |n|².
            i == face || other.at(c) * plane.nn <= g * dot(plane.n, other.n)
        });
        on_face.then(|| Foot::on(plane, c))
    }

    /// The nearest point of the surface to a point inside.
    pub(crate) fn inner_foot(&self, c: Point) -> Option<Foot> {
        let feet = self.planes.iter().map(|plane| Foot::on(plane, c));
        feet.reduce(Foot::nearer)
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
    // From the nearer end: beside a long edge the farther one is as far as its length is rounded.
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
