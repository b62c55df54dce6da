"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const column = Object.fromEntries(data.columns);
  const count = data.columns.length ? data.columns[0][1].length : 0;
  const colours = ["#0b6e99", "#e8960c", "#2c7a4b", "#b3261e", "#7b4fa3", "#8c564b", "#d16ba5", "#3a9ba8"];
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";

  // Numbers of a column; words get the number of their first place.
  function axis(key) {
    const cells = column[key.name] || [];
    let values = cells.map((cell) => (cell === "" ? NaN : Number(cell)));
    let words = null;
    if (cells.some((cell, k) => cell !== "" && cell !== "NaN" && Number.isNaN(values[k]))) {
      words = [...new Set(cells)];
      values = cells.map((cell) => words.indexOf(cell));
    }
    let low = Infinity, high = -Infinity;
    for (const value of values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
    if (!(low <= high)) { low = 0; high = 1; }
    // A range of nothing but rounding is none.
    const isFlat = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));
    const pad = isFlat ? Math.abs(low) * 0.05 || 0.5 : (high - low) * 0.04;
    const label = key.unit ? `${key.name} (${key.unit})` : key.name;
    return { label, values, words, low: low - pad, high: high + pad, least: low, most: high };
  }

  function ticks(low, high, most) {
    const raw = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const out = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) out.push(k * step);
    return out;
  }
  // As many digits as tell neighbours `step` apart from each other.
  const shown = (value, step = 0) => {
    const digits = step > 0 && value !== 0 ? Math.ceil(Math.log10(Math.abs(value) / step) + 1e-9) + 1 : 4;
    return String(Number(value.toPrecision(Math.min(Math.max(digits, 4), 15))));
  };

  // From blue over grey to orange, for values from 0 to 1.
  function shade(share) {
    const stops = [[33, 62, 120], [31, 143, 196], [222, 222, 214], [232, 150, 12], [140, 40, 20]];
    const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    return `rgb(${stops[k].map((c, i) => Math.round(c + (at - k) * (stops[k + 1][i] - c))).join(",")})`;
  }

  const keys = data.keys.map(axis);
  const measures = data.measures.map(axis);
  const plots = [];
  const holder = document.getElementById("plots");
  const ink = (k) => {
    if (data.kind !== "bifurcation") return column.status && column.status[k] !== "done" ? style("--bad") : style("--accent");
    const period = Number(column.period[k]);
    return column.period[k] === "" ? style("--faint") : colours[period - 1] || style("--soft");
  };

  function add(x, y, options) {
    const figure = document.createElement("figure");
    const canvas = document.createElement("canvas");
    figure.append(canvas);
    holder.append(figure);
    const plot = { x, y, canvas, base: document.createElement("canvas"), ...options };
    plots.push(plot);
    const near = (event) => {
      const box = canvas.getBoundingClientRect();
      const [px, py] = [event.clientX - box.left, event.clientY - box.top];
      let best = -1, least = 30 * 30;
      for (let k = 0; k < count; k++) {
        const d = (plot.px(x.values[k]) - px) ** 2 + (plot.py(y.values[k]) - py) ** 2;
        if (d < least) { least = d; best = k; }
      }
      return best;
    };
    canvas.addEventListener("mousemove", (event) => { if (!pinned) choose(near(event)); });
    canvas.addEventListener("click", (event) => { const k = near(event); pinned = k >= 0; choose(k); });
  }

  function draw(plot) {
    const { x, y, canvas, base, small } = plot;
    const width = canvas.parentElement.clientWidth;
    const height = small ? width * 0.75 : Math.min(width * 0.62, 460);
    const ratio = window.devicePixelRatio || 1;
    for (const c of [canvas, base]) { c.width = width * ratio; c.height = height * ratio; }
    canvas.style.height = `${height}px`;
    const g = base.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "11px system-ui, sans-serif";
    const colour = plot.colour;
    const marks = (a, most) => (a.words ? a.words.map((_, k) => k) : ticks(a.low, a.high, most));
    const text = (a, v, all) => (a.words ? a.words[v] : shown(v, all.length > 1 ? all[1] - all[0] : 0));
    const wide = (texts) => Math.max(0, ...texts.map((t) => g.measureText(t).width));
    const upward = marks(y, small ? 3 : 6);
    const left = Math.max(small ? 46 : 62, wide(upward.map((v) => text(y, v, upward))) + 24);
    const right = colour ? 48 + wide([colour.most, colour.least].map((v) => shown(v))) : 14;
    const [top, bottom] = [small ? 8 : 14, small ? 30 : 40];
    plot.px = (v) => left + ((v - x.low) / (x.high - x.low)) * (width - left - right);
    plot.py = (v) => height - bottom - ((v - y.low) / (y.high - y.low)) * (height - top - bottom);
    g.strokeStyle = style("--grid");
    g.fillStyle = style("--soft");
    g.textAlign = "center";
    const across = marks(x, small ? 3 : 7);
    for (const v of across) {
      g.beginPath(); g.moveTo(plot.px(v), top); g.lineTo(plot.px(v), height - bottom); g.stroke();
      g.fillText(text(x, v, across), plot.px(v), height - bottom + 14);
    }
    g.textAlign = "right";
    for (const v of upward) {
      g.beginPath(); g.moveTo(left, plot.py(v)); g.lineTo(width - right, plot.py(v)); g.stroke();
      g.fillText(text(y, v, upward), left - 5, plot.py(v) + 4);
    }
    g.fillStyle = style("--ink");
    g.textAlign = "center";
    g.fillText(x.label, (left + width - right) / 2, height - (small ? 3 : 8));
    g.save(); g.translate(12, (top + height - bottom) / 2); g.rotate(-Math.PI / 2); g.fillText(y.label, 0, 0); g.restore();
    if (plot.line) {
      const order = [...Array(count).keys()].filter((k) => Number.isFinite(y.values[k]));
      order.sort((a, b) => x.values[a] - x.values[b]);
      g.strokeStyle = style("--accent");
      g.beginPath();
      order.forEach((k) => g.lineTo(plot.px(x.values[k]), plot.py(y.values[k])));
      g.stroke();
    }
    if (plot.path) {
      // In the order of the rows; another branch begins anew, and what is unstable is dashed.
      g.strokeStyle = style("--accent");
      const part = (k) => (column.branch ? column.branch[k] : "");
      const dashed = (k) => Boolean(column.stable) && column.stable[k] === "false";
      for (let k = 1; k < count; k++) {
        if (part(k) !== part(k - 1)) continue;
        g.setLineDash(dashed(k) || dashed(k - 1) ? [5, 4] : []);
        g.beginPath();
        g.moveTo(plot.px(x.values[k - 1]), plot.py(y.values[k - 1]));
        g.lineTo(plot.px(x.values[k]), plot.py(y.values[k]));
        g.stroke();
      }
      g.setLineDash([]);
    }
    const size = plot.path && data.kind !== "branch" ? 1.2 : data.kind !== "bifurcation" ? (small ? 2.2 : 3) : count < 5000 ? 2 : 1.4;
    const cell = plot.cells && [x, y].map((a) => {
      const all = [...new Set(a.values)].sort((p, q) => p - q);
      const gaps = all.slice(1).map((v, k) => v - all[k]);
      return gaps.length ? Math.min(...gaps) : (a.high - a.low) / 2;
    });
    for (let k = 0; k < count; k++) {
      const [u, v] = [x.values[k], y.values[k]];
      if (!Number.isFinite(u) || !Number.isFinite(v)) continue;
      g.fillStyle = ink(k);
      if (colour) {
        const c = colour.values[k];
        const share = (c - colour.least) / (colour.most - colour.least || 1);
        g.fillStyle = Number.isFinite(c) ? shade(share) : style("--open");
      }
      if (cell) {
        const [w, h] = [plot.px(u + cell[0]) - plot.px(u), plot.py(v) - plot.py(v + cell[1])];
        g.fillRect(plot.px(u) - w / 2, plot.py(v) - h / 2, w + 0.5, h + 0.5);
      } else if (size < 2) {
        g.fillRect(plot.px(u) - size / 2, plot.py(v) - size / 2, size, size);
      } else {
        g.beginPath(); g.arc(plot.px(u), plot.py(v), size, 0, 7); g.fill();
      }
    }
    if (colour) {
      const x0 = width - right + 14;
      for (let k = 0; k < 100; k++) {
        g.fillStyle = shade(1 - k / 99);
        g.fillRect(x0, top + (k / 100) * (height - top - bottom), 10, (height - top - bottom) / 100 + 1);
      }
      g.fillStyle = style("--soft");
      g.textAlign = "left";
      g.fillText(shown(colour.most), x0 + 14, top + 9);
      g.fillText(shown(colour.least), x0 + 14, height - bottom);
      g.save(); g.translate(width - 6, (top + height - bottom) / 2); g.rotate(-Math.PI / 2);
      g.textAlign = "center"; g.fillStyle = style("--ink"); g.fillText(colour.label, 0, 0); g.restore();
    }
    show(plot);
  }

  function show(plot) {
    const g = plot.canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, plot.canvas.width, plot.canvas.height);
    g.drawImage(plot.base, 0, 0);
    if (chosen < 0) return;
    const ratio = window.devicePixelRatio || 1;
    g.scale(ratio, ratio);
    const [px, py] = [plot.px(plot.x.values[chosen]), plot.py(plot.y.values[chosen])];
    g.strokeStyle = style("--ink");
    g.lineWidth = 2;
    g.beginPath(); g.arc(px, py, 7, 0, 7); g.stroke();
  }

  const quoted = (text) => (/^[A-Za-z0-9_.=+:/-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  function command(k) {
    const own = data.keys.map((key) => `${key.name}=${column[key.name][k]}${key.unit ? " " + key.unit : ""}`);
    const sets = [...data.set, ...own].map((set) => `--set ${quoted(set)}`);
    return `stickslip run ${quoted(data.scene)} ${sets.join(" ")}`;
  }

  let chosen = -1, pinned = false;
  const point = document.getElementById("point");
  function choose(k) {
    chosen = k;
    plots.forEach(show);
    point.replaceChildren();
    if (k < 0) { point.textContent = "Move over a point to see it in all plots; a click keeps it."; return; }
    const line = document.createElement("div");
    for (const [name, cells] of data.columns) {
      if (cells[k] === "" || name === "point") continue;
      const entry = document.createElement("b");
      entry.textContent = `${name} = ${cells[k]}`;
      line.append(entry);
    }
    point.append(line);
    // A time is no value of a scene.
    if (data.kind === "motion") return;
    const code = document.createElement("code");
    code.textContent = command(k);
    point.append(code);
  }

  const failed = column.status ? column.status.filter((status) => status !== "done").length : 0;
  const told = document.getElementById("told");
  told.textContent = [failed ? `${failed} points failed (no measure)` : "", data.left_out ? `${data.left_out} rows are not shown` : ""]
    .filter(Boolean).join("; ");
  if (data.kind === "bifurcation") {
    holder.className = "wide";
    const periods = [...new Set(column.period)].map(Number).sort((a, b) => a - b).filter((p) => p > 0);
    periods.slice(0, 8).forEach((p) => {
      const mark = document.createElement("span");
      mark.textContent = ` ● period ${p}`;
      mark.style.color = colours[p - 1] || style("--soft");
      told.append(mark);
    });
    if (column.period.includes("")) {
      const mark = document.createElement("span");
      mark.textContent = " ● no period found";
      mark.style.color = style("--faint");
      told.append(mark);
    }
    measures.forEach((y) => add(keys[0], y, {}));
  } else if (data.kind === "branch" || data.kind === "motion") {
    const named = (name) => measures.find((_, k) => data.measures[k].name === name);
    data.pairs.forEach(([x, y]) => add(named(x), named(y), { path: true }));
    measures.forEach((y) => add(keys[0], y, { path: true }));
  } else if (keys.length === 1) {
    measures.forEach((y) => add(keys[0], y, { line: true }));
  } else if (keys.length === 2) {
    // Cells reach half their size beyond the outermost points.
    const [y, x] = keys.map((a) => {
      const all = [...new Set(a.values)].sort((p, q) => p - q);
      const gaps = all.slice(1).map((v, k) => v - all[k]);
      const half = data.kind === "grid" && gaps.length ? Math.min(...gaps) / 2 : 0;
      return half ? { ...a, low: a.least - half, high: a.most + half } : a;
    });
    measures.forEach((colour) => add(x, y, { colour, cells: data.kind === "grid" }));
  } else {
    holder.className = "matrix";
    const all = [...keys, ...measures].slice(0, 7);
    holder.style.gridTemplateColumns = `repeat(${all.length - 1}, minmax(0, 1fr))`;
    for (let row = 1; row < all.length; row++) {
      for (let col = 0; col < all.length - 1; col++) {
        if (col < row) add(all[col], all[row], { small: true });
        else holder.append(document.createElement("span"));
      }
    }
  }
  const redraw = () => plots.forEach(draw);
  addEventListener("resize", redraw);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { pinned = false; choose(-1); }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && count) { pinned = true; choose((Math.max(chosen, 0) + step + count) % count); }
  });
  redraw();
  choose(-1);
})();
