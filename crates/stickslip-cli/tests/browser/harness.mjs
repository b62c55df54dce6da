// A browser, pages of runs, and a list of tests.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export async function launch({ webgl = true, ...options } = {}) {
  const profile = await mkdtemp(join(tmpdir(), "stickslip-browser-"));
  const args = [...FLAGS, ...(webgl ? WEBGL : ["--disable-gpu", "--disable-3d-apis"])];
  const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath, args, headless: true, viewport: { width: 1280, height: 800 }, colorScheme: "light", ...options,
  });
  const end = async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { browser, end };
}

// Opens the page of a run and remembers what it complains about.
export async function open(browser, folder, name, query = "", file = "report.html") {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, name, file)).href + query);
  await until(page, () => window.stickslip !== undefined);
  return { page, complaints };
}

// Waits until something holds in the page. The page forbids `eval`, which the driver's own way needs.
export async function until(page, condition, seconds = 30) {
  const last = Date.now() + 1000 * seconds;
  while (!(await page.evaluate(condition))) {
    if (Date.now() > last) throw new Error(`not within ${seconds} s: ${condition}`);
    await page.waitForTimeout(50);
  }
}

export const state = (page, key) => page.evaluate((name) => window.stickslip[name], key);
// Waits until what was asked for is drawn.
export const settle = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));

const tests = [];
export function test(name, body) {
  tests.push({ name, body });
}

export function check(condition, message) {
  if (!condition) throw new Error(message);
}

export async function runAll() {
  let failed = 0;
  for (const { name, body } of tests) {
    const begin = Date.now();
    try {
      await body();
      console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.error(`FAILED  ${name}: ${error.message}`);
    }
  }
  console.log(`${tests.length - failed} of ${tests.length} browser tests passed`);
  return failed === 0 && tests.length > 0;
}
