"""Compares lists of neighbors with a scan by NumPy, to the last bit, and with ASE, matscipy and vesin."""

import doctest
import itertools

import ase
import ase.build
import ase.neighborlist
import matscipy.neighbours
import numpy as np
import pytest
import vesin

import orthant
import orthant.neighbors


def crystal():
    return ase.build.bulk("NaCl", "rocksalt", a=5.64) * (2, 2, 2)


def shaken(atoms, by=0.1, seed=1):
    atoms.positions += np.random.default_rng(seed).normal(scale=by, size=atoms.positions.shape)
    return atoms


def sheared():
    atoms = crystal()
    atoms.set_cell(atoms.cell[:] @ np.array([[1, 0, 0], [0.7, 1, 0], [-0.4, 0.6, 1]]), scale_atoms=True)
    return shaken(atoms)


def outside():
    atoms = shaken(crystal())
    turns = np.random.default_rng(2).integers(-3, 4, atoms.positions.shape)
    atoms.positions += turns @ atoms.cell[:]
    return atoms


def left_handed():
    atoms = shaken(crystal())
    atoms.set_cell(atoms.cell[[1, 0, 2]])
    return atoms


def slab():
    return shaken(ase.build.fcc111("Cu", (3, 3, 4), vacuum=8.0))


def flat_slab():
    """The cell is periodic along two vectors, and the third is zero."""
    atoms = ase.build.fcc111("Cu", (3, 3, 2))
    atoms.set_cell([*atoms.cell[:2], [0, 0, 0]])
    atoms.pbc = (True, True, False)
    return shaken(atoms)


def chain():
    """The cell is periodic along one vector that lies askew."""
    return shaken(ase.Atoms("C6", np.outer(np.arange(6), [1.0, 0.5, 0.3]), cell=[[6, 3, 1.8], [0, 0, 0], [0, 0, 0]], pbc=(True, False, False)))


SYSTEMS = {
    "crystal": crystal,
    "shaken crystal": lambda: shaken(crystal()),
    "primitive cell, smaller than the cutoff": lambda: ase.build.bulk("Cu"),
    "sheared": sheared,
    "atoms outside of the cell": outside,
    "left-handed": left_handed,
    "slab": slab,
    "slab without a third vector": flat_slab,
    "chain": chain,
    "molecule": lambda: ase.build.molecule("C6H6"),
    "molecule in a cuboid": lambda: ase.Atoms(ase.build.molecule("CH3CH2OH"), cell=[6, 7, 8], pbc=(True, False, True)),
    "one atom": lambda: ase.Atoms("Ar", [[0.3, 0.2, 0.1]], cell=[3, 4, 5], pbc=True),
    "one atom without a cell": lambda: ase.Atoms("Ar", [[0.3, 0.2, 0.1]]),
    "none": lambda: ase.Atoms(cell=[3, 4, 5], pbc=True),
    "none without a cell": lambda: ase.Atoms(),
}


def scan(atoms, within, own=False, reach=6):
    """Returns all entries, by all images of the cell that may be near: (i, j, S, d, D) in order."""
    x, cell = atoms.positions, atoms.cell[:]
    spans = [range(-reach - 6, reach + 7) if periodic else (0,) for periodic in atoms.pbc]
    found = []
    for s in itertools.product(*spans):
        offset = s[0] * cell[0] + s[1] * cell[1] + s[2] * cell[2]
        apart = (x[None] - x[:, None]) + offset
        squares = apart * apart
        d = np.sqrt(squares[..., 0] + squares[..., 1] + squares[..., 2])
        near = d < within
        if not own and not any(s):
            np.fill_diagonal(near, False)
        for i, j in np.argwhere(near):
            found.append((i, j, *s, d[i, j], *apart[i, j]))
    return sorted(found)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", SYSTEMS)
def test_lists_are_those_of_the_scan(name, own):
    atoms = SYSTEMS[name]()
    for cutoff in (0.0, 1.5, 2.82, 3.9):
        i, j, d, D, S = orthant.neighbor_list("ijdDS", atoms, cutoff, own)
        ours = [(a, b, *s, r, *v) for a, b, r, v, s in zip(i.tolist(), j.tolist(), d.tolist(), D.tolist(), S.tolist())]
        assert ours == scan(atoms, cutoff, own)


def listed(i, j, S):
    return sorted(zip(np.asarray(i).tolist(), np.asarray(j).tolist(), map(tuple, np.asarray(S).tolist())))


@pytest.mark.parametrize("cutoff", [1.3, 3.3, 5.1, 9.7])
@pytest.mark.parametrize("name", SYSTEMS)
def test_lists_are_those_of_others(name, cutoff):
    atoms = SYSTEMS[name]()
    i, j, d, D, S = orthant.neighbor_list("ijdDS", atoms, cutoff)
    assert (np.diff(i) >= 0).all() and i.dtype == j.dtype == np.int64 and S.dtype == np.int32
    np.testing.assert_allclose(D, atoms.positions[j] - atoms.positions[i] + S @ atoms.cell[:], atol=1e-12)
    np.testing.assert_allclose(d, np.linalg.norm(D, axis=1), atol=1e-12)
    ours = listed(i, j, S)
    if len(atoms):
        theirs = ase.neighborlist.neighbor_list("ijS", atoms, cutoff)
        assert ours == listed(*theirs)
    if len(atoms) and (atoms.cell[:].any(axis=1)).all():
        theirs = matscipy.neighbours.neighbour_list("ijS", atoms, cutoff)
        assert ours == listed(*theirs)
        if atoms.pbc.all():
            of_vesin = vesin.NeighborList(cutoff=cutoff, full_list=True)
            theirs = of_vesin.compute(atoms.positions, atoms.cell[:], True, "ijS")
            assert ours == listed(*theirs)


def test_cutoffs_by_elements_and_by_atoms():
    atoms = shaken(crystal())
    for cutoff in ({("Na", "Cl"): 3.0, ("Na", "Na"): 4.5}, {("Cl", "Na"): 3.1}, {(17, 17): 4.4, ("K", "Na"): 9.0}):
        ours = orthant.neighbor_list("ijS", atoms, cutoff)
        assert listed(*ours) == listed(*ase.neighborlist.neighbor_list("ijS", atoms, cutoff))
    radii = np.random.default_rng(1).uniform(0.5, 2.0, len(atoms))
    ours = orthant.neighbor_list("ijS", atoms, radii)
    assert listed(*ours) == listed(*ase.neighborlist.neighbor_list("ijS", atoms, radii))


def test_letters_come_in_any_order_and_one_alone():
    atoms = crystal()
    i, j, d, D, S = orthant.neighbor_list("ijdDS", atoms, 3.0)
    for letters in ("Sd", "D", "jij"):
        found = orthant.neighbor_list(letters, atoms, 3.0)
        found = (found,) if len(letters) == 1 else found
        for letter, array in zip(letters, found):
            assert (array == dict(i=i, j=j, d=d, D=D, S=S)[letter]).all()


def test_positions_without_atoms():
    atoms = shaken(crystal())
    by_atoms = orthant.neighbor_list("ijd", atoms, 3.5)
    by_arrays = orthant.neighbor_list("ijd", positions=atoms.positions, cell=atoms.cell[:], pbc=True, cutoff=3.5)
    assert all((a == b).all() for a, b in zip(by_atoms, by_arrays))
    free = orthant.neighbor_list("ij", positions=atoms.positions, cutoff=3.5)
    assert listed(*free, np.zeros((len(free[0]), 3), int)) == listed(*ase.neighborlist.neighbor_list("ijS", ase.Atoms(atoms.symbols, atoms.positions), 3.5))


@pytest.mark.parametrize("name", ["shaken crystal", "sheared", "flat slab", "molecule"])
def test_a_skin_changes_no_answer(name):
    atoms = {**SYSTEMS, "flat slab": flat_slab}[name]()
    random = np.random.default_rng(3)
    near = orthant.NeighborList(3.0, skin=0.6, self_interaction=True)
    for step in range(40):
        found = near.compute("ijdDS", atoms)
        anew = orthant.neighbor_list("ijdDS", atoms, 3.0, True)
        assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(found, anew))
        atoms.positions += random.normal(scale=0.02, size=atoms.positions.shape)
    assert 1 < near.builds < 30 and len(near) >= len(found[0])
    assert f"{near.builds} builds" in repr(near)
    before = near.builds
    atoms.set_cell(atoms.cell[:] * 1.01 + np.eye(3))
    near.compute("i", atoms)
    assert near.builds == before + 1


CUBE = dict(cell=[4, 4, 4], cutoff=1.0)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: orthant.neighbor_list("ix", positions=[[0, 0, 0]], **CUBE), "'x' is none of"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0], [0, np.nan, 0]], **CUBE), r"positions\[1, 1\] is NaN"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0]], **CUBE), "shape"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, np.inf, 4], cutoff=1.0), r"cell\[1, 1\] is inf"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 0, 4], cutoff=1.0), r"cell\[1\] is zero"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[[1, 1, 0], [2, 2, 0], [0, 0, 1]], cutoff=1.0), "cell"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[[1, 1, 0], [2, 2, 0], [0, 0, 1]], pbc=[True, True, False], cutoff=1.0), "cell"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 4, 4], cutoff=-1.0), "cutoff is -1.0"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 4, 4], cutoff=1e6), "radius"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 4, 4], cutoff=[1.0, 2.0]), "one radius for each"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 4, 4], cutoff=[np.nan]), r"cutoff\[0\] is nan"),
        (lambda: orthant.neighbor_list("i", positions=[[0, 0, 0]], cell=[4, 4, 4], cutoff={("H", "H"): 1.0}), "numbers are needed"),
        (lambda: orthant.neighbor_list("i", ase.Atoms("H"), {("H", "Zz"): 1.0}), "'Zz' is no element"),
        (lambda: orthant.neighbor_list("i", ase.Atoms("H"), {"HH": 1.0}), "no pair of elements"),
        (lambda: orthant.neighbor_list("i", positions=[[1e300, 0, 0]], **CUBE), "positions|overflow"),
        (lambda: orthant.NeighborList(1.0, skin=-1.0), "skin is -1.0"),
    ],
)
def test_errors_name_what_is_wrong(question, message):
    with pytest.raises(ValueError, match=message):
        question()


def test_what_is_missing_is_a_type_error():
    for question in (lambda: orthant.neighbor_list("i", cutoff=1.0), lambda: orthant.neighbor_list("i", ase.Atoms("H")), lambda: orthant.neighbor_list("i", 3, 1.0)):
        with pytest.raises(TypeError):
            question()


def test_examples_of_the_docs():
    done = doctest.testmod(orthant.neighbors)
    assert done.attempted > 5 and not done.failed
