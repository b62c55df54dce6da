// Which columns a person wants to see, and how.

// A range below this part of the largest of its unit, or of the values themselves, is rounding.
const NOISE = 1e-9;
// Names that a list shows at once.
const MOST_CHIPS = 60;

function spanOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

// The size of what moves, m.
function sizeOf({ drawing, positions }) {
  const [low, high] = spanOf(positions);
  return drawing.bodies.reduce((most, { parts }) => Math.max(most, parts.length > 0 ? radiusOf(parts) : 0), high - low) || 1;
}

// Marks the columns that are but rounding noise: beside others of their unit, beside their own values, or
// beside the size and the duration of everything. Those that the scene computes itself come first.
function sortedColumns(data) {
  const { columns, t } = data;
  const spans = columns.map((column) => spanOf(column.y));
  const largest = new Map();
  columns.forEach(({ unit: of }, k) => largest.set(of, Math.max(largest.get(of) || 0, spans[k][1] - spans[k][0])));
  const rate = 1 / (t[t.length - 1] - t[0] || 1);
  const length = sizeOf(data);
  const tiny = { "": 1, m: length, rad: 1, "m/s": length * rate, "rad/s": rate };
  columns.forEach((column, k) => {
    const [low, high] = spans[k];
    const least = Math.max(NOISE * Math.max(largest.get(column.unit), Math.abs(low), Math.abs(high)), 1e-11 * (tiny[column.unit] || 0));
    column.quiet = !(high - low > least);
  });
  // Where nothing moves at all there is nothing else to show.
  if (columns.every(({ quiet }) => quiet)) columns.forEach((column) => { column.quiet = false; });
  const rank = (column) => (column.quiet ? 2 : column.kind === "own" ? 0 : 1);
  return columns.map((column, k) => [rank(column), k, column]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , column]) => column);
}

// Angles in degrees, if they are asked for.
const Angles = {
  degrees: false,
  unit(of) {
    return this.degrees && (of === "rad" || of === "rad/s") ? of.replace("rad", "°") : of;
  },
  column(column) {
    if (this.unit(column.unit) === column.unit) return column;
    const turn = (list) => list && list.map((value) => (value * 180) / Math.PI);
    return { ...column, unit: this.unit(column.unit), y: turn(column.y), low: turn(column.low), high: turn(column.high) };
  },
};

// A switch of degrees, where there are angles.
function degreesChip(panel, columns) {
  if (!columns.some(({ unit: of }) => of === "rad" || of === "rad/s")) return;
  panel.head.append(element("button", {
    class: "chip", "data-what": "degrees", title: "Angles in degrees", "aria-pressed": String(Angles.degrees),
    onclick: () => { Angles.degrees = !Angles.degrees; panel.context.panels().forEach((one) => one.select(one.name)); },
  }, "°"));
}

// Chips of which some are chosen, and what follows from the choice; a field that searches where there are many.
function choices(panel, items, chosen, show) {
  let wanted = "";
  const rebuild = () => {
    panel.chips.replaceChildren();
    const fits = (item) => item.label.toLowerCase().includes(wanted);
    const found = items.map((item, k) => [item, k]).filter(([item, k]) => (wanted ? fits(item) : chosen.has(k) || !item.quiet));
    found.sort(([, a], [, b]) => Number(chosen.has(b)) - Number(chosen.has(a)));
    const updates = found.slice(0, MOST_CHIPS).map(([item, k]) => panel.chip(item.label, item.color ?? seriesColor(k), item.value, chosen.has(k), () => {
      if (!chosen.delete(k)) chosen.add(k);
      rebuild();
      panel.draw();
    }, item.unit));
    const hidden = items.length - Math.min(found.length, MOST_CHIPS);
    if (hidden > 0 && !wanted) panel.chips.append(element("span", { class: "more", title: "Still ones, and those behind the first; search finds them" }, `+ ${hidden}`));
    panel.update = () => updates.forEach((update) => update());
    panel.update();
    show();
  };
  if (items.length > 8) {
    const field = element("input", { type: "search", placeholder: "search", "aria-label": "search a column" });
    field.addEventListener("input", () => { wanted = field.value.trim().toLowerCase(); rebuild(); });
    panel.head.append(field);
  }
  rebuild();
}
