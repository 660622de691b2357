"""Runs the examples of the README."""

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_examples():
    done = doctest.testfile(str(README), module_relative=False)
    assert done.attempted > 15 and not done.failed
