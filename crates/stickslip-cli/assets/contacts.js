// Points of contact, their forces, and the sets that friction stays in.

// Two axes across a normal, as the program finds them.
function axesAcross(n) {
  const first = unit(cross(Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n));
  return [first, cross(n, first)];
}

// The place number k: its point, and the forces on the body that is drawn.
function placeOf(data, k) {
  const { places } = data;
  const three = (list) => [list[3 * k], list[3 * k + 1], list[3 * k + 2]];
  const normal = unit(three(places.normal));
  const [a, b] = axesAcross(normal);
  const planar = data.drawing.dimension === 2;
  const force = places.force[k];
  const share = force * places.frictionFactor;
  const [x, y] = planar ? [places.friction[k], 0] : [places.friction[2 * k], places.friction[2 * k + 1]];
  const angle = Math.PI * (places.turn[k] || 0);
  const first = add(scaled(Math.cos(angle), a), scaled(Math.sin(angle), b));
  const second = scaled(places.turn.length > 0 && !(places.state[k] & 8) ? -1 : 1, cross(normal, first));
  return {
    point: three(places.point),
    normal,
    force,
    friction: add(scaled(share * x, a), scaled(share * y, b)),
    drilling: force * places.drillingFactor * (places.drilling[k] || 0),
    tangents: [first, second],
    state: places.state[k] & 7,
    told: !(places.state[k] & 16),
    known: places.keys[places.key[k]] || null,
  };
}

// The strongest place of a contact in a frame; null if it is not there.
function placeOfKey(data, frame, key) {
  const { places } = data;
  let best = -1;
  for (let k = places.begin[frame]; k < places.begin[frame + 1]; k += 1) {
    if (places.key[k] === key && (best < 0 || places.force[k] > places.force[best])) best = k;
  }
  return best < 0 ? null : placeOf(data, best);
}

const LATITUDES = 13;

// A set of friction forces at the reservoir 1, told by the distances of its boundary.
class FrictionSet {
  constructor(law) {
    Object.assign(this, law);
    this.radii = new Float32Array(bytesOf(law.radii).buffer);
    this.around = law.dim === 3 ? this.radii.length / LATITUDES : this.radii.length;
    // Lines of the boundary: an interval, an outline, or circles and meridians of a body.
    const point = (i, k) => this.boundary(i, k % this.around);
    const range = (count, make) => Array.from({ length: count }, (_, k) => make(k));
    if (law.dim === 1) this.lines = [[[this.radii[0], 0, 0], [-this.radii[1], 0, 0]]];
    else if (law.dim === 2) this.lines = [range(this.around + 1, (k) => point(0, k))];
    else {
      const circles = range(LATITUDES, (i) => range(this.around + 1, (k) => point(i, k)));
      const meridians = range(this.around / 2, (k) => range(LATITUDES, (i) => point(i, 2 * k)));
      this.lines = [...circles.slice(1, -1), ...meridians];
    }
    this.reach = this.lines.flat().reduce((most, [x, y]) => Math.max(most, Math.hypot(x, y)), 0);
    this.height = this.lines.flat().reduce((most, [, , z]) => Math.max(most, Math.abs(z)), 0);
  }

  boundary(i, k) {
    const angle = (2 * Math.PI * k) / this.around;
    if (this.dim === 2) return [this.radii[k] * Math.cos(angle), this.radii[k] * Math.sin(angle), 0];
    const up = (Math.PI * i) / (LATITUDES - 1) - Math.PI / 2;
    const r = this.radii[i * this.around + k];
    return [r * Math.cos(up) * Math.cos(angle), r * Math.cos(up) * Math.sin(angle), r * this.third * Math.sin(up)];
  }

  // What scales the set at a normal force, N.
  scale(force) {
    return this.constant + (this.normal ? force : 0);
  }

  // How much of its limit a force takes: 1 on the boundary.
  share([x, y, z], scale) {
    if (!(scale > 0)) return 0;
    if (this.dim === 1) return Math.abs(x) / (scale * this.radii[x < 0 ? 1 : 0]);
    const across = Math.hypot(x, y);
    const turn = ((Math.atan2(y, x) / (2 * Math.PI) + 1) % 1) * this.around;
    const mixed = (at, row) => {
      const k = Math.floor(at);
      const [a, b] = [this.radii[row * this.around + (k % this.around)], this.radii[row * this.around + ((k + 1) % this.around)]];
      return a + (at - k) * (b - a);
    };
    if (this.dim === 2) return across / (scale * mixed(turn, 0));
    const up = (Math.atan2(z / this.third, across) / Math.PI + 0.5) * (LATITUDES - 1);
    const row = Math.min(LATITUDES - 2, Math.floor(up));
    const radius = mixed(turn, row) + (up - row) * (mixed(turn, row + 1) - mixed(turn, row));
    return Math.hypot(across, z / this.third) / (scale * radius);
  }
}

// The components of friction of a place, in the axes of its set.
function componentsOf(place) {
  return [dot(place.friction, place.tangents[0]), dot(place.friction, place.tangents[1]), place.drilling];
}
