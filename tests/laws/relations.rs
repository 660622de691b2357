//! Law 4: the relation of a region to a cell holds for everything inside the cell.

use orthant::{
    Aabb, Bounded, Distance, Hollow, Overlaps, Region, Relation, Scalar, Sphere, Vector,
};
use proptest::prelude::*;

use crate::make::{Ball, Brick, Egg, Make, Raw, Ring, Scale, Skin, place};
use crate::runner::{Outcome, each_meeting};

pub(crate) fn check_all<V: Vector>() {
    check::<V, Ball>();
    check::<V, Skin<Ball>>();
    check::<V, Ring>();
    check::<V, Egg>();
    check::<V, Skin<Egg>>();
    check::<V, Brick>();
    check::<V, Skin<Brick>>();
}

/// Boxes and balls about the same places, and the box around all of them. They are made apart from regions, so that this code is compiled only
/// once for each vector.
struct Parts<V: Vector> {
    each: Vec<(V, Aabb<V>, Sphere<V>)>,
    cell: Aabb<V>,
    centers: Aabb<V>,
    least: V::Scalar,
    most: V::Scalar,
}

impl<V: Vector> Parts<V> {
    fn new(raws: &[Raw], scale: Scale) -> Option<Self> {
        let part = |raw: &Raw| {
            let ball: Sphere<V> = Ball::make(raw, scale);
            (place(raw, scale), Brick::make(raw, scale), ball)
        };
        let each: Vec<(V, Aabb<V>, Sphere<V>)> = raws.iter().map(part).collect();
        let cells = each.iter().map(|part| part.1);
        let centers = each.iter().map(|part| part.2.core());
        let radii = || each.iter().map(|part| part.2.radius());
        Some(Self {
            cell: cells.reduce(|a, b| a.union(&b))?,
            centers: centers.reduce(|a, b| a.union(&b))?,
            least: radii().reduce(Scalar::smaller)?,
            most: radii().reduce(Scalar::larger)?,
            each,
        })
    }
}

pub(crate) fn check<V, R>()
where
    V: Vector,
    R: Make<V>,
    R::Shape: Region<Vector = V>
        + Overlaps<V>
        + Overlaps<Aabb<V>>
        + Overlaps<Hollow<Aabb<V>>>
        + Overlaps<Sphere<V>>,
{
    each_meeting(&|region, raws, scale| {
        let region = R::make(region, scale);
        let Some(parts) = Parts::<V>::new(raws, scale) else {
            return Ok(());
        };
        let cell = parts.cell;
        let whole = region.relate(&cell);
        let of_balls = region.relate_balls(&parts.centers, parts.least, parts.most);
        for (p, part, ball) in &parts.each {
            let p = *p;
            prop_assert!(cell.contains(part));
            let hits = [
                region.overlaps(part),
                region.overlaps(&Hollow(*part)),
                region.overlaps(&p),
            ];
            agrees(whole, &hits)?;
            agrees(region.relate(part), &hits)?;
            agrees(of_balls, &[region.overlaps(ball)])?;
            let own = region.relate_balls(&ball.core(), ball.radius(), ball.radius());
            agrees(own, &[region.overlaps(ball)])?;
            for (whole, part) in [(whole, region.relate(part)), (of_balls, own)] {
                prop_assert!(
                    whole == Relation::Straddles || whole == part,
                    "{:?} {:?}",
                    whole,
                    part
                );
            }
            // The distance of a box around an item bounds the distance of the item from below.
            prop_assert!(cell.distance_sq(p) <= part.distance_sq(p));
            prop_assert!(ball.bounds().contains(&ball.center()));
        }
        Ok(())
    });
}

fn agrees(relation: Relation, hits: &[bool]) -> Outcome {
    for &hit in hits {
        match relation {
            Relation::Outside => prop_assert!(!hit),
            Relation::Inside => prop_assert!(hit),
            Relation::Straddles => {}
        }
    }
    Ok(())
}
