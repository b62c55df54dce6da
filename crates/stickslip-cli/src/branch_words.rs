//! What `stickslip continue` says of the branches that it has followed: words and JSON.

use crate::branch_files::largest;
use crate::output::printable;
use serde_json::{Value, json};
use std::fmt::Write;
use stickslip::study::{Branch, Equilibrium, Followed, Orbit, RestBranch, SpecialPoint, Vary};

/// The branches in words.
pub fn as_text(vary: &Vary, followed: &Followed) -> String {
    match followed {
        Followed::Orbits(branches) => {
            let mut text = orbits_as_text(vary, &branches.first);
            for side in &branches.doubled {
                let _ = writeln!(text, "from the {} at {}:", side.from.kind, side.from.value);
                text += &orbits_as_text(vary, &side.branch);
            }
            text
        }
        Followed::Rest(branch) => rest_as_text(vary, branch),
    }
}

/// How many points there are, from where to where, and the bifurcations.
fn head(vary: &Vary, points: &str, values: &[f64], bifurcations: &[SpecialPoint]) -> String {
    let mut text = String::new();
    if let (Some(first), Some(last)) = (values.first(), values.last()) {
        let _ = writeln!(text, "{} {points} from {} = {first} to {last}", values.len(), vary.key);
    }
    for bifurcation in bifurcations {
        let _ = writeln!(text, "{:<16} {}", bifurcation.kind, bifurcation.value);
    }
    text
}

fn orbits_as_text(vary: &Vary, branch: &Branch) -> String {
    let values: Vec<f64> = branch.points.iter().map(|point| point.value).collect();
    let mut text = head(vary, "orbits", &values, &branch.bifurcations);
    let mut before = None;
    for orbit in &branch.points {
        if before != Some(orbit.stable) {
            let word = if orbit.stable { "stable" } else { "unstable" };
            let _ = writeln!(text, "{word} from {} on, period {} s", orbit.value, orbit.period);
        }
        before = Some(orbit.stable);
    }
    text
}

fn rest_as_text(vary: &Vary, branch: &RestBranch) -> String {
    let values: Vec<f64> = branch.points.iter().map(|point| point.value).collect();
    let mut text = head(vary, "equilibria", &values, &branch.bifurcations);
    let mut before = None;
    for point in &branch.points {
        let now = (point.stable, point.mode.clone());
        if before.as_ref() != Some(&now) {
            let word = if point.stable { "stable" } else { "unstable" };
            let mode = printable(&point.mode);
            let _ = writeln!(text, "{word} from {} on, {mode}", point.value);
            if let Some([a, b]) = &point.interval {
                let _ = writeln!(text, "  an interval, coordinates from {a:?} to {b:?}");
            }
        }
        before = Some(now);
    }
    text
}

fn special_as_json(list: &[SpecialPoint]) -> Vec<Value> {
    list.iter().map(|b| json!({ "kind": b.kind, "value": b.value })).collect()
}

fn orbits_as_json(branch: &Branch) -> Vec<Value> {
    let point = |orbit: &Orbit| {
        json!({
            "value": orbit.value,
            "period": orbit.period,
            "multipliers": orbit.multipliers,
            "stable": orbit.stable,
            "modes": orbit.modes,
            "largest_multiplier": largest(orbit),
            "state": { "t": orbit.state.t, "q": orbit.state.q, "u": orbit.state.u },
        })
    };
    branch.points.iter().map(point).collect()
}

/// The branches as an object.
pub fn as_json(followed: &Followed) -> Value {
    match followed {
        Followed::Orbits(branches) => {
            let side = branches.doubled.iter().map(|side| {
                json!({
                    "from": { "kind": side.from.kind, "value": side.from.value },
                    "branch": orbits_as_json(&side.branch),
                    "bifurcations": special_as_json(&side.branch.bifurcations),
                    "ended": side.branch.ended,
                })
            });
            json!({
                "branch": orbits_as_json(&branches.first),
                "bifurcations": special_as_json(&branches.first.bifurcations),
                "branches": side.collect::<Vec<Value>>(),
                "ended": branches.first.ended,
            })
        }
        Followed::Rest(branch) => {
            let point = |point: &Equilibrium| {
                json!({
                    "value": point.value,
                    "period": null,
                    "multipliers": [],
                    "eigenvalues": point.eigenvalues,
                    "stable": point.stable,
                    "modes": [point.mode],
                    "state": { "t": point.state.t, "q": point.state.q, "u": point.state.u },
                    "interval": point.interval,
                })
            };
            json!({
                "branch": branch.points.iter().map(point).collect::<Vec<Value>>(),
                "bifurcations": special_as_json(&branch.bifurcations),
                "branches": [],
                "ended": branch.ended,
            })
        }
    }
}
