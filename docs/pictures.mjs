// Photographs report pages in Chromium, for docs/pictures.sh.
//
//   node pictures.mjs gallery RUNS OUT NAME...     the view of each run
//   node pictures.mjs page RUNS OUT NAME TIME [CLICK...]   the whole page at a time, after clicks (a selector, key:m, or choose:SELECTOR=NUMBER); OUT is a file
//   node pictures.mjs html RUNS OUT FILE           any page; OUT is a file
//   node pictures.mjs film RUNS OUT NAME           frames of the view

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, settle } from "./harness.mjs";

// When to look, as a share of the run; where nothing is said, at a third.
const MOMENT = {
  "andrews-squeezer": 0.5, "arch-thin": 0.2, "bouncing-ball": 0.13, "box-stack": 0.5, "chain-over-edge": 0.8, "domino-row": 0.25,
  "compass-walker": 0.45, "newtons-cradle": 0.6, "painleve-rod": 0.5, "sphere-pile": 0.9, "tippe-top": 0.4, "tippe-top-world": 0.12,
  "tumbling-box": 0.25, "spinning-coin": 0.8, "walker-standing": 0.5, "billiard-shot": 0.4, "rattleback": 0.5, "heavy-top": 0.5,
};
const SIZE = { width: 480, height: 320 };

const [what, runs, out, ...rest] = process.argv.slice(2);

// The view alone, in the size asked for.
const view = (page, { width, height }, type) => page.evaluate(([w, h, kind]) => {
  const canvas = document.getElementById("canvas");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [w, h];
  const pen = copy.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, w, h);
  // As much of the middle as fits the shape.
  const share = Math.min(canvas.width / w, canvas.height / h);
  pen.drawImage(canvas, 0.5 * (canvas.width - share * w), 0.5 * (canvas.height - share * h), share * w, share * h, 0, 0, w, h);
  return copy.toDataURL(kind, 0.88);
}, [width, height, type]);
const save = (path, data) => writeFile(path, Buffer.from(data.split(",")[1], "base64"));

// A window in which the view has the shape of the pictures.
const viewport = { width: 1280, height: ["gallery", "film"].includes(what) ? 645 : 800 };
const { browser, end } = await launch({ viewport, deviceScaleFactor: what === "film" ? 1 : 2 });
try {
  if (what === "gallery") {
    for (const name of rest) {
      const { page } = await open(browser, runs, name);
      await page.evaluate((share) => {
        const { begin, end, seek, pause } = window.stickslip;
        pause();
        seek(begin + share * (end - begin));
      }, MOMENT[name] ?? 0.33);
      await settle(page);
      await save(join(out, `${name}.jpg`), await view(page, SIZE, "image/jpeg"));
      await page.close();
      console.log(name);
    }
  } else if (what === "film") {
    const { page } = await open(browser, runs, rest[0]);
    // The top turns over within the first two seconds.
    for (let frame = 0; frame < 72; frame += 1) {
      await page.evaluate((time) => { window.stickslip.pause(); window.stickslip.seek(time); }, 0.1 + frame * 0.025);
      await settle(page);
      await save(join(out, `${String(frame).padStart(3, "0")}.png`), await view(page, { width: 400, height: 270 }, "image/png"));
    }
  } else if (what === "page") {
    const [name, time, ...clicks] = rest;
    const { page } = await open(browser, runs, name);
    await page.evaluate((at) => { window.stickslip.pause(); window.stickslip.seek(at); }, Number(time));
    for (const click of clicks) {
      const choice = click.match(/^choose:(.*)=(\d+)$/);
      if (click.startsWith("key:")) await page.keyboard.press(click.slice(4));
      else if (choice) await page.selectOption(choice[1], { index: Number(choice[2]) });
      else await page.click(click);
    }
    await settle(page);
    await page.screenshot({ path: out, type: "jpeg", quality: 82, scale: "css" });
  } else {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(rest[0]).href);
    await page.waitForTimeout(500);
    await page.screenshot({ path: out, type: "jpeg", quality: 85, scale: "css" });
  }
} finally {
  await end();
}
