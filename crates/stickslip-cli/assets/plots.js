// Plots on a canvas: lanes over a common axis, zoom, cursor, values.

const SERIES_COLORS = {
  light: ["#0b6e99", "#c2542d", "#4d8a3d", "#8458a5", "#a9791c", "#2b8f8a", "#b8447b", "#5d6873"],
  dark: ["#5db7de", "#ef8c67", "#8fc77d", "#b995d8", "#dcb456", "#62c5bf", "#e585b4", "#a3aeb8"],
};

function seriesColor(index) {
  const list = SERIES_COLORS[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
  return list[index % list.length];
}

// Round numbers for ticks, about `count` of them.
function ticksOf(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return { ticks: [low], step: 0 };
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.7);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 50; k += 1) {
    ticks.push(Object.is(k * step, -0) ? 0 : k * step);
  }
  return { ticks, step };
}

// Labels of a vertical axis are at least this far apart, in pixels.
const LEAST_APART = 12;

// Ticks of a vertical axis of this height: at least two where there is room for their labels.
function ticksUp(low, high, height) {
  const apart = (step) => (step / (high - low)) * height;
  let found = ticksOf(low, high, 1);
  for (let count = Math.max(1, height / 34); count < 40; count *= 1.4) {
    const finer = ticksOf(low, high, count);
    if (!(apart(finer.step) >= LEAST_APART)) break;
    found = finer;
    if (found.ticks.length > 1) break;
  }
  // Two round numbers near the ends where their common step is too fine for all labels.
  if (found.ticks.length < 2) {
    const { ticks, step } = ticksOf(low, high, 8);
    const ends = [ticks[0], ticks[ticks.length - 1]];
    if (apart(ends[1] - ends[0]) >= LEAST_APART) return { ticks: ends, step };
  }
  const every = Math.max(1, Math.ceil(LEAST_APART / apart(found.step)) || 1);
  return { ticks: found.ticks.filter((_, k) => k % every === 0), step: found.step };
}

// The same for a logarithmic axis, whose ticks are whole powers of ten.
function ticksOfPowers(low, high, height) {
  const { ticks, step } = ticksUp(low, high, height);
  if (step >= 1) return { ticks, step };
  const whole = [];
  for (let power = Math.ceil(low); power <= high; power += 1) whole.push(power);
  return { ticks: whole.filter((_, k) => k === 0 || height / (high - low) >= LEAST_APART), step: 1 };
}

function tickText(value, step) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || step < 1e-4) {
    const digits = Math.max(0, Math.min(6, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step))));
    return numberText(Number(value.toExponential(digits)), digits + 2).replace(/\.?0+e/, "e");
  }
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
}

// A label that fits into a width: what follows its last comma is left out first.
function fitting(pen, text, width) {
  const at = text.lastIndexOf(", ");
  if (pen.measureText(text).width <= width) return text;
  return at > 0 && text.includes(" / ") && at > text.lastIndexOf(" / ") ? text.slice(0, at) : shortened(pen, text, width);
}

// The stretch of time that all plots show.
class TimeAxis {
  constructor(begin, end) {
    this.whole = [begin, end > begin ? end : begin + 1];
    this.range = [...this.whole];
    this.hover = null;
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  set(low, high) {
    const [first, last] = this.whole;
    const least = (last - first) * 1e-5;
    const width = Math.min(Math.max(high - low, least), last - first);
    const begin = Math.min(Math.max(low, first), last - width);
    this.range = [begin, begin + width];
    this.changed();
  }

  // Another stretch of time in all; what is zoomed to stays, as far as it can.
  extend(begin, end) {
    const isWhole = this.range.every((value, k) => value === this.whole[k]);
    this.whole = [begin, end > begin ? end : begin + 1];
    if (isWhole) this.range = [...this.whole];
    else this.set(...this.range);
  }

  zoomAt(at, factor) {
    const [low, high] = this.range;
    this.set(at - (at - low) * factor, at + (high - at) * factor);
  }

  reset() {
    this.range = [...this.whole];
    this.changed();
  }

  point(time) {
    this.hover = time;
    this.changed();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }
}

// What plots and the timeline share: a canvas of the right size, zoom and cursor by mouse.
class Graph {
  constructor(canvas, axis, player) {
    this.canvas = canvas;
    this.axis = axis;
    this.player = player;
    this.pen = canvas.getContext("2d");
    this.area = { left: 58, right: 14, top: 2, bottom: 26 };
    this.drag = null;
    this.listenToMouse();
  }

  prepare() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, width, height);
    this.pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    this.pen.lineJoin = "round";
    this.width = width;
    this.height = height;
    const style = getComputedStyle(document.documentElement);
    this.ink = (name) => style.getPropertyValue(name);
    return width > 40 && height > 20;
  }

  // Paints anew where something has changed, else what was painted before: most frames only move the cursor.
  painted(parts, paint) {
    const all = [...parts, ...this.axis.range, this.width, this.height, this.canvas.width, document.documentElement.dataset.theme];
    const { width, height } = this.canvas;
    if (this.parts && this.parts.length === all.length && this.parts.every((part, k) => part === all[k])) {
      this.pen.drawImage(this.copy, 0, 0, this.width, this.height);
      return;
    }
    paint();
    this.parts = all;
    this.copy = this.copy || document.createElement("canvas");
    [this.copy.width, this.copy.height] = [width, height];
    this.copy.getContext("2d").drawImage(this.canvas, 0, 0);
  }

  get span() {
    return Math.max(1, this.width - this.area.left - this.area.right);
  }

  toX(value) {
    const [low, high] = this.axis.range;
    return this.area.left + ((value - low) / (high - low)) * this.span;
  }

  fromX(x) {
    const [low, high] = this.axis.range;
    return low + ((x - this.area.left) / this.span) * (high - low);
  }

  listenToMouse() {
    const canvas = this.canvas;
    const at = (event) => event.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { from: at(event), to: at(event), range: [...this.axis.range], pan: event.shiftKey };
    });
    canvas.addEventListener("pointermove", (event) => {
      const x = at(event);
      if (this.drag) {
        this.drag.to = x;
        if (this.drag.pan) {
          const [low, high] = this.drag.range;
          const move = ((this.drag.from - x) / this.span) * (high - low);
          this.axis.set(low + move, high + move);
        } else {
          this.axis.changed();
        }
      } else {
        this.axis.point(Math.min(Math.max(this.fromX(x), this.axis.range[0]), this.axis.range[1]));
      }
    });
    canvas.addEventListener("pointerup", () => {
      const drag = this.drag;
      this.drag = null;
      if (!drag || drag.pan) return;
      if (Math.abs(drag.to - drag.from) < 4) this.pick(this.fromX(drag.from));
      else this.axis.set(...[this.fromX(drag.from), this.fromX(drag.to)].sort((a, b) => a - b));
    });
    canvas.addEventListener("pointercancel", () => { this.drag = null; });
    canvas.addEventListener("pointerleave", () => { if (!this.drag) this.axis.point(null); });
    canvas.addEventListener("dblclick", () => this.axis.reset());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const turn = Math.max(-80, Math.min(80, event.deltaY));
      this.axis.zoomAt(this.fromX(at(event)), Math.exp(turn * 0.004));
    }, { passive: false });
  }

  get zoomed() {
    const { range, whole } = this.axis;
    return range[0] !== whole[0] || range[1] !== whole[1];
  }

  pick(time) {
    this.player.seek(time);
  }

  drawTimeTicks(bottom, labels = true) {
    const { ticks, step } = ticksOf(...this.axis.range, this.span / 80);
    this.pen.fillStyle = this.ink("--soft");
    this.pen.textAlign = "center";
    this.pen.textBaseline = "top";
    for (const tick of ticks) {
      const x = Math.round(this.toX(tick)) + 0.5;
      this.stroke("--grid", 1, [[x, this.area.top], [x, bottom]]);
      if (labels && x < this.width - this.area.right - 18) this.pen.fillText(tickText(tick, step), x, bottom + 5);
    }
    if (labels) {
      this.pen.textAlign = "right";
      this.pen.fillText("t / s", this.width - 4, bottom + 5);
    }
  }

  stroke(color, width, points) {
    this.pen.strokeStyle = color.startsWith("--") ? this.ink(color) : color;
    this.pen.lineWidth = width;
    this.pen.beginPath();
    points.forEach(([x, y], k) => (k === 0 ? this.pen.moveTo(x, y) : this.pen.lineTo(x, y)));
    this.pen.stroke();
  }

  // The time of the animation, the mouse, and a stretch that is being chosen.
  drawCursor(bottom) {
    const line = (time, color, width) => {
      const x = this.toX(time);
      if (x < this.area.left - 1 || x > this.width - this.area.right + 1) return;
      this.stroke(color, width, [[x, this.area.top], [x, bottom]]);
    };
    if (this.axis.hover !== null) line(this.axis.hover, "--faint", 1);
    line(this.player.time, "--accent", 1.5);
    if (this.drag && !this.drag.pan && Math.abs(this.drag.to - this.drag.from) >= 4) {
      this.pen.globalAlpha = 0.15;
      this.pen.fillStyle = this.ink("--accent");
      this.pen.fillRect(this.drag.from, this.area.top, this.drag.to - this.drag.from, bottom - this.area.top);
      this.pen.globalAlpha = 1;
    }
  }
}

// Values over time. A lane has a label and series {y, low, high, color, dashed}, and may have layers
// {from, to, color} (filled areas), marks (horizontal lines) and a logarithmic scale.
class TimePlot extends Graph {
  constructor(canvas, axis, player, t) {
    super(canvas, axis, player);
    this.t = t;
    this.lanes = [];
  }

  draw() {
    if (!this.prepare()) return;
    const bottom = this.height - this.area.bottom;
    this.painted([this.lanes], () => this.paint(bottom));
    this.drawCursor(bottom);
  }

  paint(bottom) {
    const total = this.lanes.reduce((sum, lane) => sum + (lane.weight || 1), 0) || 1;
    const title = 17;
    const free = bottom - this.area.top - title * this.lanes.length;
    this.drawTimeTicks(bottom);
    let top = this.area.top;
    const [begin, end] = this.visible();
    for (const lane of this.lanes) {
      const height = Math.max(8, (free * (lane.weight || 1)) / total);
      top += title;
      this.drawLane(lane, top, top + height, begin, end);
      top += height;
    }
  }

  // Frames in view, with one to either side.
  visible() {
    const [low, high] = this.axis.range;
    return [frameAt(this.t, low), Math.min(this.t.length - 1, frameAt(this.t, high) + 1)];
  }

  drawLane(lane, top, bottom, begin, end) {
    const { pen, area } = this;
    const log = lane.log === true;
    const toLog = (value) => Math.log10(Math.max(value, 1e-18));
    let [low, high] = this.limits(lane, begin, end, log ? toLog : (value) => value);
    const margin = (high - low) * 0.06;
    [low, high] = [low - margin, high + margin];
    // Powers of ten need two of them for a scale.
    if (log && Math.floor(high) - Math.ceil(low) < 1) [low, high] = [Math.floor(low) - 0.1, Math.ceil(high) + 0.1];
    const toY = (value) => bottom - (((log ? toLog(value) : value) - low) / (high - low)) * (bottom - top);
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const { ticks, step } = log ? ticksOfPowers(low, high, bottom - top) : ticksUp(low, high, bottom - top);
    for (const tick of ticks) {
      const y = bottom - ((tick - low) / (high - low)) * (bottom - top);
      this.stroke("--grid", 1, [[area.left, Math.round(y) + 0.5], [this.width - area.right, Math.round(y) + 0.5]]);
      pen.fillStyle = this.ink("--soft");
      pen.fillText(log ? `1e${Math.round(tick)}`.replace("-", "−") : tickText(tick, step), area.left - 6, y);
    }
    this.stroke("--line", 1, [[area.left + 0.5, top], [area.left + 0.5, bottom]]);
    pen.save();
    pen.beginPath();
    pen.rect(area.left, top - 1, this.span, bottom - top + 2);
    pen.clip();
    for (const layer of lane.layers || []) this.fillBetween(layer.from, layer.to, begin, end, toY, layer.color, 0.55);
    for (const series of lane.series) {
      if (series.low && series.high) this.fillBetween(series.low, series.high, begin, end, toY, series.color, 0.28);
    }
    for (const series of lane.series) {
      pen.setLineDash(series.dashed ? [4, 3] : []);
      for (const line of this.paths(series.y, begin, end, toY)) this.stroke(series.color, series.width || 1.4, line);
    }
    pen.setLineDash([5, 4]);
    for (const mark of lane.marks || []) {
      this.stroke("--faint", 1, [[area.left, toY(mark)], [this.width - area.right, toY(mark)]]);
    }
    pen.setLineDash([]);
    pen.restore();
    pen.fillStyle = this.ink("--soft");
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    if (lane.label) pen.fillText(fitting(pen, lane.label, this.span - 8), area.left + 5, top - 2);
  }

  limits(lane, begin, end, map) {
    let [low, high] = [Infinity, -Infinity];
    const take = (list, first = begin, last = end) => {
      for (let k = first; k <= last; k += 1) {
        const value = map(list[k]);
        if (!Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    };
    for (const series of lane.series) [series.y, series.low, series.high].filter(Boolean).forEach((list) => take(list));
    for (const layer of lane.layers || []) [layer.from, layer.to].forEach((list) => take(list));
    for (const mark of lane.marks || []) take([mark], 0, 0);
    if (!(low <= high)) return [0, 1];
    const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-9 || 1e-9;
    return high - low > least ? [low, high] : [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
  }

  // Polylines without gaps; where many frames share a pixel, their extremes.
  paths(y, begin, end, toY) {
    const all = [];
    let points = [];
    let column = null;
    const flush = () => {
      if (column === null) return;
      points.push([column.x, column.first]);
      if (column.low < column.first) points.push([column.x, column.low]);
      if (column.high > column.first) points.push([column.x, column.high]);
      points.push([column.x, column.last]);
    };
    const crowded = end - begin > 2 * this.span;
    for (let k = begin; k <= end; k += 1) {
      const value = toY(y[k]);
      if (!Number.isFinite(value)) {
        flush();
        column = null;
        if (points.length > 0) all.push(points);
        points = [];
        continue;
      }
      const x = this.toX(this.t[k]);
      if (!crowded) {
        points.push([x, value]);
        continue;
      }
      if (column !== null && Math.abs(x - column.x) < 0.5) {
        column.low = Math.min(column.low, value);
        column.high = Math.max(column.high, value);
        column.last = value;
      } else {
        flush();
        column = { x, first: value, low: value, high: value, last: value };
      }
    }
    flush();
    if (points.length > 0) all.push(points);
    // A lonely value is a dot.
    return all.map((line) => (line.length > 1 ? line : [[line[0][0] - 1, line[0][1]], [line[0][0] + 1, line[0][1]]]));
  }

  fillBetween(from, to, begin, end, toY, color, alpha) {
    const pen = this.pen;
    pen.beginPath();
    for (let k = begin; k <= end; k += 1) pen.lineTo(this.toX(this.t[k]), toY(to[k]));
    for (let k = end; k >= begin; k -= 1) pen.lineTo(this.toX(this.t[k]), toY(from[k]));
    pen.closePath();
    pen.globalAlpha = alpha;
    pen.fillStyle = color;
    pen.fill();
    pen.globalAlpha = 1;
  }
}
