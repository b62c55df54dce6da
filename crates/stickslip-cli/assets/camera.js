// The camera: around a target in space, straight from the front in the plane.

class Camera {
  constructor(planar) {
    this.planar = planar;
    this.target = [0, 0, 0];
    this.yaw = -0.9;
    this.pitch = 0.32;
    this.reach = 1; // half the height that is seen at the target, m
    this.home = null;
  }

  // Looks at a sphere.
  fit(target, radius) {
    this.target = [...target];
    this.reach = Math.max(radius, 1e-9);
    this.home = { target: [...target], reach: this.reach, yaw: this.yaw, pitch: this.pitch };
  }

  // Looks along an axis, or from a corner.
  look(from) {
    [this.yaw, this.pitch] = { front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, 1.55], corner: [-0.9, 0.32] }[from];
  }

  // Pixels of a metre at the target, in a view of this size.
  pixels(width, height) {
    return ((height / 2) * Math.min(width / height, 1)) / this.reach;
  }

  // Whether nobody has moved it; where it follows a body its target moves by itself.
  isHome(withTarget) {
    const { home } = this;
    const same = (a, b) => Math.abs(a - b) < 1e-9 * (Math.abs(a) + Math.abs(b)) + 1e-15;
    return !home || (["reach", "yaw", "pitch"].every((key) => same(this[key], home[key])) && (!withTarget || this.target.every((value, k) => same(value, home.target[k]))));
  }

  reset() {
    if (this.home) Object.assign(this, this.home, { target: [...this.home.target] });
  }

  orbit(dx, dy) {
    if (this.planar) return;
    this.yaw -= dx * 0.008;
    this.pitch = Math.min(1.55, Math.max(-0.35, this.pitch + dy * 0.008));
  }

  // By fractions of the height of the view.
  pan(dx, dy) {
    const { right, above } = this.frame();
    const move = add(scaled(-2 * dx * this.reach, right), scaled(2 * dy * this.reach, above));
    this.target = add(this.target, move);
  }

  zoom(factor) {
    const reach = this.reach * factor;
    if (reach > 1e-9 && reach < 1e9) this.reach = reach;
  }

  frame() {
    if (this.planar) return { right: [1, 0, 0], above: [0, 1, 0], back: [0, 0, 1] };
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const back = [cp * cy, cp * sy, sp];
    const right = [-sy, cy, 0];
    return { right, above: cross(back, right), back };
  }

  matrices(aspect) {
    const { above, back } = this.frame();
    const angle = 0.5;
    const distance = this.reach / Math.tan(angle / 2);
    const eye = add(this.target, scaled(distance, back));
    const view = Matrix.lookAt(eye, this.target, above);
    // A narrow window shows the width that a square one would.
    const wide = Math.min(aspect, 1);
    const projection = this.planar
      ? Matrix.orthographic((this.reach * aspect) / wide, this.reach / wide, distance * 0.01, distance * 4)
      : Matrix.perspective(2 * Math.atan(Math.tan(angle / 2) / wide), aspect, distance * 0.02, distance * 60);
    return { viewProjection: Matrix.multiply(projection, view), eye };
  }
}

// Mouse, wheel and fingers move the camera.
function steer(canvas, camera, changed, click) {
  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    moved = 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const height = canvas.clientHeight || 1;
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.hypot(dx, dy);
    if (fingers.size === 2) {
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)[1];
      const span = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
      camera.zoom(span(before) / span(now));
      camera.pan(dx / height / 2, dy / height / 2);
    } else if (event.shiftKey || event.buttons === 2 || camera.planar) {
      camera.pan(dx / height, dy / height);
    } else {
      camera.orbit(dx, dy);
    }
    fingers.set(event.pointerId, now);
    changed();
  });
  canvas.addEventListener("pointerup", (event) => {
    const box = canvas.getBoundingClientRect();
    if (moved < 4 && event.button === 0) click((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
  for (const type of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(type, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-80, Math.min(80, event.deltaY)) * 0.0025));
    changed();
  }, { passive: false });
}
