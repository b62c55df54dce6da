// Arrows of normal forces, friction and impacts, each with a scale; the set of a chosen contact.

// Arrows are cut at so many times the force that is common.
const LONGEST = 1.6;
// Seconds of the screen for which an impact is seen.
const GLOW = 0.3;

class Arrows {
  constructor(view) {
    this.view = view;
    const { places, impacts, t } = view.data;
    // The place of each impact, in the first frame behind it or next to that.
    this.impacts = impacts.t.map((time, k) => {
      const frame = Math.min(t.length - 1, frameAt(t, time) + (t[frameAt(t, time)] < time ? 1 : 0));
      const at = [0, -1, 1, 2].map((away) => this.find(frame + away, impacts.place[k])).find((found) => found >= 0);
      return { t: time, key: impacts.place[k], place: at ?? -1, percussion: impacts.percussion[k] };
    }).filter((impact) => impact.place >= 0);
    this.hit = new Set(this.impacts.map((impact) => impact.place));
    const common = (values) => Float64Array.from(values).sort()[Math.floor(0.95 * values.length)] || 0;
    const forces = [];
    places.force.forEach((force, k) => { if (force > 0 && Number.isFinite(force + places.point[3 * k]) && !this.hit.has(k)) forces.push(force); });
    this.hasForces = forces.length > 0;
    this.force = common(forces) || 1;
    this.percussion = common(this.impacts.map((impact) => impact.percussion));
    // Many arrows are shorter and thinner than a few.
    this.crowd = Math.min(1, Math.sqrt((4 * view.data.frames) / Math.max(1, forces.length)));
    this.speed = 1;
  }

  find(frame, key) {
    const { places } = this.view.data;
    if (key === 255 || frame < 0 || frame + 1 >= places.begin.length) return -1;
    for (let k = places.begin[frame]; k < places.begin[frame + 1]; k += 1) if (places.key[k] === key) return k;
    return -1;
  }

  // Metres of an arrow of the common force.
  get length() {
    return 0.55 * this.crowd * this.view.camera.reach;
  }

  lifted(point) {
    return this.view.planar ? [point[0], point[1], point[2] + 0.1 * this.view.size] : point;
  }

  draw(frame, time) {
    const { view } = this;
    const { places } = view.data;
    const { options, renderer, colors } = view;
    const bead = 0.016 * Math.max(0.5, this.crowd) * view.camera.reach;
    for (let k = places.begin[frame]; k < places.begin[frame + 1]; k += 1) {
      if (!options.contacts && !options.forces) break;
      const place = placeOf(view.data, k);
      // The friction of a joint has no place.
      if (!Number.isFinite(place.point[0])) continue;
      const color = [...(colors.states[place.state] || colors.states[1]), 1];
      const point = this.lifted(place.point);
      if (options.contacts) renderer.add("bead", Matrix.pose(point, [1, 0, 0, 0], [bead, bead, bead]), color, FLAT);
      if (!options.forces || !(place.force > 0) || this.hit.has(k)) continue;
      this.arrow(point, place.normal, place.force / this.force, color);
      const friction = Math.hypot(...place.friction);
      if (friction > 1e-3 * this.force) this.arrow(point, unit(place.friction), friction / this.force, [...colors.friction, 1]);
    }
    if (options.forces) this.drawImpacts(frame, time);
  }

  drawImpacts(frame, time) {
    const { data, colors } = this.view;
    const before = data.t[Math.max(0, frame - 1)];
    for (const { t, key, place: k, percussion } of this.impacts) {
      const age = (time - t) / (GLOW * this.speed);
      if (t > time + 1e-12 || (t <= before && age > 1)) continue;
      const now = this.find(frame, key);
      const place = placeOf(data, now < 0 ? k : now);
      this.arrow(this.lifted(place.point), place.normal, percussion / this.percussion, [...colors.impact, Math.max(0.15, 1 - age)], 1.25);
    }
  }

  arrow(point, direction, share, color, thickness = 1) {
    const { renderer, camera } = this.view;
    const length = Math.min(share, LONGEST) * this.length;
    const slim = Math.max(0.4, this.crowd) * camera.reach;
    const head = Math.min(0.09 * slim, 0.5 * length);
    const shaft = length - head;
    const thick = 0.011 * thickness * slim;
    renderer.add("shaft", Matrix.along(add(point, scaled(0.5 * shaft, direction)), direction, thick, 0.5 * shaft), color, FLAT);
    renderer.add("tip", Matrix.along(add(point, scaled(shaft, direction)), direction, 0.36 * thickness * head, head), color, FLAT);
  }

  // The set of friction forces of a contact about its point, in the scale of the arrows; drilling moments
  // stand along the normal, stretched to the width of the set.
  drawSet(frame, key) {
    const { view } = this;
    const place = placeOfKey(view.data, frame, key);
    const set = place && place.known && view.data.places.laws[place.known.group];
    if (!set || !(place.force > 0) || !place.told || !Number.isFinite(place.point[0])) return;
    const scale = set.scale(place.force) / this.force;
    const metres = Math.min(scale, LONGEST / (set.reach || 1)) * this.length;
    const rise = set.height > 0 ? set.reach / set.height : 0;
    const [e1, e2] = place.tangents;
    const point = this.lifted(place.point);
    const at = ([x, y, z]) => add(point, add(add(scaled(metres * x, e1), scaled(metres * y, e2)), scaled(metres * rise * z, place.normal)));
    const color = [...view.colors.friction, set.dim === 3 ? 0.45 : 0.9];
    for (const line of set.lines) view.renderer.mark(line.map(at), color, set.dim === 3 ? 0.6 : 1.6);
    const force = componentsOf(place).map((c) => c / (set.scale(place.force) || 1));
    const bead = 0.02 * view.camera.reach;
    const state = [...(view.colors.states[place.state] || view.colors.ink), 1];
    view.renderer.mark([point, at(force)], [...view.colors.friction, 1], 2);
    view.renderer.add("bead", Matrix.pose(at(force), [1, 0, 0, 0], [bead, bead, bead]), state, FLAT);
  }

  // Bars of a round force and a round percussion, for the key of the view: pixels and label.
  bars() {
    const { canvas } = this.view.renderer;
    const pixels = this.length * this.view.camera.pixels(canvas.clientWidth, canvas.clientHeight);
    const bar = (common, label) => {
      if (!(common > 0)) return null;
      const power = 10 ** Math.floor(Math.log10(common * (90 / pixels)));
      const value = power * [5, 2, 1].find((factor) => (factor * power * pixels) / common <= 100);
      return { pixels: (value * pixels) / common, text: `${numberText(value, 2)} ${label}`, value };
    };
    return [this.hasForces ? bar(this.force, "N") : null, this.impacts.length > 0 ? bar(this.percussion, "N s") : null];
  }
}
