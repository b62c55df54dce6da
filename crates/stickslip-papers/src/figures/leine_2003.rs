//! Leine and Glocker 2003: Coulomb-Contensou friction and the Tippe-Top.

use super::entry::{Entry, Outcome, figure};
use super::friction_ball::{filled_section, force_against, picture, section, unit_ball};
use super::leine_2003_top as top;
use super::runs::Context;
use super::verdict::Row;
use crate::plot::{Axis, Panel, Series, Style};
use std::f64::consts::{PI, TAU};
use stickslip::convex::{ConvexSet, Pressure};

const LAW: &str = "uniform pressure, µλN = 1, R = 1; velocities γτ = ωR";
const TOP: &str = "m = 6 g, I₁ = 8e-7, I₃ = 7e-7 kg m², a₁ = 3 mm, a₂ = 16 mm, r₁ = 15 mm, \
    r₂ = 5 mm, µ = 0.3, ε_N = 0, R = 0.5 mm, pressure of Hertz; θ₀ = 0.1, ψ̇₀ = 180 rad/s; \
    moreau-rk4 in quaternions, step 1e-4 s (the paper has Euler angles and prints no step); converged: event-driven";

/// The figures.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "leine-2003-fig-2",
        caption: "Velocity potential of sliding and drilling: sections of the cone, and its contour lines",
        parameters: LAW,
        run: fig_2,
    },
    Entry {
        name: "leine-2003-fig-3",
        caption: "Admissible forces: the friction disk, and the plate of force and torque",
        parameters: LAW,
        run: fig_3,
    },
    Entry {
        name: "leine-2003-fig-4",
        caption: "The friction ball of two forces and a torque",
        parameters: LAW,
        run: fig_4,
    },
    Entry {
        name: "leine-2003-fig-5",
        caption: "Friction force over u = v/(ωR) and torque over 1/u, for two pressures",
        parameters: "uniform pressure and pressure of Hertz, µλN = 1, R = 1",
        run: fig_5,
    },
    Entry {
        name: "leine-2003-fig-6",
        caption: "A spin smooths the friction force over the velocity, and the other way round",
        parameters: LAW,
        run: fig_6,
    },
    Entry {
        name: "leine-2003-fig-9",
        caption: "The Tippe-Top turns over, spins on its stick and falls again: inclination",
        parameters: TOP,
        run: top::fig_9,
    },
    Entry {
        name: "leine-2003-fig-10",
        caption: "The Tippe-Top: distances of body and stick from the floor",
        parameters: TOP,
        run: top::fig_10,
    },
    Entry {
        name: "leine-2003-fig-11",
        caption: "Where a spinning top is stable (III: always, IV: below a critical speed), and how a small inclination grows",
        parameters: "data of the Tippe-Top; the chart depends on h/r and I₃/I₁ alone",
        run: top::fig_11,
    },
    Entry {
        name: "leine-2003-fig-12",
        caption: "The contact radius decides how fast the Tippe-Top turns over",
        parameters: "data of the Tippe-Top with R = 0.5, 0.1 and 0.02 mm (the text of the paper \
            does not say which three) and R = 0; moreau-rk4, step 1e-4 s (quick: 2e-4 s)",
        run: top::fig_12,
    },
];

const EXACT: &str = "exact integral over the contact area";
const ROUNDING: &str = "eq. 2.10; rounding";
const SERIES: &str = "the paper's series is truncated; the exact integral is used here";

fn fig_2(_: &Context) -> Result<Outcome, String> {
    let ball = unit_ball(Pressure::Uniform);
    let potential = |v: f64, spin: f64| ball.support(1.0, &[v, 0.0, spin]);
    let grid: Vec<f64> = (-100..=100).map(|k| f64::from(k) / 50.0).collect();
    let cuts = [0.0, 0.5, 1.0, 1.5, 2.0].map(|spin| {
        let y = grid.iter().map(|v| potential(*v, spin)).collect();
        Series::line(&format!("ωR = {spin}"), grid.clone(), y)
    });
    let contours = [0.5, 1.0, 1.5, 2.0].map(|level| {
        let (x, y) = (0..=180)
            .map(|k| {
                let (s, c) = (TAU * f64::from(k) / 180.0).sin_cos();
                // The potential is homogeneous of degree one.
                (level / potential(c, s) * c, level / potential(c, s) * s)
            })
            .unzip();
        Series::line(&format!("Φ/(µλN) = {level}"), x, y)
    });
    let mut second = Panel::new("(b) contour lines", "v [m/s]", "ωR [m/s]", contours.into());
    second.equal_aspect = true;
    let rows = vec![
        Row::new("Φ/(µλN v) without spin", "")
            .paper(1.0, 1e-12, ROUNDING)
            .ours(potential(1.0, 0.0)),
        Row::new("Φ/(µλN ωR) without sliding", "")
            .paper(2.0 / 3.0, 1e-9, "eq. 2.10; 1e-9: tabulated boundary")
            .ours(potential(0.0, 1.0)),
        Row::new("Φ/(µλN ωR) at u = 1", "")
            .paper(
                2.0 / 3.0 + 1.0 / 2.0 - 1.0 / 32.0 - 1.0 / 384.0,
                2e-3,
                "eq. 2.8; next terms of its series",
            )
            .ours(potential(1.0, 1.0))
            .converged(potential(1.0, 1.0))
            .limit(32.0 / (9.0 * PI), 1e-9, EXACT),
    ];
    let first = Panel::new("(a) sections of the cone", "v [m/s]", "Φ/(µλN) [m/s]", cuts.into());
    Ok(Outcome::new(figure("", 2, vec![first, second]), rows))
}

fn fig_3(_: &Context) -> Result<Outcome, String> {
    let ball = unit_ball(Pressure::Uniform);
    let (x, y) = (0..=180)
        .map(|k| {
            let (s, c) = (TAU * f64::from(k) / 180.0).sin_cos();
            let mut far = [9.0 * c, 9.0 * s, 0.0];
            ball.prox(1.0, &mut far);
            (far[0], far[1])
        })
        .unzip();
    let disk = Series::styled(Style::Filled, "", x, y);
    let mut first = Panel::new("(a) friction disk", "λT1/(µλN)", "λT2/(µλN)", vec![disk]);
    first.equal_aspect = true;
    let (x, y) = section(&unit_ball(Pressure::Hertz));
    let series = vec![
        filled_section(&ball, "uniform pressure"),
        Series::styled(Style::Dashed, "pressure of Hertz", x, y),
    ];
    let mut second = Panel::new("(b) friction plate", "λT/(µλN)", "λτ/(µλN)", series);
    second.equal_aspect = true;
    let corner = force_against(&ball, 1.0, 1.0).0;
    let rows = vec![
        Row::new("largest force ratio ξ", "")
            .paper(1.0, 1e-12, "sec. 2.3; rounding")
            .ours(force_against(&ball, 1.0, 0.0).0),
        Row::new("largest torque ratio η", "")
            .paper(2.0 / 3.0, 1e-9, "sec. 2.3; 1e-9: tabulated boundary")
            .ours(force_against(&ball, 0.0, 1.0).1),
        Row::new("force ratio ξ* where u = 1", "")
            .paper(1.0 - 1.0 / 8.0 - 1.0 / 64.0, 1e-3, "below eq. 2.18")
            .ours(corner)
            .converged(corner)
            .limit(8.0 / (3.0 * PI), 1e-9, EXACT)
            .because(SERIES),
    ];
    Ok(Outcome::new(figure("", 2, vec![first, second]), rows))
}

fn fig_4(_: &Context) -> Result<Outcome, String> {
    let ball = unit_ball(Pressure::Uniform);
    let mut point = [1.5, 0.0, 0.8];
    ball.prox(1.0, &mut point);
    // The same point turned about the axis must be the nearest one to the turned point.
    let mut turned = [1.5 * 0.6, 1.5 * 0.8, 0.8];
    ball.prox(1.0, &mut turned);
    let asymmetry = (turned[0].hypot(turned[1]) - point[0]).abs() + (turned[2] - point[2]).abs();
    let rows = vec![
        Row::new("extent along λT", "")
            .paper(1.0, 1e-12, "sec. 2.3; rounding")
            .ours(1.0 / ball.gauge(&[0.6, 0.8, 0.0])),
        Row::new("extent along λτ", "")
            .paper(2.0 / 3.0, 1e-9, "sec. 2.3; 1e-9: tabulated boundary")
            .ours(1.0 / ball.gauge(&[0.0, 0.0, 1.0])),
        Row::new("deviation from symmetry about λτ", "")
            .paper(0.0, 1e-12, "sec. 2.3; rounding")
            .ours(asymmetry),
    ];
    let mut figure = figure("", 1, vec![picture(&ball, "friction ball, uniform pressure")]);
    figure.panel_size = (520.0, 400.0);
    Ok(Outcome::new(figure, rows))
}

fn fig_5(_: &Context) -> Result<Outcome, String> {
    let (uniform, hertz) = (unit_ball(Pressure::Uniform), unit_ball(Pressure::Hertz));
    let grid: Vec<f64> = (0..=300).map(|k| f64::from(k) / 100.0).collect();
    let curves = |value: &dyn Fn(&dyn ConvexSet, f64) -> f64| {
        let y = |set: &dyn ConvexSet| grid.iter().map(|u| value(set, *u)).collect();
        vec![
            Series::line("uniform", grid.clone(), y(&uniform)),
            Series::styled(Style::Dashed, "Hertz", grid.clone(), y(&hertz)),
        ]
    };
    let force = |set: &dyn ConvexSet, u: f64| force_against(set, u, 1.0).0;
    let torque = |set: &dyn ConvexSet, inverse: f64| force_against(set, 1.0, inverse).1;
    let difference = |value: &dyn Fn(&dyn ConvexSet, f64) -> f64| {
        let relative = |u: &f64| (value(&hertz, *u) / value(&uniform, *u) - 1.0).abs();
        100.0 * grid.iter().skip(1).map(relative).fold(0.0, f64::max)
    };
    let panels = vec![
        Panel::new("(a) friction force", "u = v/(ωR)", "λT/(µλN)", curves(&force)),
        Panel::new("(b) friction torque", "1/u = ωR/v", "λτ/(µλN)", curves(&torque)),
    ];
    let at_one = |set: &dyn ConvexSet| force_against(set, 1.0, 1.0);
    let about = "end of sec. 3: \"maximally about 20 percent\"; 3 percent for \"about\"";
    let rows = vec![
        Row::new("λT/(µλN) at u = 1, uniform", "")
            .paper(1.0 - 1.0 / 8.0 - 1.0 / 64.0, 1e-3, "eq. 2.13 for u ≤ 1")
            .ours(at_one(&uniform).0)
            .converged(at_one(&uniform).0)
            .limit(8.0 / (3.0 * PI), 1e-9, EXACT)
            .because(SERIES),
        Row::new("λτ/(µλN) at u = 1, uniform", "")
            .paper(0.25 + 1.0 / 48.0 + 3.0 / 512.0, 1e-2, "eq. 2.14 for u > 1; next terms")
            .ours(at_one(&uniform).1)
            .converged(at_one(&uniform).1)
            .limit(8.0 / (9.0 * PI), 1e-9, EXACT),
        Row::new("λT/(µλN) at u = 1, Hertz", "")
            .paper(9.0 * PI / 32.0, 1e-12, "eq. 3.17; rounding")
            .ours(at_one(&hertz).0),
        Row::new("λτ/(µλN) at u = 1, Hertz", "")
            .paper(9.0 * PI / 128.0, 1e-12, "eq. 3.18; rounding")
            .ours(at_one(&hertz).1),
        Row::new("λτ/(µλN) for 1/u → ∞, Hertz", "")
            .paper(3.0 * PI / 16.0, 1e-12, "eq. 3.18; rounding")
            .ours(force_against(&hertz, 0.0, 1.0).1),
        Row::new("largest difference of the forces", "%")
            .paper(20.0, 3.0, about)
            .ours(difference(&force)),
        Row::new("largest difference of the torques", "%")
            .paper(20.0, 3.0, about)
            .ours(difference(&torque)),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}

fn fig_6(_: &Context) -> Result<Outcome, String> {
    let ball = unit_ball(Pressure::Uniform);
    let grid: Vec<f64> = (-200..=200).map(|k| f64::from(k) / 100.0).collect();
    let fixed = [0.0, 0.1, 0.5, 1.0];
    let forces = fixed.map(|spin| {
        let y = grid.iter().map(|v| force_against(&ball, *v, spin).0).collect();
        Series::line(&format!("γτ = {spin}"), grid.clone(), y)
    });
    let torques = fixed.map(|v| {
        let y = grid.iter().map(|spin| force_against(&ball, v, *spin).1).collect();
        Series::line(&format!("v = {v}"), grid.clone(), y)
    });
    let mut panels = vec![
        Panel::new("(a) force at a fixed spin", "v [m/s]", "−λT/(µλN)", forces.into()),
        Panel::new("(b) torque at a fixed slip", "γτ [m/s]", "−λτ/(µλN)", torques.into()),
    ];
    panels[0].y = Axis { range: Some((-1.1, 1.1)), ..panels[0].y.clone() };
    panels[1].y = Axis { range: Some((-0.8, 0.8)), ..panels[1].y.clone() };
    let slope = force_against(&ball, 1e-4, 1.0).0 / 1e-4;
    let torque_slope = force_against(&ball, 1.0, 1e-4).1 / 1e-4;
    let rows = vec![
        Row::new("slope of −λT/(µλN) at v = 0, γτ = 1", "s/m")
            .paper(1.0, 1e-6, "eq. 2.13: u − u³/8 − ...; cubic term at u = 1e-4")
            .ours(slope),
        Row::new("slope of −λτ/(µλN) at γτ = 0, v = 1", "s/m")
            .paper(0.25, 1e-6, "eq. 2.14: 1/(4u) + ...; cubic term at 1/u = 1e-4")
            .ours(torque_slope),
        Row::new("−λT/(µλN) at γτ = 0, v > 0", "")
            .paper(1.0, 1e-12, "sec. 2.3: Coulomb's law; rounding")
            .ours(force_against(&ball, 0.3, 0.0).0),
        Row::new("−λτ/(µλN) at v = 0, γτ > 0", "")
            .paper(2.0 / 3.0, 1e-9, "sec. 2.3; 1e-9: tabulated boundary")
            .ours(force_against(&ball, 0.0, 0.3).1),
    ];
    Ok(Outcome::new(figure("", 2, panels), rows))
}
