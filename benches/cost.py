#!/usr/bin/env python3
"""Measures what the crate costs its users: the speed of debug builds, and the time of compiling after an edit,
of compiling the library, and of its tests. Prints a table with targets, beside the costs of kiddo and
rstar; the programs are in benches/cost/.

    python3 benches/cost.py                     # everything: about half an hour
    python3 benches/cost.py --skip test         # without the tests: a few minutes
    python3 benches/cost.py --only rebuild      # rows with a name like that

It needs Rust, git and Python 3.11. Processor time is user and system time of cargo and its child processes.
Nothing else should run meanwhile. The last line is `cost: all within targets`, with the number of rows
that were not measured if there are any, or `cost: beyond targets: ROWS`.
"""

import argparse
import functools
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "benches" / "cost"
OUT = ROOT / "target" / "cost"

# The ways to build a program: the name of a folder, cargo's options, and cargo's output folder.
PROFILES = {
    "release": (["--release"], "release"),
    "plain": ([], "debug"),
    "optimized": (["--config", 'profile.dev.package."*".opt-level=3'], "debug"),
}

# The number of runs of each measurement, of which the median counts.
RUNS = 3
OFFLINE: list[str] = []


@dataclass
class Figure:
    """A measurement, and whether it is within the target."""

    text: str
    within: bool


@dataclass
class Row:
    name: str
    what: str
    target: str
    measure: Callable[[], Figure]


def environment(**more: str) -> dict[str, str]:
    """Returns the environment of a user who has set nothing."""
    unwanted = re.compile(r"CARGO_(PROFILE|BUILD|TARGET|INCREMENTAL|ENCODED)|RUSTFLAGS|RUSTC")
    kept = {key: value for key, value in os.environ.items() if not unwanted.match(key)}
    return kept | more


def say(text: str) -> None:
    print(f"cost: {text}", file=sys.stderr, flush=True)


def run(command: list[str], cwd: Path = ROOT, **more: str) -> tuple[str, float]:
    """Runs a command. Returns its output, and its processor seconds with those of its child processes."""

    def seconds() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = seconds()
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(**more),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-2000:]}{done.stderr[-4000:]}\ncost: failed: {' '.join(command)}")
    return done.stdout, seconds() - before


def cargo(*arguments: str, cwd: Path = ROOT, **more: str) -> float:
    return run(["cargo", *arguments, *OFFLINE], cwd, **more)[1]


def build(program: str, profile: str) -> float:
    """Builds a program. Returns the processor seconds, which are almost 0 if it is built already."""
    arguments, _ = PROFILES[profile]
    manifest = str(PROGRAMS / program / "Cargo.toml")
    place = ["--manifest-path", manifest, "--target-dir", str(OUT / profile)]
    return cargo("build", *place, *arguments)


# Debug builds.


def debug(program: str, profile: str) -> tuple[float, float, str]:
    """Returns how many times the milliseconds of a step exceed those of the release build, with which it takes turns, and shows both."""
    profiles = ("release", profile)
    for each in profiles:
        say(f"building {program}, {each}")
        build(program, each)
    say(f"running {program}, {profile}")
    steps: dict[str, list[float]] = {each: [] for each in profiles}
    for _ in range(RUNS):
        for each in profiles:
            executable = OUT / each / PROFILES[each][1] / program
            steps[each].append(float(run([str(executable)])[0].split()[0]))
    released, taken = (statistics.median(steps[each]) for each in profiles)
    times = taken / released
    return taken, times, f"{times:.1f} times ({taken:.2f} against {released:.2f} ms)"


def debug_optimized() -> Figure:
    _, times, told = debug("boids", "optimized")
    others = (f"{name} {debug(f'boids_{name}', 'optimized')[2]}" for name in ("kiddo", "rstar"))
    return Figure(f"{told}; {'; '.join(others)}", times <= 3)


def debug_plain() -> Figure:
    taken, times, told = debug("boids", "plain")
    kiddo, _, told_kiddo = debug("boids_kiddo", "plain")
    _, _, told_rstar = debug("boids_rstar", "plain")
    text = f"{told}; kiddo {told_kiddo}; rstar {told_rstar}"
    return Figure(text, times <= 30 and taken <= kiddo)


# Compiling.


@functools.cache
def rebuild(program: str) -> float:
    """Returns the processor seconds of a release build after an edit."""
    say(f"building {program} after edits")
    build(program, "release")
    taken = []
    for _ in range(RUNS):
        os.utime(PROGRAMS / program / "src" / "main.rs")
        taken.append(build(program, "release"))
    return statistics.median(taken)


def rebuild_boids() -> Figure:
    taken, kiddo, rstar = map(rebuild, ("boids", "boids_kiddo", "boids_rstar"))
    return Figure(f"{taken:.2f} s; kiddo {kiddo:.2f}, rstar {rstar:.2f} s", taken <= 1.5)


def rebuild_own_items() -> Figure:
    taken = rebuild("own_items")
    return Figure(f"{taken:.2f} s", taken <= 4)


def project(name: str, dependency: str) -> Path:
    """A fresh one that depends on a library and nothing else."""
    folder = OUT / f"only_{name}"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "only_{name}"\nedition = "2024"\n\n'
        f"[dependencies]\n{name} = {dependency}\n\n[workspace]\n"
    )
    cargo("generate-lockfile", cwd=folder)
    return folder


OURS = f'{{ path = "{ROOT.as_posix()}" }}'
TREES = f'{{ path = "{ROOT.as_posix()}", default-features = false, features = ["std"] }}'
# `benches/cost/boids_kiddo` depends on this version.
KIDDO = '{ version = "6.3", default-features = false }'
RSTAR = '"0.14"'


@functools.cache
def compiled(name: str, dependency: str, runs: int) -> float:
    """Processor seconds of a clean release build of a library with all that it needs."""
    folder = project(name, dependency)
    taken = []
    for _ in range(runs):
        say(f"building {name} from nothing")
        shutil.rmtree(folder / "target", ignore_errors=True)
        taken.append(cargo("build", "--release", cwd=folder))
    return statistics.median(taken)


def locked(name: str, dependency: str) -> int:
    """Packages that a project locks, without itself and the library."""
    return (project(name, dependency) / "Cargo.lock").read_text().count("[[package]]") - 2


def against_kiddo(dependency: str, most: float) -> Figure:
    """A clean build of the library, which may take so many times that of kiddo."""
    runs = min(RUNS, LIBRARY_RUNS)
    taken, kiddo = compiled("orthant", dependency, runs), compiled("kiddo", KIDDO, runs)
    text = f"{taken:.1f} s, {taken / kiddo:.2f} times; kiddo {kiddo:.1f}, rstar {compiled('rstar', RSTAR, runs):.1f} s"
    return Figure(text, taken <= most * kiddo)


def library_build() -> Figure:
    return against_kiddo(OURS, 1.0)


def library_trees() -> Figure:
    return against_kiddo(TREES, 0.5)


def library_packages() -> Figure:
    count = locked("orthant", OURS)
    return Figure(f"{count} packages beside it; rstar {locked('rstar', RSTAR)}", count <= 20)


LIBRARY_RUNS = 1


# Tests in a fresh clone.


def fresh_clone() -> Path:
    """What is committed. The versions of dependencies are those in use here."""
    clone = OUT / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    OUT.mkdir(parents=True, exist_ok=True)
    run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(clone)])
    if (ROOT / "Cargo.lock").exists():
        shutil.copy(ROOT / "Cargo.lock", clone)
    return clone


def quick_start() -> Figure:
    say("the first quick start in a fresh clone")
    clone = fresh_clone()
    began = time.monotonic()
    processor = cargo("run", "--release", "--example", "within_radius", cwd=clone)
    wall = time.monotonic() - began
    shutil.rmtree(clone)
    return Figure(f"{wall:.0f} s, {processor:.0f} s of processors", wall <= 60)


@functools.cache
def test() -> tuple[float, int, str]:
    """Processor seconds of `cargo test --all-features` in a fresh clone, and the most memory that a compiler took, with
    what it compiled then."""
    say("testing a fresh clone: a quarter of an hour or more")
    clone, peaks = fresh_clone(), OUT / "peaks"
    peaks.unlink(missing_ok=True)
    wrapper = str(PROGRAMS / "peak.py")
    taken = cargo("test", "--all-features", cwd=clone, RUSTC_WRAPPER=wrapper, COST_PEAKS=str(peaks))
    lines = (line.split() for line in peaks.read_text().splitlines())
    peak, name = max((int(peak), name) for peak, name in lines)
    shutil.rmtree(clone)
    return taken, peak, name


def test_time() -> Figure:
    minutes = test()[0] / 60
    return Figure(f"{minutes:.1f} processor minutes", minutes <= 15)


def test_memory() -> Figure:
    _, peak, name = test()
    return Figure(f"{peak / 1e9:.2f} GB (compiling {name})", peak <= 3e9)


ROWS = [
    Row(
        "boids-optimized",
        "boids debug, dependencies at opt-level 3",
        "<= 3 times release",
        debug_optimized,
    ),
    Row(
        "boids-plain",
        "boids debug plain",
        "<= 30 times release, no slower than kiddo",
        debug_plain,
    ),
    Row("rebuild-boids", "rebuild boids", "<= 1.5 s", rebuild_boids),
    Row("rebuild-own-items", "rebuild own items", "<= 4 s", rebuild_own_items),
    Row("library-build", "library build", "<= 1.0 times kiddo", library_build),
    Row("library-trees", "library build, trees only", "<= 0.5 times kiddo", library_trees),
    Row("library-packages", "library packages locked", "<= 20", library_packages),
    Row("quick-start", "first quick start, wall time", "<= 60 s", quick_start),
    Row("test-time", "cargo test", "<= 15 minutes", test_time),
    Row("test-memory", "cargo test, one compiler's memory", "<= 3 GB", test_memory),
]


def main() -> None:
    global RUNS, LIBRARY_RUNS
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    names = ", ".join(row.name for row in ROWS)
    parser.add_argument("--only", action="append", metavar="ROW", help=f"of {names}")
    parser.add_argument("--skip", action="append", metavar="ROW", default=[])
    parser.add_argument("--runs", type=int, default=RUNS, help="of what is fast")
    parser.add_argument("--library-runs", dest="clean_builds", type=int, default=LIBRARY_RUNS)
    parser.add_argument("--offline", action="store_true", help="cargo asks no registry")
    arguments = parser.parse_args()
    RUNS, LIBRARY_RUNS = arguments.runs, arguments.clean_builds
    if arguments.offline:
        OFFLINE.append("--offline")

    def matches(row: Row, filters: list[str]) -> bool:
        return any(part in row.name or part in row.what for part in filters)

    wanted = [row for row in ROWS if not arguments.only or matches(row, arguments.only)]
    wanted = [row for row in wanted if not matches(row, arguments.skip)]
    if not wanted:
        sys.exit(f"cost: no row is called like that; there are {names}")
    figures = {row.name: row.measure() for row in wanted}
    head = ("", "target", "", "measured")
    lines = [
        (row.what, row.target, "ok" if figure.within else "beyond", figure.text)
        for row in wanted
        for figure in [figures[row.name]]
    ]
    widths = [max(map(len, column)) for column in zip(head, *lines)]
    for line in (head, *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    missing = [row.name for row in ROWS if row not in wanted]
    if missing:
        print(f"not measured: {', '.join(missing)}")
    beyond = [name for name, figure in figures.items() if not figure.within]
    if beyond:
        print(f"cost: beyond targets: {','.join(beyond)}")
    elif missing:
        print(f"cost: all within targets ({len(missing)} rows not measured)")
    else:
        print("cost: all within targets")


if __name__ == "__main__":
    main()
