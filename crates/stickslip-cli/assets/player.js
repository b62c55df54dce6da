// Time: play, pause, seek, speed. Everybody who shows time listens here.

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
// Seconds that a run should take on the screen, by default, and at most.
const PLEASANT = 8;
const PATIENCE = 120;
// Turns in a second of the screen that the eye can follow.
const TURNS = 2;

class Player {
  // Things turn so fast, rad/s.
  constructor(t, turning = 0) {
    this.t = t;
    this.time = t[0];
    this.playing = false;
    this.listeners = [];
    this.last = 0;
    // More times may come: then the end is no reason to stop.
    this.live = false;
    this.chooseSpeed(turning);
  }

  // A speed that is pleasant to look at, unless somebody has chosen one.
  chooseSpeed(turning) {
    if (this.isChosen) return;
    const whole = this.end - this.begin;
    const wanted = Math.max(whole / PATIENCE, Math.min(whole / PLEASANT, (2 * Math.PI * TURNS) / turning)) || 1;
    const away = (speed) => Math.abs(Math.log(speed / wanted));
    this.speed = SPEEDS.reduce((best, speed) => (away(speed) < away(best) ? speed : best), 1);
  }

  // Other times, of a run that has gone on or of another one.
  take(t) {
    this.t = t;
    // A run that begins anew comes back to the time that was looked at.
    this.time = Math.min(this.end, Math.max(this.begin, this.wish ?? this.time));
  }

  get begin() {
    return this.t[0];
  }

  get end() {
    return this.t[this.t.length - 1];
  }

  get frame() {
    return frameAt(this.t, this.time);
  }

  // How far time is from its frame to the next one, 0 to 1.
  get fraction() {
    const frame = this.frame;
    const next = Math.min(frame + 1, this.t.length - 1);
    const span = this.t[next] - this.t[frame];
    return span > 0 ? Math.min(1, Math.max(0, (this.time - this.t[frame]) / span)) : 0;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.begin, Number(time) || 0));
    this.wish = this.time;
    this.changed();
  }

  seekFrame(frame) {
    this.seek(this.t[Math.min(this.t.length - 1, Math.max(0, Math.round(frame)))]);
  }

  play() {
    if (this.playing) return;
    if (this.time >= this.end && !this.live) this.time = this.begin;
    this.playing = true;
    this.last = performance.now();
    this.changed();
    const tick = (now) => {
      if (!this.playing) return;
      // A hidden page does not leap when it is seen again.
      const passed = Math.min(Math.max(0, now - this.last), 100) / 1000;
      this.last = now;
      this.time = Math.min(this.end, this.time + passed * this.speed);
      if (this.time < this.end || !this.live) this.wish = this.time;
      if (this.time >= this.end && !this.live) this.playing = false;
      this.changed();
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed) {
    this.isChosen = true;
    this.speed = speed;
    this.changed();
  }

  faster(steps) {
    const at = SPEEDS.indexOf(this.speed) + steps;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))]);
  }
}

// How fast bodies turn most of the time that something turns fast, rad/s.
function turningOf({ t, rotations, frames, drawing }) {
  const count = drawing.bodies.length;
  const speeds = [];
  const every = Math.max(1, Math.floor((frames * count) / 20000));
  for (let frame = 1; frame < frames; frame += every) {
    let most = 0;
    for (let k = 0; k < count; k += 1) {
      const [a, b] = [4 * ((frame - 1) * count + k), 4 * (frame * count + k)];
      let same = 0;
      for (let i = 0; i < 4; i += 1) same += rotations[a + i] * rotations[b + i];
      most = Math.max(most, 2 * Math.acos(Math.min(1, Math.abs(same))));
    }
    speeds.push(most / (t[frame] - t[frame - 1] || 1));
  }
  speeds.sort((a, b) => a - b);
  return speeds[Math.floor(0.9 * speeds.length)] || 0;
}
