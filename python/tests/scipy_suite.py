"""scipy's own tests of its trees, run with ours in their place.

The tests are those that scipy installs. They are copied to a temporary folder and run there, with a plugin of pytest that
puts `KDTree` and `cKDTree` where they look for them. Prints how many pass, and fails if one does that is not listed here,
or if one passes that is.

    python tests/scipy_suite.py
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import scipy.spatial

DIMENSIONS = "more than four dimensions"
NODES = "looks at nodes (tree, size, KDTree.node), which are left out"
PRIVATE = "calls the private _build_weights, sums over scipy's nodes"

EXPECTED = {
    "test_random_ball_vectorized[KDTree]": DIMENSIONS,
    "test_random_ball_vectorized[cKDTree]": DIMENSIONS,
    "test_kdtree_duplicated_inputs[KDTree]": NODES,
    "test_kdtree_duplicated_inputs[cKDTree]": NODES,
    "test_kdtree_comparisons": NODES,
    "test_kdtree_tree_access": NODES,
    "test_ckdtree_view": NODES,
    "test_kdtree_weights[KDTree]": PRIVATE,
    "test_kdtree_weights[cKDTree]": PRIVATE,
}

# `scipy.spatial` gives the tests its classes when they are imported.
PLUGIN = """
import scipy.spatial
import orthant.spatial

for name in ("KDTree", "cKDTree"):
    setattr(scipy.spatial, name, getattr(orthant.spatial, name))


def pytest_configure(config):
    config.addinivalue_line("markers", "fail_slow: how long a test may take")
"""


def run():
    """Which tests passed and which did not, by name."""
    tests = Path(scipy.spatial.__file__).parent / "tests" / "test_kdtree.py"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        # Under another name than that of a module of scipy's.
        (folder / "test_of_scipy.py").write_text(tests.read_text())
        (folder / "ours_for_theirs.py").write_text(PLUGIN)
        command = [sys.executable, "-m", "pytest", "-p", "ours_for_theirs", "-p", "no:cacheprovider", "-rA", "-q", "--tb=line"]
        command += ["--rootdir", str(folder), "test_of_scipy.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    outcomes = re.findall(r"^(PASSED|FAILED|ERROR) test_of_scipy\.py::(\S+)", done.stdout, re.MULTILINE)
    if not outcomes:
        raise RuntimeError(done.stdout + done.stderr)
    passed = {name for outcome, name in outcomes if outcome == "PASSED"}
    return passed, {name for _, name in outcomes} - passed


def main():
    passed, failed = run()
    for name in sorted(failed):
        print(f"failed: {name}: {EXPECTED.get(name, 'NOT EXPECTED')}")
    for name in sorted(EXPECTED.keys() - failed):
        print(f"listed, and did not fail: {name}")
    print(f"{len(passed)} / {len(passed) + len(failed)} of scipy {scipy.__version__} pass")
    return 0 if failed == EXPECTED.keys() else 1


if __name__ == "__main__":
    sys.exit(main())
