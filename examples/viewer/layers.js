// The layers of a scene. Each has a mesh, shows a frame, and finds what a line of sight meets first.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from "three";
import { Balls } from "./balls.js";
import { Boxes } from "./boxes.js";

const WHOLE = 65535;

// Things with a place and a count in each frame.
class Things {
  constructor(layer, space) {
    this.layer = layer;
    this.space = space;
    this.places = space.array(layer.places);
    this.counts = space.array(layer.counts);
    this.frame = 0;
  }

  placesAt(frame) {
    const length = 3 * this.layer.items;
    return this.places.subarray(frame * length, (frame + 1) * length);
  }

  countsAt(frame) {
    const length = this.layer.items;
    return this.counts.subarray(frame * length, (frame + 1) * length);
  }

  // The arguments of a mesh. Its arrays are copies, into which other frames are written.
  first() {
    const { size, palette, level } = this.space;
    return {
      places: this.placesAt(0).slice(),
      levels: level(this.countsAt(0)),
      low: new Vector3(),
      size,
      palette,
    };
  }

  show(frame) {
    this.frame = frame;
    this.mesh.move(this.placesAt(frame), this.space.level(this.countsAt(frame)));
  }

  place(i) {
    const [x, y, z] = this.placesAt(this.frame).subarray(3 * i, 3 * i + 3);
    const { size } = this.space;
    return [(x / WHOLE) * size.x, (y / WHOLE) * size.y, (z / WHOLE) * size.z];
  }

  text(i) {
    const { one, what } = this.layer;
    const place = this.space.named(...this.place(i)).join(", ");
    return `${one} ${i}: ${this.countsAt(this.frame)[i]} ${what}, at (${place})`;
  }

  // The nearest thing that a ray meets; `meets(i, ray)` is its distance.
  nearest(ray, meets) {
    let [best, far] = [-1, Infinity];
    for (let i = 0; i < this.layer.items; i++) {
      const at = meets(i, ray);
      if (at < far) [best, far] = [i, at];
    }
    return best < 0 ? undefined : { far, text: () => this.text(best) };
  }
}

export class BallLayer extends Things {
  constructor(layer, space, pixel) {
    super(layer, space);
    this.radii = typeof layer.radii === "number" ? layer.radii : space.array(layer.radii);
    this.mesh = new Balls({ ...this.first(), radii: this.radii, pixel });
    this.grown = 1;
    // The user may change the size of points.
    if (layer.points) {
      this.grow = (factor) => {
        this.grown = factor;
        this.mesh.grow(factor);
      };
    }
  }

  pick(ray) {
    const { from, way, pixel } = ray;
    const places = this.placesAt(this.frame);
    const { size } = this.space;
    const [sx, sy, sz] = [size.x / WHOLE, size.y / WHOLE, size.z / WHOLE];
    return this.nearest(ray, (i) => {
      const x = places[3 * i] * sx - from.x;
      const y = places[3 * i + 1] * sy - from.y;
      const z = places[3 * i + 2] * sz - from.z;
      const along = x * way.x + y * way.y + z * way.z;
      const own = this.grown * (typeof this.radii === "number" ? this.radii : this.radii[i]);
      const reach = Math.max(own, 3 * pixel * along);
      const inside = reach * reach - (x * x + y * y + z * z - along * along);
      return along > 0 && inside >= 0 ? along - Math.sqrt(inside) : Infinity;
    });
  }
}

// The distance at which a line of sight enters a box, infinite if it misses.
function entry(from, way, low, high) {
  let [enter, leave] = [0, Infinity];
  for (let axis = 0; axis < 3; axis++) {
    const a = (low[axis] - from[axis]) / way[axis];
    const b = (high[axis] - from[axis]) / way[axis];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave ? enter : Infinity;
}

export class BoxLayer extends Things {
  constructor(layer, space) {
    super(layer, space);
    this.halves = space.array(layer.halves);
    this.mesh = new Boxes({ ...this.first(), halves: this.halves });
  }

  pick(ray) {
    const [from, way] = [ray.from.toArray(), ray.way.toArray()];
    return this.nearest(ray, (i) => {
      const halves = this.halves.subarray(3 * i, 3 * i + 3);
      const place = this.place(i);
      return entry(from, way, place.map((at, a) => at - halves[a]), place.map((at, a) => at + halves[a]));
    });
  }
}

// Runs of voxels, by layers along the last axis.
export class RunLayer {
  constructor(layer, space) {
    this.layer = layer;
    this.space = space;
    // Four numbers each: start, end, y, z.
    const runs = space.array(layer.runs);
    const middle = layer.middle ? new Vector3(...layer.middle) : undefined;
    const { size, palette, longest } = space;
    // The sides of the scene, in voxels.
    const high = size.clone().multiplyScalar(2 * longest);
    this.runs = Float32Array.from(runs);
    this.mesh = new Boxes({ runs: this.runs, palette, middle, high, warm: layer.middle });
    this.mesh.scale.setScalar(1 / (2 * longest));
    this.middle = layer.middle;
    this.canBeCut = Boolean(layer.middle) && !layer.flat;
    this.ends = [];
    this.slabs = [];
    for (let i = 0; i < runs.length; i += 4) {
      if (i + 4 === runs.length || runs[i + 7] !== runs[i + 3]) {
        this.ends.push(i / 4 + 1);
        this.slabs.push(`layers up to z ${runs[i + 3] + layer.low[2]}`);
      }
    }
    this.count = runs.length / 4;
    this.isCut = false;
  }

  cut(is) {
    this.mesh.cut = this.isCut = is;
  }

  upTo(step) {
    this.mesh.shown = this.count = this.ends[step];
  }

  pick(ray) {
    const scale = 1 / this.mesh.scale.x;
    const from = ray.from.toArray().map((at) => at * scale);
    const way = ray.way.toArray();
    let [best, far] = [-1, Infinity];
    for (let i = 0; i < this.count; i++) {
      const run = this.runs.subarray(4 * i, 4 * i + 4);
      let end = run[1];
      const m = this.middle;
      if (this.isCut && run[2] >= m[1] && run[3] >= m[2]) end = Math.min(end, m[0]);
      if (end <= run[0]) continue;
      const at = entry(from, way, [run[0], run[2], run[3]], [end, run[2] + 1, run[3] + 1]);
      if (at < far) [best, far] = [i, at];
    }
    if (best < 0) return undefined;
    const [start, end, y, z] = this.runs.subarray(4 * best, 4 * best + 4);
    const x = Math.min(Math.max(Math.floor(from[0] + far * way[0]), start), end - 1);
    const voxel = [x, y, z].map((index, axis) => index + this.layer.low[axis]);
    return { far: far / scale, text: () => `voxel (${voxel.join(", ")})` };
  }
}

// Line segments, by pairs of places.
export class LineLayer {
  constructor(layer, space) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(space.array(layer.places), 3, true));
    this.mesh = new LineSegments(geometry, new LineBasicMaterial({ color: 0x8090a0 }));
    this.mesh.scale.copy(space.size);
  }
}
