import { Broadphase, Octree, Quadtree, countVoxels, voxelize, type Changes, type Nearest, type VoxelOptions } from "orthant";
import { Octree as Tree } from "orthant/trees";
import { Broadphase as World } from "orthant/broadphase";
import { voxelize as list } from "orthant/voxels";

const tree: Tree = new Octree(new Float32Array(3));
const found: Uint32Array = tree.query(0, 0, 0, 1);
const near: Nearest | undefined = new Quadtree([0, 1]).nearest(0, 0);
const counts: Uint32Array = tree.counts([0, 0, 0], 1);
const { indices, distances }: { indices: Uint32Array; distances: Float32Array } = tree.nearestN(0, 0, 0, 2);
const hit: number | undefined = tree.castRay(0, 0, 0, 1, 0, 0, 0.5)?.time;
const world: World = new Broadphase(0.1);
const id: number = world.insertBox(0, 0, 0, 1, 1, 1, "static");
const changes: Changes = world.update();
const options: VoxelOptions = { voxel: 0.5, rule: { shell: 1 }, solid: true };
const voxels: Int32Array = voxelize({ center: [0, 0, 0], radius: 1 }, options);
const many: number = countVoxels({ min: [0, 0], max: [1, 1] }) + list({ center: [0, 0], semiAxes: [1, 2] }).length;
tree[Symbol.dispose]?.();
export { found, near, counts, indices, distances, hit, id, changes, voxels, many };
