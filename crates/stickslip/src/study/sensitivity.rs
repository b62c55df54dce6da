//! Runs with the derivatives of their states by keys of the scene.
//!
//! Each key changes the start and the system: both are read at neighbouring values, and the run carries the change of
//! the state along ([`Carrying`], [`CarryingEvents`]).

use super::keys::NumberKey;
use super::quantity::{OfState, Vocabulary};
use super::{StudyError, with_columns};
use crate::integrate::{
    Around, Carried, Carrying, CarryingEvents, EventDriven, EventDrivenOptions, Integrator, Pair,
    SharedChanges, Tangent,
};
use crate::scene::{IntegratorName, Scene, SceneError, SceneFile};
use crate::simulate::{Observer, Progress, RunStatus, Sample, Simulation};
use crate::stop::StopCheck;
use crate::system::{Observed, State};
use std::sync::{Arc, OnceLock};

/// Changes of a key, as parts of it, by events and by time steppers: the smaller ones are for motions that feel it much.
const EVENTS: [f64; 5] = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
const STEPS: [f64; 3] = [1e-5, 1e-6, 3e-8];
/// Change of a state, relative to the sizes of coordinates and velocities, in derivatives of columns.
const REACH: f64 = 3e-6;
/// The same that comes with a change of a key, over it, with which both are made at once.
const TOGETHER: std::ops::Range<f64> = 0.1..10.0;

/// A scene and its neighbours.
pub(super) struct Sensitivity {
    pub(super) scene: Scene,
    pub(super) keys: Vec<NumberKey>,
    source: String,
    /// For each key the scenes at falling distances from its value, above and below it.
    neighbours: Vec<Vec<Arc<Neighbours>>>,
    /// For each key the starts of the first of them.
    starts: Vec<(f64, [State; 2])>,
}

/// The scenes at one distance from the value of a key. Those at the largest one are read at once, which says what is wrong
/// with a key, and the others when a motion feels it so much that they are needed.
struct Neighbours {
    step: f64,
    file: SceneFile,
    /// For the scenes above and below.
    overrides: [Vec<String>; 2],
    columns: Vec<String>,
    scenes: OnceLock<Option<[Scene; 2]>>,
}

impl Neighbours {
    /// Reads the one above (0) or below (1).
    fn read(&self, side: usize) -> Result<Scene, SceneError> {
        with_columns(&self.file, &self.overrides[side], &self.columns)
    }

    /// None if they are refused.
    fn scenes(&self) -> Option<&[Scene; 2]> {
        self.scenes.get_or_init(|| Some([self.read(0).ok()?, self.read(1).ok()?])).as_ref()
    }
}

impl Around for Neighbours {
    fn systems(&self) -> Option<[&Arc<dyn Observed>; 2]> {
        self.scenes().map(|scenes| scenes.each_ref().map(|scene| &scene.system))
    }
}

/// How a run with derivatives went.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    /// Instants without a two-sided derivative.
    pub(super) blind: usize,
    /// Steps of the run.
    pub(super) steps: u64,
}

/// The integrators that carry changes.
fn carries(integrator: IntegratorName) -> bool {
    use IntegratorName::{EventDriven, Moreau, MoreauRk4, Rattle};
    matches!(integrator, EventDriven | Moreau | MoreauRk4 | Rattle)
}

impl Sensitivity {
    /// Reads a scene with these columns, and its neighbours by the keys; `place` is what errors name.
    pub(super) fn read(
        file: &SceneFile,
        overrides: &[String],
        columns: &[String],
        place: &str,
        keys: &[String],
    ) -> Result<Self, StudyError> {
        let scene = with_columns(file, overrides, columns)?;
        if !carries(scene.simulation.integrator) {
            return Err(StudyError::wrong(format!(
                "{}: the integrator {:?} has no derivatives; event-driven, rattle, moreau and moreau-rk4 have \
                 (--set simulation.integrator=event-driven)",
                file.source,
                scene.simulation.integrator.name()
            )));
        }
        let found = keys.iter().map(|key| NumberKey::of(&scene, place, key));
        let keys = found.collect::<Result<Vec<NumberKey>, StudyError>>()?;
        let parts: &[f64] = match scene.simulation.integrator {
            IntegratorName::EventDriven => &EVENTS,
            _ => &STEPS,
        };
        let (mut neighbours, mut starts) = (Vec::new(), Vec::new());
        for key in &keys {
            let mut list = Vec::new();
            for part in parts {
                let step = key.step(*part);
                let values = [key.value + step, key.value - step];
                let near = Arc::new(Neighbours {
                    step,
                    file: file.clone(),
                    overrides: values
                        .map(|value| overrides.iter().cloned().chain([key.set(value)]).collect()),
                    columns: columns.to_vec(),
                    scenes: OnceLock::new(),
                });
                if list.is_empty() {
                    let read = |side: usize| {
                        near.read(side).map_err(|error| {
                            StudyError::wrong(format!(
                                "{place} {}: a derivative needs values on both sides of {}, and {} is refused: {}",
                                key.key,
                                key.value,
                                values[side],
                                error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
                            ))
                        })
                    };
                    let scenes = [read(0)?, read(1)?];
                    starts.push((step, [start_of(&scenes[0])?, start_of(&scenes[1])?]));
                    near.scenes.get_or_init(|| Some(scenes));
                }
                list.push(near);
            }
            neighbours.push(list);
        }
        Ok(Self { scene, keys, source: file.source.clone(), neighbours, starts })
    }

    /// Whether events are located.
    pub(super) fn is_event_driven(&self) -> bool {
        self.scene.simulation.integrator == IntegratorName::EventDriven
    }

    /// The changes at the start.
    fn changes(&self) -> SharedChanges {
        let change = |(list, start): (&Vec<Arc<Neighbours>>, &(f64, [State; 2]))| {
            let (step, [up, down]) = start;
            let of = |part: fn(&State) -> &Vec<f64>| {
                let pairs = part(up).iter().zip(part(down));
                pairs.map(|(up, down)| (up - down) / (2.0 * step)).collect()
            };
            let tangent = Tangent { q: of(|s| &s.q), u: of(|s| &s.u), parameter: 1.0 };
            let pair = |n: &Arc<Neighbours>| Pair { step: n.step, around: n.clone() };
            Carried { tangent, pairs: list.iter().map(pair).collect() }
        };
        SharedChanges::new(self.neighbours.iter().zip(&self.starts).map(change).collect())
    }

    fn event_driven(&self, changes: SharedChanges) -> Result<CarryingEvents, StudyError> {
        let options = EventDrivenOptions {
            tolerance: self.scene.simulation.tolerance,
            ..EventDrivenOptions::default()
        };
        let inner = EventDriven::new(options).map_err(|e| StudyError::wrong(e.to_string()))?;
        Ok(CarryingEvents::new(inner, changes))
    }

    /// Runs the scene and shows each row of its table, with the changes by the keys.
    pub(super) fn run(
        &self,
        stop: &StopCheck,
        row: &mut dyn FnMut(&State, &[Carried]),
    ) -> Result<Course, StudyError> {
        let changes = self.changes();
        let integrator: Box<dyn Integrator> = if self.is_event_driven() {
            Box::new(self.event_driven(changes.clone())?)
        } else {
            Box::new(Carrying::new(self.scene.integrator()?, changes.clone()))
        };
        let (system, start) = (self.scene.system.clone(), self.scene.start.clone());
        let made = Simulation::new(system, integrator, start, self.scene.settings());
        let mut simulation = made.map_err(|e| StudyError::wrong(e.to_string()))?;
        simulation.stop_when(stop.clone());
        let summary = simulation.run(&mut Rows { changes: &changes, row, stop });
        match summary.status {
            RunStatus::Done => {}
            status => return Err(self.failed(&status.to_string())),
        }
        let blind = changes.now().blind;
        Ok(Course { blind, steps: summary.steps })
    }

    /// The same by events, at the given times in their order, s.
    pub(super) fn run_to(
        &self,
        times: &[f64],
        stop: &StopCheck,
        row: &mut dyn FnMut(&State, &[Carried]),
    ) -> Result<Course, StudyError> {
        let changes = self.changes();
        let mut integrator = self.event_driven(changes.clone())?;
        let mut state = start_of(&self.scene)?;
        let mut steps = 0;
        for time in times {
            if *time > state.t {
                let outcome = crate::stop::watching(Some(stop), || {
                    let (system, dt) = (self.scene.system.as_ref(), time - state.t);
                    integrator.step(system, &mut state, dt)
                });
                outcome.map_err(|error| self.failed(&error.to_string()))?;
                state.t = *time;
                steps += 1;
            }
            row(&state, &changes.now().list);
        }
        let blind = changes.now().blind;
        Ok(Course { blind, steps })
    }

    /// For each key how far the smallest change of it that is taken would move the state, over the size of the state.
    /// Above 1 the derivative says nothing about any change of the key that numbers can tell.
    pub(super) fn lost(&self, state: &State, changes: &[Carried]) -> Vec<f64> {
        let length = self.scene.system.characteristic_length().unwrap_or(1.0);
        let sizes = sizes(state, length);
        let step =
            |list: &Vec<Arc<Neighbours>>| list.iter().map(|n| n.step).fold(f64::INFINITY, f64::min);
        let ways = changes.iter().map(|change| way(&change.tangent, sizes));
        ways.zip(&self.neighbours).map(|(way, list)| way * step(list)).collect()
    }

    fn failed(&self, reason: &str) -> StudyError {
        StudyError::NotFound(format!("{}: the run failed: {reason}", self.source))
    }

    /// A column or an expression of columns, with its derivatives by the keys.
    pub(super) fn watch(&self, place: &str, text: &str) -> Result<Watched, StudyError> {
        let of = |scene: &Scene| Vocabulary::of(scene).of_state(place, text);
        let mut neighbours = Vec::new();
        for list in &self.neighbours {
            let mut all = Vec::new();
            for scenes in list {
                let (scenes, text) = (scenes.clone(), text.to_owned());
                all.push(WatchedNearby { scenes, text, values: None });
            }
            if let Some(first) = all.first_mut()
                && let Some([up, down]) = first.scenes.scenes()
            {
                first.values = Some([of(up)?, of(down)?]);
            }
            neighbours.push(all);
        }
        let length = self.scene.system.characteristic_length().unwrap_or(1.0);
        Ok(Watched { own: of(&self.scene)?, neighbours, length })
    }

    /// Something that is read from the words of the scenes, at the key with this number: a step with the values above
    /// and below.
    pub(super) fn near<T>(
        &self,
        key: usize,
        read: &dyn Fn(&Vocabulary) -> Result<T, StudyError>,
    ) -> Result<Vec<(f64, [T; 2])>, StudyError> {
        let of = |scene: &Scene| read(&Vocabulary::of(scene));
        let first = self.neighbours.get(key).and_then(|list| list.first());
        let Some((step, [up, down])) = first.and_then(|n| Some((n.step, n.scenes()?))) else {
            return Ok(Vec::new());
        };
        Ok(vec![(step, [of(up)?, of(down)?])])
    }
}

/// The state with which a run of a scene begins.
fn start_of(scene: &Scene) -> Result<State, StudyError> {
    Ok(scene.simulate()?.present().clone())
}

/// The derivative by values at the first of several pairs of places.
pub(super) fn derivative<T>(pairs: &[(f64, [T; 2])], value: impl Fn(&T) -> f64) -> f64 {
    pairs.first().map_or(0.0, |(step, [up, down])| (value(up) - value(down)) / (2.0 * step))
}

/// A quantity with its derivatives.
pub(super) struct Watched {
    own: OfState,
    neighbours: Vec<Vec<WatchedNearby>>,
    length: f64,
}

/// A quantity at neighbouring values of a key.
struct WatchedNearby {
    scenes: Arc<Neighbours>,
    text: String,
    /// Above and below, once they are asked for.
    values: Option<[OfState; 2]>,
}

impl WatchedNearby {
    fn values(&mut self) -> Option<&mut [OfState; 2]> {
        if self.values.is_none() {
            let of = |scene: &Scene| Vocabulary::of(scene).of_state("", &self.text).ok();
            let [up, down] = self.scenes.scenes()?;
            self.values = Some([of(up)?, of(down)?]);
        }
        self.values.as_mut()
    }
}

impl Watched {
    /// Its value at a state, and its derivatives by the keys.
    pub(super) fn at(&mut self, state: &State, changes: &[Carried]) -> (f64, Vec<f64>) {
        let value = self.value(state);
        (value, self.slopes(state, changes.iter().map(|change| &change.tangent)))
    }

    /// Its value at a state.
    pub(super) fn value(&mut self, state: &State) -> f64 {
        self.own.value(state)
    }

    /// Its derivatives by the keys at a state, with the changes of that by them.
    pub(super) fn slopes<'a>(
        &mut self,
        state: &State,
        changes: impl Iterator<Item = &'a Tangent>,
    ) -> Vec<f64> {
        let sizes = sizes(state, self.length);
        let mut all = Vec::new();
        let mut place = state.clone();
        for (tangent, pairs) in changes.zip(&mut self.neighbours) {
            let (Tangent { q, u, .. }, size) = (tangent, way(tangent, sizes));
            let mut moved = |of: &mut OfState, by: f64| {
                place.q.clone_from(&state.q);
                place.u.clone_from(&state.u);
                place.q.iter_mut().zip(q).for_each(|(x, d)| *x += by * d);
                place.u.iter_mut().zip(u).for_each(|(x, d)| *x += by * d);
                of.value(&place)
            };
            // State and key at once, where one step is of the right size for both.
            let fits = |n: &&mut WatchedNearby| TOGETHER.contains(&(n.scenes.step * size / REACH));
            if let Some(both) = pairs.iter_mut().find(fits) {
                let step = both.scenes.step;
                if let Some([up, down]) = both.values() {
                    all.push((moved(up, step) - moved(down, -step)) / (2.0 * step));
                    continue;
                }
            }
            let mut sum = 0.0;
            if size > 0.0 {
                let by = REACH / size;
                sum += (moved(&mut self.own, by) - moved(&mut self.own, -by)) / (2.0 * by);
            }
            if let Some(first) = pairs.first_mut() {
                let step = first.scenes.step;
                if let Some([up, down]) = first.values() {
                    sum += (up.value(state) - down.value(state)) / (2.0 * step);
                }
            }
            all.push(sum);
        }
        all
    }
}

fn largest(list: &[f64], least: f64) -> f64 {
    list.iter().fold(least, |most, v| most.max(v.abs()))
}

/// Sizes of coordinates and velocities; `length` is the least, m and m/s.
fn sizes(state: &State, length: f64) -> [f64; 2] {
    [largest(&state.q, length), largest(&state.u, length)]
}

/// How fast a state moves with a key, relative to its sizes.
fn way(tangent: &Tangent, sizes: [f64; 2]) -> f64 {
    (largest(&tangent.q, 0.0) / sizes[0]).max(largest(&tangent.u, 0.0) / sizes[1])
}

/// Shows the rows of a run.
struct Rows<'a> {
    changes: &'a SharedChanges,
    row: &'a mut dyn FnMut(&State, &[Carried]),
    stop: &'a StopCheck,
}

impl Observer for Rows<'_> {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        (self.row)(sample.state, &self.changes.now().list);
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        !(self.stop)()
    }
}
