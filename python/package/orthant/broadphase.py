"""Moving boxes, and all pairs of them that overlap."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orthant import _orthant

__all__ = ["Broadphase"]


class Broadphase:
    """Moving boxes, and all pairs of them that overlap; touching counts.

    Insert, move and remove bodies at will, then call `update` once a step. Bodies have small numbers, with which you can
    index arrays: the number of a removed body is reused only after the next `update`. Threads that call at once wait for
    each other.

    Parameters
    ----------
    dim : {2, 3}, optional
        2 for the plane, 3 for space.
    margin : float, optional
        How far a body may move at little cost. No answer depends on it.

    Examples
    --------
    >>> import orthant
    >>> world = orthant.Broadphase(dim=2)
    >>> ids = world.insert([[0, 0], [5, 0]], [[1, 1], [6, 1]])
    >>> began, ended = world.update()
    >>> began.tolist(), ended.tolist()
    ([], [])
    >>> world.move(ids[:1], [[4, 0]], [[5, 1]])
    >>> began, ended = world.update()
    >>> began.tolist(), world.pairs().tolist()
    ([[0, 1]], [[0, 1]])
    >>> world
    <Broadphase of 2 bodies, dim=2>
    """

    __slots__ = ("_bodies", "_dim")

    def __init__(self, dim: int = 3, margin: float = 0.0) -> None:
        if dim not in (2, 3):
            raise ValueError(f"dim must be 2 or 3, not {dim!r}")
        self._bodies = _orthant.Bodies(dim, margin)
        self._dim = dim

    @property
    def dim(self) -> int:
        """The number of dimensions, 2 or 3."""
        return self._dim

    def __len__(self) -> int:
        return len(self._bodies)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, (int, np.integer)) and abs(int(number)) < 2**63 and self._bodies.contains(int(number))

    def __repr__(self) -> str:
        return f"<Broadphase of {len(self)} bodies, dim={self._dim}>"

    def _boxes(self, mins: ArrayLike, maxes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._corners("mins", mins), self._corners("maxes", maxes)

    def _corners(self, name: str, corners: ArrayLike) -> NDArray[np.float64]:
        array = np.require(corners, np.float64, "C")
        if array.ndim != 2 or array.shape[1] != self._dim:
            raise ValueError(f"{name} must be of shape (n, {self._dim}), and are {array.shape}")
        return array

    def insert(
        self, mins: ArrayLike, maxes: ArrayLike, motion: Literal["dynamic", "kinematic", "static"] = "dynamic"
    ) -> NDArray[np.int64]:
        """Inserts bodies, all or none.

        Parameters
        ----------
        mins, maxes : array_like, shape (n, dim)
            Their boxes.
        motion : {'dynamic', 'kinematic', 'static'}, optional
            Static bodies pair with dynamic ones only, kinematic ones with dynamic ones and each other.

        Returns
        -------
        array of int64, shape (n,)
            Their numbers.

        Raises
        ------
        ValueError
            If a coordinate is not finite or a box is invalid; the error names the row.
        """
        return self._bodies.insert(*self._boxes(mins, maxes), motion)

    def move(self, ids: ArrayLike, mins: ArrayLike, maxes: ArrayLike) -> None:
        """Gives bodies other boxes, all or none.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
        mins, maxes : array_like, shape (n, dim)

        Raises
        ------
        ValueError
            As for `insert`, and if there is no such body.
        """
        self._bodies.place(_numbers(ids), *self._boxes(mins, maxes))

    def remove(self, ids: ArrayLike) -> None:
        """Removes bodies, all or none; their pairs end with the next `update`.

        Parameters
        ----------
        ids : array_like of int, shape (n,)

        Raises
        ------
        ValueError
            If there is no such body, or one comes twice.
        """
        self._bodies.remove(_numbers(ids))

    def update(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the pairs that began and those that ended since the last update.

        Returns
        -------
        began, ended : array of int64, shape (n, 2)
            Numbers of bodies, the lower first, in an order that depends only on the calls.

        Raises
        ------
        MemoryError
            If there are more pairs than memory has room for; nothing has changed then.
        """
        return self._bodies.update()

    def events(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns what the last `update` returned, which Ctrl-C during the update may have discarded.

        Returns
        -------
        began, ended : array of int64, shape (n, 2)
        """
        return self._bodies.events()

    def pairs(self) -> NDArray[np.int64]:
        """Returns all pairs, as of the last update.

        Returns
        -------
        array of int64, shape (n, 2)
            In lexicographic order, the lower number first.
        """
        return self._bodies.pairs()

    def query(self, mins: ArrayLike, maxes: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the bodies that overlap boxes, at their present places.

        Parameters
        ----------
        mins, maxes : array_like, shape (n, dim)

        Returns
        -------
        offsets : array of int64, shape (n + 1,)
            The start of the list of each box, followed by the end of the last.
        ids : array of int64
            Ascending in each list.

        Examples
        --------
        >>> import orthant
        >>> world = orthant.Broadphase(dim=2)
        >>> _ = world.insert([[0, 0], [5, 0]], [[1, 1], [6, 1]])
        >>> offsets, ids = world.query([[1, 1], [0, 0]], [[2, 2], [9, 9]])
        >>> offsets.tolist(), ids.tolist()
        ([0, 1, 3], [0, 0, 1])
        """
        return self._bodies.query(*self._boxes(mins, maxes))

    def bounds(self, ids: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the boxes of bodies.

        Parameters
        ----------
        ids : array_like of int, shape (n,)

        Returns
        -------
        mins, maxes : array of float64, shape (n, dim)
        """
        return self._bodies.bounds(_numbers(ids))


def _numbers(ids: Any) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(ids))
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"ids must be whole numbers on one axis, and are {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, np.int64)
