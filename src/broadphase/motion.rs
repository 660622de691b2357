/// How a body moves, as far as pairs are concerned: static bodies pair with dynamic ones only.
///
/// ```
/// use orthant::{Aabb, Broadphase, Motion};
/// let mut world = Broadphase::new();
/// for motion in [Motion::Static, Motion::Kinematic, Motion::Dynamic] {
///     world.insert(Aabb::new([0.0], [1.0]), motion);
/// }
/// world.update();
/// assert_eq!(world.pairs().len(), 2); // not the first two
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// Never moves by itself: ground, walls.
    Static,
    /// Moved by the caller, not by forces: lifts, doors. Pairs with kinematic and dynamic bodies.
    Kinematic,
    /// Moved by the simulation. Pairs with everything.
    Dynamic,
}
