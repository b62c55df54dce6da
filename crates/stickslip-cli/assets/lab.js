// The lab: asks the server for news, shows them, and tells it what to do.

// Milliseconds after which a server that does not answer is asked again.
const AGAIN = 1000;
// While a run goes on the page spends at most this part of its time on new data.
const SHARE = 0.25;

const known = { version: 0, revision: 0, serial: 0, edit: 0 };
let seen = null;
let isLost = false;
let trouble = "";
let busyWith = 0;
// A first run is seen as it comes in; a step shows its end.
let wantsMotion = !window.matchMedia("(prefers-reduced-motion: reduce)").matches && linkedTime() === null;
let isStepping = false;

async function post(what, body = {}) {
  try {
    const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const { error } = await answer.json().catch(() => ({ error: answer.statusText }));
    trouble = answer.ok ? "" : error || answer.statusText;
    showNotice();
    return answer.status;
  } catch {
    isLost = true;
    showNotice();
    return 0;
  }
}

const edited = (body) => {
  known.edit += 1;
  return { ...body, edit: known.edit };
};
const editor = new Editor($("editor"), $("faults"), (text) => post("text", edited({ text })));
const knobs = new Knobs($("knobs"), async (change) => {
  // What was typed before counts before.
  if (editor.isTyping) await editor.send();
  await post("turn", edited(change));
});

// ---- what the server says

function showNotice() {
  const words = isLost ? "The program does not answer: it has ended, or is busy." : trouble || seen?.notice || "";
  const parts = [words];
  if (!isLost && seen?.has_changed) {
    parts.push(
      `${seen.file} has changed on disk. `,
      element("button", { id: "file-reload", onclick: () => post("reload") }, "Take it"),
      element("button", { id: "file-keep", onclick: () => saveScene(null, true) }, "Overwrite it"),
    );
  }
  if (!words && !isLost && !seen?.has_changed) parts.push((seen?.warnings ?? []).slice(0, 3).join(" · "));
  $("notice").replaceChildren(...parts);
  $("notice").hidden = $("notice").textContent === "";
  $("notice").classList.toggle("bad", Boolean(words));
}

function currentBranch() {
  return seen.branches.find(({ id }) => id === seen.current);
}

function otherBranch() {
  const { parent } = currentBranch();
  return seen.branches.find(({ label }) => label === parent) ?? seen.branches.find(({ id }) => id !== seen.current);
}

function showBranches() {
  const tabs = seen.branches.map(({ id, label, from, phase, t }) => {
    const words = from === null ? label : `${label} from ${numberText(from)} s`;
    const tab = element("button", { role: "tab", "data-branch": id, "aria-selected": String(id === seen.current), title: `${phase ?? "no run"}, ${numberText(t)} s`, onclick: () => post("choose", { id }) }, words);
    const close = element("button", { class: "close", "data-close": id, title: `Close ${label}`, "aria-label": `Close ${label}`, onclick: () => post("close", { id }) }, "×");
    return seen.branches.length > 1 ? element("span", {}, tab, close) : element("span", {}, tab);
  });
  $("branches").replaceChildren(...tabs);
  $("branches").hidden = seen.branches.length < 2;
}

function showRun() {
  const { phase, message, t } = currentBranch();
  const goesOn = phase === "running" || phase === "paused";
  player.live = phase === "running";
  const isOld = seen.faults.length > 0 && phase !== undefined;
  $("status").textContent = `${goesOn ? `${phase} · ${numberText(t)} s` : phase ?? "no run"}${isOld ? " · before the error" : ""}`;
  $("status").classList.toggle("bad", isOld || (!goesOn && phase !== "done"));
  $("status").title = message || "";
  $("run-pause").textContent = phase === "paused" ? "Go on" : "Pause";
  $("run-pause").disabled = !goesOn;
  $("run-step").disabled = !goesOn;
  for (const id of ["run-again", "run-branch"]) $(id).disabled = phase === undefined;
  $("run-side").disabled = seen.branches.length < 2;
  const name = seen.file ?? `${seen.name} (not saved)`;
  $("file-name").textContent = seen.is_saved ? name : `${name} •`;
  $("file-name").title = seen.is_saved ? "as on disk" : "changed, not saved";
}

// ---- side by side

let isSideBySide = false;
let pairShown = "";

function showPair() {
  const other = seen.branches.length > 1 ? otherBranch() : null;
  if (!other) isSideBySide = false;
  document.querySelector("main").classList.toggle("paired", isSideBySide);
  $("pair").hidden = !isSideBySide;
  $("run-side").setAttribute("aria-pressed", String(isSideBySide));
  if (!isSideBySide) {
    pairShown = "";
    return;
  }
  const mine = currentBranch();
  // Anew when a run has ended, not with each of its rows.
  const about = (branch) => `${branch.id}:${branch.phase === "running" ? "running" : branch.serial}`;
  const now = `${about(other)} ${about(mine)}`;
  if (now === pairShown) return;
  const time = $("pair").contentWindow?.stickslip?.time ?? player.time;
  pairShown = now;
  $("pair").addEventListener("load", () => $("pair").contentWindow.stickslip?.seek(time), { once: true });
  $("pair").contentWindow.location.replace(`compare?a=${other.id}&b=${mine.id}&s=${mine.serial}`);
}

// ---- news

function receive(news) {
  seen = news;
  isLost = false;
  if (seen.text === null || editor.take(seen.text)) known.revision = seen.revision;
  editor.show(seen.faults);
  knobs.show(seen.knobs, currentBranch().from);
  if (seen.data) {
    known.serial = currentBranch().serial;
    const begin = performance.now();
    take(seen.data);
    busyWith = performance.now() - begin;
    if (isStepping && currentBranch().phase === "paused") player.seek(player.end);
    isStepping &&= currentBranch().phase === "paused";
    if (wantsMotion && data.frames > 1) player.play();
    wantsMotion &&= data.frames <= 1;
  } else {
    busyWith = 0;
  }
  // Only what is shown counts as known.
  known.version = seen.version;
  showBranches();
  showRun();
  showPair();
  showNotice();
  redraw();
}

const rest = (time) => new Promise((done) => { setTimeout(done, time); });

async function listen() {
  for (;;) {
    const begin = performance.now();
    try {
      const answer = await fetch(`news?since=${known.version}&revision=${known.revision}&serial=${known.serial}`);
      if (!answer.ok) throw new Error(answer.statusText);
      receive(await answer.json());
      await rest(Math.max(busyWith / SHARE, 50 - (performance.now() - begin)));
    } catch (error) {
      if (!(error instanceof TypeError) && seen) console.error(error);
      isLost = true;
      showNotice();
      await rest(AGAIN);
    }
  }
}

// ---- what people do

$("run-pause").addEventListener("click", () => post(currentBranch().phase === "paused" ? "resume" : "pause"));
$("run-step").addEventListener("click", () => {
  isStepping = true;
  post("step");
});
$("run-again").addEventListener("click", () => post("run"));
$("run-branch").addEventListener("click", () => {
  player.pause();
  post("branch", { t: player.time });
});
$("run-side").addEventListener("click", () => {
  isSideBySide = !isSideBySide;
  showPair();
});

async function saveScene(name = null, force = false) {
  if (editor.isTyping) await editor.send();
  const status = await post("save", { name, force });
  if (status === 409 && !force && window.confirm(`${trouble}. Replace it?`)) return saveScene(name, true);
  if (status === 200) $("file-form").hidden = true;
  return status;
}

const askName = () => {
  $("file-form").hidden = false;
  $("file-new").value = (seen.file ?? seen.name).replace(/\.toml$/, "");
  $("file-new").focus();
};
$("file-save").addEventListener("click", () => (seen.file ? saveScene() : askName()));
$("file-save-as").addEventListener("click", askName);
$("file-form").addEventListener("submit", (event) => {
  event.preventDefault();
  saveScene($("file-new").value);
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
  event.preventDefault();
  $("file-save").click();
});
window.addEventListener("beforeunload", (event) => {
  if (seen && !isLost && (editor.isTyping || (!seen.is_saved && seen.file))) event.preventDefault();
});

$("key-table").append(element("tr", {}, element("td", {}, "ctrl s"), element("td", {}, "save the scene")));
document.title = document.title.replace("·", "· lab ·");
Object.assign(window.stickslip, {
  lab: () => seen,
  text: () => editor.text,
  busy: () => busyWith,
});
listen();
