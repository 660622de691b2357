// Draws the page of an example. Two elements hold its content: `scene` is JSON, `data` the arrays that the scene
// names, as base64. examples/programs/shared/page.rs writes both.
import { Vector3 } from "three";
import { BoxLayer, LineLayer, BallLayer, RunLayer } from "./layers.js";
import { levelOf, palette } from "./scale.js";
import { Stage } from "./stage.js";

const element = (id) => document.getElementById(id);
const scene = JSON.parse(element("scene").textContent);
const bytes = Uint8Array.from(atob(element("data").textContent.trim()), (c) => c.charCodeAt(0)).buffer;
const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array };

// The scene is scaled to a box whose longest side is one.
const halves = scene.low.map((low, axis) => scene.high[axis] / 2 - low / 2);
const longest = Math.max(...halves) || 1;
const size = new Vector3(...halves.map((half) => half / longest));
const space = {
  size,
  longest,
  array: ({ type, at, length }) => new types[type](bytes, at, length),
  level: levelOf(scene.scale),
  palette: palette(scene.colors),
  // A place in the coordinates of the program that made the page.
  named: (x, y, z) =>
    [x, y, z].map((at, axis) => {
      const share = size.getComponent(axis) > 0 ? at / size.getComponent(axis) : 0;
      return Number((scene.low[axis] * (1 - share) + scene.high[axis] * share).toPrecision(5));
    }),
};

let stage;
try {
  stage = new Stage(element("canvas"));
} catch (error) {
  element("failure").textContent = `This page needs WebGL 2: ${error.message}`;
  throw error;
}
const kinds = { balls: BallLayer, boxes: BoxLayer, runs: RunLayer, lines: LineLayer };
const layers = scene.layers.map((layer) => new kinds[layer.kind](layer, space, stage.pixel));
for (const layer of layers) stage.scene.add(layer.mesh);

document.title = scene.title;
element("title").textContent = scene.title;
element("notes").textContent = scene.notes.join(" · ");

// The legend: a bar with numbers, or colors with their names.
if (scene.scale) {
  element("legend-title").textContent = scene.scale.title;
  const stops = scene.colors.map(([r, g, b]) => `rgb(${r} ${g} ${b})`);
  element("bar").style.background = `linear-gradient(to top, ${stops.join(", ")})`;
  for (const [height, label] of scene.scale.ticks) {
    const tick = document.createElement("span");
    tick.textContent = label;
    tick.style.bottom = `${100 * height}%`;
    element("ticks").append(tick);
  }
} else {
  element("scale").hidden = true;
}
for (const [color, label] of scene.swatches ?? []) {
  const row = document.createElement("div");
  const swatch = document.createElement("i");
  swatch.style.background = color;
  row.append(swatch, label);
  element("swatches").append(row);
}

// The controls of each layer.
const control = (label, input) => {
  const row = document.createElement("label");
  row.append(label, input);
  element("controls").append(row);
};
for (const layer of layers) {
  if (layer.grow) {
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: -1.5, max: 1.5, step: 0.05, value: 0, id: "size" });
    input.addEventListener("input", () => {
      layer.grow(2 ** Number(input.value));
      stage.draw();
    });
    control("size", input);
  }
  if (layer.canBeCut) {
    const input = document.createElement("input");
    Object.assign(input, { type: "checkbox", checked: true, id: "cut" });
    const cut = () => {
      layer.cut(input.checked);
      stage.draw();
    };
    input.addEventListener("change", cut);
    control("cut open", input);
    cut();
  }
}

// The slider: frames, or layers of voxels.
const slabs = layers.find((layer) => layer.slabs)?.slabs;
const steps = scene.frames.length > 1 ? scene.frames.length : (slabs?.length ?? 0);
const slider = element("slider");
const show = (step) => {
  if (scene.frames.length > 1) {
    for (const layer of layers) layer.show?.(step);
  } else {
    for (const layer of layers) layer.upTo?.(step);
  }
  element("step").textContent = scene.frames[step] ?? slabs?.[step] ?? "";
  stage.draw();
};
if (steps > 1) {
  slider.max = steps - 1;
  slider.value = steps - 1;
  slider.addEventListener("input", () => {
    pause();
    show(Number(slider.value));
  });
  show(steps - 1);
} else {
  element("time").hidden = true;
  for (const layer of layers) layer.show?.(0);
}

let timer;
const play = element("play");
const pause = () => {
  clearInterval(timer);
  timer = undefined;
  play.textContent = "▶";
  play.ariaLabel = "play";
};
play.addEventListener("click", () => {
  if (timer !== undefined) return pause();
  play.textContent = "❚❚";
  play.ariaLabel = "pause";
  timer = setInterval(() => {
    slider.value = (Number(slider.value) + 1) % steps;
    show(Number(slider.value));
  }, 50);
});

// A label tells what is under the mouse.
let mouse;
const tell = () => {
  const told = element("told");
  const ray = stage.ray(mouse.clientX, mouse.clientY);
  const hits = layers.map((layer) => layer.pick?.(ray)).filter(Boolean);
  hits.sort((a, b) => a.far - b.far);
  told.hidden = hits.length === 0;
  if (hits.length === 0) return;
  told.textContent = hits[0].text();
  const right = Math.min(mouse.clientX + 14, innerWidth - told.offsetWidth - 4);
  told.style.transform = `translate(${right}px, ${mouse.clientY + 14}px)`;
};
stage.canvas.addEventListener("pointermove", (event) => {
  if (event.buttons) {
    element("told").hidden = true;
    return;
  }
  if (!mouse) requestAnimationFrame(() => {
    tell();
    mouse = undefined;
  });
  mouse = event;
});
stage.canvas.addEventListener("pointerleave", () => (element("told").hidden = true));

const home = () => stage.look(new Vector3(), size, scene.view);
element("home").addEventListener("click", home);
home();
document.body.dataset.ready = "yes";
