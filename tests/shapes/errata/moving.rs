use orthant::{Moving, Overlaps, Sphere, Sweep};
use serde::Deserialize;

use super::Erratum;

/// The relative position and displacement of two spheres, and the sum of their radii, in small integers that are exact as floats.
#[derive(Deserialize)]
struct Motion {
    dp: [f64; 3],
    dv: [f64; 3],
    #[serde(rename = "R")]
    sum: f64,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

impl Motion {
    fn of(id: &str) -> (Erratum, Self) {
        let erratum = Erratum::find(id);
        let input = erratum.input();
        (erratum, input)
    }

    /// Returns `|dp|² - R²`, `dp · dv` and `|dv|²`.
    fn products(&self) -> (f64, f64, f64) {
        let (dp, dv) = (self.dp, self.dv);
        (dot(dp, dp) - self.sum * self.sum, dot(dp, dv), dot(dv, dv))
    }

    /// Follows the first snippet: spheres at rest.
    fn snippet1(&self) -> bool {
        self.products().0 <= 0.0
    }

    /// Returns the result of the tests that the second and third snippet share, or `None` if all of them pass.
    fn asked_first(&self) -> Option<bool> {
        let (pp, pv, vv) = self.products();
        if pp < 0.0 {
            Some(true)
        } else if pv >= 0.0 || (pv + vv <= 0.0 && vv + 2.0 * pv + pp >= 0.0) {
            Some(false)
        } else {
            None
        }
    }

    /// Follows the second snippet: the discriminant.
    fn snippet2(&self) -> bool {
        let (pp, pv, vv) = self.products();
        self.asked_first().unwrap_or(pv * pv - pp * vv > 0.0)
    }

    /// Follows the third snippet: the discriminant divided by `|dv|²`, with the sign as printed.
    fn snippet3(&self) -> bool {
        let (pp, pv, vv) = self.products();
        self.asked_first().unwrap_or(pp + pv * (-pv / vv) > 0.0)
    }

    /// Returns the answer of the crate, which must be that of whole numbers: the least of `|dp + t dv|² - R²`, multiplied by `|dv|²` if it lies
    /// within the horizon, so that nothing is divided.
    fn hits(&self) -> bool {
        let (pp, pv, vv) = self.products();
        let exact = if pv >= 0.0 {
            pp <= 0.0
        } else if pv + vv <= 0.0 {
            pp + 2.0 * pv + vv <= 0.0
        } else {
            pp * vv - pv * pv <= 0.0
        };
        let still = Sphere::new([0.0; 3], self.sum);
        let ours = Moving::new(Sphere::new(self.dp, 0.0), self.dv).times(&still);
        assert_eq!(ours.is_some(), exact);
        exact
    }

    /// Returns true if the crate's spheres touch at a time.
    fn touch_at(&self, t: f64) -> bool {
        let place = [0, 1, 2].map(|i| self.dp[i] + t * self.dv[i]);
        let (still, moving) = (Sphere::new([0.0; 3], self.sum), Sphere::new(place, 0.0));
        #[cfg(feature = "exact")]
        assert_eq!(
            orthant::exact::Exact(still).overlaps(&moving),
            still.overlaps(&moving)
        );
        still.overlaps(&moving)
    }
}

#[test]
fn s1_last_comparison_of_the_third_snippet() {
    let (erratum, motion) = Motion::of("S1");
    assert!(motion.asked_first().is_none());
    assert_eq!(motion.snippet3(), erratum.says("printed"));
    assert_eq!(motion.hits(), erratum.says("correct"));
    assert_ne!(motion.snippet3(), motion.hits());
    assert!(motion.touch_at(0.5));
}

#[test]
fn s1b_the_same_sign_makes_a_miss_a_hit() {
    let (erratum, motion) = Motion::of("S1b");
    assert!(motion.asked_first().is_none());
    assert_eq!(motion.snippet3(), erratum.says("printed"));
    assert_eq!(motion.hits(), erratum.says("correct"));
    assert_ne!(motion.snippet3(), motion.hits());
    // The spheres are nearest at half time, and apart even then.
    assert!(!motion.touch_at(0.5));
}

#[test]
fn s2_contact_at_the_start() {
    let (erratum, motion) = Motion::of("S2");
    assert_eq!(motion.snippet1(), erratum.says("snippet1"));
    assert_eq!(motion.snippet2(), erratum.says("snippet2"));
    assert!(!motion.snippet2() && !motion.snippet3());
    assert!(motion.hits() && motion.touch_at(0.0));
    // Receding and tangential motions give the same result.
    for dv in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
        let motion = Motion { dv, ..motion };
        assert!(motion.snippet1() && motion.hits() && motion.touch_at(0.0));
        assert!(!motion.snippet2() && !motion.snippet3());
    }
}

#[test]
fn s3_graze() {
    let (erratum, motion) = Motion::of("S3");
    assert_eq!(motion.snippet2(), erratum.says("snippet2"));
    assert!(!motion.snippet2() && !motion.snippet3());
    assert_eq!(motion.hits(), erratum.says("closed_truth"));
    assert!(motion.hits() && motion.touch_at(0.5));
}

#[test]
fn s4_touch_at_the_end() {
    let (erratum, motion) = Motion::of("S4");
    assert_eq!(motion.snippet2(), erratum.says("snippet2"));
    assert!(!motion.snippet2() && !motion.snippet3());
    assert_eq!(motion.hits(), erratum.says("closed_truth"));
    assert!(motion.hits() && motion.touch_at(1.0) && !motion.touch_at(0.99));
}
