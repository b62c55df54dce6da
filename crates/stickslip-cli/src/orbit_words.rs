//! What `stickslip orbit` says of the orbit that it has found: words and JSON.

use crate::output::printable;
use serde_json::{Value, json};
use std::fmt::Write;
use stickslip::study::Orbit;

/// The orbit in words.
pub fn as_text(orbit: &Orbit) -> String {
    let Orbit { period, multipliers, stable, modes, state, drift, blind, .. } = orbit;
    let mut text = format!("period       {period} s\n");
    let multipliers: Vec<String> = multipliers
        .iter()
        .map(|[re, im]| if *im == 0.0 { format!("{re:.9}") } else { format!("{re:.9}{im:+.9}i") })
        .collect();
    let _ = writeln!(text, "multipliers  {}", multipliers.join("  "));
    let _ = writeln!(text, "stable       {}", if *stable { "yes" } else { "no" });
    let modes: Vec<String> = modes.iter().map(|mode| printable(mode)).collect();
    let _ = writeln!(text, "modes        {}", modes.join(" | "));
    let _ = writeln!(text, "state        t = {} s, q = {:?}, u = {:?}", state.t, state.q, state.u);
    if *drift > 0.0 {
        let _ = writeln!(text, "drift        {drift:.3e} of its size in each period");
    }
    if *blind > 0 {
        let _ = writeln!(text, "note         {blind} instants were passed without a derivative");
    }
    text
}

/// The orbit as an object.
pub fn as_json(orbit: &Orbit) -> Value {
    let Orbit { period, multipliers, stable, modes, state, drift, blind, .. } = orbit;
    json!({
        "period": period,
        "multipliers": multipliers,
        "stable": stable,
        "modes": modes,
        "state": { "t": state.t, "q": state.q, "u": state.u },
        "drift": drift,
        "without_derivative": blind,
    })
}
