#!/usr/bin/env python3
"""Finds the lines and branches that no test runs.

    .ci/coverage.py [FILE]   print a table by rooms of `src`; with a part of a path, the lines of those files that no test runs

The compiler's instrumentation counts what all tests of the crate run, with all features. `llvm-cov` of the compiler's LLVM reads the
counts: the toolchain's (`rustup component add llvm-tools`), or that of the folder `LLVM_BIN`. Doc tests and examples do not count.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "target/coverage"


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, **options).stdout


def llvm():
    """Returns the folder of `llvm-cov` and `llvm-profdata`."""
    version = output("rustc", "-vV")
    host, major = re.search(r"host: (\S+)", version)[1], re.search(r"LLVM version: (\d+)", version)[1]
    own = Path(output("rustc", "--print", "sysroot").strip()) / "lib/rustlib" / host / "bin"
    for folder in (own, Path(os.environ.get("LLVM_BIN", "/none"))):
        if (folder / "llvm-cov").exists():
            return folder
    sys.exit(f"coverage: no llvm-cov of LLVM {major}: `rustup component add llvm-tools`, or name its folder in LLVM_BIN")


def tested(tools):
    """Runs all tests, and returns the options with which `llvm-cov` finds their counts."""
    raw = HOME / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for file in raw.iterdir():
        file.unlink()
    flags = ["-Cinstrument-coverage", "-Zcoverage-options=branch"]
    environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_INCREMENTAL="0",
                       LLVM_PROFILE_FILE=str(raw / "%m.profraw"), CARGO_TARGET_DIR=str(HOME / "target"))
    packages = json.loads(output("cargo", "metadata", "--no-deps", "--format-version=1"))["packages"]
    targets = next(p["targets"] for p in packages if p["name"] == "orthant")
    names = [t["name"] for t in targets if t["kind"] == ["test"]]
    command = ["cargo", "test", "-Zprofile-rustflags", "--config", f"profile.dev.package.orthant.rustflags={json.dumps(flags)}",
               "-p", "orthant", "--all-features", "--lib", *(a for name in names for a in ("--test", name))]
    built = output(*command, "--no-run", "--message-format=json", env=environment)
    messages = [json.loads(line) for line in built.splitlines() if line.startswith("{")]
    binaries = [m["executable"] for m in messages if m.get("executable") and m["profile"]["test"]]
    subprocess.run(command, cwd=ROOT, check=True, env=environment)
    data = HOME / "all.profdata"
    output(tools / "llvm-profdata", "merge", "--sparse", "-o", data, *sorted(raw.iterdir()))
    objects = [argument for binary in binaries[1:] for argument in ("--object", binary)]
    options = [f"--instr-profile={data}", binaries[0], *objects]
    (HOME / "options.json").write_text(json.dumps(options))
    return options


def table(tools):
    report = json.loads(output(tools / "llvm-cov", "export", "--summary-only", *tested(tools)))
    rooms = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for file in report["data"][0]["files"]:
        path = file["filename"].removeprefix(f"{ROOT}/")
        if not path.startswith("src/"):
            continue
        for room in (path.split("/")[1].removesuffix(".rs"), "together"):
            for kind in ("lines", "branches"):
                rooms[room][kind][0] += file["summary"][kind]["covered"]
                rooms[room][kind][1] += file["summary"][kind]["count"]
    print("| room | lines | run | branches | taken |\n|---|---:|---:|---:|---:|")
    for room in sorted(rooms, key=lambda room: (room == "together", room)):
        cells = []
        for covered, count in (rooms[room]["lines"], rooms[room]["branches"]):
            cells += [str(count), f"{100 * covered / count:.1f} %" if count else ""]
        print(f"| `{room}` | {' | '.join(cells)} |".replace("`together`", "together"))


def missing(tools, part):
    options = json.loads((HOME / "options.json").read_text())
    report = json.loads(output(tools / "llvm-cov", "export", *options))
    for file in report["data"][0]["files"]:
        path = file["filename"].removeprefix(f"{ROOT}/")
        if not path.startswith("src/") or part not in path:
            continue
        # A segment reaches from its position to the next: [line, column, count, has a count, starts a region, is a gap].
        lines = (ROOT / path).read_text().splitlines()
        segments = file["segments"]
        for one, next_one in zip(segments, segments[1:]):
            if one[3] and one[2] == 0 and not one[5]:
                end = "" if next_one[0] == one[0] else f" to {next_one[0]}"
                print(f"{path}:{one[0]}:{one[1]}{end}: {lines[one[0] - 1].strip()}")


def main():
    HOME.mkdir(parents=True, exist_ok=True)
    tools = llvm()
    if len(sys.argv) > 1:
        missing(tools, sys.argv[1])
    else:
        table(tools)


if __name__ == "__main__":
    main()
