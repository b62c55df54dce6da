// The scene as text: numbers of lines, and what is wrong at its line.

// Milliseconds of rest after which what was typed counts.
const TYPING = 250;

class Editor {
  // `typed` is called with the text when it has changed and rests.
  constructor(host, list, typed) {
    this.list = list;
    this.typed = typed;
    this.lines = element("pre", { class: "line-numbers", "aria-hidden": "true" });
    this.marks = element("div", { class: "marks", "aria-hidden": "true" });
    this.area = element("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "The scene as text" });
    this.host = host;
    this.isTyping = false;
    this.faults = [];
    host.append(this.lines, element("div", { class: "sheet-of-text" }, this.marks, this.area));
    this.area.addEventListener("input", () => {
      this.isTyping = true;
      this.fit();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.send(), TYPING);
    });
  }

  get text() {
    return this.area.value;
  }

  async send() {
    clearTimeout(this.timer);
    const sent = this.text;
    await this.typed(sent);
    if (this.text === sent) this.isTyping = false;
  }

  // Takes another text; what somebody is typing is left alone.
  take(text) {
    if (this.isTyping || text === this.text) return !this.isTyping;
    const { selectionStart: from, selectionEnd: to } = this.area;
    this.area.value = text;
    if (document.activeElement === this.area) this.area.setSelectionRange(from, to);
    this.fit();
    return true;
  }

  // The area is as large as its text, and what stands around it scrolls.
  fit() {
    const lines = this.text.split("\n");
    const widest = lines.reduce((most, line) => Math.max(most, line.length), 0);
    this.area.rows = Math.max(lines.length, 4);
    this.area.style.minWidth = `${widest + 3}ch`;
    if (this.count !== lines.length) {
      this.count = lines.length;
      this.lines.textContent = lines.map((_, k) => k + 1).join("\n");
    }
    this.mark(lines);
  }

  show(faults) {
    const isSame = JSON.stringify(faults) === JSON.stringify(this.faults);
    this.faults = faults;
    if (isSame) return;
    this.mark(this.text.split("\n"));
    this.list.replaceChildren(...faults.map((fault) => {
      const place = fault.line > 0 ? `${fault.line}:${fault.column} ` : "";
      return element("li", {}, element("button", { type: "button", onclick: () => this.goTo(fault) }, element("b", {}, place), fault.message));
    }));
  }

  mark(lines) {
    const first = new Map();
    for (const fault of this.faults) if (fault.line > 0 && fault.line <= lines.length && !first.has(fault.line)) first.set(fault.line, fault);
    this.marks.replaceChildren(...[...first.values()].map(({ line, column, length, message }) => {
      const caret = element("i");
      caret.style.marginLeft = `${column - 1}ch`;
      caret.style.width = `${Math.max(1, length)}ch`;
      const words = element("span", {}, message);
      words.style.left = `${lines[line - 1].length + 2}ch`;
      const mark = element("div", { class: "fault", "data-line": line }, caret, words);
      mark.style.top = `calc(${line - 1} * var(--line-height))`;
      return mark;
    }));
  }

  goTo({ line, column }) {
    if (!(line > 0)) return;
    const before = this.text.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(before + column - 1, before + column - 1);
    this.marks.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center", inline: "nearest" });
  }
}
