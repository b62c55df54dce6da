// Sliders for numbers, choices for words, switches, and fields for everything else.

// Digits of a number that a slider gives.
const DIGITS = 4;
const STEPS = 400;

class Knobs {
  // `turned` is called with a value and resolves when it counts; only the latest waits.
  constructor(host, turned) {
    this.host = host;
    this.turned = turned;
    this.shape = "";
    this.rows = new Map();
    this.waiting = null;
    this.isBusy = false;
  }

  async turn(change) {
    this.waiting = change;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting) {
      const next = this.waiting;
      this.waiting = null;
      await this.turned(next);
    }
    this.isBusy = false;
  }

  // `origin` is the time at which a branch begins, at which values of the start do not count; null for the start.
  show(knobs, origin) {
    const shape = JSON.stringify([knobs.map(({ key, kind, unit, words, hint }) => [key, kind, unit, words, hint]), origin !== null]);
    if (shape !== this.shape) this.build(knobs, origin);
    this.shape = shape;
    for (const knob of knobs) this.rows.get(knob.key)?.(knob);
  }

  build(knobs, origin) {
    this.rows.clear();
    const sections = new Map();
    for (const knob of knobs) {
      const [section] = knob.key.split(".");
      if (!sections.has(section)) sections.set(section, []);
      sections.get(section).push(this.row(knob, section === "start" && origin !== null));
    }
    const nodes = [...sections].map(([section, rows]) => {
      const isOff = section === "start" && origin !== null;
      const head = element("summary", {}, section, isOff ? element("small", {}, " without effect: this branch begins later") : null);
      return element("details", { open: "" }, head, ...rows);
    });
    this.host.replaceChildren(...(nodes.length > 0 ? nodes : [element("p", { class: "nothing" }, "The scene has no [parameters] and no [start]; name a value there and a slider turns it.")]));
  }

  row(knob, isOff) {
    const name = knob.key.split(".").slice(1).join(".");
    const title = knob.hint ? `${knob.key}: ${knob.hint}` : knob.key;
    const label = element("label", { class: `knob knob-${knob.kind}`, "data-key": knob.key, title }, element("span", { class: "knob-name" }, name));
    const make = { number: this.slider, choice: this.choice, switch: this.switch, text: this.field }[knob.kind];
    const show = make.call(this, knob, label);
    if (isOff) for (const input of label.querySelectorAll("input, select")) input.disabled = true;
    this.rows.set(knob.key, show);
    return label;
  }

  slider({ key, unit: of, hint }, label) {
    const range = element("input", { type: "range", step: "any", "aria-label": key });
    const number = element("input", { type: "number", step: "any", class: "knob-field", "aria-label": `${key}, number` });
    // Of a plain number the comment in the file often begins with its unit.
    const words = of || (hint || "").replace(/^no unit/, "").split(/[,;(]/)[0].trim();
    label.append(range, number, element("span", { class: "unit" }, words.length <= 10 ? words : ""));
    let whole = false;
    const send = (value) => {
      if (!Number.isFinite(value)) return;
      this.turn({ key, value, unit: of });
    };
    const round = () => {
      const step = (Number(range.max) - Number(range.min)) / STEPS;
      const value = Number(range.value);
      if (whole && step * STEPS >= 2) return Math.round(value);
      // As round as the slider is fine.
      const digits = 10 ** Math.floor(Math.log10(step || 1));
      return Number((Math.round(value / digits) * digits).toPrecision(DIGITS));
    };
    range.addEventListener("input", () => {
      number.value = String(round());
      send(round());
    });
    number.addEventListener("change", () => send(number.valueAsNumber));
    return (knob) => {
      whole = knob.whole;
      // Not under the finger of somebody who turns it.
      if (!range.matches(":active")) {
        range.min = String(knob.min);
        range.max = String(knob.max);
        range.value = String(knob.value);
      }
      if (document.activeElement !== number && !range.matches(":active")) number.value = String(knob.value);
    };
  }

  choice({ key, words }, label) {
    const select = element("select", { "aria-label": key }, ...words.map((word) => element("option", {}, word)));
    select.addEventListener("change", () => this.turn({ key, value: select.value }));
    label.append(select);
    return ({ value }) => { select.value = value; };
  }

  switch({ key }, label) {
    const box = element("input", { type: "checkbox", "aria-label": key });
    box.addEventListener("change", () => this.turn({ key, value: box.checked }));
    label.append(box);
    return ({ value }) => { box.checked = value; };
  }

  field({ key, raw }, label) {
    const field = element("input", { type: "text", "aria-label": key });
    field.addEventListener("change", () => this.turn({ key, value: field.value, raw }));
    label.append(field);
    return ({ value }) => { if (document.activeElement !== field) field.value = value; };
  }
}
