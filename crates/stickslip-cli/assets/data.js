// The data of the page, decoded.

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// A column in double precision: an offset plus single-precision numbers.
function columnOf(encoded) {
  const singles = new Float32Array(bytesOf(encoded.data).buffer);
  const values = new Float64Array(singles.length);
  for (let i = 0; i < singles.length; i += 1) values[i] = encoded.offset + singles[i];
  return values;
}

function bandOf(encoded) {
  return {
    name: encoded.name,
    unit: encoded.unit,
    kind: encoded.kind ?? "own", // of a page from before there were kinds
    owner: encoded.owner ?? "",
    y: columnOf(encoded.value),
    low: encoded.low ? columnOf(encoded.low) : null,
    high: encoded.high ? columnOf(encoded.high) : null,
  };
}

function fractionsOf(text) {
  return Float32Array.from(new Int16Array(bytesOf(text).buffer), (value) => value / 32767);
}

function decode(raw) {
  const energy = raw.energy;
  return {
    summary: raw.summary,
    caption: raw.caption,
    scene: raw.scene,
    tolerance: raw.tolerance,
    stride: raw.stride,
    frames: raw.frames,
    t: new Float64Array(bytesOf(raw.t).buffer),
    columns: raw.columns.map(bandOf),
    hiddenColumns: raw.hidden_columns,
    energy: {
      initial: energy.initial,
      kinetic: columnOf(energy.kinetic),
      potential: columnOf(energy.potential),
      closing: columnOf(energy.closing),
      drive: columnOf(energy.drive),
      projection: columnOf(energy.projection),
      laws: energy.laws.map((law) => ({ name: law.name, work: columnOf(law.work) })),
    },
    contacts: raw.contacts.map((contact) => ({
      name: contact.name,
      units: contact.units,
      gap: columnOf(contact.gap),
      slip: columnOf(contact.slip),
      force: bandOf(contact.force),
      states: bytesOf(contact.states),
    })),
    residual: columnOf(raw.residual),
    impacts: raw.impacts,
    drawing: raw.drawing,
    positions: columnOf(raw.poses.position),
    rotations: fractionsOf(raw.poses.rotation),
    places: {
      begin: new Uint32Array(bytesOf(raw.places.begin).buffer),
      force: new Float32Array(bytesOf(raw.places.force).buffer),
      state: bytesOf(raw.places.state),
      point: new Float32Array(bytesOf(raw.places.point).buffer),
      normal: fractionsOf(raw.places.normal),
      key: bytesOf(raw.places.key),
      keys: raw.places.keys,
      friction: fractionsOf(raw.places.friction),
      frictionFactor: raw.places.friction_factor,
      drilling: fractionsOf(raw.places.drilling),
      drillingFactor: raw.places.drilling_factor,
      turn: fractionsOf(raw.places.turn),
      laws: raw.places.laws.map((law) => law && new FrictionSet(law)),
    },
  };
}

// The last frame at or before a time.
function frameAt(t, time) {
  let low = 0;
  let high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Numbers for people: four digits, exponents where zeros would not help.
function numberText(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if ((size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(digits - 2).split("e");
    return `${mantissa.replace("-", "−")}e${exponent.replace("+", "").replace("-", "−")}`;
  }
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.max(size, 1e-3))));
  return value.toFixed(Math.min(places, 6)).replace("-", "−");
}

// A name with its unit, as axes are labelled.
function labelled(name, unit) {
  if (!unit) return name;
  return `${name} / ${unit.includes("/") ? `(${unit})` : unit}`;
}

// An element with text and attributes; text never becomes markup.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
