// Draws lists of shapes with WebGL2: each shape once, with all of its instances.

// Numbers of an instance: matrix, colour, style (pattern, flat, stripes, checked).
const INSTANCE = 24;
// Numbers of a line segment: from, to, colour, width.
const SEGMENT = 11;
const SHADOW_SIZE = 1024;

// A list of numbers that grows.
class NumberList {
  constructor() {
    this.data = new Float32Array(256);
    this.length = 0;
  }

  clear() {
    this.length = 0;
  }

  // Lists of numbers, and numbers.
  push(...parts) {
    // No part is longer than a matrix.
    if (this.length + 16 * parts.length > this.data.length) {
      const larger = new Float32Array(2 * this.data.length + 16 * parts.length);
      larger.set(this.data);
      this.data = larger;
    }
    const { data } = this;
    for (const part of parts) {
      if (typeof part === "number") {
        data[this.length] = part;
        this.length += 1;
        continue;
      }
      for (let k = 0; k < part.length; k += 1) data[this.length + k] = part[k];
      this.length += part.length;
    }
  }
}

class Renderer {
  constructor(canvas, many) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("WebGL2 is missing");
    this.gl = gl;
    this.canvas = canvas;
    this.shapes = new Map();
    this.programs = {};
    for (const [name, sources] of Object.entries(Shaders)) this.programs[name] = this.program(sources);
    this.lines = new NumberList();
    // Lines that mark something are seen through bodies.
    this.markLines = new NumberList();
    this.makeLines();
    this.makeGround();
    this.makeShadows();
    // Where there are many bodies each of them is small.
    this.addShape("sphere", Geometry.sphere(many ? 12 : 32));
    this.addShape("cylinder", Geometry.cylinder(many ? 24 : 64));
    this.addShape("box", Geometry.box());
    // What marks the contacts shines through the bodies and casts no shadow.
    this.addShape("bead", Geometry.sphere(8), true);
    this.addShape("shaft", Geometry.cylinder(12), true);
    this.addShape("tip", Geometry.cone(), true);
  }

  program([vertex, fragment]) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(`the graphics driver refuses a shader: ${gl.getShaderInfoLog(shader)}`);
      }
    }
    gl.linkProgram(program);
    const uniforms = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let k = 0; k < count; k += 1) {
      const { name } = gl.getActiveUniform(program, k);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  buffer(values, target = this.gl.ARRAY_BUFFER) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, values, this.gl.STATIC_DRAW);
    return buffer;
  }

  attribute(location, size, stride = 0, offset = 0, divisor = 0) {
    const gl = this.gl;
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * stride, 4 * offset);
    gl.vertexAttribDivisor(location, divisor);
  }

  addShape(name, { positions, normals, indices }, marks = false) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.buffer(new Float32Array(positions));
    this.attribute(0, 3);
    this.buffer(new Float32Array(normals));
    this.attribute(1, 3);
    this.buffer(new Uint32Array(indices), gl.ELEMENT_ARRAY_BUFFER);
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let k = 0; k < 6; k += 1) this.attribute(2 + k, 4, INSTANCE, 4 * k, 1);
    gl.bindVertexArray(null);
    this.shapes.set(name, { array, instances, count: indices.length, list: new NumberList(), marks });
  }

  // Forgets the shapes that belong to bodies.
  forgetOwn() {
    for (const [name, { array, instances }] of this.shapes) {
      if (!name.startsWith("own-")) continue;
      this.gl.deleteVertexArray(array);
      this.gl.deleteBuffer(instances);
      this.shapes.delete(name);
    }
  }

  makeLines() {
    const gl = this.gl;
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    this.buffer(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    this.attribute(0, 2);
    this.lineBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    this.attribute(1, 3, SEGMENT, 0, 1);
    this.attribute(2, 3, SEGMENT, 3, 1);
    this.attribute(3, 4, SEGMENT, 6, 1);
    this.attribute(4, 1, SEGMENT, 10, 1);
    gl.bindVertexArray(null);
  }

  makeGround() {
    this.groundArray = this.gl.createVertexArray();
    this.gl.bindVertexArray(this.groundArray);
    this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.attribute(0, 2);
    this.gl.bindVertexArray(null);
  }

  makeShadows() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  clear() {
    for (const shape of this.shapes.values()) shape.list.clear();
    this.markLines.clear();
    this.lines.clear();
  }

  // An instance of a shape.
  add(name, matrix, color, style) {
    this.shapes.get(name).list.push(matrix, color, style);
  }

  line(from, to, color, width) {
    this.lines.push(from, to, color, width);
  }

  mark(points, color, width) {
    for (let k = 0; k + 1 < points.length; k += 1) this.markLines.push(points[k], points[k + 1], color, width);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return { width, height, ratio };
  }

  // Draws what was added. `scene` has camera, colours, light and grounds.
  draw(scene) {
    const gl = this.gl;
    const { width, height, ratio } = this.resize();
    const { viewProjection, eye } = scene.camera.matrices(width / height);
    for (const shape of this.shapes.values()) {
      gl.bindBuffer(gl.ARRAY_BUFFER, shape.instances);
      gl.bufferData(gl.ARRAY_BUFFER, shape.list.data.subarray(0, shape.list.length), gl.DYNAMIC_DRAW);
    }
    gl.enable(gl.DEPTH_TEST);
    if (scene.grounds.length > 0) this.drawShadows(scene.lightProjection);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...scene.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const ground of scene.grounds) this.drawGround(ground, scene, viewProjection);

    const solid = this.use("solid");
    gl.uniformMatrix4fv(solid.viewProjection, false, viewProjection);
    gl.uniform3fv(solid.eye, eye);
    gl.uniform3fv(solid.light, scene.light);
    gl.uniform3fv(solid.up, scene.up);
    gl.uniform1f(solid.ambient, scene.ambient);
    gl.uniform1f(solid.opacity, 1);
    this.drawShapes(false);
    const line = this.use("line");
    gl.uniformMatrix4fv(line.viewProjection, false, viewProjection);
    gl.uniform2f(line.pixels, width / ratio, height / ratio);
    this.drawLines(this.lines);
    // Where marks are hidden they are seen faintly.
    this.use("solid");
    gl.uniform1f(solid.opacity, 0.4);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    this.drawShapes(true);
    gl.uniform1f(solid.opacity, 1);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    this.drawShapes(true);
    this.use("line");
    gl.disable(gl.DEPTH_TEST);
    this.drawLines(this.markLines);
    gl.bindVertexArray(null);
  }

  drawLines(list) {
    if (list.length === 0) return;
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, list.data.subarray(0, list.length), gl.DYNAMIC_DRAW);
    gl.bindVertexArray(this.lineArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.length / SEGMENT);
  }

  // The colour at a place of the picture, 0 to 255; y counts from the top.
  colorAt(x, y) {
    const pixel = new Uint8Array(4);
    const { width, height } = this.canvas;
    this.gl.readPixels(Math.round(x * width), Math.round((1 - y) * height), 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, pixel);
    return pixel;
  }

  use(name) {
    this.gl.useProgram(this.programs[name].program);
    return this.programs[name].uniforms;
  }

  // All shapes, or all marks.
  drawShapes(marks) {
    for (const shape of this.shapes.values()) {
      const instances = shape.list.length / INSTANCE;
      if (shape.marks !== marks || instances === 0) continue;
      this.gl.bindVertexArray(shape.array);
      this.gl.drawElementsInstanced(this.gl.TRIANGLES, shape.count, this.gl.UNSIGNED_INT, 0, instances);
    }
  }

  drawShadows(lightProjection) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const shadow = this.use("shadow");
    gl.uniformMatrix4fv(shadow.viewProjection, false, lightProjection);
    this.drawShapes(false);
  }

  drawGround(ground, scene, viewProjection) {
    const gl = this.gl;
    const uniforms = this.use("ground");
    gl.uniformMatrix4fv(uniforms.viewProjection, false, viewProjection);
    gl.uniformMatrix4fv(uniforms.model, false, ground.matrix);
    gl.uniformMatrix4fv(uniforms.lightProjection, false, scene.lightProjection);
    gl.uniform2fv(uniforms.centre, ground.centre);
    gl.uniform1f(uniforms.extent, ground.extent);
    gl.uniform1f(uniforms.cell, ground.cell);
    gl.uniform3fv(uniforms.groundColor, scene.groundColor);
    gl.uniform3fv(uniforms.gridColor, scene.gridColor);
    gl.uniform1f(uniforms.shade, scene.shade);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.uniform1i(uniforms.shadows, 0);
    gl.bindVertexArray(this.groundArray);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}
