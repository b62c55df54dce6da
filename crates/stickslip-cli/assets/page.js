// Puts everything together.

const KEYS = [
  ["space", "play or pause"],
  ["← →", "one frame back or on; with shift ten"],
  ["home, end", "to the start, to the end"],
  ["− +", "slower, faster"],
  ["f", "follow the next body, or none"],
  ["t", "trails"],
  ["a", "arrows of normal forces, friction and impacts"],
  ["j", "joints"],
  ["m", "play under the magnifier"],
  ["1 2 3 4", "camera from the front, the side, the top, a corner"],
  ["click in the view", "select a body: hide it, follow it; on a contact point: its friction"],
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
const data = {};
function decodeInto(raw) {
  Object.assign(data, decode(raw));
  data.columns = sortedColumns(data);
  if (data.t.length === 0) data.t = new Float64Array([0]);
}
decodeInto(JSON.parse($("data").textContent));
const player = new Player(data.t, turningOf(data));
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

function percentText(value) {
  return value < 1e-3 ? "< 0.001 %" : `${Number(value.toPrecision(2))} %`;
}

function showHeader() {
  const { summary } = data;
  $("name").textContent = summary.name;
  $("caption").textContent = data.caption;
  $("status").textContent = summary.status;
  $("status").classList.toggle("bad", summary.status !== "done");
  $("status").title = summary.message || "";
  const facts = [
    ["simulated", `${numberText(player.end - player.begin)} s`],
    ["steps", String(summary.steps)],
    ["worst residual", numberText(summary.worst_residual, 3)],
    ["closing error", percentText(100 * summary.energy.worst_closing_share)],
    ["impacts", String(summary.impacts)],
  ];
  $("facts").replaceChildren(...facts.map(([key, value]) => element("div", { "data-fact": key }, element("dt", {}, key), element("dd", {}, value))));
  const closing = $("facts").querySelector("[data-fact='closing error']");
  closing.title = `largest error of the energy book over the energy turned over; at the end ${numberText(summary.energy.closing_error, 3)} J`;
  closing.classList.toggle("doubt", summary.energy.worst_closing_share > 0.01);
}
showHeader();
$("key-table").append(...KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what))));

// ---- the view

const PRESETS = ["front", "side", "top", "corner"];
let view = null;
let panels = null;
let selection = null;
function noView(text) {
  $("no-view").textContent = text;
  $("no-view").hidden = text === "";
  $("canvas").hidden = text !== "";
  for (const id of ["view-options", "view-key"]) $(id).hidden = text !== "";
}

// Makes the view, if there is something to see and nothing was found to be in its way.
let isBlind = false;
function makeView() {
  if (isBlind) return;
  if (data.drawing.bodies.length === 0 || data.frames === 0) {
    noView(data.summary.model === "" ? "There is no run yet." : "This system has no drawing; the plots show its motion.");
    return;
  }
  noView("");
  try {
    view = new View($("canvas"), data);
  } catch (error) {
    isBlind = true;
    noView(`This browser cannot draw the motion (${error.message}). The plots work without it.`);
    return;
  }
  steer($("canvas"), view.camera, () => redraw(), (x, y) => selection.click(player.frame, x, y));
  makeOptions();
  selection = new Selection($("selection"), view, () => { if (panels) optionsChanged(); });
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
  selection.show();
}

function optionsChanged() {
  for (const [name, button] of Object.entries(toggles)) button.setAttribute("aria-pressed", String(view.options[name]));
  followed.value = String(view.options.follow);
  redraw();
}

function look(from) {
  if (!view || view.planar) return;
  view.camera.look(from);
  redraw();
}

const followed = element("select", { title: "Follow a body (f)", "aria-label": "Follow a body" });
followed.addEventListener("change", () => follow(Number(followed.value)));

// The buttons in the view, for the bodies that there are.
function makeOptions() {
  const bodies = view.bodies.slice(0, 200).map((body, k) => element("option", { value: k }, `follow ${body.name}`));
  followed.replaceChildren(element("option", { value: -1 }, "follow none"), ...bodies);
  $("view-options").replaceChildren(followed);
  for (const name of Object.keys(toggles)) delete toggles[name];
  addToggle("trails", "Trails", "t");
  addToggle("forces", "Forces", "a");
  addToggle("contacts", "Contacts", "c");
  if (data.drawing.joints.length > 0) addToggle("joints", "Joints", "j");
  if (view.joints.hasPlay) addToggle("play", "Play × 20", "m");
  if (!view.planar) {
    const camera = element("select", { "aria-label": "Camera", title: "Camera (1, 2, 3, 4)" }, ...["camera", ...PRESETS].map((name) => element("option", {}, name)));
    camera.addEventListener("change", () => { if (camera.value !== "camera") look(camera.value); camera.value = "camera"; });
    $("view-options").append(camera);
  }
  $("view-options").append(element("button", { title: "Camera and zoom as at first (r)", onclick: resetViews }, "Reset"));
}
for (const [name, color] of [["open", "--open"], ["stick", "--stick"], ["slip", "--slip"], ["friction", "--friction"]]) {
  const dot = element("span", { class: "dot" });
  dot.style.background = `var(${color})`;
  $("view-key").append(element("span", {}, dot, name));
}
const scales = [["--soft", "normal force and friction"], ["--impact", "impacts"]].map(([color, what]) => {
  const bar = element("i", { class: "scale-bar" });
  bar.style.background = `var(${color})`;
  const text = element("span");
  const whole = element("span", { class: "scale", title: `Scale of the arrows: ${what}; long ones are cut` }, bar, text);
  $("view-key").append(whole);
  return { bar, text, whole };
});

function drawScales() {
  view.arrows.bars().forEach((found, k) => {
    scales[k].whole.hidden = !found || !view.options.forces;
    if (!found) return;
    scales[k].bar.style.width = `${found.pixels.toFixed(1)}px`;
    scales[k].text.textContent = `${k === 1 ? "impact" : "force"} ${found.text}`;
  });
}

makeView();

function resetViews() {
  axis.reset();
  if (!view) return;
  view.camera.reset();
  showOptions();
}

// ---- plots and timeline

const context = {
  data,
  player,
  axis,
  panels: () => panels,
  chosen: () => (view ? view.options.chosen : null),
  choose: (key) => { if (view && panels) { view.options.chosen = key; showOptions(); } },
};
const timeline = new Timeline($("timeline"), axis, player, data);
panels = [new Panel($("panel-1"), context, "motion"), new Panel($("panel-2"), context, "energy")];

// Takes the data of a run that has gone on, or of another one.
function take(raw) {
  decodeInto(raw);
  player.take(data.t);
  player.chooseSpeed(turningOf(data));
  axis.extend(player.begin, player.end);
  showHeader();
  if (!view) makeView();
  else if (view.load()) makeOptions();
  timeline.load();
  // Somebody who types in a panel is not disturbed.
  for (const panel of panels) if (document.activeElement.type !== "search" || !panel.host.contains(document.activeElement)) panel.select(panel.name);
  if (view) selection.show();
  redraw();
}

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(drawAll);
}

let spent = 0;
function drawAll() {
  asked = false;
  const begin = performance.now();
  if (view) {
    view.arrows.speed = player.speed;
    view.draw(player.frame, player.fraction, player.time);
    drawScales();
  }
  timeline.draw();
  for (const panel of panels) panel.draw();
  $("scrub").value = String((1000 * (player.time - player.begin)) / (player.end - player.begin || 1));
  $("scrub").setAttribute("aria-valuetext", `${numberText(player.time)} s`);
  $("play").classList.toggle("playing", player.playing);
  $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  $("speed").value = String(player.speed);
  const digits = Math.min(6, Math.max(2, 3 - Math.floor(Math.log10(player.end - player.begin || 1))));
  spent = performance.now() - begin;
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
  j: () => flip("joints"),
  m: () => view && view.joints.hasPlay && flip("play"),
  ...Object.fromEntries(PRESETS.map((name, k) => [String(k + 1), () => look(name)])),
  r: () => resetViews(),
  d: () => switchTheme(),
  h: () => toggleHelp(),
  "?": () => toggleHelp(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || event.target.type === "search" || event.target.closest("[data-own-keys]")) return;
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

// ---- export

const fileName = () => data.summary.name.replace(/[^\w.-]+/g, "-").slice(0, 80) || "run";
const savePlot = ({ body, name }) => body.querySelector("canvas") && savePicture(body.querySelector("canvas"), `${fileName()}-${name}.png`);
const SAVES = {
  "view as PNG": () => savePicture($("canvas"), `${fileName()}.png`),
  "upper plot as PNG": () => savePlot(panels[0]),
  "lower plot as PNG": () => savePlot(panels[1]),
  "numbers in view as CSV": () => save(new Blob([tableText(data, axis.range)], { type: "text/csv" }), `${fileName()}.csv`),
  "motion in view as WebM": () => {
    if (!view || !window.MediaRecorder) return;
    $("save").classList.add("recording");
    recordFilm($("canvas"), player, axis.range, (film) => { $("save").classList.remove("recording"); save(film, `${fileName()}.webm`); });
  },
  "link to this moment": () => linkTo(player.time),
};
$("save").append(...Object.keys(SAVES).map((name) => element("option", {}, name)));
$("save").addEventListener("change", () => { const name = $("save").value; $("save").selectedIndex = 0; SAVES[name]?.(); });

// ---- begin

const wanted = new URLSearchParams(window.location.search).get("frame");
if (wanted !== null && Number.isFinite(Number(wanted))) player.seekFrame(Number(wanted));
const seekLinked = () => { if (linkedTime() !== null) player.seek(linkedTime()); };
window.addEventListener("hashchange", seekLinked);
seekLinked();
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
  get frames() { return data.frames; },
  get begin() { return player.begin; },
  get end() { return player.end; },
  get webgl() { return view !== null; },
  play: () => player.play(),
  pause: () => player.pause(),
  seek: (time) => player.seek(time),
  seekFrame: (frame) => player.seekFrame(frame),
  cursor: () => timeline.toX(player.time),
  get strongest() { return data.places.force.reduce((most, force) => Math.max(most, force), 0); },
  get spent() { return spent; },
  get bars() { return view.arrows.bars(); },
  get joints() { return view.joints.drawn; },
  get hidden() { return view.hidden.size; },
  get ball() { return panels.map((panel) => panel.plot).find((plot) => plot instanceof BallPlot)?.at(player.frame) ?? null; },
  place: (key) => placeOfKey(data, player.frame, key),
  get keys() { return data.places.keys; },
  get impacts() { return view ? view.arrows.impacts : []; },
  draw: () => drawAll(),
  lanes: (panel) => panels[panel].plot.lanes,
  data,
  ticksUp,
  shortened,
  show: (panel, tab) => panels[panel] && PANELS[tab] && panels[panel].select(tab),
};
