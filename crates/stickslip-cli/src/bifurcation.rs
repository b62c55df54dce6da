//! `stickslip bifurcation`: where a motion passes a section, over a parameter.

use crate::exit::Exit;
use crate::output::printable;
use crate::run_plots::PIXELS;
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::session::told;
use crate::study_command::{PointBar, StudyOptions, refusal, stop_check};
use crate::study_page::{self, Key, Page};
use crate::{say, signals};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::Path;
use stickslip::scene::SceneFile;
use stickslip::study::{self, Follow, Section, Settled, Vary, cell, number};
use stickslip_papers::plot::{Figure, Ink, Panel, Series, Style};

/// The passages.
const TABLE: &str = "bifurcation.csv";
/// The values with their periods.
const PERIODS: &str = "periods.csv";

const AFTER_HELP: &str = "\
The section says when the motion is looked at: \"impact(NAME)\", NAME a contact
or a body; \"EXPR crosses VALUE up\" or down, EXPR made of columns that are known
from the state; \"period EXPR\", such as \"period 2*pi/omega\". At each value the
first passages are discarded and the next ones kept; where the section is not
passed for simulation.duration, the value has none. With --follow each value
begins with the state that was reached at the one before: hysteresis is seen.

Written to the folder: bifurcation.csv (a row for each passage), periods.csv (a
row for each value: after how many passages the motion repeats itself),
bifurcation.svg and .png, index.html, study.json (units, hash of the scene).

Examples:
  stickslip bifurcation vibrating-table --vary parameters.shaking=0.9:1.3:81
    --section \"impact(ball)\" --follow up --out out/doubling
  stickslip bifurcation vibrating-table --vary parameters.shaking=0.4:1.4:41
    --section \"ball.vy crosses 0 down\" --discard 50 --keep 20 --show ball.y

Exit codes: 0 done, 2 bad input, 3 no value is done, 4 cannot write, 5 internal
error, 130 interrupted by Ctrl-C, 143 by SIGTERM.";

/// Draw where a motion passes a section, over a parameter
#[derive(Args)]
#[command(
    after_help = AFTER_HELP,
    override_usage = "stickslip bifurcation NAME_OR_FILE --vary KEY=VALUES --section S ..."
)]
pub struct Bifurcation {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[arg(
        long,
        value_name = "KEY=VALUES",
        help = "What is varied: KEY=from:to:count or KEY=a,b,c"
    )]
    vary: String,

    #[arg(
        long,
        value_name = "SECTION",
        help = "When the motion is looked at, e.g. \"impact(ball)\""
    )]
    section: String,

    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        help = "Passages before those that are kept"
    )]
    discard: usize,

    #[arg(
        long,
        value_name = "N",
        default_value = "100",
        help = "Passages that are kept at each value"
    )]
    keep: usize,

    #[arg(long, value_name = "WAY", help = "Go on from the state at the value before")]
    follow: Option<Way>,

    #[arg(
        long = "show",
        value_name = "EXPR",
        help = "What is drawn [default: of impacts\nnormal_velocity_after, else some columns]; may be\nrepeated"
    )]
    show: Vec<String>,

    #[arg(
        long,
        value_name = "PART",
        default_value = "1e-3",
        help = "Part of its size within which a quantity has come back"
    )]
    tolerance: f64,

    #[command(flatten)]
    options: StudyOptions,
}

/// In which order.
#[derive(Clone, Copy, ValueEnum)]
enum Way {
    /// As the values are given
    Up,
    /// From the last to the first
    Down,
    /// Up, and then down again
    Both,
}

impl Bifurcation {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.draw())
    }

    fn draw(&self) -> Result<Exit, Failure> {
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let jobs = self.options.jobs()?;
        self.options.check()?;
        if self.keep == 0 {
            return Err((Exit::BadInput, "--keep is 0, it must be at least 1".into()));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let message = format!("--tolerance is {}, it must be between 0 and 1", self.tolerance);
            return Err((Exit::BadInput, message));
        }
        let vary = Vary::parse(&self.vary).map_err(refusal)?;
        let section = Section::parse(&self.section).map_err(refusal)?;
        let diagram =
            study::Bifurcation::new(file, &self.options.overrides, vary, section, &self.show);
        let mut diagram = diagram.map_err(refusal)?;
        (diagram.discard, diagram.keep) = (self.discard, self.keep);
        diagram.tolerance = self.tolerance;
        diagram.follow = match self.follow {
            None => Follow::No,
            Some(Way::Up) => Follow::Up,
            Some(Way::Down) => Follow::Down,
            Some(Way::Both) => Follow::Both,
        };
        let folder = self.options.folder(diagram.scene(), "bifurcation");
        study::claim_folder(&folder, &self.description(&diagram)).map_err(refusal)?;
        let stop = stop_check();
        let bar = PointBar::new(diagram.count(), self.options.quiet);
        let (mut over, mut failed) = (0, 0);
        let found = diagram.run(jobs, &stop, &mut |settled| {
            over += 1;
            failed += usize::from(settled.status != "done");
            bar.update(diagram.count(), over, 0, failed);
        });
        bar.finish();
        let found = found.map_err(refusal)?;
        self.write(&diagram, &found, &folder)?;
        self.tell(&diagram, &found, &folder)
    }

    fn description(&self, diagram: &study::Bifurcation) -> serde_json::Value {
        let shown = diagram.shown().iter();
        let shown: Vec<_> =
            shown.map(|(name, unit)| serde_json::json!({ "name": name, "unit": unit })).collect();
        serde_json::json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "bifurcation",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": diagram.scene(),
            "scene_hash": diagram.scene_hash(),
            "set": self.options.overrides,
            "vary": { "key": diagram.vary().key, "unit": diagram.vary().unit, "text": self.vary },
            "section": self.section,
            "discard": self.discard,
            "keep": self.keep,
            "follow": format!("{:?}", diagram.follow).to_lowercase(),
            "tolerance": self.tolerance,
            "shown": shown,
        })
    }

    fn write(
        &self,
        diagram: &study::Bifurcation,
        found: &[Settled],
        folder: &Path,
    ) -> Result<(), Failure> {
        let key = &diagram.vary().key;
        let names = diagram.shown().iter().map(|(name, _)| cell(name));
        let head = format!("going,{},point,period,t,", cell(key));
        let mut table = head + &names.collect::<Vec<String>>().join(",") + "\n";
        let mut periods = format!("going,{},period,points,status,message\n", cell(key));
        for settled in found {
            let going = settled.going.name();
            let period = settled.period.map_or(String::new(), |period| period.to_string());
            let value = cell(&settled.value);
            for (number_of, point) in settled.points.iter().enumerate() {
                let cells: Vec<String> = point.iter().map(|value| number(*value)).collect();
                let _ = writeln!(table, "{going},{value},{number_of},{period},{}", cells.join(","));
            }
            let (count, status) = (settled.points.len(), settled.status);
            let message = cell(&settled.message);
            let _ = writeln!(periods, "{going},{value},{period},{count},{status},{message}");
        }
        study_page::write(folder, TABLE, table.as_bytes())?;
        study_page::write(folder, PERIODS, periods.as_bytes())?;
        let figure = figure(diagram, found);
        let drawn = |e: String| (Exit::Internal, e);
        study_page::write(folder, "bifurcation.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
        study_page::write(folder, "bifurcation.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        let page = Page {
            kind: "bifurcation",
            title: format!("{}: {}", diagram.scene(), self.section),
            scene: self.scene.clone(),
            set: self.options.overrides.clone(),
            keys: vec![Key::new(key, &diagram.vary().unit)],
            measures: diagram.shown().iter().map(|(name, unit)| Key::new(name, unit)).collect(),
            ..Page::default()
        };
        page.write(folder, TABLE, &["going", "point", "period", "t"])?;
        let mut units = vec![(key.clone(), diagram.vary().unit.clone()), ("t".into(), "s".into())];
        units.extend(diagram.shown().iter().cloned());
        self.options.convert(&folder.join(TABLE), &units, &self.description(diagram))
    }

    fn tell(
        &self,
        diagram: &study::Bifurcation,
        found: &[Settled],
        folder: &Path,
    ) -> Result<Exit, Failure> {
        let done = found.iter().filter(|settled| settled.status == "done").count();
        let exit = match signals::received() {
            Some(signal) if found.len() < diagram.count() => signal,
            _ if done == 0 => Exit::NotConverged,
            _ => Exit::Done,
        };
        let changes = changes(found);
        let name = |period: Option<usize>| period.map_or("none".to_owned(), |p| p.to_string());
        if self.options.json {
            let changes: Vec<_> = changes
                .iter()
                .map(|[a, b]| {
                    serde_json::json!({ "going": a.going.name(), "from": a.period, "to": b.period,
                        "between": [a.value, b.value] })
                })
                .collect();
            let text = serde_json::json!({ "values": diagram.count(), "done": done,
                "changes": changes, "folder": folder });
            return Ok(say(&format!("{text}\n"), exit));
        }
        let mut words = format!(
            "bifurcation of {}: {} values, {done} done, {} failed\n",
            printable(diagram.scene()),
            found.len(),
            found.len() - done
        );
        for [a, b] in changes {
            let going = if a.going == study::Going::Alone { "" } else { a.going.name() };
            let _ = writeln!(
                words,
                "{going:4} period {:>4} -> {:4} between {} and {}",
                name(a.period),
                name(b.period),
                a.value,
                b.value
            );
        }
        for file in [study_page::PAGE, "bifurcation.svg", "bifurcation.png", TABLE, PERIODS] {
            let _ = writeln!(words, "{}", folder.join(file).display());
        }
        Ok(say(&words, exit))
    }
}

/// Neighbours of one way whose periods differ.
fn changes(found: &[Settled]) -> Vec<[&Settled; 2]> {
    let is_done = |settled: &&Settled| settled.status == "done";
    let done: Vec<&Settled> = found.iter().filter(is_done).collect();
    let pairs = done.windows(2).map(|pair| [pair[0], pair[1]]);
    pairs.filter(|[a, b]| a.going == b.going && a.period != b.period).collect()
}

/// Colours of the periods 1, 2, 3, ..., of longer ones, and of none.
pub const INKS: [Ink; 8] = [
    (0x0b, 0x6e, 0x99),
    (0xe8, 0x96, 0x0c),
    (0x2c, 0x7a, 0x4b),
    (0xb3, 0x26, 0x1e),
    (0x7b, 0x4f, 0xa3),
    (0x8c, 0x56, 0x4b),
    (0xd1, 0x6b, 0xa5),
    (0x3a, 0x9b, 0xa8),
];
const INK_OF_LONG_PERIODS: Ink = (0x5a, 0x5f, 0x66);
const INK_WITHOUT_PERIOD: Ink = (0x9a, 0xa1, 0xa9);

fn figure(diagram: &study::Bifurcation, found: &[Settled]) -> Figure {
    let mut classes: Vec<Option<usize>> = found.iter().map(|settled| settled.period).collect();
    classes.sort_by_key(|period| period.unwrap_or(usize::MAX));
    classes.dedup();
    let with_unit = |name: &str, unit: &str| match unit {
        "" => name.to_owned(),
        unit => format!("{name} ({unit})"),
    };
    let vary = diagram.vary();
    // Words have no place of their own on an axis.
    let place = |settled: &Settled| settled.value.parse::<f64>().unwrap_or(settled.number as f64);
    let panels = diagram.shown().iter().enumerate().map(|(column, (name, unit))| {
        let series = classes.iter().map(|class| {
            let own = found.iter().filter(|settled| settled.period == *class);
            let points = own.flat_map(|settled| {
                settled.points.iter().map(move |point| (place(settled), point[column + 1]))
            });
            let (x, y) = points.unzip();
            let (label, ink) = match class {
                Some(period) if *period <= INKS.len() => {
                    (format!("period {period}"), INKS[period - 1])
                }
                Some(_) => (String::new(), INK_OF_LONG_PERIODS),
                None => ("no period".to_owned(), INK_WITHOUT_PERIOD),
            };
            Series::styled(Style::Points, &label, x, y).inked(ink)
        });
        let series = series.collect();
        Panel::new("", &with_unit(&vary.key, &vary.unit), &with_unit(name, unit), series)
    });
    Figure { panels: panels.collect(), columns: 1, panel_size: (720.0, 420.0), ..Figure::default() }
}
