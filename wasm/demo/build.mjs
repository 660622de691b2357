// Builds the demo: `npm run demo` builds the module first. This script then joins the page, the scripts, three.js and the module to
// docs/demo.html, one file that needs no server.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const license = readFileSync(here("../node_modules/three/LICENSE"), "utf8").trim();
// The viewer's sources take three.js from here too, since there must be only one.
const three = {
  name: "three",
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^three(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === three ? undefined : resolve(path, { kind, resolveDir: here(".."), pluginData: three })),
};
const made = await build({
  entryPoints: [here("main.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  plugins: [three],
  loader: { ".wasm": "binary" },
  // wasm-bindgen would fetch the module, which is already at hand.
  define: { "import.meta.url": '"about:blank"' },
  banner: { js: `/* Made by wasm/demo/build.mjs. It contains parts of three.js:\n\n${license}\n*/` },
  write: false,
});
const script = made.outputFiles[0].text;
const page = readFileSync(here("page.html"), "utf8");
writeFileSync(here("../../docs/demo.html"), page.replace("{{script}}", () => script));
