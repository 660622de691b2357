from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["KDTree", "cKDTree"]

class cKDTree:
    def __init__(
        self,
        data: ArrayLike,
        leafsize: SupportsIndex = 16,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: ArrayLike | None = None,
    ) -> None: ...
    @property
    def data(self) -> NDArray[np.floating[Any]]: ...
    @property
    def n(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def leafsize(self) -> int: ...
    @property
    def boxsize(self) -> NDArray[np.float64] | None: ...
    @property
    def maxes(self) -> NDArray[np.floating[Any]]: ...
    @property
    def mins(self) -> NDArray[np.floating[Any]]: ...
    @property
    def indices(self) -> NDArray[np.intp]: ...
    @property
    def tree(self) -> Any: ...
    @property
    def size(self) -> Any: ...
    def __len__(self) -> int: ...
    def __getstate__(self) -> dict[str, Any]: ...
    def __setstate__(self, state: dict[str, Any]) -> None: ...
    def query(
        self,
        x: ArrayLike,
        k: int | Sequence[int] | NDArray[np.integer[Any]] = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: float = ...,
        workers: int | None = 1,
    ) -> tuple[Any, Any]: ...
    def query_ball_point(
        self,
        x: ArrayLike,
        r: ArrayLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int | None = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> Any: ...
    def query_ball_point_flat(
        self, x: ArrayLike, r: ArrayLike, p: float = 2.0, eps: float = 0.0, workers: int | None = 1
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]: ...
    def query_ball_tree(self, other: cKDTree, r: float, p: float = 2.0, eps: float = 0.0) -> list[list[int]]: ...
    def query_ball_tree_flat(
        self, other: cKDTree, r: float, p: float = 2.0, eps: float = 0.0, workers: int | None = 1
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]: ...
    @overload
    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, output_type: Literal["set"] = "set"
    ) -> set[tuple[int, int]]: ...
    @overload
    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, *, output_type: Literal["ndarray"]
    ) -> NDArray[np.intp]: ...
    @overload
    def query_pairs(
        self, r: float, p: float, eps: float, output_type: Literal["ndarray"]
    ) -> NDArray[np.intp]: ...
    def count_neighbors(
        self,
        other: cKDTree,
        r: ArrayLike,
        p: float = 2.0,
        weights: tuple[ArrayLike | None, ArrayLike | None] | ArrayLike | None = None,
        cumulative: bool = True,
    ) -> Any: ...
    def sparse_distance_matrix(
        self,
        other: cKDTree,
        max_distance: float,
        p: float = 2.0,
        output_type: Literal["dict", "ndarray", "dok_matrix", "coo_matrix", "dok_array", "coo_array"] = "dok_matrix",
    ) -> Any: ...

class KDTree(cKDTree):
    def __init__(
        self,
        data: ArrayLike,
        leafsize: SupportsIndex = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: ArrayLike | None = None,
    ) -> None: ...
