#!/usr/bin/env python3
"""Checks that links between Markdown files lead somewhere: to a file that is tracked, and to a heading
of it. The README has at most 140 lines."""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

tracked = subprocess.check_output(["git", "ls-files"], text=True).split("\n")
texts = {
    name: re.sub(r"```.*?```", "", Path(name).read_text(), flags=re.S)
    for name in tracked
    if name.endswith(".md")
}


def anchor(heading: str) -> str:
    """Returns the anchors that a repository page and rustdoc make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


anchors = {
    name: {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)}
    for name, text in texts.items()
}


def resolve(name: str, path: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / path).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


faults = []
for name, text in texts.items():
    for link in re.findall(r"\]\(([^)\s]+)\)|^\[.+?\]: (\S+)$", text, re.M):
        link = "".join(link)
        if link.startswith(("http:", "https:")):
            continue
        path, _, part = link.partition("#")
        target = resolve(name, path) if path else name
        if target not in tracked:
            faults.append(f"{name}: no file for {link}")
        elif part and part not in anchors.get(target, ()):
            faults.append(f"{name}: no heading for {link}")

lines = Path("README.md").read_text().count("\n")
if lines > 140:
    faults.append(f"README.md: {lines} lines")

print("\n".join(faults) or f"links: {len(texts)} files, all lead somewhere")
sys.exit(bool(faults))
