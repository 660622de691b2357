"""Neighbors within a radius, voxels and pairs of boxes, exactly as a linear scan finds them."""
