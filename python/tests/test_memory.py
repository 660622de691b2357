"""Answers that do not fit into memory raise `MemoryError`, and leave what was asked as it was: each in a process of its own,
which may take no more than some hundred megabytes."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

MEGABYTE = 1 << 20

PRELUDE = """
import resource
import numpy as np
import orthant
from orthant.spatial import KDTree

def refused(call, *args, **named):
    try:
        call(*args, **named)
    except MemoryError as error:
        said = str(error)
        print(said)
        return said
    raise SystemExit(f"no MemoryError of {call}")

def limit(more):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))
"""


def run(code, more):
    child = subprocess.run(
        [sys.executable, "-c", PRELUDE + f"limit({more})\n" + code], capture_output=True, text=True
    )
    assert child.returncode == 0, child.stdout + child.stderr
    return child.stdout


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")


@needs_linux
def test_more_nearest_than_memory_has_room_for():
    said = run(
        """
tree = KDTree(np.eye(3))
said = refused(tree.query, [0, 0, 0], k=10**12)
assert "1000000000000 items" in said and "8000000000000 bytes" in said
refused(tree.query, np.zeros((1000, 3)), k=10**8, p=3)
d, i = tree.query([0, 0, 0], k=5)
assert i.tolist() == [0, 1, 2, 3, 3] and d[3] == np.inf
""",
        512 * MEGABYTE,
    )
    assert "bytes" in said


@needs_linux
@pytest.mark.parametrize(
    "call",
    [
        "query_pairs(1.0)",
        "query_pairs(1.0, output_type='ndarray')",
        "query_pairs(1.0, p=1)",
        "query_ball_point_flat(x, 1.0)",
        "query_ball_point_flat(x, 1.0, workers=2)",
        "query_ball_point_flat(x, 1.0, p=np.inf)",
        "query_ball_point(x, 1.0)",
        "query_ball_tree(tree, 1.0)",
        "query_ball_tree_flat(tree, 1.0)",
        "sparse_distance_matrix(tree, 1.0, output_type='ndarray')",
        "sparse_distance_matrix(tree, 1.0, output_type='dict')",
    ],
)
def test_lists_of_coincident_points(call):
    run(
        f"""
x = np.ones((12_000, 3))
tree = KDTree(x)
refused(lambda: tree.{call})
assert tree.query_ball_point([1, 1, 1], 1.0, return_length=True) == 12_000
assert KDTree(x[:3]).query_pairs(1.0) == {{(0, 1), (0, 2), (1, 2)}}
""",
        256 * MEGABYTE,
    )


@needs_linux
def test_lists_in_a_periodic_box():
    run(
        """
x = np.ones((12_000, 3))
tree = KDTree(x, boxsize=9.0)
refused(tree.query_pairs, 1.0)
refused(tree.query_ball_point_flat, x, 1.0)
assert tree.query_ball_point([1, 1, 1], 1.0, return_length=True) == 12_000
""",
        256 * MEGABYTE,
    )


@needs_linux
def test_neighbors_of_coincident_atoms():
    run(
        """
x = np.ones((12_000, 3))
refused(orthant.neighbor_list, "ij", positions=x, cutoff=1.0)
refused(orthant.neighbor_list, "ijS", positions=x, cell=[9, 9, 9], cutoff=1.0)
near = orthant.NeighborList(1.0)
few = near.compute("i", positions=x[:2])
refused(near.compute, "i", positions=x)
assert near.compute("i", positions=x[:2]).tolist() == few.tolist() == [0, 1]
""",
        256 * MEGABYTE,
    )


@needs_linux
def test_pairs_of_coincident_bodies():
    run(
        """
world = orthant.Broadphase()
a, b = world.insert(np.zeros((2, 3)), np.ones((2, 3)))
assert world.update()[0].tolist() == [[a, b]]
many = world.insert(np.zeros((12_000, 3)), np.ones((12_000, 3)))
said = refused(world.update)
assert "items" in said and "bytes" in said
assert world.pairs().tolist() == [[a, b]]
refused(world.query, np.zeros((12_000, 3)), np.ones((12_000, 3)))
world.remove(many[1:])
began, ended = world.update()
assert began.tolist() == [[a, many[0]], [b, many[0]]] and not len(ended)
assert len(world) == 3
""",
        256 * MEGABYTE,
    )


@needs_linux
def test_voxels_of_a_ball_of_a_million():
    run(
        """
ball = orthant.Balls([0, 0, 0], 1e6)
refused(orthant.voxelize, ball, 1.0)
refused(orthant.voxelize, ball, 1.0, hollow=True)
refused(orthant.voxelize, ball, 1.0, rule="half-open")
small = orthant.voxelize(orthant.Balls([0, 0, 0], 2.0), 1.0)
refused(small.dense, (0, 0, 0), (10**6, 10**6, 10**6))
assert len(small) == 88
large = orthant.voxelize(orthant.Balls([0, 0, 0], 200.0), 1.0)
refused(large.indices)
skin = orthant.voxelize(orthant.Boxes([-800, -800, -800], [800, 800, 800]), 1.0, hollow=True)
refused(skin.enclosed, 26)
assert skin >= skin
""",
        256 * MEGABYTE,
    )


@needs_linux
@pytest.mark.parametrize(
    "call",
    [
        "orthant.VoxelSet, far",
        "orthant.VoxelSet.from_dense, dense",
        "operator.and_, solid, solid",
        "operator.or_, solid, more",
        "operator.sub, solid, more",
        "operator.xor, solid, more",
        "solid.eroded",
        "solid.dilated",
        "solid.components",
    ],
)
def test_sets_of_voxels_without_room(call):
    """There is room for what is asked, and none for as much again: sets of 64 bytes for each 8 x 8 x 8 voxels."""
    code = """
import operator
kept = []
for size in [solid, orthant.voxelize(orthant.Boxes([0, 0, 0], [200, 200, 200]), 1.0)]:
    try:
        while True:
            kept.append(size | size)
    except MemoryError:
        pass
del kept[-3:]
call, *with_what = {call},
said = refused(call, *with_what)
assert "items" in said and "bytes" in said
kept.clear()
few = orthant.VoxelSet([[0, 0, 0], [1, 0, 0], [9, 0, 0]])
assert len(few & few) == 3 and len(few.components()) == 2 and len(few.dilated().eroded()) == 3
"""
    made = """
solid = orthant.voxelize(orthant.Boxes([0, 0, 0], [900, 900, 900]), 1.0)
more = orthant.VoxelSet([[-9, 0, 0]])
far = np.arange(0, 1 << 20, 8, np.int32)[:, None] * np.array([1, 0, 0], np.int32)
dense = np.zeros((1 << 9, 1 << 9, 1 << 8), bool)
dense[::8, ::8, ::8] = True
"""
    child = subprocess.run(
        [sys.executable, "-c", PRELUDE + made + f"limit({8 * MEGABYTE})\n" + code.replace("{call}", call)],
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stdout + child.stderr


@needs_linux
def test_as_many_pairs_as_were_reported():
    """The sizes of the reports: 3 GiB of addresses in all."""
    run(
        """
tree = KDTree(np.ones((200_000, 3)))
refused(tree.query_pairs, 1.0)
refused(tree.query_pairs, 1.0, output_type="ndarray")
world = orthant.Broadphase()
world.insert(np.zeros((60_000, 3)), np.ones((60_000, 3)))
refused(world.update)
assert len(world) == 60_000 and not len(world.pairs())
""",
        3 * 1024 * MEGABYTE,
    )
