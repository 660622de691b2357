//! Compares the answers of a world between any calls.

use std::collections::BTreeSet;

use orthant::{
    Distance, Filter, Handle, Motion, Mover, Moving, Overlaps, Ray, Scalar, SpatialIndex, Sweep,
    Volume,
};
use serde::{Serialize, de::DeserializeOwned};

use super::World;
use crate::draw::Draw;
use crate::model::{Body, Pairs, is_pair};
use crate::shapes::{Room, ball, cuboid, filter, region};

impl<V> World<V>
where
    V: Room + Serialize + DeserializeOwned,
    V::Scalar: Serialize + DeserializeOwned,
{
    pub(super) fn ask(&self, draw: &mut Draw) {
        self.ask_partners();
        self.ask_impacts();
        let wanted = filter(draw);
        let some: Vec<_> = self
            .bodies
            .iter()
            .filter(|body| wanted.meets(body.1.proxy.filter))
            .copied()
            .collect();
        self.ask_regions(draw, wanted, &some);
        match draw.below(3) {
            0 => {
                let ray = Ray::new(draw.place::<V>(), draw.way());
                self.ask_casts(draw, ray, wanted, &some);
            }
            1 => {
                if let Ok(moving) = Moving::try_new(ball::<V>(draw), draw.way()) {
                    self.ask_casts(draw, moving, wanted, &some);
                }
            }
            _ => {
                if let Ok(moving) = Moving::try_new(cuboid::<V>(draw), draw.way()) {
                    self.ask_casts(draw, moving, wanted, &some);
                }
            }
        }
    }

    /// Compares partners, whether or not the pairs are up to date.
    fn ask_partners(&self) {
        let mut partners = Pairs::new();
        for &(handle, _) in &self.bodies {
            for other in self.world.partners(handle) {
                assert!(partners.insert((handle, other)), "a partner is told twice");
            }
        }
        let expected = self.expected();
        let both = expected.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        assert_eq!(partners, both.collect());
    }

    /// Checks that two bodies have an impact exactly if they would be a pair without filters and prediction.
    fn ask_impacts(&self) {
        for (i, a) in self.bodies.iter().enumerate().take(12) {
            for b in &self.bodies[..i] {
                let free = |body: &Body<V>| Body {
                    proxy: Motion::Dynamic.into(),
                    ..*body
                };
                let met = is_pair(&free(&a.1), &free(&b.1), V::Scalar::ZERO);
                let impact = self.world.impact(a.0, b.0);
                assert_eq!(impact.is_some(), met, "{a:?} {b:?}");
                let times =
                    |of: orthant::Impact<V>| of.first <= of.last && of.last <= V::Scalar::ONE;
                assert!(impact.is_none_or(times), "{a:?} {b:?} {impact:?}");
            }
        }
    }

    fn ask_regions(&self, draw: &mut Draw, wanted: Filter, some: &[(Handle, Body<V>)]) {
        let region = region::<V>(draw);
        let expected = |bodies: &[(Handle, Body<V>)]| {
            let hits = bodies
                .iter()
                .filter(|body| Overlaps::<Volume<V>>::overlaps(&*region, &body.1.volume));
            hits.map(|body| body.0).collect::<BTreeSet<Handle>>()
        };
        let (all, filtered) = (expected(&self.bodies), self.world.filtered(wanted));
        assert_eq!(self.world.count(&*region), all.len(), "{region:?}");
        assert_eq!(
            self.world.query(&*region).collect::<BTreeSet<_>>(),
            all,
            "{region:?}"
        );
        let some_hit = expected(some);
        assert_eq!(filtered.count(&*region), some_hit.len(), "{region:?}");
        assert_eq!(
            filtered.query(&*region).collect::<BTreeSet<_>>(),
            some_hit,
            "{region:?}"
        );

        let (from, n): (V, usize) = (draw.place(), draw.below(20));
        let nearest = |bodies: &[(Handle, Body<V>)]| {
            let mut far: Vec<_> = bodies
                .iter()
                .map(|body| (body.1.volume.distance_sq(from), body.0))
                .collect();
            far.sort_by(|a, b| a.partial_cmp(b).unwrap());
            far.truncate(n);
            far
        };
        let near: Vec<_> = self
            .world
            .nearest_n(from, n)
            .iter()
            .map(|near| (near.distance_sq, near.item))
            .collect();
        assert_eq!(near, nearest(&self.bodies), "{n} from {from:?}");
        let near: Vec<_> = filtered
            .nearest_n(from, n)
            .iter()
            .map(|near| (near.distance_sq, near.item))
            .collect();
        assert_eq!(near, nearest(some), "{n} of some from {from:?}");
    }

    fn ask_casts<M>(&self, draw: &mut Draw, mover: M, wanted: Filter, some: &[(Handle, Body<V>)])
    where
        M: Mover<Volume<V>> + Sweep<Volume<V>, Vector = V> + Clone,
    {
        let hits = |bodies: &[(Handle, Body<V>)]| {
            let times = |body: &(Handle, Body<V>)| Some((mover.times(&body.1.volume)?.0, body.0));
            let mut hits: Vec<_> = bodies.iter().filter_map(times).collect();
            hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
            hits
        };
        let (all, some) = (hits(&self.bodies), hits(some));
        let mut met = Vec::new();
        self.world.visit_sweep(mover.clone(), |body, t| {
            met.push((t, body));
            V::Scalar::INFINITY
        });
        assert_eq!(met, all);
        let filtered = self.world.filtered(wanted);
        let first = filtered
            .sweep(mover.clone())
            .map(|hit| (hit.impact.first, hit.item));
        assert_eq!(first, some.first().copied());
        let every: Vec<_> = filtered
            .sweep_all(mover.clone())
            .iter()
            .map(|hit| (hit.impact.first, hit.item))
            .collect();
        assert_eq!(every, some);
        // The visitor sets a limit at a hit; ties with it are still reported.
        let stop = draw.below(3);
        let mut met = Vec::new();
        filtered.visit_sweep(mover.clone(), |body, t| {
            met.push((t, body));
            if met.len() > stop {
                t
            } else {
                V::Scalar::INFINITY
            }
        });
        let limit = some.get(stop).map(|hit| hit.0);
        let expected: Vec<_> = some
            .iter()
            .filter(|hit| limit.is_none_or(|limit| hit.0 <= limit))
            .copied()
            .collect();
        assert_eq!(met, expected);
    }
}
