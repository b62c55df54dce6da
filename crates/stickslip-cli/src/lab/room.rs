//! What is on the bench: branches with their texts and runs, and the file.

use super::disk::{Disk, MOST_TEXT, NotSaved};
use super::live::{Live, Origin, Shown};
use super::news::News;
use super::text::{Checked, Fault};
use crate::exit::Exit;
use crate::scene_file::Failure;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stickslip::scene::{Knob, SceneFile, with_value};

/// Branches at once.
const MOST_BRANCHES: usize = 8;
/// Runs whose threads have not ended: the branches, and some that were told to end.
const MOST_RUNS: usize = 2 * MOST_BRANCHES;

/// A text with its run.
struct Branch {
    id: u64,
    label: String,
    text: String,
    checked: Checked,
    origin: Option<Origin>,
    live: Option<Arc<Live>>,
    /// What the user should know of its last run.
    notice: Option<String>,
}

struct State {
    branches: Vec<Branch>,
    current: u64,
    next: u64,
    /// Grows when the text changes.
    revision: u64,
    /// Number of the last edit that counts.
    edit: u64,
    disk: Disk,
}

/// All of it, for the page and the watcher of the file.
pub struct Room {
    state: Mutex<State>,
    /// The scene as it was opened: name and folder.
    file: SceneFile,
    pub news: Arc<News>,
}

/// A branch as the page sees it.
#[derive(Serialize)]
struct SeenBranch {
    id: u64,
    label: String,
    /// Where it begins, s, if it is not the start.
    from: Option<f64>,
    parent: Option<String>,
    #[serde(flatten)]
    shown: Option<Shown>,
}

/// What the page must know.
#[derive(Serialize)]
pub struct Seen {
    version: u64,
    revision: u64,
    /// The text, where the page has another one.
    text: Option<String>,
    name: String,
    file: Option<String>,
    is_saved: bool,
    has_changed: bool,
    faults: Vec<Fault>,
    warnings: Vec<String>,
    notice: Option<String>,
    knobs: Vec<Knob>,
    branches: Vec<SeenBranch>,
    current: u64,
}

/// Why something was not done, in a sentence for the user.
pub type Refused = String;

impl State {
    fn current(&mut self) -> Result<&mut Branch, Refused> {
        let current = self.current;
        let found = self.branches.iter_mut().find(|branch| branch.id == current);
        found.ok_or_else(|| "there is no such branch".into())
    }

    fn find(&self, id: u64) -> Result<&Branch, Refused> {
        let found = self.branches.iter().find(|branch| branch.id == id);
        found.ok_or_else(|| "there is no such branch".into())
    }

    /// A letter that no branch has.
    fn letter(&self) -> String {
        let letters = ('A'..='Z').map(String::from);
        let is_free = |letter: &String| !self.branches.iter().any(|branch| branch.label == *letter);
        letters.into_iter().find(is_free).unwrap_or_else(|| "Z".into())
    }
}

impl Branch {
    /// Takes a text that was checked, and begins its run if it has one.
    fn take(&mut self, text: String, checked: Checked, news: &Arc<News>) {
        // What was known of a scene that was right stays while it is wrong.
        let knobs = match checked.scene {
            Some(_) => checked.knobs.clone(),
            None => std::mem::take(&mut self.checked.knobs),
        };
        (self.text, self.checked) = (text, Checked { knobs, ..checked });
        self.begin(news);
    }

    fn begin(&mut self, news: &Arc<News>) {
        let Some(scene) = &self.checked.scene else { return };
        self.notice = None;
        if let Some(live) = &self.live {
            live.end();
        }
        if news.runs.load(Ordering::SeqCst) >= MOST_RUNS {
            self.notice = Some("earlier runs have not ended yet; try again".into());
            return;
        }
        let warnings = &self.checked.warnings;
        let begun = Live::begin(scene, warnings, self.origin.as_ref(), news);
        let begun = match (begun, self.origin.take()) {
            (Ok(live), origin) => {
                self.origin = origin;
                Ok(live)
            }
            (Err(why), Some(origin)) => {
                let t = origin.t;
                self.notice = Some(format!("not from t = {t} s, but from the start: {why}"));
                Live::begin(scene, warnings, None, news)
            }
            (Err(why), None) => Err(why),
        };
        match begun {
            Ok(live) => self.live = Some(live),
            Err(why) => self.notice = Some(why),
        }
    }
}

impl Room {
    /// Opens a scene and begins its run.
    pub fn open(file: SceneFile) -> Result<Self, Failure> {
        if file.text.len() > MOST_TEXT {
            let message = format!("{} is larger than {} MB", file.source, MOST_TEXT >> 20);
            return Err((Exit::ResourceLimit, message));
        }
        let disk = Disk::new(&file)
            .map_err(|e| (Exit::BadInput, format!("{} cannot be read: {e}", file.source)))?;
        let news = Arc::new(News::new());
        let mut first = Branch {
            id: 1,
            label: "A".into(),
            text: String::new(),
            checked: Checked::default(),
            origin: None,
            live: None,
            notice: None,
        };
        first.take(file.text.clone(), Checked::new(&file), &news);
        let state =
            State { branches: vec![first], current: 1, next: 2, revision: 1, edit: 0, disk };
        Ok(Self { state: Mutex::new(state), file, news })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, text: &str) -> Checked {
        Checked::new(&SceneFile { text: text.to_owned(), ..self.file.clone() })
    }

    /// Takes a text as it is typed; `edit` numbers the edits, so that a late one does not count.
    pub fn type_text(&self, text: String, edit: u64) -> Result<(), Refused> {
        if text.len() > MOST_TEXT {
            return Err(format!("the text is larger than {} MB", MOST_TEXT >> 20));
        }
        let checked = self.check(&text);
        let mut state = self.lock();
        if edit < state.edit {
            return Ok(());
        }
        state.edit = edit;
        state.current()?.take(text, checked, &self.news);
        state.revision += 1;
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Puts another value into the text.
    pub fn turn(&self, key: &str, literal: &str, edit: u64) -> Result<(), Refused> {
        let text = self.lock().current()?.text.clone();
        let changed = with_value(&text, key, literal)?;
        self.type_text(changed, edit)
    }

    /// Does something with the present run.
    pub fn steer(&self, act: impl FnOnce(&Live)) -> Result<(), Refused> {
        let live = self.lock().current()?.live.clone();
        act(live.ok_or("there is no run")?.as_ref());
        Ok(())
    }

    /// Runs the present text again.
    pub fn run_again(&self) -> Result<(), Refused> {
        self.lock().current()?.begin(&self.news);
        self.news.tell();
        Ok(())
    }

    /// A new branch that goes on from a moment of the present one.
    pub fn branch(&self, t: f64) -> Result<(), Refused> {
        let (live, label) = {
            let mut state = self.lock();
            if state.branches.len() >= MOST_BRANCHES {
                return Err(format!("there are {MOST_BRANCHES} branches; close one of them first"));
            }
            let branch = state.current()?;
            (branch.live.clone().ok_or("there is no run")?, branch.label.clone())
        };
        // This may take a while: others are not kept waiting.
        let origin = live.go_back(t, &label)?;
        let mut state = self.lock();
        let (id, label) = (state.next, state.letter());
        let parent = state.current()?;
        let (text, checked) = (parent.text.clone(), parent.checked.clone());
        let (origin, live, notice) = (Some(origin), None, None);
        let mut branch = Branch { id, label, text, checked, origin, live, notice };
        branch.begin(&self.news);
        state.branches.push(branch);
        (state.current, state.next, state.revision) = (id, id + 1, state.revision + 1);
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Shows another branch.
    pub fn choose(&self, id: u64) -> Result<(), Refused> {
        let mut state = self.lock();
        state.find(id)?;
        (state.current, state.revision) = (id, state.revision + 1);
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Closes a branch; the last one stays.
    pub fn close(&self, id: u64) -> Result<(), Refused> {
        let mut state = self.lock();
        if let Some(live) = &state.find(id)?.live {
            live.end();
        }
        if state.branches.len() == 1 {
            return Err("the last branch stays".into());
        }
        state.branches.retain(|branch| branch.id != id);
        if state.current == id {
            state.current = state.branches[0].id;
        }
        state.revision += 1;
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Saves the present text.
    pub fn save(&self, name: Option<&str>, force: bool) -> Result<(), NotSaved> {
        let mut state = self.lock();
        let text = state.current().map_err(NotSaved::Failed)?.text.clone();
        state.disk.save(&text, name, force)?;
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Takes what is on disk in place of what was typed.
    pub fn reload(&self) -> Result<(), Refused> {
        let path = self.lock().disk.path().ok_or("this scene has no file")?;
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        self.replace(text)
    }

    fn replace(&self, text: String) -> Result<(), Refused> {
        let checked = self.check(&text);
        let mut state = self.lock();
        state.disk.has_changed = false;
        state.current()?.take(text, checked, &self.news);
        state.revision += 1;
        drop(state);
        self.news.tell();
        Ok(())
    }

    /// Looks whether the file has changed: takes it, unless something was typed that is not saved.
    pub fn look_at_disk(&self) {
        let text = {
            let mut state = self.lock();
            let typed = state.current().map(|branch| branch.text.clone()).unwrap_or_default();
            let is_saved = state.disk.holds(&typed);
            let Some(text) = state.disk.news() else { return };
            state.disk.has_changed = !is_saved && text != typed;
            if state.disk.has_changed {
                drop(state);
                return self.news.tell();
            }
            text
        };
        let _ = self.replace(text);
    }

    /// What a page must know that has a revision of the text and data of a number; with the data, where they
    /// are others.
    pub fn seen(&self, version: u64, revision: u64, serial: u64) -> (Seen, Option<Arc<str>>) {
        let state = self.lock();
        let branch = |branch: &Branch| SeenBranch {
            id: branch.id,
            label: branch.label.clone(),
            from: branch.origin.as_ref().map(|origin| origin.t),
            parent: branch.origin.as_ref().map(|origin| origin.parent.clone()),
            shown: branch.live.as_ref().map(|live| live.shown(branch.id == state.current)),
        };
        let branches: Vec<SeenBranch> = state.branches.iter().map(branch).collect();
        let current = state.branches.iter().find(|branch| branch.id == state.current);
        let shown = branches.iter().find(|branch| branch.id == state.current);
        let shown = shown.and_then(|branch| branch.shown.as_ref());
        let data = shown.filter(|shown| shown.serial != serial && shown.serial > 0);
        let data = data.map(|shown| shown.data.clone());
        let checked = current.map(|branch| branch.checked.clone()).unwrap_or_default();
        let text = current.map_or("", |branch| branch.text.as_str());
        let seen = Seen {
            version,
            revision: state.revision,
            text: (state.revision != revision).then(|| text.to_owned()),
            name: self.file.name.clone(),
            file: state.disk.name().map(str::to_owned),
            is_saved: state.disk.holds(text),
            has_changed: state.disk.has_changed,
            faults: checked.faults,
            warnings: checked.warnings,
            notice: current.and_then(|branch| branch.notice.clone()),
            knobs: checked.knobs,
            current: state.current,
            branches,
        };
        (seen, data)
    }

    /// Name and data of the present run, for a page of its own.
    pub fn data(&self) -> Option<(String, Arc<str>)> {
        let mut state = self.lock();
        let live = state.current().ok()?.live.as_ref()?;
        let shown = live.shown(false);
        (shown.serial > 0).then(|| (live.scene.name.clone(), shown.data))
    }

    /// Labels and data of two branches.
    pub fn pair(&self, ids: [u64; 2]) -> Option<[(String, Arc<str>); 2]> {
        let state = self.lock();
        let of = |id: u64| {
            let branch = state.find(id).ok()?;
            let shown = branch.live.as_ref()?.shown(false);
            let from = branch.origin.as_ref().map(|o| format!(" from {:.4} s", o.t));
            let label = format!("{}{}", branch.label, from.unwrap_or_default());
            (shown.serial > 0).then_some((label, shown.data))
        };
        Some([of(ids[0])?, of(ids[1])?])
    }
}
