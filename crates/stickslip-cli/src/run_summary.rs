//! The summary of a run: for programs and for people.

use crate::folder::{REPORT, SUMMARY, TRAJECTORY, VTK};
use crate::output::printable;
use crate::signals;
use crate::summary_forces::{self, Forces};
use crate::summary_words;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use stickslip::digits::digits;
use stickslip::models::slider_crank::Situation;
use stickslip::scene::Scene;
use stickslip::simulate::{RunStatus, Summary, units};

/// The file `summary.json`; the names are the JSON keys.
#[derive(Serialize)]
pub struct SummaryFile<'a> {
    format: &'static str,
    version: u64,
    name: &'a str,
    model: &'a str,
    command: &'a str,
    /// How it ended: done, untrustworthy, not-converged, failed, interrupted, output-failed.
    pub status: &'static str,
    /// What went wrong; none if nothing did.
    pub message: Option<String>,
    /// What happened, in a line.
    words: String,
    /// What the user was told before and after the run.
    pub warnings: Vec<String>,
    steps: u64,
    /// How steps were chosen, with an accuracy.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_steps: Option<ChosenSteps>,
    rescued_steps: u64,
    /// Steps in which friction that falls with the speed had several solutions; none without such friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    friction_choices: Option<u64>,
    unsolved_steps: u64,
    worst_residual: f64,
    max_penetration: f64,
    energy: Energy,
    /// Largest forces of contacts and joints, and ranges of joints.
    forces: Forces,
    events: Vec<Event>,
    dropped_events: u64,
    /// How often contacts came to stick and began to slip; contacts.csv lists them.
    stick_slip_changes: u64,
    impacts: usize,
    dropped_impacts: u64,
    /// The condition of the scene that ended the run before its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    /// When conditions of the scene came true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    happened: Vec<Happened>,
    /// Fraction of time by set of closed contacts: none, body, body+stick, ...
    contact_fractions: BTreeMap<String, f64>,
    /// Of a slider in a guide: fraction of time by contact situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    situations: Option<BTreeMap<&'static str, f64>>,
    /// Units of the columns of the table that have one.
    units: BTreeMap<String, String>,
    final_state: FinalState<'a>,
    rows: u64,
    seconds: f64,
    scene: &'a toml::Table,
}

#[derive(Serialize)]
struct ChosenSteps {
    taken: u64,
    refused: u64,
    computed: u64,
    inaccurate: u64,
    shortest: f64,
    longest: f64,
}

#[derive(Serialize)]
struct Energy {
    initial: f64,
    #[serde(rename = "final")]
    last: f64,
    /// By law; positive where energy is lost.
    dissipated: BTreeMap<&'static str, f64>,
    /// By contact or joint that has a name, and law.
    dissipated_at: BTreeMap<String, BTreeMap<&'static str, f64>>,
    drive: f64,
    projection: f64,
    closing_error: f64,
    /// Largest |closing error| over the energy turned over.
    worst_closing_share: f64,
    energy_gains: u64,
    /// Energy that contacts put in there.
    energy_gained: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_gain: Option<Gain>,
}

#[derive(Serialize)]
struct Gain {
    t: f64,
    contact: String,
    energy: f64,
    share: f64,
}

#[derive(Serialize)]
struct Event {
    t: f64,
    contact: String,
    event: &'static str,
}

#[derive(Serialize)]
struct Happened {
    t: f64,
    condition: String,
}

/// Name of a condition of the scene.
fn condition(scene: &Scene, number: usize) -> String {
    scene.system.conditions().get(number).map(|own| own.name.clone()).unwrap_or_default()
}

#[derive(Serialize)]
struct FinalState<'a> {
    t: f64,
    q: &'a [f64],
    u: &'a [f64],
    memory: &'a [f64],
}

/// Events that the text for people shows.
const SHOWN_EVENTS: usize = 12;

impl<'a> SummaryFile<'a> {
    /// Of a run of a scene.
    pub fn new(
        scene: &'a Scene,
        summary: &'a Summary,
        command: &'a str,
        rows: u64,
        time: Duration,
    ) -> Self {
        let book = &summary.energy.book;
        let events = summary.events.iter().map(|event| Event {
            t: tidy(event.t),
            contact: scene.system.contact_name(event.contact),
            event: event.kind.name(),
        });
        let state = &summary.final_state;
        Self {
            format: "stickslip/summary",
            version: 1,
            name: &scene.name,
            model: scene.model,
            command,
            status: summary.status.name(),
            message: message(&summary.status),
            words: summary_words::words(scene.system.as_ref(), summary),
            warnings: Vec::new(),
            steps: summary.steps,
            chosen_steps: summary.chosen_steps.map(|count| ChosenSteps {
                taken: count.taken,
                refused: count.refused,
                computed: count.computed,
                inaccurate: count.inaccurate,
                shortest: count.range[0],
                longest: count.range[1],
            }),
            rescued_steps: summary.rescued_steps,
            friction_choices: depends_on_speed(scene).then_some(book.friction_choices),
            unsolved_steps: summary.unsolved_steps,
            worst_residual: summary.worst_residual,
            max_penetration: summary.max_penetration,
            energy: Energy {
                initial: summary.energy.initial,
                last: summary.energy.last,
                // 0 − work, for a law that did nothing dissipated 0 and not −0.
                dissipated: book.works.iter().map(|(name, work)| (*name, 0.0 - work)).collect(),
                dissipated_at: summary_forces::losses(scene.system.as_ref(), summary),
                drive: book.drive,
                projection: book.projection,
                closing_error: summary.energy.closing_error,
                worst_closing_share: summary.energy.worst_closing.share,
                energy_gains: book.gains,
                energy_gained: book.gained,
                largest_gain: book.largest_gain.map(|gain| Gain {
                    t: tidy(gain.t),
                    contact: scene.system.contact_name(gain.contact),
                    energy: gain.energy,
                    share: gain.share,
                }),
            },
            forces: Forces::new(scene.system.as_ref(), summary),
            events: events.collect(),
            dropped_events: summary.dropped_events,
            stick_slip_changes: summary.motions.len() as u64 + summary.dropped_motions,
            impacts: summary.impacts.len(),
            dropped_impacts: summary.dropped_impacts,
            stopped: summary.stopped_by.map(|number| condition(scene, number)),
            happened: summary
                .happened
                .iter()
                .map(|own| Happened { t: tidy(own.t), condition: condition(scene, own.condition) })
                .collect(),
            contact_fractions: contact_fractions(scene, &summary.contact_times),
            situations: scene
                .system
                .has_slider_corners()
                .then(|| Situation::fractions(&summary.contact_times))
                .map(|list| list.into_iter().map(|(s, share)| (s.name(), share)).collect()),
            units: units(scene.system.as_ref(), &scene.columns()),
            final_state: FinalState {
                t: tidy(state.t),
                q: &state.q,
                u: &state.u,
                memory: &state.memory,
            },
            rows,
            seconds: time.as_secs_f64(),
            scene: scene.effective(),
        }
    }

    /// For people, with the files that are in the folder as a whole.
    pub fn text(&self, folder: &str, files: &[String]) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut out, folder, files);
        out
    }

    fn write_text(&self, out: &mut String, folder: &str, files: &[String]) -> std::fmt::Result {
        let name = printable(self.name);
        let (t, seconds) = (self.final_state.t, self.seconds);
        writeln!(
            out,
            "{name}: {}, {t} s in {} steps, computed in {seconds:.2} s",
            self.status, self.steps
        )?;
        if let Some(ChosenSteps { taken, refused, computed, inaccurate, shortest, longest }) =
            &self.chosen_steps
        {
            writeln!(
                out,
                "  steps    {taken} of {shortest:.1e} to {longest:.1e} s; {refused} pairs refused, \
                 {computed} steps computed"
            )?;
            if *inaccurate > 0 {
                writeln!(
                    out,
                    "           {inaccurate} pairs less accurate than asked: simulation.least_step"
                )?;
            }
        }
        writeln!(
            out,
            "  solver   worst residual {:.1e}, unsolved steps {}, rescued steps {}",
            self.worst_residual, self.unsolved_steps, self.rescued_steps
        )?;
        if let Some(count) = self.friction_choices.filter(|count| *count > 0) {
            writeln!(
                out,
                "           in {count} steps friction could stick as well as slide: they went on as before"
            )?;
        }
        writeln!(out, "  contact  deepest penetration {} m", digits(self.max_penetration, 3))?;
        let energy = &self.energy;
        writeln!(
            out,
            "  energy   {} J at the start, {} J at the end",
            digits(energy.initial, 7),
            digits(energy.last, 7)
        )?;
        let dissipated: Vec<String> = energy
            .dissipated
            .iter()
            .map(|(law, work)| format!("{law} {} J", digits(*work, 4)))
            .collect();
        writeln!(out, "           dissipated: {}", dissipated.join(", "))?;
        writeln!(
            out,
            "           closing error {} J, projection {} J, energy gains {}",
            digits(energy.closing_error, 2),
            digits(energy.projection, 2),
            energy.energy_gains
        )?;
        for (position, event) in self.events.iter().take(SHOWN_EVENTS).enumerate() {
            let title = if position == 0 { "events" } else { "" };
            writeln!(
                out,
                "  {title:<7}  {:>9.4} s  {} {}",
                event.t,
                event.contact,
                verb(event.event)
            )?;
        }
        if self.events.len() > SHOWN_EVENTS {
            writeln!(out, "           and {} more", self.events.len() - SHOWN_EVENTS)?;
        }
        let shown = |name: &String| match name.as_str() {
            TRAJECTORY => format!("{name} ({} rows)", self.rows),
            VTK => format!("{name}/"),
            _ => name.clone(),
        };
        let files: Vec<String> = files.iter().map(shown).collect();
        writeln!(out, "  written  {folder}: {}", files.join(", "))?;
        writeln!(out, "  in words {}", printable(&self.words))?;
        writeln!(out, "  next     {}", self.next(folder, &files))
    }
}

impl SummaryFile<'_> {
    /// What to do next.
    fn next(&self, folder: &str, files: &[String]) -> String {
        let has = |name: &str| files.iter().any(|file| file.starts_with(name));
        if ["interrupted", "limit"].contains(&self.status) {
            format!("stickslip resume {folder}   to go on from there, bit for bit")
        } else if self.status != "done" {
            "look at the message; a shorter simulation.step often helps, `stickslip check` looks at the \
             scene"
                .into()
        } else if has(REPORT) {
            format!("stickslip open {folder}   to look at the motion and the plots")
        } else {
            format!(
                "{folder}/{TRAJECTORY} has the rows, {SUMMARY} the peaks; without --no-report there \
                     is a page"
            )
        }
    }
}

fn verb(event: &str) -> &str {
    match event {
        "close" => "closes",
        "open" => "opens",
        "accumulation" => "comes to rest after infinitely many impacts",
        "stick" => "sticks",
        "slip" => "slips",
        other => other,
    }
}

fn message(status: &RunStatus) -> Option<String> {
    match status {
        RunStatus::Done => None,
        RunStatus::Interrupted => Some(signals::words().into()),
        other => Some(other.to_string()),
    }
}

/// Times as people write them: 1.3707, not 1.3707000000000003.
fn tidy(t: f64) -> f64 {
    let rounded = (t * 1e12).round() / 1e12;
    if rounded.is_finite() && t.abs() >= 1e-6 { rounded } else { t }
}

/// Share of the time that each set of reported contacts was closed.
fn contact_fractions(scene: &Scene, times: &[(u64, f64)]) -> BTreeMap<String, f64> {
    let total: f64 = times.iter().map(|(_, time)| time).sum();
    let name = |closed: u64| {
        let keys = scene.system.reported_contacts().iter().enumerate();
        let names: Vec<String> = keys
            .filter(|(position, _)| closed >> position & 1 == 1)
            .map(|(_, key)| scene.system.contact_name(*key))
            .collect();
        if names.is_empty() { "none".to_owned() } else { names.join("+") }
    };
    times.iter().map(|(closed, time)| (name(*closed), time / total)).collect()
}

/// Whether the strength of some friction depends on the speed of sliding.
fn depends_on_speed(scene: &Scene) -> bool {
    let laws = scene.system.law_groups().iter().flat_map(|group| &group.laws);
    laws.into_iter().any(|named| named.law.curve.is_some())
}
