"""A porous stone: balls packed at random, the room between them, and which of it hangs together.

    python examples/voxels.py [--out picture.png]
"""

# %% Grains of three sizes in a block, voxels of a tenth.

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import orthant

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path("voxels.png"))
out = parser.parse_args().out

random = np.random.default_rng(7)
size = 0.1
grains = orthant.Balls(random.random((420, 3)) * 10, random.choice([0.6, 0.9, 1.4], 420))
block = orthant.voxelize(orthant.Boxes([0.05] * 3, [9.95] * 3), size)
stone = orthant.voxelize(grains, size, rule="center") & block

# %% The pores are what is left. Through a large one water goes from one end to the other; small ones are closed.

pores = (block - stone).components()
pores.sort(key=len, reverse=True)
largest = pores[0]
(low, _, _), (high, _, _) = largest.bounds()
open_pores = sum(len(pore) for pore in pores[1:])

# %% A drill hole with a lining, and the walls of the largest pore that it meets: sets as Python's.

hole = orthant.voxelize(orthant.Capsules([5, 5, -1], [5, 5, 11], 0.8), size) & block
lining = hole.dilated(2) - hole
drilled = (stone - hole) | (lining & block)
walls = largest.dilated() & stone

# %% A picture: a slice through the stone, and its corner in space, coarser.

figure = plt.figure(figsize=(9, 4.4), constrained_layout=True)
left = figure.add_subplot(1, 2, 1)
image = np.zeros((100, 100))
for value, voxels in ((1, drilled), (2, largest - hole), (3, lining), (4, block - stone - largest - hole)):
    image[voxels.dense((0, 0, 50), (100, 100, 1))[0][:, :, 0]] = value
colors = matplotlib.colors.ListedColormap(["white", "#c9b79c", "#9ecae1", "#555555", "#e6550d"])
left.imshow(image.T, origin="lower", cmap=colors, vmin=0, vmax=4, extent=(0, 10, 0, 10))
left.set_title("a slice: stone, the large pore, closed pores, a lined hole", fontsize=9)
right = figure.add_subplot(1, 2, 2, projection="3d")
coarse = orthant.voxelize(grains, 0.5, rule="center") & orthant.voxelize(orthant.Boxes([0.1] * 3, [9.9] * 3), 0.5)
coarse -= orthant.voxelize(orthant.Boxes([5.1, 0.1, 5.1], [9.9, 4.9, 9.9]), 0.5)
dense, _ = coarse.dense((0, 0, 0), (20, 20, 20))
right.voxels(dense, facecolors="#c9b79c", edgecolors="#8c7b61", linewidth=0.2)
right.set_axis_off()
figure.savefig(out, dpi=90)

print(
    f"{len(stone)} of {len(block)} voxels are stone, {len(pores)} pores, the largest of {len(largest)} from {low} to {high}, "
    f"{open_pores} in the others, {len(walls)} on its walls, {len(drilled)} when drilled"
)
