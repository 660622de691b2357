// Bundles main.js and the parts of three.js that it needs into ../programs/shared/viewer.js, with the license of
// three.js at its head: `npm install && npm run build`. With --check, tests whether the committed bundle is up to
// date.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const license = await readFile(here("node_modules/three/LICENSE"), "utf8");
const check = process.argv.includes("--check");
const made = await build({
  entryPoints: [here("main.js")],
  outfile: here("../programs/shared/viewer.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  banner: { js: `/* Made by examples/viewer/build.mjs. It contains parts of three.js:\n\n${license.trim()}\n*/` },
  write: !check,
});
if (check) {
  const committed = await readFile(here("../programs/shared/viewer.js"), "utf8");
  if (made.outputFiles[0].text !== committed) {
    console.error("examples/programs/shared/viewer.js is not what examples/viewer makes: npm run build");
    process.exit(1);
  }
}
