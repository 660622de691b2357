// Opens the demo, and the pages that the examples have written into target/pages if there are any, as files in a headless Chromium: they must
// draw, turn with the mouse, and follow their sliders.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findChromium, launch } from "./chromium.mjs";

const chromium = findChromium();
const skip = chromium ? false : "no chromium in the path, and CHROMIUM names none";
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const pages = existsSync(here("../../target/pages")) ? readdirSync(here("../../target/pages")) : [];
let browser;

before(async () => {
  if (!skip) browser = await launch(chromium);
});
after(() => browser?.close());

async function open(path) {
  const page = await browser.newPage();
  const failures = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  page.on("console", (message) => failures.push(message.text()));
  await page.setViewport({ width: 800, height: 500 });
  await page.goto(`file://${here(path)}`);
  await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
  // A picture is drawn with the next frame, which takes the processor a while if there are many points.
  const settled = async () => {
    let last = await page.screenshot();
    for (let i = 0; i < 40; i++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const next = await page.screenshot();
      if (Buffer.compare(last, next) === 0) return next;
      last = next;
    }
    throw new Error(`${path} does not come to rest`);
  };
  return { page, failures, settled };
}

const differ = (a, b, what) => assert.notEqual(Buffer.compare(a, b), 0, `${what} changed nothing`);

async function turned({ page, settled }) {
  const before = await settled();
  await page.mouse.move(350, 250);
  await page.mouse.down();
  await page.mouse.move(450, 220, { steps: 5 });
  await page.mouse.up();
  const after = await settled();
  differ(before, after, "the mouse");
  return after;
}

const set = (page, id, share) =>
  page.$eval(id, (input, share) => {
    input.value = Number(input.min) + share * (input.max - input.min);
    input.dispatchEvent(new Event("input"));
  }, share);

test("docs/demo.html asks the crate", { skip, timeout: 120_000 }, async () => {
  const opened = await open("../../docs/demo.html");
  const { page, failures, settled } = opened;
  const told = (id) => page.$eval(id, (element) => element.textContent);
  assert.equal(await told("#same"), "the same");
  await page.select("#many", "10000");
  assert.equal(await told("#same"), "the same");
  const found = Number(await told("#found"));
  assert.ok(found > 20, `${found} found`);
  await set(page, "#radius", 0.8);
  assert.ok(Number(await told("#found")) > found);
  assert.equal(await told("#same"), "the same");
  const before = await turned(opened);
  await page.click("#voxels");
  differ(before, await settled(), "#voxels");
  const shown = await told("#found");
  for (let x = 150; x < 500; x += 25) await page.mouse.move(x, 250);
  await settled();
  assert.notEqual(await told("#found"), shown, "the ball does not follow the mouse");
  assert.equal(await told("#same"), "the same");
  assert.deepEqual(failures, []);
  await page.close();
});

test("pages of the examples", { skip: skip || (pages.length ? false : "none in target/pages") }, async (t) => {
  for (const name of pages) {
    await t.test(name, { timeout: 120_000 }, async () => {
      const opened = await open(`../../target/pages/${name}`);
      const { page, failures, settled } = opened;
      const before = await turned(opened);
      if (await page.$eval("#time", (time) => !time.hidden)) {
        await set(page, "#slider", 0.3);
        differ(before, await settled(), "the slider");
      }
      await page.click("#home");
      await settled();
      // There is something in the middle of the picture, or near it.
      let text = "";
      for (let y = 250; y < 400 && !text; y += 7) {
        await page.mouse.move(340, y - 1);
        await page.mouse.move(341, y);
        await new Promise((resolve) => setTimeout(resolve, 60));
        text = await page.$eval("#told", (told) => (told.hidden ? "" : told.textContent));
      }
      assert.match(text, /^(point|ball|crate|particle) \d+: \d+ |^voxel \(/);
      assert.deepEqual(failures, []);
      await page.close();
    });
  }
});
