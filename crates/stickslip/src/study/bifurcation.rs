//! Bifurcation diagrams: where a motion passes a section, over a parameter.

use super::quantity::Vocabulary;
use super::section::{Section, Surface};
use super::settle::{Look, Motion, OF_IMPACT, Shown};
use super::workers::share;
use super::{StudyError, Vary, with_all_columns};
use crate::scene::SceneFile;
use crate::stop::StopCheck;
use crate::system::State;

/// Quantities that are shown unless they are chosen.
const MOST_SHOWN: usize = 4;

/// In which order the values are gone through, each from the state that was reached at the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// Each value begins at the start of the scene.
    #[default]
    No,
    /// As they are given.
    Up,
    /// From the last to the first.
    Down,
    /// Up, and then down from what was reached.
    Both,
}

/// On which way a value was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Going {
    /// From the start of the scene.
    Alone,
    /// As the values are given.
    Up,
    /// Back.
    Down,
}

impl Going {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Going::Alone => "alone",
            Going::Up => "up",
            Going::Down => "down",
        }
    }
}

/// What became of the motion at one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Number of the value.
    pub number: usize,
    /// The value without its unit.
    pub value: String,
    /// On which way.
    pub going: Going,
    /// After how many passages the motion repeats itself; none if it does not.
    pub period: Option<usize>,
    /// Each passage that is kept: its time in s, and the shown quantities in SI units.
    pub points: Vec<Vec<f64>>,
    /// `done`, `no-section` if it is passed too rarely, the status of a run that failed, or `bad-input`.
    pub status: &'static str,
    /// Why; may be empty.
    pub message: String,
}

/// A bifurcation diagram.
pub struct Bifurcation {
    file: SceneFile,
    overrides: Vec<String>,
    vary: Vary,
    section: Section,
    /// Passages before those that are kept.
    pub discard: usize,
    /// Passages that are kept.
    pub keep: usize,
    /// In which order the values are gone through.
    pub follow: Follow,
    /// Part of the size of a quantity within which it has come back.
    pub tolerance: f64,
    shown: Vec<(String, String)>,
    columns: Vec<String>,
    scene: String,
    hash: String,
}

impl Bifurcation {
    /// A diagram over one key; `shown` are expressions of columns at the section, or `normal_velocity_after` and
    /// `normal_velocity_before` of impacts. Without any it shows the first of these, or some columns.
    pub fn new(
        file: SceneFile,
        overrides: &[String],
        vary: Vary,
        section: Section,
        shown: &[String],
    ) -> Result<Self, StudyError> {
        if vary.count().is_none() {
            return Err(StudyError::wrong(format!(
                "--vary {}: how many values? write {0}=from:to:count",
                vary.key
            )));
        }
        let all = with_all_columns(&file, overrides)?;
        let own = file.scene(overrides)?;
        // Says what is wrong with the section or the key before anything runs.
        let surface = section.of(&all)?;
        let vocabulary = Vocabulary::of(&all);
        let mut shown: Vec<String> = shown.to_vec();
        let is_impact = matches!(surface, Surface::Impact(_));
        if shown.is_empty() && is_impact {
            shown.push(OF_IMPACT[0].to_owned());
        } else if shown.is_empty() {
            let columns = own.columns();
            let names = columns.all().filter(|c| !c.for_tables).map(|c| c.name.to_string());
            let known = names.filter(|name| vocabulary.of_state("--show", name).is_ok());
            shown = known.take(MOST_SHOWN).collect();
        }
        let mut columns: Vec<String> = Vec::new();
        let mut named = Vec::new();
        for text in &shown {
            let unit = match Shown::new(text, &vocabulary)? {
                Shown::Of(of) => {
                    columns.extend(of.quantity().inputs().map(str::to_owned));
                    of.quantity().unit().to_owned()
                }
                _ if !is_impact => {
                    let message = format!("--show {text}: only a section impact(NAME) has it");
                    return Err(StudyError::Wrong(message));
                }
                _ => "m/s".to_owned(),
            };
            named.push((text.clone(), unit));
        }
        if let Surface::Level(level) = &surface {
            columns.extend(level.inputs().map(str::to_owned));
        }
        let first: Vec<String> = overrides.iter().cloned().chain(vary.argument(0)).collect();
        file.scene(&first)?;
        Ok(Self {
            hash: super::hash(&own.to_toml()),
            scene: own.name.clone(),
            overrides: overrides.to_vec(),
            file,
            vary,
            section,
            discard: 200,
            keep: 100,
            follow: Follow::No,
            tolerance: 1e-3,
            shown: named,
            columns,
        })
    }

    /// Names and SI units of the shown quantities.
    pub fn shown(&self) -> &[(String, String)] {
        &self.shown
    }

    /// What is varied.
    pub fn vary(&self) -> &Vary {
        &self.vary
    }

    /// Name of the scene.
    pub fn scene(&self) -> &str {
        &self.scene
    }

    /// Hash of the scene.
    pub fn scene_hash(&self) -> &str {
        &self.hash
    }

    /// The number of values that are gone through.
    pub fn count(&self) -> usize {
        let count = self.vary.count().unwrap_or(0);
        if self.follow == Follow::Both { 2 * count } else { count }
    }

    /// Goes through all values; what became of the motion at each, in the order in which they were gone through.
    /// With `stop` true it ends early. Values that are not followed are shared among `jobs` threads.
    pub fn run(
        &self,
        jobs: usize,
        stop: &StopCheck,
        tell: &mut dyn FnMut(&Settled),
    ) -> Result<Vec<Settled>, StudyError> {
        let count = self.vary.count().unwrap_or(0);
        let mut all: Vec<Settled> = Vec::with_capacity(self.count());
        if self.follow == Follow::No {
            let work = |number| Some(self.at(number, Going::Alone, None, stop)?.0);
            share(std::slice::from_ref(&(0..count)), jobs, stop, &work, &mut |_, settled| {
                tell(&settled);
                all.push(settled);
                Ok(())
            })?;
            all.sort_by_key(|settled| settled.number);
        } else {
            let up = (0..count).map(|number| (Going::Up, number));
            let down = (0..count).rev().map(|number| (Going::Down, number));
            let up = up.filter(|_| self.follow != Follow::Down);
            let down = down.filter(|_| self.follow != Follow::Up);
            let mut from: Option<State> = None;
            for (going, number) in up.chain(down) {
                let Some((settled, end)) = self.at(number, going, from.as_ref(), stop) else {
                    break;
                };
                tell(&settled);
                all.push(settled);
                from = end.or(from);
            }
        }
        if all.iter().all(|settled| settled.status == "no-section") && !all.is_empty() {
            return Err(StudyError::wrong(format!(
                "--section: at no value the section is passed {} times: {}",
                self.discard + self.keep,
                all[0].message
            )));
        }
        Ok(all)
    }

    /// The motion at one value, and the state from which the next may go on; nothing if it was ended by `stop`.
    fn at(
        &self,
        number: usize,
        going: Going,
        from: Option<&State>,
        stop: &StopCheck,
    ) -> Option<(Settled, Option<State>)> {
        let Self { file, columns, section, shown, discard, keep, tolerance, .. } = self;
        let value = self.vary.value(number).unwrap_or_default();
        let set = self.vary.set(&value);
        let overrides: Vec<String> = self.overrides.iter().cloned().chain([set]).collect();
        let (discard, keep, tolerance) = (*discard, *keep, *tolerance);
        let look = Look { file, columns, section, shown, discard, keep, tolerance };
        let Motion { points, period, status, message, end, .. } =
            look.settle(&overrides, from, stop);
        let settled = Settled { number, value, going, period, points, status, message };
        (!stop()).then_some((settled, end))
    }
}
