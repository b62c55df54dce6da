//! Xiong, Kikuuwe and Yamamoto 2013: set-valued laws as ordinary differential equations.

use super::entry::{Entry, Outcome, figure};
use super::runs::{Context, Track};
use super::verdict::Row;
use super::xiong_2013_examples as examples;
use crate::plot::{Panel, Series, Style};
use std::sync::Arc;
use stickslip::convex::{in_dio, in_sgn, negative_part, sat};
use stickslip::ode::{UnilateralContact, effective_restitution};

/// The figures.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "xiong-2013-fig-1",
        caption: "Set-valued sign and saturation, diode and negative part",
        parameters: "eqs. 1, 2, 5 and 6 with Z = 1",
        run: fig_1,
    },
    Entry {
        name: "xiong-2013-fig-3",
        caption: "A mass with friction under an oscillating load: the element stays, bristles drift",
        parameters: "M = 1 kg, F = 0.5 N, K = 5e3 N/m, β = 2e-3 s; LuGre K = 5e3 N/m, B = 10 N s/m, \
            D = 0 (not printed); RK4, step 1e-3 s; converged: Dormand-Prince",
        run: fig_3,
    },
    Entry {
        name: "xiong-2013-fig-5",
        caption: "A mass falls on a floor: the smaller α, the less it rebounds",
        parameters: "M = 1 kg, g = 9.8 m/s², K = 1e5 N/m, β = 0.01 s, α = 0.01, 0.007, 0.005, \
            0.001 s; RK4, step 1e-3 s; converged: Dormand-Prince",
        run: fig_5,
    },
    Entry {
        name: "xiong-2013-fig-7",
        caption: "Example I: a sphere falls, bounces, slips and rolls",
        parameters: "M = 1 kg, R = 0.5 m, µ = 0.1, K = 1e5 N/m, β = 4e-3 s, α = 2.8e-3 s; \
            RK4, step 1e-3 s; converged: Dormand-Prince",
        run: examples::fig_7,
    },
    Entry {
        name: "xiong-2013-fig-9",
        caption: "Example II: two masses, a wall and a conveyor",
        parameters: "µ = 0.5, M₁ = 0.5 kg, M₂ = 1 kg, Ks = 100 N/m, u = 1 m/s, K = 5e5 N/m, \
            β = 2e-3 s, α = 1.6e-3 s; RK4, step 1e-3 s (unstable in stick); converged: stiff",
        run: examples::fig_9,
    },
    Entry {
        name: "xiong-2013-fig-11",
        caption: "Example III: an oscillator on a belt and its limit cycles",
        parameters: "M = 1 kg, k₁ = k₂ = 1, u = V = 1 m/s, F = 0.2 (printed) and 0.5 (which fits the \
            printed start); K = 1e5 N/m, β = 0.5 s (eq. 49), ε = 1e-5 m/s (eq. 50); stiff integrator",
        run: examples::fig_11,
    },
];

/// Numbers of an independent implementation with half a unit of their last digit.
pub const TABLE: &str = "independent implementation; half a unit of its last digit";

/// A run of a scene by the ODE route with the step of the papers, or with error control.
pub fn run_ode(
    context: &Context,
    scene: &str,
    duration: f64,
    method: Method,
    more: &[&str],
) -> Result<Arc<Track>, String> {
    let (integrator, step) = match method {
        Method::Rk4 => ("ode-rk4", "1e-3"),
        Method::Adaptive => ("ode-adaptive", "1e-4"),
        Method::Stiff => ("ode-stiff", "1e-3"),
    };
    let own = [
        format!("simulation.integrator={integrator}"),
        format!("simulation.step={step}"),
        format!("simulation.output_step={step}"),
        format!("simulation.duration={duration:?}"),
    ];
    let overrides: Vec<&str> = own.iter().map(String::as_str).chain(more.iter().copied()).collect();
    context.scene(scene, &overrides)
}

/// How an ODE is integrated.
#[derive(Clone, Copy)]
pub enum Method {
    /// Runge-Kutta with 1e-3 s, as in the paper.
    Rk4,
    /// Dormand-Prince with error control, rows of 1e-4 s.
    Adaptive,
    /// Rosenbrock with error control, rows of 1e-3 s.
    Stiff,
}

fn fig_1(_: &Context) -> Result<Outcome, String> {
    let grid: Vec<f64> = (-40..=40).map(|k| f64::from(k) / 20.0).collect();
    let graph = |holds: &dyn Fn(f64, f64) -> bool| -> (Vec<f64>, Vec<f64>) {
        let pairs = grid.iter().flat_map(|x| grid.iter().map(move |y| (*x, *y)));
        pairs.filter(|(x, y)| holds(*x, *y)).unzip()
    };
    let saturated = |x: f64| {
        let mut y = [x];
        sat(1.0, &mut y);
        y[0]
    };
    let (sgn, dio) =
        (graph(&|x, y| in_sgn(1.0, &[x], &[y], 0.0)), graph(&|x, y| in_dio(x, y, 0.0)));
    let saturation: Vec<f64> = grid.iter().map(|x| saturated(*x)).collect();
    let negative: Vec<f64> = grid.iter().map(|x| negative_part(*x)).collect();
    // Theorem 1: y ∈ sgn(x − y) ⇔ y = sat(x). Theorem 2: y ∈ dio(x + y) ⇔ y = max(0, −x).
    let holds = |x: &&f64| {
        let y = saturated(**x);
        in_sgn(1.0, &[**x - y], &[y], 1e-15)
            && in_dio(**x + negative_part(**x), negative_part(**x), 1e-15)
    };
    let theorems = grid.iter().filter(holds).count();
    let (sgn_count, dio_count) = (sgn.0.len() as f64, dio.0.len() as f64);
    let points = |(x, y): (Vec<f64>, Vec<f64>)| vec![Series::styled(Style::Points, "", x, y)];
    let panels = vec![
        Panel::new("(a) y ∈ sgn(x)", "x", "y", points(sgn)),
        Panel::new("(b) sat(1, x)", "x", "y", vec![Series::line("", grid.clone(), saturation)]),
        Panel::new("(c) y ∈ dio(x)", "x", "y", points(dio)),
        Panel::new("(d) max(0, −x)", "x", "y", vec![Series::line("", grid.clone(), negative)]),
    ];
    let rows = vec![
        Row::new("points of an 81 × 81 grid on the graph of sgn", "")
            .paper(121.0, 0.0, "eq. 1: 40 on either side and 41 at x = 0")
            .ours(sgn_count),
        Row::new("points of an 81 × 81 grid on the graph of dio", "")
            .paper(81.0, 0.0, "eq. 5: 40 with x > 0 and y = 0, 41 with x = 0 and y ≥ 0")
            .ours(dio_count),
        Row::new("arguments for which Theorems 1 and 2 hold, of 81", "")
            .paper(81.0, 0.0, "Theorems 1 and 2")
            .ours(theorems as f64),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

fn fig_3(context: &Context) -> Result<Outcome, String> {
    let run = |law: &str, method| {
        run_ode(context, "friction-mass", 17.2, method, &[&format!("parameters.law={law}")])
    };
    let (paper, converged) = (run("xiong", Method::Rk4)?, run("xiong", Method::Adaptive)?);
    let bristles = run("lugre", Method::Rk4)?;
    let bristles_converged = run("lugre", Method::Adaptive)?;
    // Mean positions over two stretches of 7.1 s, which are 113 periods of the load.
    let means = |track: &Track| {
        let (t, p) = (track.get("t"), track.get("p"));
        let mean = |from: f64| {
            let inside = t.iter().zip(&p).filter(|(t, _)| **t > from && **t <= from + 7.1);
            let (sum, count) = inside.fold((0.0, 0.0), |(s, n), (_, p)| (s + p, n + 1.0));
            sum / count
        };
        (mean(3.0), (mean(10.1) - mean(3.0)) / 7.1)
    };
    // Eq. 20.
    let force = |t: f64| match t < 2.0 {
        true => f64::min(0.52, 0.8 * t),
        false => 0.336 + 0.144 * f64::cos(100.0 * t),
    };
    let times: Vec<f64> = (0..=4000).map(|k| 1e-3 * f64::from(k)).collect();
    let load = times.iter().map(|t| force(*t)).collect();
    let early = |track: &Track| {
        let t: Vec<f64> = track.get("t").into_iter().take_while(|t| *t <= 10.0).collect();
        let p = track.get("p").iter().take(t.len()).map(|p| 1e3 * p).collect();
        (t, p)
    };
    let ((t1, p1), (t2, p2)) = (early(&paper), early(&bristles));
    let panels = vec![
        Panel::new("(a) load", "t [s]", "fe [N]", vec![Series::line("", times, load)]),
        Panel::new(
            "(b) position",
            "t [s]",
            "p [mm]",
            vec![
                Series::line("element (18)", t1, p1),
                Series::styled(Style::Dashed, "LuGre (12)", t2, p2),
            ],
        ),
    ];
    let rows = vec![
        Row::new("position of rest, RK4 1e-3 s", "m")
            .ours(means(&paper).0)
            .at_step(0.021368, 5e-7, TABLE),
        Row::new("position of rest", "m")
            .ours(means(&paper).0)
            .converged(means(&converged).0)
            .limit(0.021371, 5e-7, TABLE),
        Row::new("drift of the element", "m/s")
            .paper(0.0, 1e-9, "sec. 3.2: no drift; rounding")
            .ours(means(&paper).1)
            .converged(means(&converged).1)
            .limit(0.0, 1e-9, TABLE),
        Row::new("drift of LuGre", "m/s")
            .ours(means(&bristles).1)
            .converged(means(&bristles_converged).1)
            .limit(1.1748e-3, 5e-8, TABLE),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

fn fig_5(context: &Context) -> Result<Outcome, String> {
    let run = |contact_time: f64, method| {
        let key = format!("parameters.contact_time={contact_time}");
        run_ode(context, "bouncing-mass", 3.0, method, &[&key])
    };
    let peak = |track: &Track| {
        let late =
            track.get("t").into_iter().zip(track.get("p")).filter(|(t, _)| *t > 0.5 && *t < 1.0);
        late.fold(0.0_f64, |m, (_, p)| m.max(p))
    };
    let (mut series, mut rows, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for contact_time in [0.01, 0.007, 0.005, 0.001] {
        let paper = run(contact_time, Method::Rk4)?;
        let converged = run(contact_time, Method::Adaptive)?;
        peaks.push(peak(&paper));
        series.push(Series::line(&format!("α = {contact_time} s"), paper.get("t"), paper.get("p")));
        if contact_time == 0.005 {
            rows.push(
                Row::new("α = 0.005 s: first rebound, RK4 1e-3 s", "m")
                    .ours(peak(&paper))
                    .at_step(0.58690, 5e-6, TABLE),
            );
            rows.push(
                Row::new("α = 0.005 s: first rebound", "m")
                    .ours(peak(&paper))
                    .converged(peak(&converged))
                    .limit(0.58925, 5e-6, TABLE),
            );
            let contact = UnilateralContact { stiffness: 1e5, relaxation_time: 0.01, contact_time };
            let restitution = effective_restitution(&contact, 1.0).map_err(|e| e.to_string())?;
            rows.push(
                Row::new("α = 0.005 s: effective restitution", "")
                    .converged(restitution)
                    .limit(0.7708, 5e-5, TABLE),
            );
        }
        if contact_time == 0.01 {
            rows.push(
                Row::new("α = β: first rebound", "m")
                    .ours(peak(&paper))
                    .converged(peak(&converged))
                    .limit(1.0, 1e-4, "eq. 26 with α = β is a spring: nothing is lost; g (1e-4 s)²/8 and error control"),
            );
        }
    }
    let lower = peaks.windows(2).filter(|pair| pair[1] < pair[0]).count();
    rows.push(
        Row::new("smaller α, lower rebound: of 3 comparisons", "")
            .paper(3.0, 0.0, "sec. 4.3: bouncing becomes smaller as α decreases")
            .ours(lower as f64),
    );
    let mut figure = figure("", 1, vec![Panel::new("", "t [s]", "p [m]", series)]);
    figure.panel_size = (760.0, 340.0);
    Ok(Outcome::new(figure, rows))
}
