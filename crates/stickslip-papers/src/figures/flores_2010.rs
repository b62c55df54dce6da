//! Flores, Leine and Glocker 2010: the slider-crank with clearance.

use super::entry::{Entry, Outcome, figure};
use super::runs::{Context, Track};
use super::verdict::Row;
use crate::plot::{Axis, Panel, Series, Style};
use std::f64::consts::PI;
use std::sync::Arc;
use stickslip::convex::{Ball, ConvexSet, HalfLine, in_sgn, in_upr, sgn_parts};

const CRANK: &str = "Table 1 of the paper: µ = 0.01, c = 1 mm, ω₁(0) = 150 rad/s, no drive; moreau, \
    step 1e-5 s (not printed in the paper), projection in the metric of the mass; converged: event-driven";

/// The figures.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "flores-2010-fig-1",
        caption: "Unilateral primitive, set-valued sign, and the sign as a sum of two primitives",
        parameters: "eqs. 4, 6 and 8",
        run: fig_1,
    },
    Entry {
        name: "flores-2010-fig-3",
        caption: "Signorini's law of contact and Coulomb's law of friction, by the prox of their sets",
        parameters: "µλN = 1",
        run: fig_3,
    },
    Entry {
        name: "flores-2010-fig-10",
        caption: "The corners of the slider in the guide over two turns of the crank: ±1 is the wall",
        parameters: CRANK,
        run: fig_10,
    },
    Entry {
        name: "flores-2010-fig-11",
        caption: "Speeds of crank and connecting rod, portraits of rod and slider",
        parameters: CRANK,
        run: fig_11,
    },
    Entry {
        name: "flores-2010-fig-12",
        caption: "Corner 1 for four coefficients of restitution",
        parameters: CRANK,
        run: fig_12,
    },
    Entry {
        name: "flores-2010-fig-13",
        caption: "Portraits of the slider for four coefficients of restitution",
        parameters: CRANK,
        run: fig_13,
    },
];

const REFERENCE: &str = "independent event-driven integration, half of its last digit";

fn fig_1(_: &Context) -> Result<Outcome, String> {
    let grid: Vec<f64> = (-40..=40).map(|k| f64::from(k) / 20.0).collect();
    // All pairs of the grid that the library takes for points of a graph.
    let graph = |holds: &dyn Fn(f64, f64) -> bool| {
        let pairs = grid.iter().flat_map(|x| grid.iter().map(move |y| (*x, *y)));
        pairs.filter(|(x, y)| holds(*x, *y)).unzip()
    };
    let upr: (Vec<f64>, Vec<f64>) = graph(&|x, y| in_upr(x, y, 0.0));
    let sgn: (Vec<f64>, Vec<f64>) = graph(&|x, y| in_sgn(1.0, &[x], &[y], 0.0));
    // 41 points of x ≥ 0 and 40 more at x = 0; two half lines of 40 and 41 points at x = 0.
    let (upr_count, sgn_count) = (upr.0.len() as f64, sgn.0.len() as f64);
    let parts = |x: f64, y: f64| sgn_parts(x, y).map_or(f64::NAN, |(r, l)| r - l);
    let right: Vec<f64> = grid.iter().map(|x| x.max(0.0)).collect();
    let left: Vec<f64> = grid.iter().map(|x| (-x).max(0.0)).collect();
    let broken =
        grid.iter().filter(|x| (parts(**x, -x.signum()) - **x).abs() > 0.0 && **x != 0.0).count();
    let points = |(x, y): (Vec<f64>, Vec<f64>)| vec![Series::styled(Style::Points, "", x, y)];
    let mut panels = vec![
        Panel::new("(a) y ∈ Upr(x)", "x", "y", points(upr)),
        Panel::new("(b) y ∈ Sgn(x)", "x", "y", points(sgn)),
        Panel::new(
            "(c) x = xR − xL",
            "x",
            "parts",
            vec![Series::line("xR", grid.clone(), right), Series::line("xL", grid.clone(), left)],
        ),
    ];
    panels[0].x.range = Some((-0.3, 2.05));
    panels[0].y.range = Some((-2.05, 0.3));
    let rows = vec![
        Row::new("points of an 81 × 81 grid on the graph of Upr", "")
            .paper(81.0, 0.0, "eq. 4: 40 with x > 0 and y = 0, 41 with x = 0 and y ≤ 0")
            .ours(upr_count),
        Row::new("points of an 81 × 81 grid on the graph of Sgn", "")
            .paper(121.0, 0.0, "eq. 6: 40 on either side and 41 at x = 0")
            .ours(sgn_count),
        Row::new("points that the two parts do not add up to", "")
            .paper(0.0, 0.0, "eq. 8")
            .ours(broken as f64),
    ];
    let mut figure = figure("", 3, panels);
    figure.panel_size = (330.0, 290.0);
    Ok(Outcome::new(figure, rows))
}

fn fig_3(_: &Context) -> Result<Outcome, String> {
    // Points of the graph −γ ∈ N_C(λ): λ = prox(x) and γ = λ − x for any x.
    let graph = |set: &dyn ConvexSet| -> (Vec<f64>, Vec<f64>) {
        (-300..=300)
            .map(|k| {
                let x = f64::from(k) / 100.0;
                let mut force = [x];
                set.prox(1.0, &mut force);
                (force[0] - x, force[0])
            })
            .unzip()
    };
    let (gap, normal) = graph(&HalfLine);
    let (slip, friction) = graph(&Ball { dim: 1, radius: 1.0 });
    let worst = gap.iter().zip(&normal).map(|(g, l)| (g * l).abs() + (-g).max(0.0) + (-l).max(0.0));
    let worst = worst.fold(0.0, f64::max);
    let coulomb = slip
        .iter()
        .zip(&friction)
        .filter(|(v, l)| v.abs() > 1e-12 && (*l + v.signum()).abs() > 1e-15);
    let coulomb = coulomb.count();
    let mut panels = vec![
        Panel::new("(a) Signorini", "gN", "λN", vec![Series::line("", gap, normal)]),
        Panel::new("(b) Coulomb", "γT", "λT/(µλN)", vec![Series::line("", slip, friction)]),
    ];
    panels[0].x.range = Some((-0.5, 3.0));
    panels[0].y.range = Some((-0.5, 3.0));
    panels[1].y.range = Some((-1.3, 1.3));
    let rows = vec![
        Row::new("worst violation of gN ≥ 0, λN ≥ 0, gN λN = 0", "")
            .paper(0.0, 1e-15, "eq. 12; rounding")
            .ours(worst),
        Row::new("sliding points with λT other than −µλN sgn γT", "")
            .paper(0.0, 0.0, "sec. 3.2; a force may differ by 1e-15 by rounding")
            .ours(coulomb as f64),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

/// The runs by time stepping and by events for a coefficient of restitution.
fn runs(context: &Context, restitution: &str) -> Result<(Arc<Track>, Arc<Track>), String> {
    let restitution = format!("parameters.restitution={restitution}");
    let common = [restitution.as_str(), "simulation.duration=0.14", "simulation.output_step=5e-5"];
    let stepping = context.scene("slider-crank", &common)?;
    let events = [&common[..], &["simulation.integrator=event-driven"]].concat();
    Ok((stepping, context.scene("slider-crank", &events)?))
}

/// The rows of two turns of the crank.
fn two_turns(track: &Track, column: &str) -> (Vec<f64>, Vec<f64>) {
    let angle = track.get("theta1");
    let rows = angle.iter().take_while(|a| **a <= 4.0 * PI).count();
    let take = |name: &str| track.get(name).into_iter().take(rows).collect();
    (take("t"), take(column))
}

fn over_time(track: &Track, column: &str, label: &str) -> Series {
    let (t, y) = two_turns(track, column);
    Series::line(label, t.iter().map(|t| 1e3 * t).collect(), y)
}

/// The rate of a column by central differences.
fn portrait(track: &Track, position: &str, rate: Vec<f64>, factor: f64) -> Series {
    let (_, x) = two_turns(track, position);
    Series::line("", x.iter().map(|v| factor * v).collect(), rate)
}

/// Velocity of the slider across the guide, m/s.
fn slider_rate(track: &Track) -> Vec<f64> {
    let column = |name: &str| two_turns(track, name).1;
    let (a1, a2) = (column("theta1"), column("theta2"));
    let (w1, w2) = (column("omega1"), column("omega2"));
    (0..a1.len()).map(|i| 0.153 * w1[i] * a1[i].cos() + 0.306 * w2[i] * a2[i].cos()).collect()
}

fn fig_10(context: &Context) -> Result<Outcome, String> {
    let (stepping, converged) = runs(context, "0.4")?;
    let panels = (1..=4)
        .map(|corner| {
            let name = format!("corner{corner}");
            let mut panel = Panel::new(
                &format!("corner {corner}"),
                "t [ms]",
                "y/c",
                vec![over_time(&converged, &name, "")],
            );
            panel.y = Axis::new("(y ∓ b)/c").spanning(-1.15, 1.15);
            panel
        })
        .collect();
    let impact = |track: &Track, k: usize| {
        let mut times: Vec<(f64, f64)> =
            track.impacts.iter().map(|i| (i.t, i.normal_velocity[0])).collect();
        // Both corners of a face hit together: one impact.
        times.dedup_by(|a, b| (a.0 - b.0).abs() < 2e-5);
        times.get(k).copied().unwrap_or((f64::NAN, f64::NAN))
    };
    let mut rows = Vec::new();
    let known = [(0.002692503, -0.841612), (0.005612363, -0.247826), (0.007475056, -0.084204)];
    for (k, (time, velocity)) in known.into_iter().enumerate() {
        rows.push(
            Row::new(format!("impact {}: time", k + 1), "s")
                .ours(impact(&stepping, k).0)
                .converged(impact(&converged, k).0)
                .limit(time, 5e-10, REFERENCE),
        );
        rows.push(
            Row::new(format!("impact {}: normal velocity before", k + 1), "m/s")
                .ours(impact(&stepping, k).1)
                .converged(impact(&converged, k).1)
                .limit(velocity, 5e-7, REFERENCE),
        );
    }
    let turn = converged.get("theta3").iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    rows.push(
        Row::new("largest |θ₃|: the printed start is symmetric", "rad")
            .converged(turn)
            .limit(0.0, 1e-12, "symmetry"),
    );
    Ok(Outcome::new(figure("", 2, panels), rows))
}

fn fig_11(context: &Context) -> Result<Outcome, String> {
    let (stepping, converged) = runs(context, "0.4")?;
    let rod = two_turns(&converged, "omega2").1;
    let panels = vec![
        Panel::new("(a) crank", "t [ms]", "ω₁ [rad/s]", vec![over_time(&converged, "omega1", "")]),
        Panel::new(
            "(b) connecting rod",
            "t [ms]",
            "ω₂ [rad/s]",
            vec![over_time(&converged, "omega2", "")],
        ),
        Panel::new(
            "(c) connecting rod",
            "θ₂ [rad]",
            "ω₂ [rad/s]",
            vec![portrait(&converged, "theta2", rod, 1.0)],
        ),
        Panel::new(
            "(d) slider",
            "y [mm]",
            "ẏ [m/s]",
            vec![portrait(&converged, "slider_y", slider_rate(&converged), 1e3)],
        ),
    ];
    let short = [
        "simulation.duration=0.12",
        "simulation.output_step=1e-4",
        "simulation.integrator=event-driven",
    ];
    let to_120_ms = context.scene("slider-crank", &short)?;
    let free = context.scene("slider-crank", &["simulation.projection=none"])?;
    let lost: f64 = to_120_ms.works.iter().map(|(_, work)| -work).sum();
    let rows = vec![
        Row::new("θ₁(0.12 s)", "rad")
            .ours(stepping.at("theta1", 0.12))
            .converged(converged.at("theta1", 0.12))
            .limit(11.144785, 5e-7, REFERENCE),
        Row::new("the same without projection, step 1e-5 s", "rad")
            .ours(free.at("theta1", 0.12))
            .at_step(
                11.12997,
                5e-6,
                "independent implementation of the same scheme; half of its last digit",
            ),
        Row::new("energy lost in contacts to 0.12 s", "J")
            .converged(lost)
            .limit(0.32107, 5e-6, REFERENCE),
        Row::new("largest |y|/c", "")
            .converged(converged.get("corner1").iter().fold(0.0_f64, |m, v| m.max(v.abs())))
            .limit(1.0, 1e-9, "the walls"),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

const RESTITUTIONS: [&str; 4] = ["0.1", "0.4", "0.6", "0.9"];

fn fig_12(context: &Context) -> Result<Outcome, String> {
    let mut panels = Vec::new();
    let mut rows = Vec::new();
    let mut flights = Vec::new();
    for restitution in RESTITUTIONS {
        let (stepping, converged) = runs(context, restitution)?;
        let title = format!("ε = {restitution}");
        let mut panel =
            Panel::new(&title, "t [ms]", "", vec![over_time(&converged, "corner1", "")]);
        panel.y = Axis::new("(y − b)/c").spanning(-1.15, 1.15);
        panels.push(panel);
        let free = |track: &Track| {
            let all: f64 = track.contact_times.iter().map(|(_, t)| t).sum();
            let free: f64 = track.contact_times.iter().filter(|c| c.0 == 0).map(|(_, t)| t).sum();
            100.0 * free / all
        };
        flights.push(free(&converged));
        let ratio = |track: &Track| {
            let first = track.impacts.first();
            first.map_or(f64::NAN, |i| -i.normal_velocity[1] / i.normal_velocity[0])
        };
        let expected: f64 = restitution.parse().unwrap_or(f64::NAN);
        rows.push(
            Row::new(format!("{title}: γN⁺/−γN⁻ of the first impact"), "")
                .paper(expected, 1e-9, "Newton's law, eq. 13; rounding")
                .ours(ratio(&stepping))
                .converged(ratio(&converged)),
        );
    }
    let more = flights.windows(2).filter(|pair| pair[1] > pair[0]).count();
    rows.push(
        Row::new("more free flight at larger ε: of 3 comparisons", "")
            .paper(3.0, 0.0, "sec. 6.4: rebounds are fewer at lower values, free flight dominates at higher ones")
            .ours(more as f64),
    );
    Ok(Outcome::new(figure("", 2, panels), rows))
}

fn fig_13(context: &Context) -> Result<Outcome, String> {
    let mut panels = Vec::new();
    let mut rows = Vec::new();
    for restitution in RESTITUTIONS {
        let (stepping, converged) = runs(context, restitution)?;
        let title = format!("ε = {restitution}");
        let rate = slider_rate(&converged);
        let expected = 0.841612 * restitution.parse().unwrap_or(f64::NAN);
        let after = |track: &Track| {
            track.impacts.first().map_or(f64::NAN, |impact| impact.normal_velocity[1])
        };
        // The motion before the first impact does not depend on ε.
        rows.push(
            Row::new(format!("{title}: normal velocity after the first impact"), "m/s")
                .ours(after(&stepping))
                .converged(after(&converged))
                .limit(expected, 5e-7, "ε times the velocity of approach of the reference"),
        );
        let series = portrait(&converged, "slider_y", rate, 1e3);
        panels.push(Panel::new(&title, "y [mm]", "ẏ [m/s]", vec![series]));
    }
    Ok(Outcome::new(figure("", 2, panels), rows))
}
