// Menu, light or dark, search, copy buttons. Works from files, without a server.
"use strict";
const root = document.documentElement;
const up = root.dataset.up;
const byId = (id) => document.getElementById(id);

byId("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* only for this page */ }
});

const menu = byId("menu");
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(document.body.classList.toggle("open")));
});
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });

for (const figure of document.querySelectorAll("figure.code")) {
  const button = document.createElement("button");
  button.textContent = "copy";
  button.addEventListener("click", async () => {
    // Of a dialogue only what one types.
    const console = figure.querySelector("code.console");
    const text = figure.querySelector("code").textContent;
    const typed = text.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    await navigator.clipboard?.writeText(console ? typed.join("\n") : text);
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  figure.append(button);
}

// A place counts by where the words stand: title of the page, heading, text. All words must be there.
const input = byId("search");
const found = byId("found");
function search(asked) {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const places = [];
  for (const [page, anchor, title, heading, text] of window.searchIndex ?? []) {
    const parts = [title, heading, text].map((part) => part.toLowerCase());
    let score = 0;
    for (const word of words) {
      const worth = (parts[1].includes(word) ? 10 : 0) + (parts[0].includes(word) ? 4 : 0) + (parts[2].includes(word) ? 1 : 0);
      score = worth && score >= 0 ? score + worth : -1;
      if (score < 0) break;
    }
    if (score > 0) places.push({ page, anchor, title, heading, text, score, at: parts[2].indexOf(words[0]) });
  }
  return places.sort((a, b) => b.score - a.score).slice(0, 20);
}
function show() {
  const places = search(input.value);
  found.replaceChildren(...places.map(({ page, anchor, title, heading, text, at }) => {
    const link = document.createElement("a");
    link.href = up + page + (anchor ? `#${anchor}` : "");
    const name = document.createElement("b");
    name.textContent = heading && heading !== title ? `${title}: ${heading}` : title;
    const excerpt = document.createElement("span");
    excerpt.textContent = text.slice(Math.max(0, at - 40), Math.max(0, at - 40) + 140);
    link.append(name, excerpt);
    return link;
  }));
  if (input.value.trim() && !places.length) found.textContent = "nothing found";
  found.hidden = !input.value.trim();
}
input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { input.value = ""; show(); }
  if (event.key === "Enter") found.querySelector("a")?.click();
});
found.addEventListener("click", () => { found.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
});
