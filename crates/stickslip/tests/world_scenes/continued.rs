//! A run that is saved and goes on in another simulation is the same run, bit for bit.

use stickslip::memory::MemoryError;
use stickslip::scene::Scene;
use stickslip::simulate::{
    self, Archive, Observer, RecordPlace, Sample, Simulation, Summary, TableWriter, Unobserved,
};

/// Writes rows as a table.
struct Table(TableWriter<Vec<u8>>);

impl Observer for Table {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.0.row(sample)
    }
}

impl Table {
    fn text(self) -> String {
        String::from_utf8(self.0.finish().expect("a table")).expect("text")
    }

    fn of(scene: &Scene) -> Self {
        Self(
            TableWriter::new(scene.system.as_ref(), &scene.columns(), Vec::new()).expect("a table"),
        )
    }
}

fn simulation(scene: &Scene) -> Simulation {
    scene.simulate().unwrap_or_else(|e| panic!("{}: {e}", scene.name))
}

/// The table and the summary of a run in one piece.
fn in_one_piece(scene: &Scene) -> (String, Summary) {
    let mut table = Table::of(scene);
    let (system, mut integrator) =
        (scene.system.as_ref(), scene.integrator().expect("an integrator"));
    let (start, settings) = (scene.start.clone(), scene.settings());
    let summary =
        simulate::run(system, integrator.as_mut(), start, &settings, &mut table).expect("settings");
    (table.text(), summary)
}

/// The same in pieces, each by a simulation of its own.
fn in_pieces(scene: &Scene, cuts: &[f64]) -> (String, Summary) {
    let mut table = Table::of(scene);
    let mut piece = simulation(scene);
    for cut in cuts {
        // A run that fails does so in the last piece too.
        let _ = piece.observe_until(*cut, &mut table);
        let saved = piece.state();
        piece = simulation(scene);
        piece.set_state(&saved).expect("its own state");
        assert!(saved == piece.state(), "{}: what was read is not what was saved", scene.name);
    }
    let summary = piece.run(&mut table);
    (table.text(), summary)
}

/// Names, durations and integrators of scenes, and whether steps may be chosen by an accuracy.
const SCENES: &[(&str, &str, &[&str], bool)] = &[
    ("bouncing-ball", "1.2 s", &ALL, true),
    ("bouncing-mass", "0.4", &ALL, true),
    ("block-on-incline", "0.1 s", &EXPLICIT, true),
    ("tippe-top", "0.05", &EXPLICIT, true),
    ("rolling-disk-coulomb", "0.05", &TIME_STEPPERS, true),
    ("slider-crank", "0.02", &SET_VALUED, true),
    ("woodpecker-toy", "0.05 s", &TIME_STEPPERS, true),
    ("newtons-cradle", "0.5 s", &SET_VALUED, false),
    ("four-bar-clearance", "0.05 s", &SET_VALUED, false),
    ("box-stack", "0.05 s", &TIME_STEPPERS, false),
    ("conveyor-masses", "0.5", &ALL, false),
    ("friction-mass", "1", &ALL, false),
    ("rattleback", "0.05 s", &TIME_STEPPERS, false),
];
const TIME_STEPPERS: [&str; 3] = ["rattle", "moreau", "moreau-rk4"];
const SET_VALUED: [&str; 4] = ["rattle", "moreau", "moreau-rk4", "event-driven"];
const EXPLICIT: [&str; 6] =
    ["rattle", "moreau", "moreau-rk4", "event-driven", "ode-rk4", "ode-adaptive"];
const ALL: [&str; 7] =
    ["rattle", "moreau", "moreau-rk4", "event-driven", "ode-rk4", "ode-adaptive", "ode-stiff"];

fn compare(name: &str, overrides: &[&str], random: &mut fastrand::Rng) {
    let scene = Scene::load(name, overrides).unwrap_or_else(|e| panic!("{e}"));
    let duration = scene.simulation.duration;
    let (table, summary) = in_one_piece(&scene);
    let mut cuts: Vec<f64> = (0..3).map(|_| duration * random.f64()).collect();
    cuts.push(0.0);
    cuts.sort_by(f64::total_cmp);
    let (pieces, summary_of_pieces) = in_pieces(&scene, &cuts);
    assert!(table.lines().count() > 4, "{name} {overrides:?}: {}", summary.status);
    assert!(table == pieces, "{name} {overrides:?}: the table differs, cuts at {cuts:?}");
    assert_eq!(summary, summary_of_pieces, "{name} {overrides:?}, cuts at {cuts:?}");
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let mut random = fastrand::Rng::with_seed(16);
    for (name, duration, integrators, chooses) in SCENES {
        let duration = format!("simulation.duration={duration}");
        for integrator in *integrators {
            let integrator = format!("simulation.integrator={integrator}");
            compare(name, &[&duration, &integrator], &mut random);
        }
        for integrator in TIME_STEPPERS.iter().filter(|_| *chooses) {
            let integrator = format!("simulation.integrator={integrator}");
            let overrides = [&duration, &integrator, "simulation.accuracy=1e-3"];
            compare(name, &overrides, &mut random);
        }
    }
    // What the sweeps over gaps know of the last one, and an end between two steps.
    let sweeps = ["simulation.integrator=moreau", "simulation.projection=gaps"];
    compare("sphere-pile", &["simulation.duration=0.05 s", sweeps[0], sweeps[1]], &mut random);
    compare("conveyor-masses", &["simulation.duration=0.45678"], &mut random);
}

#[test]
fn a_simulation_goes_back_to_its_start_and_beyond_its_end() {
    let scene = Scene::load("bouncing-ball", &["simulation.duration=0.5 s"]).unwrap();
    let mut simulation = simulation(&scene);
    let first = simulation.run(&mut Unobserved);
    simulation.reset().unwrap();
    assert_eq!((simulation.t(), simulation.steps()), (0.0, 0));
    assert_eq!(simulation.run(&mut Unobserved), first);
    // Beyond the end the grid goes on, as that of a longer run.
    let copy = simulation.clone();
    simulation.step(100).unwrap();
    let longer = Scene::load("bouncing-ball", &["simulation.duration=1 s"]).unwrap();
    let mut whole = longer.simulate().unwrap();
    whole.step(first.steps + 100).unwrap();
    assert_eq!(simulation.q(), whole.q());
    assert_eq!(copy.q(), first.final_state.q, "a copy goes its own way");
}

#[test]
fn a_state_of_another_simulation_is_refused_and_changes_nothing() {
    let of = |name: &str, integrator: &str| {
        let integrator = format!("simulation.integrator={integrator}");
        simulation(&Scene::load(name, &[&integrator]).unwrap())
    };
    let mut simulation = of("bouncing-ball", "moreau");
    simulation.step(10).unwrap();
    let before = simulation.state();
    let section = |e: MemoryError| matches!(e, MemoryError::Section { .. });
    assert!(simulation.set_state(&of("bouncing-ball", "rattle").state()).is_err_and(section));
    assert!(simulation.set_state(&of("box-stack", "moreau").state()).is_err());
    // Any word or section that is missing, and every one that is too many.
    let memory = before.memory();
    for (position, section) in memory.sections.iter().enumerate() {
        let mut shorter = memory.clone();
        shorter.sections.remove(position);
        assert!(simulation.set_state(&shorter.into()).is_err(), "without {}", section.name);
        let mut longer = memory.clone();
        longer.sections[position].words.push(1);
        assert!(simulation.set_state(&longer.into()).is_err(), "more of {}", section.name);
        let mut torn = memory.clone();
        if torn.sections[position].words.pop().is_some() {
            assert!(simulation.set_state(&torn.into()).is_err(), "less of {}", section.name);
        }
    }
    assert!(simulation.state() == before);
}

#[test]
fn scenes_and_simulations_go_to_other_threads() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let scene = send(Scene::load("bouncing-ball", &["simulation.duration=0.1 s"]).unwrap());
    let mut simulations = vec![simulation(&scene); 2];
    let ends = std::thread::scope(|scope| {
        let threads = simulations.iter_mut().map(|one| scope.spawn(|| one.run(&mut Unobserved)));
        threads.collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(ends[0], ends[1]);
}

/// A file of its own, removed at the end.
struct TestFile(std::path::PathBuf);

impl TestFile {
    fn new(name: &str) -> Self {
        let name = format!("stickslip-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn what_a_crash_leaves_in_an_archive_is_no_record() {
    let scene = Scene::load("bouncing-mass", &[]).unwrap();
    let mut simulation = simulation(&scene);
    let file = TestFile::new("torn.archive");
    let mut archive = Archive::create(&file.0, &scene.to_toml()).unwrap();
    let (mut states, mut ends) = (Vec::new(), Vec::new());
    for rows in 0..3 {
        simulation.step(50).unwrap();
        let (t, steps) = (simulation.t(), simulation.steps());
        let place = RecordPlace { t, steps, rows, table_bytes: 7, seconds: 0.5, is_end: rows == 2 };
        states.push(simulation.state());
        archive.append(place, &states[rows as usize]).unwrap();
        ends.push(std::fs::metadata(&file.0).unwrap().len() as usize);
    }
    let places: Vec<RecordPlace> = archive.places().copied().collect();
    let whole = std::fs::read(&file.0).unwrap();
    let mut read = Archive::open(&file.0).unwrap();
    assert_eq!(read.about(), scene.to_toml());
    assert!(read.places().eq(&places));
    assert!((0..3).all(|number| read.state(number).unwrap() == states[number]));
    assert!(read.state(3).is_err());
    let count = |bytes: &[u8]| {
        std::fs::write(&file.0, bytes).unwrap();
        Archive::open(&file.0).ok().map(|archive| archive.places().len())
    };
    // Cut off anywhere behind the scene, or with one bit that is wrong.
    let first = ends[0] - (ends[1] - ends[0]);
    for end in (first..whole.len()).step_by(37).chain(ends.clone()) {
        let kept = ends.iter().filter(|own| **own <= end).count();
        assert_eq!(count(&whole[..end]), Some(kept), "of {end} bytes");
    }
    for place in (0..whole.len()).step_by(61) {
        let mut wrong = whole.clone();
        wrong[place] ^= 16;
        let kept = ends.iter().filter(|own| **own <= place).count();
        assert_eq!(count(&wrong), (place >= first).then_some(kept), "byte {place}");
    }
    // The next record takes the place of what is left.
    std::fs::write(&file.0, &whole[..ends[2] - 5]).unwrap();
    let mut archive = Archive::open(&file.0).unwrap();
    archive.append(places[2], &states[2]).unwrap();
    assert_eq!(std::fs::read(&file.0).unwrap(), whole);
    let (_, resumed) = Scene::resume(&file.0).unwrap();
    assert!(resumed.state() == states[2]);
}

#[test]
fn an_archive_is_thinned_evenly_and_keeps_its_ends() {
    let file = TestFile::new("thinned.archive");
    let mut archive = Archive::create(&file.0, "").unwrap();
    let state = simulate::SavedState::default();
    for steps in 0..5000 {
        archive.append(RecordPlace { steps, ..RecordPlace::default() }, &state).unwrap();
        assert!(archive.places().len() <= 1000);
        let ends: Vec<u64> = archive.places().rev().take(2).map(|place| place.steps).collect();
        assert!(steps == 0 || ends == [steps, steps - 1]);
    }
    let read = Archive::open(&file.0).unwrap();
    let steps: Vec<u64> = read.places().map(|place| place.steps).collect();
    assert_eq!((steps.len(), steps[0]), (archive.places().len(), 0));
    assert!(steps.len() > 400, "{}", steps.len());
    // What was written since it was thinned is as dense as it came; before that the distances differ by one
    // that was there or not.
    let apart: Vec<u64> = steps.windows(2).map(|two| two[1] - two[0]).collect();
    let most = apart.iter().max().unwrap();
    assert!(*most <= 5000 / 250, "{apart:?}");
}
