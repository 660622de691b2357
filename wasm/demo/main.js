// Shows a cloud of points, a ball under the mouse, and the crate's answers: the points in the ball, the cells that its search tests, the voxels
// that its surface goes through, and how long each takes.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, EdgesGeometry, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, SphereGeometry, Vector3,
} from "three";
import { Balls } from "../../examples/viewer/balls.js";
import { levelOf, palette } from "../../examples/viewer/scale.js";
import { Stage } from "../../examples/viewer/stage.js";
import init, { Octree, voxelize } from "./pkg/demo.js";
import module from "./pkg/demo_bg.wasm";

const element = (id) => document.getElementById(id);
const NEAR = 0.02;
// The last color of the palette marks found points.
const FOUND = 255;

// Makes three strands that wind around each other, in a cube of edge one, the same every time.
function cloud(many) {
  let state = 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const bell = () => next() + next() + next() - 1.5;
  const points = new Float32Array(3 * many);
  for (let i = 0; i < many; i++) {
    const t = 2 * Math.PI * next();
    const [p, q] = [2 * t, 3 * t];
    const out = 0.26 + 0.11 * Math.cos(q);
    const wide = 0.012 + 0.05 * (0.5 + 0.5 * Math.sin(5 * t)) ** 2;
    points[3 * i] = 0.5 + out * Math.cos(p) + wide * bell();
    points[3 * i + 1] = 0.5 + out * Math.sin(p) + wide * bell();
    points[3 * i + 2] = 0.5 + 0.14 * Math.sin(q) + wide * bell();
  }
  return points;
}

// The color map Turbo (A. Mikhailov, 2019) as a polynomial, with white at its end.
function colors() {
  const channel = (c, x) => 255 * c.reduceRight((sum, factor) => sum * x + factor, 0);
  const red = [0.1357, 4.6154, -42.6603, 132.1311, -152.9424, 59.2864];
  const green = [0.0914, 2.1942, 4.8430, -14.1850, 4.2773, 2.8296];
  const blue = [0.1067, 12.6419, -60.5820, 110.3628, -89.9031, 27.3482];
  const row = Array.from({ length: 256 }, (_, i) => {
    const x = 0.08 + (0.9 * Math.min(i, 250)) / 255;
    return [red, green, blue].map((c) => Math.max(0, Math.min(255, Math.round(channel(c, x)))));
  });
  for (let i = 251; i < 256; i++) row[i] = [255, 255, 255];
  return row;
}

// Returns the milliseconds of a call and its result. The call repeats for as long as a browser's clock needs.
function timed(call, least = 3) {
  const start = performance.now();
  let [runs, end, given] = [0, start, undefined];
  do {
    given = call();
    runs++;
    end = performance.now();
  } while (end - start < least);
  return [(end - start) / runs, given];
}

const shown = (ms) => (ms < 1 ? `${(1000 * ms).toPrecision(3)} µs` : `${ms.toPrecision(3)} ms`);
const tell = (id, text) => (element(id).textContent = text);

// Draws the edges of boxes, each with the color of its kind.
class Edges extends LineSegments {
  constructor() {
    super(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.8 }));
    const edges = new EdgesGeometry(new BoxGeometry(1, 1, 1)).attributes.position;
    // The corners of the unit cube.
    this.corners = Array.from(edges.array, (at) => at + 0.5);
    this.frustumCulled = false;
  }

  // `boxes` yields two corners and a color.
  show(boxes) {
    const [places, shades] = [[], []];
    for (const [min, max, color] of boxes) {
      for (let i = 0; i < this.corners.length; i += 3) {
        for (let axis = 0; axis < 3; axis++) places.push(this.corners[i + axis] ? max[axis] : min[axis]);
        shades.push(color.r, color.g, color.b);
      }
    }
    this.geometry.dispose();
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(shades), 3));
  }
}

async function start() {
  await init({ module_or_path: module });
  const stage = new Stage(element("canvas"), { left: 20, right: 300 });
  const [straddles, inside, pierced] = [0xf0a030, 0x50d070, 0x5090ff].map((hex) => new Color(hex));
  const texture = palette(colors());
  texture.magFilter = texture.minFilter = 1003; // the nearest: white does not bleed
  element("bar").style.background = `linear-gradient(to right, ${colors().slice(0, 250).map((c) => `rgb(${c})`).join(", ")})`;

  const edges = new Edges();
  const ball = new Mesh(new SphereGeometry(1, 48, 24), new MeshBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.13, depthWrite: false }));
  const voxels = new Edges();
  voxels.material.opacity = 0.4;
  stage.scene.add(edges, voxels, ball);

  let points, tree, balls, levels, found = [];
  const fill = () => {
    if (balls) {
      stage.scene.remove(balls);
      balls.geometry.dispose();
      tree.free();
    }
    points = cloud(Number(element("many").value));
    const [built, made] = timed(() => new Octree(points), 0);
    tree = made;
    const [counted, counts] = timed(() => tree.counts(points, NEAR), 0);
    tell("built", shown(built));
    tell("counted", shown(counted));
    const sorted = counts.slice().sort();
    const scale = { least: 0, most: sorted.at(-1), shift: sorted[sorted.length >> 1] };
    tell("most", scale.most);
    levels = levelOf(scale)(counts).map((level) => (level * 250) / 255);
    balls = new Balls({
      places: points,
      radii: Math.min(0.002, 0.12 / Math.sqrt(counts.length)),
      levels: levels.slice(),
      low: new Vector3(),
      size: new Vector3(1, 1, 1),
      palette: texture,
      pixel: stage.pixel,
    });
    found = [];
    stage.scene.add(balls);
    ask();
  };

  let center = [0.5 + 0.37, 0.5, 0.5];
  const ask = () => {
    const radius = Number(element("radius").value);
    const [query, now] = timed(() => tree.query(...center, radius));
    const [count] = timed(() => tree.count(...center, radius));
    // The scan in JavaScript uses 32-bit floats, as the crate does.
    const [scan, all] = timed(() => {
      const f = Math.fround;
      const [x, y, z] = center.map(f);
      const [within, limit] = [[], f(f(radius) * f(radius))];
      for (let i = 0; i < points.length; i += 3) {
        const [a, b, c] = [f(points[i] - x), f(points[i + 1] - y), f(points[i + 2] - z)];
        if (f(f(f(a * a) + f(b * b)) + f(c * c)) <= limit) within.push(i / 3);
      }
      return within;
    }, 0);
    const sorted = now.slice().sort();
    tell("found", now.length);
    tell("query", shown(query));
    tell("count", shown(count));
    tell("scan", shown(scan));
    tell("same", sorted.length === all.length && all.every((index, i) => index === sorted[i]) ? "the same" : "ANOTHER");

    const level = balls.geometry.attributes.level;
    for (const i of found) level.array[i] = levels[i];
    for (const i of now) level.array[i] = FOUND;
    level.needsUpdate = true;
    found = now;

    ball.position.set(...center);
    ball.scale.setScalar(radius);
    const cells = tree.cells(...center, radius);
    tell("asked", cells.length / 7);
    const boxes = function* () {
      for (let i = 0; i < cells.length; i += 7) {
        const kind = cells[i + 6];
        if (kind > 0) yield [cells.subarray(i, i + 3), cells.subarray(i + 3, i + 6), kind === 1 ? straddles : inside];
      }
    };
    edges.visible = element("cells").checked;
    if (edges.visible) edges.show(boxes());

    const voxel = Number(element("voxel").value);
    const [listed, list] = timed(() => voxelize({ center, radius }, { voxel }));
    tell("pierced", list.length / 3);
    tell("listed", shown(listed));
    voxels.visible = element("voxels").checked;
    if (voxels.visible) {
      const ends = function* () {
        for (let i = 0; i < list.length; i += 3) {
          const min = Array.from(list.subarray(i, i + 3), (index) => index * voxel);
          yield [min, min.map((at) => at + voxel), pierced];
        }
      };
      voxels.show(ends());
    }
    stage.draw();
  };

  // The point under the mouse is the first one on the line of sight, which the crate finds with a thin ray.
  let due;
  stage.canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) return;
    const { from, way } = stage.ray(event.clientX, event.clientY);
    due ??= requestAnimationFrame(() => {
      due = undefined;
      const hit = tree.castRay(...from, ...way, 0.01);
      if (!hit) return;
      center = Array.from(points.subarray(3 * hit.index, 3 * hit.index + 3));
      ask();
    });
  });
  element("many").addEventListener("change", fill);
  for (const id of ["radius", "cells", "voxels", "voxel"]) element(id).addEventListener("input", ask);
  fill();
  stage.look(new Vector3(0.1, 0.1, 0.3), new Vector3(0.9, 0.9, 0.7), [0.25, -1, 0.8]);
  document.body.dataset.ready = "yes";
}

start().catch((error) => {
  element("failure").textContent = `This page needs WebAssembly and WebGL 2: ${error.message}`;
  throw error;
});
