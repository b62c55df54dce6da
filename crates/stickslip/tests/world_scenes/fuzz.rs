//! Whatever the text is, it becomes a world or an error: no panic, no hang.

use fastrand::Rng;
use std::time::Instant;
use stickslip::scene::{BUILT_IN, Scene, WorldScene};

/// A scene that uses every section.
const FULL: &str = include_str!("full.toml");

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

fn mutated(text: &str, random: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..lines.len());
        let other = random.usize(..lines.len());
        match random.u8(..10) {
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

#[test]
fn mutated_worlds_are_read_or_refused() {
    let mut random = Rng::with_seed(20_080_401);
    let shipped = BUILT_IN.iter().map(|scene| scene.text);
    let worlds: Vec<&str> = shipped
        .filter(|text| Scene::describes_world("", text).expect("TOML"))
        .chain([FULL])
        .collect();
    let (mut accepted, mut built, mut slowest) = (0, 0, 0.0_f64);
    for number in 0..COUNT {
        // Half of them from the scene that has everything.
        let text = if number % 2 == 0 { FULL } else { worlds[random.usize(..worlds.len())] };
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
                match scene.build() {
                    Ok(world) => {
                        built += 1;
                        let start = world.start();
                        assert!(start.q.iter().chain(&start.u).all(|x| x.is_finite()), "{text}");
                    }
                    Err(error) => assert!(!error.complaints.is_empty()),
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.complaints.is_empty()),
        }
        slowest = slowest.max(begin.elapsed().as_secs_f64());
    }
    // Both happen often, or the mutations would test nothing.
    assert!(accepted > COUNT / 50 && accepted < COUNT * 9 / 10, "{accepted} accepted");
    assert!(built > accepted / 2, "{built} of {accepted} built");
    // Far above what one reading takes even on a busy machine, far below a hang.
    assert!(slowest < 10.0, "the slowest took {slowest} s");
}
