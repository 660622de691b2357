"""How water is arranged: neighbors of atoms in a periodic cube, over a hundred frames of molecular dynamics.

    python examples/molecules.py [--out picture.png]
"""

# %% The trajectory: 99 molecules in a cube of 15 Å, the oxygen of each first.

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import orthant

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path("molecules.png"))
out = parser.parse_args().out

frames = np.fromfile(Path(__file__).parent / "data" / "water.f32.bin", "<f4").reshape(100, 297, 3).astype(float)
edge, cutoff = 15.0, 7.5
numbers = np.tile([8, 1, 1], 99)

# %% Which oxygens and hydrogens are how far apart, frame by frame. Pairs are looked for anew only when an atom has moved by
# half of the skin.

bins = np.linspace(0.0, cutoff, 151)
counts = {pair: np.zeros(len(bins) - 1) for pair in ("OO", "OH", "HH")}
bonds = []
near = orthant.NeighborList(cutoff, skin=1.0)
for positions in frames:
    i, j, d, D = near.compute("ijdD", positions=positions, cell=[edge] * 3)
    kinds = numbers[i] + numbers[j]
    for pair, kind in (("OO", 16), ("OH", 9), ("HH", 2)):
        counts[pair] += np.histogram(d[kinds == kind], bins)[0]
    # A hydrogen bond: an oxygen within 2.45 Å of a hydrogen of another molecule.
    bonds.append(((numbers[i] == 1) & (numbers[j] == 8) & (i // 3 != j // 3) & (d < 2.45)).sum() / 99)

# %% Radial distribution functions: how much more there is at a distance than if atoms lay anywhere.

volumes = np.diff(4 / 3 * np.pi * bins**3)
middles = (bins[1:] + bins[:-1]) / 2
some = {"OO": (99, 98), "OH": (2 * 99, 198), "HH": (198, 197)}
g = {pair: counts[pair] / len(frames) / (a * b * volumes / edge**3) for pair, (a, b) in some.items()}
peak = middles[(middles > 2) & (middles < 4)][g["OO"][(middles > 2) & (middles < 4)].argmax()]

# %% A picture: the functions beyond the molecule itself, and one frame with its hydrogen bonds.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), constrained_layout=True)
for pair, color in (("OO", "tab:red"), ("OH", "tab:purple"), ("HH", "tab:gray")):
    left.plot(middles, g[pair], color=color, label=f"{pair[0]}–{pair[1]}")
left.set(xlim=(1.7, cutoff), ylim=(0, 4), xlabel="distance (Å)", ylabel="g(r)")
left.axhline(1, color="0.8", zorder=0)
left.legend(frameon=False)
places = frames[-1] % edge
i, j, d, D = near.compute("ijdD", positions=frames[-1], cell=[edge] * 3)
is_bond = (numbers[i] == 1) & (numbers[j] == 8) & (i // 3 != j // 3) & (d < 2.45)
for start, way in zip(places[i[is_bond], :2], D[is_bond, :2]):
    right.plot(*zip(start, start + way), color="tab:blue", lw=0.8, zorder=1)
for kind, color, size in ((8, "tab:red", 60), (1, "0.6", 15)):
    right.scatter(*places[numbers == kind, :2].T, c=color, s=size, edgecolors="white", linewidths=0.4, zorder=2)
right.set(xlim=(0, edge), ylim=(0, edge), xlabel="Å", aspect="equal")
right.set_title(f"{np.mean(bonds):.2f} hydrogen bonds a molecule", fontsize=10)
figure.savefig(out, dpi=90)

print(f"first O-O peak at {peak:.3f} A, {np.mean(bonds):.3f} hydrogen bonds a molecule, {near.builds} builds in {len(frames)} frames")
