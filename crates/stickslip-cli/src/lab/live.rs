//! A run in the background: it streams to the page, and can be paused, stepped, ended, and gone back in.

use super::news::News;
use crate::check::CHECK_TOLERANCE;
use crate::report::{self, Recorder};
use crate::run_summary::SummaryFile;
use serde::Serialize;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stickslip::scene::Scene;
use stickslip::simulate::{
    Halt, Observer, Progress, RunStatus, Sample, SavedState, Simulation, Summary,
};
use stickslip::system::find_contradiction;

/// Time between two looks of the page at a run, at least, and in terms of what the last one cost.
const BETWEEN: Duration = Duration::from_millis(200);
const COST: u32 = 8;
/// States that are kept, and their bytes; beyond, every other one goes.
const MOST_MOMENTS: usize = 400;
const MOST_BYTES: usize = 64 << 20;
/// Time that going back to a moment may take.
const TO_GO_BACK: Duration = Duration::from_secs(8);
/// Time between two looks of a run that rests.
const REST: Duration = Duration::from_millis(200);

/// Where a run is.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Number of the data of the page.
    pub serial: u64,
    /// running, paused, done, or how else it ended.
    pub phase: &'static str,
    /// What went wrong.
    pub message: Option<String>,
    /// Time, s, and steps so far.
    pub t: f64,
    pub steps: u64,
    #[serde(skip)]
    pub data: Arc<str>,
    /// Whether a page has these data.
    #[serde(skip)]
    is_taken: bool,
}

/// Where a run begins if it is not the start of its scene.
#[derive(Clone)]
pub struct Origin {
    /// Time, s.
    pub t: f64,
    pub state: SavedState,
    /// What the page shows up to there, and of which columns.
    pub recorder: Recorder,
    pub columns: Vec<String>,
    /// Whether joints are apart there already, by the drift of the scheme.
    pub is_apart: bool,
    /// The branch that it goes on from.
    pub parent: String,
}

#[derive(Default)]
struct Control {
    is_paused: bool,
    /// Rows that are to be computed although it is paused.
    rows: u64,
}

#[derive(Default)]
struct Moments {
    list: Vec<(f64, SavedState)>,
    bytes: usize,
}

/// A run, for all who watch and steer it.
pub struct Live {
    pub scene: Arc<Scene>,
    /// What the page of the run must say besides.
    notes: Vec<String>,
    news: Arc<News>,
    is_over: AtomicBool,
    control: Mutex<Control>,
    wake: Condvar,
    shown: Mutex<Shown>,
    recorder: Mutex<Recorder>,
    moments: Mutex<Moments>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Begins a run, at the start of its scene or at an origin; the reason if it cannot go on from there.
    pub fn begin(
        scene: &Arc<Scene>,
        warnings: &[String],
        origin: Option<&Origin>,
        news: &Arc<News>,
    ) -> Result<Arc<Self>, String> {
        let mut simulation = scene.simulate().map_err(|e| e.to_string())?;
        let mut notes = warnings.to_vec();
        let mut recorder = Recorder::new(&scene.columns());
        if let Some(origin) = origin {
            simulation.branch(&origin.state).map_err(|e| e.to_string())?;
            if let Some(apart) = apart(&simulation).filter(|_| !origin.is_apart) {
                return Err(format!("at t = {} s {apart}", origin.t));
            }
            // Of other columns there is no past.
            if names(scene) == origin.columns {
                recorder.clone_from(&origin.recorder);
            }
            notes.push(format!(
                "this is a branch of run {} from t = {} s on: the scene from its start gives another motion",
                origin.parent, origin.t
            ));
        }
        let shown = Shown {
            serial: 0,
            phase: "running",
            message: None,
            t: simulation.t(),
            steps: simulation.steps(),
            data: "null".into(),
            is_taken: true,
        };
        let live = Arc::new(Self {
            scene: scene.clone(),
            notes,
            news: news.clone(),
            is_over: AtomicBool::new(false),
            control: Mutex::default(),
            wake: Condvar::new(),
            shown: Mutex::new(shown),
            recorder: Mutex::new(recorder),
            moments: Mutex::default(),
        });
        live.keep(simulation.t(), simulation.state());
        let own = live.clone();
        news.runs.fetch_add(1, Ordering::SeqCst);
        let work = move || {
            let work = std::panic::AssertUnwindSafe(|| own.work(simulation));
            if std::panic::catch_unwind(work).is_err() {
                let mut shown = locked(&own.shown);
                (shown.phase, shown.message) = ("failed", Some("internal error".into()));
                drop(shown);
                own.news.tell();
            }
            own.news.runs.fetch_sub(1, Ordering::SeqCst);
        };
        if let Err(e) = std::thread::Builder::new().name("run".into()).spawn(work) {
            news.runs.fetch_sub(1, Ordering::SeqCst);
            return Err(format!("no thread can be started: {e}"));
        }
        Ok(live)
    }

    /// Ends it for good.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }

    /// Pauses it, or lets it go on. It counts as paused when it has come to rest, not when it is told to.
    pub fn pause(&self, is_paused: bool) {
        *locked(&self.control) = Control { is_paused, rows: 0 };
        if !is_paused {
            self.change_phase("paused", "running");
        }
        self.wake.notify_all();
    }

    fn change_phase(&self, from: &str, to: &'static str) {
        let mut shown = locked(&self.shown);
        if shown.phase == from {
            shown.phase = to;
            drop(shown);
            self.news.tell();
        }
    }

    /// Computes up to the next row of output and pauses there.
    pub fn step(&self) {
        let mut control = locked(&self.control);
        control.is_paused = true;
        control.rows = (control.rows + 1).min(1000);
        drop(control);
        self.wake.notify_all();
    }

    /// Where it is; with `take` the data count as seen.
    pub fn shown(&self, take: bool) -> Shown {
        let mut shown = locked(&self.shown);
        shown.is_taken |= take;
        shown.clone()
    }

    fn keep(&self, t: f64, state: SavedState) {
        let words: usize = state.memory().sections.iter().map(|section| section.words.len()).sum();
        let mut moments = locked(&self.moments);
        moments.bytes += 8 * words;
        moments.list.push((t, state));
        if moments.list.len() > MOST_MOMENTS || moments.bytes > MOST_BYTES {
            let last = moments.list.len() - 1;
            let mut number = 0;
            moments.list.retain(|_| {
                number += 1;
                number % 2 == 1 || number > last
            });
            // They are about as large as each other.
            moments.bytes /= 2;
        }
    }

    /// The moment at the first end of a step at a time (s) or behind it, as the origin of a branch.
    pub fn go_back(&self, t: f64, parent: &str) -> Result<Origin, String> {
        let before = {
            let moments = locked(&self.moments);
            let number = moments.list.iter().rposition(|(own, _)| *own <= t).unwrap_or(0);
            moments.list.get(number).cloned().ok_or("nothing is computed yet")?
        };
        let mut simulation = self.scene.simulate().map_err(|e| e.to_string())?;
        simulation.set_state(&before.1).map_err(|e| e.to_string())?;
        let last = Instant::now() + TO_GO_BACK;
        simulation.stop_when(Arc::new(move || Instant::now() > last));
        let goal = t.clamp(before.0, locked(&self.shown).t.max(before.0));
        let mut until = Until(last);
        simulation.observe_until(goal, &mut until).map_err(|status| match status {
            RunStatus::Interrupted => format!("t = {t} s is too far from a moment that was kept"),
            _ => format!("t = {t} s cannot be computed again"),
        })?;
        let mut recorder = locked(&self.recorder).clone();
        recorder.cut(simulation.t());
        // Without the rounding of multiples of the step.
        let t = (simulation.t() * 1e9).round() / 1e9;
        let (state, columns) = (simulation.state(), names(&self.scene));
        let (is_apart, parent) = (apart(&simulation).is_some(), parent.to_owned());
        Ok(Origin { t, state, recorder, columns, is_apart, parent })
    }

    /// Waits while it is paused; what to do then.
    fn next(&self) -> Order {
        let mut control = locked(&self.control);
        loop {
            if self.is_over.load(Ordering::SeqCst) {
                return Order::End;
            }
            if !control.is_paused {
                self.change_phase("paused", "running");
                return Order::Go;
            }
            self.change_phase("running", "paused");
            if control.rows > 0 {
                control.rows -= 1;
                return Order::Row;
            }
            let waited = self.wake.wait_timeout(control, REST);
            control = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn work(self: &Arc<Self>, mut simulation: Simulation) {
        let own = self.clone();
        simulation.stop_when(Arc::new(move || own.is_over.load(Ordering::SeqCst)));
        let begin = Instant::now();
        let mut watcher = Watcher {
            live: self,
            begin,
            rows: 0,
            told: begin,
            cost: Duration::ZERO,
            is_running: false,
            is_step: false,
        };
        // The row of the start, so that the page has something to show at once.
        let start = simulation.t();
        let mut ended = simulation.observe_until(start, &mut watcher).err();
        watcher.show(simulation.summary(), true);
        let settings = simulation.settings();
        let end = self.scene.start.t + settings.duration;
        let (output_step, slack) = (settings.output_step, 1e-6 * settings.step);
        while ended.is_none() {
            match self.next() {
                Order::End => return,
                Order::Row if simulation.t() + slack < end => {
                    let last = locked(&self.recorder).rows().last().map_or(start, |row| row.t);
                    let goal = (last + output_step).max(simulation.t() + slack).min(end);
                    watcher.is_step = true;
                    ended = simulation.observe_until(goal, &mut watcher).err();
                    watcher.is_step = false;
                    watcher.show(simulation.summary(), true);
                }
                Order::Go | Order::Row => {
                    watcher.is_running = true;
                    let summary = simulation.run(&mut watcher);
                    watcher.is_running = false;
                    if !matches!(summary.status, RunStatus::Interrupted) {
                        if !simulation.is_torn() {
                            self.keep(simulation.t(), simulation.state());
                        }
                        watcher.show(summary, false);
                        return;
                    }
                    if self.is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    watcher.show(summary, true);
                }
            }
        }
        if let Some(status) = ended.filter(|_| !self.is_over.load(Ordering::SeqCst)) {
            watcher.show(Summary { status, ..simulation.summary() }, false);
        }
    }
}

/// Joints that do not meet at the present state.
fn apart(simulation: &Simulation) -> Option<String> {
    let found = find_contradiction(simulation.system(), simulation.present(), CHECK_TOLERANCE);
    found.map(|contradiction| contradiction.to_string())
}

/// The columns of a scene.
fn names(scene: &Scene) -> Vec<String> {
    scene.columns().all().map(|column| column.to_string()).collect()
}

enum Order {
    Go,
    Row,
    End,
}

/// Sees a run until its time is over.
struct Until(Instant);

impl Observer for Until {
    fn sample(&mut self, _sample: &Sample) -> io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        Instant::now() < self.0
    }
}

struct Watcher<'a> {
    live: &'a Live,
    begin: Instant,
    rows: u64,
    told: Instant,
    cost: Duration,
    /// Within a run that goes on until it is paused, or within one row.
    is_running: bool,
    is_step: bool,
}

impl Watcher<'_> {
    /// Shows the page what there is.
    fn show(&mut self, mut summary: Summary, goes_on: bool) {
        let live = self.live;
        let begin = Instant::now();
        if goes_on {
            // The page must not call a run done that is not.
            summary.status = RunStatus::Interrupted;
        }
        let scene = live.scene.as_ref();
        let time = self.begin.elapsed();
        let mut file = SummaryFile::new(scene, &summary, "stickslip lab", self.rows, time);
        file.warnings = live.notes.iter().chain(&summary.warnings).cloned().collect();
        let data = report::data(scene, &locked(&live.recorder), &summary, &file);
        let rests = !self.is_running && locked(&live.control).is_paused;
        let mut shown = locked(&live.shown);
        (shown.phase, shown.message) = match (goes_on, rests) {
            (true, true) => ("paused", None),
            (true, false) => ("running", None),
            (false, _) => (file.status, file.message.clone()),
        };
        match data {
            Ok(data) => {
                (shown.data, shown.is_taken) = (data.into(), false);
                shown.serial = live.news.serial();
            }
            Err(e) => (shown.phase, shown.message) = ("failed", Some(e.to_string())),
        }
        (shown.t, shown.steps) = (summary.final_state.t, summary.steps);
        drop(shown);
        (self.told, self.cost) = (Instant::now(), begin.elapsed());
        live.news.tell();
    }
}

impl Observer for Watcher<'_> {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        locked(&self.live.recorder).record(self.live.scene.system.as_ref(), sample);
        self.rows += 1;
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        // Nobody looks: a run without end must not keep the machine busy.
        while !self.live.news.is_watched() && !self.live.is_over.load(Ordering::SeqCst) {
            std::thread::sleep(REST);
        }
        let is_over = self.live.is_over.load(Ordering::SeqCst);
        !is_over && (self.is_step || !locked(&self.live.control).is_paused)
    }

    fn between_steps(&mut self, halt: &mut Halt) -> io::Result<()> {
        self.live.keep(halt.progress().t, halt.state());
        let is_due = self.told.elapsed() >= BETWEEN.max(COST * self.cost);
        if is_due && locked(&self.live.shown).is_taken {
            self.show(halt.summary(), true);
        }
        Ok(())
    }
}
