// The panels beside the view: a row of tabs, and a plot or a sheet under it.

// Columns that tell most about a motion come first.
const TELLING = ["theta", "beta", "corner1", "spin", "omega1", "slider_y", "z", "psi_dot", "p", "x", "y", "v", "w", "slip"];
// Contacts that are shown without being asked for.
const MOST_SHOWN = 6;

class Panel {
  constructor(host, context, tab) {
    this.host = host;
    this.context = context;
    this.tabs = element("div", { class: "tabs", role: "tablist" });
    for (const [name, title] of Object.entries(PANELS)) {
      this.tabs.append(element("button", { role: "tab", "data-tab": name, onclick: () => this.select(name) }, title.title));
    }
    this.whole = element("button", { class: "reset", title: "Show all (double click)", onclick: () => this.reset() }, "Show all");
    this.body = element("div", { class: "plot" });
    this.chips = element("div", { class: "chips" });
    host.append(this.tabs, this.chips, this.body, this.whole);
    this.select(tab);
  }

  select(name) {
    this.name = name;
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    }
    this.chips.replaceChildren();
    this.body.replaceChildren();
    this.body.className = PANELS[name].sheet ? "sheet" : "plot";
    this.plot = null;
    this.update = () => {};
    PANELS[name].build(this);
    this.draw();
  }

  canvas() {
    const canvas = element("canvas", { "aria-label": PANELS[this.name].title });
    this.body.append(canvas);
    return canvas;
  }

  timePlot() {
    const { axis, player, data } = this.context;
    this.plot = new TimePlot(this.canvas(), axis, player, data.t);
    return this.plot;
  }

  // A button in the legend that shows the value at the cursor, and switches its series if it may.
  chip(label, color, value, pressed, toggle) {
    const number = element("b");
    const line = element("i");
    line.style.color = color;
    const chip = element("button", { class: "chip", type: "button", "aria-pressed": String(pressed) }, line, label, number);
    if (toggle) chip.addEventListener("click", toggle);
    else chip.style.cursor = "default";
    this.chips.append(chip);
    return () => { number.textContent = pressed ? numberText(value(this.frame())) : ""; };
  }

  // The frame under the mouse, or else the one of the animation.
  frame() {
    const { axis, player, data } = this.context;
    return axis.hover === null ? player.frame : frameAt(data.t, axis.hover);
  }

  reset() {
    this.context.axis.reset();
    if (this.plot && this.plot.reset) this.plot.reset();
  }

  draw() {
    this.whole.hidden = !(this.plot && this.plot.zoomed);
    if (this.plot) this.plot.draw();
    this.update();
  }
}

// Chips of which some are chosen, and what follows from the choice.
function choices(panel, items, chosen, show) {
  const rebuild = () => {
    panel.chips.replaceChildren();
    const updates = items.map((item, k) => panel.chip(item.label, seriesColor(k), item.value, chosen.has(k), () => {
      if (!chosen.delete(k)) chosen.add(k);
      rebuild();
      panel.draw();
    }));
    panel.update = () => updates.forEach((update) => update());
    show();
  };
  rebuild();
}

// Of a world the motion of its first body; of a model one telling column of each of three units.
function defaultColumns(columns) {
  const [body, ending] = (columns[0]?.name ?? "").split(".");
  if (ending) {
    const endings = columns.some(({ name }) => name === `${body}.angle`) ? ["x", "y", "angle", "vx", "vy"] : ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"];
    const wanted = new Set(endings.map((end) => `${body}.${end}`));
    return new Set(columns.flatMap(({ name }, k) => (wanted.has(name) ? [k] : [])));
  }
  const rank = (name) => {
    const at = TELLING.indexOf(name.split(".").pop());
    return at < 0 ? TELLING.length : at;
  };
  const order = columns.map((_, k) => k).sort((a, b) => rank(columns[a].name) - rank(columns[b].name) || a - b);
  const units = new Map();
  for (const k of order) {
    if (units.size < 3 && !units.has(columns[k].unit)) units.set(columns[k].unit, k);
  }
  return new Set(units.values());
}

function buildMotion(panel) {
  const { data } = panel.context;
  const plot = panel.timePlot();
  const chosen = defaultColumns(data.columns);
  const items = data.columns.map((column) => ({ label: column.name, value: (frame) => column.y[frame] }));
  choices(panel, items, chosen, () => {
    const lanes = new Map();
    data.columns.forEach((column, k) => {
      if (!chosen.has(k)) return;
      if (!lanes.has(column.unit)) lanes.set(column.unit, []);
      lanes.get(column.unit).push({ ...column, color: seriesColor(k) });
    });
    plot.lanes = [...lanes].map(([unit, series]) => {
      const names = series.slice(0, 4).map((one) => one.name).join(", ") + (series.length > 4 ? ", …" : "");
      return { label: labelled(names, unit), series };
    });
  });
}

function buildEnergy(panel) {
  const { energy } = panel.context.data;
  const plot = panel.timePlot();
  const total = energy.kinetic.map((kinetic, k) => kinetic + energy.potential[k]);
  const layers = [];
  const updates = [];
  let from = total;
  const legend = (label, color, values) => updates.push(panel.chip(label, color, (frame) => values[frame], true));
  const series = [
    { y: energy.kinetic, color: seriesColor(2), dashed: true, label: "kinetic" },
    { y: energy.potential, color: seriesColor(3), dashed: true, label: "potential" },
    { y: total, color: seriesColor(0), width: 1.8, label: "energy" },
  ];
  for (const { label, color, y } of series) legend(label, color, y);
  energy.laws.forEach((law, index) => {
    if (law.work.every((work) => work === 0)) return;
    const below = from;
    const to = below.map((value, k) => value - law.work[k]);
    const color = seriesColor([1, 4, 5, 6, 7][index % 5]);
    layers.push({ from: below, to, color });
    legend(`lost by ${law.name}`, color, law.work.map((work) => 0 - work));
    from = to;
  });
  // Where energy was put in, the stack must reach this line and not the energy of the start.
  const sources = [["drive", energy.drive], ["projection", energy.projection]].filter(([, work]) => work.some((w) => w !== 0));
  if (sources.length > 0) {
    const reach = energy.drive.map((drive, k) => energy.initial + drive + energy.projection[k]);
    series.push({ y: reach, color: seriesColor(7), dashed: true });
    for (const [name, work] of sources) legend(`put in by ${name}`, seriesColor(7), work);
  }
  legend("closing error", seriesColor(7), energy.closing);
  plot.lanes = [
    { label: "energy / J, with what each law took stacked on it", series, layers, weight: 3 },
    { label: "closing error / J", series: [{ y: energy.closing, color: seriesColor(7) }], weight: 1 },
  ];
  panel.update = () => updates.forEach((update) => update());
}

// Sliding speeds without the zeros of steps in which a closed contact happened to have no force at the end.
function slipOf(contact) {
  const closed = (k) => (contact.states[k] & 6) !== 0;
  return contact.slip.map((slip, k) => {
    if (contact.states[k] & 4 && slip === 0) return NaN;
    if (closed(k)) return slip;
    return [-3, -2, -1, 1, 2, 3].some((away) => closed(k + away)) ? NaN : 0;
  });
}

function buildForces(panel) {
  const { contacts } = panel.context.data;
  const plot = panel.timePlot();
  const chosen = new Set(contacts.slice(0, MOST_SHOWN).map((_, k) => k));
  const items = contacts.map((contact) => ({ label: contact.name, value: (frame) => contact.force.y[frame] }));
  choices(panel, items, chosen, () => {
    const shown = contacts.map((contact, k) => ({ contact, color: seriesColor(k) })).filter((_, k) => chosen.has(k));
    const slips = shown.filter(({ contact }) => contact.slip.some((slip) => slip > 0));
    const gaps = shown.filter(({ contact }) => contact.gap.some(Number.isFinite));
    plot.lanes = [{ label: "normal force / N (mean, with its extremes)", weight: 2, series: shown.map(({ contact, color }) => ({ ...contact.force, color })) }];
    if (slips.length > 0) plot.lanes.push({ label: "sliding speed / (m/s)", series: slips.map(({ contact, color }) => ({ y: slipOf(contact), color })) });
    if (gaps.length > 0) plot.lanes.push({ label: "gap / m", series: gaps.map(({ contact, color }) => ({ y: contact.gap, color })) });
  });
}

function buildResidual(panel) {
  const { residual, tolerance } = panel.context.data;
  const plot = panel.timePlot();
  panel.update = panel.chip("largest residual since the last frame", seriesColor(0), (frame) => residual[frame], true);
  const floor = residual.map((value) => Math.max(value, 1e-18));
  plot.lanes = [{ label: `dashed: tolerance ${numberText(tolerance)}`, log: true, series: [{ y: floor, color: seriesColor(0) }], marks: tolerance > 0 ? [tolerance] : [] }];
}

// The first two columns of these that both move; one is as good as constant where the other's range is
// a billion times larger.
function movingPair(columns, chosen) {
  const ranges = chosen.map((k) => {
    const values = columns[k].y.filter(Number.isFinite);
    return values.reduce((most, value) => Math.max(most, value), -Infinity) - values.reduce((least, value) => Math.min(least, value), Infinity);
  });
  for (let j = 1; j < chosen.length; j += 1) {
    for (let i = 0; i < j; i += 1) {
      const [small, large] = [Math.min(ranges[i], ranges[j]), Math.max(ranges[i], ranges[j])];
      if (small > 1e-9 * large) return [chosen[i], chosen[j]];
    }
  }
  return chosen;
}

function buildPhase(panel) {
  const { data, player } = panel.context;
  const plot = new PhasePlot(panel.canvas(), player);
  panel.plot = plot;
  const all = data.columns;
  const chosen = movingPair(all, [...defaultColumns(all)]);
  const pick = (label, index) => {
    const select = element("select", { "aria-label": label }, ...all.map((column, k) => element("option", { value: k }, column.name)));
    select.value = String(index);
    select.addEventListener("change", () => { show(); panel.draw(); });
    panel.chips.append(element("label", {}, `${label} `, select));
    return select;
  };
  if (all.length === 0) {
    panel.plot = null;
    return;
  }
  const across = pick("across", chosen[0] ?? 0);
  const upward = pick("up", chosen[1] ?? Math.min(1, all.length - 1));
  const show = () => plot.show(all[across.value], all[upward.value]);
  show();
}

const PANELS = {
  motion: { title: "Coordinates", build: buildMotion },
  energy: { title: "Energies", build: buildEnergy },
  forces: { title: "Contacts", build: buildForces },
  phase: { title: "Phase", build: buildPhase },
  residual: { title: "Residual", build: buildResidual },
  summary: { title: "Summary", build: buildSummary, sheet: true },
  scene: { title: "Scene", build: buildScene, sheet: true },
};
