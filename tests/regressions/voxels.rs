//! Voxels whose time has to follow the answer.

use orthant::{
    Region, Rule, Sphere, Vector, VoxelGrid, Voxelize,
    glam::{DVec2, Vec2},
};

/// The numbers of spans and of voxels, and that few blocks and rows were looked at.
fn listed<V, R>(grid: &VoxelGrid<V>, region: R) -> (u64, u64)
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let mut spans = grid.spans(region);
    let (mut count, mut voxels) = (0, 0);
    while let Some(span) = spans.next() {
        (count, voxels) = (count + 1, voxels + u64::from(span.len()));
        // Some halvings for each span, on the way to it and about its ends.
        assert!(
            spans.steps() < 2_000 * (count + 1),
            "{} for {count} in {grid:?}",
            spans.steps()
        );
    }
    assert!(
        spans.steps() < 2_000 * (count + 1),
        "{} for {count} in {grid:?}",
        spans.steps()
    );
    (count, voxels)
}

#[test]
fn a_shell_far_away_on_one_axis_costs_its_rows_on_the_other() {
    let at = Vec2::new(1e20, 0.0);
    let grid = VoxelGrid::new(at, 1.0).with_rule(Rule::Shell(0.5));
    let grid = grid.within([0, -(1 << 22)].into(), [5, 5].into());
    assert_eq!(grid.count(Sphere::new(at, 1.0)), 20);
    assert_eq!(listed(&grid, Sphere::new(at, 1.0)), (4, 20));
}

#[test]
fn a_shell_thicker_than_the_grid_costs_its_rows() {
    let grid = VoxelGrid::new(DVec2::ZERO, 1.0).with_rule(Rule::Shell(9e9));
    let grid = grid.within([-(1 << 22), 0].into(), [5, 5].into());
    assert_eq!(grid.spans(Sphere::new(DVec2::ZERO, 1.0)).count(), 5);
    let all = 5 * ((1 << 22) + 5);
    assert_eq!(listed(&grid, Sphere::new(DVec2::ZERO, 1.0)), (5, all));
}
