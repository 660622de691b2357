//! Which bodies are pairs, and which boxes stand for them in the engine.

use super::engine::Judge;
use super::{Body, Volume};
use crate::{
    Aabb, Bounded, Contains, Impact, Moving, Overlaps, Scalar, ShapeError, Sphere, Sweep, Vector,
};

/// How far apart is still a pair, and what boxes may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "V::Scalar: serde::Serialize",
        deserialize = "V::Scalar: serde::Deserialize<'de>"
    ))
)]
pub(super) struct Rules<V: Vector> {
    /// How far fat boxes reach beyond what they must hold.
    pub(super) margin: V::Scalar,
    /// How far volumes are inflated before they are asked.
    pub(super) prediction: V::Scalar,
    /// Whether pairs are those of the fat boxes.
    pub(super) fat: bool,
}

/// What has to be asked about a body beside its box in the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Its motion or its filter.
    pub(super) proxy: bool,
    /// What it takes up.
    pub(super) shape: bool,
}

/// How many bodies need what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needy {
    pub(super) proxy: usize,
    pub(super) shape: usize,
}

impl Needy {
    pub(super) const NONE: Self = Self { proxy: 0, shape: 0 };

    pub(super) fn add(&mut self, needs: Needs) {
        self.proxy += usize::from(needs.proxy);
        self.shape += usize::from(needs.shape);
    }

    pub(super) fn drop(&mut self, needs: Needs) {
        self.proxy -= usize::from(needs.proxy);
        self.shape -= usize::from(needs.shape);
    }
}

/// How much wider than new a fat box may be before it is given up: after `b2DynamicTree` of `Box2D`.
const USELESS: f64 = 4.0;

impl<V: Vector> Rules<V> {
    /// The box that holds all that a body may touch.
    #[inline]
    pub(super) fn reach(&self, volume: &Volume<V>, path: V) -> Aabb<V> {
        let here = volume.inflated(self.prediction).core();
        if path == V::splat(V::Scalar::ZERO) {
            return here;
        }
        here.union(&shifted(&here, path))
    }

    /// A fat box for a reach that is expected to move on. Where it would only have to be judged by
    /// what is in it, it is not made fat at all.
    pub(super) fn fatten(&self, reach: &Aabb<V>, displacement: V) -> Aabb<V> {
        if self.is_tight() {
            return *reach;
        }
        reach
            .union(&shifted(reach, displacement))
            .grown(self.margin)
    }

    /// Whether a box can stay though another would be made now.
    pub(super) fn serves(&self, held: &Aabb<V>, reach: &Aabb<V>, fat: &Aabb<V>) -> bool {
        let slack: V::Scalar = Scalar::from_f64(USELESS);
        let most = fat.grown((slack * self.margin).smaller(V::Scalar::MAX));
        held.contains(reach) && most.contains(held)
    }

    /// What has to be asked about a body beside its box in the engine.
    pub(super) fn needs(&self, body: &Body<V>, held: &Aabb<V>) -> Needs {
        let reach = self.reach(&body.volume, body.path);
        Needs {
            proxy: !body.proxy.is_plain(),
            shape: self.needs_shape(body, held, &reach),
        }
    }

    /// Whether a body's box in the engine does not say what it touches.
    #[inline]
    pub(super) fn needs_shape(&self, body: &Body<V>, held: &Aabb<V>, reach: &Aabb<V>) -> bool {
        let exact = self.fat
            || matches!(body.volume, Volume::Box(_))
                && body.path == V::splat(V::Scalar::ZERO)
                && held == reach;
        !exact
    }

    /// Whether boxes in the engine are no wider than what they must hold.
    #[inline]
    pub(super) fn is_tight(&self) -> bool {
        self.margin == V::Scalar::ZERO && !self.fat
    }

    /// Whether a body that is a box is that box in the engine.
    #[inline]
    pub(super) fn is_bare(&self) -> bool {
        self.is_tight() && self.prediction == V::Scalar::ZERO
    }

    /// Whether two bodies whose boxes overlap in the engine are a pair.
    #[inline]
    pub(super) fn pair(&self, a: &Body<V>, b: &Body<V>) -> bool {
        // Where boxes say it all, shapes must not be asked: a pair that ends is judged too.
        let shapes = a.needs.shape || b.needs.shape;
        a.proxy.pairs_with(&b.proxy) && (!shapes || self.touch(a, b))
    }

    /// Whether two bodies touch, or may before their next places are told.
    #[inline]
    fn touch(&self, a: &Body<V>, b: &Body<V>) -> bool {
        let of = |body: &Body<V>| body.volume.inflated(self.prediction);
        let (here, there) = (of(a), of(b));
        let still = V::splat(V::Scalar::ZERO);
        if a.path == still && b.path == still {
            return here.overlaps(&there);
        }
        let reach = |body: &Body<V>| self.reach(&body.volume, body.path);
        reach(a).overlaps(&reach(b)) && meet((&here, a.path), (&there, b.path))
    }
}

/// When and where the first of two moving volumes touches the second.
pub(super) fn impact<V: Vector>(
    (mover, by): (&Volume<V>, V),
    target: (&Volume<V>, V),
) -> Option<Impact<V>> {
    match mover {
        Volume::Box(b) => impact_of(&Moving::new(*b, by), target),
        Volume::Sphere(ball) => impact_of(&Moving::new(*ball, by), target),
    }
}

fn impact_of<V, M>(mover: &M, (target, by): (&Volume<V>, V)) -> Option<Impact<V>>
where
    V: Vector,
    M: Sweep<Moving<Aabb<V>>, Vector = V> + Sweep<Moving<Sphere<V>>, Vector = V>,
{
    match target {
        Volume::Box(b) => mover.sweep(&Moving::new(*b, by)),
        Volume::Sphere(ball) => mover.sweep(&Moving::new(*ball, by)),
    }
}

/// Whether two moving volumes touch on the way.
fn meet<V: Vector>((mover, by): (&Volume<V>, V), target: (&Volume<V>, V)) -> bool {
    match mover {
        Volume::Box(b) => meets(&Moving::new(*b, by), target),
        Volume::Sphere(ball) => meets(&Moving::new(*ball, by), target),
    }
}

fn meets<V, M>(mover: &M, (target, by): (&Volume<V>, V)) -> bool
where
    V: Vector,
    M: Sweep<Moving<Aabb<V>>, Vector = V> + Sweep<Moving<Sphere<V>>, Vector = V>,
{
    match target {
        Volume::Box(b) => mover.times(&Moving::new(*b, by)).is_some(),
        Volume::Sphere(ball) => mover.times(&Moving::new(*ball, by)).is_some(),
    }
}

/// The box moved, within the finite numbers.
fn shifted<V: Vector>(bounds: &Aabb<V>, by: V) -> Aabb<V> {
    let most = V::Scalar::MAX;
    let shift = |corner: V| {
        V::from_fn(|a| {
            let there = corner.axis(a) + by.axis(a);
            there.smaller(most).larger(V::Scalar::ZERO - most)
        })
    };
    Aabb::from_corners(shift(bounds.min()), shift(bounds.max()))
}

/// Refuses a displacement that is not finite or leads beyond the finite numbers.
#[inline]
pub(super) fn check_displacement<V: Vector>(volume: &Volume<V>, by: V) -> Result<(), ShapeError> {
    if by == V::splat(V::Scalar::ZERO) {
        return Ok(());
    }
    crate::shape::check_finite("displacement", by)?;
    let bounds = volume.core();
    let moved = |corner: V| V::from_fn(|a| corner.axis(a) + by.axis(a));
    crate::shape::check_finite("displaced min", moved(bounds.min()))?;
    crate::shape::check_finite("displaced max", moved(bounds.max()))
}

/// The rules, and the bodies in question.
pub(super) struct Court<'a, V: Vector> {
    pub(super) rules: &'a Rules<V>,
    pub(super) bodies: &'a [Option<Body<V>>],
    pub(super) needy: Needy,
}

impl<V: Vector> Judge for Court<'_, V> {
    #[inline(always)]
    fn all(&self) -> bool {
        self.needy == Needy::NONE
    }

    /// Motions and filters change with a touch only.
    fn is_steady(&self) -> bool {
        self.needy.shape == 0
    }

    #[inline]
    fn judges(&self, a: u32, b: u32) -> bool {
        let body = |slot: u32| self.bodies[slot as usize].as_ref();
        match (body(a), body(b)) {
            (Some(a), Some(b)) => self.rules.pair(a, b),
            _ => false,
        }
    }
}
