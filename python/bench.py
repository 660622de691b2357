"""Measures how many times as fast as other libraries orthant is, on one thread, side by side in one process.

    python bench.py [--quick]

Each row is the median of theirs over the median of ours, by turns, with its target beside it. The last line is the least of
those that have a target. `--quick` takes the smaller size.
"""

import argparse
import itertools
import math
import statistics
import time

import ase
import matscipy.neighbours
import numpy as np
import scipy.spatial
import vesin

import orthant.spatial

SIZES = (100_000, 1_000_000)

# What is asked of a tree, by name: the least that the speed-up shall be, and the question, of which the other's may differ.
ROWS = {
    "build": (2.5, lambda tree, x, r: type(tree)(x)),
    "8 nearest": (4, lambda tree, x, r: tree.query(x, 8)),
    "nearest": (2.5, lambda tree, x, r: tree.query(x)),
    "ball, lists": (2.5, lambda tree, x, r: tree.query_ball_point(x, r)),
    "ball, flat": (10, lambda tree, x, r: tree.query_ball_point_flat(x, r), lambda tree, x, r: tree.query_ball_point(x, r)),
    "ball, lengths": (9, lambda tree, x, r: tree.query_ball_point(x, r, return_length=True)),
    "pairs": (5, lambda tree, x, r: tree.query_pairs(r, output_type="ndarray")),
    "counts": (5, lambda tree, x, r: tree.count_neighbors(tree, np.linspace(0.1, 1.0, 10) * r)),
}


def seconds(question, *arguments):
    begin = time.perf_counter()
    question(*arguments)
    return time.perf_counter() - begin


def of_trees(size, turns):
    """The rows of points in a cube, of which about ten are within the radius of each; others are asked about."""
    random = np.random.default_rng(1)
    points, x = random.random((size, 3)), random.random((size, 3))
    radius = (10 / size * 0.75 / math.pi) ** (1 / 3)
    trees = orthant.spatial.cKDTree(points), scipy.spatial.cKDTree(points)
    for name, (target, *questions) in ROWS.items():
        both = questions[0], questions[-1]
        took = [[seconds(question, tree, x, radius) for question, tree in zip(both, trees)] for _ in range(turns)]
        ours, theirs = (statistics.median(of) for of in zip(*took))
        yield f"{name} {size}", target, theirs / ours


def of_atoms(size, turns):
    """Sorted lists of atoms in a periodic box with 27 neighbors each."""
    x = np.random.default_rng(1).random((size, 3)) * size ** (1 / 3)
    box, cutoff = np.eye(3) * size ** (1 / 3), (27 * 0.75 / math.pi) ** (1 / 3)
    atoms = ase.Atoms(numbers=np.ones(size), positions=x, cell=box, pbc=True)
    of_vesin, unsorted = (
        vesin.NeighborList(cutoff=cutoff, full_list=True, sorted=is_sorted, n_threads=1) for is_sorted in (True, False)
    )
    questions = {
        "vesin": lambda: of_vesin.compute(x, box, True, "ijdDS"),
        "matscipy": lambda: matscipy.neighbours.neighbour_list("ijdDS", atoms, cutoff),
        "vesin unsorted": lambda: unsorted.compute(x, box, True, "ijdDS"),
        "ours": lambda: orthant.neighbor_list("ijdDS", atoms, cutoff),
    }
    took = [[seconds(question) for question in questions.values()] for _ in range(turns)]
    *theirs, ours = (statistics.median(of) for of in zip(*took))
    for name, target, other in zip(questions, (4, 6, None), theirs):
        yield f"neighbor_list {size}, {name}", target, other / ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the smaller size")
    quick = parser.parse_args().quick
    rows = []
    of_all = [of_trees(size, 3) for size in (SIZES[:1] if quick else SIZES)]
    for row in itertools.chain(*of_all, of_atoms(SIZES[0], 5)):
        name, target, times = row
        print(f"{name:36} {times:6.2f} ({f'at least {target}' if target else 'not counted'})", flush=True)
        if target:
            rows.append(row)
    name, _, least = min(rows, key=lambda row: row[2])
    print(f"least speed-up {least:.2f} at {name}")


if __name__ == "__main__":
    main()
