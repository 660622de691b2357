// The laws, by exact equality with a linear scan in 32-bit floats, for node and for browsers. Each law throws if it does not hold.
const f = Math.fround;

// Numbers that repeat every time (xorshift), many of them on a lattice, so that there are ties.
export function random(seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const number = (low, high) => f(low + (high - low) * next());
  const whole = (below) => Math.floor(next() * below);
  const coarse = (low, high) => Math.round(4 * number(low, high)) / 4;
  const place = (low, high) => (next() < 0.5 ? number(low, high) : f(coarse(low, high)));
  return { next, number, whole, coarse, place };
}

export function equal(found, expected, what) {
  const text = (value) => JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? [...part] : part)) ?? "undefined";
  const [a, b] = [text(found), text(expected)];
  if (a !== b) throw new Error(`${what}: found ${a.slice(0, 300)}, expected ${b.slice(0, 300)}`);
}

const ascending = (array) => [...array].sort((a, b) => a - b);

// Returns Σ terms², summed from left to right.
const squares = (terms) => terms.map((term) => f(term * term)).reduce((sum, square) => f(sum + square));
const between = (p, c) => squares(p.map((at, axis) => f(at - c[axis])));
const outside = (lo, c, hi) => Math.max(f(lo - c), 0, f(c - hi));
const near = (box, c) => squares(c.map((at, axis) => outside(box.min[axis], at, box.max[axis])));
const far = (box, c) => {
  const square = (x) => f(x * x);
  const ends = c.map((at, axis) => Math.max(square(f(at - box.min[axis])), square(f(at - box.max[axis]))));
  return ends.reduce((sum, end) => f(sum + end));
};
const square = (radius) => f(radius * radius);

function points(r, many, axes, spread, from = 0) {
  const flat = new Float32Array(many * axes).map(() => f(from + r.place(-spread, spread)));
  return { flat, list: Array.from({ length: many }, (_, i) => [...flat.subarray(i * axes, (i + 1) * axes)]) };
}

function treeLaws(Tree, axes) {
  const clouds = [[0, 1], [1, 1], [17, 3], [1000, 8], [3000, 2], [500, 5, 1e6]];
  return clouds.map(([many, spread, from = 0]) => [`${Tree.name} of ${many} points about ${from}`, () => {
    const r = random(7 * many + axes);
    const { flat, list } = points(r, many, axes, spread, from);
    const tree = new Tree(flat);
    equal(tree.length, many, "length");
    for (let i = 0; i < 60; i++) {
      const at = () => Array.from({ length: axes }, () => f(from + r.place(-1.2 * spread, 1.2 * spread)));
      const center = r.next() < 0.5 && many > 0 ? list[r.whole(many)] : at();
      const radius = f([0, 0.25, r.number(0, spread), 3 * spread][i % 4]);
      const distances = list.map((point) => between(point, center));
      const within = distances.flatMap((distance, index) => (distance <= square(radius) ? [index] : []));
      equal(ascending(tree.query(...center, radius)), within, "query");
      equal(tree.count(...center, radius), within.length, "count");

      const [a, b] = [at(), at()];
      const box = { min: a.map((x, axis) => Math.min(x, b[axis])), max: a.map((x, axis) => Math.max(x, b[axis])) };
      const inside = list.flatMap((p, index) => (p.every((x, a) => box.min[a] <= x && x <= box.max[a]) ? [index] : []));
      equal(ascending(tree.queryBox(...box.min, ...box.max)), inside, "queryBox");
      equal(tree.countBox(...box.min, ...box.max), inside.length, "countBox");

      const ranked = distances.map((distance, index) => ({ index, distance }));
      ranked.sort((a, b) => a.distance - b.distance || a.index - b.index);
      const root = ({ distance, index }) => ({ index, distance: f(Math.sqrt(distance)) });
      equal(tree.nearest(...center), ranked.length ? root(ranked[0]) : undefined, "nearest");
      const n = [0, 1, 8, many + 5][i % 4];
      const first = ranked.slice(0, n).map(root);
      const neighbors = tree.nearestN(...center, n);
      equal(neighbors.indices, first.map(({ index }) => index), "nearestN's indices");
      equal(neighbors.distances, first.map(({ distance }) => distance), "nearestN's distances");
    }
    const radius = f(0.3 * spread);
    const centers = points(r, 40, axes, spread, from);
    const counts = centers.list.map((center) => tree.count(...center, radius));
    equal(tree.counts(centers.flat, radius), counts, "counts");
    const lists = tree.queries(centers.flat, radius);
    equal(lists.offsets.length, 41, "offsets");
    centers.list.forEach((center, i) => {
      const found = lists.indices.subarray(lists.offsets[i], lists.offsets[i + 1]);
      equal(ascending(found), ascending(tree.query(...center, radius)), "queries");
    });
    // Rebuild a tree of other points with these points.
    const other = new Tree(points(r, 33, axes, 1).flat);
    other.rebuild(flat);
    equal(other.query(...centers.list[0], radius), tree.query(...centers.list[0], radius), "rebuild");
  }]);
}

// Returns the point that a ray meets first: the earliest, each tested in a tree of its own.
function rayLaws(Tree, axes) {
  return [[`${Tree.name} on rays`, () => {
    const r = random(axes);
    const { flat, list } = points(r, 300, axes, 4);
    const tree = new Tree(flat);
    const alone = list.map((point) => new Tree(point));
    let met = 0;
    for (let i = 0; i < 40; i++) {
      const ray = Array.from({ length: 2 * axes }, () => r.place(-4, 4));
      const radius = f([0.1, 0.3, 0.8][i % 3]);
      const end = i % 2 ? f(0.7) : undefined;
      let first;
      alone.forEach((one, index) => {
        const hit = one.castRay(...ray, radius, end);
        if (hit && (!first || hit.time < first.time)) first = { index, time: hit.time };
      });
      equal(tree.castRay(...ray, radius, end), first, "castRay");
      if (first) {
        met++;
        const at = list[first.index];
        const on = at.map((_, axis) => ray[axis] + first.time * ray[axes + axis]);
        const distance = Math.hypot(...at.map((x, axis) => x - on[axis]));
        if (distance > radius + 1e-4) throw new Error(`castRay: ${distance} away, with a radius of ${radius}`);
      }
    }
    if (met < 10) throw new Error(`only ${met} rays met a point`);
  }]];
}

const boundsOf = (body) => body.box ?? {
  min: body.ball.center.map((c) => f(c - body.ball.radius)),
  max: body.ball.center.map((c) => f(c + body.ball.radius)),
};
const meet = (a, b) => {
  if (a.ball && b.ball) {
    return between(b.ball.center, a.ball.center) <= square(f(a.ball.radius + b.ball.radius));
  }
  if (a.ball) return near(b.box, a.ball.center) <= square(a.ball.radius);
  if (b.ball) return meet(b, a);
  return a.box.min.every((min, axis) => min <= b.box.max[axis] && b.box.min[axis] <= a.box.max[axis]);
};

function broadphaseLaws({ Broadphase }) {
  return [undefined, 0.25].map((margin) => [`Broadphase with a margin of ${margin}`, () => {
    const r = random(99);
    const world = new Broadphase(margin);
    const bodies = new Map();
    const make = () => {
      const center = [0, 1, 2].map(() => r.place(-3, 3));
      if (r.next() < 0.5) return { ball: { center, radius: r.place(0.05, 0.5) } };
      const max = center.map((at) => f(at + r.place(0, 1)));
      return { box: { min: center, max: max.map((to, axis) => Math.max(to, center[axis])) } };
    };
    const row = ({ ball, box }) => (ball ? [...ball.center, ball.radius] : [...box.min, ...box.max]);
    const motions = [undefined, "dynamic", "kinematic", "static"];
    let before = new Set();
    for (let step = 0; step < 40; step++) {
      // Some bodies come, alone and together.
      for (let i = 0; i < 4; i++) {
        const [body, motion] = [make(), motions[r.whole(4)]];
        const id = body.ball ? world.insertBall(...row(body), motion) : world.insertBox(...row(body), motion);
        equal(bodies.has(id), false, "an id that was in use");
        bodies.set(id, { ...body, motion: motion ?? "dynamic" });
      }
      const many = Array.from({ length: 6 }, make).filter((body) => body.ball);
      [...world.insertBalls(many.flatMap(row))].forEach((id, i) => bodies.set(id, { ...many[i], motion: "dynamic" }));
      const cubes = Array.from({ length: 6 }, make).filter((body) => body.box);
      [...world.insertBoxes(new Float32Array(cubes.flatMap(row)), "kinematic")].forEach((id, i) =>
        bodies.set(id, { ...cubes[i], motion: "kinematic" }));
      // Some bodies move, change, or go.
      const moved = [[], []];
      for (const [id, body] of bodies) {
        const chance = r.next();
        if (chance < 0.1) {
          world.remove(id);
          bodies.delete(id);
        } else if (chance < 0.4) {
          const to = { ...make(), motion: body.motion };
          bodies.set(id, to);
          if (chance < 0.2) to.ball ? world.setBall(id, ...row(to)) : world.setBox(id, ...row(to));
          else moved[to.ball ? 0 : 1].push(id);
        }
      }
      const rows = (ids) => ids.flatMap((id) => row(bodies.get(id)));
      world.setBalls(moved[0], rows(moved[0]));
      world.setBoxes(Uint32Array.from(moved[1]), rows(moved[1]));

      const pairs = [];
      const all = ascending(bodies.keys());
      all.forEach((i, at) => all.slice(at + 1).forEach((j) => {
        const [a, b] = [bodies.get(i), bodies.get(j)];
        const motions = [a.motion, b.motion];
        if ((motions.includes("dynamic") || !motions.includes("static")) && meet(a, b)) pairs.push([i, j]);
      }));
      const changes = world.update();
      equal(world.length, bodies.size, "length");
      equal(world.pairs(), pairs.flat(), "pairs");
      // The id of a removed body may be reused in the same step, so a pair may both end and begin.
      const now = new Set(pairs.map(String));
      const named = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => `${flat[2 * i]},${flat[2 * i + 1]}`);
      const replay = new Set(before);
      for (const pair of named(changes.ended)) if (!replay.delete(pair)) throw new Error(`${pair} ended, and was none`);
      for (const pair of named(changes.begun)) {
        if (replay.has(pair)) throw new Error(`${pair} began again`);
        replay.add(pair);
      }
      equal([...replay].sort(), [...now].sort(), "events");
      before = now;

      for (let i = 0; i < 5; i++) {
        const asked = make();
        const found = asked.ball ? world.query(...row(asked)) : world.queryBox(...row(asked));
        equal(found, all.filter((id) => meet(bodies.get(id), asked)), "query");
      }
    }
    // The first body of a ray is the earliest of all bodies, each tested alone.
    const alone = [...bodies].sort(([a], [b]) => a - b).map(([id, body]) => {
      const one = new Broadphase();
      body.ball ? one.insertBall(...row(body)) : one.insertBox(...row(body));
      one.update();
      return [id, one];
    });
    let met = 0;
    for (let i = 0; i < 30; i++) {
      const ray = Array.from({ length: 6 }, () => r.place(-3, 3));
      const end = i % 2 ? f(0.5) : undefined;
      let first;
      for (const [id, one] of alone) {
        const hit = one.castRay(...ray, end);
        if (hit && (!first || hit.time < first.time)) first = { id, time: hit.time };
      }
      equal(world.castRay(...ray, end), first, "castRay");
      if (first) {
        met++;
        const { min, max } = boundsOf(bodies.get(first.id));
        const on = [0, 1, 2].map((axis) => ray[axis] + first.time * ray[3 + axis]);
        const off = Math.hypot(...on.map((x, axis) => Math.max(min[axis] - x, 0, x - max[axis])));
        if (off > 1e-4) throw new Error(`castRay: ${off} away`);
      }
    }
    if (met < 5) throw new Error(`only ${met} rays met a body`);
  }]);
}

function voxelLaws({ voxelize, countVoxels }) {
  const shapes = (r, axes) => {
    const list = (low, high) => Array.from({ length: axes }, () => r.place(low, high));
    const center = list(-3, 3);
    const low = list(-3, 3);
    return [
      { center, radius: r.place(0, 5) },
      { min: low, max: low.map((at) => f(at + r.place(0, 4))).map((at, axis) => Math.max(at, low[axis])) },
    ];
  };
  return [2, 3].map((axes) => [`voxelize on ${axes} axes`, () => {
    const r = random(axes);
    for (let round = 0; round < 12; round++) {
      for (const shape of shapes(r, axes)) {
        const voxel = f([1, 0.5, 0.7][round % 3]);
        const origin = round % 2 ? Array.from({ length: axes }, () => r.place(-1, 1)) : Array(axes).fill(0);
        for (const solid of [false, true]) {
          const options = { voxel, origin, solid };
          const expected = [];
          const at = Array(axes).fill(0);
          const visit = (axis) => {
            if (axis < 0) {
              const plane = (index, a) => f(origin[a] + f(index * voxel));
              const box = { min: at.map(plane), max: at.map((index, a) => plane(index + 1, a)) };
              const touches = shape.center
                ? near(box, shape.center) <= square(shape.radius)
                : meet({ box: shape }, { box });
              const swallowed = shape.center
                ? far(box, shape.center) < square(shape.radius)
                : box.min.every((min, a) => shape.min[a] < min && box.max[a] < shape.max[a]);
              if (touches && (solid || !swallowed)) expected.push(...at);
              return;
            }
            for (at[axis] = -26; at[axis] < 26; at[axis]++) visit(axis - 1);
          };
          visit(axes - 1);
          equal(voxelize(shape, options), expected, `voxelize(${JSON.stringify(shape)}, ${JSON.stringify(options)})`);
          equal(countVoxels(shape, options), expected.length / axes, "countVoxels");
        }
      }
    }
  }]).concat([["the numbers of the README", () => {
    const ball = { center: [0, 0, 0], radius: 8 };
    equal(voxelize(ball).length / 3, 1184, "closed");
    equal(countVoxels(ball, { rule: "half-open" }), 1163, "half-open");
    equal(countVoxels(ball, { solid: true }), 2752, "solid");
    equal(countVoxels({ center: [0, 0, 0], semiAxes: [8, 8, 8] }, { solid: true }), 2752, "an ellipsoid");
    // With voxels of 2, the surface is about as thick as two voxels of 1.
    const shell = countVoxels(ball, { rule: { shell: 2 } });
    const band = countVoxels(ball, { rule: { band: 1 } });
    const thin = countVoxels(ball, { rule: "thin" });
    const centers = countVoxels(ball, { rule: "center" });
    if (!(shell > band && band > thin && thin > centers && centers > 0)) throw new Error(`${[shell, band, thin, centers]}`);
  }]]);
}

export function laws(orthant) {
  return [
    ...treeLaws(orthant.Quadtree, 2),
    ...treeLaws(orthant.Octree, 3),
    ...rayLaws(orthant.Quadtree, 2),
    ...rayLaws(orthant.Octree, 3),
    ...broadphaseLaws(orthant),
    ...voxelLaws(orthant),
  ];
}
