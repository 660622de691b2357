"""Neighbors within a radius, voxels and pairs of boxes, exactly as a linear scan finds them."""

from orthant import spatial as spatial
from orthant.broadphase import Broadphase as Broadphase
from orthant.groups import components as components
from orthant.groups import dbscan as dbscan
from orthant.neighbors import NeighborList as NeighborList
from orthant.neighbors import neighbor_list as neighbor_list
from orthant.voxels import Balls as Balls
from orthant.voxels import Boxes as Boxes
from orthant.voxels import Capsules as Capsules
from orthant.voxels import Ellipsoids as Ellipsoids
from orthant.voxels import VoxelSet as VoxelSet
from orthant.voxels import voxelize as voxelize
