//! Starts that are assembled: rough places, velocities of motors, what must not move.

use crate::motion::{motion_of, scene};
use std::fmt::Write;
use stickslip::integrate::{Assembly, assemble};
use stickslip::kinematics::quaternion::{from_axis_angle, normalized, product};
use stickslip::scene::{Scene, WorldScene, built_in};
use stickslip::system::{ContactSet, Observed, State};
use stickslip::world::{PlacedBody, World, WorldDescription};

/// Numbers between −1 and 1 that look like chance.
struct Rough(u64);

impl Rough {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Largest error of a joint, and largest velocity against one.
fn errors(world: &World, at: &State) -> [f64; 2] {
    let largest = |positions: bool| {
        let mut set = ContactSet::default();
        world.start_constraints(at, positions, &mut set);
        let mut most = 0.0_f64;
        for candidate in set.candidates().iter().filter(|c| c.gap == f64::NEG_INFINITY) {
            if positions {
                most = set.position_error(candidate).iter().fold(most, |m, e| m.max(e.abs()));
                continue;
            }
            let size = world.frames().velocities();
            let rows = set.directions(candidate).chunks_exact(candidate.width());
            for (row, prescribed) in rows.zip(set.rheonomic(candidate)) {
                let mut velocity = *prescribed;
                for (part, block) in row.chunks_exact(size).zip(candidate.blocks) {
                    let u = &at.u[block * size..];
                    velocity += part.iter().zip(u).map(|(a, b)| a * b).sum::<f64>();
                }
                most = most.max(velocity.abs());
            }
        }
        most
    };
    [largest(true), largest(false)]
}

/// The world of a scene that ships, with its bodies put aside by these lengths (m) and angles (rad).
fn rough(name: &str, length: f64, angle: f64, seed: u64) -> (World, State, State) {
    let text = built_in(name).expect("a scene").text;
    let scene = WorldScene::read(name, name, text, &[], None).expect("a scene");
    let exact = World::new(&scene.description).expect("a world");
    let mut chance = Rough(seed);
    let mut next = || chance.next();
    let mut description: WorldDescription = scene.description.clone();
    for placed in exact.placed_bodies(&exact.start()) {
        let turn = angle * next();
        let axis = if exact.frames().velocities() == 3 {
            [0.0, 0.0, 1.0]
        } else {
            let [_, axis @ ..] = normalized(&[0.0, next(), next(), next()]);
            axis
        };
        description.assembly.placed.push(PlacedBody {
            position: placed.position.map(|x| if x == 0.0 { x } else { x + length * next() }),
            rotation: product(&from_axis_angle(&axis, turn), &placed.rotation),
            angle: placed.angle + turn,
            ..placed
        });
    }
    let world = World::new(&description).expect("a world");
    let start = world.start();
    (world, start, exact.start())
}

fn assembled(world: &World, start: &State) -> (State, Assembly) {
    let mut state = start.clone();
    let assembly = assemble(world, &mut state).expect("joints are apart");
    assert_eq!(assembly.failed().count(), 0, "{assembly:?}");
    (state, assembly)
}

#[test]
fn andrews_squeezer_is_assembled_from_rough_places() {
    for seed in 0..5 {
        // Bars of 1 to 4 cm.
        let (world, start, _) = rough("andrews-squeezer", 2e-3, 0.1, seed);
        assert!(errors(&world, &start)[0] > 1e-3);
        let (state, _) = assembled(&world, &start);
        assert!(errors(&world, &state)[0] < 1e-15, "{:e}", errors(&world, &state)[0]);
    }
}

/// One of its constraints follows from the others, but only where they are fulfilled.
#[test]
fn bricards_mechanism_is_assembled_from_rough_places() {
    for seed in 0..5 {
        let (world, start, exact) = rough("bricard", 0.04, 0.07, seed);
        assert!(errors(&world, &start)[0] > 0.03);
        let (state, _) = assembled(&world, &start);
        assert!(errors(&world, &state)[0] < 1e-12, "{:e}", errors(&world, &state)[0]);
        let far = state.q.iter().zip(&exact.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(far < 0.3, "{far}");
    }
}

/// A crank and four pairs of bars, each between the end of the last pair and a point of the ground: ten
/// bars with the ground, thirteen hinges, one freedom. Corners where the pairs meet, and points of the ground.
const CORNERS: [[f64; 2]; 5] =
    [[0.03, 0.04], [0.12, 0.11], [0.21, 0.06], [0.33, 0.12], [0.4, 0.07]];
const GROUND: [[f64; 2]; 5] = [[0.0, 0.0], [0.15, 0.0], [0.22, -0.05], [0.3, 0.01], [0.42, -0.02]];

/// The linkage with bars that are aside by up to this part of their lengths and these radians; the exact
/// places beside it.
fn ten_bars(aside: f64, seed: u64) -> (String, Vec<[f64; 3]>) {
    let mut chance = Rough(seed);
    let mut text = "format = 1\nworld = { dimension = 2 }\n".to_owned();
    let (mut joints, mut exact) = (String::new(), Vec::new());
    let mut bar = |text: &mut String, name: &str, from: [f64; 2], to: [f64; 2]| {
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let (half, angle) = (0.5 * x.hypot(y), y.atan2(x));
        let place = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
        exact.push([place[0], place[1], angle]);
        let mut aside = |size: f64| size * aside * chance.next();
        let [x, y] = [place[0] + aside(half), place[1] + aside(half)];
        // The crank stands along x, which is the zero of its hinge.
        let angle = if name == "crank" { 0.0 } else { angle + aside(1.0) };
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nmass = {}\ninertia = {:e}\nposition = [{x}, {y}]\nrotation = {angle}",
            10.0 * half,
            3.0 * half.powi(3)
        )
        .expect("text");
        half
    };
    let mut hinge = |bodies: [&str; 2], points: [[f64; 2]; 2], more: &str| {
        let [a, b] = points;
        writeln!(
            joints,
            "[[joint]]\nname = \"{}-{}\"\nkind = \"revolute\"\nbodies = {bodies:?}\npoints = [{a:?}, {b:?}]\n{more}",
            bodies[0], bodies[1]
        )
        .expect("text");
    };
    let mut last = bar(&mut text, "crank", GROUND[0], CORNERS[0]);
    let start = format!("start = {}\nmotor = {{ speed = 2 }}", CORNERS[0][1].atan2(CORNERS[0][0]));
    hinge(["ground", "crank"], [GROUND[0], [-last, 0.0]], &start);
    let mut name = "crank".to_owned();
    for k in 1..5 {
        let (rod, rocker) = (format!("rod{k}"), format!("rocker{k}"));
        let long = bar(&mut text, &rod, CORNERS[k - 1], CORNERS[k]);
        let short = bar(&mut text, &rocker, GROUND[k], CORNERS[k]);
        hinge([&name, &rod], [[last, 0.0], [-long, 0.0]], "");
        hinge(["ground", &rocker], [GROUND[k], [-short, 0.0]], "");
        hinge([&rod, &rocker], [[long, 0.0], [short, 0.0]], "");
        (last, name) = (short, rocker);
    }
    (text + &joints, exact)
}

#[test]
fn a_ten_bar_linkage_is_assembled_from_rough_places() {
    for seed in 0..5 {
        let (text, exact) = ten_bars(0.06, seed);
        let scene = WorldScene::read("my", "my", &text, &[], None).expect("a scene");
        let world = World::new(&scene.description).expect("a world");
        assert!(errors(&world, &world.start())[0] > 0.9, "the crank is turned");
        let (state, assembly) = assembled(&world, &world.start());
        assert!(assembly.moved && assembly.sped);
        let [apart, speed] = errors(&world, &state);
        assert!(apart < 1e-12 && speed < 1e-12, "{apart:e} {speed:e}");
        for (q, exact) in state.q.chunks_exact(3).zip(&exact) {
            for (value, exact) in q.iter().zip(exact) {
                assert!((value - exact).abs() < 1e-11, "{value} {exact}");
            }
        }
        // The crank turns as its motor says: its centre is half of its length from the pivot.
        assert!((state.u[0] + 2.0 * 0.02).abs() < 1e-12 && (state.u[2] - 2.0).abs() < 1e-12);
    }
}

#[test]
fn an_assembled_start_is_written_into_the_scene_and_taken_from_there() {
    let (text, _) = ten_bars(0.06, 1);
    let scene = Scene::read("my", "my", &text, &[]).expect("a scene");
    assert!(scene.assembly()[0].contains("joints did not meet: "), "{:?}", scene.assembly());
    assert!(
        scene.joint_coordinates()[0].contains("ground-crank starts at 0.927295 rad (53.1301 deg)")
    );
    assert_eq!(scene.contradiction(1e-6), None);
    assert!(scene.warnings().is_empty(), "{:?}", scene.warnings());
    let again = Scene::read("again", "my", &scene.to_toml(), &[]).expect("a scene");
    assert!(again.assembly().is_empty(), "{:?}", again.assembly());
    assert_eq!(again.effective(), scene.effective());
    assert_eq!(again.joint_coordinates(), scene.joint_coordinates());
    for (a, b) in
        again.start.q.iter().chain(&again.start.u).zip(scene.start.q.iter().chain(&scene.start.u))
    {
        assert!((a - b).abs() < 1e-15, "{a} {b}");
    }
}

#[test]
fn a_linkage_that_cannot_close_is_named_with_what_is_left() {
    let (text, _) = ten_bars(0.06, 2);
    // The last pair of bars cannot reach so far.
    let far = text.replace("points = [[0.42, -0.02]", "points = [[0.72, -0.02]");
    assert_ne!(far, text);
    let scene = Scene::read("my", "my", &far, &[]).expect("a scene");
    let error = scene.contradiction(1e-6).expect("it cannot be assembled");
    assert!(error.contains("the start cannot be assembled: "), "{error}");
    assert!(error.contains("'rod4-rocker4' stays apart by "), "{error}");
}

#[test]
fn a_motor_not_at_speed_starts_with_an_impact_only_where_nothing_is_assembled() {
    let text = "format = 1
world = { dimension = 2, gravity = [0, 0] }
[[body]]
name = \"crank\"
mass = 2
inertia = 0.5
position = [1, 0]
[[joint]]
name = \"drive\"
kind = \"revolute\"
bodies = [\"ground\", \"crank\"]
at = [0, 0]
motor = { speed = 3 }
[simulation]
duration = 0.1
step = 1e-2
output_step = 1e-2
";
    let ready = motion_of(text, &[]);
    assert!((ready.column("crank.w")[0] - 3.0).abs() < 1e-14);
    assert!((ready.column("crank.vy")[0] - 3.0).abs() < 1e-14);
    let text = text.replace("gravity = [0, 0]", "gravity = [0, 0], assemble = false");
    let given = motion_of(&text, &[]);
    assert_eq!(given.column("crank.w")[0], 0.0);
    assert!((given.column("crank.w")[1] - 3.0).abs() < 1e-9);
    assert!(given.scene.warnings()[0].contains("the first step is an impact"));
}

/// Two bars that must meet: one is held, the other moves, and turns in the least way.
#[test]
fn a_body_that_is_held_does_not_move() {
    let text = |hold: &str| {
        format!(
            "format = 1
world = {{ dimension = 2 }}
[[body]]
name = \"left\"
mass = 1
inertia = 1
angular_velocity = 2
{hold}
[[body]]
name = \"right\"
mass = 1
inertia = 1e6
position = [1.5, 0.3]
[[joint]]
kind = \"revolute\"
bodies = [\"left\", \"right\"]
points = [[0.5, 0], [-0.5, 0]]
"
        )
    };
    let held = Scene::read("my", "my", &text("hold = true"), &[]).expect("a scene");
    assert_eq!(held.start.q[..3], [0.0; 3]);
    assert_eq!(held.start.u[..3], [0.0, 0.0, 2.0]);
    let [x, y, angle] = [3, 4, 5].map(|k| held.start.q[k]);
    assert!((x - 1.0).abs() < 1e-6 && y.abs() < 1e-6 && angle.abs() < 1e-6, "{x} {y} {angle}");
    // The end of the left bar moves with 2 · 0.5 m/s.
    assert!((held.start.u[4] - 1.0).abs() < 1e-5, "{}", held.start.u[4]);
    let free = Scene::read("my", "my", &text(""), &[]).expect("a scene");
    // Alike in mass: along the bars each goes half of the way.
    assert!((free.start.q[0] - 0.25).abs() < 0.05, "{}", free.start.q[0]);
}

#[test]
fn scenes_that_fit_are_left_alone() {
    for name in
        ["andrews-squeezer", "bricard", "gripper", "newtons-cradle", "slider-crank-multibody"]
    {
        assert!(scene(name, &[]).assembly().is_empty(), "{name}");
    }
}

/// The linkage of the scene without play, in closed form.
#[test]
fn the_hinges_of_the_four_bar_linkage_meet() {
    let scene = scene("four-bar-clearance", &[]);
    let q = &scene.start.q;
    let apart = |body: usize, arm: f64, point: [f64; 2]| {
        let (sin, cos) = q[3 * body + 2].sin_cos();
        (q[3 * body] + arm * cos - point[0]).hypot(q[3 * body + 1] + arm * sin - point[1])
    };
    assert!(apart(0, -0.025, [0.0, 0.0]) < 1e-15 && apart(2, -0.05, [0.15, 0.0]) < 1e-15);
    let (sin, cos) = q[2].sin_cos();
    assert!(apart(1, -0.075, [q[0] + 0.025 * cos, q[1] + 0.025 * sin]) < 1e-15);
    assert!((scene.start.u[2] - 10.0 * std::f64::consts::PI).abs() < 1e-12);
}
