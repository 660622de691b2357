// The color scale of counts, as in examples/programs/shared/scale.rs.
import { DataTexture, LinearFilter, RGBAFormat } from "three";

// A texture with a row of colors, from the least count to the largest.
export function palette(colors) {
  const texture = new DataTexture(
    new Uint8Array(colors.flatMap(([r, g, b]) => [r, g, b, 255])), colors.length, 1, RGBAFormat,
  );
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

// Maps counts to places in that row, as bytes, by a logarithm that starts one median below the least.
export function levelOf(scale) {
  if (!scale || scale.most <= scale.least) return (counts) => new Uint8Array(counts.length).fill(128);
  const log = (count) => Math.log1p((count - scale.least) / scale.shift);
  const whole = log(scale.most);
  return (counts) => Uint8Array.from(counts, (count) => Math.round((255 * log(count)) / whole));
}
