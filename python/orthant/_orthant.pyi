from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tree"]

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
    def count(
        self,
        other: Tree,
        radii: list[float],
        weights: list[NDArray[np.float64]] | None,
        cumulative: bool,
    ) -> NDArray[Any]: ...
