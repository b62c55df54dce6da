//! Reactions of joints and forces of contacts against statics and Newton and Euler.

use stickslip::scene::Scene;
use stickslip::simulate::{EventKind, Observer, RunStatus, Sample, Summary, run};
use stickslip::system::{ContactColumn, ContactValues};

const RATTLE: &str = "simulation.integrator=rattle";
const MOREAU: &str = "simulation.integrator=moreau";
pub const EVENT_DRIVEN: &str = "simulation.integrator=event-driven";

/// All rows of a run.
pub struct Rows {
    names: Vec<String>,
    rows: Vec<(f64, Vec<f64>, Vec<ContactValues>)>,
    contacts: Vec<String>,
    summary: Option<Summary>,
}

impl Observer for Rows {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        let contacts = sample.contacts.iter().map(|contact| contact.values).collect();
        self.rows.push((sample.state.t, sample.values.to_vec(), contacts));
        Ok(())
    }
}

impl Rows {
    pub fn of(text: &str, overrides: &[&str]) -> Self {
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        let scene =
            Scene::read("my.toml", "my", text, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let system = scene.system.as_ref();
        let names = scene.columns().all().map(|column| column.to_string()).collect();
        let keys = system.reported_contacts().iter();
        let contacts = keys.map(|key| system.contact_name(*key)).collect();
        let mut rows = Self { names, rows: Vec::new(), contacts, summary: None };
        let mut integrator = scene.integrator().unwrap();
        let start = scene.start.clone();
        let summary =
            run(system, integrator.as_mut(), start, &scene.settings(), &mut rows).unwrap();
        assert_eq!(summary.status, RunStatus::Done);
        rows.summary = Some(summary);
        rows
    }

    /// The rows behind the start.
    fn later(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().skip(1).map(|(t, values, contacts)| Row {
            t: *t,
            rows: self,
            values,
            contacts,
        })
    }

    pub fn summary(&self) -> &Summary {
        self.summary.as_ref().unwrap()
    }
}

struct Row<'a> {
    t: f64,
    rows: &'a Rows,
    values: &'a [f64],
    contacts: &'a [ContactValues],
}

impl Row<'_> {
    fn value(&self, name: &str) -> f64 {
        let names = &self.rows.names;
        let place = names.iter().position(|n| n == name);
        self.values[place.unwrap_or_else(|| panic!("no {name} in {names:?}"))]
    }

    fn of_contact(&self, contact: &str, column: ContactColumn) -> f64 {
        let place = self.rows.contacts.iter().position(|c| c == contact).unwrap();
        column.value(&self.contacts[place])
    }
}

fn close(found: f64, wanted: f64, size: f64, what: &str) {
    let error = (found - wanted).abs() / size;
    assert!(error <= 1e-8, "{what}: {found} instead of {wanted}, relative error {error:e}");
}

/// Two halves of 2 m by 1 m with three hinges, the left one with a load of 50 N in its middle.
const BRIDGE: &str = r#"
[world]
dimension = 2
[[body]]
name = "left"
mass = 10
inertia = 1
position = [1, 0.5]
[[body]]
name = "right"
mass = 10
inertia = 1
position = [3, 0.5]
[[joint]]
name = "west"
kind = "revolute"
bodies = ["ground", "left"]
at = [0, 0]
[[joint]]
name = "crown"
kind = "revolute"
bodies = ["left", "right"]
at = [2, 1]
[[joint]]
name = "east"
kind = "revolute"
bodies = ["ground", "right"]
at = [4, 0]
[[force]]
kind = "applied"
body = "left"
force = [0, -50]
[output]
columns = ["*.force", "*.force_x", "*.force_y", "*.moment", "momentum_*"]
[simulation]
duration = 0.02
step = 1e-3
output_step = 1e-3
"#;

#[test]
fn a_bridge_of_three_hinges_bears_its_load() {
    let (left, right) = (10.0 * 9.81 + 50.0, 10.0 * 9.81);
    let east = (left + 3.0 * right) / 4.0;
    let west = left + right - east;
    let thrust = 2.0 * east - right;
    let rk4 = "simulation.integrator=moreau-rk4";
    for integrator in [EVENT_DRIVEN, MOREAU, RATTLE, rk4] {
        let rows = Rows::of(BRIDGE, &[integrator]);
        for row in rows.later() {
            let told = |name: &str, wanted: f64| close(row.value(name), wanted, left, name);
            told("west.force", thrust.hypot(west));
            told("east.force", thrust.hypot(east));
            told("crown.force", thrust.hypot(west - left));
            // On the second body.
            told("west.force_x", thrust);
            told("west.force_y", west);
            told("east.force_x", -thrust);
            told("crown.force_x", thrust);
            told("crown.force_y", right - east);
            told("west.moment", 0.0);
            told("momentum_y", 0.0);
        }
        let joints = &rows.summary().forces.joints;
        close(joints[0].force.value, thrust.hypot(west), left, "largest");
    }
}

/// A beam that is built in at one end: the wall bears its weight and its moment.
#[test]
fn a_wall_bears_force_and_moment_of_a_beam() {
    let text = r#"
[[body]]
name = "beam"
mass = 3
inertia = [0.1, 0.2, 0.2]
position = [0.5, 0.2, 1]
[[joint]]
name = "wall"
kind = "fixed"
bodies = ["ground", "beam"]
at = [0, 0, 1]
[output]
columns = ["wall.*"]
[simulation]
duration = 0.01
step = 1e-3
output_step = 1e-3
"#;
    let weight = 3.0 * 9.81;
    for integrator in [EVENT_DRIVEN, MOREAU, RATTLE] {
        for row in Rows::of(text, &[integrator]).later() {
            close(row.value("wall.force"), weight, weight, "force");
            close(row.value("wall.force_z"), weight, weight, "force_z");
            close(row.value("wall.moment"), weight * 0.5_f64.hypot(0.2), weight, "moment");
            // r × F with F upwards at the wall, r from the centre to the wall, turned round.
            close(row.value("wall.moment_x"), 0.2 * weight, weight, "moment_x");
            close(row.value("wall.moment_y"), -0.5 * weight, weight, "moment_y");
        }
    }
}

const PENDULUM: &str = r#"
[world]
dimension = 2
[[body]]
name = "bob"
mass = 2
free = ["x", "y"]
position = [0.6, -0.8]
[[joint]]
name = "rod"
kind = "distance"
length = 1
bodies = ["ground", "bob"]
points = [[0, 0], [0, 0]]
[simulation]
duration = 1
step = 1e-2
output_step = 1e-2
"#;

/// m g cos θ + m l ω².
fn tension(row: &Row) -> f64 {
    let (x, y) = (row.value("bob.x"), row.value("bob.y"));
    let (vx, vy) = (row.value("bob.vx"), row.value("bob.vy"));
    2.0 * (9.81 * -y / x.hypot(y) + (vx * vx + vy * vy) / x.hypot(y))
}

#[test]
fn the_tension_of_a_pendulum_is_that_of_newton() {
    for row in Rows::of(PENDULUM, &[EVENT_DRIVEN]).later() {
        close(row.value("rod.force"), tension(&row), 20.0, "rod.force");
    }
    // Elements in place of the joint: their force, while the rod is a stiff spring.
    for row in Rows::of(PENDULUM, &["simulation.integrator=ode-stiff"]).later().skip(50) {
        let (found, wanted) = (row.value("rod.force"), tension(&row));
        assert!((found - wanted).abs() < 1e-2 * wanted, "{found} {wanted}");
    }
    // In time stepping it is the mean over the step that ends at the row: an error of first order.
    let error = |integrator: &str, step: &str| {
        let step = format!("simulation.step={step}");
        let rows = Rows::of(PENDULUM, &[integrator, &step, "simulation.output_step=0.02"]);
        let exact = Rows::of(PENDULUM, &[EVENT_DRIVEN, "simulation.output_step=0.02"]);
        let pairs = rows.later().zip(exact.later());
        let errors = pairs.map(|(row, exact)| (row.value("rod.force") - tension(&exact)).abs());
        errors.fold(0.0_f64, f64::max)
    };
    for integrator in [MOREAU, RATTLE] {
        let (coarse, fine) = (error(integrator, "2e-3"), error(integrator, "1e-3"));
        assert!((1.8..2.2).contains(&(coarse / fine)) && fine < 0.05, "{coarse} {fine}");
    }
}

const SLIDER_CRANK: &str = r#"
[world]
dimension = 2
[parameters]
a = 0.15
b = 0.4
omega = 20
[[body]]
name = "crank"
mass = 0.5
inertia = 2e-3
position = ["a/2", 0]
velocity = [0, "omega*a/2"]
angular_velocity = "omega"
[[body]]
name = "rod"
mass = 0.8
inertia = 0.02
position = ["a + b/2", 0]
velocity = [0, "omega*a/2"]
angular_velocity = "-omega*a/b"
[[body]]
name = "slider"
mass = 1.2
inertia = 1e-3
position = ["a + b", 0]
[[joint]]
name = "main"
kind = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
motor = { speed = "omega" }
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["crank", "rod"]
at = ["a", 0]
[[joint]]
name = "wrist"
kind = "revolute"
bodies = ["rod", "slider"]
at = ["a + b", 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
at = ["a + b", 0]
[simulation]
duration = 0.3
step = 1e-2
output_step = 1e-2
"#;

/// Forces of main bearing, crank pin, wrist pin and guide, and the moment of the motor, by Newton and Euler.
fn newton_euler(t: f64) -> [f64; 5] {
    let (a, b, omega, g) = (0.15_f64, 0.4_f64, 20.0_f64, 9.81_f64);
    let (m1, m2, m3, i2) = (0.5, 0.8, 1.2, 0.02);
    let theta = omega * t;
    let (s, c) = theta.sin_cos();
    let phi = (-a / b * s).asin();
    let (sp, cp) = phi.sin_cos();
    let rate = -a * omega * c / (b * cp);
    let turn = (a * omega * omega * s + b * sp * rate * rate) / (b * cp);
    let end = -a * omega * omega * c;
    let along = -b * (cp * rate * rate + sp * turn);
    let across = b * (cp * turn - sp * rate * rate);
    let (ax, ay) = (end + 0.5 * along, -a * omega * omega * s + 0.5 * across);
    let qx = m3 * (end + along);
    let lever = (-2.0 * i2 * turn / b + sp * (m2 * ax + 2.0 * qx)) / cp;
    let qy = 0.5 * (lever - m2 * (ay + g));
    let (px, py) = (m2 * ax + qx, m2 * (ay + g) + qy);
    let centre = 0.5 * a * omega * omega;
    let (fx, fy) = (px - m1 * centre * c, py + m1 * (g - centre * s));
    let motor = 0.5 * m1 * g * a * c + a * (c * py - s * px);
    [fx.hypot(fy), px.hypot(py), qx.hypot(qy), (m3 * g - qy).abs(), motor]
}

const SLIDER_CRANK_COLUMNS: [&str; 5] =
    ["main.force", "pin.force", "wrist.force", "guide.force", "main.effort"];

#[test]
fn the_reactions_of_a_slider_crank_are_those_of_newton_and_euler() {
    let size = 100.0;
    let rows = Rows::of(SLIDER_CRANK, &[EVENT_DRIVEN]);
    for row in rows.later() {
        for (name, wanted) in SLIDER_CRANK_COLUMNS.iter().zip(newton_euler(row.t)) {
            close(row.value(name), wanted, size, &format!("{name} at {} s", row.t));
        }
        // The guide acts at the wrist pin, so that it has no moment to bear.
        assert!(row.value("guide.moment").abs() < 1e-8 * size);
        close(row.value("main.coordinate"), 20.0 * row.t, 1.0, "main.coordinate");
    }
    let range = rows.summary().forces.joints[0].range.unwrap();
    assert!(range[0] == 0.0 && (range[1] - 6.0).abs() < 1e-9, "{range:?}");
    let error = |integrator: &str, step: &str| {
        let step = format!("simulation.step={step}");
        let rows = Rows::of(SLIDER_CRANK, &[integrator, &step]);
        let mut worst = 0.0_f64;
        for row in rows.later() {
            for (name, wanted) in SLIDER_CRANK_COLUMNS.iter().zip(newton_euler(row.t)) {
                worst = worst.max((row.value(name) - wanted).abs());
            }
        }
        worst
    };
    for integrator in [MOREAU, RATTLE] {
        let (coarse, fine) = (error(integrator, "2.5e-4"), error(integrator, "1.25e-4"));
        assert!((1.8..2.2).contains(&(coarse / fine)) && fine < 0.05 * size, "{coarse} {fine}");
    }
}

/// A block on the ground: friction acts against its motion, and on the ground with it.
const BLOCK: &str = r#"
[world]
ground = {}
[[body]]
name = "block"
mass = 2
position = [0, 0, 0.05]
velocity = [0.6, 0.8, 0]
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.1, 0.05]
[[contact]]
name = "floor"
between = ["block", "ground"]
friction = 0.2
[simulation]
duration = 0.8
step = 1e-3
output_step = 0.1
"#;

#[test]
fn friction_is_told_as_it_acts_on_the_second_body() {
    use ContactColumn::*;
    let weight = 2.0 * 9.81;
    for (integrator, accuracy) in [(EVENT_DRIVEN, 1e-8), (MOREAU, 1e-6), (RATTLE, 1e-6)] {
        let rows = Rows::of(BLOCK, &[integrator]);
        let turned = BLOCK.replace("[\"block\", \"ground\"]", "[\"ground\", \"block\"]");
        let turned = Rows::of(&turned, &[integrator]);
        for (row, turned) in rows.later().zip(turned.later()).take(4) {
            let near = |found: f64, wanted: f64| {
                assert!((found - wanted).abs() < accuracy * weight, "{found} {wanted}");
            };
            let of = |column| row.of_contact("floor", column);
            near(of(Force), weight);
            near(of(Peak), weight);
            near(of(Friction), 0.2 * weight);
            near(of(FrictionX), 0.6 * 0.2 * weight);
            near(of(FrictionY), 0.8 * 0.2 * weight);
            near(of(FrictionZ), 0.0);
            near(turned.of_contact("floor", FrictionX), -0.6 * 0.2 * weight);
            near(of(Drilling), 0.0);
            let speed = 1.0 - 0.2 * 9.81 * row.t;
            assert!((of(Slip) - speed).abs() < 3e-3, "{} {speed}", of(Slip));
            assert!(of(Z).abs() < 1e-6 && (of(X) - row.value("block.x")).abs() < 0.11);
        }
        // It loses its energy at this contact, by friction.
        let works = &rows.summary().forces.contacts[0].works;
        let (_, friction) = works.iter().find(|(law, _)| *law == "friction").unwrap();
        assert!((friction + 1.0).abs() < 1e-3, "{works:?}");
    }
}

#[test]
fn stick_is_told_when_it_begins() {
    let stops = 1.0 / (0.2 * 9.81);
    let stick = |integrator: &str| {
        let rows = Rows::of(BLOCK, &[integrator]);
        let motions = rows.summary().motions.iter();
        motions.rev().find(|event| event.kind == EventKind::Stick).unwrap().t
    };
    let exact = stick(EVENT_DRIVEN);
    assert!((exact - stops).abs() < 1e-8, "{exact} {stops}");
    let stepped = stick(MOREAU);
    assert!((stepped - stops).abs() < 3e-3, "{stepped} {stops}");
}

/// A ball that spins upright resists with the moment of its law.
#[test]
fn drilling_and_rolling_moments_are_told() {
    use ContactColumn::*;
    let text = r#"
[world]
ground = {}
[[body]]
name = "ball"
mass = 1
position = [0, 0, 0.1]
angular_velocity = [0, 0, 50]
[[body.shape]]
kind = "sphere"
radius = 0.1
[[contact]]
name = "floor"
between = ["ball", "ground"]
law = "ellipsoid"
friction = 0.3
mean_radius = 0.01
rolling_arm = 1e-3
[simulation]
duration = 0.02
step = 1e-3
output_step = 5e-3
"#;
    for (integrator, accuracy) in [(EVENT_DRIVEN, 1e-8), (MOREAU, 1e-6), (RATTLE, 1e-6)] {
        for row in Rows::of(text, &[integrator]).later() {
            let moment = row.of_contact("floor", Drilling);
            let wanted = 0.3 * 0.01 * 9.81;
            assert!((moment.abs() - wanted).abs() < accuracy, "{moment} {wanted}");
            assert!(row.of_contact("floor", Rolling) < 1e-9);
        }
    }
    let rolling = text.replace(
        "angular_velocity = [0, 0, 50]",
        "angular_velocity = [0, 10, 0]\nvelocity = [1, 0, 0]",
    );
    for (integrator, accuracy) in [(EVENT_DRIVEN, 1e-8), (MOREAU, 1e-6), (RATTLE, 1e-6)] {
        for row in Rows::of(&rolling, &[integrator]).later() {
            let moment = row.of_contact("floor", Rolling);
            assert!((moment - 9.81e-3).abs() < accuracy, "{moment}");
        }
    }
}
