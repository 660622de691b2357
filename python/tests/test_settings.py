"""Settings that may be changed take effect at the next call; all others say that they cannot be."""

import numpy as np
import pytest

import orthant

X = np.array([[0.5, 0, 0], [2.25, 0, 0], [5.0, 0, 0]])


def test_skin_takes_effect_at_the_next_compute():
    near = orthant.NeighborList(3.0, skin=0.1)
    near.compute("i", positions=X)
    pairs = len(near)
    near.skin = 2.0
    near.compute("i", positions=X)
    assert near.builds == 2 and len(near) > pairs
    near.compute("i", positions=X)
    assert near.builds == 2
    with pytest.raises(ValueError, match="skin is -1"):
        near.skin = -1
    assert near.skin == 2.0


def test_self_interaction_takes_effect_at_the_next_compute():
    near = orthant.NeighborList(3.0, skin=0.1)
    assert near.compute("i", positions=X).tolist() == [0, 1, 1, 2]
    near.self_interaction = True
    assert near.compute("i", positions=X).tolist() == [0, 0, 1, 1, 1, 2, 2]
    near.self_interaction = False
    assert near.compute("i", positions=X).tolist() == [0, 1, 1, 2]


def test_cutoff_takes_effect_at_the_next_compute():
    near = orthant.NeighborList(3.0)
    near.compute("i", positions=X)
    near.cutoff = 2.0
    assert near.compute("i", positions=X).tolist() == [0, 1]


@pytest.mark.parametrize("name", ["data", "n", "m", "leafsize", "boxsize", "maxes", "mins", "indices", "tree", "size"])
def test_a_tree_is_not_changed(name):
    tree = orthant.spatial.KDTree(X)
    with pytest.raises(AttributeError, match=f"property '{name}' of 'KDTree' object has no setter"):
        setattr(tree, name, 1)


@pytest.mark.parametrize("name", ["boxsize", "maxes", "mins", "indices"])
def test_what_a_tree_says_is_not_written_to(name):
    tree = orthant.spatial.KDTree(X, boxsize=8.0)
    with pytest.raises(ValueError, match="read-only"):
        getattr(tree, name)[0] = 1


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (orthant.Balls([[0, 0, 0]], 1.0), "radii"),
        (orthant.Boxes([[0, 0, 0]], [[1, 1, 1]]), "maxes"),
        (orthant.Ellipsoids([[0, 0, 0]], [[1, 1, 1]]), "semi_axes"),
        (orthant.Capsules([[0, 0, 0]], [[1, 1, 1]], 1.0), "ends"),
        (orthant.VoxelSet([[0, 0, 0]]), "rule"),
        (orthant.Broadphase(), "margin"),
        (orthant.NeighborList(1.0), "cut_off"),
    ],
)
def test_other_names_are_not_set(made, name):
    with pytest.raises(AttributeError):
        setattr(made, name, 2.0)


def test_what_is_counted_is_not_set():
    with pytest.raises(AttributeError):
        orthant.NeighborList(1.0).builds = 3
    with pytest.raises(AttributeError):
        orthant.Broadphase(dim=2).dim = 3
