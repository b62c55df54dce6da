//! Whatever the text is, it becomes a world or an error: no panic, no hang.

use fastrand::Rng;
use std::time::Instant;
use stickslip::integrate::{Integrator, Moreau, MoreauRk4, Projection, ProjectionMetric};
use stickslip::scene::{BUILT_IN, IntegratorName, ProjectionName, Scene, WorldScene};
use stickslip::solve::{Limits, by_name};

/// A scene that uses every section.
const FULL: &str = include_str!("full.toml");
/// Scenes in which every shape and every clearance joint touches something.
const TOUCHING: [&str; 2] = [include_str!("crowd.toml"), include_str!("flat.toml")];

const COUNT: usize = 100_000;

/// What replaces a value, or stands where it should not.
const VALUES: [&str; 40] = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "-0.0",
    "1e308",
    "1e-308",
    "5e-324",
    "1e30",
    "-1e30",
    "1e31",
    "9223372036854775807",
    "-9223372036854775808",
    "true",
    "\"\"",
    "\"3 mm\"",
    "\"20 deg\"",
    "\"1e999 m\"",
    "\"nan m\"",
    "\"t\"",
    "\"1/t\"",
    "\"2^(2^(2^(2^t)))\"",
    "\"((((t\"",
    "\"ground\"",
    "\"any\"",
    "\"ball\"",
    "[]",
    "[1]",
    "[1, 2]",
    "[1, 2, 3]",
    "[nan, 0, 0]",
    "[[1, 2, 3], [4, 5, 6]]",
    "{}",
    "{ axis = [0, 0, 0], angle = 1 }",
    "{ x = { y = { z = 1 } } }",
    "1979-05-27",
    "'''\n'''",
    "[[[[[[[[[[1]]]]]]]]]]",
    "\"../../etc/passwd.obj\"",
];

/// What replaces a single number.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1e30",
    "-1e30",
    "1e-30",
    "1e20",
    "1e15",
    "1e-15",
    "1e8",
    "1e-8",
    "1e150",
    "1e-150",
    "0.1",
    "3",
    "1.0000000000000002",
    "nan",
];

const PIECES: [&str; 16] =
    ["[", "]", "[[", "]]", "=", "\"", "\n", "{", "}", "#", "é", "'", ".", "\0", "\u{feff}", ","];

const LINES: [&str; 10] = [
    "[[body]]",
    "[[body.shape]]",
    "[[joint]]",
    "[[contact]]",
    "[world.ground]",
    "[[array]]",
    "[world]",
    "format = 1",
    "model = \"tippe-top\"",
    "kind = \"box\"",
];

/// Replaces one of the numbers of a line.
fn replace_number(line: &mut String, random: &mut Rng) {
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    let separator = |c: char| " ,[]\"".contains(c);
    let words: Vec<&str> = line.split(separator).filter(is_number).collect();
    if let Some(word) = random.choice(words) {
        *line = line.replacen(word, random.choice(NUMBERS).unwrap_or_default(), 1);
    }
}

fn mutated(text: &str, random: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..lines.len());
        let other = random.usize(..lines.len());
        match random.u8(..14) {
            // Truncation.
            0 => lines.truncate(at.max(1)),
            1 => {
                let end = random.usize(..=lines[at].len());
                if lines[at].is_char_boundary(end) {
                    lines[at].truncate(end);
                }
            }
            // Swapped and repeated lines.
            2 => lines.swap(at, other),
            3 => lines.insert(at, lines[other].clone()),
            4 => drop(lines.remove(at)),
            5 => lines.insert(at, random.choice(LINES).unwrap_or_default().into()),
            // Values: other ones of the file, or odd ones.
            6 => {
                let value = lines[other].split_once('=').map(|(_, value)| value.to_owned());
                if let (Some((key, _)), Some(value)) = (lines[at].clone().split_once('='), value) {
                    lines[at] = format!("{key}={value}");
                }
            }
            7 | 8 => {
                if let Some((key, _)) = lines[at].clone().split_once('=') {
                    lines[at] = format!("{key}= {}", random.choice(VALUES).unwrap_or_default());
                }
            }
            9..13 => replace_number(&mut lines[at], random),
            _ => {
                let place = random.usize(..=lines[at].len());
                if lines[at].is_char_boundary(place) {
                    let nested = "[".repeat(200);
                    let piece = random.choice(PIECES).unwrap_or_default();
                    lines[at].insert_str(place, if random.u8(..20) == 0 { &nested } else { piece });
                }
            }
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

/// Bodies of a world that is also stepped, at most.
const MOST_BODIES: usize = 40;

/// How a world that was read ended.
#[derive(Default)]
struct Ends {
    refused: usize,
    large: usize,
    stepped: usize,
    stopped: usize,
}

/// Builds a world and, if it is small, does two steps: an error, or a state of finite numbers. The
/// solver may try a few times only; a contact problem that is not solved is an end as well.
fn step(scene: &WorldScene, text: &str, ends: &mut Ends) {
    let world = match scene.build() {
        Ok(world) => world,
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.complaints.is_empty());
            ends.refused += 1;
            return;
        }
    };
    let mut state = world.start();
    assert!(state.q.iter().chain(&state.u).all(|x| x.is_finite()), "{text}");
    if scene.description.bodies.len() > MOST_BODIES {
        ends.large += 1;
        return;
    }
    let limits = Limits { tolerance: 1e-6, max_iterations: 30, max_time: None };
    let solver = by_name("auto", limits).expect("limits").expect("a solver");
    let projection = match scene.simulation.projection {
        ProjectionName::None => ProjectionMetric::None,
        ProjectionName::Identity => ProjectionMetric::Identity,
        ProjectionName::Mass => ProjectionMetric::Mass,
        ProjectionName::Gaps => ProjectionMetric::Sweeps,
        other => panic!("no projection for {other:?}"),
    };
    let projection = Projection::new(projection);
    let mut integrator: Box<dyn Integrator> = match scene.simulation.integrator {
        IntegratorName::MoreauRk4 => Box::new(MoreauRk4::new(solver, projection, 0.25)),
        _ => Box::new(Moreau::new(solver, projection)),
    };
    for _ in 0..2 {
        match integrator.step(&world, &mut state, scene.simulation.step) {
            Ok(_) => {
                let mut numbers = state.q.iter().chain(&state.u).chain([&state.t]);
                assert!(numbers.all(|x| x.is_finite()), "{state:?}\n{text}");
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                ends.stopped += 1;
                return;
            }
        }
    }
    ends.stepped += 1;
}

#[test]
fn mutated_worlds_are_read_or_refused() {
    let mut random = Rng::with_seed(20_080_401);
    let shipped = BUILT_IN.iter().map(|scene| scene.text);
    let worlds: Vec<&str> = shipped
        .filter(|text| Scene::describes_world("", text).expect("TOML"))
        .chain([FULL])
        .collect();
    let (mut accepted, mut slowest) = (0, 0.0_f64);
    let mut ends = Ends::default();
    for number in 0..COUNT {
        // Half of them from the scenes that have everything.
        let text = match number % 4 {
            0 => FULL,
            2 => TOUCHING[number / 4 % 2],
            _ => worlds[random.usize(..worlds.len())],
        };
        let text = mutated(text, &mut random);
        let begin = Instant::now();
        match WorldScene::read("m.toml", "m", &text, &[], None) {
            Ok(scene) => {
                accepted += 1;
                let world = &scene.description;
                let numbers = world.bodies.iter().flat_map(|body| {
                    body.position.iter().chain(&body.rotation).chain(&body.velocity)
                });
                assert!(numbers.chain(&world.gravity).all(|x| x.is_finite()), "{text}");
                let mounts = world.joints.iter().flat_map(|joint| &joint.mounts);
                let mut numbers = mounts.flat_map(|m| m.point.iter().chain(&m.rotation));
                assert!(numbers.all(|x| x.is_finite()), "{text}");
                step(&scene, &text, &mut ends);
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.complaints.is_empty()),
        }
        slowest = slowest.max(begin.elapsed().as_secs_f64());
    }
    // Both happen often, or the mutations would test nothing.
    assert!(accepted > COUNT / 50 && accepted < COUNT * 9 / 10, "{accepted} accepted");
    let Ends { refused, large, stepped, stopped } = ends;
    assert_eq!(refused + large + stepped + stopped, accepted);
    assert!(stepped > accepted / 2, "{stepped} of {accepted} stepped");
    // Far above what reading and two steps take even on a busy machine, far below a hang.
    assert!(slowest < 10.0, "the slowest took {slowest} s");
}
