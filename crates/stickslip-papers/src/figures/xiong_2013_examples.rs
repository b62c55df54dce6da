//! Examples I to III of Xiong, Kikuuwe and Yamamoto 2013.

use super::entry::{Outcome, figure};
use super::runs::{Context, Track};
use super::verdict::Row;
use super::xiong_2013::{Method, TABLE, run_ode};
use crate::plot::{Axis, Ink, Panel, Series, Style};

/// Behind curves.
const GREY: Ink = (150, 150, 150);

pub fn fig_7(context: &Context) -> Result<Outcome, String> {
    let run = |method| run_ode(context, "rolling-sphere", 3.0, method, &[]);
    let (paper, converged) = (run(Method::Rk4)?, run(Method::Adaptive)?);
    let t = paper.get("t");
    let rim: Vec<f64> = paper.get("omega_y").iter().map(|w| 0.5 * w).collect();
    let height: Vec<f64> = paper.get("z").iter().map(|z| z - 0.5).collect();
    let line = |label: &str, y: Vec<f64>| Series::line(label, t.clone(), y);
    let mut near = Panel::new(
        "(e) near the floor",
        "t [s]",
        "",
        vec![line("", height.iter().map(|h| 1e3 * h).collect())],
    );
    near.y = Axis::new("pz − R [mm]").spanning(-12.0, 12.0);
    let mut impact = Panel::new(
        "(f) at the impacts",
        "t [s]",
        "",
        vec![line("vx", paper.get("vx")), line("ωR", rim.clone())],
    );
    impact.y = Axis::new("[m/s]").spanning(3.6, 4.4);
    impact.x.range = Some((1.2, 2.0));
    let panels = vec![
        Panel::new("(a) height", "t [s]", "pz − R [m]", vec![line("", height)]),
        Panel::new("(b) vertical velocity", "t [s]", "vz [m/s]", vec![line("", paper.get("vz"))]),
        Panel::new("(c) distance", "t [s]", "px [m]", vec![line("", paper.get("x"))]),
        Panel::new(
            "(d) slip ends",
            "t [s]",
            "[m/s]",
            vec![line("vx", paper.get("vx")), line("ωR", rim)],
        ),
        near,
        impact,
    ];
    let peaks = |track: &Track| {
        let (z, v) = (track.get("z"), track.get("vz"));
        // Between two rows: z + v²/2g.
        let tops = (1..z.len()).filter(|i| v[i - 1] > 0.0 && v[*i] <= 0.0);
        tops.map(|i| z[i - 1] + v[i - 1] * v[i - 1] / 19.6 - 0.5).collect::<Vec<f64>>()
    };
    let peak = |track: &Track, k: usize| peaks(track).get(k).copied().unwrap_or(f64::NAN);
    let rolls = |track: &Track| {
        let (v, omega) = (track.get("vx"), track.get("omega_y"));
        let first = (0..v.len()).find(|i| v[*i] - 0.5 * omega[*i] <= 1e-6);
        first.map_or(f64::NAN, |i| track.get("t")[i])
    };
    let deepest = |track: &Track| track.get("z").iter().fold(0.0_f64, |m, z| m.max(0.5 - z));
    let last = |track: &Track| track.at("vx", 3.0);
    let at_step =
        "independent implementation of RK4 with 1e-3 s; half a digit and its grid of peaks";
    let rows = vec![
        Row::new("rebound 1, RK4 1e-3 s", "m")
            .ours(peak(&paper, 0))
            .at_step(0.341213, 3e-6, at_step),
        Row::new("rebound 1", "m")
            .ours(peak(&paper, 0))
            .converged(peak(&converged, 0))
            .limit(0.338285, 5e-7, TABLE),
        Row::new("rebound 2, RK4 1e-3 s", "m")
            .ours(peak(&paper, 1))
            .at_step(0.229996, 3e-6, at_step),
        Row::new("rebound 2", "m")
            .ours(peak(&paper, 1))
            .converged(peak(&converged, 1))
            .limit(0.228452, 5e-7, TABLE),
        Row::new("rolls from", "s").ours(rolls(&paper)).converged(rolls(&converged)).limit(
            1.6633,
            1.5e-4,
            "independent implementation; half of its last digit and a row of 1e-4 s",
        ),
        Row::new("deepest penetration", "m")
            .ours(deepest(&paper))
            .converged(deepest(&converged))
            .limit(8.79e-3, 5e-6, TABLE),
        Row::new("velocity of rolling", "m/s")
            .ours(last(&paper))
            .converged(last(&converged))
            .limit(5.5 * 5.0 / 7.0, 1e-6, "exact: 5/7 of the initial velocity; error control"),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

pub fn fig_9(context: &Context) -> Result<Outcome, String> {
    let run = |method| run_ode(context, "conveyor-masses", 3.0, method, &[]);
    let (paper, converged) = (run(Method::Rk4)?, run(Method::Adaptive)?);
    let panel = |title: &str, label: &str, factor: f64, columns: [(&str, &str); 2]| {
        let series = columns.into_iter().filter(|c| !c.0.is_empty()).map(|(column, name)| {
            let y = converged.get(column).iter().map(|v| factor * v).collect();
            Series::line(name, converged.get("t"), y)
        });
        let lines: Vec<Series> = series.enumerate().map(|(k, line)| line.colored(k)).collect();
        let range = span(lines.iter().flat_map(|s| s.y.iter().copied()));
        let mut series = touching(&converged, 2.0, range);
        series.extend(lines);
        let mut panel = Panel::new(title, "t [s]", label, series);
        panel.x.range = Some((0.0, 2.0));
        panel.y.range = Some(range);
        panel
    };
    let none = ("", "");
    let mut panels = vec![
        panel("(a) horizontal positions", "[m]", 1.0, [("p1x", "M₁"), ("p2x", "M₂")]),
        panel("(b) horizontal velocities", "[m/s]", 1.0, [("v1x", "M₁"), ("v2x", "M₂")]),
        panel("(c) vertical position of M₁", "p1y [m]", 1.0, [("p1y", ""), none]),
        panel("(d) vertical position of M₂", "p2y [mm]", 1e3, [("p2y", ""), none]),
    ];
    // Where friction can hold the spring.
    panels[2].series.extend(REST.into_iter().enumerate().map(|(k, y)| {
        let label = if k == 0 { "limits of rest" } else { "" };
        Series::styled(Style::Dashed, label, vec![0.0, 2.0], vec![y, y]).colored(1)
    }));
    let first = |track: &Track| {
        let (one, two) = (track.get("p1x"), track.get("p2x"));
        let meets = (0..one.len()).find(|i| two[*i] <= one[*i]);
        meets.map_or(f64::NAN, |i| track.get("t")[i])
    };
    let outside = |track: &Track| {
        let p = track.at("p1y", 3.0);
        (REST[0] - p).max(p - REST[1]).max(0.0)
    };
    let rows = vec![
        Row::new("first contact, RK4 1e-3 s", "s").ours(first(&paper)).at_step(
            0.143,
            1e-9,
            "independent implementation; the same row",
        ),
        Row::new("first contact", "s").ours(first(&paper)).converged(first(&converged)).limit(
            0.14288,
            1.1e-4,
            "independent implementation; a row of 1e-4 s",
        ),
        Row::new("M₁ rests outside of [−0.0392, 0.0653] m by", "m")
            .ours(outside(&paper))
            .converged(outside(&converged))
            .limit(
                0.0,
                0.0,
                "where friction can hold the spring; the place itself does not converge",
            )
            .note(WHY_THERE),
        Row::new("speed of M₁ at the end", "m/s")
            .ours(paper.at("v1y", 3.0))
            .converged(converged.at("v1y", 3.0))
            .limit(0.0, 1e-9, "static friction: rest for ever"),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

/// Heights at which M₁ can rest, m, to the last digit that counts.
const REST: [f64; 2] = [-0.0392, 0.0653];
const WHY_THERE: &str = "M₁ stops where the last bounces leave it: wall and M₂ press with n = 4.9 N/(1 ± 0.25) each \
    (friction on the side of M₂ lifts it from the conveyor or presses it on), and friction µn on both sides holds \
    the spring of 100 N/m up to 3.92 N downwards and 6.53 N upwards";

/// The times in which M₁ and M₂ press on each other, as grey areas over a range.
fn touching(track: &Track, until: f64, (low, high): (f64, f64)) -> Vec<Series> {
    let (t, n) = (track.get("t"), track.get("n2"));
    let mut areas: Vec<(f64, f64)> = Vec::new();
    for i in (0..t.len()).filter(|i| n[*i] > 0.0 && t[*i] <= until) {
        let begin = t[i.saturating_sub(1)];
        match areas.last_mut() {
            Some(last) if begin <= last.1 => last.1 = t[i],
            _ => areas.push((begin, t[i])),
        }
    }
    let area = |(k, (begin, end)): (usize, (f64, f64))| {
        let label = if k == 0 { "M₁ and M₂ in contact" } else { "" };
        let x = vec![begin, end, end, begin];
        Series::styled(Style::Filled, label, x, vec![low, low, high, high]).inked(GREY)
    };
    areas.into_iter().enumerate().map(area).collect()
}

/// The range of values with a margin.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = 0.06 * (high - low).max(1e-12);
    (low - margin, high + margin)
}

/// Periods of (49) and (50), their tolerance and source.
type Periods = ([f64; 2], f64, &'static str);

pub fn fig_11(context: &Context) -> Result<Outcome, String> {
    let run = |law: &str, force: f64, method| {
        let keys = [format!("parameters.law={law}"), format!("parameters.force={force}")];
        run_ode(context, "belt-oscillator", 120.0, method, &[&keys[0], &keys[1]])
    };
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    const OWN: &str = "Runge-Kutta of step 2e-5 s that knows nothing of this library; its scatter from turn \
        to turn";
    // For F = 0.2 there are two independent numbers, which differ in the last digit.
    const OTHER: [&str; 2] = ["7.749706", "7.749702"];
    let cases: [(f64, Periods); 2] =
        [(0.2, ([7.749709, 7.749705], 2e-6, OWN)), (0.5, ([8.0306637, 8.030657], 5e-7, OWN))];
    for (force, (periods, tolerance, source)) in cases {
        let proposed = run("xiong", force, Method::Stiff)?;
        let smooth = run("smooth", force, Method::Stiff)?;
        let part = |track: &Track, column: &str, from: f64, to: f64| {
            let rows = track.get("t").into_iter().zip(track.get(column));
            rows.filter(|(t, _)| *t >= from && *t <= to).map(|(_, v)| v).collect::<Vec<f64>>()
        };
        // More than one turn, when the limit cycle is reached; and the start.
        let cycle = |track: &Track, column: &str| part(track, column, 110.0, 119.0);
        let begin = |track: &Track, column: &str| part(track, column, 0.0, 30.0);
        let title = format!("F = {force}");
        panels.push(Panel::new(
            &format!("{title}: limit cycle"),
            "p [m]",
            "ṗ [m/s]",
            vec![
                Series::line("proposed (49)", cycle(&proposed, "p"), cycle(&proposed, "v")),
                Series::styled(
                    Style::Dashed,
                    "smoothed (50)",
                    cycle(&smooth, "p"),
                    cycle(&smooth, "v"),
                ),
            ],
        ));
        panels.push(Panel::new(
            &format!("{title}: begin"),
            "t [s]",
            "p [m]",
            vec![
                Series::line("proposed (49)", begin(&proposed, "t"), begin(&proposed, "p")),
                Series::styled(
                    Style::Dashed,
                    "smoothed (50)",
                    begin(&smooth, "t"),
                    begin(&smooth, "p"),
                ),
            ],
        ));
        let paper = if force == 0.2 { Some(run("xiong", force, Method::Rk4)?) } else { None };
        let (first, second) = (period(&proposed), period(&smooth));
        for (k, (equation, value)) in [("(49)", first), ("(50)", second)].into_iter().enumerate() {
            let mut row = Row::new(format!("{title}: period, {equation}"), "s")
                .converged(value)
                .limit(periods[k], tolerance, source);
            if let Some(paper) = paper.as_ref().filter(|_| k == 0) {
                row = row.ours(period(paper));
            }
            if force == 0.2 {
                let other = OTHER[k];
                row = row.note(format!(
                    "a second independent number, {other} s, differs in its last digit"
                ));
            }
            rows.push(row);
        }
        rows.push(
            Row::new(format!("{title}: (49) and (50) differ by"), "s")
                .paper(0.0, 1e-4, "sec. 5.3: \"very close\"; 1e-5 of the period")
                .converged(first - second),
        );
    }
    Ok(Outcome::new(figure("", 2, panels), rows))
}

/// Time of one turn after twelve turns, by upward passages of p = 0.
fn period(track: &Track) -> f64 {
    let (t, p, v) = (track.get("t"), track.get("p"), track.get("v"));
    let passages: Vec<f64> = (1..t.len())
        .filter(|i| p[i - 1] < 0.0 && p[*i] >= 0.0)
        .map(|i| {
            // Newton's method on the cubic through positions and velocities of two rows.
            let h = t[i] - t[i - 1];
            let (p0, p1, m0, m1) = (p[i - 1], p[i], h * v[i - 1], h * v[i]);
            let (c, d) = (3.0 * (p1 - p0) - 2.0 * m0 - m1, 2.0 * (p0 - p1) + m0 + m1);
            let mut x = p0 / (p0 - p1);
            for _ in 0..5 {
                x -= (p0 + x * (m0 + x * (c + x * d))) / (m0 + x * (2.0 * c + 3.0 * x * d));
            }
            t[i - 1] + x * h
        })
        .collect();
    match (passages.get(11), passages.get(13)) {
        (Some(a), Some(b)) => 0.5 * (b - a),
        _ => f64::NAN,
    }
}
