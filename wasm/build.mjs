// Builds pkg/ from the crate: the module for wasm32 with 128-bit vectors, and the files of wasm-bindgen beside it. It needs cargo. The target's
// standard library is the toolchain's, or is built from sources: those of the toolchain (`rustup component add rust-src`), those in the folder
// ORTHANT_RUST_SRC, or those that `.ci/rust_src` finds. The command wasm-bindgen is taken from the path, or installed into target/wasm once.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { transformSync } from "esbuild";

const TARGET = "wasm32-unknown-unknown";
const TYPES = [
  "BodyHit", "Changes", "Ids", "Lists", "Motion", "Nearest", "Neighbors", "Numbers", "PointHit", "Rule", "Shape",
  "VoxelOptions",
];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const work = here("../target/wasm");

// Returns the output of a command, or undefined if it fails or is missing.
function printed(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

function run(command, args, env = {}) {
  execFileSync(command, args, { cwd: here("."), stdio: "inherit", env: { ...process.env, ...env } });
}

function missing(what) {
  console.error(`orthant: ${what}`);
  process.exit(3);
}

if (printed("cargo", "--version") === undefined) missing("no cargo: install Rust, https://rustup.rs");

// Find the standard library, or its sources.
const sysroot = printed("rustc", "--print", "sysroot");
const args = ["build", "-p", "orthant-wasm", "--release", "--target", TARGET, "--target-dir", work];
const env = {
  CARGO_INCREMENTAL: "0",
  // The build is optimized for size; hot code uses vector instructions and is inlined where it says so.
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "z",
  CARGO_PROFILE_RELEASE_PANIC: "abort",
  CARGO_PROFILE_RELEASE_LTO: "fat",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "1",
  CARGO_PROFILE_RELEASE_STRIP: "debuginfo",
  RUSTFLAGS: "-Ctarget-feature=+simd128",
};
if (!existsSync(`${sysroot}/lib/rustlib/${TARGET}`)) {
  const own = `${sysroot}/lib/rustlib/src/rust/library`;
  const script = here("../.ci/rust_src");
  const sources = [
    () => process.env.ORTHANT_RUST_SRC,
    () => existsSync(own) && own,
    () => existsSync(script) && printed(script),
  ];
  const source = sources.reduce((found, next) => found || next(), undefined);
  if (!source) {
    missing(
      `no standard library for ${TARGET}, and none of its sources: \`rustup target add ${TARGET}\`, or ` +
        "`rustup component add rust-src`, or ORTHANT_RUST_SRC for the folder `library` of these sources",
    );
  }
  if (!existsSync(`${source}/std`)) missing(`no sources of the standard library in ${source}`);
  args.push("-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size");
  env.RUSTC_BOOTSTRAP = "1";
  if (source !== own) env.__CARGO_TESTS_ONLY_SRC_ROOT = source;
}
// Returns the command of the version that the crate uses.
const [, version] = readFileSync(here("Cargo.toml"), "utf8").match(/^wasm-bindgen = "=(.*)"$/m);
const is = (command) => printed(command, "--version") === `wasm-bindgen ${version}`;
const installed = `${work}/tools/bin/wasm-bindgen`;
const bindgen = ["wasm-bindgen", installed].find(is) ?? installed;
let installing = Promise.resolve();
if (!is(bindgen)) {
  // It is not optimized, since it takes longer to build than to run. It is built beside the first module.
  const child = spawn(
    "cargo",
    ["install", "wasm-bindgen-cli", "--version", version, "--root", `${work}/tools`, "--target-dir", `${work}/build-tools`,
      "--no-default-features", "--bin", "wasm-bindgen", "--debug", "--quiet"],
    { cwd: here("."), stdio: "inherit", env: { ...process.env, CARGO_INCREMENTAL: "0", CARGO_PROFILE_DEV_DEBUG: "none" } },
  );
  installing = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error("wasm-bindgen-cli could not be installed"))));
  });
}

const demo = process.argv.includes("--demo");
if (demo) {
  await make("demo", here("demo/pkg"));
} else {
  await makePackage();
}

// Builds one module, and runs wasm-bindgen on it.
async function make(name, folder) {
  // With `s`, trees are built in 0.7 of the time and queried in 0.85, at the same size; a broad phase would exceed 100 kB.
  const level = name === "bodies" ? "z" : "s";
  const config = `profile.release.package.orthant.opt-level="${level}"`;
  run("cargo", [...args, "--no-default-features", "--features", name, "--config", config], env);
  await installing;
  const wasm = `${work}/${TARGET}/release/orthant_wasm.wasm`;
  mkdirSync(folder, { recursive: true });
  const small = ["--remove-name-section", "--remove-producers-section"];
  run(bindgen, [wasm, "--target", "web", "--out-dir", folder, "--out-name", name, ...small]);
  rmSync(`${folder}/${name}_bg.wasm.d.ts`);
}

// There are three modules, each of which loads without the others. Each has an entry for node, which reads the module at once, and one for
// browsers and bundlers, which fetch the module from beside its script.
async function makePackage() {
  const modules = { bodies: ["Broadphase"], trees: ["Octree", "Quadtree"], voxels: ["countVoxels", "voxelize"] };
  const types = `import type {\n  ${TYPES.join(", ")},\n} from "../js/types.js";\n`;
  for (const [name, exported] of Object.entries(modules)) {
    await make(name, here("pkg"));
    const script = readFileSync(here(`pkg/${name}.js`), "utf8");
    // The comments are in the declarations, so the script does not need them.
    writeFileSync(here(`pkg/${name}.js`), transformSync(script, { minifyWhitespace: true, minifySyntax: true, format: "esm" }).code);
    writeFileSync(here(`pkg/${name}.d.ts`), types + readFileSync(here(`pkg/${name}.d.ts`), "utf8"));
    const exports = `export { ${exported.join(", ")} } from "./${name}.js";\n`;
    writeFileSync(here(`pkg/${name}.web.js`), `import init from "./${name}.js";\nawait init();\n${exports}`);
    writeFileSync(
      here(`pkg/${name}.node.js`),
      `import { readFileSync } from "node:fs";\nimport { initSync } from "./${name}.js";\n` +
        `initSync({ module: readFileSync(new URL("./${name}_bg.wasm", import.meta.url)) });\n${exports}`,
    );
  }
  for (const kind of ["web", "node"]) {
    writeFileSync(here(`pkg/all.${kind}.js`), Object.keys(modules).map((name) => `export * from "./${name}.${kind}.js";\n`).join(""));
  }
  for (const license of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(here(`../${license}`), here(license));

  for (const name of Object.keys(modules)) {
    const files = [`${name}_bg.wasm`, `${name}.js`].map((file) => readFileSync(here(`pkg/${file}`)));
    const [wasm, script] = files.map((bytes) => bytes.length);
    const zipped = files.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
    console.log(`${name}: ${wasm} bytes of wasm, ${script} of script, ${zipped} compressed`);
  }
}
