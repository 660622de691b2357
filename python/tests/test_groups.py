"""Compares groups with those of scikit-learn and scipy."""

import doctest

import numpy as np
import pytest
import scipy.sparse.csgraph
import scipy.spatial
import sklearn.cluster

import orthant
import orthant.groups


def points(kind, n, m, dtype=np.float64):
    random = np.random.default_rng(n + m)
    if kind == "lattice":
        return random.integers(0, 12, (n, m)).astype(dtype) / 4
    centers = random.random((8, m))
    return (centers[random.integers(0, 8, n)] + random.normal(scale=0.05, size=(n, m))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["lattice", "clusters"])
@pytest.mark.parametrize(("eps", "min_samples"), [(0.04, 3), (0.25, 5), (0.0, 2), (0.25, 1)])
def test_clusters_are_those_of_scikit_learn(kind, m, dtype, eps, min_samples):
    x = points(kind, 600, m, dtype)
    ours = orthant.dbscan(x, eps, min_samples)
    theirs = sklearn.cluster.DBSCAN(eps=max(eps, 1e-12), min_samples=min_samples, algorithm="brute").fit(x)
    assert ours.tolist() == theirs.labels_.tolist()
    assert orthant.dbscan(orthant.spatial.KDTree(x), eps, min_samples).tolist() == ours.tolist()


@pytest.mark.parametrize("boxsize", [None, 3.0])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("radius", [0.0, 0.05, 0.25])
def test_components_are_those_of_the_graph(m, radius, boxsize):
    for kind in ("lattice", "clusters"):
        x = points(kind, 400, m) % 3.0
        ours = orthant.components(x, radius, boxsize=boxsize)
        pairs = scipy.spatial.KDTree(x, boxsize=boxsize).query_pairs(radius, output_type="ndarray")
        graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), pairs.T), (len(x), len(x)))
        many, theirs = scipy.sparse.csgraph.connected_components(graph, directed=False)
        assert ours.max() + 1 == many and len(set(zip(ours.tolist(), theirs.tolist()))) == many


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: orthant.dbscan([[0.0], [np.nan]], 1.0), r"data\[1, 0\] is NaN"),
        (lambda: orthant.dbscan([[0.0]], -1.0), "eps is -1.0"),
        (lambda: orthant.dbscan([[0.0]], np.nan), "eps is nan"),
        (lambda: orthant.dbscan([[0.0]], 1.0, 0), "min_samples must be at least 1"),
        (lambda: orthant.components([[0.0]], np.inf), "radius is inf"),
        (lambda: orthant.components(orthant.spatial.KDTree([[0.0]]), 1.0, boxsize=2.0), "boxsize is that of the tree"),
    ],
)
def test_errors_name_what_is_wrong(question, message):
    with pytest.raises(ValueError, match=message):
        question()


def test_nothing_makes_no_groups():
    assert orthant.components(np.empty((0, 3)), 1.0).shape == orthant.dbscan(np.empty((0, 2)), 1.0).shape == (0,)


def test_examples_of_the_docs():
    done = doctest.testmod(orthant.groups)
    assert done.attempted > 2 and not done.failed
