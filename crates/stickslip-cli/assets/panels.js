// The panels beside the view: a row of tabs, and a plot or a sheet under it.

// Columns that tell most about a motion come first.
const TELLING = ["theta", "beta", "corner1", "spin", "omega1", "slider_y", "z", "psi_dot", "p", "x", "y", "v", "w", "slip"];
// Contacts that are shown without being asked for.
const MOST_SHOWN = 6;

class Panel {
  constructor(host, context, tab) {
    this.host = host;
    this.context = context;
    this.kinds = context.kinds || PANELS;
    this.tabs = element("div", { class: "tabs", role: "tablist" });
    for (const [name, title] of Object.entries(this.kinds)) {
      this.tabs.append(element("button", { role: "tab", "data-tab": name, onclick: () => this.select(name) }, title.title));
    }
    this.whole = element("button", { class: "reset", title: "Show all (double click)", onclick: () => this.reset() }, "Show all");
    this.body = element("div", { class: "plot" });
    this.chips = element("div", { class: "chips" });
    this.head = element("div", { class: "head" });
    host.append(this.tabs, element("div", { class: "legend" }, this.chips, this.head), this.body, this.whole);
    this.select(tab);
  }

  select(name) {
    this.name = name;
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    }
    this.chips.replaceChildren();
    this.head.replaceChildren();
    this.body.replaceChildren();
    this.body.className = this.kinds[name].sheet ? "sheet" : "plot";
    this.plot = null;
    this.update = () => {};
    this.kinds[name].build(this);
    this.draw();
  }

  canvas() {
    const canvas = element("canvas", { "aria-label": this.kinds[this.name].title });
    this.body.append(canvas);
    return canvas;
  }

  timePlot() {
    const { axis, player, data } = this.context;
    this.plot = new TimePlot(this.canvas(), axis, player, data.t);
    return this.plot;
  }

  // A button in the legend that shows the value at the cursor, and switches its series if it may.
  chip(label, color, value, pressed, toggle, of = "") {
    const number = element("b");
    const line = element("i");
    line.style.color = color;
    const chip = element("button", { class: "chip", type: "button", "aria-pressed": String(pressed) }, line, label, number);
    if (toggle) chip.addEventListener("click", toggle);
    else chip.style.cursor = "default";
    this.chips.append(chip);
    return () => { number.textContent = pressed ? `${numberText(value(this.frame()))} ${of}`.trim() : ""; };
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

// Of a world the motion of its liveliest body; of a model, or of columns that the scene computes itself, one telling column of each of three units.
function defaultColumns(all) {
  const moving = all.filter(({ quiet }) => !quiet);
  const columns = moving.length > 0 ? moving : all;
  const own = columns.filter(({ kind }) => kind === "own");
  const body = liveliest(columns);
  if (body !== null && own.length === 0) {
    const planar = all.some(({ name }) => name === `${body}.angle`);
    const shifts = columns.some(({ name }) => name === `${body}.vx` || name === `${body}.vy`);
    const endings = planar ? (shifts ? ["x", "y", "angle", "vx", "vy"] : ["angle", "w"]) : ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"];
    const wanted = new Set(endings.map((end) => `${body}.${end}`));
    return new Set(columns.filter(({ name }) => wanted.has(name)).map((column) => all.indexOf(column)));
  }
  const rank = (name) => {
    const at = TELLING.indexOf(name.split(".").pop());
    return at < 0 ? TELLING.length : at;
  };
  const order = [...(own.length > 0 ? own : columns)].sort((a, b) => rank(a.name) - rank(b.name));
  const units = new Map();
  for (const column of order) {
    if (units.size < 3 && !units.has(column.unit)) units.set(column.unit, all.indexOf(column));
  }
  return new Set(units.values());
}

// The body whose velocities range most, or which turns most; null in a model, whose columns have no bodies.
function liveliest(columns) {
  const ranges = new Map();
  const own = columns.filter(({ kind }) => kind === "body");
  const rate = own.some(({ unit: of }) => of === "m/s") ? "m/s" : "rad/s";
  for (const { owner, unit: of, y } of own) {
    if (of !== rate) continue;
    const [low, high] = spanOf(y);
    ranges.set(owner, Math.max(ranges.get(owner) || 0, high - low));
  }
  const first = own[0]?.owner ?? null;
  return [...ranges].reduce((best, one) => (one[1] > 1.5 * best[1] ? one : best), [first, ranges.get(first) || 0])[0];
}

// A set of numbers of a list that survives other data: what somebody has chosen by name, else what is usual now.
function keptChoice(context, key, list, usual) {
  const kept = context[key];
  const names = kept ? [...kept.chosen].map((k) => kept.names[k]) : [];
  const isUsual = !kept || (kept.chosen.size === kept.usual.size && [...kept.chosen].every((k) => kept.usual.has(k)));
  const found = isUsual ? [] : list.flatMap(({ name }, k) => (names.includes(name) ? [k] : []));
  const now = usual();
  const chosen = new Set(isUsual || (found.length === 0 && names.length > 0) ? now : found);
  context[key] = { chosen, usual: now, names: list.map(({ name }) => name) };
  return chosen;
}

// The value at a frame; what is rounding beside the range of all of them is zero.
function withoutNoise(values) {
  const [low, high] = spanOf(values);
  return (frame) => (Math.abs(values[frame]) < NOISE * (high - low) ? 0 : values[frame]);
}

function buildMotion(panel) {
  const { data } = panel.context;
  const plot = panel.timePlot();
  const columns = data.columns.map((column) => Angles.column(column));
  const chosen = keptChoice(panel.context, "columns", data.columns, () => defaultColumns(data.columns));
  const items = columns.map((column) => ({ label: column.name, unit: column.unit, quiet: column.quiet, value: withoutNoise(column.y) }));
  degreesChip(panel, data.columns);
  choices(panel, items, chosen, () => {
    const lanes = new Map();
    columns.forEach((column, k) => {
      if (!chosen.has(k)) return;
      if (!lanes.has(column.unit)) lanes.set(column.unit, []);
      lanes.get(column.unit).push({ ...column, color: seriesColor(k) });
    });
    plot.lanes = [...lanes].map(([unit, series]) => {
      const names = series.slice(0, 4).map((one) => one.name).join(", ") + (series.length > 4 ? ", …" : "");
      return { label: labelled(names, unit), series };
    });
  });
  if (data.hiddenColumns > 0) panel.head.append(element("span", { class: "more", title: "trajectory.csv has them" }, `${data.hiddenColumns} columns are not in this page`));
}

// Energies, what the laws took on an axis of its own, and what the book leaves open.
function buildEnergy(panel) {
  const { energy, summary } = panel.context.data;
  const plot = panel.timePlot();
  const total = energy.kinetic.map((kinetic, k) => kinetic + energy.potential[k]);
  const updates = [];
  const legend = (label, color, values) => updates.push(panel.chip(label, color, (frame) => values[frame], true, undefined, "J"));
  const series = [
    { y: energy.kinetic, color: seriesColor(2), label: "kinetic" },
    { y: energy.potential, color: seriesColor(3), label: "potential" },
    { y: total, color: seriesColor(0), width: 1.8, label: "energy" },
  ];
  for (const { label, color, y } of series) legend(label, color, y);
  // Rounding of the book is no loss.
  const least = 1e-12 * total.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const layers = [];
  let from = total.map(() => 0);
  energy.laws.forEach((law, index) => {
    if (law.work.every((work) => Math.abs(work) <= least)) return;
    const below = from;
    const to = below.map((value, k) => value - law.work[k]);
    const color = seriesColor([1, 4, 5, 6, 2][index % 5]);
    layers.push({ from: below, to, color });
    legend(`lost by ${law.name}`, color, law.work.map((work) => 0 - work));
    from = to;
  });
  const losses = [{ y: from, color: seriesColor(1), width: 1.4 }];
  for (const [name, work] of [["drive", energy.drive], ["projection", energy.projection]]) {
    if (work.every((w) => Math.abs(w) <= least)) continue;
    const color = seriesColor(name === "drive" ? 0 : 3);
    losses.push({ y: work, color, dashed: true });
    legend(`put in by ${name}`, color, work);
  }
  legend("closing error", seriesColor(7), energy.closing);
  plot.lanes = [{ label: "energy / J", series, weight: 3 }];
  if (layers.length > 0 || losses.length > 1) plot.lanes.push({ label: "lost, law upon law (dashed: put in) / J", series: losses, layers, weight: 2 });
  const share = (100 * summary.energy.worst_closing_share).toPrecision(2);
  plot.lanes.push({ label: `closing error / J, at most ${share} % of what was turned over`, series: [{ y: energy.closing, color: seriesColor(7) }], weight: 1 });
  panel.update = () => updates.forEach((update) => update());
}

// Sliding speeds, with gaps where the contact is open, and where it had no force at the end of a step.
function slipOf(contact) {
  return contact.slip.map((slip, k) => ((contact.states[k] & 6) === 0 || (contact.states[k] & 4 && slip === 0) ? NaN : slip));
}

function buildForces(panel) {
  const { contacts } = panel.context.data;
  if (contacts.length === 0) {
    panel.body.append(element("p", { class: "nothing" }, "No contact of this scene has a name. Give a [[contact]] a name, and its force, sliding speed and gap are drawn here; the tab Friction shows the others frame by frame."));
    return;
  }
  const plot = panel.timePlot();
  // Those that did something come first.
  const strength = contacts.map((contact) => spanOf(contact.force.y)[1]);
  const order = contacts.map((_, k) => k).sort((a, b) => Number(strength[b] > 0) - Number(strength[a] > 0) || a - b);
  const chosen = keptChoice(panel.context, "contactNames", contacts, () => new Set(order.slice(0, MOST_SHOWN)));
  const items = contacts.map((contact, k) => ({ label: contact.name, unit: contact.force.unit, quiet: strength[k] === 0 && contacts.length > MOST_SHOWN, value: (frame) => contact.force.y[frame] }));
  choices(panel, items, chosen, () => {
    const shown = contacts.map((contact, k) => ({ contact, color: seriesColor(k) })).filter((_, k) => chosen.has(k));
    plot.lanes = [];
    const lanes = (what, weight, unitOf, wanted, of) => {
      const list = shown.filter(({ contact }) => wanted(contact));
      for (const unit of new Set(list.map(({ contact }) => unitOf(contact)))) {
        const series = list.filter(({ contact }) => unitOf(contact) === unit).map(({ contact, color }) => ({ ...of(contact), color }));
        plot.lanes.push({ label: labelled(what[unit] ?? what.other, unit), weight, series });
      }
    };
    lanes({ "N m": "moment (mean, with its extremes)", other: "force (mean, with its extremes)" }, 2, (contact) => contact.force.unit, () => true, (contact) => contact.force);
    lanes({ other: "sliding speed" }, 1, (contact) => contact.units[1], (contact) => contact.slip.some((slip) => slip > 0), (contact) => ({ y: slipOf(contact) }));
    lanes({ other: "gap" }, 1, (contact) => contact.units[0], (contact) => contact.gap.some(Number.isFinite), (contact) => ({ y: contact.gap }));
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
  const all = data.columns.map((column) => Angles.column(column));
  degreesChip(panel, data.columns);
  const chosen = movingPair(all, [...defaultColumns(all)]);
  const pick = (label, index) => {
    const select = element("select", { "aria-label": label }, ...all.map((column, k) => element("option", { value: k }, column.name)));
    select.value = String(index);
    select.addEventListener("change", () => { show(true); panel.draw(); });
    panel.chips.append(element("label", {}, `${label} `, select));
    return select;
  };
  if (all.length === 0) {
    panel.plot = null;
    return;
  }
  const [first, second] = (panel.context.phase ?? []).map((name) => all.findIndex((column) => column.name === name)).filter((k) => k >= 0);
  const across = pick("across", first ?? chosen[0] ?? 0);
  const upward = pick("up", second ?? chosen[1] ?? Math.min(1, all.length - 1));
  const show = (isPicked = false) => {
    if (isPicked) panel.context.phase = [all[across.value].name, all[upward.value].name];
    plot.show(all[across.value], all[upward.value]);
  };
  show();
}

const PANELS = {
  motion: { title: "Motion", build: buildMotion },
  energy: { title: "Energy", build: buildEnergy },
  forces: { title: "Contacts", build: buildForces },
  ball: { title: "Friction", build: buildBall },
  phase: { title: "Phase", build: buildPhase },
  residual: { title: "Residual", build: buildResidual },
  summary: { title: "Summary", build: buildSummary, sheet: true },
  scene: { title: "Scene", build: buildScene, sheet: true },
};
