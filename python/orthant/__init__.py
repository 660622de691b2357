"""Neighbors within a radius, voxels and pairs of boxes, exactly as a linear scan finds them."""

from orthant import spatial as spatial
