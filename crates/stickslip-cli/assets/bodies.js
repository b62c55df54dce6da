// Bodies by click: select, hide, follow; contacts by click: their friction.

// Pixels from a contact point at which a click means it.
const NEAR_POINT = 9;

// The contact whose point is next to a place of the view; null for none.
function contactNear(view, frame, x, y) {
  const { canvas } = view.renderer;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const { viewProjection: m } = view.camera.matrices(width / height);
  const { places } = view.data;
  let [best, least] = [null, NEAR_POINT];
  for (let k = places.begin[frame]; k < places.begin[frame + 1]; k += 1) {
    const p = placeOf(view.data, k).point;
    const row = (i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i];
    const away = Math.hypot((0.5 + (0.5 * row(0)) / row(3) - x) * width, (0.5 - (0.5 * row(1)) / row(3) - y) * height);
    if (away < least && places.key[k] !== 255) [best, least] = [places.key[k], away];
  }
  return best;
}

class Selection {
  constructor(host, view, changed) {
    this.host = host;
    this.view = view;
    this.changed = changed;
    this.show();
  }

  // A click at a place of the view.
  click(frame, x, y) {
    const { view } = this;
    const contact = view.options.contacts ? contactNear(view, frame, x, y) : null;
    if (contact !== null) {
      view.options.chosen = view.options.chosen === contact ? null : contact;
    } else {
      const body = view.bodyAt(x, y);
      view.options.selected = body === view.options.selected ? -1 : body;
    }
    this.show();
  }

  hide(body) {
    this.view.hidden.add(body);
    this.view.options.selected = -1;
    this.show();
  }

  show() {
    const { view, host } = this;
    const { selected, follow } = view.options;
    host.replaceChildren();
    const button = (what, text, action) => element("button", { "data-what": what, onclick: () => { action(); this.show(); } }, text);
    if (selected >= 0) {
      host.append(
        element("b", {}, view.bodies[selected].name),
        button("hide", "Hide", () => this.hide(selected)),
        button("follow", follow === selected ? "Do not follow" : "Follow", () => { view.options.follow = follow === selected ? -1 : selected; }),
      );
    }
    if (view.hidden.size > 0) host.append(button("show", `Show ${view.hidden.size} hidden`, () => view.hidden.clear()));
    const chosen = view.data.places.keys[view.options.chosen];
    if (chosen) host.append(element("span", {}, `friction of ${chosen.name}`), button("unchoose", "×", () => { view.options.chosen = null; }));
    this.changed();
  }
}
