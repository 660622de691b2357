/// Which bodies meet which, whatever their boxes say.
///
/// Two bodies of the same group other than 0 always meet if it is positive, and never if it is
/// negative; all others meet if each has a category that the other's mask names. That is the rule of
/// `Box2D` (E. Catto, `b2Filter`). A mask of 0 names nothing.
///
/// ```
/// use orthant::Filter;
/// let ghost = Filter { category: 0b10, mask: 0b01, group: 0 };
/// assert!(ghost.meets(Filter::ALL)); // of category 1, any mask
/// assert!(!ghost.meets(ghost));
/// let limb = Filter { group: -7, ..Filter::ALL };
/// assert!(!limb.meets(limb) && limb.meets(Filter::ALL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// What the body is: a bit for each category, mostly one.
    pub category: u64,
    /// The categories that it meets.
    pub mask: u64,
    /// Of several parts of one thing; 0 for none.
    pub group: i32,
}

impl Filter {
    /// Category 1, which meets all: what bodies have unless told otherwise.
    pub const ALL: Self = Self {
        category: 1,
        mask: u64::MAX,
        group: 0,
    };

    /// Whether two bodies with these filters may be a pair.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}
