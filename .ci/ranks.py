#!/usr/bin/env python3
"""Runs orthant-mpi's examples on 1 to 4 ranks, and compares their last lines: pairs with those of
`neighbours`, groups with those of one rank. The lidar tile is that of the examples; galaxies and atoms are
generated; scans come from the folder that ORTHANT_DATA names, if it has them.
"""

import os
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

MADE = Path("target/ranks")
DATA = Path(os.environ.get("ORTHANT_DATA", "none"))


def write(name, kind, points):
    MADE.mkdir(parents=True, exist_ok=True)
    path = MADE / f"{name}.{kind}.bin"
    letter = {"f32": "f", "f64": "d"}[kind]
    flat = [x for point in points for x in point]
    path.write_bytes(struct.pack(f"<{len(flat)}{letter}", *flat))
    return path


def galaxies():
    """Makes galaxies: a third anywhere, two thirds in halos of uneven size whose density falls with the square of the radius."""
    draw = random.Random(1)
    halos = [[draw.uniform(0, 100) for _ in range(3)] for _ in range(400)]
    points = []
    for i in range(60_000):
        if i % 3 == 0:
            points.append([draw.uniform(0, 100) for _ in range(3)])
            continue
        center = halos[int(len(halos) * draw.random() ** 3)]
        way = [draw.gauss(0, 1) for _ in range(3)]
        length = 2 * draw.random() / sum(x * x for x in way) ** 0.5
        points.append([c + length * x for c, x in zip(center, way)])
    return write("galaxies", "f64", points)


def atoms():
    """Makes a warm crystal, in a periodic box of 77.5."""
    draw = random.Random(2)
    sites = ((i, j, k) for i in range(25) for j in range(25) for k in range(25))
    return write("atoms", "f32", [[3.1 * x + draw.gauss(0.5, 0.3) for x in site] for site in sites])


def last(command):
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{command}: {run.stderr}")
    return (run.stdout.splitlines() or [""])[-1]


def by_ranks(n, name, *arguments):
    mpirun = ["mpirun", "-n", n, "--oversubscribe", "--allow-run-as-root"]
    return last([*mpirun, f"target/release/examples/{name}", *arguments])


def main():
    lidar = Path("examples/data/autzen_trim.laz")
    cases = [
        (galaxies(), ["--radius", 1], 0.5),
        (atoms(), ["--radius", 8, "--periodic", "77.5,77.5,77.5"], 3),
        (lidar, ["--radius", 5], 3),
        (DATA / "water_cc0_traj.f32.bin", ["--radius", 1.5, "--periodic", "15,15,15"], 0.2),
        (DATA / "lone_star.f32.bin", ["--radius", 0.1], 0.05),
        (DATA / "lidar_sweep_source.f32.bin", ["--radius", 0.5], 0.1),
        (DATA / "kinect_desk_241k.f32.bin", ["--radius", 0.005], 0.003),
    ]
    failed = 0
    for path, arguments, length in cases:
        if not path.exists():
            print(f"ranks: without {path.name}")
            continue
        start = time.monotonic()
        one = last(["target/release/examples/neighbours", path, *arguments, "--structure", "cells"])
        pairs = [by_ranks(n, "pairs", path, *arguments) for n in (1, 2, 3)]
        pairs.append(by_ranks(4, "pairs", path, *arguments, "--weighted"))
        linking = ["--length", length, *arguments[2:]]
        groups = [by_ranks(n, "groups", path, *linking) for n in (1, 4)]
        good = all(line == one for line in pairs) and len(set(groups)) == 1
        failed += not good
        took = time.monotonic() - start
        print(f"ranks: {'ok' if good else 'FAILED'} {took:.1f} s {path.name}: {one}, {groups[0]}")
        if not good:
            print(f"       {pairs}, {groups}")
    sys.exit(failed > 0)


main()
