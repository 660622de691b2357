export { Octree, Quadtree } from "../pkg/trees.js";
export { Broadphase } from "../pkg/bodies.js";
export { countVoxels, voxelize } from "../pkg/voxels.js";
export type * from "./types.js";
