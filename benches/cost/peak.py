#!/usr/bin/env python3
"""Runs a compiler as cargo's RUSTC_WRAPPER, and writes down how much memory it took at most."""

import os
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
# In kilobytes, but for macOS.
peak *= 1 if sys.platform == "darwin" else 1024
arguments = sys.argv[2:]
at = arguments.index("--crate-name") + 1 if "--crate-name" in arguments else 0
with open(os.environ["COST_PEAKS"], "a") as file:
    file.write(f"{peak} {arguments[at] if at else '-'}\n")
sys.exit(status if status >= 0 else 1)
