// The set of friction forces of a contact, with the force in it: inside it sticks, on the boundary it slips.

// Frames of the way that the force has come.
const BALL_TRAIL = 120;

class BallPlot {
  constructor(canvas, data, player) {
    this.canvas = canvas;
    this.data = data;
    this.player = player;
    this.pen = canvas.getContext("2d");
    this.yaw = -0.7;
    this.pitch = 0.5;
    this.key = -1;
    this.zoomed = false;
    let last = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.yaw -= 0.01 * (event.clientX - last[0]);
      this.pitch = Math.min(1.57, Math.max(-1.57, this.pitch + 0.01 * (event.clientY - last[1])));
      last = [event.clientX, event.clientY];
      this.draw();
    });
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => { last = null; });
  }

  get known() {
    return this.data.places.keys[this.key];
  }

  get set() {
    return this.known ? this.data.places.laws[this.known.group] : null;
  }

  // What there is at a frame: the force over what scales the set, the share of the limit, the place.
  at(frame) {
    const place = placeOfKey(this.data, frame, this.key);
    if (!place || !this.set) return null;
    const scale = this.set.scale(place.force);
    const components = componentsOf(place);
    const force = scale > 0 && place.force > 0 && place.told ? components.map((c) => c / scale) : null;
    return { place, components, force, share: force ? this.set.share(components, scale) : 0 };
  }

  // A point of the set on the canvas; drilling moments are stretched to the width of the set.
  project([x, y, z]) {
    const { set } = this;
    const rise = set.height > 0 ? set.reach / set.height : 0;
    const flat = set.dim === 1;
    const [cy, sy] = flat ? [1, 0] : [Math.cos(this.yaw), Math.sin(this.yaw)];
    const pitch = flat ? 0 : this.pitch;
    const [cp, sp] = [Math.cos(pitch), Math.sin(pitch)];
    const unitLength = (0.38 * (flat ? this.width : Math.min(this.width, this.height))) / (set.reach || 1);
    const right = cy * x + sy * y;
    const deep = -sy * x + cy * y;
    const up = sp * deep + cp * rise * z;
    return [0.5 * this.width + unitLength * right, 0.52 * this.height - unitLength * up];
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const { pen, set } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => style.getPropertyValue(name);
    if (!set || width < 40 || height < 40) {
      pen.fillStyle = ink("--soft");
      pen.fillText("this contact has no bounded friction, or never touched", 20, 30);
      return;
    }
    const path = (points, color, thick, alpha = 1) => {
      pen.globalAlpha = alpha;
      pen.strokeStyle = color;
      pen.lineWidth = thick;
      pen.beginPath();
      points.map((point) => this.project(point)).forEach(([x, y], k) => (k === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
      pen.stroke();
    };
    const reach = 1.25 * set.reach;
    const axes = [[[reach, 0, 0], "friction / normal force"], ...(set.dim > 1 ? [[[0, reach, 0], "across"]] : []), ...(set.dim > 2 ? [[[0, 0, 1.25 * set.height], "drilling"]] : [])];
    for (const [end, name] of axes) {
      path([scaled(-1, end), end], ink("--line"), 1);
    }
    if (set.dim === 2) {
      pen.globalAlpha = 0.1;
      pen.fillStyle = ink("--friction");
      pen.beginPath();
      set.lines[0].map((point) => this.project(point)).forEach(([x, y]) => pen.lineTo(x, y));
      pen.fill();
    }
    for (const line of set.lines) path(line, ink("--friction"), set.dim === 3 ? 0.8 : set.dim === 2 ? 2 : 6, set.dim === 3 ? 0.45 : set.dim === 1 ? 0.4 : 1);
    this.drawForce(path, ink);
    pen.globalAlpha = 1;
    // Words stand on paper, whatever is behind them.
    const word = (text, [x, y], align) => {
      pen.textAlign = align;
      pen.lineWidth = 4;
      pen.strokeStyle = ink("--card");
      pen.strokeText(text, x, y);
      pen.fillStyle = ink("--soft");
      pen.fillText(text, x, y);
    };
    for (const [end, name] of axes) {
      const [x, y] = this.project(end);
      word(set.normal ? name : name.replace(" / normal force", ""), [x, y - 8], x > 0.6 * width ? "right" : "left");
    }
    // How far the set reaches.
    const ends = set.dim === 1 ? set.lines[0] : [[set.reach, 0, 0]];
    for (const end of ends) {
      const [x, y] = this.project(end);
      word(numberText(set.normal ? end[0] : end[0] * set.constant, 2), [x, y + 14], "center");
    }
  }

  drawForce(path, ink) {
    const { pen, player } = this;
    const now = player.frame;
    let before = null;
    for (let frame = Math.max(0, now - BALL_TRAIL); frame <= now; frame += 1) {
      const force = this.at(frame)?.force ?? null;
      if (force && before) path([before, force], ink("--soft"), 1.2, 0.1 + (0.6 * (frame - now + BALL_TRAIL)) / BALL_TRAIL);
      before = force;
    }
    const { force, place } = this.at(now) ?? {};
    if (!force) return;
    path([[0, 0, 0], force], ink("--friction"), 2);
    const [x, y] = this.project(force);
    pen.globalAlpha = 1;
    pen.fillStyle = ink(STATE_COLORS[place.state] || "--open");
    pen.beginPath();
    pen.arc(x, y, 6, 0, 2 * Math.PI);
    pen.fill();
  }

  // What is seen, in words.
  words() {
    const now = this.set && this.at(this.player.frame);
    if (!now || !now.force) return now && !now.place.told ? "closed and opened since the last frame" : "open";
    const { place, components, share } = now;
    const drills = this.set.dim > 2 ? ` · drilling ${numberText(components[2], 3)} N m` : "";
    const state = { 2: "sticks", 4: "slips" }[place.state] || "open";
    const note = this.set.curve ? " (limit at rest; less while it slides)" : "";
    const normal = this.set.normal ? ` · normal ${numberText(place.force, 3)} N` : "";
    const friction = `${numberText(Math.hypot(...place.friction), 3)} ${this.known.unit}`;
    return `${state}, ${(100 * share).toFixed(share < 0.995 ? 1 : 0)} % of the limit${note}${normal} · friction ${friction}${drills}`;
  }
}

function buildBall(panel) {
  const { data, player, chosen, choose } = panel.context;
  const usable = data.places.keys.flatMap((known, k) => (data.places.laws[known.group] ? [k] : []));
  if (usable.length === 0) {
    panel.body.append(element("p", { class: "nothing" }, "No contact with friction touched anything in this run."));
    return;
  }
  const plot = new BallPlot(panel.canvas(), data, player);
  panel.plot = plot;
  const select = element("select", { "aria-label": "contact" }, ...usable.map((k) => element("option", { value: k }, data.places.keys[k].name)));
  const words = element("span", { class: "words" });
  panel.chips.append(element("label", {}, "contact ", select), words);
  const show = (key) => {
    plot.key = key;
    choose(key);
  };
  select.addEventListener("change", () => { show(Number(select.value)); panel.draw(); });
  panel.update = () => {
    const wanted = chosen();
    if (wanted !== null && wanted !== plot.key && usable.includes(wanted)) plot.key = wanted;
    select.value = String(plot.key);
    words.textContent = plot.words();
  };
  // At first the one that presses most now.
  const pressing = (key) => placeOfKey(data, player.frame, key)?.force ?? 0;
  const strongest = usable.reduce((best, key) => (pressing(key) > pressing(best) ? key : best), usable[0]);
  show(chosen() !== null && usable.includes(chosen()) ? chosen() : strongest);
}
