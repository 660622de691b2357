"""Compares trees with a scan by NumPy, and with scipy where its answers are equal."""

import doctest
import pickle
import signal
import threading
import time

import numpy as np
import pytest
import scipy.spatial

import orthant.spatial
from orthant.spatial import KDTree, cKDTree

NORMS = [1, 2, np.inf, 3, 1.5]


def points(n, m, dtype=np.float64, seed=1):
    """Makes points on a coarse lattice, so that distances tie and points coincide, and some others."""
    random = np.random.default_rng(seed)
    lattice = random.integers(0, 6, (n, m)).astype(dtype) / 4
    loose = random.random((n, m)).astype(dtype)
    return np.where(random.random((n, 1)) < 0.7, lattice, loose)


def measures(x, y, p):
    """Returns all measures: distances, or squares for the Euclidean norm, each operation rounded as in the tree."""
    apart = np.abs(x[:, None] - y[None])
    if p == np.inf:
        return apart.max(axis=-1)
    if p == 2:
        apart = apart * apart
    total = apart[..., 0]
    for axis in range(1, apart.shape[-1]):
        total = total + apart[..., axis]
    return total


def radii(squares):
    """Returns the least radii that reach squared distances."""
    roots = np.sqrt(squares)
    return np.where(roots * roots < squares, np.nextafter(roots, roots.dtype.type(np.inf)), roots)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("p", [1, 2, np.inf])
def test_nearest_are_those_of_the_scan(m, p, dtype):
    data, x = points(500, m, dtype), points(60, m, dtype, 2)
    tree, scan = KDTree(data), measures(x, data, p)
    for k in (1, 2, 9, 600):
        d, i = tree.query(x, k, p=p)
        assert d.dtype == dtype and i.dtype == np.intp
        order = np.argsort(scan, axis=1, kind="stable")[:, :k]
        near = np.take_along_axis(radii(scan) if p == 2 else scan, order, 1)
        if k == 1:
            assert (i == order[:, 0]).all() and (d == near[:, 0]).all()
        else:
            found = min(k, len(data))
            assert (i[:, :found] == order).all() and (d[:, :found] == near).all()
            assert (i[:, found:] == len(data)).all() and np.isinf(d[:, found:]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("p", [1, 2, np.inf])
@pytest.mark.parametrize("r", [0, 0.25, 0.5, 9, np.inf, -1])
def test_balls_are_those_of_the_scan(m, p, r, dtype):
    data, x = points(400, m, dtype), points(50, m, dtype, 2)
    tree = KDTree(data)
    within = measures(x, data, p) <= (dtype(r) * dtype(r) if p == 2 and r > 0 else r)
    lists = [np.flatnonzero(row).tolist() for row in within]
    assert tree.query_ball_point(x, r, p=p).tolist() == lists
    assert tree.query_ball_point(x, r, p=p, workers=3).tolist() == lists
    assert tree.query_ball_point(x[0], r, p=p) == lists[0]
    assert (tree.query_ball_point(x, r, p=p, return_length=True) == within.sum(axis=1)).all()
    offsets, indices = tree.query_ball_point_flat(x, r, p=p)
    assert offsets.tolist() == np.cumsum([0] + [len(near) for near in lists]).tolist()
    assert indices.tolist() == sum(lists, [])
    other = KDTree(x)
    assert other.query_ball_tree(tree, r, p=p) == lists
    assert other.query_ball_tree_flat(tree, r, p=p)[1].tolist() == sum(lists, [])


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("boxsize", [None, 2.0])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_answers_are_those_of_scipy(m, p, boxsize):
    # Points are in general position, since scipy orders ties by chance.
    random = np.random.default_rng(m)
    data, x = random.random((300, m)) * 2, random.random((40, m)) * 6 - 2
    ours, theirs = (kind(data, boxsize=boxsize) for kind in (KDTree, scipy.spatial.KDTree))
    other = random.random((50, m)) * 2
    others = [kind(other, boxsize=boxsize) for kind in (KDTree, scipy.spatial.KDTree)]
    for k in (1, 5, [1, 4], [2]):
        (d, i), (theirs_d, theirs_i) = ours.query(x, k, p=p), theirs.query(x, k, p=p)
        assert d.shape == theirs_d.shape and (i == theirs_i).all()
        np.testing.assert_allclose(d, theirs_d, rtol=1e-13)
    d, i = ours.query(x, 5, p=p, distance_upper_bound=0.4)
    theirs_d, theirs_i = theirs.query(x, 5, p=p, distance_upper_bound=0.4)
    assert (i == theirs_i).all()
    for r in (0.1, 0.7, np.linspace(0.0, 0.8, len(x))):
        found, expected = ours.query_ball_point(x, r, p=p), theirs.query_ball_point(x, r, p=p)
        assert [sorted(row) for row in expected] == found.tolist()
    assert ours.query_pairs(0.3, p=p) == theirs.query_pairs(0.3, p=p)
    assert ours.query_ball_tree(others[0], 0.3, p=p) == [sorted(near) for near in theirs.query_ball_tree(others[1], 0.3, p=p)]
    radii = np.linspace(0.0, 1.5, 7)
    weights = random.random(300), random.random(50)
    for cumulative in (True, False):
        counts = ours.count_neighbors(others[0], radii, p=p, cumulative=cumulative)
        assert (counts == theirs.count_neighbors(others[1], radii, p=p, cumulative=cumulative)).all()
        sums = ours.count_neighbors(others[0], radii, p=p, weights=weights, cumulative=cumulative)
        expected = theirs.count_neighbors(others[1], radii, p=p, weights=weights, cumulative=cumulative)
        np.testing.assert_allclose(sums, expected, atol=1e-9)
    for output_type in ("dict", "ndarray", "coo_matrix", "dok_matrix"):
        ours.sparse_distance_matrix(others[0], 0.4, p=p, output_type=output_type)
    found = ours.sparse_distance_matrix(others[0], 0.4, p=p, output_type="dict")
    expected = theirs.sparse_distance_matrix(others[1], 0.4, p=p, output_type="dict")
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[key] for key in expected], list(expected.values()), rtol=1e-12)


@pytest.mark.parametrize("p", [1, 2, np.inf])
@pytest.mark.parametrize("n", [0, 1, 2, 300, 20_000])
def test_pairs_come_once_with_the_lower_first(n, p):
    data = points(n, 3)
    tree, r = KDTree(data), 0.25 if n < 1000 else 0.02
    pairs = tree.query_pairs(r, p=p, output_type="ndarray")
    assert pairs.shape[1] == 2 and pairs.dtype == np.intp and (pairs[:, 0] < pairs[:, 1]).all()
    offsets, indices = tree.query_ball_point_flat(data, r, p=p)
    i = np.repeat(np.arange(n), np.diff(offsets))
    expected = np.stack([i, indices], axis=1)[i < indices]
    assert sorted(pairs.tolist()) == expected.tolist()
    assert tree.query_pairs(r, p=p) == set(map(tuple, expected.tolist()))


def test_workers_change_nothing():
    data = points(30_000, 3)
    tree = KDTree(data)
    for one, many in zip(tree.query(data, 4), tree.query(data, 4, workers=4)):
        assert (one == many).all()
    for one, many in zip(tree.query_ball_point_flat(data, 0.03), tree.query_ball_point_flat(data, 0.03, workers=-1)):
        assert (one == many).all()


@pytest.mark.parametrize("kind", [KDTree, cKDTree])
@pytest.mark.parametrize("boxsize", [None, 3, [2, 0, 4]])
def test_pickles_answer_the_same(kind, boxsize):
    data = points(200, 3, np.float32)
    tree = kind(data, leafsize=7, boxsize=boxsize)
    copy = pickle.loads(pickle.dumps(tree))
    assert type(copy) is kind and len(copy) == 200 and copy.leafsize == 7 and repr(copy) == repr(tree)
    assert copy.query_pairs(0.3) == tree.query_pairs(0.3)


def test_attributes():
    data = points(50, 2)
    tree = KDTree(data)
    assert tree.data is data and (tree.n, tree.m, len(tree)) == (50, 2, 50)
    assert (tree.mins == data.min(axis=0)).all() and (tree.maxes == data.max(axis=0)).all()
    assert sorted(tree.indices) == list(range(50))
    for name in ("tree", "size"):
        with pytest.raises(AttributeError, match="nodes are not shown"):
            getattr(tree, name)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: KDTree([[0.0, 1.0], [np.nan, 0.0]]), r"data\[1, 0\] is NaN"),
        (lambda: KDTree(np.zeros((3, 5))), "data has 5 columns"),
        (lambda: KDTree(np.zeros(3)), r"shape \(n, m\)"),
        (lambda: KDTree(np.zeros((3, 0))), "data has 0 columns"),
        (lambda: KDTree([[0.5], [2.0]], boxsize=1.0), r"data\[1\]"),
        (lambda: KDTree([[0.5], [-2.0]], boxsize=1.0), r"data\[1\]"),
        (lambda: KDTree([[0.5]], leafsize=0), "leafsize"),
        (lambda: KDTree([[0.5]]).query([[0.0], [np.inf]]), r"x\[1, 0\] is inf"),
        (lambda: KDTree([[0.5]]).query([[0.0, 1.0]]), "vectors of length 1"),
        (lambda: KDTree([[0.5]]).query([0.0], k=0), "k must be"),
        (lambda: KDTree([[0.5]]).query([0.0], p=0.5), "p must be at least 1"),
        (lambda: KDTree([[0.5]]).query([0.0], p=np.nan), "p must be at least 1"),
        (lambda: KDTree([[0.5]]).query([0.0], workers=0), "workers"),
        (lambda: KDTree([[0.5]]).query_ball_point([[0.0], [1.0]], [1.0, np.nan]), r"r\[1\]"),
        (lambda: KDTree([[0.5]]).query_ball_tree(KDTree([[0.5, 1.0]]), 1.0), "dimensionality"),
        (lambda: KDTree([[0.5]]).query_pairs(1.0, output_type="list"), "output type"),
        (lambda: KDTree([[0.5]]).count_neighbors(KDTree([[0.5]]), [1.0, 0.5], cumulative=False), "non-decreasing"),
        (lambda: KDTree([[0.5]]).count_neighbors(KDTree([[0.5]]), 1.0, weights=([np.nan], None)), r"weights\[0\]\[0\] is nan"),
    ],
)
def test_errors_name_the_row(question, message):
    with pytest.raises(ValueError, match=message):
        question()


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="complex"):
        KDTree(np.zeros((2, 2), complex))


@pytest.mark.parametrize("empty", [np.empty((0, 3)), np.empty((0, 1), np.float32)])
def test_nothing_is_near_in_an_empty_tree(empty):
    tree = KDTree(empty)
    x = np.zeros((2, empty.shape[1]))
    d, i = tree.query(x, 2)
    assert np.isinf(d).all() and (i == 0).all()
    assert tree.query_ball_point(x, 1).tolist() == [[], []] and not tree.query_pairs(1)
    assert KDTree(np.ones((4, x.shape[1]))).query(np.empty((0, x.shape[1])), 3)[0].shape == (0, 3)


def test_more_than_there_is_memory_for_is_an_error():
    with pytest.raises(MemoryError, match="no memory"):
        KDTree([[0.0]]).query(np.zeros((8, 1)), 2**60)


LONG = {
    "query": lambda tree: tree.query(tree.data, 200),
    "pairs": lambda tree: tree.query_pairs(0.5, output_type="ndarray"),
    "flat": lambda tree: tree.query_ball_point_flat(tree.data, 0.3, workers=2),
    "counts": lambda tree: tree.count_neighbors(tree, np.linspace(0.1, 0.9, 300)),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_ends_with_a_signal_and_leaves_others_alone(name):
    tree = KDTree(np.random.default_rng(1).random((100_000, 3)))
    # A shell's background processes ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(None)

    def interrupt():
        time.sleep(0.3)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threads = [threading.Thread(target=tick), threading.Thread(target=interrupt)]
    for thread in threads:
        thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            # Repeat until the signal comes.
            while True:
                LONG[name](tree)
    finally:
        done.set()
        for thread in threads:
            thread.join()
        signal.signal(signal.SIGINT, before)
    assert len(ticks) >= 5, "others did not get the interpreter's lock"


def test_examples_of_the_docs():
    done = doctest.testmod(orthant.spatial)
    assert done.attempted > 20 and not done.failed
