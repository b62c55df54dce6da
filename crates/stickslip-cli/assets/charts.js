// The timeline of the contacts and phase portraits.

const STATE_COLORS = { 1: "--open", 2: "--stick", 4: "--slip" };
// The most contacts in the timeline, and their height in pixels.
const MOST_LANES = 16;
const LANE = 15;
// The most contacts without a name that are worth a lane.
const MOST_UNNAMED = 8;
// The widest margin for the names of contacts, in pixels.
const WIDEST_MARGIN = 150;

// The state that a frame shows: slip before stick before open, so that nothing short is lost.
function shownState(states) {
  if (states & 4) return 4;
  return states & 2 ? 2 : 1;
}

// Of contacts without a name, and of friction in joints: what the frames show of those that touched.
function statesOfPlaces({ places, frames }) {
  const all = places.keys.map(({ name }) => ({ name, states: new Uint8Array(frames).fill(1) }));
  for (let frame = 0; frame < frames; frame += 1) {
    for (let k = places.begin[frame]; k < places.begin[frame + 1]; k += 1) {
      const own = all[places.key[k]];
      if (own) own.states[frame] |= places.state[k] & 7;
    }
  }
  const touched = all.filter(({ states }) => states.some((state) => state > 1));
  // Of a pile they would say little.
  return touched.length <= MOST_UNNAMED ? touched : [];
}

// One bar per contact: open, stick, slip; ticks above it are impacts.
class Timeline extends Graph {
  constructor(canvas, axis, player, data) {
    super(canvas, axis, player);
    this.data = data;
    this.area = { left: 74, right: 14, top: 8, bottom: 22 };
    this.load();
  }

  // Takes what the data have become.
  load() {
    this.contacts = (this.data.contacts.length > 0 ? this.data.contacts : statesOfPlaces(this.data)).slice(0, MOST_LANES);
    this.canvas.style.height = `${this.area.top + this.area.bottom + Math.max(1, this.contacts.length) * (LANE + 7)}px`;
  }

  draw() {
    if (!this.prepare()) return;
    const bottom = this.height - this.area.bottom;
    this.painted([this.contacts], () => this.paint(bottom));
    this.drawCursor(bottom);
  }

  paint(bottom) {
    const { pen, area, data } = this;
    const hidden = Math.max(0, data.contacts.length - this.contacts.length);
    const more = hidden > 0 ? `+ ${hidden} contacts` : "";
    const widest = Math.max(...[more, ...this.contacts.map(({ name }) => name)].map((text) => pen.measureText(text).width));
    area.left = Math.max(58, Math.min(Math.ceil(widest) + 16, WIDEST_MARGIN, 0.35 * this.width));
    this.drawTimeTicks(bottom);
    if (this.contacts.length === 0) {
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      const text = data.places.keys.length > 0 ? "no named contacts; name a [[contact]] in the scene to see it here" : "nothing touches anything in this run";
      pen.fillText(shortened(pen, text, this.width - area.left - 20), area.left + 6, (area.top + bottom) / 2);
    }
    const [low, high] = this.axis.range;
    const begin = Math.max(1, frameAt(data.t, low));
    const end = Math.min(data.t.length - 1, frameAt(data.t, high) + 1);
    pen.save();
    this.contacts.forEach((contact, index) => this.drawContact(contact, index, begin, end));
    pen.restore();
    if (more) {
      pen.fillStyle = this.ink("--soft");
      pen.textAlign = "left";
      pen.textBaseline = "top";
      pen.fillText(more, 6, bottom + 5);
    }
  }

  drawContact(contact, index, begin, end) {
    const { pen, area } = this;
    const top = area.top + index * (LANE + 7) + 5;
    pen.fillStyle = this.ink("--soft");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText(shortened(pen, contact.name, area.left - 14), area.left - 8, top + LANE / 2);
    const [first, last] = [area.left, this.width - area.right];
    const bar = (from, to, state, height) => {
      const x = Math.max(from, first);
      const wide = Math.min(to, last) - x;
      if (wide < 0) return;
      pen.fillStyle = this.ink(STATE_COLORS[state]);
      pen.fillRect(x, top + (LANE - height) / 2, Math.max(wide, 1), height);
    };
    bar(first, last, 1, 3);
    let start = begin;
    for (let k = begin; k <= end; k += 1) {
      const state = shownState(contact.states[k]);
      if (k < end && shownState(contact.states[k + 1]) === state) continue;
      if (state !== 1) bar(this.toX(this.data.t[start - 1]), this.toX(this.data.t[k]), state, LANE);
      start = k + 1;
    }
    const { t, contact: owner } = this.data.impacts;
    for (let k = 0; k < t.length; k += 1) {
      if (owner[k] !== index || t[k] < this.axis.range[0] || t[k] > this.axis.range[1]) continue;
      const x = this.toX(t[k]);
      this.stroke("--ink", 1, [[x, top - 4], [x, top]]);
    }
  }
}

// A name that fits into a width: its middle is left out, for names differ at their ends.
function shortened(pen, text, width) {
  const letters = [...text];
  let name = text;
  for (let kept = letters.length - 1; kept > 1 && pen.measureText(name).width > width; kept -= 1) {
    const front = Math.floor(kept / 2);
    name = `${letters.slice(0, front).join("")}…${letters.slice(front - kept).join("")}`;
  }
  return name;
}

// One column against another, with the present point.
class PhasePlot {
  constructor(canvas, player) {
    this.canvas = canvas;
    this.player = player;
    this.graph = new Graph(canvas, new TimeAxis(0, 1), player);
    this.graph.axis.listen(() => this.draw());
    this.graph.pick = (value) => this.pickNearest(value);
  }

  show(x, y) {
    this.x = x;
    this.y = y;
    const [low, high] = rangeOf(x.y);
    const axis = this.graph.axis;
    axis.whole = [low, high];
    axis.reset();
  }

  reset() {
    this.graph.axis.reset();
  }

  get zoomed() {
    return this.graph.zoomed;
  }

  pickNearest(value) {
    let best = 0;
    for (let k = 0; k < this.x.y.length; k += 1) {
      if (Math.abs(this.x.y[k] - value) < Math.abs(this.x.y[best] - value)) best = k;
    }
    this.player.seekFrame(best);
  }

  draw() {
    const graph = this.graph;
    if (!this.x || !graph.prepare()) return;
    const { pen, area } = graph;
    area.bottom = 34;
    const [top, bottom] = [area.top + 17, graph.height - area.bottom];
    const [left, right] = graph.axis.range;
    const inView = this.y.y.filter((_, k) => this.x.y[k] >= left && this.x.y[k] <= right);
    const [low, high] = rangeOf(inView.length > 1 ? inView : this.y.y);
    const toY = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    pen.fillStyle = graph.ink("--soft");
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const across = ticksOf(left, right, graph.span / 70);
    for (const tick of across.ticks) {
      const x = Math.round(graph.toX(tick)) + 0.5;
      graph.stroke("--grid", 1, [[x, top], [x, bottom]]);
      pen.fillText(tickText(tick, across.step), x, bottom + 4);
    }
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const up = ticksUp(low, high, bottom - top);
    for (const tick of up.ticks) {
      const y = Math.round(toY(tick)) + 0.5;
      graph.stroke("--grid", 1, [[area.left, y], [graph.width - area.right, y]]);
      pen.fillText(tickText(tick, up.step), area.left - 6, y);
    }
    pen.fillText(labelled(this.x.name, this.x.unit), graph.width - area.right, graph.height - 7);
    pen.textAlign = "left";
    pen.fillText(labelled(this.y.name, this.y.unit), area.left, top - 8);
    pen.save();
    pen.beginPath();
    pen.rect(area.left, top, graph.span, bottom - top);
    pen.clip();
    const points = [];
    for (let k = 0; k < this.x.y.length; k += 1) {
      if (Number.isFinite(this.x.y[k]) && Number.isFinite(this.y.y[k])) points.push([graph.toX(this.x.y[k]), toY(this.y.y[k])]);
    }
    graph.stroke(seriesColor(0), 1.1, points);
    const frame = this.player.frame;
    pen.fillStyle = graph.ink("--slip");
    pen.beginPath();
    pen.arc(graph.toX(this.x.y[frame]), toY(this.y.y[frame]), 5, 0, 2 * Math.PI);
    pen.fill();
    pen.restore();
    if (graph.drag && !graph.drag.pan) {
      pen.globalAlpha = 0.15;
      pen.fillStyle = graph.ink("--accent");
      pen.fillRect(graph.drag.from, top, graph.drag.to - graph.drag.from, bottom - top);
      pen.globalAlpha = 1;
    }
  }
}

// Least and largest finite value with a little room; never empty.
function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low && Number.isFinite(value)) low = value;
    if (value > high && Number.isFinite(value)) high = value;
  }
  if (!(low <= high)) return [0, 1];
  const room = 0.04 * (high - low) || 0.5 * Math.abs(low) || 0.5;
  return [low - room, high + room];
}
