/** Numbers one after the other, taken as 32-bit floats. A `Float32Array` is the fastest. */
export type Numbers = Float32Array | Float64Array | ArrayLike<number>;
/** Numbers of bodies, as they were inserted. */
export type Ids = Uint32Array | ArrayLike<number>;
/** Static bodies form pairs with dynamic ones only. */
export type Motion = "dynamic" | "kinematic" | "static";

/** A point that was found, and how far it is. */
export interface Nearest { index: number; distance: number }
/** Points that were found, the nearest first, ties by index. */
export interface Neighbors { indices: Uint32Array; distances: Float32Array }
/** Many answers behind each other: that of question i is `indices.subarray(offsets[i], offsets[i + 1])`. */
export interface Lists { offsets: Uint32Array; indices: Uint32Array }
/** A point on a ray: it is first touched at `origin + time * direction`. */
export interface PointHit { index: number; time: number }
/** A body on a ray: it is first touched at `origin + time * direction`. */
export interface BodyHit { id: number; time: number }
/** Pairs that began and that ended, two ids each, the lesser first. */
export interface Changes { begun: Uint32Array; ended: Uint32Array }

/** What becomes voxels: in the plane with two coordinates, in space with three. */
export type Shape =
  | { center: Numbers; radius: number }
  | { center: Numbers; semiAxes: Numbers }
  | { min: Numbers; max: Numbers };
/** When a voxel is taken; with a thickness, or half a width. */
export type Rule = "closed" | "half-open" | "center" | "thin" | { shell: number } | { band: number };
export interface VoxelOptions {
  /** The edge of a voxel; 1 if not given. */
  voxel?: number;
  /** The lower corner of voxel 0; zero if not given. */
  origin?: Numbers;
  /** `"closed"` if not given: every voxel that the shape touches. */
  rule?: Rule;
  /** The whole shape instead of its surface. */
  solid?: boolean;
}
