// The site of the documentation in a real browser, from files as its readers open it.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, settle, test } from "./harness.mjs";

export function site(browser, folder) {
  const index = pathToFileURL(join(folder, "site", "index.html")).href;

  // A page that remembers what it complains about, and what it asks for beyond files.
  async function visit(url) {
    const page = await browser.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("requestfailed", (request) => complaints.push(`cannot load ${request.url()}`));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(url);
    return { page, complaints };
  }
  const theme = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  test("site: all pages load without complaints, with their pictures, and their links lead somewhere", async () => {
    const { page, complaints } = await visit(index);
    const pages = await page.evaluate(() => [...document.querySelectorAll("nav#pages a")].map(({ href }) => href));
    check(pages.length > 25 && pages.every((href) => href.startsWith("file:")), `${pages.length} pages`);
    const links = new Map();
    const anchors = new Map();
    for (const href of pages) {
      await page.goto(href);
      const seen = await page.evaluate(async () => {
        // Pictures further down wait until they are scrolled to.
        const pictures = [...document.images];
        for (const picture of pictures) picture.loading = "eager";
        await Promise.all(pictures.map((picture) => picture.decode().catch(() => {})));
        return {
          title: document.querySelector("h1")?.textContent ?? "",
          broken: pictures.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src),
          links: [...document.querySelectorAll("main a[href]")].map((link) => link.href),
          anchors: [...document.querySelectorAll("[id]")].map(({ id }) => id),
          raw: [...document.querySelectorAll("main p, main li, main td")].some((node) => /\$\$|\\frac|\\lambda/.test(node.textContent)),
        };
      });
      check(seen.title !== "", `${href} has no heading`);
      check(seen.broken.length === 0, `${href}: ${seen.broken[0]} is no picture`);
      check(!seen.raw, `${href} shows a formula as text`);
      anchors.set(href, new Set(seen.anchors));
      for (const link of seen.links) links.set(link, href);
    }
    for (const [link, from] of links) {
      const [target, anchor] = link.split("#");
      if (!anchors.has(target) || !anchor) continue;
      check(anchors.get(target).has(decodeURIComponent(anchor)), `${from} links to ${link}, which is not there`);
    }
    check(complaints.length === 0, complaints.join("\n"));
    await page.close();
  });

  test("site: search finds a word and leads to its place", async () => {
    const { page, complaints } = await visit(index);
    await page.keyboard.press("/");
    await page.keyboard.type("clearance");
    const found = await page.evaluate(() => [...document.querySelectorAll("#found a")].map((link) => link.textContent));
    check(found.length > 3 && found.some((text) => text.includes("Lesson 5")), found.join("; "));
    await page.fill("#search", "xyzzyx");
    check((await page.textContent("#found")) === "nothing found", await page.textContent("#found"));
    await page.fill("#search", "what the residual proves");
    await Promise.all([page.waitForNavigation(), page.press("#search", "Enter")]);
    check(page.url().endsWith("theory.html#what-the-residual-proves"), page.url());
    check(complaints.length === 0, complaints.join("\n"));
    await page.close();
  });

  test("site: formulas are set, not written", async () => {
    const { page } = await visit(new URL("docs/theory.html", index).href);
    const seen = await page.evaluate(() => [...document.querySelectorAll("math")].map((math) => {
      const { width, height } = math.getBoundingClientRect();
      return { width, height, text: math.textContent };
    }));
    check(seen.length > 30 && seen.every(({ width, height }) => width > 3 && height > 5), `${seen.length} formulas`);
    // A fraction is higher than a line, and the font is the one that came with the site.
    const [fraction, line] = await page.evaluate(() => [document.querySelector("mfrac"), document.querySelector("p")].map((node) => node.getBoundingClientRect().height));
    check(fraction > 18 && line > 10, `a fraction is ${fraction} pixels high`);
    const fonts = await page.evaluate(async () => { await document.fonts.ready; return [...document.fonts].map(({ family, status }) => `${family} ${status}`); });
    check(fonts.some((font) => font.endsWith("loaded")), fonts.join("; "));
    await page.close();
  });

  test("site: light, dark, and on a narrow screen", async () => {
    const { page, complaints } = await visit(new URL("docs/tutorial/3-mechanism.html", index).href);
    const light = await theme(page);
    await page.click("#theme");
    check((await theme(page)) !== light, "the switch does nothing");
    await page.reload();
    check((await theme(page)) !== light, "the choice is forgotten");
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of ["index.html", "docs/tutorial/3-mechanism.html", "docs/theory.html", "docs/user-guide.html", "docs/gallery.html", "docs/reproduction.html"]) {
      await page.goto(new URL(name, index).href);
      await settle(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(wide <= 390, `${name} is ${wide} pixels wide on a screen of 390`);
    }
    await page.screenshot({ path: join(folder, "site-phone-dark.png") });
    check(!(await page.locator("nav#pages").isVisible()), "the list of pages hides the page");
    await page.click("#menu");
    await page.locator("nav#pages a").first().waitFor({ state: "visible", timeout: 3000 });
    await page.screenshot({ path: join(folder, "site-menu.png") });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click("#theme");
    check((await theme(page)) === light, "it does not become light again");
    check(complaints.length === 0, complaints.join("\n"));
    await page.close();
  });
}
