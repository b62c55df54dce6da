//! `stickslip check`: everything that can be said of a scene before it runs.

use crate::exit::Exit;
use crate::output::printable;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::{say, session};
use clap::Args;
use stickslip::analysis::start::{Noted, StartReport};
use stickslip::digits::digits;
use stickslip::scene::Scene;
use stickslip::scene::world::judge;

const AFTER_HELP: &str = "\
Reads the scene, builds it, and looks at its start: masses, overlap of shapes,
joints whose bodies do not meet or part, impacts at once, and how many
constraints of the joints are independent (redundant ones leave their forces not
unique; the motion is). Joints that do not meet, and velocities that contradict
joints or motors, are mended before a run (assembly): what that changes is told,
with the coordinates of the joints. Numbers that do not fit each other are
doubted: steps that are long for spins, springs, small bodies or play, and sizes
and masses that look like a forgotten unit. Joints that contradict each other,
by their lengths or by their motors, are an error here and in run.

Examples:
  stickslip check my-scene.toml
  stickslip check newtons-cradle --set body.left.mass=2
  stickslip check my-scene.toml --tolerance 1e-3

Exit codes: 0 it can run, 2 something is wrong, 4 a limit is exceeded.";

/// Overlaps, gaps and speeds up to this are none (m, rad, m/s, rad/s), also to `run`.
pub const CHECK_TOLERANCE: f64 = 1e-6;

/// Check a scene without running it
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Check {
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(
        long,
        value_name = "X",
        default_value_t = CHECK_TOLERANCE,
        value_parser = tolerance,
        help = "Overlaps, gaps of joints and speeds up to this are none\n(m, rad, m/s, rad/s)"
    )]
    tolerance: f64,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| "it must be a number that is not negative".into())
}

impl Check {
    /// Runs the command.
    pub fn run(self) -> Exit {
        session::told(self.check().map(|(text, exit)| say(&text, exit)))
    }

    fn check(&self) -> Result<(String, Exit), Failure> {
        let file = self.chosen.open()?;
        let scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        scene.integrator().map_err(failure)?;
        let report = StartReport::new(scene.system.as_ref(), &scene.start, self.tolerance);
        let (mut lines, is_good) = told(&scene, &report, self.tolerance);
        if let Some(world) = file.world(&self.chosen.overrides).map_err(failure)? {
            let verdict = lines.pop();
            lines.extend(world.inherited.iter().map(|line| format!("  {line}")));
            let doubts = judge(&world, scene.system.as_ref(), &scene.start);
            lines.extend(doubts.iter().map(|doubt| format!("  warning: {doubt}")));
            lines.extend(verdict);
        }
        let text: String = lines.iter().map(|line| printable(line) + "\n").collect();
        Ok((text, if is_good { Exit::Done } else { Exit::BadInput }))
    }
}

/// A few names of a list.
fn some_of(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}

/// Masses of the bodies of a world.
fn masses(scene: &Scene) -> Vec<String> {
    const MOST: usize = 20;
    if scene.model != "world" {
        return Vec::new();
    }
    let blocks = scene.system.blocks();
    let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
    let mut forces = vec![0.0; blocks.iter().sum()];
    scene.system.mass_and_forces(&scene.start, &mut mass, &mut forces);
    let bodies = scene.system.drawing().bodies;
    let mut entry = 0;
    let each = bodies.iter().zip(blocks).map(|(body, size)| {
        // The first velocity of a body is that of its centre of mass along x.
        let line = format!("  mass of {}: {} kg", body.name, digits(mass[entry], 7));
        entry += size * size;
        line
    });
    let mut lines: Vec<String> = each.take(MOST).collect();
    if bodies.len() > MOST {
        lines.push(format!("  and {} more bodies", bodies.len() - MOST));
    }
    lines
}

/// The report in lines, and whether the scene can run.
pub fn told(scene: &Scene, report: &StartReport, tolerance: f64) -> (Vec<String>, bool) {
    let mut lines = vec![format!("{}: {}", scene.name, scene.model)];
    let energy = scene.system.energy(&scene.start);
    let StartReport { coordinates, velocities, blocks, contacts, closed, .. } = report;
    lines.push(format!(
        "  {coordinates} coordinates, {velocities} velocities in {blocks} mass blocks"
    ));
    lines.extend(masses(scene));
    lines.push(format!(
        "  energy at the start: kinetic {} J, potential {} J",
        digits(energy.kinetic, 7),
        digits(energy.potential, 7)
    ));
    let plural = if *contacts == 1 { "" } else { "s" };
    lines.push(format!(
        "  {contacts} possible contact{plural} at the start, {closed} of them closed"
    ));
    if report.joint_rows > 0 {
        let rows = report.joint_rows;
        lines.push(match report.joint_rank {
            Some(rank) if rank == rows => {
                format!("  {rows} constraints of joints, all independent")
            }
            Some(rank) => format!(
                "  {rows} constraints of joints, {rank} independent: {} are redundant, their forces are \
                 not unique ({})",
                rows - rank,
                some_of(&report.redundant)
            ),
            None => format!("  {rows} constraints of joints, too many to tell their rank"),
        });
    }
    lines.extend(scene.joint_coordinates().iter().map(|line| format!("  {line}")));
    lines.extend(scene.assembly().iter().map(|line| format!("  {line}")));
    for warning in scene.warnings() {
        lines.push(format!("  warning: {warning}"));
    }
    let mut is_good = report.bad_masses.is_empty();
    for block in &report.bad_masses {
        lines.push(format!("  error: the mass matrix of block {block} is not positive"));
    }
    let mut list = |noted: &[Noted], unit: &str, text: &str| {
        const MOST: usize = 10;
        let level = "warning";
        for Noted { name, value } in noted.iter().take(MOST) {
            lines.push(format!("  {level}: {name}: {text} {} {unit}", digits(*value, 4)));
        }
        if noted.len() > MOST {
            lines.push(format!("  {level}: {} more like these", noted.len() - MOST));
        }
    };
    // Sides that can be closed are, in the run.
    list(&report.joint_gaps, "m or rad", "its sides do not meet, by");
    // A world has warned of it already; the first step stops it.
    if scene.model != "world" {
        list(&report.joint_speeds, "m/s or rad/s", "its sides part at");
    }
    list(&report.overlaps, "m", "overlap, gap");
    list(&report.approaching, "m/s", "the run begins with an impact at");
    if let Some(contradiction) = scene.contradiction(tolerance) {
        lines.push(format!("  error: {contradiction}"));
        is_good = false;
    }
    lines.push(if is_good { "  it can run".into() } else { "  it should not run".into() });
    (lines, is_good)
}
