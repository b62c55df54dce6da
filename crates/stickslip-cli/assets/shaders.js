// The programs of the graphics card.

const Shaders = {
  // Solid shapes, many of one kind at once.
  solid: [`#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in mat4 model;
layout(location = 6) in vec4 color;
layout(location = 7) in vec4 style;
uniform mat4 viewProjection;
out vec3 worldPoint;
out vec3 worldNormal;
out vec3 localPoint;
out vec3 localSize;
out vec3 localNormal;
out vec4 surface;
flat out vec4 kind;
void main() {
  vec4 world = model * vec4(position, 1.0);
  worldPoint = world.xyz;
  worldNormal = transpose(inverse(mat3(model))) * normal;
  localSize = vec3(length(model[0].xyz), length(model[1].xyz), length(model[2].xyz));
  localPoint = position * localSize;
  localNormal = normal;
  surface = color;
  kind = style;
  gl_Position = viewProjection * world;
}`, `#version 300 es
precision highp float;
in vec3 worldPoint;
in vec3 worldNormal;
in vec3 localPoint;
in vec3 localSize;
in vec3 localNormal;
in vec4 surface;
flat in vec4 kind;
uniform vec3 eye;
uniform vec3 light;
uniform vec3 up;
uniform float ambient;
uniform float opacity;
out vec4 pixel;
void main() {
  vec3 base = surface.rgb;
  // Stripes show how a round body turns, dark edges how an angular one does.
  if (kind.x > 0.5 && kind.x < 1.5) {
    float wave = sin(kind.z * atan(localPoint.y, localPoint.x));
    float width = fwidth(wave) + 1e-4;
    float stripe = smoothstep(-width, width, wave);
    if (kind.w > 0.5) {
      float belt = fwidth(localPoint.z) + 1e-9;
      float upper = smoothstep(-belt, belt, localPoint.z);
      stripe = mix(stripe, 1.0 - stripe, upper);
    }
    base = mix(base * 0.8, mix(base, vec3(1.0), 0.2), stripe);
  } else if (kind.x > 1.5) {
    vec3 inset = localSize - abs(localPoint);
    vec3 ink = vec3(1.0) - smoothstep(vec3(0.0), fwidth(localPoint) * 1.6, inset);
    vec3 across = abs(localNormal);
    float edge = max(ink.x * step(across.x, 0.9), max(ink.y * step(across.y, 0.9), ink.z * step(across.z, 0.9)));
    base *= 1.0 - 0.35 * edge;
  }
  vec3 n = normalize(worldNormal);
  vec3 toEye = normalize(eye - worldPoint);
  if (kind.y > 0.5) {
    pixel = vec4(base, surface.a * opacity);
    return;
  }
  if (dot(n, toEye) < 0.0) n = -n;
  float sky = 0.5 + 0.5 * dot(n, up);
  float direct = max(dot(n, light), 0.0);
  vec3 shine = normalize(light + toEye);
  float gloss = pow(max(dot(n, shine), 0.0), 48.0) * 0.22;
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0) * 0.10;
  vec3 lit = base * (ambient * mix(0.72, 1.0, sky) + 0.55 * direct) + gloss + rim * sky;
  pixel = vec4(lit, surface.a);
}`],

  // Depth as seen from the light.
  shadow: [`#version 300 es
layout(location = 0) in vec3 position;
layout(location = 2) in mat4 model;
uniform mat4 viewProjection;
void main() { gl_Position = viewProjection * model * vec4(position, 1.0); }`, `#version 300 es
precision mediump float;
void main() {}`],

  // The ground: a grid that fades away, with soft shadows.
  ground: [`#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 viewProjection;
uniform mat4 model;
uniform mat4 lightProjection;
uniform vec2 centre;
uniform float extent;
out vec2 place;
out vec3 inLight;
void main() {
  place = centre + corner * extent;
  vec4 world = model * vec4(place, 0.0, 1.0);
  vec4 seen = lightProjection * world;
  inLight = seen.xyz * 0.5 + 0.5;
  gl_Position = viewProjection * world;
}`, `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec2 place;
in vec3 inLight;
uniform sampler2DShadow shadows;
uniform vec2 centre;
uniform float extent;
uniform float cell;
uniform vec3 groundColor;
uniform vec3 gridColor;
uniform float shade;
out vec4 pixel;
float lines(vec2 at, float spacing) {
  vec2 scaled = at / spacing;
  vec2 width = fwidth(scaled);
  vec2 away = abs(fract(scaled - 0.5) - 0.5) / max(width, vec2(1e-9));
  vec2 line = (1.0 - smoothstep(vec2(0.4), vec2(1.3), away)) * (1.0 - smoothstep(0.12, 0.5, width));
  return max(line.x, line.y);
}
void main() {
  float far = length(place - centre) / extent;
  float fade = 1.0 - smoothstep(0.1, 0.8, far);
  float grid = max(0.35 * lines(place, cell), lines(place, 5.0 * cell));
  vec3 color = mix(groundColor, gridColor, grid);
  float lit = 1.0;
  if (all(greaterThan(inLight, vec3(0.0))) && all(lessThan(inLight, vec3(1.0)))) {
    vec2 texel = 1.7 / vec2(textureSize(shadows, 0));
    float depth = inLight.z - 0.002;
    float few = 0.0;
    for (int i = -1; i <= 1; i += 2) {
      for (int k = -1; k <= 1; k += 2) few += texture(shadows, vec3(inLight.xy + 2.5 * vec2(i, k) * texel, depth));
    }
    // Only the rim of a shadow needs many looks.
    lit = few / 4.0;
    if (few > 0.0 && few < 4.0) {
      lit = 0.0;
      for (int i = -2; i <= 2; i++) {
        for (int k = -2; k <= 2; k++) lit += texture(shadows, vec3(inLight.xy + vec2(i, k) * texel, depth));
      }
      lit /= 25.0;
    }
  }
  color *= 1.0 - shade * (1.0 - lit);
  pixel = vec4(color, fade);
}`],

  // Lines of a width in pixels, one segment each.
  line: [`#version 300 es
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec4 color;
layout(location = 4) in float width;
uniform mat4 viewProjection;
uniform vec2 pixels;
out vec4 ink;
void main() {
  vec4 a = viewProjection * vec4(from, 1.0);
  vec4 b = viewProjection * vec4(to, 1.0);
  const float near = 1e-6;
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 direction = (b.xy / b.w - a.xy / a.w) * pixels;
  float size = length(direction);
  direction = size > 1e-6 ? direction / size : vec2(1.0, 0.0);
  vec2 offset = vec2(-direction.y, direction.x) * corner.y + direction * (corner.x * 2.0 - 1.0) * 0.5;
  vec4 at = corner.x < 0.5 ? a : b;
  at.xy += offset * (width + 1.0) / pixels * at.w;
  gl_Position = at;
  ink = color;
}`, `#version 300 es
precision highp float;
in vec4 ink;
out vec4 pixel;
void main() {
  pixel = ink;
  if (pixel.a < 0.004) discard;
}`],
};
