"""Voxels of shapes, and sets of them.

A voxel is named by three whole numbers: the voxel ``(i, j, k)`` is the cube from ``origin + voxel_size * (i, j, k)`` to
``origin + voxel_size * (i + 1, j + 1, k + 1)``.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orthant import _orthant

__all__ = ["Balls", "Boxes", "Capsules", "Ellipsoids", "VoxelSet", "voxelize"]


def _places(name: str, places: ArrayLike) -> NDArray[np.float64]:
    array = np.atleast_2d(np.require(places, np.float64, "C"))
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} must be of shape (n, 3), and are {np.shape(places)}")
    return array


def _lengths(name: str, lengths: ArrayLike, n: int) -> NDArray[np.float64]:
    array = np.asarray(lengths, np.float64)
    if array.ndim > 1 or array.ndim == 1 and len(array) != n:
        raise ValueError(f"{name} must be one number, or one for each of {n}, and have shape {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (n,))).reshape(n, 1)


class _Shapes:
    """Shapes of one kind, in columns."""

    def _columns(self) -> tuple[str, NDArray[np.float64], Any, Any, list[str]]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._columns()[1])


@dataclass(frozen=True, eq=False)
class Balls(_Shapes):
    """Balls, with one radius for all or one for each.

    Parameters
    ----------
    centers : array_like, shape (n, 3)
    radii : float or array_like, shape (n,)

    Examples
    --------
    >>> import orthant
    >>> len(orthant.voxelize(orthant.Balls([0, 0, 0], 2.0), 1.0))
    88
    """

    centers: ArrayLike
    radii: ArrayLike

    def _columns(self) -> tuple[str, NDArray[np.float64], Any, Any, list[str]]:
        centers = _places("centers", self.centers)
        return "balls", centers, None, _lengths("radii", self.radii, len(centers)), ["centers", "", "radii"]


@dataclass(frozen=True, eq=False)
class Boxes(_Shapes):
    """Axis-aligned boxes.

    Parameters
    ----------
    mins, maxes : array_like, shape (n, 3)
        Their least and greatest corners.

    Examples
    --------
    >>> import orthant
    >>> orthant.voxelize(orthant.Boxes([0.5, 0.5, 0.5], [1.5, 0.7, 0.7]), 1.0).tolist()
    [[0, 0, 0], [1, 0, 0]]
    """

    mins: ArrayLike
    maxes: ArrayLike

    def _columns(self) -> tuple[str, NDArray[np.float64], Any, Any, list[str]]:
        return "boxes", _places("mins", self.mins), _places("maxes", self.maxes), None, ["mins", "maxes", ""]


@dataclass(frozen=True, eq=False)
class Ellipsoids(_Shapes):
    """Axis-aligned ellipsoids.

    Parameters
    ----------
    centers, semi_axes : array_like, shape (n, 3)

    Examples
    --------
    >>> import orthant
    >>> flat = orthant.Ellipsoids([0.5, 0.5, 0.5], [2.0, 1.0, 0.25])
    >>> len(orthant.voxelize(flat, 1.0, rule="center"))
    7
    """

    centers: ArrayLike
    semi_axes: ArrayLike

    def _columns(self) -> tuple[str, NDArray[np.float64], Any, Any, list[str]]:
        names = ["centers", "semi_axes", ""]
        return "ellipsoids", _places("centers", self.centers), _places("semi_axes", self.semi_axes), None, names


@dataclass(frozen=True, eq=False)
class Capsules(_Shapes):
    """Capsules: all points within a radius of a segment, such as thick sticks or the paths of balls.

    Parameters
    ----------
    starts, ends : array_like, shape (n, 3)
    radii : float or array_like, shape (n,)

    Examples
    --------
    >>> import orthant
    >>> stick = orthant.Capsules([0.5, 0.5, 0.5], [3.5, 0.5, 0.5], 0.1)
    >>> orthant.voxelize(stick, 1.0).tolist()
    [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
    """

    starts: ArrayLike
    ends: ArrayLike
    radii: ArrayLike

    def _columns(self) -> tuple[str, NDArray[np.float64], Any, Any, list[str]]:
        starts = _places("starts", self.starts)
        radii = _lengths("radii", self.radii, len(starts))
        return "capsules", starts, _places("ends", self.ends), radii, ["starts", "ends", "radii"]


Shapes = Balls | Boxes | Ellipsoids | Capsules


class VoxelSet:
    """A sparse set of voxels, in bricks of 8 x 8 x 8 bits.

    Sets are compared and combined like Python's: ``|``, ``&``, ``-``, ``^``, ``==``, ``<=``, ``in``, ``len``; none changes.

    Parameters
    ----------
    indices : array_like of int, shape (n, 3), optional
        The voxels.

    Raises
    ------
    ValueError
        If an index is no whole number of 32 bits; the error names the row.

    Examples
    --------
    >>> from orthant import VoxelSet
    >>> row, column = VoxelSet([[0, 0, 0], [1, 0, 0]]), VoxelSet([[0, 0, 0], [0, 1, 0]])
    >>> len(row | column), (row & column).indices().tolist(), (1, 0, 0) in row - column
    (3, [[0, 0, 0]], True)
    """

    __slots__ = ("_voxels",)
    _voxels: _orthant.Voxels

    def __init__(self, indices: ArrayLike = ()) -> None:
        array = np.asarray(indices)
        if array.size == 0:
            array = np.empty((0, 3), np.int32)
        if array.ndim != 2 or array.shape[1] != 3:
            raise ValueError(f"indices must be of shape (n, 3), and are {array.shape}")
        if array.dtype.kind not in "iu":
            raise ValueError(f"indices must be whole numbers, and are {array.dtype}")
        limits = np.iinfo(np.int32)
        odd = ((array < limits.min) | (array > limits.max)).any(axis=1)
        if odd.any():
            raise ValueError(f"indices[{odd.argmax()}] is {array[odd.argmax()].tolist()}, beyond 32 bits")
        self._voxels = _orthant.Voxels(np.ascontiguousarray(array, np.int32))

    @classmethod
    def _of(cls, voxels: _orthant.Voxels) -> "VoxelSet":
        made = cls.__new__(cls)
        made._voxels = voxels
        return made

    @classmethod
    def from_dense(cls, dense: ArrayLike, start: tuple[int, int, int] = (0, 0, 0)) -> "VoxelSet":
        """Makes a set of the voxels at which a dense array is true.

        Parameters
        ----------
        dense : array_like of bool, three axes
        start : tuple of three int, optional
            The voxel of ``dense[0, 0, 0]``.

        Returns
        -------
        VoxelSet

        Examples
        --------
        >>> import numpy as np
        >>> from orthant import VoxelSet
        >>> VoxelSet.from_dense(np.eye(2)[None] > 0, start=(5, 0, 0)).indices().tolist()
        [[5, 0, 0], [5, 1, 1]]
        """
        array = np.asarray(dense)
        if array.ndim != 3 or array.dtype != np.bool_:
            raise ValueError(f"dense must be of bool and three axes, and is of {array.dtype} and {array.ndim}")
        return cls._of(_orthant.Voxels.of_dense(np.ascontiguousarray(array), start))

    def __len__(self) -> int:
        return len(self._voxels)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, voxel: object) -> bool:
        try:
            x, y, z = (operator.index(index) for index in voxel)  # type: ignore[attr-defined]
            return self._voxels.contains((x, y, z))
        except (TypeError, ValueError, OverflowError):
            return False

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Iterates over all voxels, as tuples. `indices` takes a fraction of the time."""
        return map(tuple, self.indices().tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VoxelSet) and self._voxels.equals(other._voxels)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: "VoxelSet") -> bool:
        if not isinstance(other, VoxelSet):
            return NotImplemented
        return self._voxels.is_subset(other._voxels)

    def isdisjoint(self, other: "VoxelSet") -> bool:
        """Returns true if no voxel is in both sets."""
        if not isinstance(other, VoxelSet):
            raise TypeError(f"a VoxelSet cannot be compared with {type(other).__name__}")
        return self._voxels.is_disjoint(other._voxels)

    def _with(self, other: "VoxelSet", combine: Callable[[Any, Any], _orthant.Voxels]) -> "VoxelSet":
        if not isinstance(other, VoxelSet):
            raise TypeError(f"a VoxelSet cannot be combined with {type(other).__name__}")
        return self._of(combine(self._voxels, other._voxels))

    def __or__(self, other: "VoxelSet") -> "VoxelSet":
        return self._with(other, _orthant.Voxels.union)

    def __and__(self, other: "VoxelSet") -> "VoxelSet":
        return self._with(other, _orthant.Voxels.intersection)

    def __sub__(self, other: "VoxelSet") -> "VoxelSet":
        return self._with(other, _orthant.Voxels.difference)

    def __xor__(self, other: "VoxelSet") -> "VoxelSet":
        return self._with(other, _orthant.Voxels.symmetric_difference)

    def __reduce__(self) -> tuple[Any, ...]:
        return VoxelSet, (self.indices(),)

    def __repr__(self) -> str:
        bounds = self.bounds()
        where = "" if bounds is None else f" from {bounds[0]} to {bounds[1]}"
        return f"<VoxelSet of {len(self)} voxels{where}>"

    def bounds(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """Returns the least and the greatest index on each axis, or None for the empty set."""
        bounds = self._voxels.bounds()
        if bounds is None:
            return None
        (a, b, c), (x, y, z) = bounds
        return (a, b, c), (x, y, z)

    def indices(self) -> NDArray[np.int32]:
        """Returns all voxels.

        Returns
        -------
        array of int32, shape (n, 3)
            The indices, in an order that depends only on the set.
        """
        return self._voxels.indices()

    def tolist(self) -> list[list[int]]:
        """Returns all voxels in lexicographic order, as lists of three."""
        return sorted(self.indices().tolist())

    def dense(
        self, start: tuple[int, int, int] | None = None, shape: tuple[int, int, int] | None = None
    ) -> tuple[NDArray[np.bool_], tuple[int, int, int]]:
        """Returns a dense array that is true at the voxels of a block that are in the set.

        Parameters
        ----------
        start : tuple of three int, optional
            The voxel of ``dense[0, 0, 0]``; by default the least index on each axis.
        shape : tuple of three int, optional
            The shape of the array; by default it reaches the greatest index on each axis.

        Returns
        -------
        dense : array of bool
        start : tuple of three int

        Examples
        --------
        >>> from orthant import VoxelSet
        >>> dense, start = VoxelSet([[5, 0, 0], [7, 0, 0]]).dense()
        >>> dense[:, 0, 0].tolist(), start
        ([True, False, True], (5, 0, 0))
        """
        low, high = self.bounds() or ((0, 0, 0), (-1, -1, -1))
        low = low if start is None else start
        if shape is None:
            x, y, z = (max(0, b + 1 - a) for a, b in zip(low, high))
            shape = (x, y, z)
        return self._voxels.dense(low, shape), low

    def components(self, adjacency: int = 6) -> list["VoxelSet"]:
        """Returns the connected components.

        Parameters
        ----------
        adjacency : {6, 18, 26}, optional
            Neighbors share a face (6), a face or an edge (18), or also a corner (26).

        Returns
        -------
        list of VoxelSet

        Examples
        --------
        >>> from orthant import VoxelSet
        >>> [len(part) for part in VoxelSet([[0, 0, 0], [1, 0, 0], [5, 0, 0]]).components()]
        [2, 1]
        """
        return [self._of(part) for part in self._voxels.components(adjacency)]

    def enclosed(self, adjacency: int = 6) -> "VoxelSet":
        """Returns the voxels outside of the set from which no steps outside of it lead away.

        Parameters
        ----------
        adjacency : {6, 18, 26}, optional
            The adjacency of the steps.

        Returns
        -------
        VoxelSet
        """
        return self._of(self._voxels.enclosed(adjacency))

    def filled(self, adjacency: int = 6) -> "VoxelSet":
        """Returns the set with all voxels that it encloses.

        Parameters
        ----------
        adjacency : {6, 18, 26}, optional
            The adjacency of the steps that lead out of a hole.

        Returns
        -------
        VoxelSet

        Examples
        --------
        >>> import orthant
        >>> ball = orthant.Balls([0, 0, 0], 8.0)
        >>> skin = orthant.voxelize(ball, 1.0, hollow=True)
        >>> skin.filled() == orthant.voxelize(ball, 1.0)
        True
        """
        return self | self.enclosed(adjacency)

    def dilated(self, times: int = 1, adjacency: int = 6) -> "VoxelSet":
        """Adds all neighbors of the set, `times` times.

        Parameters
        ----------
        times : int, optional
        adjacency : {6, 18, 26}, optional

        Returns
        -------
        VoxelSet

        Examples
        --------
        >>> from orthant import VoxelSet
        >>> len(VoxelSet([[0, 0, 0]]).dilated()), len(VoxelSet([[0, 0, 0]]).dilated(2, adjacency=26))
        (7, 125)
        """
        return self._of(self._voxels.grown(_times(times), adjacency))

    def eroded(self, times: int = 1, adjacency: int = 6) -> "VoxelSet":
        """Removes the voxels with a neighbor outside, `times` times.

        Parameters
        ----------
        times : int, optional
        adjacency : {6, 18, 26}, optional

        Returns
        -------
        VoxelSet
        """
        return self._of(self._voxels.grown(-_times(times), adjacency))


def _times(times: int) -> int:
    if times < 0:
        raise ValueError(f"times must not be negative, and is {times}")
    return operator.index(times)


@overload
def voxelize(
    shapes: Shapes | Iterable[Shapes],
    voxel_size: float,
    rule: str | tuple[str, float] = "closed",
    hollow: bool = False,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    output: Literal["set"] = "set",
) -> VoxelSet: ...
@overload
def voxelize(
    shapes: Shapes | Iterable[Shapes],
    voxel_size: float,
    rule: str | tuple[str, float] = "closed",
    hollow: bool = False,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    *,
    output: Literal["indices"],
) -> NDArray[np.int32]: ...
@overload
def voxelize(
    shapes: Shapes | Iterable[Shapes],
    voxel_size: float,
    rule: str | tuple[str, float] = "closed",
    hollow: bool = False,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    *,
    output: Literal["dense"],
) -> tuple[NDArray[np.bool_], tuple[int, int, int]]: ...
def voxelize(
    shapes: Shapes | Iterable[Shapes],
    voxel_size: float,
    rule: str | tuple[str, float] = "closed",
    hollow: bool = False,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    output: Literal["set", "indices", "dense"] = "set",
) -> Any:
    """Returns the voxels that shapes meet.

    Parameters
    ----------
    shapes : Balls, Boxes, Ellipsoids, Capsules, or an iterable of them
        Any number of each; a voxel that any of them meets is in the answer once.
    voxel_size : float
        The edge of a voxel.
    rule : str or tuple of str and float, optional
        When a shape meets a voxel:

        * ``"closed"``: they share a point, and touching counts;
        * ``"half-open"``: the shape and the voxel without its upper faces share a point;
        * ``"center"``: the center of the voxel is in the shape;
        * ``"thin"``: a segment through the center, from face to face, shares a point with the shape;
        * ``("shell", thickness)``: the voxel has a point within half of the thickness of the shape;
        * ``("band", half_width)``: the center of the voxel is nearer to the shape than the half width.
    hollow : bool, optional
        If true, only the surfaces of the shapes count.
    origin : array_like, shape (3,), optional
        The least corner of the voxel (0, 0, 0).
    output : {'set', 'indices', 'dense'}, optional
        A `VoxelSet`, its `VoxelSet.indices`, or its `VoxelSet.dense` array with the array's first voxel.

    Returns
    -------
    VoxelSet, array of int32 of shape (n, 3), or a dense array of bool and a tuple

    Raises
    ------
    ValueError
        If a number is not finite or a shape is invalid (the error names its row), a shape reaches beyond indices of 32
        bits, or the rule does not support a shape.
    MemoryError
        If there are more voxels than memory has room for.

    Examples
    --------
    >>> import orthant
    >>> shapes = [orthant.Balls([[0, 0, 0], [20, 0, 0]], [8.0, 3.0]), orthant.Boxes([5, -1, -1], [18, 1, 1])]
    >>> voxels = orthant.voxelize(shapes, 1.0, hollow=True)
    >>> len(voxels), len(voxels.components())
    (1572, 1)
    >>> orthant.voxelize(orthant.Balls([0.5, 0.5, 0.5], 0.1), 1.0, output="indices").tolist()
    [[0, 0, 0]]
    """
    if output not in ("set", "indices", "dense"):
        raise ValueError(f"output must be 'set', 'indices' or 'dense', not {output!r}")
    if rule in ("shell", "band"):
        raise ValueError(f"rule {rule!r} needs a length: ({rule!r}, length)")
    name, length = (rule, 0.0) if isinstance(rule, str) else rule
    corner = np.empty(3)
    corner[...] = origin
    made: VoxelSet | None = None
    for some in (shapes,) if isinstance(shapes, _Shapes) else shapes:
        if not isinstance(some, _Shapes):
            raise TypeError(f"shapes must be Balls, Boxes, Ellipsoids or Capsules, not {type(some).__name__}")
        kind, first, second, radii, names = some._columns()
        voxels = _orthant.Voxels.of_shapes(
            kind, first, second, radii, corner.tolist(), voxel_size, (name, length), hollow, names
        )
        made = VoxelSet._of(voxels) if made is None else made | VoxelSet._of(voxels)
    made = VoxelSet() if made is None else made
    if output == "set":
        return made
    return made.indices() if output == "indices" else made.dense()
