// Runs side by side: views, one time, and the plots of all with their differences from the first.

const $ = (id) => document.getElementById(id);
// Times at which runs are compared, at most.
const MOST_TIMES = 8000;

const runs = JSON.parse($("data").textContent).map(({ label, data }) => ({ label, data: decode(data) }));

// All times of all runs, thinned out where they are too many.
function commonTimes() {
  const all = Float64Array.from(runs.flatMap(({ data }) => [...data.t])).sort();
  const apart = (all[all.length - 1] - all[0]) / MOST_TIMES;
  const kept = [];
  for (const time of all) if (kept.length === 0 || time - kept[kept.length - 1] > Math.max(apart, 1e-12)) kept.push(time);
  return Float64Array.from(kept.length > 0 ? kept : [0]);
}

// Values of a run at other times; none where it has not begun or has ended.
function resampled(t, y, times) {
  const slack = 1e-9 * (t[t.length - 1] - t[0]);
  return times.map((time) => {
    if (!(time >= t[0] - slack && time <= t[t.length - 1] + slack)) return NaN;
    const k = frameAt(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = t[next] > t[k] ? Math.min(1, Math.max(0, (time - t[k]) / (t[next] - t[k]))) : 0;
    return part === 0 ? y[k] : y[k] + part * (y[next] - y[k]);
  });
}

const times = commonTimes();
const player = new Player(times, Math.max(...runs.map(({ data }) => turningOf(data))));
const axis = new TimeAxis(player.begin, player.end);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function remembered() {
  try {
    return localStorage.getItem("stickslip-theme");
  } catch {
    return null;
  }
}
document.documentElement.dataset.theme = remembered() || (dark.matches ? "dark" : "light");

// Columns that at least two runs have, energies and forces of contacts with them.
function sharedColumns() {
  const found = new Map();
  runs.forEach(({ data }, number) => {
    sortedColumns(data); // which marks the quiet ones
    const total = data.energy.kinetic.map((kinetic, k) => kinetic + data.energy.potential[k]);
    const forces = data.contacts.map((contact) => ({ name: `${contact.name}.force`, unit: contact.force.unit, kind: "reaction", y: contact.force.y }));
    for (const { name, unit: of, kind, y, quiet } of [...data.columns, { name: "energy", unit: "J", kind: "own", y: total }, ...forces]) {
      if (!found.has(name)) found.set(name, { name, unit: of, kind, of: new Map(), quiet: true });
      found.get(name).quiet &&= Boolean(quiet);
      if (found.get(name).unit === of) found.get(name).of.set(number, y);
    }
  });
  return [...found.values()].filter((column) => column.of.size > 1);
}

const columns = sharedColumns();
const resampledOnce = new Map();
function valuesOf(column, number) {
  const key = `${number} ${column.name}`;
  if (!resampledOnce.has(key) && column.of.has(number)) resampledOnce.set(key, resampled(runs[number].data.t, column.of.get(number), times));
  return resampledOnce.get(key);
}

// The columns in which runs differ most, over the range of all of them; rounding noise differs always.
function telling() {
  const score = (column) => {
    const [first, ...others] = [...column.of.keys()];
    const spans = [...column.of.values()].map(spanOf);
    const [low, high] = [Math.min(...spans.map(([least]) => least)), Math.max(...spans.map(([, most]) => most))];
    const range = high - low || Math.abs(high) || 1;
    const at = [0.25, 0.5, 0.75, 1].map((part) => player.begin + part * (player.end - player.begin));
    const value = (number) => resampled(runs[number].data.t, column.of.get(number), Float64Array.from(at));
    const base = value(first);
    return Math.max(0, ...others.flatMap((number) => [...value(number)].map((v, k) => Math.abs(v - base[k]) / range)).filter(Number.isFinite));
  };
  const own = columns.slice(0, 300);
  const scores = own.map((column) => (column.quiet || column.kind === "reaction" ? 0 : score(column)));
  return new Set(own.map((_, k) => k).sort((a, b) => scores[b] - scores[a]).slice(0, 2));
}

function buildShared(panel) {
  const plot = panel.timePlot();
  const chosen = panel.context.columns ?? telling();
  panel.context.columns = chosen;
  const items = columns.map((column) => ({ label: column.name, unit: column.unit, color: "var(--faint)", value: (frame) => valuesOf(column, [...column.of.keys()][0])[frame] }));
  choices(panel, items, chosen, () => {
    plot.lanes = [...chosen].flatMap((k) => {
      const column = columns[k];
      const [first, ...others] = [...column.of.keys()];
      const base = valuesOf(column, first);
      const line = (number, y) => ({ y, color: seriesColor(number) });
      const differences = others.map((number) => line(number, valuesOf(column, number).map((value, i) => value - base[i])));
      return [
        { label: labelled(column.name, column.unit), weight: 2, series: [first, ...others].map((number) => line(number, valuesOf(column, number))) },
        { label: labelled(`difference from ${runs[first].label}`, column.unit), series: differences, marks: [0] },
      ];
    });
  });
}

// Keys of the scenes whose values differ, and what came of the runs.
function buildDifferences(panel) {
  const keys = runs.map(({ data }) => {
    const found = new Map();
    let section = "";
    let count = 0;
    for (const line of data.scene.split("\n")) {
      const head = line.match(/^\s*\[+([^\]]+)\]+/);
      if (head) [section, count] = [`${head[1].trim()}${line.includes("[[") ? ` ${(count += 1)}` : ""}.`, count];
      const pair = line.match(/^\s*([\w.-]+)\s*=\s*(.*)$/);
      if (pair) found.set(section + pair[1], pair[2]);
    }
    return found;
  });
  const names = [...new Set(keys.flatMap((found) => [...found.keys()]))];
  const differing = names.filter((name) => new Set(keys.map((found) => found.get(name))).size > 1);
  const row = (name, values) => element("tr", {}, element("td", {}, name), ...values.map((value) => element("td", {}, value ?? "–")));
  const head = row("", runs.map(({ label }) => label));
  const results = [
    ["status", ({ status }) => status],
    ["steps", ({ steps }) => String(steps)],
    ["impacts", ({ impacts }) => String(impacts)],
    ["energy at the end / J", ({ energy }) => numberText(energy.final, 6)],
    ["worst residual", ({ worst_residual: worst }) => numberText(worst, 3)],
    ["closing error / %", ({ energy }) => numberText(100 * energy.worst_closing_share, 2)],
    ["computed in / s", ({ seconds }) => numberText(seconds, 3)],
  ];
  const laws = [...new Set(runs.flatMap(({ data }) => Object.keys(data.summary.energy.dissipated)))];
  for (const law of laws) results.push([`lost by ${law} / J`, ({ energy }) => numberText(energy.dissipated[law])]);
  panel.body.append(
    element("h3", {}, "Keys of the scenes that differ"),
    element("table", {}, head, ...differing.slice(0, 200).map((name) => row(name, keys.map((found) => found.get(name))))),
    element("h3", {}, "What came of it"),
    element("table", {}, head.cloneNode(true), ...results.map(([name, of]) => row(name, runs.map(({ data }) => of(data.summary))))),
  );
}

// ---- views

const views = runs.map(({ label, data }, number) => {
  const canvas = element("canvas", { "aria-label": `Motion of ${label}` });
  const dot = element("span", { class: "dot" });
  const status = data.summary.status === "done" ? "" : ` (${data.summary.status})`;
  const frame = element("div", { class: "view" }, canvas, element("div", { class: "overlay top-left" }, element("b", {}, dot, label + status)));
  $("views").append(frame);
  let view = null;
  try {
    if (data.drawing.bodies.length > 0 && data.frames > 0) view = new View(canvas, data);
  } catch (error) {
    frame.append(element("p", {}, `This browser cannot draw the motion (${error.message}).`));
  }
  return { view, dot, number, data };
});
for (const { view } of views) {
  if (!view) continue;
  steer(view.renderer.canvas, view.camera, () => {
    // One camera for all that are alike.
    for (const { view: other } of views) {
      if (!other || other === view || other.planar !== view.planar) continue;
      Object.assign(other.camera, { yaw: view.camera.yaw, pitch: view.camera.pitch, reach: view.camera.reach, target: [...view.camera.target] });
    }
    redraw();
  }, () => {});
}

const KINDS = {
  shared: { title: "Columns and differences", build: buildShared },
  differs: { title: "What differs", build: buildDifferences, sheet: true },
};
const panel = new Panel($("panel-1"), { data: { t: times }, player, axis, kinds: KINDS, panels: () => [panel] }, "shared");

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(drawAll);
}

function drawAll() {
  asked = false;
  for (const { view, dot, number, data } of views) {
    dot.style.background = seriesColor(number);
    if (!view) continue;
    const frame = frameAt(data.t, player.time);
    const next = Math.min(frame + 1, data.t.length - 1);
    const part = next > frame ? Math.min(1, Math.max(0, (player.time - data.t[frame]) / (data.t[next] - data.t[frame]))) : 0;
    view.arrows.speed = player.speed;
    view.draw(frame, part, Math.min(player.time, data.t[data.t.length - 1]));
  }
  panel.draw();
  $("scrub").value = String((1000 * (player.time - player.begin)) / (player.end - player.begin || 1));
  $("play").classList.toggle("playing", player.playing);
  $("speed").value = String(player.speed);
  $("clock").textContent = `${player.time.toPrecision(5)} s`;
}

player.listen(redraw);
axis.listen(redraw);
new ResizeObserver(redraw).observe(document.querySelector("main"));
$("play").addEventListener("click", () => player.toggle());
$("scrub").addEventListener("input", () => player.seek(player.begin + ($("scrub").value / 1000) * (player.end - player.begin)));
$("speed").append(...SPEEDS.map((speed) => element("option", { value: speed }, speed < 1 ? `1/${Math.round(1 / speed)}` : `${speed}×`)));
$("speed").addEventListener("change", () => player.setSpeed(Number($("speed").value)));
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  for (const { view } of views) if (view) view.themeChanged();
  panel.select(panel.name);
  redraw();
});
document.addEventListener("keydown", (event) => {
  if (event.target.type === "search" || event.target.tagName === "SELECT" || event.key !== " ") return;
  event.preventDefault();
  player.toggle();
});
drawAll();

// For tests and for the curious.
window.stickslip = {
  get time() { return player.time; },
  get theme() { return document.documentElement.dataset.theme; },
  begin: player.begin,
  end: player.end,
  runs: runs.length,
  seek: (time) => player.seek(time),
  lanes: () => panel.plot.lanes,
};
