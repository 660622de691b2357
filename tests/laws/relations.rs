//! Law 4: what a region says of a cell holds for everything inside it.

use orthant::{
    Aabb, Bounded, Contains, Distance, Hollow, Overlaps, Region, Relation, Scalar, Sphere, Vector,
};
use proptest::prelude::*;

use crate::make::{Ball, Brick, Egg, Make, Raw, Ring, Skin, cases, place, raw, raws, scale};

pub(crate) fn check_all<V: Vector>() {
    check::<V, Ball>();
    check::<V, Skin<Ball>>();
    check::<V, Ring>();
    check::<V, Egg>();
    check::<V, Skin<Egg>>();
    check::<V, Brick>();
    check::<V, Skin<Brick>>();
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
    let input = (raw(), raws(12), scale());
    proptest!(cases(1600), |((region, parts, scale) in input)| {
        let region = R::make(&region, scale);
        let parts: Vec<(Raw, Aabb<V>)> = parts.iter().map(|raw| (*raw, Brick::make(raw, scale))).collect();
        let Some(cell) = parts.iter().map(|part| part.1).reduce(|a, b| a.union(&b)) else {
            return Ok(());
        };
        let whole = region.relate(&cell);
        let balls: Vec<Sphere<V>> = parts.iter().map(|(raw, _)| Ball::make(raw, scale)).collect();
        let centers = balls.iter().map(Bounded::core).reduce(|a, b| a.union(&b)).unwrap();
        let radii = || balls.iter().map(Sphere::radius);
        let least = radii().reduce(Scalar::smaller).unwrap();
        let most = radii().reduce(Scalar::larger).unwrap();
        let of_balls = region.relate_balls(&centers, least, most);
        for ((raw, part), ball) in parts.iter().zip(&balls) {
            prop_assert!(cell.contains(part));
            let p: V = place(raw, scale);
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
                prop_assert!(whole == Relation::Straddles || whole == part, "{:?} {:?}", whole, part);
            }
            // Distances are bounded from below by those of every box around.
            prop_assert!(cell.distance_sq(p) <= part.distance_sq(p));
            prop_assert!(ball.bounds().contains(&ball.center()));
        }
    });
}

fn agrees(relation: Relation, hits: &[bool]) -> Result<(), TestCaseError> {
    for &hit in hits {
        match relation {
            Relation::Outside => prop_assert!(!hit),
            Relation::Inside => prop_assert!(hit),
            Relation::Straddles => {}
        }
    }
    Ok(())
}
