//! Boundaries and pictures of friction balls, which three of the papers show.

use crate::plot::{Axis, Panel, Series, Style};
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::convex::{ContensouBall, ConvexSet, Pressure};

/// The ball of unit friction coefficient and unit contact radius.
pub fn unit_ball(pressure: Pressure) -> ContensouBall {
    ContensouBall { friction: 1.0, contact_radius: 1.0, pressure }
}

/// Force and torque that a set of unit reservoir gives against the velocities v along the first
/// axis and γ_τ about the third: the point of the set farthest in that direction.
pub fn force_against(set: &dyn ConvexSet, v: f64, spin: f64) -> (f64, f64) {
    let mut out = [0.0; 3];
    set.support_point(1.0, &[v, 0.0, spin], &mut out);
    (out[0], out[2])
}

/// The section of a set of forces and one torque with the plane of the first and third axis.
pub fn section(set: &dyn ConvexSet) -> (Vec<f64>, Vec<f64>) {
    (0..=1440)
        .map(|k| {
            // Rays to the boundary: the gauge is the factor by which a ray is too long.
            let angle = TAU * f64::from(k) / 1440.0;
            let ray = [angle.cos(), 0.0, angle.sin()];
            let gauge = set.gauge(&ray);
            (ray[0] / gauge, ray[2] / gauge)
        })
        .unzip()
}

/// A set that is symmetric about the third axis, seen from above and from the side: parallels and
/// meridians where they are in front.
pub fn picture(set: &dyn ConvexSet, title: &str) -> Panel {
    let (tilt_sin, tilt_cos) = 0.45_f64.sin_cos();
    // Right, up and towards the eye.
    let seen = |p: [f64; 3]| (p[0], tilt_sin * p[1] + tilt_cos * p[2]);
    let in_front = |n: [f64; 3]| -tilt_cos * n[1] + tilt_sin * n[2] > -0.02;
    let point = |latitude: f64, longitude: f64| {
        // The outward normal at the boundary is the velocity that the force works against.
        let (r, z) = (latitude.cos(), latitude.sin());
        let normal = [r * longitude.cos(), r * longitude.sin(), z];
        let (force, torque) = force_against(set, r, z);
        let place = [force * longitude.cos(), force * longitude.sin(), torque];
        if in_front(normal) { seen(place) } else { (f64::NAN, f64::NAN) }
    };
    // Equal steps of the slope of the normal crowd at the rim; its square root does not.
    let latitude = |part: f64| FRAC_PI_2 * part.abs().sqrt().copysign(part);
    let mut series = Vec::new();
    for k in -7..=7 {
        let at = latitude(f64::from(k) / 8.0);
        let (x, y) = (0..=120).map(|j| point(at, TAU * f64::from(j) / 120.0)).unzip();
        series.push(Series::line("", x, y).colored(if k == 0 { 1 } else { 0 }));
    }
    for k in 0..16 {
        let along = TAU * f64::from(k) / 16.0;
        let (x, y) = (-60..=60).map(|j| point(latitude(f64::from(j) / 60.0), along)).unzip();
        series.push(Series::line("", x, y).colored(0));
    }
    // The axes, drawn from the surface outwards.
    for (axis, length) in [([1.0, 0.0, 0.0], 1.45), ([0.0, -1.0, 0.0], 2.1), ([0.0, 0.0, 1.0], 1.2)]
    {
        let gauge = set.gauge(&axis);
        let end = |s: f64| seen([s * axis[0], s * axis[1], s * axis[2]]);
        let (from, to) = (end(1.0 / gauge), end(length));
        series.push(Series::line("", vec![from.0, to.0], vec![from.1, to.1]).colored(6));
    }
    let note = |at, text: &str| crate::plot::Note { at, text: text.to_owned() };
    Panel {
        title: title.to_owned(),
        x: Axis::new("").spanning(-1.4, 1.8),
        y: Axis::new("").spanning(-1.2, 1.3),
        equal_aspect: true,
        bare: true,
        series,
        notes: vec![note((1.58, 0.0), "λT1"), note((0.16, -0.9), "λT2"), note((0.14, 1.1), "λτ")],
    }
}

/// The closed curve of a section as a filled panel series.
pub fn filled_section(set: &dyn ConvexSet, label: &str) -> Series {
    let (x, y) = section(set);
    Series::styled(Style::Filled, label, x, y)
}
