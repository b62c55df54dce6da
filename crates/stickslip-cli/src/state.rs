//! `stickslip state`: a run at one of its times.

use crate::complain_all;
use crate::exit::Exit;
use crate::folder::ARCHIVE;
use crate::resume::{scene_of, unreadable};
use crate::scene_file::{Failure, failure};
use crate::session::{time, told};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use stickslip::scene::Scene;
use stickslip::simulate::{Archive, RecordPlace, Simulation};

const AFTER_HELP: &str = "\
The state is computed again from the nearest one before it in run.archive and is
exactly that of the run: at the first end of a step at the time or behind it.
Without --at it is the last state of the run; of a run that failed, the one
before the failing step.

--write FILE writes it: as a scene that starts there (its name ends in .toml),
as an archive from which programs go on (.archive), else as JSON.

Examples:
  stickslip state out/tippe-top --at 3.2
  stickslip state out/tippe-top --at 3.2s --write later.toml
  stickslip state out/tippe-top --json

Exit codes: 0 done, 2 bad input, 3 the run fails before that time, 4 cannot
write.";

/// Show a run at one of its times
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct State {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        help = "Simulated time, s [default: the last state]"
    )]
    at: Option<Duration>,

    #[arg(
        long,
        value_name = "FILE",
        help = "Write it to a file: .toml a scene, .archive, else JSON"
    )]
    write: Option<PathBuf>,

    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// The names are the JSON keys.
#[derive(Serialize)]
struct Shown<'a> {
    format: &'static str,
    version: u64,
    name: &'a str,
    t: f64,
    steps: u64,
    q: &'a [f64],
    u: &'a [f64],
    memory: &'a [f64],
    kinetic: f64,
    potential: f64,
    contacts: Vec<ContactState>,
}

#[derive(Serialize)]
struct ContactState {
    name: String,
    gap: f64,
    state: &'static str,
    normal_force: f64,
}

impl State {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.show())
    }

    fn show(&self) -> Result<Exit, Failure> {
        let mut archive = Archive::open(&self.folder.join(ARCHIVE)).map_err(unreadable)?;
        let scene = scene_of(&archive, &self.folder, &[])?;
        let mut simulation = scene.simulate().map_err(failure)?;
        let end = scene.start.t + scene.simulation.duration;
        let t = self.at.map_or(end, |at| at.as_secs_f64());
        if !(scene.start.t..=end).contains(&t) {
            let message =
                format!("--at {t}: the run goes from t = {} s to t = {end} s", scene.start.t);
            return Err((Exit::BadInput, message));
        }
        let before = |place: &RecordPlace| place.t <= t;
        let Some(number) = archive.places().rposition(before) else {
            let shown = self.folder.display();
            return Err((Exit::BadInput, format!("{shown}: {ARCHIVE} has no state")));
        };
        let saved = archive.state(number).map_err(unreadable)?;
        let misfit = |e: String| (Exit::BadInput, format!("{}: {e}", self.folder.display()));
        simulation.set_state(&saved).map_err(|e| misfit(e.to_string()))?;
        let is_last = number + 1 == archive.places().len();
        let ends_there = archive.places().nth(number).is_some_and(|place| place.is_end);
        let mut exit = Exit::Done;
        // The last state of a run that was ended early is the last one that is kept.
        if (self.at.is_some() || !is_last || !ends_there)
            && let Err(status) = simulation.run_until(t)
        {
            complain_all(&format!("{}: {status}; this is the state before that step", scene.name));
            exit = Exit::NotConverged;
        }
        self.tell(&scene, &simulation)?;
        Ok(exit)
    }

    fn tell(&self, scene: &Scene, simulation: &Simulation) -> Result<(), Failure> {
        let (state, energy) = (simulation.present(), simulation.energy());
        let contacts = simulation.contacts().iter().filter(|c| c.gap.is_finite());
        let shown = Shown {
            format: "stickslip/state",
            version: 1,
            name: &scene.name,
            t: state.t,
            steps: simulation.steps(),
            q: &state.q,
            u: &state.u,
            memory: &state.memory,
            kinetic: energy.kinetic,
            potential: energy.potential,
            contacts: contacts
                .map(|contact| ContactState {
                    name: scene.system.contact_name(contact.key),
                    gap: contact.gap,
                    state: contact.state.name(),
                    normal_force: contact.normal_percussion / simulation.last_step(),
                })
                .collect(),
        };
        let json =
            serde_json::to_string_pretty(&shown).map_err(|e| (Exit::Internal, e.to_string()))?;
        if let Some(path) = &self.write {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let written = match ending {
                "archive" => simulation.save(path, &scene.to_toml()).map_err(|e| e.to_string()),
                "toml" => std::fs::write(path, scene.from_here(state)).map_err(|e| e.to_string()),
                _ => std::fs::write(path, json.clone() + "\n").map_err(|e| e.to_string()),
            };
            let failed =
                |e| (Exit::ResourceLimit, format!("{} cannot be written: {e}", path.display()));
            written.map_err(failed)?;
        }
        let text = if self.json {
            json + "\n"
        } else if self.write.is_some() {
            return Ok(());
        } else {
            let list = |values: &[f64]| values.iter().map(|v| format!(" {v}")).collect::<String>();
            let mut text = format!(
                "{} at t = {} s, after {} steps\nq ={}\nu ={}\n",
                scene.name,
                shown.t,
                shown.steps,
                list(shown.q),
                list(shown.u)
            );
            if !shown.memory.is_empty() {
                text += &format!("memory ={}\n", list(shown.memory));
            }
            text +=
                &format!("energy = {} J kinetic, {} J potential\n", shown.kinetic, shown.potential);
            for ContactState { name, gap, state, normal_force } in &shown.contacts {
                text += &format!("{name}: {state}, gap {gap:e} m, normal force {normal_force} N\n");
            }
            text
        };
        match crate::say(&text, Exit::Done) {
            Exit::Done => Ok(()),
            exit => Err((exit, String::new())),
        }
    }
}
