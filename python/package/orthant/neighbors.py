"""Lists of neighboring atoms, as ASE's and matscipy's ``neighbor_list`` make them.

Quantities are arrays with an entry for each pair, both ways, sorted by ``i``, then by ``j`` and the image:

* ``i``, ``j``: the indices of an atom and its neighbor;
* ``d``: their distance;
* ``D``: the vector from ``i`` to ``j``, which is ``(x[j] - x[i]) + S @ cell``;
* ``S``: the image of the cell in which ``j`` is, three whole numbers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orthant import _orthant

__all__ = ["NeighborList", "neighbor_list"]

_LETTERS = "ijdDS"


def _atoms(atoms: Any, positions: Any, cell: Any, pbc: Any, numbers: Any) -> tuple[Any, Any, Any, Any]:
    """Returns the positions, the cell, the directions in which it is periodic, and the kinds of atoms or None."""
    if atoms is not None:
        if not all(hasattr(atoms, name) for name in ("positions", "cell", "pbc")):
            raise TypeError(f"atoms must be an ase.Atoms, or have positions, cell and pbc, and is {type(atoms).__name__}")
        positions, cell, pbc = atoms.positions, atoms.cell, atoms.pbc
        numbers = getattr(atoms, "numbers", None)
    if positions is None:
        raise TypeError("atoms, or positions, are missing")
    positions = np.require(positions, np.float64, "C")
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"positions must be of shape (n, 3), and are {positions.shape}")
    lengths = np.zeros((3, 3)) if cell is None else np.array(cell, np.float64)
    if lengths.shape == (3,):
        lengths = np.diag(lengths)
    if lengths.shape != (3, 3):
        raise ValueError(f"cell must be three vectors or three lengths, and has shape {lengths.shape}")
    odd = np.argwhere(~np.isfinite(lengths))
    if len(odd):
        row, column = odd[0]
        raise ValueError(f"cell[{row}, {column}] is {lengths[row, column]}, not a finite number")
    periodic = np.empty(3, bool)
    periodic[...] = (cell is not None) if pbc is None else pbc
    for axis in range(3):
        if periodic[axis] and not lengths[axis].any():
            raise ValueError(f"cell[{axis}] is zero, and the cell is periodic along it")
    if numbers is not None:
        numbers = np.asarray(numbers)
        if numbers.shape != (len(positions),):
            raise ValueError(f"numbers must be one for each of {len(positions)} atoms, and have shape {numbers.shape}")
    return positions, lengths, periodic, numbers


def _number(kind: Any) -> int:
    """Returns the atomic number of an element."""
    if isinstance(kind, str):
        from ase.data import atomic_numbers

        if kind not in atomic_numbers:
            raise ValueError(f"cutoff: {kind!r} is no element")
        return int(atomic_numbers[kind])
    return int(kind)


def _limits(cutoff: Any, numbers: Any, n: int) -> tuple[float, tuple[float, Any, Any]]:
    """Returns the largest cutoff, and the limits for `Candidates.lists`: one for all, kinds with a table, or radii."""
    if isinstance(cutoff, Mapping):
        if numbers is None:
            raise ValueError("cutoff is a dict of pairs of elements: then numbers are needed")
        kinds, which = np.unique(numbers, return_inverse=True)
        table = np.zeros((len(kinds), len(kinds)))
        most = 0.0
        for pair, limit in cutoff.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(f"cutoff: {pair!r} is no pair of elements")
            if not 0 <= limit < np.inf:
                raise ValueError(f"cutoff[{pair!r}] is {limit}, not a finite number from 0 on")
            a, b = (np.flatnonzero(kinds == _number(kind)) for kind in pair)
            if a.size and b.size:
                table[a[0], b[0]] = table[b[0], a[0]] = limit
                most = max(most, float(limit))
        return most, (0.0, (which.astype(np.uint32).reshape(-1), table.reshape(-1)), None)
    radii = np.asarray(cutoff, np.float64)
    if radii.ndim > 1 or radii.ndim == 1 and radii.shape != (n,):
        raise ValueError(f"cutoff must be a number, a dict or one radius for each of {n} atoms, and has shape {radii.shape}")
    odd = np.flatnonzero(~((radii.reshape(-1) >= 0) & np.isfinite(radii.reshape(-1))))
    if odd.size:
        where = f"cutoff[{odd[0]}]" if radii.ndim else "cutoff"
        raise ValueError(f"{where} is {radii.reshape(-1)[odd[0]]}, not a finite number from 0 on")
    if radii.ndim:
        return 2 * float(radii.max(initial=0.0)), (0.0, None, np.ascontiguousarray(radii))
    return float(radii), (float(radii), None, None)


def _asked(quantities: str) -> None:
    for letter in quantities:
        if letter not in _LETTERS:
            raise ValueError(f"quantities: {letter!r} is none of {', '.join(_LETTERS)}")


def _answer(arrays: tuple[NDArray[Any], ...]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays


def neighbor_list(
    quantities: str,
    atoms: Any = None,
    cutoff: Any = None,
    self_interaction: bool = False,
    *,
    positions: ArrayLike | None = None,
    cell: ArrayLike | None = None,
    pbc: ArrayLike | None = None,
    numbers: ArrayLike | None = None,
) -> Any:
    """Returns all pairs of atoms that are nearer to each other than a cutoff, with all images in a periodic cell.

    Parameters
    ----------
    quantities : str
        The quantities to list, a letter each: any of ``i``, ``j``, ``d``, ``D`` and ``S``.
    atoms : ase.Atoms, optional
        The atoms: anything with ``positions``, ``cell``, ``pbc`` and, for a dict of cutoffs, ``numbers``.
    cutoff : float, dict or array_like, shape (n,)
        One cutoff for all; one for each pair of elements, by symbol (if ASE is installed) or number, in either order;
        or a radius for each atom: then two atoms are neighbors if they are nearer than the sum of their radii. As in
        ASE, an atom at exactly the cutoff is no neighbor.
    self_interaction : bool, optional
        If true, each atom is a neighbor of itself.
    positions : array_like, shape (n, 3), optional
        The positions; this and the following arguments replace `atoms`. Atoms need not be in the cell.
    cell : array_like, shape (3, 3) or (3,), optional
        The vectors of the cell, one a row, or the lengths of a cuboid. Vectors along which it is not periodic do
        not matter. The cell may be smaller than the cutoff, down to a hundredth.
    pbc : bool or array_like of three, optional
        The directions in which the cell is periodic; all if there is a cell.
    numbers : array_like, shape (n,), optional
        The kinds of the atoms.

    Returns
    -------
    array or tuple of arrays
        One array for each letter: ``i`` and ``j`` of ``int64``, ``d`` of ``float64``, ``D`` of ``float64`` and
        shape (pairs, 3), ``S`` of ``int32`` and shape (pairs, 3).

    Raises
    ------
    ValueError
        If a position, a vector of the cell or a cutoff is not finite (the error names its row), or a letter is unknown.
    MemoryError
        If there are more pairs than memory has room for.

    Examples
    --------
    >>> import orthant
    >>> i, j, d, S = orthant.neighbor_list("ijdS", positions=[[0.5, 0, 0], [3.5, 0, 0]], cell=[4, 4, 4], cutoff=2)
    >>> i.tolist(), j.tolist(), d.tolist(), S.tolist()
    ([0, 1], [1, 0], [1.0, 1.0], [[-1, 0, 0], [1, 0, 0]])
    """
    _asked(quantities)
    if cutoff is None:
        raise TypeError("cutoff is missing")
    places, vectors, periodic, kinds = _atoms(atoms, positions, cell, pbc, numbers)
    most, limits = _limits(cutoff, kinds, len(places))
    near = _orthant.Candidates(places, vectors.tolist(), periodic.tolist(), most, self_interaction)
    return _answer(near.lists(quantities, places, vectors.tolist(), *limits))


class NeighborList:
    """Neighbors of moving atoms: pairs are searched anew only when some atom has moved by half of a skin.

    Parameters
    ----------
    cutoff : float, dict or array_like
        As for `neighbor_list`.
    skin : float, optional
        How far beyond the cutoff pairs are searched.
    self_interaction : bool, optional
        If true, each atom is a neighbor of itself.

    Attributes
    ----------
    cutoff, skin, self_interaction
        May be changed at any time; the next `compute` uses the new values.
    builds : int
        The number of searches for pairs.

    Examples
    --------
    >>> import numpy as np, orthant
    >>> near = orthant.NeighborList(2.0, skin=0.5)
    >>> x = np.array([[0.5, 0, 0], [3.5, 0, 0]])
    >>> for step in range(4):
    ...     d = near.compute("d", positions=x, cell=[4, 4, 4])
    ...     x[1, 0] -= 0.125
    >>> d.tolist(), near.builds
    ([1.375, 1.375], 2)
    """

    __slots__ = ("_builds", "_near", "_of", "_self_interaction", "_skin", "cutoff")

    def __init__(self, cutoff: Any, skin: float = 0.3, self_interaction: bool = False) -> None:
        self.cutoff = cutoff
        self.skin = skin
        self.self_interaction = self_interaction
        self._builds = 0
        self._near: Any = None
        self._of: Any = None

    @property
    def skin(self) -> float:
        """How far beyond the cutoff pairs are searched."""
        return self._skin

    @skin.setter
    def skin(self, skin: float) -> None:
        if not 0 <= skin < np.inf:
            raise ValueError(f"skin is {skin}, not a finite number from 0 on")
        self._skin = float(skin)

    @property
    def self_interaction(self) -> bool:
        """True if each atom is a neighbor of itself."""
        return self._self_interaction

    @self_interaction.setter
    def self_interaction(self, own: bool) -> None:
        self._self_interaction = bool(own)

    @property
    def builds(self) -> int:
        """The number of searches for pairs."""
        return self._builds

    def compute(
        self,
        quantities: str,
        atoms: Any = None,
        *,
        positions: ArrayLike | None = None,
        cell: ArrayLike | None = None,
        pbc: ArrayLike | None = None,
        numbers: ArrayLike | None = None,
    ) -> Any:
        """Returns what `neighbor_list` returns for the same atoms, to the last bit.

        Parameters
        ----------
        quantities, atoms, positions, cell, pbc, numbers
            As for `neighbor_list`.

        Returns
        -------
        array or tuple of arrays
            As for `neighbor_list`.
        """
        _asked(quantities)
        places, vectors, periodic, kinds = _atoms(atoms, positions, cell, pbc, numbers)
        most, limits = _limits(self.cutoff, kinds, len(places))
        settings = (self.skin, self.self_interaction)
        if self._is_old(places, vectors, periodic, most, *settings):
            near = _orthant.Candidates(
                places, vectors.tolist(), periodic.tolist(), most + settings[0], settings[1]
            )
            self._near, self._of = near, (places.copy(), vectors, periodic, most, *settings)
            self._builds += 1
        return _answer(self._near.lists(quantities, places, vectors.tolist(), *limits))

    def _is_old(self, places: Any, vectors: Any, periodic: Any, most: float, skin: float, own: bool) -> bool:
        if self._near is None:
            return True
        then, cell, axes, *settings = self._of
        if then.shape != places.shape or settings != [most, skin, own] or (cell != vectors).any() or (axes != periodic).any():
            return True
        moved = places - then
        # This is also true for NaN, which is then refused.
        return not (np.einsum("na,na->n", moved, moved) <= 0.25 * skin * skin).all()

    def __len__(self) -> int:
        """The number of pairs within the cutoff and the skin."""
        return 0 if self._near is None else len(self._near)

    def __repr__(self) -> str:
        atoms = 0 if self._near is None else len(self._of[0])
        return f"<NeighborList of {atoms} atoms, cutoff={self.cutoff!r}, skin={self.skin}, {self.builds} builds>"
