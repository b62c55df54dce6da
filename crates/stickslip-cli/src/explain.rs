//! `stickslip explain`: a scene in words.

use crate::exit::Exit;
use crate::output::printable;
use crate::say;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::told;
use clap::Args;
use stickslip::scene::world::{Inertia, explain};
use stickslip::system::ContactSet;

const AFTER_HELP: &str = "\
Tells every contact law with its units and what it means physically. Warns where
friction and the shape of a body allow Painleve's paradox (G_NN <= mu |G_NT|:
friction jams a corner), and where Newton's law of impact with friction may gain
energy; both for worlds, not for models.

Examples:
  stickslip explain bouncing-ball
  stickslip explain my-scene.toml --set default_contact.friction=1.5

Exit codes: 0 done, 2 bad input, 4 a limit is exceeded.";

/// Tell what the laws of a scene mean
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Explain {
    #[command(flatten)]
    chosen: ChosenScene,
}

impl Explain {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.lines().map(|lines| {
            let text: String = lines.iter().map(|line| printable(line) + "\n").collect();
            say(&text, Exit::Done)
        }))
    }

    fn lines(&self) -> Result<Vec<String>, Failure> {
        let file = self.chosen.open()?;
        if let Some(world) = file.world(&self.chosen.overrides).map_err(failure)? {
            let mut lines = vec![format!("{}: {}", world.name, world.caption)];
            lines.extend(world.warnings.iter().map(|warning| format!("warning: {warning}")));
            let bodies = &world.description.bodies;
            // The laws can be told of a world that cannot be built.
            let system = world.build();
            let inertias = match &system {
                Ok(system) => Inertia::of_system(&world.description, system, &system.start()),
                Err(_) => bodies.iter().map(Inertia::given).collect(),
            };
            lines.extend(explain(&world, &inertias));
            if let Ok(system) = &system {
                let elements = world.elements(system).map_err(failure)?;
                lines.extend(elements.iter().flat_map(|choice| choice.in_words()));
            }
            return Ok(lines);
        }
        let scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        let mut lines = vec![format!("{}: {}", scene.name, scene.caption)];
        let mut contacts = ContactSet::default();
        scene.system.contacts(&scene.start, &mut contacts);
        for (number, group) in scene.system.law_groups().iter().enumerate() {
            let own = contacts.candidates().iter().filter(|candidate| candidate.group == number);
            let names: Vec<String> = own.map(|c| scene.system.contact_name(c.key)).collect();
            lines.push(match names.is_empty() {
                true => format!("laws {number}, of no contact at the start:"),
                false => format!("{}:", names.join(", ")),
            });
            let words = group.laws.iter().map(|named| (named.name, named.law.in_words()));
            lines.extend(words.map(|(name, words)| format!("  {name}: {words}")));
        }
        if let Some(name) = scene.simulation.integrator.ode_name() {
            lines.push(format!(
                "integrator {name}: elements that come near these laws act in their place (docs/ode.md)"
            ));
        }
        Ok(lines)
    }
}
