// Tests in node: the laws, refusals, types, sizes, and the README's examples.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as orthant from "orthant";
import { laws, random } from "./laws.mjs";
import { refusals } from "./refusals.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

for (const [name, law] of laws(orthant)) test(name, law);

for (const [name, bad, message] of refusals(orthant)) {
  test(`refused: ${name}`, () => assert.throws(bad, (error) => error instanceof Error && message.test(error.message)));
}

test("what was refused changed nothing", () => {
  const tree = new orthant.Octree([0, 0, 0, 1, 1, 1]);
  assert.throws(() => tree.rebuild([0, 0, NaN]), /point 0: z is NaN/);
  assert.throws(() => tree.query(0, 0, 0, -1), /negative/);
  assert.deepEqual([...tree.query(0, 0, 0, 2)].sort(), [0, 1]);
  const world = new orthant.Broadphase();
  const ids = world.insertBalls([0, 0, 0, 1, 1, 0, 0, 1]);
  world.update();
  assert.throws(() => world.setBalls([ids[0], 7], [9, 9, 9, 1, 9, 9, 9, 1]), /ids\[1\] is 7/);
  assert.throws(() => world.setBalls(ids, [9, 9, 9, 1, 9, 9, 9, -1]), /ball 1: negative radius/);
  assert.throws(() => world.insertBalls([9, 9, 9, 1, 9, 9, 9, NaN]), /ball 1: radius is NaN/);
  assert.equal(world.length, 2);
  assert.equal(world.update().ended.length, 0);
  assert.deepEqual([...world.pairs()], [0, 1]);
});

// Checks that any input, in any number, gives an answer or an `Error`, never a trap, and that the structure stays usable.
test("nothing panics", () => {
  const r = random(5);
  const hostile = { valueOf: () => { throw new Error("mine"); } };
  const values = [
    undefined, null, NaN, Infinity, -Infinity, -0, 0, 1, -1, 0.5, 2 ** 31, 2 ** 32, 1e30, 1e39, -1e300, 5e-324, "", "7", "x",
    true, [], [1], [1, 2, 3], [1, 2, 3, 4, 5, 6], ["a", "b", "c"], [NaN, 0, 0], [[1, 2, 3]], new Array(6), [0, 0, 0, 1e38, 1e38, 1e38],
    new Float32Array(3), new Float32Array([1e38, 3e38, -3e38]), new Float64Array([1e300, 0, 0]), new Uint32Array(2),
    new Uint8Array(6), new BigInt64Array(3), new DataView(new ArrayBuffer(12)), 10n, Symbol("s"), () => 1, {}, { length: 3 },
    { length: -1 }, { length: 1e15 }, { length: "3" }, hostile, [hostile, 0, 0], new Proxy({}, { get() { throw new Error("mine"); } }),
    { center: [0, 0, 0], radius: 1 }, { center: [0, 0], radius: 1e9 }, { center: [0, 0, 0], radius: 1e30 }, { center: [0], radius: 1 },
    { min: [0, 0, 0], max: [1, 1, 1] }, { min: [1, 1], max: [0, 0] }, { center: [0, 0, 0], semiAxes: [1, 0, 1] },
    { min: [-3e38, 0, 0], max: [3e38, 1, 1] }, { voxel: 0 }, { voxel: 1e-30 }, { voxel: 1e30, solid: true }, { rule: "odd" },
    { rule: { shell: 1e30 } }, { rule: { band: -1 } }, { rule: { shell: 1 } }, { origin: [1e38, 0, 0] }, "static", "dynamic", "odd",
  ];
  const any = () => values[r.whole(values.length)];
  const numbers = () => (r.next() < 0.3 ? any() : r.place(-3, 3));
  const { Octree, Quadtree, Broadphase } = orthant;
  const made = () => [
    new Octree(Array.from({ length: 300 }, () => r.place(-3, 3))),
    new Quadtree(Array.from({ length: 300 }, () => r.place(-3, 3))),
    new Broadphase(),
  ];
  const known = made();
  known[2].insertBalls([0, 0, 0, 1, 1, 0, 0, 1]);
  let [threw, answered] = [0, 0];
  const attempt = (call) => {
    try {
      call();
      answered++;
    } catch (error) {
      threw++;
      assert.ok(error instanceof Error && !(error instanceof WebAssembly.RuntimeError), String(error));
      assert.doesNotMatch(error.message, /recursive|unreachable|null pointer|memory/);
    }
  };
  for (let i = 0; i < 30000; i++) {
    const args = Array.from({ length: r.whole(9) }, r.next() < 0.5 ? numbers : any);
    const choice = r.whole(10);
    if (choice === 0) attempt(() => orthant.voxelize(...args));
    else if (choice === 1) attempt(() => orthant.countVoxels(...args));
    else if (choice === 2) attempt(() => new [Octree, Quadtree, Broadphase][r.whole(3)](...args));
    else {
      const object = known[r.whole(3)];
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object));
      const name = names[r.whole(names.length)];
      if (["free", "constructor", "__destroy_into_raw"].includes(name)) continue;
      attempt(() => (typeof object[name] === "function" ? object[name](...args) : object[name]));
    }
  }
  assert.ok(threw > 5000 && answered > 2000, `${threw} threw, ${answered} answered`);
  known[0].rebuild([0, 0, 0]);
  assert.equal(known[0].count(0, 0, 0, 1), 1);
  known[2].update();
});

test("each module is below 100 kB compressed, with its script", () => {
  for (const name of ["trees", "bodies", "voxels"]) {
    const files = [`../pkg/${name}_bg.wasm`, `../pkg/${name}.js`].map((path) => gzipSync(readFileSync(here(path))).length);
    const sum = files.reduce((a, b) => a + b);
    assert.ok(sum <= 100_000, `${name}: ${sum} bytes`);
  }
});

test("TypeScript takes what the README shows, and refuses what is wrong", () => {
  const tsc = (file) =>
    execFileSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--target", "es2022",
      "--lib", "esnext,dom", "--module", "nodenext", "--skipLibCheck", "false", here(file)], { encoding: "utf8", stdio: "pipe" });
  tsc("types.ts");
  assert.throws(() => tsc("wrong.ts"), ({ stdout }) => {
    const lines = stdout.split("\n").filter((line) => line.includes("error TS"));
    assert.equal(lines.length, 5, stdout);
    return true;
  });
});

// Runs the README line by line: `expression; // result` is compared.
test("the README's examples", async () => {
  const readme = readFileSync(here("../README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);
  assert.ok(blocks.length >= 3);
  for (const [i, block] of blocks.entries()) {
    const code = block.replace(/^(\S[^\n]*?); \/\/ ([\d[{].*)$/gm, (_, left, right) => {
      const name = left.match(/^const (\w+) =/)?.[1];
      const value = name ?? left;
      return `${name ? `${left};` : ""} assert.deepEqual(plain(${value}), ${right});`;
    });
    const path = here(`readme-${i}.mjs`);
    const head = 'import assert from "node:assert/strict";\n' +
      "const plain = (value) => JSON.parse(JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? [...part] : part)));\n";
    writeFileSync(path, head + code);
    await import(path);
  }
  assert.ok(readdirSync(here(".")).includes("readme-0.mjs"));
});
