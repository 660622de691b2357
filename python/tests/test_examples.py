"""Checks the last lines of the examples, and that they write their pictures."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

LAST_LINES = {
    "point_cloud": "110000 points, 965 outliers, 54 objects, the largest of 1240 points",
    "molecules": "first O-O peak at 2.775 A, 1.812 hydrogen bonds a molecule, 66 builds in 100 frames",
    "voxels": "833665 of 1000000 voxels are stone, 137 pores, the largest of 166045 from 0 to 99, "
    "290 in the others, 56148 on its walls, 814457 when drilled",
}


@pytest.mark.parametrize("name", LAST_LINES)
def test_example(name, tmp_path):
    picture = tmp_path / "picture.png"
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--out", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == LAST_LINES[name]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_all_are_tried():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == LAST_LINES.keys()
