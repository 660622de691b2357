// Runs the laws in a headless Chromium, which CHROMIUM names or which is searched for.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findChromium, launch } from "./chromium.mjs";

const chromium = findChromium();
const skip = chromium ? false : "no chromium in the path, and CHROMIUM names none";
let browser, server;

before(async () => {
  if (skip) return;
  const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
  server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    if (path === "/") return response.setHeader("content-type", "text/html").end("<!doctype html><title>laws</title>");
    try {
      const bytes = readFileSync(fileURLToPath(new URL(`..${path}`, import.meta.url)));
      response.setHeader("content-type", types[extname(path)] ?? "text/plain").end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await launch(chromium);
});

after(async () => {
  await browser?.close();
  server?.close();
});

test("the laws hold in Chromium", { skip, timeout: 120_000 }, async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const told = await page.evaluate(async () => {
    const [orthant, { laws }, { refusals }] = await Promise.all(
      ["/pkg/all.web.js", "/test/laws.mjs", "/test/refusals.mjs"].map((path) => import(path)),
    );
    const failed = [];
    let held = 0;
    for (const [name, law] of laws(orthant)) {
      try {
        law();
        held++;
      } catch (error) {
        failed.push(`${name}: ${error}`);
      }
    }
    for (const [name, bad, message] of refusals(orthant)) {
      try {
        bad();
        failed.push(`${name}: not refused`);
      } catch (error) {
        if (message.test(error.message)) held++;
        else failed.push(`${name}: ${error}`);
      }
    }
    return { failed, held };
  });
  assert.deepEqual(told.failed, []);
  assert.ok(told.held > 50);
});
