// Puts everything together.

const KEYS = [
  ["space", "play or pause"],
  ["← →", "one frame back or on; with shift ten"],
  ["home, end", "to the begin, to the end"],
  ["− +", "slower, faster"],
  ["f", "follow the next body, or none"],
  ["t", "trails"],
  ["a", "arrows of the contact forces"],
  ["c", "contact points"],
  ["r", "camera and zoom as at first"],
  ["d", "light or dark"],
  ["h, ?", "this list"],
  ["drag in the view", "turn the camera; with shift, or in the plane, move it"],
  ["wheel in the view", "nearer, farther"],
  ["drag in a plot", "zoom to a stretch; with shift move it; double click: all"],
  ["wheel in a plot", "zoom at the mouse"],
  ["click in a plot", "go to that time"],
];

const $ = (id) => document.getElementById(id);
const data = decode(JSON.parse($("data").textContent));
const player = new Player(data.t.length > 0 ? data.t : new Float64Array([0]));
const axis = new TimeAxis(player.begin, player.end);

function remembered(value) {
  // Some browsers forbid storage to files.
  try {
    if (value !== undefined) localStorage.setItem("stickslip-theme", value);
    return localStorage.getItem("stickslip-theme");
  } catch {
    return null;
  }
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
document.documentElement.dataset.theme = remembered() || (dark.matches ? "dark" : "light");

// ---- the header

const { summary } = data;
$("name").textContent = summary.name;
$("caption").textContent = data.caption;
$("status").textContent = summary.status;
$("status").classList.toggle("bad", summary.status !== "done");
if (summary.message) $("status").title = summary.message;
const facts = [
  ["simulated", `${numberText(player.end - player.begin)} s`],
  ["steps", String(summary.steps)],
  ["worst residual", numberText(summary.worst_residual, 3)],
  ["closing error", `${numberText(summary.energy.closing_error, 3)} J`],
  ["impacts", String(summary.impacts)],
];
$("facts").append(...facts.map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))));
$("key-table").append(...KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what))));

// ---- the view

let view = null;
function noView(text) {
  $("no-view").textContent = text;
  $("no-view").hidden = false;
  $("canvas").hidden = true;
  for (const id of ["view-options", "view-key"]) $(id).hidden = true;
}
if (data.drawing.bodies.length === 0 || data.frames === 0) {
  noView("This system has no drawing; the plots show its motion.");
} else {
  try {
    view = new View($("canvas"), data);
  } catch (error) {
    noView(`This browser cannot draw the motion (${error.message}). The plots work without it.`);
  }
}

const toggles = {};
function addToggle(name, title, key) {
  toggles[name] = element("button", { title: `${title} (${key})`, onclick: () => flip(name) }, title);
  $("view-options").append(toggles[name]);
}

function flip(name) {
  if (!view) return;
  view.options[name] = !view.options[name];
  showOptions();
}

function follow(body) {
  if (!view) return;
  view.options.follow = body >= view.bodies.length ? -1 : body;
  showOptions();
}

function showOptions() {
  for (const [name, button] of Object.entries(toggles)) button.setAttribute("aria-pressed", String(view.options[name]));
  followed.value = String(view.options.follow);
  redraw();
}

const followed = element("select", { title: "Follow a body (f)", "aria-label": "Follow a body" }, element("option", { value: -1 }, "follow none"));
if (view) {
  followed.append(...view.bodies.slice(0, 200).map((body, k) => element("option", { value: k }, `follow ${body.name}`)));
  followed.addEventListener("change", () => follow(Number(followed.value)));
  $("view-options").append(followed);
  addToggle("trails", "Trails", "t");
  addToggle("forces", "Forces", "a");
  addToggle("contacts", "Contacts", "c");
  $("view-options").append(element("button", { title: "Camera and zoom as at first (r)", onclick: resetViews }, "Reset"));
  steer($("canvas"), view.camera, () => redraw());
}
for (const [name, color] of [["open", "--open"], ["stick", "--stick"], ["slip", "--slip"]]) {
  const dot = element("span", { class: "dot" });
  dot.style.background = `var(${color})`;
  $("view-key").append(element("span", {}, dot, name));
}

function resetViews() {
  axis.reset();
  if (!view) return;
  view.camera.reset();
  showOptions();
}

// ---- plots and timeline

const context = { data, player, axis };
const timeline = new Timeline($("timeline"), axis, player, data);
const panels = [new Panel($("panel-1"), context, "motion"), new Panel($("panel-2"), context, "energy")];

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(drawAll);
}

function drawAll() {
  asked = false;
  if (view) view.draw(player.frame, player.fraction);
  timeline.draw();
  for (const panel of panels) panel.draw();
  $("scrub").value = String((1000 * (player.time - player.begin)) / (player.end - player.begin || 1));
  $("scrub").setAttribute("aria-valuetext", `${numberText(player.time)} s`);
  $("play").classList.toggle("playing", player.playing);
  $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  $("speed").value = String(player.speed);
  const digits = Math.min(6, Math.max(2, 3 - Math.floor(Math.log10(player.end - player.begin || 1))));
  $("clock").replaceChildren(element("b", {}, `${player.time.toFixed(digits)} s`), ` · frame ${player.frame}`);
}

player.listen(redraw);
axis.listen(redraw);
new ResizeObserver(redraw).observe(document.querySelector("main"));

// ---- controls

$("play").addEventListener("click", () => player.toggle());
$("scrub").addEventListener("input", () => player.seek(player.begin + ($("scrub").value / 1000) * (player.end - player.begin)));
$("speed").append(...SPEEDS.map((speed) => element("option", { value: speed }, speed < 1 ? `1/${Math.round(1 / speed)}` : `${speed}×`)));
$("speed").addEventListener("change", () => player.setSpeed(Number($("speed").value)));
$("help").addEventListener("click", toggleHelp);
$("theme").addEventListener("click", () => switchTheme());

function toggleHelp() {
  if ($("keys").open) $("keys").close();
  else $("keys").showModal();
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (view) view.themeChanged();
  for (const panel of panels) panel.select(panel.name);
  redraw();
}

function switchTheme() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  remembered(theme);
  applyTheme(theme);
}
dark.addEventListener("change", () => { if (!remembered()) applyTheme(dark.matches ? "dark" : "light"); });

const ACTIONS = {
  " ": () => player.toggle(),
  ArrowLeft: (event) => { player.pause(); player.seekFrame(player.frame - (event.shiftKey ? 10 : 1)); },
  ArrowRight: (event) => { player.pause(); player.seekFrame(player.frame + (event.shiftKey ? 10 : 1)); },
  Home: () => player.seek(player.begin),
  End: () => player.seek(player.end),
  "+": () => player.faster(1),
  "=": () => player.faster(1),
  "-": () => player.faster(-1),
  f: () => view && follow(view.options.follow + 1),
  t: () => flip("trails"),
  a: () => flip("forces"),
  c: () => flip("contacts"),
  r: () => resetViews(),
  d: () => switchTheme(),
  h: () => toggleHelp(),
  "?": () => toggleHelp(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const action = ACTIONS[event.key];
  if (!action || ($("keys").open && !["h", "?"].includes(event.key))) return;
  const onButton = event.target.tagName === "BUTTON" && event.target.id !== "play" && event.target.offsetParent !== null;
  if (event.key === " " && onButton) return;
  event.preventDefault();
  action(event);
});

// The space bar plays: a button keeps the focus only where it was reached by keys.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && event.detail > 0) button.blur();
});
$("keys").addEventListener("close", () => document.activeElement.blur());

// ---- begin

const wanted = new URLSearchParams(window.location.search).get("frame");
if (wanted !== null && Number.isFinite(Number(wanted))) player.seekFrame(Number(wanted));
if (view) showOptions();
drawAll();

// For tests and for the curious.
window.stickslip = {
  get time() { return player.time; },
  get frame() { return player.frame; },
  get playing() { return player.playing; },
  get speed() { return player.speed; },
  get range() { return [...axis.range]; },
  get theme() { return document.documentElement.dataset.theme; },
  get options() { return view ? { ...view.options } : null; },
  frames: data.frames,
  begin: player.begin,
  end: player.end,
  webgl: view !== null,
  play: () => player.play(),
  pause: () => player.pause(),
  seek: (time) => player.seek(time),
  seekFrame: (frame) => player.seekFrame(frame),
  cursor: () => timeline.toX(player.time),
  strongest: data.places.force.reduce((most, force) => Math.max(most, force), 0),
  ticksUp,
  shortened,
  show: (panel, tab) => panels[panel] && PANELS[tab] && panels[panel].select(tab),
};
