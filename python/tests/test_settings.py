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


@pytest.mark.parametrize("name", ["data", "n", "m", "leafsize", "boxsize", "tree", "size"])
def test_a_tree_is_not_changed(name):
    with pytest.raises(AttributeError):
        setattr(orthant.spatial.KDTree(X), name, 1)


def test_what_is_counted_is_not_set():
    with pytest.raises(AttributeError):
        orthant.NeighborList(1.0).builds = 3
    with pytest.raises(AttributeError):
        orthant.Broadphase(dim=2).dim = 3
