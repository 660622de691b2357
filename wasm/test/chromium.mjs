// Starts a Chromium of the system without a window; the processor computes WebGL.
import { execFileSync } from "node:child_process";
import puppeteer from "puppeteer-core";

export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}

export function launch(executablePath) {
  const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  // Its sandbox needs rights that root in a container lacks.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return puppeteer.launch({ executablePath, args });
}
