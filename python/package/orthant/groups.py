"""Groups of points: clusters by density, and connected components."""

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orthant.spatial import cKDTree

__all__ = ["components", "dbscan"]


def _positive(name: str, length: Any) -> float:
    if not 0 <= length < np.inf:
        raise ValueError(f"{name} is {length}, not a finite number from 0 on")
    return float(length)


def dbscan(
    points: ArrayLike | cKDTree, eps: float, min_samples: int = 5, boxsize: ArrayLike | None = None
) -> NDArray[np.intp]:
    """Clusters by density (DBSCAN), as scikit-learn finds them.

    Points with at least `min_samples` points within `eps`, themselves included, are core points; core points within `eps`
    of each other are in one cluster. A point that is no core point is in the first cluster that has a core point within
    `eps`; all other points are noise. Labels are those of scikit-learn.

    Parameters
    ----------
    points : array_like, shape (n, m), or KDTree
        Points of 1 to 4 coordinates, ``float32`` or ``float64``.
    eps : float
        The radius. A point at exactly this distance is within.
    min_samples : int, optional
        The least number of points that make a core point.
    boxsize : float or array_like, optional
        The lengths of a periodic box, as of `KDTree`.

    Returns
    -------
    array of int, shape (n,)
        The number of each point's cluster, in the order of the clusters' first core points; -1 for noise.

    Raises
    ------
    ValueError
        If a coordinate is not finite (the error names its row and column), or `eps` or `min_samples` is out of range.

    Examples
    --------
    >>> import orthant
    >>> orthant.dbscan([[0.0], [1.0], [2.0], [9.0], [5.0], [6.0]], eps=1.0, min_samples=2).tolist()
    [0, 0, 0, -1, 1, 1]
    """
    min_samples = operator.index(min_samples)
    if min_samples < 1:
        raise ValueError(f"min_samples must be at least 1, and is {min_samples}")
    labels: NDArray[np.intp] = _tree(points, boxsize)._groups(_positive("eps", eps), min_samples)
    return labels


def components(points: ArrayLike | cKDTree, radius: float, boxsize: ArrayLike | None = None) -> NDArray[np.intp]:
    """Finds connected components: two points are in one group if steps of at most `radius` lead from one to the other.

    These are friends of friends, or the connected components of the graph of all near pairs, which is not built.

    Parameters
    ----------
    points : array_like, shape (n, m), or KDTree
        Points of 1 to 4 coordinates, ``float32`` or ``float64``.
    radius : float
        The longest step.
    boxsize : float or array_like, optional
        The lengths of a periodic box, as of `KDTree`.

    Returns
    -------
    array of int, shape (n,)
        The number of each point's group, in the order of the groups' first points.

    Raises
    ------
    ValueError
        If a coordinate is not finite (the error names its row and column), or the radius is not.

    Examples
    --------
    >>> import orthant
    >>> orthant.components([[0.0], [5.0], [1.0], [2.0]], 1.0).tolist()
    [0, 1, 0, 0]
    """
    labels: NDArray[np.intp] = _tree(points, boxsize)._groups(_positive("radius", radius), 0)
    return labels


def _tree(points: Any, boxsize: Any) -> Any:
    if not isinstance(points, cKDTree):
        points = cKDTree(points, boxsize=boxsize)
        boxsize = None
    if boxsize is not None:
        raise ValueError("boxsize is that of the tree")
    return points
