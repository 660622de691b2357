"""Trees of points with the names, arguments and answers of ``scipy.spatial``.

>>> from orthant.spatial import KDTree

replaces ``from scipy.spatial import KDTree``. Answers are exactly those of a scan over all points, and equal
on every machine, with any number of workers. There are these differences from scipy:

* Points have one to four coordinates, and ``p`` is at least 1. Anything else is a ``ValueError``.
* With ``p`` of 1, 2 and infinity, queries descend the tree. With any other ``p`` they select from the points that are near
  by infinity, with the machine's powers: this takes longer, and is equal on every machine except for their last bits.
* Of points at the same distance the one with the lowest index comes first.
* Data of ``float32`` stay ``float32``: queries are rounded to it, and so are distances, each once, for all methods.
  If squares of ``float32`` would overflow or vanish (beyond 2e18, below 1e-12), the tree computes in ``float64``. All other
  data become ``float64``. Data beyond 1e153, or all below 1e-138, are refused, since squares of ``float64`` overflow or
  vanish: scale them by a power of two.
* A reported distance is the least radius that reaches the point, which is the rounded root or the number after it. So
  ``query_ball_point(x, d)`` contains the point that ``query(x)`` found, and ``distance_upper_bound=d`` leaves it out.
* ``query`` ignores ``eps``: answers are exact. Elsewhere the radius is ``r * (1 + eps)``, the widest that scipy's
  rule allows.
* A radius that is not a number is an error; a negative one reaches nothing.
* An answer that does not fit into memory is a ``MemoryError`` with its numbers of items and bytes.
* `leafsize`, `compact_nodes` and `balanced_tree` are accepted, and change nothing. Nodes cannot be inspected (``tree``,
  ``size``).
* Lists are also available as flat arrays, which take a fraction of the time: `KDTree.query_ball_point_flat` and
  `KDTree.query_ball_tree_flat`.

Trees never change, and many threads may query them at once. Calls release the interpreter's lock, and Ctrl-C ends
them. No thread outlives its call, so that trees work in forked processes.
"""

import operator
import os
from functools import cached_property

import numpy as np

from orthant import _orthant

__all__ = ["KDTree", "cKDTree"]

# The least safe ``float64``: its last bit is worth 2**-511, and the square of that is a normal number.
_LEAST = 2.0**-459

# The forms in which the compiled module returns lists.
_FLAT, _LISTS, _LENGTHS = 0, 1, 2

# The number of pairs that are held at once if they are only counted.
_PAIRS = 1 << 22


def _real(name, array):
    array = np.asarray(array)
    if array.dtype.kind == "c":
        raise TypeError(f"KDTree does not work with complex data: {name} is {array.dtype}")
    return array


def _threads(workers):
    if workers is None:
        return 1
    workers = operator.index(workers)
    if workers == -1:
        workers = os.cpu_count()
        if workers is None:
            raise NotImplementedError(
                "Cannot determine the number of cpus using os.cpu_count(), cannot use -1 for the number of workers"
            )
    if workers < 1:
        raise ValueError(f"Invalid number of workers {workers}, must be -1 or > 0")
    return workers


def _weights(name, weights, n):
    if weights is None:
        return np.ones(n)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"{name} has shape {weights.shape}: Number of weights differ from the number of data points, {n}")
    odd = np.flatnonzero(~np.isfinite(weights))
    if odd.size:
        raise ValueError(f"{name}[{odd[0]}] is {weights[odd[0]]}, not a finite number")
    return weights


def _read_only(array):
    """Makes the array read-only, since writing to it would change no answer."""
    array.flags.writeable = False
    return array


class cKDTree:
    """A tree of points for queries of near points: `KDTree` with a leafsize of 16.

    The documentation of `KDTree` holds for it; the index of a single nearest point is a plain ``int``.

    Examples
    --------
    >>> from orthant.spatial import cKDTree
    >>> cKDTree([[0.0, 0.0], [3.0, 4.0]]).query([0.0, 1.0])
    (1.0, 0)
    """

    def __init__(self, data, leafsize=16, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        data = _real("data", data)
        dtype = np.float32 if data.dtype == np.float32 else np.float64
        data = np.array(data, dtype=dtype) if copy_data else data
        data = np.require(data, dtype, ("C", "A"))
        if data.ndim != 2:
            raise ValueError("data must be of shape (n, m), where there are n points of dimension m")
        leafsize = operator.index(leafsize)
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        if not 1 <= data.shape[1] <= 4:
            raise ValueError(
                f"data has {data.shape[1]} columns, and orthant's trees have 1 to 4: "
                "of more dimensions take scipy.spatial.KDTree, or sklearn.neighbors.BallTree"
            )
        self._data = data
        self._leafsize = leafsize
        self._boxsize = None if boxsize is None else self._box(boxsize)
        self._build()

    def _build(self):
        """Builds the tree: of ``float64`` if squares of ``float32`` would overflow or vanish."""
        odd = _orthant.out_of_range(self._data)
        self._is_wide = odd is not None and self._data.dtype == np.float32
        if self._is_wide:
            self._tree = self._wide
            return
        self._refuse("data", self._data, odd)
        if self._data.dtype == np.float64 and self.n:
            most = max(self._data.max(), -self._data.min())
            if 0 < most < _LEAST:
                raise ValueError(
                    f"data are at most {most}, and squares of their distances vanish: "
                    f"scale them, which is exact: np.ldexp(data, {-int(np.frexp(most)[1])})"
                )
        self._tree = _orthant.Tree(self._data, self._lengths())

    def _lengths(self):
        return [] if self._boxsize is None else self._boxsize.astype(self._data.dtype).tolist()

    @cached_property
    def _wide(self):
        """A tree of ``float64`` of the ``float32`` points, for numbers whose squares do not fit ``float32``."""
        return _orthant.Tree(self._data.astype(np.float64), self._lengths())

    def _refuse(self, name, array, odd):
        if odd is not None:
            row, column = odd
            raise ValueError(
                f"{name}[{row}, {column}] is {array[row, column]}, and squares of distances from there overflow: "
                f"scale data, which is exact: np.ldexp(data, {-int(np.frexp(array[row, column])[1])})"
            )

    def _box(self, boxsize):
        """Returns the lengths of the box, if all points are in it."""
        lengths = np.empty(self.m)
        lengths[...] = boxsize
        if not np.isfinite(lengths).all():
            raise ValueError(f"boxsize must be finite, and is {lengths}")
        _read_only(lengths)
        periodic = lengths > 0
        with np.errstate(invalid="ignore"):
            above = ((self._data >= lengths.astype(self._data.dtype)) & periodic).any(axis=1)
            below = ((self._data < 0) & periodic).any(axis=1)
        if above.any():
            row = above.argmax()
            raise ValueError(f"Some input data are greater than the size of the periodic box: data[{row}] is {self._data[row]}")
        if below.any():
            row = below.argmax()
            raise ValueError(f"Negative input data are outside of the periodic box: data[{row}] is {self._data[row]}")
        return lengths

    @property
    def data(self):
        """The points, an array of shape (n, m), which is copied only if necessary."""
        return self._data

    @property
    def n(self):
        """The number of points."""
        return self._data.shape[0]

    @property
    def m(self):
        """The number of coordinates of a point."""
        return self._data.shape[1]

    @property
    def leafsize(self):
        """The number that was given, which changes nothing."""
        return self._leafsize

    @property
    def boxsize(self):
        """The lengths of the periodic box, 0 on axes that are not periodic; None without a box."""
        return self._boxsize

    @property
    def maxes(self):
        """The largest coordinates."""
        return self._ends[1]

    @property
    def mins(self):
        """The least coordinates."""
        return self._ends[0]

    @cached_property
    def _ends(self):
        ends = [self._data.min(axis=0), self._data.max(axis=0)] if self.n else np.zeros((2, self.m), self._data.dtype)
        return [_read_only(end) for end in ends]

    @property
    def indices(self):
        """The indices of all points in the order of the tree, in which near points lie together."""
        return self._order

    @cached_property
    def _order(self):
        return _read_only(self._tree.order())

    @property
    def tree(self):
        """Not available: nodes cannot be inspected."""
        raise AttributeError(
            "tree: nodes are not shown, since they are no binary tree as scipy's: up to 64 children lie in columns. "
            "What is asked of a tree has its own methods"
        )

    @property
    def size(self):
        """Not available: nodes cannot be counted."""
        raise AttributeError("size: nodes are not shown, as tree says; the number of points is n")

    def __len__(self):
        return self.n

    def __repr__(self):
        box = "" if self._boxsize is None else f", boxsize={self._boxsize.tolist()}"
        return f"<{type(self).__name__} of {self.n} points, m={self.m}, {self._data.dtype}{box}>"

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key not in ("_tree", "_wide")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._build()

    # The common part of all queries.

    def _asked(self, x):
        """Returns the tree to query, the rows of x in its number type, and their shape."""
        x = np.atleast_1d(np.require(_real("x", x), self._data.dtype, ("C", "A")))
        if x.shape[-1] != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {x.shape}")
        rows, shape = x.reshape(-1, self.m), x.shape[:-1]
        odd = None if self._is_wide else _orthant.out_of_range(rows)
        if self._is_wide or odd is not None and rows.dtype == np.float32:
            return self._wide, rows.astype(np.float64), shape
        self._refuse("x", rows, odd)
        return self._tree, rows, shape

    def _radii(self, name, r, eps, shape=()):
        """Returns radii in the number type of the data, as a flat array, with one entry if it holds for all."""
        r = np.asarray(r, dtype=np.float64)
        if not eps >= 0:
            raise ValueError(f"eps must not be negative, and is {eps}")
        if r.ndim:
            of_all = np.empty(shape)
            of_all[...] = r
            r = of_all
        r = self._rounded(r.reshape(-1) * (1 + eps))
        odd = np.flatnonzero(np.isnan(r))
        if odd.size:
            raise ValueError(f"{name}[{odd[0]}] is not a number" if r.size > 1 else f"{name} is not a number")
        return r

    def _rounded(self, lengths):
        """Rounds radii to the number type of the data, whatever type the tree has. Nothing else rounds them."""
        with np.errstate(over="ignore", under="ignore"):
            return lengths.astype(self._data.dtype).astype(np.float64)

    def _given(self, distances):
        """Returns distances in the number type of the data, rounded up, so that a radius of that length reaches as far."""
        rounded = distances.astype(self._data.dtype, copy=False)
        if rounded is distances:
            return distances
        return np.where(rounded < distances, np.nextafter(rounded, rounded.dtype.type(np.inf)), rounded)

    def _both(self, other):
        """Returns this tree and another one in the same number type."""
        if self._is_wide or other._is_wide:
            return self._wide, other._wide
        return self._tree, other._tree

    def _groups(self, radius, min_points):
        return self._tree.groups(float(self._rounded(np.float64(radius))), min_points)

    def _other(self, name, other):
        """Returns another tree in the number type and the box of this one."""
        if not isinstance(other, cKDTree):
            raise TypeError(f"other must be an orthant.spatial.KDTree, not {type(other).__name__}")
        if self.m != other.m:
            raise ValueError(f"Trees passed to {name} have different dimensionality")
        lengths, others = ([] if tree._boxsize is None else tree._boxsize.tolist() for tree in (self, other))
        if self._data.dtype == other._data.dtype and (lengths == others or not max(lengths + others, default=0) > 0):
            return other
        data = np.array(other._data, dtype=self._data.dtype)
        for axis, length in enumerate(lengths):
            if length > 0:
                column = np.mod(data[:, axis], data.dtype.type(length))
                data[:, axis] = np.where(column < length, column, 0)
        return cKDTree(data, boxsize=self._boxsize)

    def _is_periodic(self):
        return self._boxsize is not None and (self._boxsize > 0).any()

    def _distances(self, i, other, j, p):
        """Returns the distances of points of this tree from points of another in the same box."""
        own, others = self._both(other)
        return own.distances(i, others, j, p)

    def _pairs_with(self, other, radius, p):
        """Yields both indices and the distances of all pairs within a radius, some millions at a time."""
        tree, x, _ = other._asked(self._data)
        lengths = tree.within(x, radius, p, _LENGTHS, 1)
        begin = 0
        ends = np.cumsum(lengths)
        while begin < self.n:
            before = ends[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + _PAIRS, side="right")))
            _, j = tree.within(x[begin:end], radius, p, _FLAT, 1)
            i = np.repeat(np.arange(begin, end), lengths[begin:end])
            yield i, j, self._distances(i, other, j, p)
            begin = end

    # The queries.

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1):
        """Returns the nearest points.

        Parameters
        ----------
        x : array_like, shape (..., m)
            The positions of the queries.
        k : int or sequence of int, optional
            The number of nearest points, or which of them to return, counted from 1.
        eps : float, optional
            Accepted, and ignored: answers are exact.
        p : float, optional
            The norm: 1 for Manhattan, 2 for Euclid, ``np.inf`` for Chebyshev, or any other from 1 on.
        distance_upper_bound : float, optional
            Only points nearer than this are returned.
        workers : int, optional
            On how many threads; -1 for as many as there are processors.

        Returns
        -------
        d : float or array, shape (...) or (..., k)
            Distances, the nearest first; infinite if there are fewer points. The last axis is missing if `k` is 1,
            but not if it is ``[1]``.
        i : int or array
            Indices, of points at the same distance the lowest first; `n` if there are fewer points.

        Raises
        ------
        ValueError
            If a number of `x` is not finite (the error names its row and column), or `p` is below 1.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        >>> d, i = tree.query([[0.9, 0.0], [4.0, 5.0]], k=2)
        >>> i.tolist()
        [[1, 0], [2, 1]]
        >>> tree.query([6.0, 5.0])[0]
        1.0
        """
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        which = np.asarray(k)
        if which.ndim > 1 or not which.size or not np.all(which == np.floor(which)) or not np.all(which >= 1):
            raise ValueError(f"k must be an integer or a sequence of integers, all at least 1, and is {k!r}")
        if not eps >= 0 or np.isnan(distance_upper_bound):
            raise ValueError(f"eps is {eps} and distance_upper_bound {distance_upper_bound}")
        which = which.astype(np.intp)
        tree, x, shape = self._asked(x)
        most = int(which.max())
        # A radius of the number before the bound reaches all points that are nearer than the bound.
        bound = self._data.dtype.type(self._rounded(np.float64(distance_upper_bound)))
        radius = bound if bound == np.inf else np.nextafter(bound, bound.dtype.type(-np.inf))
        d, i = tree.nearest(x, most, p, float(radius), _threads(workers))
        d = self._given(d)
        if which.ndim:
            if len(which) != most or (which[1:] <= which[:-1]).any():
                d, i = d[:, which - 1], i[:, which - 1]
            shape = (*shape, len(which))
        elif most > 1:
            shape = (*shape, most)
        if shape == ():
            return float(d[0, 0]), int(i[0, 0])
        return d.reshape(shape), i.reshape(shape)

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
        """Returns all points within a radius, as lists.

        Parameters
        ----------
        x : array_like, shape (..., m)
            The positions of the queries.
        r : float or array_like
            The radius, or one for each of `x`. A point at exactly this distance is within.
        p : float, optional
            The norm: 1 for Manhattan, 2 for Euclid, ``np.inf`` for Chebyshev, or any other from 1 on.
        eps : float, optional
            The radius is ``r * (1 + eps)``.
        workers : int, optional
            On how many threads; -1 for as many as there are processors.
        return_sorted : bool, optional
            Accepted, and ignored: lists are always sorted, which costs nothing.
        return_length : bool, optional
            If true, only the lengths of the lists are returned.

        Returns
        -------
        list, array of lists, int or array of int
            The indices; for several `x`, an array of their shape.

        See Also
        --------
        query_ball_point_flat : returns two arrays, several times as fast.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        >>> tree.query_ball_point([0.0, 0.0], 1.0)
        [0, 1]
        >>> tree.query_ball_point([[0.0, 0.0], [9.0, 9.0]], 1.0, return_length=True).tolist()
        [2, 0]
        """
        tree, x, shape = self._asked(x)
        r, threads = self._radii("r", r, eps, shape), _threads(workers)
        if return_length:
            return tree.within(x, r, p, _LENGTHS, threads).reshape(shape)[()]
        return tree.within(x, r, p, _LISTS, threads).reshape(shape)[()]

    def query_ball_point_flat(self, x, r, p=2.0, eps=0.0, workers=1):
        """Returns all points within a radius, with all lists concatenated.

        Parameters
        ----------
        x, r, p, eps, workers
            As for `query_ball_point`.

        Returns
        -------
        offsets : array of int, shape (q + 1,)
            The start of the list of each row of `x`, followed by the end of the last. If `x` has more than two axes, its rows count
            in their order in memory.
        indices : array of int
            The points within the radius of row ``i`` are ``indices[offsets[i]:offsets[i + 1]]``.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        >>> offsets, indices = tree.query_ball_point_flat([[0.0, 0.0], [9.0, 9.0], [5.0, 5.0]], 1.0)
        >>> offsets.tolist(), indices.tolist()
        ([0, 2, 2, 3], [0, 1, 2])
        """
        tree, x, shape = self._asked(x)
        r = self._radii("r", r, eps, shape)
        return tree.within(x, r, p, _FLAT, _threads(workers))

    def query_ball_tree(self, other, r, p=2.0, eps=0.0):
        """Returns the points of another tree within a radius of each point of this one.

        Parameters
        ----------
        other : KDTree
            The tree whose points are found, in the periodic box of this tree.
        r : float
            The radius.
        p, eps
            As for `query_ball_point`.

        Returns
        -------
        list of lists
            Indices of `other`, ascending: a list for each point of this tree.

        See Also
        --------
        query_ball_tree_flat : returns two arrays.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> stars, ships = KDTree([[0.0], [1.0]]), KDTree([[1.5], [9.0]])
        >>> stars.query_ball_tree(ships, 0.5)
        [[], [0]]
        """
        other = self._other("query_ball_tree", other)
        tree, x, _ = other._asked(self._data)
        return tree.within(x, self._radii("r", r, eps), p, _LISTS, 1).tolist()

    def query_ball_tree_flat(self, other, r, p=2.0, eps=0.0, workers=1):
        """Returns the points of another tree within a radius of each point of this one, as two arrays.

        Parameters
        ----------
        other, r, p, eps
            As for `query_ball_tree`.
        workers : int, optional
            On how many threads; -1 for as many as there are processors.

        Returns
        -------
        offsets : array of int, shape (n + 1,)
            The start of the list of each point of this tree, followed by the end of the last.
        indices : array of int
            Indices of `other`, ascending in each list.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> stars, ships = KDTree([[0.0], [1.0]]), KDTree([[1.5], [9.0]])
        >>> offsets, indices = stars.query_ball_tree_flat(ships, 0.5)
        >>> offsets.tolist(), indices.tolist()
        ([0, 0, 1], [0])
        """
        other = self._other("query_ball_tree_flat", other)
        tree, x, _ = other._asked(self._data)
        return tree.within(x, self._radii("r", r, eps), p, _FLAT, _threads(workers))

    def query_pairs(self, r, p=2.0, eps=0.0, output_type="set"):
        """Returns all pairs of points within a radius of each other, each once.

        Parameters
        ----------
        r : float
            The radius.
        p, eps
            As for `query_ball_point`.
        output_type : {'set', 'ndarray'}, optional
            An array is many times as fast.

        Returns
        -------
        set of tuples or array, shape (pairs, 2)
            Indices, the lower first; an array has the same order on every machine.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
        >>> tree.query_pairs(1.0)
        {(0, 1)}
        >>> tree.query_pairs(1.0, output_type="ndarray").tolist()
        [[0, 1]]
        """
        if output_type not in ("set", "ndarray"):
            raise ValueError(f"Invalid output type {output_type!r}: 'set' or 'ndarray'")
        pairs = self._tree.pairs(self._radii("r", r, eps)[0], p)
        return pairs if output_type == "ndarray" else set(zip(*pairs.T.tolist()))

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        """Counts the pairs of a point of this tree and one of another within one or several radii.

        Parameters
        ----------
        other : KDTree
            The other tree. It may be this one: then each point is a pair with itself, and two points are two pairs.
        r : float or array_like, one axis
            Radii, all answered at once; not decreasing unless `cumulative`.
        p : float, optional
            The norm. Norms other than 2, and a periodic box, take the time of listing all pairs.
        weights : tuple, array_like or None, optional
            Weights of the points of this tree and of `other`, either of which may be None; or one array for both, if
            they are the same tree. A pair counts as the product of its weights.
        cumulative : bool, optional
            If true, a pair counts for all radii that reach it, otherwise only for the least.

        Returns
        -------
        int, float or array
            A count for each radius; ``float`` if there are weights.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0], [1.0], [3.0]])
        >>> tree.count_neighbors(tree, [0.0, 1.0, 9.0]).tolist()
        [3, 5, 9]
        >>> tree.count_neighbors(tree, [0.0, 1.0, 9.0], cumulative=False).tolist()
        [3, 2, 4]
        """
        if np.ndim(r) > 1:
            raise ValueError("r must be either a single value or a one-dimensional array of values")
        radii = self._radii("r", r, 0, np.shape(r))
        if not cumulative and (radii[1:] < radii[:-1]).any():
            raise ValueError("r must be non-decreasing for non-cumulative counting.")
        if weights is not None and not isinstance(weights, tuple):
            if other is not self:
                raise ValueError("Two different trees are used. Specify weights for both in a tuple.")
            weights = (weights, weights)
        other = self._other("count_neighbors", other)
        own, others = (None, None) if weights is None else weights
        weights = None
        if own is not None or others is not None:
            weights = (_weights("weights[0]", own, self.n), _weights("weights[1]", others, other.n))
        if p == 2 and not self._is_periodic():
            own, others = self._both(other)
            counts = own.count(others, radii.tolist(), weights and list(weights), bool(cumulative))
        else:
            counts = self._count_listed(other, radii, p, weights, cumulative)
        return counts if np.ndim(r) else counts[0].item()

    def _count_listed(self, other, radii, p, weights, cumulative):
        """Counts by listing all pairs, by any norm and in a box."""
        steps, first, place = np.unique(radii, return_index=True, return_inverse=True)
        sums = np.zeros(len(steps) + 1, np.intp if weights is None else np.float64)
        for i, j, d in self._pairs_with(other, steps[-1:], p) if len(steps) else ():
            of_pairs = None if weights is None else weights[0][i] * weights[1][j]
            sums += np.bincount(np.searchsorted(steps, d), of_pairs, len(sums)).astype(sums.dtype)
        if cumulative:
            return np.cumsum(sums)[place]
        counts = np.zeros(len(radii), sums.dtype)
        counts[first] = sums[:-1]
        return counts

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
        """Returns the distances of all pairs of a point of this tree and one of another within a radius.

        Parameters
        ----------
        other : KDTree
            The tree of the columns, in the periodic box of this tree.
        max_distance : float
            The radius.
        p : float, optional
            The norm.
        output_type : {'dok_matrix', 'coo_matrix', 'dok_array', 'coo_array', 'dict', 'ndarray'}, optional
            Matrices and sparse arrays need scipy.

        Returns
        -------
        sparse matrix, dict or array
            A dict has tuples of indices as keys, an array the fields ``i``, ``j`` and ``v``, by row and then column.

        Examples
        --------
        >>> from orthant.spatial import KDTree
        >>> tree = KDTree([[0.0], [1.0], [3.0]])
        >>> tree.sparse_distance_matrix(tree, 1.0, output_type="dict")[0, 1]
        1.0
        """
        kinds = ("dict", "ndarray", "dok_matrix", "coo_matrix", "dok_array", "coo_array")
        if output_type not in kinds:
            raise ValueError(f"Invalid output type {output_type!r}: one of {', '.join(kinds)}")
        other = self._other("sparse_distance_matrix", other)
        parts = list(self._pairs_with(other, self._radii("max_distance", max_distance, 0), p))
        parts = [(i, j, self._given(v)) for i, j, v in parts]
        i, j, v = (np.concatenate(part) for part in zip(*parts)) if parts else (np.empty(0, t) for t in (np.intp, np.intp, float))
        if output_type == "dict":
            return dict(zip(zip(i.tolist(), j.tolist()), v.tolist()))
        if output_type == "ndarray":
            entries = np.empty(len(v), np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True))
            entries["i"], entries["j"], entries["v"] = i, j, v
            return entries
        import scipy.sparse

        form, kind = output_type.split("_")
        make = getattr(scipy.sparse, f"coo_{kind}")
        matrix = make((v.astype(np.float64, copy=False), (i, j)), shape=(self.n, other.n))
        return matrix.todok() if form == "dok" else matrix


class KDTree(cKDTree):
    """A tree of points for queries of near points.

    Parameters
    ----------
    data : array_like, shape (n, m)
        Points of 1 to 4 coordinates. ``float32`` stays, all other types become ``float64``.
    leafsize : int, optional
        Accepted if at least 1, and ignored.
    compact_nodes, balanced_tree : bool, optional
        Accepted, and ignored.
    copy_data : bool, optional
        If true, ``tree.data`` is always a copy. The tree has its own copy of all coordinates.
    boxsize : float or array_like, optional
        The lengths of a periodic box, in which ``0 <= data < boxsize``; 0 on axes that are not periodic. Distances are
        those of the nearest images, and each point is found once.

    Attributes
    ----------
    data : array, shape (n, m)
        The points.
    n, m : int
        The numbers of points and of coordinates.
    maxes, mins : array, shape (m,)
        The largest and the least coordinates.
    boxsize : array, shape (m,), or None
        The lengths of the box.
    leafsize : int
        The given number.
    indices : array of int, shape (n,)
        All indices in the order of the tree, in which near points lie together.

    Raises
    ------
    ValueError
        If a coordinate is not finite (the error names its row and column) or outside of the box, or there are more than
        four coordinates.

    Notes
    -----
    `tree`, scipy's view of the nodes, and `size`, their number, raise an ``AttributeError`` that says why. Trees are
    pickled as their data, and built anew.

    Examples
    --------
    >>> import numpy as np
    >>> from orthant.spatial import KDTree
    >>> tree = KDTree(np.mgrid[0:4, 0:4].reshape(2, -1).T)
    >>> tree
    <KDTree of 16 points, m=2, float64>
    >>> len(tree)
    16
    >>> tree.query_ball_point([2, 0], 1)
    [4, 8, 9, 12]
    >>> ring = KDTree([[0.5], [9.5]], boxsize=10)
    >>> ring.query_pairs(1.0)
    {(0, 1)}
    """

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1):
        d, i = super().query(x, k, eps, p, distance_upper_bound, workers)
        # scipy returns this type.
        return d, np.intp(i) if isinstance(i, int) else i

    query.__doc__ = cKDTree.query.__doc__
