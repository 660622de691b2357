//! Compares the answers of the world between any calls with a double loop.

use orthant::{
    BodyInfo, Distance, Filter, Handle, Motion, Moving, Overlaps, Scalar, SpatialIndex, Sphere,
    Sweep, Vector,
};

use super::machine::{Model, World};
use super::make::Raw;
use super::model::{Body, Pairs, all_pairs, allowed, is_pair};

impl<V: Vector> World<V> {
    /// Returns all pairs, by the double loop.
    pub(crate) fn expected(&self, model: &Model<V>) -> Pairs {
        let bodies = self.named(model);
        let prediction = model.scale.length::<V>(model.prediction);
        all_pairs(&bodies, |i, j| {
            let (a, b) = (bodies[i], bodies[j]);
            if !model.paired {
                false
            } else if model.fat {
                let fat = |body: (Handle, _)| self.world.fat_bounds(body.0).unwrap();
                allowed(&a.1.proxy, &b.1.proxy) && fat(a).overlaps(&fat(b))
            } else {
                is_pair(a.1, b.1, prediction)
            }
        })
    }

    /// Queries the partners of each body, whether or not the pairs are up to date.
    fn ask_partners(&self, model: &Model<V>) {
        let mut partners = Pairs::new();
        for &handle in &self.handles {
            for other in self.world.partners(handle) {
                assert!(partners.insert((handle, other)), "a partner is told twice");
            }
        }
        let expected = self.expected(model);
        let both = expected.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        assert_eq!(partners, both.collect());
    }

    pub(crate) fn ask(&self, model: &Model<V>, raw: Raw, by: [i8; 3], filter: Filter) {
        self.ask_partners(model);
        let scale = model.scale;
        let met = |proxy: &BodyInfo| {
            let probe = BodyInfo::from(Motion::Dynamic).with_filter(filter);
            allowed(
                &probe,
                &BodyInfo {
                    motion: Motion::Dynamic,
                    ..*proxy
                },
            )
        };
        let bodies = self.named(model);
        let some: Vec<_> = bodies
            .iter()
            .filter(|body| met(&body.1.proxy))
            .copied()
            .collect();
        let filtered = self.world.filtered(filter);

        let ball: Sphere<V> = scale.ball(raw);
        let expected = |bodies: &[(Handle, &Body<V>)]| {
            let hits = bodies.iter().filter(|body| ball.overlaps(&body.1.volume));
            let mut hits: Vec<_> = hits.map(|body| body.0).collect();
            hits.sort_unstable();
            hits
        };
        let sorted = |mut found: Vec<Handle>| {
            found.sort_unstable();
            found
        };
        assert_eq!(sorted(self.world.query(ball).collect()), expected(&bodies));
        assert_eq!(sorted(filtered.query(ball).collect()), expected(&some));
        assert_eq!(self.world.count(ball), expected(&bodies).len());
        assert_eq!(filtered.count(ball), expected(&some).len());

        let from: V = scale.place(raw.0);
        let nearest = |bodies: &[(Handle, &Body<V>)]| {
            let far = bodies
                .iter()
                .map(|body| (body.1.volume.distance_sq(from), body.0));
            let mut far: Vec<_> = far.collect();
            far.sort_by(|a, b| a.partial_cmp(b).unwrap());
            far.truncate(4);
            far
        };
        let found = self.world.nearest_n(from, 4);
        let found: Vec<_> = found.iter().map(|n| (n.distance_sq, n.item)).collect();
        assert_eq!(found, nearest(&bodies));
        let found = filtered.nearest(from).map(|n| (n.distance_sq, n.item));
        assert_eq!(found, nearest(&some).first().copied());

        let moving = Moving::new(ball, scale.way(by));
        let hits = |bodies: &[(Handle, &Body<V>)]| {
            let times = |body: &(Handle, &Body<V>)| Some((moving.times(&body.1.volume)?.0, body.0));
            let mut hits: Vec<_> = bodies.iter().filter_map(times).collect();
            hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
            hits
        };
        let mut cast = Vec::new();
        self.world.visit_sweep(
            Moving::new(ball, scale.way(by)).until(Scalar::ONE),
            |body, t| {
                cast.push((t, body));
                Scalar::INFINITY
            },
        );
        assert_eq!(cast, hits(&bodies));
        let first = filtered
            .sweep(moving)
            .map(|hit| (hit.impact.first, hit.item));
        assert_eq!(first, hits(&some).first().copied());
        let all = filtered.sweep_all(moving).into_iter();
        let all: Vec<_> = all.map(|hit| (hit.impact.first, hit.item)).collect();
        assert_eq!(all, hits(&some));
    }
}
