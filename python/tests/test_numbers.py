"""Reported distances, used as radii, reach their points, in all methods and at any scale."""

import numpy as np
import pytest
import scipy.spatial

import orthant
from orthant.spatial import KDTree

# An open box, and a periodic one.
BOXES = [None, 1.0]


def test_counts_round_the_radius_as_lists_do():
    tree = KDTree(np.array([[0], [0.1]], np.float32))
    for p in (1, 2, 3, np.inf):
        assert [len(near) for near in tree.query_ball_point(tree.data, 0.1, p=p)] == [2, 2]
        assert tree.count_neighbors(tree, 0.1, p=p) == 4


@pytest.mark.parametrize("scale", [1e24, 1e-24, 1e30, 1e-30, 1e37, 1e-37])
def test_squares_of_float32_that_overflow_or_vanish(scale):
    X = np.array([[0, 0, 0], [1, 0, 0], [5, 0, 0]], np.float32) * np.float32(scale)
    tree, scipys, r = KDTree(X), scipy.spatial.KDTree(X), 2 * scale
    d, i = tree.query(X, 2)
    e, j = scipys.query(X.astype(np.float64), 2)
    assert d.dtype == np.float32 and (i == j).all() and np.allclose(d, e, rtol=1e-6, atol=0)
    assert tree.query_pairs(r) == {(0, 1)}
    assert tree.query_ball_point(X, r).tolist() == [[0, 1], [0, 1], [2]]
    assert tree.count_neighbors(tree, r) == 5
    assert orthant.dbscan(X, r, 1).tolist() == [0, 0, 1]
    assert orthant.components(X, r).tolist() == [0, 0, 1]
    assert len(tree.sparse_distance_matrix(tree, r, output_type="dict")) == 5


def test_places_far_from_float32_data_are_measured_in_float64():
    tree = KDTree(np.array([[0], [1]], np.float32))
    d, i = tree.query([[1e24], [1e-30]], 1)
    assert i.tolist() == [1, 0] or i.tolist() == [0, 0]  # both are as far away as float64 tells
    assert np.allclose(d, [1e24, 1e-30], rtol=1e-6, atol=0)
    assert tree.query_ball_point([1e-30], 1e-31) == []


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_squares_of_float64_that_overflow_or_vanish_are_refused(scale):
    with pytest.raises(ValueError, match="np.ldexp"):
        KDTree(np.array([[0], [1], [5]]) * scale)


def test_a_place_whose_distances_overflow_is_refused():
    with pytest.raises(ValueError, match=r"x\[1, 0\] is 1e\+200"):
        KDTree([[0.0], [1.0]]).query([[0.0], [1e200]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [1, 2, np.inf])
def test_distances_that_are_given_out_reach_and_bound(p, dtype):
    random = np.random.default_rng(3)
    data, x = random.random((300, 3)).astype(dtype), random.random((200, 3)).astype(dtype)
    tree = KDTree(data)
    for place in x:
        d, i = tree.query(place[None], 3, p=p)
        for d, i in zip(d[0], i[0]):
            assert i in tree.query_ball_point(place, d, p=p)
            below = tree.query(place[None], 300, p=p, distance_upper_bound=d)
            assert i not in below[1] and (below[0][np.isfinite(below[0])] < d).all()


def case(random, m, dtype, box):
    """Makes thousandths, and radii that are just reached."""
    n = int(random.integers(1, 12))
    x = (random.integers(0, 1000, (n, m)) / 1000).astype(dtype)
    y = (random.integers(0, 1000, (n, m)) / 1000).astype(dtype)
    near = np.where(random.random((n, 1)) < 0.5, x, y)
    radii = np.unique(random.integers(0, 1000, 4) / 1000)
    return KDTree(x, boxsize=box), KDTree(near, boxsize=box), radii


def whole(x):
    """Returns a number of at most 1 as a whole number of 2**-64, exactly."""
    return int(float(x) * 2.0**64)


def measure(a, b, p, box):
    """Returns the distance of two points in such numbers, or its square, exactly."""
    apart = [abs(whole(x) - whole(y)) for x, y in zip(a, b)]
    if box is not None:
        apart = [min(x, abs(whole(box) - x)) for x in apart]
    if p == 2:
        return sum(x * x for x in apart)
    return sum(apart) if p == 1 else max(apart)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [1, 2, np.inf])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_all_methods_agree(m, p, dtype, box):
    random = np.random.default_rng(m)
    for _ in range(400):
        one, other, radii = case(random, m, dtype, box)
        weights = random.integers(1, 9, one.n).astype(float), random.integers(1, 9, other.n).astype(float)
        counts = one.count_neighbors(other, radii, p=p)
        weighed = one.count_neighbors(other, radii, p=p, weights=weights)
        d, i = one.query(other.data, [*range(1, one.n + 1)], p=p)
        distance = np.empty((one.n, other.n), dtype)
        distance[i, np.arange(other.n)[:, None]] = d
        exact = {(i, j): measure(one.data[i], other.data[j], p, box) for i, j in np.ndindex(one.n, other.n)}
        slack = int(8 * float(np.finfo(dtype).eps) * 2.0 ** (128 if p == 2 else 64))
        for r, count, weight in zip(radii, counts, weighed):
            lists = other.query_ball_point(one.data, r, p=p)
            pairs = {(i, j) for i, near in enumerate(lists) for j in near}
            back = one.query_ball_point(other.data, r, p=p)
            assert pairs == {(i, j) for j, near in enumerate(back) for i in near}
            assert pairs == set(zip(*np.nonzero(distance <= dtype(r))))
            assert one.query_ball_tree(other, r, p=p) == lists.tolist()
            matrix = one.sparse_distance_matrix(other, r, p=p, output_type="dict")
            assert pairs == set(matrix) and all(v == distance[at] for at, v in matrix.items())
            assert count == len(pairs) == one.count_neighbors(other, r, p=p)
            assert weight == sum(weights[0][i] * weights[1][j] for i, j in pairs)
            own = one.query_ball_point(one.data, r, p=p)
            assert one.query_pairs(r, p=p) == {(i, j) for i, near in enumerate(own) for j in near if i < j}
            assert one.count_neighbors(one, r, p=p) == sum(map(len, own))
            # Exact arithmetic agrees wherever the distance differs from the radius by more than rounding.
            reach = whole(dtype(r)) ** (2 if p == 2 else 1)
            for at, apart in exact.items():
                if abs(apart - reach) > slack:
                    assert (at in pairs) == (apart < reach)
