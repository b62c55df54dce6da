// The report page in a real browser. Started by run.sh with the folder of the pages.

import { join } from "node:path";
import { features } from "./features.mjs";
import { lab } from "./lab.mjs";
import { check, launch, open, runAll, settle, state, test, until } from "./harness.mjs";
import { site } from "./site.mjs";

const folder = process.argv[2];
const { browser, end } = await launch();

// How many different colours a canvas shows, and the share of the commonest one.
const colours = (page, id) => page.evaluate((which) => {
  const canvas = document.getElementById(which) || document.querySelector(which);
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
  return { colours: counts.size, commonest: Math.max(...counts.values()) / pixels.length };
}, id);
// What a canvas looks like, as a text.
const picture = (page, id) => page.evaluate((which) => document.querySelector(which).toDataURL(), id);

for (const name of ["tippe-top", "rolling-disk", "slider-crank", "newtons-cradle", "slider-crank-world"]) {
  test(`${name}: loads from file:// without complaints and draws`, async () => {
    const { page, complaints } = await open(browser, folder, name, "?frame=100");
    check(await state(page, "webgl"), "WebGL2 was not found");
    check((await state(page, "frame")) === 100, `frame ${await state(page, "frame")} instead of 100`);
    const view = await colours(page, "canvas");
    check(view.colours > 100 || (name.startsWith("slider-crank") && view.colours > 8), `the view shows ${view.colours} colours`);
    // A blank view has one colour; a thin mechanism covers a few per cent of it.
    check(view.commonest < 0.99, `the view is empty: ${view.commonest}`);
    const force = await state(page, "strongest");
    check(force > 0, "no contact has a force");
    for (const plot of ["#panel-1 canvas", "#panel-2 canvas", "#timeline"]) {
      const { colours: count } = await colours(page, plot);
      check(count > 10, `${plot} shows ${count} colours`);
    }
    for (const tab of ["forces", "ball", "phase", "residual", "summary", "scene"]) {
      await page.click(`#panel-2 [data-tab=${tab}]`);
      await settle(page);
    }
    await page.click("#panel-2 [data-tab=energy]");
    await settle(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    check(complaints.length === 0, complaints.join("\n"));
    await page.close();
  });
}

test("a moving half-space is drawn (a shaken table broke the page)", async () => {
  const { page, complaints } = await open(browser, folder, "vibrating-table", "?frame=50");
  check((await colours(page, "canvas")).commonest < 0.99, "the view is empty");
  check(complaints.length === 0, complaints.join("\n"));
  await page.close();
});

test("the same frame gives the same picture, another frame another", async () => {
  const shots = [];
  for (const query of ["?frame=50", "?frame=50", "?frame=120"]) {
    const { page } = await open(browser, folder, "tippe-top", query);
    await settle(page);
    shots.push(await picture(page, "#canvas"));
    await page.close();
  }
  check(shots[0] === shots[1], "two pictures of one frame differ");
  check(shots[0] !== shots[2], "two frames look the same");
});

test("play advances time and pause stops it", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  await page.click("#play");
  await until(page, () => window.stickslip.time > 0.05);
  check(await state(page, "playing"), "it does not say that it plays");
  await page.click("#play");
  const time = await state(page, "time");
  await page.waitForTimeout(200);
  check((await state(page, "time")) === time, "it goes on after pause");
  await page.evaluate(() => window.stickslip.seek(window.stickslip.end - 0.01));
  await page.evaluate(() => window.stickslip.play());
  await until(page, () => !window.stickslip.playing);
  check((await state(page, "time")) === (await state(page, "end")), "it does not stop at the end");
  await page.close();
});

test("scrubbing moves view, plots and timeline", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  await settle(page);
  const ids = ["#canvas", "#panel-1 canvas", "#panel-2 canvas", "#timeline"];
  const before = [];
  for (const id of ids) before.push(await picture(page, id));
  const cursor = await page.evaluate(() => window.stickslip.cursor());
  await page.fill("#scrub", "600");
  await settle(page);
  check(Math.abs((await state(page, "time")) - 1.2) < 1e-6, `time ${await state(page, "time")} instead of 1.2`);
  check((await page.evaluate(() => window.stickslip.cursor())) > cursor + 50, "the cursor did not move");
  for (const [k, id] of ids.entries()) check((await picture(page, id)) !== before[k], `${id} did not change`);
  await page.close();
});

test("a click in a plot goes to that time, a drag zooms, the button resets", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  const box = await page.locator("#panel-1 canvas").boundingBox();
  const at = (share) => box.x + 58 + share * (box.width - 72);
  const y = box.y + box.height / 2;
  await page.mouse.click(at(0.5), y);
  check(Math.abs((await state(page, "time")) - 1) < 0.02, `time ${await state(page, "time")} instead of 1`);
  await page.mouse.move(at(0.25), y);
  await page.mouse.down();
  await page.mouse.move(at(0.5), y, { steps: 4 });
  await page.mouse.up();
  const [low, high] = await state(page, "range");
  check(Math.abs(low - 0.5) < 0.02 && Math.abs(high - 1) < 0.02, `zoomed to ${low}, ${high}`);
  await page.mouse.wheel(0, -200);
  await settle(page);
  const [closer, end1] = await state(page, "range");
  check(end1 - closer < high - low, "the wheel does not zoom");
  await page.click("#panel-1 .reset");
  check(JSON.stringify(await state(page, "range")) === "[0,2]", "the zoom was not reset");
  await page.close();
});

test("the contact timeline shows stick and slip of each contact", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  const box = await page.locator("#timeline").boundingBox();
  check(box.height > 40 && box.width > 300, `the timeline is ${box.width} × ${box.height}`);
  const found = await page.evaluate(() => {
    const canvas = document.getElementById("timeline");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const slip = getComputedStyle(document.documentElement).getPropertyValue("--slip").trim();
    const wanted = [1, 3, 5].map((k) => parseInt(slip.slice(k, k + 2), 16));
    let count = 0;
    for (let k = 0; k < pixels.length; k += 4) {
      if (wanted.every((value, c) => Math.abs(pixels[k + c] - value) < 3)) count += 1;
    }
    return count;
  });
  check(found > 1000, `only ${found} pixels are slip`);
  await page.close();
});

test("keys work", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  await page.keyboard.press("End");
  check((await state(page, "time")) === 2, "End");
  await page.keyboard.press("ArrowLeft");
  check((await state(page, "frame")) === (await state(page, "frames")) - 2, "ArrowLeft");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  check((await state(page, "frame")) === 10, "Shift+ArrowRight");
  const speed = await state(page, "speed");
  await page.keyboard.press("+");
  check((await state(page, "speed")) > speed, "+");
  await page.keyboard.press("-");
  check((await state(page, "speed")) === speed, "-");
  for (const [key, option] of [["t", "trails"], ["a", "forces"], ["c", "contacts"], ["f", "follow"]]) {
    const before = (await state(page, "options"))[option];
    await page.keyboard.press(key);
    check((await state(page, "options"))[option] !== before, key);
  }
  await page.keyboard.press("h");
  check(await page.locator("#keys").isVisible(), "h does not show the keys");
  await page.keyboard.press("Escape");
  check(!(await page.locator("#keys").isVisible()), "Escape does not hide the keys");
  await page.keyboard.press(" ");
  check(await state(page, "playing"), "space");
  await page.keyboard.press(" ");
  check(!(await state(page, "playing")), "space again");
  await page.close();
});

test("light and dark", async () => {
  const { page } = await open(browser, folder, "tippe-top", "?frame=100");
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await picture(page, "#canvas");
  check((await state(page, "theme")) === "light", "the theme of the system is light");
  await page.click("#theme");
  await settle(page);
  check((await state(page, "theme")) === "dark", "the switch does nothing");
  check((await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) !== light, "the page stays light");
  check((await picture(page, "#canvas")) !== before, "the view stays light");
  await page.screenshot({ path: join(folder, "dark.png") });
  await page.click("#theme");
  await page.close();
});

test("texts of a scene stay texts", async () => {
  const { page, complaints } = await open(browser, folder, "evil");
  await page.click("#panel-2 [data-tab=scene]");
  await page.click("#panel-1 [data-tab=summary]");
  await page.waitForTimeout(200);
  check((await page.evaluate(() => window.evil)) === undefined, "a script of the scene ran");
  check((await page.locator("img").count()) === 0, "an image of the scene is in the page");
  check((await page.textContent("#name")).includes("<script>"), "the name is not shown as it is");
  check((await page.textContent("#panel-2")).includes("onerror"), "the scene is not shown as it is");
  check(complaints.length === 0, complaints.join("\n"));
  await page.close();
});

test("a run that failed at once has a page that works", async () => {
  const { page, complaints } = await open(browser, folder, "failed");
  check((await page.textContent("#status")) === "not-converged", "the status is not shown");
  await page.click("#panel-1 [data-tab=summary]");
  check((await page.textContent("#panel-1")).includes("has no solution"), "the message is not shown");
  for (const tab of ["motion", "forces", "phase", "residual", "energy"]) await page.click(`#panel-2 [data-tab=${tab}]`);
  await page.keyboard.press("ArrowRight");
  await settle(page);
  check((await state(page, "frames")) === 1 && (await state(page, "time")) === 0, "there is more than the start");
  check(complaints.length === 0, complaints.join("\n"));
  await page.close();
});

test("axes have two numbers where there is room, and none too near to each other", async () => {
  const { page } = await open(browser, folder, "tippe-top");
  const wrong = await page.evaluate(() => {
    const list = [];
    for (const [low, high] of [[0, 1], [-0.53, 0.2], [-5.2, 2.6], [0.0118, 0.0219], [-7e-14, 1e-14], [-40, 179], [99.98, 100.01]]) {
      for (let height = 8; height <= 300; height += 1) {
        const { ticks } = window.stickslip.ticksUp(low, high, height);
        const at = ticks.map((tick) => ((tick - low) / (high - low)) * height);
        const near = at.some((y, k) => k > 0 && y - at[k - 1] < 12 - 1e-6);
        const outside = at.some((y) => y < -1e-6 || y > height + 1e-6);
        // Round numbers lie within an eighth of the range from its ends.
        if (near || outside || (height >= 18 && ticks.length < 2)) list.push(`${low}..${high} on ${height}: ${ticks}`);
      }
    }
    return list;
  });
  check(wrong.length === 0, wrong.slice(0, 5).join("; "));
  await page.close();
});

test("names of contacts keep both ends, legends show whole lines", async () => {
  const { page } = await open(browser, folder, "slider-crank-world");
  const [whole, short, fits] = await page.evaluate(() => {
    const { shortened } = window.stickslip;
    const pen = document.createElement("canvas").getContext("2d");
    const text = shortened(pen, "guide-of-the-deep-drawer.corner4", 90);
    return [shortened(pen, "corner4", 90), text, pen.measureText(text).width <= 90];
  });
  check(whole === "corner4", whole);
  check(fits && short.startsWith("guide") && short.includes("…") && short.endsWith("corner4"), short);
  for (const height of [800, 600]) {
    await page.setViewportSize({ width: 1024, height });
    await settle(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".chips")].flatMap((chips) => {
      const { top, bottom } = chips.getBoundingClientRect();
      const boxes = [...chips.children].map((chip) => chip.getBoundingClientRect());
      return boxes.filter((box) => box.top < bottom - 0.5 && box.bottom > bottom + 0.5 && box.top > top - 20).map(() => chips.textContent.slice(0, 40));
    }));
    check(cut.length === 0, `at ${height}: ${cut[0]}`);
  }
  await page.close();
});

test("a telephone needs no sideways scrolling", async () => {
  for (const [name, width] of [["tippe-top", 360], ["slider-crank", 412], ["evil", 360]]) {
    const { page } = await open(browser, folder, name, "?frame=40");
    await page.setViewportSize({ width, height: 780 });
    await settle(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= width, `${name} is ${wide} pixels wide on a screen of ${width}`);
    const view = await page.locator("#canvas").boundingBox();
    check(view.width > 250 && view.height > 200, "the view is too small");
    await page.screenshot({ path: join(folder, `phone-${name}.png`), fullPage: true });
    await page.close();
  }
});

test("without WebGL2 the page says so and the plots work", async () => {
  const other = await launch({ webgl: false });
  try {
    const { page } = await open(other.browser, folder, "tippe-top", "?frame=100");
    check(!(await state(page, "webgl")), "WebGL2 was found although it is switched off");
    check((await page.textContent("#no-view")).includes("plots work"), "no message");
    check((await colours(page, "#panel-1 canvas")).colours > 10, "no plot");
    await page.keyboard.press("End");
    check((await state(page, "time")) === 2, "keys do not work");
    await page.close();
  } finally {
    await other.end();
  }
});

features(browser, folder);
site(browser, folder);
const endLabs = lab(browser, folder, process.argv[3]);
const passed = await runAll();
endLabs();
await end();
process.exit(passed ? 0 : 1);
