//! Fits of synthetic data with noise: the values that made the data lie within the error bars.

use stickslip::scene::SceneFile;
use stickslip::simulate::{Observer, Sample};
use stickslip::study::{FitData, FitQuestion, fit, never};

/// Normal numbers by SplitMix64 and Box and Muller.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2_f64.powi(53)
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

struct Rows<'a> {
    column: usize,
    t: &'a mut Vec<f64>,
    values: &'a mut Vec<f64>,
}

impl Observer for Rows<'_> {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.t.push(sample.state.t);
        self.values.push(sample.values[self.column]);
        Ok(())
    }
}

/// Every second row of a column of a run, with noise.
fn measured(scene: &str, set: &[&str], column: &str, sigma: f64, seed: u64) -> FitData {
    let file = SceneFile::open(scene).expect("a scene");
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    let scene = file.scene(&set).expect("a scene");
    let mut run = scene.simulate().expect("a run");
    let list = run.columns();
    let names = list.before_energy.iter().chain(&list.behind_energy);
    let place = names.map(|c| c.name.to_string()).position(|name| name == column);
    let (mut t, mut values) = (Vec::new(), Vec::new());
    let mut rows = Rows { column: place.expect("a column"), t: &mut t, values: &mut values };
    assert_eq!(run.run(&mut rows).status.name(), "done");
    let second = |list: &[f64]| -> Vec<f64> { list.iter().copied().step_by(2).collect() };
    let names = vec![column.to_owned()];
    with_noise(&FitData { t: second(&t), names, columns: vec![second(&values)] }, sigma, seed)
}

/// The same data with noise.
fn with_noise(data: &FitData, sigma: f64, seed: u64) -> FitData {
    let (mut noise, mut data) = (Noise(seed), data.clone());
    data.columns[0].iter_mut().for_each(|v| *v += sigma * noise.normal());
    data
}

/// Fits one key that is begun elsewhere, and checks the value and its error.
fn recovers(
    scene: &str,
    (set, begin): (&[&str], &str),
    data: &FitData,
    (key, truth, sigma): (&str, f64, f64),
) {
    let file = SceneFile::open(scene).expect("a scene");
    let mut overrides: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    overrides.push(begin.to_owned());
    let question = FitQuestion { overrides, keys: vec![key.to_owned()], sigma: Vec::new() };
    let found = fit(&file, data, &question, &never()).expect("a fit");
    let own = &found.keys[0];
    assert!(found.converged, "{found:?}");
    let (off, error) = ((own.key.value - truth).abs(), own.standard_error);
    assert!(off < 3.0 * error, "{key}: {} +- {error}, it is {truth}", own.key.value);
    assert!(error < 0.05 * truth, "{key}: the error bar {error} says nothing");
    // The noise itself is estimated, to about 1/sqrt(2N).
    let estimated = found.columns[0].sigma;
    assert!((estimated / sigma - 1.0).abs() < 0.4, "{estimated} {sigma}");
}

#[test]
fn friction_of_a_block_that_slides() {
    let set = ["simulation.integrator=event-driven", "simulation.duration=0.5"];
    let data = measured("block-on-incline", &set, "block.x", 1e-3, 1);
    let key = ("default_contact.friction", 0.3, 1e-3);
    recovers("block-on-incline", (&set, "default_contact.friction=0.1"), &data, key);
    // By a time stepper too.
    let steps = ["simulation.integrator=rattle", "simulation.duration=0.5"];
    recovers("block-on-incline", (&steps, "default_contact.friction=0.1"), &data, key);
}

#[test]
fn restitution_of_a_ball_that_bounces() {
    let set = ["simulation.integrator=event-driven", "simulation.duration=1.0"];
    let data = measured("bouncing-ball", &set, "ball.z", 2e-3, 2);
    let key = ("contact.table.restitution", 0.8, 2e-3);
    recovers("bouncing-ball", (&set, "contact.table.restitution=0.77"), &data, key);
}

#[test]
fn clearance_of_a_driven_oscillator_and_its_stop() {
    let set = ["simulation.integrator=event-driven", "simulation.duration=12"];
    let data = measured("impact-oscillator", &set, "mass.x", 5e-3, 3);
    let key = ("parameters.gap", 0.3, 5e-3);
    recovers("impact-oscillator", (&set, "parameters.gap=0.31"), &data, key);
}

#[test]
fn two_keys_at_once_with_their_correlation() {
    let set = ["simulation.integrator=event-driven", "simulation.duration=12"];
    let data = measured("impact-oscillator", &set, "mass.x", 5e-3, 4);
    let file = SceneFile::open("impact-oscillator").expect("a scene");
    let mut overrides: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    overrides.extend(["parameters.gap=0.305".to_owned(), "parameters.restitution=0.62".to_owned()]);
    let keys = vec!["parameters.gap".to_owned(), "parameters.restitution".to_owned()];
    let found = fit(&file, &data, &FitQuestion { overrides, keys, sigma: Vec::new() }, &never());
    let found = found.expect("a fit");
    for (own, truth) in found.keys.iter().zip([0.3, 0.6]) {
        let off = (own.key.value - truth).abs();
        assert!(off < 3.0 * own.standard_error, "{own:?}");
    }
    assert!((found.correlation[0][0] - 1.0).abs() < 1e-12);
    assert!(found.correlation[0][1].abs() < 1.0);
}

/// Over many draws of the noise the deviations from the truth, in standard errors, have squares whose sum is that of χ²: an
/// error bar that is too small or too large by a third is seen.
#[test]
fn error_bars_are_as_large_as_the_deviations() {
    let cases = [
        ("block-on-incline", "0.5", "block.x", 1e-3, "default_contact.friction", 0.3),
        ("bouncing-ball", "0.8", "ball.z", 2e-3, "contact.table.restitution", 0.8),
        ("impact-oscillator", "8", "mass.x", 5e-3, "parameters.gap", 0.3),
    ];
    let draws = 20;
    let mut all = 0.0;
    for (scene, duration, column, sigma, key, truth) in cases {
        let set =
            ["simulation.integrator=event-driven", &format!("simulation.duration={duration}")];
        let clean = measured(scene, &set, column, 0.0, 0);
        let file = SceneFile::open(scene).expect("a scene");
        let overrides: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        let keys = vec![key.to_owned()];
        let question = FitQuestion { overrides, keys, sigma: Vec::new() };
        let sum: f64 = (0..draws)
            .map(|seed| {
                let data = with_noise(&clean, sigma, 1000 + seed);
                let found = fit(&file, &data, &question, &never()).expect("a fit");
                let own = &found.keys[0];
                ((own.key.value - truth) / own.standard_error).powi(2)
            })
            .sum();
        // χ² of 20 degrees of freedom lies within with a probability of 99.8 %.
        assert!(5.92 < sum && sum < 45.32, "{key}: {sum}");
        all += sum;
    }
    // The same of 60.
    assert!(31.74 < all && all < 99.61, "{all}");
}

#[test]
fn what_cannot_be_fitted_is_told() {
    let file = SceneFile::open("impact-oscillator").expect("a scene");
    let data = FitData::read("d.csv", "t,mass.x\n0,-1\n0.1,-0.99\n0.2,-0.9\n", &[]).expect("data");
    let ask = |keys: &[&str], sigma: &[(&str, f64)]| {
        let question = FitQuestion {
            keys: keys.iter().map(|text| (*text).to_owned()).collect(),
            sigma: sigma.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
            ..FitQuestion::default()
        };
        fit(&file, &data, &question, &never()).expect_err("an error").to_string()
    };
    assert!(ask(&["parameters.restitution"], &[]).contains("do not depend on it"));
    assert!(ask(&["parameters.gaps"], &[]).contains("did you mean parameters.gap?"));
    assert!(ask(&["parameters.omega"], &[("mass.y", 1.0)]).contains("no such column"));
    assert!(ask(&["parameters.omega"], &[("mass.x", 0.0)]).contains("above 0"));
    let four = ["parameters.omega", "start.x", "start.v", "parameters.damping"];
    assert!(ask(&four, &[]).contains("too few"));
    for (text, told) in [
        ("", "line 1"),
        ("t,mass.x\n", "no rows"),
        ("x,mass.x\n0,1\n", "no column is called t"),
        ("t,mass.x\n0,1\n1,2,3\n", "line 3: 3 cells"),
        ("t,mass.x\n0,1\n1,inf\n", "line 3, column 2"),
        ("t,mass.x\n1,1\n0.5,2\n", "line 3, column 1"),
        ("t,mass.x,mass.x\n1,1,1\n", "twice"),
    ] {
        let error = FitData::read("d.csv", text, &[]).expect_err("an error").to_string();
        assert!(error.starts_with("d.csv: ") && error.contains(told), "{text:?}: {error}");
    }
    let unknown = FitData::read("d.csv", "t,mas.x\n0,1\n1,2\n2,3\n", &[]).expect("data");
    let question = FitQuestion { keys: vec!["start.x".to_owned()], ..FitQuestion::default() };
    let error = fit(&file, &unknown, &question, &never()).expect_err("an error").to_string();
    assert!(error.contains("did you mean mass.x?"), "{error}");
}
