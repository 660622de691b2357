"""What stands on the ground: an airborne lidar survey, its ground, outliers, and trees and houses one by one.

    python examples/point_cloud.py [--out picture.png]
"""

# %% The survey: 110 000 points near Autzen Stadium, in feet.

import argparse
from pathlib import Path

import laspy
import matplotlib
import numpy as np

import orthant
from orthant.spatial import KDTree

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path("point_cloud.png"))
out = parser.parse_args().out

survey = laspy.read(Path(__file__).parents[2] / "examples" / "data" / "autzen_trim.laz")
points = np.asarray(survey.xyz) - np.asarray(survey.xyz).min(axis=0)
is_ground = np.asarray(survey.classification) == 2

# %% Outliers lie much farther from their eight nearest than is usual.

tree = KDTree(points)
d, _ = tree.query(points, k=9)
spread = d[:, 1:].mean(axis=1)
is_outlier = spread > spread.mean() + 4 * spread.std()

# %% Heights above the ground: above the mean of the four nearest ground points in the plane.

of_ground = KDTree(points[is_ground, :2])
_, near = of_ground.query(points[:, :2], k=4)
height = points[:, 2] - points[is_ground, 2][near].mean(axis=1)

# %% What is more than six feet above it, and hangs together by steps of four feet, is an object.

stands = np.flatnonzero((height > 6) & ~is_outlier)
labels = orthant.components(points[stands], 4.0)
sizes = np.bincount(labels)
is_large = sizes[labels] >= 60
objects = np.unique(labels[is_large])

# %% A picture: heights, and the objects each in a color of its own.

figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 8), constrained_layout=True)
order = np.argsort(height)
shown = upper.scatter(*points[order, :2].T, c=np.clip(height[order], 0, 60), s=0.6, cmap="viridis", linewidths=0)
upper.set_title("feet above the ground")
figure.colorbar(shown, ax=upper, shrink=0.7)
lower.scatter(*points[is_ground, :2].T, c="0.85", s=0.3, linewidths=0)
colors = np.random.default_rng(4).permutation(len(sizes))[labels[is_large]] % 20
lower.scatter(*points[stands[is_large], :2].T, c=colors, s=1.5, cmap="tab20", linewidths=0)
lower.set_title(f"{len(objects)} objects of 60 points and more")
for axes in (upper, lower):
    axes.set_aspect("equal")
    axes.set_axis_off()
figure.savefig(out, dpi=70, pil_kwargs={"optimize": True})

print(f"{len(points)} points, {is_outlier.sum()} outliers, {len(objects)} objects, the largest of {sizes.max()} points")
