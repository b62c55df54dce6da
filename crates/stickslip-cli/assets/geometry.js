// Matrices (column-major), rotations, and the meshes of the shapes.

const Matrix = {
  identity: () => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),

  multiply(a, b, out = new Float32Array(16)) {
    for (let column = 0; column < 4; column += 1) {
      for (let row = 0; row < 4; row += 1) {
        let sum = 0;
        for (let k = 0; k < 4; k += 1) sum += a[4 * k + row] * b[4 * column + k];
        out[4 * column + row] = sum;
      }
    }
    return out;
  },

  // Position p, unit quaternion q (scalar first), scale s.
  pose(p, q, s = [1, 1, 1], out = new Float32Array(16)) {
    const [w, x, y, z] = q;
    out[0] = (1 - 2 * (y * y + z * z)) * s[0];
    out[1] = 2 * (x * y + w * z) * s[0];
    out[2] = 2 * (x * z - w * y) * s[0];
    out[3] = 0;
    out[4] = 2 * (x * y - w * z) * s[1];
    out[5] = (1 - 2 * (x * x + z * z)) * s[1];
    out[6] = 2 * (y * z + w * x) * s[1];
    out[7] = 0;
    out[8] = 2 * (x * z + w * y) * s[2];
    out[9] = 2 * (y * z - w * x) * s[2];
    out[10] = (1 - 2 * (x * x + y * y)) * s[2];
    out[11] = 0;
    out[12] = p[0];
    out[13] = p[1];
    out[14] = p[2];
    out[15] = 1;
    return out;
  },

  // A frame whose z axis is a unit vector.
  along(origin, axis, radius, length) {
    const helper = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const x = unit(cross(helper, axis));
    const y = cross(axis, x);
    return new Float32Array([
      x[0] * radius, x[1] * radius, x[2] * radius, 0,
      y[0] * radius, y[1] * radius, y[2] * radius, 0,
      axis[0] * length, axis[1] * length, axis[2] * length, 0,
      origin[0], origin[1], origin[2], 1,
    ]);
  },

  perspective(angle, aspect, near, far) {
    const f = 1 / Math.tan(angle / 2);
    const d = 1 / (near - far);
    return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0]);
  },

  orthographic(halfWidth, halfHeight, near, far) {
    const d = 1 / (near - far);
    return new Float32Array([1 / halfWidth, 0, 0, 0, 0, 1 / halfHeight, 0, 0, 0, 0, 2 * d, 0, 0, 0, (near + far) * d, 1]);
  },

  lookAt(eye, target, up) {
    const z = unit(subtract(eye, target));
    const x = unit(cross(up, z));
    const y = cross(z, x);
    return new Float32Array([
      x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
      -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
    ]);
  },
};

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (s, a) => [s * a[0], s * a[1], s * a[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => {
  const length = Math.hypot(...a);
  return length > 0 ? scaled(1 / length, a) : [0, 0, 1];
};

// A surface of revolution about z; the profile is a list of [radius, z, normal radius, normal z].
function revolve(profile, around) {
  const positions = [];
  const normals = [];
  const indices = [];
  for (const [r, z, nr, nz] of profile) {
    for (let k = 0; k <= around; k += 1) {
      const angle = (2 * Math.PI * k) / around;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      positions.push(r * c, r * s, z);
      normals.push(nr * c, nr * s, nz);
    }
  }
  for (let i = 0; i + 1 < profile.length; i += 1) {
    for (let k = 0; k < around; k += 1) {
      const a = i * (around + 1) + k;
      const b = a + around + 1;
      indices.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }
  return { positions, normals, indices };
}

const Geometry = {
  sphere(rings = 32) {
    const profile = [];
    for (let k = 0; k <= rings; k += 1) {
      const angle = -Math.PI / 2 + (Math.PI * k) / rings;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      profile.push([c, s, c, s]);
    }
    return revolve(profile, 1.5 * rings);
  },

  // Radius 1, z from -1 to 1.
  cylinder(around = 64) {
    return revolve([[0, -1, 0, -1], [1, -1, 0, -1], [1, -1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]], around);
  },

  // Radius 1 at z = 0, tip at z = 1.
  cone() {
    return revolve([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 0.7, 0.7], [0, 1, 0.7, 0.7]], 24);
  },

  // Edges from -1 to 1.
  box() {
    const positions = [];
    const normals = [];
    const indices = [];
    for (let axis = 0; axis < 3; axis += 1) {
      for (const side of [-1, 1]) {
        const first = positions.length / 3;
        for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
          const point = [0, 0, 0];
          const normal = [0, 0, 0];
          point[axis] = side;
          normal[axis] = side;
          point[(axis + 1) % 3] = u * side;
          point[(axis + 2) % 3] = v;
          positions.push(...point);
          normals.push(...normal);
        }
        indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
      }
    }
    return { positions, normals, indices };
  },

  // Triangles with one normal each.
  mesh(vertices, triangles) {
    const positions = [];
    const normals = [];
    for (const corners of triangles) {
      const [a, b, c] = corners.map((k) => vertices[k] || [0, 0, 0]);
      const normal = unit(cross(subtract(b, a), subtract(c, a)));
      positions.push(...a, ...b, ...c);
      normals.push(...normal, ...normal, ...normal);
    }
    return { positions, normals, indices: positions.map((_, k) => k).slice(0, positions.length / 3) };
  },

  // A filled polygon in the plane z = 0, by cutting off ears.
  polygon(points) {
    const area = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const left = points.map((_, k) => k);
    const turn = left.reduce((sum, k) => {
      const [a, b] = [points[k], points[(k + 1) % points.length]];
      return sum + a[0] * b[1] - b[0] * a[1];
    }, 0);
    if (turn < 0) left.reverse();
    const triangles = [];
    while (left.length > 2) {
      const n = left.length;
      const inside = (p, a, b, c) => area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0;
      let ear = left.findIndex((_, k) => {
        const corner = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        const [a, b, c] = corner.map((i) => points[i]);
        return area(a, b, c) > 0 && !left.some((i) => !corner.includes(i) && inside(points[i], a, b, c));
      });
      if (ear < 0) ear = 1; // a polygon that cuts itself
      triangles.push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]]);
      left.splice(ear, 1);
    }
    return Geometry.mesh(points, triangles);
  },
};
