//! Möller, Leine and Glocker 2009: ellipsoids in place of friction balls.

use super::entry::{Entry, Outcome, figure};
use super::friction_ball::{filled_section, section, unit_ball};
use super::runs::Context;
use super::verdict::Row;
use crate::plot::{Panel, Series, Style};
use std::f64::consts::{PI, TAU};
use std::time::Instant;
use stickslip::convex::{ConvexSet, Cylinder, Ellipsoid, Pressure};
use stickslip::integrate::{Integrator, Moreau, Projection};
use stickslip::scene::{Scene, built_in};
use stickslip::simulate::EventKind::Close;
use stickslip::solve::{Coordinates, Jacobi, JacobiOptions, Limits, Solver};

/// The figures.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "moeller-2009-fig-3",
        caption: "Sections of the friction ball and of its approximations by an ellipsoid and a cylinder",
        parameters: "pressure of Hertz, µλN = 1, R = 1",
        run: fig_3,
    },
    Entry {
        name: "moeller-2009-fig-4",
        caption: "The Tippe-Top with the friction ball and with the ellipsoid",
        parameters: "data of Leine 2003; moreau, step 1e-4 s (not printed in the paper); converged: event-driven",
        run: fig_4,
    },
    Entry {
        name: "moeller-2009-speed",
        caption: "Time and number of the fixed-point iterations (46) with the ball, the ellipsoid and the transformed sphere",
        parameters: "Tippe-Top, first second, moreau, step 1e-4 s, residual 1e-8; fastest of several rounds",
        run: speed,
    },
];

const MEAN_RADIUS: f64 = 3.0 * PI / 16.0;

fn fig_3(_: &Context) -> Result<Outcome, String> {
    let ball = unit_ball(Pressure::Hertz);
    let ellipsoid = Ellipsoid::spheroid(1.0, MEAN_RADIUS);
    let cylinder = Cylinder { radius: 1.0, half_height: MEAN_RADIUS };
    let curve = |label, style, set: &dyn ConvexSet| {
        let (x, y) = section(set);
        Series::styled(style, label, x, y)
    };
    let series = vec![
        filled_section(&ball, "ball BF"),
        curve("ellipsoid EF", Style::Line, &ellipsoid),
        curve("cylinder CF", Style::Dashed, &cylinder),
    ];
    let mut panel = Panel::new("", "λT/(µλN)", "λτ/(µλN R)", series);
    panel.equal_aspect = true;
    let rays = (0..3600).map(|k| (TAU * f64::from(k) / 3600.0).sin_cos());
    let excess = rays.map(|(s, c)| ball.gauge(&[c, 0.0, s]) / ellipsoid.gauge(&[c, 0.0, s]) - 1.0);
    let (least, most) = excess.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let rows = vec![
        Row::new("half height of the ball, R̄/R", "")
            .paper(MEAN_RADIUS, 1e-12, "eq. 50; rounding")
            .ours(1.0 / ball.gauge(&[0.0, 0.0, 1.0])),
        Row::new("the ellipsoid is larger by up to", "%").converged(100.0 * most).limit(
            6.4,
            0.05,
            "independent evaluation, two digits",
        ),
        Row::new("the ellipsoid is smaller by up to", "%")
            .converged(100.0 * (-least).max(0.0))
            .limit(0.0, 1e-9, "EF contains BF; rounding"),
    ];
    let mut figure = figure("", 1, vec![panel]);
    figure.panel_size = (560.0, 400.0);
    Ok(Outcome::new(figure, rows))
}

fn fig_4(context: &Context) -> Result<Outcome, String> {
    let run = |law: &str, method: &str| {
        let law = format!("parameters.friction={law}");
        let method = format!("simulation.integrator={method}");
        context.scene("tippe-top", &[&law, &method, "simulation.output_step=2e-3"])
    };
    let (ball, ellipsoid) = (run("contensou-hertz", "moreau")?, run("ellipsoid", "moreau")?);
    let exact = run("contensou-hertz", "event-driven")?;
    let exact_ellipsoid = run("ellipsoid", "event-driven")?;
    let series = vec![
        Series::line("ball BF", ball.get("t"), ball.get("theta")),
        Series::styled(Style::Dashed, "ellipsoid EF", ellipsoid.get("t"), ellipsoid.get("theta")),
    ];
    let mut panel = Panel::new("", "t [s]", "θ [rad]", series);
    panel.y.range = Some((0.0, 3.3));
    let both = |label, ball: f64, ellipsoid: f64, source| {
        Row::new(label, "s").paper(0.0, 0.05, source).converged(ellipsoid - ball)
    };
    let stick = |track: &super::runs::Track| track.first("stick", Close, 0.0);
    let rows = vec![
        Row::new("stick touches, ball", "s").ours(stick(&ball)).converged(stick(&exact)).limit(
            1.37081,
            2e-3,
            "independent event-driven integration of the exact laws",
        ),
        both(
            "stick touches: ellipsoid later than ball by",
            stick(&exact),
            stick(&exact_ellipsoid),
            "sec. 6: \"the overall behaviour is preserved very well\"; 0.05 s is our reading of that",
        ),
        Row::new("deepest penetration, moreau 1e-4 s", "m").ours(ball.max_penetration).at_step(
            1.7e-4,
            2e-5,
            "independent implementation of the same scheme, two digits",
        ),
    ];
    let mut figure = figure("", 1, vec![panel]);
    figure.panel_size = (760.0, 340.0);
    Ok(Outcome::new(figure, rows))
}

fn speed(context: &Context) -> Result<Outcome, String> {
    let rounds = context.choose(1, 3);
    let duration = 1.0;
    let variants = [
        ("ball BF", "contensou-hertz", Coordinates::Original),
        ("ellipsoid EF", "ellipsoid", Coordinates::Original),
        ("sphere SF", "ellipsoid", Coordinates::Transformed),
    ];
    let mut best = [f64::INFINITY; 3];
    let mut counts = [0.0; 3];
    for _ in 0..rounds {
        for (index, (name, law, coordinates)) in variants.into_iter().enumerate() {
            if context.stopped() {
                return Err("interrupted".into());
            }
            context.doing(name);
            let (seconds, iterations) = time(law, coordinates, duration)?;
            best[index] = best[index].min(seconds);
            counts[index] = iterations;
        }
    }
    let places = vec![
        (0.0, "ball BF".to_owned()),
        (1.0, "ellipsoid EF".to_owned()),
        (2.0, "sphere SF".to_owned()),
    ];
    let bars = |values: [f64; 3]| {
        let x = values.into_iter().flat_map(|v| [0.0, v]).collect();
        vec![Series::styled(Style::Bars, "", x, vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0])]
    };
    let panel = |title: &str, label: &str, values: [f64; 3]| {
        let mut panel = Panel::new(title, label, "", bars(values));
        panel.y.names = places.clone();
        panel
    };
    let panels = vec![
        panel("time relative to the sphere", "ratio", best.map(|b| b / best[2])),
        panel("iterations of a step", "iterations", counts),
        panel("iterations relative to the sphere", "ratio", counts.map(|c| c / counts[2])),
        panel(
            "time per iteration, to the sphere's",
            "ratio",
            [0, 1, 2].map(|k| best[k] / best[2] * counts[2] / counts[k]),
        ),
    ];
    let open = "the paper tells neither its iterations nor its tolerance, and its word \"faster\" may mean either";
    // Time is the product of both; the paper does not say which of them it counts.
    let counted = |set: usize| {
        let (iterations, each) =
            (counts[set] / counts[2], best[set] / best[2] * counts[2] / counts[set]);
        format!(
            "counted in iterations it is {iterations:.3} ({:.1} and {:.2} in a step), and one iteration takes \
             {each:.2} times as long",
            counts[set], counts[2]
        )
    };
    let rows = vec![
        Row::new("time of BF over SF", "")
            .paper(10.5, 0.05, "sec. 6, half of the last digit")
            .ours(best[0] / best[2])
            .remark(open)
            .note(counted(0)),
        Row::new("time of EF over SF", "")
            .paper(2.7, 0.05, "sec. 6, half of the last digit")
            .ours(best[1] / best[2])
            .remark(open)
            .note(counted(1)),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

/// Seconds of a run and iterations of a step.
fn time(law: &str, coordinates: Coordinates, duration: f64) -> Result<(f64, f64), String> {
    const STEP: f64 = 1e-4;
    let name = "tippe-top";
    let overrides = [format!("parameters.friction={law}")];
    let scene = Scene::read(name, name, built_in(name)?.text, &overrides);
    let Scene { system: top, start, .. } = scene.map_err(|e| e.to_string())?;
    let limits = Limits { tolerance: 1e-8, max_iterations: 100_000, max_time: None };
    let options = JacobiOptions { limits, coordinates, ..Default::default() };
    let solver: Box<dyn Solver> = Box::new(Jacobi::new(options).map_err(|e| e.to_string())?);
    let mut integrator = Moreau::new(solver, Projection::default());
    let mut state = start;
    let steps = (duration / STEP).round() as usize;
    let mut iterations = 0;
    let begin = Stopwatch::start();
    for _ in 0..steps {
        let report = integrator.step(top.as_ref(), &mut state, STEP).map_err(|e| e.to_string())?;
        iterations += report.solve.iterations;
    }
    Ok((begin.seconds(), iterations as f64 / steps as f64))
}

/// Time that this thread was computing: other work on the machine does not count. Where the system
/// does not tell, the time that went by.
struct Stopwatch {
    computing: Option<f64>,
    begin: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        Self { computing: Self::computing(), begin: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        let by_thread = Self::computing().zip(self.computing).map(|(now, then)| now - then);
        by_thread.filter(|s| *s > 0.0).unwrap_or_else(|| self.begin.elapsed().as_secs_f64())
    }

    /// Seconds of this thread on a processor, from the scheduler of Linux.
    fn computing() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
        Some(1e-9 * nanoseconds)
    }
}
