// Draws balls. Each is a square towards the eye, on which every pixel computes where its line of sight meets the
// ball.
import { BufferAttribute, GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, RawShaderMaterial } from "three";

const vertex = `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 low, size;
uniform float pixel, grown;
in vec2 corner;
in vec3 place;
in float radius;
in float level;
out vec3 at;
flat out vec3 center;
flat out float reach;
flat out float shade;

void main() {
  center = (modelViewMatrix * vec4(low + place * size, 1.0)).xyz;
  float far = length(center);
  // Never less than a pixel or so.
  reach = max(radius * grown, 0.8 * pixel * far);
  shade = level;
  float wide = reach * far / sqrt(max(far * far - reach * reach, 1e-12));
  vec3 way = center / far;
  vec3 right = normalize(cross(way, vec3(0.0, 1.0, 0.0)));
  at = center + (right * corner.x + cross(right, way) * corner.y) * wide;
  gl_Position = far > reach ? projectionMatrix * vec4(at, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}`;

const fragment = `
precision highp float;
uniform mat4 projectionMatrix;
uniform sampler2D palette;
in vec3 at;
flat in vec3 center;
flat in float reach;
flat in float shade;
out vec4 color;

void main() {
  vec3 way = normalize(at);
  vec3 nearest = way * dot(way, center) - center;
  float inside = reach * reach - dot(nearest, nearest);
  if (inside < 0.0) discard;
  vec3 normal = (nearest - way * sqrt(inside)) / reach;
  vec4 clip = projectionMatrix * vec4(center + normal * reach, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
  float light = 0.5 + 0.5 * max(dot(normal, normalize(vec3(-0.4, 0.7, 0.6))), 0.0);
  color = vec4(light * texture(palette, vec2(shade, 0.5)).rgb, 1.0);
}`;

export class Balls extends Mesh {
  // Places are three numbers each, of any type, mapped to `low` to `low + size`. Radii are one number or an array.
  // Levels are bytes: the positions of colors in the palette.
  constructor({ places, radii, levels, low, size, palette, pixel }) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("corner", new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("place", new InstancedBufferAttribute(places, 3, true));
    geometry.setAttribute("level", new InstancedBufferAttribute(levels, 1, true));
    const many = typeof radii !== "number";
    const each = many ? 1 : levels.length;
    geometry.setAttribute("radius", new InstancedBufferAttribute(many ? radii : new Float32Array([radii]), 1, false, each));
    geometry.instanceCount = levels.length;
    const uniforms = {
      low: { value: low },
      size: { value: size },
      palette: { value: palette },
      pixel,
      grown: { value: 1 },
    };
    super(geometry, new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms }));
    this.frustumCulled = false;
  }

  grow(factor) {
    this.material.uniforms.grown.value = factor;
  }

  // Replaces the places and levels by as many others.
  move(places, levels) {
    const { place, level } = this.geometry.attributes;
    place.array.set(places);
    level.array.set(levels);
    place.needsUpdate = level.needsUpdate = true;
  }
}
