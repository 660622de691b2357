// Five lines that must not compile.
import { Broadphase, Octree, voxelize } from "orthant";

new Octree("points");
new Octree([0]).query(0, 0, 1);
new Broadphase().insertBall(0, 0, 0, 1, "fast");
voxelize({ center: [0, 0, 0] });
voxelize({ center: [0, 0, 0], radius: 1 }, { rule: "odd" });
