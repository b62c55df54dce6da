//! CPU times of our solvers and steps, and of Rapier, one JSON object a line; see ../compare.py.
//!
//! ```text
//! stickslip-peers contact TOLERANCE REPETITIONS FILE...     solves of `auto` from zero
//! stickslip-peers tippe-top INTEGRATOR REPETITIONS          steps in the first second, step 1e-4 s
//! stickslip-peers pile SPHERES SECONDS                      steps of 1 ms while the pile settles, and at the end
//! stickslip-peers rapier SPHERES SECONDS UNIT               the same spheres by Rapier, 32 bits, no sleeping, told that
//!                                                           bodies are about UNIT large, m (its default is 1)
//! stickslip-peers places SPHERES                            where the spheres begin, m
//! ```

use nix::time::{ClockId, clock_gettime};
use rapier3d::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use stickslip::problem::InclusionProblem;
use stickslip::scene::{Scene, built_in};
use stickslip::solve::{Auto, AutoOptions, Limits, Solver};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// CPU time of the process, s.
fn cpu() -> Outcome<f64> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
    Ok(time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64)
}

/// Times of both parts of a fall into a box: settling is from 2/15 to 4/15 of the duration, rest the last tenth.
fn settle(seconds: f64, mut step: impl FnMut() -> Outcome<()>) -> Outcome<Value> {
    let steps = (seconds * 1e3).round() as usize;
    let mut marks = Vec::new();
    for k in 0..=steps {
        if [2 * steps / 15, 4 * steps / 15, 9 * steps / 10, steps].contains(&k) {
            marks.push((k, cpu()?));
        }
        if k < steps {
            step()?;
        }
    }
    let mean = |from: usize| (marks[from + 1].1 - marks[from].1) / (marks[from + 1].0 - marks[from].0) as f64;
    Ok(json!({ "settling": mean(0), "rest": mean(2) }))
}

fn contact(tolerance: f64, repetitions: usize, files: &[String]) -> Outcome<()> {
    for file in files {
        let problem = InclusionProblem::from_json(&std::fs::read_to_string(file)?)?.problem;
        let mut best = f64::INFINITY;
        let mut residual = f64::INFINITY;
        for _ in 0..repetitions {
            // A new solver, as a peer has none that remembers.
            let limits = Limits { tolerance, ..Limits::default() };
            let mut solver = Auto::new(AutoOptions { limits, ..Default::default() })?;
            let mut percussions = vec![0.0; problem.dim()];
            let start = cpu()?;
            solver.solve(&problem, &mut percussions)?;
            best = best.min(cpu()? - start);
            residual = problem.residual(&percussions).value;
            if best > 0.25 {
                break;
            }
        }
        let contacts = problem.contacts().len();
        println!("{}", json!({ "file": file, "contacts": contacts, "seconds": best, "residual": residual }));
    }
    Ok(())
}

fn tippe_top(integrator: &str, repetitions: usize) -> Outcome<Value> {
    const STEP: f64 = 1e-4;
    const STEPS: usize = 10_000;
    let text = built_in("tippe-top")?.text;
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        let scene = Scene::read("top", "top", text, &[format!("simulation.integrator={integrator}")])?;
        let mut integrator = scene.integrator()?;
        let mut state = scene.start.clone();
        let start = cpu()?;
        for _ in 0..STEPS {
            integrator.step(scene.system.as_ref(), &mut state, STEP)?;
        }
        best = best.min((cpu()? - start) / STEPS as f64);
    }
    Ok(json!({ "seconds": best }))
}

fn pile_scene(spheres: usize) -> Outcome<Scene> {
    let text = built_in("sphere-pile")?.text;
    let text = text.replace("count = 1000", &format!("count = {spheres}"));
    Ok(Scene::read("pile", "pile", &text, &[])?)
}

fn pile(spheres: usize, seconds: f64) -> Outcome<Value> {
    let scene = pile_scene(spheres)?;
    let mut integrator = scene.integrator()?;
    let mut state = scene.start.clone();
    settle(seconds, || Ok(integrator.step(scene.system.as_ref(), &mut state, 1e-3).map(|_| ())?))
}

/// Where the centres begin: three coordinates and a quaternion each.
fn places(spheres: usize) -> Outcome<Vec<[f64; 3]>> {
    let q = pile_scene(spheres)?.start.q;
    Ok(q.chunks_exact(7).map(|place| [place[0], place[1], place[2]]).collect())
}

fn rapier(spheres: usize, seconds: f64, unit: f64) -> Outcome<Value> {
    let mut world = PhysicsWorld::default();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = 1e-3;
    // Margins of collision are relative to it: its documentation asks for the size of the bodies.
    world.integration_parameters.length_unit = unit as f32;
    // The floor and the four walls of the scene: centre and half extents.
    let boxes = [
        ([0.0, 0.0, -0.05], [0.5, 0.5, 0.05]),
        ([0.17, 0.0, 0.05], [0.01, 0.18, 0.05]),
        ([-0.17, 0.0, 0.05], [0.01, 0.18, 0.05]),
        ([0.0, 0.17, 0.05], [0.16, 0.01, 0.05]),
        ([0.0, -0.17, 0.05], [0.16, 0.01, 0.05]),
    ];
    for ([x, y, z], [a, b, c]) in boxes {
        let body = RigidBodyBuilder::fixed().translation(Vector::new(x, y, z));
        world.insert(body, ColliderBuilder::cuboid(a, b, c).friction(0.5));
    }
    for [x, y, z] in places(spheres)? {
        let place = Vector::new(x as f32, y as f32, z as f32);
        let body = RigidBodyBuilder::dynamic().translation(place).can_sleep(false);
        world.insert(body, ColliderBuilder::ball(0.01).density(2500.0).friction(0.5));
    }
    settle(seconds, || {
        world.step();
        Ok(())
    })
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| -> Outcome<f64> { Ok(arguments.get(k).ok_or("an argument is missing")?.parse()?) };
    let value = match arguments.first().map(String::as_str) {
        Some("contact") => return contact(number(1)?, number(2)? as usize, &arguments[3..]),
        Some("tippe-top") => tippe_top(&arguments[1], number(2)? as usize)?,
        Some("pile") => pile(number(1)? as usize, number(2)?)?,
        Some("rapier") => rapier(number(1)? as usize, number(2)?, number(3)?)?,
        Some("places") => json!(places(number(1)? as usize)?),
        _ => return Err("usage: see the beginning of src/main.rs".into()),
    };
    println!("{value}");
    Ok(())
}
