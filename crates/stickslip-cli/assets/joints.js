// Joints, springs and belts, and clearances under a magnifier.

// The most joints that are drawn without being asked for.
const MOST_JOINTS = 80;
// How much play is enlarged, unless it would be larger than the part itself.
const MAGNIFIED = 20;

// Joints that hold a body at a point, and springs.
const ARMS = new Set(["pin", "ball", "rod", "spring", "sleeve", "hole"]);

class Joints {
  constructor(view) {
    this.view = view;
    this.list = view.data.drawing.joints;
    this.drawn = 0;
  }

  get hasPlay() {
    return this.list.some(({ symbol }) => symbol.clearance > 0);
  }

  factor({ clearance, radius, half_width: width }) {
    return Math.max(1, Math.min(MAGNIFIED, Math.floor((3 * (radius ?? width)) / clearance)));
  }

  // Point and axes of an end, in front of what is drawn in the plane.
  end({ body, position, rotation }) {
    const own = Matrix.pose(position, rotation);
    const m = body === null ? own : Matrix.multiply(this.view.bodies[body].matrix, own);
    const axis = (k) => [m[4 * k], m[4 * k + 1], m[4 * k + 2]];
    const point = [m[12], m[13], this.view.planar ? 0.2 * this.view.size : m[14]];
    return { point, axes: [axis(0), axis(1), axis(2)] };
  }

  isHidden({ ends }) {
    return ends.every(({ body }) => body === null || this.view.hidden.has(body));
  }

  draw() {
    const { colors, camera, renderer } = this.view;
    const size = 0.02 * camera.reach;
    const ink = [...colors.ink, 0.95];
    this.drawn = 0;
    for (const joint of this.list) {
      if (this.isHidden(joint)) continue;
      const [first, second] = joint.ends.map((end) => this.end(end));
      const z = first.axes[2];
      const circle = (centre, radius, color = ink, width = 1.6, part = 1, axes = first.axes) =>
        renderer.mark(arc(centre, axes, radius, part), color, width);
      switch (joint.symbol.kind) {
        case "pin":
          if (this.view.planar) circle(second.point, size);
          else renderer.add("shaft", Matrix.along(second.point, z, 0.5 * size, 1.4 * size), ink, FLAT);
          break;
        case "ball":
          renderer.add("bead", Matrix.pose(second.point, [1, 0, 0, 0], [size, size, size].map((s) => 0.8 * s)), ink, FLAT);
          break;
        case "guide": {
          const along = first.axes[0];
          const side = this.view.planar ? first.axes[1] : unit(cross(along, camera.frame().back));
          // Beside the body, wherever the guide is fastened to it.
          const body = joint.ends[1].body ?? joint.ends[0].body;
          const way = dot(subtract(this.view.bodies[body].position, first.point), along);
          second.point = add(first.point, scaled(way, along));
          for (const sign of [-1, 1]) {
            const at = add(second.point, scaled(sign * size, side));
            renderer.mark([add(at, scaled(-3 * size, along)), add(at, scaled(3 * size, along))], ink, 1.6);
          }
          break;
        }
        case "sleeve":
          renderer.add("shaft", Matrix.along(second.point, z, 0.7 * size, 2 * size), ink, FLAT);
          break;
        case "rod":
          renderer.mark([first.point, second.point], ink, 2.5);
          break;
        case "belt":
          for (const line of beltOf(first, second, joint.symbol)) renderer.mark(line, ink, 2);
          break;
        case "gear":
          gearRadii(first, second, joint.symbol).forEach((radius, k) => circle([first, second][k].point, radius, ink, 1));
          break;
        case "rack":
          circle(second.point, joint.symbol.radius, ink, 1);
          break;
        case "spring":
          renderer.mark(zigzag(first.point, second.point, 1.2 * size, camera.frame().back), ink, 1.6);
          break;
        case "hole":
          circle(first.point, joint.symbol.radius + joint.symbol.clearance, ink, 1.2);
          break;
        case "slot": {
          const { half_length: a, half_width: b, clearance } = joint.symbol;
          for (const line of wallsOf(first, second, 3 * a, b + clearance)) renderer.mark(line, ink, 1.2);
          break;
        }
        default:
          continue;
      }
      this.drawn += 1;
      if (ARMS.has(joint.symbol.kind)) this.arms(joint, [first, second]);
      if (joint.sprung && joint.symbol.kind === "pin") renderer.mark(spiral(second.point, first.axes, 2.4 * size), ink, 1.2);
      if (joint.driven) this.motor(joint, first, second, size);
    }
  }

  // A body that is held beside its shapes hangs on an arm.
  arms({ ends }, points) {
    const { bodies, drawing, colors, renderer } = this.view;
    ends.forEach(({ body: number, position }, k) => {
      const body = bodies[number];
      const near = body && nearestPart(drawing.bodies[number].parts, position);
      if (!near || near.apart <= 0.03 * body.radius) return;
      const m = body.matrix;
      const at = [0, 1, 2].map((i) => m[i] * near.place[0] + m[4 + i] * near.place[1] + m[8 + i] * near.place[2] + m[12 + i]);
      renderer.line(points[k].point, at, [...colors.ink, 0.8], 1.6);
    });
  }

  // An arrow round a hinge, or along a guide.
  motor({ symbol }, first, second, size) {
    const { colors, renderer } = this.view;
    const color = [...colors.accent, 1];
    if (symbol.kind === "guide") {
      renderer.add("tip", Matrix.along(add(second.point, scaled(3 * size, first.axes[0])), first.axes[0], size, 2.2 * size), color, FLAT);
      return;
    }
    const round = arc(second.point, first.axes, 2.6 * size, 0.8);
    const [before, end] = round.slice(-2);
    renderer.mark(round, color, 2);
    renderer.add("tip", Matrix.along(end, unit(subtract(end, before)), 0.8 * size, 1.8 * size), color, FLAT);
  }

  // Play as it is, many times larger: the gap of the enlarged parts is that many times the gap.
  magnify() {
    const { colors, renderer } = this.view;
    const color = [...colors.impact, 1];
    for (const { symbol, ends } of this.list) {
      if (!(symbol.clearance > 0)) continue;
      const [first, second] = ends.map((end) => this.end(end));
      const factor = this.factor(symbol);
      const between = subtract(second.point, first.point);
      if (symbol.kind === "hole") {
        renderer.mark(arc(first.point, first.axes, symbol.radius + factor * symbol.clearance), color, 2);
        renderer.mark(arc(add(first.point, scaled(factor, between)), first.axes, symbol.radius), color, 2);
        continue;
      }
      const { half_length: a, half_width: b, clearance } = symbol;
      for (const line of wallsOf(first, second, 3 * a, b + factor * clearance)) renderer.mark(line, color, 2);
      const [x, y] = first.axes;
      const corners = [[-a, b], [a, b], [a, -b], [-a, -b], [-a, b]].map(([u, v]) => {
        const corner = add(between, add(scaled(u, second.axes[0]), scaled(v, second.axes[1])));
        // What a corner is off its place in the middle counts many times.
        return add(first.point, add(scaled(dot(corner, x), x), scaled(v + factor * (dot(corner, y) - v), y)));
      });
      renderer.mark(corners, color, 2);
    }
  }
}

// The part of a body that is nearest to a point: how far apart they are, and the middle of the part or the nearest place of a line.
function nearestPart(parts, point) {
  const places = parts.flatMap((part) => {
    if (part.shape !== "line" || isPolygon(part)) {
      const reach = 1.02 * radiusOf([{ ...part, position: [0, 0, 0] }]);
      return [{ apart: Math.hypot(...subtract(point, part.position)) - reach, place: part.position }];
    }
    const m = Matrix.pose(part.position, part.rotation);
    const corners = part.points.map((p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * (p[2] ?? 0) + m[12 + i]));
    return corners.slice(1).map((end, k) => {
      const way = subtract(end, corners[k]);
      const along = Math.max(0, Math.min(1, dot(subtract(point, corners[k]), way) / (dot(way, way) || 1)));
      const place = add(corners[k], scaled(along, way));
      return { apart: Math.hypot(...subtract(point, place)), place };
    });
  });
  return places.reduce((best, one) => (!best || one.apart < best.apart ? one : best), null);
}

// A part of a circle about z of a frame.
function arc(centre, [x, y], radius, part = 1) {
  const count = Math.max(8, Math.round(40 * part));
  return Array.from({ length: count + 1 }, (_, k) => {
    const angle = (2 * Math.PI * part * k) / count;
    return add(centre, add(scaled(radius * Math.cos(angle), x), scaled(radius * Math.sin(angle), y)));
  });
}

function spiral(centre, [x, y], radius) {
  return Array.from({ length: 61 }, (_, k) => {
    const [angle, r] = [(4 * Math.PI * k) / 60, (radius * (20 + k)) / 80];
    return add(centre, add(scaled(r * Math.cos(angle), x), scaled(r * Math.sin(angle), y)));
  });
}

// A spring as people draw it, with straight ends.
function zigzag(from, to, width, back) {
  const way = subtract(to, from);
  const side = unit(cross(way, back));
  const middle = Array.from({ length: 12 }, (_, k) => add(add(from, scaled(0.2 + (0.6 * (k + 0.5)) / 12, way)), scaled(k % 2 === 0 ? width : -width, side)));
  return [from, add(from, scaled(0.2, way)), ...middle, add(from, scaled(0.8, way)), to];
}

// The walls of a guide beside its slider.
function wallsOf(first, second, reach, width) {
  const [x, y] = first.axes;
  const along = dot(subtract(second.point, first.point), x);
  return [-1, 1].map((side) => [-1, 1].map((end) => add(first.point, add(scaled(along + end * reach, x), scaled(side * width, y)))));
}

function gearRadii(first, second, { teeth, internal }) {
  const apart = Math.hypot(...subtract(second.point, first.point));
  return teeth.map((count) => (apart * count) / (internal ? Math.abs(teeth[1] - teeth[0]) : teeth[0] + teeth[1]));
}

// A belt: two tangents and the pulleys.
function beltOf(first, second, { radii: [r1, r2], crossed }) {
  const apart = subtract(second.point, first.point);
  const length = Math.hypot(...apart) || 1;
  const along = scaled(1 / length, apart);
  const across = cross(first.axes[2], along);
  const other = crossed ? -r2 : r2;
  const sine = Math.max(-1, Math.min(1, (r1 - other) / length));
  const cosine = Math.sqrt(1 - sine * sine);
  const touch = (side) => add(scaled(sine, along), scaled(side * cosine, across));
  const tangents = [-1, 1].map((side) => [add(first.point, scaled(r1, touch(side))), add(second.point, scaled(other, touch(side)))]);
  return [...tangents, arc(first.point, first.axes, r1), arc(second.point, first.axes, r2)];
}
