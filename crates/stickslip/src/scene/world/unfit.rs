//! What an integrator does not take, by the keys of the file.

use super::super::sections::IntegratorName;
use crate::world::{ContactLaw, JointKind, WorldDescription};

/// Keys of what the integrator refuses, each with a sentence that says what to take instead.
pub(super) fn unfit(world: &WorldDescription, integrator: IntegratorName) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut refuse =
        |key: String, reason: String| out.push((key.clone(), format!("{key}{reason}")));
    let rules = world.contacts.iter().enumerate().map(|(number, rule)| {
        let name = rule.name.as_ref().map_or(String::new(), |name| format!(" of {name}"));
        (format!("contact.{number}"), name, &rule.law)
    });
    let joints = world.joints.iter().enumerate().filter_map(|(number, joint)| match &joint.kind {
        JointKind::ClearanceTranslational { law, .. }
        | JointKind::ClearanceRevolute { law, .. } => {
            Some((format!("joint.{number}.contact"), format!(" of {}", joint.name), law))
        }
        _ => None,
    });
    let default = ("default_contact".to_owned(), String::new(), &world.default_contact);
    let laws: Vec<(String, String, &ContactLaw)> = rules.chain(joints).chain([default]).collect();
    if integrator == IntegratorName::EventDriven {
        for (key, name, law) in &laws {
            if law.form.has_edges() {
                let reason = format!(
                    "{name} is \"polygon\": event-driven takes forces of sliding from the velocity, which does \
                     not tell them inside an edge; simulation.integrator must be rattle, moreau, moreau-rk4 \
                     or an ode-* one, or the law another one"
                );
                refuse(format!("{key}.law"), reason);
            }
        }
    }
    let Some(ode) = integrator.ode_name() else { return out };
    for (key, name, law) in &laws {
        if law.adhesion > 0.0 {
            let reason = format!(
                "{name} is {} N: {ode} has no element for adhesion; simulation.integrator must be rattle, \
                 moreau, moreau-rk4 or event-driven, or the adhesion 0",
                law.adhesion
            );
            refuse(format!("{key}.adhesion"), reason);
        }
    }
    // A law of velocities without a gap: no element stands for it.
    for (number, joint) in world.joints.iter().enumerate() {
        if joint.one_way.is_some() {
            let reason = format!(
                " of {}: {ode} has no element for one-way clutches; take rattle, moreau or event-driven",
                joint.name
            );
            refuse(format!("joint.{number}.one_way"), reason);
        }
    }
    out
}
