//! What happened in a run, in words: the hardest impact, the largest forces, what took most energy.

use stickslip::digits::digits;
use stickslip::simulate::{ContactForces, Extreme, Summary};
use stickslip::system::Observed;

/// What took energy, in words.
fn loser(law: &str) -> String {
    match law {
        "normal" => "normal forces".into(),
        "friction" => "friction".into(),
        "joint-friction" => "friction in joints".into(),
        other => format!("the law {other}"),
    }
}

/// What happened, in one line of words.
pub fn words(system: &dyn Observed, summary: &Summary) -> String {
    let mut parts = Vec::new();
    if let Some(condition) = summary.stopped_by.and_then(|number| system.conditions().get(number)) {
        parts.push(format!("ended by the condition {}", condition.name));
    }
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("one {one}"),
        number => format!("{number} {many}"),
    };
    let hardest =
        summary.impacts.iter().max_by(|a, b| a.normal_percussion.total_cmp(&b.normal_percussion));
    if let Some(impact) = hardest {
        let name = system.contact_name(impact.contact);
        let which = if summary.impacts.len() == 1 { "" } else { "the hardest " };
        let number = count(summary.impacts.len(), "impact", "impacts");
        parts.push(format!("{number}, {which}at {name}, {:.4} s", impact.t));
    }
    let energy = &summary.energy;
    let losses = energy.book.works.iter().map(|(name, work)| (name, -work));
    if let Some((law, most)) = losses.max_by(|a, b| a.1.total_cmp(&b.1))
        && most > 1e-6 * energy.initial.abs().max(energy.last.abs())
    {
        parts.push(format!("most energy was lost to {}, {} J", loser(law), digits(most, 4)));
    }
    let book = &summary.forces;
    let contacts = system.reported_contacts().iter().zip(&book.contacts);
    let (turning, pushing): (Vec<_>, Vec<_>) =
        contacts.partition(|(key, _)| system.contact_turns(**key));
    let named = |list: Vec<(&u64, &ContactForces)>| -> Vec<(String, Extreme)> {
        list.into_iter().map(|(key, own)| (system.contact_name(*key), own.force)).collect()
    };
    let joints = system.reported_joints().iter().cloned().zip(&book.joints);
    let forces = named(pushing).into_iter().chain(joints.map(|(name, own)| (name, own.force)));
    // Moments of teeth and clutches are no forces.
    let of_all = [("force", "N", forces.collect()), ("moment", "N m", named(turning))];
    for (what, unit, list) in of_all {
        let largest = list.into_iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value));
        if let Some((name, Extreme { value, t })) = largest.filter(|(_, peak)| peak.value > 0.0) {
            let value = digits(value, 4);
            let is_impact = summary.impacts.iter().any(|impact| impact.t == t);
            let note = if is_impact { " (an impact, spread over its step)" } else { "" };
            parts.push(format!("the largest {what} was {value} {unit} at {name}, {t:.4} s{note}"));
        }
    }
    let speed = summary.final_state.u.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if speed < 1e-9 {
        parts.push("everything is at rest at the end".into());
    } else if parts.is_empty() {
        parts.push("no impacts, no contact or joint with a name, nothing was lost".into());
    }
    parts.join("; ")
}
