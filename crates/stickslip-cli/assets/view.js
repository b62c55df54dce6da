// The view of the motion: bodies and trails at a time; contacts and joints draw themselves.

const BODY_COLORS = ["#b4533a", "#3f6f94", "#6b8f4e", "#8a6aa3", "#b58a3c", "#4a8c88", "#a8577e", "#6d7780"];
// The most bodies that leave trails, and the most frames of a trail.
const MOST_TRAILS = 40;
const TRAIL_FRAMES = 700;
// Styles: pattern (0 plain, 1 stripes, 2 edges), flat, number of stripes, checked.
const PLAIN = [0, 0, 0, 0];
const FLAT = [0, 1, 0, 0];
const ONES = [1, 1, 1];
// A place for products that are used at once.
const PRODUCT = new Float32Array(16);

function rgb(text) {
  const hex = text.trim().replace("#", "");
  return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
}

const isPolygon = ({ shape, closed }) => shape === "line" && closed;

// Whether a part touches neither the others nor the origin of the body.
function isApart(part, parts) {
  const apart = (other, radius) => Math.hypot(...subtract(part.position, other)) > radiusOf([{ ...part, position: [0, 0, 0] }]) + radius;
  return apart([0, 0, 0], 0) && parts.every((other) => other === part || apart(other.position, radiusOf([{ ...other, position: [0, 0, 0] }])));
}

class View {
  constructor(canvas, data) {
    this.data = data;
    this.renderer = new Renderer(canvas, data.drawing.bodies.length > 100);
    this.camera = new Camera(false);
    this.hidden = new Set();
    this.build();
    this.themeChanged();
  }

  // Takes what the data have become; true if the bodies are others.
  load() {
    const isOther = JSON.stringify(this.drawing) !== JSON.stringify(this.data.drawing);
    if (isOther) {
      this.build();
    } else {
      this.measure();
      this.arrows = new Arrows(this);
    }
    return isOther;
  }

  build() {
    const { data } = this;
    this.drawing = data.drawing;
    this.planar = data.drawing.dimension === 2;
    this.camera.planar = this.planar;
    const few = data.drawing.joints.length <= MOST_JOINTS;
    // What was chosen stays where the same bodies have only changed their shapes.
    const names = data.drawing.bodies.map(({ name }) => name).join("\n");
    if (names !== this.names) {
      this.options = { trails: !this.planar, forces: true, contacts: true, joints: few, play: false, follow: -1, selected: -1, chosen: null };
      this.hidden.clear();
      this.extent = null;
    }
    this.names = names;
    this.renderer.forgetOwn();
    this.bodies = data.drawing.bodies.map((body, k) => ({
      name: body.name,
      color: rgb(BODY_COLORS[k % BODY_COLORS.length]),
      pieces: this.pieces(body.parts),
      radius: radiusOf(body.parts),
      position: [0, 0, 0],
      matrix: Matrix.identity(),
    }));
    this.ground = this.pieces(data.drawing.ground);
    this.measure();
    this.arrows = new Arrows(this);
    this.joints = new Joints(this);
  }

  // Parts as instances of shapes, with their places in the frame of the body.
  pieces(parts) {
    const pieces = [];
    let tone = 0;
    parts.forEach((part, index) => {
      const { position: p, rotation: q } = part;
      // Pieces of one polygon look like one.
      if (index > 0 && !(isPolygon(part) && isPolygon(parts[index - 1]))) tone = index % 2 === 1 ? 0.16 : -0.12;
      if (parts.length > 1 && isApart(part, parts)) pieces.push({ points: [[0, 0, 0], p], matrix: Matrix.identity(), tone });
      const flat = this.planar ? 1 : 0;
      const round = (stripes, checked) => [1, flat, stripes, checked];
      const put = (shape, scale, style, at = p) =>
        pieces.push({ shape, matrix: Matrix.pose(at, q, scale.map((s) => Math.max(s, 1e-9))), style, tone });
      const thin = this.planar ? 1e-6 : 1;
      switch (part.shape) {
        case "sphere":
          if (this.planar) put("cylinder", [part.radius, part.radius, 1e-6], round(2, 0));
          else put("sphere", [part.radius, part.radius, part.radius], round(3, 1));
          break;
        case "ellipsoid":
          put("sphere", [part.size[0], part.size[1], part.size[2] * thin], round(3, 1));
          break;
        case "box":
          put("box", [part.size[0], part.size[1], part.size[2] * thin], [2, flat, 0, 0]);
          break;
        case "cylinder":
          put("cylinder", [part.radius, part.radius, part.half_length], round(3, 0));
          break;
        case "disk":
          put("cylinder", [part.radius, part.radius, 0.012 * part.radius * thin], round(3, 0));
          break;
        case "capsule": {
          const axis = Matrix.pose([0, 0, 0], q).slice(8, 11);
          put("cylinder", [part.radius, part.radius, part.half_length], round(3, 0));
          for (const side of [-1, 1]) {
            put("sphere", [part.radius, part.radius, part.radius], round(3, 0), add(p, scaled(side * part.half_length, axis)));
          }
          break;
        }
        case "mesh":
        case "line": {
          const fill = part.shape === "line" && part.closed && this.planar && part.points.length > 2;
          if (part.shape === "mesh" || fill) {
            const name = `own-${this.renderer.shapes.size}`;
            this.renderer.addShape(name, fill ? Geometry.polygon(part.points) : Geometry.mesh(part.vertices, part.triangles));
            put(name, [1, 1, thin], flat ? FLAT : PLAIN);
          }
          if (part.shape === "line") {
            const points = part.closed ? [...part.points, part.points[0]] : part.points;
            pieces.push({ points, matrix: Matrix.pose(p, q), tone });
          }
          break;
        }
        case "half-space":
          pieces.push({ halfSpace: true, matrix: Matrix.pose(p, q) });
          break;
        default:
      }
    });
    return pieces;
  }

  // Sizes that camera, arrows and trails are measured by.
  measure() {
    const { positions, frames } = this.data;
    const count = this.bodies.length;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let frame = 0; frame < frames; frame += 1) {
      this.bodies.forEach((body, k) => {
        for (let axis = 0; axis < 3; axis += 1) {
          const value = positions[3 * (frame * count + k) + axis];
          if (!Number.isFinite(value)) continue;
          low[axis] = Math.min(low[axis], value - body.radius);
          high[axis] = Math.max(high[axis], value + body.radius);
        }
      });
    }
    if (this.planar) {
      for (const point of this.ground.flatMap((piece) => piece.points || [])) {
        for (let axis = 0; axis < 2; axis += 1) {
          low[axis] = Math.min(low[axis], point[axis]);
          high[axis] = Math.max(high[axis], point[axis]);
        }
      }
    }
    this.widen(low, high);
    const span = high.map((value, axis) => Math.max(value - low[axis], 0) || 0);
    const centre = high.map((value, axis) => (Number.isFinite(value) ? 0.5 * (value + low[axis]) : 0));
    this.size = this.bodies.reduce((most, body) => Math.max(most, body.radius), 1e-6);
    const extent = Math.max(0.5 * Math.hypot(...span), this.size);
    // A camera that somebody has moved stays, and one that fits well enough.
    const isFirst = this.extent === null;
    const ratio = extent / this.extent;
    if (!isFirst && (!this.camera.isHome(this.options.follow < 0) || (ratio > 0.4 && ratio < 1.02))) return;
    const before = this.extent;
    this.extent = extent;
    if (count === 1 && !this.planar && extent > 2 * this.size) {
      if (isFirst || before <= 2 * this.size) this.options.follow = 0;
      const p = Array.from(positions.slice(0, 3));
      // The camera follows along the ground; where the body flies high, all of its heights are seen.
      const flies = span[2] > 4 * this.size;
      this.camera.fit([p[0], p[1], flies ? centre[2] : 0.35 * p[2] + 0.4 * this.size], flies ? 0.6 * span[2] : 2 * this.size);
    } else {
      this.camera.fit(centre, this.planar ? Math.max(0.5 * span[1], 0.42 * span[0], this.size) * 1.12 : 1.02 * extent);
    }
  }

  // Takes in where joints hold the bodies to the world, as far as that is near.
  widen(low, high) {
    const room = low.map((value, axis) => Math.max(high[axis] - value, 0));
    const reach = 2 * Math.hypot(...room);
    for (const { ends } of this.drawing.joints) {
      for (const { body, position } of ends) {
        if (body !== null || !position.every((p, axis) => p > low[axis] - reach && p < high[axis] + reach)) continue;
        position.forEach((p, axis) => { low[axis] = Math.min(low[axis], p); high[axis] = Math.max(high[axis], p); });
      }
    }
  }

  themeChanged() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => rgb(style.getPropertyValue(name));
    this.colors = {
      sky: color("--view-sky"),
      ground: color("--view-ground"),
      grid: color("--view-grid"),
      ink: color("--soft"),
      accent: color("--accent"),
      friction: color("--friction"),
      impact: color("--impact"),
      states: { 1: color("--open"), 2: color("--stick"), 4: color("--slip") },
    };
    this.dark = document.documentElement.dataset.theme === "dark";
  }

  // Poses between two frames.
  place(frame, fraction) {
    const { positions, rotations, frames } = this.data;
    const count = this.bodies.length;
    const next = Math.min(frame + 1, frames - 1);
    const q = [1, 0, 0, 0];
    this.bodies.forEach((body, k) => {
      const a = frame * count + k;
      const b = next * count + k;
      const p = body.position;
      for (let i = 0; i < 3; i += 1) p[i] = positions[3 * a + i] + fraction * (positions[3 * b + i] - positions[3 * a + i]);
      let same = 0;
      for (let i = 0; i < 4; i += 1) same += rotations[4 * a + i] * rotations[4 * b + i];
      const sign = same < 0 ? -1 : 1;
      let square = 0;
      for (let i = 0; i < 4; i += 1) {
        q[i] = (1 - fraction) * rotations[4 * a + i] + sign * fraction * rotations[4 * b + i];
        square += q[i] * q[i];
      }
      const length = Math.sqrt(square) || 1;
      for (let i = 0; i < 4; i += 1) q[i] /= length;
      body.matrix = Matrix.pose(p, q, ONES, body.matrix);
      // In the plane what comes later lies in front.
      if (this.planar) body.matrix[14] += (k + 1) * 1e-3 * this.size;
    });
  }

  draw(frame, fraction, time) {
    this.place(frame, fraction);
    const followed = this.bodies[this.options.follow];
    if (followed) {
      const offset = this.camera.planar ? followed.position[1] : this.camera.target[2];
      this.camera.target = [followed.position[0], followed.position[1], offset];
      if (this.planar) this.camera.target[2] = 0;
    }
    const renderer = this.renderer;
    renderer.clear();
    this.grounds = [];
    this.ground.forEach((piece, index) => this.addPiece(piece, Matrix.identity(), this.colors.ink, this.planar ? index * 1e-5 * this.size : 0));
    this.bodies.forEach((body, k) => {
      if (this.hidden.has(k)) return;
      const color = k === this.options.selected ? body.color.map((c, i) => 0.45 * c + 0.55 * this.colors.accent[i]) : body.color;
      body.pieces.forEach((piece, index) => this.addPiece(piece, body.matrix, color, index * 1e-5 * this.size));
    });
    if (this.options.trails) this.addTrails(frame);
    if (this.options.joints) this.joints.draw();
    if (this.options.play) this.joints.magnify();
    this.arrows.draw(frame, time);
    if (this.options.chosen !== null) this.arrows.drawSet(frame, this.options.chosen);
    const aim = followed ? followed.position : this.camera.target;
    const lightProjection = this.lightProjection(aim);
    const lightFrom = this.planar ? [0, 0, 1] : unit([0.45, -0.35, 1]);
    renderer.draw({
      camera: this.camera,
      sky: this.colors.sky,
      groundColor: this.colors.ground,
      gridColor: this.colors.grid,
      light: lightFrom,
      up: this.planar ? [0, 1, 0] : [0, 0, 1],
      ambient: this.dark ? 0.55 : 0.66,
      shade: this.dark ? 0.45 : 0.28,
      lightProjection,
      grounds: this.grounds,
    });
  }

  // The body that is seen at a place, by fractions of width and height from the upper left; -1 for none.
  bodyAt(x, y) {
    this.renderer.clear();
    this.bodies.forEach((body, k) => {
      if (this.hidden.has(k)) return;
      // The number as a colour, which a flat style leaves as it is.
      const color = [(k + 1) >> 16, ((k + 1) >> 8) & 255, (k + 1) & 255].map((c) => c / 255);
      for (const piece of body.pieces.filter(({ halfSpace }) => !halfSpace)) this.addPiece({ ...piece, tone: 0, style: FLAT }, body.matrix, color, 0, 5);
    });
    this.renderer.draw({ camera: this.camera, sky: [0, 0, 0], light: [0, 0, 1], up: [0, 0, 1], ambient: 1, grounds: [] });
    const [r, g, b] = this.renderer.colorAt(x, y);
    return Math.min((r << 16) + (g << 8) + b, this.bodies.length) - 1;
  }

  addPiece(piece, matrix, color, lift, width = 1.6) {
    const { tone } = piece;
    const tint = (c) => (tone > 0 ? c + (1 - c) * tone : c * (1 + tone));
    const tinted = [tint(color[0]), tint(color[1]), tint(color[2]), 1];
    const model = Matrix.multiply(matrix, piece.matrix, PRODUCT);
    if (piece.halfSpace) {
      this.addHalfSpace(model.slice());
      return;
    }
    if (this.planar) model[14] += lift;
    if (piece.points) {
      const at = (p) => [0, 1, 2].map((i) => model[i] * p[0] + model[4 + i] * p[1] + model[8 + i] * p[2] + model[12 + i]);
      for (let k = 0; k + 1 < piece.points.length; k += 1) {
        this.renderer.line(at(piece.points[k]), at(piece.points[k + 1]), tinted, width);
      }
      return;
    }
    this.renderer.add(piece.shape, model, tinted, piece.style);
  }

  // The half space below the plane z = 0 of its frame.
  addHalfSpace(m) {
    const reach = this.camera.reach;
    if (!this.planar) {
      const inFrame = (axis) => [0, 1, 2].reduce((sum, i) => sum + m[4 * axis + i] * (this.camera.target[i] - m[12 + i]), 0);
      const cell = 10 ** Math.floor(Math.log10(reach * 0.5));
      this.grounds.push({ matrix: m, centre: [inFrame(0), inFrame(1)], extent: 16 * reach, cell });
      return;
    }
    const normal = unit([m[8], m[9], 0]);
    const tangent = [normal[1], -normal[0], 0];
    const origin = [m[12], m[13], 0];
    const wide = 40 * reach;
    const middle = add(origin, scaled(-0.5 * wide, normal));
    const box = new Float32Array([...scaled(wide, tangent), 0, ...scaled(0.5 * wide, normal), 0, 0, 0, 1e-6, 0, middle[0], middle[1], -1e-3 * this.size, 1]);
    this.renderer.add("box", box, [...this.colors.ground, 1], FLAT);
    this.renderer.line(add(origin, scaled(-wide, tangent)), add(origin, scaled(wide, tangent)), [...this.colors.ink, 1], 1.6);
  }

  addTrails(frame) {
    const { positions } = this.data;
    const count = this.bodies.length;
    const begin = Math.max(0, frame - TRAIL_FRAMES);
    const step = Math.max(1, Math.floor(TRAIL_FRAMES / 350));
    this.bodies.slice(0, MOST_TRAILS).forEach((body, k) => {
      if (this.hidden.has(k)) return;
      const at = (f) => Array.from(positions.slice(3 * (f * count + k), 3 * (f * count + k) + 3));
      let before = at(begin);
      for (let f = begin + step; f <= frame; f += step) {
        const point = at(f);
        this.renderer.line(before, point, [...body.color, 0.75 * ((f - begin) / (frame - begin + 1))], 1.6);
        before = point;
      }
      this.renderer.line(before, body.position, [...body.color, 0.75], 1.6);
    });
  }

  lightProjection(aim) {
    const radius = Math.max(2.2 * this.camera.reach, 3 * this.size);
    const from = add(aim, scaled(4 * radius, unit([0.45, -0.35, 1])));
    const view = Matrix.lookAt(from, aim, [0, 1, 0]);
    return Matrix.multiply(Matrix.orthographic(radius, radius, radius, 8 * radius), view);
  }
}

// Radius of a ball about the origin of a body that holds its parts.
function radiusOf(parts) {
  const reach = (part) => {
    switch (part.shape) {
      case "box":
      case "ellipsoid":
        return part.shape === "box" ? Math.hypot(...part.size) : Math.max(...part.size);
      case "cylinder":
        return Math.hypot(part.radius, part.half_length);
      case "capsule":
        return part.radius + part.half_length;
      case "mesh":
        return part.vertices.reduce((most, v) => Math.max(most, Math.hypot(...v)), 0);
      case "line":
        return part.points.reduce((most, v) => Math.max(most, Math.hypot(...v)), 0);
      default:
        return part.radius || 0;
    }
  };
  return Math.max(1e-6, ...parts.map((part) => Math.hypot(...part.position) + reach(part)));
}
