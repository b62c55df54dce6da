// What can be taken out of the page: pictures, numbers, a film, a link.

// Pictures of a film in a second of the screen.
const FILM_RATE = 30;

function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function savePicture(canvas, name) {
  // Plots are drawn on nothing: the paper is put under them.
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  const pen = copy.getContext("2d");
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--card");
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => save(blob, name));
}

// The frames in view of all columns, energies and contacts, as a table.
function tableText(data, [low, high]) {
  const header = (name, of) => `"${(of ? `${name} / ${of}` : name).replaceAll('"', '""')}"`;
  const columns = [["t", "s", data.t], ...data.columns.map((column) => [column.name, column.unit, column.y])];
  columns.push(["kinetic", "J", data.energy.kinetic], ["potential", "J", data.energy.potential]);
  for (const contact of data.contacts) {
    columns.push([`${contact.name}.gap`, contact.units[0], contact.gap], [`${contact.name}.force`, contact.force.unit, contact.force.y], [`${contact.name}.slip`, contact.units[1], contact.slip]);
  }
  const lines = [columns.map(([name, of]) => header(name, of)).join(",")];
  for (let k = 0; k < data.t.length; k += 1) {
    if (data.t[k] >= low && data.t[k] <= high) lines.push(columns.map(([, , values]) => String(values[k])).join(","));
  }
  return `${lines.join("\n")}\n`;
}

// Plays what is in view from its start to its end and records it.
function recordFilm(canvas, player, [low, high], done) {
  const kind = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((one) => MediaRecorder.isTypeSupported(one));
  const recorder = new MediaRecorder(canvas.captureStream(FILM_RATE), { mimeType: kind, videoBitsPerSecond: 8e6 });
  const pieces = [];
  recorder.addEventListener("dataavailable", (event) => pieces.push(event.data));
  recorder.addEventListener("stop", () => done(new Blob(pieces, { type: "video/webm" })));
  player.pause();
  player.seek(low);
  recorder.start();
  player.play();
  const watch = () => {
    if (player.playing && player.time < high) return void requestAnimationFrame(watch);
    player.pause();
    // The last picture is seen for a moment.
    setTimeout(() => recorder.stop(), 120);
  };
  requestAnimationFrame(watch);
  return recorder;
}

// The time that a link asks for; null for none.
function linkedTime() {
  const time = Number(new URLSearchParams(window.location.hash.slice(1)).get("t") ?? NaN);
  return Number.isFinite(time) ? time : null;
}

function linkTo(time) {
  window.history.replaceState(null, "", `#t=${Number(time.toPrecision(9))}`);
  navigator.clipboard?.writeText(window.location.href).catch(() => {});
}
