//! Runs behind the figures; a run that several figures need is done once.

use indicatif::ProgressBar;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use stickslip::integrate::{Impact, Integrator};
use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{self, EventKind, Observer, Progress, RunSettings, RunStatus, Sample};
use stickslip::system::{ColumnList, Observed, State};

/// What a run left behind, by column.
#[derive(Clone, Debug, Default)]
pub struct Track {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// When contacts closed and opened: time, contact, what.
    pub events: Vec<(f64, String, EventKind)>,
    /// The impacts.
    pub impacts: Vec<Impact>,
    /// Deepest penetration, m.
    pub max_penetration: f64,
    /// Energy put in by each law, J.
    pub works: Vec<(String, f64)>,
    /// Time by set of closed contacts.
    pub contact_times: Vec<(u64, f64)>,
}

impl Track {
    /// A column by its name: `t`, `energy`, those of the system, and `gap NAME` of the reported
    /// contacts. Empty if there is none.
    pub fn get(&self, name: &str) -> Vec<f64> {
        let index = self.names.iter().position(|n| n == name);
        index.map_or_else(Vec::new, |i| self.columns[i].clone())
    }

    /// The value of a column in the row that is nearest in time; NaN if there is none.
    pub fn at(&self, name: &str, time: f64) -> f64 {
        let (times, values) = (self.get("t"), self.get(name));
        let distance = |i: &usize| (times[*i] - time).abs();
        let near = (0..values.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
        near.map_or(f64::NAN, |i| values[i])
    }

    /// Time of the first event of a kind at a contact after a time; NaN if there is none.
    pub fn first(&self, contact: &str, kind: EventKind, after: f64) -> f64 {
        self.matching(contact, kind, after).next().unwrap_or(f64::NAN)
    }

    /// Time of the last such event.
    pub fn last(&self, contact: &str, kind: EventKind, after: f64) -> f64 {
        self.matching(contact, kind, after).last().unwrap_or(f64::NAN)
    }

    fn matching<'a>(
        &'a self,
        contact: &'a str,
        kind: EventKind,
        after: f64,
    ) -> impl Iterator<Item = f64> + 'a {
        let wanted =
            move |e: &&(f64, String, EventKind)| e.0 > after && e.1 == contact && e.2 == kind;
        self.events.iter().filter(wanted).map(|e| e.0)
    }
}

type Kept = Arc<OnceLock<Result<Arc<Track>, String>>>;

/// The runs that were done.
#[derive(Default)]
pub struct Runs(Mutex<HashMap<String, Kept>>);

/// What a figure needs to be computed.
pub struct Context<'a> {
    /// Coarser, for a first look.
    pub quick: bool,
    runs: &'a Runs,
    bar: &'a ProgressBar,
    stop: &'a AtomicBool,
}

impl<'a> Context<'a> {
    /// A context that shows its progress on the bar and ends when `stop` is set.
    pub fn new(quick: bool, runs: &'a Runs, bar: &'a ProgressBar, stop: &'a AtomicBool) -> Self {
        Self { quick, runs, bar, stop }
    }

    /// One value for a quick look, another for the full run.
    pub fn choose<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Whether the user wants no more.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Says what is being done.
    pub fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Runs a built-in scene with overrides, once.
    pub fn scene(&self, name: &str, overrides: &[&str]) -> Result<Arc<Track>, String> {
        let key = format!("{name} {}", overrides.join(" "));
        let kept = match self.runs.0.lock() {
            Ok(mut runs) => Arc::clone(runs.entry(key.clone()).or_default()),
            // Another figure failed while it looked here: this one is computed by itself.
            Err(_) => Kept::default(),
        };
        kept.get_or_init(|| self.run_scene(name, overrides, &key).map(Arc::new)).clone()
    }

    fn run_scene(&self, name: &str, overrides: &[&str], key: &str) -> Result<Track, String> {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        let text = built_in(name)?.text;
        let scene = Scene::read(name, name, text, &overrides).map_err(|e| e.to_string())?;
        let mut integrator = scene.integrator().map_err(|e| e.to_string())?;
        let settings = scene.settings();
        self.doing(key.trim());
        self.run(scene.system.as_ref(), integrator.as_mut(), scene.start.clone(), &settings)
    }

    /// Runs a system.
    pub fn run(
        &self,
        system: &dyn Observed,
        integrator: &mut dyn Integrator,
        start: State,
        settings: &RunSettings,
    ) -> Result<Track, String> {
        let own = ColumnList::of(system, integrator.columns());
        let mut names = vec!["t".to_owned(), "energy".to_owned()];
        names.extend(own.all().map(|column| column.to_string()));
        let contact = |key: &u64| format!("gap {}", system.contact_name(*key));
        names.extend(system.reported_contacts().iter().map(contact));
        let columns = vec![Vec::new(); names.len()];
        let mut recorder = Recorder { columns, duration: settings.duration, context: self };
        let summary = simulate::run(system, integrator, start, settings, &mut recorder)
            .map_err(|e| e.to_string())?;
        match &summary.status {
            RunStatus::Done => {}
            RunStatus::Interrupted => return Err("interrupted".into()),
            RunStatus::Failed { message } => return Err(message.clone()),
            other => return Err(format!("the run ended with the status {}", other.name())),
        }
        let name = |key| system.contact_name(key).to_string();
        Ok(Track {
            names,
            columns: recorder.columns,
            events: summary.events.iter().map(|e| (e.t, name(e.contact), e.kind)).collect(),
            impacts: summary.impacts,
            max_penetration: summary.max_penetration,
            works: summary.energy.book.works.iter().map(|(l, w)| (l.to_string(), *w)).collect(),
            contact_times: summary.contact_times,
        })
    }
}

/// Keeps the rows and moves the bar.
struct Recorder<'a> {
    columns: Vec<Vec<f64>>,
    duration: f64,
    context: &'a Context<'a>,
}

impl Observer for Recorder<'_> {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        let gaps = sample.contacts.iter().map(|c| c.values.gap);
        let values = [sample.state.t, sample.energy.total()].into_iter();
        let values = values.chain(sample.values.iter().copied()).chain(gaps);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        if self.duration > 0.0 {
            self.context.bar.set_position((progress.t / self.duration * 1000.0) as u64);
        }
        !self.context.stopped()
    }
}
