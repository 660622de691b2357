// Draws boxes along the axes, with lines along their edges; runs of voxels have lines between the voxels.
import {
  BoxGeometry, GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, RawShaderMaterial, Vector3,
} from "three";

const vertex = `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 low, size, middle;
uniform bool runs, cut;
in vec3 position, normal;
in vec3 place, half_size;
in vec4 run;
in float level;
out vec3 at, within;
flat out vec3 side, extent;
flat out float shade;

void main() {
  side = normal;
  shade = level;
  vec3 corner = position + 0.5;
  if (runs) {
    // From its first to its last voxel, in voxels; what is cut away ends before the middle.
    float end = run.y;
    if (cut && run.z >= middle.y && run.w >= middle.z) end = min(end, middle.x);
    extent = vec3(max(end - run.x, 0.0), 1.0, 1.0);
    at = vec3(run.x, run.z, run.w) + corner * extent;
  } else {
    extent = 2.0 * half_size;
    at = low + place * size + position * extent;
  }
  within = corner * extent;
  gl_Position = extent.x > 0.0 ? projectionMatrix * modelViewMatrix * vec4(at, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}`;

const fragment = `
precision highp float;
uniform sampler2D palette;
uniform vec3 middle, high;
uniform bool runs, cut, warm;
uniform vec3 shades[6];
in vec3 at, within;
flat in vec3 side, extent;
flat in float shade;
out vec4 color;

void main() {
  vec3 axis = abs(side);
  float light = dot(axis, vec3(0.82, 0.66, side.z > 0.0 ? 1.0 : 0.55));
  float height = clamp(at.z / high.z, 0.0, 1.0);
  vec3 base = texture(palette, vec2(runs ? height : shade, 0.5)).rgb;
  if (warm) {
    // Outer faces are cool, those that look inwards warm, and pale where the cut goes through a voxel.
    vec3 from = at - middle;
    vec3 others = 1.0 - axis;
    bool in_cut = cut && dot(side, vec3(1.0)) > 0.0 && abs(dot(from, axis)) < 0.01
      && all(greaterThan(from, -0.01 - 1e6 * axis));
    // A thousandth of a voxel within, so that a face belongs to the voxel it bounds.
    bool inwards = dot(from - 0.001 * side, side) < 0.0;
    int kind = in_cut ? 4 : inwards ? 2 : 0;
    base = mix(shades[kind], shades[kind + 1], height);
  }
  vec3 near = runs ? abs(fract(within + 0.5) - 0.5) : min(within, extent - within);
  vec3 wide = fwidth(within);
  vec3 line = smoothstep(0.0, 1.5, near / max(wide, 1e-9)) + axis;
  float edge = min(line.x, min(line.y, line.z));
  // Lines closer than some pixels would be all there is.
  float fine = runs ? max(wide.x, max(wide.y, wide.z)) : 0.0;
  edge = mix(min(edge, 1.0), 1.0, smoothstep(0.08, 0.3, fine));
  color = vec4(base * light * mix(0.6, 1.0, edge), 1.0);
}`;

// The colors of outer faces, inner faces and the cut, each at the bottom and at the top.
export const shades = [
  [38, 84, 124], [126, 204, 222], [150, 66, 44], [244, 150, 92], [214, 178, 110], [240, 214, 150],
];

export class Boxes extends Mesh {
  // Takes places and levels, as `Balls` does, and half sizes; or runs of voxels.
  constructor({ places, halves, levels, runs, low, size, palette, middle, high, warm }) {
    const box = new BoxGeometry(1, 1, 1);
    const geometry = new InstancedBufferGeometry();
    geometry.setIndex(box.index);
    geometry.setAttribute("position", box.attributes.position);
    geometry.setAttribute("normal", box.attributes.normal);
    if (runs) {
      geometry.setAttribute("run", new InstancedBufferAttribute(runs, 4));
    } else {
      geometry.setAttribute("place", new InstancedBufferAttribute(places, 3, true));
      geometry.setAttribute("half_size", new InstancedBufferAttribute(halves, 3));
      geometry.setAttribute("level", new InstancedBufferAttribute(levels, 1, true));
    }
    geometry.instanceCount = runs ? runs.length / 4 : levels.length;
    const uniforms = {
      low: { value: low ?? new Vector3() },
      size: { value: size ?? new Vector3(1, 1, 1) },
      palette: { value: palette },
      middle: { value: middle ?? new Vector3() },
      high: { value: high ?? new Vector3(1, 1, 1) },
      runs: { value: Boolean(runs) },
      cut: { value: false },
      warm: { value: Boolean(warm) },
      shades: { value: shades.map((shade) => new Vector3(...shade).divideScalar(255)) },
    };
    super(geometry, new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms }));
    this.frustumCulled = false;
  }

  move(places, levels) {
    const { place, level } = this.geometry.attributes;
    place.array.set(places);
    level.array.set(levels);
    place.needsUpdate = level.needsUpdate = true;
  }

  // Sets whether the octant at the upper ends of the axes is cut away.
  set cut(is) {
    this.material.uniforms.cut.value = is;
  }

  // Sets the number of runs that are drawn.
  set shown(runs) {
    this.geometry.instanceCount = runs;
  }
}
