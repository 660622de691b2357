//! Crates for neighbors within a radius.

/// Two trees of neighbourhood: one reorders the points and counts fast, the other keeps their ids and borrows
/// the points.
pub(super) mod neighbourhood {
    use ::neighbourhood::{KdIndexTree, KdTree};
    use self_cell::self_cell;

    use crate::contestant::rebuilt::{CountContestant, SMALL, rebuilt, rebuilt_counter};
    use crate::contestant::{BatchContestant, Index, Loop, Radius, RadiusContestant, radius};
    use crate::contestants::Crate;
    use crate::race::Kind;

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn radius3(&self) -> Vec<RadiusContestant<f32, 3>> {
            vec![radius::<_, 3, Tree3>()]
        }

        fn radius3_f64(&self) -> Vec<RadiusContestant<f64, 3>> {
            vec![radius::<_, 3, TreeF64>()]
        }

        fn radius2(&self) -> Vec<RadiusContestant<f32, 2>> {
            vec![radius::<_, 2, Tree2>()]
        }

        fn lists3(&self) -> Vec<BatchContestant<f32, 3>> {
            vec![rebuilt::<_, 3, Loop<Tree3>>().up_to(SMALL)]
        }

        fn lists3_f64(&self) -> Vec<BatchContestant<f64, 3>> {
            vec![rebuilt::<_, 3, Loop<TreeF64>>().up_to(SMALL)]
        }

        fn lists2(&self) -> Vec<BatchContestant<f32, 2>> {
            vec![rebuilt::<_, 2, Loop<Tree2>>().up_to(SMALL)]
        }

        fn counts3(&self) -> Vec<CountContestant<f32, 3>> {
            vec![rebuilt_counter::<_, 3, Tree3>().up_to(SMALL)]
        }
    }

    struct Tree<C, S, const D: usize> {
        ids: C,
        /// The tree for counts, built at the first count, so that timed builds are those of the other tree.
        counts: Option<KdTree<S, D>>,
    }

    macro_rules! contestant {
        ($name:ident, $cell:ident, $index:ident, $s:ty, $d:literal) => {
            type $index<'a> = KdIndexTree<'a, $s, $d>;

            self_cell!(
                struct $cell {
                    owner: Vec<[$s; $d]>,
                    #[covariant]
                    dependent: $index,
                }
            );

            type $name = Tree<$cell, $s, $d>;

            impl Index<$s, $d> for $name {
                const NAME: &'static str = "neighbourhood";
                const KIND: Kind = Kind::Reference;

                fn build(points: &[[$s; $d]], _: $s) -> Self {
                    Self {
                        ids: $cell::new(points.to_vec(), |points| KdIndexTree::new(points)),
                        counts: None,
                    }
                }
            }

            impl Radius<$s, $d> for $name {
                fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                    let points = self.ids.borrow_owner();
                    let counts = self
                        .counts
                        .get_or_insert_with(|| KdTree::new(points.clone()));
                    counts.count_neighbourhood(center, radius)
                }

                fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                    let tree = self.ids.borrow_dependent();
                    let found = tree.neighbourhood_by_index(center, radius);
                    ids.extend(found.into_iter().map(|id| id as u32));
                }
            }
        };
    }

    contestant!(Tree2, Points2, Indices2, f32, 2);
    contestant!(Tree3, Points3, Indices3, f32, 3);
    contestant!(TreeF64, PointsF64, IndicesF64, f64, 3);
}

/// The neighborhood search of splashsurf, which reconstructs surfaces of fluids, on one thread. It lists
/// the points that are nearer than the radius, and no point as its own neighbor.
pub(super) mod splashsurf {
    use splashsurf_lib::nalgebra::Vector3;
    use splashsurf_lib::neighborhood_search::{
        FlatNeighborhoodList, neighborhood_search_spatial_hashing_flat, search_inplace,
    };
    use splashsurf_lib::{Aabb3d, Real};

    use crate::answers::Answers;
    use crate::contestant::rebuilt::lister;
    use crate::contestant::{BatchContestant, BatchRun, FlatLists};
    use crate::contestants::Crate;

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn lists3(&self) -> Vec<BatchContestant<f32, 3>> {
            vec![
                lister::<_, 3, Nested>("splashsurf"),
                lister::<_, 3, Flat>("splashsurf flat"),
            ]
        }

        fn lists3_f64(&self) -> Vec<BatchContestant<f64, 3>> {
            vec![
                lister::<_, 3, Nested>("splashsurf"),
                lister::<_, 3, Flat>("splashsurf flat"),
            ]
        }
    }

    /// A vector for each list.
    #[derive(Default)]
    struct Nested(Vec<Vec<usize>>);

    /// All lists one after the other.
    #[derive(Default)]
    struct Flat(FlatNeighborhoodList);

    /// The box around all points, grown by a cell.
    fn bounds<R: Real>(points: &[Vector3<R>], radius: R) -> Aabb3d<R> {
        let mut bounds = Aabb3d::from_points(points);
        bounds.grow_uniformly(radius);
        bounds
    }

    /// The answers, with each point added to its own list.
    fn answers<'a>(lists: impl Iterator<Item = &'a [usize]>) -> Answers {
        let mut answers = Answers::default();
        for (list, own) in lists.zip(0..) {
            answers.push(list.iter().map(|&id| id as u64).chain([own]));
        }
        answers
    }

    macro_rules! contestant {
        ($s:ty) => {
            impl BatchRun<$s, 3> for Nested {
                fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut FlatLists) -> u64 {
                    let points: &[Vector3<$s>] = bytemuck::cast_slice(points);
                    let bounds = bounds(points, radius);
                    search_inplace::<i64, $s>(&bounds, points, radius, false, &mut self.0);
                    (self.0.iter().map(Vec::len).sum::<usize>() + points.len()) as u64
                }

                fn answers(
                    &mut self,
                    points: &[[$s; 3]],
                    radius: $s,
                    out: &mut FlatLists,
                ) -> Answers {
                    self.lists(points, radius, out);
                    answers(self.0.iter().map(Vec::as_slice))
                }
            }

            impl BatchRun<$s, 3> for Flat {
                fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut FlatLists) -> u64 {
                    let points: &[Vector3<$s>] = bytemuck::cast_slice(points);
                    let bounds = bounds(points, radius);
                    neighborhood_search_spatial_hashing_flat::<i64, $s>(
                        &bounds,
                        points,
                        radius,
                        &mut self.0,
                    );
                    (self.0.neighbors.len() + points.len()) as u64
                }

                fn answers(
                    &mut self,
                    points: &[[$s; 3]],
                    radius: $s,
                    out: &mut FlatLists,
                ) -> Answers {
                    self.lists(points, radius, out);
                    let list = |i| self.0.get_neighbors(i).expect("each point has a list");
                    answers((0..points.len()).map(list))
                }
            }
        };
    }

    contestant!(f32);
    contestant!(f64);
}

/// zelll: a grid for one radius. It is queried point by point, or lists all pairs of points in neighboring cells, whose
/// distances are tested here.
pub(super) mod zelll {
    use ::zelll::CellGrid;

    use crate::contestant::ghosts::{GhostPairs, Ghosts};
    use crate::contestant::rebuilt::{
        BothWays, CountContestant, CountRun, PairRun, Rebuilt, counter, lister,
    };
    use crate::contestant::{
        BatchContestant, Index, Loop, Radius, RadiusContestant, batch, radius,
    };
    use crate::contestants::Crate;
    use crate::race::Kind;
    use crate::truth::distance_sq;

    pub(crate) struct Entries;

    impl Crate for Entries {
        fn radius3(&self) -> Vec<RadiusContestant<f32, 3>> {
            vec![radius::<_, 3, Cells<f32, 3>>()]
        }

        fn radius3_f64(&self) -> Vec<RadiusContestant<f64, 3>> {
            vec![radius::<_, 3, Cells<f64, 3>>()]
        }

        fn radius2(&self) -> Vec<RadiusContestant<f32, 2>> {
            vec![radius::<_, 2, Cells<f32, 2>>()]
        }

        fn batch3(&self) -> Vec<BatchContestant<f32, 3>> {
            vec![batch::<_, 3, Loop<Cells<f32, 3>>>()]
        }

        fn batch2(&self) -> Vec<BatchContestant<f32, 2>> {
            vec![batch::<_, 2, Loop<Cells<f32, 2>>>()]
        }

        fn lists3(&self) -> Vec<BatchContestant<f32, 3>> {
            vec![
                lister::<_, 3, BothWays<Pairs<f32, 3>>>("zelll pairs"),
                lister::<_, 3, Rebuilt<Loop<Cells<f32, 3>>>>("zelll query"),
            ]
        }

        fn lists3_f64(&self) -> Vec<BatchContestant<f64, 3>> {
            vec![
                lister::<_, 3, BothWays<Pairs<f64, 3>>>("zelll pairs"),
                lister::<_, 3, Rebuilt<Loop<Cells<f64, 3>>>>("zelll query"),
            ]
        }

        fn lists2(&self) -> Vec<BatchContestant<f32, 2>> {
            vec![
                lister::<_, 2, BothWays<Pairs<f32, 2>>>("zelll pairs"),
                lister::<_, 2, Rebuilt<Loop<Cells<f32, 2>>>>("zelll query"),
            ]
        }

        fn periodic3(&self) -> Vec<BatchContestant<f32, 3>> {
            vec![
                lister::<_, 3, GhostPairs<Pairs<f32, 3>>>("zelll pairs, ghosts"),
                lister::<_, 3, Ghosts<Cells<f32, 3>>>("zelll query, ghosts"),
            ]
        }

        fn counts3(&self) -> Vec<CountContestant<f32, 3>> {
            vec![counter::<_, 3, Pairs<f32, 3>>("zelll pairs")]
        }
    }

    struct Grid<T>(T);

    macro_rules! contestant {
        ($s:ty, $d:literal) => {
            impl Index<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
                const NAME: &'static str = "zelll";
                const KIND: Kind = Kind::Reference;
                const ONE_RADIUS: bool = true;

                fn build(points: &[[$s; $d]], radius: $s) -> Self {
                    let particles = points.iter().enumerate().map(|(id, p)| (id as u32, *p));
                    Self(CellGrid::new(particles, radius))
                }
            }

            impl Radius<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
                fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                    let limit = radius * radius;
                    let near = self.0.query_neighbors(*center).into_iter().flatten();
                    near.filter(|(_, p)| distance_sq(p, center) <= limit)
                        .count()
                }

                fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                    let limit = radius * radius;
                    if let Some(near) = self.0.query_neighbors(*center) {
                        let hits = near.filter(|(_, p)| distance_sq(p, center) <= limit);
                        ids.extend(hits.map(|(id, _)| *id));
                    }
                }
            }
        };
    }

    type Cells<S, const D: usize> = Grid<CellGrid<(u32, [S; D]), D, S>>;

    contestant!(f32, 2);
    contestant!(f32, 3);
    contestant!(f64, 3);

    /// A grid that is rebuilt in its own memory.
    struct KeptGrid<G> {
        grid: Option<G>,
        pairs: Vec<[u32; 2]>,
    }

    type Pairs<S, const D: usize> = KeptGrid<CellGrid<(u32, [S; D]), D, S>>;

    impl<G> Default for KeptGrid<G> {
        fn default() -> Self {
            Self {
                grid: None,
                pairs: Vec::new(),
            }
        }
    }

    macro_rules! pairs {
        ($s:ty, $d:literal) => {
            impl Pairs<$s, $d> {
                fn for_each(
                    &mut self,
                    points: &[[$s; $d]],
                    radius: $s,
                    mut f: impl FnMut(u32, u32),
                ) {
                    let particles = points.iter().enumerate().map(|(id, p)| (id as u32, *p));
                    let grid = match &mut self.grid {
                        Some(grid) => {
                            grid.rebuild_mut(particles, Some(radius));
                            grid
                        }
                        none => none.insert(CellGrid::new(particles, radius)),
                    };
                    let limit = radius * radius;
                    grid.particle_pairs().for_each(|((a, p), (b, q))| {
                        if distance_sq(p, q) <= limit {
                            f(*a, *b);
                        }
                    });
                }
            }

            impl PairRun<$s, $d> for Pairs<$s, $d> {
                fn pairs(&mut self, points: &[[$s; $d]], radius: $s) -> &[[u32; 2]] {
                    let mut pairs = std::mem::take(&mut self.pairs);
                    pairs.clear();
                    self.for_each(points, radius, |a, b| pairs.push([a, b]));
                    self.pairs = pairs;
                    &self.pairs
                }
            }

            impl CountRun<$s, $d> for Pairs<$s, $d> {
                fn count(&mut self, points: &[[$s; $d]], radius: $s) -> u64 {
                    let mut count = 0;
                    self.for_each(points, radius, |_, _| count += 1);
                    2 * count + points.len() as u64
                }
            }
        };
    }

    pairs!(f32, 2);
    pairs!(f32, 3);
    pairs!(f64, 3);
}
