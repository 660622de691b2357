"""Compares voxels with scans by NumPy, and voxel sets with Python's sets."""

import doctest
import pickle

import numpy as np
import pytest
import scipy.ndimage

import orthant
import orthant.voxels
from orthant import Balls, Boxes, Capsules, Ellipsoids, VoxelSet, voxelize

REACH = np.arange(-14, 14)
LOW = np.stack(np.meshgrid(REACH, REACH, REACH, indexing="ij"), axis=-1).reshape(-1, 3)


def gaps(low, high, center):
    """Returns the distances from a point to the nearest and farthest points of boxes, on each axis."""
    near = np.maximum(np.maximum(low - center, center - high), 0.0)
    return near, np.maximum(high - center, center - low)


def ball_voxels(center, radius, size, rule, hollow):
    low, high = LOW * size, (LOW + 1) * size
    if rule == "center":
        return (((low + high) / 2 - center) ** 2).sum(axis=1) <= radius * radius
    near, far = gaps(low, high, center)
    met = (near**2).sum(axis=1) <= radius * radius
    return met & ((far**2).sum(axis=1) >= radius * radius) if hollow else met


def as_set(mask):
    return set(map(tuple, LOW[mask].tolist()))


# These numbers are exact as floats, so that shapes touch exactly.
BALLS = [([0, 0, 0], 5.0), ([0.5, 0.25, -1.5], 3.25), ([1, 2, 3], 0.0), ([-3.5, 2, 0.125], 2.5), ([2, -1, 0], 3.0)]


@pytest.mark.parametrize("size", [1.0, 0.5])
@pytest.mark.parametrize(("rule", "hollow"), [("closed", False), ("closed", True), ("center", False)])
def test_balls_are_those_of_the_scan(rule, hollow, size):
    every = set()
    for center, radius in BALLS:
        scan = as_set(ball_voxels(np.array(center), radius, size, rule, hollow))
        assert set(voxelize(Balls(center, radius), size, rule, hollow)) == scan
        every |= scan
    centers, radii = zip(*BALLS)
    at_once = voxelize(Balls(centers, radii), size, rule, hollow)
    assert set(at_once) == every and len(at_once) == len(every)
    assert voxelize([Balls(*ball) for ball in BALLS], size, rule, hollow) == at_once


def test_boxes_ellipsoids_and_capsules_are_those_of_the_scan():
    low, high = LOW * 1.0, LOW + 1.0
    least, most = np.array([-2.5, 1.0, -4.0]), np.array([3.0, 2.5, -1.75])
    met = ((low <= most) & (high >= least)).all(axis=1)
    assert set(voxelize(Boxes(least, most), 1.0)) == as_set(met)
    inside = ((low > least) & (high < most)).all(axis=1)
    assert set(voxelize(Boxes(least, most), 1.0, hollow=True)) == as_set(met & ~inside)

    center, semi_axes = np.array([0.5, -1.0, 0.25]), np.array([6.0, 3.0, 1.5])
    near, _ = gaps(low, high, center)
    ratio = ((near / semi_axes) ** 2).sum(axis=1)
    ours = set(voxelize(Ellipsoids(center, semi_axes), 1.0))
    assert as_set(ratio < 1 - 1e-12) <= ours <= as_set(ratio < 1 + 1e-12)

    # Along an axis the capsule is a cylinder with two balls.
    start, end, radius = np.array([-3.0, 0.5, 0.25]), np.array([4.0, 0.5, 0.25]), 1.75
    x = np.clip(np.clip((low[:, 0] + high[:, 0]) / 2, -3.0, 4.0), low[:, 0], high[:, 0])
    on_axis = np.stack([np.clip(x, -3.0, 4.0), np.full(len(x), 0.5), np.full(len(x), 0.25)], axis=1)
    near = np.maximum(np.maximum(low - on_axis, on_axis - high), 0.0)
    met = (near**2).sum(axis=1) <= radius * radius
    assert set(voxelize(Capsules(start, end, radius), 1.0)) == as_set(met)


@pytest.mark.parametrize("rule", ["closed", "half-open", "center", "thin", ("shell", 0.75), ("band", 1.5)])
@pytest.mark.parametrize("hollow", [False, True])
def test_every_rule_takes_every_kind(rule, hollow):
    kinds = [
        Balls([[0.1, 0.2, 0.3], [7.0, 0, 0]], [3.0, 2.0]),
        Boxes([-1.2, 0.3, 0.4], [2.3, 4.5, 1.9]),
        Ellipsoids([0.5, 0.1, 0.2], [4.0, 2.0, 1.3]),
        Capsules([0.1, 0.2, 0.3], [5.3, 2.1, 0.7], 1.4),
    ]
    union = VoxelSet()
    for kind in kinds:
        voxels = voxelize(kind, 0.5, rule, hollow)
        assert len(voxels) > 10
        union |= voxels
    assert voxelize(iter(kinds), 0.5, rule, hollow) == union
    moved = voxelize(kinds, 0.5, rule, hollow, origin=(1.0, -2.0, 0.5))
    assert (np.array(sorted(moved)) + [2, -4, 1]).tolist() == union.tolist()


def test_outputs_are_the_same_set():
    balls = Balls(np.random.default_rng(1).normal(scale=4, size=(3000, 3)), 0.4)
    voxels = voxelize(balls, 0.25)
    indices = voxelize(balls, 0.25, output="indices")
    dense, start = voxelize(balls, 0.25, output="dense")
    assert indices.dtype == np.int32 and dense.dtype == np.bool_ and dense.sum() == len(indices) == len(voxels)
    assert VoxelSet(indices) == voxels == VoxelSet.from_dense(dense, start)
    assert sorted(map(tuple, (np.argwhere(dense) + start).tolist())) == sorted(voxels)
    assert pickle.loads(pickle.dumps(voxels)) == voxels
    window, _ = voxels.dense((-3, -3, -3), (5, 6, 7))
    assert window.shape == (5, 6, 7)
    assert set(map(tuple, (np.argwhere(window) - 3).tolist())) == {v for v in voxels if all(-3 <= a < e - 3 for a, e in zip(v, window.shape))}


def random_set(seed, n=300, width=6):
    return np.random.default_rng(seed).integers(-width, width, (n, 3))


def test_sets_are_as_those_of_python():
    a, b = random_set(1), random_set(2)
    ours, others = VoxelSet(a), VoxelSet(b)
    x, y = set(map(tuple, a.tolist())), set(map(tuple, b.tolist()))
    assert len(ours) == len(x) and set(ours) == x and bool(ours) and not VoxelSet()
    assert set(ours | others) == x | y and set(ours & others) == x & y
    assert set(ours - others) == x - y and set(ours ^ others) == x ^ y
    assert (ours & others) <= ours and not ours <= others and (ours - others).isdisjoint(others)
    assert all(voxel in ours for voxel in x) and (99, 0, 0) not in ours and "abc" not in ours and 3 not in ours
    assert ours == VoxelSet(a[::-1]) and ours != others and ours != x
    low, high = ours.bounds()
    assert list(low) == a.min(axis=0).tolist() and list(high) == a.max(axis=0).tolist() and VoxelSet().bounds() is None


@pytest.mark.parametrize(("adjacency", "steps"), [(6, 1), (18, 2), (26, 3)])
def test_neighbors_are_those_of_scipy(adjacency, steps):
    structure = scipy.ndimage.generate_binary_structure(3, steps)
    voxels = VoxelSet(random_set(3, 500))
    room, start = voxels.dense((-12, -12, -12), (24, 24, 24))

    def is_same(ours, dense):
        return ours == VoxelSet.from_dense(dense, start)

    parts = voxels.components(adjacency)
    labels, many = scipy.ndimage.label(room, structure)
    assert len(parts) == many
    for part in parts:
        at = np.array(part.tolist()) - start
        own = set(labels[tuple(at.T)].tolist())
        assert len(own) == 1 and (labels == own.pop()).sum() == len(part)
    for times in (0, 1, 3):
        grown = scipy.ndimage.binary_dilation(room, structure, iterations=times) if times else room
        shrunk = scipy.ndimage.binary_erosion(room, structure, iterations=times) if times else room
        assert is_same(voxels.dilated(times, adjacency), grown) and is_same(voxels.eroded(times, adjacency), shrunk)
    assert is_same(voxels.filled(adjacency), scipy.ndimage.binary_fill_holes(room, structure))
    assert voxels.filled(adjacency) - voxels == voxels.enclosed(adjacency)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: voxelize(Balls([[0, 0, 0], [0, np.nan, 0]], 1.0), 1.0), r"centers\[1, 1\] is NaN"),
        (lambda: voxelize(Balls([[0, 0, 0], [0, 0, 0]], [1.0, -1.0]), 1.0), r"balls\[1\]"),
        (lambda: voxelize(Balls([[0, 0, 0], [0, 0, 0]], [1.0, 1.0, 1.0]), 1.0), "one for each of 2"),
        (lambda: voxelize(Boxes([[0, 0, 0]], [[1, -1, 1]]), 1.0), r"boxes\[0\]"),
        (lambda: voxelize(Boxes([[0, 0, 0]], [[1, 1, 1], [2, 2, 2]]), 1.0), "other lengths"),
        (lambda: voxelize(Ellipsoids([0, 0, 0], [1, 0, 1]), 1.0), r"ellipsoids\[0\]"),
        (lambda: voxelize(Capsules([0, 0, 0], [1, 0, 0], -2.0), 1.0), r"capsules\[0\]"),
        (lambda: voxelize(Balls([[0, 0, 0], [1e12, 0, 0]], 1.0), 1.0), r"balls\[1\]"),
        (lambda: voxelize(Balls([0, 0], 1.0), 1.0), r"shape \(n, 3\)"),
        (lambda: voxelize(Balls([0, 0, 0], 1.0), 0.0), "voxel size"),
        (lambda: voxelize(Balls([0, 0, 0], 1.0), 1.0, "round"), "rule must be"),
        (lambda: voxelize(Balls([0, 0, 0], 1.0), 1.0, ("shell", -1.0)), "thickness"),
        (lambda: voxelize(Balls([0, 0, 0], 1.0), 1.0, "band"), "needs a length"),
        (lambda: voxelize(Balls([0, 0, 0], 1.0), 1.0, output="list"), "output must be"),
        (lambda: VoxelSet([[0, 0]]), r"shape \(n, 3\)"),
        (lambda: VoxelSet([[0, 0, 0], [2**31, 0, 0]]), r"indices\[1\]"),
        (lambda: VoxelSet([[0.5, 0, 0]]), "whole numbers"),
        (lambda: VoxelSet().components(7), "adjacency must be 6, 18 or 26"),
        (lambda: VoxelSet().dilated(-1), "times must not be negative"),
        (lambda: VoxelSet.from_dense(np.zeros((2, 2, 2))), "dense must be of bool"),
        (lambda: VoxelSet.from_dense(np.zeros((2, 2, 2), bool), (2**31 - 1, 0, 0)), "start is too large"),
    ],
)
def test_errors_name_what_is_wrong(question, message):
    with pytest.raises(ValueError, match=message):
        question()


def test_no_shapes_have_no_voxels():
    assert len(voxelize([], 1.0)) == len(voxelize(Balls(np.empty((0, 3)), 1.0), 1.0)) == 0
    assert voxelize([], 1.0, output="indices").shape == (0, 3) and voxelize([], 1.0, output="dense")[0].shape == (0, 0, 0)
    with pytest.raises(TypeError, match="shapes must be"):
        voxelize([3], 1.0)
    with pytest.raises(TypeError, match="combined"):
        VoxelSet() | {(0, 0, 0)}
    with pytest.raises(TypeError, match="not supported"):
        VoxelSet() <= {(0, 0, 0)}
    with pytest.raises(TypeError, match="compared"):
        VoxelSet().isdisjoint({(0, 0, 0)})


def test_examples_of_the_docs():
    done = doctest.testmod(orthant.voxels)
    assert done.attempted > 20 and not done.failed
