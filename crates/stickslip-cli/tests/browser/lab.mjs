// The lab in a real browser: `stickslip lab` on a file of its own for each test.

import { spawn } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, settle, state, test, until } from "./harness.mjs";

const SLIDER = `# A block that slides on a floor.
[parameters]
mu = { value = 0.2, min = 0, max = 1 }   # no unit
weight = 1.5                             # kg

[start]
v = "3 m/s"

[world.ground]

[[body]]
name = "block"
mass = "weight"
position = [0, 0, 0.1]
velocity = ["v", 0, 0]
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.1, 0.1]

[[contact]]
name = "floor"
between = ["block", "ground"]
friction = "mu"

[simulation]
duration = 0.5
step = 1e-3
output_step = 5e-3
`;
const ENDLESS = SLIDER.replace("duration = 0.5", "duration = 1e6").replace("mu = { value = 0.2", "mu = { value = 0");

export function lab(browser, folder, program) {
  const open = [];

  // Starts the program on a text and opens its page.
  async function start(name, text, frames = 1) {
    const own = join(folder, `lab-${name}`);
    await rm(own, { recursive: true, force: true });
    await mkdir(own, { recursive: true });
    const file = join(own, `${name}.toml`);
    await writeFile(file, text);
    const server = spawn(program, ["lab", file, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
    open.push(server);
    const url = await new Promise((done, failed) => {
      let out = "";
      server.stdout.on("data", (piece) => {
        out += piece;
        const found = out.match(/http:\S+/);
        if (found) done(found[0]);
      });
      server.on("exit", () => failed(new Error("the lab has ended")));
    });
    const page = await browser.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(url);
    await until(page, () => window.stickslip?.lab?.());
    if (frames > 0) await until(page, () => window.stickslip.frames > 0);
    const end = async () => {
      check(complaints.length === 0, complaints.join("\n"));
      await page.close();
      server.kill("SIGINT");
    };
    return { page, file, url, end, folder: own };
  }

  const current = (page) => page.evaluate(() => {
    const seen = window.stickslip.lab();
    return seen.branches.find(({ id }) => id === seen.current);
  });
  const done = (page) => until(page, () => {
    const seen = window.stickslip.lab();
    const mine = seen.branches.find(({ id }) => id === seen.current);
    return mine.phase === "done" && window.stickslip.data.summary.status === "done" && Math.abs(window.stickslip.end - mine.t) < 1e-9;
  });
  // Where the block is at the end.
  const way = (page) => page.evaluate(() => {
    const { y } = window.stickslip.data.columns.find(({ name }) => name === "block.x");
    return y[y.length - 1];
  });
  const turn = (page, key, value) => page.evaluate(([of, to]) => {
    const range = document.querySelector(`[data-key="${of}"] input[type=range]`);
    range.value = to;
    range.dispatchEvent(new Event("input", { bubbles: true }));
  }, [key, String(value)]);
  // x = v t − μ g t²/2.
  const expected = (mu, t = 0.5) => 3 * t - 0.5 * mu * 9.81 * t * t;

  test("lab: a slider changes the text and the motion", async () => {
    const { page, end } = await start("slider", SLIDER);
    await done(page);
    check(Math.abs((await way(page)) - expected(0.2)) < 1e-3, `${await way(page)} instead of ${expected(0.2)}`);
    await turn(page, "parameters.mu", 0.5);
    await until(page, () => window.stickslip.text().includes("mu = { value = 0.5, min = 0, max = 1 }   # no unit"));
    await done(page);
    check(Math.abs((await way(page)) - expected(0.5)) < 1e-3, `${await way(page)} instead of ${expected(0.5)}`);
    check((await page.textContent('[data-key="start.v"] .unit')) === "m/s", "no unit");
    check((await page.textContent('[data-key="parameters.weight"] .unit')) === "kg", "no unit of the comment");
    const limits = await page.evaluate(() => { const { min, max } = document.querySelector('[data-key="parameters.mu"] input'); return [min, max]; });
    check(limits.join() === "0,1", limits.join());
    // Several at once: the last one counts.
    for (const mu of [0.1, 0.2, 0.3, 0.4, 0.35]) await turn(page, "parameters.mu", mu);
    await until(page, () => window.stickslip.text().includes("value = 0.35"));
    await done(page);
    check(Math.abs((await way(page)) - expected(0.35)) < 1e-3, `${await way(page)} instead of ${expected(0.35)}`);
    await end();
  });

  test("lab: an error is told at its line while one types", async () => {
    const { page, end } = await start("errors", SLIDER);
    await done(page);
    const line = SLIDER.split("\n").findIndex((text) => text.startsWith("half_extents")) + 1;
    await page.fill("textarea", SLIDER.replace("half_extents", "half_extent"));
    await until(page, () => document.querySelectorAll(".fault").length > 0);
    const fault = await page.evaluate((at) => {
      const mark = document.querySelector(`.fault[data-line="${at}"]`);
      if (!mark) return { line: [...document.querySelectorAll(".fault")].map(({ dataset }) => dataset.line).join() };
      const area = document.querySelector("textarea").getBoundingClientRect();
      return { line: Number(mark.dataset.line), text: mark.textContent, top: mark.getBoundingClientRect().top - area.top, listed: document.getElementById("faults").textContent };
    }, line);
    check(fault.line === line, `line ${fault.line} instead of ${line}`);
    check(Math.abs(fault.top - 18 * (line - 1)) < 2, `it is drawn at ${fault.top} pixels`);
    check(fault.text.includes("half_extents") && fault.listed.includes(`${line}:1`), `${fault.text}; ${fault.listed}`);
    await page.screenshot({ path: join(folder, "lab-error.png") });
    await page.fill("textarea", SLIDER);
    await until(page, () => document.querySelectorAll(".fault").length === 0);
    // Keys of the page do nothing while one types.
    const before = await state(page, "theme");
    await page.click("textarea");
    await page.keyboard.press("d");
    check((await state(page, "theme")) === before, "typing d changes the theme");
    await end();
  });

  test("lab: a text that is no scene opens too, and becomes one", async () => {
    const { page, end } = await start("wrong", "[[body]\n", 0);
    check((await page.textContent("#no-view")).includes("no run"), "no message");
    check((await page.textContent("#faults")).includes("1:"), await page.textContent("#faults"));
    await page.fill("textarea", SLIDER);
    await until(page, () => window.stickslip.webgl && window.stickslip.frames > 10);
    await done(page);
    // Into the plane: other bodies, another camera.
    await page.fill("textarea", '[world]\ndimension = 2\n[[body]]\nname = "disk"\nmass = 1\n[[body.shape]]\nkind = "circle"\nradius = 0.2\n');
    await until(page, () => window.stickslip.data.drawing.dimension === 2 && window.stickslip.frames > 10);
    check((await page.textContent("#knobs")).includes("no [parameters]"), "sliders of another scene");
    await end();
  });

  test("lab: pause, step and go on", async () => {
    const { page, end } = await start("pause", ENDLESS);
    await until(page, () => window.stickslip.end > 5);
    await page.click("#run-pause");
    await until(page, () => document.getElementById("status").textContent.startsWith("paused"));
    // What says that it is paused has come to rest.
    const first = await current(page);
    await page.waitForTimeout(500);
    check((await current(page)).steps === first.steps, "it goes on");
    await page.click("#run-step");
    const last = Date.now() + 10000;
    while ((await current(page)).steps === first.steps && Date.now() < last) await page.waitForTimeout(50);
    const second = await current(page);
    check(second.t > first.t && second.t - first.t <= 5e-3 + 1e-9, `${first.t} to ${second.t}`);
    check(second.phase === "paused" && Math.abs((await state(page, "time")) - second.t) < 1e-9, `${await state(page, "time")} instead of ${second.t}`);
    check((await state(page, "frames")) < 5000, "too many rows");
    await page.click("#run-pause");
    await until(page, () => document.getElementById("status").textContent.startsWith("running"));
    await end();
  });

  test("lab: back to a moment, a branch from there, both side by side", async () => {
    const { page, end } = await start("branch", SLIDER);
    await done(page);
    await page.evaluate(() => { window.stickslip.pause(); window.stickslip.seek(0.2); });
    await page.click("#run-branch");
    await until(page, () => window.stickslip.lab().branches.length === 2);
    await done(page);
    const from = (await current(page)).from;
    check(Math.abs(from - 0.2) < 1e-9, `from ${from}`);
    check(Math.abs((await way(page)) - expected(0.2)) < 1e-3, "the branch is not the same motion");
    await turn(page, "parameters.mu", 0.6);
    await until(page, () => window.stickslip.text().includes("value = 0.6"));
    await done(page);
    // As the first run until 0.2 s, with its speed then and μ = 0.6 from there.
    const speed = 3 - 0.2 * 9.81 * 0.2;
    const x = expected(0.2, 0.2) + speed * 0.3 - 0.5 * 0.6 * 9.81 * 0.09;
    check(Math.abs((await way(page)) - x) < 1e-3, `${await way(page)} instead of ${x}`);
    check(await page.isDisabled('[data-key="start.v"] input'), "a start value can be turned in a branch");
    check((await page.evaluate(() => window.stickslip.begin)) === 0, "the branch has no past");
    await page.click("#run-side");
    const frame = await (await page.$("#pair")).contentFrame();
    const last = Date.now() + 15000;
    while (!(await frame.evaluate(() => window.stickslip?.runs === 2).catch(() => false))) {
      check(Date.now() < last, "no two runs");
      await page.waitForTimeout(100);
    }
    await page.waitForTimeout(300);
    check((await frame.locator(".views canvas").count()) === 2, "there are not two views");
    const lanes = await frame.evaluate(() => window.stickslip.lanes().map(({ label }) => label));
    check(lanes.some((label) => label.startsWith("difference from A")), lanes.join("; "));
    await page.screenshot({ path: join(folder, "lab-side-by-side.png") });
    await page.click("#run-side");
    await page.click('[data-branch="1"]');
    await until(page, () => window.stickslip.text().includes("value = 0.2"));
    await done(page);
    check(Math.abs((await way(page)) - expected(0.2)) < 1e-3, "the first run has changed");
    await page.click('[data-close="2"]');
    await until(page, () => window.stickslip.lab().branches.length === 1);
    await end();
  });

  test("lab: the scene is saved, and read again when its file changes", async () => {
    const { page, end, file, folder: own } = await start("save", SLIDER);
    await done(page);
    await page.fill('[data-key="parameters.weight"] input[type=number]', "2.25");
    await page.press('[data-key="parameters.weight"] input[type=number]', "Enter");
    await until(page, () => window.stickslip.text().includes("weight = 2.25 ") && !window.stickslip.lab().is_saved);
    await page.click("#file-save");
    await until(page, () => window.stickslip.lab().is_saved);
    check((await readFile(file, "utf8")) === SLIDER.replace("weight = 1.5 ", "weight = 2.25 "), "the file is another one");
    await page.click("#file-save-as");
    await page.fill("#file-new", "copy");
    await page.click("#file-form button");
    await until(page, () => window.stickslip.lab().file === "copy.toml");
    check((await readFile(join(own, "copy.toml"), "utf8")).includes("weight = 2.25"), "the copy is another one");
    await writeFile(join(own, "copy.toml"), SLIDER.replace("value = 0.2", "value = 0.4"));
    await until(page, () => window.stickslip.text().includes("value = 0.4"));
    await done(page);
    check(Math.abs((await way(page)) - expected(0.4)) < 1e-3, "the motion is not that of the file");
    // What is typed and not saved is not lost.
    await page.fill("textarea", SLIDER.replace("value = 0.2", "value = 0.7"));
    await until(page, () => !window.stickslip.lab().is_saved && window.stickslip.lab().text !== undefined);
    await done(page);
    await writeFile(join(own, "copy.toml"), SLIDER);
    await until(page, () => window.stickslip.lab().has_changed);
    check((await page.inputValue("textarea")).includes("value = 0.7"), "what was typed is lost");
    await page.click("#file-reload");
    await until(page, () => window.stickslip.text().includes("value = 0.2"));
    await end();
  });

  test("lab: a run is shared as one file that needs no server", async () => {
    const { page, end, folder: own } = await start("share", SLIDER);
    await done(page);
    const waiting = page.waitForEvent("download");
    await page.click("#file-share");
    const download = await waiting;
    check(download.suggestedFilename() === "share.html", download.suggestedFilename());
    const path = join(own, "share.html");
    await download.saveAs(path);
    const shared = await browser.newPage();
    const complaints = [];
    shared.on("pageerror", (error) => complaints.push(String(error)));
    await shared.goto(pathToFileURL(path).href);
    await until(shared, () => window.stickslip !== undefined);
    check((await state(shared, "end")) === 0.5 && (await shared.textContent("#status")) === "done", "it is no report");
    check((await shared.locator("textarea").count()) === 0, "it has an editor");
    check(complaints.length === 0, complaints.join("\n"));
    await shared.close();
    await end();
  });

  test("lab: light, dark and on a telephone; our own code takes little of a frame", async () => {
    const text = 'model = "tippe-top"\n[parameters]\ncontact_radius = { value = 5e-4, min = 0, max = 5e-3 }\n[simulation]\nduration = 1\n';
    const { page, end } = await start("top", text);
    await done(page);
    await page.evaluate(() => { window.stickslip.pause(); window.stickslip.seekFrame(100); });
    await settle(page);
    check((await page.locator(".knob").count()) >= 28, "values of the base scene are missing");
    await page.selectOption('[data-key="parameters.friction"] select', "coulomb");
    await until(page, () => window.stickslip.text().includes('friction = "coulomb"'));
    await page.selectOption('[data-key="parameters.friction"] select', "contensou-hertz");
    await until(page, () => window.stickslip.text().includes('friction = "contensou-hertz"'));
    await done(page);
    for (const theme of ["light", "dark"]) {
      if ((await state(page, "theme")) !== theme) await page.click("#theme");
      await settle(page);
      await page.screenshot({ path: join(folder, `lab-${theme}.png`) });
    }
    await page.click("#theme");
    const busy = await page.evaluate(() => window.stickslip.busy());
    check(busy < 300, `new data take ${busy} ms`);
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 780 });
      await settle(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= width, `the page is ${wide} pixels wide on a screen of ${width}`);
      await page.screenshot({ path: join(folder, `lab-${width}.png`), fullPage: width < 500 });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const median = await page.evaluate(() => {
      const calls = WebGL2RenderingContext.prototype;
      for (const call of ["drawElementsInstanced", "drawArraysInstanced", "drawArrays", "clear", "bufferData"]) calls[call] = () => {};
      const times = [];
      for (let k = 1; k < 120; k += 1) {
        window.stickslip.seekFrame(k);
        window.stickslip.draw();
        times.push(window.stickslip.spent);
      }
      return times.sort((a, b) => a - b)[60];
    });
    console.log(`        own code of a frame: ${median.toFixed(2)} ms, new data: ${busy.toFixed(0)} ms`);
    check(median < 16, `${median} ms`);
    await end();
  });

  return () => open.forEach((server) => server.kill("SIGKILL"));
}
