//! What every answer is held to: a scan of a slab of the items, in order of x.

use crate::jobs::predicate::Ball;

/// An item in one place, and when it was there.
pub(super) struct Version {
    ball: Ball,
    id: u32,
    from: u32,
    pub(super) until: u32,
}

impl Version {
    pub(super) fn new(id: u32, ball: Ball, from: u32) -> Self {
        Self {
            ball,
            id,
            from,
            until: u32::MAX,
        }
    }

    /// In the arithmetic that the crate promises.
    fn meets(&self, center: &[f32; 3], radius: f32) -> bool {
        let square = |a: usize| {
            let apart = center[a] - self.ball.center[a];
            apart * apart
        };
        let reach = radius + self.ball.radius;
        (1..3).fold(square(0), |sum, a| sum + square(a)) <= reach * reach
    }
}

pub(super) struct Truth {
    /// By x.
    versions: Vec<Version>,
    largest: f32,
}

impl Truth {
    pub(super) fn new(mut versions: Vec<Version>) -> Self {
        versions.sort_unstable_by(|a, b| a.ball.center[0].total_cmp(&b.ball.center[0]));
        let radii = versions.iter().map(|version| version.ball.radius);
        let largest = radii.fold(0.0, f32::max);
        Self { versions, largest }
    }

    pub(super) fn at_rest(items: &[Ball]) -> Self {
        let items = items.iter().zip(0..);
        Self::new(items.map(|(item, id)| Version::new(id, *item, 0)).collect())
    }

    /// The ids of the items that met a ball at a time.
    pub(super) fn within(
        &self,
        center: &[f32; 3],
        radius: f32,
        now: u32,
    ) -> impl Iterator<Item = u64> {
        // With room for rounding.
        let reach = (radius + self.largest) * 1.001;
        let x = |version: &Version| version.ball.center[0];
        let from = self.versions.partition_point(|v| x(v) < center[0] - reach);
        let rest = &self.versions[from..];
        let slab = &rest[..rest.partition_point(|v| x(v) <= center[0] + reach)];
        let center = *center;
        let then = slab.iter().filter(move |v| v.from <= now && now < v.until);
        then.filter(move |v| v.meets(&center, radius))
            .map(|v| v.id.into())
    }
}
