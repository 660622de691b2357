// Colors by numbers, as examples/programs/shared/scale.rs has them.
import { DataTexture, LinearFilter, RGBAFormat } from "three";

// A row of colors from the least to the most.
export function palette(colors) {
  const texture = new DataTexture(
    new Uint8Array(colors.flatMap(([r, g, b]) => [r, g, b, 255])), colors.length, 1, RGBAFormat,
  );
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

// From counts to where they are in that row, as bytes: a logarithm that starts one median below the least.
export function levelOf(scale) {
  if (!scale || scale.most <= scale.least) return (counts) => new Uint8Array(counts.length).fill(128);
  const log = (count) => Math.log1p((count - scale.least) / scale.shift);
  const whole = log(scale.most);
  return (counts) => Uint8Array.from(counts, (count) => Math.round((255 * log(count)) / whole));
}
