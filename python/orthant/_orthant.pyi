from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Candidates", "Tree"]

@final
class Candidates:
    def __new__(
        cls,
        positions: NDArray[np.float64],
        cell: list[list[float]],
        pbc: list[bool],
        distance: float,
        own: bool,
    ) -> Candidates: ...
    def __len__(self) -> int: ...
    def lists(
        self,
        quantities: str,
        positions: NDArray[np.float64],
        cell: list[list[float]],
        limit: float,
        kinds: tuple[NDArray[np.uint32], NDArray[np.float64]] | None,
        radii: NDArray[np.float64] | None,
    ) -> tuple[NDArray[Any], ...]: ...

@final
class Tree:
    def __new__(cls, data: NDArray[Any], lengths: list[float]) -> Tree: ...
    def __len__(self) -> int: ...
    def order(self) -> NDArray[np.intp]: ...
    def nearest(
        self, x: NDArray[Any], many: int, p: float, below: float, threads: int
    ) -> tuple[NDArray[Any], NDArray[np.intp]]: ...
    def within(self, x: NDArray[Any], radii: NDArray[np.float64], p: float, form: int, threads: int) -> Any: ...
    def pairs(self, radius: float, p: float) -> NDArray[np.intp]: ...
    def groups(self, radius: float, min_points: int) -> NDArray[np.intp]: ...
    def count(
        self,
        other: Tree,
        radii: list[float],
        weights: list[NDArray[np.float64]] | None,
        cumulative: bool,
    ) -> NDArray[Any]: ...
