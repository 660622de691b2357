#!/usr/bin/env python3
"""Runs the examples on their embedded input, built in release, and compares their last lines.

The numbers were confirmed by other programs: the pairs by k-d trees in double precision, the voxels
by exact integer arithmetic. Each program also writes a page into target/pages, which `.ci/run wasm` opens in a
browser.
"""

import pathlib
import subprocess
import sys
import time

AIRPORTS = "neighbours examples/data/airports.csv --dim 2 --radius 1 --structure "
EXPECTED = {
    # The quick starts print numbers that can be counted by hand; `voxelize` prints known numbers.
    "within_radius": "neighbors 33",
    "sphere_surface": "voxels 1184",
    "broadphase_step": "begun 4, pairs 2",
    "neighbours": "pairs 1000439",
    "neighbours --structure loose": "pairs 1000439",
    "neighbours --structure cells": "pairs 1000439",
    "neighbours --structure linear": "pairs 1000439",
    "neighbours --precision f32": "pairs 1000443",
    AIRPORTS + "octree": "pairs 530252",
    AIRPORTS + "loose": "pairs 530252",
    AIRPORTS + "cells": "pairs 530252",
    AIRPORTS + "linear": "pairs 530252",
    "neighbours examples/data/airports.csv --great-circle --radius 50": "pairs 159094",
    "voxelize --radius 8": "voxels 1184",
    "voxelize --radius 8 --rule half-open": "voxels 1163",
    "voxelize --radius 8 --solid": "voxels 2752",
    "fluid --particles 8000 --steps 120": "pairs 79159",
    "physics_step --balls 2000 --steps 200 --check": "missed 0 spurious 0",
}
# These commands write a page too; their last lines must be the same.
PAGES = {
    "neighbours": "neighbours",
    "neighbours examples/data/airports.csv --great-circle --radius 50": "globe",
    "voxelize --radius 8": "voxelize",
    "fluid --particles 8000 --steps 120": "fluid",
    "physics_step --balls 2000 --steps 200 --check": "physics_step",
}
FOLDER = pathlib.Path("target/pages")
FOLDER.mkdir(parents=True, exist_ok=True)

failed = 0
for command, expected in EXPECTED.items():
    name, *arguments = command.split()
    page = FOLDER / f"{PAGES[command]}.html" if command in PAGES else None
    if page:
        page.unlink(missing_ok=True)
        arguments += ["--html", str(page)]
    start = time.monotonic()
    run = subprocess.run(
        [f"target/release/examples/{name}", *arguments], capture_output=True, text=True
    )
    last = (run.stdout.splitlines() or [""])[-1]
    good = run.returncode == 0 and last == expected
    good = good and (page is None or page.read_text().rstrip().endswith("</html>"))
    failed += not good
    print(f"{'ok' if good else 'FAILED':6} {time.monotonic() - start:6.2f} s  {command}: {last}")
    if not good:
        print(f"       expected {expected}\n{run.stderr}")

sys.exit(failed > 0)
