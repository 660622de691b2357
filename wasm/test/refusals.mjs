// Invalid input, and the message of each exception.
export function refusals({ Octree, Quadtree, Broadphase, voxelize, countVoxels }) {
  const tree = new Octree([0, 0, 0, 1, 2, 3]);
  const world = new Broadphase();
  world.insertBall(0, 0, 0, 1);
  const gone = world.insertBall(0, 0, 0, 1);
  world.remove(gone);
  const ball = { center: [0, 0, 0], radius: 2 };
  return [
    ["a coordinate that is NaN", () => new Octree([0, 0, 0, 0, 0, 0, 0, 0, 0, NaN, 0, 0]), /^point 3: x is NaN, not a finite/],
    ["an infinite coordinate", () => new Quadtree(new Float32Array([0, 1, 2, -Infinity])), /^point 1: y is -Infinity/],
    ["one that is too large for 32 bits", () => new Quadtree([0, 1e39]), /^point 0: y is Infinity, not a finite 32-bit float/],
    ["a hole", () => new Octree(new Array(3)), /^point 0: x is NaN/],
    ["half a point", () => new Octree([1, 2, 3, 4]), /^points: 4 numbers are not a multiple of 3/],
    ["no array", () => new Octree(7), /^points must be an array of numbers, not number/],
    ["nothing", () => new Octree(), /^points must be an array of numbers, not undefined/],
    ["a text", () => new Octree("123"), /^points must be an array of numbers, not string/],
    ["numbers too large for a number", () => new Octree([1n, 2n, 3n]), /^points must be an array of numbers/],
    ["a center that is NaN", () => tree.query(0, NaN, 0, 1), /^center: y is NaN/],
    ["a radius that is missing", () => tree.query(0, 0, 0), /^radius is NaN/],
    ["a negative radius", () => tree.count(0, 0, 0, -2), /^radius is negative: -2/],
    ["an inverted box", () => tree.queryBox(0, 0, 0, 1, -1, 1), /^inverted box: min 0 > max -1 on axis 1/],
    ["a center of many", () => tree.counts([0, 0, 0, 0, 0, NaN], 1), /^center 1: z is NaN/],
    ["so many neighbors", () => tree.nearestN(0, 0, 0, 1.5), /^n is 1.5, not a whole number/],
    ["less than no neighbors", () => tree.nearestN(0, 0, 0, -1), /^n is -1, not a whole number/],
    ["a direction", () => tree.castRay(0, 0, 0, 1, Infinity, 0, 1), /^direction: y is Infinity/],
    ["an end", () => tree.castRay(0, 0, 0, 1, 0, 0, 1, -1), /^end is -1, not a time/],
    ["a margin", () => new Broadphase(-1), /margin -1 is not a finite number/],
    ["a box among many", () => world.insertBoxes([0, 0, 0, 1, 1, 1, 2, 0, 0, 1, 1, 1]), /^box 1: inverted box: min 2 > max 1/],
    ["a coordinate of a box", () => world.insertBoxes([0, 0, 0, 1, NaN, 1]), /^box 0: maxY is NaN/],
    ["a ball", () => world.insertBall(0, 0, 0, -1), /^negative radius -1/],
    ["a motion", () => world.insertBall(0, 0, 0, 1, "fast"), /^motion must be dynamic, kinematic or static, not fast/],
    ["an id of nobody", () => world.setBall(9, 0, 0, 0, 1), /^id is 9, and there is no such body/],
    ["an id of one who left", () => world.remove(gone), /^id is 1, and there is no such body/],
    ["half an id", () => world.remove(0.5), /^id is 0.5, and there is no such body/],
    ["an id among many", () => world.setBalls([0, -1], [0, 0, 0, 1, 0, 0, 0, 1]), /^ids\[1\] is -1, not a whole number/],
    ["more bodies than ids", () => world.setBalls([0], [0, 0, 0, 1, 0, 0, 0, 1]), /^2 bodies for 1 ids/],
    ["no shape", () => voxelize(), /^a shape has center and radius/],
    ["half a shape", () => voxelize({ center: [0, 0] }), /^a shape has center and radius/],
    ["four axes", () => voxelize({ center: [0, 0, 0, 0], radius: 1 }), /^a shape has 2 or 3 axes, not 4/],
    ["corners of other axes", () => voxelize({ min: [0, 0], max: [1, 1, 1] }), /^max has 3 numbers, not 2/],
    ["a center of NaN", () => voxelize({ center: [0, 0, NaN], radius: 1 }), /^center: z is NaN/],
    ["a radius", () => voxelize({ center: [0, 0, 0], radius: -1 }), /^radius is negative/],
    ["a radius that is a text", () => voxelize({ center: [0, 0, 0], radius: "1" }), /^radius must be a number/],
    ["a semi-axis", () => voxelize({ center: [0, 0], semiAxes: [1, 0] }), /^semi-axis 0 on axis 1 is not positive/],
    ["no size", () => voxelize(ball, { voxel: 0 }), /^voxel size 0 is not a positive number/],
    ["an origin", () => voxelize(ball, { origin: [0, 0] }), /^origin has 2 numbers, not 3/],
    ["a rule", () => voxelize(ball, { rule: "odd" }), /^rule must be .*, not odd/],
    ["a thickness", () => voxelize(ball, { rule: { shell: -1 } }), /^shell thickness -1 is not/],
    ["too many voxels", () => voxelize({ center: [0, 0, 0], radius: 1e5 }), /^the shape may have \d+ voxels: at most 100000000/],
    ["too many rows", () => countVoxels({ center: [0, 0, 0], radius: 1e5 }), /^the shape may have \d+ rows of voxels/],
    ["voxels too far out", () => voxelize({ center: [1e12, 0, 0], radius: 1 }), /outside the grid|32-bit/],
  ];
}
